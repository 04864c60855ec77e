/**
 * Lines of source files: where they begin, and what stands on them. They end where ECMAScript says that lines end, so that
 * line numbers are those of Node, TypeScript and editors. A file is scanned once, when it is first asked about; a look-up
 * costs the logarithm of its lines.
 */

import type { SourceFile } from "../program/program.js";

/**
 * Offsets at which the lines of `text` begin; there is always one.
 *
 * @example
 * lineStarts("a\r\nb\n"); // Uint32Array [0, 3, 5]
 */
export function lineStarts(text: string): Uint32Array {
  const starts = [0];
  for (const { 0: end, index } of text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)) starts.push(index + end.length);
  return Uint32Array.from(starts);
}

/** The line, counted from 1, on which `offset` lies. */
export function lineAt(starts: Uint32Array, offset: number): number {
  let low = 0;
  let high = starts.length;
  while (1 < high - low) {
    const middle = (low + high) >>> 1;
    if (starts[middle] <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

/** Texts of files with their lines, by path. */
export class SourceLines {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #starts = new Map<string, Uint32Array>();

  constructor(files: readonly SourceFile[]) {
    this.#texts = new Map(files.map(({ path, text }) => [path, text]));
  }

  /** Whether the file is one of these. */
  has(file: string): boolean {
    return this.#texts.has(file);
  }

  /** The file's text; empty for a file that is none of these. */
  text(file: string): string {
    return this.#texts.get(file) ?? "";
  }

  starts(file: string): Uint32Array {
    let starts = this.#starts.get(file);
    if (starts === undefined) this.#starts.set(file, (starts = lineStarts(this.text(file))));
    return starts;
  }

  /** Lines `from` to `to`, counted from 1, both included, without their ends; those that do not exist are left out. */
  lines(file: string, from: number, to: number): string[] {
    const starts = this.starts(file);
    const text = this.text(file);
    const lines: string[] = [];
    for (let line = Math.max(1, from); line <= Math.min(to, starts.length); line++) {
      const raw = text.slice(starts[line - 1], starts[line] ?? text.length);
      lines.push(line < starts.length ? raw.replace(/(?:\r\n|[\n\r\u2028\u2029])$/, "") : raw);
    }
    return lines;
  }
}
