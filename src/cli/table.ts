/**
 * What commands print in columns: tables, distributions as small histograms, and numbers with units. Numbers are aligned
 * at their right end and written the same in every locale.
 */

import CliTable3 from "cli-table3";

const NO_LINES = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "  ",
};

/** Rows of cells in columns, aligned as `aligns` says: l or r per column, the last also for all that follow. */
export function formatTable(rows: readonly (readonly string[])[], aligns: string): string {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const table = new CliTable3({
    chars: NO_LINES,
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
    colAligns: Array.from({ length: columns }, (_, i) =>
      aligns[Math.min(i, aligns.length - 1)] === "l" ? "left" : "right",
    ),
  });
  for (const row of rows) table.push([...row, ...Array<string>(columns - row.length).fill("")]);
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

/** How often each value occurs, ascending. */
export type Distribution = readonly (readonly [value: number, count: number])[];

export function distributionOf(values: Iterable<number>): Distribution {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a - b);
}

/** Single values up to this one have a line of their own; above, lines span a range up to the next power of two. */
const SINGLE = 8;
const BAR = 32;

/** One line per value or range of values: range, count, bar. */
export function formatHistogram(title: string, distribution: Distribution): string {
  const lines = new Map<string, number>();
  for (const [value, count] of distribution) {
    const first = value <= SINGLE ? value : 2 ** Math.floor(Math.log2(value - 1)) + 1;
    const range = value <= SINGLE ? `${value}` : `${formatCount(first)}-${formatCount(2 * (first - 1))}`;
    lines.set(range, (lines.get(range) ?? 0) + count);
  }
  const most = Math.max(...lines.values(), 1);
  const rows = [...lines].map(([range, count]) => [
    range,
    formatCount(count),
    "█".repeat(Math.max(1, Math.round((BAR * count) / most))),
  ]);
  return formatTable([[title], ...rows], "rrl");
}

export function formatCount(x: number): string {
  return x.toLocaleString("en-US");
}

/** Three significant digits, or all those before the point. */
export function formatNumber(x: number): string {
  const digits = 100 <= x || x === 0 ? 0 : 10 <= x ? 1 : 2;
  return x.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${formatNumber(bytes / 1e3)} kB`;
  return bytes < 1e9 ? `${formatNumber(bytes / 1e6)} MB` : `${formatNumber(bytes / 1e9)} GB`;
}

export function formatMilliseconds(milliseconds: number): string {
  return milliseconds < 10_000
    ? `${formatNumber(milliseconds)} ms`
    : `${formatNumber(milliseconds / 1000)} s`;
}

/** `x` as a multiple of `base`. */
export function formatRatio(x: number, base: number): string {
  return 0 < base ? `${formatNumber(x / base)}×` : "";
}

/** `count` of them, with the noun in the right number. */
export function formatNoun(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}
