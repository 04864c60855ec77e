/**
 * Single-source queries and the classic IFDS solution, as sets of facts swept over the summary-extended graph: a row of
 * |D*| bits per node, changed nodes only, in reverse post-order, and along each chain for the vertices on it.
 * Output rows have `ceil(|D*| / 32)` words of 32 bits per vertex. Each sweep is O(n |D| / 32 + entries of relations).
 */

import { allocate, allocateZeroed, mark, release } from "./arena";
import { busyArcs } from "./chain";
import {
  CHAIN_FLAG,
  H_PROCEDURES,
  MODE_SEARCH,
  P_CALL_BASE,
  P_CALLS,
  P_FACTS,
  P_MODE,
  P_NODES,
  P_START,
  P_VERTEX_BASE,
  P_VERTICES,
  POSITION_BITS,
} from "./image";
import {
  arcRelation,
  callCallee,
  callRelation,
  callVertex,
  chainBase,
  factCount,
  firstArcOf,
  image,
  nodeBase,
  nodeCount,
  nodeOut,
  nodesOfProcedure,
  order,
  place,
  placeOf,
  record,
  recordOf,
  setWord,
  tailOf,
  targetOf,
  useProcedure,
  vertexCount,
  vertexOf,
  word,
} from "./program";
import { blockOf, entryCount, sourceAt, targetAt, targetsFrom, targetsTo } from "./relation";

// Sets of the procedure at hand: per node a row, and whether it is to be swept; per vertex an output row.
let nodeRows: usize = 0;
let dirty: usize = 0;
let output: usize = 0;
let rowWords: u32 = 0;
/** One row on its way along a chain, and what a relation adds to it. */
let moving: usize = 0;
let added: usize = 0;

let room: u32 = 0;

export function openSets(facts: u32): bool {
  if (facts <= room) return true;
  room = facts;
  const bytes = (<usize>((facts + 31) >> 5)) << 2;
  moving = allocate(bytes);
  added = allocate(bytes);
  return moving !== 0 && added !== 0;
}

/** Gives the space of queries up. */
export function closeSets(): void {
  room = 0;
}

function nodeRow(node: u32): usize {
  return nodeRows + ((<usize>(node * rowWords)) << 2);
}

function outputRow(vertex: u32): usize {
  return output + ((<usize>vertex * <usize>rowWords) << 2);
}

function setFact(row: usize, fact: u32): void {
  const i = fact >> 5;
  setWord(row, i, word(row, i) | (1 << (fact & 31)));
}

function hasFact(row: usize, fact: u32): bool {
  return ((word(row, fact >> 5) >> (fact & 31)) & 1) !== 0;
}

/** row |= source; whether it grew. */
function mergeRow(row: usize, source: usize): bool {
  let grown: u32 = 0;
  for (let i: u32 = 0; i < rowWords; i++) {
    const old = word(row, i);
    const merged = old | word(source, i);
    grown |= merged ^ old;
    setWord(row, i, merged);
  }
  return grown !== 0;
}

/** Moves the set in `moving` along an arc; whether anything is left of it. */
function moveSet(arc: u32): void {
  const relation = word(arcRelation, arc);
  if (relation === 0) return;
  const block = blockOf(relation);
  const m = entryCount(block);
  let adds = false;
  let k: u32 = 0;
  for (let i: u32 = 0; i < m; i++) {
    const d = sourceAt(block, i);
    const to = targetsTo(block, m, i);
    if (hasFact(moving, d)) {
      setWord(moving, d >> 5, word(moving, d >> 5) & ~(1 << (d & 31)));
      if (k !== to && !adds) {
        adds = true;
        for (let w: u32 = 0; w < rowWords; w++) setWord(added, w, 0);
      }
      for (; k < to; k++) setFact(added, targetAt(block, m, k));
    }
    k = to;
  }
  if (adds) mergeRow(moving, added);
}

