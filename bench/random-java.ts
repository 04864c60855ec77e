/**
 * Is what Java programs do allowed by the analyses? Random programs, compiled and run one instruction at a time in one virtual
 * machine a batch; each instruction executed, value read and method called is held against four clients. Needs a JDK. A program
 * on which they disagree is named by its seed.
 */

import { join } from "node:path";
import { missingJdk, runJava } from "../test/support/java-oracle.js";
import { type Observations, observe } from "../test/support/java-trace.js";
import { randomJava } from "../test/support/random-java.js";
import { table } from "./format.js";
import type { Options, Question, Section } from "./harness.js";

export interface RandomJavaResult {
  programs: number;
  /** Observations of each kind. */
  readonly counts: Record<keyof Observations["counts"], number>;
  /** Disagreements, with the seeds of their programs. */
  readonly wrong: string[];
}

const PROGRAMS = 60;
const BATCH = 20;

function* measure({ quick }: Options): Iterable<RandomJavaResult> {
  const missing = missingJdk();
  if (missing !== undefined)
    throw new Error(`random-java: got no JDK (${missing}), expected one of version 17 or newer.`);
  const result: RandomJavaResult = {
    programs: 0,
    counts: { instructions: 0, definitions: 0, statics: 0, live: 0, uninitialized: 0, calls: 0 },
    wrong: [],
  };
  const kinds = Object.keys(result.counts) as (keyof Observations["counts"])[];
  for (let from = 0; from < (quick ? BATCH : PROGRAMS); from += BATCH) {
    const programs = Array.from({ length: BATCH }, (_, i) => randomJava(from + i));
    for (const [i, run] of runJava(programs, join("test", "fixtures", "java")).entries()) {
      const { differences, counts } = observe(run, from + i);
      result.programs++;
      for (const kind of kinds) result.counts[kind] += counts[kind];
      for (const line of differences) result.wrong.push(`${from + i}: ${line}`);
    }
    yield result;
  }
}

function report({ programs, counts, wrong }: RandomJavaResult): Section {
  const { instructions, definitions, statics, live, uninitialized, calls } = counts;
  return {
    title: "Is what random Java programs do allowed by the analyses?",
    markdown: [
      table(
        [
          "programs",
          "instructions executed",
          "reads of locals",
          "of static fields",
          "points where a value was live",
          "where a local had none",
          "calls",
          "disagreements",
        ],
        [
          [programs, instructions, definitions, statics, live, uninitialized, calls, wrong.length].map(
            String,
          ),
        ],
      ),
      ...(0 < wrong.length ? ["", ...wrong.map((line) => `- seed ${line}`)] : []),
    ].join("\n"),
  };
}

export const randomJavaQuestion: Question<RandomJavaResult> = {
  name: "random-java",
  isLong: true,
  measure,
  report,
};
