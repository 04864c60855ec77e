/**
 * Chain tables: what a fact at any position of a chain is at the chain's end, and what at its head it comes from, in
 * O(1). Along a chain a fact's image changes only where an arc touches it; so for each pair (fact here, fact there) that
 * is not simply the same fact all along, a bit mask says at which positions it holds. Chains with few arcs other than
 * identities, and procedures whose facts do not influence each other, do without: walking is as short there.
 *
 * A table is a run of words in the table section:
 *
 *     [ busy arcs | words of the forward part | forward part | backward part ]
 *
 * and a part relates facts here to facts there, by masks in which bit p stands for the vertex at position p:
 *
 *     [ m: half, pairs: half | m entries: fact here, end of its pairs, a half each | a mask per pair | facts there: halves ]
 *
 * Facts that a part does not list are themselves there. Built in one pass over the busy arcs in each direction, in time
 * about linear in what they list and in the pairs that come of it.
 */

import { allocate, allocateZeroed, mark, release } from "./arena";
import { H_PROCEDURES, H_TABLE_WORDS, H_TABLES, P_CHAIN_BASE, P_CHAINS, P_FACTS, TABLE_FLAG } from "./image";
import {
  arcRelation,
  busyOf,
  columnsOf,
  factCount,
  firstArcOf,
  groupCount,
  image,
  record,
  recordOf,
  setBusy,
  setWord,
  useProcedure,
  word,
} from "./program";
import { blockOf, entryCount, findEntry, sourceAt, targetAt, targetsFrom, targetsTo } from "./relation";

/** Fewest busy arcs that make a table worth its space, most touched facts and most pairs of one. */
const FEWEST_BUSY: u32 = 6;
const MOST_TOUCHED: u32 = 256;
const MOST_PAIRS: u32 = 1024;

/** Per fact of the procedure: its index among the touched facts, valid where the stamp is the current one. */
let indexOf: usize = 0;
let stampOf: usize = 0;
let stamp: u32 = 0;
/** Touched facts, ascending; their images now, as rows of bits, and those that an arc makes. */
let touched: usize = 0;
let touchedCount: u32 = 0;
let rows: usize = 0;
let fresh: usize = 0;
let words: u32 = 0;
/** Per touched fact: the position from which on, in the walk's direction, its image has not been noted. */
let noted: usize = 0;
/** Pairs: a list per touched fact of [fact there | mask | next + 1]. */
let firstPair: usize = 0;
let pairs: usize = 0;
let pairCount: u32 = 0;

/** The tables written so far: contiguous at the arena's top. */
let tables: usize = 0;
let tableWords: u32 = 0;

/** Builds the tables of all chains behind `end`, where relations end; the address behind them, or 0 if out of memory. */
export function buildTables(end: usize): usize {
  let facts: u32 = 0;
  const procedures = word(image, H_PROCEDURES);
  for (let p: u32 = 0; p < procedures; p++) facts = max(facts, word(recordOf(p), P_FACTS));
  const rowBytes = (<usize>((facts + 63) >> 6)) << 3;
  indexOf = allocate((<usize>facts) << 2);
  stampOf = allocateZeroed((<usize>facts) << 2);
  touched = allocate((<usize>MOST_TOUCHED) << 2);
  rows = allocate(rowBytes * MOST_TOUCHED);
  fresh = allocate(rowBytes * MOST_TOUCHED);
  noted = allocate((<usize>MOST_TOUCHED) << 2);
  firstPair = allocate((<usize>MOST_TOUCHED) << 2);
  pairs = allocate(<usize>(MOST_PAIRS * 12));
  if (indexOf === 0 || stampOf === 0 || touched === 0 || rows === 0 || fresh === 0) return 0;
  if (noted === 0 || firstPair === 0 || pairs === 0) return 0;
  stamp = 0;
  tables = (mark() + 7) & ~7;
  tableWords = 0;
  for (let p: u32 = 0; p < procedures; p++) {
    useProcedure(p);
    if (isSeparable()) continue;
    words = (factCount + 63) >> 6;
    const first = word(record, P_CHAIN_BASE);
    const last = first + word(record, P_CHAINS);
    for (let chain = first; chain < last; chain++) {
      if (<u32>popcnt(busyOf(chain)) < FEWEST_BUSY) continue;
      if (!buildTable(chain)) return 0;
    }
  }
  memory.copy(end, tables, (<usize>tableWords) << 2);
  const behind = (end + ((<usize>tableWords) << 2) + 7) & ~7;
  memory.fill(end + ((<usize>tableWords) << 2), 0, behind - end - ((<usize>tableWords) << 2));
  setWord(image, H_TABLES, <u32>(end - image));
  setWord(image, H_TABLE_WORDS, tableWords);
  return behind;
}

