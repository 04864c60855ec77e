/**
 * Does `use-before-init` tell harmless import cycles from harmful ones? In published packages with import cycles, each module
 * on a cycle is loaded as an entry of its own in a fresh Node process, and checked as one. An entry that throws an early read
 * must have that very read among its findings; one that loads must have no error that is reached while it loads.
 */

import { join } from "node:path";
import type { Finding } from "../src/check/finding.js";
import { checkModules } from "../src/javascript/check-modules.js";
import { nodeHost } from "../src/javascript/modules/host/node.js";
import { loadModules } from "../src/javascript/modules/load.js";
import { digits, table } from "./format.js";
import type { Options, Question, Section } from "./harness.js";
import { modulesOnCycles } from "./module-cycles.js";
import { importEntries, installed, type Loading, loadInNode, pinnedPackages } from "./package-cache.js";

export interface EntryFigures {
  readonly package: string;
  readonly modules: number;
  /** Modules on cycles, and those of them that were tried as entries. */
  readonly onCycles: number;
  entries: number;
  loads: number;
  throwsEarly: number;
  /** Entries that throw something else: they say nothing. */
  throwsOther: number;
  warnings: number;
  readonly disagreements: string[];
  /** Milliseconds of processor time for all entries. */
  cpu: number;
}

export type EntriesResult = readonly EntryFigures[];

/** Entries of one package that are tried; more are thinned out evenly. */
const MOST = 60;

async function* measure({ quick }: Options): AsyncIterable<EntriesResult> {
  const { before, cyclic } = pinnedPackages();
  const results: EntryFigures[] = [];
  for (const pinned of cyclic) {
    const folder = installed(pinned, before);
    const graph = await loadModules(importEntries(folder, pinned), nodeHost(folder));
    const cycles = modulesOnCycles(graph).filter((path) => graph.modules.get(path)!.format === "esm");
    const most = quick ? 3 : MOST;
    const step = Math.max(1, cycles.length / most);
    const chosen = Array.from(
      { length: Math.min(most, cycles.length) },
      (_, i) => cycles[Math.floor(i * step)],
    );
    const figures: EntryFigures = {
      package: `${pinned.name}@${pinned.version}`,
      modules: graph.modules.size,
      onCycles: cycles.length,
      entries: 0,
      loads: 0,
      throwsEarly: 0,
      throwsOther: 0,
      warnings: 0,
      disagreements: [],
      cpu: 0,
    };
    results.push(figures);
    for (const path of chosen) {
      const loading = loadInNode(path);
      const entry = graph.modules.get(path)!.displayPath;
      const begun = process.cpuUsage();
      const { findings } = await checkModules(
        { entries: [entry], root: folder, rules: ["use-before-init"], callbacks: "later" },
        nodeHost(folder),
      );
      figures.cpu += process.cpuUsage(begun).user / 1000;
      compare(figures, entry, folder, await loading, findings);
      yield results;
    }
  }
}

function compare(
  figures: EntryFigures,
  entry: string,
  folder: string,
  { error, path, line, column }: Loading,
  findings: readonly Finding[],
): void {
  const atLoad = findings.filter(({ witness }) => !witness.some(({ kind }) => kind === "later"));
  figures.entries++;
  figures.warnings += findings.filter(({ severity }) => severity === "warning").length;
  const [, name] = /^ReferenceError: Cannot access '(.+)' before initialization$/.exec(error ?? "") ?? [];
  if (error === undefined) {
    figures.loads++;
    for (const { severity, file, line, column, name } of atLoad)
      if (severity === "error")
        figures.disagreements.push(`${entry}: loads, found ${file}:${line}:${column} ${name}`);
  } else if (name === undefined) figures.throwsOther++;
  else {
    figures.throwsEarly++;
    const isTypeScript = path?.endsWith(".ts") === true;
    const found = atLoad.some(
      (finding) =>
        (path === undefined || join(folder, finding.file) === path) &&
        finding.line === line &&
        finding.name === name &&
        (isTypeScript || finding.column === column),
    );
    if (!found) {
      const others = atLoad.map((one) => `${one.severity} ${one.file}:${one.line}:${one.column} ${one.name}`);
      const got = others.length === 0 ? "nothing" : others.slice(0, 3).join(", ");
      figures.disagreements.push(
        `${entry}: throws ${path?.slice(folder.length + 1)}:${line}:${column} ${name}, found ${got}`,
      );
    }
  }
}

function report(result: EntriesResult): Section {
  const sum = (of: (figures: EntryFigures) => number) => result.reduce((total, each) => total + of(each), 0);
  const row = (name: string, of: (count: (figures: EntryFigures) => number) => number) => [
    name,
    `${of(({ modules }) => modules)}`,
    `${of(({ onCycles }) => onCycles)}`,
    `${of(({ entries }) => entries)}`,
    `${of(({ loads }) => loads)}`,
    `${of(({ throwsEarly }) => throwsEarly)}`,
    `${of(({ throwsOther }) => throwsOther)}`,
    `${of(({ disagreements }) => disagreements.length)}`,
    `${of(({ warnings }) => warnings)}`,
    digits(of(({ cpu, entries }) => cpu / Math.max(1, entries))),
  ];
  const rows = result.map((each) => row(each.package, (count) => count(each)));
  const total = row("all", sum).slice(0, -1);
  const names = result.flatMap((each) => each.disagreements.map((line) => `- ${each.package}, ${line}`));
  return {
    title: "Does `use-before-init` tell harmless cycles from harmful ones?",
    markdown: [
      table(
        [
          "package",
          "modules",
          "on cycles",
          "tried as entries",
          "load",
          "read too early",
          "throw otherwise",
          "disagreements",
          "warnings",
          "CPU ms an entry",
        ],
        [...rows, [...total, ""]],
      ),
      ...(0 < names.length ? ["", ...names] : []),
    ].join("\n"),
  };
}

export const entries: Question<EntriesResult> = { name: "entries", isLong: true, measure, report };
