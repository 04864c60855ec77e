/**
 * Summaries, the first bit-row data-flow problem: for every node and fact the start facts that reach it, swept along
 * the chains in reverse post-order, changed nodes only, until nothing grows; then a procedure's summary is the rows at
 * its exits. Callees come first; inside a strongly connected component of the call graph a grown summary changes the
 * arcs of its call sites, and re-opens only the nodes before those. O(n |D|^3 / 64) per procedure; a block here is a
 * block of labels with the start as the only ancestor (layout.ts), or a word where there are at most 8 facts
 * (eight-facts.ts): what of the start reaches what here.
 */

import { allocate, allocateZeroed } from "./arena";
import { hasBit, setBit } from "./bitset";
import { identityOver, MOST_FACTS, rowOfWord, throughFlow } from "./eight-facts";
import { joinByRelation, partition, writeGroups } from "./groups";
import {
  CHAIN_FLAG,
  H_EXITS,
  H_PROCEDURES,
  P_CALL_BASE,
  P_CALLS,
  P_CHAIN_BASE,
  P_CHAINS,
  P_EXIT_BASE,
  P_EXITS,
  P_FACTS,
} from "./image";
import {
  blockWords,
  copyBlock,
  layOut,
  layoutWords,
  moveForward,
  planesFor,
  rowOf,
  rowWord,
  setOwnBits,
  unite,
  useLayout,
  usePlanes,
} from "./layout";
import { arcRelationNow, callEntryRelation, callee, contributions, summaryRow, useInput } from "./normalize";
import {
  arcRelation,
  callRelation,
  columnsOf,
  component,
  record as currentRecord,
  exitBase,
  exitCount,
  exits,
  factCount,
  firstArcOf,
  groupCount,
  groupOf,
  headOf,
  image,
  joined,
  localOf,
  nodeBase,
  nodeCount,
  nodeOut,
  order,
  placeOf,
  recordOf,
  setWord,
  startNode,
  tailOf,
  useProcedure,
  word,
} from "./program";
import { beginRelations, blockOf, NONE } from "./relation";

/** Per procedure: address of its state while its component is worked on; its component; whether it is to be swept. */
let stateOf: usize = 0;
let componentOf: usize = 0;
let pendingOf: usize = 0;
/** Per procedure: first of its list of call sites inside the component, 0 at the end: [caller | chain | arc | input | next]. */
let sitesOf: usize = 0;

/** State of a procedure: words below, then layout, partition, members, node blocks, dirty bytes. */
const S_LAYOUT: u32 = 0;
const S_PARTITION: u32 = 1;
/** Facts by (group, local index), and per group where it begins there. */
const S_MEMBERS: u32 = 2;
const S_BLOCKS: u32 = 3;
const S_DIRTY: u32 = 4;
const S_WORDS: u32 = 6;

/** Every class of group widths: summaries have one ancestor, so that rows are short. */
const ALL_CLASSES: u32 = 32;

let moving: usize = 0;
let saved: usize = 0;
let movingWords: u32 = 0;

/** Region for the states of one component; used anew for the next, enlarged where needed. */
let region: usize = 0;
let regionEnd: usize = 0;
let regionTop: usize = 0;

/** Nodes processed so far, for tests that count work. */
let sweeps: u32 = 0;

/** Prepares the first phase; false if memory is exhausted. */
export function beginSummaries(input: usize): bool {
  const procedures = word(image, H_PROCEDURES);
  stateOf = allocateZeroed((<usize>procedures) << 2);
  componentOf = allocateZeroed((<usize>procedures) << 2);
  pendingOf = allocateZeroed(<usize>procedures);
  sitesOf = allocateZeroed((<usize>procedures) << 2);
  const starts = allocateZeroed((<usize>word(image, H_EXITS)) << 2);
  if (stateOf === 0 || componentOf === 0 || pendingOf === 0 || sitesOf === 0 || starts === 0) return false;
  let words: u64 = 0;
  for (let p: u32 = 0; p < procedures; p++) {
    const record = recordOf(p);
    const facts = <u64>word(record, P_FACTS);
    const first = word(record, P_EXIT_BASE);
    const last = first + word(record, P_EXITS);
    for (let exit = first; exit < last; exit++) {
      if (0xffffffff < words) return false;
      setWord(starts, exit, <u32>words);
      words += facts * ((facts + 63) >> 6);
    }
  }
  if (words > 0x1fffffff) return false;
  const summaries = allocateZeroed((<usize>words) << 3);
  if (summaries === 0 || !useInput(input, starts, summaries)) return false;
  moving = 0;
  movingWords = 0;
  region = 0;
  regionEnd = 0;
  sweeps = 0;
  return beginRelations(1 << 14);
}

