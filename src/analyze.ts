/**
 * The pipeline from an exploded supergraph to an analysis, run once: flow graphs are contracted and decomposed, then the
 * engine computes summaries and labels. O(n |D|^3) (ESOP 2020, theorem 1).
 */

import { H_COMPONENTS } from "../assembly/image.js";
import { kernelHash } from "../build/kernel-hash.js";
import { Analysis, type EngineOptions, engineFor } from "./analysis.js";
import { OutOfMemoryError, type Queries } from "./engine.js";
import { callComponents } from "./exploded/components.js";
import type { ExplodedSupergraph } from "./exploded/exploded-supergraph.js";
import { assemble } from "./image/assemble.js";
import { decomposeAll, placeForest } from "./image/decompose.js";
import { DemandPlan } from "./image/demand-plan.js";
import { labelLimits } from "./image/label-limits.js";
import { bytesBesideLabels, labelCapacity, readLabelPlan, splitLabels } from "./image/label-plan.js";
import { OnDemandQueries } from "./image/on-demand.js";
import { type Part, PartedQueries } from "./image/parts.js";
import { readProgramTable } from "./image/program-table.js";
import { once } from "./once.js";
import { contract } from "./skeleton/skeleton.js";
import { ProgramSource } from "./update/program-source.js";

export { KernelUnavailable } from "./engine.js";

export type Phase = "contract" | "decompose" | "assemble" | "summaries" | "labels";

export interface Progress {
  readonly phase: Phase;
  /** Procedures, or components of the call graph for summaries: done and in all. */
  readonly done: number;
  readonly total: number;
}

export interface AnalyzeOptions extends EngineOptions {
  /** Called between chunks of work. */
  readonly onProgress?: (progress: Progress) => void;
  /** Checked between chunks of work; throws the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Most bytes that the index may take. Where it would take more, `analyze` throws an `OutOfMemoryError` with the bytes
   * needed before it makes any labels; with `onDemand`, labels take what this leaves.
   */
  readonly memoryLimit?: number;
  /**
   * Computes summaries only, and a procedure's decomposition and labels at the first pair query about it; where labels no
   * longer fit `memoryLimit` (without one, 1 GiB), those of the procedure used least recently go. A procedure whose labels
   * alone would not fit answers by search.
   */
  readonly onDemand?: boolean;
  /**
   * Most bytes of the index in one WebAssembly memory, about 3.25 GiB if not given: a larger index is spread over several,
   * each with its own copy of everything but labels.
   */
  readonly bytesPerMemory?: number;
  /**
   * Most bytes of labels for one procedure, 256 MiB if not given. A procedure that would need more answers from a search
   * in its summary-extended graph: as exact, slower.
   */
  readonly labelBudget?: number;
  /**
   * Sweeps over one procedure, 8 if not given, after which its labels come from elimination, whose cost has a bound for
   * every shape of flow graph.
   */
  readonly sweepLimit?: number;
}

/** Bytes that labels made on demand may take where no limit is given. */
const DEFAULT_DEMAND_BYTES = 2 ** 30;
/** Procedures or components between two looks at the clock. */
const CHUNK = 16;

/**
 * Preprocesses a program. Throws an `OutOfMemoryError` if the index does not fit.
 *
 * @example
 * const analysis = analyze(parseIfds("IFDS 1\nR 0 I\nM 0\nP 0 2 1 0 1 main\ne 0 1 0\nZ\n"));
 * analysis.reaches(0, 0, 0, 1, 0); // true
 */
export function analyze(graph: ExplodedSupergraph, options: AnalyzeOptions = {}): Analysis {
  const steps = pipeline(graph, options);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    options.onProgress?.(step.value);
    options.signal?.throwIfAborted();
  }
}

/** As `analyze`, giving way to other work of the host every few milliseconds. */
export async function analyzeAsync(
  graph: ExplodedSupergraph,
  options: AnalyzeOptions = {},
): Promise<Analysis> {
  const steps = pipeline(graph, options);
  let since = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    options.onProgress?.(step.value);
    if (20 < performance.now() - since) {
      await new Promise((resolve) => setTimeout(resolve));
      since = performance.now();
    }
    options.signal?.throwIfAborted();
  }
}

