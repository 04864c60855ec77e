/**
 * What `phloem check` reads of a project, sources aside: its configuration, package.json, the names of its files, and the
 * baseline. Paths are relative to the project's folder, with `/` between names on every system.
 */

import { existsSync, statSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import picomatch from "picomatch";
import { type Baseline, parseBaseline } from "../check/baseline.js";
import { type CheckConfig, parseConfig } from "../check/config.js";
import type { Diagnostic } from "../check/finding.js";
import { packageEntries } from "../check/package-entries.js";
import { InputError } from "../index.js";
import { placeAt } from "../program/diagnostic.js";
import { UsageError } from "./host.js";
import { readError, statsAt } from "./input.js";
import { isJava } from "./is-java.js";

/** Names that a configuration may have, in the order in which they are looked for. */
const CONFIG_NAMES = [
  "phloem.config.js",
  "phloem.config.mjs",
  "phloem.config.cjs",
  "phloem.config.json",
] as const;
const MANIFEST = "package.json";

/**
 * The project's configuration: the file that was asked for, one with the usual names, the key `phloem` of package.json, or
 * none. A `.js` file exports it by default.
 */
export async function readConfig(root: string, asked: string | undefined): Promise<CheckConfig> {
  const name = asked ?? CONFIG_NAMES.find((name) => existsSync(join(root, name)));
  if (name === undefined) {
    const { phloem = {} } = (await readManifest(root)) ?? {};
    return parseConfig(phloem, `${MANIFEST}, key phloem`);
  }
  const path = resolve(root, name);
  if (/\.[cm]?[jt]s$/.test(name)) {
    let module: { default?: unknown };
    try {
      // What was imported before may have changed since.
      const { mtimeMs } = statSync(path);
      module = await import(/* @vite-ignore */ `${pathToFileURL(path)}?t=${mtimeMs}`);
    } catch (error) {
      const failure = readError(name, error);
      if (failure instanceof InputError) throw failure;
      throw new InputError(name, undefined, `got ${firstLine(error)}, expected a module that loads`);
    }
    if (module.default === undefined) {
      throw new InputError(name, undefined, "got no default export, expected the configuration");
    }
    return parseConfig(module.default, name);
  }
  return parseConfig(parseJson(await readText(path, name), name), name);
}

export interface Entries {
  readonly paths: readonly string[];
  /** What package.json names and is not there. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Modules where execution begins: the given paths and globs, with folders standing for the entries of the package in them;
 * without any, the entries of the project's own package. Fails for one that leads to no file.
 */
export async function findEntries(root: string, given: readonly string[]): Promise<Entries> {
  const paths = new Set<string>();
  const diagnostics: Diagnostic[] = [];
  let files: readonly string[] | undefined;
  const isOfJava = isJava(root, given);
  for (const entry of given.length === 0 ? ["."] : given) {
    if (entry === "") throw new UsageError('Entries: got "", expected a module, a folder or a glob.');
    const path = resolve(root, entry);
    const stats = statsAt(root, entry);
    if (stats?.isFile()) paths.add(fromRoot(root, path));
    else if (stats?.isDirectory() && isOfJava) paths.add(fromRoot(root, path));
    else if (stats?.isDirectory()) {
      const found = await packageAt(root, path, entry);
      for (const path of found.paths) paths.add(path);
      diagnostics.push(...found.diagnostics);
    } else if (stats !== undefined) {
      throw new UsageError(
        `${entry}: got neither a file nor a folder, expected an entry: a module, a folder or a glob.`,
      );
    } else {
      const glob = entry.replace(/^\.\//, "");
      if (!picomatch.scan(glob).isGlob) {
        throw new UsageError(`${entry}: got no such file, expected an entry: a module, a folder or a glob.`);
      }
      files ??= await listFiles(root);
      const matches = picomatch(glob);
      const matching = files.filter((file) => matches(file));
      if (matching.length === 0)
        throw new UsageError(`${entry}: got no matching file, expected at least one.`);
      for (const file of matching) paths.add(file);
    }
  }
  return { paths: [...paths], diagnostics };
}

/** The baseline at `path`, or undefined if there is none. */
export async function readBaseline(root: string, path: string): Promise<Baseline | undefined> {
  const file = resolve(root, path);
  return existsSync(file) ? parseBaseline(await readText(file, path), path) : undefined;
}

async function packageAt(root: string, folder: string, name: string): Promise<Entries> {
  const manifest = await readManifest(folder);
  const text = manifest === undefined ? "" : await readText(join(folder, MANIFEST), MANIFEST);
  const { entries, missing } = packageEntries(manifest ?? {}, await listFiles(folder));
  if (entries.length === 0) {
    throw new UsageError(
      `${name === "." ? "Entries" : name}: got none, expected paths of modules, exports, module, main or bin in ` +
        `${MANIFEST} that exist, index.* or src/index.*.`,
    );
  }
  const inRoot = (path: string) => fromRoot(root, join(folder, path));
  return {
    paths: entries.map(inRoot),
    diagnostics: missing.map(({ key, target }) => ({
      severity: "warning",
      // Where the target is written, unless with escapes.
      ...placeAt(inRoot(MANIFEST), text, Math.max(0, text.indexOf(JSON.stringify(target)))),
      message: `${key}: got ${target}, expected a file that exists; it is not checked.`,
    })),
  };
}

async function readManifest(folder: string): Promise<Record<string, unknown> | undefined> {
  const path = join(folder, MANIFEST);
  if (!existsSync(path)) return undefined;
  const value = parseJson(await readText(path, MANIFEST), MANIFEST);
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** All files below a folder, sorted, without what is installed or belongs to version control. */
async function listFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  const folders = [""];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const entry of await readdir(join(folder, at), { withFileTypes: true })) {
      const path = `${at}${entry.name}`;
      if (entry.isFile()) files.push(path);
      else if (entry.isDirectory() && entry.name !== "node_modules" && entry.name !== ".git") {
        folders.push(`${path}/`);
      }
    }
  }
  return files.sort();
}

/** A path from the root, with `/` between names. */
export const fromRoot = (root: string, path: string): string => relative(root, path).split(sep).join("/");

async function readText(path: string, name: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw readError(name, error);
  }
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    throw new InputError(name, undefined, `got text that is no JSON (${firstLine(error)}), expected JSON`);
  }
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n")[0];
