/**
 * Packages of the registry at the versions that packages.json pins, installed into a cache outside the project: one folder a
 * package, with what it needs, without running any of their scripts.
 */

import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { ResolverFactory } from "oxc-resolver";
import { packageEntries } from "../src/check/package-entries.js";

export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  /** Modules to begin at, instead of those that package.json names. */
  readonly roots?: readonly string[];
}

/** By use: packages to check as they are, and packages with import cycles. */
export interface PinnedPackages {
  /** What packages need in turn is as it was then. */
  readonly before: string;
  readonly loaded: readonly PinnedPackage[];
  readonly cyclic: readonly PinnedPackage[];
}

export function pinnedPackages(): PinnedPackages {
  return JSON.parse(readFileSync("bench/packages.json", "utf8")) as PinnedPackages;
}

/** `$PHLOEM_BENCH_CACHE`, or below the user's cache. */
function cacheFolder(): string {
  const { PHLOEM_BENCH_CACHE, XDG_CACHE_HOME } = process.env;
  return PHLOEM_BENCH_CACHE ?? join(XDG_CACHE_HOME ?? join(homedir(), ".cache"), "phloem-bench");
}

/** The folder of a package, which is installed if it is not there yet. */
export function installed({ name, version }: PinnedPackage, before: string): string {
  const home = join(cacheFolder(), `${name.replace("/", "+")}@${version}`);
  const done = join(home, ".done");
  if (!existsSync(done)) {
    mkdirSync(home, { recursive: true });
    const manifest = { private: true, dependencies: { [name]: version } };
    writeFileSync(join(home, "package.json"), JSON.stringify(manifest));
    const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--omit=dev", "--before", before];
    execFileSync("npm", ["install", ...options], { cwd: home, stdio: "pipe" });
    writeFileSync(done, "");
  }
  return realpathSync(join(home, "node_modules", name));
}

/** ES modules that a package offers for import, from its folder: all of `exports` but patterns, or `module` or `main`. */
export function importEntries(folder: string, { name, roots }: PinnedPackage): string[] {
  if (roots !== undefined) return [...roots];
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    exports?: unknown;
    module?: string;
  };
  if (manifest.exports === undefined && manifest.module !== undefined) {
    const { entries } = packageEntries({ module: manifest.module }, filesOf(folder));
    return [...entries];
  }
  const resolver = new ResolverFactory({
    conditionNames: ["node", "import", "module", "default"],
    mainFields: ["module", "main"],
  });
  const subpaths = Object.keys((manifest.exports as Record<string, unknown> | undefined) ?? {}).filter(
    (key) => key.startsWith(".") && !key.includes("*"),
  );
  const found = new Set<string>();
  for (const subpath of subpaths.length === 0 ? ["."] : subpaths) {
    const { path } = resolver.sync(folder, `${name}${subpath.slice(1)}`);
    if (path !== undefined && /\.m?js$/.test(path)) found.add(relative(folder, path).split(sep).join("/"));
  }
  return [...found];
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((file) => !file.startsWith("node_modules/"));
}

/** A text without the folder of the cache: results say nothing of the machine. */
export const withoutCache = (text: string): string =>
  text.replaceAll(`${realpathSync(cacheFolder())}${sep}`, "").replaceAll(`${cacheFolder()}${sep}`, "");

/** What came of loading a module in a fresh process: nothing, or an error. */
export interface Loading {
  readonly error?: string;
  /** Where it was thrown, if known: path, line and column from 1. */
  readonly path?: string;
  readonly line?: number;
  readonly column?: number;
}

export function loadInNode(path: string): Promise<Loading> {
  // The maps that packages come with lead to sources that nobody checks.
  const maps = path.endsWith(".ts") ? ["--enable-source-maps"] : [];
  const arguments_ = [...maps, "--no-warnings", join("bench", "load-module.mjs")];
  return new Promise((resolve) => {
    const limits = { timeout: 60_000, maxBuffer: 2 ** 26 };
    execFile(process.execPath, [...arguments_, pathToFileURL(path).href], limits, (failure, stdout) => {
      const last = stdout.trimEnd().split("\n").at(-1) ?? "";
      if (failure !== null || !last.startsWith("{")) {
        resolve({ error: `the process ended: ${failure?.signal ?? failure?.code ?? "without an answer"}` });
        return;
      }
      const { url, ...rest } = JSON.parse(last) as Loading & { readonly url?: string };
      resolve({
        ...rest,
        ...(url === undefined ? {} : { path: decodeURIComponent(new URL(url, "file:").pathname) }),
      });
    });
  });
}
