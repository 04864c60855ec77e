/** Which inputs of the command are Java. */

import { UsageError } from "./host.js";
import { statsAt } from "./input.js";

const CLASSES = /\.(?:jar|war|ear|zip|jmod|class)$/i;
const SOURCE = /\.java$/i;

/**
 * Whether paths are those of a Java program: archives and class files, and beside them sources and folders of these. Throws a
 * `UsageError` where there is something else among them.
 */
export function isJava(root: string, paths: readonly string[]): boolean {
  const first = paths.find((path) => CLASSES.test(path));
  if (first === undefined) return false;
  const isFolder = (path: string) => statsAt(root, path)?.isDirectory() === true;
  const other = paths.find((path) => !CLASSES.test(path) && !SOURCE.test(path) && !isFolder(path));
  if (other === undefined) return true;
  throw new UsageError(`${other}: got a module beside ${first}, expected one language.`);
}
