/**
 * What TypeScript drops of a module's imports and exports: names that exist for types alone, and imports of nothing else.
 * `elideUnused` follows from the module itself; `elideTypes` needs the modules it imports from, as the compiler does
 * without `isolatedModules`. Both linear in what they look at, without recursion.
 */

import type { ScopeManager, Variable } from "@typescript-eslint/scope-manager";
import type { TSESTree } from "@typescript-eslint/types";
import type {
  CompilerSettings,
  ExportEntry,
  ImportEntry,
  ModuleGraph,
  ModuleRequest,
  ParsedModule,
} from "./source.js";
import { instanceOf, type Survey } from "./survey.js";

type Use = ImportEntry["use"];
const STRENGTH: Record<Use, number> = { none: 0, exported: 1, metadata: 2, value: 3 };

/**
 * Sets `use` and `elided` of a TypeScript module's imports, and removes from its metadata what is no value as far as the
 * module itself shows.
 */
export function elideUnused(survey: Survey, scopes: ScopeManager, settings: CompilerSettings): void {
  const { uses, imports } = survey;
  const module = scopes.scopes.find(({ type }) => type === "module") ?? scopes.globalScope;
  if (0 < uses.metadata.size) keepValues(uses.metadata, scopes);
  if (settings.verbatimModuleSyntax) return;

  const variables = new Map<Variable, Use>();
  const aliasOf = new Map<TSESTree.Node, Variable>();
  for (const [root, alias] of uses.aliases) {
    const variable = scopes.getDeclaredVariables(alias)[0];
    if (variable) aliasOf.set(root, variable);
  }
  const exportedAliases = new Set<Variable>();
  for (const { node } of survey.exports) {
    if (node.type === "ExportNamedDeclaration" && node.declaration?.type === "TSImportEqualsDeclaration") {
      for (const variable of scopes.getDeclaredVariables(node.declaration)) exportedAliases.add(variable);
    }
  }
  const useOf = (variable: Variable): Use => {
    let use: Use = exportedAliases.has(variable) ? "exported" : "none";
    for (const { identifier } of variable.references) {
      const alias = aliasOf.get(identifier);
      const one: Use = uses.values.has(identifier)
        ? "value"
        : uses.metadata.has(identifier as TSESTree.Identifier)
          ? "metadata"
          : uses.exported.has(identifier)
            ? "exported"
            : alias
              ? (variables.get(alias) ?? "none")
              : "none";
      if (STRENGTH[use] < STRENGTH[one]) use = one;
    }
    return use;
  };
  // An alias of an alias is declared after it: from the last to the first, one pass settles them.
  for (const variable of [...aliasOf.values()].reverse()) variables.set(variable, useOf(variable));

  const exportedDirectly = new Set(
    survey.exports
      .filter(
        ({ node }) =>
          node.type === "ExportNamedDeclaration" && node.declaration?.type === "TSImportEqualsDeclaration",
      )
      .map(({ local }) => local),
  );
  for (const entry of imports) {
    if (entry.elided) continue;
    const variable = module?.set.get(entry.local);
    entry.use = variable ? useOf(variable) : "value";
    if (uses.element && entry.local === settings.jsxFactory && isClassic(settings)) entry.use = "value";
    if (uses.fragment && entry.local === settings.jsxFragmentFactory && isClassic(settings))
      entry.use = "value";
    if (entry.use === "none" && exportedDirectly.has(entry.local)) entry.use = "exported";
    entry.elided = entry.use === "none";
  }
  elideRequests(survey);
}

const isClassic = ({ jsx }: CompilerSettings): boolean => jsx !== "react-jsx" && jsx !== "react-jsxdev";

/** Keeps the identifiers that mean a class, or an import that may be one. */
function keepValues(metadata: Set<TSESTree.Identifier>, scopes: ScopeManager): void {
  const kept = new Set<TSESTree.Node>();
  for (const scope of scopes.scopes) {
    for (const { identifier, resolved } of scope.references) {
      if (!metadata.has(identifier as TSESTree.Identifier) || !resolved) continue;
      for (const { type, node, parent } of resolved.defs) {
        const typeOnly =
          ("importKind" in node && node.importKind === "type") ||
          (parent && "importKind" in parent && parent.importKind === "type");
        if (type === "ClassName" || type === "TSModuleName" || (type === "ImportBinding" && !typeOnly)) {
          kept.add(identifier);
        }
      }
    }
  }
  for (const identifier of metadata) if (!kept.has(identifier)) metadata.delete(identifier);
}

