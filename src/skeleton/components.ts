/**
 * Strongly connected components of the call graph, callees first (Tarjan 1972, without recursion): the order in which
 * summaries are computed. Linear in procedures and calls.
 */

import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";

export interface Components {
  /** Procedures, component by component; a component comes after all that it calls. */
  readonly order: Uint32Array;
  /** Where each component begins in `order`, and the end. */
  readonly start: Uint32Array;
}

export function callComponents(
  graph: Pick<ExplodedSupergraph, "procedureCount" | "callStart" | "callCallee">,
): Components {
  const n = graph.procedureCount;
  const { callStart, callCallee } = graph;
  const index = new Uint32Array(n);
  const low = new Uint32Array(n);
  const onStack = new Uint8Array(n);
  const stack = new Uint32Array(n);
  const path = new Uint32Array(n);
  const next = new Uint32Array(n);
  const order = new Uint32Array(n);
  const start = new Uint32Array(n + 1);
  let stackTop = 0;
  let counter = 0;
  let filled = 0;
  let components = 0;

  for (let root = 0; root < n; root++) {
    if (index[root] !== 0) continue;
    let depth = 0;
    path[0] = root;
    index[root] = low[root] = ++counter;
    next[root] = callStart[root];
    stack[stackTop++] = root;
    onStack[root] = 1;
    while (0 <= depth) {
      const p = path[depth];
      if (next[p] < callStart[p + 1]) {
        const q = callCallee[next[p]++];
        if (index[q] === 0) {
          index[q] = low[q] = ++counter;
          next[q] = callStart[q];
          stack[stackTop++] = q;
          onStack[q] = 1;
          path[++depth] = q;
        } else if (onStack[q] === 1 && index[q] < low[p]) low[p] = index[q];
        continue;
      }
      if (low[p] === index[p]) {
        start[components++] = filled;
        let q: number;
        do {
          q = stack[--stackTop];
          onStack[q] = 0;
          order[filled++] = q;
        } while (q !== p);
      }
      depth--;
      if (0 <= depth && low[p] < low[path[depth]]) low[path[depth]] = low[p];
    }
  }
  start[components] = filled;
  return { order, start: start.slice(0, components + 1) };
}
