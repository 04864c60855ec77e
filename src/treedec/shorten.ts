/**
 * Local search for elimination trees with fewer ancestors in all. A vertex v is lifted above its parent p where that
 * gains more than it costs: subtrees of v that p is not joined to come up by one level, p and its other subtrees go
 * down by one, and nothing else changes (rotations: Liu, Equivalent sparse matrix reordering by elimination tree
 * rotations, 1988). Lifts by two levels are looked for too, as the first step alone may cost. O(1) for a test, apart
 * from the children looked at; a budget proportional to the graph keeps the whole linear.
 */

import { type EliminationTree, linkParents } from "./elimination-tree.js";
import type { Graph } from "./graph.js";
import { grownInt32 } from "./scratch.js";

/** Children and list entries that may be looked at, per vertex. */
const WORK_PER_VERTEX = 400;
/** Entries that the lists of later neighbours may take. */
const LIST_ENTRIES = 1 << 24;

let position = new Int32Array(64);
let parent = new Int32Array(64);
let firstChild = new Int32Array(64);
let nextSibling = new Int32Array(64);
let previousSibling = new Int32Array(64);
let size = new Int32Array(64);
/** N+(v), unsorted: `higher[v * stride ..]`, `higherCount[v]` entries. */
let higher = new Int32Array(512);
let higherCount = new Int32Array(64);
let stride = 0;
let seen = new Int32Array(64);
let seenStamp = 0;
let work = 0;

/** Ancestors of all vertices and levels of the tree that `shorten` left. */
export const shortened = { ancestorTotal: 0, height: 0 };

/**
 * Replace `order[0 .. n]` by an order whose elimination tree has at most as many ancestors in all. No vertex gets more
 * than `longestList` later neighbours. False, with the order as it was, if one has more to begin with, if the lists
 * would be too large, or if the tree would come to more than `heightLimit` levels.
 */
export function shorten(
  graph: Graph,
  order: Int32Array<ArrayBuffer>,
  longestList: number,
  heightLimit: number,
): boolean {
  const n = graph.vertexCount;
  stride = longestList;
  if (LIST_ENTRIES < n * stride || !loadTree(graph, order)) return false;
  work = WORK_PER_VERTEX * n;
  for (let improved = true; improved && work > 0; ) {
    improved = false;
    for (let i = 0; i < n && work > 0; i++) {
      const v = order[i];
      for (;;) {
        const levels = worthLifting(v, graph);
        if (levels === 0) break;
        lift(v, graph);
        if (levels === 2) lift(v, graph);
        improved = true;
      }
    }
  }
  writeOrder(n, order);
  if (shortened.height <= heightLimit) return true;
  for (let v = 0; v < n; v++) order[position[v]] = v;
  return false;
}

/** The elimination tree that the last call of `shorten` left, which had this graph and has written this order. */
export function shortenedTree(graph: Graph, shortenedOrder: Int32Array): EliminationTree {
  const n = graph.vertexCount;
  const order = new Uint32Array(n);
  const parents = new Int32Array(n);
  const depth = new Uint32Array(n);
  const places = new Uint32Array(n);
  const higherStart = new Uint32Array(n + 1);
  const root = shortenedOrder[n - 1];
  let width = 0;
  for (let i = n - 1; i >= 0; i--) {
    const v = shortenedOrder[i];
    let p = parent[v];
    if (p < 0 && v !== root) p = root;
    order[i] = v;
    places[v] = i;
    parents[v] = p;
    depth[v] = p < 0 ? 0 : depth[p] + 1;
    if (higherCount[v] > width) width = higherCount[v];
  }
  let total = 0;
  for (let v = 0; v < n; v++) {
    higherStart[v] = total;
    total += higherCount[v];
  }
  higherStart[n] = total;
  const sorted = new Uint32Array(total);
  for (let v = 0; v < n; v++) {
    const begin = higherStart[v];
    const end = higherStart[v + 1];
    for (let i = begin, from = v * stride; i < end; i++, from++) {
      const x = higher[from];
      let at = i;
      for (; at > begin && depth[sorted[at - 1]] > depth[x]; at--) sorted[at] = sorted[at - 1];
      sorted[at] = x;
    }
  }
  return {
    order,
    position: places,
    parent: parents,
    depth,
    height: shortened.height,
    width,
    higherStart,
    higher: sorted,
    ancestorTotal: shortened.ancestorTotal,
  };
}

/** The elimination forest along `order`, with sizes, children and N+; false if some N+ is too long. */
function loadTree(graph: Graph, order: Int32Array): boolean {
  const { vertexCount: n, neighbourStart, neighbours } = graph;
  position = grownInt32(position, n);
  parent = grownInt32(parent, n);
  firstChild = grownInt32(firstChild, n);
  nextSibling = grownInt32(nextSibling, n);
  previousSibling = grownInt32(previousSibling, n);
  size = grownInt32(size, n);
  higherCount = grownInt32(higherCount, n);
  if (seen.length < n) {
    seen = grownInt32(seen, n);
    seenStamp = 0;
  }
  for (let i = 0; i < n; i++) {
    const v = order[i];
    position[v] = i;
    size[v] = 1;
    firstChild[v] = -1;
    higherCount[v] = 0;
  }
  linkParents(graph, order, position, parent);
  for (let i = 0; i < n; i++) {
    const v = order[i];
    const p = parent[v];
    if (p < 0) continue;
    size[p] += size[v];
    adopt(p, v);
  }

  // As in symbolic elimination: x is in N+ of everything between it and each of its lower neighbours.
  if (0x7000_0000 < seenStamp) {
    seen.fill(0);
    seenStamp = 0;
  }
  higher = grownInt32(higher, n * stride);
  for (let x = 0; x < n; x++) {
    const stamp = ++seenStamp;
    const place = position[x];
    const end = neighbourStart[x + 1];
    for (let i = neighbourStart[x]; i < end; i++) {
      let v = neighbours[i];
      if (position[v] > place) continue;
      for (; v !== x && seen[v] !== stamp; v = parent[v]) {
        seen[v] = stamp;
        const count = higherCount[v];
        if (count === stride) return false;
        higher[v * stride + count] = x;
        higherCount[v] = count + 1;
      }
    }
  }
  return true;
}

