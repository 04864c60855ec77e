/**
 * The program run backwards, for backward problems: every edge turned round, starts and exits exchanged, call sites
 * and return sites exchanged. Vertices, procedures, edges and calls keep their numbers.
 */

import { type Procedure, Supergraph } from "./supergraph.js";

/** Label of the vertex that `reverse` adds to a procedure with several exits. */
export const EXITS_LABEL = "(exits)";

/**
 * Reverses a supergraph. A procedure has one start, so a procedure with several exits gets one more vertex, numbered
 * after the others, from which an edge leads to each exit (these edges follow the procedure's own edges). All
 * callers that return from any exit enter there: what is known at one return site enters at every exit, which loses
 * some precision and no facts.
 *
 * Reversing twice gives the same arrays again where every procedure has one exit.
 *
 * @example
 * const program = new SupergraphBuilder();
 * program.procedure("main", { vertices: 3 }).edge(0, 1).edge(1, 2);
 * const backward = reverse(program.supergraph());
 * backward.procedure("main").start; // 2
 */
export function reverse<D>(supergraph: Supergraph<D>): Supergraph<D> {
  const { topology } = supergraph;
  const procedures = Array.from(topology.names, (_, p) => supergraph.procedure(p));
  const several = (procedure: Procedure) => 1 < procedure.exits.length;

  const edgeStart = Uint32Array.from(topology.edgeStart);
  for (const [p, procedure] of procedures.entries()) {
    const added = edgeStart[p] - topology.edgeStart[p] + (several(procedure) ? procedure.exits.length : 0);
    edgeStart[p + 1] = topology.edgeStart[p + 1] + added;
  }
  const edgeSource = new Uint32Array(edgeStart[procedures.length]);
  const edgeTarget = new Uint32Array(edgeStart[procedures.length]);
  for (const [p, procedure] of procedures.entries()) {
    const from = topology.edgeStart[p];
    const to = topology.edgeStart[p + 1];
    edgeSource.set(topology.edgeTarget.subarray(from, to), edgeStart[p]);
    edgeTarget.set(topology.edgeSource.subarray(from, to), edgeStart[p]);
    if (!several(procedure)) continue;
    edgeSource.fill(procedure.vertexCount, edgeStart[p] + to - from, edgeStart[p + 1]);
    edgeTarget.set(procedure.exits, edgeStart[p] + to - from);
  }

  return new Supergraph(
    {
      ...topology,
      vertexCount: Uint32Array.from(procedures, (p) => p.vertexCount + (several(p) ? 1 : 0)),
      startVertex: Uint32Array.from(procedures, (p) => (several(p) ? p.vertexCount : p.exits[0])),
      exitStart: Uint32Array.from({ length: procedures.length + 1 }, (_, p) => p),
      exits: topology.startVertex,
      edgeStart,
      edgeSource,
      edgeTarget,
      bypassCall: topology.bypassReturn,
      bypassReturn: topology.bypassCall,
      callVertex: topology.callReturn,
      callReturn: topology.callVertex,
      callExit: topology.callCallee.map((callee) => topology.startVertex[callee]),
    },
    procedures.map((procedure) => {
      const notes = supergraph.notes[procedure.id];
      if (!several(procedure)) return notes;
      const labels = new Map(notes.labels).set(procedure.vertexCount, EXITS_LABEL);
      const ids = new Map(notes.ids).set(EXITS_LABEL, procedure.vertexCount);
      return { ...notes, ids, labels };
    }),
  );
}
