/**
 * Seeded random questions about a program, drawn as the `p` lines of query files are: the first vertex uniformly from
 * all vertices of the program, the second from the same procedure, facts uniformly.
 */

import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";

/** The same for all engines: pairs (p, u, d1, v, d2) and sources (p, u, d1), one after another. */
export interface Questions {
  readonly pairs: Uint32Array;
  readonly sources: Uint32Array;
}

/** `pairCount` pairs and `sourceCount` sources; `seed` determines them all. */
export function randomQuestions(
  { procedureCount, vertexCount, factCount }: ExplodedSupergraph,
  pairCount: number,
  sourceCount: number,
  seed: number,
): Questions {
  const firstVertex = new Float64Array(procedureCount + 1);
  for (let p = 0; p < procedureCount; p++) firstVertex[p + 1] = firstVertex[p] + vertexCount[p];
  const below = generator(seed);
  const vertex = (): [p: number, u: number] => {
    const drawn = below(firstVertex[procedureCount]);
    let low = 0;
    for (let high = procedureCount; 1 < high - low; ) {
      const middle = (low + high) >>> 1;
      if (firstVertex[middle] <= drawn) low = middle;
      else high = middle;
    }
    return [low, drawn - firstVertex[low]];
  };
  const pairs = new Uint32Array(5 * pairCount);
  for (let i = 0; i < pairs.length; i += 5) {
    const [p, u] = vertex();
    pairs.set([p, u, below(factCount[p]), below(vertexCount[p]), below(factCount[p])], i);
  }
  const sources = new Uint32Array(3 * sourceCount);
  for (let i = 0; i < sources.length; i += 3) {
    const [p, u] = vertex();
    sources.set([p, u, below(factCount[p])], i);
  }
  return { pairs, sources };
}

/** Uniform integers below a bound, from Mulberry32. */
function generator(seed: number): (end: number) => number {
  let state = seed;
  return (end) => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return Math.floor((((x ^ (x >>> 14)) >>> 0) / 2 ** 32) * end);
  };
}
