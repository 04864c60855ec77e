/**
 * Rows of bits in 32-bit words, bit fields at any bit offset, and the allocation of such words. Rows in scratch memory
 * are aligned to words; label rows in the image are packed bit by bit, so that a field may lie in two words.
 */

import { OutOfMemoryError } from "../engine.js";

/** `length` zeroed words for the purpose named; throws an `OutOfMemoryError` where the host has no such buffer. */
export function allocateWords(length: number, what: string): Int32Array<ArrayBuffer> {
  try {
    return new Int32Array(length);
  } catch {
    throw new OutOfMemoryError(what, 4 * length);
  }
}

/** A larger copy of `words`, at least `length` long, half as long again at least. */
export function enlargeWords(
  words: Int32Array<ArrayBuffer>,
  length: number,
  what: string,
): Int32Array<ArrayBuffer> {
  const larger = allocateWords(Math.max(length, words.length + (words.length >>> 1)), what);
  larger.set(words);
  return larger;
}

/** Number of the lowest one in a word that is not zero. */
export function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}

/** Number of ones in a word. */
export function countBits(word: number): number {
  let x = word - ((word >>> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  x = (x + (x >>> 4)) & 0x0f0f0f0f;
  return Math.imul(x, 0x01010101) >>> 24;
}

/** A word whose low `count` bits are ones, for counts of 0 to 32. */
export function lowBits(count: number): number {
  return count === 32 ? -1 : (1 << count) - 1;
}

/** The 32 bits from bit offset `bit` behind word `base` on. */
export function bitsAt(words: Int32Array, base: number, bit: number): number {
  const at = base + (bit >>> 5);
  const shift = bit & 31;
  return shift === 0 ? words[at] : (words[at] >>> shift) | (words[at + 1] << (32 - shift));
}

/** Whether two fields of `count` bits, at bit offsets `a` behind `baseA` and `b` behind `baseB`, share a one. */
export function intersects(
  words: Int32Array,
  baseA: number,
  a: number,
  baseB: number,
  b: number,
  count: number,
): boolean {
  let i = 0;
  for (; i + 32 < count; i += 32) {
    if ((bitsAt(words, baseA, a + i) & bitsAt(words, baseB, b + i)) !== 0) return true;
  }
  return (bitsAt(words, baseA, a + i) & bitsAt(words, baseB, b + i) & lowBits(count - i)) !== 0;
}