interface Tables {
  readonly requests: readonly ModuleRequest[];
  readonly imports: readonly ImportEntry[];
  readonly exports: ParsedModule["exports"];
}

/** Drops the statements of which no name is left, but for `import "x"`. */
function elideRequests({ requests, imports, exports }: Tables): void {
  const kept = new Set<ModuleRequest>();
  for (const { request, elided } of imports) if (!elided) kept.add(request);
  for (const { request, elided } of exports) if (request && !elided) kept.add(request);
  for (const request of requests) {
    const { node } = request;
    const named =
      node.type === "ImportDeclaration"
        ? // `import {} from "x"` is dropped, `import "x"` is not.
          0 < node.specifiers.length || hasBraces(node)
        : node.type === "ExportNamedDeclaration" || node.type === "TSImportEqualsDeclaration";
    if (named && !kept.has(request)) request.elided = true;
  }
}

/** Whether a declaration without names has `{}`: its source does not follow `import` at once. */
const hasBraces = (node: TSESTree.ImportDeclaration): boolean =>
  node.range[0] + "import".length + 1 < node.source.range[0];

/** What a name may stand for. */
const VALUE = 1;
const TYPE = 2;
const CONST_ENUM = 4;

/**
 * Drops what turns out to be types once all modules are known: re-exports of types, imports of `const enum`s, metadata of interfaces. Requests that are dropped thereby are elided; the graph keeps the
 * modules they led to.
 */
export function elideTypes(graph: ModuleGraph): void {
  const { modules } = graph;
  const meanings = new Map<string, number>();
  const tables = new Map<ParsedModule, ReturnType<typeof tableOf>>();
  const table = (module: ParsedModule) => {
    const known = tables.get(module);
    if (known) return known;
    const made = tableOf(module);
    tables.set(module, made);
    return made;
  };

  /** What `name` of the module at `path` stands for; all that is found on the ways through re-exports. */
  const meaning = (path: string, name: string): number => {
    const key = `${path}\0${name}`;
    const known = meanings.get(key);
    if (known !== undefined) return known;
    let found = 0;
    const seen = new Set([key]);
    const pending: [string, string][] = [[path, name]];
    const push = (target: string, wanted: string): void => {
      const other = `${target}\0${wanted}`;
      if (!seen.has(other)) {
        seen.add(other);
        pending.push([target, wanted]);
      }
    };
    while (0 < pending.length) {
      const [at, wanted] = pending.pop()!;
      const module = modules.get(at);
      if (!module?.typescript || module.failed || wanted === "*" || wanted === "=") {
        found |= VALUE;
        continue;
      }
      const own = table(module).exports.get(wanted);
      for (const { typeOnly, local, request, imported } of own ?? []) {
        if (typeOnly) found |= TYPE;
        else if (local !== undefined) {
          const source = table(module).imports.get(local);
          if (!source) found |= meaningOf(module, local);
          else if (source.node.type !== "TSImportEqualsDeclaration" && isTypeOnly(source.node)) found |= TYPE;
          else if (typeof source.request.resolved === "string")
            push(source.request.resolved, source.imported);
          else found |= VALUE;
        } else if (typeof request?.resolved === "string") push(request.resolved, imported!);
        else found |= VALUE;
      }
      if (own || wanted === "default") continue;
      for (const star of module.stars) {
        if (typeof star.resolved === "string") push(star.resolved, wanted);
        else found |= VALUE;
      }
    }
    // A name that nothing exports is an error elsewhere.
    if (found === 0) found = VALUE;
    meanings.set(key, found);
    return found;
  };

  for (const module of modules.values()) {
    if (!module.typescript || module.failed) continue;
    const { settings, imports, exports, metadata } = module;
    const typesOnly = new Set<string>();
    for (const entry of imports) {
      const { resolved } = entry.request;
      if (entry.elided || typeof resolved !== "string") continue;
      const means = meaning(resolved, entry.imported);
      const isType = (means & (VALUE | CONST_ENUM)) === 0;
      const isInlined = (means & VALUE) === 0;
      if (isType) typesOnly.add(entry.local);
      if (settings.isolatedModules) {
        if (isType && entry.use === "metadata" && !settings.verbatimModuleSyntax) entry.elided = true;
      } else if (entry.use === "value") entry.elided = !isType && isInlined;
      else entry.elided = entry.use === "exported" && settings.preserveConstEnums ? isType : isInlined;
    }
    if (0 < metadata.size && 0 < typesOnly.size) {
      for (const identifier of metadata) {
        if (typesOnly.has(identifier.name)) (metadata as Set<TSESTree.Identifier>).delete(identifier);
      }
    }
    if (settings.verbatimModuleSyntax) continue;
    const preserve = settings.preserveConstEnums || settings.isolatedModules;
    const kept = preserve ? VALUE | CONST_ENUM : VALUE;
    for (const entry of exports) {
      if (entry.elided || !isNamed(entry.node)) continue;
      const local = localOf(entry);
      // One file at a time: what it declares itself is known.
      const known =
        !settings.isolatedModules || (local !== undefined && !imports.some((other) => other.local === local));
      if (known) entry.elided = (meaning(module.path, entry.exported) & kept) === 0;
    }
    elideRequests(module);
  }
}

