/**
 * `phloem ask`: questions about a program by positions in its sources. What they mean is the program index's affair; here are
 * options, and what becomes of the answers.
 */

import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { parsePosition, placeText } from "../ask/position.js";
import type { ProgramIndex } from "../ask/program-index.js";
import type { ProgramPosition } from "../ask/program-position.js";
import { CALLBACKS, type Callbacks } from "../check/check-request.js";
import { freshProject, type OpenedProject, openProject } from "./asked-project.js";
import { findEntries, fromRoot, readConfig } from "./check-files.js";
import { Exit, type Host, UsageError } from "./host.js";
import { readWhole } from "./input.js";
import { packageOption } from "./is-java.js";
import { javaPosition } from "./java-project.js";
import { coloursFor, printJson, printLine } from "./output.js";
import { Progress } from "./progress.js";
import { type AskedAnswer, answerText, answerValue, type FoundItem, type Question } from "./report-ask.js";

interface Options {
  readonly entry: readonly string[];
  readonly index?: string;
  readonly definitions?: boolean;
  readonly live?: boolean;
  readonly uninitialized?: boolean;
  readonly to?: string;
  readonly explain?: boolean;
  readonly callbacks?: Callbacks;
  readonly package: readonly string[];
  readonly json?: boolean;
  /** False with --no-color. */
  readonly color: boolean;
}

export function askCommand(program: Command, host: Host, finish: (exit: Exit) => void): void {
  program
    .command("ask")
    .summary("ask about positions in JavaScript, TypeScript and Java")
    .description(
      "Answers questions about steps of a program, over all its executions: which definitions reach a read, which " +
        "variables are live, whether one may be uninitialized.",
    )
    .argument("<positions...>", "FILE:LINE:COLUMN each, counted from 1; of Java FILE:LINE")
    .option("--definitions", "which definitions of its variable reach it (default at a read)")
    .option("--live", "which variables are live just before it (default elsewhere)")
    .option("--uninitialized", "whether its variable may have no value yet")
    .option("--to <position>", "whether its value may reach this position")
    .option("--explain", "say why: a shortest execution, step by step")
    .addOption(
      new Option(
        "--entry <module>",
        "where execution begins, or Java archives and classes; may be repeated (default: as for check)",
      )
        .argParser((entry: string, before: readonly string[]) => [...before, entry])
        .default([], "those that package.json names"),
    )
    .option("--index <file>", "a saved index of the program, made by phloem index")
    .addOption(
      new Option(
        "--callbacks <when>",
        "when unknown callees call functions they are given (default: later)",
      ).choices(CALLBACKS),
    )
    .addOption(packageOption())
    .option("--json", "print one JSON document")
    .option("--no-color", "no colours")
    .addHelpText(
      "after",
      `
A position stands for the smallest step that covers it. With --index, what has changed since is analysed anew.
Exit codes: 0 something was found, or yes; 1 nothing was, or no; 2 bad input or usage.

Examples:
  $ phloem ask src/cart.ts:12:7 --explain
  $ phloem ask src/form.ts:4:9 --to src/query.ts:31:20
  $ phloem ask org/shop/Cart.java:12 --entry app.jar
  $ phloem ask src/cart.ts:12:7 src/cart.ts:20:3 --live --entry src/main.ts
  $ phloem index src/main.ts -o app.phloem && phloem ask --index app.phloem src/cart.ts:12:7`,
    )
    .action(async (positions: string[], options: Options) => {
      finish(await ask(positions, options, host, program.version() ?? ""));
    });
}