/** Adds a fact at a vertex: in its output row, and from there on at its chain's end. */
function seed(vertex: u32, fact: u32): void {
  setFact(outputRow(vertex), fact);
  const at = placeOf(vertex);
  if ((at & CHAIN_FLAG) === 0) {
    setFact(nodeRow(at), fact);
    store<u8>(dirty + <usize>at, 1);
    return;
  }
  const chain = chainBase + ((at & ~CHAIN_FLAG) >> POSITION_BITS);
  const position = at & ((1 << POSITION_BITS) - 1);
  for (let w: u32 = 0; w < rowWords; w++) setWord(moving, w, 0);
  setFact(moving, fact);
  const last = firstArcOf(chain + 1) - 1;
  for (let arc = firstArcOf(chain) + position + 1; arc <= last; arc++) {
    moveSet(arc);
    if (arc < last) mergeRow(outputRow(targetOf(arc)), moving);
  }
  const tail = tailOf(chain);
  if (mergeRow(nodeRow(tail), moving)) store<u8>(dirty + <usize>tail, 1);
}

/**
 * Sweeps the node rows until none is dirty, and writes the output rows on the way. A sweep runs from the first dirty node
 * to the last.
 */
function sweep(): void {
  let waiting: u32 = 0;
  for (let u: u32 = 0; u < nodeCount; u++) waiting += load<u8>(dirty + <usize>u);
  for (let first: u32 = 0; waiting !== 0; ) {
    let u = first;
    first = nodeCount;
    for (; u < nodeCount && waiting !== 0; u++) {
      if (load<u8>(dirty + <usize>u) === 0) continue;
      store<u8>(dirty + <usize>u, 0);
      waiting--;
      mergeRow(outputRow(vertexOf(u)), nodeRow(u));
      const last = word(nodeOut, nodeBase + u + 1);
      for (let chain = word(nodeOut, nodeBase + u); chain < last; chain++) {
        const v = tailOf(chain);
        if (!(rowWords <= 2 ? sweepChainWord(chain, u, v) : sweepChain(chain, u, v))) continue;
        if (load<u8>(dirty + <usize>v) !== 0) continue;
        store<u8>(dirty + <usize>v, 1);
        waiting++;
        if (v <= u) first = min(first, v);
      }
    }
  }
}

/** Moves u's set along a chain to v, and into the output rows of the vertices between; whether v's set grew. */
function sweepChain(chain: u32, u: u32, v: u32): bool {
  const from = nodeRow(u);
  for (let w: u32 = 0; w < rowWords; w++) setWord(moving, w, word(from, w));
  const last = firstArcOf(chain + 1) - 1;
  for (let arc = firstArcOf(chain); arc <= last; arc++) {
    moveSet(arc);
    if (arc < last) mergeRow(outputRow(targetOf(arc)), moving);
  }
  return mergeRow(nodeRow(v), moving);
}

/** The same for sets of at most 64 facts, which stay in a register. */
function sweepChainWord(chain: u32, u: u32, v: u32): bool {
  let set = loadSet(nodeRow(u));
  const first = firstArcOf(chain);
  const last = firstArcOf(chain + 1) - 1;
  let busy = busyArcs(chain);
  for (let arc = first; arc <= last; arc++, busy >>= 1) {
    if ((busy & 1) !== 0) {
      set = moveWord(set, blockOf(word(arcRelation, arc)));
      if (set === 0) return false;
    }
    if (arc === last) break;
    const row = outputRow(targetOf(arc));
    storeSet(row, loadSet(row) | set);
  }
  const row = nodeRow(v);
  const old = loadSet(row);
  storeSet(row, old | set);
  return (set & ~old) !== 0;
}

/** A set of one or two words. */
function loadSet(row: usize): u64 {
  return rowWords === 1 ? <u64>load<u32>(row) : load<u64>(row);
}

function storeSet(row: usize, set: u64): void {
  if (rowWords === 1) store<u32>(row, <u32>set);
  else store<u64>(row, set);
}