function checkLimit(memoryLimit: number | undefined, needed: number): void {
  if (memoryLimit === undefined || needed <= memoryLimit) return;
  const space = `the memory limit of ${memoryLimit.toLocaleString("en-US")} bytes`;
  throw new OutOfMemoryError("Index", needed, space);
}

function* pipeline(graph: ExplodedSupergraph, options: AnalyzeOptions): Generator<Progress, Analysis> {
  const limits = labelLimits(options);
  const engine = engineFor(options);
  const procedures = graph.procedureCount;
  const begun = performance.now();
  yield { phase: "contract", done: 0, total: procedures };
  const skeleton = contract(graph);
  const components = callComponents(graph);

  const { memoryLimit, onDemand = false } = options;
  const contracted = performance.now();
  const { forest, decompose } = decomposeAll(skeleton);
  for (let p = 0; p < procedures && !onDemand; p += CHUNK) {
    yield { phase: "decompose", done: p, total: procedures };
    decompose(p, Math.min(p + CHUNK, procedures));
  }

  const decomposed = performance.now();
  yield { phase: "assemble", done: 0, total: procedures };
  const assembled = assemble(graph, skeleton, components, kernelHash);
  placeForest(assembled.image, forest);
  const componentCount = assembled.image[H_COMPONENTS];
  const assembledAt = performance.now();
  const preprocessing = engine.preprocess(assembled);
  for (let c = 0; c < componentCount; c += CHUNK) {
    yield { phase: "summaries", done: c, total: componentCount };
    preprocessing.summarizeComponents(c, Math.min(c + CHUNK, componentCount));
  }
  const { sweepLimit } = limits;
  let { labelBudget } = limits;
  preprocessing.endSummaries();
  const besides = bytesBesideLabels(preprocessing.sealed());
  let capacity = labelCapacity(preprocessing.sealed(), options.bytesPerMemory);
  if (onDemand) {
    // Labels of one procedure always fit: where they would not, it answers by search.
    checkLimit(memoryLimit, besides);
    const left = memoryLimit === undefined ? DEFAULT_DEMAND_BYTES : memoryLimit - besides;
    capacity = Math.max(0, Math.min(capacity, Math.floor(left / 8)));
    labelBudget = Math.min(labelBudget, 8 * capacity);
  }
  const length = preprocessing.planLabels(labelBudget, sweepLimit);

  const summarized = performance.now();
  let queries: Queries;
  if (onDemand) {
    const plan = new DemandPlan(preprocessing, procedures, labelBudget);
    queries = new OnDemandQueries(engine, preprocessing, plan, capacity, sweepLimit);
  } else {
    checkLimit(memoryLimit, besides + 8 * length);
    const planned = preprocessing.sealed();
    const plan = readLabelPlan(planned, length);
    const ranges = splitLabels(plan, capacity);
    // The first memory is the one that has made the summaries; others start from a copy of its image.
    const copy = 1 < ranges.length ? planned.slice() : undefined;
    const parts: Part[] = [];
    for (const range of ranges) {
      const labelling =
        copy === undefined || range.from === 0 ? preprocessing : engine.adopt(copy, sweepLimit);
      labelling.beginLabels(plan.start[range.from], plan.start[range.to] - plan.start[range.from]);
      for (let p = range.from; p < range.to; p += CHUNK) {
        yield { phase: "labels", done: p, total: procedures };
        labelling.labelProcedures(p, Math.min(p + CHUNK, range.to));
      }
      parts.push({ ...range, queries: labelling.finish() });
    }
    queries = parts.length === 1 ? parts[0].queries : new PartedQueries(parts);
  }
  const labelled = performance.now();
  yield { phase: "labels", done: procedures, total: procedures };
  const milliseconds = {
    contract: contracted - begun,
    decompose: decomposed - contracted,
    assemble: assembledAt - decomposed,
    summaries: summarized - assembledAt,
    labels: labelled - summarized,
    total: labelled - begun,
  };
  return new Analysis(engine, queries, readProgramTable(assembled.image), milliseconds, {
    source: once(() => ProgramSource.of(graph)),
    limits: { labelBudget, sweepLimit },
  });
}