async function ask(given: readonly string[], options: Options, host: Host, version: string): Promise<Exit> {
  const root = host.cwd();
  const positionOf = (text: string, index: ProgramIndex) => {
    if (index.isByLine) return javaPosition(text, index);
    const position = parsePosition(text);
    return { ...position, file: fromRoot(root, resolve(root, position.file)) };
  };
  const progress = new Progress(host);
  const project = await opened(options, root, host, version, progress).finally(() => progress.end());
  for (const { file, line, column, message } of project.warnings)
    host.stderr.write(`phloem: ${file}:${line}:${column}: ${message}\n`);
  const positions = given.map((text) => positionOf(text, project.index));
  const target = options.to === undefined ? undefined : positionOf(options.to, project.index);
  const to = target === undefined ? undefined : project.index.at(target);
  const answers = positions.flatMap((position) => {
    const at = project.index.at(position);
    return questionsFor(at, options).map((question) => answer(at, question, to, options.explain === true));
  });
  const news = project.news();
  if (news !== undefined) host.stderr.write(`phloem: ${news}\n`);
  if (options.json) printJson(host, { answers: answers.map(answerValue) });
  else {
    const colours = coloursFor(host, options.color);
    printLine(
      host,
      answers
        .map((each) => answerText(each, project.index.places, colours))
        .join("\n")
        .trimEnd(),
    );
  }
  return answers.some(({ holds }) => holds) ? Exit.Fine : Exit.Differences;
}

async function opened(
  options: Options,
  root: string,
  host: Host,
  version: string,
  progress: Progress,
): Promise<OpenedProject> {
  if (options.index !== undefined) {
    for (const name of ["entry", "callbacks", "package"] as const) {
      if (options[name] !== undefined && 0 < options[name].length)
        throw new UsageError(
          `Index: got --index and --${name}, expected the index alone: it knows its program.`,
        );
    }
    return openProject(await readWhole(options.index, host), root, version, options.index, progress);
  }
  const config = await readConfig(root, undefined);
  const { paths } = await findEntries(
    root,
    options.entry.length === 0 ? (config.entries ?? []) : options.entry,
  );
  const callbacks = options.callbacks ?? config.callbacks;
  return freshProject({ root, entries: paths, callbacks, packages: options.package }, progress);
}

function questionsFor(at: ProgramPosition, { definitions, live, uninitialized, to }: Options): Question[] {
  const questions: Question[] = [];
  if (definitions) questions.push("definitions");
  if (live) questions.push("live");
  if (uninitialized) questions.push("uninitialized");
  if (to !== undefined) questions.push("reaches");
  if (0 < questions.length) return questions;
  return [at.use === "reads" && 0 < at.names.length ? "definitions" : "live"];
}

function answer(
  at: ProgramPosition,
  question: Question,
  to: ProgramPosition | undefined,
  isExplained: boolean,
): AskedAnswer {
  const { position, extent, names } = at;
  const about = { position, extent, names, question, isExecuted: at.isExecuted() };
  const name = names.join(", ");
  const item = (place: FoundItem["place"], name: string, explain: () => FoundItem["steps"]): FoundItem => {
    const steps = isExplained ? explain() : undefined;
    return { place, name, ...(steps === undefined ? {} : { steps }) };
  };
  switch (question) {
    case "definitions": {
      const items = at.reachingDefinitions().map(({ name, explain, ...place }) => item(place, name, explain));
      const text = `${count(items.length, "definition")} of ${name} ${items.length === 1 ? "reaches" : "reach"} this ${at.use === "reads" ? "read" : "step"}`;
      return { ...about, holds: 0 < items.length, text, items };
    }
    case "live": {
      const items = at
        .liveVariables()
        .map(({ name, declaration, explain }) => item(declaration, name, explain));
      const text = `${count(items.length, "variable")} ${items.length === 1 ? "is" : "are"} live here`;
      return { ...about, holds: 0 < items.length, text, items };
    }
    case "reaches": {
      if (to === undefined) throw new UsageError("Question: got no --to, expected a position.");
      const holds = at.reaches(to);
      const steps = isExplained ? at.explainReaches(to) : undefined;
      const text = `the value here ${holds ? "may reach" : "does not reach"} ${placeText(to.extent)}`;
      return { ...about, to: to.position, holds, text, items: [], ...(steps === undefined ? {} : { steps }) };
    }
    default: {
      const holds = at.mayBeUninitialized();
      const steps = isExplained ? at.explainUninitialized() : undefined;
      const text = holds ? `${name} may have no value yet` : `${name} has a value here`;
      return { ...about, holds, text, items: [], ...(steps === undefined ? {} : { steps }) };
    }
  }
}

const count = (n: number, noun: string): string =>
  `${n === 0 ? "no" : n.toLocaleString("en-US")} ${noun}${n === 1 ? "" : "s"}`;
