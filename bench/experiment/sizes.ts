/**
 * How large an instance is, in the paper's terms: exploded vertices and edges, and widths of tree decompositions of its
 * procedures' flow graphs, with all their vertices (the engine decomposes what is left of them once chains are contracted).
 */

import { flowGraph } from "../../src/cli/flow-graph.js";
import type { ExplodedSupergraph, FlowRelations } from "../../src/exploded/exploded-supergraph.js";
import { balancedElimination, eliminationOrder, type Graph } from "../../src/treedec/index.js";
import { explodedVertices, vertices } from "../instances.js";

export interface Sizes {
  readonly procedures: number;
  readonly vertices: number;
  /** Calls: pairs of a call site and a callee. */
  readonly calls: number;
  /** Facts of the procedure with most, the zero fact included. */
  readonly facts: number;
  readonly explodedVertices: number;
  /** Pairs of facts on all edges, into callees and back included. */
  readonly explodedEdges: number;
  /** Procedures by width, from 0 on, before balancing; and the greatest height of a balanced elimination tree. */
  readonly widths: readonly number[];
  readonly height: number;
}

/** The paper's measure: exploded vertices and edges. */
export const sizeOf = ({ explodedVertices, explodedEdges }: Sizes): number =>
  explodedVertices + explodedEdges;

export const widthOf = ({ widths }: Sizes): number => widths.length - 1;

export function sizesOf(graph: ExplodedSupergraph): Sizes {
  const widths: number[] = [];
  let height = 0;
  for (let p = 0; p < graph.procedureCount; p++) {
    const flow = flowGraph(graph, p, false);
    const width = narrowest(flow);
    while (widths.length <= width) widths.push(0);
    widths[width]++;
    height = Math.max(height, balancedElimination(flow).height);
  }
  return {
    procedures: graph.procedureCount,
    vertices: vertices(graph),
    calls: graph.callVertex.length,
    facts: graph.factCount.reduce((most, count) => Math.max(most, count), 0),
    explodedVertices: explodedVertices(graph),
    explodedEdges: explodedEdges(graph),
    widths,
    height,
  };
}

/** Both greedy orders are exact up to width 2. */
function narrowest(flow: Graph): number {
  const { width } = eliminationOrder(flow, "min-degree");
  return width <= 2 ? width : Math.min(width, eliminationOrder(flow, "min-fill").width);
}

function explodedEdges(graph: ExplodedSupergraph): number {
  const pairs = pairCounter(graph.relations);
  let sum = 0;
  for (let p = 0; p < graph.procedureCount; p++) {
    const facts = graph.factCount[p];
    for (let e = graph.edgeStart[p]; e < graph.edgeStart[p + 1]; e++)
      sum += pairs(graph.edgeRelation[e], facts);
    for (let t = graph.bypassStart[p]; t < graph.bypassStart[p + 1]; t++)
      sum += pairs(graph.bypassRelation[t], facts);
    for (let c = graph.callStart[p]; c < graph.callStart[p + 1]; c++) {
      sum += pairs(graph.callEntryRelation[c], facts);
      sum += pairs(graph.callExitRelation[c], graph.factCount[graph.callCallee[c]]);
    }
  }
  return sum;
}

/** How many pairs a relation has over the sources `0 .. facts - 1`. */
function pairCounter(relations: FlowRelations): (relation: number, facts: number) => number {
  const { identity, entryStart, sourceFirst, sourceLast, targetStart } = relations;
  const known = new Map<number, number>();
  return (relation, facts) => {
    const key = relation * 2 ** 17 + facts;
    let count = known.get(key);
    if (count !== undefined) return count;
    count = 0;
    let listed = 0;
    for (let i = entryStart[relation]; i < entryStart[relation + 1]; i++) {
      const sources = Math.max(0, Math.min(sourceLast[i] + 1, facts) - sourceFirst[i]);
      listed += sources;
      count += sources * (targetStart[i + 1] - targetStart[i]);
    }
    if (identity[relation] === 1) count += facts - listed;
    known.set(key, count);
    return count;
  };
}
