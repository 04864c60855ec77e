/**
 * How a vertex's rows lie in scratch memory, and how a flow relation moves them. For the procedure being worked on, a
 * *block* holds one row per fact, over the columns (ancestor, fact of the row's group): with `a` ancestors and a group
 * of m facts, a * m bits, ancestor by ancestor in depth order, each row aligned to words. Facts of different groups
 * never influence each other but for the zero fact, which therefore has a row in every group (its local index is 0);
 * in a joined procedure there is one group and the zero fact is one like any other.
 *
 * A *table* gives the rows' places for one `a`:
 *
 *     [ words of a block | per fact: first word of its row | per fact: words of its row | per group: zero fact's row ]
 */

import { clearWords, copyPrefix, copyWords, orInto, orPrefix, setBit } from "./bitset";
import {
  columnsOf,
  factCount,
  groupCount,
  groupOf,
  joined,
  localOf,
  setWord,
  word,
} from "./program";
import { entryCount, sourceAt, targetAt, targetsFrom, targetsTo } from "./relation";

/** Working columns of a group per ancestor: its own facts and the zero fact. */
export function widthOf(group: u32): u32 {
  return columnsOf(group) + (joined ? 0 : 1);
}

export function tableWords(): u32 {
  return 1 + 2 * factCount + groupCount;
}

/** Writes the table for blocks over `ancestors` ancestors. */
export function layOut(table: usize, ancestors: u32): void {
  let next: u32 = 0;
  const zeroRows = table + (<usize>(1 + 2 * factCount) << 2);
  for (let g: u32 = 0; g < groupCount; g++) {
    const words = (ancestors * widthOf(g) + 63) >> 6;
    setWord(zeroRows, g, next);
    next += words * widthOf(g);
  }
  setWord(table, 0, next);
  for (let d: u32 = 0; d < factCount; d++) {
    const g = groupOf(d);
    const words = (ancestors * widthOf(g) + 63) >> 6;
    setWord(table, 1 + d, word(zeroRows, g) + localOf(d) * words);
    setWord(table, 1 + factCount + d, words);
  }
}

export function blockWords(table: usize): u32 {
  return load<u32>(table);
}

export function rowOf(block: usize, table: usize, fact: u32): usize {
  return block + (<usize>word(table, 1 + fact) << 3);
}

export function rowWords(table: usize, fact: u32): u32 {
  return word(table, 1 + factCount + fact);
}

export function zeroRowOf(block: usize, table: usize, group: u32): usize {
  return block + (<usize>word(table, 1 + 2 * factCount + group) << 3);
}

/** Sets in each row of the block the bit of (ancestor at `depth`, the row's own fact). */
export function setOwnBits(block: usize, table: usize, depth: u32): void {
  for (let d: u32 = 0; d < factCount; d++) {
    setBit(rowOf(block, table, d), depth * widthOf(groupOf(d)) + localOf(d));
  }
  if (!joined) {
    for (let g: u32 = 1; g < groupCount; g++) setBit(zeroRowOf(block, table, g), depth * widthOf(g));
  }
}

/** narrow = what wide says about the first `ancestors` ancestors, the tables being theirs. */
export function narrowInto(narrow: usize, narrowTable: usize, wide: usize, wideTable: usize, ancestors: u32): void {
  if (narrowTable === wideTable) {
    copyWords(narrow, wide, blockWords(wideTable));
    return;
  }
  for (let g: u32 = 0; g < groupCount; g++) {
    const width = widthOf(g);
    const bits = ancestors * width;
    const step = <usize>((bits + 63) >> 6) << 3;
    let from = zeroRowOf(wide, wideTable, g);
    let to = zeroRowOf(narrow, narrowTable, g);
    const end = g + 1 < groupCount ? zeroRowOf(wide, wideTable, g + 1) : wide + (<usize>blockWords(wideTable) << 3);
    const stride = (end - from) / <usize>width;
    for (; from < end; from += stride, to += step) copyPrefix(to, from, bits);
  }
}

