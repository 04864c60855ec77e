/** `phloem bench`: all engines side by side in one run, on the same queries, random or of a file. */

import { type Command, Option } from "commander";
import { ask, disagreements, type Entry, prepareAll } from "./bench-contest.js";
import { type BenchQueries, queriesOfFile, randomQueries, SORTS, type Sort } from "./bench-queries.js";
import { type Contest, jsonReport, printReport } from "./bench-report.js";
import {
  type AnalyzeFlags,
  ENGINES,
  type Engine,
  engineList,
  positive,
  positiveInteger,
  shapeOf,
  withAnalyzeOptions,
} from "./engines.js";
import { Exit, type Host, UsageError } from "./host.js";
import { nameOf, readBytes, readInstance } from "./input.js";
import { printJson } from "./output.js";
import { Progress } from "./progress.js";
import { readQueryFile } from "./query-file.js";

interface Options extends AnalyzeFlags {
  readonly engines?: readonly Engine[];
  readonly runs: number;
  readonly timeLimit: number;
  readonly queries: number;
  readonly seed: number;
  readonly json?: boolean;
}

export function benchCommand(program: Command, host: Host, finish: (exit: Exit) => void): void {
  const command = program
    .command("bench")
    .summary("all engines side by side")
    .description(
      "Measures all engines on one instance: preprocessing by phase, bytes, time per query. Ratios are to the first engine.",
    )
    .argument("<instance>", ".ifds file; - for standard input")
    .argument("[queries]", ".q file to ask, and to hold the answers against, in place of random queries")
    .addOption(
      new Option("--engines <names>", `with commas (default: ${ENGINES.join(",")})`).argParser(engineList),
    )
    .addOption(
      new Option("--runs <n>", "preprocess so often; the median is shown")
        .argParser(positiveInteger)
        .default(3),
    )
    .addOption(
      new Option("--time-limit <seconds>", "per engine, for preprocessing and for each sort of query")
        .argParser(positive)
        .default(20),
    )
    .addOption(new Option("--queries <n>", "random pair queries").argParser(positiveInteger).default(100_000))
    .addOption(new Option("--seed <n>", "of the random queries").argParser(positiveInteger).default(1))
    .option("--json", "print one JSON document");
  withAnalyzeOptions(command)
    .addHelpText(
      "after",
      "\nExamples:\n  $ phloem bench antlr.live.ifds.gz --engines wasm,reference,search --runs 5" +
        "\n  $ phloem bench antlr.live.ifds.gz antlr.live.q.gz",
    )
    .action(async (instance: string, file: string | undefined, options: Options) => {
      for (const name of ["queries", "seed"]) {
        if (file === undefined || command.getOptionValueSource(name) === "default") continue;
        throw new UsageError(`got a query file and --${name}, expected one of them.`);
      }
      finish(await bench(instance, file, options, host));
    });
}

async function bench(
  instance: string,
  file: string | undefined,
  options: Options,
  host: Host,
): Promise<Exit> {
  if (instance === "-" && file === "-") {
    throw new UsageError("got - for both files, expected standard input to be one of them.");
  }
  const progress = new Progress(host);
  try {
    const graph = await readInstance(instance, host, progress);
    const entries = (options.engines ?? ENGINES).map(
      (engine): Entry => ({ engine, runs: [], solver: undefined, out: undefined, speeds: {}, answers: {} }),
    );
    const queries =
      file === undefined
        ? randomQueries(graph, options.queries, options.seed)
        : queriesOfFile(
            await readQueryFile(
              readBytes(file, host),
              nameOf(file),
              shapeOf({ kind: "instance", name: nameOf(instance), graph }),
            ),
          );
    prepareAll(graph, entries, options, progress);
    const limit = 1000 * options.timeLimit;
    for (const sort of SORTS) ask(sort, entries, queries.words[sort], limit, progress);
    progress.end();
    const disagreeing = disagreements(entries, queries);
    const contest: Contest = {
      instance: nameOf(instance),
      graph,
      entries,
      disagreeing,
      counts: countsOf(queries),
      runs: options.runs,
      timeLimit: options.timeLimit,
      seed: options.seed,
      file: file === undefined ? undefined : nameOf(file),
    };
    if (options.json) printJson(host, jsonReport(contest));
    else printReport(contest, host);
    return disagreeing.length === 0 ? Exit.Fine : Exit.Differences;
  } finally {
    progress.end();
  }
}

const countsOf = ({ words: { pair, batch, source } }: BenchQueries): Record<Sort, number> => ({
  pair: pair.length / 5,
  batch: batch.length / 5,
  source: source.length / 5,
});
