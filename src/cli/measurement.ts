/**
 * Times a solver's answers. Questions are asked in order until they or the time run out, so that a slow solver answers a
 * prefix of what a fast one answers; all means are over the questions that were answered.
 */

import type { Solver } from "../solver.js";

export interface Timed {
  /** Answers to the prefix. */
  readonly answers: Uint8Array | Uint32Array;
  /** Milliseconds per question. */
  readonly mean: number;
}

/** Questions between two looks at the clock, at most. */
const BLOCK = 1024;

/** Pair queries (p, u, d1, v, d2), one call each: 0 or 1. */
export function timePairs(solver: Solver, pairs: Uint32Array, patience: number): Timed {
  const answers = new Uint8Array(pairs.length / 5);
  return timed(answers, patience, (from, to) => {
    for (let i = from, at = 5 * from; i < to; i++, at += 5) {
      answers[i] = Number(
        solver.reaches(pairs[at], pairs[at + 1], pairs[at + 2], pairs[at + 3], pairs[at + 4]),
      );
    }
  });
}

/** The same in one call. */
export function timeBatch(solver: Solver, pairs: Uint32Array): Timed {
  const begun = performance.now();
  const answers = solver.reachesAll(pairs);
  return { answers, mean: (performance.now() - begun) / answers.length };
}

/** Single-source queries (p, u, d1). Answers are looked at only in part, since decoding them is not what is timed. */
export function timeSources(solver: Solver, sources: Uint32Array, patience: number): Timed {
  const answers = new Uint32Array(sources.length / 3);
  return timed(answers, patience, (from, to) => {
    for (let i = from, at = 3 * from; i < to; i++, at += 3) {
      const { words } = solver.from(sources[at], sources[at + 1], sources[at + 2]);
      answers[i] = words[0] ^ words[words.length - 1];
    }
  });
}

function timed(
  answers: Uint8Array | Uint32Array,
  patience: number,
  ask: (from: number, to: number) => void,
): Timed {
  const begun = performance.now();
  let answered = 0;
  let elapsed = 0;
  for (let block = 1; answered < answers.length && elapsed < patience; block = Math.min(2 * block, BLOCK)) {
    const end = Math.min(answered + block, answers.length);
    ask(answered, end);
    answered = end;
    elapsed = performance.now() - begun;
  }
  return { answers: answers.subarray(0, answered), mean: elapsed / answered };
}
