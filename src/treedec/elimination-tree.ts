/**
 * Symbolic elimination: which later neighbours each vertex has when a graph is eliminated along a given order, and
 * the tree in which every vertex's parent is the earliest of them. Parents come from the union-find method of Liu
 * (The role of elimination trees in sparse factorization, 1990) in nearly O(m); the later neighbours by walking up
 * from each edge's lower end, in time proportional to their number. Every edge of the graph joins a vertex and one of
 * its ancestors.
 */

import type { Graph } from "./graph.js";
import { grownInt32 } from "./scratch.js";

export interface EliminationTree {
  /** All vertices; the first is eliminated first, the last is the root. */
  readonly order: Uint32Array;
  /** Place of each vertex in `order`. */
  readonly position: Uint32Array;
  /** The earliest later neighbour; -1 for the root alone. Roots of further components hang below the root. */
  readonly parent: Int32Array;
  /** Proper ancestors of each vertex, counted: 0 for the root. */
  readonly depth: Uint32Array;
  /** Levels of the tree: the greatest depth plus one, 0 without vertices. */
  readonly height: number;
  /** The largest number of later neighbours. */
  readonly width: number;
  /**
   * Later neighbours N+(v): `higher[higherStart[v] .. higherStart[v + 1]]`, all of them ancestors of v, the one nearest
   * to the root first (so that the last one is the parent, except where a component hangs below the root).
   */
  readonly higherStart: Uint32Array;
  readonly higher: Uint32Array;
  /** Ancestors of all vertices, each vertex counting as one of its own: what labels take, in units of one row. */
  readonly ancestorTotal: number;
}

let positionScratch = new Int32Array(64);
let ancestor = new Int32Array(64);
let visited = new Int32Array(64);

/**
 * The elimination tree of `graph` along `order`, a permutation of its vertices. O(m + number of later neighbours) but
 * for an inverse Ackermann factor. Throws a `RangeError` if `order` is no permutation.
 *
 * @example
 * const path = graphFromEdges(3, [0, 1], [1, 2]);
 * const tree = eliminate(path, [0, 2, 1]);
 * tree.parent; // Int32Array [1, -1, 1]
 */
export function eliminate(graph: Graph, order: ArrayLike<number>): EliminationTree {
  const n = graph.vertexCount;
  if (order.length !== n) {
    throw new RangeError(`elimination order: got ${order.length} vertices, expected ${n}`);
  }
  positionScratch = grownInt32(positionScratch, n);
  positionScratch.fill(-1, 0, n);
  for (let i = 0; i < n; i++) {
    const v = order[i];
    if (!(v < n && positionScratch[v] < 0)) {
      throw new RangeError(`elimination order: got ${v} at place ${i}, expected each vertex below ${n} once`);
    }
    positionScratch[v] = i;
  }
  return symbolicElimination(graph, order);
}

/** `eliminate` for an order that is known to be a permutation. */
export function symbolicElimination(graph: Graph, orderGiven: ArrayLike<number>): EliminationTree {
  const n = graph.vertexCount;
  const { neighbourStart, neighbours } = graph;
  const order = new Uint32Array(n);
  const position = new Uint32Array(n);
  const parent = new Int32Array(n);
  const depth = new Uint32Array(n);
  for (let i = 0; i < n; i++) {
    const v = orderGiven[i];
    order[i] = v;
    position[v] = i;
  }
  linkParents(graph, order, position, parent);
  let height = 0;
  let ancestorTotal = 0;
  const root = order[n - 1];
  for (let i = n - 1; i >= 0; i--) {
    const v = order[i];
    if (parent[v] < 0 && v !== root) parent[v] = root;
    const levels = parent[v] < 0 ? 1 : depth[parent[v]] + 2;
    depth[v] = levels - 1;
    ancestorTotal += levels;
    if (levels > height) height = levels;
  }

  // x is a later neighbour of y and of everything on the tree path from y up to x, for every edge x - y with y below x.
  // Taking the xs from the root down leaves every list sorted.
  visited = grownInt32(visited, n);
  const seen = visited;
  seen.fill(-1, 0, n);
  const higherStart = new Uint32Array(n + 1);
  for (let x = 0; x < n; x++) {
    const place = position[x];
    for (let i = neighbourStart[x]; i < neighbourStart[x + 1]; i++) {
      let v = neighbours[i];
      if (position[v] > place) continue;
      for (; v !== x && seen[v] !== x; v = parent[v]) {
        seen[v] = x;
        higherStart[v]++;
      }
    }
  }
  let total = 0;
  let width = 0;
  for (let v = 0; v < n; v++) {
    const count = higherStart[v];
    if (count > width) width = count;
    higherStart[v] = total;
    total += count;
  }
  higherStart[n] = total;
  const higher = new Uint32Array(total);
  ancestor = grownInt32(ancestor, n);
  const end = ancestor;
  for (let v = 0; v < n; v++) {
    end[v] = higherStart[v];
    seen[v] = -1;
  }
  for (let k = n - 1; k >= 0; k--) {
    const x = order[k];
    for (let i = neighbourStart[x]; i < neighbourStart[x + 1]; i++) {
      let v = neighbours[i];
      if (position[v] > k) continue;
      for (; v !== x && seen[v] !== x; v = parent[v]) {
        seen[v] = x;
        higher[end[v]++] = x;
      }
    }
  }
  return { order, position, parent, depth, height, width, higherStart, higher, ancestorTotal };
}

/**
 * Fill in `parent` for the given order: a forest, -1 for the root of each component. `ancestor` holds shortcuts towards
 * the root of each vertex's current tree; paths are compressed as they are walked.
 */
export function linkParents(
  graph: Graph,
  order: ArrayLike<number>,
  position: ArrayLike<number>,
  parent: Int32Array,
): void {
  const { vertexCount: n, neighbourStart, neighbours } = graph;
  ancestor = grownInt32(ancestor, n);
  const shortcut = ancestor;
  for (let i = 0; i < n; i++) {
    const x = order[i];
    parent[x] = -1;
    shortcut[x] = -1;
    for (let j = neighbourStart[x]; j < neighbourStart[x + 1]; j++) {
      let v = neighbours[j];
      if (position[v] >= i) continue;
      for (;;) {
        const above = shortcut[v];
        if (above === x) break;
        shortcut[v] = x;
        if (above < 0) {
          parent[v] = x;
          break;
        }
        v = above;
      }
    }
  }
}
