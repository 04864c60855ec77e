/**
 * Lengths of shortest valid paths of a small program, in edges of the exploded supergraph, as the greatest fixpoint of "no
 * longer than a path with one more edge" and "one more call": Bellman and Ford's method over all pairs, with nothing
 * shared with the search under test. And the steps of a witness, checked one by one against the definition.
 */

import { extractProcedure } from "../../src/exploded/exploded-procedure.js";
import type { ExplodedSupergraph } from "../../src/exploded/exploded-supergraph.js";
import type { Seed } from "../../src/solver.js";
import type { Witness } from "../../src/witness/witness.js";
import { relationPairs } from "./brute-force.js";

/** An exploded edge or a completed call within a procedure, and how many steps it is. */
type Edge = readonly [u: number, d: number, v: number, t: number, steps: number];

export interface ShortestLengths {
  /** Same-context; infinite where there is no path. */
  sameContext(p: number, u: number, d1: number, v: number, d2: number): number;
  /** From the nearest seed, calls may stay open. */
  entering(seeds: readonly Seed[]): (p: number, v: number, d: number) => number;
}

export function shortestLengths(graph: ExplodedSupergraph): ShortestLengths {
  const procedures = Array.from({ length: graph.procedureCount }, (_, p) => p);
  const sizes = procedures.map((p) => graph.vertexCount[p] * graph.factCount[p]);
  const lengths = sizes.map((size) => {
    const length = new Float64Array(size * size).fill(Number.POSITIVE_INFINITY);
    for (let x = 0; x < size; x++) length[x * size + x] = 0;
    return length;
  });
  const sameContext = (p: number, u: number, d1: number, v: number, d2: number) =>
    lengths[p][(u * graph.factCount[p] + d1) * sizes[p] + v * graph.factCount[p] + d2];
  const plain = procedures.map((p) => {
    const edges: Edge[] = [];
    for (let i = graph.edgeStart[p]; i < graph.edgeStart[p + 1]; i++) {
      for (const [d, t] of relationPairs(graph, graph.edgeRelation[i], graph.factCount[p]))
        edges.push([graph.edgeSource[i], d, graph.edgeTarget[i], t, 1]);
    }
    for (let i = graph.bypassStart[p]; i < graph.bypassStart[p + 1]; i++) {
      for (const [d, t] of relationPairs(graph, graph.bypassRelation[i], graph.factCount[p]))
        edges.push([graph.bypassCall[i], d, graph.bypassReturn[i], t, 1]);
    }
    return edges;
  });
  const completed = (p: number): Edge[] => {
    const edges: Edge[] = [];
    for (let i = graph.callStart[p]; i < graph.callStart[p + 1]; i++) {
      const q = graph.callCallee[i];
      for (const [d, d1] of relationPairs(graph, graph.callEntryRelation[i], graph.factCount[p])) {
        for (const [d2, t] of relationPairs(graph, graph.callExitRelation[i], graph.factCount[q])) {
          const inside = sameContext(q, graph.startVertex[q], d1, graph.callExit[i], d2);
          if (inside < Number.POSITIVE_INFINITY)
            edges.push([graph.callVertex[i], d, graph.callReturn[i], t, inside + 2]);
        }
      }
    }
    return edges;
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (const p of procedures) {
      const facts = graph.factCount[p];
      for (const [u, d, v, t, steps] of [...plain[p], ...completed(p)]) {
        for (let x = 0; x < sizes[p]; x++) {
          const at = x * sizes[p] + v * facts + t;
          const length = lengths[p][x * sizes[p] + u * facts + d] + steps;
          if (lengths[p][at] <= length) continue;
          lengths[p][at] = length;
          changed = true;
        }
      }
    }
  }
  const entering = (seeds: readonly Seed[]) => {
    const from = new Map<string, number>();
    const get = (p: number, v: number, d: number) => from.get(`${p} ${v} ${d}`) ?? Number.POSITIVE_INFINITY;
    const relax = (p: number, v: number, d: number, length: number): boolean => {
      if (get(p, v, d) <= length) return false;
      from.set(`${p} ${v} ${d}`, length);
      return true;
    };
    for (const [p, v, d] of seeds) relax(p, v, d, 0);
    const edges = procedures.map((p) => [...plain[p], ...completed(p)]);
    for (let changed = true; changed; ) {
      changed = false;
      for (const p of procedures) {
        for (const [u, d, v, t, steps] of edges[p]) {
          if (relax(p, v, t, get(p, u, d) + steps)) changed = true;
        }
        for (let i = graph.callStart[p]; i < graph.callStart[p + 1]; i++) {
          const q = graph.callCallee[i];
          for (const [d, t] of relationPairs(graph, graph.callEntryRelation[i], graph.factCount[p])) {
            if (relax(q, graph.startVertex[q], t, get(p, graph.callVertex[i], d) + 1)) changed = true;
          }
        }
      }
    }
    return get;
  };
  return { sameContext, entering };
}

/** Where a witness ends, and the calls that it leaves open; throws where a step is no edge, or returns from no open call. */
export function followWitness(
  graph: ExplodedSupergraph,
  witness: Witness,
): { end: Seed; openCalls: number; steps: number } {
  const open: [caller: number, call: number][] = [];
  let [p, v, d] = witness.start;
  let steps = 0;
  for (const step of witness) {
    const own = extractProcedure(graph, p);
    const { edge, index, procedure, vertex, fact } = step;
    /** What the edge is: vertices, procedures, relation. */
    let edgeIs: readonly [source: number, target: number, q: number, relation: number];
    if (edge === "normal")
      edgeIs = [own.edgeSource[index], own.edgeTarget[index], p, own.edgeRelation[index]];
    else if (edge === "call-to-return")
      edgeIs = [own.bypassCall[index], own.bypassReturn[index], p, own.bypassRelation[index]];
    else if (edge === "call") {
      const q = own.callCallee[index];
      edgeIs = [own.callVertex[index], graph.startVertex[q], q, own.callEntryRelation[index]];
      open.push([p, index]);
    } else {
      const [caller, call] = open.pop() ?? [-1, -1];
      if (call !== index) throw new Error(`Step ${steps}: got a return of call ${index}, expected ${call}.`);
      const { callExit, callReturn, callExitRelation } = extractProcedure(graph, caller);
      edgeIs = [callExit[call], callReturn[call], caller, callExitRelation[call]];
    }
    const [source, target, q, relation] = edgeIs;
    const related = relationPairs(graph, relation, graph.factCount[p]).some(
      ([s, t]) => s === d && t === fact,
    );
    if (source !== v || target !== vertex || q !== procedure || !related || step.depth !== open.length) {
      throw new Error(`Step ${steps}: got ${JSON.stringify(step)} from ${[p, v, d]}, which is no edge.`);
    }
    [p, v, d] = [procedure, vertex, fact];
    steps++;
  }
  return { end: [p, v, d], openCalls: open.length, steps };
}
