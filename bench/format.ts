/** Numbers and tables as Markdown. */

import type { Cell } from "./harness.js";

/** Three digits or more, thousands separated; two below 1. */
export function digits(x: number): string {
  if (Math.abs(x) < 1) return String(Number(x.toPrecision(2)));
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(x))));
  return x.toLocaleString("en-US", { maximumFractionDigits: decimals });
}

export function cell(value: Cell | undefined): string {
  return value === undefined ? "–" : typeof value === "number" ? digits(value) : value;
}

/** Ratio of two cells, where both are numbers. */
export function ratio(a: Cell | undefined, b: Cell | undefined): string {
  return typeof a === "number" && typeof b === "number" ? `${digits(a / b)}×` : "–";
}

/** The first column is text, the others are numbers. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (fields: readonly string[]) => `| ${fields.join(" | ")} |`;
  return [
    line(head),
    `|${head.map((_, i) => (i === 0 ? "---" : "---:")).join("|")}|`,
    ...rows.map(line),
  ].join("\n");
}
