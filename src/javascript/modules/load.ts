/**
 * The modules that entries reach, breadth-first: each read, parsed and resolved once. Packages in `node_modules` are outside,
 * except those in which an entry lies. Costs what reading and parsing do.
 */

import { type Diagnostic, placeAt } from "../../program/diagnostic.js";
import { elideTypes } from "./elision.js";
import { isDeclarationFile } from "./format.js";
import { emptyModule, parseModule } from "./parse.js";
import type { ModuleGraph, ModuleRequest, ParsedModule, SourceHost, Target } from "./source.js";

export interface LoadOptions {
  /** Called after each module with how many are loaded and how many are known. */
  readonly onProgress?: (loaded: number, known: number) => void;
  /** Ends loading with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** How many modules are read at the same time. */
const READS = 64;

/**
 * Loads all modules that entries reach, through static imports, `require` and `import()` alike. What cannot be found or
 * parsed is among the diagnostics, and an empty module takes its place. Throws the reason of an aborted `signal`, and what
 * the host throws.
 *
 * @example
 * const { loadModules, memoryHost } = await import("phloem/javascript");
 * const graph = await loadModules(["main.js"], memoryHost(new Map([["main.js", "export {}"]])));
 */
export async function loadModules(
  entries: readonly string[],
  host: SourceHost,
  { onProgress, signal }: LoadOptions = {},
): Promise<ModuleGraph> {
  const modules = new Map<string, ParsedModule>();
  const diagnostics: Diagnostic[] = [];
  const known = new Set<string>();
  const located: string[] = [];
  for (const entry of entries) {
    const path = host.locate(entry);
    if (path === undefined) {
      const message = `Got entry ${JSON.stringify(entry)}, expected a file that exists.`;
      diagnostics.push({ file: entry, line: 1, column: 1, severity: "error", message });
    } else if (!known.has(path)) {
      known.add(path);
      located.push(path);
    }
  }
  const packages = new Set(located.map(packageFolder));
  const isOutside = (path: string): boolean => {
    const folder = packageFolder(path);
    return folder !== undefined && !packages.has(folder);
  };
  const missing: { module: ParsedModule; request: ModuleRequest }[] = [];

  const queue = [...located];
  for (let start = 0; start < queue.length; ) {
    const batch = queue.slice(start, start + READS);
    start += batch.length;
    const texts = await Promise.all(batch.map((path) => host.read(path)));
    for (let i = 0; i < batch.length; i++) {
      signal?.throwIfAborted();
      const path = batch[i];
      const text = texts[i];
      if (text === undefined) {
        const displayPath = host.displayPath(path);
        modules.set(path, emptyModule(path, displayPath, "", "esm", host.settings(path), true));
        const message = "Got a file that cannot be read, expected a module.";
        diagnostics.push({ file: displayPath, line: 1, column: 1, severity: "error", message });
        onProgress?.(modules.size, known.size);
        continue;
      }
      const parsed = await parseModule(path, text, host);
      const { module } = parsed;
      modules.set(path, module);
      diagnostics.push(...parsed.diagnostics);
      for (const request of module.requests) {
        request.resolved = resolve(module, request, host, isOutside);
        if (request.elided) continue;
        if (typeof request.resolved === "string") {
          if (!known.has(request.resolved)) {
            known.add(request.resolved);
            queue.push(request.resolved);
          }
        } else if (request.resolved === undefined) missing.push({ module, request });
      }
      onProgress?.(modules.size, known.size);
    }
  }
  const graph: ModuleGraph = { modules, entries: located, diagnostics };
  // Of elided requests, some modules are not in the graph.
  for (const { requests } of modules.values()) {
    for (const request of requests) {
      if (typeof request.resolved === "string" && !modules.has(request.resolved)) {
        request.resolved = { external: request.specifier };
      }
    }
  }
  elideTypes(graph);
  for (const { module, request } of missing) {
    if (request.elided) continue;
    const message = `Got ${JSON.stringify(request.specifier)}, expected a module that exists.`;
    diagnostics.push({
      ...placeAt(module.displayPath, module.text, sourceOffset(request)),
      severity: "warning",
      message,
    });
  }
  return graph;
}

/** What is code: other files (styles, images, components of other languages) are somebody else's. */
const CODE = /\.(?:[cm]?[jt]s|[jt]sx|json)$/;

function resolve(
  module: ParsedModule,
  request: ModuleRequest,
  host: SourceHost,
  isOutside: (path: string) => boolean,
): Target {
  const { specifier } = request;
  const conditions =
    request.kind === "require" ||
    request.kind === "import-equals" ||
    (module.format === "typescript-commonjs" && request.kind !== "dynamic")
      ? "require"
      : "import";
  const target = host.resolve(module.path, specifier, conditions);
  if (target === undefined) {
    // A package that is not installed is outside as well; so is what other tools make of queries and resources.
    return /^\.{0,2}\//.test(specifier) && !/[?#!]/.test(specifier) && isCode(specifier)
      ? undefined
      : { external: specifier };
  }
  if (typeof target !== "string") return target;
  return !CODE.test(target) || isDeclarationFile(target) || isOutside(target)
    ? { external: specifier }
    : target;
}

/** Whether a specifier has an ending of code, or one that is missing. */
function isCode(specifier: string): boolean {
  const name = specifier.slice(specifier.lastIndexOf("/") + 1);
  return (
    CODE.test(name) ||
    !/\.(?:css|s[ac]ss|less|svg|png|jpe?g|gif|webp|wasm|node|vue|svelte|html|md)$/.test(name)
  );
}

/** Up to the package's name in the innermost `node_modules`, or `undefined` outside of any. */
function packageFolder(path: string): string | undefined {
  const [folder] = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path) ?? [];
  return folder;
}

function sourceOffset({ node }: ModuleRequest): number {
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportAllDeclaration":
    case "ImportExpression":
      return node.source.range[0];
    case "ExportNamedDeclaration":
      return node.source?.range[0] ?? node.range[0];
    case "CallExpression":
      return node.arguments[0]?.range[0] ?? node.range[0];
    default:
      return node.range[0];
  }
}
