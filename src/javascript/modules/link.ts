/**
 * Which binding an import means: ResolveExport and GetExportedNames of the specification (16.2.1.7.2), over all modules of a
 * graph. Through re-exports, barrels and cycles a name leads to every binding that is reachable from it; one of them is the
 * answer, several are an ambiguity. That makes it reachability in a graph of (module, name) pairs, which is searched with a
 * stack of its own, once per name that is asked for.
 */

import type { ExportEntry, ImportEntry, ModuleGraph, ModuleRequest, ParsedModule } from "./source.js";

/** What a name of another module means. */
export type Resolution =
  /** A binding of a module; `"*default*"` and `"*="` as in `ExportEntry.local`. */
  | { readonly kind: "binding"; readonly module: string; readonly name: string }
  /** The namespace object of a module; of one compiled to CommonJS, its `exports`. */
  | { readonly kind: "namespace"; readonly module: string }
  /** A property of what a CommonJS or JSON module exports; `undefined`: all of it. */
  | { readonly kind: "property"; readonly module: string; readonly name: string | undefined }
  /** Something outside of the program: `"*"` its namespace, `"="` what `require` gives. */
  | { readonly kind: "external"; readonly source: string; readonly imported: string }
  /** Nothing, or nothing unambiguous: linking fails, or an `undefined` property is read. */
  | { readonly kind: "missing" };

/** What a namespace object has. */
export interface ExportTable {
  readonly names: ReadonlyMap<string, Resolution>;
  /** Some names are not known: it passes on all that an external or CommonJS module has. */
  readonly open: boolean;
}

export interface Linkage {
  /**
   * What `name` of the module at `path` means: `"default"`, `"*"` for its namespace, `"="` for what `require` gives. The
   * importer matters where module systems meet: an ES module gets `module.exports` as the default of CommonJS. Costs the
   * `export *` that may lead to it at the first time, one look-up after that.
   */
  resolve(path: string, name: string, importer?: ParsedModule): Resolution;
  /** What an import of a module means. */
  resolveImport(module: ParsedModule, entry: ImportEntry): Resolution;
  /** All that a module exports, in the order of names: a namespace object has them so. */
  exportsOf(path: string): ExportTable;
}

const MISSING: Resolution = { kind: "missing" };

/**
 * Links the modules of a graph.
 *
 * @example
 * const linkage = link(graph);
 * linkage.resolve("/src/index.js", "Button"); // { kind: "binding", module: "/src/button.js", name: "Button" }
 */
