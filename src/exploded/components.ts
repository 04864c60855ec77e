/**
 * Strongly connected components of a directed graph, successors first (Tarjan, SIAM J. Comput. 1972, with an explicit
 * stack). Edges that leave a component lead to components that come earlier: of the call graph, callees come first, which
 * is the order in which summaries are computed. Linear time.
 */

import type { ExplodedSupergraph } from "./exploded-supergraph.js";

export interface Components {
  /** All vertices; those of one component are neighbours. */
  readonly order: Uint32Array;
  /** Component `i` is `order[start[i] .. start[i + 1]]`: where each begins, and the end. */
  readonly start: Uint32Array;
}

/** The components of the call graph: a component comes after all that it calls. */
export function callComponents({
  procedureCount,
  callStart,
  callCallee,
}: Pick<ExplodedSupergraph, "procedureCount" | "callStart" | "callCallee">): Components {
  return components(procedureCount, callStart, callCallee);
}

/**
 * The components of a graph on `0 .. vertexCount - 1`; the successors of `x` are
 * `successors[edgeStart[x] .. edgeStart[x + 1]]`.
 */
export function components(vertexCount: number, edgeStart: Uint32Array, successors: Uint32Array): Components {
  const order = new Uint32Array(vertexCount);
  const start = new Uint32Array(vertexCount + 1);
  /** Order of discovery from 1 on; 0 is undiscovered. `low` is the earliest one known to be reachable. */
  const found = new Uint32Array(vertexCount);
  const low = new Uint32Array(vertexCount);
  const isOpen = new Uint8Array(vertexCount);
  const open = new Uint32Array(vertexCount);
  const path = new Uint32Array(vertexCount);
  const nextEdge = edgeStart.slice(0, vertexCount);
  let openLength = 0;
  let pathLength = 0;
  let clock = 0;
  let placed = 0;
  let count = 0;
  for (let root = 0; root < vertexCount; root++) {
    if (found[root] !== 0) continue;
    let discovered = root;
    do {
      if (0 <= discovered) {
        found[discovered] = low[discovered] = ++clock;
        isOpen[discovered] = 1;
        open[openLength++] = discovered;
        path[pathLength++] = discovered;
        discovered = -1;
      }
      const x = path[pathLength - 1];
      if (nextEdge[x] < edgeStart[x + 1]) {
        const y = successors[nextEdge[x]++];
        if (found[y] === 0) discovered = y;
        else if (isOpen[y] === 1 && found[y] < low[x]) low[x] = found[y];
        continue;
      }
      pathLength--;
      if (0 < pathLength) {
        const before = path[pathLength - 1];
        if (low[x] < low[before]) low[before] = low[x];
      }
      if (low[x] !== found[x]) continue;
      let y: number;
      do {
        y = open[--openLength];
        isOpen[y] = 0;
        order[placed++] = y;
      } while (y !== x);
      start[++count] = placed;
    } while (0 < pathLength);
  }
  return { order, start: start.slice(0, count + 1) };
}
