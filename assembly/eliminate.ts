/**
 * Labels by elimination: the route whose cost has a bound, O(n w height m^3 / 64) for groups of m facts, whatever the
 * shape of the procedure (ESOP 2020, section 4; the elimination of a Kleene algebra's matrix along the elimination tree).
 * Upward, every node v is eliminated into relations between its later neighbours N+(v); downward, labels of v follow
 * from those of N+(v). Labels are exact for the whole procedure, so that every path between two nodes is found at L or
 * N+(L), L being their lowest common ancestor.
 *
 * A matrix is a block with one ancestor (layout.ts): row t has the facts d of its group that lead to t. `a ; b` below
 * means first a, then b.
 */

import { allocate, allocateZeroed } from "./arena";
import { P_CHAIN_BASE, P_CHAINS, P_HEIGHT, P_WIDTH } from "./image";
import { firstIncoming, incomingAt } from "./incoming";
import {
  BACKWARD_ZERO,
  backwardRow,
  backwardZeroRow,
  FORWARD_ZERO,
  forwardRow,
  labelBase,
} from "./label-rows";
import {
  blockWords,
  copyBlock,
  moveForward,
  planesFor,
  rowCount,
  rowWord,
  setOwnBits,
  unite,
  usePlanes,
  widthOf,
  zeroRowOf,
} from "./layout";
import {
  arcRelation,
  columnsOf,
  depthOf,
  firstArcOf,
  groupCount,
  headOf,
  joined,
  nodeBase,
  nodeCount,
  nodeOut,
  record,
  setWord,
  tailOf,
  word,
} from "./program";
import { blockOf } from "./relation";
import { countWork } from "./work";

const NONE: u32 = 0xffffffff;

/** Nodes, deepest first. */
let sequence: usize = 0;
let parent: usize = 0;
/** N+(v), the deepest first: where it begins per node, and the nodes. */
let higherStart: usize = 0;
let higher: usize = 0;
/** Matrices: R(v, v), then R(v, x) and R(x, v) for x in N+(v). */
let matrices: usize = 0;
/** Per node: first of its label matrices; F(v, h) and B(v, h) for each depth h, two by two. */
let labelStart: usize = 0;
let labelMatrices: usize = 0;
let size: usize = 0;
let words: u32 = 0;
let planes: u32 = 0;

/** Words of scratch memory, at most, for the procedure and layout at hand. */
export function eliminationWords(): u64 {
  const perNode = 1 + 2 * <u64>word(record, P_WIDTH) + 2 * <u64>word(record, P_HEIGHT);
  return <u64>nodeCount * perNode * <u64>blockWords(1);
}

/** Labels the procedure at hand in the layout at hand, which has all groups; false if memory is exhausted. */
export function eliminate(): bool {
  words = blockWords(1);
  size = (<usize>words) << 3;
  planes = planesFor(1);
  usePlanes(planes);
  if (!findOrder() || !findHigher() || !relateChains() || !eliminateUpward() || !labelDownward())
    return false;
  for (let v: u32 = 0; v < nodeCount; v++) pack(v);
  return true;
}

function findOrder(): bool {
  const height = word(record, P_HEIGHT);
  sequence = allocate((<usize>nodeCount) << 2);
  const counts = allocateZeroed((<usize>(height + 1)) << 2);
  if (sequence === 0 || counts === 0) return false;
  for (let v: u32 = 0; v < nodeCount; v++) {
    const at = height - 1 - depthOf(v) + 1;
    setWord(counts, at, word(counts, at) + 1);
  }
  for (let i: u32 = 0; i < height; i++) setWord(counts, i + 1, word(counts, i) + word(counts, i + 1));
  for (let v: u32 = 0; v < nodeCount; v++) {
    const at = height - 1 - depthOf(v);
    const place = word(counts, at);
    setWord(counts, at, place + 1);
    setWord(sequence, place, v);
  }
  return true;
}

/** Symbolic elimination: N+(v) is v's neighbours above it, and what its children have in N+ besides v. */
function findHigher(): bool {
  const width = word(record, P_WIDTH);
  higherStart = allocate((<usize>(nodeCount + 1)) << 2);
  higher = allocate((<usize>nodeCount * <usize>width + 1) << 2);
  parent = allocate((<usize>nodeCount) << 2);
  // Lists of children by parent, and stamps against repetition.
  const firstChild = allocate((<usize>nodeCount) << 2);
  const nextChild = allocate((<usize>nodeCount) << 2);
  const stamp = allocate((<usize>nodeCount) << 2);
  const listOf = allocate((<usize>(nodeCount + 1)) << 2);
  if (higherStart === 0 || higher === 0 || parent === 0 || firstChild === 0 || nextChild === 0) return false;
  if (stamp === 0 || listOf === 0) return false;
  memory.fill(firstChild, 0xff, (<usize>nodeCount) << 2);
  memory.fill(stamp, 0xff, (<usize>nodeCount) << 2);
  let end: u32 = 0;
  for (let i: u32 = 0; i < nodeCount; i++) {
    const v = word(sequence, i);
    const begin = end;
    setWord(higherStart, v, begin);
    const lastOut = word(nodeOut, nodeBase + v + 1);
    for (let c = word(nodeOut, nodeBase + v); c < lastOut; c++) end = note(tailOf(c), v, begin, end, stamp);
    const lastIn = firstIncoming(v + 1);
    for (let c = firstIncoming(v); c < lastIn; c++) {
      end = note(headOf(incomingAt(c)), v, begin, end, stamp);
    }
    for (let child = word(firstChild, v); child !== NONE; child = word(nextChild, child)) {
      const last = word(listOf, child);
      for (let k = word(higherStart, child); k < last; k++) end = note(word(higher, k), v, begin, end, stamp);
    }
    setWord(listOf, v, end);
    setWord(parent, v, NONE);
    if (begin === end) continue;
    const above = word(higher, begin);
    setWord(parent, v, above);
    setWord(nextChild, v, word(firstChild, above));
    setWord(firstChild, above, v);
  }
  setWord(higherStart, nodeCount, end);
  higherEnd = listOf;
  return true;
}

