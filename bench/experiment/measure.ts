/**
 * One algorithm on one instance: preprocessing, random pair queries, random single-source queries, and all answers. It
 * runs in a process of its own, so that no algorithm finds caches warmed, code compiled or memory filled by another.
 * What is quick is repeated, and the median counts; the first preprocessing of a process, which compiles, is given too.
 * Times are milliseconds for a whole phase and microseconds for one query.
 */

import type { ExplodedSupergraph } from "../../src/exploded/exploded-supergraph.js";
import { AnswerHash } from "../../src/results/answer-hash.js";
import type { Reached } from "../../src/results/reached.js";
import type { Solver } from "../../src/solver.js";
import { type Cell, collectGarbage, median, sink, whyStopped } from "../harness.js";
import { randomQueries } from "../instances.js";
import { peakBytes } from "../memory.js";
import {
  type AlgorithmName,
  type OneByOne,
  prepare,
  prepareBatches,
  startPool,
  workersOf,
} from "./algorithms.js";
import type { Settings } from "./settings.js";

export type Stopped = Exclude<Cell, number>;

/** Queries of one kind. */
export interface QueryFigures {
  /** Queries that were answered within the limit of time, the first ones. */
  readonly answered: number;
  /** Microseconds per query, mean over these; median of such means. */
  readonly microseconds: number;
}

export interface Measurement {
  /** Why the algorithm was stopped: then there is no more than the peak, and what was measured before. */
  readonly stopped?: Stopped;
  /** Milliseconds: the first run of the process, and the median of those after it, if there are any. */
  readonly first?: number;
  readonly preprocessing?: number;
  /** Bytes of what is kept for queries, before any. */
  readonly bytes?: number;
  /** One call per query; for PAR all queries in one batch. */
  readonly pair?: QueryFigures;
  readonly source?: QueryFigures;
  /** SEQ: all pair queries in one call, as PAR has them. */
  readonly batch?: QueryFigures;
  /** SEQ and PAR: as many single-source queries in one batch as fit into `LARGE_BATCH` bytes. */
  readonly large?: QueryFigures;
  /** Bytes of the process at its largest. */
  readonly peak: number;
  readonly answers?: Answers;
}

export interface Answers {
  /** One bit per pair query that was answered, in base64. */
  readonly pairs: string;
  /** Per single-source query that was answered: how many exploded vertices, and a hash of them. */
  readonly sources: readonly string[];
}

/** Bytes of answers in a large batch, and queries at most. */
const LARGE_BATCH = 2 ** 26;
const LARGE_COUNT = 10_000;

/** The worker's script is needed by PAR alone. */
export async function measure(
  name: AlgorithmName,
  graph: ExplodedSupergraph,
  settings: Settings,
  script: URL,
): Promise<Measurement> {
  const partial: Draft = {};
  try {
    const workers = workersOf(name);
    if (workers === 0) measureOneByOne(name as OneByOne, graph, settings, partial);
    else await measureBatches(workers, graph, settings, script, partial);
  } catch (error) {
    partial.stopped = whyStopped(error);
  }
  return { ...partial, peak: peakBytes() };
}

/** A measurement as far as it has come. */
type Draft = { -readonly [K in keyof Measurement]?: Measurement[K] };

function measureOneByOne(
  name: OneByOne,
  graph: ExplodedSupergraph,
  settings: Settings,
  figures: Draft,
): void {
  const { pairs, sources } = queriesOf(graph, settings);
  let built: { solver: Solver; bytes: number } | undefined;
  const times: number[] = [];
  for (let spent = 0; isUnsure(times.length, spent, settings); ) {
    built = undefined;
    collectGarbage();
    const begun = performance.now();
    built = prepare(name, graph, settings);
    times.push(performance.now() - begun);
    spent += times[times.length - 1];
  }
  notePreprocessing(times, figures);
  figures.bytes = built!.bytes;

  // A cache that has seen the queries would answer others: OD begins each pass with an empty one.
  const fresh = () => (name === "od" ? prepare(name, graph, settings).solver : built!.solver);
  const answers = new Uint8Array(pairs.length / 5);
  figures.pair = passes(settings, answers.length, (limit) => {
    const solver = fresh();
    return timePairs(solver, pairs, answers, limit);
  });
  const hashes: string[] = [];
  figures.source = passes(settings, sources.length / 3, (limit) => {
    const solver = fresh();
    return timeSources(solver, sources, hashes, limit);
  });
  figures.answers = { pairs: packed(answers.subarray(0, figures.pair.answered)), sources: hashes };
  if (name !== "seq") return;
  figures.batch = passes(settings, answers.length, () => {
    const begun = performance.now();
    sink(built!.solver.reachesAll(pairs).length);
    return [answers.length, performance.now() - begun];
  });
  const large = largeBatch(graph, sources);
  figures.large = passes(settings, large.length / 3, () => {
    const begun = performance.now();
    for (let i = 0; i < large.length; i += 3)
      sink(built!.solver.from(large[i], large[i + 1], large[i + 2]).words[0]);
    return [large.length / 3, performance.now() - begun];
  });
}

