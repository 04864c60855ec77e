/**
 * Rows of bits in 64-bit words, and bit fields at any bit offset. Rows in scratch memory are aligned to words; label
 * rows in the image are packed bit by bit.
 */

/** target |= source over `words` words; whether target grew. */
export function orInto(target: usize, source: usize, words: u32): bool {
  let grown: u64 = 0;
  const end = target + ((<usize>words) << 3);
  while (target < end) {
    const old = load<u64>(target);
    const merged = old | load<u64>(source);
    grown |= merged ^ old;
    store<u64>(target, merged);
    target += 8;
    source += 8;
  }
  return grown !== 0;
}

export function copyWords(target: usize, source: usize, words: u32): void {
  const end = target + ((<usize>words) << 3);
  while (target < end) {
    store<u64>(target, load<u64>(source));
    target += 8;
    source += 8;
  }
}

export function clearWords(target: usize, words: u32): void {
  const end = target + ((<usize>words) << 3);
  while (target < end) {
    store<u64>(target, 0);
    target += 8;
  }
}

export function setBit(row: usize, bit: u32): void {
  const at = row + ((<usize>(bit >> 6)) << 3);
  store<u64>(at, load<u64>(at) | ((<u64>1) << (bit & 63)));
}

export function hasBit(row: usize, bit: u32): bool {
  return ((load<u64>(row + ((<usize>(bit >> 6)) << 3)) >> (bit & 63)) & 1) !== 0;
}

/** Fields are read in pieces of 56 bits: what an unaligned word surely holds. */
export const FIELD_BITS: u32 = 56;
export const FIELD_MASK: u64 = ((<u64>1) << 56) - 1;

/** Up to 57 bits from bit offset `bit` on; what lies behind the field is not masked. */
export function bitsAt(base: usize, bit: u32): u64 {
  return load<u64>(base + <usize>(bit >> 3)) >> (bit & 7);
}

/** Whether the fields of `count` bits at bit offsets `a` of `baseA` and `b` of `baseB` have a one in common. */
export function intersects(baseA: usize, a: u32, baseB: usize, b: u32, count: u32): bool {
  while (count > FIELD_BITS) {
    if ((bitsAt(baseA, a) & bitsAt(baseB, b) & FIELD_MASK) !== 0) return true;
    a += FIELD_BITS;
    b += FIELD_BITS;
    count -= FIELD_BITS;
  }
  return (bitsAt(baseA, a) & bitsAt(baseB, b) & (((<u64>1) << count) - 1)) !== 0;
}

/** ORs the low `count` bits (at most 56) of `value` into the field at bit offset `bit`; the field was zero. */
export function putBits(base: usize, bit: u32, value: u64): void {
  const at = base + <usize>(bit >> 3);
  store<u64>(at, load<u64>(at) | (value << (bit & 7)));
}