/** Per node: where N+(v) ends. */
let higherEnd: usize = 0;

/** Adds x to N+(v) in order of depth if it lies above v and is new. */
function note(x: u32, v: u32, begin: u32, end: u32, stamp: usize): u32 {
  if (depthOf(v) <= depthOf(x) || word(stamp, x) === v) return end;
  setWord(stamp, x, v);
  let k = end;
  for (; begin < k && depthOf(word(higher, k - 1)) < depthOf(x); k--) setWord(higher, k, word(higher, k - 1));
  setWord(higher, k, x);
  return end + 1;
}

/** R(u, v) for u = v or one of them in N+ of the other. */
function matrix(u: u32, v: u32): usize {
  if (u === v) return matrices + size * <usize>u;
  const up = depthOf(v) < depthOf(u);
  const low = up ? u : v;
  const high = up ? v : u;
  let k = word(higherStart, low);
  while (word(higher, k) !== high) k++;
  return matrices + size * (<usize>nodeCount + 2 * <usize>k + (up ? 0 : 1));
}

function relateChains(): bool {
  matrices = allocateZeroed(size * (<usize>nodeCount + 2 * <usize>word(higherStart, nodeCount)));
  const moving = allocate(size);
  const saved = allocate(size);
  if (matrices === 0 || moving === 0 || saved === 0) return false;
  const first = word(record, P_CHAIN_BASE);
  const last = first + word(record, P_CHAINS);
  for (let chain = first; chain < last; chain++) {
    memory.fill(moving, 0, size);
    setOwnBits(moving, 0);
    const lastArc = firstArcOf(chain + 1);
    for (let arc = firstArcOf(chain); arc < lastArc; arc++) {
      const relation = word(arcRelation, arc);
      if (relation !== 0) moveForward(moving, blockOf(relation), saved);
    }
    unite(matrix(headOf(chain), tailOf(chain)), moving, words);
    countWork(words);
  }
  return true;
}

/** to |= a ; b: a fact d leads to t if it leads by a to some e, and e by b to t. */
function compose(to: usize, a: usize, b: usize): void {
  for (let g: u32 = 0; g < groupCount; g++) {
    const first = zeroRowOf(g);
    const width = widthOf(g);
    const groupPlanes = (width + 63) >> 6;
    for (let t: u32 = 0; t < width; t++) {
      for (let plane: u32 = 0; plane < groupPlanes; plane++) {
        for (let bits = rowWord(b, first + t, plane); bits !== 0; bits &= bits - 1) {
          const e = (plane << 6) + <u32>ctz(bits);
          for (let i: u32 = 0; i < groupPlanes; i++) {
            const at = to + ((<usize>i * <usize>rowCount + <usize>(first + t)) << 3);
            store<u64>(at, load<u64>(at) | rowWord(a, first + e, i));
          }
          countWork(groupPlanes);
        }
      }
    }
  }
}

/** Reflexive and transitive closure of a matrix. */
function close(s: usize): void {
  setOwnBits(s, 0);
  for (let g: u32 = 0; g < groupCount; g++) {
    const first = zeroRowOf(g);
    const width = widthOf(g);
    const groupPlanes = (width + 63) >> 6;
    for (let e: u32 = 0; e < width; e++) {
      for (let t: u32 = 0; t < width; t++) {
        if (t === e || ((rowWord(s, first + t, e >> 6) >> (e & 63)) & 1) === 0) continue;
        for (let i: u32 = 0; i < groupPlanes; i++) {
          const at = s + ((<usize>i * <usize>rowCount + <usize>(first + t)) << 3);
          store<u64>(at, load<u64>(at) | rowWord(s, first + e, i));
        }
        countWork(groupPlanes);
      }
    }
  }
}

