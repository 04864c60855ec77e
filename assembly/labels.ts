/**
 * Labels, the second bit-row data-flow problem. For each node v and fact d there are two rows over (h, fact), h being
 * the ancestors-or-self of v in the elimination tree: F has (h, e) if (v, d) reaches (h, e), B has it if (h, e) reaches
 * (v, d), along paths inside the subtree of h. Rows start with their own bit; along a chain from u to v the prefix that
 * both have in common flows backward for F and forward for B, until nothing grows.
 *
 * Where sweeps do not end soon or rows are long, labels come from elimination (eliminate.ts). Finished rows are packed
 * into the image (label-packing.ts).
 *
 * Where a closure takes no more bytes, there is one in place of labels (closure.ts): F rows swept in the same way over
 * all nodes, as if each were an ancestor of all.
 */

import { allocate, allocateZeroed, mark, release } from "./arena";
import { closureBytes, MOST_CLOSURE_NODES } from "./closure";
import { eliminate, eliminationWords } from "./eliminate";
import {
  H_PROCEDURES,
  MODE_CLOSURE,
  MODE_EXACT,
  MODE_JOINED,
  MODE_SEARCH,
  P_HEIGHT,
  P_LABEL,
  P_LABEL_BITS,
  P_MODE,
  P_WIDTH,
} from "./image";
import { firstIncoming, incomingAt, listIncoming } from "./incoming";
import { packBackward, packForward } from "./label-packing";
import { labelBase } from "./label-rows";
import {
  blockWords,
  classOf,
  classWidth,
  copyBlock,
  copyMasked,
  layOut,
  layoutWords,
  moveBackward,
  moveForward,
  planesFor,
  setOwnBits,
  unite,
  uniteMasked,
  usePlanes,
  widthOf,
  writeMask,
} from "./layout";
import {
  arcRelation,
  depthOf,
  firstArcOf,
  groupCount,
  headOf,
  image,
  labels,
  nodeBase,
  nodeCount,
  nodeOut,
  record,
  recordOf,
  setLabelOf,
  setWord,
  tailOf,
  useProcedure,
  word,
} from "./program";
import { blockOf } from "./relation";
import { countWork, resetWork } from "./work";

/**
 * Most sweeps in one direction, set by the host, and most words of a row, before labels come from elimination. A sweep is
 * as much work as a visit to every node.
 */
let sweepLimit: u32 = 0;
const MOST_WORDS: u32 = 16;
/** Most words of matrices for elimination (1 GiB); beyond that, sweeps go on, exact as well. */
const MOST_ELIMINATION_WORDS: u64 = 1 << 27;
/** Widest decomposition for elimination, whose cost grows with the width's square; real procedures have 11 at most. */
const MOST_ELIMINATION_WIDTH: u32 = 64;
const ALL_CLASSES: u32 = 32;

export function limitSweeps(sweeps: u32): void {
  sweepLimit = sweeps;
  mostSweeps = 0;
  resetWork();
}

/**
 * Decides each procedure's mode, and lays out the label section. Returns the length of all labels in units of 8 bytes.
 */
export function planLabels(budget: f64): f64 {
  const procedures = word(image, H_PROCEDURES);
  let total: f64 = 0;
  for (let p: u32 = 0; p < procedures; p++) {
    setWord(recordOf(p), P_LABEL, <u32>total);
    total += <f64>planProcedure(p, budget);
  }
  return total;
}

/**
 * Decides a procedure's mode, and where among its labels those of its nodes are. It answers from a closure where that is
 * no longer, unless elimination is asked for; by search where it would take more than `budget` bytes or has no elimination
 * tree. Returns the length of labels in units of 8 bytes.
 */
export function planProcedure(p: u32, budget: f64): u32 {
  useProcedure(p);
  const perAncestor = <u64>word(record, P_LABEL_BITS);
  const mode = word(record, P_MODE) & MODE_JOINED;
  if (word(record, P_HEIGHT) === 0) {
    setWord(record, P_MODE, mode | MODE_SEARCH);
    return 0;
  }
  let bytes: u64 = 0;
  for (let v: u32 = 0; v < nodeCount; v++) {
    setLabelOf(v, <u32>bytes);
    bytes += (perAncestor * <u64>(depthOf(v) + 1) + 7) >> 3;
  }
  let most = perAncestor * <u64>word(record, P_HEIGHT);
  const each = closureBytes(perAncestor, nodeCount);
  const hasClosure = nodeCount <= MOST_CLOSURE_NODES && each * <u64>nodeCount <= bytes && sweepLimit !== 0;
  if (hasClosure) {
    for (let v: u32 = 0; v < nodeCount; v++) setLabelOf(v, <u32>each * v);
    bytes = each * <u64>nodeCount;
    most = each << 3;
  }
  const search = budget < <f64>bytes || bytes > 0x3fffffff || most > 0x7fffffff;
  setWord(record, P_MODE, mode | (search ? MODE_SEARCH : hasClosure ? MODE_CLOSURE : 0));
  return search ? 0 : <u32>((bytes + 7) >> 3);
}

