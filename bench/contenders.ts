/** The engines and baselines by name, each built under the same limits. */

import type { Analysis, PhaseMilliseconds } from "../src/analysis.js";
import { type AnalyzeOptions, analyze } from "../src/analyze.js";
import { baselines, TimeLimitError } from "../src/baselines/index.js";
import type { ExplodedSupergraph } from "../src/exploded/exploded-supergraph.js";
import type { Solver } from "../src/solver.js";

export interface Built {
  readonly solver: Solver;
  readonly bytes: number;
  readonly phases?: PhaseMilliseconds;
}

/** `timeLimit` in milliseconds; `memoryLimit`, in bytes, is the engine's or the baselines' own unless given. */
export type Build = (graph: ExplodedSupergraph, timeLimit: number, memoryLimit?: number) => Built;

/** `analyze`, stopped by a `TimeLimitError`. */
export function analyzeWithin(
  graph: ExplodedSupergraph,
  timeLimit: number,
  options: AnalyzeOptions = {},
): Analysis {
  const end = performance.now() + timeLimit;
  const onProgress = () => {
    if (end < performance.now()) throw new TimeLimitError(`Preprocessing took more than ${timeLimit} ms.`);
  };
  return analyze(graph, { ...options, onProgress });
}

const limited = (memoryLimit: number | undefined) => (memoryLimit === undefined ? {} : { memoryLimit });

const engine =
  (name: "wasm" | "reference"): Build =>
  (graph, timeLimit, memoryLimit) => {
    const solver = analyzeWithin(graph, timeLimit, { engine: name, ...limited(memoryLimit) });
    const { bytes, milliseconds } = solver.statistics;
    return { solver, bytes: bytes.index, phases: milliseconds };
  };

const baseline =
  (name: keyof typeof baselines): Build =>
  (graph, timeLimit, memoryLimit) => {
    const solver = baselines[name](graph, { timeLimit, ...limited(memoryLimit) });
    return { solver, bytes: solver.bytes };
  };

export const contenders = {
  wasm: engine("wasm"),
  reference: engine("reference"),
  search: baseline("search"),
  nopp: baseline("nopp"),
  cpp: baseline("cpp"),
  od: baseline("od"),
} as const satisfies Record<string, Build>;

export type ContenderName = keyof typeof contenders;

export const contenderNames = Object.keys(contenders) as ContenderName[];

/** These do all their work at queries: there is no preprocessing to time, and a batch is as many single queries. */
export const worksAtQueries = (name: ContenderName): boolean => name === "nopp" || name === "od";
