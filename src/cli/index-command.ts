/**
 * `phloem index`: preprocesses an instance, or a program in JavaScript and TypeScript, once and saves the index, which the other
 * commands take in its place.
 */

import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import picomatch from "picomatch";
import { CLIENTS, type ClientName } from "../ask/clients.js";
import { CALLBACKS, type Callbacks } from "../check/check-request.js";
import { anyOf } from "../check/suppress.js";
import { saveProgramIndex } from "../program-index/saved-index.js";
import { loadProject } from "./asked-project.js";
import { findEntries, readConfig } from "./check-files.js";
import { type AnalyzeFlags, analysisOf, analyzeFlags, withAnalyzeOptions } from "./engines.js";
import { Exit, type Host, UsageError } from "./host.js";
import { readError, readInstance, statsAt } from "./input.js";
import { packageOption } from "./is-java.js";
import { bytes, milliseconds, printJson, printLine } from "./output.js";
import { Progress } from "./progress.js";

interface Options extends AnalyzeFlags {
  readonly output: string;
  readonly client: readonly ClientName[];
  readonly callbacks?: Callbacks;
  readonly package: readonly string[];
  readonly json?: boolean;
}

export function indexCommand(program: Command, host: Host, finish: (exit: Exit) => void): void {
  const command = program
    .command("index")
    .summary("preprocess an instance or a program and save the index")
    .description(
      "Preprocesses and saves the index: of an instance, for verify, query and stats; of a program, for ask.",
    )
    .argument(
      "<input...>",
      ".ifds file, - for standard input; or a program's entries: modules, folders, globs, or Java archives and classes",
    )
    .requiredOption("-o, --output <file>", "where the index goes; - for standard output")
    .addOption(
      new Option("--client <name>", `of a program, may be repeated: ${CLIENTS.join(", ")}`)
        .argParser(clientNames)
        .default([], "all"),
    )
    .addOption(
      new Option(
        "--callbacks <when>",
        "of a program: when unknown callees call functions they are given (default: later)",
      ).choices(CALLBACKS),
    )
    .addOption(packageOption())
    .option("--json", "print one JSON document");
  withAnalyzeOptions(command)
    .addHelpText(
      "after",
      `
Examples:
  $ phloem index fop.live.ifds.gz -o fop.phlm && phloem stats fop.phlm
  $ phloem index src/main.ts -o app.phloem && phloem ask --index app.phloem src/main.ts:12:7`,
    )
    .action(async (inputs: string[], options: Options) => {
      if (inputs.every((input) => isProgram(host, input)))
        await indexProject(inputs, options, host, program.version() ?? "");
      else if (inputs.length === 1 && options.client.length + options.package.length === 0)
        await index(inputs[0], options, host);
      else {
        const option = 0 < options.client.length ? "client" : "package";
        const got = 1 < inputs.length ? `${inputs.length} inputs` : `option --${option}`;
        throw new UsageError(`${inputs[0]}: got an instance with ${got}, expected one instance alone.`);
      }
      finish(Exit.Fine);
    });
}

/** Whether an input is a module, Java, a folder or a glob, and not an instance. */
function isProgram(host: Host, input: string): boolean {
  return (
    /\.(?:[cm]?[jt]s|[jt]sx|java|jar|war|ear|zip|jmod|class)$/i.test(input) ||
    picomatch.scan(input).isGlob ||
    statsAt(host.cwd(), input)?.isDirectory() === true
  );
}

async function indexProject(
  given: readonly string[],
  options: Options,
  host: Host,
  version: string,
): Promise<void> {
  const { output } = options;
  if (output === "-" && options.json)
    throw new UsageError("got --json and -o -, expected one document for standard output.");
  const root = host.cwd();
  const progress = new Progress(host);
  const config = await readConfig(root, undefined);
  const { paths } = await findEntries(root, given);
  const callbacks = options.callbacks ?? config.callbacks;
  const request = { root, entries: paths, callbacks, packages: options.package };
  try {
    const begun = performance.now();
    const { programs, inputs, warnings } = await loadProject(request, progress);
    const clients = options.client.length === 0 ? CLIENTS : options.client;
    const data = saveProgramIndex({ programs, clients, inputs, version });
    const total = performance.now() - begun;
    progress.end();
    for (const { file, line, column, message } of warnings)
      host.stderr.write(`phloem: ${file}:${line}:${column}: ${message}\n`);
    await write(output, data, host);
    if (output === "-") return;
    const files = programs.executions[0].files.length;
    if (options.json)
      printJson(host, { index: output, files, clients, bytes: data.length, milliseconds: total });
    else printLine(host, `${output}: ${bytes(data.length)}, ${files} files, made in ${milliseconds(total)}`);
  } finally {
    progress.end();
  }
}

function clientNames(text: string, before: readonly ClientName[]): ClientName[] {
  const client = CLIENTS.find((name) => name === text);
  if (client === undefined) throw new InvalidArgumentError(`Expected ${anyOf(CLIENTS)}.`);
  return [...new Set([...before, client])];
}

async function write(output: string, data: Uint8Array, host: Host): Promise<void> {
  if (output === "-") {
    host.stdout.write(data);
    return;
  }
  try {
    await writeFile(output, data);
  } catch (error) {
    throw readError(output, error);
  }
}

async function index(instance: string, options: Options, host: Host): Promise<void> {
  if (options.output === "-" && options.json) {
    throw new UsageError("got --json and -o -, expected one document for standard output.");
  }
  if (instance !== "-" && resolve(instance) === resolve(options.output)) {
    throw new UsageError(`${instance}: got the instance as output, expected another file.`);
  }
  const progress = new Progress(host);
  try {
    const graph = await readInstance(instance, host, progress);
    const { output } = options;
    const analysis = analysisOf(
      { kind: "instance", name: instance, graph },
      "wasm",
      analyzeFlags(options),
      progress,
    );
    const data = new Uint8Array(analysis.data);
    const { total } = analysis.statistics.milliseconds;
    progress.end();
    await write(output, data, host);
    if (output === "-") return;
    if (options.json) printJson(host, { index: output, bytes: data.length, milliseconds: total });
    else printLine(host, `${output}: ${bytes(data.length)}, preprocessed in ${milliseconds(total)}`);
  } finally {
    progress.end();
  }
}
