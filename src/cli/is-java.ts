/** Which inputs of the command are Java. */

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "./host.js";

const CLASSES = /\.(?:jar|war|ear|zip|jmod|class)$/i;
const SOURCE = /\.java$/i;

/**
 * Whether paths are those of a Java program: archives and class files, and beside them sources and folders of these. Throws a
 * `UsageError` where there is something else among them.
 */
export function isJava(root: string, paths: readonly string[]): boolean {
  const first = paths.find((path) => CLASSES.test(path));
  if (first === undefined) return false;
  const isFolder = (path: string) =>
    statSync(resolve(root, path), { throwIfNoEntry: false })?.isDirectory() === true;
  const other = paths.find((path) => !CLASSES.test(path) && !SOURCE.test(path) && !isFolder(path));
  if (other === undefined) return true;
  throw new UsageError(`${other}: got a module beside ${first}, expected one language.`);
}