function adopt(p: number, v: number): void {
  const first = firstChild[p];
  nextSibling[v] = first;
  previousSibling[v] = -1;
  if (first >= 0) previousSibling[first] = v;
  firstChild[p] = v;
  parent[v] = p;
}

function disown(p: number, v: number): void {
  const after = nextSibling[v];
  const before = previousSibling[v];
  if (before >= 0) nextSibling[before] = after;
  else firstChild[p] = after;
  if (after >= 0) previousSibling[after] = before;
}

/** Is x in N+(v)? */
function reaches(v: number, x: number): boolean {
  const begin = v * stride;
  const end = begin + higherCount[v];
  for (let i = begin; i < end; i++) if (higher[i] === x) return true;
  return false;
}

/** By how many levels, 1 or 2, to lift v; 0 if neither lowers the total. */
function worthLifting(v: number, graph: Graph): number {
  const p = parent[v];
  if (p < 0 || higherCount[p] + 1 > stride) return 0;
  const q = parent[p];
  const sizeOfP = size[p];
  const cost = sizeOfP - 1 - size[v];

  // Subtrees of v free of p come up by one level; those free of p and q by two.
  let free = 0;
  let freeOfBoth = 0;
  let heldByBoth = false;
  for (let c = firstChild[v]; c >= 0; c = nextSibling[c]) {
    work--;
    const holdsQ = q >= 0 && reaches(c, q);
    if (!reaches(c, p)) {
      free += size[c];
      if (!holdsQ) freeOfBoth += size[c];
    } else if (holdsQ) heldByBoth = true;
  }
  if (cost < free) return 1;

  // Lifted above q as well, v separates p and what stays with it from q unless they touch q on their own.
  if (q < 0 || heldByBoth || higherCount[q] + 1 > stride) return 0;
  const costOfBoth = cost - free + (size[q] - 1 - sizeOfP);
  const stayingWithP = sizeOfP - 1 - free;
  if (freeOfBoth + stayingWithP <= costOfBoth) return 0;
  for (let c = firstChild[p]; c >= 0; c = nextSibling[c]) {
    work--;
    if (c !== v && reaches(c, q)) return 0;
  }
  const { neighbourStart, neighbours } = graph;
  for (let i = neighbourStart[p]; i < neighbourStart[p + 1]; i++) {
    work--;
    if (neighbours[i] === q) return 0;
  }
  return 2;
}

/** Exchange v and its parent p in the order. N+(v) becomes that of p; of its own N+, p keeps what it still touches. */
function lift(v: number, graph: Graph): void {
  const p = parent[v];
  const above = parent[p];
  const sizeOfP = size[p];
  disown(p, v);
  if (above >= 0) {
    disown(above, p);
    adopt(above, v);
  } else parent[v] = -1;
  let moved = 0;
  for (let c = firstChild[v]; c >= 0; ) {
    const following = nextSibling[c];
    if (reaches(c, p)) {
      disown(v, c);
      adopt(p, c);
      moved += size[c];
    }
    c = following;
  }
  adopt(v, p);
  size[p] = sizeOfP - size[v] + moved;
  size[v] = sizeOfP;

  const listOfP = p * stride;
  const listOfV = v * stride;
  const count = higherCount[p];
  for (let i = 0; i < count; i++) higher[listOfV + i] = higher[listOfP + i];
  higherCount[v] = count;
  const stamp = ++seenStamp;
  const { neighbourStart, neighbours } = graph;
  for (let i = neighbourStart[p]; i < neighbourStart[p + 1]; i++) seen[neighbours[i]] = stamp;
  work -= neighbourStart[p + 1] - neighbourStart[p];
  for (let c = firstChild[p]; c >= 0; c = nextSibling[c]) {
    const end = c * stride + higherCount[c];
    for (let i = c * stride; i < end; i++) seen[higher[i]] = stamp;
    work -= higherCount[c];
  }
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const x = higher[listOfP + i];
    if (seen[x] === stamp) higher[listOfP + kept++] = x;
  }
  higher[listOfP + kept++] = v;
  higherCount[p] = kept;
}

/** The order, root first from the end, the largest component first of all; and what the tree comes to. */
function writeOrder(n: number, order: Int32Array): void {
  let largest = -1;
  for (let v = 0; v < n; v++) if (parent[v] < 0 && (largest < 0 || size[largest] < size[v])) largest = v;
  let left = n;
  let total = 0;
  let height = 0;
  for (let turn = -1; turn < n && left > 0; turn++) {
    const root = turn < 0 ? largest : turn;
    if (turn >= 0 && (parent[turn] >= 0 || turn === largest)) continue;
    // A walk without a stack: to the first child, else to the next sibling of the nearest vertex that has one.
    let levels = root === largest ? 1 : 2;
    for (let v = root; v >= 0; ) {
      order[--left] = v;
      total += levels;
      if (levels > height) height = levels;
      if (firstChild[v] >= 0) {
        v = firstChild[v];
        levels++;
        continue;
      }
      while (v !== root && nextSibling[v] < 0) {
        v = parent[v];
        levels--;
      }
      v = v === root ? -1 : nextSibling[v];
    }
  }
  shortened.ancestorTotal = total;
  shortened.height = height;
}
