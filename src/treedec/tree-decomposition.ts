/**
 * Tree decompositions: a tree of vertex sets ("bags") such that (1) every vertex is in some bag, (2) both ends of every
 * edge are in some bag together, and (3) the bags of each vertex are connected in the tree. One is read off an
 * elimination order - the bag of a vertex is itself and its later neighbours - in time proportional to its size, and
 * the axioms are checked in the same time.
 */

import type { EliminationTree } from "./elimination-tree.js";
import type { Graph } from "./graph.js";

export interface TreeDecomposition {
  /** Vertices of bag b: `bags[bagStart[b] .. bagStart[b + 1]]`, distinct, in any order. */
  readonly bagStart: Uint32Array;
  readonly bags: Uint32Array;
  /** Parent bag; -1 for the one root. Any bag may be the root. */
  readonly parent: Int32Array;
}

/**
 * The decomposition that belongs to an elimination: bag v is v and its later neighbours, root first and v last; the
 * tree is the elimination tree. O(size of the result).
 *
 * @example
 * const path = graphFromEdges(3, [0, 1], [1, 2]);
 * decompositionOf(eliminate(path, [0, 1, 2])).bags; // Uint32Array [1, 0, 2, 1, 2]
 */
export function decompositionOf(tree: EliminationTree): TreeDecomposition {
  const { higherStart, higher } = tree;
  const n = tree.order.length;
  const bagStart = new Uint32Array(n + 1);
  const bags = new Uint32Array(higher.length + n);
  let at = 0;
  for (let v = 0; v < n; v++) {
    for (let i = higherStart[v]; i < higherStart[v + 1]; i++) bags[at++] = higher[i];
    bags[at++] = v;
    bagStart[v + 1] = at;
  }
  return { bagStart, bags, parent: tree.parent.slice() };
}

/** The largest bag's size less one; -1 without bags. */
export function decompositionWidth(decomposition: TreeDecomposition): number {
  const { bagStart } = decomposition;
  let width = -1;
  for (let b = 0; b + 1 < bagStart.length; b++) width = Math.max(width, bagStart[b + 1] - bagStart[b] - 1);
  return width;
}

/**
 * The bags in preorder, written to the first places of `topDown`: each subtree is a segment that begins with its root.
 * Returns how many were written: less than `count` if the parents form a cycle.
 */
export function preorder(parent: ArrayLike<number>, count: number, topDown: Int32Array): number {
  const firstChild = new Int32Array(count).fill(-1);
  const nextSibling = new Int32Array(count).fill(-1);
  const pending = new Int32Array(count);
  let pendingCount = 0;
  for (let b = 0; b < count; b++) {
    const above = parent[b];
    if (above < 0) pending[pendingCount++] = b;
    else {
      nextSibling[b] = firstChild[above];
      firstChild[above] = b;
    }
  }
  let written = 0;
  while (pendingCount > 0) {
    const b = pending[--pendingCount];
    topDown[written++] = b;
    for (let child = firstChild[b]; child >= 0; child = nextSibling[child]) pending[pendingCount++] = child;
  }
  return written;
}

/**
 * `undefined` if `decomposition` is a tree decomposition of `graph`; otherwise the first violated axiom as one
 * sentence. O(size of both).
 *
 * @example
 * const edge = graphFromEdges(2, [0], [1]);
 * checkDecomposition(edge, { bagStart: Uint32Array.of(0, 1), bags: Uint32Array.of(0), parent: Int32Array.of(-1) });
 * // "vertex 1 is in no bag"
 */
export function checkDecomposition(graph: Graph, decomposition: TreeDecomposition): string | undefined {
  const { vertexCount: n, neighbourStart, neighbours } = graph;
  const { bagStart, bags, parent } = decomposition;
  const bagCount = bagStart.length - 1;

  if (parent.length !== bagCount) return `there are ${bagCount} bags, but ${parent.length} parents`;
  let roots = 0;
  for (let b = 0; b < bagCount; b++) {
    if (!(-1 <= parent[b] && parent[b] < bagCount))
      return `the parent of bag ${b} is ${parent[b]}, which is no bag`;
    if (parent[b] < 0) roots++;
  }
  if (bagCount > 0 && roots !== 1) return `the bags have ${roots} roots, but a tree has one`;
  const topDown = new Int32Array(bagCount);
  if (preorder(parent, bagCount, topDown) < bagCount) return "the parents of the bags form a cycle";

  // A vertex's bags are connected exactly if just one of them, the top one, is not below another in the tree.
  const topBag = new Int32Array(n).fill(-1);
  const lastBag = new Int32Array(n).fill(-1);
  const topRank = new Int32Array(n);
  for (let rank = 0; rank < bagCount; rank++) {
    const b = topDown[rank];
    for (let i = bagStart[b]; i < bagStart[b + 1]; i++) {
      const v = bags[i];
      if (!(v < n)) return `bag ${b} has the vertex ${v}, but the graph has ${n} vertices`;
      if (lastBag[v] === b) return `bag ${b} has the vertex ${v} twice`;
      lastBag[v] = b;
    }
  }
  for (let v = 0; v < n; v++) if (lastBag[v] < 0) return `vertex ${v} is in no bag`;

  // Bags by vertex, for the two remaining axioms.
  const holderStart = new Uint32Array(n + 1);
  for (let i = 0; i < bags.length; i++) holderStart[bags[i] + 1]++;
  for (let v = 0; v < n; v++) holderStart[v + 1] += holderStart[v];
  const holders = new Uint32Array(bags.length);
  const end = holderStart.slice(0, n);
  for (let rank = 0; rank < bagCount; rank++) {
    const b = topDown[rank];
    for (let i = bagStart[b]; i < bagStart[b + 1]; i++) holders[end[bags[i]]++] = b;
  }
  const heldBy = new Int32Array(bagCount).fill(-1);
  const rankOf = new Int32Array(bagCount);
  for (let rank = 0; rank < bagCount; rank++) rankOf[topDown[rank]] = rank;
  for (let v = 0; v < n; v++) {
    for (let i = holderStart[v]; i < holderStart[v + 1]; i++) {
      const b = holders[i];
      if (parent[b] >= 0 && heldBy[parent[b]] === v) {
        heldBy[b] = v;
        continue;
      }
      if (topBag[v] >= 0)
        return `the bags of vertex ${v} are not connected: neither ${topBag[v]} nor ${b} has it in its parent`;
      topBag[v] = b;
      topRank[v] = rankOf[b];
      heldBy[b] = v;
    }
  }

  // With connected bags, an edge is covered exactly if the lower one of its ends' top bags holds both ends.
  const covered = new Int32Array(n).fill(-1);
  const topOf = new Int32Array(bagCount).fill(-1);
  const nextWithTop = new Int32Array(n);
  for (let v = 0; v < n; v++) {
    nextWithTop[v] = topOf[topBag[v]];
    topOf[topBag[v]] = v;
  }
  for (let b = 0; b < bagCount; b++) {
    for (let i = bagStart[b]; i < bagStart[b + 1]; i++) covered[bags[i]] = b;
    for (let v = topOf[b]; v >= 0; v = nextWithTop[v]) {
      for (let i = neighbourStart[v]; i < neighbourStart[v + 1]; i++) {
        const u = neighbours[i];
        if (topRank[u] <= topRank[v] && covered[u] !== b) return `the edge ${u} - ${v} is in no bag`;
      }
    }
  }
  return undefined;
}
