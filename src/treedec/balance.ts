/**
 * Balancing: from a tree decomposition of any shape to an elimination order whose tree is shallow. The decomposition
 * tree is split recursively: a chosen bag separates what hangs on it, and a component touches at most two chosen
 * bags, its "ports". With fewer than two ports the component is split at its centroid; with two, where the paths
 * between the ports and the centroid meet, so that again no part gets a third port. Every second split at least
 * halves a component: about 2 log2(bags) levels, O(size + bags * levels) time. The balancing of decompositions goes
 * back to Bodlaender and Hagerup (Parallel algorithms with optimal speedup for bounded treewidth, 1998).
 */

import { grownInt32 } from "./scratch.js";
import { preorder, type TreeDecomposition } from "./tree-decomposition.js";

export interface BalancedOrder {
  /** All vertices, the first to be eliminated first: the vertices of the chosen bags, last chosen first. */
  readonly order: Uint32Array;
  /** Levels of the tree of chosen bags. */
  readonly levels: number;
}

/** Preorder of each component, one segment after another; and for each bag its place and subtree size therein. */
let sequence = new Int32Array(64);
let place = new Int32Array(64);
let size = new Int32Array(64);
let moved = new Int32Array(64);
/** Components still to be split: start, end, two ports (-1 if none) and level. */
let pending = new Int32Array(320);
/**
 * Per vertex: 1 once it is in the order, 2 while it is a candidate; and for candidates the parts around the chosen bag
 * that hold them: their number, their total size, and the bag next to the chosen one in the last of them.
 */
let placed = new Uint8Array(64);
let holders = new Int32Array(64);
let holderWeight = new Int32Array(64);
let soleHolder = new Int32Array(64);
let candidates = new Int32Array(64);

/**
 * A balanced elimination order of the graph that `decomposition` decomposes. Its vertices are those in the bags, which
 * must be `0 .. n` without gaps: a `RangeError` names the first that is missing. The elimination tree along it has at
 * most `levels * (width + 1)` levels, and a width below 3 (width + 1), `width` being the decomposition's.
 * O(size + n log n).
 *
 * @example
 * const path = graphFromEdges(7, [0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6]);
 * const along = decompositionOf(eliminate(path, [0, 1, 2, 3, 4, 5, 6])); // 7 levels
 * eliminate(path, balance(along).order).height; // 3
 */
export function balance(decomposition: TreeDecomposition): BalancedOrder {
  const { bagStart, bags, parent } = decomposition;
  const bagCount = bagStart.length - 1;
  let vertexCount = 0;
  for (let i = 0; i < bags.length; i++) if (bags[i] >= vertexCount) vertexCount = bags[i] + 1;
  const seen = new Uint8Array(vertexCount);
  for (let i = 0; i < bags.length; i++) seen[bags[i]] = 1;
  const missing = seen.indexOf(0);
  if (missing >= 0)
    throw new RangeError(`balance: got no bag with vertex ${missing}, expected all below ${vertexCount}`);

  sequence = grownInt32(sequence, bagCount);
  if (preorder(parent, bagCount, sequence) < bagCount) {
    throw new RangeError("balance: got a cycle of parents, expected a tree of bags");
  }
  if (parent.indexOf(-1) !== parent.lastIndexOf(-1)) {
    throw new RangeError("balance: got more than one root, expected a tree of bags");
  }
  const order = new Int32Array(vertexCount);
  const levels = splitAll(bagCount, vertexCount, parent, bagStart, bags, order);
  return { order: new Uint32Array(order), levels };
}

/**
 * `balance` for the bags of an elimination run, bag i being that of the vertex eliminated at step i and `parent[i]` a
 * later step. The order is written to `order`.
 */
