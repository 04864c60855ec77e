/**
 * Programs that a front end reads, for commands that work on programs rather than instances: modules of JavaScript and
 * TypeScript by their entries, or class files and archives of Java. Of modules, what cannot be read or parsed ends the
 * command; of classes, it is said on standard error and the rest is the program.
 */

import { load } from "../javascript/front-end.js";
import { nodeHost } from "../javascript/modules/host/node.js";
import { load as loadClasses } from "../jvm/load.js";
import type { Program } from "../program/program.js";
import { findEntries } from "./check-files.js";
import { type Host, UsageError } from "./host.js";
import { throwFailure } from "./input.js";
import { isJavaIn } from "./is-java.js";
import { inPackages, readClassFiles, requireCode } from "./java-classes.js";
import type { Progress } from "./progress.js";

/**
 * The program of all executions. `paths`: modules, folders or globs, as `phloem check` takes them, or archives and class
 * files; of these only the classes in `packages` are analysed, all where there are none.
 */
export async function readProgram(
  paths: readonly string[],
  packages: readonly string[],
  host: Host,
  progress: Progress,
): Promise<Program> {
  return isJavaIn(host.cwd(), paths, packages)
    ? readClasses(paths, packages, host, progress)
    : readModules(paths, host, progress);
}

async function readModules(entries: readonly string[], host: Host, progress: Progress): Promise<Program> {
  const root = host.cwd();
  const { paths, diagnostics: missing } = await findEntries(root, entries);
  const loaded = await load(paths, nodeHost(root), {
    flows: true,
    onProgress: (label, done, total) => progress.show(label, done, total),
  });
  throwFailure([...missing, ...loaded.diagnostics]);
  if (loaded.whole !== undefined) return loaded.whole.program;
  throw new UsageError(
    `${entries.join(", ")}: got a program with too many functions, expected one that can be followed whole.`,
  );
}

function readClasses(
  paths: readonly string[],
  packages: readonly string[],
  host: Host,
  progress: Progress,
): Program {
  progress.show("classes", 1, 2);
  const files = readClassFiles(host.cwd(), paths);
  const loaded = loadClasses(files, inPackages(packages));
  progress.end();
  for (const { file, message } of loaded.diagnostics) host.stderr.write(`phloem: ${file}: ${message}\n`);
  requireCode(loaded, paths, packages);
  return loaded.program;
}
