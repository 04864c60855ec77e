/**
 * Raw relations and calls to relations in normal form (relation.ts). An arc joins two vertices of a procedure; its
 * relation unites everything that leads from one to the other: edges, call-to-return edges, and for each call
 * `entry ; summary of the callee ; exit`. Cost: about the listed sources and their targets; rows of |D*| bits only for
 * the sources of arcs with calls or parallel edges.
 */

import { allocate, allocateZeroed } from "./arena";
import { clearWords, orInto, setBit } from "./bitset";
import { identityOver, MOST_FACTS, rowOfWord, throughCall, throughFlow, throughSummary } from "./eight-facts";
import {
  CHAIN_FLAG,
  I_CALL_ENTRY,
  I_CALL_EXIT,
  I_CALL_FROM,
  I_CALLEE,
  I_CONTRIBUTION,
  I_ENTRY_START,
  I_IDENTITY,
  I_RELATIONS,
  I_SOURCE_FIRST,
  I_SOURCE_LAST,
  I_TARGET,
  I_TARGET_START,
  P_FACTS,
} from "./image";
import { recordOf, setWord, word } from "./program";
import {
  blockOf,
  entryCount,
  findEntry,
  keepBlock,
  NONE,
  openBlock,
  sourceAt,
  targetAt,
  targetsFrom,
  targetsTo,
} from "./relation";

let identity: usize = 0;
let entryStart: usize = 0;
let sourceFirst: usize = 0;
let sourceLast: usize = 0;
let targetStart: usize = 0;
let targetList: usize = 0;
export let contributions: usize = 0;
export let callee: usize = 0;
let callEntry: usize = 0;
let callExit: usize = 0;
export let callFrom: usize = 0;

/** Per exit: its summary, a row of callee exit facts per start fact. */
let summaryStart: usize = 0;
let summaryWords: usize = 0;

/**
 * Normal forms made so far, two lists per raw relation (within a procedure, between procedures): an address of
 * `[fact count it was made for | id | address of the next]`.
 */
let versions: usize = 0;

let rows: usize = 0;
let rowsBytes: usize = 0;

export function useInput(at: usize, summaryOffsets: usize, summaries: usize): bool {
  contributions = at + <usize>word(at, I_CONTRIBUTION);
  callee = at + <usize>word(at, I_CALLEE);
  callEntry = at + <usize>word(at, I_CALL_ENTRY);
  callExit = at + <usize>word(at, I_CALL_EXIT);
  callFrom = at + <usize>word(at, I_CALL_FROM);
  identity = at + <usize>word(at, I_IDENTITY);
  entryStart = at + <usize>word(at, I_ENTRY_START);
  sourceFirst = at + <usize>word(at, I_SOURCE_FIRST);
  sourceLast = at + <usize>word(at, I_SOURCE_LAST);
  targetStart = at + <usize>word(at, I_TARGET_START);
  targetList = at + <usize>word(at, I_TARGET);
  versions = allocateZeroed((<usize>word(at, I_RELATIONS)) << 3);
  summaryStart = summaryOffsets;
  summaryWords = summaries;
  rows = 0;
  rowsBytes = 0;
  return versions !== 0;
}

/** The summary row of start fact d1 at an exit (global). */
export function summaryRow(exit: u32, wordsPerRow: u32, d1: u32): usize {
  return summaryWords + ((<usize>word(summaryStart, exit) + <usize>d1 * <usize>wordsPerRow) << 3);
}

/**
 * Normal form of a raw relation over sources `0 .. facts - 1`. `cross`: between two procedures, all sources with
 * targets listed. Two passes over its entries: count, then write.
 */
