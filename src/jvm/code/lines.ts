/**
 * Source positions of bytecode: a class file knows lines, not columns. A file whose text is not at hand is as many empty
 * lines as its code speaks of, so that offsets in it are lines all the same.
 */

import type { CodeAttribute } from "../class-file/class-file.js";

/** One source file: its path, and where its lines begin. */
export class SourceLines {
  readonly path: string;
  readonly #text: string | undefined;
  readonly #starts: number[] = [];
  #last = 0;

  /** `text` is the source itself, if it is at hand. */
  constructor(path: string, text: string | undefined) {
    this.path = path;
    this.#text = text;
    if (text === undefined) return;
    this.#starts.push(0);
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) this.#starts.push(at + 1);
  }

  /** Whether the source itself is at hand. */
  get isKnown(): boolean {
    return this.#text !== undefined;
  }

  get text(): string {
    return this.#text ?? "\n".repeat(this.#last);
  }

  /** Offsets of the text of line `line`, from 1; of line 0, which nothing stands on, the file's first. */
  range(line: number): readonly [start: number, end: number] {
    this.#last = Math.max(this.#last, line);
    const index = Math.max(line - 1, 0);
    if (this.#text === undefined) return [index, line];
    const { length } = this.#text;
    const start = this.#starts[index] ?? length;
    const end = this.#starts[index + 1] === undefined ? length : this.#starts[index + 1] - 1;
    const indent = /^[ \t]*/.exec(this.#text.slice(start, end))![0].length;
    return [start + indent, line === 0 ? start + indent : Math.max(start + indent, end)];
  }
}

/** The line of each offset of the code that `offsets` lists, ascending; 0 where the code does not say. */
export function linesOf({ lines }: CodeAttribute, offsets: Uint32Array): Uint16Array {
  const order = Uint32Array.from({ length: lines.length / 2 }, (_, i) => i).sort(
    (a, b) => lines[2 * a] - lines[2 * b] || a - b,
  );
  const result = new Uint16Array(offsets.length);
  let line = 0;
  for (let i = 0, next = 0; i < offsets.length; i++) {
    while (next < order.length && lines[2 * order[next]] <= offsets[i]) line = lines[2 * order[next++] + 1];
    result[i] = line;
  }
  return result;
}
