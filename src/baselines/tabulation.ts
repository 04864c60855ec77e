/**
 * The NOPP baseline, no preprocessing: IFDS tabulation afresh for every query. Path edges start from the query's
 * exploded vertex, and callees are summarised as far as their facts are met. Scratch space is kept from query to
 * query, but nothing that was learned. A query costs O(path edges that it needs), milliseconds on real programs.
 */

import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import type { Seed } from "../solver.js";
import { type BaselineOptions, Watch } from "./limits.js";
import { PathEdges } from "./path-edges.js";
import { programEdges } from "./program-edges.js";
import { RelationRows } from "./relation-rows.js";
import { type Baseline, baselineOver, type SameContextSearch } from "./same-context.js";

/**
 * Tabulation afresh for every query. Construction only sorts the edges; pair queries stop at their target. Throws a
 * `TimeLimitError` or a `MemoryLimitError` where construction passes a limit; queries throw the latter where one needs more.
 *
 * @example
 * const solver = tabulation(parseIfds("IFDS 1\nR 0 I\nR 1 X 0>0,1\nM 0\nP 0 2 2 0 1 main\ne 0 1 1\nZ\n"));
 * solver.reaches(0, 0, 0, 1, 1); // true
 * solver.reaches(0, 0, 1, 1, 1); // false
 */
export function tabulation(graph: ExplodedSupergraph, options?: BaselineOptions): Baseline {
  const watch = new Watch(options);
  const tabulation = new FreshTabulation(graph, watch.memoryLimit);
  watch.check();
  return baselineOver(graph, "nopp", tabulation);
}

class FreshTabulation implements SameContextSearch {
  readonly bytes = 0;
  readonly #pathEdges: PathEdges;
  /** Of memory alone. */
  readonly #watch: Watch;

  constructor(graph: ExplodedSupergraph, memoryLimit: number) {
    this.#watch = new Watch({ memoryLimit });
    this.#pathEdges = new PathEdges(graph, programEdges(graph), new RelationRows(graph));
    this.#watch.memory("Tabulation", this.#pathEdges.bytes);
  }

  reaches(p: number, u: number, d1: number, v: number, d2: number): boolean {
    try {
      const source = this.#pathEdges.source(p, u, d1);
      return this.#run(source, v, d2);
    } finally {
      this.#pathEdges.forget();
    }
  }

  sweep(p: number, u: number, d1: number, into: Uint32Array): void {
    try {
      const source = this.#pathEdges.source(p, u, d1);
      this.#run();
      this.#pathEdges.write(source, into);
    } finally {
      this.#pathEdges.forget();
    }
  }

  /** One tabulation from all seeds, as in the original algorithm: what any source reaches holds. */
  sweepEntering(seeds: Iterable<Seed>, into: readonly Uint32Array[]): void {
    const pathEdges = this.#pathEdges;
    try {
      for (const [p, v, d] of seeds) pathEdges.source(p, v, d);
      this.#run();
      for (let source = 0; source < pathEdges.sourceCount; source++) {
        pathEdges.write(source, into[pathEdges.procedureOf(source)]);
      }
    } finally {
      pathEdges.forget();
    }
  }

  /** Follows path edges to the end, or until `source` reaches (v, d): whether it does. */
  #run(source?: number, v?: number, d?: number): boolean {
    const reached = this.#pathEdges.run(this.#watch, source, v, d);
    this.#watch.memory("Tabulation", this.#pathEdges.bytes);
    return reached;
  }
}