/** target |= source, where one of them may have more ancestors; only the first `ancestors` count. Whether it grew. */
export function mergeInto(
  target: usize,
  targetTable: usize,
  source: usize,
  sourceTable: usize,
  ancestors: u32,
): bool {
  if (targetTable === sourceTable) return orInto(target, source, blockWords(targetTable));
  let grown = false;
  for (let g: u32 = 0; g < groupCount; g++) {
    const width = widthOf(g);
    const bits = ancestors * width;
    let from = zeroRowOf(source, sourceTable, g);
    let to = zeroRowOf(target, targetTable, g);
    const fromEnd = g + 1 < groupCount ? zeroRowOf(source, sourceTable, g + 1) : source + (<usize>blockWords(sourceTable) << 3);
    const toEnd = g + 1 < groupCount ? zeroRowOf(target, targetTable, g + 1) : target + (<usize>blockWords(targetTable) << 3);
    const fromStride = (fromEnd - from) / <usize>width;
    const toStride = (toEnd - to) / <usize>width;
    for (; from < fromEnd; from += fromStride, to += toStride) if (orPrefix(to, from, bits)) grown = true;
  }
  return grown;
}

/**
 * Moves a block along an arc: new row(t) = union of row(d) over the pairs (d, t) of the relation. `saved` is a second
 * block for the rows that are replaced.
 */
export function moveForward(block: usize, table: usize, relation: usize, saved: usize): void {
  const m = entryCount(relation);
  let zeroEntry = false;
  for (let i: u32 = 0; i < m; i++) {
    const d = sourceAt(relation, i);
    if (d === 0 && !joined) {
      zeroEntry = true;
      continue;
    }
    const row = rowOf(block, table, d);
    const words = rowWords(table, d);
    if (targetsFrom(relation, m, i) !== targetsTo(relation, m, i)) copyWords(rowOf(saved, table, d), row, words);
    clearWords(row, words);
  }
  for (let i: u32 = zeroEntry ? 1 : 0; i < m; i++) {
    const d = sourceAt(relation, i);
    const to = targetsTo(relation, m, i);
    for (let k = targetsFrom(relation, m, i); k < to; k++) {
      orInto(rowOf(block, table, targetAt(relation, m, k)), rowOf(saved, table, d), rowWords(table, d));
    }
  }
  if (!zeroEntry) return;
  // The zero fact, entry 0: its rows still stand as they were, and no other fact is related to it.
  let kept = false;
  const to = targetsTo(relation, m, 0);
  for (let k: u32 = 0; k < to; k++) {
    const t = targetAt(relation, m, k);
    if (t === 0) kept = true;
    else orInto(rowOf(block, table, t), zeroRowOf(block, table, groupOf(t)), rowWords(table, t));
  }
  if (!kept) clearZero(block, table);
}

/** Moves a block against an arc: new row(d) = union of row(t) over the pairs (d, t) of the relation. */
export function moveBackward(block: usize, table: usize, relation: usize, saved: usize): void {
  const m = entryCount(relation);
  let zeroEntry = false;
  for (let i: u32 = 0; i < m; i++) {
    const d = sourceAt(relation, i);
    const from = targetsFrom(relation, m, i);
    const to = targetsTo(relation, m, i);
    if (d === 0 && !joined) {
      zeroEntry = true;
      let kept = false;
      for (let k = from; k < to; k++) if (targetAt(relation, m, k) === 0) kept = true;
      if (!kept) clearZero(block, table);
      for (let k = from; k < to; k++) {
        const t = targetAt(relation, m, k);
        if (t !== 0) orInto(zeroRowOf(block, table, groupOf(t)), rowOf(block, table, t), rowWords(table, t));
      }
      continue;
    }
    const row = rowOf(saved, table, d);
    const words = rowWords(table, d);
    clearWords(row, words);
    for (let k = from; k < to; k++) orInto(row, rowOf(block, table, targetAt(relation, m, k)), words);
  }
  for (let i: u32 = zeroEntry ? 1 : 0; i < m; i++) {
    const d = sourceAt(relation, i);
    copyWords(rowOf(block, table, d), rowOf(saved, table, d), rowWords(table, d));
  }
}

function clearZero(block: usize, table: usize): void {
  for (let g: u32 = 0; g < groupCount; g++) {
    clearWords(zeroRowOf(block, table, g), groupWordsOf(table, g));
  }
}

/** Words of a row in a group: rows of a group lie side by side, the first being the zero fact's. */
function groupWordsOf(table: usize, g: u32): u32 {
  const zeroRows = table + (<usize>(1 + 2 * factCount) << 2);
  const end = g + 1 < groupCount ? word(zeroRows, g + 1) : blockWords(table);
  return (end - word(zeroRows, g)) / widthOf(g);
}
