/**
 * From working rows to labels: the rows of the class of groups that is laid out (layout.ts), without the bits between them,
 * to where label-rows.ts says. Labels are all 0 before: bits are added to them, a field (bitset.ts) at a time.
 */

import { FIELD_BITS, FIELD_MASK, putBits } from "./bitset";
import { closureRow } from "./closure";
import {
  BACKWARD_ZERO,
  backwardRow,
  backwardZeroRow,
  FORWARD_ZERO,
  forwardRow,
  labelBase,
} from "./label-rows";
import { NO_ROW, rowBits, rowWord, widthOf, zeroRowOf } from "./layout";
import { columnsOf, groupCount, joined } from "./program";

/** F rows of the class at hand, of node `v` with `a` ancestors; with the zero fact's where it has not been packed yet. */
export function packForward(v: u32, a: u32, block: usize, withZero: bool, closed: bool): void {
  const to = labelBase(v);
  const skip: u32 = joined ? 0 : 1;
  for (let g: u32 = 0; g < groupCount; g++) {
    const first = zeroRowOf(g);
    if (first === NO_ROW) continue;
    const width = widthOf(g);
    const k = columnsOf(g);
    if (!joined && withZero) {
      packRow(to, closed ? 0 : a * FORWARD_ZERO, block, first, a, width, 0, 1);
      withZero = false;
    }
    for (let i: u32 = 0; i < width; i++) {
      const row = closed ? closureRow(g, i) : forwardRow(g, i);
      packRow(to, a * row, block, first + i, a, width, skip, k);
    }
  }
}

/** B and B0 rows in the same way. */
export function packBackward(v: u32, a: u32, block: usize, withZero: bool): void {
  const to = labelBase(v);
  const skip: u32 = joined ? 0 : 1;
  for (let g: u32 = 0; g < groupCount; g++) {
    const first = zeroRowOf(g);
    if (first === NO_ROW) continue;
    const width = widthOf(g);
    const k = columnsOf(g);
    if (!joined && withZero) {
      packRow(to, a * BACKWARD_ZERO, block, first, a, width, 0, 1);
      withZero = false;
    }
    for (let i = skip; i < width; i++) {
      packRow(to, a * backwardRow(g, i), block, first + i, a, width, skip, k);
      if (!joined) packRow(to, a * backwardZeroRow(g, i), block, first + i, a, width, 0, 1);
    }
  }
}

/** Columns `skip .. skip + k - 1` of the first `a` ancestors in a working row, to label bits from `bit` on. */
function packRow(to: usize, bit: u32, block: usize, row: u32, a: u32, width: u32, skip: u32, k: u32): void {
  if (k === 0) return;
  // Bits wait in `packed` until the next ones would not fit a field.
  let packed: u64 = 0;
  let filled: u32 = 0;
  if (a * width <= 64) {
    const mask = ~(<u64>0) >> (64 - k);
    for (let rest = rowWord(block, row, 0) >> skip; rest !== 0; rest >>= width) {
      packed |= (rest & mask) << filled;
      filled += k;
      if (width === 64) break;
    }
    if (packed === 0) return;
    putBits(to, bit, packed & FIELD_MASK);
    if (filled > FIELD_BITS) putBits(to, bit + FIELD_BITS, packed >> FIELD_BITS);
    return;
  }
  let from = skip;
  for (let h: u32 = 0; h < a; h++, from += width) {
    let source = from;
    for (let rest = k; rest !== 0; ) {
      const count = min(rest, FIELD_BITS - filled);
      packed |= (rowBits(block, row, source, count) & (((<u64>1) << count) - 1)) << filled;
      filled += count;
      source += count;
      rest -= count;
      if (filled === FIELD_BITS) {
        putBits(to, bit, packed);
        bit += FIELD_BITS;
        packed = 0;
        filled = 0;
      }
    }
  }
  if (packed !== 0) putBits(to, bit, packed);
}
