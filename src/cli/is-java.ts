/** Which inputs of the command are Java, and the option that only these have. */

import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { Option } from "commander";
import { UsageError } from "./host.js";
import { statsAt } from "./input.js";

const CLASSES = /\.(?:jar|war|ear|zip|jmod|class)$/i;
const SOURCE = /\.java$/i;

/**
 * Whether paths are those of a Java program: archives, class files and folders that hold some and no package.json, and beside them
 * sources and any folders. Throws a `UsageError` where there is something else among them.
 */
export function isJava(root: string, paths: readonly string[]): boolean {
  const first = paths.find((path) => CLASSES.test(path) || isFolderOfClasses(root, path));
  if (first === undefined) return false;
  const isFolder = (path: string) => statsAt(root, path)?.isDirectory() === true;
  const other = paths.find((path) => !CLASSES.test(path) && !SOURCE.test(path) && !isFolder(path));
  if (other === undefined) return true;
  throw new UsageError(`${other}: got a module beside ${first}, expected one language.`);
}

/** `isJava`; throws a `UsageError` where it is not, and packages are named. */
export function isJavaIn(root: string, paths: readonly string[], packages: readonly string[]): boolean {
  const isOfJava = isJava(root, paths);
  if (isOfJava || packages.length === 0) return isOfJava;
  throw new UsageError("--package: got modules, expected Java archives or class files.");
}

/** `--package`, as a list of patterns. */
export const packageOption = (): Option =>
  new Option(
    "--package <pattern>",
    "Java: classes of this package alone (org.foo.*, org.foo.**), may be repeated",
  )
    .argParser((pattern: string, before: readonly string[]) => [...before, pattern])
    .default([], "all");

function isFolderOfClasses(root: string, path: string): boolean {
  if (statsAt(root, path)?.isDirectory() !== true) return false;
  if (existsSync(join(resolve(root, path), "package.json"))) return false;
  const folders = [resolve(root, path)];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isFile() && /\.(?:class|jar)$/i.test(entry.name)) return true;
      if (entry.isDirectory() && entry.name !== "node_modules" && entry.name !== ".git")
        folders.push(join(folder, entry.name));
    }
  }
  return false;
}
