/** The paper's pictures, log-log, from the records of one set: what each algorithm takes against the instance's size. */

import { logLogPlot, type Series } from "../plot.js";
import { type AlgorithmName, algorithms, titles } from "./algorithms.js";
import type { Measured } from "./figures.js";
import type { Figures } from "./records.js";
import { sizeOf } from "./sizes.js";

const SIZE = "exploded vertices and edges";

/** SVG by name. An algorithm that was stopped is drawn hollow at the upper edge. */
export function pictures(records: readonly Measured[]): Readonly<Record<string, string>> {
  const against = (
    title: string,
    unit: string,
    names: readonly AlgorithmName[],
    value: (figures: Figures) => number | undefined,
  ) => {
    const series = names.map((name): Series => {
      const points = records.flatMap(({ sizes, algorithms: { [name]: figures } }): [number, number][] => {
        if (figures === undefined) return [];
        const y = figures.stopped === undefined ? value(figures) : Number.POSITIVE_INFINITY;
        return y === undefined ? [] : [[sizeOf(sizes), y]];
      });
      return { name: titles[name], points };
    });
    return logLogPlot(title, SIZE, unit, series);
  };
  return {
    preprocessing: against("Preprocessing", "ms", ["seq", "par2", "cpp", "search"], (f) => f.preprocessing),
    pair: against("A pair query", "µs", algorithms, (f) => f.pair?.microseconds),
    source: against("A single-source query", "µs", algorithms, (f) => f.source?.microseconds),
    parallel: parallelPicture(records),
  };
}

/** PAR with two workers against SEQ, what lies below the line being faster; both axes are milliseconds for the same work. */
function parallelPicture(records: readonly Measured[]): string {
  const of = (name: string, value: (figures: Figures) => number | undefined): Series => ({
    name,
    points: records.flatMap(({ algorithms: { seq, par2 } }): [number, number][] => {
      const [x, y] = [seq && value(seq), par2 && value(par2)];
      return x === undefined || y === undefined ? [] : [[x, y]];
    }),
  });
  const total = (queries: Figures["pair"]) => queries && (queries.answered * queries.microseconds) / 1000;
  const series = [
    of("preprocessing", ({ preprocessing }) => preprocessing),
    of("10,000 pairs", ({ batch, pair }) => total(batch ?? pair)),
    of("100 sources", ({ source }) => total(source)),
    of("more sources", ({ large }) => total(large)),
  ];
  const all = series.flatMap(({ points }) => points.map(([x]) => x)).filter((x) => 0 < x);
  if (0 < all.length) {
    const [least, most] = [Math.min(...all), Math.max(...all)];
    series.push({ name: "equal", line: true, points: [[least, least] as const, [most, most] as const] });
  }
  return logLogPlot("PAR, 2 workers, against SEQ", "SEQ, ms", "PAR, ms", series);
}