function eliminateUpward(): bool {
  const width = <usize>word(record, P_WIDTH);
  const scratch = allocate(size * (width + 1));
  if (scratch === 0) return false;
  const product = scratch + size * width;
  for (let i: u32 = 0; i < nodeCount; i++) {
    const v = word(sequence, i);
    const s = matrix(v, v);
    close(s);
    const begin = word(higherStart, v);
    const end = word(higherEnd, v);
    // R(x, v) := R(x, v) ; S
    for (let k = begin; k < end; k++) {
      const down = matrix(word(higher, k), v);
      memory.fill(product, 0, size);
      compose(product, down, s);
      copyBlock(down, product, words);
    }
    // R(x, y) |= R(x, v) ; S ; R(v, y)
    for (let k = begin; k < end; k++) {
      const x = word(higher, k);
      const down = matrix(x, v);
      for (let j = begin; j < end; j++) {
        const y = word(higher, j);
        compose(matrix(x, y), down, matrix(v, y));
      }
    }
    // R(v, y) := S ; R(v, y)
    for (let k = begin; k < end; k++) {
      const up = matrix(v, word(higher, k));
      memory.fill(product, 0, size);
      compose(product, s, up);
      copyBlock(up, product, words);
    }
  }
  return true;
}

/** F(v, h) at 2 h, B(v, h) at 2 h + 1 behind the first of v. */
function labelMatrix(v: u32, depth: u32, backward: u32): usize {
  return labelMatrices + size * (<usize>word(labelStart, v) + 2 * <usize>depth + <usize>backward);
}

function labelDownward(): bool {
  labelStart = allocate((<usize>nodeCount) << 2);
  const above = allocate((<usize>word(record, P_HEIGHT)) << 2);
  if (labelStart === 0 || above === 0) return false;
  let count: u32 = 0;
  for (let v: u32 = 0; v < nodeCount; v++) {
    setWord(labelStart, v, count);
    count += 2 * (depthOf(v) + 1);
  }
  labelMatrices = allocateZeroed(size * <usize>count);
  if (labelMatrices === 0) return false;
  for (let i = nodeCount; i !== 0; i--) {
    const v = word(sequence, i - 1);
    const depth = depthOf(v);
    for (let x = word(parent, v); x !== NONE; x = word(parent, x)) setWord(above, depthOf(x), x);
    const begin = word(higherStart, v);
    const end = word(higherEnd, v);
    for (let k = begin; k < end; k++) {
      const x = word(higher, k);
      const depthX = depthOf(x);
      const up = matrix(v, x);
      const down = matrix(x, v);
      for (let h: u32 = 0; h < depth; h++) {
        const fromX = h <= depthX ? labelMatrix(x, h, 0) : labelMatrix(word(above, h), depthX, 1);
        const toX = h <= depthX ? labelMatrix(x, h, 1) : labelMatrix(word(above, h), depthX, 0);
        compose(labelMatrix(v, h, 0), up, fromX);
        compose(labelMatrix(v, h, 1), toX, down);
      }
    }
    const own = labelMatrix(v, depth, 0);
    unite(own, matrix(v, v), words);
    for (let k = begin; k < end; k++) {
      const x = word(higher, k);
      compose(own, matrix(v, x), labelMatrix(v, depthOf(x), 1));
    }
    copyBlock(labelMatrix(v, depth, 1), own, words);
  }
  return true;
}

function setLabelBit(to: usize, bit: u32): void {
  const at = to + <usize>(bit >> 3);
  store<u8>(at, load<u8>(at) | ((1 as u8) << ((bit & 7) as u8)));
}

/** The label matrices of v as rows, in the form of label-rows.ts. */
function pack(v: u32): void {
  const to = labelBase(v);
  const depth = depthOf(v);
  const a = depth + 1;
  setLabelBit(to, depth);
  const end = word(higherEnd, v);
  for (let k = word(higherStart, v); k < end; k++) setLabelBit(to, depthOf(word(higher, k)));
  const skip: u32 = joined ? 0 : 1;
  for (let h: u32 = 0; h < a; h++) {
    const forward = labelMatrix(v, h, 0);
    const backward = labelMatrix(v, h, 1);
    if (!joined) {
      const zero = zeroRowOf(0);
      if ((rowWord(forward, zero, 0) & 1) !== 0) setLabelBit(to, a * FORWARD_ZERO + h);
      if ((rowWord(backward, zero, 0) & 1) !== 0) setLabelBit(to, a * BACKWARD_ZERO + h);
    }
    for (let g: u32 = 0; g < groupCount; g++) {
      const first = zeroRowOf(g);
      const width = widthOf(g);
      const k = columnsOf(g);
      const groupPlanes = (width + 63) >> 6;
      for (let t = skip; t < width; t++) {
        for (let plane: u32 = 0; plane < groupPlanes; plane++) {
          for (let bits = rowWord(forward, first + t, plane); bits !== 0; bits &= bits - 1) {
            const d = (plane << 6) + <u32>ctz(bits);
            setLabelBit(to, a * forwardRow(g, d) + h * k + t - skip);
          }
          for (let bits = rowWord(backward, first + t, plane); bits !== 0; bits &= bits - 1) {
            const e = (plane << 6) + <u32>ctz(bits);
            if (e < skip) setLabelBit(to, a * backwardZeroRow(g, t) + h);
            else setLabelBit(to, a * backwardRow(g, t) + h * k + e - skip);
          }
        }
      }
    }
  }
}
