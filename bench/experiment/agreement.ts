/**
 * Whether algorithms gave the same answers. Each answered as many of the same queries as its time allowed, the first
 * ones; what two of them answered is compared, query by query, with the algorithm that comes first.
 */

import type { Answers } from "./measure.js";

export interface Agreement {
  /** Queries that were compared, over all algorithms but the first. */
  readonly pairs: number;
  readonly sources: number;
  /** One sentence for each algorithm and kind of query that differs: the first query at which it does. */
  readonly disagreements: readonly string[];
}

export interface NamedAnswers {
  readonly name: string;
  /** Pair queries that were answered. */
  readonly pairs: number;
  readonly answers: Answers;
}

/** Compares with the first of `all`. */
export function agreementOf(all: readonly NamedAnswers[]): Agreement {
  let pairs = 0;
  let sources = 0;
  const disagreements: string[] = [];
  const [first, ...others] = all;
  for (const other of others) {
    const compared = Math.min(first.pairs, other.pairs);
    const [expected, got] = [bitsOf(first.answers.pairs), bitsOf(other.answers.pairs)];
    pairs += compared;
    for (let i = 0; i < compared; i++) {
      if (bit(expected, i) === bit(got, i)) continue;
      disagreements.push(
        `pair query ${i}: got ${yes(bit(got, i))} from ${other.name}, ${yes(bit(expected, i))} from ${first.name}, expected one answer.`,
      );
      break;
    }
    const count = Math.min(first.answers.sources.length, other.answers.sources.length);
    sources += count;
    for (let i = 0; i < count; i++) {
      const [a, b] = [first.answers.sources[i], other.answers.sources[i]];
      if (a === b) continue;
      disagreements.push(
        `single-source query ${i}: got ${reached(b)} from ${other.name}, ${reached(a)} from ${first.name}, expected the same ones.`,
      );
      break;
    }
  }
  return { pairs, sources, disagreements };
}

const bitsOf = (base64: string): Uint8Array => Buffer.from(base64, "base64");
const bit = (bits: Uint8Array, i: number): number => (bits[i >>> 3] >>> (i & 7)) & 1;
const yes = (answer: number): string => (answer === 1 ? "yes" : "no");
const reached = (hash: string): string => `${hash.split(" ")[0]} exploded vertices (${hash.split(" ")[1]})`;
