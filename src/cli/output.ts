/**
 * How results look: numbers, tables, histograms, colours on a terminal, and JSON. Nothing here knows what the numbers
 * mean.
 */

import Table from "cli-table3";
import pc from "picocolors";
import type { Host } from "./host.js";

export type Colours = ReturnType<typeof pc.createColors>;

/** Colours for standard output: none unless it is a terminal, where NO_COLOR is set, or if they are not wanted. */
export function coloursFor(host: Host, wanted = true): Colours {
  const { NO_COLOR, TERM } = process.env;
  return pc.createColors(wanted && host.stdout.isTTY === true && !NO_COLOR && TERM !== "dumb");
}

/** No colours. */
export const plain: Colours = pc.createColors(false);

/** One JSON document, with numbers in full. */
export function printJson(host: Host, value: unknown): void {
  host.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

export function printLine(host: Host, line = ""): void {
  host.stdout.write(`${line}\n`);
}

/** A whole number with thousands apart: 1,234,567. */
export const whole = (x: number): string => Math.round(x).toLocaleString("en-US");

/** A number with three significant digits, and thousands apart. */
export function short(x: number): string {
  if (x === 0) return "0";
  if (1000 <= Math.abs(x)) return whole(x);
  return x.toPrecision(3).includes("e") ? x.toExponential(1) : String(Number(x.toPrecision(3)));
}

export function milliseconds(ms: number): string {
  return ms < 1000 ? `${short(ms)} ms` : `${short(ms / 1000)} s`;
}

export function bytes(n: number): string {
  if (n < 2 ** 10) return `${whole(n)} B`;
  if (n < 2 ** 20) return `${short(n / 2 ** 10)} KiB`;
  return n < 2 ** 30 ? `${short(n / 2 ** 20)} MiB` : `${short(n / 2 ** 30)} GiB`;
}

const NO_LINES = {
  ...Object.fromEntries(
    ["top", "bottom", "left", "right", "mid"].flatMap((side) => [
      [side, ""],
      [`${side}-mid`, ""],
    ]),
  ),
  ...Object.fromEntries(
    ["top-left", "top-right", "bottom-left", "bottom-right"].map((corner) => [corner, ""]),
  ),
  middle: "   ",
};

/** Rows below a head, first column to the left, others to the right; no lines around them. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  colours: Colours,
): string {
  const result = new Table({
    head: head.map((title) => colours.bold(title)),
    chars: NO_LINES,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
    colAligns: head.map((_, column) => (column === 0 ? "left" : "right")),
  });
  for (const row of rows) result.push([...row]);
  return result
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

/** Names and values in two columns, indented below a title. */
export function section(
  title: string,
  entries: readonly (readonly [name: string, value: string])[],
  colours: Colours,
): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  const lines = entries.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
  return [colours.bold(title), ...lines].join("\n");
}

export interface Bucket {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Counts of values: one bucket each where there are few different ones, otherwise 0, 1, 2, 3-4, 5-8, 9-16, ... */
export function distribution(values: readonly number[]): Bucket[] {
  const counts = new Map<number, number>();
  let most = 0;
  for (const value of values) {
    counts.set(value, (counts.get(value) ?? 0) + 1);
    most = Math.max(most, value);
  }
  const buckets: Bucket[] = [];
  const add = (from: number, to: number) => {
    let count = 0;
    for (const [value, times] of counts) if (from <= value && value <= to) count += times;
    if (0 < count || 0 < buckets.length) buckets.push({ from, to, count });
  };
  if (most <= 10) for (let value = 0; value <= most; value++) add(value, value);
  else {
    add(0, 0);
    add(1, 1);
    for (let to = 2; to / 2 < most; to *= 2) add(to / 2 + 1, to);
  }
  return buckets;
}

/** Buckets as bars of text. */
export function histogram(title: string, buckets: readonly Bucket[], colours: Colours): string {
  const most = Math.max(1, ...buckets.map(({ count }) => count));
  const labels = buckets.map(({ from, to }) => (from === to ? whole(from) : `${whole(from)}-${whole(to)}`));
  const width = Math.max(...labels.map(({ length }) => length));
  const digits = Math.max(...buckets.map(({ count }) => whole(count).length));
  const lines = buckets.map(({ count }, i) => {
    const bar = "#".repeat(count === 0 ? 0 : Math.max(1, Math.round((40 * count) / most)));
    return `  ${labels[i].padStart(width)}  ${whole(count).padStart(digits)}  ${colours.cyan(bar)}`.trimEnd();
  });
  return [colours.bold(title), ...lines].join("\n");
}
