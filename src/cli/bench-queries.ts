/**
 * The queries that `phloem bench` puts to all engines: random ones, the same for a seed, or those of a `.q` file with the
 * answers in it. Different queries for each sort: an engine that keeps answers would know them.
 */

import type { ExplodedSupergraph } from "../index.js";
import type { QueryFile } from "./query-file.js";

export type Sort = "pair" | "batch" | "source";
export const SORTS: readonly Sort[] = ["pair", "batch", "source"];

export interface BenchQueries {
  /** Five words (p, u, d1, v, d2) each, of which sources use three. */
  readonly words: Readonly<Record<Sort, Uint32Array>>;
  /** Answers of the file: 0 and 1, of sources how many exploded vertices they reach. */
  readonly expected?: Readonly<Record<Sort, Float64Array>>;
}

/** Single-source queries: what they return is large, a few thousand tell enough. */
const MOST_SOURCES = 2000;

/** As many pairs, and as many in a batch; u uniform over all vertices, v in the same procedure, facts uniform. */
export function randomQueries(graph: ExplodedSupergraph, pairs: number, seed: number): BenchQueries {
  const all = draw(graph, 2 * pairs + Math.min(MOST_SOURCES, pairs), seed);
  return {
    words: {
      pair: all.subarray(0, 5 * pairs),
      batch: all.subarray(5 * pairs, 10 * pairs),
      source: all.subarray(10 * pairs),
    },
  };
}

/** The pairs of a file, by turns asked alone and in a batch, and its single sources. */
export function queriesOfFile({ p, b, i, s }: QueryFile): BenchQueries {
  const pairs = [...p, ...b, ...i];
  const [alone, batch] = [0, 1].map((turn) => pairs.filter((_, k) => k % 2 === turn));
  const words = (lines: typeof pairs) =>
    Uint32Array.from(lines.flatMap(({ p, u, d1, v, d2 }) => [p, u, d1, v, d2]));
  const answers = (lines: typeof pairs) => Float64Array.from(lines, ({ reaches }) => reaches);
  return {
    words: {
      pair: words(alone),
      batch: words(batch),
      source: Uint32Array.from(s.flatMap(({ p, u, d1 }) => [p, u, d1, 0, 0])),
    },
    expected: {
      pair: answers(alone),
      batch: answers(batch),
      source: Float64Array.from(s, ({ count }) => count),
    },
  };
}

function draw(graph: ExplodedSupergraph, count: number, seed: number): Uint32Array {
  const { procedureCount, vertexCount, factCount } = graph;
  const random = randomNumbers(seed);
  const below = (n: number) => Math.floor(random() * n);
  const base = new Float64Array(procedureCount + 1);
  for (let p = 0; p < procedureCount; p++) base[p + 1] = base[p] + vertexCount[p];
  const queries = new Uint32Array(5 * count);
  for (let i = 0; i < count; i++) {
    const x = below(base[procedureCount]);
    let low = 0;
    let high = procedureCount;
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if (base[middle] <= x) low = middle;
      else high = middle;
    }
    const p = low;
    queries.set([p, x - base[p], below(factCount[p]), below(vertexCount[p]), below(factCount[p])], 5 * i);
  }
  return queries;
}

/** Numbers in [0, 1) from a 32-bit state (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}
