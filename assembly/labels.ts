/**
 * Labels, the second bit-row data-flow problem. For each node v and fact d there are two rows over (h, fact), h being
 * the ancestors-or-self of v in the elimination tree: F has (h, e) if (v, d) reaches (h, e), B has it if (h, e) reaches
 * (v, d), along paths inside the subtree of h. Rows start with their own bit; along a chain from u to v the prefix that
 * both have in common flows backward for F and forward for B, until nothing grows.
 *
 * In the image a node's labels are bits without gaps. With a = depth + 1 ancestors, and for each group its k columns
 * (facts other than the zero fact, which has no columns of its own, since nothing but itself reaches it):
 *
 *     | FZ: a | BZ: a |  per group: F of zero, F of each fact: a * k each | B of each fact: a * k | B0 of each fact: a |
 *
 * FZ and BZ: the ancestors whose zero fact (v, 0) reaches, and that reach (v, 0); B0: those whose zero fact reaches
 * (v, d). A joined procedure has k = |D*| columns and rows for F and B, and nothing else.
 */

import { allocate, allocateZeroed, mark, release } from "./arena";
import { bitsAt, putBits } from "./bitset";
import {
  H_LABELS,
  H_LABEL_LENGTH,
  H_LENGTH,
  H_PROCEDURES,
  H_RELATIONS,
  H_RELATION_WORDS,
  MODE_JOINED,
  MODE_SEARCH,
  P_FACTS,
  P_HEIGHT,
  P_LABEL,
  P_LABEL_BITS,
  P_MODE,
  P_NODE_BASE,
  P_NODES,
} from "./image";
import {
  blockWords,
  layOut,
  mergeInto,
  moveBackward,
  moveForward,
  narrowInto,
  rowOf,
  setOwnBits,
  tableWords,
  widthOf,
  zeroRowOf,
} from "./layout";
import {
  arcRelation,
  chainArc,
  chainHead,
  chainTail,
  columnsOf,
  factBase,
  factCount,
  groupCount,
  groupOf,
  groupOffset,
  image,
  inChain,
  joined,
  labels,
  localOf,
  nodeBase,
  nodeCount,
  nodeDepth,
  nodeIn,
  nodeLabel,
  nodeOut,
  record,
  recordOf,
  setWord,
  useImage,
  useProcedure,
  word,
} from "./program";
import { blockOf } from "./relation";

/** First bit of a node's labels, from `labelBase`. */
export function labelBase(node: u32): usize {
  return labels + (<usize>word(record, P_LABEL) << 3) + <usize>word(nodeLabel, nodeBase + node);
}

/** Offsets of rows among a node's labels, in bits per ancestor. `local` is a fact's index in its group. */
export function forwardRow(group: u32, local: u32): u32 {
  return word(groupOffset, factBase + group) + local * columnsOf(group);
}

export function backwardRow(group: u32, local: u32): u32 {
  const k = columnsOf(group);
  return joined ? k * k + local * k : word(groupOffset, factBase + group) + (k + local) * k;
}

export function backwardZeroRow(group: u32, local: u32): u32 {
  const k = columnsOf(group);
  return word(groupOffset, factBase + group) + (k + k + 1) * k + local - 1;
}

/**
 * Decides each procedure's mode, and lays out the label section: a procedure whose labels would take more than `budget`
 * bytes answers by search. Returns the label section's length in units of 8 bytes.
 */
export function planLabels(budget: f64): f64 {
  const procedures = word(image, H_PROCEDURES);
  let total: f64 = 0;
  for (let p: u32 = 0; p < procedures; p++) {
    const r = recordOf(p);
    const perAncestor = <u64>word(r, P_LABEL_BITS);
    const first = word(r, P_NODE_BASE);
    const count = word(r, P_NODES);
    const mode = word(r, P_MODE) & MODE_JOINED;
    let bytes: u64 = 0;
    for (let v = first; v < first + count; v++) {
      setWord(nodeLabel, v, <u32>bytes);
      bytes += (perAncestor * <u64>(word(nodeDepth, v) + 1) + 7) >> 3;
    }
    const search =
      budget < <f64>bytes || bytes > 0x3fffffff || perAncestor * <u64>word(r, P_HEIGHT) > 0x7fffffff;
    setWord(r, P_MODE, search ? mode | MODE_SEARCH : mode);
    setWord(r, P_LABEL, search ? 0 : <u32>total);
    if (!search) total += <f64>((bytes + 7) >> 3);
  }
  return total;
}