export function link(graph: ModuleGraph): Linkage {
  const { modules } = graph;
  const exportTables = new Map<string, ReadonlyMap<string, ExportEntry>>();
  const importTables = new Map<string, ReadonlyMap<string, ImportEntry>>();
  const resolutions = new Map<string, Map<string, Resolution>>();
  const namespaces = new Map<string, ExportTable>();

  const exportTable = (module: ParsedModule): ReadonlyMap<string, ExportEntry> =>
    cached(
      exportTables,
      module.path,
      () => new Map(module.exports.filter(({ elided }) => !elided).map((entry) => [entry.exported, entry])),
    );
  const importTable = (module: ParsedModule): ReadonlyMap<string, ImportEntry> =>
    cached(importTables, module.path, () => new Map(module.imports.map((entry) => [entry.local, entry])));

  const search = (path: string, name: string): Resolution => {
    let found: Resolution | undefined;
    let unknown: Resolution | undefined;
    const seen = new Set<string>();
    const paths: string[] = [];
    const names: string[] = [];
    const push = (target: ModuleRequest, wanted: string): Resolution | undefined => {
      if (typeof target.resolved !== "string") return externalOf(target, wanted);
      const key = `${target.resolved}\0${wanted}`;
      if (!seen.has(key)) {
        seen.add(key);
        paths.push(target.resolved);
        names.push(wanted);
      }
      return undefined;
    };
    seen.add(`${path}\0${name}`);
    paths.push(path);
    names.push(name);
    while (0 < paths.length) {
      const at = paths.pop()!;
      const wanted = names.pop()!;
      const module = modules.get(at);
      const known = resolutions.get(at)?.get(wanted);
      // The others are searched again: whether they were ambiguous, or a guess, matters here.
      let here: Resolution | undefined =
        known?.kind === "binding" || known?.kind === "namespace" ? known : undefined;
      if (!here) {
        if (!module || module.failed) {
          unknown ??= { kind: "external", source: at, imported: wanted };
          continue;
        }
        here = systemResolution(module, wanted, undefined);
      }
      const entry = !here && module ? exportTable(module).get(wanted) : undefined;
      if (entry) {
        const source = entry.local === undefined ? undefined : importTable(module!).get(entry.local);
        if (entry.request) here = push(entry.request, entry.imported!);
        else if (source && !source.elided) here = push(source.request, source.imported);
        else here = { kind: "binding", module: at, name: entry.local! };
      } else if (!here && wanted !== "default") {
        for (const star of module!.stars) {
          if (star.elided) continue;
          const target = typeof star.resolved === "string" ? modules.get(star.resolved) : undefined;
          // What CommonJS and packages outside have is not known: whoever else has the name comes first.
          const guess = target && isOpaque(target) ? opaque(target, wanted) : push(star, wanted);
          unknown ??= guess;
        }
      }
      if (!here) continue;
      if (found && !equal(found, here)) return MISSING;
      found = here;
    }
    return found ?? unknown ?? MISSING;
  };

  const resolve = (path: string, name: string, importer?: ParsedModule): Resolution => {
    const module = modules.get(path);
    const special = module && systemResolution(module, name, importer);
    if (special) return special;
    return cached(
      cached(resolutions, path, () => new Map<string, Resolution>()),
      name,
      () => search(path, name),
    );
  };

  return {
    resolve,
    resolveImport(module, { request, imported }) {
      if (typeof request.resolved !== "string") return externalOf(request, imported);
      return resolve(request.resolved, imported, module);
    },
    exportsOf: (path) =>
      cached(namespaces, path, () => {
        const names = new Set<string>();
        let open = false;
        const seen = new Set([path]);
        const pending = [path];
        while (0 < pending.length) {
          const at = pending.pop()!;
          const module = modules.get(at);
          if (!module || module.failed || isOpaque(module)) {
            open = true;
            continue;
          }
          for (const name of exportTable(module).keys()) {
            if (name !== "=" && (name !== "default" || at === path)) names.add(name);
          }
          for (const { resolved, elided } of module.stars) {
            if (elided) continue;
            if (typeof resolved !== "string") open = true;
            else if (!seen.has(resolved)) {
              seen.add(resolved);
              pending.push(resolved);
            }
          }
        }
        const table = new Map<string, Resolution>();
        for (const name of [...names].sort((a, b) => (a < b ? -1 : 1))) {
          const resolution = resolve(path, name);
          if (resolution.kind !== "missing") table.set(name, resolution);
        }
        return { names: table, open };
      }),
  };

  /** What follows from the module systems alone, without looking for the name. */
  function systemResolution(
    module: ParsedModule,
    name: string,
    importer: ParsedModule | undefined,
  ): Resolution | undefined {
    if (module.failed) return { kind: "external", source: module.path, imported: name };
    if (isOpaque(module)) {
      if (name === "*" && importer?.format === "esm") return { kind: "namespace", module: module.path };
      return opaque(module, name);
    }
    const assigned = module.format === "typescript-commonjs" ? exportTable(module).get("=") : undefined;
    const whole: Resolution = assigned
      ? { kind: "binding", module: module.path, name: assigned.local! }
      : { kind: "namespace", module: module.path };
    if (name === "*" || name === "=") return whole;
    if (name !== "default" || module.format !== "typescript-commonjs") return undefined;
    return assigned || importer?.format === "esm" ? whole : undefined;
  }
}

/** A module whose exports only its evaluation tells. */
const isOpaque = ({ format }: ParsedModule): boolean => format === "commonjs" || format === "json";

const opaque = ({ path }: ParsedModule, name: string): Resolution => ({
  kind: "property",
  module: path,
  name: name === "default" || name === "*" || name === "=" ? undefined : name,
});

const externalOf = ({ specifier, resolved }: ModuleRequest, imported: string): Resolution => ({
  kind: "external",
  source: typeof resolved === "object" ? resolved.external : specifier,
  imported,
});

function equal(a: Resolution, b: Resolution): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === "external")
    return b.kind === "external" && a.source === b.source && a.imported === b.imported;
  if (a.kind === "missing" || b.kind === "missing" || b.kind === "external") return a.kind === b.kind;
  return a.module === b.module && ("name" in a ? a.name : "") === ("name" in b ? b.name : "");
}

function cached<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
