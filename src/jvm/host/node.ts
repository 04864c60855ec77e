/** `phloem/jvm/node`: class files, archives and folders of them on disk, as `load` takes them. The front end's only file that reads. */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { type JvmProgram, type LoadOptions, load } from "../load.js";

export { load };

const WANTED = /\.(?:class|java|jar|war|ear|zip|jmod)$/i;

/**
 * The files at paths, by name: a folder gives the class files, sources and archives below it, in the order of their names. Throws
 * an `Error` for a path where there is nothing, and what the file system throws.
 *
 * @example
 * load(readFiles(["build/classes", "lib/dependency.jar"]), { include: ["org.foo.**"] });
 */
export function readFiles(paths: readonly string[]): [name: string, bytes: Uint8Array][] {
  return paths.flatMap((path): [string, Uint8Array][] => {
    if (!existsSync(path)) {
      const message = `${path}: got no such file, expected an archive, a class file or a folder.`;
      throw Object.assign(new Error(message), { code: "ENOENT" });
    }
    if (!statSync(path).isDirectory()) return [[path, readFileSync(path)]];
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && WANTED.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [file.split(sep).join("/"), readFileSync(file)]);
  });
}

/** `load` of the files at paths. */
export function loadPaths(paths: readonly string[], options: LoadOptions = {}): JvmProgram {
  return load(readFiles(paths), options);
}
