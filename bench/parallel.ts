/**
 * How much faster are two workers than one? Pools of one and of two take turns: preprocessing, a batch of pair queries in
 * shared memory, and single-source queries. A pool's one worker is compared, not `analyze` on this thread, which has no
 * messages to send; that stands beside them. A pool's preprocessing ends with the index in shared memory: neither the
 * workers nor this thread have opened it then, while `analyze` on this thread is ready for queries.
 */

import { analyze } from "../src/analyze.js";
import { createPool, type Pool } from "../src/parallel/index.js";
import { digits, table } from "./format.js";
import { median, type Options, type Question, randomBelow, type Section, sink, timed } from "./harness.js";
import { instances } from "./instances.js";

const tasks = ["preprocessing", "pair queries", "single sources"] as const;
type Task = (typeof tasks)[number];

export interface ParallelFigures {
  readonly instance: string;
  readonly pairs: number;
  readonly sources: number;
  /** Milliseconds by number of workers, 0 being this thread alone. */
  readonly milliseconds: Readonly<Record<Task, readonly [alone: number, one: number, two: number]>>;
}

export type ParallelResult = readonly ParallelFigures[];

const INSTANCES = ["antlr.puninit", "antlr.live", "antlr.rdef"];

async function* measure(options: Options): AsyncIterable<ParallelResult> {
  const script = new URL("./parallel-worker.mjs", import.meta.url);
  const pools = [await createPool({ workers: 1, script }), await createPool({ workers: 2, script })];
  const figures: ParallelFigures[] = [];
  try {
    for (const instance of instances(options, INSTANCES)) {
      figures.push(await measureInstance(instance.name, instance.graph(), pools, options));
      yield figures;
    }
  } finally {
    for (const pool of pools) await pool.close();
  }
}

async function measureInstance(
  instance: string,
  graph: Parameters<typeof analyze>[0],
  pools: readonly Pool[],
  options: Options,
): Promise<ParallelFigures> {
  const below = randomBelow(6);
  const pairs = options.quick ? 100_000 : 1_000_000;
  const sources = options.quick ? 1000 : 10_000;
  const procedureOf = Uint32Array.from(graph.vertexCount, (_, p) => p);
  const vertices: number[] = [];
  for (const p of procedureOf) for (let v = 0; v < graph.vertexCount[p]; v++) vertices.push(p);
  const queries = new Uint32Array(new SharedArrayBuffer(20 * pairs));
  for (let i = 0; i < pairs; i++) {
    const p = vertices[below(vertices.length)];
    const [n, facts] = [graph.vertexCount[p], graph.factCount[p]];
    queries.set([p, below(n), below(facts), below(n), below(facts)], 5 * i);
  }
  const from = new Uint32Array(3 * sources);
  for (let i = 0; i < sources; i++) from.set(queries.subarray(5 * i, 5 * i + 3), 3 * i);

  const times: Record<Task, number[][]> = {
    preprocessing: [[], [], []],
    "pair queries": [[], [], []],
    "single sources": [[], [], []],
  };
  const rounds = 2 * options.rounds + 3;
  for (let round = 0; round < rounds; round++) {
    const note = (task: Task, workers: number, time: number) => {
      // The first rounds warm up: each worker compiles for itself.
      if (3 <= round) times[task][workers].push(time);
    };
    const [alone, analysis] = timed(() => analyze(graph));
    note("preprocessing", 0, alone);
    note("pair queries", 0, timed(() => sink(analysis.reachesAll(queries).length))[0]);
    const [each] = timed(() => {
      for (let i = 0; i < from.length; i += 3) sink(analysis.from(from[i], from[i + 1], from[i + 2]).stride);
    });
    note("single sources", 0, each);
    for (const [i, pool] of pools.entries()) {
      let begun = performance.now();
      const parallel = await pool.analyze(graph);
      note("preprocessing", i + 1, performance.now() - begun);
      // The index goes to the workers before the clock starts.
      await parallel.reachesAll(queries.subarray(0, 5));
      begun = performance.now();
      sink((await parallel.reachesAll(queries)).length);
      note("pair queries", i + 1, performance.now() - begun);
      begun = performance.now();
      sink((await parallel.fromAll(from)).length);
      note("single sources", i + 1, performance.now() - begun);
    }
  }
  const medians = tasks.map((task) => [task, times[task].map(median)]);
  return { instance, pairs, sources, milliseconds: Object.fromEntries(medians) };
}

function report(result: ParallelResult): Section {
  const rows = result.flatMap(({ instance, pairs, sources, milliseconds }) =>
    tasks.map((task) => {
      const [alone, one, two] = milliseconds[task];
      const counts = { preprocessing: 1, "pair queries": pairs, "single sources": sources };
      return [
        instance,
        task === "preprocessing" ? task : `${counts[task].toLocaleString("en-US")} ${task}`,
        digits(alone),
        digits(one),
        digits(two),
        `${digits(one / two)}×`,
      ];
    }),
  );
  return {
    title: "How much faster are two workers than one?",
    markdown: table(
      ["instance", "task", "this thread alone, ms", "one worker, ms", "two workers, ms", "two to one"],
      rows,
    ),
  };
}

export const parallel: Question<ParallelResult> = { name: "parallel", measure, report };
