/**
 * A pool of workers for preprocessing and for batches of queries. Preprocessing hands out ranges of procedures: flow
 * graphs are contracted and decomposed, and procedures labelled, side by side; summaries, which depend on one another,
 * are computed here in between, so that Amdahl's law holds the whole back. Batches are split evenly: every answer depends
 * on the index alone (ESOP 2020, section 5). Answers and bytes are the same for any number of workers.
 */

import { kernelHash } from "../../build/kernel-hash.js";
import { Analysis, DEFAULT_LIMITS, type EngineOptions, engineFor, once } from "../analysis.js";
import type { AnalyzeOptions } from "../analyze.js";
import { OutOfMemoryError } from "../engine.js";
import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import { assemble } from "../image/assemble.js";
import { joinForests } from "../image/decompose.js";
import { readLabelPlan } from "../image/label-plan.js";
import { readProgramTable } from "../image/program-table.js";
import { Reached } from "../results/reached.js";
import { callComponents } from "../skeleton/components.js";
import { joinSkeletons } from "../skeleton/skeleton.js";
import { ProgramSource } from "../update/program-source.js";
import { availableWorkers, canShare, type Peer, startWorker } from "./host.js";
import type { Labelled, Prepared, Request } from "./messages.js";

/** Ranges that each worker is handed in a phase, so that uneven ones even out. */
const PIECES = 4;

export interface PoolOptions {
  /** Number of workers; as many as the host runs side by side if not given. */
  readonly workers?: number;
  /** The workers' script, `parallel-worker.js` beside this module if not given: for bundlers that move it. */
  readonly script?: URL;
}

/** What a pool's preprocessing can be told: as `analyze`, in one memory and without demand. */
export type ParallelOptions = EngineOptions & Pick<AnalyzeOptions, "labelBudget" | "sweepLimit">;

interface Waiting {
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Starts a pool.
 *
 * @example
 * const pool = await createPool({ workers: 2 });
 * const parallel = await pool.analyze(parseIfds(text));
 * const answers = await parallel.reachesAll(queries);
 * await pool.close();
 */
export async function createPool(options: PoolOptions = {}): Promise<Pool> {
  const workers = options.workers ?? (await availableWorkers());
  if (!(Number.isInteger(workers) && 1 <= workers)) {
    throw new RangeError(`Option workers: got ${workers}, expected a whole number from 1 on.`);
  }
  const pool = new Pool();
  await pool.start(workers, options.script ?? new URL("./parallel-worker.js", import.meta.url));
  return pool;
}

export class Pool {
  readonly #peers: Peer[] = [];
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 0;
  #failure: Error | undefined;
  #size = 0;

