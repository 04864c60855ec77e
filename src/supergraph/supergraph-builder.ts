/**
 * Builds programs by hand or from a front end: procedures, vertices by number or by label, edges, calls. One builder
 * serves both kinds of input: `build()` gives the exploded supergraph that the relations on the edges describe, and
 * `supergraph()` gives the program alone, for problems that are stated as flow functions.
 */

import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import { MAX_FACTS, ProgramSize } from "../exploded/limits.js";
import { RelationTable, type Unlisted } from "../exploded/relation-table.js";
import { isIterable, show } from "../exploded/shown-value.js";
import { type Call, ProcedureBuilder, type ProcedureOptions, type Relation } from "./procedure-builder.js";
import { Supergraph, type Topology } from "./supergraph.js";

/**
 * @typeParam D what is attached to vertices
 *
 * @example
 * const program = new SupergraphBuilder();
 * const assign = program.relation([[0, [0, 1]], [1, 1]]); // fact 1 becomes true
 * program.procedure("main", { facts: 2 })
 *   .edge("entry", "call")
 *   .call("call", "after", "helper")
 *   .edge("after", "exit");
 * program.procedure("helper", { facts: 2 })
 *   .edge("entry", "exit", assign);
 * const graph = program.build();
 */
export class SupergraphBuilder<D = unknown> {
  readonly #procedures: ProcedureBuilder<D>[] = [];
  readonly #byName = new Map<string, ProcedureBuilder<D>>();
  readonly #external = new Set<string>();
  readonly #relations = new RelationTable();
  #entry: string | undefined;

  /** The identity: every fact is kept. */
  readonly identity: Relation = this.#relations.intern([], "identity");

  /** Declares a procedure; edges and calls are added to what is returned. Names are unique. */
  procedure(name: string, options: ProcedureOptions = {}): ProcedureBuilder<D> {
    this.#claim(name);
    const procedure = new ProcedureBuilder<D>(this.#procedures.length, name, options, (relation) => {
      if (Number.isInteger(relation) && 0 <= relation && relation < this.#relations.count) return;
      throw new RangeError(
        `Got relation ${show(relation)}, expected a result of relation(), 0 to ${this.#relations.count - 1}.`,
      );
    });
    this.#procedures.push(procedure);
    this.#byName.set(name, procedure);
    return procedure;
  }

  /** Declares a procedure without body. Calls to it are allowed; facts only flow around them, call to return. */
  external(name: string): this {
    this.#claim(name);
    this.#external.add(name);
    return this;
  }

  /** Chooses the entry procedure; the first one by default. It may be declared later. */
  entry(name: string): this {
    this.#entry = name;
    return this;
  }

  /**
   * A flow relation from its pairs of facts, or from sources with lists of targets (an empty list kills the source).
   * Relations with the same content get the same number.
   *
   * @param unlisted whether sources that are not listed have no target, or are kept as they are
   *
   * @example
   * program.relation([[0, 0], [0, 1], [2, 2]]);       // these three pairs and nothing else
   * program.relation([[1, []], [2, [2, 3]]], "identity"); // kill 1, let 2 also become 3, keep the others
   */
  relation(
    pairs: Iterable<readonly [source: number, target: number | readonly number[]]>,
    unlisted: Unlisted = "nothing",
  ): Relation {
    if (unlisted !== "nothing" && unlisted !== "identity") {
      throw new RangeError(
        `Relation: got ${show(unlisted)} for unlisted facts, expected "nothing" or "identity".`,
      );
    }
    if (!isIterable(pairs)) {
      throw new TypeError(`Relation: got ${show(pairs)}, expected a list of [source, targets].`);
    }
    const images: [number, readonly number[]][] = [];
    for (const pair of pairs) {
      if (!isIterable(pair)) {
        throw new TypeError(`Relation: got ${show(pair)} in the list, expected [source, targets].`);
      }
      const [source, target] = pair;
      const targets = typeof target === "number" ? [target] : target;
      if (!isIterable(targets)) {
        throw new TypeError(
          `Relation: got ${show(targets)} for the targets of ${show(source)}, expected a fact or a list of facts.`,
        );
      }
      for (const fact of [source, ...targets]) {
        if (Number.isInteger(fact) && 0 <= fact && fact < MAX_FACTS) continue;
        throw new RangeError(
          `Got fact ${show(fact)} in a relation, expected an integer from 0 to ${MAX_FACTS - 1}.`,
        );
      }
      images.push([source, targets]);
    }
    return this.#relations.intern(images, unlisted);
  }

