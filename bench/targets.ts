/** What the engine is meant to reach, and what the results say: one line per target that could be measured. */

import { digits } from "./format.js";
import { spread, VERTICES } from "./growth.js";
import { type Cell, isNumber } from "./harness.js";
import type { Results } from "./results.js";
import { bytesPerNanosecond } from "./source.js";

export interface Target {
  readonly what: string;
  readonly on: string;
  readonly target: string;
  readonly measured: string;
  readonly reached: boolean;
}

/** `at most` a limit; `times` and `unit` say how the number reads. */
const atMost = (what: string, on: string, limit: number, unit: string, value: number): Target => ({
  what,
  on,
  target: `at most ${digits(limit)}${unit}`,
  measured: `${digits(value)}${unit}`,
  reached: value <= limit,
});

const atLeast = (what: string, on: string, limit: number, unit: string, value: number): Target => ({
  what,
  on,
  target: `at least ${digits(limit)}${unit}`,
  measured: `${digits(value)}${unit}`,
  reached: limit <= value,
});

const share = (what: string, on: string, part: number, value: number): Target => ({
  what,
  on,
  target: `under 1/${part} of preprocessing`,
  measured: `1/${digits(1 / value)}`,
  reached: value < 1 / part,
});

const LARGE = ["antlr.puninit", "antlr.live"];
/** An instance whose index fits the second-level cache of every processor in use. */
const SMALL = "batik.live";
/** Bytes of an answer from which it counts as large. */
const LARGE_ANSWER = 100_000;

export function targets(results: Results): Target[] {
  const lines: Target[] = [];
  for (const { instance, native, engine } of results.native?.result ?? []) {
    const limit = LARGE.includes(instance) ? 1.5 : instance === "antlr.rdef" ? 0.7 : undefined;
    if (limit === undefined) continue;
    lines.push(atMost("preprocessing, to native", instance, limit, "×", engine.total / native.total));
    lines.push(atMost("summaries only, to native", instance, 2, "×", engine.summaries / native.summaries));
  }
  const pairs = (on: string, single: number, batch: number, measured: { single: number; batch: number }) => {
    lines.push(atMost("pair query, a call each", on, single, " ns", measured.single));
    lines.push(atMost("pair query, in a batch", on, batch, " ns", measured.batch));
  };
  for (const { instance, explodedVertices, engines } of results.engines?.result ?? []) {
    const { wasm, reference, search, nopp, cpp } = engines;
    const large = LARGE.includes(instance);
    const { single, batch, bytesPerExplodedVertex = 0 } = wasm;
    if ((large || instance === SMALL) && single !== undefined && batch !== undefined) {
      const on = `${instance}, index of ${digits((bytesPerExplodedVertex * explodedVertices) / 1e6)} MB`;
      pairs(on, large ? 250 : 100, large ? 100 : 30, { single, batch });
    }
    const separable = ["antlr.rdef", "antlr.suninit"].includes(instance);
    if (!large && !separable) continue;
    const bytes = wasm.bytesPerExplodedVertex;
    if (bytes !== undefined) {
      lines.push(atMost("index, bytes per exploded vertex", instance, large ? 10 : 3, "", bytes));
    }
    if (!large) continue;
    const gain = (rival: Cell | undefined, own: Cell | undefined) =>
      isNumber(rival) && isNumber(own) ? rival / own : undefined;
    const push = (what: string, limit: number, value: number | undefined) => {
      if (value !== undefined) lines.push(atLeast(what, instance, limit, "×", value));
    };
    const phases = (figures: typeof wasm) =>
      figures.phases && figures.phases.summaries + figures.phases.labels;
    push("summaries and labels, reference to wasm", 2, gain(phases(reference), phases(wasm)));
    push("batch of pair queries, search to wasm", 10, gain(search.batch, wasm.batch));
    push("batch of pair queries, NOPP to wasm", 1000, gain(nopp.batch, wasm.batch));
    const behind = gain(wasm.batch, cpp.batch);
    if (behind !== undefined)
      lines.push(atMost("batch of pair queries, wasm to CPP", instance, 2, "×", behind));
  }
  const byVertices = results.growth?.result.find(({ name }) => name === VERTICES);
  if (byVertices !== undefined) {
    const { points } = byVertices;
    const last = points[points.length - 1];
    const range = (n: number) => `generated, ${n.toLocaleString("en-US")} vertices`;
    const megabytes = (bytes: number) => `, index of ${digits(bytes / 1e6)} MB`;
    for (const [{ x, figures }, single, batch] of [
      [last, 250, 100],
      [points[0], 100, 30],
    ] as const) {
      const on = `${range(x)}${megabytes(figures.bytes)}`;
      pairs(on, single, batch, figures);
    }
    lines.push(
      atMost(
        "time per vertex, most to least",
        `generated, up to ${last.x.toLocaleString("en-US")} vertices`,
        1.3,
        "×",
        spread(byVertices),
      ),
    );
  }
  for (const row of results.source?.result ?? []) {
    if (row.bytes < LARGE_ANSWER && !LARGE.includes(row.name)) continue;
    const on = `${row.name}, ${row.vertices.toLocaleString("en-US")} vertices × ${row.facts} facts, from the start`;
    lines.push(atLeast("single source, answer written", on, 1, " GB/s", bytesPerNanosecond(row, "start")));
    lines.push(atLeast("single source, NOPP to wasm", on, 20, "×", row.nopp.start / row.wasm.start));
  }
  for (const { instance, load, preprocessing } of results.load?.result ?? []) {
    if (instance.startsWith("antlr."))
      lines.push(share("load of a saved index", instance, 20, load / preprocessing));
  }
  for (const { instance, edits, preprocessing } of results.update?.result ?? []) {
    if (!instance.startsWith("antlr.")) continue;
    const value = edits["statement inserted"].median / preprocessing;
    lines.push(share("update of one procedure, summary unchanged, median", instance, 200, value));
  }
  for (const { instance, pairs, sources, milliseconds } of results.parallel?.result ?? []) {
    if (instance !== "antlr.puninit") continue;
    const counts = { "pair queries": pairs, "single sources": sources };
    for (const task of ["pair queries", "single sources"] as const) {
      const [, one, two] = milliseconds[task];
      const on = `${instance}, ${counts[task].toLocaleString("en-US")} ${task}`;
      lines.push(atLeast("two workers to one", on, 1.85, "×", one / two));
    }
    const [, one, two] = milliseconds.preprocessing;
    lines.push(atLeast("two workers to one", `${instance}, preprocessing`, 1.6, "×", one / two));
  }
  for (const { instance, preprocessing, peak } of results.memory?.result ?? []) {
    if (instance !== "jflex.rdef") continue;
    lines.push(atMost("preprocessing", instance, 10, " s", preprocessing / 1000));
    lines.push(atMost("process at its peak", instance, 2, " GiB", peak / 2 ** 30));
  }
  return lines;
}