function moveWord(set: u64, block: usize): u64 {
  const m = entryCount(block);
  let kept = set;
  let added: u64 = 0;
  let k: u32 = 0;
  for (let i: u32 = 0; i < m; i++) {
    const d = sourceAt(block, i);
    const to = targetsTo(block, m, i);
    if (((set >> d) & 1) !== 0) {
      kept &= ~((<u64>1) << d);
      for (; k < to; k++) added |= (<u64>1) << targetAt(block, m, k);
    }
    k = to;
  }
  return kept | added;
}

function openRows(): bool {
  rowWords = (factCount + 31) >> 5;
  output = allocateZeroed((<usize>vertexCount * <usize>rowWords) << 2);
  nodeRows = allocateZeroed((<usize>nodeCount * <usize>rowWords) << 2);
  dirty = allocateZeroed(<usize>nodeCount);
  return output !== 0 && nodeRows !== 0 && dirty !== 0;
}

/**
 * Single-source query: address of the output rows, in scratch memory that the next query may use; 0 if memory is
 * exhausted.
 */
export function reachedFrom(p: u32, u: u32, d1: u32): usize {
  useProcedure(p);
  const position = mark();
  if (!openRows()) {
    release(position);
    return 0;
  }
  seed(u, d1);
  sweep();
  release(position);
  return output;
}

/** The same from `count` seeds of two words (v, d). */
export function reachedFromMany(p: u32, seeds: usize, count: u32): usize {
  useProcedure(p);
  const position = mark();
  if (!openRows()) {
    release(position);
    return 0;
  }
  for (let i: u32 = 0; i < count; i++) seed(word(seeds, 2 * i), word(seeds, 2 * i + 1));
  sweep();
  release(position);
  return output;
}

/** The same from several facts at u, `count` words at `facts`: address of v's row. */
export function reachedAt(p: u32, u: u32, facts: usize, count: u32, v: u32): usize {
  useProcedure(p);
  const position = mark();
  if (!openRows()) {
    release(position);
    return 0;
  }
  for (let i: u32 = 0; i < count; i++) seed(u, word(facts, i));
  sweep();
  release(position);
  return outputRow(v);
}

/** Makes memory grow to what pair queries by search will need; false if it cannot. */
export function reserveSearch(): bool {
  const procedures = word(image, H_PROCEDURES);
  const position = mark();
  let fits = true;
  for (let p: u32 = 0; p < procedures && fits; p++) {
    const r = recordOf(p);
    if ((word(r, P_MODE) & MODE_SEARCH) === 0) continue;
    const words = <u64>((word(r, P_FACTS) + 31) >> 5);
    const bytes =
      (words << 2) * (<u64>word(r, P_VERTICES) + <u64>word(r, P_NODES)) + 2 * <u64>word(r, P_NODES) + 64;
    fits = bytes < 0xf0000000 && allocate(<usize>bytes) !== 0;
    release(position);
  }
  return fits;
}

/** Row of vertex v reached from (u, d1) in the procedure at hand; 0 if memory is exhausted. */
export function searchRow(u: u32, d1: u32, v: u32): usize {
  const position = mark();
  const open = openRows();
  if (open) {
    seed(u, d1);
    sweep();
  }
  release(position);
  return open ? outputRow(v) : 0;
}

/** Pair query by search in the procedure at hand. Memory for it was reserved when the image was opened. */
export function searchPair(u: u32, d1: u32, v: u32, d2: u32): bool {
  nodesOfProcedure();
  const position = mark();
  if (!openRows()) unreachable();
  seed(u, d1);
  sweep();
  release(position);
  return hasFact(outputRow(v), d2);
}

/**
 * The classic IFDS solution from `count` seeds of three words (p, v, d): facts enter callees through their open calls,
 * callers first, until nothing grows. Address of the output rows of all procedures, one after another; 0 if memory is
 * exhausted.
 */
