/** Positions in sources, as people and editors write them: a file, a line and a column. */

import { InputError } from "../exploded/input-error.js";
import type { Place } from "../program/diagnostic.js";

/** A piece of source, up to but without its end. */
export interface Extent extends Place {
  readonly endLine: number;
  readonly endColumn: number;
}

/**
 * Reads `FILE:LINE:COLUMN`. Throws an `InputError` for a text of another form.
 *
 * @example
 * parsePosition("src/a.ts:12:7"); // { file: "src/a.ts", line: 12, column: 7 }
 */
export function parsePosition(text: string): Place {
  const [, file, line, column] = /^(.+):([1-9]\d{0,9}):([1-9]\d{0,9})$/s.exec(text) ?? [];
  if (file === undefined)
    throw new InputError(
      "position",
      undefined,
      `got ${JSON.stringify(text)}, expected FILE:LINE:COLUMN, counted from 1`,
    );
  return { file: file.replace(/^(?:\.\/)+/, ""), line: Number(line), column: Number(column) };
}

export const placeText = ({ file, line, column }: Place): string => `${file}:${line}:${column}`;
