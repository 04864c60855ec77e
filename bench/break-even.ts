/**
 * After how many pair queries have labels paid for themselves, against graph search that needs summaries alone? Three
 * ways, each from the start: labels for everything, labels on demand, search. The clock is read at every power of ten, and
 * the break-even point is where the straight lines (preprocessing + queries x time per query) of the first and the
 * last meet.
 */

import { analyze } from "../src/analyze.js";
import { search } from "../src/baselines/index.js";
import type { Solver } from "../src/solver.js";
import { digits, table } from "./format.js";
import { collectGarbage, inTurns, type Options, type Question, type Section, sink } from "./harness.js";
import { instances, randomQueries } from "./instances.js";
import { logLogPlot } from "./plot.js";

const ways = ["labels", "on demand", "search"] as const;
type Way = (typeof ways)[number];

interface Curve {
  readonly instance: string;
  /** Milliseconds after 0, 1, 10, 100, ... queries, by way. */
  readonly elapsed: Readonly<Record<Way, readonly number[]>>;
}

export type BreakEvenResult = readonly Curve[];

const INSTANCES = ["chart.live", "chart.rdef", "antlr.live", "antlr.puninit", "antlr.rdef"];

function* measure(options: Options): Iterable<BreakEvenResult> {
  const curves: Curve[] = [];
  const counts = [1, 10, 100, 1000, 10_000, ...(options.quick ? [] : [100_000, 1_000_000])];
  for (const instance of instances(options, INSTANCES)) {
    const graph = instance.graph();
    const queries = randomQueries(graph, counts[counts.length - 1], 3);
    const solvers: Record<Way, () => Solver> = {
      labels: () => analyze(graph),
      "on demand": () => analyze(graph, { onDemand: true }),
      search: () => search(graph),
    };
    const run = (way: Way) => () => {
      collectGarbage();
      const begun = performance.now();
      const solver = solvers[way]();
      const elapsed: Record<string, number> = { "0": performance.now() - begun };
      let done = 0;
      for (const count of counts) {
        for (; done < count; done++) {
          const i = 5 * done;
          sink(solver.reaches(queries[i], queries[i + 1], queries[i + 2], queries[i + 3], queries[i + 4]));
        }
        elapsed[count] = performance.now() - begun;
      }
      return elapsed;
    };
    run("labels")();
    run("search")();
    const medians = inTurns<string>(
      { labels: run("labels"), "on demand": run("on demand"), search: run("search") },
      options.rounds,
    );
    const elapsed = (way: Way): number[] => {
      const of = medians[way];
      if (typeof of === "string")
        throw new Error(`${instance.name}, ${way}: got ${of}, expected a measurement.`);
      return ["0", ...counts.map(String)].map((count) => of[count]);
    };
    curves.push({
      instance: instance.name,
      elapsed: { labels: elapsed("labels"), "on demand": elapsed("on demand"), search: elapsed("search") },
    });
    yield curves;
  }
}

/** Queries done at each reading of the clock. */
const queriesAt = (i: number): number => (i === 0 ? 0 : 10 ** (i - 1));

/** Queries after which labels are the cheaper way; 0 from the start, Infinity never. */
export function breakEven({ elapsed: { labels, search } }: Curve): number {
  const last = labels.length - 1;
  const perQuery = (way: readonly number[]) => (way[last] - way[0]) / queriesAt(last);
  const ahead = labels[0] - search[0];
  if (ahead <= 0) return 0;
  const gain = perQuery(search) - perQuery(labels);
  return 0 < gain ? Math.ceil(ahead / gain) : Number.POSITIVE_INFINITY;
}

function report(result: BreakEvenResult): Section {
  const rows = result.map((curve) => {
    const count = breakEven(curve);
    const { elapsed } = curve;
    const last = elapsed.labels.length - 1;
    return [
      curve.instance,
      ...ways.map((way) => digits(elapsed[way][0])),
      ...ways.map((way) => digits((1e6 * (elapsed[way][last] - elapsed[way][0])) / queriesAt(last))),
      count === 0 ? "from the start" : Number.isFinite(count) ? count.toLocaleString("en-US") : "never",
    ];
  });
  const plots = result.map((curve): [string, string] => [
    `break-even-${curve.instance}.svg`,
    logLogPlot(
      `${curve.instance}: preprocessing and queries`,
      "pair queries",
      "ms",
      ways.map((name) => ({
        name,
        line: true,
        points: curve.elapsed[name].map((y, i) => [queriesAt(i), y] as const),
      })),
    ),
  ]);
  return {
    title: "How many queries until labels pay?",
    markdown: table(
      [
        "instance",
        ...ways.map((way) => `${way}: first, ms`),
        ...ways.map((way) => `${way}: a query, ns`),
        "break-even, queries",
      ],
      rows,
    ),
    plots: Object.fromEntries(plots),
  };
}

export const breakEvenQuestion: Question<BreakEvenResult> = { name: "break-even", measure, report };
