/**
 * What all measurements share: a seeded generator of random numbers, clocks, medians, and the rule that contenders
 * take turns, so that a slow moment of the machine hits all of them alike. Answers go to `sink`, so that no engine may
 * leave out the work for them. All times are milliseconds unless a name says otherwise.
 */

import { MemoryLimitError, TimeLimitError } from "../src/baselines/index.js";
import { OutOfMemoryError } from "../src/engine.js";

export interface Options {
  /** A small subset, for a look. */
  readonly quick: boolean;
  /** Turns that each contender takes; the median counts. */
  readonly rounds: number;
  /** Milliseconds that preprocessing by one engine may take. */
  readonly timeLimit: number;
}

/** One question that the benchmarks answer: measured to a result that is plain JSON, told from such a result. */
export interface Question<Result> {
  readonly name: string;
  /** Whether it is measured only where it is named: it takes very long, or fetches packages. */
  readonly isLong?: boolean;
  /** Yields the result so far from time to time, to be saved. */
  measure(options: Options): Iterable<Result> | AsyncIterable<Result>;
  report(result: Result): Section;
}

export interface Section {
  readonly title: string;
  readonly markdown: string;
  /** SVG by file name. */
  readonly plots?: Readonly<Record<string, string>>;
}

/** A measured number, or why there is none. */
export type Cell = number | "timeout" | "too large";

export const isNumber = (cell: Cell | undefined): cell is number => typeof cell === "number";

/** Mulberry32: integers in `0 .. end - 1`, the same in every run. */
export function randomBelow(seed: number): (end: number) => number {
  let state = seed >>> 0;
  return (end) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return Math.floor((((x ^ (x >>> 14)) >>> 0) / 2 ** 32) * end);
  };
}

let sunk = 0;

export function sink(value: number | boolean): void {
  sunk = (sunk + Number(value)) | 0;
}

/** The sum of everything that was answered; printed at the end. */
export const sinkTotal = (): number => sunk;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >>> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function collectGarbage(): void {
  globalThis.gc?.();
}

/** Milliseconds that `work` takes, garbage of earlier work not included, and what it gives. */
export function timed<T>(work: () => T): [milliseconds: number, value: T] {
  collectGarbage();
  const begun = performance.now();
  const value = work();
  return [performance.now() - begun, value];
}

/**
 * Medians of several numbers per contender, each of which measures them once per round. A contender that is stopped by
 * a limit has that as its result and takes no further turn.
 */
export function inTurns<Key extends string>(
  contenders: Readonly<Record<string, () => Readonly<Record<Key, number>>>>,
  rounds: number,
): Record<string, Record<Key, number> | Exclude<Cell, number>> {
  const measured = new Map<string, Readonly<Record<Key, number>>[]>();
  const stopped = new Map<string, Exclude<Cell, number>>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, measure] of Object.entries(contenders)) {
      if (stopped.has(name)) continue;
      try {
        measured.set(name, [...(measured.get(name) ?? []), measure()]);
      } catch (error) {
        stopped.set(name, whyStopped(error));
      }
    }
  }
  const results: Record<string, Record<Key, number> | Exclude<Cell, number>> = {};
  for (const name of Object.keys(contenders)) {
    const turns = measured.get(name) ?? [];
    const keys = Object.keys(turns[0] ?? {}) as Key[];
    const medians = keys.map((key) => [key, median(turns.map((turn) => turn[key]))]);
    results[name] = stopped.get(name) ?? (Object.fromEntries(medians) as Record<Key, number>);
  }
  return results;
}

export function whyStopped(error: unknown): Exclude<Cell, number> {
  if (error instanceof TimeLimitError) return "timeout";
  if (error instanceof MemoryLimitError || error instanceof OutOfMemoryError) return "too large";
  throw error;
}

/**
 * Nanoseconds per call, mean over the calls 0 .. count - 1 or those that `limit` milliseconds allow. The clock is read
 * after 1, 2, 4, ... and then every 1,024 calls.
 */
export function nanosecondsPerCall(
  call: (i: number) => number | boolean,
  count: number,
  limit: number,
): number {
  let done = 0;
  let spent = 0;
  for (let chunk = 1; done < count && spent < limit; chunk = Math.min(2 * chunk, 1024)) {
    const end = Math.min(done + chunk, count);
    const begun = performance.now();
    for (; done < end; done++) sink(call(done));
    spent += performance.now() - begun;
  }
  return (1e6 * spent) / done;
}
