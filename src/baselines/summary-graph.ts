/**
 * The exploded graph of every procedure with its calls replaced by summary edges: same-context reachability becomes
 * reachability within one procedure's graph. Summaries are tabulated from every start fact, callees first over the
 * strongly connected components of the call graph; then the edges are laid out once, sorted by source. Shared by the
 * baselines that preprocess. O(path edges) time, 4 bytes per exploded vertex and edge.
 *
 * Within its procedure of n vertices, exploded vertex (v, d) has number `d * n + v`: a fact is followed along code,
 * so that the next vertex on a path is most often the next in memory.
 */

import { callComponents } from "../exploded/components.js";
import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import { GrowableUint32 } from "../exploded/growable-uint32.js";
import type { Watch } from "./limits.js";
import { PathEdges } from "./path-edges.js";
import { programEdges } from "./program-edges.js";
import { NOTHING, RelationRows, SELF } from "./relation-rows.js";

export interface SummaryGraph {
  /** Number of the first exploded vertex of each procedure, counting through all of them. */
  readonly explodedBase: Float64Array;
  /** Successors of exploded vertex `x`, counted through: `successors[start[x] .. start[x + 1]]`, numbered within. */
  readonly start: Uint32Array;
  readonly successors: Uint32Array;
  /** Exploded vertices of the largest procedure. */
  readonly largest: number;
}

/** Tabulates all summaries of `graph` and lays out its summary-extended exploded graphs. */
export function summaryGraph(graph: ExplodedSupergraph, watch: Watch): SummaryGraph {
  const { procedureCount, vertexCount, factCount } = graph;
  const edges = programEdges(graph);
  const rows = new RelationRows(graph);
  const summaries = tabulateSummaries(graph, new PathEdges(graph, edges, rows), watch);

  const explodedBase = new Float64Array(procedureCount + 1);
  let largest = 0;
  for (let p = 0; p < procedureCount; p++) {
    const size = vertexCount[p] * factCount[p];
    if (largest < size) largest = size;
    explodedBase[p + 1] = explodedBase[p] + size;
  }
  watch.memory("The summary-extended graph", 8 * explodedBase[procedureCount]);
  const start = new Uint32Array(explodedBase[procedureCount] + 1);
  const successors = new GrowableUint32();
  const { targets, targetStart } = rows;
  const { flowStart, flowTarget, flowRelation, callStart, calls } = edges;
  /** Exploded vertex whose successors last contained this one: several callees often return the same facts. */
  const seenFrom = new Float64Array(largest).fill(-1);
  let x = 0;
  for (let p = 0; p < procedureCount; p++) {
    const n = vertexCount[p];
    const base = edges.vertexBase[p];
    const addReturn = (r: number, d: number): void => {
      const y = d * n + r;
      if (seenFrom[y] === x) return;
      seenFrom[y] = x;
      successors.push(y);
    };
    for (let d = 0; d < factCount[p]; d++) {
      for (let u = base; u < base + n; u++, x++) {
        start[x] = successors.length;
        for (let i = flowStart[u]; i < flowStart[u + 1]; i++) {
          const row = rows.entry(flowRelation[i], d);
          if (row === SELF) successors.push(d * n + flowTarget[i]);
          else if (row !== NOTHING) {
            for (let t = targetStart[row]; t < targetStart[row + 1]; t++) {
              successors.push(targets[t] * n + flowTarget[i]);
            }
          }
        }
        for (let i = callStart[u]; i < callStart[u + 1]; i++) {
          const call = calls[i];
          const row = rows.entry(graph.callEntryRelation[call], d);
          if (row === SELF) summaries.returns(call, d, addReturn);
          else if (row !== NOTHING) {
            for (let t = targetStart[row]; t < targetStart[row + 1]; t++) {
              summaries.returns(call, targets[t], addReturn);
            }
          }
        }
      }
      watch.step(n);
    }
    watch.progress("tables", p + 1, procedureCount);
  }
  start[x] = successors.length;
  return { explodedBase, start, successors: successors.toArray(), largest };
}

/** Path edges from every start fact; those of a component are dropped when its summaries are complete. */
function tabulateSummaries(graph: ExplodedSupergraph, pathEdges: PathEdges, watch: Watch): PathEdges {
  const { order, start } = callComponents(graph);
  for (let i = 0; i + 1 < start.length; i++) {
    for (let j = start[i]; j < start[i + 1]; j++) {
      const p = order[j];
      for (let d1 = 0; d1 < graph.factCount[p]; d1++) pathEdges.source(p, graph.startVertex[p], d1);
    }
    pathEdges.run(watch);
    pathEdges.forgetPathEdges();
    watch.progress("summaries", start[i + 1], graph.procedureCount);
  }
  return pathEdges;
}
