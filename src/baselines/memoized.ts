/**
 * The OD baseline, on demand with memoisation (Horwitz, Reps and Sagiv, FSE 1995): tabulation as in NOPP, but what a
 * query finds, summaries and everything that its exploded vertex reaches, is kept for the queries to come. The first
 * queries cost as much as NOPP's, later ones less and less, and a repeated one is a look-up. The cache grows with
 * the number of different queries; past the memory limit it is dropped, and learning starts anew.
 */

import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import { type BaselineOptions, MemoryLimitError, Watch } from "./limits.js";
import { PathEdges } from "./path-edges.js";
import { programEdges } from "./program-edges.js";
import { RelationRows } from "./relation-rows.js";
import { type Baseline, baselineOver, type SameContextSearch } from "./same-context.js";

/**
 * Tabulation on demand; what was found is kept. `memoryLimit` is the most that the cache takes, the query at hand included:
 * one that needs more by itself throws a `MemoryLimitError`, and so does construction where an empty cache is too large.
 *
 * @example
 * const solver = memoized(parseIfds("IFDS 1\nR 0 I\nR 1 X 0>0,1\nM 0\nP 0 2 2 0 1 main\ne 0 1 1\nZ\n"));
 * solver.reaches(0, 0, 0, 1, 1); // true
 * solver.reaches(0, 0, 0, 1, 1); // true, from the cache
 */
export function memoized(graph: ExplodedSupergraph, options?: BaselineOptions): Baseline {
  const watch = new Watch(options);
  const tabulation = new MemoizedTabulation(graph, watch.memoryLimit);
  watch.check();
  return baselineOver(graph, "od", tabulation);
}

class MemoizedTabulation implements SameContextSearch {
  readonly #graph: ExplodedSupergraph;
  readonly #pathEdges: PathEdges;
  readonly #explodedBase: Float64Array;
  /** Of memory alone. */
  readonly #watch: Watch;
  /** Sources of the exploded vertices asked about so far, all procedures counted through. */
  readonly #sources = new Map<number, number>();

  constructor(graph: ExplodedSupergraph, memoryLimit: number) {
    this.#graph = graph;
    this.#pathEdges = new PathEdges(graph, programEdges(graph), new RelationRows(graph));
    this.#watch = new Watch({ memoryLimit });
    this.#watch.memory("The cache", this.bytes);
    this.#explodedBase = new Float64Array(graph.procedureCount + 1);
    for (let p = 0; p < graph.procedureCount; p++) {
      this.#explodedBase[p + 1] = this.#explodedBase[p] + graph.vertexCount[p] * graph.factCount[p];
    }
  }

  get bytes(): number {
    return this.#pathEdges.bytes + 16 * this.#sources.size;
  }

  reaches(p: number, u: number, d1: number, v: number, d2: number): boolean {
    return this.#pathEdges.has(this.#source(p, u, d1), v, d2);
  }

  sweep(p: number, u: number, d1: number, into: Uint32Array): void {
    this.#pathEdges.write(this.#source(p, u, d1), into);
  }

  /** The completed source (p, u, d1). */
  #source(p: number, u: number, d1: number): number {
    const x = this.#explodedBase[p] + d1 * this.#graph.vertexCount[p] + u;
    const known = this.#sources.get(x);
    if (known !== undefined) return known;
    for (;;) {
      const isEmpty = this.#sources.size === 0;
      try {
        const source = this.#pathEdges.source(p, u, d1);
        this.#sources.set(x, source);
        this.#pathEdges.run(this.#watch);
        this.#watch.memory("The cache", this.bytes);
        return source;
      } catch (error) {
        this.#pathEdges.forget();
        this.#sources.clear();
        // Once more without what earlier queries have left.
        if (isEmpty || !(error instanceof MemoryLimitError)) throw error;
      }
    }
  }
}
