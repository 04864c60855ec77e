/** The solvers under test, by name: the only place where tests name them. */

import { readFileSync } from "node:fs";
import { type AnalyzeOptions, analyze } from "../../src/analyze.js";
import { baselines } from "../../src/baselines/index.js";
import { OutOfMemoryError } from "../../src/engine.js";
import type { ExplodedSupergraph } from "../../src/exploded/exploded-supergraph.js";
import type { Solver } from "../../src/solver.js";

export interface NamedEngine {
  readonly name: string;
  readonly create: (graph: ExplodedSupergraph) => Solver;
}

const debugKernel = readFileSync("build/kernel.debug.wasm");

/** The ways in which `analyze` can be made to work: both builds of the kernel, the reference, each route to an answer. */
export const variants: readonly (readonly [name: string, options: AnalyzeOptions])[] = [
  ["wasm", {}],
  ["wasm, debug build", { kernel: debugKernel }],
  ["wasm, labels by elimination", { kernel: debugKernel, sweepLimit: 0 }],
  ["wasm, by search", { kernel: debugKernel, labelBudget: 0 }],
  ["wasm, a memory per procedure", { bytesPerMemory: 1 }],
  ["reference", { engine: "reference" }],
  ["reference, labels by elimination", { engine: "reference", sweepLimit: 0 }],
  ["reference, by search", { engine: "reference", labelBudget: 0 }],
];

/** The least memory limit that an analysis on demand accepts: room for the labels of one procedure at a time, about. */
function leastLimit(graph: ExplodedSupergraph, options: AnalyzeOptions): number {
  for (let limit = 1; ; ) {
    try {
      analyze(graph, { ...options, memoryLimit: limit });
      return limit;
    } catch (error) {
      if (!(error instanceof OutOfMemoryError)) throw error;
      limit = error.bytes;
    }
  }
}

export const analyses: readonly NamedEngine[] = [
  ...variants.map(([name, options]) => ({
    name,
    create: (graph: ExplodedSupergraph) => analyze(graph, options),
  })),
  ...variants
    .filter(([name]) => name === "wasm, debug build" || name === "reference")
    .map(([name, options]) => ({
      name: `${name}, on demand in the least memory`,
      create: (graph: ExplodedSupergraph) => {
        const onDemand = { ...options, onDemand: true };
        return analyze(graph, { ...onDemand, memoryLimit: leastLimit(graph, onDemand) });
      },
    })),
];

/** The engine as users get it, on either of its kernels. */
export const mainEngines: readonly NamedEngine[] = analyses.filter(
  ({ name }) => name === "wasm" || name === "reference",
);

export const engines: readonly NamedEngine[] = [
  ...analyses,
  ...Object.entries(baselines).map(([name, create]) => ({
    name,
    create: (graph: ExplodedSupergraph) => create(graph),
  })),
];
