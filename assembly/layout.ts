/**
 * How rows lie in scratch memory, and how a flow relation moves them. A *block* holds, for one vertex, a row per fact over
 * the columns (ancestor, fact of the row's group): with `a` ancestors and a group of m facts, a * m bits, ancestor by
 * ancestor in depth order. Facts of different groups never influence each other but for the zero fact, which therefore
 * has a row in every group (its local index is 0); in a joined procedure there is one group, and the zero fact is one
 * like any other.
 *
 * Blocks are stored plane by plane: first the first word of every row, then the second word of every row, and so on. So
 * a block's prefix of fewer ancestors is the beginning of the block under a mask, and uniting two blocks is one run over
 * plain words. Groups of very different widths would waste planes: the rows at hand are those of the groups whose width
 * lies in one class, and each class is a problem of its own.
 */

import { columnsOf, factCount, groupCount, groupOf, joined, localOf, setWord, word } from "./program";
import { entryCount, sourceAt, targetAt, targetsTo } from "./relation";

/** No row: the fact's group is not in the class at hand. */
export const NO_ROW: u32 = 0xffffffff;

/** Words of a layout for `useLayout`: per fact its row, per group the zero fact's row. */
export function layoutWords(): u32 {
  return factCount + groupCount;
}

// The layout at hand.
let rowOfFact: usize = 0;
let zeroRows: usize = 0;
/** Rows of a block, an even number; the last may be padding. */
export let rowCount: u32 = 0;
/** Largest width of a group in the class. */
export let classWidth: u32 = 0;
/** Bytes from one plane to the next. */
let planeBytes: usize = 0;
/** Planes of the blocks at hand. */
let planes: u32 = 0;
/** Whether only one class exists, so that every fact has a row. */
let complete: bool = false;

/** Columns of a group per ancestor: its own facts and the zero fact. */
export function widthOf(group: u32): u32 {
  return columnsOf(group) + (joined ? 0 : 1);
}

/** Class of a width: its number of bits. */
export function classOf(width: u32): u32 {
  return 32 - clz(width);
}

/** Lays out the rows of the groups whose width is of one of the classes `from .. to`, and makes that the layout at hand. */
export function layOut(layout: usize, from: u32, to: u32): void {
  rowOfFact = layout;
  zeroRows = layout + ((<usize>factCount) << 2);
  rowCount = 0;
  classWidth = 0;
  complete = true;
  for (let g: u32 = 0; g < groupCount; g++) {
    const width = widthOf(g);
    const c = classOf(width);
    if (c < from || to < c) {
      setWord(zeroRows, g, NO_ROW);
      complete = false;
      continue;
    }
    setWord(zeroRows, g, rowCount);
    rowCount += width;
    classWidth = max(classWidth, width);
  }
  for (let d: u32 = 0; d < factCount; d++) {
    const first = word(zeroRows, groupOf(d));
    setWord(rowOfFact, d, first === NO_ROW ? NO_ROW : first + localOf(d));
  }
  closeLayout();
}

/** Makes a layout of all groups, written by `layOut` before, the one at hand. */
export function useLayout(layout: usize): void {
  rowOfFact = layout;
  zeroRows = layout + ((<usize>factCount) << 2);
  rowCount = 0;
  classWidth = 0;
  complete = true;
  for (let g: u32 = 0; g < groupCount; g++) {
    const width = widthOf(g);
    rowCount += width;
    classWidth = max(classWidth, width);
  }
  closeLayout();
}

function closeLayout(): void {
  rowCount = (rowCount + 1) & ~1;
  planeBytes = (<usize>rowCount) << 3;
}

/** Planes of blocks over `ancestors` ancestors. */
export function planesFor(ancestors: u32): u32 {
  return (ancestors * classWidth + 63) >> 6;
}

/** Words of a block over `ancestors` ancestors. */
export function blockWords(ancestors: u32): u32 {
  return planesFor(ancestors) * rowCount;
}

/** Sets the number of planes that `moveForward`, `moveBackward` and `clearRow` work on. */
export function usePlanes(count: u32): void {
  planes = count;
}

export function rowOf(fact: u32): u32 {
  return word(rowOfFact, fact);
}

export function zeroRowOf(group: u32): u32 {
  return word(zeroRows, group);
}

