/** From working rows to labels: see assembly/label-packing.ts. */

import { closureRow } from "./closure.js";
import { BACKWARD_ZERO, backwardRow, FORWARD_ZERO, labelBase, labelShift } from "./label-rows.js";
import type { Program } from "./program.js";
import type { Rows } from "./rows.js";

/** Working blocks: per node its ancestors, and where in `space` its block begins. */
export interface Blocks {
  readonly space: Int32Array;
  readonly ancestorsOf: Int32Array;
  readonly blockOf: Int32Array;
}

/** F rows of the class at hand, of all nodes; with the zero fact's where they have not been packed yet. */
export function packForward(
  program: Program,
  rows: Rows,
  blocks: Blocks,
  withZero: boolean,
  closed: boolean,
): void {
  const { joined, words: image, nodeCount } = program;
  const { groups, groupCount, zeroRowOf, firstRowOf, zeroRow, rowCount } = rows;
  const { space, ancestorsOf, blockOf } = blocks;
  for (let v = 0; v < nodeCount; v++) {
    const a = ancestorsOf[v];
    const block = blockOf[v];
    const base = labelBase(program, v);
    const shift = labelShift(program, v);
    if (withZero && !joined) {
      const bit = shift + (closed ? 0 : a * FORWARD_ZERO);
      packRows(image, base, bit, space, block + zeroRow, rowCount, 1, a);
    }
    for (let j = 0; j < groupCount; j++) {
      const g = groups[j];
      const k = program.columnsOf(g);
      const first = block + (joined ? firstRowOf[g] : zeroRowOf[g]);
      const bit = shift + a * (closed ? closureRow(program, g, 0) : program.offsetOf(g));
      packRows(image, base, bit, space, first, rowCount, joined ? k : k + 1, a * k);
    }
  }
}

/** B and B0 rows in the same way. */
export function packBackward(program: Program, rows: Rows, blocks: Blocks, withZero: boolean): void {
  const { joined, words: image, nodeCount } = program;
  const { groups, groupCount, firstRowOf, zeroRow, zeroPlanes, rowCount } = rows;
  const { space, ancestorsOf, blockOf } = blocks;
  const skip = joined ? 0 : 1;
  for (let v = 0; v < nodeCount; v++) {
    const a = ancestorsOf[v];
    const block = blockOf[v];
    const base = labelBase(program, v);
    const shift = labelShift(program, v);
    if (withZero && !joined) {
      packRows(image, base, shift + a * BACKWARD_ZERO, space, block + zeroRow, rowCount, 1, a);
    }
    for (let j = 0; j < groupCount; j++) {
      const g = groups[j];
      const k = program.columnsOf(g);
      const first = block + firstRowOf[g];
      const bit = shift + a * backwardRow(program, g, skip);
      packRows(image, base, bit, space, first + zeroPlanes * rowCount, rowCount, k, a * k);
      if (!joined) packRows(image, base, bit + a * k * k, space, first, rowCount, k, a);
    }
  }
}

/**
 * Packs `count` rows of `bits` bits each from a block into the image, without gaps, from bit offset `to` behind word
 * `base` on. `row` is the first word of the first of them.
 */
function packRows(
  image: Int32Array,
  base: number,
  to: number,
  space: Int32Array,
  row: number,
  rowCount: number,
  count: number,
  bits: number,
): void {
  let at = base + (to >>> 5);
  // Bits wait in `packed` until there are enough for a word.
  let filled = to & 31;
  let packed = 0;
  for (let i = row; i < row + count; i++) {
    for (let rest = bits, from = i; 0 < rest; rest -= 32, from += rowCount) {
      const word = space[from];
      const size = Math.min(rest, 32);
      packed |= word << filled;
      filled += size;
      if (32 <= filled) {
        image[at++] |= packed;
        filled -= 32;
        packed = filled === 0 ? 0 : word >>> (size - filled);
      }
    }
  }
  if (packed !== 0) image[at] |= packed;
}
