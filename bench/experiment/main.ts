/**
 * `npm run experiment -- [--quick] [--set NAME] [--program NAME] [--analysis NAME] [--anew] [--report] [FILE ...]`: the
 * experiment of the paper (ESOP 2020, section 6), on its kind of programs: gets them, makes the instances, measures every
 * algorithm on each, compares all answers, and writes a report with the paper's pictures. After an interruption it goes
 * on where it stopped. Exit code 1 where answers differ, an algorithm fails or nothing was measured.
 */

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { environment } from "../results.js";
import { type Agreement, agreementOf, type NamedAnswers } from "./agreement.js";
import { type AlgorithmName, algorithms, titles } from "./algorithms.js";
import { filled, regionsOf } from "./document.js";
import { isMeasured } from "./figures.js";
import { instanceFiles } from "./instance-files.js";
import { runJob } from "./jobs.js";
import type { Measurement } from "./measure.js";
import { type Group, planOf } from "./plan.js";
import { type SetName, sets } from "./programs.js";
import { ExperimentProgress } from "./progress.js";
import { type Figures, type InstanceRecord, openRecords, type Records, readRecords } from "./records.js";
import { reportOf } from "./report.js";
import { type Settings, settings } from "./settings.js";
import type { Sizes } from "./sizes.js";

const CACHE = "build/experiment/cache";
const RESULTS = "bench/results/experiment";
const DOCUMENT = "docs/experiment.md";

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      set: { type: "string", multiple: true, default: [] },
      program: { type: "string", multiple: true, default: [] },
      analysis: { type: "string", multiple: true, default: [] },
      anew: { type: "boolean", default: false },
      report: { type: "boolean", default: false },
    },
  });
  const wanted = settings(values.quick);
  const isWhole = !values.quick && positionals.length === 0;
  const folder = isWhole ? RESULTS : `build/experiment/${values.quick ? "quick" : "files"}`;
  const file = join(folder, "records.jsonl");
  mkdirSync(folder, { recursive: true });
  if (values.report) return write(folder, isWhole);

  const groups = planOf({
    sets: setsOf(
      values.set,
      0 < positionals.length ? ["files"] : values.quick ? ["quick"] : ["main", "whole", "npm"],
    ),
    programs: values.program,
    analyses: values.analysis,
    paths: positionals,
  });
  const script = fileURLToPath(new URL("./experiment-work.mjs", import.meta.url));
  const header = { settings: wanted, fingerprint: fingerprintOf(script), environment: environment() };
  const records = openRecords(file, header, values.anew);
  const left = groups
    .map((group) => ({
      ...group,
      analyses: group.analyses.filter((name) => !records.has(group.set, group.program, name)),
    }))
    .filter(({ analyses }) => 0 < analyses.length);
  const count = (some: readonly Group[]) => some.reduce((sum, { analyses }) => sum + analyses.length, 0);
  const done = count(groups) - count(left);
  if (0 < done) console.log(`${done} of ${count(groups)} instances are measured already.`);
  const progress = new ExperimentProgress(count(left) * algorithms.length);
  try {
    for (const group of left) await measureGroup(group, records, wanted, script, progress);
  } finally {
    progress.end();
  }
  return write(folder, isWhole);
}

function setsOf(asked: readonly string[], usual: readonly SetName[]): readonly SetName[] {
  for (const name of asked)
    if (!(sets as readonly string[]).includes(name))
      throw new Error(`Set: got ${name}, expected one of ${sets.join(", ")}.`);
  return 0 < asked.length ? (asked as SetName[]) : usual;
}

async function measureGroup(
  group: Group,
  records: Records,
  wanted: Settings,
  script: string,
  progress: ExperimentProgress,
): Promise<void> {
  const { set, program } = group;
  progress.show(`${program}: instances`);
  const made = await instanceFiles(group, CACHE, script, records.header.fingerprint);
  for (const analysis of group.analyses) {
    const name = `${program}.${analysis}`;
    const { file, skipped, again } = made.instances[analysis];
    const where = { set, program, analysis, ...(made.origin === undefined ? {} : { origin: made.origin }) };
    if (file === undefined) {
      const why = skipped ?? "Got no instance, expected one.";
      records.add({ ...where, skipped: why, ...(again ? { again } : {}) });
      progress.skip(name, why, algorithms.length);
      continue;
    }
    let steps = 0;
    const onDone = (algorithm: AlgorithmName) => {
      steps++;
      progress.step(`${name} ${titles[algorithm]}`);
    };
    try {
      const record = await measureInstance(where, file, wanted, script, onDone);
      records.add(record);
      progress.finish(name, record);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      records.add({ ...where, skipped: why, again: true, failed: true });
      progress.skip(name, why, algorithms.length - steps);
    }
  }
}

async function measureInstance(
  where: Pick<InstanceRecord, "set" | "program" | "analysis" | "origin">,
  file: string,
  wanted: Settings,
  script: string,
  onDone: (algorithm: AlgorithmName) => void,
): Promise<InstanceRecord> {
  // What a process takes besides: reading the instance, repetitions, hashes.
  const limit = wanted.preprocessingLimit + 3 * wanted.queryLimit + 120_000;
  const sizes = await runJob<Sizes>(script, { kind: "describe", file });
  if (typeof sizes === "string") throw new Error(`${file}: got ${sizes}, expected its sizes.`);
  const figures: Partial<Record<AlgorithmName, Figures>> = {};
  const answered: NamedAnswers[] = [];
  for (const algorithm of algorithms) {
    const job = { kind: "measure", file, algorithm, settings: wanted } as const;
    const measured = await runJob<Measurement>(script, job, limit);
    if (typeof measured === "string") figures[algorithm] = { stopped: measured };
    else {
      const { answers, ...rest } = measured;
      figures[algorithm] = rest;
      if (answers !== undefined)
        answered.push({ name: titles[algorithm], pairs: rest.pair?.answered ?? 0, answers });
    }
    onDone(algorithm);
  }
  const agreement: Agreement = agreementOf(answered);
  const content = createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 16);
  return { ...where, content, sizes, algorithms: figures, agreement };
}

/** Of everything that measures: the bundle of its processes and that of the workers. */
function fingerprintOf(script: string): string {
  const hash = createHash("sha256");
  for (const name of [script, script.replace("-work.mjs", "-worker.mjs")]) hash.update(readFileSync(name));
  return hash.digest("hex").slice(0, 16);
}

/** Report, pictures and, for a whole run, the document. Returns the exit code. */
function write(folder: string, isWhole: boolean): number {
  const kept = readRecords(join(folder, "records.jsonl"));
  if (kept === undefined) throw new Error(`${folder}: got no records, expected those of a run.`);
  const { header, list } = kept;
  const { markdown, pictures } = reportOf(header, list);
  writeFileSync(join(folder, "report.md"), markdown);
  for (const [name, svg] of Object.entries(pictures)) writeFileSync(join(folder, name), svg);
  if (isWhole) writeFileSync(DOCUMENT, filled(readFileSync(DOCUMENT, "utf8"), regionsOf(header, list)));
  const measured = list.filter(isMeasured);
  const failed = list.filter(({ failed }) => failed).length;
  const differences = measured.flatMap(({ program, analysis, agreement }) =>
    agreement.disagreements.map((sentence) => `${program}.${analysis}: ${sentence}`),
  );
  for (const sentence of differences) console.error(sentence);
  console.log(
    `${measured.length} instances measured, ${list.length - measured.length} not; ${differences.length} disagreements. ${join(folder, "report.md")} written.`,
  );
  return measured.length === 0 || 0 < differences.length + failed ? 1 : 0;
}
