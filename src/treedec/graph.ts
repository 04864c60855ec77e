/**
 * Undirected simple graphs as two flat arrays: the input of every algorithm in this folder. Vertices are
 * `0 .. vertexCount`; loops and parallel edges do not exist. Building one from an edge list takes O(n + m): the
 * symmetric lists are bucketed once by vertex and once more by neighbour, which sorts them and puts equal
 * neighbours side by side.
 */

import { grownUint32 } from "./scratch.js";

/** An undirected simple graph. Neighbours of v: `neighbours[neighbourStart[v] .. neighbourStart[v + 1]]`, ascending. */
export interface Graph {
  readonly vertexCount: number;
  readonly neighbourStart: Uint32Array;
  readonly neighbours: Uint32Array;
}

let rawStart = new Uint32Array(64);
let raw = new Uint32Array(256);
let sorted = new Uint32Array(256);
let sortedEnd = new Uint32Array(64);

/**
 * The graph on `vertexCount` vertices with the edges `sources[i] - targets[i]` for i below `count` (default: all).
 * Self-loops are dropped and parallel edges merged. O(n + m). Throws a `RangeError` for an end that is no vertex.
 *
 * @example
 * const path = graphFromEdges(3, [0, 1, 1], [1, 2, 0]);
 * path.neighbours; // Uint32Array [1, 0, 2, 1]
 */
export function graphFromEdges(
  vertexCount: number,
  sources: ArrayLike<number>,
  targets: ArrayLike<number>,
  count: number = sources.length,
): Graph {
  rawStart = grownUint32(rawStart, vertexCount + 2);
  sortedEnd = grownUint32(sortedEnd, vertexCount + 1);
  raw = grownUint32(raw, 2 * count);
  sorted = grownUint32(sorted, 2 * count);
  const start = rawStart;
  const end = sortedEnd;
  const unsorted = raw;
  const ascending = sorted;

  // Offsets are kept one place to the right while the lists are filled, so that filling ends with starts in place.
  start.fill(0, 0, vertexCount + 2);
  for (let i = 0; i < count; i++) {
    const u = sources[i];
    const v = targets[i];
    if (!(u < vertexCount && v < vertexCount)) {
      throw new RangeError(`edge ${i}: got ${u} - ${v}, expected vertices below ${vertexCount}`);
    }
    if (u === v) continue;
    start[u + 2]++;
    start[v + 2]++;
  }
  for (let v = 1; v < vertexCount; v++) start[v + 2] += start[v + 1];
  for (let i = 0; i < count; i++) {
    const u = sources[i];
    const v = targets[i];
    if (u === v) continue;
    unsorted[start[u + 1]++] = v;
    unsorted[start[v + 1]++] = u;
  }

  // Handing out v in ascending order sorts every list; an equal neighbour can only be the one handed out last.
  for (let v = 0; v < vertexCount; v++) end[v] = start[v];
  for (let v = 0; v < vertexCount; v++) {
    for (let i = start[v]; i < start[v + 1]; i++) {
      const u = unsorted[i];
      const at = end[u];
      if (at > start[u] && ascending[at - 1] === v) continue;
      ascending[at] = v;
      end[u] = at + 1;
    }
  }

  const neighbourStart = new Uint32Array(vertexCount + 1);
  let total = 0;
  for (let v = 0; v < vertexCount; v++) {
    total += end[v] - start[v];
    neighbourStart[v + 1] = total;
  }
  const neighbours = new Uint32Array(total);
  let filled = 0;
  for (let v = 0; v < vertexCount; v++) {
    for (let i = start[v]; i < end[v]; i++) neighbours[filled++] = ascending[i];
  }
  return { vertexCount, neighbourStart, neighbours };
}
