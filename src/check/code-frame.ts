/** The source around a place, for people: a few lines with the place marked, long ones cut. */

import { type BabelCodeFrameOptions, codeFrameColumns } from "@babel/code-frame";
import type { Place } from "../program/diagnostic.js";
import type { SourceLines } from "./source-lines.js";

/** Lines shown around a place, and the longest piece of a line that is. */
const ABOVE = 2;
const BELOW = 2;
const LONGEST = 160;

export interface Extent extends Place {
  readonly endLine?: number;
  readonly endColumn?: number;
}

/**
 * The code frame of a place; `undefined` where the source is not at hand.
 *
 * @example
 * const sources = new SourceLines([{ path: "a.js", text: "b();" }]);
 * codeFrame({ file: "a.js", line: 1, column: 1 }, sources, false); // "> 1 | b();\n    | ^"
 */
export function codeFrame(at: Extent, sources: SourceLines, isColoured: boolean): string | undefined {
  const { file, line, column } = at;
  const lines = sources.lines(file, line, line);
  // Of a file whose text is not at hand, lines are empty.
  if (lines.length === 0 || lines[0] === "") return undefined;
  // Of an extent over several lines the first is marked; more would hide what the finding is about.
  const begin = Math.max(1, column);
  const end =
    at.endColumn === undefined
      ? begin + 1
      : at.endLine === line
        ? Math.max(begin + 1, at.endColumn)
        : Math.max(begin + 1, lines[0].length + 1);
  const first = Math.max(1, line - ABOVE);
  const shift = lines[0].length <= LONGEST ? 0 : Math.max(0, begin - 1 - (LONGEST >>> 1));
  const shown = sources.lines(file, first, line + BELOW).map((text) => text.slice(shift, shift + LONGEST));
  const startColumn = begin - shift;
  const options: BabelCodeFrameOptions & { startLine: number } = {
    ...(isColoured ? { forceColor: true } : { highlightCode: false }),
    linesAbove: ABOVE,
    linesBelow: BELOW,
    startLine: first,
  };
  const location = {
    start: { line, column: startColumn },
    end: { line, column: Math.min(end - shift, LONGEST + 1) },
  };
  return codeFrameColumns(shown.join("\n"), location, options);
}
