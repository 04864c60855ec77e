/**
 * Batches of queries on all workers of a pool, split evenly: every answer depends on the index alone (ESOP 2020,
 * section 5). The workers hold one index at a time; which one is settled when a batch is sent, since each does what it is
 * sent in order.
 */

import type { Analysis, EngineOptions } from "../analysis.js";
import { Reached } from "../results/reached.js";
import type { Crew } from "./crew.js";
import { canShare } from "./host.js";
import type { Answered } from "./messages.js";
import { sharedWords, shareWords } from "./shared.js";
import { split } from "./split.js";

/** An analysis whose batches are answered by all workers of a pool. */
export class ParallelAnalysis {
  /** The analysis itself, on this thread. */
  readonly analysis: Analysis;
  readonly #crew: Crew;
  readonly #engine: EngineOptions;
  /** What the workers open. */
  #image: Uint32Array | undefined;

  /** @internal `image`: the finished image, if it is shared already. */
  constructor(crew: Crew, analysis: Analysis, engine: EngineOptions, image?: Uint32Array) {
    this.#crew = crew;
    this.analysis = analysis;
    this.#engine = engine;
    this.#image = image;
  }

  /** As `Analysis.reachesAll`. Queries in a `SharedArrayBuffer` are not copied. */
  async reachesAll(queries: Uint32Array): Promise<Uint8Array> {
    if (queries.length % 5 !== 0) return this.analysis.reachesAll(queries);
    const count = queries.length / 5;
    const shared = canShare();
    const words = shared ? shareWords(queries) : queries;
    const answers = shared ? new Uint8Array(new SharedArrayBuffer(count)) : new Uint8Array(count);
    const { size } = this.#crew;
    const bounds = Array.from({ length: size + 1 }, (_, w) => Math.floor((w * count) / size));
    const opened = this.#open();
    const replies = Array.from({ length: size }, (_, w) => {
      const [from, to] = [bounds[w], bounds[w + 1]];
      const own = words.subarray(5 * from, 5 * to);
      if (shared) {
        return this.#crew.request<Answered>(w, {
          kind: "reaches",
          queries: own,
          answers: answers.subarray(from, to),
          count: to - from,
        });
      }
      const copy = own.slice();
      return this.#crew.request<Answered>(w, { kind: "reaches", queries: copy, count: to - from }, [
        copy.buffer,
      ]);
    });
    const [, ...answered] = await Promise.all([opened, ...replies]);
    for (const [w, reply] of answered.entries()) {
      if (reply.answered < bounds[w + 1] - bounds[w])
        this.analysis.refuse(queries, bounds[w] + reply.answered);
      if (reply.answers !== undefined) answers.set(reply.answers, bounds[w]);
    }
    return shared ? answers.slice() : answers;
  }

  /**
   * Single-source queries, three words (p, u, d1) each; answers in the same order. Their words lie one after another in
   * one buffer, shared where the host allows it.
   */
  async fromAll(sources: Uint32Array): Promise<Reached[]> {
    if (sources.length % 3 !== 0) {
      throw new RangeError(`Sources: got ${sources.length} words, expected a multiple of 3 (p, u, d1).`);
    }
    const { vertexCount, factCount } = this.analysis.table;
    const count = sources.length / 3;
    // Words of all answers before each: what the workers' shares are balanced by.
    const start = new Float64Array(count + 1);
    for (let i = 0; i < count; i++) {
      const p = sources[3 * i];
      const [u, d1] = [sources[3 * i + 1], sources[3 * i + 2]];
      // Asked here where ids are out of range, so that the error is the same.
      if (!(p < vertexCount.length && u < vertexCount[p] && d1 < factCount[p])) this.analysis.from(p, u, d1);
      start[i + 1] = start[i] + vertexCount[p] * ((factCount[p] + 31) >>> 5);
    }
    const rows = sharedWords(start[count]);
    const shares = split(start, this.#crew.size);
    const opened = this.#open();
    const replies = shares.map(([from, to], w) =>
      this.#crew.request<{ rows?: Uint32Array }>(w, {
        kind: "from",
        sources: sources.slice(3 * from, 3 * to),
        length: start[to] - start[from],
        ...(canShare() ? { rows: rows.subarray(start[from], start[to]) } : {}),
      }),
    );
    const done = Promise.all([opened, ...replies]);
    const reached: Reached[] = new Array(count);
    for (let i = 0; i < count; i++) {
      const p = sources[3 * i];
      reached[i] = new Reached(vertexCount[p], factCount[p], rows, start[i]);
    }
    const [, ...own] = await done;
    for (const [w, reply] of own.entries()) {
      if (reply.rows !== undefined) rows.set(reply.rows, start[shares[w][0]]);
    }
    return reached;
  }

  /** Sends the workers the index if they hold another; to be called right before a batch is sent. */
  #open(): Promise<unknown> {
    const crew = this.#crew;
    if (crew.opened === this) return Promise.resolve();
    this.#image ??= shareWords(this.analysis.image);
    crew.opened = this;
    return crew.all({ kind: "open", image: this.#image, engine: this.#engine }).catch((error) => {
      if (crew.opened === this) crew.opened = undefined;
      throw error;
    });
  }
}
