/**
 * `phloem check`: finds faults in a project's JavaScript and TypeScript, or in Java classes. What a program means is
 * the analysis' affair, which the command is given; here are options, configuration, and what becomes of the findings.
 */

import { writeFile } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { formatBaseline } from "../check/baseline.js";
import { type CheckReport, nextBaseline, type ReportPolicy, reportOf } from "../check/check-report.js";
import { CALLBACKS, type Callbacks, type CheckProgram } from "../check/check-request.js";
import { rulesToRun } from "../check/config.js";
import { RULES, type RuleName } from "../check/finding.js";
import { anyOf } from "../check/suppress.js";
import { NOT_FOR_JAVA } from "./check-classes.js";
import { findEntries, readBaseline, readConfig } from "./check-files.js";
import { Exit, type Host, UsageError } from "./host.js";
import { readError } from "./input.js";
import { isJavaIn, packageOption } from "./is-java.js";
import { type Colours, coloursFor, plain, printLine } from "./output.js";
import { Progress } from "./progress.js";
import { jsonReport } from "./report-json.js";
import { sarifReport } from "./report-sarif.js";
import { summaryText, textReport } from "./report-text.js";

const FORMATS = ["text", "json", "sarif"] as const;
type Format = (typeof FORMATS)[number];

const DEFAULT_BASELINE = "phloem-baseline.json";

interface Options {
  readonly format?: Format;
  readonly json?: boolean;
  readonly rule: readonly RuleName[];
  readonly config?: string;
  readonly baseline?: string;
  readonly writeBaseline?: boolean;
  readonly maxWarnings?: number;
  readonly callbacks?: Callbacks;
  readonly package: readonly string[];
  readonly output?: string;
  /** False with --no-color. */
  readonly color: boolean;
}

/** Adds the command to `program`; `analyse` does the work. */
export function checkCommand(
  program: Command,
  host: Host,
  finish: (exit: Exit) => void,
  analyse: CheckProgram,
): void {
  program
    .command("check")
    .summary("find faults in JavaScript, TypeScript and Java classes")
    .description(
      "Finds reads before initialization, unreachable code, dead stores and tainted sinks in a project's modules, or in Java classes.",
    )
    .argument(
      "[entries...]",
      "modules, folders or globs, or archives and class files (default: the entries that package.json names)",
    )
    .addOption(new Option("--format <name>", "form of the report (default: text)").choices(FORMATS))
    .option("--json", "short for --format json")
    .addOption(
      new Option("--rule <name>", `run this rule alone, may be repeated: ${RULES.join(", ")}`)
        .argParser(ruleNames)
        .default([], "those that are on"),
    )
    .option(
      "--config <file>",
      "configuration (default: phloem.config.js or .json, or phloem in package.json)",
    )
    .option(
      "--baseline <file>",
      `old findings that are not reported (default: ${DEFAULT_BASELINE}, if there is one)`,
    )
    .option("--write-baseline", "make today's findings old ones: write them to the baseline")
    .addOption(
      new Option("--max-warnings <n>", "most warnings that are fine (default: any number)").argParser(number),
    )
    .addOption(
      new Option(
        "--callbacks <when>",
        "when unknown callees call functions they are given (default: later)",
      ).choices(CALLBACKS),
    )
    .addOption(packageOption())
    .option("--output <file>", "write the report there")
    .option("--no-color", "no colours")
    .addHelpText(
      "after",
      `
A comment // phloem-ignore RULE -- REASON silences the line it is on, or the next one.
Exit codes: 0 no findings, 1 findings (errors, files that cannot be analysed, too many warnings), 2 bad input or usage.

Examples:
  $ phloem check
  $ phloem check src/main.ts "test/**/*.test.ts" --rule use-before-init
  $ phloem check --format sarif --output phloem.sarif
  $ phloem check app.jar --package org.shop.**`,
    )
    .action(async (entries: string[], options: Options) => {
      finish(await check(entries, options, host, analyse, program.version() ?? ""));
    });
}