/** Summarizes the components `from .. to - 1`; false if memory is exhausted. */
export function summarizeComponents(from: u32, to: u32): bool {
  for (let c = from; c < to; c++) if (!summarizeComponent(c)) return false;
  return true;
}

export function nodesSwept(): u32 {
  return sweeps;
}

function summarizeComponent(c: u32): bool {
  const first = word(component, c);
  const last = word(component, c + 1);
  regionTop = region;
  for (let i = first; i < last; i++) setWord(componentOf, word(order, i), c + 1);
  for (let i = first; i < last; i++) {
    const p = word(order, i);
    useProcedure(p);
    if (!relateArcs(p, c) || !relateCalls()) return false;
  }
  for (let i = first; i < last; i++) {
    const p = word(order, i);
    useProcedure(p);
    const parents = take((<usize>factCount) << 2);
    if (parents === 0) return false;
    partition(parents);
    writeGroups(parents);
    if (!openState(p, parents)) return false;
  }
  for (let again = true; again; ) {
    again = false;
    for (let i = first; i < last; i++) {
      const p = word(order, i);
      if (load<u8>(pendingOf + <usize>p) === 0) continue;
      store<u8>(pendingOf + <usize>p, 0);
      useProcedure(p);
      if (!inWords()) {
        useLayout(stateAt(p, S_LAYOUT));
        if (!makeRoom(blockWords(1))) return false;
        usePlanes(planesFor(1));
      }
      sweep(p);
      if (!publish(p)) continue;
      if (word(sitesOf, p) === 0) continue;
      if (!reopenCallers(p)) return false;
      again = true;
    }
  }
  return true;
}

/** Makes the relations of all arcs of the procedure, in place of what they unite, and lists its call sites inside the component. */
function relateArcs(p: u32, c: u32): bool {
  const record = recordOf(p);
  const end = word(record, P_CHAIN_BASE) + word(record, P_CHAINS);
  for (let chain = word(record, P_CHAIN_BASE); chain < end; chain++) {
    const lastArc = firstArcOf(chain + 1);
    for (let arc = firstArcOf(chain); arc < lastArc; arc++) {
      const input = word(arcRelation, arc);
      const relation = arcRelationNow(input, factCount);
      if (relation === NONE) return false;
      setWord(arcRelation, arc, relation);
      if ((input & CHAIN_FLAG) === 0) continue;
      const list = contributions + ((<usize>(input & ~CHAIN_FLAG)) << 2);
      const count = word(list, 0);
      for (let i: u32 = 1; i <= count; i++) {
        const item = word(list, i);
        if ((item & CHAIN_FLAG) === 0) continue;
        const q = word(callee, item & ~CHAIN_FLAG);
        if (word(componentOf, q) !== c + 1) continue;
        const site = take(20);
        if (site === 0) return false;
        setWord(site, 0, p);
        setWord(site, 1, chain);
        setWord(site, 2, arc);
        setWord(site, 3, input);
        setWord(site, 4, word(sitesOf, q));
        setWord(sitesOf, q, <u32>site);
      }
    }
  }
  return true;
}

/** Makes the entry relations of the procedure's calls, for facts entering callees. They hold raw calls so far. */
function relateCalls(): bool {
  const record = currentRecord;
  const first = word(record, P_CALL_BASE);
  const last = first + word(record, P_CALLS);
  for (let call = first; call < last; call++) {
    const relation = callEntryRelation(word(callRelation, call), factCount);
    if (relation === NONE) return false;
    setWord(callRelation, call, relation);
  }
  return true;
}

/** Whether the blocks of the procedure at hand are words. */
function inWords(): bool {
  return factCount <= MOST_FACTS;
}

