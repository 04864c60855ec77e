/**
 * Which facts at a procedure's start reach which at an exit, for all start facts at once: a row of |D*| bits per start
 * fact. Facts of different groups are never tried with each other. Few facts of a group (no more than there are nodes)
 * are pair queries; many are searched for in the summary-extended graph, 32 start facts side by side: a word of start
 * facts per node and fact, what is new of it handed on along chains. A group of k facts costs at most k^2 pair queries,
 * or k / 32 passes over what its start facts reach.
 */

import { allocate, allocateZeroed, mark, release } from "./arena";
import { ANY_GROUP, moveAlong, movedList } from "./chain";
import { CHAIN_MAX, MODE_SEARCH, P_MODE } from "./image";
import { reachesHere } from "./pair";
import {
  columnsOf,
  factCount,
  groupCount,
  groupOf,
  joined,
  localOf,
  nodeBase,
  nodeCount,
  nodeOut,
  placeOf,
  record,
  setWord,
  startNode,
  tailOf,
  useProcedure,
  vertexOf,
  word,
} from "./program";
import { searchRow } from "./source";

/** Most bytes for sets of start facts; where they would take more, each start fact is searched from by itself. */
const MOST_BYTES: u64 = 1 << 28;
/** Words per node and fact: start facts, those not handed on yet, the next such fact of the node, one that was met. */
const STATE_WORDS: u64 = 4;

/** The procedure's facts by group: those of group g are at `groupStart[g] .. groupStart[g + 1]`, in order. */
let members: usize = 0;
let groupStart: usize = 0;
/** Least index of a fact in its group: where the zero fact is no member of any, 1. */
let firstLocal: u32 = 0;
/** The answer, and words of a row. */
let rows: usize = 0;
let stride: u32 = 0;

// Sets of start facts per node and fact of one group, node by node.
let columns: u32 = 0;
let reached: usize = 0;
let fresh: usize = 0;
let next: usize = 0;
let met: usize = 0;
let metCount: u32 = 0;
/** Per node: the first of its facts with something to hand on, plus 1. */
let heads: usize = 0;
/** Nodes with something to hand on; the node at hand; the first node that the next sweep begins with. */
let waiting: u32 = 0;
let current: u32 = 0;
let first: u32 = 0;

/**
 * Summary from the start to vertex `exit`, which is one of the procedure's exits: address of a row of `ceil(|D*| / 32)`
 * words per start fact, in scratch memory that the next query may use; 0 if memory is exhausted.
 */
export function summaryTo(p: u32, exit: u32): usize {
  useProcedure(p);
  const position = mark();
  const done = summarize(exit);
  release(position);
  return done ? rows : 0;
}

function summarize(exit: u32): bool {
  stride = (factCount + 31) >> 5;
  rows = allocateZeroed((<usize>factCount * <usize>stride) << 2);
  members = allocate((<usize>factCount) << 2);
  groupStart = allocate((<usize>(groupCount + 1)) << 2);
  if (rows === 0 || members === 0 || groupStart === 0) return false;
  sortMembers();

  const start = vertexOf(startNode());
  const search = (word(record, P_MODE) & MODE_SEARCH) !== 0;
  let most: u32 = 0;
  for (let g: u32 = 0; g < groupCount; g++) if (isSearched(g, search)) most = max(most, columnsOf(g));
  const blocks = most === 0 ? false : openBlocks(most + firstLocal);
  if (!joined) {
    if (search || nodeCount < factCount) {
      if (!searchFrom(start, 0, exit)) return false;
    } else {
      for (let d2: u32 = 0; d2 < factCount; d2++) if (reachesHere(start, 0, exit, d2)) setPair(0, d2);
    }
  }
  for (let g: u32 = 0; g < groupCount; g++) {
    const from = word(groupStart, g);
    const to = word(groupStart, g + 1);
    if (!isSearched(g, search)) {
      for (let i = from; i < to; i++) {
        for (let j = from; j < to; j++) {
          const d1 = word(members, i);
          const d2 = word(members, j);
          if (reachesHere(start, d1, exit, d2)) setPair(d1, d2);
        }
      }
    } else if (blocks) {
      columns = to - from + firstLocal;
      for (let i = from; i < to; i += 32) searchBlock(from, i, min(i + 32, to), placeOf(exit), to);
    } else {
      for (let i = from; i < to; i++) if (!searchFrom(start, word(members, i), exit)) return false;
    }
  }
  return true;
}