function normalize(raw: u32, facts: u32, cross: bool): u32 {
  const first = word(entryStart, raw);
  const last = word(entryStart, raw + 1);
  const keeps = load<u8>(identity + <usize>raw) !== 0;
  if (keeps && first === last && !cross) return 0;
  // Sources without entry are listed if they do not do by themselves what "not listed" means.
  const listGaps = cross ? keeps : !keeps;
  let m: u32 = 0;
  let targets: u32 = 0;
  let next: u32 = 0;
  for (let i = first; i < last; i++) {
    const from = word(sourceFirst, i);
    if (facts <= from) break;
    const to = min(word(sourceLast, i), facts - 1);
    if (listGaps) {
      m += from - next;
      if (cross) targets += from - next;
    }
    next = to + 1;
    const count = word(targetStart, i + 1) - word(targetStart, i);
    if (cross && count === 0) continue;
    m += to - from + 1;
    targets += count * (to - from + 1);
  }
  if (listGaps) {
    m += facts - next;
    if (cross) targets += facts - next;
  }
  if (m === 0 && !cross) return 0;
  const block = openBlock(1 + 2 * m + targets);
  if (block === 0) return NONE;
  // m may shrink below (sources related to themselves alone need no entry), so the ends go to a scratch place first:
  // they are written behind the sources for the largest m, and moved down at the end.
  const sources = block + 4;
  const ends = sources + ((<usize>m) << 2);
  const list = ends + ((<usize>m) << 2);
  let kept: u32 = 0;
  let end: u32 = 0;
  next = 0;
  for (let i = first; i <= last; i++) {
    let from = facts;
    let to = facts;
    if (i < last) {
      from = min(word(sourceFirst, i), facts);
      to = min(word(sourceLast, i) + 1, facts);
    }
    if (listGaps) {
      for (; next < from; next++) {
        if (cross) setWord(list, end++, next);
        setWord(sources, kept, next);
        setWord(ends, kept++, end);
      }
    }
    if (i === last || facts <= from) break;
    const begin = word(targetStart, i);
    const count = word(targetStart, i + 1) - begin;
    next = to;
    if (cross && count === 0) continue;
    for (let s = from; s < to; s++) {
      if (!cross && count === 1 && word(targetList, begin) === s) continue;
      for (let k: u32 = 0; k < count; k++) setWord(list, end++, word(targetList, begin + k));
      setWord(sources, kept, s);
      setWord(ends, kept++, end);
    }
  }
  if (listGaps && next < facts) {
    for (; next < facts; next++) {
      if (cross) setWord(list, end++, next);
      setWord(sources, kept, next);
      setWord(ends, kept++, end);
    }
  }
  if (kept === 0 && !cross) return 0;
  store<u32>(block, kept);
  if (kept < m) {
    for (let i: u32 = 0; i < kept; i++) setWord(sources, kept + i, word(ends, i));
    for (let i: u32 = 0; i < end; i++) setWord(sources, 2 * kept + i, word(list, i));
  }
  return keepBlock(1 + 2 * kept + end);
}

/** Keeps a normal form just made in its list. */
function remember(list: usize, facts: u32, id: u32): u32 {
  if (id === NONE) return NONE;
  const version = allocate(16);
  if (version === 0) return NONE;
  setWord(version, 0, facts);
  setWord(version, 1, id);
  setWord(version, 2, load<u32>(list));
  store<u32>(list, <u32>version);
  return id;
}

/** Normal form of a raw relation between facts of one procedure; made once per raw relation where that is valid. */
function flowRelation(raw: u32, facts: u32): u32 {
  const list = versions + ((<usize>raw) << 3);
  if (load<u32>(list) !== 0) {
    // An identity with exceptions is the same for any fact count above its last source.
    let beyond: u32 = 0xffffffff;
    if (load<u8>(identity + <usize>raw) !== 0) {
      const end = word(entryStart, raw + 1);
      beyond = end === word(entryStart, raw) ? 0 : word(sourceLast, end - 1) + 1;
    }
    for (let at = <usize>load<u32>(list); at !== 0; at = <usize>word(at, 2)) {
      const madeFor = word(at, 0);
      if (madeFor === facts || (beyond <= facts && beyond <= madeFor)) return word(at, 1);
    }
  }
  return remember(list, facts, normalize(raw, facts, false));
}

/** Normal form of a raw relation from facts of one procedure (of which there are `facts`) to facts of another. */
function crossRelation(raw: u32, facts: u32): u32 {
  const list = versions + ((<usize>raw) << 3) + 4;
  for (let at = <usize>load<u32>(list); at !== 0; at = <usize>word(at, 2)) {
    if (word(at, 0) === facts) return word(at, 1);
  }
  return remember(list, facts, normalize(raw, facts, true));
}

export function callEntryRelation(call: u32, facts: u32): u32 {
  return crossRelation(word(callEntry, call), facts);
}

function addTargets(row: usize, block: usize, i: u32): void {
  const m = entryCount(block);
  const to = targetsTo(block, m, i);
  for (let k = targetsFrom(block, m, i); k < to; k++) setBit(row, targetAt(block, m, k));
}

