/**
 * Does `use-before-init` find every early read, and does what it calls an error happen? Random programs of modules, each run
 * in Node, those without unknown branches and those with them. A program on which the two disagree is named by its seed.
 */

import { join } from "node:path";
import { nodeHost } from "../src/javascript/modules/host/node.js";
import { differences, earlyReadFindings } from "../test/support/early-read-comparison.js";
import { runInNode } from "../test/support/node-oracle.js";
import { randomModules } from "../test/support/random-modules.js";
import { digits, table } from "./format.js";
import type { Options, Question, Section } from "./harness.js";

export interface EarlyReadFigures {
  readonly branches: boolean;
  programs: number;
  /** Programs in which something is read too early. */
  throwing: number;
  reads: number;
  errors: number;
  warnings: number;
  /** Differences, with the seeds of their programs. */
  readonly wrong: string[];
  /** Of the analysis, in all. */
  milliseconds: number;
}

export type EarlyReadResult = readonly EarlyReadFigures[];

const PROGRAMS = 5000;
const BATCH = 250;

async function* measure({ quick }: Options): AsyncIterable<EarlyReadResult> {
  const { parse } = nodeHost(process.cwd());
  const runner = join("test", "support", "module-runner.mjs");
  const results = [false, true].map(
    (branches): EarlyReadFigures => ({
      branches,
      programs: 0,
      throwing: 0,
      reads: 0,
      errors: 0,
      warnings: 0,
      wrong: [],
      milliseconds: 0,
    }),
  );
  for (const figures of results) {
    const { branches } = figures;
    for (let from = 0; from < (quick ? BATCH : PROGRAMS); from += BATCH) {
      const programs = Array.from({ length: BATCH }, (_, i) => randomModules(from + i, { branches }));
      const observations = runInNode(programs, runner);
      for (const [i, program] of programs.entries()) {
        const begun = performance.now();
        const findings = await earlyReadFindings(program, parse);
        figures.milliseconds += performance.now() - begun;
        const { reads } = observations[i];
        figures.programs++;
        figures.reads += reads.length;
        if (0 < reads.length) figures.throwing++;
        for (const { severity } of findings) figures[severity === "error" ? "errors" : "warnings"]++;
        for (const line of differences(program, observations[i], findings, !branches))
          figures.wrong.push(`${from + i}: ${line}`);
      }
      yield results;
    }
  }
}

function report(result: EarlyReadResult): Section {
  const rows = result.map(
    ({ branches, programs, throwing, reads, errors, warnings, wrong, milliseconds }) => [
      branches ? "with" : "without",
      `${programs}`,
      `${throwing}`,
      `${reads}`,
      `${wrong.filter((line) => line.includes(": missed")).length}`,
      `${errors}`,
      branches ? "" : `${wrong.filter((line) => line.includes(": did not")).length}`,
      `${warnings}`,
      digits(milliseconds / programs),
    ],
  );
  const names = result.flatMap(({ branches, wrong }) =>
    wrong.map((line) => `- ${branches ? "with" : "without"} branches, seed ${line}`),
  );
  return {
    title: "Does `use-before-init` agree with Node on random programs?",
    markdown: [
      table(
        [
          "branches",
          "programs",
          "that read too early",
          "reads",
          "missed",
          "errors",
          "that did not happen",
          "warnings",
          "ms a program",
        ],
        rows,
      ),
      ...(0 < names.length ? ["", ...names] : []),
    ].join("\n"),
  };
}

export const earlyReads: Question<EarlyReadResult> = { name: "early-reads", isLong: true, measure, report };