/** Working rows of the procedure being labelled. */
let tables: usize = 0;
let nodeBlock: usize = 0;
let blocks: usize = 0;
let moving: usize = 0;
let saved: usize = 0;
let dirty: usize = 0;

/** Most sweeps over a procedure so far, and nodes processed in all. */
let mostPasses: u32 = 0;
let processed: u32 = 0;

export function passes(): u32 {
  return mostPasses;
}

export function nodesProcessed(): u32 {
  return processed;
}

function tableFor(ancestors: u32): usize {
  return <usize>word(tables, ancestors);
}

function ancestorsOf(node: u32): u32 {
  return word(nodeDepth, nodeBase + node) + 1;
}

function blockAt(node: u32): usize {
  return blocks + (<usize>word(nodeBlock, node) << 3);
}

/** Labels the procedures `from .. to - 1`; false if memory is exhausted. */
export function labelProcedures(from: u32, to: u32): bool {
  for (let p = from; p < to; p++) {
    useProcedure(p);
    if ((word(record, P_MODE) & MODE_SEARCH) !== 0) continue;
    const position = mark();
    if (!prepare()) return false;
    start();
    sweepBackward();
    for (let v: u32 = 0; v < nodeCount; v++) packForward(v);
    start();
    sweepForward();
    for (let v: u32 = 0; v < nodeCount; v++) packBackward(v);
    release(position);
  }
  return true;
}

function prepare(): bool {
  const height = word(record, P_HEIGHT);
  tables = allocate(<usize>(height + 1) << 2);
  nodeBlock = allocate(<usize>(nodeCount + 1) << 2);
  dirty = allocate(<usize>nodeCount);
  if (tables === 0 || nodeBlock === 0 || dirty === 0) return false;
  for (let a: u32 = 1; a <= height; a++) {
    const table = allocate(<usize>tableWords() << 2);
    if (table === 0) return false;
    setWord(tables, a, <u32>table);
    layOut(table, a);
  }
  let words: u64 = 0;
  for (let v: u32 = 0; v < nodeCount; v++) {
    setWord(nodeBlock, v, <u32>words);
    words += <u64>blockWords(tableFor(ancestorsOf(v)));
    if (words > 0x1fffffff) return false;
  }
  setWord(nodeBlock, nodeCount, <u32>words);
  blocks = allocate(<usize>words << 3);
  moving = allocate(<usize>blockWords(tableFor(height)) << 3);
  saved = allocate(<usize>blockWords(tableFor(height)) << 3);
  return blocks !== 0 && moving !== 0 && saved !== 0;
}

/** All rows hold their own bit alone; all nodes are dirty. */
function start(): void {
  memory.fill(blocks, 0, <usize>word(nodeBlock, nodeCount) << 3);
  memory.fill(dirty, 1, <usize>nodeCount);
  for (let v: u32 = 0; v < nodeCount; v++) {
    setOwnBits(blockAt(v), tableFor(ancestorsOf(v)), word(nodeDepth, nodeBase + v));
  }
}

function sweepBackward(): void {
  let count: u32 = 0;
  for (let again = true; again; ) {
    again = false;
    count++;
    for (let v = nodeCount - 1; v !== 0xffffffff; v--) {
      if (load<u8>(dirty + <usize>v) === 0) continue;
      store<u8>(dirty + <usize>v, 0);
      processed++;
      const last = word(nodeIn, nodeBase + v + 1);
      for (let i = word(nodeIn, nodeBase + v); i < last; i++) {
        const chain = word(inChain, i);
        const u = word(chainHead, chain);
        const a = min(ancestorsOf(u), ancestorsOf(v));
        const table = tableFor(a);
        let block = blockAt(v);
        let blockTable = tableFor(ancestorsOf(v));
        for (let arc = word(chainArc, chain + 1), first = word(chainArc, chain); first < arc; ) {
          const relation = word(arcRelation, --arc);
          if (relation === 0) continue;
          if (block !== moving) {
            narrowInto(moving, table, block, blockTable, a);
            block = moving;
            blockTable = table;
          }
          moveBackward(moving, table, blockOf(relation), saved);
        }
        if (mergeInto(blockAt(u), tableFor(ancestorsOf(u)), block, blockTable, a)) {
          if (load<u8>(dirty + <usize>u) === 0) {
            store<u8>(dirty + <usize>u, 1);
            if (v <= u) again = true;
          }
        }
      }
    }
  }
  mostPasses = max(mostPasses, count);
}

