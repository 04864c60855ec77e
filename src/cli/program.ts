/**
 * The command `phloem`: its subcommands, their arguments and options, and what their failures mean. Exit codes: 0 fine;
 * 1 answers differ, or `query --exit-code` says no; 2 input or usage that cannot be worked with, told in one sentence;
 * 3 an error of this program.
 */

import { createRequire } from "node:module";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { MemoryLimitError, TimeLimitError } from "../baselines/index.js";
import { OutOfMemoryError } from "../engine.js";
import { InputError } from "../exploded/input-error.js";
import { bench } from "./bench.js";
import { decompose } from "./decompose.js";
import { collectEngines, engineNames } from "./engines.js";
import { index } from "./index-command.js";
import { query } from "./query.js";
import { stats } from "./stats.js";
import { type Streams, Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";
import { verify } from "./verify.js";

const INSTANCE = "an instance (.ifds), gzip-compressed or not, or - for standard input";
const PROGRAM = "an instance (.ifds), gzip-compressed or not, a saved index, or - for standard input";
const QUERIES = "questions with their answers (.q), gzip-compressed or not";

/** Carries out a command line, without the program's name, and returns its exit code. */
export async function run(args: readonly string[], streams: Streams): Promise<number> {
  const terminal = new Terminal(streams);
  let exitCode = 0;
  const program = define(terminal, async (work) => {
    exitCode = await work;
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    // Commander has printed already: help, the version, or what is wrong with the arguments.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (isExpected(error)) {
      terminal.complain(error.message);
      return 2;
    }
    terminal.complain(`phloem: unexpected error, please report it. ${(error as Error).stack ?? error}`);
    return 3;
  } finally {
    terminal.progress.stop();
  }
}

/** Errors about what was given; ids out of range and failed allocations are `RangeError`s. */
function isExpected(error: unknown): error is Error {
  return [InputError, UsageError, OutOfMemoryError, MemoryLimitError, TimeLimitError, RangeError].some(
    (kind) => error instanceof kind,
  );
}

function define(terminal: Terminal, carryOut: (work: Promise<number>) => Promise<void>): Command {
  const { version } = createRequire(import.meta.url)("phloem/package.json") as { version: string };
  const program = new Command("phloem")
    .description("On-demand interprocedural data-flow analysis: preprocess a program once, then ask.")
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.write(text),
      writeErr: (text) => terminal.complain(text.trimEnd()),
      outputError: (text, write) =>
        write(text.replace(/^error: /, "phloem: ").replace(/([^.\n])\n$/, "$1.\n")),
    });
  const command = (name: string, description: string, example: string): Command =>
    program
      .command(name)
      .description(description)
      .option("--json", "print one line of JSON")
      .addHelpText("after", `\nExample:\n${example.replace(/^/gm, "  $ phloem ")}`);

  command(
    "verify",
    "Answer the questions of a query file and compare with the answers in it. Exit code 1 if any differs.",
    "verify antlr.puninit.ifds.gz antlr.puninit.q.gz\nverify --engine wasm,search --limit 10 antlr.live.ifds.gz antlr.live.q.gz",
  )
    .argument("<instance>", PROGRAM)
    .argument("<queries>", `${QUERIES}, or - for standard input`)
    .option(
      "-e, --engine <names>",
      `engines, separated by commas: ${engineNames.join(", ")} (default: wasm)`,
      collectEngines,
    )
    .option("--limit <seconds>", "time per engine for preprocessing, and for each kind of line", positive, 60)
    .action((instance, queries, options) => carryOut(verify(terminal, instance, queries, options)));

  command(
    "query",
    "Answer one question: does (U, D1) reach (V, D2) over same-context valid paths of procedure PROC? Without V and D2: what does (U, D1) reach?",
    "query batik.live.ifds.gz 17 0 0 5 1\nquery batik.index 17 0 0",
  )
    .argument("<instance>", PROGRAM)
    .argument("<proc>", "a procedure's id or name")
    .argument("<u>", "a vertex of the procedure", natural)
    .argument("<d1>", "a fact of the procedure; 0 is the zero fact", natural)
    .argument("[v]", "a vertex", natural)
    .argument("[d2]", "a fact", natural)
    .addOption(new Option("-e, --engine <name>", "engine").choices(engineNames).default("wasm"))
    .option("--meet", "count paths from (U, 0) as well (meet over same-context valid paths)")
    .option("--exit-code", "exit with 1 if the answer is no")
    .action((instance, procedure, u, d1, v, d2, options) =>
      carryOut(query(terminal, instance, procedure, [u, d1, v, d2], options)),
    );

  command(
    "stats",
    "Show sizes of a program and of its index, their distribution over procedures, and times.",
    "stats batik.live.ifds.gz",
  )
    .argument("<instance>", PROGRAM)
    .addOption(kernelOption())
    .action((instance, options) => carryOut(stats(terminal, instance, options)));

  command(
    "index",
    "Preprocess an instance and save the index, which verify, query and stats take in place of the instance.",
    "index batik.live.ifds.gz -o batik.index\nquery batik.index 17 0 0 5 1",
  )
    .argument("<instance>", INSTANCE)
    .requiredOption("-o, --output <file>", "where the index goes")
    .addOption(kernelOption())
    .action((instance, options) => carryOut(index(terminal, instance, options)));

  command(
    "bench",
    "Measure engines side by side: preprocessing, bytes of the index, pair and single-source queries.",
    "bench antlr.puninit.ifds.gz --runs 5\nbench --engines wasm,reference,search --json antlr.live.ifds.gz",
  )
    .argument("<instance>", INSTANCE)
    .argument("[queries]", `ask the p and s lines of a query file instead of random questions`)
    .option("-e, --engines <names>", "engines, separated by commas (default: all)", collectEngines)
    .option("--runs <count>", "repetitions, of which medians are shown", positiveInteger, 3)
    .option("--time-limit <seconds>", "time per engine for preprocessing", positive, 60)
    .option("--seed <number>", "determines the random questions", natural, 1)
    .action((instance, queries, options) => carryOut(bench(terminal, instance, queries, options)));

  command(
    "decompose",
    "Decompose the flow graph of a procedure; write graph and decomposition in the forms of the PACE challenge.",
    "decompose batik.live.ifds.gz 17 --gr batik.gr --td batik.td",
  )
    .argument("<instance>", INSTANCE)
    .argument("<proc>", "a procedure's id or name")
    .option("--gr <file>", "where the graph goes")
    .option("--td <file>", "where the tree decomposition goes")
    .action((instance, procedure, options) => carryOut(decompose(terminal, instance, procedure, options)));

  return program;
}

const kernelOption = (): Option =>
  new Option("-e, --engine <name>", "engine").choices(["wasm", "reference"]).default("wasm");

function natural(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a number from 0 on.");
}

function positiveInteger(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a number from 1 on.");
}

function positive(text: string): number {
  const value = Number(text);
  if (/^\d*\.?\d+$/.test(text) && 0 < value) return value;
  throw new InvalidArgumentError("Expected a number above 0.");
}
