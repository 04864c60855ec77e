/**
 * What changed procedures make of an index: only the procedures whose inputs have changed are indexed anew. These
 * are the procedures themselves, all that lie on a call cycle with one, and, where a summary comes out different, callers;
 * everything that they call besides is represented by its summary. Cost: as preprocessing those procedures, and the
 * summaries of their callees by pair queries.
 */

import type { Engine, Queries } from "../engine.js";
import { assembleProgram, type ExplodedProcedure } from "../exploded/exploded-procedure.js";
import type { FlowRelations } from "../exploded/exploded-supergraph.js";
import type { LabelLimits } from "../image/label-limits.js";
import { indexProgram } from "./index-program.js";
import { OverlayQueries, type Patch, type Placement } from "./overlay.js";
import type { ProgramSource } from "./program-source.js";

/**
 * Queries on the program `source`, of which only the procedures `changed` differ from what `queries` answers. `before` is
 * the program as it was.
 */
export function updateQueries(
  engine: Engine,
  queries: Queries,
  before: ProgramSource,
  source: ProgramSource,
  changed: ReadonlySet<number>,
  limits: LabelLimits,
): OverlayQueries {
  const base = queries instanceof OverlayQueries ? queries.base : queries;
  const placements = new Map<number, Placement>(
    queries instanceof OverlayQueries ? queries.placements : undefined,
  );
  let members = source.withCycles(changed);
  for (;;) {
    const patch = makePatch(engine, queries, source, members, limits);
    // Callers of procedures whose summary or shape is another now.
    const different = new Set<number>();
    for (const [i, p] of [...members].entries()) {
      if (differs(queries, before, source, p, patch.queries, i)) different.add(p);
    }
    const larger = new Set(members);
    if (different.size !== 0) for (const p of source.callersOf(different)) larger.add(p);
    if (larger.size === members.size) {
      for (const [i, p] of [...members].entries()) placements.set(p, { patch, index: i });
      return new OverlayQueries(base, placements);
    }
    members = source.withCycles(larger);
  }
}

function makePatch(
  engine: Engine,
  queries: Queries,
  source: ProgramSource,
  members: ReadonlySet<number>,
  limits: LabelLimits,
): Patch {
  const globalOf = [...members];
  const localOf = new Map(globalOf.map((p, i) => [p, i]));
  const procedures: ExplodedProcedure[] = [];
  for (let i = 0; i < members.size; i++) {
    const procedure = source.procedure(globalOf[i]);
    const callCallee = procedure.callCallee.slice();
    const callExit = procedure.callExit.slice();
    for (let k = 0; k < callCallee.length; k++) {
      let local = localOf.get(callCallee[k]);
      if (local === undefined) {
        local = globalOf.push(callCallee[k]) - 1;
        localOf.set(callCallee[k], local);
      }
      if (members.size <= local) callExit[k] = 1 + source.procedure(callCallee[k]).exits.indexOf(callExit[k]);
      callCallee[k] = local;
    }
    procedures.push({ ...procedure, callCallee, callExit });
  }
  for (let i = members.size; i < globalOf.length; i++) procedures.push(stub(queries, source, globalOf[i]));
  const graph = assembleProgram(procedures, 0, []);
  return { queries: indexProgram(graph, (assembled) => engine.preprocessSmall(assembled), limits), globalOf };
}

/**
 * A procedure that does in one edge per exit what the real one does: its start is vertex 0, its exits follow, and the
 * edges' relations are its summaries.
 */
function stub(queries: Queries, source: ProgramSource, p: number): ExplodedProcedure {
  const { name, factCount, exits } = source.procedure(p);
  const stride = (factCount + 31) >>> 5;
  const entryStart = [0, 0];
  const sources: number[] = [];
  const targetStart = [0];
  const targets: number[] = [];
  for (const exit of exits) {
    const rows = queries.summary(p, exit);
    for (let d1 = 0; d1 < factCount; d1++) {
      const before = targets.length;
      for (let d2 = 0; d2 < factCount; d2++) {
        if ((rows[d1 * stride + (d2 >>> 5)] >>> (d2 & 31)) & 1) targets.push(d2);
      }
      if (targets.length === before) continue;
      sources.push(d1);
      targetStart.push(targets.length);
    }
    entryStart.push(sources.length);
  }
  const relations: FlowRelations = {
    count: 1 + exits.length,
    identity: Uint8Array.from([1, ...exits], (_, r) => (r === 0 ? 1 : 0)),
    entryStart: Uint32Array.from(entryStart),
    sourceFirst: Uint32Array.from(sources),
    sourceLast: Uint32Array.from(sources),
    targetStart: Uint32Array.from(targetStart),
    targets: Uint32Array.from(targets),
  };
  const ids = Uint32Array.from(exits, (_, i) => i + 1);
  const none = new Uint32Array(0);
  return {
    name,
    vertexCount: 1 + exits.length,
    factCount,
    startVertex: 0,
    exits: ids,
    edgeSource: new Uint32Array(exits.length),
    edgeTarget: ids,
    edgeRelation: ids,
    bypassCall: none,
    bypassReturn: none,
    bypassRelation: none,
    callVertex: none,
    callReturn: none,
    callCallee: none,
    callEntryRelation: none,
    callExitRelation: none,
    callExit: none,
    relations,
  };
}

/** Whether callers see another procedure than before: other facts, other exits, or another summary. */
function differs(
  old: Queries,
  before: ProgramSource,
  source: ProgramSource,
  p: number,
  queries: Queries,
  index: number,
): boolean {
  const was = before.procedure(p);
  const is = source.procedure(p);
  if (was.factCount !== is.factCount || was.exits.length !== is.exits.length) return true;
  for (let i = 0; i < is.exits.length; i++) {
    if (was.exits[i] !== is.exits[i]) return true;
    const rows = queries.summary(index, is.exits[i]);
    const oldRows = old.summary(p, was.exits[i]);
    for (let k = 0; k < rows.length; k++) if (rows[k] !== oldRows[k]) return true;
  }
  return false;
}
