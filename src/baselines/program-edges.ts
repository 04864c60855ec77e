/**
 * The edges of a program by the vertex they leave. Vertices of all procedures are numbered through: v of procedure
 * `p` is `vertexBase[p] + v`; so are start facts, called entries here: fact d at the start of `p` is
 * `entryBase[p] + d`. Intraprocedural and call-to-return edges flow alike and are one list. Linear time and space.
 */

import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";

export interface ProgramEdges {
  readonly vertexBase: Uint32Array;
  readonly entryBase: Uint32Array;
  /** Edges that leave vertex `x`: `flowStart[x] .. flowStart[x + 1]`; targets are numbered within the procedure. */
  readonly flowStart: Uint32Array;
  readonly flowTarget: Uint32Array;
  readonly flowRelation: Uint32Array;
  /** Calls from vertex `x`, as indices into the graph's `call...` arrays: `calls[callStart[x] .. callStart[x + 1]]`. */
  readonly callStart: Uint32Array;
  readonly calls: Uint32Array;
  /** 1 for the exit vertices of their procedure. */
  readonly isExit: Uint8Array;
}

/** Sorts the edges of `graph` by source. */
export function programEdges(graph: ExplodedSupergraph): ProgramEdges {
  const { procedureCount, vertexCount, factCount, edgeStart, bypassStart } = graph;
  const vertexBase = runningSum(vertexCount, procedureCount);
  const entryBase = runningSum(factCount, procedureCount);
  const vertices = vertexBase[procedureCount];
  const flowStart = new Uint32Array(vertices + 1);
  const callStart = new Uint32Array(vertices + 1);
  const isExit = new Uint8Array(vertices);
  for (let p = 0; p < procedureCount; p++) {
    const base = vertexBase[p];
    for (let i = edgeStart[p]; i < edgeStart[p + 1]; i++) flowStart[base + graph.edgeSource[i]]++;
    for (let i = bypassStart[p]; i < bypassStart[p + 1]; i++) flowStart[base + graph.bypassCall[i]]++;
    for (let i = graph.callStart[p]; i < graph.callStart[p + 1]; i++) callStart[base + graph.callVertex[i]]++;
    for (let i = graph.exitStart[p]; i < graph.exitStart[p + 1]; i++) isExit[base + graph.exits[i]] = 1;
  }
  // Starts become ends, and filling from the back turns them into starts again.
  for (let x = 1; x <= vertices; x++) {
    flowStart[x] += flowStart[x - 1];
    callStart[x] += callStart[x - 1];
  }
  const flowTarget = new Uint32Array(flowStart[vertices]);
  const flowRelation = new Uint32Array(flowStart[vertices]);
  const calls = new Uint32Array(callStart[vertices]);
  for (let p = 0; p < procedureCount; p++) {
    const base = vertexBase[p];
    for (let i = bypassStart[p + 1] - 1; bypassStart[p] <= i; i--) {
      const slot = --flowStart[base + graph.bypassCall[i]];
      flowTarget[slot] = graph.bypassReturn[i];
      flowRelation[slot] = graph.bypassRelation[i];
    }
    for (let i = edgeStart[p + 1] - 1; edgeStart[p] <= i; i--) {
      const slot = --flowStart[base + graph.edgeSource[i]];
      flowTarget[slot] = graph.edgeTarget[i];
      flowRelation[slot] = graph.edgeRelation[i];
    }
    for (let i = graph.callStart[p + 1] - 1; graph.callStart[p] <= i; i--) {
      calls[--callStart[base + graph.callVertex[i]]] = i;
    }
  }
  return { vertexBase, entryBase, flowStart, flowTarget, flowRelation, callStart, calls, isExit };
}

/** `sums[i]` is the sum of the first `i` of `count` numbers. */
function runningSum(numbers: Uint32Array, count: number): Uint32Array {
  const sums = new Uint32Array(count + 1);
  for (let i = 0; i < count; i++) sums[i + 1] = sums[i] + numbers[i];
  return sums;
}