export function balanceSteps(
  count: number,
  parent: Int32Array,
  bagStart: Int32Array,
  bags: Int32Array,
  order: Int32Array,
): number {
  sequence = grownInt32(sequence, count);
  place = grownInt32(place, count);
  size = grownInt32(size, count);
  moved = grownInt32(moved, count);
  for (let b = 0; b < count; b++) size[b] = 1;
  for (let b = 0; b < count; b++) if (parent[b] >= 0) size[parent[b]] += size[b];
  // `moved` is where the next child's subtree begins.
  for (let b = count - 1, root = 0; b >= 0; b--) {
    const above = parent[b];
    const at = above < 0 ? root : moved[above];
    if (above < 0) root += size[b];
    else moved[above] += size[b];
    moved[b] = at + 1;
    sequence[at] = b;
  }
  return splitAll(count, count, parent, bagStart, bags, order);
}

function splitAll(
  bagCount: number,
  vertexCount: number,
  parent: Int32Array,
  bagStart: ArrayLike<number>,
  bags: ArrayLike<number>,
  order: Int32Array,
): number {
  place = grownInt32(place, bagCount);
  size = grownInt32(size, bagCount);
  moved = grownInt32(moved, bagCount);
  holders = grownInt32(holders, vertexCount);
  holderWeight = grownInt32(holderWeight, vertexCount);
  soleHolder = grownInt32(soleHolder, vertexCount);
  candidates = grownInt32(candidates, vertexCount);
  if (placed.length < vertexCount) placed = new Uint8Array(2 * vertexCount);
  placed.fill(0, 0, vertexCount);
  pending = grownInt32(pending, 5 * bagCount + 5);
  for (let i = 0; i < bagCount; i++) {
    place[sequence[i]] = i;
    size[sequence[i]] = 1;
  }
  for (let i = bagCount - 1; i > 0; i--) size[parent[sequence[i]]] += size[sequence[i]];

  let levels = 0;
  let unplaced = vertexCount;
  let top = 0;
  if (bagCount > 0) {
    pending[0] = 0;
    pending[1] = bagCount;
    pending[2] = -1;
    pending[3] = -1;
    pending[4] = 1;
    top = 5;
  }
  while (top > 0) {
    top -= 5;
    const start = pending[top];
    const end = pending[top + 1];
    const portA = pending[top + 2];
    const portB = pending[top + 3];
    const level = pending[top + 4];
    if (level > levels) levels = level;
    const root = sequence[start];
    let chosen = centroid(root, end - start);
    if (portA >= 0 && portB >= 0) chosen = median(portA, portB, chosen, parent);

    unplaced = placeBag(chosen, root, end - start, parent, bagStart, bags, order, unplaced);

    // What is left: the part above, made one segment again, and a segment for each child.
    const at = place[chosen];
    const below = size[chosen];
    let children = at + 1;
    const childrenEnd = at + below;
    if (chosen !== root) {
      for (let b = parent[chosen]; ; b = parent[b]) {
        size[b] -= below;
        if (b === root) break;
      }
      const restEnd = end - below;
      const shift = end - childrenEnd;
      if (shift > 0) {
        for (let i = children; i < childrenEnd; i++) moved[i - children] = sequence[i];
        for (let i = childrenEnd; i < end; i++) {
          const b = sequence[i];
          sequence[i - below] = b;
          place[b] = i - below;
        }
        for (let i = 0; i < below - 1; i++) {
          const b = moved[i];
          sequence[restEnd + i] = b;
          place[b] = restEnd + i;
        }
        children = restEnd;
      }
      const inner = parent[chosen];
      const outer = portIn(start, restEnd, portA, portB, inner, chosen);
      pending[top] = start;
      pending[top + 1] = restEnd;
      pending[top + 2] = inner;
      pending[top + 3] = outer;
      pending[top + 4] = level + 1;
      top += 5;
    }
    for (let left = below - 1; left > 0; ) {
      const child = sequence[children];
      const childEnd = children + size[child];
      pending[top] = children;
      pending[top + 1] = childEnd;
      pending[top + 2] = child;
      pending[top + 3] = portIn(children, childEnd, portA, portB, child, chosen);
      pending[top + 4] = level + 1;
      top += 5;
      left -= size[child];
      children = childEnd;
    }
  }
  return levels;
}

