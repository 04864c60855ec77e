/**
 * How do the engines compare, by instance? Both engines, graph search, complete preprocessing, no preprocessing and on
 * demand, side by side in one run: preprocessing by phase, bytes of index per exploded vertex, pair queries one by one and
 * as a batch, single-source queries. Engines take turns; an engine past its limit is shown as `timeout`.
 */

import type { PhaseMilliseconds } from "../src/analysis.js";
import { type Built, type ContenderName, contenderNames, contenders, worksAtQueries } from "./contenders.js";
import { cell, ratio, table } from "./format.js";
import {
  type Cell,
  isNumber,
  median,
  nanosecondsPerCall,
  type Options,
  type Question,
  type Section,
  sink,
  timed,
  whyStopped,
} from "./harness.js";
import { explodedVertices, type Instance, instances, randomQueries, vertices } from "./instances.js";
import { logLogPlot } from "./plot.js";

export interface EngineFigures {
  /** Milliseconds. */
  readonly preprocessing: Cell;
  readonly phases?: PhaseMilliseconds;
  readonly bytesPerExplodedVertex?: number;
  /** Nanoseconds per pair query: a call each, and as one batch. */
  readonly single?: number;
  readonly batch?: number;
  /** Microseconds per single-source query. */
  readonly source?: number;
}

export interface InstanceFigures {
  readonly instance: string;
  readonly procedures: number;
  readonly vertices: number;
  readonly explodedVertices: number;
  readonly engines: Readonly<Record<ContenderName, EngineFigures>>;
}

export type EnginesResult = readonly InstanceFigures[];

/** Milliseconds that one engine may spend on one kind of query in one round. */
const QUERY_LIMIT = 1000;

function* measure(options: Options): Iterable<EnginesResult> {
  const figures: InstanceFigures[] = [];
  const all = instances(options);
  // Once unmeasured, so that the first instance meets compiled code.
  measureInstance(all[all.length >> 1], { ...options, timeLimit: 1000 });
  for (const instance of all) {
    figures.push(measureInstance(instance, options));
    yield figures;
  }
}

function measureInstance(instance: Instance, { rounds, timeLimit, quick }: Options): InstanceFigures {
  const graph = instance.graph();
  const exploded = explodedVertices(graph);
  const pairs = randomQueries(graph, quick ? 20_000 : 200_000, 1);
  const sources = randomQueries(graph, quick ? 500 : 5_000, 2);
  const queryLimit = quick ? 100 : QUERY_LIMIT;

  const built = new Map<ContenderName, Built>();
  const stopped = new Map<ContenderName, Exclude<Cell, number>>();
  const turns = new Map<ContenderName, { time: number; phases?: PhaseMilliseconds | undefined }[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const name of contenderNames) {
      const taken = turns.get(name) ?? [];
      // What took a good part of its limit is not repeated.
      if (stopped.has(name) || taken.some(({ time }) => timeLimit < 5 * time)) continue;
      built.delete(name);
      try {
        const [time, made] = timed(() => contenders[name](graph, timeLimit));
        built.set(name, made);
        // The first round warms up, unless it remains the only one.
        turns.set(name, [...(round === 1 ? [] : taken), { time, phases: made.phases }]);
      } catch (error) {
        stopped.set(name, whyStopped(error));
      }
    }
  }

  const single = new Map<ContenderName, number[]>();
  const batch = new Map<ContenderName, number[]>();
  const source = new Map<ContenderName, number[]>();
  const note = (map: Map<ContenderName, number[]>, name: ContenderName, value: number) =>
    map.set(name, [...(map.get(name) ?? []), value]);
  for (let round = 0; round <= rounds; round++) {
    for (const [name, { solver: kept }] of built) {
      // A cache that has seen the queries would answer others.
      const solver = () => (worksAtQueries(name) ? contenders[name](graph, timeLimit).solver : kept);
      const forPairs = solver();
      const perPair = nanosecondsPerCall(
        (i) =>
          forPairs.reaches(
            pairs[5 * i],
            pairs[5 * i + 1],
            pairs[5 * i + 2],
            pairs[5 * i + 3],
            pairs[5 * i + 4],
          ),
        pairs.length / 5,
        queryLimit,
      );
      const forSources = solver();
      const perSource = nanosecondsPerCall(
        (i) => forSources.from(sources[5 * i], sources[5 * i + 1], sources[5 * i + 2]).words[0],
        sources.length / 5,
        queryLimit,
      );
      const inBatch = worksAtQueries(name) ? perPair : batchNanoseconds(kept, pairs, perPair, queryLimit);
      // The first round warms up.
      if (round === 0) continue;
      note(single, name, perPair);
      note(batch, name, inBatch);
      note(source, name, perSource / 1000);
    }
  }

  const engines = Object.fromEntries(
    contenderNames.map((name): [ContenderName, EngineFigures] => {
      const reason = stopped.get(name);
      const last = built.get(name);
      const taken = turns.get(name);
      if (reason !== undefined || last === undefined || taken === undefined) {
        return [name, { preprocessing: reason ?? "timeout" }];
      }
      const phases = last.phases && {
        phases: medianPhases(taken.map((turn) => turn.phases!)),
      };
      const figures = {
        preprocessing: median(taken.map(({ time }) => time)),
        ...phases,
        bytesPerExplodedVertex: last.bytes / exploded,
        single: median(single.get(name)!),
        batch: median(batch.get(name)!),
        source: median(source.get(name)!),
      };
      return [name, figures];
    }),
  ) as Record<ContenderName, EngineFigures>;
  return {
    instance: instance.name,
    procedures: graph.procedureCount,
    vertices: vertices(graph),
    explodedVertices: exploded,
    engines,
  };
}