export function enteringFrom(seeds: usize, count: u32): usize {
  const procedures = word(image, H_PROCEDURES);
  const position = mark();
  // Per procedure: offsets of its output, node rows, and dirty bytes.
  const outputs = allocate((<usize>(procedures + 1)) << 3);
  const states = allocate((<usize>(procedures + 1)) << 3);
  const pending = allocateZeroed(<usize>procedures);
  if (outputs === 0 || states === 0 || pending === 0) return fail(position);
  let outputWords: u64 = 0;
  let stateBytes: u64 = 0;
  for (let p: u32 = 0; p < procedures; p++) {
    const r = recordOf(p);
    const words = <u64>((word(r, P_FACTS) + 31) >> 5);
    store<u64>(outputs + ((<usize>p) << 3), outputWords);
    store<u64>(states + ((<usize>p) << 3), stateBytes);
    outputWords += words * <u64>word(r, P_VERTICES);
    stateBytes += ((words << 2) + 1) * <u64>word(r, P_NODES);
    stateBytes = (stateBytes + 3) & ~3;
  }
  if (outputWords > 0x3fffffff || 0xffffffff < stateBytes) return fail(position);
  const rows = allocateZeroed((<usize>outputWords) << 2);
  const state = allocateZeroed(<usize>stateBytes);
  if (rows === 0 || state === 0) return fail(position);

  for (let i: u32 = 0; i < count; i++, seeds += 12) {
    const p = word(seeds, 0);
    useSets(p, rows, outputs, state, states);
    seed(word(seeds, 1), word(seeds, 2));
    store<u8>(pending + <usize>p, 1);
  }
  for (let again = true; again; ) {
    again = false;
    for (let i = procedures; i !== 0; i--) {
      const p = word(order, i - 1);
      if (load<u8>(pending + <usize>p) === 0) continue;
      store<u8>(pending + <usize>p, 0);
      again = true;
      useSets(p, rows, outputs, state, states);
      sweep();
      const firstCall = word(record, P_CALL_BASE);
      const lastCall = firstCall + word(record, P_CALLS);
      const callerOutput = output;
      const callerWords = rowWords;
      for (let call = firstCall; call < lastCall; call++) {
        const q = word(callCallee, call);
        const from = callerOutput + ((<usize>word(callVertex, call) * <usize>callerWords) << 2);
        if (enter(q, from, word(callRelation, call), state + <usize>load<u64>(states + ((<usize>q) << 3)))) {
          store<u8>(pending + <usize>q, 1);
        }
      }
    }
  }
  release(position);
  return rows;
}

function fail(position: usize): usize {
  release(position);
  return 0;
}

function useSets(p: u32, rows: usize, outputs: usize, state: usize, states: usize): void {
  useProcedure(p);
  rowWords = (factCount + 31) >> 5;
  output = rows + ((<usize>load<u64>(outputs + ((<usize>p) << 3))) << 2);
  nodeRows = state + <usize>load<u64>(states + ((<usize>p) << 3));
  dirty = nodeRows + ((<usize>(nodeCount * rowWords)) << 2);
}

/** Facts of a call vertex's row enter q's start by a call relation; whether its start row grew. */
function enter(q: u32, from: usize, relation: u32, state: usize): bool {
  const r = recordOf(q);
  const words = (word(r, P_FACTS) + 31) >> 5;
  const start = word(place, word(r, P_VERTEX_BASE) + word(r, P_START));
  const row = state + ((<usize>(start * words)) << 2);
  const block = blockOf(relation);
  const m = entryCount(block);
  let grown = false;
  for (let i: u32 = 0; i < m; i++) {
    if (!hasFact(from, sourceAt(block, i))) continue;
    const to = targetsTo(block, m, i);
    for (let k = targetsFrom(block, m, i); k < to; k++) {
      const t = targetAt(block, m, k);
      if (hasFact(row, t)) continue;
      setFact(row, t);
      grown = true;
    }
  }
  if (grown) store<u8>(state + ((<usize>(word(r, P_NODES) * words)) << 2) + <usize>start, 1);
  return grown;
}