/** Working blocks of the procedure and class being labelled. */
let layout: usize = 0;
/** Per node: first word of its block. */
let nodeBlock: usize = 0;
let blocks: usize = 0;
/** Per number of ancestors: its mask block. */
let masks: usize = 0;
let moving: usize = 0;
let saved: usize = 0;
let dirty: usize = 0;
let eliminationFits: bool = false;
/** Whether it gets a closure: all nodes count as ancestors of each. */
let closed: bool = false;

/** Most sweeps over a procedure so far: for tests that count work. */
let mostSweeps: u32 = 0;

export function sweepsNeeded(): u32 {
  return mostSweeps;
}

function ancestorsOf(node: u32): u32 {
  return closed ? nodeCount : depthOf(node) + 1;
}

/** Most ancestors that a node has. */
function mostAncestors(): u32 {
  return closed ? nodeCount : word(record, P_HEIGHT);
}

function blockAt(node: u32): usize {
  return blocks + ((<usize>word(nodeBlock, node)) << 3);
}

function maskFor(ancestors: u32): usize {
  return <usize>word(masks, ancestors);
}

/** Labels the procedures `from .. to - 1`; false if memory is exhausted. */
export function labelProcedures(from: u32, to: u32): bool {
  for (let p = from; p < to; p++) {
    useProcedure(p);
    if ((word(record, P_MODE) & MODE_SEARCH) !== 0) continue;
    const position = mark();
    if (!labelProcedure()) return false;
    release(position);
  }
  return true;
}

/** Labels one procedure into `length` units of 8 bytes at `offset` of the label section; false if memory is exhausted. */
export function labelAt(p: u32, offset: u32, length: u32): bool {
  const r = recordOf(p);
  setWord(r, P_LABEL, offset);
  setWord(r, P_MODE, word(r, P_MODE) & ~MODE_EXACT);
  memory.fill(labels + ((<usize>offset) << 3), 0, (<usize>length) << 3);
  return labelProcedures(p, p + 1);
}

/** One class of group widths after the other; all of them by elimination if one of them asks for it. */
function labelProcedure(): bool {
  layout = allocate((<usize>layoutWords()) << 2);
  if (layout === 0) return false;
  if (!listIncoming()) return false;
  layOut(layout, 0, ALL_CLASSES);
  closed = (word(record, P_MODE) & MODE_CLOSURE) !== 0;
  eliminationFits =
    !closed &&
    word(record, P_WIDTH) <= MOST_ELIMINATION_WIDTH &&
    eliminationWords() <= MOST_ELIMINATION_WORDS;
  let lowest: u32 = 32;
  let highest: u32 = 0;
  for (let g: u32 = 0; g < groupCount; g++) {
    const c = classOf(widthOf(g));
    lowest = min(lowest, c);
    highest = max(highest, c);
  }
  // Widths 1 to 3 go together: a procedure's zero fact alone, single facts, pairs.
  let exact = false;
  let zeroDone = false;
  for (let c = max<u32>(lowest, 2); c <= max<u32>(highest, 2) && !exact; c++) {
    layOut(layout, c === 2 ? 0 : c, c);
    if (classWidth === 0) continue;
    if (planesFor(mostAncestors()) > MOST_WORDS && eliminationFits) {
      exact = true;
      break;
    }
    const position = mark();
    if (!prepare()) return false;
    start();
    exact = !sweepBackward();
    if (!exact) {
      for (let v: u32 = 0; v < nodeCount; v++) packForward(v, ancestorsOf(v), blockAt(v), !zeroDone, closed);
      if (closed) {
        zeroDone = true;
        release(position);
        continue;
      }
      start();
      exact = !sweepForward();
    }
    if (!exact) {
      for (let v: u32 = 0; v < nodeCount; v++) packBackward(v, ancestorsOf(v), blockAt(v), !zeroDone);
      zeroDone = true;
    }
    release(position);
  }
  if (!exact) return true;
  setWord(record, P_MODE, word(record, P_MODE) | MODE_EXACT);
  layOut(layout, 0, ALL_CLASSES);
  clearLabels();
  return eliminate();
}

function clearLabels(): void {
  const from = labelBase(0);
  const last = nodeCount - 1;
  const bits = <u64>word(record, P_LABEL_BITS) * <u64>ancestorsOf(last);
  memory.fill(from, 0, labelBase(last) + <usize>((bits + 7) >> 3) - from);
}

