/**
 * A pool of workers for preprocessing and for batches of queries. Answers and bytes are the same for any number of
 * workers. Until it is closed a pool keeps the memory that its largest programs took, up to a bound, for the next.
 */

import { Analysis, type EngineOptions, engineFor } from "../analysis.js";
import type { AnalyzeOptions } from "../analyze.js";
import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import { show } from "../exploded/shown-value.js";
import { DeferredQueries } from "../image/deferred.js";
import { labelLimits } from "../image/label-limits.js";
import { once } from "../once.js";
import { ProgramSource } from "../update/program-source.js";
import { Crew } from "./crew.js";
import { availableWorkers } from "./host.js";
import { ParallelAnalysis } from "./parallel-analysis.js";
import { preprocess } from "./preprocess.js";
import { SharedSpace } from "./shared.js";

export interface PoolOptions {
  /** Number of workers, 1024 at most; as many as the host runs side by side if not given. */
  readonly workers?: number;
  /** The workers' script, `parallel-worker.js` beside this module if not given: for bundlers that move it. */
  readonly script?: URL;
}

/** More would be an error in a unit: no host runs as many side by side. */
const MOST_WORKERS = 1024;

/** What a pool's preprocessing can be told: as `analyze`, in one memory and without demand. */
export type ParallelOptions = EngineOptions & Pick<AnalyzeOptions, "labelBudget" | "sweepLimit">;

/** Options of `analyze` that a pool cannot keep to. */
const NOT_IN_POOLS = ["memoryLimit", "bytesPerMemory", "onDemand", "onProgress", "signal"] as const;

/**
 * Starts a pool; done when every worker has answered. Throws a `RangeError` or `TypeError` for options that are none, and
 * an Error where a worker does not start: its script is missing, is broken or is not that of this version.
 *
 * @example
 * const pool = await createPool({ workers: 2 });
 * const parallel = await pool.analyze(parseIfds(text));
 * const answers = await parallel.reachesAll(queries);
 * await pool.close();
 */
export async function createPool(options: PoolOptions = {}): Promise<Pool> {
  const workers = options.workers ?? (await availableWorkers());
  if (!(Number.isInteger(workers) && 1 <= workers && workers <= MOST_WORKERS)) {
    throw new RangeError(
      `Option workers: got ${show(workers)}, expected a whole number from 1 to ${MOST_WORKERS}.`,
    );
  }
  const script = options.script ?? new URL("./parallel-worker.js", import.meta.url);
  if (!(script instanceof URL)) throw new TypeError(`Option script: got ${show(script)}, expected a URL.`);
  return new Pool(await Crew.start(workers, script));
}

export class Pool {
  readonly #crew: Crew;
  readonly #space = new SharedSpace();
  /** Ends when the program that is being prepared is done: the workers prepare one at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  /** @internal Use `createPool`. */
  constructor(crew: Crew) {
    this.#crew = crew;
  }

  get size(): number {
    return this.#crew.size;
  }

  /**
   * Preprocesses a program on all workers: what `analyze` does, and the same index. Phases overlap, so that their
   * milliseconds may sum to more than the total. This thread's copy of the index is made at its first query here. Throws
   * what `analyze` throws, and a `RangeError` for those of its options that a pool cannot keep to.
   */
  async analyze(graph: ExplodedSupergraph, options: ParallelOptions = {}): Promise<ParallelAnalysis> {
    labelLimits(options);
    for (const name of NOT_IN_POOLS) {
      const value: unknown = (options as AnalyzeOptions)[name];
      if (value !== undefined && value !== false) {
        throw new RangeError(
          `Option ${name}: got ${show(value)}, expected none: it is for analyze without a pool.`,
        );
      }
    }
    const analysis = this.#turn.then(() => this.#analyze(graph, options));
    this.#turn = analysis.catch(() => undefined);
    return analysis;
  }

  async #analyze(graph: ExplodedSupergraph, options: ParallelOptions): Promise<ParallelAnalysis> {
    const engine = engineFor(options);
    const kernel = options.kernel === undefined ? {} : { kernel: options.kernel };
    const engineOptions: EngineOptions = { engine: engine.name, ...kernel };
    const limits = labelLimits(options);
    try {
      const { image, table, milliseconds } = await preprocess(
        this.#crew,
        this.#space,
        graph,
        engineOptions,
        limits,
      );
      const queries = new DeferredQueries(engine, image);
      const analysis = new Analysis(engine, queries, table, milliseconds, {
        source: once(() => ProgramSource.of(graph)),
        limits,
      });
      return new ParallelAnalysis(this.#crew, analysis, engineOptions, image);
    } catch (error) {
      // What workers are still at ends before the next program begins.
      this.#crew.forgetTasks();
      await this.#crew.all({ kind: "release" }).catch(() => undefined);
      throw error;
    }
  }

  /** Batches about an analysis that exists: the workers get its index at the first batch. */
  async load(analysis: Analysis, options: EngineOptions = {}): Promise<ParallelAnalysis> {
    engineFor(options);
    return new ParallelAnalysis(this.#crew, analysis, options);
  }

  /** Ends the workers. What is under way is refused. */
  close(): Promise<void> {
    return this.#crew.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
