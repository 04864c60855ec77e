/**
 * Ends the first preprocessing phase: the relations that arcs and calls still use move from the growing vector to their
 * place behind the static sections of the image, equal blocks once. What the first phase used is free afterwards.
 * Linear in the vector's length.
 */

import { allocateZeroed, release } from "./arena";
import {
  H_ARCS,
  H_CALLS,
  H_CHAINS,
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

/** Moves the relations and builds chain tables; the address behind, aligned to 8, or 0 if memory is exhausted. */
export function sealRelations(): usize {
  const used = relationWords();
  const arcs = word(image, H_ARCS);
  const calls = word(image, H_CALLS);
  // Per word of the vector: 1 where a block in use begins, then its new offset plus 2.
  const moved = allocateZeroed((<usize>used) << 2);
  if (moved === 0) return 0;
  for (let i: u32 = 0; i < arcs; i++) setWord(moved, word(arcRelation, i), 1);
  for (let i: u32 = 0; i < calls; i++) setWord(moved, word(callRelation, i), 1);
  setWord(moved, 0, 1);
  let blocks: u32 = 0;
  for (let at: u32 = 0; at < used; at += blockLength(blockOf(at))) if (word(moved, at) !== 0) blocks++;
  const slots: u32 = 1 << (33 - clz(blocks));
  const table = allocateZeroed((<usize>slots) << 2);
  if (table === 0) return 0;

  // The new place lies below the vector, and blocks only move down, in order.
  const place = image + <usize>word(image, H_RELATIONS);
  let end: u32 = 0;
  let length: u32 = 0;
  for (let at: u32 = 0; at < used; at += length) {
    const block = blockOf(at);
    length = blockLength(block);
    if (word(moved, at) === 0) continue;
    let slot = hashOf(block, length) & (slots - 1);
    let found: u32 = 0;
    for (; (found = word(table, slot)) !== 0; slot = (slot + 1) & (slots - 1)) {
      const kept = place + ((<usize>(found - 1)) << 2);
      if (blockLength(kept) === length && same(kept, block, length)) break;
    }
    if (found === 0) {
      memory.copy(place + ((<usize>end) << 2), block, (<usize>length) << 2);
      found = end + 1;
      setWord(table, slot, found);
      end += length;
    }
    setWord(moved, at, found + 1);
  }
  for (let i: u32 = 0; i < arcs; i++) setWord(arcRelation, i, word(moved, word(arcRelation, i)) - 2);
  for (let i: u32 = 0; i < calls; i++) setWord(callRelation, i, word(moved, word(callRelation, i)) - 2);

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

/** Writes the image's final length; `labelLength` in units of 8 bytes. */
export function sealLength(labelLength: u32): void {
  setWord(image, H_LABEL_LENGTH, labelLength);
  // One more unit lets readers of unaligned words run over the last label.
  setWord(image, H_LENGTH, (word(image, H_LABELS) >> 3) + labelLength + 1);
}
