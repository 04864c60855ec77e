/**
 * Ends the first preprocessing phase: the relations that arcs and calls still use move from the growing vector to their
 * place behind the static sections of the image, in the order in which arcs and calls first use them: the same program
 * gives the same bytes, however its relations came about. What the first phase used is free afterwards.
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
import { blockLength, blockOf, relationWords, useRelations } from "./relation";
import { buildTables } from "./tables";

/** Per word of the vector: the new offset, plus 1, of the relation there that has been moved. */
let moved: usize = 0;
let sealed: usize = 0;
let end: u32 = 0;

/** The new offset of a relation. */
function seal(relation: u32): u32 {
  const known = word(moved, relation);
  if (known !== 0) return known - 1;
  const block = blockOf(relation);
  const length = blockLength(block);
  memory.copy(sealed + ((<usize>end) << 2), block, (<usize>length) << 2);
  end += length;
  setWord(moved, relation, end - length + 1);
  return end - length;
}

/** Moves the relations and builds chain tables; the address behind, aligned to 8, or 0 if memory is exhausted. */
export function sealRelations(): usize {
  const used = relationWords();
  const arcs = word(image, H_ARCS);
  const calls = word(image, H_CALLS);
  moved = allocateZeroed((<usize>used) << 2);
  sealed = allocate((<usize>used) << 2);
  if (moved === 0 || sealed === 0) return 0;
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