/** Of as many queries as `limit` milliseconds allow if a query takes `estimate` nanoseconds. */
function batchNanoseconds(
  solver: Built["solver"],
  pairs: Uint32Array,
  estimate: number,
  limit: number,
): number {
  const count = Math.max(1, Math.min(pairs.length / 5, Math.floor((1e6 * limit) / estimate)));
  const begun = performance.now();
  sink(solver.reachesAll(pairs.subarray(0, 5 * count))[0]);
  return (1e6 * (performance.now() - begun)) / count;
}

function medianPhases(turns: readonly PhaseMilliseconds[]): PhaseMilliseconds {
  const phase = (key: keyof PhaseMilliseconds) => median(turns.map((turn) => turn[key]));
  return {
    contract: phase("contract"),
    decompose: phase("decompose"),
    assemble: phase("assemble"),
    summaries: phase("summaries"),
    labels: phase("labels"),
    total: phase("total"),
  };
}

function report(result: EnginesResult): Section {
  const byEngine = (
    title: string,
    of: (figures: EngineFigures) => Cell | undefined,
    names = contenderNames,
  ) =>
    `### ${title}\n\n${table(
      ["instance", "exploded vertices", ...names],
      result.map((row) => [
        row.instance,
        row.explodedVertices.toLocaleString("en-US"),
        ...names.map((name) => cell(of(row.engines[name]))),
      ]),
    )}`;
  const reached = (of: keyof EngineFigures) => (figures: EngineFigures) =>
    isNumber(figures.preprocessing) ? (figures[of] as number | undefined) : figures.preprocessing;
  const preprocessed = contenderNames.filter((name) => !worksAtQueries(name));
  const phases = table(
    [
      "instance",
      "contract",
      "decompose",
      "assemble",
      "summaries",
      "labels",
      "reference: summaries",
      "labels",
      "kernel's gain",
    ],
    result.map(({ instance, engines: { wasm, reference } }) => {
      const kernel = wasm.phases && wasm.phases.summaries + wasm.phases.labels;
      const plain = reference.phases && reference.phases.summaries + reference.phases.labels;
      return [
        instance,
        cell(wasm.phases?.contract),
        cell(wasm.phases?.decompose),
        cell(wasm.phases?.assemble),
        cell(wasm.phases?.summaries),
        cell(wasm.phases?.labels),
        cell(reference.phases?.summaries),
        cell(reference.phases?.labels),
        ratio(plain, kernel),
      ];
    }),
  );
  const plot = (title: string, unit: string, key: "preprocessing" | "single" | "batch" | "source") =>
    logLogPlot(
      title,
      "exploded vertices",
      unit,
      contenderNames
        .filter((name) => key !== "preprocessing" || !worksAtQueries(name))
        .map((name) => ({
          name,
          points: result.map(({ explodedVertices, engines }) => {
            const figures = engines[name];
            return [explodedVertices, isNumber(figures.preprocessing) ? Number(figures[key]) : Infinity];
          }),
        })),
    );
  return {
    title: "How do the engines compare?",
    markdown: [
      byEngine("Preprocessing, ms", ({ preprocessing }) => preprocessing, preprocessed),
      `### Phases, ms\n\n${phases}`,
      byEngine("Index, bytes per exploded vertex", reached("bytesPerExplodedVertex"), preprocessed),
      byEngine("Pair query, a call each, ns", reached("single")),
      byEngine("Pair query, as one batch, ns", reached("batch")),
      byEngine("Single-source query, µs", reached("source")),
    ].join("\n\n"),
    plots: {
      "engines-preprocessing.svg": plot("Preprocessing", "ms", "preprocessing"),
      "engines-pair.svg": plot("Pair query, a call each", "ns", "single"),
      "engines-batch.svg": plot("Pair query, as one batch", "ns", "batch"),
      "engines-source.svg": plot("Single-source query", "µs", "source"),
    },
  };
}

export const engines: Question<EnginesResult> = { name: "engines", measure, report };
