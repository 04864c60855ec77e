/**
 * One procedure of an exploded supergraph by itself: what changes when a function is edited. Callees keep the numbers
 * they have in the program.
 */

import type { ExplodedSupergraph, FlowRelations } from "./exploded-supergraph.js";
import { InputError } from "./input-error.js";

/** As the arrays of `ExplodedSupergraph` for a single procedure, with the relations that it uses. */
export interface ExplodedProcedure {
  readonly name: string;
  readonly vertexCount: number;
  readonly factCount: number;
  readonly startVertex: number;
  readonly exits: Uint32Array;
  readonly edgeSource: Uint32Array;
  readonly edgeTarget: Uint32Array;
  readonly edgeRelation: Uint32Array;
  readonly bypassCall: Uint32Array;
  readonly bypassReturn: Uint32Array;
  readonly bypassRelation: Uint32Array;
  readonly callVertex: Uint32Array;
  readonly callReturn: Uint32Array;
  readonly callCallee: Uint32Array;
  readonly callEntryRelation: Uint32Array;
  readonly callExitRelation: Uint32Array;
  readonly callExit: Uint32Array;
  readonly relations: FlowRelations;
}

/** Procedure `p` of a program. Views on the program's arrays; nothing is copied. */
export function extractProcedure(graph: ExplodedSupergraph, p: number): ExplodedProcedure {
  if (!(Number.isInteger(p) && 0 <= p && p < graph.procedureCount)) {
    throw new RangeError(`Procedure: got ${p}, expected 0 to ${graph.procedureCount - 1}.`);
  }
  const edges = (array: Uint32Array) => array.subarray(graph.edgeStart[p], graph.edgeStart[p + 1]);
  const bypasses = (array: Uint32Array) => array.subarray(graph.bypassStart[p], graph.bypassStart[p + 1]);
  const calls = (array: Uint32Array) => array.subarray(graph.callStart[p], graph.callStart[p + 1]);
  return {
    name: graph.names[p],
    vertexCount: graph.vertexCount[p],
    factCount: graph.factCount[p],
    startVertex: graph.startVertex[p],
    exits: graph.exits.subarray(graph.exitStart[p], graph.exitStart[p + 1]),
    edgeSource: edges(graph.edgeSource),
    edgeTarget: edges(graph.edgeTarget),
    edgeRelation: edges(graph.edgeRelation),
    bypassCall: bypasses(graph.bypassCall),
    bypassReturn: bypasses(graph.bypassReturn),
    bypassRelation: bypasses(graph.bypassRelation),
    callVertex: calls(graph.callVertex),
    callReturn: calls(graph.callReturn),
    callCallee: calls(graph.callCallee),
    callEntryRelation: calls(graph.callEntryRelation),
    callExitRelation: calls(graph.callExitRelation),
    callExit: calls(graph.callExit),
    relations: graph.relations,
  };
}

/** What a caller needs to know of a procedure. */
export interface ProcedureShape {
  readonly factCount: number;
  readonly exits: ArrayLike<number>;
}

/**
 * Checks that every number of a procedure is in range: vertices, facts of its relations, and callees and their exits by
 * `shapeOf`. Throws an `InputError` of one sentence. Linear in edges and in the entries of the relations used.
 */