/** A procedure's state in the region: rows at all nodes empty but for the start's own bits. */
function openState(p: u32, parents: usize): bool {
  const state = take((<usize>S_WORDS) << 2);
  if (state === 0) return false;
  setWord(stateOf, p, <u32>state);
  setWord(state, S_PARTITION, <u32>parents);
  if (inWords()) {
    if (!openBlocks(p, 8)) return false;
    store<u64>(blockAt(p, startNode(), 8), identityOver(factCount));
    return true;
  }
  const layout = take((<usize>layoutWords()) << 2);
  const members = take((<usize>(factCount + groupCount)) << 2);
  if (layout === 0 || members === 0) return false;
  layOut(layout, 0, ALL_CLASSES);
  let next: u32 = 0;
  for (let g: u32 = 0; g < groupCount; g++) {
    setWord(members, factCount + g, next);
    next += columnsOf(g);
  }
  // In a group of its own making the zero fact is local 0 and other members count from 1.
  for (let d: u32 = joined ? 0 : 1; d < factCount; d++) {
    setWord(members, word(members, factCount + groupOf(d)) + localOf(d) - (joined ? 0 : 1), d);
  }
  setWord(state, S_LAYOUT, <u32>layout);
  setWord(state, S_MEMBERS, <u32>members);
  const size = (<usize>blockWords(1)) << 3;
  if (!openBlocks(p, size)) return false;
  setOwnBits(blockAt(p, startNode(), size), 0);
  return true;
}

/** Empty blocks of `size` bytes, of which the start's is dirty. */
function openBlocks(p: u32, size: usize): bool {
  const blocks = take(size * <usize>nodeCount);
  const dirty = take(<usize>nodeCount);
  if (blocks === 0 || dirty === 0) return false;
  memory.fill(blocks, 0, size * <usize>nodeCount);
  memory.fill(dirty, 0, <usize>nodeCount);
  const state = <usize>word(stateOf, p);
  setWord(state, S_BLOCKS, <u32>blocks);
  setWord(state, S_DIRTY, <u32>dirty);
  store<u8>(dirty + <usize>startNode(), 1);
  store<u8>(pendingOf + <usize>p, 1);
  return true;
}

function blockAt(p: u32, node: u32, size: usize): usize {
  return stateAt(p, S_BLOCKS) + size * <usize>node;
}

function stateAt(p: u32, i: u32): usize {
  return <usize>word(<usize>word(stateOf, p), i);
}

/** Sweeps until no node of the procedure is dirty. A sweep runs from the first dirty node to the last. */
function sweep(p: u32): void {
  const small = inWords();
  const words: u32 = small ? 1 : blockWords(1);
  const blocks = stateAt(p, S_BLOCKS);
  const dirty = stateAt(p, S_DIRTY);
  const size = (<usize>words) << 3;
  let waiting: u32 = 0;
  for (let u: u32 = 0; u < nodeCount; u++) waiting += load<u8>(dirty + <usize>u);
  for (let first: u32 = 0; waiting !== 0; ) {
    let u = first;
    first = nodeCount;
    for (; u < nodeCount && waiting !== 0; u++) {
      if (load<u8>(dirty + <usize>u) === 0) continue;
      store<u8>(dirty + <usize>u, 0);
      waiting--;
      sweeps++;
      const last = word(nodeOut, nodeBase + u + 1);
      for (let chain = word(nodeOut, nodeBase + u); chain < last; chain++) {
        const v = tailOf(chain);
        const from = blocks + size * <usize>u;
        const to = blocks + size * <usize>v;
        const grown = small ? carryWord(from, to, chain) : carryBlock(from, to, chain, words);
        if (grown && load<u8>(dirty + <usize>v) === 0) {
          store<u8>(dirty + <usize>v, 1);
          waiting++;
          if (v <= u) first = min(first, v);
        }
      }
    }
  }
}

/** Unites the block at `to` with that at `from` moved along the chain; whether it grew. */
function carryBlock(from: usize, to: usize, chain: u32, words: u32): bool {
  const lastArc = firstArcOf(chain + 1);
  for (let arc = firstArcOf(chain); arc < lastArc; arc++) {
    const relation = word(arcRelation, arc);
    if (relation === 0) continue;
    if (from !== moving) {
      copyBlock(moving, from, words);
      from = moving;
    }
    moveForward(moving, blockOf(relation), saved);
  }
  return unite(to, from, words);
}