async function check(
  given: readonly string[],
  options: Options,
  host: Host,
  analyse: CheckProgram,
  version: string,
): Promise<Exit> {
  if (options.json && options.format !== undefined && options.format !== "json") {
    throw new UsageError(`Format: got --json and --format ${options.format}, expected one of them.`);
  }
  const root = host.cwd();
  const config = await readConfig(root, options.config);
  const asked = given.length === 0 ? (config.entries ?? []) : given;
  const { paths: entries, diagnostics } = await findEntries(root, asked);
  const isOfJava = isJavaIn(root, entries, options.package);
  const wanted = rulesToRun(config, options.rule);
  const rules = isOfJava ? wanted.filter((rule) => !NOT_FOR_JAVA.includes(rule)) : wanted;
  for (const rule of options.rule) {
    if (!rules.includes(rule))
      host.stderr.write(
        `phloem: rule ${rule}: got Java, expected JavaScript or TypeScript: it did not run.\n`,
      );
  }
  const baselinePath = options.baseline ?? config.baseline;
  const target = baselinePath ?? DEFAULT_BASELINE;
  const baseline = await baselineAt(root, baselinePath, options);
  const policy: ReportPolicy = {
    rules,
    allRules: options.rule.length === 0,
    allEntries: given.length === 0,
    levels: config.rules,
    ignore: config.ignore,
    ...(baseline === undefined
      ? {}
      : {
          baseline: { path: relative(root, resolve(root, target)).split(sep).join("/"), entries: baseline },
        }),
  };

  const progress = new Progress(host);
  const { taint } = config;
  const analysed = await analyse({
    entries,
    root,
    rules,
    callbacks: options.callbacks ?? config.callbacks,
    packages: options.package,
    ...(taint === undefined ? {} : { taint }),
    onProgress: (label, done, total) => progress.show(label, done, total),
  }).finally(() => progress.end());
  const answer = { ...analysed, diagnostics: [...diagnostics, ...analysed.diagnostics] };

  if (options.writeBaseline) {
    const entries = nextBaseline(answer, policy);
    await write(resolve(root, target), target, formatBaseline(entries));
    const count = entries.reduce((sum, { count }) => sum + count, 0);
    printLine(host, `${target}: ${count} finding${count === 1 ? "" : "s"} written.`);
    return Exit.Fine;
  }
  const report = reportOf(answer, policy);
  const format = options.format ?? (options.json ? "json" : "text");
  const colours = coloursFor(host, options.color);
  if (options.output === undefined) {
    host.stdout.write(formatted(report, format, colours, version));
  } else {
    await write(resolve(root, options.output), options.output, formatted(report, format, plain, version));
    printLine(host, summaryText(report.summary, colours));
  }
  const { errors, warnings, failures } = report.summary;
  const fine = errors + failures === 0 && warnings <= (options.maxWarnings ?? Number.POSITIVE_INFINITY);
  return fine ? Exit.Fine : Exit.Differences;
}

/** The baseline that applies, the usual one unless told otherwise; one that was asked for must exist or be about to. */
async function baselineAt(root: string, path: string | undefined, options: Options) {
  const baseline = await readBaseline(root, path ?? DEFAULT_BASELINE);
  if (path !== undefined && baseline === undefined && !options.writeBaseline) {
    throw new UsageError(`${path}: got no such file, expected a baseline made by --write-baseline.`);
  }
  return baseline;
}

function formatted(report: CheckReport, format: Format, colours: Colours, version: string): string {
  if (format === "json") return jsonReport(report);
  return format === "sarif" ? sarifReport(report, version) : textReport(report, colours);
}

async function write(path: string, name: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (error) {
    throw readError(name, error);
  }
}

function ruleNames(text: string, before: readonly RuleName[]): RuleName[] {
  const names = text.split(",").map((name) => {
    const rule = RULES.find((rule) => rule === name.trim());
    if (rule === undefined) throw new InvalidArgumentError(`Expected ${anyOf(RULES)}.`);
    return rule;
  });
  return [...new Set([...before, ...names])];
}

function number(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("Expected a number, 0 or more.");
  return Number(text);
}
