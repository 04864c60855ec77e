/** The project that a build is of, as far as rollup does not tell: the only file of the plugin that knows Node. */

import { readFileSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { type Baseline, parseBaseline } from "../check/baseline.js";
import { InputError } from "../exploded/input-error.js";

export interface Project {
  /** The text of a file, or `undefined`. */
  read(path: string): string | undefined;
  /** An id for people: files relative to the project's folder, with `/`. */
  display(id: string): string;
  /** The baseline file at a path relative to the project's folder; fails if there is none. */
  baseline(path: string): Baseline;
}

/** The project in the current folder. */
export function currentProject(): Project {
  const root = process.cwd();
  return {
    read(path) {
      try {
        return readFileSync(path, "utf8").replace(/^\ufeff/, "");
      } catch {
        return undefined;
      }
    },
    display: (id) => (isAbsolute(id) ? relative(root, id).split(sep).join("/") : id.replace(/^\0/, "")),
    baseline(path) {
      let text: string;
      try {
        text = readFileSync(resolve(root, path), "utf8");
      } catch {
        throw new InputError(path, undefined, "got no file that can be read, expected a baseline");
      }
      return parseBaseline(text, path);
    },
  };
}
