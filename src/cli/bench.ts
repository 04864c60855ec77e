/**
 * `phloem bench`: all engines side by side in one run, on the same queries, random or of a file. Engines take turns, so that a
 * machine that slows down slows all of them down; slow engines answer as many queries as their time allows.
 */

import { cpus } from "node:os";
import { type Command, Option } from "commander";
import { type Baseline, MemoryLimitError, TimeLimitError } from "../baselines/index.js";
import {
  Analysis,
  type ExplodedSupergraph,
  OutOfMemoryError,
  type PhaseMilliseconds,
  type Solver,
} from "../index.js";
import { type BenchQueries, queriesOfFile, randomQueries, SORTS, type Sort } from "./bench-queries.js";
import {
  type AnalyzeFlags,
  analyzeFlags,
  ENGINES,
  type Engine,
  engineList,
  positive,
  positiveInteger,
  shapeOf,
  solverOf,
  Timeout,
  withAnalyzeOptions,
} from "./engines.js";
import { Exit, type Host, UsageError } from "./host.js";
import { nameOf, readBytes, readInstance } from "./input.js";
import {
  bytes,
  type Colours,
  coloursFor,
  milliseconds,
  printJson,
  printLine,
  short,
  table,
  whole,
} from "./output.js";
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

/** Time per query of one sort, over the queries answered. */
interface Speed {
  nanosecondsPerQuery: number;
  answered: number;
}

/** One engine in the contest. */
interface Entry {
  readonly engine: Engine;
  readonly runs: { total: number; phases?: PhaseMilliseconds }[];
  solver: Solver | undefined;
  /** Why it takes no part any more. */
  out: "timeout" | "too large" | undefined;
  readonly speeds: Partial<Record<Sort, Speed>>;
  readonly answers: Partial<Record<Sort, Float64Array>>;
}

const PHASES = ["contract", "decompose", "assemble", "summaries", "labels"] as const;
/** Slices of the queries, in which engines take turns. */
const SLICES = 10;
/** Milliseconds between two looks at the clock, about. */
const BLOCK = 2;

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
      file: file === undefined ? undefined : nameOf(file),
    };
    if (options.json) printJson(host, jsonReport(contest, options));
    else printReport(contest, options, host);
    return disagreeing.length === 0 ? Exit.Fine : Exit.Differences;
  } finally {
    progress.end();
  }
}

/** What is reported. */
interface Contest {
  readonly instance: string;
  readonly graph: ExplodedSupergraph;
  readonly entries: readonly Entry[];
  readonly disagreeing: ReturnType<typeof disagreements>;
  readonly counts: Readonly<Record<Sort, number>>;
  /** Where the queries are from, if they are not random. */
  readonly file: string | undefined;
}

const countsOf = ({ words: { pair, batch, source } }: BenchQueries): Record<Sort, number> => ({
  pair: pair.length / 5,
  batch: batch.length / 5,
  source: source.length / 5,
});

/** Preprocesses with every engine in turn, `runs` times; an engine that needs half its time limit runs no more. */
function prepareAll(
  graph: ExplodedSupergraph,
  entries: readonly Entry[],
  options: Options,
  progress: Progress,
): void {
  const { runs, timeLimit } = options;
  for (let run = 0; run < runs; run++) {
    for (const entry of entries) {
      const spent = entry.runs.reduce((sum, { total }) => sum + total, 0);
      if (entry.out !== undefined || 500 * timeLimit < spent) continue;
      entry.solver = undefined;
      progress.show(`${entry.engine} ${run + 1}`, run, runs);
      const begin = performance.now();
      try {
        entry.solver = solverOf(
          { kind: "instance", name: "", graph },
          entry.engine,
          {
            timeLimit,
            ...analyzeFlags(options),
          },
          progress,
        );
      } catch (error) {
        if (error instanceof TimeLimitError || error instanceof Timeout) entry.out = "timeout";
        else if (error instanceof MemoryLimitError || error instanceof OutOfMemoryError)
          entry.out = "too large";
        else throw error;
        continue;
      }
      const total = performance.now() - begin;
      const { solver } = entry;
      entry.runs.push(
        solver instanceof Analysis ? { total, phases: solver.statistics.milliseconds } : { total },
      );
    }
  }
}

/** Answers queries `from .. to - 1` and writes the answers. */
type Answer = (solver: Solver, queries: Uint32Array, from: number, to: number, into: Float64Array) => void;