/** Up to 56 bits of a row from column `bit` on; what lies behind them is not masked. */
export function rowBits(block: usize, row: u32, bit: u32, count: u32): u64 {
  const at = block + <usize>(bit >> 6) * planeBytes + ((<usize>row) << 3);
  const shift = bit & 63;
  let bits = load<u64>(at) >> shift;
  if (shift + count > 64) bits |= load<u64>(at + planeBytes) << (64 - shift);
  return bits;
}

/** Word `plane` of a row. */
export function rowWord(block: usize, row: u32, plane: u32): u64 {
  return load<u64>(block + <usize>plane * planeBytes + ((<usize>row) << 3));
}

function setRowBit(block: usize, row: u32, bit: u32): void {
  const at = block + <usize>(bit >> 6) * planeBytes + ((<usize>row) << 3);
  store<u64>(at, load<u64>(at) | ((<u64>1) << (bit & 63)));
}

/** Sets in each row of the block the bit of (ancestor at `depth`, the row's own fact). */
export function setOwnBits(block: usize, depth: u32): void {
  for (let g: u32 = 0; g < groupCount; g++) {
    const first = zeroRowOf(g);
    if (first === NO_ROW) continue;
    const width = widthOf(g);
    for (let i: u32 = 0; i < width; i++) setRowBit(block, first + i, depth * width + i);
  }
}

/** Writes a mask block: in each row the columns of the first `ancestors` ancestors. */
export function writeMask(mask: usize, ancestors: u32): void {
  const count = planesFor(ancestors);
  for (let g: u32 = 0; g < groupCount; g++) {
    const first = zeroRowOf(g);
    if (first === NO_ROW) continue;
    const width = widthOf(g);
    const bits = ancestors * width;
    for (let plane: u32 = 0; plane < count; plane++) {
      const low = plane << 6;
      let value: u64 = 0;
      if (low + 64 <= bits) value = ~(<u64>0);
      else if (low < bits) value = ((<u64>1) << (bits - low)) - 1;
      const at = mask + <usize>plane * planeBytes + ((<usize>first) << 3);
      for (let i: u32 = 0; i < width; i++) store<u64>(at + ((<usize>i) << 3), value);
    }
  }
}

/** target |= source; whether target grew. `words` is even. */
export function unite(target: usize, source: usize, words: u32): bool {
  let grown = i64x2.splat(0);
  const end = target + ((<usize>words) << 3);
  for (; target < end; target += 16, source += 16) {
    const old = v128.load(target);
    const merged = v128.or(old, v128.load(source));
    grown = v128.or(grown, v128.xor(merged, old));
    v128.store(target, merged);
  }
  return v128.any_true(grown);
}

/** target |= source & mask; whether target grew. */
export function uniteMasked(target: usize, source: usize, mask: usize, words: u32): bool {
  let grown = i64x2.splat(0);
  const end = target + ((<usize>words) << 3);
  for (; target < end; target += 16, source += 16, mask += 16) {
    const old = v128.load(target);
    const merged = v128.or(old, v128.and(v128.load(source), v128.load(mask)));
    grown = v128.or(grown, v128.xor(merged, old));
    v128.store(target, merged);
  }
  return v128.any_true(grown);
}

/** target = source & mask. */
export function copyMasked(target: usize, source: usize, mask: usize, words: u32): void {
  const end = target + ((<usize>words) << 3);
  for (; target < end; target += 16, source += 16, mask += 16) {
    v128.store(target, v128.and(v128.load(source), v128.load(mask)));
  }
}

export function copyBlock(target: usize, source: usize, words: u32): void {
  const end = target + ((<usize>words) << 3);
  for (; target < end; target += 16, source += 16) v128.store(target, v128.load(source));
}

function clearRow(block: usize, row: u32): void {
  let at = block + ((<usize>row) << 3);
  for (let plane: u32 = 0; plane < planes; plane++, at += planeBytes) store<u64>(at, 0);
}

function copyRow(to: usize, toRow: u32, from: usize, fromRow: u32): void {
  let target = to + ((<usize>toRow) << 3);
  let source = from + ((<usize>fromRow) << 3);
  for (let plane: u32 = 0; plane < planes; plane++, target += planeBytes, source += planeBytes) {
    store<u64>(target, load<u64>(source));
  }
}