function sweepForward(): void {
  let count: u32 = 0;
  for (let again = true; again; ) {
    again = false;
    count++;
    for (let u: u32 = 0; u < nodeCount; u++) {
      if (load<u8>(dirty + <usize>u) === 0) continue;
      store<u8>(dirty + <usize>u, 0);
      processed++;
      const last = word(nodeOut, nodeBase + u + 1);
      for (let chain = word(nodeOut, nodeBase + u); chain < last; chain++) {
        const v = word(chainTail, chain);
        const a = min(ancestorsOf(u), ancestorsOf(v));
        const table = tableFor(a);
        let block = blockAt(u);
        let blockTable = tableFor(ancestorsOf(u));
        const lastArc = word(chainArc, chain + 1);
        for (let arc = word(chainArc, chain); arc < lastArc; arc++) {
          const relation = word(arcRelation, arc);
          if (relation === 0) continue;
          if (block !== moving) {
            narrowInto(moving, table, block, blockTable, a);
            block = moving;
            blockTable = table;
          }
          moveForward(moving, table, blockOf(relation), saved);
        }
        if (mergeInto(blockAt(v), tableFor(ancestorsOf(v)), block, blockTable, a)) {
          if (load<u8>(dirty + <usize>v) === 0) {
            store<u8>(dirty + <usize>v, 1);
            if (v <= u) again = true;
          }
        }
      }
    }
  }
  mostPasses = max(mostPasses, count);
}

/** Columns `skip .. skip + k - 1` of every ancestor of a working row of `width` columns, to label bits from `bit` on. */
function packRow(to: usize, bit: u32, row: usize, a: u32, width: u32, skip: u32, k: u32): void {
  let from = skip;
  for (let h: u32 = 0; h < a; h++, from += width) {
    let source = from;
    let rest = k;
    for (; rest > 56; rest -= 56, source += 56, bit += 56) putBits(to, bit, bitsAt(row, source) & 0xffffffffffffff);
    putBits(to, bit, bitsAt(row, source) & ((<u64>1 << rest) - 1));
    bit += rest;
  }
}

function packForward(v: u32): void {
  const a = ancestorsOf(v);
  const table = tableFor(a);
  const block = blockAt(v);
  const to = labelBase(v);
  const skip: u32 = joined ? 0 : 1;
  if (!joined) packRow(to, 0, zeroRowOf(block, table, 0), a, widthOf(0), 0, 1);
  for (let g: u32 = 0; !joined && g < groupCount; g++) {
    packRow(to, a * forwardRow(g, 0), zeroRowOf(block, table, g), a, widthOf(g), 1, columnsOf(g));
  }
  for (let d: u32 = skip; d < factCount; d++) {
    const g = groupOf(d);
    packRow(to, a * forwardRow(g, localOf(d)), rowOf(block, table, d), a, widthOf(g), skip, columnsOf(g));
  }
}

function packBackward(v: u32): void {
  const a = ancestorsOf(v);
  const table = tableFor(a);
  const block = blockAt(v);
  const to = labelBase(v);
  const skip: u32 = joined ? 0 : 1;
  if (!joined) packRow(to, a, zeroRowOf(block, table, 0), a, widthOf(0), 0, 1);
  for (let d: u32 = skip; d < factCount; d++) {
    const g = groupOf(d);
    const row = rowOf(block, table, d);
    packRow(to, a * backwardRow(g, localOf(d)), row, a, widthOf(g), skip, columnsOf(g));
    if (!joined) packRow(to, a * backwardZeroRow(g, localOf(d)), row, a, widthOf(g), 0, 1);
  }
}