/** Whether an export names something declared elsewhere: of a declaration, the declaration says what is left of it. */
const isNamed = (node: TSESTree.Node): boolean =>
  node.type === "ExportSpecifier" ||
  node.type === "TSExportAssignment" ||
  (node.type === "ExportDefaultDeclaration" && node.declaration.type === "Identifier");

const isTypeOnly = (node: TSESTree.ImportClause): boolean =>
  node.type === "ImportSpecifier" && node.importKind === "type";

/** The name that an export passes on, also where it is a binding of its own that does: `export default x`. */
const localOf = ({ node, local }: Pick<ExportEntry, "node" | "local">): string | undefined =>
  node.type === "ExportDefaultDeclaration" && node.declaration.type === "Identifier"
    ? node.declaration.name
    : local;

interface Origin {
  readonly typeOnly: boolean;
  readonly local: string | undefined;
  readonly request: ModuleRequest | undefined;
  readonly imported: string | undefined;
}

/** Exports of a module with the types among them, and its imports, by name. */
function tableOf(module: ParsedModule): {
  exports: Map<string, Origin[]>;
  imports: Map<string, ImportEntry>;
} {
  const exports = new Map<string, Origin[]>();
  for (const { exported, local, request, imported, node } of module.exports) {
    const typeOnly =
      (node.type === "ExportSpecifier" && node.exportKind === "type") ||
      (request?.node.type === "ExportNamedDeclaration" && request.node.exportKind === "type");
    const origin = { typeOnly, local: localOf({ node, local }), request, imported };
    exports.set(exported, [...(exports.get(exported) ?? []), origin]);
  }
  return { exports, imports: new Map(module.imports.map((entry) => [entry.local, entry])) };
}

/** What a name that a module declares stands for. */
function meaningOf(module: ParsedModule, local: string): number {
  const scope = module.scopes.scopes.find(({ type }) => type === "module") ?? module.scopes.globalScope;
  const variable = scope?.set.get(local);
  if (!variable || variable.defs.length === 0) return VALUE;
  let found = 0;
  for (const { type, node } of variable.defs) {
    if (type === "Type") found |= TYPE;
    else if (type === "ClassName") found |= VALUE | TYPE;
    else if (type === "TSEnumName" && node.type === "TSEnumDeclaration") {
      found |= node.const ? CONST_ENUM : VALUE | TYPE;
    } else if (type === "TSModuleName" && node.type === "TSModuleDeclaration") {
      const left = instanceOf(node, {
        ...module.settings,
        preserveConstEnums: false,
        isolatedModules: false,
      });
      found |= left === "value" ? VALUE : left === "nothing" ? TYPE : CONST_ENUM;
    } else found |= VALUE;
  }
  return found;
}
