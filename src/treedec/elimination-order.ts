/**
 * Elimination orders by the two classical greedy heuristics: eliminate next a vertex of least degree, or one whose
 * neighbourhood lacks the fewest edges (Bodlaender and Koster, Treewidth computations I: upper bounds, 2010).
 * Min-degree takes O(n w^2) with a bucket queue, w being the width reached; min-fill O(n (w^2 d + log n)) with a
 * heap, where d bounds the shorter of two neighbour lists. Neither depends on anything but the graph.
 */

import { FilledGraph } from "./filled-graph.js";
import type { Graph } from "./graph.js";
import { extendedInt32, grownInt32 } from "./scratch.js";

export type Heuristic = "min-degree" | "min-fill";

export interface OrderOptions {
  /** Give up when the next vertex would have more than this many later neighbours. Default: never. */
  readonly widthLimit?: number;
}

export interface EliminationOrder {
  /** All vertices; the first is eliminated first. */
  readonly order: Uint32Array;
  /** The largest number of neighbours a vertex had when it was eliminated: an upper bound on the treewidth. */
  readonly width: number;
  /**
   * False if `widthLimit` was passed. The remaining vertices then follow in ascending order, and `width` counts
   * them as a clique: it still is an upper bound.
   */
  readonly complete: boolean;
}

/** What a run leaves behind: valid until the next run. */
export interface EliminationRun {
  order: Int32Array<ArrayBuffer>;
  /** Bag i, `bags[bagStart[i] .. bagStart[i + 1]]`: `order[i]`, then its neighbours when it was eliminated. */
  bagStart: Int32Array<ArrayBuffer>;
  bags: Int32Array<ArrayBuffer>;
  width: number;
  complete: boolean;
}

const run: EliminationRun = {
  order: new Int32Array(64),
  bagStart: new Int32Array(65),
  bags: new Int32Array(256),
  width: 0,
  complete: true,
};
const filled = new FilledGraph();
let eliminated = new Uint8Array(64);
/** Marks of the vertex `y` whose neighbours are marked: `mark[x] === y + 1`. */
let mark = new Int32Array(64);

/**
 * An elimination order by a greedy heuristic. Deterministic: min-degree takes, among vertices of equal degree, the
 * one that came to this degree last, at the beginning the lowest id; min-fill takes, where equally many edges are
 * missing, the one of least degree, then the lowest id. Both are exact up to treewidth 2.
 *
 * @example
 * const cycle = graphFromEdges(4, [0, 1, 2, 3], [1, 2, 3, 0]);
 * eliminationOrder(cycle, "min-degree").width; // 2
 */
export function eliminationOrder(
  graph: Graph,
  heuristic: Heuristic,
  options: OrderOptions = {},
): EliminationOrder {
  const { order, width, complete } = runElimination(graph, heuristic, options.widthLimit ?? Infinity);
  return { order: new Uint32Array(order.subarray(0, graph.vertexCount)), width, complete };
}

/** `eliminationOrder` without allocation, which also records every vertex's neighbours at its elimination. */
export function runElimination(graph: Graph, heuristic: Heuristic, widthLimit: number): EliminationRun {
  const n = graph.vertexCount;
  run.order = grownInt32(run.order, n);
  run.bagStart = grownInt32(run.bagStart, n + 1);
  run.width = 0;
  run.complete = true;
  if (eliminated.length < n) eliminated = new Uint8Array(2 * n);
  eliminated.fill(0, 0, n);
  mark = grownInt32(mark, n);
  mark.fill(0, 0, n);
  filled.load(graph);
  if (heuristic === "min-degree") runMinDegree(n, widthLimit);
  else runMinFill(n, widthLimit);
  return run;
}

let bucket = new Int32Array(64);
let nextInBucket = new Int32Array(64);
let previousInBucket = new Int32Array(64);