function prepare(): bool {
  const height = mostAncestors();
  masks = allocate((<usize>(height + 1)) << 2);
  nodeBlock = allocate((<usize>(nodeCount + 1)) << 2);
  dirty = allocate(<usize>nodeCount);
  if (masks === 0 || nodeBlock === 0 || dirty === 0) return false;
  for (let a: u32 = 1; a <= height; a++) {
    const mask = allocateZeroed((<usize>blockWords(a)) << 3);
    if (mask === 0) return false;
    setWord(masks, a, <u32>mask);
    writeMask(mask, a);
  }
  let words: u64 = 0;
  for (let v: u32 = 0; v < nodeCount; v++) {
    setWord(nodeBlock, v, <u32>words);
    words += <u64>blockWords(ancestorsOf(v));
    if (words > 0x1fffffff) return false;
  }
  setWord(nodeBlock, nodeCount, <u32>words);
  blocks = allocate((<usize>words) << 3);
  moving = allocate((<usize>blockWords(height)) << 3);
  saved = allocate((<usize>blockWords(height)) << 3);
  return blocks !== 0 && moving !== 0 && saved !== 0;
}

/** All rows hold their own bit alone; all nodes are dirty. */
function start(): void {
  memory.fill(blocks, 0, (<usize>word(nodeBlock, nodeCount)) << 3);
  memory.fill(dirty, 1, <usize>nodeCount);
  for (let v: u32 = 0; v < nodeCount; v++) setOwnBits(blockAt(v), closed ? v : depthOf(v));
}

/** F rows, against the chains; false if more than `sweepLimit` sweeps were needed and elimination can do it. */
function sweepBackward(): bool {
  let waiting = nodeCount;
  let first = nodeCount - 1;
  let visits: u64 = 0;
  while (waiting !== 0) {
    if (tooMany(visits)) return false;
    let v = first;
    first = 0;
    for (; waiting !== 0 && v !== 0xffffffff; v--) {
      if (load<u8>(dirty + <usize>v) === 0) continue;
      store<u8>(dirty + <usize>v, 0);
      waiting--;
      visits++;
      const countV = ancestorsOf(v);
      const last = firstIncoming(v + 1);
      for (let i = firstIncoming(v); i < last; i++) {
        const chain = incomingAt(i);
        const u = headOf(chain);
        const a = min(ancestorsOf(u), countV);
        const words = blockWords(a);
        countWork(words);
        let block = blockAt(v);
        usePlanes(planesFor(a));
        for (let arc = firstArcOf(chain + 1), begin = firstArcOf(chain); begin < arc; ) {
          const relation = word(arcRelation, --arc);
          if (relation === 0) continue;
          if (block !== moving) {
            if (a === countV) copyBlock(moving, block, words);
            else copyMasked(moving, block, maskFor(a), words);
            block = moving;
          }
          moveBackward(moving, blockOf(relation), saved);
        }
        const grown =
          block === moving || a === countV
            ? unite(blockAt(u), block, words)
            : uniteMasked(blockAt(u), block, maskFor(a), words);
        if (grown && load<u8>(dirty + <usize>u) === 0) {
          store<u8>(dirty + <usize>u, 1);
          waiting++;
          if (v <= u) first = max(first, u);
        }
      }
    }
  }
  return true;
}

/** Whether the visits are more than the sweeps allowed; looked at between sweeps, the first of which is always free. */
function tooMany(visits: u64): bool {
  const sweeps = (visits + <u64>nodeCount - 1) / <u64>nodeCount;
  mostSweeps = max(mostSweeps, <u32>min<u64>(sweeps + 1, 0xffffffff));
  return eliminationFits && sweeps >= <u64>sweepLimit;
}

/** B rows, along the chains; false as above. */
function sweepForward(): bool {
  let waiting = nodeCount;
  let first: u32 = 0;
  let visits: u64 = 0;
  while (waiting !== 0) {
    if (tooMany(visits)) return false;
    let u = first;
    first = nodeCount;
    for (; waiting !== 0 && u < nodeCount; u++) {
      if (load<u8>(dirty + <usize>u) === 0) continue;
      store<u8>(dirty + <usize>u, 0);
      waiting--;
      visits++;
      const countU = ancestorsOf(u);
      const last = word(nodeOut, nodeBase + u + 1);
      for (let chain = word(nodeOut, nodeBase + u); chain < last; chain++) {
        const v = tailOf(chain);
        const a = min(countU, ancestorsOf(v));
        const words = blockWords(a);
        countWork(words);
        let block = blockAt(u);
        usePlanes(planesFor(a));
        const lastArc = firstArcOf(chain + 1);
        for (let arc = firstArcOf(chain); arc < lastArc; arc++) {
          const relation = word(arcRelation, arc);
          if (relation === 0) continue;
          if (block !== moving) {
            if (a === countU) copyBlock(moving, block, words);
            else copyMasked(moving, block, maskFor(a), words);
            block = moving;
          }
          moveForward(moving, blockOf(relation), saved);
        }
        const grown =
          block === moving || a === countU
            ? unite(blockAt(v), block, words)
            : uniteMasked(blockAt(v), block, maskFor(a), words);
        if (grown && load<u8>(dirty + <usize>v) === 0) {
          store<u8>(dirty + <usize>v, 1);
          waiting++;
          if (v <= u) first = min(first, v);
        }
      }
    }
  }
  return true;
}
