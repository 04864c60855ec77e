/**
 * How does the cost grow? Preprocessing time per vertex on generated programs, one quantity at a time: vertices (spread
 * over procedures of 1,000, or all in one), facts, width, and procedures at the same number of vertices. With it
 * bytes and the time of a pair query, in an index from far smaller to far larger than any cache.
 */

import type { Analysis } from "../src/analysis.js";
import { analyze } from "../src/analyze.js";
import type { ExplodedSupergraph } from "../src/exploded/exploded-supergraph.js";
import { type Family, generate } from "./families.js";
import { digits, ratio, table } from "./format.js";
import {
  inTurns,
  median,
  nanosecondsPerCall,
  type Options,
  type Question,
  type Section,
  sink,
  timed,
} from "./harness.js";
import { explodedVertices, randomQueries, vertices } from "./instances.js";
import { logLogPlot } from "./plot.js";

type Figure = "preprocessing" | "summaries" | "labels" | "bytes" | "width" | "single" | "batch" | "source";

export interface Point {
  /** The quantity that varies. */
  readonly x: number;
  readonly vertices: number;
  readonly explodedVertices: number;
  /** Milliseconds; bytes of the index; nanoseconds per pair query, a call each or as a batch; µs per single source. */
  readonly figures: Readonly<Record<Figure, number>>;
}

export interface Sweep {
  readonly name: string;
  /** Name in a plot. */
  readonly short: string;
  readonly points: readonly Point[];
}

export type GrowthResult = readonly Sweep[];

interface Plan {
  readonly name: string;
  readonly short: string;
  readonly family: (x: number) => Family;
  readonly values: readonly number[];
  readonly quickValues: readonly number[];
}

export const VERTICES = "vertices, in procedures of 1,000";

const plans: readonly Plan[] = [
  {
    name: VERTICES,
    short: "vertices",
    family: (x) => ({ vertices: x, procedures: x / 1000, facts: 8 }),
    values: [10_000, 100_000, 1_000_000, 4_000_000],
    quickValues: [10_000, 100_000],
  },
  {
    name: "vertices, in one procedure",
    short: "in one procedure",
    family: (x) => ({ vertices: x, procedures: 1, facts: 8 }),
    values: [10_000, 100_000, 1_000_000],
    quickValues: [10_000],
  },
  {
    name: "facts",
    short: "facts",
    family: (x) => ({ vertices: 50_000, procedures: 50, facts: x }),
    values: [2, 4, 8, 16, 32, 64, 128, 256],
    quickValues: [2, 16],
  },
  {
    name: "width",
    short: "width",
    family: (x) => ({ vertices: 50_000, procedures: 50, facts: 8, width: x }),
    values: [1, 2, 4, 8, 16],
    quickValues: [2, 4],
  },
  {
    name: "procedures, 400,000 vertices in all",
    short: "procedures",
    family: (x) => ({ vertices: 400_000, procedures: x, facts: 8 }),
    values: [10, 100, 1000, 10_000, 50_000],
    quickValues: [1000],
  },
];

function* measure(options: Options): Iterable<GrowthResult> {
  // Once unmeasured, so that the first sizes meet compiled code.
  const warmUp = turn(generate({ vertices: 50_000, procedures: 50, facts: 8 }), options);
  for (let i = 0; i < 3; i++) warmUp();
  const sweeps: Sweep[] = [];
  for (const plan of plans) {
    const { name, short, family } = plan;
    const values = options.quick ? plan.quickValues : plan.values;
    const graphs = values.map((x) => generate(family(x)));
    const turns = Object.fromEntries(values.map((x, i) => [x, turn(graphs[i], options)]));
    const medians = inTurns<Figure>(turns, options.rounds);
    const points = values.map((x, i): Point => {
      const figures = medians[x];
      if (typeof figures === "string")
        throw new Error(`${name}, ${x}: got ${figures}, expected a measurement.`);
      return { x, vertices: vertices(graphs[i]), explodedVertices: explodedVertices(graphs[i]), figures };
    });
    sweeps.push({ name, short, points });
    yield sweeps;
  }
}

/** One turn of one size. Small programs are preprocessed several times in it: the median counts. */
function turn(graph: ExplodedSupergraph, { quick }: Options): () => Record<Figure, number> {
  const pairs = randomQueries(graph, quick ? 20_000 : 500_000, 1);
  const limit = quick ? 100 : 1000;
  const repetitions = Math.min(20, Math.ceil(400_000 / vertices(graph)));
  return () => {
    const times: number[] = [];
    let analysis!: Analysis;
    for (let i = 0; i < repetitions; i++) {
      const [time, made] = timed(() => analyze(graph));
      times.push(time);
      analysis = made;
    }
    const { milliseconds, bytes, width } = analysis.statistics;
    const single = nanosecondsPerCall(
      (i) =>
        analysis.reaches(
          pairs[5 * i],
          pairs[5 * i + 1],
          pairs[5 * i + 2],
          pairs[5 * i + 3],
          pairs[5 * i + 4],
        ),
      pairs.length / 5,
      limit,
    );
    const [batch] = timed(() => sink(analysis.reachesAll(pairs)[0]));
    const source = nanosecondsPerCall(
      (i) => analysis.from(pairs[5 * i], pairs[5 * i + 1], pairs[5 * i + 2]).words[0],
      1000,
      limit / 4,
    );
    return {
      preprocessing: median(times),
      summaries: milliseconds.summaries,
      labels: milliseconds.labels,
      bytes: bytes.index,
      width,
      single,
      batch: (1e6 * batch) / (pairs.length / 5),
      source: source / 1000,
    };
  };
}

/** Largest over smallest time per vertex. */
export function spread({ points }: Sweep): number {
  const perVertex = points.map((point) => point.figures.preprocessing / point.vertices);
  return Math.max(...perVertex) / Math.min(...perVertex);
}

const PER_MILLISECOND = 1e6;

function report(result: GrowthResult): Section {
  const perVertex = ({ figures, vertices }: Point) => (PER_MILLISECOND * figures.preprocessing) / vertices;
  const tables = result.map(
    ({ name, points }) =>
      `### By ${name}\n\n${table(
        [
          name.replace(/,.*/, ""),
          "vertices",
          "width",
          "preprocessing, ms",
          "ns per vertex",
          "to the first",
          "ns per exploded vertex",
          "bytes per exploded vertex",
          "pair, ns",
          "in a batch, ns",
          "source, µs",
        ],
        points.map((point) => [
          point.x.toLocaleString("en-US"),
          point.vertices.toLocaleString("en-US"),
          String(point.figures.width),
          digits(point.figures.preprocessing),
          digits(perVertex(point)),
          ratio(perVertex(point), perVertex(points[0])),
          digits((PER_MILLISECOND * point.figures.preprocessing) / point.explodedVertices),
          digits(point.figures.bytes / point.explodedVertices),
          digits(point.figures.single),
          digits(point.figures.batch),
          digits(point.figures.source),
        ]),
      )}`,
  );
  const series = result.map(({ short, points }) => ({
    name: short,
    points: points.map((point) => [point.x, perVertex(point)] as const),
    line: true,
  }));
  return {
    title: "How does the cost grow?",
    markdown: tables.join("\n\n"),
    plots: {
      "growth.svg": logLogPlot(
        "Preprocessing, one quantity at a time",
        "the quantity",
        "ns per vertex",
        series,
      ),
    },
  };
}

export const growth: Question<GrowthResult> = { name: "growth", measure, report };
