/** How long does a saved index take to load, beside preprocessing? `Analysis.from` on bytes that are in memory already. */

import { Analysis } from "../src/analysis.js";
import { analyze } from "../src/analyze.js";
import { digits, table } from "./format.js";
import { inTurns, type Options, type Question, type Section, sink, timed } from "./harness.js";
import { instances } from "./instances.js";

export interface LoadFigures {
  readonly instance: string;
  readonly bytes: number;
  /** Milliseconds. */
  readonly preprocessing: number;
  readonly save: number;
  readonly load: number;
}

export type LoadResult = readonly LoadFigures[];

const INSTANCES = ["batik.live", "chart.live", "antlr.live", "antlr.puninit", "antlr.rdef", "antlr.suninit"];

function* measure(options: Options): Iterable<LoadResult> {
  const figures: LoadFigures[] = [];
  for (const instance of instances(options, INSTANCES)) {
    const graph = instance.graph();
    const data = analyze(graph).data;
    const turn = () => {
      const [preprocessing, analysis] = timed(() => analyze(graph));
      const [save, saved] = timed(() => analysis.data);
      sink(saved.byteLength);
      const [load, loaded] = timed(() => Analysis.from(data));
      sink(loaded.reaches(0, 0, 0, 0, 0));
      return { preprocessing, save, load };
    };
    turn();
    const { turn: medians } = inTurns<"preprocessing" | "save" | "load">({ turn }, 2 * options.rounds);
    if (typeof medians === "string")
      throw new Error(`${instance.name}: got ${medians}, expected a measurement.`);
    figures.push({ instance: instance.name, bytes: data.byteLength, ...medians });
    yield figures;
  }
}

function report(result: LoadResult): Section {
  const rows = result.map(({ instance, bytes, preprocessing, save, load }) => [
    instance,
    digits(bytes / 1e6),
    digits(preprocessing),
    digits(save),
    digits(load),
    `1/${digits(preprocessing / load)}`,
    digits(bytes / load / 1e6),
  ]);
  return {
    title: "How long does a saved index take to load?",
    markdown: table(
      [
        "instance",
        "index, MB",
        "preprocessing, ms",
        "save, ms",
        "load, ms",
        "load to preprocessing",
        "load, GB/s",
      ],
      rows,
    ),
  };
}

export const load: Question<LoadResult> = { name: "load", measure, report };