async function measureBatches(
  workers: number,
  graph: ExplodedSupergraph,
  settings: Settings,
  script: URL,
  figures: Draft,
): Promise<void> {
  const { pairs, sources } = queriesOf(graph, settings);
  const pool = await startPool(workers, script);
  try {
    const times: number[] = [];
    let prepared: Awaited<ReturnType<typeof prepareBatches>> | undefined;
    for (let spent = 0; isUnsure(times.length, spent, settings); ) {
      collectGarbage();
      const begun = performance.now();
      prepared = await prepareBatches(pool, graph, settings);
      times.push(performance.now() - begun);
      spent += times[times.length - 1];
    }
    notePreprocessing(times, figures);
    const { bytes, pairs: askPairs, sources: askSources } = prepared!;
    figures.bytes = bytes;

    // The index goes to the workers with the first batch, before the clock starts.
    const answers = await askPairs(pairs);
    const shared = new Uint32Array(new SharedArrayBuffer(pairs.byteLength));
    shared.set(pairs);
    figures.pair = await batches(settings, answers.length, async () => sink((await askPairs(shared)).length));
    const hashes = (await askSources(sources)).map(hashOf);
    figures.source = await batches(settings, hashes.length, async () =>
      sink((await askSources(sources)).length),
    );
    const large = largeBatch(graph, sources);
    figures.large = await batches(settings, large.length / 3, async () =>
      sink((await askSources(large)).length),
    );
    figures.answers = { pairs: packed(answers), sources: hashes };
  } finally {
    await pool.close();
  }
}

/** (p, u, d1, v, d2) five after five, and (p, u, d1) three after three: vertices uniform over the program, facts over D*. */
export function queriesOf(
  graph: ExplodedSupergraph,
  { pairQueries, sourceQueries, seed }: Settings,
): { pairs: Uint32Array; sources: Uint32Array } {
  const drawn = randomQueries(graph, sourceQueries, seed + 1);
  const sources = new Uint32Array(3 * sourceQueries);
  for (let i = 0; i < sourceQueries; i++) sources.set(drawn.subarray(5 * i, 5 * i + 3), 3 * i);
  return { pairs: randomQueries(graph, pairQueries, seed), sources };
}

/** The queries again and again. */
function largeBatch(graph: ExplodedSupergraph, sources: Uint32Array): Uint32Array {
  const large: number[] = [];
  let bytes = 0;
  for (let i = 0; large.length < 3 * LARGE_COUNT; i = (i + 3) % sources.length) {
    const [p, u, d] = [sources[i], sources[i + 1], sources[i + 2]];
    bytes += 4 * graph.vertexCount[p] * ((graph.factCount[p] + 31) >>> 5);
    if (LARGE_BATCH < bytes && 0 < large.length) break;
    large.push(p, u, d);
  }
  return Uint32Array.from(large);
}

/** Whether to measure once more, after `turns` that took `spent` milliseconds: three times, unless that takes very long. */
function isUnsure(turns: number, spent: number, { repeatFor, rounds }: Settings): boolean {
  return turns === 0 || (turns < 3 && spent < 10 * repeatFor) || (turns < rounds && spent < repeatFor);
}

function notePreprocessing(times: readonly number[], figures: Draft): void {
  figures.first = times[0];
  figures.preprocessing = median(1 < times.length ? times.slice(1) : times);
}

/** `pass` gives how many queries it answered within `limit` milliseconds, and in how many it did. */
function passes(
  settings: Settings,
  count: number,
  pass: (limit: number) => readonly [answered: number, milliseconds: number],
): QueryFigures {
  const means: number[] = [];
  let least = count;
  for (let spent = 0; isUnsure(means.length, spent, settings); ) {
    const [answered, milliseconds] = pass(settings.queryLimit);
    least = Math.min(least, answered);
    means.push((1000 * milliseconds) / answered);
    spent += milliseconds;
  }
  return { answered: least, microseconds: median(means) };
}

async function batches(settings: Settings, count: number, batch: () => Promise<void>): Promise<QueryFigures> {
  const means: number[] = [];
  for (let spent = 0; isUnsure(means.length, spent, settings); ) {
    const begun = performance.now();
    await batch();
    const milliseconds = performance.now() - begun;
    means.push((1000 * milliseconds) / count);
    spent += milliseconds;
  }
  return { answered: count, microseconds: median(means) };
}

/** The clock is read after 1, 2, 4, ... and then every 256 queries. */
function timePairs(
  solver: Solver,
  queries: Uint32Array,
  answers: Uint8Array,
  limit: number,
): [answered: number, milliseconds: number] {
  let done = 0;
  const begun = performance.now();
  let spent = 0;
  for (
    let chunk = 1;
    done < answers.length && (done === 0 || spent < limit);
    chunk = Math.min(2 * chunk, 256)
  ) {
    const end = Math.min(done + chunk, answers.length);
    for (; done < end; done++) {
      const i = 5 * done;
      const yes = solver.reaches(queries[i], queries[i + 1], queries[i + 2], queries[i + 3], queries[i + 4]);
      answers[done] = yes ? 1 : 0;
    }
    spent = performance.now() - begun;
  }
  return [done, spent];
}

/** Hashes are made beside the clock, once per query. */
function timeSources(
  solver: Solver,
  queries: Uint32Array,
  hashes: string[],
  limit: number,
): [answered: number, milliseconds: number] {
  let spent = 0;
  let i = 0;
  for (; i < queries.length && (i === 0 || spent < limit); i += 3) {
    const begun = performance.now();
    const reached = solver.from(queries[i], queries[i + 1], queries[i + 2]);
    sink(reached.words[0]);
    spent += performance.now() - begun;
    hashes[i / 3] ??= hashOf(reached);
  }
  return [i / 3, spent];
}

export function hashOf(reached: Reached): string {
  const hash = new AnswerHash();
  for (const [i, word] of reached.words.entries()) if (word !== 0) hash.add(i, word);
  return `${reached.count} ${hash}`;
}

/** Bytes of 0 and 1 as bits, lowest first. */
export function packed(answers: Uint8Array): string {
  const bits = new Uint8Array((answers.length + 7) >>> 3);
  for (const [i, answer] of answers.entries()) bits[i >>> 3] |= answer << (i & 7);
  return Buffer.from(bits).toString("base64");
}