/** Whether no fact but the zero fact influences another: walking a chain is then a look per busy arc. */
function isSeparable(): bool {
  for (let g: u32 = 0; g < groupCount; g++) if (columnsOf(g) > 1) return false;
  return true;
}

/** Writes the table of a chain, or leaves the chain without one if that would be large; false if out of memory. */
function buildTable(chain: u32): bool {
  const busy = busyOf(chain);
  const first = firstArcOf(chain);
  const length = firstArcOf(chain + 1) - first;
  const begin = tableWords;
  if (!findTouched(busy, first, false) || !walkForward(busy, first, length)) return true;
  const forward = blockSize();
  const start = reserve(2 + forward);
  if (start === 0) return false;
  setWord(start, 0, busy);
  setWord(start, 1, forward);
  writeBlock(start + 8);
  if (!findTouched(busy, first, true) || !walkBackward(busy, first, length)) {
    tableWords = begin;
    release(tables + ((<usize>begin) << 2));
    return true;
  }
  const backward = blockSize();
  const next = reserve(backward);
  if (next === 0) return false;
  writeBlock(next);
  setBusy(chain, TABLE_FLAG | begin);
  return true;
}

/** Space for more table words at the arena's top, an even number so that the next follows without a gap. */
function reserve(count: u32): usize {
  const start = tables + ((<usize>tableWords) << 2);
  release(start);
  if (allocate((<usize>count) << 2) === 0) return 0;
  tableWords += count;
  return start;
}

/** Facts that the busy arcs list as sources and, for the way back, as targets; false if they are too many. */
function findTouched(busy: u32, first: u32, targetsToo: bool): bool {
  stamp++;
  touchedCount = 0;
  pairCount = 0;
  for (let rest = busy; rest !== 0; rest &= rest - 1) {
    const block = blockOf(word(arcRelation, first + ctz(rest)));
    const m = entryCount(block);
    for (let i: u32 = 0; i < m; i++) if (!touch(sourceAt(block, i))) return false;
    if (!targetsToo) continue;
    const count = targetsTo(block, m, m - 1);
    for (let k: u32 = 0; k < count; k++) if (!touch(targetAt(block, m, k))) return false;
  }
  for (let i: u32 = 0; i < touchedCount; i++) {
    const d = word(touched, i);
    setWord(indexOf, d, i);
    setWord(firstPair, i, 0);
    clearRow(rowAt(rows, i));
    setRowBit(rowAt(rows, i), d);
  }
  return true;
}

/** Adds a fact to the sorted list. */
function touch(d: u32): bool {
  if (word(stampOf, d) === stamp) return true;
  if (touchedCount === MOST_TOUCHED) return false;
  setWord(stampOf, d, stamp);
  let i = touchedCount++;
  for (; i !== 0 && d < word(touched, i - 1); i--) setWord(touched, i, word(touched, i - 1));
  setWord(touched, i, d);
  return true;
}

function rowAt(base: usize, i: u32): usize {
  return base + ((<usize>i * <usize>words) << 3);
}

function clearRow(row: usize): void {
  for (let w: u32 = 0; w < words; w++) store<u64>(row + ((<usize>w) << 3), 0);
}

function setRowBit(row: usize, bit: u32): void {
  const at = row + ((<usize>(bit >> 6)) << 3);
  store<u64>(at, load<u64>(at) | ((<u64>1) << (bit & 63)));
}

function uniteRow(row: usize, other: usize): void {
  for (let w: u32 = 0; w < words; w++) {
    const at = row + ((<usize>w) << 3);
    store<u64>(at, load<u64>(at) | load<u64>(other + ((<usize>w) << 3)));
  }
}

/** Positions `from .. to - 1` as bits. */
function positions(from: u32, to: u32): u32 {
  return <u32>((((<u64>1) << to) - 1) & ~(((<u64>1) << from) - 1));
}

/** Notes that touched fact i's image holds at the positions; false if pairs are too many. */
function note(i: u32, at: u32): bool {
  if (at === 0) return true;
  const row = rowAt(rows, i);
  for (let w: u32 = 0; w < words; w++) {
    for (let bits = load<u64>(row + ((<usize>w) << 3)); bits !== 0; bits &= bits - 1) {
      const e = (w << 6) + <u32>ctz(bits);
      let pair = word(firstPair, i);
      for (; pair !== 0; pair = word(pairs, 3 * (pair - 1) + 2)) {
        const there = 3 * (pair - 1);
        if (word(pairs, there) !== e) continue;
        setWord(pairs, there + 1, word(pairs, there + 1) | at);
        break;
      }
      if (pair !== 0) continue;
      if (pairCount === MOST_PAIRS) return false;
      const there = 3 * pairCount++;
      setWord(pairs, there, e);
      setWord(pairs, there + 1, at);
      setWord(pairs, there + 2, word(firstPair, i));
      setWord(firstPair, i, pairCount);
    }
  }
  return true;
}

