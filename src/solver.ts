/**
 * The interface that every solver implements: the engine on either of its kernels, and the baselines. All answers
 * are exact. `p` is a procedure id, `u` and `v` are vertices of `p`, `d1` and `d2` facts of `p`; ids out of range
 * throw a `RangeError` of one sentence.
 */

import type { EnteringFacts } from "./results/entering-facts.js";
import type { Reached } from "./results/reached.js";

/** A fact known to hold before a vertex: `[procedure, vertex, fact]`. */
export type Seed = readonly [procedure: number, vertex: number, fact: number];

export interface Solver {
  /** Pair query: does a same-context valid path lead from (u, d1) to (v, d2)? The empty path counts. */
  reaches(p: number, u: number, d1: number, v: number, d2: number): boolean;
  /**
   * Many pair queries at once: `queries` holds (p, u, d1, v, d2) five after five; the answer has one byte, 0 or 1, per
   * query.
   */
  reachesAll(queries: Uint32Array): Uint8Array;
  /** Single-source query: everything in `p` that same-context valid paths from (u, d1) reach, itself included. */
  from(p: number, u: number, d1: number): Reached;
  /** MSCP: facts that may hold at v when exactly `facts` hold at u, the zero fact always being among them. Ascending. */
  meet(p: number, u: number, facts: Iterable<number>, v: number): Uint32Array;
  /** The pairs (d1, d2) such that (exit, d2) is reached from (start, d1), sorted; `exit` defaults to the first exit. */
  summary(p: number, exit?: number): [d1: number, d2: number][];
  /** The classic IFDS solution: all facts over valid paths (calls may stay open) from the seeds. */
  entering(seeds: Iterable<Seed>): EnteringFacts;
}
