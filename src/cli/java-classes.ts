/** The class files, archives and sources at some paths, as `load` of `src/jvm` takes them. */

import { resolve } from "node:path";
import { readFiles } from "../jvm/host/node.js";
import { fromRoot } from "./check-files.js";
import { readError } from "./input.js";

/** The files at paths, named from the root. */
export function readClassFiles(root: string, paths: readonly string[]): [name: string, bytes: Uint8Array][] {
  try {
    return readFiles(paths.map((path) => resolve(root, path))).map(([name, bytes]) => [
      fromRoot(root, name),
      bytes,
    ]);
  } catch (error) {
    throw readError(paths.join(", "), error);
  }
}
