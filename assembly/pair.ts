/**
 * Pair queries. Take any path from u to v and its highest node h in the elimination tree: h is a common ancestor of
 * both, and the path lies in its subtree. So (u, d1) reaches (v, d2) exactly if F(u, d1) and B(v, d2) have a bit in
 * common on the prefix of their common ancestors. Chain vertices first go to their chain's end, or come from its head;
 * on one chain the way between them is a third. A tiny procedure's closure says it in one bit (closure.ts). O(1 + |D|
 * height / 64) words; for a constant number of facts and the O(log n) height, O(1).
 */

import { commonAncestor } from "./ancestor";
import { allocate } from "./arena";
import { bitsAt, FIELD_BITS, FIELD_MASK, intersects } from "./bitset";
import { ANY_GROUP, moveAlong, movedList, moveToEnd, moveToHead } from "./chain";
import { closureHas } from "./closure";
import { CHAIN_FLAG, MODE_CLOSURE, MODE_EXACT, MODE_SEARCH, P_MODE, POSITION_BITS } from "./image";
import {
  BACKWARD_ZERO,
  backwardRow,
  backwardZeroRow,
  FORWARD_ZERO,
  forwardRow,
  labelBase,
} from "./label-rows";
import {
  chainBase,
  columnsOf,
  depthOf,
  factCount,
  groupOf,
  headOf,
  joined,
  localOf,
  placeOf,
  record,
  setWord,
  tailOf,
  useForPairs,
  word,
} from "./program";
import { searchPair } from "./source";

/** Facts at the node that u goes to, kept while those at v's are found. */
let ahead: usize = 0;

let room: u32 = 0;

export function openPairs(facts: u32): bool {
  if (facts <= room) return true;
  room = facts;
  ahead = allocate((<usize>facts) << 2);
  return ahead !== 0;
}

/** Gives the space of queries up. */
export function closePairs(): void {
  room = 0;
}

/** Words read by pair queries so far, counted in debug builds alone: for tests that count work. */
let wordsRead: f64 = 0;

export function pairWork(): f64 {
  return wordsRead;
}

const POSITION_MASK: u32 = (1 << POSITION_BITS) - 1;

/** Pair query in the procedure at hand. */
export function reachesHere(u: u32, d1: u32, v: u32, d2: u32): bool {
  if (u === v && d1 === d2) return true;
  const group = groupOf(d2);
  if (!joined && d1 !== 0 && (d2 === 0 || groupOf(d1) !== group)) return false;
  const mode = word(record, P_MODE);
  if ((mode & MODE_SEARCH) !== 0) return searchPair(u, d1, v, d2);
  const closed = (mode & MODE_CLOSURE) !== 0;
  const only = joined ? ANY_GROUP : group;
  let a = placeOf(u);
  let b = placeOf(v);

  if ((a & b & CHAIN_FLAG) !== 0 && a < b && (a ^ b) >> POSITION_BITS === 0) {
    const count = moveAlong(d1, chainOf(a), (a & POSITION_MASK) + 1, (b & POSITION_MASK) + 1, only);
    for (let i: u32 = 0; i < count; i++) if (word(movedList(), i) === d2) return true;
  }

  let aheadCount: u32 = 1;
  setWord(ahead, 0, d1);
  if ((a & CHAIN_FLAG) !== 0) {
    const chain = chainOf(a);
    aheadCount = moveToEnd(d1, chain, a & POSITION_MASK, only);
    for (let i: u32 = 0; i < aheadCount; i++) setWord(ahead, i, word(movedList(), i));
    a = tailOf(chain);
  }
  if (aheadCount === 0) return false;

  if ((b & CHAIN_FLAG) === 0) {
    const common = closed ? 0 : commonAncestor(a, b);
    for (let i: u32 = 0; i < aheadCount; i++) {
      const d = word(ahead, i);
      if (closed ? closureHas(a, d, b, d2) : meets(a, d, b, d2, common)) return true;
    }
    return false;
  }
  const chain = chainOf(b);
  const behindCount = moveToHead(d2, chain, b & POSITION_MASK);
  if (behindCount === 0) return false;
  b = headOf(chain);
  const common = closed ? 0 : commonAncestor(a, b);
  for (let j: u32 = 0; j < behindCount; j++) {
    const behind = word(movedList(), j);
    for (let i: u32 = 0; i < aheadCount; i++) {
      const d = word(ahead, i);
      if (closed ? closureHas(a, d, b, behind) : meets(a, d, b, behind, common)) return true;
    }
  }
  return false;
}

/** Chain (global) of a chain vertex's place. */
function chainOf(at: u32): u32 {
  return chainBase + ((at & ~CHAIN_FLAG) >> POSITION_BITS);
}

/** Whether fact d at node a reaches fact e at node b; L is the nodes' lowest common ancestor. */
function meets(a: u32, d: u32, b: u32, e: u32, L: u32): bool {
  const group = groupOf(e);
  const baseA = labelBase(a);
  const baseB = labelBase(b);
  const countA = depthOf(a) + 1;
  const countB = depthOf(b) + 1;
  if (joined) {
    return meetsAt(L, baseA, countA * forwardRow(0, d), baseB, countB * backwardRow(0, e), factCount);
  }
  if (e === 0) return d === 0 && meetsAt(L, baseA, countA * FORWARD_ZERO, baseB, countB * BACKWARD_ZERO, 1);
  if (d === 0) {
    const zeroRow = countB * backwardZeroRow(group, localOf(e));
    if (meetsAt(L, baseA, countA * FORWARD_ZERO, baseB, zeroRow, 1)) return true;
  } else if (groupOf(d) !== group) return false;
  const row = countB * backwardRow(group, localOf(e));
  return meetsAt(
    L,
    baseA,
    countA * forwardRow(group, d === 0 ? 0 : localOf(d)),
    baseB,
    row,
    columnsOf(group),
  );
}

/**
 * Whether two rows have a bit in common at an ancestor-or-self of L, of `k` columns each; in an exact procedure, where
 * every path shows at L or N+(L), at one of those.
 */
function meetsAt(L: u32, baseA: usize, rowA: u32, baseB: usize, rowB: u32, k: u32): bool {
  const count = depthOf(L) + 1;
  if ((word(record, P_MODE) & MODE_EXACT) === 0) {
    if (!ASC_NO_ASSERT) wordsRead += (count * k + 55) / 56;
    return intersects(baseA, rowA, baseB, rowB, count * k);
  }
  const baseL = labelBase(L);
  for (let from: u32 = 0; from < count; from += FIELD_BITS) {
    let positions = bitsAt(baseL, from) & FIELD_MASK;
    if (count - from < FIELD_BITS) positions &= ((<u64>1) << (count - from)) - 1;
    for (; positions !== 0; positions &= positions - 1) {
      const h = from + <u32>ctz(positions);
      if (!ASC_NO_ASSERT) wordsRead += (k + 55) / 56;
      if (intersects(baseA, rowA + h * k, baseB, rowB + h * k, k)) return true;
    }
  }
  return false;
}

/** Pair query; ids must be in range. */
export function reaches(p: u32, u: u32, d1: u32, v: u32, d2: u32): u32 {
  useForPairs(p);
  return reachesHere(u, d1, v, d2) ? 1 : 0;
}
