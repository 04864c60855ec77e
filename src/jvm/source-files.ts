/** The sources that classes name: at hand or not, they have paths and lines. */

import type { ClassFile } from "./class-file/class-file.js";
import { SourceLines } from "./code/lines.js";

/** The sources that classes name, each once. */
export class SourceFiles {
  readonly #sources: ReadonlyMap<string, string>;
  readonly #byPath = new Map<string, { readonly file: number; readonly lines: SourceLines }>();

  constructor(sources: ReadonlyMap<string, string>) {
    this.#sources = sources;
  }

  /** By the class's package and the attribute `SourceFile`, or else by the class's own name. */
  of({ name, sourceFile }: ClassFile): { readonly file: number; readonly lines: SourceLines } {
    const folder = name.slice(0, name.lastIndexOf("/") + 1);
    const path = sourceFile === undefined ? `${name}.class` : folder + sourceFile;
    let place = this.#byPath.get(path);
    if (place === undefined) {
      const known = this.#find(path);
      place = { file: this.#byPath.size, lines: new SourceLines(known?.[0] ?? path, known?.[1]) };
      this.#byPath.set(path, place);
    }
    return place;
  }

  files(): { readonly path: string; readonly text: string }[] {
    return Array.from(this.#byPath.values(), ({ lines }) => ({ path: lines.path, text: lines.text }));
  }

  texts(): ReadonlyMap<string, string> {
    const known = [...this.#byPath.values()].filter(({ lines }) => lines.isKnown);
    return new Map(known.map(({ lines }) => [lines.path, lines.text]));
  }

  #find(path: string): readonly [string, string] | undefined {
    for (const entry of this.#sources) if (entry[0] === path || entry[0].endsWith(`/${path}`)) return entry;
    return undefined;
  }
}
