/**
 * Checksum of an index image: sixteen interleaved multiplicative hashes of its words, folded. The TypeScript side has the
 * same in src/image/checksum.ts. Memory bandwidth is the limit.
 */

import { H_CHECKSUM } from "./image";
import { setWord, word } from "./program";

const P0: u32 = 0x9e3779b1;
const P1: u32 = 0x85ebca77;
const P2: u32 = 0xc2b2ae3d;
const P3: u32 = 0x27d4eb2f;

function step(lanes: v128, words: v128, primes: v128): v128 {
  const mixed = i32x4.mul(v128.xor(lanes, words), primes);
  return v128.xor(mixed, i32x4.shr_u(mixed, 15));
}

/** Checksum of the `count` words (at least 64) at `at`, the word that holds it counting as 0. */
export function checksumAt(at: usize, count: u32): u32 {
  const kept = word(at, H_CHECKSUM);
  setWord(at, H_CHECKSUM, 0);
  const primes = i32x4(<i32>P0, <i32>P1, <i32>P2, <i32>P3);
  let a = i32x4(1, 2, 3, 4);
  let b = i32x4(5, 6, 7, 8);
  let c = i32x4(9, 10, 11, 12);
  let d = i32x4(13, 14, 15, 16);
  let from = at;
  const end = at + ((<usize>(count & ~15)) << 2);
  for (; from < end; from += 64) {
    a = step(a, v128.load(from), primes);
    b = step(b, v128.load(from, 16), primes);
    c = step(c, v128.load(from, 32), primes);
    d = step(d, v128.load(from, 48), primes);
  }
  setWord(at, H_CHECKSUM, kept);
  let sum: u32 = count;
  sum = foldLanes(sum, a);
  sum = foldLanes(sum, b);
  sum = foldLanes(sum, c);
  sum = foldLanes(sum, d);
  for (let i = count & ~15; i < count; i++) sum = fold(sum, word(at, i));
  return sum ^ (sum >> 15);
}

function foldLanes(sum: u32, lanes: v128): u32 {
  sum = fold(sum, i32x4.extract_lane(lanes, 0));
  sum = fold(sum, i32x4.extract_lane(lanes, 1));
  sum = fold(sum, i32x4.extract_lane(lanes, 2));
  return fold(sum, i32x4.extract_lane(lanes, 3));
}

function fold(sum: u32, value: u32): u32 {
  sum = ((sum ^ (sum >> 13)) * P1) ^ value;
  return (sum ^ (sum >> 16)) * P3;
}
