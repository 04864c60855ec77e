/**
 * An IFDS problem as its author thinks of it: facts of any kind, and flow functions for the four kinds of edges of
 * the supergraph. `explode` turns it into relations between numbered facts.
 */

import type { Procedure, ProcedureRef, Vertex, VertexRef } from "../supergraph/supergraph.js";
import type { FlowFunction, Zero } from "./flow-functions.js";

/** A fact that is known to hold before a vertex. Seeding the zero fact makes the vertex reached. */
export type ProblemSeed<F> = readonly [procedure: ProcedureRef, vertex: VertexRef, fact: F | Zero];

/**
 * Flow functions are asked for once per edge and applied once per fact of the procedure, also to facts that turn out
 * not to hold there. Each of the four may be left out: the default is the identity, so that no fact is ever lost by
 * saying nothing (a default call therefore hands every fact of the caller to the callee and back).
 *
 * A vertex is the program point before its statement, and an edge performs the statement of the vertex it leaves in
 * program order. The arguments of all four name an edge **in program order**, whatever the direction; the function that
 * is returned maps facts in the direction of the analysis. So in a backward problem `normal(from, to)` answers how
 * facts before `to` become facts before `from`, and it looks at the statement of `from` as a forward problem would.
 *
 * The zero fact is not added behind your back: a flow function that drops it stops the generation of facts there.
 * Everything made with the algebra (`gen`, `kill`, ...) keeps it.
 *
 * @typeParam F the facts: any values, compared by identity unless there is a `key`; strings, numbers and objects that
 *   are created once are fine as they are
 * @typeParam D what the supergraph's builder attached to vertices
 *
 * @example
 * // which variables may be tainted?
 * const taint: IfdsProblem<string, Statement> = {
 *   normal(from) {
 *     const s = from.data;
 *     if (s?.kind === "source") return gen(s.variable);
 *     if (s?.kind === "assign") return transfer(s.right, s.left);
 *     return identity;
 *   },
 * };
 */
export interface IfdsProblem<F, D = unknown> {
  /** "forward" by default; "backward" for problems such as liveness, on the same supergraph. */
  readonly direction?: "forward" | "backward";
  /** The zero fact, `ZERO` by default. */
  readonly zero?: F | Zero;
  /**
   * Where the analysis begins: any facts at any vertices. The default is the zero fact at the start of the entry
   * procedure, in a backward problem at each of its exits. A seed with another fact does not imply the zero fact.
   */
  readonly seeds?: Iterable<ProblemSeed<F>>;
  /** Tells facts apart: facts with the same key are the same. Not asked for the zero fact. */
  key?(fact: F): unknown;
  /** Facts of interest in a procedure, beyond those that the flow functions produce there, so that they can be queried. */
  facts?(procedure: Procedure): Iterable<F>;

  /** Along an edge within a procedure: the statement of `from`. */
  normal?(from: Vertex<D>, to: Vertex<D>): FlowFunction<F>;
  /** Into `callee`, where the analysis enters it: actual parameters to formal ones; in a backward problem, results. */
  call?(site: Vertex<D>, callee: Procedure): FlowFunction<F>;
  /** Out of `callee`, for the pair of `exit` and `returnSite`: results; in a backward problem, formal parameters to actual ones. */
  return?(site: Vertex<D>, callee: Procedure, exit: Vertex<D>, returnSite: Vertex<D>): FlowFunction<F>;
  /** Around the call: facts that no callee touches. Asked once per site and return site, however many callees there are. */
  callToReturn?(site: Vertex<D>, returnSite: Vertex<D>): FlowFunction<F>;
}
