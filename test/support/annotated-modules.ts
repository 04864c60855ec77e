/**
 * Programs of several modules in one text, with what is expected of them in comments:
 *
 *     // @filename: main.mjs
 *     const a = () => b;
 *     a();
 *     const b = 1; // the line of the read says: ~ use-before-init b
 *
 * The first file is the entry. An annotation may end in `warning`, or in `untaken` for what a run of this program does not
 * come to. Lines are numbered within their file.
 */

import type { ModuleProgram } from "./node-oracle.js";

export interface ExpectedRead {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  readonly severity: "error" | "warning";
}

export interface AnnotatedProgram extends ModuleProgram {
  readonly expected: readonly ExpectedRead[];
  /** Annotations of these are marked as not run. */
  readonly untaken: readonly ExpectedRead[];
}

export function parseAnnotated(text: string): AnnotatedProgram {
  const files: Record<string, string> = {};
  const expected: ExpectedRead[] = [];
  const untaken: ExpectedRead[] = [];
  let entry = "";
  let file = "";
  let lines: string[] = [];
  const close = () => {
    if (file !== "") files[file] = `${lines.join("\n")}\n`;
    lines = [];
  };
  for (const line of text.split("\n")) {
    const [, opened] = /^\/\/ @filename: (\S+)$/.exec(line) ?? [];
    if (opened !== undefined) {
      close();
      file = opened;
      if (entry === "") entry = file;
      continue;
    }
    lines.push(line);
    for (const [, name, mark] of line.matchAll(/\/\/ ~ use-before-init (\S+)(?: (warning|untaken))?/g)) {
      const severity = mark === "warning" ? "warning" : "error";
      const read = { file, line: lines.length, name, severity } as const;
      expected.push(read);
      if (mark !== undefined) untaken.push(read);
    }
  }
  close();
  return { entry, files, expected, untaken };
}