export function checkProcedure(
  procedure: ExplodedProcedure,
  shapeOf: (callee: number) => ProcedureShape | undefined,
): void {
  const fail = (where: string, got: string, expected: string): never => {
    throw new InputError(
      `procedure ${procedure.name}`,
      undefined,
      `${where}: got ${got}, expected ${expected}`,
    );
  };
  const { vertexCount, factCount, relations } = procedure;
  if (!(1 <= vertexCount)) fail("vertices", `${vertexCount}`, "at least 1");
  if (!(1 <= factCount && factCount <= 0x10000)) fail("facts", `${factCount}`, "1 to 65536");
  const vertices = (where: string, ids: ArrayLike<number>): void => {
    for (let i = 0; i < ids.length; i++) {
      if (!(ids[i] < vertexCount)) fail(where, `vertex ${ids[i]}`, `0 to ${vertexCount - 1}`);
    }
  };
  const aligned = (where: string, length: number, ...arrays: Uint32Array[]): void => {
    for (const array of arrays) {
      if (array.length !== length)
        fail(where, `arrays of ${length} and ${array.length} entries`, "equally many");
    }
  };
  const checked = new Set<string>();
  const relation = (where: string, r: number, sources: number, targets: number): void => {
    const key = `${r},${sources},${targets}`;
    if (checked.has(key)) return;
    checked.add(key);
    if (!(r < relations.count)) fail(where, `relation ${r}`, `0 to ${relations.count - 1}`);
    if (relations.identity[r] === 1 && sources !== targets) {
      fail(where, `the identity between ${sources} and ${targets} facts`, "equally many facts on both sides");
    }
    for (let i = relations.entryStart[r]; i < relations.entryStart[r + 1]; i++) {
      if (sources <= relations.sourceFirst[i]) break;
      for (let k = relations.targetStart[i]; k < relations.targetStart[i + 1]; k++) {
        if (targets <= relations.targets[k]) {
          fail(where, `target fact ${relations.targets[k]} of relation ${r}`, `0 to ${targets - 1}`);
        }
      }
    }
  };
  if (procedure.exits.length === 0) fail("exits", "none", "at least one");
  vertices("start", [procedure.startVertex]);
  vertices("exits", procedure.exits);
  vertices("edges", procedure.edgeSource);
  vertices("edges", procedure.edgeTarget);
  vertices("call-to-return edges", procedure.bypassCall);
  vertices("call-to-return edges", procedure.bypassReturn);
  vertices("calls", procedure.callVertex);
  vertices("calls", procedure.callReturn);
  aligned("edges", procedure.edgeSource.length, procedure.edgeTarget, procedure.edgeRelation);
  aligned(
    "call-to-return edges",
    procedure.bypassCall.length,
    procedure.bypassReturn,
    procedure.bypassRelation,
  );
  aligned(
    "calls",
    procedure.callVertex.length,
    procedure.callReturn,
    procedure.callCallee,
    procedure.callEntryRelation,
    procedure.callExitRelation,
    procedure.callExit,
  );
  for (const r of procedure.edgeRelation) relation("edges", r, factCount, factCount);
  for (const r of procedure.bypassRelation) relation("call-to-return edges", r, factCount, factCount);
  for (let i = 0; i < procedure.callVertex.length; i++) {
    const callee = procedure.callCallee[i];
    const shape = shapeOf(callee);
    if (shape === undefined) {
      fail("calls", `callee ${callee}`, "a procedure of the program");
      return;
    }
    if (!Array.prototype.includes.call(shape.exits, procedure.callExit[i])) {
      fail("calls", `exit ${procedure.callExit[i]} of callee ${callee}`, "one of its exits");
    }
    relation("calls", procedure.callEntryRelation[i], factCount, shape.factCount);
    relation("calls", procedure.callExitRelation[i], shape.factCount, factCount);
  }
}