/**
 * The relation of an arc that unites `input` (H_ARC_RELATION before the first phase), in a procedure of `facts` facts,
 * with the summaries as they are now; NONE if out of memory.
 */
export function arcRelationNow(input: u32, facts: u32): u32 {
  if ((input & CHAIN_FLAG) === 0) return flowRelation(input, facts);
  const list = contributions + ((<usize>(input & ~CHAIN_FLAG)) << 2);
  const count = word(list, 0);
  if (facts <= MOST_FACTS && maxCalleeFacts(list, count) <= MOST_FACTS) return uniteWords(list, count, facts);

  // Normal forms first: making them may move the relation vector.
  let flows: u32 = 0;
  for (let i: u32 = 1; i <= count; i++) {
    const item = word(list, i);
    if ((item & CHAIN_FLAG) === 0) {
      flows++;
      if (flowRelation(item, facts) === NONE) return NONE;
    } else {
      const call = item & ~CHAIN_FLAG;
      const calleeFacts = word(recordOf(word(callee, call)), P_FACTS);
      if (crossRelation(word(callEntry, call), facts) === NONE) return NONE;
      if (crossRelation(word(callExit, call), calleeFacts) === NONE) return NONE;
    }
  }

  // The sources whose targets may differ from themselves: a bit each, behind the rows' index.
  const words = (facts + 63) >> 6;
  if (!needRows((<usize>words) << 3)) return NONE;
  const mask = rows;
  clearWords(mask, words);
  if (flows === 0) {
    for (let d: u32 = 0; d < facts; d++) setBit(mask, d);
  } else {
    for (let i: u32 = 1; i <= count; i++) {
      const item = word(list, i);
      const block =
        (item & CHAIN_FLAG) === 0
          ? blockOf(flowRelation(item, facts))
          : blockOf(crossRelation(word(callEntry, item & ~CHAIN_FLAG), facts));
      const m = entryCount(block);
      for (let k: u32 = 0; k < m; k++) setBit(mask, sourceAt(block, k));
    }
  }
  let sources: u32 = 0;
  for (let w: u32 = 0; w < words; w++) sources += <u32>popcnt(load<u64>(mask + ((<usize>w) << 3)));

  // One row of targets per such source.
  const calleeWords = (maxCalleeFacts(list, count) + 63) >> 6;
  if (!needRows(((<usize>words * (<usize>sources + 1)) << 3) + ((<usize>calleeWords) << 3))) return NONE;
  const exitRow = rows + ((<usize>words * (<usize>sources + 1)) << 3);
  const matrix = rows + ((<usize>words) << 3);
  let listed: u32 = 0;
  let targets: u32 = 0;
  let row = matrix;
  for (let w: u32 = 0; w < words; w++) {
    for (let bits = load<u64>(rows + ((<usize>w) << 3)); bits !== 0; bits &= bits - 1) {
      const d = (w << 6) + <u32>ctz(bits);
      clearWords(row, words);
      for (let i: u32 = 1; i <= count; i++) {
        const item = word(list, i);
        if ((item & CHAIN_FLAG) === 0) {
          const block = blockOf(flowRelation(item, facts));
          const entry = findEntry(block, entryCount(block), d);
          if (entry < 0) setBit(row, d);
          else addTargets(row, block, <u32>entry);
        } else addCall(row, item & ~CHAIN_FLAG, facts, d, exitRow);
      }
      let size: u32 = 0;
      for (let k: u32 = 0; k < words; k++) size += <u32>popcnt(load<u64>(row + ((<usize>k) << 3)));
      if (size === 1 && (load<u64>(row + ((<usize>w) << 3)) >> (d & 63)) & 1) {
        store<u64>(rows + ((<usize>w) << 3), load<u64>(rows + ((<usize>w) << 3)) & ~((<u64>1) << (d & 63)));
        continue;
      }
      listed++;
      targets += size;
      row += (<usize>words) << 3;
    }
  }
  if (listed === 0) return 0;

  const block = openBlock(1 + 2 * listed + targets);
  if (block === 0) return NONE;
  store<u32>(block, listed);
  let at: u32 = 0;
  let end: u32 = 0;
  row = matrix;
  for (let w: u32 = 0; w < words; w++) {
    for (let bits = load<u64>(rows + ((<usize>w) << 3)); bits !== 0; bits &= bits - 1) {
      for (let k: u32 = 0; k < words; k++) {
        for (let t = load<u64>(row + ((<usize>k) << 3)); t !== 0; t &= t - 1) {
          setWord(block, 1 + 2 * listed + end++, (k << 6) + <u32>ctz(t));
        }
      }
      setWord(block, 1 + at, (w << 6) + <u32>ctz(bits));
      setWord(block, 1 + listed + at, end);
      at++;
      row += (<usize>words) << 3;
    }
  }
  return keepBlock(1 + 2 * listed + targets);
}

