/**
 * `phloem index`: preprocesses an instance once and saves the index, which the other commands take in its place.
 */

import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import { type AnalyzeFlags, analysisOf, analyzeFlags, withAnalyzeOptions } from "./engines.js";
import { Exit, type Host, UsageError } from "./host.js";
import { readError, readInstance } from "./input.js";
import { bytes, milliseconds, printJson, printLine } from "./output.js";
import { Progress } from "./progress.js";

interface Options extends AnalyzeFlags {
  readonly output: string;
  readonly json?: boolean;
}

export function indexCommand(program: Command, host: Host, finish: (exit: Exit) => void): void {
  const command = program
    .command("index")
    .summary("preprocess an instance and save the index")
    .description(
      "Preprocesses an instance and saves the index. verify, query and stats take it in place of the instance.",
    )
    .argument("<instance>", ".ifds file; - for standard input")
    .requiredOption("-o, --output <file>", "where the index goes; - for standard output")
    .option("--json", "print one JSON document");
  withAnalyzeOptions(command)
    .addHelpText(
      "after",
      "\nExample:\n  $ phloem index fop.live.ifds.gz -o fop.phlm && phloem stats fop.phlm",
    )
    .action(async (instance: string, options: Options) => {
      await index(instance, options, host);
      finish(Exit.Fine);
    });
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
    if (output === "-") {
      host.stdout.write(data);
      return;
    }
    try {
      await writeFile(output, data);
    } catch (error) {
      throw readError(output, error);
    }
    if (options.json) printJson(host, { index: output, bytes: data.length, milliseconds: total });
    else printLine(host, `${output}: ${bytes(data.length)}, preprocessed in ${milliseconds(total)}`);
  } finally {
    progress.end();
  }
}
