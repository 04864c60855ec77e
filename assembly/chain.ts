/**
 * Facts along straight-line code. A set of facts is a list in scratch memory; moving it along an arc touches only the
 * relation's entries for facts in the list. Facts outside `group` (other than the zero fact) can be left out where only
 * one group matters.
 */

import { allocate, allocateZeroed } from "./arena";
import { CHAIN_MAX, TABLE_FLAG } from "./image";
import { arcRelation, busyOf, firstArcOf, groupOf, joined, setWord, tables, word } from "./program";
import { blockOf, entryCount, findEntry, sourceAt, targetAt, targetsFrom, targetsTo } from "./relation";

export const ANY_GROUP: u32 = 0xffffffff;

/** The list a move leaves behind, and the one it came from. */
let current: usize = 0;
let other: usize = 0;
let seen: usize = 0;
let epoch: u32 = 0;

/** Most facts that the lists have room for. */
let room: u32 = 0;

/** Makes room for lists of up to `facts` facts; false if memory is exhausted. */
export function openLists(facts: u32): bool {
  if (facts <= room) return true;
  room = facts;
  current = allocate((<usize>facts) << 2);
  other = allocate((<usize>facts) << 2);
  seen = allocateZeroed((<usize>facts) << 2);
  epoch = 0;
  return current !== 0 && other !== 0 && seen !== 0;
}

/** Gives the lists up. */
export function closeLists(): void {
  room = 0;
}

/** The facts that the last move left. */
export function movedList(): usize {
  return current;
}

function nextEpoch(): void {
  if (++epoch === 0) {
    // Unreachable in practice; stamps of 2^32 moves ago must not count.
    epoch = 1;
  }
}

/** Arcs `from .. to - 1` of a chain, as bits. */
function between(from: u32, to: u32): u32 {
  return <u32>((((<u64>1) << to) - 1) & ~(((<u64>1) << from) - 1));
}

/** Moves `fact` from the vertex at `position` to the chain's end; the number of facts it becomes. */
export function moveToEnd(fact: u32, chain: u32, position: u32, group: u32): u32 {
  const busy = busyOf(chain);
  if ((busy & TABLE_FLAG) === 0) return moveAlong(fact, chain, position + 1, CHAIN_MAX + 1, group);
  return readTable(tables + ((<usize>((busy & ~TABLE_FLAG) + 2)) << 2), fact, position, group);
}

/** Moves `fact` back from the vertex at `position` to the chain's head; the number of facts that become it. */
export function moveToHead(fact: u32, chain: u32, position: u32): u32 {
  const busy = busyOf(chain);
  if ((busy & TABLE_FLAG) === 0) return moveAgainst(fact, chain, position + 1);
  const table = tables + ((<usize>(busy & ~TABLE_FLAG)) << 2);
  return readTable(table + ((<usize>(2 + word(table, 1))) << 2), fact, position, ANY_GROUP);
}

/** The facts at the chain's other end that belong to `fact` at `position`, by one part of its table. */
function readTable(part: usize, fact: u32, position: u32, group: u32): u32 {
  const head = load<u32>(part);
  const m = head & 0xffff;
  // Without branches that depend on the facts, which no processor foresees. A part has one fact at least.
  let low: u32 = 0;
  for (let rest = m; rest > 1; ) {
    const half = rest >> 1;
    low = select<u32>(low + half, low, (word(part, 1 + low + half) & 0xffff) <= fact);
    rest -= half;
  }
  if ((word(part, 1 + low) & 0xffff) !== fact) {
    setWord(current, 0, fact);
    return 1;
  }
  const masks = part + 4 + ((<usize>m) << 2);
  const facts = masks + ((<usize>(head >> 16)) << 2);
  const to = word(part, 1 + low) >> 16;
  let count: u32 = 0;
  for (let k: u32 = select<u32>(0, word(part, low) >> 16, low === 0); k < to; k++) {
    if (((word(masks, k) >> position) & 1) === 0) continue;
    const t = <u32>load<u16>(facts + ((<usize>k) << 1));
    if (t !== 0 && group !== ANY_GROUP && !joined && groupOf(t) !== group) continue;
    setWord(current, count++, t);
  }
  return count;
}

