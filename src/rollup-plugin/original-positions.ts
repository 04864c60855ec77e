/**
 * Places in what transforms have made of modules, and the places in the sources that these come from. A place that no source
 * map knows stays where it is, in a file that is named as transformed.
 */

import {
  GREATEST_LOWER_BOUND,
  LEAST_UPPER_BOUND,
  originalPositionFor,
  TraceMap,
} from "@jridgewell/trace-mapping";
import type { Place } from "../check/finding.js";

/** The result of a module's transforms, with the map from it to its sources; no map if they have changed nothing. */
export interface Transformed {
  readonly code: string;
  readonly map: SourceMapLike | undefined;
}

export interface SourceMapLike {
  readonly mappings: string;
  readonly names: readonly string[];
  readonly sources: readonly (string | null)[];
  readonly sourcesContent?: readonly (string | null)[] | undefined;
}

export interface OriginalPlace extends Place {
  /** The file's path, or an id. */
  readonly id: string;
}

export interface OriginalPositionsOptions {
  /** The code that rollup has of a module. */
  readonly code: (id: string) => string;
  /** What was seen when it was transformed; `undefined`: nothing, since it came from a cache. */
  readonly transformed: (id: string) => Transformed | undefined;
  /** The text of a file on disk, or `undefined`. */
  readonly read: (path: string) => string | undefined;
  readonly display: (id: string) => string;
}

/** Places as people wrote them; each module's map is read once, when it is first asked about. */
export class OriginalPositions {
  readonly #options: OriginalPositionsOptions;
  readonly #maps = new Map<string, TraceMap | "same" | "unknown">();
  /** Texts of the files that places are in, by the path that is displayed. */
  readonly texts = new Map<string, string>();
  readonly ids = new Map<string, string>();

  constructor(options: OriginalPositionsOptions) {
    this.#options = options;
  }

  /** Where a place of a module's code comes from. */
  place(id: string, line: number, column: number): OriginalPlace {
    const map = this.#mapOf(id);
    if (map === "same") return this.#at(id, this.#options.code(id), line, column);
    if (map !== "unknown") {
      for (const bias of [GREATEST_LOWER_BOUND, LEAST_UPPER_BOUND] as const) {
        const found = originalPositionFor(map, { line, column: column - 1, bias });
        if (found.source === null) continue;
        const content = map.sourcesContent?.[map.sources.indexOf(found.source)];
        const text = content ?? this.#options.read(found.source);
        if (text != null) return this.#at(found.source, text, found.line, found.column + 1);
      }
    }
    const file = `${this.#options.display(id)} (transformed)`;
    this.texts.set(file, this.#options.code(id));
    this.ids.set(file, id);
    return { id, file, line, column };
  }

  /** The file that a module stands for: its first source. */
  fileOf(id: string): string {
    const map = this.#mapOf(id);
    const [source] = typeof map === "string" ? [] : map.sources;
    return this.#options.display(source ?? id);
  }

  #at(id: string, text: string, line: number, column: number): OriginalPlace {
    const file = this.#options.display(id);
    this.texts.set(file, text);
    this.ids.set(file, id);
    return { id, file, line, column };
  }

  #mapOf(id: string): TraceMap | "same" | "unknown" {
    let known = this.#maps.get(id);
    if (known === undefined) this.#maps.set(id, (known = this.#read(id)));
    return known;
  }

  #read(id: string): TraceMap | "same" | "unknown" {
    const seen = this.#options.transformed(id);
    const code = this.#options.code(id);
    if (seen === undefined) return this.#options.read(id) === code ? "same" : "unknown";
    // Something has transformed the module once more since.
    if (seen.code !== code) return "unknown";
    if (seen.map === undefined) return "same";
    const { mappings, names, sources, sourcesContent = [] } = seen.map;
    return new TraceMap({
      version: 3,
      mappings,
      names: [...names],
      sources: [...sources],
      sourcesContent: [...sourcesContent],
    });
  }
}
