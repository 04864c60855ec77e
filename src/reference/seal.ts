/**
 * Ends the first preprocessing phase: the relations that arcs and calls still use are chosen from the growing vector,
 * equal blocks once, and get their place behind the static sections of the image. The image moves to a buffer of its
 * final length when label space is known. Linear in the vector's length.
 */

import { H_LABEL_LENGTH, H_LABELS, H_LENGTH, H_RELATION_WORDS, H_RELATIONS } from "../../assembly/image.js";
import { allocateWords } from "./bitset.js";
import type { Program } from "./program.js";
import { blockLength, type Relations } from "./relation.js";

function hashOf(words: Int32Array, block: number, length: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < length; i++) {
    hash = Math.imul(hash ^ words[block + i], 0x01000193);
    hash ^= hash >>> 15;
  }
  return hash;
}

function same(words: Int32Array, a: number, b: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (words[a + i] !== words[b + i]) return false;
  return true;
}

/** Moves the relations in use to the beginning of their vector, in order, and ends it there. */
export function sealRelations(program: Program, relations: Relations): void {
  const { arcRelation, callRelation, image } = program;
  const { words, used } = relations;
  // Per word of the vector: 1 where a block in use begins, then its new offset plus 2.
  const moved = allocateWords(used, "Relations");
  for (let i = 0; i < arcRelation.length; i++) moved[arcRelation[i]] = 1;
  for (let i = 0; i < callRelation.length; i++) moved[callRelation[i]] = 1;
  moved[0] = 1;
  let blocks = 0;
  for (let at = 0; at < used; at += blockLength(words, at)) if (moved[at] !== 0) blocks++;
  const slots = 2 ** (33 - Math.clz32(blocks));
  const table = allocateWords(slots, "Relations");

  let end = 0;
  let length = 0;
  for (let at = 0; at < used; at += length) {
    length = blockLength(words, at);
    if (moved[at] === 0) continue;
    let slot = hashOf(words, at, length) & (slots - 1);
    let found = 0;
    for (; (found = table[slot]) !== 0; slot = (slot + 1) & (slots - 1)) {
      if (blockLength(words, found - 1) === length && same(words, found - 1, at, length)) break;
    }
    if (found === 0) {
      words.copyWithin(end, at, at + length);
      found = end + 1;
      table[slot] = found;
      end += length;
    }
    moved[at] = found + 1;
  }
  for (let i = 0; i < arcRelation.length; i++) arcRelation[i] = moved[arcRelation[i]] - 2;
  for (let i = 0; i < callRelation.length; i++) callRelation[i] = moved[callRelation[i]] - 2;
  relations.used = end;
  image[H_RELATION_WORDS] = end;
  image[H_LABELS] = (image[H_RELATIONS] + 4 * end + 7) & ~7;
}

/** The image with its relations and room for labels, `labelLength` in units of 8 bytes. */
export function sealImage(program: Program, relations: Relations, labelLength: number): Uint32Array {
  const { image } = program;
  // One more unit lets readers of unaligned words run over the last label.
  const length = image[H_LABELS] / 8 + labelLength + 1;
  const sealed = new Uint32Array(allocateWords(2 * length, "Labels").buffer);
  sealed.set(image);
  sealed.set(relations.words.subarray(0, relations.used), image[H_RELATIONS] / 4);
  sealed[H_LABEL_LENGTH] = labelLength;
  sealed[H_LENGTH] = length;
  return sealed;
}