function runMinDegree(n: number, widthLimit: number): void {
  bucket = grownInt32(bucket, n);
  nextInBucket = grownInt32(nextInBucket, n);
  previousInBucket = grownInt32(previousInBucket, n);
  const first = bucket;
  const following = nextInBucket;
  const preceding = previousInBucket;
  const order = run.order;
  const bagStart = run.bagStart;
  const degree = filled.degree;
  first.fill(-1, 0, n);
  for (let v = n - 1; v >= 0; v--) {
    const old = first[degree[v]];
    following[v] = old;
    preceding[v] = -1;
    if (old >= 0) preceding[old] = v;
    first[degree[v]] = v;
  }

  let recorded = 0;
  let least = 0;
  for (let step = 0; step < n; step++) {
    while (first[least] < 0) least++;
    if (widthLimit < least || least === n - step - 1) {
      finishAsClique(n, step, recorded, widthLimit);
      return;
    }
    const v = first[least];
    first[least] = following[v];
    if (following[v] >= 0) preceding[following[v]] = -1;
    order[step] = v;
    eliminated[v] = 1;
    if (least > run.width) run.width = least;

    bagStart[step] = recorded;
    const begin = recorded + 1;
    recorded = record(v, recorded);
    const bags = run.bags;
    // The neighbours leave their buckets before their degrees change.
    for (let i = begin; i < recorded; i++) {
      const x = bags[i];
      const after = following[x];
      const before = preceding[x];
      if (after >= 0) preceding[after] = before;
      if (before >= 0) following[before] = after;
      else first[degree[x]] = after;
    }
    filled.detach(v);
    makeClique(begin, recorded);
    for (let i = recorded - 1; i >= begin; i--) {
      const x = bags[i];
      const old = first[degree[x]];
      following[x] = old;
      preceding[x] = -1;
      if (old >= 0) preceding[old] = x;
      first[degree[x]] = x;
    }
    // Eliminating v takes at most one from any degree.
    if (least > 0) least--;
  }
  bagStart[n] = recorded;
}

/** Append the bag of v to the record. */
function record(v: number, recorded: number): number {
  const { head, next, target } = filled;
  run.bags = extendedInt32(run.bags, recorded + filled.degree[v] + 1);
  const bags = run.bags;
  let end = recorded;
  bags[end++] = v;
  for (let h = head[v]; h >= 0; h = next[h]) bags[end++] = target[h];
  return end;
}

/** Join all pairs among `bags[begin .. end]` that are not adjacent yet. O(1) expected for each pair. */
function makeClique(begin: number, end: number): void {
  const bags = run.bags;
  const size = end - begin;
  if (size < 2) return;
  for (let i = begin; i < end - 1; i++) {
    const x = bags[i];
    if (size > 4 && filled.degree[x] <= 4 * size) {
      const { head, next, target } = filled;
      for (let h = head[x]; h >= 0; h = next[h]) mark[target[h]] = x + 1;
      for (let j = i + 1; j < end; j++) if (mark[bags[j]] !== x + 1) filled.connect(x, bags[j]);
    } else {
      for (let j = i + 1; j < end; j++) if (!filled.adjacent(x, bags[j])) filled.connect(x, bags[j]);
    }
  }
}

/** Eliminate what remains in ascending order as if it were a clique, recording it unless it passes the limit. */
function finishAsClique(n: number, step: number, recorded: number, widthLimit: number): void {
  const { order, bagStart } = run;
  const remaining = n - step;
  let at = step;
  for (let v = 0; v < n; v++) if (eliminated[v] === 0) order[at++] = v;
  if (remaining - 1 > run.width) run.width = remaining - 1;
  run.complete = remaining - 1 <= widthLimit;
  if (!run.complete) return;
  let end = recorded;
  run.bags = extendedInt32(run.bags, recorded + (remaining * (remaining + 1)) / 2);
  for (let i = step; i < n; i++) {
    bagStart[i] = end;
    for (let j = i; j < n; j++) run.bags[end++] = order[j];
  }
  bagStart[n] = end;
}

/** Missing edges among each vertex's neighbours: beyond 32 bits for a hub of 10^5. */
let fill = new Float64Array(64);
/** The degree that ties are decided by: that in `filled`, but changed only together with the heap. */
let rank = new Int32Array(64);
/** A binary heap of vertices by (fill, rank, id), and each vertex's place in it, -1 once eliminated. */
let heap = new Int32Array(64);
let place = new Int32Array(64);

