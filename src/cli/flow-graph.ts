/** Flow graphs of single procedures, undirected, for tree decompositions. Linear in the procedure. */

import type { ExplodedSupergraph } from "../index.js";
import { type Graph, graphFromEdges } from "../treedec/index.js";

/**
 * A procedure's edges, and its call vertices joined with their return sites; with `endsMeet` its start joined with its
 * exits as well, which gives what summaries need a common bag.
 */
export function flowGraph(graph: ExplodedSupergraph, p: number, endsMeet: boolean): Graph {
  const sources: number[] = [];
  const targets: number[] = [];
  const join = (u: number, v: number) => {
    sources.push(u);
    targets.push(v);
  };
  for (let e = graph.edgeStart[p]; e < graph.edgeStart[p + 1]; e++)
    join(graph.edgeSource[e], graph.edgeTarget[e]);
  for (let t = graph.bypassStart[p]; t < graph.bypassStart[p + 1]; t++) {
    join(graph.bypassCall[t], graph.bypassReturn[t]);
  }
  for (let c = graph.callStart[p]; c < graph.callStart[p + 1]; c++) {
    join(graph.callVertex[c], graph.callReturn[c]);
  }
  if (endsMeet) {
    for (let x = graph.exitStart[p]; x < graph.exitStart[p + 1]; x++)
      join(graph.startVertex[p], graph.exits[x]);
  }
  return graphFromEdges(graph.vertexCount[p], sources, targets);
}
