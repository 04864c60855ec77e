/**
 * How far from native code? The environment variable PHLOEM_NATIVE names a program that preprocesses the `.ifds` file
 * (version 1, not compressed) that is its argument and prints a line with `summaries S`, `labels L` and `total T`, seconds
 * each. It takes turns with the engine; its time for reading the file does not count, nor does the engine's.
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { analyze } from "../src/analyze.js";
import { digits, ratio, table } from "./format.js";
import { inTurns, type Options, type Question, type Section, timed } from "./harness.js";
import { instances } from "./instances.js";

/**
 * Milliseconds. For the engine `summaries` is all that `analyze` does with `onDemand`, and `phase` the part of it that
 * computes summaries; the rest lays out the program.
 */
type Figure = "summaries" | "labels" | "total";

export interface NativeFigures {
  readonly instance: string;
  readonly native: Readonly<Record<Figure, number>>;
  readonly engine: Readonly<Record<Figure | "phase", number>>;
}

export type NativeResult = readonly NativeFigures[];

const INSTANCES = ["chart.live", "antlr.live", "antlr.puninit", "antlr.rdef", "antlr.suninit"];

function* measure(options: Options): Iterable<NativeResult> {
  const program = process.env.PHLOEM_NATIVE;
  const figures: NativeFigures[] = [];
  if (!program) return yield figures;
  const folder = mkdtempSync(join(tmpdir(), "phloem-"));
  try {
    for (const instance of instances(options, INSTANCES)) {
      const file = join(folder, "instance.ifds");
      writeFileSync(file, instance.bytes());
      const graph = instance.graph();
      const engine = () => {
        const [total, analysis] = timed(() => analyze(graph));
        const [summaries] = timed(() => analyze(graph, { onDemand: true }));
        const { summaries: phase, labels } = analysis.statistics.milliseconds;
        return { total, summaries, labels, phase };
      };
      for (let warmUp = 0; warmUp < 3; warmUp++) engine();
      const medians = inTurns<Figure | "phase">(
        { native: () => ({ ...runNative(program, file), phase: 0 }), engine },
        2 * options.rounds,
      );
      if (typeof medians.native === "string" || typeof medians.engine === "string") {
        throw new Error(`${instance.name}: got no figures, expected a measurement.`);
      }
      figures.push({ instance: instance.name, native: medians.native, engine: medians.engine });
      yield figures;
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function runNative(program: string, file: string): Record<Figure, number> {
  const output = execFileSync(program, [file], { encoding: "utf8" });
  const seconds = (name: Figure): number => {
    const [, value] = new RegExp(`\\b${name} ([\\d.e+-]+)`).exec(output) ?? [];
    if (value === undefined)
      throw new Error(`${program}: got no "${name}", expected it in ${JSON.stringify(output)}.`);
    return 1000 * Number(value);
  };
  return { summaries: seconds("summaries"), labels: seconds("labels"), total: seconds("total") };
}

function report(result: NativeResult): Section {
  const title = "How far from native code?";
  if (result.length === 0) {
    return { title, markdown: "Not run: PHLOEM_NATIVE names no program to compare with." };
  }
  const rows = result.map(({ instance, native, engine }) => [
    instance,
    digits(native.total),
    digits(engine.total),
    ratio(engine.total, native.total),
    digits(native.summaries),
    digits(engine.summaries),
    ratio(engine.summaries, native.summaries),
    digits(engine.phase),
  ]);
  return {
    title,
    markdown: table(
      [
        "instance",
        "native, ms",
        "wasm, ms",
        "wasm to native",
        "native, summaries only, ms",
        "wasm, on demand, ms",
        "wasm to native",
        "of it computing summaries, ms",
      ],
      rows,
    ),
  };
}

export const native: Question<NativeResult> = { name: "native", measure, report };