/** Notes where touched fact i's image has held so far; from the walk's place `now` on it may be another. */
function noteBefore(i: u32, now: u32): bool {
  const from = word(noted, i);
  setWord(noted, i, now);
  return note(i, positions(from, now));
}

function noteBehind(i: u32, now: u32): bool {
  const to = word(noted, i);
  setWord(noted, i, now);
  return note(i, positions(now, to));
}

/** Images at the chain's end, from its last arc to its first. The vertex at position p lies before arc p + 1. */
function walkForward(busy: u32, first: u32, length: u32): bool {
  const last = length - 1;
  for (let i: u32 = 0; i < touchedCount; i++) setWord(noted, i, last);
  for (let rest = busy; rest !== 0; ) {
    const arc: u32 = 31 - clz(rest);
    rest ^= 1 << arc;
    const block = blockOf(word(arcRelation, first + arc));
    const m = entryCount(block);
    for (let i: u32 = 0; i < m; i++) {
      const index = word(indexOf, sourceAt(block, i));
      if (!noteBehind(index, min(arc, last))) return false;
      const row = rowAt(fresh, index);
      clearRow(row);
      const to = targetsTo(block, m, i);
      for (let k = targetsFrom(block, m, i); k < to; k++) {
        const t = targetAt(block, m, k);
        if (word(stampOf, t) === stamp) uniteRow(row, rowAt(rows, word(indexOf, t)));
        else setRowBit(row, t);
      }
    }
    for (let i: u32 = 0; i < m; i++) {
      const index = word(indexOf, sourceAt(block, i));
      clearRow(rowAt(rows, index));
      uniteRow(rowAt(rows, index), rowAt(fresh, index));
    }
  }
  for (let i: u32 = 0; i < touchedCount; i++) if (!noteBehind(i, 0)) return false;
  return true;
}

/** Origins at the chain's head, from its first arc to its last. The vertex at position p lies behind arc p. */
function walkBackward(busy: u32, first: u32, length: u32): bool {
  for (let i: u32 = 0; i < touchedCount; i++) setWord(noted, i, 0);
  for (let rest = busy; rest !== 0; rest &= rest - 1) {
    const arc = ctz(rest);
    const block = blockOf(word(arcRelation, first + arc));
    const m = entryCount(block);
    const count = targetsTo(block, m, m - 1);
    for (let k: u32 = 0; k < count; k++) {
      const t = targetAt(block, m, k);
      const index = word(indexOf, t);
      if (!noteBefore(index, arc)) return false;
      const row = rowAt(fresh, index);
      clearRow(row);
      // A fact that the arc does not list stays itself.
      if (findEntry(block, m, t) < 0) uniteRow(row, rowAt(rows, index));
    }
    let k: u32 = 0;
    for (let i: u32 = 0; i < m; i++) {
      const index = word(indexOf, sourceAt(block, i));
      if (!noteBefore(index, arc)) return false;
      const source = rowAt(rows, index);
      for (const to = targetsTo(block, m, i); k < to; k++) {
        uniteRow(rowAt(fresh, word(indexOf, targetAt(block, m, k))), source);
      }
    }
    for (let i: u32 = 0; i < m; i++) clearRow(rowAt(rows, word(indexOf, sourceAt(block, i))));
    for (let i: u32 = 0; i < count; i++) {
      const index = word(indexOf, targetAt(block, m, i));
      clearRow(rowAt(rows, index));
      uniteRow(rowAt(rows, index), rowAt(fresh, index));
    }
  }
  for (let i: u32 = 0; i < touchedCount; i++) if (!noteBefore(i, length - 1)) return false;
  return true;
}

function blockSize(): u32 {
  return 1 + touchedCount + pairCount + ((pairCount + 1) >> 1);
}

/** The pairs as one part of a table. */
function writeBlock(at: usize): void {
  setWord(at, 0, touchedCount | (pairCount << 16));
  let end: u32 = 0;
  const masks = at + 4 + ((<usize>touchedCount) << 2);
  const facts = masks + ((<usize>pairCount) << 2);
  if ((pairCount & 1) !== 0) store<u16>(facts + ((<usize>pairCount) << 1), 0);
  for (let i: u32 = 0; i < touchedCount; i++) {
    for (let pair = word(firstPair, i); pair !== 0; pair = word(pairs, 3 * (pair - 1) + 2)) {
      store<u16>(facts + ((<usize>end) << 1), <u16>word(pairs, 3 * (pair - 1)));
      setWord(masks, end, word(pairs, 3 * (pair - 1) + 1));
      end++;
    }
    setWord(at, 1 + i, word(touched, i) | (end << 16));
  }
}