function sortMembers(): void {
  firstLocal = joined ? 0 : 1;
  let end: u32 = 0;
  for (let g: u32 = 0; g < groupCount; g++) {
    setWord(groupStart, g, end);
    end += columnsOf(g);
  }
  setWord(groupStart, groupCount, end);
  for (let d = firstLocal; d < factCount; d++) {
    setWord(members, word(groupStart, groupOf(d)) + localOf(d) - firstLocal, d);
  }
}

function isSearched(group: u32, search: bool): bool {
  return search || nodeCount < columnsOf(group);
}

function setPair(d1: u32, d2: u32): void {
  const row = rows + ((<usize>d1 * <usize>stride) << 2);
  setWord(row, d2 >> 5, word(row, d2 >> 5) | (1 << (d2 & 31)));
}

/** The row of one start fact, from a search of its own; false if memory is exhausted. */
function searchFrom(start: u32, d1: u32, exit: u32): bool {
  const row = searchRow(start, d1, exit);
  if (row === 0) return false;
  const bytes = (<usize>stride) << 2;
  memory.copy(rows + <usize>d1 * bytes, row, bytes);
  return true;
}

/** Space for groups of up to `most` columns; false if there is none. */
function openBlocks(most: u32): bool {
  const size = <u64>nodeCount * <u64>most;
  if (MOST_BYTES < 4 * STATE_WORDS * size) return false;
  const bytes = (<usize>size) << 2;
  reached = allocateZeroed(bytes);
  fresh = allocateZeroed(bytes);
  next = allocate(bytes);
  met = allocate(bytes);
  heads = allocateZeroed((<usize>nodeCount) << 2);
  return reached !== 0 && fresh !== 0 && next !== 0 && met !== 0 && heads !== 0;
}

/** Pairs of the start facts `begin .. end - 1` of the group whose facts are `from .. to - 1`. */
function searchBlock(from: u32, begin: u32, end: u32, exit: u32, to: u32): void {
  waiting = 0;
  metCount = 0;
  current = 0;
  first = startNode();
  for (let i = begin; i < end; i++) arrive(first, i - from + firstLocal, 1 << (i - begin));
  while (waiting !== 0) {
    current = first;
    first = nodeCount;
    for (; current < nodeCount && waiting !== 0; current++) {
      let x = word(heads, current);
      if (x === 0) continue;
      setWord(heads, current, 0);
      waiting--;
      while (x !== 0) {
        const at = x - 1;
        x = word(next, at);
        const bits = word(fresh, at);
        setWord(fresh, at, 0);
        handOn(word(members, from + at - current * columns - firstLocal), bits);
      }
    }
  }
  for (let j = from; j < to; j++) {
    const bits = word(reached, exit * columns + j - from + firstLocal);
    for (let rest = bits; rest !== 0; rest &= rest - 1) {
      setPair(word(members, begin + ctz(rest)), word(members, j));
    }
  }
  for (let i: u32 = 0; i < metCount; i++) setWord(reached, word(met, i), 0);
}

/** Start facts that reach `fact` at the node at hand go on along its chains. */
function handOn(fact: u32, bits: u32): void {
  const last = word(nodeOut, nodeBase + current + 1);
  for (let chain = word(nodeOut, nodeBase + current); chain < last; chain++) {
    const count = moveAlong(fact, chain, 0, CHAIN_MAX + 1, ANY_GROUP);
    const list = movedList();
    const tail = tailOf(chain);
    for (let i: u32 = 0; i < count; i++) arrive(tail, localOf(word(list, i)), bits);
  }
}

function arrive(node: u32, local: u32, bits: u32): void {
  const at = node * columns + local;
  const old = word(reached, at);
  const added = bits & ~old;
  if (added === 0) return;
  if (old === 0) setWord(met, metCount++, at);
  setWord(reached, at, old | added);
  const behind = word(fresh, at);
  setWord(fresh, at, behind | added);
  if (behind !== 0) return;
  const head = word(heads, node);
  setWord(next, at, head);
  setWord(heads, node, at + 1);
  if (head !== 0) return;
  waiting++;
  if (node <= current) first = min(first, node);
}
