/**
 * Ends the first preprocessing phase: the relations that arcs and calls still use move from the growing vector to their
 * place behind the static sections of the image, in the order in which arcs and calls first use them, equal blocks once:
 * the same program gives the same bytes, however its relations came about. What the first phase used is free afterwards.
 * Linear in arcs and relations.
 */

import { allocate, allocateZeroed, release } from "./arena";
import {
  H_ARCS,
  H_CALLS,
  H_CHAINS,
  H_LABEL_BASE,
  H_LABEL_LENGTH,
  H_LABELS,
  H_LENGTH,
  H_RELATION_WORDS,
  H_RELATIONS,
} from "./image";
import { arcRelation, callRelation, firstArcOf, image, setBusy, setWord, useImage, word } from "./program";
import { blockOf, entryCount, relationWords, targetsTo, useRelations } from "./relation";
import { buildTables } from "./tables";

function blockLength(block: usize): u32 {
  const m = entryCount(block);
  return m === 0 ? 1 : 1 + 2 * m + targetsTo(block, m, m - 1);
}

function hashOf(block: usize, length: u32): u32 {
  let hash: u32 = 0x811c9dc5;
  for (let i: u32 = 0; i < length; i++) {
    hash = (hash ^ word(block, i)) * 0x01000193;
    hash ^= hash >> 15;
  }
  return hash;
}

function same(a: usize, b: usize, length: u32): bool {
  return memory.compare(a, b, (<usize>length) << 2) === 0;
}

/** Relations seen so far: per word of the vector the new offset plus 1, and a table of the new blocks by content. */
let moved: usize = 0;
let table: usize = 0;
let slots: u32 = 0;
let sealed: usize = 0;
let end: u32 = 0;

/** The new offset of a relation; its block is copied if no equal one has been. */
function seal(relation: u32): u32 {
  const known = word(moved, relation);
  if (known !== 0) return known - 1;
  const block = blockOf(relation);
  const length = blockLength(block);
  let slot = hashOf(block, length) & (slots - 1);
  let found: u32 = 0;
  for (; (found = word(table, slot)) !== 0; slot = (slot + 1) & (slots - 1)) {
    const kept = sealed + ((<usize>(found - 1)) << 2);
    if (blockLength(kept) === length && same(kept, block, length)) break;
  }
  if (found === 0) {
    memory.copy(sealed + ((<usize>end) << 2), block, (<usize>length) << 2);
    found = end + 1;
    setWord(table, slot, found);
    end += length;
  }
  setWord(moved, relation, found);
  return found - 1;
}

/** Moves the relations and builds chain tables; the address behind, aligned to 8, or 0 if memory is exhausted. */
export function sealRelations(): usize {
  const used = relationWords();
  const arcs = word(image, H_ARCS);
  const calls = word(image, H_CALLS);
  moved = allocateZeroed((<usize>used) << 2);
  slots = 1 << (32 - clz(used | 1));
  table = allocateZeroed((<usize>slots) << 2);
  sealed = allocate((<usize>used) << 2);
  if (moved === 0 || table === 0 || sealed === 0) return 0;
  end = 0;
  seal(0);
  for (let i: u32 = 0; i < arcs; i++) setWord(arcRelation, i, seal(word(arcRelation, i)));
  for (let i: u32 = 0; i < calls; i++) setWord(callRelation, i, seal(word(callRelation, i)));
  const place = image + <usize>word(image, H_RELATIONS);
  memory.copy(place, sealed, (<usize>end) << 2);

  const chains = word(image, H_CHAINS);
  for (let chain: u32 = 0; chain < chains; chain++) {
    const first = firstArcOf(chain);
    const last = firstArcOf(chain + 1);
    let busy: u32 = 0;
    for (let arc = first; arc < last; arc++) if (word(arcRelation, arc) !== 0) busy |= 1 << (arc - first);
    setBusy(chain, busy);
  }

  const behind = (place + ((<usize>end) << 2) + 7) & ~7;
  memory.fill(place + ((<usize>end) << 2), 0, behind - place - ((<usize>end) << 2));
  setWord(image, H_RELATION_WORDS, end);
  useRelations(place, end);
  release(behind);
  const labels = buildTables(behind);
  if (labels === 0) return 0;
  setWord(image, H_LABELS, <u32>(labels - image));
  useImage(image);
  return labels;
}

/** Writes which labels the image holds, and its final length; both in units of 8 bytes. */
export function sealLength(labelBase: u32, labelLength: u32): void {
  setWord(image, H_LABEL_BASE, labelBase);
  setWord(image, H_LABEL_LENGTH, labelLength);
  // One more unit lets readers of unaligned words run over the last label.
  setWord(image, H_LENGTH, (word(image, H_LABELS) >> 3) + labelLength + 1);
}
