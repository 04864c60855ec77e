/** Where vertices and variables of a program stand in its sources, as lines and columns. */

import { lineAt, SourceLines } from "../check/source-lines.js";
import { InputError } from "../exploded/input-error.js";
import type { Place } from "../program/diagnostic.js";
import type { Program, SourceFile } from "../program/program.js";
import { type Extent, placeText } from "./position.js";

export class Places {
  readonly files: readonly SourceFile[];
  readonly lines: SourceLines;
  readonly #numbers: ReadonlyMap<string, number>;

  constructor(files: readonly SourceFile[]) {
    this.files = files;
    this.lines = new SourceLines(files);
    this.#numbers = new Map(files.map(({ path }, i) => [path, i]));
  }

  /** The file and offset of a position; throws an `InputError` where the program has none such. */
  locate(at: Place): { readonly file: number; readonly offset: number } {
    const file = this.#numbers.get(at.file);
    if (file === undefined) {
      const base = at.file.slice(at.file.lastIndexOf("/") + 1);
      const similar = this.files.find(({ path }) => path === base || path.endsWith(`/${base}`));
      const such = similar === undefined ? "" : `, such as ${similar.path}`;
      const expected = `one of the program's ${this.files.length}${such}`;
      throw new InputError(placeText(at), undefined, `got file ${at.file}, expected ${expected}`);
    }
    const starts = this.lines.starts(at.file);
    if (starts.length < at.line)
      throw new InputError(placeText(at), undefined, `got line ${at.line}, expected 1 to ${starts.length}`);
    const [text] = this.lines.lines(at.file, at.line, at.line);
    if (text.length + 1 < at.column)
      throw new InputError(
        placeText(at),
        undefined,
        `got column ${at.column}, expected 1 to ${text.length + 1}`,
      );
    return { file, offset: starts[at.line - 1] + at.column - 1 };
  }

  /** How far apart two offsets are, lines first. */
  distance(file: number, a: number, b: number): number {
    const starts = this.lines.starts(this.files[file].path);
    return Math.abs(lineAt(starts, a) - lineAt(starts, b)) * 2 ** 32 + Math.abs(a - b);
  }

  place(file: number, offset: number): Place {
    const { path } = this.files[file];
    const starts = this.lines.starts(path);
    const line = lineAt(starts, offset);
    return { file: path, line, column: offset - starts[line - 1] + 1 };
  }

  extent(file: number, start: number, end: number): Extent {
    const from = this.place(file, start);
    const to = this.place(file, end);
    return { ...from, endLine: to.line, endColumn: to.column };
  }

  /** A piece of source on one line, cut where it is long. */
  excerpt(file: number, start: number, end: number): string {
    const text = this.files[file].text.slice(start, Math.min(end, start + 200)).replace(/\s+/g, " ");
    return text.length <= 40 ? text : `${text.slice(0, 39)}…`;
  }

  /** Where a vertex stands; one that no source shows stands where `variable` is declared, or else its procedure. */
  ofVertex(program: Program, procedure: number, vertex: number, variable = -1): Extent | undefined {
    const { file, ranges, vertexCount, start, end } = program.procedures[procedure];
    if (0 <= file && vertex < vertexCount && ranges[2 * vertex] < ranges[2 * vertex + 1])
      return this.extent(file, ranges[2 * vertex], ranges[2 * vertex + 1]);
    if (0 <= variable) {
      const declared = this.ofVariable(program, variable);
      if (declared !== undefined) return declared;
    }
    if (file < 0) return undefined;
    const at = vertex < vertexCount && 0 < ranges[2 * vertex] ? ranges[2 * vertex] : start;
    return this.extent(file, at, vertex < vertexCount ? at : end);
  }

  /** Where a variable is declared, undefined where no source does. */
  ofVariable(program: Program, variable: number): Extent | undefined {
    const { file, start, end } = program.variables[variable];
    return 0 <= file && start < end ? this.extent(file, start, end) : undefined;
  }

  ofProcedure(program: Program, procedure: number): Extent | undefined {
    const { file, start } = program.procedures[procedure];
    return file < 0 ? undefined : this.extent(file, start, start);
  }
}
