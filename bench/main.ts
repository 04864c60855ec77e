/**
 * `npm run bench -- [--quick] [--resume] [question ...]`: measures the questions named, or all but the long ones, saves results
 * after each step, and writes the report and the README's tables. `--resume` skips what is complete at this commit; the question
 * `report` measures nothing. A quick run leaves the committed results alone and writes to build/bench.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { breakEvenQuestion } from "./break-even.js";
import { earlyReads } from "./early-reads.js";
import { engines } from "./engines.js";
import { entries } from "./entries.js";
import { growth } from "./growth.js";
import { type Options, type Question, type Section, sinkTotal } from "./harness.js";
import { instances } from "./instances.js";
import { javaClasses } from "./java-classes.js";
import { load } from "./load.js";
import { memory, memoryOf } from "./memory.js";
import { native } from "./native.js";
import { noCycleQuestion } from "./no-cycle.js";
import { packages } from "./packages.js";
import { parallel } from "./parallel.js";
import { randomJavaQuestion } from "./random-java.js";
import { checkMarkdown, readmeMarkdown, reportMarkdown } from "./report.js";
import { type Environment, environment, readResults, type Saved } from "./results.js";
import { source } from "./source.js";
import { update } from "./update.js";

const questions = [
  engines,
  growth,
  breakEvenQuestion,
  load,
  source,
  update,
  parallel,
  memory,
  native,
  earlyReads,
  entries,
  packages,
  noCycleQuestion,
  javaClasses,
  randomJavaQuestion,
] as readonly Question<unknown>[];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    resume: { type: "boolean", default: false },
    "memory-of": { type: "string" },
  },
});
const memoryName = values["memory-of"];
if (memoryName !== undefined) {
  // The process that memory.ts starts, which does nothing else.
  const instance = instances({ quick: false, rounds: 1, timeLimit: 0 }, [memoryName])[0];
  console.log(JSON.stringify(memoryOf(instance)));
  process.exit();
}
const names = questions.map(({ name }) => name);
for (const name of positionals) {
  if (name === "report" || names.includes(name)) continue;
  console.error(`Question: got ${name}, expected ${names.join(", ")} or report.`);
  process.exit(2);
}

const folder = values.quick ? "build/bench" : "bench/results";
const file = join(folder, "results.json");
mkdirSync(folder, { recursive: true });
const options: Options = values.quick
  ? { quick: true, rounds: 3, timeLimit: 2000 }
  : { quick: false, rounds: 5, timeLimit: 60_000 };
const here = environment();
const results = readResults(file);
const saved = results as Record<string, Saved<unknown> | undefined>;

for (const question of questions) {
  if (positionals.length === 0 ? question.isLong : !positionals.includes(question.name)) continue;
  const before = saved[question.name];
  if (values.resume && before?.complete && before.environment.commit === here.commit) continue;
  const begun = performance.now();
  let result: unknown;
  for await (result of question.measure(options))
    save(question.name, { environment: here, complete: false, result });
  save(question.name, { environment: here, complete: true, result });
  console.log(`${question.name}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}

const sections = questions.flatMap((question): [Section, Environment, boolean][] => {
  const of = saved[question.name];
  return of === undefined ? [] : [[question.report(of.result), of.environment, of.complete]];
});
for (const [{ plots = {} }] of sections) {
  for (const [name, svg] of Object.entries(plots)) writeFileSync(join(folder, name), svg);
}
writeFileSync(join(folder, "report.md"), reportMarkdown(results, sections));
/** What concerns `phloem check` is a document of its own, too. */
const checks = new Set<string>([earlyReads, entries, packages, noCycleQuestion].map(({ name }) => name));
const checkSections = questions.flatMap((question): [Section, Environment, boolean][] => {
  const of = checks.has(question.name) ? saved[question.name] : undefined;
  return of === undefined ? [] : [[question.report(of.result), of.environment, of.complete]];
});
if (!values.quick) writeFileSync(join("docs", "check-results.md"), checkMarkdown(checkSections));
if (!values.quick) fillReadme(readmeMarkdown(results));
console.log(`${join(folder, "report.md")} written (checksum of answers: ${sinkTotal()}).`);

function save(name: string, value: Saved<unknown>): void {
  saved[name] = value;
  writeFileSync(file, `${JSON.stringify(results, sixDigits, 1)}\n`);
}

/** Measurements are not good to more. */
function sixDigits(_key: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;
}

function fillReadme(text: string): void {
  const region = /<!-- performance -->[\s\S]*?<!-- \/performance -->/;
  const readme = readFileSync("README.md", "utf8");
  writeFileSync(
    "README.md",
    readme.replace(region, () => `<!-- performance -->\n${text}\n<!-- /performance -->`),
  );
}
