/**
 * All engines on one program, measured side by side: they take turns, in preprocessing run by run and in queries slice by
 * slice, so that a machine that slows down slows all of them down. An engine that is out of time or memory drops out.
 */

import { MemoryLimitError, TimeLimitError } from "../baselines/index.js";
import {
  Analysis,
  type ExplodedSupergraph,
  OutOfMemoryError,
  type PhaseMilliseconds,
  type Solver,
} from "../index.js";
import { type BenchQueries, SORTS, type Sort } from "./bench-queries.js";
import { type AnalyzeFlags, analyzeFlags, type Engine, solverOf, Timeout } from "./engines.js";
import type { Progress } from "./progress.js";

/** Time per query of one sort, over the queries answered. */
export interface Speed {
  nanosecondsPerQuery: number;
  answered: number;
}

/** One engine in the contest. */
export interface Entry {
  readonly engine: Engine;
  readonly runs: { total: number; phases?: PhaseMilliseconds }[];
  solver: Solver | undefined;
  /** Why it takes no part any more. */
  out: "timeout" | "too large" | undefined;
  readonly speeds: Partial<Record<Sort, Speed>>;
  readonly answers: Partial<Record<Sort, Float64Array>>;
}

/** Slices of the queries, in which engines take turns. */
const SLICES = 10;
/** Milliseconds between two looks at the clock, about. */
const BLOCK = 2;

/** Preprocesses with every engine in turn, `runs` times; an engine that needs half its time limit runs no more. */
export function prepareAll(
  graph: ExplodedSupergraph,
  entries: readonly Entry[],
  options: AnalyzeFlags & { readonly runs: number; readonly timeLimit: number },
  progress: Progress,
): void {
  const { runs, timeLimit } = options;
  for (let run = 0; run < runs; run++) {
    for (const entry of entries) {
      const spent = entry.runs.reduce((sum, { total }) => sum + total, 0);
      if (entry.out !== undefined || 500 * timeLimit < spent) continue;
      entry.solver = undefined;
      progress.show(`${entry.engine} ${run + 1}`, run, runs);
      const begin = performance.now();
      try {
        entry.solver = solverOf(
          { kind: "instance", name: "", graph },
          entry.engine,
          {
            timeLimit,
            ...analyzeFlags(options),
          },
          progress,
        );
      } catch (error) {
        if (error instanceof TimeLimitError || error instanceof Timeout) entry.out = "timeout";
        else if (error instanceof MemoryLimitError || error instanceof OutOfMemoryError)
          entry.out = "too large";
        else throw error;
        continue;
      }
      const total = performance.now() - begin;
      const { solver } = entry;
      entry.runs.push(
        solver instanceof Analysis ? { total, phases: solver.statistics.milliseconds } : { total },
      );
    }
  }
}

/** Answers queries `from .. to - 1` and writes the answers. */
type Answer = (solver: Solver, queries: Uint32Array, from: number, to: number, into: Float64Array) => void;

const answering: Record<Sort, Answer> = {
  pair(solver, queries, from, to, into) {
    for (let i = from, at = 5 * from; i < to; i++, at += 5) {
      const answer = solver.reaches(
        queries[at],
        queries[at + 1],
        queries[at + 2],
        queries[at + 3],
        queries[at + 4],
      );
      into[i] = answer ? 1 : 0;
    }
  },
  batch(solver, queries, from, to, into) {
    into.set(solver.reachesAll(queries.subarray(5 * from, 5 * to)), from);
  },
  source(solver, queries, from, to, into) {
    for (let i = from, at = 5 * from; i < to; i++, at += 5) {
      into[i] = solver.from(queries[at], queries[at + 1], queries[at + 2]).count;
    }
  },
};

/** Measures one sort of query on all engines that are left, slice by slice. */
export function ask(
  sort: Sort,
  entries: readonly Entry[],
  queries: Uint32Array,
  limit: number,
  progress: Progress,
): void {
  const count = queries.length / 5;
  if (count === 0) return;
  const answer = answering[sort];
  const states = entries.flatMap((entry) => {
    const { engine, solver, speeds, answers } = entry;
    if (solver === undefined) return [];
    const into = new Float64Array(count);
    const state = { entry, solver, into, speeds, answers, spent: 0, answered: 0, block: 1 };
    // Lets the host compile the code on the way; an engine that keeps answers would know them afterwards.
    const fits = engine === "od" || fitsMemory(entry, () => warmUp(answer, solver, queries, into));
    return fits ? [state] : [];
  });
  for (let slice = 1; slice <= SLICES; slice++) {
    const end = Math.ceil((count * slice) / SLICES);
    for (const state of states) {
      progress.show(sort, slice - 1, SLICES);
      while (
        state.entry.out === undefined &&
        state.answered < end &&
        (state.spent < limit || state.answered === 0)
      ) {
        const to = Math.min(end, state.answered + state.block);
        const begin = performance.now();
        const answerBlock = () => answer(state.solver, queries, state.answered, to, state.into);
        if (!fitsMemory(state.entry, answerBlock)) break;
        const time = performance.now() - begin;
        state.spent += time;
        state.answered = to;
        if (time < BLOCK / 2) state.block *= 2;
        else if (2 * BLOCK < time && 1 < state.block) state.block >>>= 1;
      }
    }
  }
  for (const { speeds, answers, into, spent, answered } of states) {
    if (answered === 0) continue;
    speeds[sort] = { nanosecondsPerQuery: (1e6 * spent) / answered, answered };
    answers[sort] = into.subarray(0, answered);
  }
}

/** Asks queries; false where one needs more memory than there is for it, and the engine drops out. */
function fitsMemory(entry: Entry, queries: () => void): boolean {
  try {
    queries();
    return true;
  } catch (error) {
    if (!(error instanceof MemoryLimitError)) throw error;
    entry.out = "too large";
    entry.solver = undefined;
    return false;
  }
}

/** Answers the first queries, over and over, for 100 ms or 50,000 answers. */
function warmUp(answer: Answer, solver: Solver, queries: Uint32Array, into: Float64Array): void {
  const count = Math.min(queries.length / 5, 5000);
  const begin = performance.now();
  for (let i = 0; i < 50_000 && performance.now() - begin < 100; i++) {
    const at = i % count;
    answer(solver, queries, at, at + 1, into);
  }
}

/** Sorts of query on which an engine answers unlike the file, or else the first engine: all must agree. */
export function disagreements(
  entries: readonly Entry[],
  { expected }: BenchQueries,
): { engine: Engine; sort: Sort; query: number }[] {
  const found: { engine: Engine; sort: Sort; query: number }[] = [];
  for (const sort of SORTS) {
    const first =
      expected?.[sort] ?? entries.find(({ answers }) => answers[sort] !== undefined)?.answers[sort];
    if (first === undefined) continue;
    for (const { engine, answers } of entries) {
      const query = answers[sort]?.findIndex((answer, i) => i < first.length && answer !== first[i]) ?? -1;
      if (0 <= query) found.push({ engine, sort, query });
    }
  }
  return found;
}
