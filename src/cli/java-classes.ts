/** The class files, archives and sources at some paths, as `load` of `src/jvm` takes them, and what commands need of it. */

import { resolve } from "node:path";
import { InputError } from "../index.js";
import { readFiles } from "../jvm/host/node.js";
import type { JvmProgram, LoadOptions } from "../jvm/load.js";
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

/** The classes in some packages alone; all where there are none. */
export const inPackages = (packages: readonly string[]): Pick<LoadOptions, "include"> =>
  packages.length === 0 ? {} : { include: packages };

/** Throws an `InputError` where no method has code: in the classes at `paths`, or those in `packages`. */
export function requireCode(
  { methods }: JvmProgram,
  paths: readonly string[],
  packages: readonly string[] = [],
): void {
  if (methods.some(({ kind }) => kind === "method")) return;
  const where = packages.length === 0 ? "" : ` in ${packages.join(", ")}`;
  throw new InputError(paths.join(", "), undefined, `got no method with code${where}, expected one at least`);
}
