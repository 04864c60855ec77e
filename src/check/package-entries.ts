/**
 * Where execution of a package begins, as its package.json says: `exports` under every condition but types, or without it
 * `module`, `main` and `browser`; and `bin`. Patterns stand for the files that they match. A package that says nothing, or
 * names no file that exists, begins at its index or that of src. Costs the product of files and patterns.
 *
 * Which subpath a file is exported as follows "Determining package exports" in Node's documentation of packages.
 */

export interface PackageEntries {
  /** Modules, from the package's folder, in the order in which package.json names them. */
  readonly entries: readonly string[];
  /** Targets that are no files, with the keys that name them. */
  readonly missing: readonly { readonly key: string; readonly target: string }[];
}

/** Extensions of modules, in the order in which they are tried for a path without one. */
const EXTENSIONS = [".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"];

const isModule = (path: string): boolean =>
  /\.[cm]?[jt]s$|\.[jt]sx$/.test(path) && !/\.d(?:\.[^/.]+)?\.[cm]?ts$/.test(path);

/**
 * The entries of a package.
 *
 * @param manifest its package.json; what is wrong in it is passed over
 * @param files paths of all its files from its folder, with `/` between names
 *
 * @example
 * packageEntries({ exports: { ".": "./a.js", "./x/*": "./x/*.js" } }, ["a.js", "x/b.js", "x/c.js"]).entries;
 * // ["a.js", "x/b.js", "x/c.js"]
 */
export function packageEntries(manifest: unknown, files: readonly string[]): PackageEntries {
  const { exports, module, main, browser, bin } = asRecord(manifest);
  const all = new Set(files);
  const entries = new Set<string>();
  const missing: { key: string; target: string }[] = [];
  const take = (key: string, target: string, file: string | undefined) => {
    if (file !== undefined) entries.add(file);
    else missing.push({ key, target });
  };
  const exact = (path: string) => (all.has(path) ? path : undefined);

  if (exports !== undefined && exports !== null) {
    for (const { subpath, key, target } of exportTargets(exports)) {
      const path = normal(target);
      if (target.includes("*")) {
        const matching = filesOf(target, subpath, exports, files);
        for (const file of matching) if (isModule(file)) entries.add(file);
        if (matching.length === 0) missing.push({ key, target });
      } else if (isModule(path)) take(key, target, exact(path));
    }
  } else {
    for (const [key, target] of Object.entries({ module, main, browser })) {
      if (typeof target !== "string") continue;
      const file = resolveLoosely(normal(target), all);
      if (file === undefined || isModule(file)) take(key, target, file);
    }
  }
  const commands = typeof bin === "string" ? { bin } : asRecord(bin);
  for (const [name, target] of Object.entries(commands)) {
    if (typeof target !== "string") continue;
    const path = normal(target);
    // A command needs no extension.
    if (isModule(path) || !/\.[^/]*$/.test(path)) {
      take(typeof bin === "string" ? "bin" : `bin[${JSON.stringify(name)}]`, target, exact(path));
    }
  }
  if (entries.size === 0) {
    const index = ["index", "src/index"].flatMap((stem) => EXTENSIONS.map((extension) => stem + extension));
    const first = index.find((path) => all.has(path));
    if (first !== undefined) entries.add(first);
  }
  return { entries: [...entries], missing };
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

/** A target as files are listed: without `./` and double slashes. */
const normal = (target: string): string => target.replace(/\/{2,}/g, "/").replace(/^(?:\.\/)+/, "");

/** The file that Node loads for `main`. */
function resolveLoosely(path: string, all: ReadonlySet<string>): string | undefined {
  const stem = path.replace(/\/?$/, "");
  const folder = stem === "" || stem === "." ? "" : `${stem}/`;
  const candidates = [
    path,
    ...EXTENSIONS.map((extension) => stem + extension),
    ...EXTENSIONS.map((extension) => `${folder}index${extension}`),
  ];
  return candidates.find((candidate) => all.has(candidate));
}

interface ExportTarget {
  readonly subpath: string;
  /** As errors call it: `exports["./a"].import`. */
  readonly key: string;
  readonly target: string;
}

/** All strings in `exports`, in order, but for those under `types`. */
function exportTargets(exports: unknown): ExportTarget[] {
  const targets: ExportTarget[] = [];
  const stack: { subpath: string; key: string; value: unknown }[] = [
    { subpath: ".", key: "exports", value: exports },
  ];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { subpath, key, value } = top;
    if (typeof value === "string") targets.push({ subpath, key, target: value });
    else if (typeof value === "object" && value !== null) {
      const children = Object.entries(value)
        .filter(([name]) => name !== "types" && !name.startsWith("types@"))
        .map(([name, child]) => ({
          subpath: key === "exports" && name.startsWith(".") ? name : subpath,
          key: Array.isArray(value) ? `${key}[${name}]` : `${key}[${JSON.stringify(name)}]`,
          value: child,
        }));
      stack.push(...children.reverse());
    }
  }
  return targets;
}

/** Files that a target with `*` stands for, as far as their subpath leads to this very key of `exports`. */
function filesOf(target: string, subpath: string, exports: unknown, files: readonly string[]): string[] {
  const parts = normal(target).split("*");
  const [prefix] = parts;
  const fixed = parts.reduce((sum, part) => sum + part.length, 0);
  const keys = Object.keys(asRecord(exports)).filter((key) => key.startsWith("."));
  return files.filter((file) => {
    const length = (file.length - fixed) / (parts.length - 1);
    if (length < 1 || !Number.isInteger(length)) return false;
    const star = file.slice(prefix.length, prefix.length + length);
    if (parts.join(star) !== file) return false;
    return !subpath.includes("*") || keyFor(subpath.split("*").join(star), keys) === subpath;
  });
}

/** The key of `exports` that a subpath is looked up under: itself, or the pattern with the longest beginning. */
function keyFor(subpath: string, keys: readonly string[]): string | undefined {
  if (keys.includes(subpath)) return subpath;
  const matching = keys.filter((key) => {
    const star = key.indexOf("*");
    if (star < 0) return false;
    const end = key.slice(star + 1);
    return key.length <= subpath.length && subpath.startsWith(key.slice(0, star)) && subpath.endsWith(end);
  });
  const order = (a: string, b: string) => b.indexOf("*") - a.indexOf("*") || b.length - a.length;
  return matching.sort(order)[0];
}
