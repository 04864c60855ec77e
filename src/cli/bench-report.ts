/** What `phloem bench` prints: a table of all engines with ratios to the first, or the same as JSON. */

import { cpus } from "node:os";
import type { Baseline } from "../baselines/index.js";
import { Analysis, type ExplodedSupergraph } from "../index.js";
import type { disagreements, Entry } from "./bench-contest.js";
import type { Sort } from "./bench-queries.js";
import type { Host } from "./host.js";
import { bytes, type Colours, coloursFor, milliseconds, printLine, short, table, whole } from "./output.js";

/** What is reported. */
export interface Contest {
  readonly instance: string;
  readonly graph: ExplodedSupergraph;
  readonly entries: readonly Entry[];
  readonly disagreeing: ReturnType<typeof disagreements>;
  readonly counts: Readonly<Record<Sort, number>>;
  /** Options that the figures depend on. */
  readonly runs: number;
  readonly timeLimit: number;
  readonly seed: number;
  /** Where the queries are from, if they are not random. */
  readonly file: string | undefined;
}

const PHASES = ["contract", "decompose", "assemble", "summaries", "labels"] as const;
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

export function jsonReport({
  instance,
  graph,
  entries,
  disagreeing,
  counts,
  file,
  seed,
  timeLimit,
  runs,
}: Contest) {
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

export function printReport(
  { instance, graph, entries, disagreeing, counts, file, seed, timeLimit, runs }: Contest,
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