const answering: Record<Sort, Answer> = {
  pair(solver, queries, from, to, into) {
    for (let i = from, at = 5 * from; i < to; i++, at += 5) {
      const answer = solver.reaches(
        queries[at],
        queries[at + 1],
        queries[at + 2],
        queries[at + 3],
        queries[at + 4],
      );
      into[i] = answer ? 1 : 0;
    }
  },
  batch(solver, queries, from, to, into) {
    into.set(solver.reachesAll(queries.subarray(5 * from, 5 * to)), from);
  },
  source(solver, queries, from, to, into) {
    for (let i = from, at = 5 * from; i < to; i++, at += 5) {
      into[i] = solver.from(queries[at], queries[at + 1], queries[at + 2]).count;
    }
  },
};

/** Measures one sort of query on all engines that are left, slice by slice. */
function ask(
  sort: Sort,
  entries: readonly Entry[],
  queries: Uint32Array,
  limit: number,
  progress: Progress,
): void {
  const count = queries.length / 5;
  if (count === 0) return;
  const answer = answering[sort];
  const states = entries.flatMap((entry) => {
    const { engine, solver, speeds, answers } = entry;
    if (solver === undefined) return [];
    const into = new Float64Array(count);
    const state = { entry, solver, into, speeds, answers, spent: 0, answered: 0, block: 1 };
    // Lets the host compile the code on the way; an engine that keeps answers would know them afterwards.
    const fits = engine === "od" || fitsMemory(entry, () => warmUp(answer, solver, queries, into));
    return fits ? [state] : [];
  });
  for (let slice = 1; slice <= SLICES; slice++) {
    const end = Math.ceil((count * slice) / SLICES);
    for (const state of states) {
      progress.show(sort, slice - 1, SLICES);
      while (
        state.entry.out === undefined &&
        state.answered < end &&
        (state.spent < limit || state.answered === 0)
      ) {
        const to = Math.min(end, state.answered + state.block);
        const begin = performance.now();
        const answerBlock = () => answer(state.solver, queries, state.answered, to, state.into);
        if (!fitsMemory(state.entry, answerBlock)) break;
        const time = performance.now() - begin;
        state.spent += time;
        state.answered = to;
        if (time < BLOCK / 2) state.block *= 2;
        else if (2 * BLOCK < time && 1 < state.block) state.block >>>= 1;
      }
    }
  }
  for (const { speeds, answers, into, spent, answered } of states) {
    if (answered === 0) continue;
    speeds[sort] = { nanosecondsPerQuery: (1e6 * spent) / answered, answered };
    answers[sort] = into.subarray(0, answered);
  }
}

/** Asks queries; false where one needs more memory than there is for it, and the engine drops out. */
function fitsMemory(entry: Entry, queries: () => void): boolean {
  try {
    queries();
    return true;
  } catch (error) {
    if (!(error instanceof MemoryLimitError)) throw error;
    entry.out = "too large";
    entry.solver = undefined;
    return false;
  }
}

/** Answers the first queries, over and over, for 100 ms or 50,000 answers. */
function warmUp(answer: Answer, solver: Solver, queries: Uint32Array, into: Float64Array): void {
  const count = Math.min(queries.length / 5, 5000);
  const begin = performance.now();
  for (let i = 0; i < 50_000 && performance.now() - begin < 100; i++) {
    const at = i % count;
    answer(solver, queries, at, at + 1, into);
  }
}

