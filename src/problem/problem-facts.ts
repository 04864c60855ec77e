/**
 * A solver's answer in terms of the problem's own facts, before and after each vertex. Both always mean program
 * order, also for backward problems. Decoding is lazy: only what is asked for is computed.
 */

import { bySource } from "../exploded/by-source.js";
import { forEachTarget } from "../exploded/relation-image.js";
import type { EnteringFacts } from "../results/entering-facts.js";
import type { Solver } from "../solver.js";
import type { ProcedureRef, VertexRef } from "../supergraph/supergraph.js";
import type { ExplodedProblem } from "./explode.js";

export class ProblemFacts<F, D = unknown> {
  readonly #problem: ExplodedProblem<F, D>;
  readonly #entering: EnteringFacts;
  readonly #solver: Pick<Solver, "summary">;
  /** Per procedure, once asked for: its edges of each kind by the vertex they leave in program order. */
  readonly #outgoing = new Map<number, Outgoing>();
  /** Callee and exit -> facts at the start -> facts at the exit. */
  readonly #summaries = new Map<string, Map<number, number[]>>();

  /** Made by `ExplodedProblem.decode`. */
  constructor(problem: ExplodedProblem<F, D>, entering: EnteringFacts, solver: Pick<Solver, "summary">) {
    this.#problem = problem;
    this.#entering = entering;
    this.#solver = solver;
  }

  /** The facts that may hold just before a vertex is executed, without the zero fact, in the order of their numbers. */
  before(procedure: ProcedureRef, vertex: VertexRef): F[] {
    const { procedure: owner, id } = this.#problem.supergraph.vertex(procedure, vertex);
    return this.#decode(owner.id, this.#entering.at(owner.id, id));
  }

  /**
   * The facts that may hold just after a vertex was executed, without the zero fact.
   *
   * Forward: what flows out of the vertex along its edges, around its calls, and through its calls to their return
   * sites where a callee returns. Backward: what holds before the vertices that come next, return sites included. At a
   * vertex with nothing behind it, after is the same as before.
   */
  after(procedure: ProcedureRef, vertex: VertexRef): F[] {
    const { procedure: owner, id } = this.#problem.supergraph.vertex(procedure, vertex);
    return this.#decode(
      owner.id,
      this.#problem.direction === "forward" ? this.#out(owner.id, id) : this.#next(owner.id, id),
    );
  }

  /** Whether `fact` may hold before a vertex. */
  holds(procedure: ProcedureRef, vertex: VertexRef, fact: F): boolean {
    const { procedure: owner, id } = this.#problem.supergraph.vertex(procedure, vertex);
    const d = this.#problem.factId(owner.id, fact);
    return d !== undefined && this.#entering.has(owner.id, id, d);
  }

  /** Whether the zero fact holds before a vertex: whether the analysis gets there at all. */
  reached(procedure: ProcedureRef, vertex: VertexRef): boolean {
    const { procedure: owner, id } = this.#problem.supergraph.vertex(procedure, vertex);
    return this.#entering.has(owner.id, id, 0);
  }

  #decode(p: number, ids: Iterable<number>): F[] {
    const ascending = Uint32Array.from(ids).sort();
    return Array.from(ascending.subarray(ascending[0] === 0 ? 1 : 0), (d) => this.#problem.fact(p, d) as F);
  }

  /** Forward: facts that flow out of v. */
  #out(p: number, v: number): Iterable<number> {
    const { graph } = this.#problem;
    const facts = this.#entering.at(p, v);
    const { edges, bypasses, calls } = this.#outgoingOf(p);
    if (!edges.has(v) && !bypasses.has(v) && !calls.has(v)) return facts;
    const result = new Set<number>();
    const add = (fact: number) => result.add(fact);
    for (const i of edges.get(v) ?? []) this.#image(graph.edgeRelation[i], facts, add);
    for (const i of bypasses.get(v) ?? []) this.#image(graph.bypassRelation[i], facts, add);
    for (const i of calls.get(v) ?? []) {
      const summary = this.#summary(graph.callCallee[i], graph.callExit[i]);
      const inside = new Set<number>();
      this.#image(graph.callEntryRelation[i], facts, (fact) => {
        for (const atExit of summary.get(fact) ?? []) inside.add(atExit);
      });
      this.#image(graph.callExitRelation[i], inside, add);
    }
    return result;
  }

  /** Backward: facts before the vertices that follow v. */
  #next(p: number, v: number): Iterable<number> {
    const { topology } = this.#problem.supergraph;
    const { edges, bypasses, calls } = this.#outgoingOf(p);
    const following = new Set<number>();
    for (const i of edges.get(v) ?? []) following.add(topology.edgeTarget[i]);
    for (const i of bypasses.get(v) ?? []) following.add(topology.bypassReturn[i]);
    for (const i of calls.get(v) ?? []) following.add(topology.callReturn[i]);
    if (following.size === 0) return this.#entering.at(p, v);
    const result = new Set<number>();
    for (const w of following) for (const fact of this.#entering.at(p, w)) result.add(fact);
    return result;
  }

  #outgoingOf(p: number): Outgoing {
    let outgoing = this.#outgoing.get(p);
    if (outgoing === undefined) {
      const { topology } = this.#problem.supergraph;
      outgoing = {
        edges: bySource(topology.edgeSource, topology.edgeStart[p], topology.edgeStart[p + 1]),
        bypasses: bySource(topology.bypassCall, topology.bypassStart[p], topology.bypassStart[p + 1]),
        calls: bySource(topology.callVertex, topology.callStart[p], topology.callStart[p + 1]),
      };
      this.#outgoing.set(p, outgoing);
    }
    return outgoing;
  }

  #summary(callee: number, exit: number): Map<number, number[]> {
    const key = `${callee} ${exit}`;
    let summary = this.#summaries.get(key);
    if (summary === undefined) {
      summary = new Map();
      for (const [d1, d2] of this.#solver.summary(callee, exit)) {
        const targets = summary.get(d1);
        if (targets === undefined) summary.set(d1, [d2]);
        else targets.push(d2);
      }
      this.#summaries.set(key, summary);
    }
    return summary;
  }

  /** Hands the targets of `facts` under a relation to `visit`. */
  #image(relation: number, facts: Iterable<number>, visit: (target: number) => void): void {
    const { relations } = this.#problem.graph;
    for (const fact of facts) forEachTarget(relations, relation, fact, visit);
  }
}

interface Outgoing {
  readonly edges: ReadonlyMap<number, readonly number[]>;
  readonly bypasses: ReadonlyMap<number, readonly number[]>;
  readonly calls: ReadonlyMap<number, readonly number[]>;
}
