/**
 * A program's edges by the vertex that they leave, and its calls by the callee, made for one procedure (or all calls)
 * when first asked for, and kept. Linear in what is asked for.
 */

import { bySource } from "../exploded/by-source.js";
import type { ExplodedProcedure } from "../exploded/exploded-procedure.js";

/** Numbers of edges, call-to-return edges and calls by the vertex that they leave. */
export interface Outgoing {
  readonly procedure: ExplodedProcedure;
  readonly edges: ReadonlyMap<number, readonly number[]>;
  readonly bypasses: ReadonlyMap<number, readonly number[]>;
  readonly calls: ReadonlyMap<number, readonly number[]>;
}

export class ProgramFlow {
  readonly #procedureCount: number;
  readonly #procedure: (p: number) => ExplodedProcedure;
  readonly #procedures = new Map<number, ExplodedProcedure>();
  readonly #outgoing = new Map<number, Outgoing>();
  #callers: Map<number, [caller: number, call: number][]> | undefined;

  constructor(procedureCount: number, procedure: (p: number) => ExplodedProcedure) {
    this.#procedureCount = procedureCount;
    this.#procedure = procedure;
  }

  procedure(p: number): ExplodedProcedure {
    let procedure = this.#procedures.get(p);
    if (procedure === undefined) {
      procedure = this.#procedure(p);
      this.#procedures.set(p, procedure);
    }
    return procedure;
  }

  outgoing(p: number): Outgoing {
    let outgoing = this.#outgoing.get(p);
    if (outgoing === undefined) {
      const procedure = this.procedure(p);
      const { edgeSource, bypassCall, callVertex } = procedure;
      outgoing = {
        procedure,
        edges: bySource(edgeSource, 0, edgeSource.length),
        bypasses: bySource(bypassCall, 0, bypassCall.length),
        calls: bySource(callVertex, 0, callVertex.length),
      };
      this.#outgoing.set(p, outgoing);
    }
    return outgoing;
  }

  /** Calls of procedure `q`: caller, and number of the call there. */
  callers(q: number): readonly (readonly [caller: number, call: number])[] {
    if (this.#callers === undefined) {
      this.#callers = new Map();
      for (let p = 0; p < this.#procedureCount; p++) {
        for (const [call, callee] of this.procedure(p).callCallee.entries()) {
          const list = this.#callers.get(callee);
          if (list === undefined) this.#callers.set(callee, [[p, call]]);
          else list.push([p, call]);
        }
      }
    }
    return this.#callers.get(q) ?? [];
  }
}
