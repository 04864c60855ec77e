/**
 * Rollup's module graph as a host of the front end: modules are what transforms have made of them, specifiers mean what rollup
 * has resolved them to, entries come in the order of the bundle. Of modules that tree-shaking leaves out, only what they
 * pass on is there.
 *
 * Syntax trees are those of rollup's parser, asked for again: `ModuleInfo.ast` is itself parsed at first sight, is shared
 * with other plugins, and stays in memory once somebody has looked at it.
 */

import type { ModuleInfo, PluginContext, ResolvedId } from "rollup";
import { fromEstree } from "../javascript/modules/host/estree.js";
import { settingsFrom } from "../javascript/modules/settings.js";
import type { ParseResult, SourceHost, Target } from "../javascript/modules/source.js";
import { evaluationRoots } from "./evaluation-roots.js";

/** What a build's plugins can ask rollup for, as far as it is needed here. */
export type Build = Pick<PluginContext, "getModuleIds" | "getModuleInfo" | "parse" | "resolve">;

export interface BundleHost {
  readonly host: SourceHost;
  readonly entries: readonly string[];
  /** The module that the host has under a path that it displays. */
  readonly idOf: (displayPath: string) => string | undefined;
}

/**
 * The host of a build whose modules are all loaded.
 *
 * @param display ids for people
 */
export async function bundleHost(build: Build, display: (id: string) => string): Promise<BundleHost> {
  const infos = new Map<string, ModuleInfo>();
  for (const id of build.getModuleIds()) {
    const info = build.getModuleInfo(id);
    if (info?.code != null) infos.set(id, info);
  }
  const modules = new Map<string, BundledModule>();
  for (const [id, info] of infos) modules.set(id, await bundledModule(info, build));
  const internal = (targets: Iterable<ResolvedId>) =>
    Array.from(targets, ({ id }) => id).filter((id) => modules.has(id));
  const entryIds = entriesInOrder(infos);
  const rootsOf = evaluationRoots({
    entries: entryIds,
    imports: (id) => internal(modules.get(id)!.imports.values()),
    laterImports: (id) => internal(modules.get(id)!.laterImports.values()),
  });

  /** Modules made here, which import what a bundle evaluates first, and then pass on a module. */
  const made = new Map<string, { readonly text: string; readonly of: string }>();
  const pathInOrder = (id: string): string => {
    const roots = rootsOf(id);
    if (roots.length === 1) return pathOf(id);
    const path = pathOf(`\0phloem:${id}`);
    if (!made.has(path)) made.set(path, { text: passingOn(roots, infos.get(id)!), of: id });
    return path;
  };

  const ids = new Map<string, string>();
  const displays = new Map<string, string>();
  for (const id of modules.keys()) {
    const shown = display(id);
    const unique = ids.has(shown) ? id : shown;
    ids.set(unique, id);
    displays.set(id, unique);
  }

  const host: SourceHost = {
    locate: (path) => path,
    read: (path) => made.get(path)?.text ?? infos.get(idAt(path))?.code ?? undefined,
    parse: (path, text) => parse(build, text, infos.get(idAt(path))?.isIncluded === false),
    resolve(from, specifier): Target {
      if (made.has(from)) return pathOf(specifier);
      const module = modules.get(idAt(from));
      const direct = module?.imports.get(specifier);
      const target = direct ?? module?.laterImports.get(specifier);
      if (target === undefined || !modules.has(target.id)) return { external: target?.id ?? specifier };
      return direct === undefined ? pathInOrder(target.id) : pathOf(target.id);
    },
    settings: () => SETTINGS,
    packageType: () => "module",
    displayPath: (path) => displays.get(made.get(path)?.of ?? idAt(path)) ?? path,
  };
  return { host, entries: entryIds.map(pathInOrder), idOf: (shown) => ids.get(shown) };
}

/** No compiler has a say any more. */
const SETTINGS = settingsFrom(undefined);

/** After transforms everything is an ES module, whatever the end of its id says. */
const ENDING = ".mjs";
const pathOf = (id: string): string => id + ENDING;
const idAt = (path: string): string => path.slice(0, -ENDING.length);

interface BundledModule {
  /** By specifier, in the order of the source. */
  readonly imports: ReadonlyMap<string, ResolvedId>;
  readonly laterImports: ReadonlyMap<string, ResolvedId>;
}