/** The relation that unites `count` items over at most 8 facts, those of callees included. */
function uniteWords(list: usize, count: u32, facts: u32): u32 {
  const identity = identityOver(facts);
  let united: u64 = 0;
  for (let i: u32 = 1; i <= count; i++) {
    const item = word(list, i);
    if ((item & CHAIN_FLAG) === 0) {
      const relation = flowRelation(item, facts);
      if (relation === NONE) return NONE;
      united |= throughFlow(identity, blockOf(relation));
      continue;
    }
    const call = item & ~CHAIN_FLAG;
    const calleeFacts = word(recordOf(word(callee, call)), P_FACTS);
    const entry = crossRelation(word(callEntry, call), facts);
    if (entry === NONE) return NONE;
    const entering = throughCall(identity, blockOf(entry));
    const leaving = throughSummary(entering, summaryRow(word(callFrom, call), 1, 0), calleeFacts);
    const exit = crossRelation(word(callExit, call), calleeFacts);
    if (exit === NONE) return NONE;
    united |= throughCall(leaving, blockOf(exit));
  }

  let listed: u32 = 0;
  let targets: u32 = 0;
  for (let d: u32 = 0; d < facts; d++) {
    const row = rowOfWord(united, d);
    if (row === (<u32>1) << d) continue;
    listed++;
    targets += popcnt(row);
  }
  if (listed === 0) return 0;
  const words = 1 + 2 * listed + targets;
  const block = openBlock(words);
  if (block === 0) return NONE;
  store<u32>(block, listed);
  for (let d: u32 = 0, at: u32 = 0, end: u32 = 0; d < facts; d++) {
    const row = rowOfWord(united, d);
    if (row === (<u32>1) << d) continue;
    for (let rest = row; rest !== 0; rest &= rest - 1) setWord(block, 1 + 2 * listed + end++, ctz(rest));
    setWord(block, 1 + at, d);
    setWord(block, 1 + listed + at, end);
    at++;
  }
  return keepBlock(words);
}

function maxCalleeFacts(list: usize, count: u32): u32 {
  let most: u32 = 0;
  for (let i: u32 = 1; i <= count; i++) {
    const item = word(list, i);
    if ((item & CHAIN_FLAG) !== 0)
      most = max(most, word(recordOf(word(callee, item & ~CHAIN_FLAG)), P_FACTS));
  }
  return most;
}

/** row |= the facts that fact d of the caller becomes by the completed call. */
function addCall(row: usize, call: u32, facts: u32, d: u32, exitRow: usize): void {
  const entries = blockOf(crossRelation(word(callEntry, call), facts));
  const m = entryCount(entries);
  const entry = findEntry(entries, m, d);
  if (entry < 0) return;
  const calleeFacts = word(recordOf(word(callee, call)), P_FACTS);
  const words = (calleeFacts + 63) >> 6;
  const exit = word(callFrom, call);
  clearWords(exitRow, words);
  const to = targetsTo(entries, m, <u32>entry);
  for (let k = targetsFrom(entries, m, <u32>entry); k < to; k++) {
    orInto(exitRow, summaryRow(exit, words, targetAt(entries, m, k)), words);
  }
  const exitBlock = blockOf(crossRelation(word(callExit, call), calleeFacts));
  const n = entryCount(exitBlock);
  for (let w: u32 = 0; w < words; w++) {
    for (let bits = load<u64>(exitRow + ((<usize>w) << 3)); bits !== 0; bits &= bits - 1) {
      const y = findEntry(exitBlock, n, (w << 6) + <u32>ctz(bits));
      if (0 <= y) addTargets(row, exitBlock, <u32>y);
    }
  }
}

/** Scratch rows that live until preprocessing ends; their content is kept when they grow. */
function needRows(bytes: usize): bool {
  if (bytes <= rowsBytes) return true;
  const larger = allocate(bytes * 2);
  if (larger === 0) return false;
  if (rows !== 0) memory.copy(larger, rows, rowsBytes);
  rows = larger;
  rowsBytes = bytes * 2;
  return true;
}
