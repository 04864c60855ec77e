/**
 * The algorithms by the names that the paper has for them, PAR with its number of workers, and graph search, which the
 * paper does not have. Each is built from an instance and then answers pair queries and single-source queries.
 */

import { TimeLimitError } from "../../src/baselines/index.js";
import type { ExplodedSupergraph } from "../../src/exploded/exploded-supergraph.js";
import { createPool, type Pool } from "../../src/parallel/index.js";
import type { Reached } from "../../src/results/reached.js";
import type { Solver } from "../../src/solver.js";
import { type ContenderName, contenders } from "../contenders.js";
import type { Settings } from "./settings.js";

export const algorithms = ["seq", "par1", "par2", "nopp", "cpp", "od", "search"] as const;
export type AlgorithmName = (typeof algorithms)[number];

export const titles: Readonly<Record<AlgorithmName, string>> = {
  seq: "SEQ",
  par1: "PAR, 1 worker",
  par2: "PAR, 2 workers",
  nopp: "NOPP",
  cpp: "CPP",
  od: "OD",
  search: "search",
};

/** An instance prepared by an algorithm that answers one query after another. */
export interface Prepared {
  readonly solver: Solver;
  readonly bytes: number;
}

/** One that answers queries in batches. */
export interface PreparedBatches {
  readonly bytes: number;
  pairs(queries: Uint32Array): Promise<Uint8Array>;
  sources(queries: Uint32Array): Promise<Reached[]>;
}

const names: Readonly<Record<Exclude<AlgorithmName, "par1" | "par2">, ContenderName>> = {
  seq: "wasm",
  nopp: "nopp",
  cpp: "cpp",
  od: "od",
  search: "search",
};

export type OneByOne = keyof typeof names;

export const workersOf = (name: AlgorithmName): 0 | 1 | 2 => (name === "par1" ? 1 : name === "par2" ? 2 : 0);

/** Throws a `TimeLimitError`, a `MemoryLimitError` or an `OutOfMemoryError` past a limit. */
export function prepare(name: OneByOne, graph: ExplodedSupergraph, settings: Settings): Prepared {
  return contenders[names[name]](graph, settings.preprocessingLimit, settings.memoryLimit);
}

export const startPool = (workers: number, script: URL): Promise<Pool> => createPool({ workers, script });

/** As `prepare`; the limit of time is kept by this thread, and the pool is then of no more use. */
export async function prepareBatches(
  pool: Pool,
  graph: ExplodedSupergraph,
  { preprocessingLimit }: Settings,
): Promise<PreparedBatches> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeLimitError("Preprocessing took too long.")), preprocessingLimit);
  });
  try {
    const parallel = await Promise.race([pool.analyze(graph), limit]);
    return {
      get bytes() {
        return parallel.analysis.statistics.bytes.index;
      },
      pairs: (queries) => parallel.reachesAll(queries),
      sources: (queries) => parallel.fromAll(queries),
    };
  } finally {
    clearTimeout(timer);
  }
}