  /**
   * The exploded supergraph. A call for which no `callToReturn` was said gets the identity around it.
   *
   * @throws Error or RangeError for the first inconsistency: a callee that was not declared, a relation out of range
   */
  build(): ExplodedSupergraph {
    const topology = this.#topology();
    const column = (
      list: (procedure: ProcedureBuilder<D>) => readonly number[],
      index: number,
      width: number,
    ) => concatenate(this.#procedures, list, index, width);
    const graph: ExplodedSupergraph = {
      ...topology,
      factCount: Uint32Array.from(this.#procedures, ({ facts }) => facts),
      edgeRelation: column(({ edges }) => edges, 2, 3),
      bypassRelation: column(({ bypasses }) => bypasses, 2, 3),
      callEntryRelation: Uint32Array.from(this.#calls(), ({ call }) => call),
      callExitRelation: Uint32Array.from(this.#calls(), (call) => call.return),
      relations: this.#relations.build(),
      header: [],
    };
    this.#checkRelations(graph);
    return graph;
  }

  /** The program alone: relations and facts are left out. */
  supergraph(): Supergraph<D> {
    return new Supergraph(
      this.#topology(),
      this.#procedures.map(({ ids, labels, data }) => ({
        ids: new Map(ids),
        labels: new Map(labels),
        data: new Map(data),
      })),
    );
  }

  #topology(): Topology {
    const procedures = this.#procedures;
    if (procedures.length === 0) throw new Error("Got a program without procedures, expected at least one.");
    const size = new ProgramSize();
    for (const procedure of procedures) {
      procedure.finish();
      const excess = size.add(procedure.vertexCount, procedure.facts);
      if (excess !== undefined) throw new RangeError(`Procedure ${procedure.name}: ${excess}.`);
    }
    const entry = this.#entry === undefined ? procedures[0] : this.#byName.get(this.#entry);
    if (entry === undefined) {
      throw new Error(
        `Got entry procedure ${show(this.#entry)}, expected the name of a procedure with a body.`,
      );
    }
    const calls = [...this.#calls()];
    const callCount = procedures.map(() => 0);
    for (const { caller } of calls) callCount[caller.id]++;
    return {
      procedureCount: procedures.length,
      names: procedures.map(({ name }) => name),
      vertexCount: Uint32Array.from(procedures, ({ vertexCount }) => vertexCount),
      startVertex: Uint32Array.from(procedures, (procedure) => procedure.startVertex),
      exitStart: starts(procedures.map((procedure) => procedure.exitVertices.length)),
      exits: Uint32Array.from(procedures.flatMap((procedure) => procedure.exitVertices)),
      edgeStart: starts(procedures.map(({ edges }) => edges.length / 3)),
      edgeSource: concatenate(procedures, ({ edges }) => edges, 0, 3),
      edgeTarget: concatenate(procedures, ({ edges }) => edges, 1, 3),
      bypassStart: starts(procedures.map(({ bypasses }) => bypasses.length / 3)),
      bypassCall: concatenate(procedures, ({ bypasses }) => bypasses, 0, 3),
      bypassReturn: concatenate(procedures, ({ bypasses }) => bypasses, 1, 3),
      callStart: starts(callCount),
      callVertex: Uint32Array.from(calls, ({ site }) => site),
      callReturn: Uint32Array.from(calls, ({ returnSite }) => returnSite),
      callCallee: Uint32Array.from(calls, ({ callee }) => callee.id),
      callExit: Uint32Array.from(calls, ({ exit }) => exit),
      entry: entry.id,
    };
  }

  /** Calls with their callees looked up, in order; calls of external procedures are left out. */
  *#calls(): Iterable<ResolvedCall<D>> {
    for (const caller of this.#procedures) {
      for (const call of caller.calls) {
        if (typeof call.callee === "string" && this.#external.has(call.callee)) continue;
        const callee = typeof call.callee === "string" ? this.#byName.get(call.callee) : call.callee;
        if (callee === undefined || this.#procedures[callee.id] !== callee) {
          const name = typeof call.callee === "string" ? call.callee : call.callee.name;
          throw new Error(
            `${caller.name} calls "${name}" at ${caller.label(call.site)}, ` +
              "expected a procedure of this program or one declared as external.",
          );
        }
        const exit = call.exit === undefined ? callee.exitVertices[0] : callee.known(call.exit);
        if (exit === undefined || !callee.exitVertices.includes(exit)) {
          throw new Error(
            `${caller.name} expects ${callee.name} to return from ${show(call.exit)}, ` +
              `expected one of its exits, ${callee.exitVertices.map((v) => callee.label(v)).join(" or ")}.`,
          );
        }
        yield { ...call, caller, callee, exit };
      }
    }
  }

  #checkRelations(graph: ExplodedSupergraph): void {
    const check = (procedure: ProcedureBuilder<D>, from: number, to: number, problem: string | undefined) => {
      if (problem === undefined) return;
      const edge = `${procedure.label(from)} -> ${procedure.label(to)} of ${procedure.name}`;
      throw new RangeError(`Edge ${edge}: ${problem}.`);
    };
    for (const procedure of this.#procedures) {
      const { facts } = procedure;
      for (const list of [procedure.edges, procedure.bypasses]) {
        for (let i = 0; i < list.length; i += 3) {
          check(procedure, list[i], list[i + 1], this.#relations.misfit(list[i + 2], facts, facts));
        }
      }
      for (let i = graph.callStart[procedure.id]; i < graph.callStart[procedure.id + 1]; i++) {
        const calleeFacts = graph.factCount[graph.callCallee[i]];
        check(
          procedure,
          graph.callVertex[i],
          graph.callReturn[i],
          this.#relations.misfit(graph.callEntryRelation[i], facts, calleeFacts) ??
            this.#relations.misfit(graph.callExitRelation[i], calleeFacts, facts),
        );
      }
    }
  }

  #claim(name: string): void {
    if (typeof name !== "string") {
      throw new TypeError(`Got procedure name ${show(name)}, expected text.`);
    }
    if (!this.#byName.has(name) && !this.#external.has(name)) return;
    throw new Error(`Got a second procedure "${name}", expected unique names.`);
  }
}

interface ResolvedCall<D> extends Call<D> {
  readonly caller: ProcedureBuilder<D>;
  readonly callee: ProcedureBuilder<D>;
  readonly exit: number;
}

/** Prefix sums: where each procedure's list starts, and the total at the end. */
function starts(lengths: readonly number[]): Uint32Array {
  const result = new Uint32Array(lengths.length + 1);
  for (const [i, length] of lengths.entries()) result[i + 1] = result[i] + length;
  return result;
}

/** Item `index` of every `width` in the lists of all procedures. */
function concatenate<P>(
  procedures: readonly P[],
  list: (procedure: P) => readonly number[],
  index: number,
  width: number,
): Uint32Array {
  const result = new Uint32Array(
    procedures.reduce((sum, procedure) => sum + list(procedure).length / width, 0),
  );
  let filled = 0;
  for (const procedure of procedures) {
    const items = list(procedure);
    for (let i = index; i < items.length; i += width) result[filled++] = items[i];
  }
  return result;
}