/** The arcs of a chain that are not identities, as bits. */
export function busyArcs(chain: u32): u32 {
  const busy = busyOf(chain);
  return (busy & TABLE_FLAG) === 0 ? busy : word(tables, busy & ~TABLE_FLAG);
}

/** Moves `fact` along the arcs `from .. to - 1` of a chain, counted from its head; the number of facts it becomes. */
export function moveAlong(fact: u32, chain: u32, from: u32, to: u32, group: u32): u32 {
  let count: u32 = 1;
  setWord(current, 0, fact);
  const first = firstArcOf(chain);
  for (let busy = busyArcs(chain) & between(from, to); busy !== 0 && count !== 0; busy &= busy - 1) {
    const block = blockOf(word(arcRelation, first + ctz(busy)));
    const m = entryCount(block);
    if (count === 1) {
      const d = load<u32>(current);
      const i = findEntry(block, m, d);
      if (i < 0) continue;
      const first = targetsFrom(block, m, <u32>i);
      const last = targetsTo(block, m, <u32>i);
      count = 0;
      for (let k = first; k < last; k++) {
        const t = targetAt(block, m, k);
        if (t !== 0 && group !== ANY_GROUP && !joined && groupOf(t) !== group) continue;
        setWord(current, count++, t);
      }
      continue;
    }
    nextEpoch();
    let moved: u32 = 0;
    for (let j: u32 = 0; j < count; j++) {
      const d = word(current, j);
      const i = findEntry(block, m, d);
      if (i < 0) {
        moved = add(d, moved);
        continue;
      }
      const last = targetsTo(block, m, <u32>i);
      for (let k = targetsFrom(block, m, <u32>i); k < last; k++) {
        const t = targetAt(block, m, k);
        if (t !== 0 && group !== ANY_GROUP && !joined && groupOf(t) !== group) continue;
        moved = add(t, moved);
      }
    }
    swap();
    count = moved;
  }
  return count;
}

/** Moves `fact` against the first `to` arcs of a chain, last first; the number of facts that become it. */
function moveAgainst(fact: u32, chain: u32, to: u32): u32 {
  let count: u32 = 1;
  setWord(current, 0, fact);
  const first = firstArcOf(chain);
  for (let busy = busyArcs(chain) & between(0, to); busy !== 0 && count !== 0; ) {
    const arc: u32 = 31 - clz(busy);
    busy ^= 1 << arc;
    const block = blockOf(word(arcRelation, first + arc));
    const m = entryCount(block);
    nextEpoch();
    let moved: u32 = 0;
    for (let j: u32 = 0; j < count; j++) {
      const t = word(current, j);
      if (findEntry(block, m, t) < 0) moved = add(t, moved);
    }
    const targets = targetsTo(block, m, m - 1);
    for (let k: u32 = 0; k < targets; k++) {
      const t = targetAt(block, m, k);
      for (let j: u32 = 0; j < count; j++) {
        if (word(current, j) === t) {
          moved = add(sourceAt(block, entryOfTarget(block, m, k)), moved);
          break;
        }
      }
    }
    swap();
    count = moved;
  }
  return count;
}

/** Entry whose targets hold index k. */
function entryOfTarget(block: usize, m: u32, k: u32): u32 {
  let low: u32 = 0;
  let high = m;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (targetsTo(block, m, middle) <= k) low = middle + 1;
    else high = middle;
  }
  return low;
}

function add(fact: u32, count: u32): u32 {
  if (word(seen, fact) === epoch) return count;
  setWord(seen, fact, epoch);
  setWord(other, count, fact);
  return count + 1;
}

function swap(): void {
  const list = current;
  current = other;
  other = list;
}