  /** @internal */
  async start(workers: number, script: URL): Promise<void> {
    this.#size = workers;
    for (let w = 0; w < workers; w++) {
      this.#peers.push(
        await startWorker(script, {
          message: (message) => this.#receive(message as Reply),
          failed: (reason) =>
            this.#fail(
              new Error(
                `Worker ${w + 1} of ${workers}: got "${reason}", expected it to run until the pool is closed.`,
              ),
            ),
        }),
      );
    }
  }

  get size(): number {
    return this.#size;
  }

  /** Preprocesses a program on all workers: what `analyze` does, and the same index. */
  async analyze(graph: ExplodedSupergraph, options: ParallelOptions = {}): Promise<ParallelAnalysis> {
    const begun = performance.now();
    const engine = engineFor(options);
    const kernel = options.kernel === undefined ? {} : { kernel: options.kernel };
    const engineOptions: EngineOptions = { engine: engine.name, ...kernel };
    const limits = {
      labelBudget: options.labelBudget ?? DEFAULT_LIMITS.labelBudget,
      sweepLimit: Math.min(options.sweepLimit ?? DEFAULT_LIMITS.sweepLimit, 2 ** 32 - 1),
    };
    await this.#all({ kind: "program", graph: shareProgram(graph) });
    const procedures = graph.procedureCount;
    const vertexStart = new Float64Array(procedures + 1);
    for (let p = 0; p < procedures; p++) vertexStart[p + 1] = vertexStart[p] + graph.vertexCount[p];
    const prepared = this.#handOut<Prepared>(
      split(vertexStart, PIECES * this.#size).map(([from, to]) => ({ kind: "prepare", from, to })),
    );
    const components = callComponents(graph);
    const parts = await prepared;
    const skeleton = joinSkeletons(parts.map((part) => part.skeleton));
    const forest = joinForests(parts.map((part) => part.forest));
    const decomposed = performance.now();

    const assembled = assemble(graph, skeleton, components, forest, kernelHash);
    const assembledAt = performance.now();
    const preprocessing = engine.preprocess(assembled);
    preprocessing.summarizeComponents(0, components.start.length - 1);
    const length = preprocessing.endSummaries(limits.labelBudget, limits.sweepLimit);
    const planned = shareWords(preprocessing.planned());
    const { start } = readLabelPlan(planned, length);
    const summarized = performance.now();

    await this.#all({ kind: "adopt", planned, sweepLimit: limits.sweepLimit, engine: engineOptions });
    const pieces = split(start, PIECES * this.#size);
    const labelled = this.#handOut<Labelled>(
      pieces.map(([from, to]) => ({
        kind: "label",
        from,
        to,
        base: start[from],
        length: start[to] - start[from],
      })),
    );
    preprocessing.beginLabels(0, length);
    for (const [i, { labels, records }] of (await labelled).entries()) {
      preprocessing.putLabels(start[pieces[i][0]], labels, pieces[i][0], records);
    }
    const queries = preprocessing.finish();
    const end = performance.now();
    const milliseconds = {
      contract: 0,
      decompose: decomposed - begun,
      assemble: assembledAt - decomposed,
      summaries: summarized - assembledAt,
      labels: end - summarized,
      total: end - begun,
    };
    const analysis = new Analysis(engine, queries, readProgramTable(assembled.image), milliseconds, {
      source: once(() => ProgramSource.of(graph)),
      limits,
    });
    return this.load(analysis, engineOptions);
  }

  /** Batches about an analysis that exists: the workers get its index at the first batch. */
  async load(analysis: Analysis, options: EngineOptions = {}): Promise<ParallelAnalysis> {
    return new ParallelAnalysis(this, analysis, options);
  }

  /** Ends the workers. What is under way is refused. */
  async close(): Promise<void> {
    this.#fail(new Error("Pool: got a request after close(), expected none."));
    await Promise.all(this.#peers.map((peer) => peer.stop()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @internal Queries of all workers are about this image from now on. */
  async open(image: Uint32Array, engine: EngineOptions): Promise<void> {
    await this.#all({ kind: "open", image: shareWords(image), engine });
  }

  /** @internal One request to one worker. */
  request<T>(worker: number, message: Request, transfer: readonly ArrayBuffer[] = []): Promise<T> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      this.#waiting.set(id, { resolve: resolve as (reply: unknown) => void, reject });
      this.#peers[worker].post({ id, message }, transfer);
    });
  }

  async #all(message: Request): Promise<void> {
    await Promise.all(this.#peers.map((_, worker) => this.request(worker, message)));
  }

  /** Requests for whichever worker is free; replies in the order of requests. */
  async #handOut<T>(requests: readonly Request[]): Promise<T[]> {
    const replies: T[] = new Array(requests.length);
    let next = 0;
    const work = async (worker: number) => {
      while (next < requests.length) {
        const i = next++;
        replies[i] = await this.request<T>(worker, requests[i]);
      }
    };
    await Promise.all(this.#peers.map((_, worker) => work(worker)));
    return replies;
  }

  #receive({ id, reply, error }: Reply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(reply);
    else waiting?.reject(revive(error));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
  }
}

interface Reply {
  readonly id: number;
  readonly reply?: unknown;
  readonly error?: { readonly name: string; readonly message: string; readonly bytes?: number };
}

/** An error of a worker, in its class. */
function revive({ name, message, bytes }: NonNullable<Reply["error"]>): Error {
  if (name === "OutOfMemoryError") {
    const error = new OutOfMemoryError("Worker", bytes ?? 0);
    error.message = message;
    return error;
  }
  return name === "RangeError" ? new RangeError(message) : new Error(message);
}

/** An analysis whose batches are answered by all workers of a pool. */
export class ParallelAnalysis {
  /** The analysis itself, on this thread. */
  readonly analysis: Analysis;
  readonly #pool: Pool;
  readonly #engine: EngineOptions;
  #opened: Promise<void> | undefined;

  /** @internal */
  constructor(pool: Pool, analysis: Analysis, engine: EngineOptions) {
    this.#pool = pool;
    this.analysis = analysis;
    this.#engine = engine;
  }