/** What a module's specifiers mean. Rollup lists the targets, in the order in which the specifiers are in the source. */
async function bundledModule(info: ModuleInfo, build: Build): Promise<BundledModule> {
  const { specifiers, later } = specifiersIn(build.parse(info.code!, { jsx: true }));
  return {
    imports: await assign(specifiers, info.importedIdResolutions, info, build),
    laterImports: await assign(later, info.dynamicallyImportedIdResolutions, info, build),
  };
}

/** Where there are more or fewer targets than specifiers (plugins resolve computed ones), rollup is asked again. */
async function assign(
  specifiers: readonly string[],
  targets: readonly ResolvedId[],
  { id }: ModuleInfo,
  build: Build,
): Promise<Map<string, ResolvedId>> {
  const assigned = new Map<string, ResolvedId>();
  for (const [i, specifier] of specifiers.entries()) {
    const target =
      specifiers.length === targets.length
        ? targets[i]
        : await build.resolve(specifier, id, { isEntry: false });
    if (target !== null && !assigned.has(specifier)) assigned.set(specifier, target);
  }
  return assigned;
}

/** Specifiers of static imports, each once, and of `import()`, each time. */
function specifiersIn(program: object): { specifiers: readonly string[]; later: readonly string[] } {
  const specifiers = new Set<string>();
  const later: { readonly start: number; readonly specifier: string }[] = [];
  const pending: object[] = [program];
  while (0 < pending.length) {
    const node = pending.pop() as LooseNode;
    const { type, source } = node;
    if (type === "ImportExpression") {
      const specifier = constantOf(source);
      if (specifier !== undefined) later.push({ start: node.start!, specifier });
    }
    for (const child of Object.values(node)) {
      if (typeof child !== "object" || child === null) continue;
      if (Array.isArray(child)) for (const one of child) one && pending.push(one);
      else pending.push(child);
    }
  }
  for (const { type, source } of (program as { body: LooseNode[] }).body) {
    if (!/^(?:Import|ExportNamed|ExportAll)Declaration$/.test(type ?? "")) continue;
    if (typeof source?.value === "string") specifiers.add(source.value);
  }
  return {
    specifiers: [...specifiers],
    later: later.sort((a, b) => a.start - b.start).map(({ specifier }) => specifier),
  };
}

interface LooseNode {
  readonly type?: string;
  readonly start?: number;
  readonly source?: LooseNode | null;
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly cooked?: string } }[];
}

/** The text that a literal or a template without gaps is. */
function constantOf(node: LooseNode | null | undefined): string | undefined {
  if (typeof node?.value === "string") return node.value;
  return node?.quasis?.length === 1 ? node.quasis[0].value.cooked : undefined;
}

function parse(build: Build, text: string, isLeftOut: boolean): ParseResult {
  try {
    const ast = fromEstree(build.parse(text, { jsx: true }) as Parameters<typeof fromEstree>[0]);
    if (isLeftOut) ast.body = ast.body.filter(passesOn);
    return { ast, comments: [] };
  } catch (error) {
    const { message, pos } = error as Error & { pos?: number };
    return { error: message, offset: pos ?? 0 };
  }
}

/** Whether a statement only names other modules, or what comes from them. */
const passesOn = (node: { readonly type: string; readonly declaration?: unknown }): boolean =>
  node.type === "ImportDeclaration" ||
  node.type === "ExportAllDeclaration" ||
  (node.type === "ExportNamedDeclaration" && !node.declaration);

/** Entries as rollup sorts them: by their ids, in whatever order the input has them. */
function entriesInOrder(infos: ReadonlyMap<string, ModuleInfo>): string[] {
  const entries = [...infos.values()].filter(({ isEntry }) => isEntry);
  return entries.map(({ id }) => id).sort((a, b) => (a < b ? -1 : 1));
}

function passingOn(roots: readonly string[], target: ModuleInfo): string {
  const of = JSON.stringify(target.id);
  const defaults = target.exports?.includes("default") ? `export { default } from ${of};` : "";
  return [...roots.map((root) => `import ${JSON.stringify(root)};`), `export * from ${of};`, defaults].join(
    "\n",
  );
}
