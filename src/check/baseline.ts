/**
 * Old findings that a project has agreed to live with, as a file. A finding is known by its rule, file and name and by a
 * hash of the source line it is on, blanks around it aside, so that it stays known when lines move; of equal ones the file
 * keeps the number. Linear in the findings and the lines they are on.
 */

import { InputError } from "../exploded/input-error.js";
import type { SourceLines } from "./source-lines.js";
import type { ReportedFinding } from "./suppress.js";

export interface BaselineEntry {
  readonly rule: string;
  readonly file: string;
  readonly name: string;
  /** Hash of the source line. */
  readonly source: string;
  readonly count: number;
}

export type Baseline = readonly BaselineEntry[];

const VERSION = 1;

/**
 * A hash of a text's UTF-16 units: 16 hexadecimal digits, of two FNV-1a hashes that begin differently.
 *
 * @example
 * textHash(""); // "811c9dc5cbf29ce4"
 */
export function textHash(text: string): string {
  let a = 0x811c9dc5;
  let b = 0xcbf29ce4;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x01000193);
    b ^= b >>> 15;
  }
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}

/** Hashes of source lines, each made once. */
export function lineHashes(sources: SourceLines): (file: string, line: number) => string {
  const hashes = new Map<string, string>();
  return (file, line) => {
    const place = `${line}:${file}`;
    let hash = hashes.get(place);
    if (hash === undefined) {
      hashes.set(place, (hash = textHash(sources.lines(file, line, line).join("").trim())));
    }
    return hash;
  };
}

/**
 * The baseline in which these findings are known.
 *
 * @example
 * const baseline = baselineOf(findings, sources);
 * applyBaseline(findings, baseline, sources).fresh; // []
 */
export function baselineOf(findings: readonly ReportedFinding[], sources: SourceLines): Baseline {
  const hashAt = lineHashes(sources);
  const counts = new Map<string, BaselineEntry>();
  for (const { rule, file, line, name } of findings) {
    const entry = { rule, file, name, source: hashAt(file, line), count: 1 };
    const key = keyOf(entry);
    counts.set(key, { ...entry, count: 1 + (counts.get(key)?.count ?? 0) });
  }
  return inOrder([...counts.values()]);
}

/**
 * Takes known findings away. Of several that look the same, the first ones are known.
 *
 * @returns new findings, how many are known, and what the baseline has beyond those: entries with the count that is left
 */
export function applyBaseline(
  findings: readonly ReportedFinding[],
  baseline: Baseline,
  sources: SourceLines,
): { fresh: ReportedFinding[]; known: number; stale: Baseline } {
  const hashAt = lineHashes(sources);
  const left = new Map<string, number>();
  for (const entry of baseline) left.set(keyOf(entry), (left.get(keyOf(entry)) ?? 0) + entry.count);
  const fresh = findings.filter(({ rule, file, line, name }) => {
    const key = keyOf({ rule, file, name, source: hashAt(file, line) });
    const count = left.get(key) ?? 0;
    if (0 < count) left.set(key, count - 1);
    return count === 0;
  });
  const stale: BaselineEntry[] = [];
  for (const entry of baseline) {
    const count = left.get(keyOf(entry)) ?? 0;
    left.delete(keyOf(entry));
    if (0 < count) stale.push({ ...entry, count });
  }
  return { fresh, known: findings.length - fresh.length, stale };
}

/** The baseline as a file: one entry a line, in an order of their own, so that changes read well. */
export function formatBaseline(baseline: Baseline): string {
  const lines = inOrder(baseline).map(({ rule, file, name, source, count }) =>
    JSON.stringify({ rule, file, name, source, count }),
  );
  const findings = lines.length === 0 ? "[]" : `[\n    ${lines.join(",\n    ")}\n  ]`;
  return `{\n  "version": ${VERSION},\n  "findings": ${findings}\n}\n`;
}

/**
 * Reads a baseline file.
 *
 * @param place its name, for errors
 * @throws {InputError} unless it is one, of this version
 */
export function parseBaseline(text: string, place: string): Baseline {
  const fail = (problem: string): never => {
    throw new InputError(place, undefined, problem);
  };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    fail("got text that is no JSON, expected a baseline made by --write-baseline");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const got = Array.isArray(value) ? "a list" : JSON.stringify(value).slice(0, 80);
    fail(`got ${got}, expected an object with version and findings, as --write-baseline makes it`);
  }
  const { version, findings } = value as Record<string, unknown>;
  if (version !== VERSION) {
    fail(`version: got ${version === undefined ? "none" : JSON.stringify(version)}, expected ${VERSION}`);
  }
  if (!Array.isArray(findings)) return fail("got no list under findings, expected one");
  return findings.map((entry: unknown, i) => {
    const { rule, file, name, source, count } = (entry ?? {}) as Record<string, unknown>;
    const strings = [rule, file, name, source].every((field) => typeof field === "string");
    if (!strings || !Number.isSafeInteger(count) || (count as number) < 1) {
      const got = JSON.stringify(entry);
      fail(
        `findings[${i}]: got ${got.length <= 80 ? got : `${got.slice(0, 80)}...`}, ` +
          "expected rule, file, name and source as strings and a count of at least 1",
      );
    }
    return { rule, file, name, source, count } as BaselineEntry;
  });
}

const keyOf = ({ rule, file, name, source }: Omit<BaselineEntry, "count">): string =>
  JSON.stringify([rule, file, name, source]);

function inOrder(entries: Baseline): Baseline {
  const order = (a: string, b: string) => (a < b ? -1 : b < a ? 1 : 0);
  return [...entries].sort(
    (a, b) =>
      order(a.file, b.file) ||
      order(a.rule, b.rule) ||
      order(a.name, b.name) ||
      order(a.source, b.source) ||
      a.count - b.count,
  );
}