/** A program from procedures, whose callees are numbers into `procedures`; relations are put into one list. */
export function assembleProgram(
  procedures: readonly ExplodedProcedure[],
  entry: number,
  header: ExplodedSupergraph["header"],
): ExplodedSupergraph {
  const relations = new RelationUnion();
  const total = (of: (procedure: ExplodedProcedure) => { length: number }) =>
    procedures.reduce((sum, procedure) => sum + of(procedure).length, 0);
  const start = (of: (procedure: ExplodedProcedure) => { length: number }) => {
    const starts = new Uint32Array(procedures.length + 1);
    for (const [p, procedure] of procedures.entries()) starts[p + 1] = starts[p] + of(procedure).length;
    return starts;
  };
  const join = (of: (procedure: ExplodedProcedure) => Uint32Array, areRelations = false): Uint32Array => {
    const joined = new Uint32Array(total(of));
    let at = 0;
    for (const procedure of procedures) {
      const array = of(procedure);
      joined.set(array, at);
      if (areRelations) {
        const ids = relations.idsOf(procedure.relations);
        for (let i = 0; i < array.length; i++) joined[at + i] = ids(array[i]);
      }
      at += array.length;
    }
    return joined;
  };
  const program = {
    procedureCount: procedures.length,
    names: procedures.map(({ name }) => name),
    vertexCount: Uint32Array.from(procedures, ({ vertexCount }) => vertexCount),
    factCount: Uint32Array.from(procedures, ({ factCount }) => factCount),
    startVertex: Uint32Array.from(procedures, ({ startVertex }) => startVertex),
    exitStart: start(({ exits }) => exits),
    exits: join(({ exits }) => exits),
    edgeStart: start(({ edgeSource }) => edgeSource),
    edgeSource: join(({ edgeSource }) => edgeSource),
    edgeTarget: join(({ edgeTarget }) => edgeTarget),
    edgeRelation: join(({ edgeRelation }) => edgeRelation, true),
    bypassStart: start(({ bypassCall }) => bypassCall),
    bypassCall: join(({ bypassCall }) => bypassCall),
    bypassReturn: join(({ bypassReturn }) => bypassReturn),
    bypassRelation: join(({ bypassRelation }) => bypassRelation, true),
    callStart: start(({ callVertex }) => callVertex),
    callVertex: join(({ callVertex }) => callVertex),
    callReturn: join(({ callReturn }) => callReturn),
    callCallee: join(({ callCallee }) => callCallee),
    callEntryRelation: join(({ callEntryRelation }) => callEntryRelation, true),
    callExitRelation: join(({ callExitRelation }) => callExitRelation, true),
    callExit: join(({ callExit }) => callExit),
    entry,
    header,
  };
  return { ...program, relations: relations.finish() };
}

/** The relations in use from several lists, numbered anew by first use, the identity being 0. */
class RelationUnion {
  readonly #ids = new Map<FlowRelations, Map<number, number>>();
  readonly #used: (readonly [list: FlowRelations, relation: number])[] = [];

  idsOf(list: FlowRelations): (relation: number) => number {
    let ids = this.#ids.get(list);
    if (ids === undefined) {
      ids = new Map([[0, 0]]);
      this.#ids.set(list, ids);
      // Relation 0 of every list is the identity.
      if (this.#used.length === 0) this.#used.push([list, 0]);
    }
    const known = ids;
    return (relation) => {
      let id = known.get(relation);
      if (id === undefined) {
        id = this.#used.push([list, relation]) - 1;
        known.set(relation, id);
      }
      return id;
    };
  }

  finish(): FlowRelations {
    const count = this.#used.length;
    let entries = 0;
    let targetCount = 0;
    for (const [list, r] of this.#used) {
      const { entryStart, targetStart } = list;
      entries += entryStart[r + 1] - entryStart[r];
      targetCount += targetStart[entryStart[r + 1]] - targetStart[entryStart[r]];
    }
    const identity = new Uint8Array(count);
    const entryStart = new Uint32Array(count + 1);
    const sourceFirst = new Uint32Array(entries);
    const sourceLast = new Uint32Array(entries);
    const targetStart = new Uint32Array(entries + 1);
    const targets = new Uint32Array(targetCount);
    let entry = 0;
    let target = 0;
    for (const [id, [list, r]] of this.#used.entries()) {
      identity[id] = list.identity[r];
      for (let i = list.entryStart[r]; i < list.entryStart[r + 1]; i++) {
        sourceFirst[entry] = list.sourceFirst[i];
        sourceLast[entry] = list.sourceLast[i];
        for (let k = list.targetStart[i]; k < list.targetStart[i + 1]; k++)
          targets[target++] = list.targets[k];
        targetStart[++entry] = target;
      }
      entryStart[id + 1] = entry;
    }
    return { count, identity, entryStart, sourceFirst, sourceLast, targetStart, targets };
  }
}
