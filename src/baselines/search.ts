/**
 * The `search` baseline: summaries once, then plain graph search in the procedure's summary-extended exploded graph
 * for every query. Most procedures are small and most facts go nowhere, which makes this the strongest rival in
 * practice. A query costs as much as it reaches; a pair query stops at its target.
 */

import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import { type BaselineOptions, Watch } from "./limits.js";
import { type Baseline, baselineOver, type SameContextSearch } from "./same-context.js";
import { type SummaryGraph, summaryGraph } from "./summary-graph.js";

/**
 * Summaries once, then a graph search per query. Preprocessing costs O(path edges from start facts), a query as much
 * as it reaches.
 *
 * @example
 * const solver = search(parseIfds("IFDS 1\nR 0 I\nR 1 X 0>0,1\nM 0\nP 0 2 2 0 1 main\ne 0 1 1\nZ\n"));
 * solver.reaches(0, 0, 0, 1, 1); // true
 * solver.reaches(0, 0, 1, 1, 1); // false
 */
export function search(graph: ExplodedSupergraph, options?: BaselineOptions): Baseline {
  const watch = new Watch(options);
  const extended = summaryGraph(graph, watch);
  watch.check();
  return baselineOver(graph, "search", new GraphSearch(graph, extended));
}

/** Depth-first search in the graphs of `SummaryGraph`. */
export class GraphSearch implements SameContextSearch {
  readonly bytes: number;
  readonly #graph: ExplodedSupergraph;
  readonly #extended: SummaryGraph;
  readonly #stack: Uint32Array;
  /** Pair queries: the number of the last query that visited an exploded vertex. */
  readonly #visited: Uint32Array;
  #query = 0;

  constructor(graph: ExplodedSupergraph, extended: SummaryGraph) {
    this.#graph = graph;
    this.#extended = extended;
    this.#stack = new Uint32Array(extended.largest);
    this.#visited = new Uint32Array(extended.largest);
    this.bytes =
      extended.start.byteLength +
      extended.successors.byteLength +
      extended.explodedBase.byteLength +
      this.#stack.byteLength +
      this.#visited.byteLength;
  }

  reaches(p: number, u: number, d1: number, v: number, d2: number): boolean {
    const n = this.#graph.vertexCount[p];
    const source = d1 * n + u;
    const target = d2 * n + v;
    if (source === target) return true;
    const { start, successors, explodedBase } = this.#extended;
    const base = explodedBase[p];
    const stack = this.#stack;
    const visited = this.#visited;
    const query = this.#nextQuery();
    let length = 1;
    stack[0] = source;
    visited[source] = query;
    while (0 < length) {
      const x = base + stack[--length];
      for (let i = start[x], end = start[x + 1]; i < end; i++) {
        const y = successors[i];
        if (visited[y] === query) continue;
        if (y === target) return true;
        visited[y] = query;
        stack[length++] = y;
      }
    }
    return false;
  }

  sweep(p: number, u: number, d1: number, into: Uint32Array): void {
    const { start, successors, explodedBase } = this.#extended;
    const n = this.#graph.vertexCount[p];
    const stride = (this.#graph.factCount[p] + 31) >>> 5;
    const base = explodedBase[p];
    const stack = this.#stack;
    // Multiplication by the inverse in place of division; exact, since numbers stay below 2^32.
    const inverse = 1 / n;
    let length = 1;
    stack[0] = d1 * n + u;
    into[u * stride + (d1 >>> 5)] |= 1 << (d1 & 31);
    while (0 < length) {
      const x = base + stack[--length];
      for (let i = start[x], end = start[x + 1]; i < end; i++) {
        const y = successors[i];
        const d = ((y + 0.5) * inverse) | 0;
        const word = (y - d * n) * stride + (d >>> 5);
        const bit = 1 << (d & 31);
        if ((into[word] & bit) !== 0) continue;
        into[word] |= bit;
        stack[length++] = y;
      }
    }
  }

  #nextQuery(): number {
    if (this.#query === 0xffffffff) {
      this.#visited.fill(0);
      this.#query = 0;
    }
    return ++this.#query;
  }
}