function runMinFill(n: number, widthLimit: number): void {
  if (fill.length < n) fill = new Float64Array(2 * n);
  rank = grownInt32(rank, n);
  heap = grownInt32(heap, n);
  place = grownInt32(place, n);
  const { order, bagStart } = run;
  const degree = filled.degree;
  if (isClique(n)) {
    finishAsClique(n, 0, 0, widthLimit);
    return;
  }
  countMissing(n);
  for (let v = 0; v < n; v++) {
    rank[v] = degree[v];
    heap[v] = v;
    place[v] = v;
  }
  for (let i = (n >> 1) - 1; i >= 0; i--) siftDown(i, n);

  let recorded = 0;
  for (let step = 0; step < n; step++) {
    const v = heap[0];
    if (widthLimit < degree[v]) {
      run.complete = false;
      finishAsClique(n, step, recorded, -1);
      return;
    }
    const size = n - step - 1;
    const last = heap[size];
    place[v] = -1;
    if (size > 0) {
      heap[0] = last;
      place[last] = 0;
      siftDown(0, size);
    }
    order[step] = v;
    eliminated[v] = 1;
    if (degree[v] > run.width) run.width = degree[v];

    bagStart[step] = recorded;
    const begin = recorded + 1;
    recorded = record(v, recorded);
    const bags = run.bags;
    if (fill[v] > 0) {
      for (let i = begin; i < recorded; i++) {
        for (let j = i + 1; j < recorded; j++) {
          if (!filled.adjacent(bags[i], bags[j])) connectCounting(bags[i], bags[j], size);
        }
      }
    }
    // The neighbours form a clique now: v was missing an edge to each neighbour of theirs outside it.
    const cliqueSize = recorded - begin;
    for (let i = begin; i < recorded; i++) {
      const x = bags[i];
      fill[x] -= degree[x] - cliqueSize;
      rank[x]--;
      siftUp(place[x]);
    }
    filled.detach(v);
  }
  bagStart[n] = recorded;
}

function isClique(n: number): boolean {
  for (let v = 0; v < n; v++) if (filled.degree[v] < n - 1) return false;
  return true;
}

/** Initial fill: pairs of neighbours less the triangles, each of which is met at two edges of every corner. */
function countMissing(n: number): void {
  const { head, next, target, degree } = filled;
  for (let v = 0; v < n; v++) fill[v] = degree[v] * (degree[v] - 1);
  for (let u = 0; u < n; u++) {
    for (let h = head[u]; h >= 0; h = next[h]) {
      const v = target[h];
      if (v < u) continue;
      const common = countCommon(u, v);
      fill[u] -= common;
      fill[v] -= common;
    }
  }
  for (let v = 0; v < n; v++) fill[v] /= 2;
}

function countCommon(u: number, v: number): number {
  const { head, next, target, degree } = filled;
  const few = degree[u] < degree[v] ? u : v;
  const many = u ^ v ^ few;
  let common = 0;
  for (let h = head[few]; h >= 0; h = next[h]) {
    const z = target[h];
    if (z !== many && filled.adjacent(z, many)) common++;
  }
  return common;
}

/**
 * Add a fill edge: one missing pair less at each common neighbour, new missing pairs at the two ends. The heap is
 * put right after each single change, as repairs presume that all other keys are in order.
 */
function connectCounting(x: number, y: number, heapSize: number): void {
  const { head, next, target, degree } = filled;
  const few = degree[x] < degree[y] ? x : y;
  const many = x ^ y ^ few;
  let common = 0;
  for (let h = head[few]; h >= 0; h = next[h]) {
    const z = target[h];
    if (!filled.adjacent(z, many)) continue;
    common++;
    fill[z]--;
    if (place[z] >= 0) siftUp(place[z]);
  }
  fill[x] += degree[x] - common;
  rank[x]++;
  siftDown(place[x], heapSize);
  fill[y] += degree[y] - common;
  rank[y]++;
  siftDown(place[y], heapSize);
  filled.connect(x, y);
}

/** Does x leave the heap before y? */
function precedes(x: number, y: number): boolean {
  if (fill[x] !== fill[y]) return fill[x] < fill[y];
  return rank[x] < rank[y] || (rank[x] === rank[y] && x < y);
}

function siftUp(from: number): void {
  const v = heap[from];
  let at = from;
  while (at > 0) {
    const above = (at - 1) >> 1;
    const other = heap[above];
    if (!precedes(v, other)) break;
    heap[at] = other;
    place[other] = at;
    at = above;
  }
  heap[at] = v;
  place[v] = at;
}

function siftDown(from: number, size: number): void {
  const v = heap[from];
  let at = from;
  for (let below = 2 * at + 1; below < size; below = 2 * at + 1) {
    if (below + 1 < size && precedes(heap[below + 1], heap[below])) below++;
    const other = heap[below];
    if (!precedes(other, v)) break;
    heap[at] = other;
    place[other] = at;
    at = below;
  }
  heap[at] = v;
  place[v] = at;
}