/** The lowest bag whose subtree has more than half of the component: no part around it has more than half. */
function centroid(root: number, count: number): number {
  let at = root;
  for (;;) {
    const end = place[at] + size[at];
    let heavy = -1;
    for (let i = place[at] + 1; i < end; i += size[sequence[i]]) {
      if (2 * size[sequence[i]] > count) {
        heavy = sequence[i];
        break;
      }
    }
    if (heavy < 0) return at;
    at = heavy;
  }
}

/** Where the three paths between a, b and c meet: the lowest of the three common ancestors. */
function median(a: number, b: number, c: number, parent: Int32Array): number {
  const ab = meet(a, b, parent);
  const ac = meet(a, c, parent);
  const bc = meet(b, c, parent);
  // Two of the three coincide, and the third is that one or below it.
  return ab === ac ? bc : ab === bc ? ac : ab;
}

/** The lowest common ancestor within a component. */
function meet(a: number, b: number, parent: Int32Array): number {
  const wanted = place[b];
  let at = a;
  while (wanted < place[at] || place[at] + size[at] <= wanted) at = parent[at];
  return at;
}

/** The port that lies in the segment, if it is another bag than the one next to the chosen bag. */
function portIn(
  start: number,
  end: number,
  portA: number,
  portB: number,
  inner: number,
  chosen: number,
): number {
  if (portA >= 0 && portA !== chosen && portA !== inner && start <= place[portA] && place[portA] < end)
    return portA;
  if (portB >= 0 && portB !== chosen && portB !== inner && start <= place[portB] && place[portB] < end)
    return portB;
  return -1;
}

/**
 * Put the new vertices of a chosen bag into the order, which is filled from its end: those that border on much first,
 * so that those that border on little come out below them and are no ancestors of the rest. Vertices that border on
 * the largest part alone separate nothing, and wait until a bag of that part is chosen.
 */
function placeBag(
  chosen: number,
  root: number,
  count: number,
  parent: Int32Array,
  bagStart: ArrayLike<number>,
  bags: ArrayLike<number>,
  order: Int32Array,
  unplaced: number,
): number {
  let fresh = 0;
  for (let i = bagStart[chosen]; i < bagStart[chosen + 1]; i++) {
    const v = bags[i];
    if (placed[v]) continue;
    placed[v] = 2;
    holders[v] = 0;
    holderWeight[v] = 0;
    candidates[fresh++] = v;
  }
  if (fresh === 0) return unplaced;
  let largest = -1;
  let largestSize = 0;
  if (chosen !== root) {
    largest = parent[chosen];
    largestSize = count - size[chosen];
    tally(largest, largestSize, bagStart, bags);
  }
  const end = place[chosen] + size[chosen];
  for (let i = place[chosen] + 1; i < end; ) {
    const child = sequence[i];
    if (size[child] > largestSize) {
      largestSize = size[child];
      largest = child;
    }
    tally(child, size[child], bagStart, bags);
    i += size[child];
  }
  let left = unplaced;
  for (let taken = 0; taken < fresh; taken++) {
    let best = taken;
    for (let i = taken + 1; i < fresh; i++) {
      if (holderWeight[candidates[i]] > holderWeight[candidates[best]]) best = i;
    }
    const v = candidates[best];
    candidates[best] = candidates[taken];
    if (holders[v] === 1 && soleHolder[v] === largest) {
      placed[v] = 0;
      continue;
    }
    placed[v] = 1;
    order[--left] = v;
  }
  return left;
}

/** Count a bag next to the chosen one, on which a part of the given size hangs, for each candidate that it holds. */
function tally(bag: number, weight: number, bagStart: ArrayLike<number>, bags: ArrayLike<number>): void {
  for (let i = bagStart[bag]; i < bagStart[bag + 1]; i++) {
    const v = bags[i];
    if (placed[v] !== 2) continue;
    holders[v]++;
    holderWeight[v] += weight;
    soleHolder[v] = bag;
  }
}
