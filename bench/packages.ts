/**
 * Does `phloem check` cry wolf? Well-known packages that load without error, at pinned versions: an error that is reached while
 * they load is a false alarm. Errors behind conditions that do not hold, or at later turns, and warnings are counted, and the
 * first of them named.
 */

import { join } from "node:path";
import { type CheckAnswer, check } from "./command.js";
import { digits, table } from "./format.js";
import type { Options, Question, Section } from "./harness.js";
import { importEntries, installed, loadInNode, pinnedPackages, withoutCache } from "./package-cache.js";

export interface PackageFigures {
  readonly package: string;
  /** Entries that Node loads without error, which are checked; and those that it does not, which are not. */
  readonly entries: number;
  readonly unloadable: readonly string[];
  /** Why there is no answer. */
  readonly crash?: string;
  readonly files: number;
  readonly procedures: number;
  /** Files that cannot be analysed. */
  readonly failures: number;
  /** Errors on chains that run at load, whether or not a condition keeps them from happening. */
  readonly errorsAtLoad: readonly string[];
  readonly errorsLater: readonly string[];
  readonly warnings: readonly string[];
  /** Milliseconds of processor time, bytes. */
  readonly cpu: number;
  readonly peak: number;
}

export type PackagesResult = readonly PackageFigures[];

async function* measure({ quick }: Options): AsyncIterable<PackagesResult> {
  const { before, loaded } = pinnedPackages();
  const results: PackageFigures[] = [];
  for (const pinned of quick ? loaded.slice(0, 5) : loaded) {
    const folder = installed(pinned, before);
    const entries: string[] = [];
    const unloadable: string[] = [];
    for (const entry of importEntries(folder, pinned)) {
      const { error } = await loadInNode(join(folder, entry));
      if (error === undefined) entries.push(entry);
      else unloadable.push(`${entry}: ${withoutCache(error)}`);
    }
    if (entries.length === 0) {
      results.push({ ...NOTHING, package: `${pinned.name}@${pinned.version}`, unloadable });
      continue;
    }
    const { outcome, answer } = check(entries, folder);
    const { findings, summary } = answer ?? EMPTY;
    const errors = findings.filter(({ severity }) => severity === "error");
    results.push({
      package: `${pinned.name}@${pinned.version}`,
      entries: entries.length,
      unloadable,
      ...(answer === undefined
        ? { crash: `${outcome.exit}: ${withoutCache(outcome.stderr).slice(0, 500)}` }
        : {}),
      files: summary.files,
      procedures: summary.procedures,
      failures: summary.failures,
      errorsAtLoad: errors.filter((error) => !isLater(error)).map(described),
      errorsLater: errors.filter(isLater).map(described),
      warnings: findings.filter(({ severity }) => severity === "warning").map(described),
      cpu: outcome.cpu,
      peak: outcome.peak,
    });
    yield results;
  }
}

type Finding = CheckAnswer["findings"][number];

const isLater = ({ witness }: Finding): boolean => witness.some(({ kind }) => kind === "later");
const described = ({ file, line, column, name }: Finding): string => `${file}:${line}:${column} ${name}`;

const EMPTY: CheckAnswer = {
  findings: [],
  diagnostics: [],
  summary: { files: 0, procedures: 0, failures: 0, milliseconds: {} },
};
const NOTHING = {
  entries: 0,
  files: 0,
  procedures: 0,
  failures: 0,
  errorsAtLoad: [],
  errorsLater: [],
  warnings: [],
  cpu: 0,
  peak: 0,
};

function report(result: PackagesResult): Section {
  const checked = result.filter(({ entries }) => 0 < entries);
  const rows = checked.map((each) => [
    each.package,
    `${each.entries}`,
    `${each.files}`,
    `${each.procedures}`,
    `${each.errorsAtLoad.length}`,
    `${each.errorsLater.length}`,
    `${each.warnings.length}`,
    digits(each.cpu / 1000),
    digits(each.peak / 2 ** 20),
  ]);
  const sum = (of: (figures: PackageFigures) => number) =>
    checked.reduce((total, each) => total + of(each), 0);
  rows.push([
    `all ${checked.length}`,
    `${sum(({ entries }) => entries)}`,
    `${sum(({ files }) => files)}`,
    `${sum(({ procedures }) => procedures)}`,
    `${sum(({ errorsAtLoad }) => errorsAtLoad.length)}`,
    `${sum(({ errorsLater }) => errorsLater.length)}`,
    `${sum(({ warnings }) => warnings.length)}`,
    digits(sum(({ cpu }) => cpu) / 1000),
    digits(Math.max(0, ...checked.map(({ peak }) => peak)) / 2 ** 20),
  ]);
  const crashes = checked.filter(({ crash }) => crash !== undefined);
  const lines = (what: string, of: (figures: PackageFigures) => readonly string[]) =>
    checked.flatMap((each) => of(each).map((line) => `- ${what}: ${each.package}, ${line}`));
  return {
    title: "Does `use-before-init` cry wolf in packages that load?",
    markdown: [
      `Crashes: ${crashes.length}. Files that could not be analysed: ${sum(({ failures }) => failures)}. ` +
        `Entries that Node does not load, left out: ${result.flatMap(({ unloadable }) => unloadable).length}.`,
      "",
      table(
        [
          "package",
          "entries",
          "files",
          "functions",
          "errors on a chain at load",
          "errors at later turns",
          "warnings",
          "CPU s",
          "peak MiB",
        ],
        rows,
      ),
      "",
      ...crashes.map((each) => `- crash: ${each.package}, ${each.crash}`),
      ...lines("error at load", ({ errorsAtLoad }) => errorsAtLoad),
      ...lines("error later", ({ errorsLater }) => errorsLater),
      ...lines("warning", ({ warnings }) => warnings.slice(0, 20)),
    ].join("\n"),
  };
}

export const packages: Question<PackagesResult> = { name: "packages", isLong: true, measure, report };
