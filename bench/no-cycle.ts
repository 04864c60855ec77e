/**
 * What does `phloem check` take, phase by phase, beside ESLint with the rule `no-cycle` of eslint-plugin-import-x on the same
 * files? Both are processes of their own, run one after the other: processor time, clock, and peak of memory.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { nodeHost } from "../src/javascript/modules/host/node.js";
import { loadModules } from "../src/javascript/modules/load.js";
import { check, runScript } from "./command.js";
import { cell, digits, ratio, table } from "./format.js";
import { writeProject } from "./generated-project.js";
import type { Cell, Options, Question, Section } from "./harness.js";
import { importEntries, installed, pinnedPackages } from "./package-cache.js";

export interface NoCycleFigures {
  readonly project: string;
  readonly files: number;
  readonly megabytes: number;
  readonly findings: { readonly errors: number; readonly warnings: number };
  /** Milliseconds by phase. */
  readonly phases: Readonly<Record<string, number>>;
  readonly check: Usage;
  readonly eslint: Usage & { readonly findings: Cell };
}

interface Usage {
  /** Milliseconds of processor time and on the clock; bytes. */
  readonly cpu: Cell;
  readonly wall: Cell;
  readonly peak: Cell;
}

export type NoCycleResult = readonly NoCycleFigures[];

/** Milliseconds that one run may take. */
const LIMIT = 900_000;
const MODULES = 2000;
/** Of the packages with cycles. */
const PACKAGES = ["three", "effect", "typeorm", "kysely", "svelte"];

function* projects(
  quick: boolean,
): Iterable<{ name: string; root: string; entries: string[]; temporary?: true }> {
  const { before, cyclic } = pinnedPackages();
  for (const pinned of cyclic.filter(({ name }) => (quick ? ["kysely"] : PACKAGES).includes(name))) {
    const root = installed(pinned, before);
    yield { name: `${pinned.name}@${pinned.version}`, root, entries: importEntries(root, pinned) };
  }
  const modules = quick ? 200 : MODULES;
  const root = mkdtempSync(join(tmpdir(), "phloem-project-"));
  writeProject(root, modules);
  yield { name: `generated, ${modules} modules`, root, entries: ["src/main.ts"], temporary: true };
  if (!quick) {
    const { version } = JSON.parse(readFileSync("node_modules/typescript/package.json", "utf8")) as {
      version: string;
    };
    yield {
      name: `typescript@${version}, bundle`,
      root: resolve("node_modules/typescript"),
      entries: ["lib/typescript.js"],
    };
  }
}

async function* measure({ quick }: Options): AsyncIterable<NoCycleResult> {
  const results: NoCycleFigures[] = [];
  for (const { name, root, entries, temporary } of projects(quick)) {
    const graph = await loadModules(entries, nodeHost(root));
    const files = [...graph.modules.values()].map(({ displayPath }) => displayPath);
    const bytes = [...graph.modules.values()].reduce((sum, { text }) => sum + text.length, 0);
    const { outcome, answer } = check(entries, root, LIMIT);
    const errors = answer?.findings.filter(({ severity }) => severity === "error").length ?? 0;
    results.push({
      project: name,
      files: files.length,
      megabytes: bytes / 1e6,
      findings: { errors, warnings: (answer?.findings.length ?? 0) - errors },
      phases: answer?.summary.milliseconds ?? {},
      check: usage(outcome),
      eslint: noCycle(root, files),
    });
    if (temporary) rmSync(root, { recursive: true });
    yield results;
  }
}

const usage = ({ exit, cpu, wall, peak }: ReturnType<typeof runScript>): Usage =>
  exit === 0 || exit === 1 ? { cpu, wall, peak } : { cpu: "timeout", wall: "timeout", peak: "timeout" };

/** ESLint with one rule on a list of files. */
function noCycle(root: string, files: readonly string[]): NoCycleFigures["eslint"] {
  const scratch = mkdtempSync(join(tmpdir(), "phloem-eslint-"));
  const list = join(scratch, "files.json");
  writeFileSync(list, JSON.stringify(files.filter((file) => !file.endsWith(".json"))));
  const outcome = runScript("bench/run-no-cycle.mjs", [root, list], root, LIMIT);
  rmSync(scratch, { recursive: true });
  const used = usage(outcome);
  return { ...used, findings: used.cpu === "timeout" ? "timeout" : Number(outcome.stdout.trim()) };
}

function report(result: NoCycleResult): Section {
  const mebibytes = (peak: Cell) => (typeof peak === "number" ? digits(peak / 2 ** 20) : peak);
  const seconds = (time: Cell) => (typeof time === "number" ? digits(time / 1000) : time);
  const phases = [...new Set(result.flatMap(({ phases: each }) => Object.keys(each)))];
  return {
    title: "What does `phloem check` take, and ESLint's `no-cycle`?",
    markdown: [
      table(
        [
          "project",
          "files",
          "MB",
          "check: CPU s",
          "no-cycle: CPU s",
          "no-cycle / check",
          "check: s",
          "no-cycle: s",
          "check: peak MiB",
          "no-cycle: peak MiB",
          "check: errors, warnings",
          "no-cycle: findings",
        ],
        result.map((each) => [
          each.project,
          `${each.files}`,
          digits(each.megabytes),
          seconds(each.check.cpu),
          seconds(each.eslint.cpu),
          ratio(each.eslint.cpu, each.check.cpu),
          seconds(each.check.wall),
          seconds(each.eslint.wall),
          mebibytes(each.check.peak),
          mebibytes(each.eslint.peak),
          `${each.findings.errors}, ${each.findings.warnings}`,
          cell(each.eslint.findings),
        ]),
      ),
      "",
      "`phloem check` by phase, ms on the clock:",
      "",
      table(
        ["project", ...phases],
        result.map((each) => [each.project, ...phases.map((phase) => cell(each.phases[phase]))]),
      ),
    ].join("\n"),
  };
}

export const noCycleQuestion: Question<NoCycleResult> = { name: "no-cycle", isLong: true, measure, report };
