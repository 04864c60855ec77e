/**
 * The NOPP baseline, no preprocessing: IFDS tabulation afresh for every query. Path edges start from the query's
 * exploded vertex, and callees are summarised as far as their facts are met. Scratch space is kept from query to
 * query, but nothing that was learned. A query costs O(path edges that it needs), milliseconds on real programs.
 */

import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import type { Seed } from "../solver.js";
import type { BaselineOptions } from "./limits.js";
import { PathEdges } from "./path-edges.js";
import { programEdges } from "./program-edges.js";
import { RelationRows } from "./relation-rows.js";
import { type Baseline, baselineOver, type SameContextSearch } from "./same-context.js";

/**
 * Tabulation afresh for every query. Construction only sorts the edges; pair queries stop at their target.
 *
 * @example
 * const solver = tabulation(parseIfds("IFDS 1\nR 0 I\nR 1 X 0>0,1\nM 0\nP 0 2 2 0 1 main\ne 0 1 1\nZ\n"));
 * solver.reaches(0, 0, 0, 1, 1); // true
 * solver.reaches(0, 0, 1, 1, 1); // false
 */
export function tabulation(graph: ExplodedSupergraph, options?: BaselineOptions): Baseline {
  options?.signal?.throwIfAborted();
  return baselineOver(graph, "nopp", new FreshTabulation(graph));
}

class FreshTabulation implements SameContextSearch {
  readonly bytes = 0;
  readonly #pathEdges: PathEdges;

  constructor(graph: ExplodedSupergraph) {
    this.#pathEdges = new PathEdges(graph, programEdges(graph), new RelationRows(graph));
  }

  reaches(p: number, u: number, d1: number, v: number, d2: number): boolean {
    const source = this.#pathEdges.source(p, u, d1);
    const reached = this.#pathEdges.run(undefined, source, v, d2);
    this.#pathEdges.forget();
    return reached;
  }

  sweep(p: number, u: number, d1: number, into: Uint32Array): void {
    const source = this.#pathEdges.source(p, u, d1);
    this.#pathEdges.run();
    this.#pathEdges.write(source, into);
    this.#pathEdges.forget();
  }

  /** One tabulation from all seeds, as in the original algorithm: what any source reaches holds. */
  sweepEntering(seeds: Iterable<Seed>, into: readonly Uint32Array[]): void {
    const pathEdges = this.#pathEdges;
    for (const [p, v, d] of seeds) pathEdges.source(p, v, d);
    pathEdges.run();
    for (let source = 0; source < pathEdges.sourceCount; source++) {
      pathEdges.write(source, into[pathEdges.procedureOf(source)]);
    }
    pathEdges.forget();
  }
}
