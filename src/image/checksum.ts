/**
 * Checksum of an index image: sixteen interleaved multiplicative hashes of its 32-bit words, folded. Every single changed
 * word changes it. The kernel has the same in assembly/checksum.ts, at the speed of memory; this is about a nanosecond
 * and a half per word.
 */

import { H_CHECKSUM } from "../../assembly/image.js";

const PRIMES = Int32Array.of(0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f);

/** Checksum of at least 64 words, the one that holds it counting as 0. */
export function checksum(words: Uint32Array): number {
  const [p0, p1, p2, p3] = PRIMES;
  const lanes = Int32Array.from({ length: 16 }, (_, lane) => lane + 1);
  const count = words.length;
  const end = count & ~15;
  for (let i = 0; i < end; i += 16) {
    for (let lane = 0; lane < 16; lane += 4) {
      // The checksum's own word lies in the first block.
      const fourth = i + lane + 3 === H_CHECKSUM ? 0 : words[i + lane + 3];
      const a = Math.imul(lanes[lane] ^ words[i + lane], p0);
      const b = Math.imul(lanes[lane + 1] ^ words[i + lane + 1], p1);
      const c = Math.imul(lanes[lane + 2] ^ words[i + lane + 2], p2);
      const d = Math.imul(lanes[lane + 3] ^ fourth, p3);
      lanes[lane] = a ^ (a >>> 15);
      lanes[lane + 1] = b ^ (b >>> 15);
      lanes[lane + 2] = c ^ (c >>> 15);
      lanes[lane + 3] = d ^ (d >>> 15);
    }
  }
  let sum = count | 0;
  for (const lane of lanes) sum = fold(sum, lane);
  for (let i = end; i < count; i++) sum = fold(sum, words[i]);
  return (sum ^ (sum >>> 15)) >>> 0;
}

function fold(sum: number, value: number): number {
  const mixed = Math.imul(sum ^ (sum >>> 13), PRIMES[1]) ^ value;
  return Math.imul(mixed ^ (mixed >>> 16), PRIMES[3]);
}