function uniteRow(to: usize, toRow: u32, from: usize, fromRow: u32): void {
  let target = to + ((<usize>toRow) << 3);
  let source = from + ((<usize>fromRow) << 3);
  for (let plane: u32 = 0; plane < planes; plane++, target += planeBytes, source += planeBytes) {
    store<u64>(target, load<u64>(target) | load<u64>(source));
  }
}

/**
 * Moves a block along an arc: new row(t) = union of row(d) over the pairs (d, t) of the relation. `saved` is a second
 * block for the rows that are replaced.
 */
export function moveForward(block: usize, relation: usize, saved: usize): void {
  const m = entryCount(relation);
  const zeroEntry = !joined && sourceAt(relation, 0) === 0;
  const first: u32 = zeroEntry ? 1 : 0;
  let end: u32 = zeroEntry ? targetsTo(relation, m, 0) : 0;
  const zeroEnd = end;
  for (let i = first; i < m; i++) {
    const row = rowOf(sourceAt(relation, i));
    const to = targetsTo(relation, m, i);
    if (complete || row !== NO_ROW) {
      if (end !== to) copyRow(saved, row, block, row);
      clearRow(block, row);
    }
    end = to;
  }
  if (zeroEnd !== end) {
    let k = zeroEnd;
    for (let i = first; i < m; i++) {
      const to = targetsTo(relation, m, i);
      if (k === to) continue;
      const row = rowOf(sourceAt(relation, i));
      if (complete || row !== NO_ROW) {
        for (; k < to; k++) uniteRow(block, rowOf(targetAt(relation, m, k)), saved, row);
      }
      k = to;
    }
  }
  if (!zeroEntry) return;
  // The zero fact, entry 0: its rows still stand as they were, and no other fact is related to it.
  let kept = false;
  for (let k: u32 = 0; k < zeroEnd; k++) {
    const t = targetAt(relation, m, k);
    if (t === 0) {
      kept = true;
      continue;
    }
    const row = rowOf(t);
    if (complete || row !== NO_ROW) uniteRow(block, row, block, zeroRowOf(groupOf(t)));
  }
  if (!kept) clearZero(block);
}

/** Moves a block against an arc: new row(d) = union of row(t) over the pairs (d, t) of the relation. */
export function moveBackward(block: usize, relation: usize, saved: usize): void {
  const m = entryCount(relation);
  const zeroEntry = !joined && sourceAt(relation, 0) === 0;
  const first: u32 = zeroEntry ? 1 : 0;
  let k: u32 = 0;
  if (zeroEntry) {
    const zeroEnd = targetsTo(relation, m, 0);
    if (zeroEnd === 0 || targetAt(relation, m, 0) !== 0) clearZero(block);
    for (; k < zeroEnd; k++) {
      const t = targetAt(relation, m, k);
      const row = t === 0 ? NO_ROW : rowOf(t);
      if (row !== NO_ROW) uniteRow(block, zeroRowOf(groupOf(t)), block, row);
    }
  }
  const zeroEnd = k;
  if (zeroEnd === targetsTo(relation, m, m - 1)) {
    for (let i = first; i < m; i++) {
      const row = rowOf(sourceAt(relation, i));
      if (complete || row !== NO_ROW) clearRow(block, row);
    }
    return;
  }
  for (let i = first; i < m; i++) {
    const row = rowOf(sourceAt(relation, i));
    const to = targetsTo(relation, m, i);
    if (complete || row !== NO_ROW) {
      if (k !== to) copyRow(saved, row, block, rowOf(targetAt(relation, m, k++)));
      else clearRow(saved, row);
      for (; k < to; k++) uniteRow(saved, row, block, rowOf(targetAt(relation, m, k)));
    }
    k = to;
  }
  for (let i = first; i < m; i++) {
    const row = rowOf(sourceAt(relation, i));
    if (complete || row !== NO_ROW) copyRow(block, row, saved, row);
  }
}

function clearZero(block: usize): void {
  for (let g: u32 = 0; g < groupCount; g++) {
    const row = zeroRowOf(g);
    if (row !== NO_ROW) clearRow(block, row);
  }
}