/** Sorts of query on which an engine answers unlike the file, or else the first engine: all must agree. */
function disagreements(
  entries: readonly Entry[],
  { expected }: BenchQueries,
): { engine: Engine; sort: Sort; query: number }[] {
  const found: { engine: Engine; sort: Sort; query: number }[] = [];
  for (const sort of SORTS) {
    const first =
      expected?.[sort] ?? entries.find(({ answers }) => answers[sort] !== undefined)?.answers[sort];
    if (first === undefined) continue;
    for (const { engine, answers } of entries) {
      const query = answers[sort]?.findIndex((answer, i) => i < first.length && answer !== first[i]) ?? -1;
      if (0 <= query) found.push({ engine, sort, query });
    }
  }
  return found;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >>> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

const medianTime = ({ runs }: Entry): number | undefined =>
  runs.length === 0 ? undefined : median(runs.map(({ total }) => total));

const medianPhase = ({ runs }: Entry, phase: (typeof PHASES)[number]): number | undefined => {
  const times = runs.flatMap(({ phases }) => (phases === undefined ? [] : [phases[phase]]));
  return times.length === 0 ? undefined : median(times);
};

/** Bytes kept for queries. */
function bytesOf({ solver }: Entry): number | undefined {
  if (solver === undefined) return undefined;
  return solver instanceof Analysis ? solver.statistics.bytes.index : (solver as Baseline).bytes;
}

const machine = () => ({
  cpu: cpus()[0]?.model.trim() ?? "unknown",
  cores: cpus().length,
  node: process.version,
});

function explodedVertices({ vertexCount, factCount }: ExplodedSupergraph): number {
  return vertexCount.reduce((sum, vertices, p) => sum + vertices * factCount[p], 0);
}

function jsonReport(
  { instance, graph, entries, disagreeing, counts, file }: Contest,
  { seed, timeLimit, runs }: Options,
) {
  const engines = entries.map((entry) => [
    entry.engine,
    {
      outcome: entry.out ?? "finished",
      runs: entry.runs.length,
      preprocessMilliseconds: medianTime(entry) ?? null,
      phaseMilliseconds: entry.runs.some(({ phases }) => phases !== undefined)
        ? Object.fromEntries(PHASES.map((phase) => [phase, medianPhase(entry, phase)]))
        : null,
      bytes: bytesOf(entry) ?? null,
      pair: entry.speeds.pair ?? null,
      batch: entry.speeds.batch ?? null,
      source: entry.speeds.source ?? null,
    },
  ]);
  return {
    instance,
    machine: machine(),
    explodedVertices: explodedVertices(graph),
    queries: file === undefined ? counts.pair : counts,
    ...(file === undefined ? { seed } : { file }),
    runs,
    timeLimitSeconds: timeLimit,
    engines: Object.fromEntries(engines),
    disagreements: disagreeing,
  };
}

function printReport(
  { instance, graph, entries, disagreeing, counts, file }: Contest,
  { seed, timeLimit, runs }: Options,
  host: Host,
): void {
  const colours = coloursFor(host);
  const { cpu, cores, node } = machine();
  const exploded = explodedVertices(graph);
  printLine(host, `${colours.bold(instance)}: ${whole(exploded)} exploded vertices`);
  printLine(host, `${cpu}, ${cores} cores, Node ${node}`);
  printLine(host);

  const row = (
    title: string,
    of: (entry: Entry) => number | undefined,
    show: (x: number) => string,
  ): string[] => {
    const first = of(entries[0]);
    const cells = entries.map((entry, i) => {
      const value = of(entry);
      if (value === undefined) return entry.out === undefined ? "-" : colours.yellow(entry.out);
      const ratio =
        0 < i && first !== undefined && 0 < first && 0 < value ? ` ${ratioText(value / first, colours)}` : "";
      return show(value) + ratio;
    });
    return [title, ...cells];
  };
  const speed = (title: string, sort: Sort, show: (ns: number) => string) =>
    row(title, ({ speeds }) => speeds[sort]?.nanosecondsPerQuery, show);
  const nanoseconds = (ns: number) => short(ns);
  const rows = [
    row("preprocessing", medianTime, milliseconds),
    ...PHASES.map((phase) =>
      row(`  ${phase}`, (entry) => medianPhase(entry, phase), milliseconds).map((cell) =>
        cell.includes("timeout") || cell.includes("too large") ? "-" : cell,
      ),
    ),
    row("bytes for queries", bytesOf, bytes),
    row("  per exploded vertex", (entry) => ratio(bytesOf(entry), exploded), short),
    speed("pair, single calls, ns", "pair", nanoseconds),
    speed("pair, batch, ns", "batch", nanoseconds),
    speed("single source, µs", "source", (ns) => short(ns / 1000)),
  ];
  printLine(host, table(["", ...entries.map(({ engine }) => engine)], rows, colours));
  printLine(host);
  printLine(
    host,
    `Median of up to ${runs} runs; mean over ${whole(counts.pair)} ` +
      (file === undefined
        ? `random pairs (seed ${seed})`
        : `pairs of ${file}, ${whole(counts.batch)} more in batches,`) +
      ` and ${whole(counts.source)} sources. In brackets: times the first engine. Limit: ${timeLimit} s.`,
  );
  for (const { engine, speeds } of entries) {
    const { pair, batch, source } = speeds;
    const parts = [
      ...(pair !== undefined && pair.answered < counts.pair ? [`${whole(pair.answered)} pairs`] : []),
      ...(batch !== undefined && batch.answered < counts.batch
        ? [`${whole(batch.answered)} in batches`]
        : []),
      ...(source !== undefined && source.answered < counts.source
        ? [`${whole(source.answered)} sources`]
        : []),
    ];
    if (0 < parts.length) printLine(host, `${engine} reached the time limit after ${parts.join(", ")}.`);
  }
  for (const { engine, sort, query } of disagreeing) {
    const other = file ?? entries[0].engine;
    printLine(host, colours.red(`${engine} disagrees with ${other}: ${sort} query ${query}.`));
  }
}

const ratio = (a: number | undefined, b: number): number | undefined => (a === undefined ? undefined : a / b);

function ratioText(ratio: number, colours: Colours): string {
  return colours.dim(`(${10 <= ratio ? whole(ratio) : ratio.toPrecision(2)}x)`);
}
