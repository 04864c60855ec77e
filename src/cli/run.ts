/**
 * The command line: subcommands, options and help, and what becomes of errors. `run` never ends the process, so that tests
 * call it as it is.
 */

import { existsSync, readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import type { CheckProgram } from "../check/check-request.js";
import { checkModules } from "../javascript/check-modules.js";
import { nodeHost } from "../javascript/modules/host/node.js";
import { askCommand } from "./ask.js";
import { benchCommand } from "./bench.js";
import { checkCommand } from "./check.js";
import { checkClasses } from "./check-classes.js";
import { decomposeCommand } from "./decompose.js";
import { exportCommand } from "./export.js";
import { Exit, type Host, isUserError } from "./host.js";
import { indexCommand } from "./index-command.js";
import { isJava } from "./is-java.js";
import { queryCommand } from "./query.js";
import { statsCommand } from "./stats.js";
import { verifyCommand } from "./verify.js";

/** What `phloem check` runs: the rules on the modules, or the classes, of the files at hand. */
const checkProgram: CheckProgram = async (request) =>
  isJava(request.root, request.entries)
    ? checkClasses(request)
    : checkModules(request, nodeHost(request.root));

/**
 * Runs one command; `argv` is without the names of the interpreter and the script. Returns the exit code. `analyse` is what
 * `phloem check` asks; tests put their own in place.
 */
export async function run(
  argv: readonly string[],
  host: Host,
  analyse: CheckProgram = checkProgram,
): Promise<Exit> {
  let exit = Exit.Fine;
  const program = new Command("phloem")
    .description(
      "Finds reads before initialization and other faults in programs; asks what holds where; analyses exploded supergraphs.",
    )
    .version(version())
    .addHelpText(
      "after",
      `
INSTANCE is an .ifds file, plain or gzip, or an index made by \`phloem index\`; - is standard input.
Exit codes: 0 fine, 1 differences or findings, 2 bad input or usage.

Examples:
  $ phloem check src/main.ts
  $ phloem ask src/main.ts:3:13 --explain
  $ phloem verify antlr.puninit.ifds.gz antlr.puninit.q.gz`,
    );
  const finish = (code: Exit) => {
    exit = code;
  };
  checkCommand(program, host, finish, analyse);
  for (const add of [
    askCommand,
    verifyCommand,
    queryCommand,
    statsCommand,
    indexCommand,
    benchCommand,
    decomposeCommand,
    exportCommand,
  ]) {
    add(program, host, finish);
  }
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => void host.stdout.write(text),
      writeErr: () => {},
      getOutHelpWidth: () => Math.min(host.stdout.columns ?? 100, 110),
    });
  }
  const fail = (sentence: string): Exit => {
    host.stderr.write(`phloem: ${sentence}\n`);
    return Exit.BadInput;
  };
  try {
    if (argv.length === 0) {
      host.stderr.write(program.helpInformation());
      return fail("got no command, expected one of those above.");
    }
    await program.parseAsync(argv, { from: "user" });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? Exit.Fine : fail(usageSentence(error.message));
    }
    if (isUserError(error)) return fail(error.message);
    host.stderr.write(`phloem: unexpected failure: ${error instanceof Error ? error.stack : error}\n`);
    return Exit.Fault;
  }
}

/** `error: unknown option '--x'\n(Did you mean --y?)` as a sentence. */
function usageSentence(message: string): string {
  const sentence = message.replace(/^error: /, "").replace(/\s*\n\s*/g, " ");
  return /[.?)]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** The version of the package that this file, bundled or not, belongs to. */
function version(): string {
  for (let folder = new URL(".", import.meta.url); ; folder = new URL("..", folder)) {
    const file = new URL("package.json", folder);
    if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")).version;
    if (new URL("..", folder).href === folder.href) return "unknown";
  }
}
