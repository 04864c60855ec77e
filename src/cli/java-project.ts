/** Java classes as a program to ask about: loaded, compared with what they were, and positions by line. */

import type { AskedPrograms, ProgramIndex } from "../ask/program-index.js";
import { InputError } from "../index.js";
import { load } from "../jvm/load.js";
import type { Diagnostic, Place } from "../program/diagnostic.js";
import { throwFailure } from "./input.js";
import { inPackages, readClassFiles, requireCode } from "./java-classes.js";

/** What a program of Java was made from: the packages that it was cut down to, digests by name, and the texts of its files, blank where no source is at hand. */
export interface JavaInputs {
  readonly packages: readonly string[];
  readonly digests: readonly (readonly [name: string, digest: string])[];
  readonly texts: readonly (readonly [path: string, text: string])[];
}

type Digest = (bytes: Uint8Array) => string;

/** Throws an `InputError` for a file that cannot be analysed: without it, answers would be about another program. */
export function loadJavaProject(
  root: string,
  paths: readonly string[],
  packages: readonly string[],
  digest: Digest,
): { readonly programs: AskedPrograms; readonly java: JavaInputs; readonly warnings: readonly Diagnostic[] } {
  const files = readClassFiles(root, paths);
  const loaded = load(files, { exceptions: "throwing", initializers: "use", ...inPackages(packages) });
  const { program, diagnostics } = loaded;
  throwFailure(diagnostics, false);
  requireCode(loaded, paths, packages);
  return {
    programs: { executions: [program], extents: "line" },
    java: {
      packages,
      digests: files.map(([name, bytes]) => [name, digest(bytes)]),
      texts: program.files.map(({ path, text }) => [path, text]),
    },
    warnings: diagnostics,
  };
}

/** Names of files that are not what they were, or have come or gone. */
export function changedJavaFiles(
  { digests }: JavaInputs,
  root: string,
  paths: readonly string[],
  digest: Digest,
): string[] {
  const before = new Map(digests);
  const now = new Map(readClassFiles(root, paths).map(([name, bytes]) => [name, digest(bytes)]));
  return [...new Set([...before.keys(), ...now.keys()])]
    .filter((name) => before.get(name) !== now.get(name))
    .sort();
}

/**
 * Reads `FILE:LINE[:COLUMN]`; class files know no columns, so one says nothing more. The file has the name that the program
 * gives it, or a path that ends so, or the end of one such name alone. Throws an `InputError` for a text of another form.
 */
export function javaPosition(text: string, { places }: ProgramIndex): Place {
  const [, file, line] = /^(.+?):([1-9]\d{0,9})(?::[1-9]\d{0,9})?$/s.exec(text) ?? [];
  if (file === undefined) {
    const problem = `got ${JSON.stringify(text)}, expected FILE:LINE, counted from 1`;
    throw new InputError("position", undefined, problem);
  }
  const name = file.replace(/^(?:\.\/)+/, "");
  const paths = places.files.map(({ path }) => path);
  const inside = paths.filter((path) => path === name || path.endsWith(`/${name}`));
  const around = paths.filter((path) => name.endsWith(`/${path}`)).sort((a, b) => b.length - a.length);
  const found = paths.includes(name) ? name : inside.length === 1 ? inside[0] : (around[0] ?? "");
  const [start = ""] = places.lines.lines(found, Number(line), Number(line));
  const column = start.length - start.trimStart().length + 1;
  return { file: found === "" ? name : found, line: Number(line), column };
}
