/**
 * How fast are single-source answers written? On the largest procedure of each instance, and on generated ones of
 * 200,000 vertices: bytes of bit rows per second, and the same query by tabulation (NOPP). Once from the start with the
 * zero fact, which reaches most, and once from random vertices and facts.
 */

import { analyze } from "../src/analyze.js";
import { tabulation } from "../src/baselines/index.js";
import type { ExplodedSupergraph } from "../src/exploded/exploded-supergraph.js";
import type { Solver } from "../src/solver.js";
import { generate } from "./families.js";
import { digits, ratio, table } from "./format.js";
import {
  inTurns,
  nanosecondsPerCall,
  type Options,
  type Question,
  randomBelow,
  type Section,
} from "./harness.js";
import { instances, largestProcedure } from "./instances.js";

type From = "start" | "random";

export interface SourceFigures {
  readonly name: string;
  readonly vertices: number;
  readonly facts: number;
  /** Bytes of one answer. */
  readonly bytes: number;
  /** Microseconds per query. */
  readonly wasm: Readonly<Record<From, number>>;
  readonly nopp: Readonly<Record<From, number>>;
}

export type SourceResult = readonly SourceFigures[];

const INSTANCES = [
  "chart.live",
  "chart.rdef",
  "antlr.live",
  "antlr.puninit",
  "antlr.rdef",
  "antlr.suninit",
  "jflex.rdef",
];

function* measure(options: Options): Iterable<SourceResult> {
  const figures: SourceFigures[] = [];
  for (const instance of instances(options, INSTANCES)) {
    figures.push(measureProcedure(instance.name, instance.graph(), options));
    yield figures;
  }
  for (const facts of options.quick ? [32] : [8, 32, 128]) {
    const graph = generate({ vertices: options.quick ? 20_000 : 200_000, procedures: 1, facts });
    figures.push(measureProcedure("generated", graph, options));
    yield figures;
  }
}

function measureProcedure(name: string, graph: ExplodedSupergraph, options: Options): SourceFigures {
  const p = largestProcedure(graph);
  const below = randomBelow(4);
  const sources = Array.from({ length: 1024 }, () => [
    below(graph.vertexCount[p]),
    below(graph.factCount[p]),
  ]);
  const limit = options.quick ? 50 : 500;
  const turn = (solver: Solver) => () => ({
    start: nanosecondsPerCall(() => solver.from(p, graph.startVertex[p], 0).words[0], 2000, limit) / 1000,
    random:
      nanosecondsPerCall(
        (i) => solver.from(p, sources[i % 1024][0], sources[i % 1024][1]).words[0],
        2000,
        limit,
      ) / 1000,
  });
  const wasm = turn(analyze(graph));
  wasm();
  const medians = inTurns<From>({ wasm, nopp: turn(tabulation(graph)) }, options.rounds);
  if (typeof medians.wasm === "string" || typeof medians.nopp === "string") {
    throw new Error(`${name}: got no figures, expected a measurement.`);
  }
  return {
    name,
    vertices: graph.vertexCount[p],
    facts: graph.factCount[p],
    bytes: 4 * graph.vertexCount[p] * ((graph.factCount[p] + 31) >>> 5),
    wasm: medians.wasm,
    nopp: medians.nopp,
  };
}

/** Gigabytes per second. */
export const bytesPerNanosecond = ({ bytes, wasm }: SourceFigures, from: From): number =>
  bytes / (1000 * wasm[from]);

function report(result: SourceResult): Section {
  const rows = result.flatMap((row) =>
    (["start", "random"] as const).map((from) => [
      row.name,
      row.vertices.toLocaleString("en-US"),
      String(row.facts),
      from,
      digits(row.wasm[from]),
      digits(bytesPerNanosecond(row, from)),
      digits(row.nopp[from]),
      ratio(row.nopp[from], row.wasm[from]),
    ]),
  );
  return {
    title: "How fast are single-source answers written?",
    markdown: table(
      ["largest procedure of", "vertices", "facts", "from", "µs", "GB/s", "NOPP, µs", "NOPP to wasm"],
      rows,
    ),
  };
}

export const source: Question<SourceResult> = { name: "source", measure, report };
