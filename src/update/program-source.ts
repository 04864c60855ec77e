/** The program behind an index: the graph it was made from, and the procedures that have changed since. */

import { type Components, callComponents } from "../exploded/components.js";
import {
  assembleProgram,
  type ExplodedProcedure,
  extractProcedure,
  type ProcedureShape,
} from "../exploded/exploded-procedure.js";
import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";

export class ProgramSource {
  readonly #graph: ExplodedSupergraph;
  readonly #changed: ReadonlyMap<number, ExplodedProcedure>;
  /** Components of the call graph, or of one with more calls; and each procedure's component. */
  readonly #components: Components;
  readonly #rank: Uint32Array;

  private constructor(
    graph: ExplodedSupergraph,
    changed: ReadonlyMap<number, ExplodedProcedure>,
    components: Components,
    rank: Uint32Array,
  ) {
    this.#graph = graph;
    this.#changed = changed;
    this.#components = components;
    this.#rank = rank;
  }

  static of(graph: ExplodedSupergraph): ProgramSource {
    const components = callComponents(graph);
    return new ProgramSource(graph, new Map(), components, ranks(components));
  }

  /** The program with procedure `p` replaced. Components stay valid unless it calls something that comes after it. */
  with(p: number, procedure: ExplodedProcedure): ProgramSource {
    const changed = new Map(this.#changed).set(p, procedure);
    const rank = this.#rank;
    if (procedure.callCallee.every((callee) => rank[callee] <= rank[p])) {
      return new ProgramSource(this.#graph, changed, this.#components, rank);
    }
    const callees: number[] = [];
    const callStart = new Uint32Array(this.procedureCount + 1);
    for (let q = 0; q < this.procedureCount; q++) {
      for (const callee of this.#calleesOf(q, changed)) callees.push(callee);
      callStart[q + 1] = callees.length;
    }
    const components = callComponents({
      procedureCount: this.procedureCount,
      callStart,
      callCallee: Uint32Array.from(callees),
    });
    return new ProgramSource(this.#graph, changed, components, ranks(components));
  }

  get procedureCount(): number {
    return this.#graph.procedureCount;
  }

  procedure(p: number): ExplodedProcedure {
    return this.#changed.get(p) ?? extractProcedure(this.#graph, p);
  }

  shape(p: number): ProcedureShape | undefined {
    if (!(Number.isInteger(p) && 0 <= p && p < this.procedureCount)) return undefined;
    const changed = this.#changed.get(p);
    if (changed !== undefined) return changed;
    const { factCount, exits, exitStart } = this.#graph;
    return { factCount: factCount[p], exits: exits.subarray(exitStart[p], exitStart[p + 1]) };
  }

  /** Procedures that call one of the given. Linear in the program's calls. */
  callersOf(callees: ReadonlySet<number>): Set<number> {
    const callers = new Set<number>();
    for (let p = 0; p < this.procedureCount; p++) {
      for (const callee of this.#calleesOf(p, this.#changed)) {
        if (!callees.has(callee)) continue;
        callers.add(p);
        break;
      }
    }
    return callers;
  }

  /** The given procedures, and all that lie on a call cycle with one of them. */
  withCycles(procedures: ReadonlySet<number>): Set<number> {
    const members = new Set(procedures);
    const { order, start } = this.#components;
    const rank = this.#rank;
    for (const p of procedures)
      for (let i = start[rank[p]]; i < start[rank[p] + 1]; i++) members.add(order[i]);
    return members;
  }

  #calleesOf(p: number, changed: ReadonlyMap<number, ExplodedProcedure>): Uint32Array {
    const { callStart, callCallee } = this.#graph;
    return changed.get(p)?.callCallee ?? callCallee.subarray(callStart[p], callStart[p + 1]);
  }

  /** The whole program as it is now. */
  graph(): ExplodedSupergraph {
    if (this.#changed.size === 0) return this.#graph;
    const procedures = Array.from({ length: this.procedureCount }, (_, p) => this.procedure(p));
    return assembleProgram(procedures, this.#graph.entry, this.#graph.header);
  }
}

function ranks({ order, start }: Components): Uint32Array {
  const rank = new Uint32Array(order.length);
  for (let c = 0; c + 1 < start.length; c++) for (let i = start[c]; i < start[c + 1]; i++) rank[order[i]] = c;
  return rank;
}