function carryWord(from: usize, to: usize, chain: u32): bool {
  let carried = load<u64>(from);
  const lastArc = firstArcOf(chain + 1);
  for (let arc = firstArcOf(chain); arc < lastArc; arc++) {
    const relation = word(arcRelation, arc);
    if (relation !== 0) carried = throughFlow(carried, blockOf(relation));
  }
  const old = load<u64>(to);
  store<u64>(to, old | carried);
  return (carried & ~old) !== 0;
}

/** Adds what reaches the exits to the summary; whether it grew. */
function publish(p: u32): bool {
  return inWords() ? publishWords(p) : publishBlocks(p);
}

function publishWords(p: u32): bool {
  let grown = false;
  for (let x = exitBase; x < exitBase + exitCount; x++) {
    const reached = load<u64>(blockAt(p, placeOf(word(exits, x)), 8));
    for (let d: u32 = 0; d < factCount; d++) {
      const target = summaryRow(x, 1, d);
      const row = <u64>rowOfWord(reached, d);
      if (load<u64>(target) === row) continue;
      store<u64>(target, row);
      grown = true;
    }
  }
  return grown;
}

function publishBlocks(p: u32): bool {
  const members = stateAt(p, S_MEMBERS);
  const wordsPerRow = (factCount + 63) >> 6;
  const size = (<usize>blockWords(1)) << 3;
  const planes = planesFor(1);
  let grown = false;
  for (let x = exitBase; x < exitBase + exitCount; x++) {
    const block = blockAt(p, placeOf(word(exits, x)), size);
    for (let d2: u32 = 0; d2 < factCount; d2++) {
      const row = rowOf(d2);
      const first = word(members, factCount + groupOf(d2));
      for (let plane: u32 = 0; plane < planes; plane++) {
        for (let bits = rowWord(block, row, plane); bits !== 0; bits &= bits - 1) {
          const column = (plane << 6) + <u32>ctz(bits);
          const d1 = joined ? column : column === 0 ? 0 : word(members, first + column - 1);
          const target = summaryRow(x, wordsPerRow, d1);
          if (!hasBit(target, d2)) {
            setBit(target, d2);
            grown = true;
          }
        }
      }
    }
  }
  return grown;
}

/** The summary of `p` has grown: its call sites in the component get their new relations. */
function reopenCallers(p: u32): bool {
  for (let site = <usize>word(sitesOf, p); site !== 0; site = <usize>word(site, 4)) {
    const caller = word(site, 0);
    const arc = word(site, 2);
    useProcedure(caller);
    const relation = arcRelationNow(word(site, 3), factCount);
    if (relation === NONE) return false;
    setWord(arcRelation, arc, relation);
    const parents = stateAt(caller, S_PARTITION);
    const regrouped = joinByRelation(parents, relation);
    if (regrouped) writeGroups(parents);
    if (regrouped && !inWords()) {
      // Facts that were apart are not any more: the rows get their new layout and start again.
      if (!openState(caller, parents)) return false;
    } else {
      store<u8>(stateAt(caller, S_DIRTY) + <usize>headOf(word(site, 1)), 1);
      store<u8>(pendingOf + <usize>caller, 1);
    }
  }
  return true;
}

/** Space in the region, aligned to 8; 0 if memory is exhausted. What was taken before stays where it is. */
function take(bytes: usize): usize {
  const size = (bytes + 7) & ~7;
  if (regionEnd - regionTop < size) {
    const fresh = max<usize>(size, max<usize>(1 << 20, (regionEnd - region) << 1));
    const start = allocate(fresh);
    if (start === 0) return 0;
    region = start;
    regionTop = start;
    regionEnd = start + fresh;
  }
  const start = regionTop;
  regionTop += size;
  return start;
}

function makeRoom(words: u32): bool {
  if (words <= movingWords) return true;
  moving = allocate((<usize>words) << 3);
  saved = allocate((<usize>words) << 3);
  movingWords = words;
  return moving !== 0 && saved !== 0;
}
