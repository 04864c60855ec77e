/** What could not be analysed, and where: the form in which front ends and clients say so, for people and machines alike. */

export type Severity = "error" | "warning";

/** A place in a source: lines and columns count from 1, columns in UTF-16 units. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What could not be analysed, and why: a file that does not parse, an import that leads nowhere. */
export interface Diagnostic extends Place {
  readonly severity: Severity;
  readonly message: string;
}

/**
 * The place of an offset in a text; offsets past the end are its end. One pass over the text before it.
 *
 * @example
 * placeAt("a.js", "let x;\nx()", 8); // { file: "a.js", line: 2, column: 2 }
 */
export function placeAt(file: string, text: string, offset: number): Place {
  const end = Math.min(offset, text.length);
  let line = 1;
  let start = 0;
  for (let newline = text.indexOf("\n"); newline !== -1 && newline < end; ) {
    line++;
    start = newline + 1;
    newline = text.indexOf("\n", start);
  }
  return { file, line, column: end - start + 1 };
}
