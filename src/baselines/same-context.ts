/**
 * What every baseline has in common: a `Solver` over an algorithm that can answer a pair and add all that one exploded
 * vertex reaches to bit rows. Range checks, batches, MSCP, summaries and the classic solution from seeds are built on
 * these two here, once.
 */

import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import { EnteringFacts } from "../results/entering-facts.js";
import { decodeRow, Reached } from "../results/reached.js";
import type { Seed, Solver } from "../solver.js";
import {
  checkBatch,
  checkExit,
  checkExplodedVertex,
  checkFacts,
  checkProcedure,
  checkVertex,
  seedList,
} from "./ranges.js";
import { NOTHING, RelationRows, SELF } from "./relation-rows.js";

/** Same-context reachability by one algorithm. Arguments are in range. */
export interface SameContextSearch {
  reaches(p: number, u: number, d1: number, v: number, d2: number): boolean;
  /**
   * Adds everything that (u, d1) reaches to `into`, bit rows laid out as in `Reached`. What `into` holds already is
   * a union of earlier sweeps in the same procedure, and (u, d1) is not in it: a search may stop where it meets it.
   */
  sweep(p: number, u: number, d1: number, into: Uint32Array): void;
  /**
   * The classic solution from seeds, added to the bit rows of every procedure: for algorithms that find it in one go.
   * Otherwise it is put together from sweeps.
   */
  sweepEntering?(seeds: Iterable<Seed>, into: readonly Uint32Array[]): void;
  /** Bytes of everything that outlives a query. */
  readonly bytes: number;
}

/** A solver to compare the engine with. */
export interface Baseline extends Solver {
  /** Short name: `nopp`, `cpp`, `od` or `search`. */
  readonly name: string;
  /** Bytes of the tables kept from query to query, the graph itself not counted. */
  readonly bytes: number;
}

/** The baseline called `name` that answers by `search`. */
export function baselineOver(graph: ExplodedSupergraph, name: string, search: SameContextSearch): Baseline {
  return new SameContextBaseline(graph, name, search);
}

class SameContextBaseline implements Baseline {
  readonly name: string;
  readonly #graph: ExplodedSupergraph;
  readonly #search: SameContextSearch;
  #relationRows: RelationRows | undefined;

  constructor(graph: ExplodedSupergraph, name: string, search: SameContextSearch) {
    this.name = name;
    this.#graph = graph;
    this.#search = search;
  }

  get bytes(): number {
    return this.#search.bytes;
  }