  /** As `Analysis.reachesAll`. Queries in a `SharedArrayBuffer` are not copied. */
  async reachesAll(queries: Uint32Array): Promise<Uint8Array> {
    if (queries.length % 5 !== 0) return this.analysis.reachesAll(queries);
    const count = queries.length / 5;
    await this.#open();
    const shared = canShare();
    const words = shared ? shareWords(queries) : queries;
    const answers = shared ? new Uint8Array(new SharedArrayBuffer(count)) : new Uint8Array(count);
    const { size } = this.#pool;
    const bounds = Array.from({ length: size + 1 }, (_, w) => Math.floor((w * count) / size));
    const replies = await Promise.all(
      Array.from({ length: size }, async (_, w) => {
        const [from, to] = [bounds[w], bounds[w + 1]];
        const own = words.subarray(5 * from, 5 * to);
        if (shared) {
          return this.#pool.request<{ answered: number; answers?: Uint8Array }>(w, {
            kind: "reaches",
            queries: own,
            answers: answers.subarray(from, to),
            count: to - from,
          });
        }
        const copy = own.slice();
        return this.#pool.request<{ answered: number; answers?: Uint8Array }>(
          w,
          { kind: "reaches", queries: copy, count: to - from },
          [copy.buffer],
        );
      }),
    );
    for (const [w, reply] of replies.entries()) {
      if (reply.answered < bounds[w + 1] - bounds[w])
        this.analysis.refuse(queries, bounds[w] + reply.answered);
      if (reply.answers !== undefined) answers.set(reply.answers, bounds[w]);
    }
    return shared ? answers.slice() : answers;
  }

  /** Single-source queries, three words (p, u, d1) each; answers in the same order. */
  async fromAll(sources: Uint32Array): Promise<Reached[]> {
    if (sources.length % 3 !== 0) {
      throw new RangeError(`Sources: got ${sources.length} words, expected a multiple of 3 (p, u, d1).`);
    }
    const count = sources.length / 3;
    // Words of all answers before each: what the workers' shares are balanced by.
    const start = new Float64Array(count + 1);
    const shapes = new Map<number, readonly [vertices: number, facts: number]>();
    for (let i = 0; i < count; i++) {
      const [p, u, d1] = sources.subarray(3 * i, 3 * i + 3);
      let shape = shapes.get(p);
      if (shape === undefined) {
        const { vertexCount, factCount } = this.analysis.procedure(p);
        shape = [vertexCount, factCount];
        shapes.set(p, shape);
      }
      // Asked here where the ids are out of range, so that the error is the same.
      if (shape[0] <= u || shape[1] <= d1) this.analysis.from(p, u, d1);
      start[i + 1] = start[i] + shape[0] * ((shape[1] + 31) >>> 5);
    }
    await this.#open();
    const shares = split(start, this.#pool.size);
    const replies = await Promise.all(
      shares.map(([from, to], w) =>
        this.#pool.request<Uint32Array>(w, { kind: "from", sources: sources.slice(3 * from, 3 * to) }),
      ),
    );
    const reached: Reached[] = [];
    for (const [w, [from, to]] of shares.entries()) {
      for (let i = from; i < to; i++) {
        const [vertices, facts] = shapes.get(sources[3 * i])!;
        const words = replies[w].subarray(start[i] - start[from], start[i + 1] - start[from]);
        reached.push(new Reached(vertices, facts, words));
      }
    }
    return reached;
  }

  /** Gives the workers the index, once. */
  #open(): Promise<void> {
    this.#opened ??= this.#pool.open(this.analysis.image, this.#engine);
    return this.#opened;
  }
}

/** At most `count` ranges of things, in order, of about equal weight; `start` says what weighs before each. */
function split(start: Float64Array, count: number): [from: number, to: number][] {
  const things = start.length - 1;
  const ranges: [number, number][] = [];
  let from = 0;
  for (let k = 1; k <= count && from < things; k++) {
    let to = from + 1;
    while (to < things && start[to] < (start[things] * k) / count) to++;
    if (k === count) to = things;
    ranges.push([from, to]);
    from = to;
  }
  return ranges.length === 0 ? [[0, 0]] : ranges;
}

/** The words in shared memory where the host allows it; as they are otherwise. */
function shareWords(words: Uint32Array): Uint32Array {
  if (!canShare() || words.buffer instanceof SharedArrayBuffer) return canShare() ? words : words.slice();
  const shared = new Uint32Array(new SharedArrayBuffer(words.byteLength));
  shared.set(words);
  return shared;
}

function shareProgram(graph: ExplodedSupergraph): ExplodedSupergraph {
  // Names and header stay here: only numbers matter to the workers.
  const shared: Record<string, unknown> = { ...graph, names: [], header: [], relations: undefined };
  for (const [key, value] of Object.entries(graph)) {
    if (value instanceof Uint32Array) shared[key] = shareWords(value);
  }
  return shared as unknown as ExplodedSupergraph;
}