  reaches(p: number, u: number, d1: number, v: number, d2: number): boolean {
    checkExplodedVertex(this.#graph, p, u, d1);
    checkExplodedVertex(this.#graph, p, v, d2);
    return this.#search.reaches(p, u, d1, v, d2);
  }

  reachesAll(queries: Uint32Array): Uint8Array {
    checkBatch(queries);
    const answers = new Uint8Array(queries.length / 5);
    for (let i = 0, at = 0; i < answers.length; i++, at += 5) {
      const answer = this.reaches(
        queries[at],
        queries[at + 1],
        queries[at + 2],
        queries[at + 3],
        queries[at + 4],
      );
      answers[i] = answer ? 1 : 0;
    }
    return answers;
  }

  from(p: number, u: number, d1: number): Reached {
    checkExplodedVertex(this.#graph, p, u, d1);
    const rows = this.#emptyRows(p);
    this.#search.sweep(p, u, d1, rows);
    return new Reached(this.#graph.vertexCount[p], this.#graph.factCount[p], rows);
  }

  meet(p: number, u: number, facts: Iterable<number>, v: number): Uint32Array {
    checkVertex(this.#graph, p, u);
    checkVertex(this.#graph, p, v);
    checkFacts(facts);
    const rows = this.#emptyRows(p);
    this.#sweepUnlessSwept(p, u, 0, rows);
    for (const d of facts) {
      checkExplodedVertex(this.#graph, p, u, d);
      this.#sweepUnlessSwept(p, u, d, rows);
    }
    const stride = (this.#graph.factCount[p] + 31) >>> 5;
    return decodeRow(rows, v * stride, stride);
  }

  summary(p: number, exit?: number): [d1: number, d2: number][] {
    checkProcedure(this.#graph, p);
    const { exits, exitStart, factCount, startVertex } = this.#graph;
    const at = exit ?? exits[exitStart[p]];
    checkExit(this.#graph, p, at);
    const stride = (factCount[p] + 31) >>> 5;
    const rows = this.#emptyRows(p);
    const pairs: [d1: number, d2: number][] = [];
    for (let d1 = 0; d1 < factCount[p]; d1++) {
      rows.fill(0);
      this.#search.sweep(p, startVertex[p], d1, rows);
      for (const d2 of decodeRow(rows, at * stride, stride)) pairs.push([d1, d2]);
    }
    return pairs;
  }

  entering(seeds: Iterable<Seed>): EnteringFacts {
    const { procedureCount, vertexCount, factCount } = this.#graph;
    const checked = seedList(seeds);
    for (const [p, v, d] of checked) checkExplodedVertex(this.#graph, p, v, d);
    const holding = Array.from({ length: procedureCount }, (_, p) => this.#emptyRows(p));
    if (this.#search.sweepEntering) this.#search.sweepEntering(checked, holding);
    else this.#sweepEntering(checked, holding);
    return new EnteringFacts(holding.map((rows, p) => new Reached(vertexCount[p], factCount[p], rows)));
  }

  /**
   * Facts are swept through a procedure from its seeds and from the facts that enter it; what newly arrives at a call
   * enters the callees. Procedures with facts to be swept wait on a stack.
   */
  #sweepEntering(seeds: readonly Seed[], holding: readonly Uint32Array[]): void {
    const { factCount, callStart, callCallee, callEntryRelation, callVertex, startVertex } = this.#graph;
    this.#relationRows ??= new RelationRows(this.#graph);
    const { targets, targetStart } = this.#relationRows;
    /** Facts that have entered the callee of each call, one row per call. */
    const entered = holding.map((_, p) => {
      return new Uint32Array((callStart[p + 1] - callStart[p]) * ((factCount[p] + 31) >>> 5));
    });
    /** Per procedure: exploded vertices to sweep from, v and d alternating. */
    const waiting: number[][] = holding.map(() => []);
    const stack: number[] = [];
    const enter = (p: number, v: number, d: number): void => {
      const stride = (factCount[p] + 31) >>> 5;
      if (((holding[p][v * stride + (d >>> 5)] >>> (d & 31)) & 1) === 1) return;
      if (waiting[p].length === 0) stack.push(p);
      waiting[p].push(v, d);
    };
    for (const [p, v, d] of seeds) enter(p, v, d);
    while (0 < stack.length) {
      const p = stack.pop()!;
      const rows = holding[p];
      const stride = (factCount[p] + 31) >>> 5;
      const swept = waiting[p];
      for (let i = 0; i < swept.length; i += 2) this.#sweepUnlessSwept(p, swept[i], swept[i + 1], rows);
      swept.length = 0;
      for (let call = callStart[p]; call < callStart[p + 1]; call++) {
        const from = callVertex[call] * stride;
        const done = (call - callStart[p]) * stride;
        const q = callCallee[call];
        for (let i = 0; i < stride; i++) {
          const added = rows[from + i] & ~entered[p][done + i];
          entered[p][done + i] |= added;
          for (let word = added; word !== 0; word &= word - 1) {
            const d = (i << 5) + (31 - Math.clz32(word & -word));
            const row = this.#relationRows.entry(callEntryRelation[call], d);
            if (row === NOTHING) continue;
            if (row === SELF) enter(q, startVertex[q], d);
            else {
              for (let t = targetStart[row]; t < targetStart[row + 1]; t++)
                enter(q, startVertex[q], targets[t]);
            }
          }
        }
      }
    }
  }

  #sweepUnlessSwept(p: number, u: number, d: number, rows: Uint32Array): void {
    const stride = (this.#graph.factCount[p] + 31) >>> 5;
    if (((rows[u * stride + (d >>> 5)] >>> (d & 31)) & 1) === 0) this.#search.sweep(p, u, d, rows);
  }

  #emptyRows(p: number): Uint32Array {
    return new Uint32Array(this.#graph.vertexCount[p] * ((this.#graph.factCount[p] + 31) >>> 5));
  }
}
