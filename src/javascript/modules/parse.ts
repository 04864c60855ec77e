/**
 * One module from its text: syntax tree, scopes, survey, module system. A text that does not parse, or is nested deeper than
 * a parser can follow, gives an empty module and a diagnostic.
 */

import { analyze, type ScopeManager } from "@typescript-eslint/scope-manager";
import type { TSESTree } from "@typescript-eslint/types";
import { visitorKeys } from "@typescript-eslint/visitor-keys";
import { type Diagnostic, placeAt } from "../../program/diagnostic.js";
import { elideUnused } from "./elision.js";
import { formatOf, goalsOf, isJson, isTypeScript } from "./format.js";
import type { CompilerSettings, ModuleFormat, ParsedModule, ParseResult, SourceHost } from "./source.js";
import { type IsRequire, survey } from "./survey.js";

export interface Parsed {
  readonly module: ParsedModule;
  readonly diagnostics: readonly Diagnostic[];
}

/** The module at `path`, whose text is given. `resolved` of its requests is not filled. */
export async function parseModule(path: string, text: string, host: SourceHost): Promise<Parsed> {
  const displayPath = host.displayPath(path);
  const settings = host.settings(path);
  const failure = (message: string, offset: number): Parsed => ({
    module: emptyModule(path, displayPath, text, isJson(path) ? "json" : "esm", settings, true),
    diagnostics: [{ ...placeAt(displayPath, text, offset), severity: "error", message }],
  });
  if (isJson(path)) {
    try {
      JSON.parse(text);
    } catch (error) {
      return failure(`Got text that is not JSON (${messageOf(error)}), expected one value.`, 0);
    }
    return { module: emptyModule(path, displayPath, text, "json", settings, false), diagnostics: [] };
  }
  const packageType = host.packageType(path);
  let result: ParseResult | undefined;
  for (const goal of goalsOf(path, packageType)) {
    let next: ParseResult;
    try {
      next = await host.parse(path, text, goal);
    } catch (error) {
      next = { error: thrownMessage(error), offset: 0 };
    }
    // What is neither is reported as it fails as a module.
    if (!result || "ast" in next) result = next;
    if ("ast" in next) break;
  }
  if (!result || "error" in result) {
    const { error, offset } = result!;
    return failure(`Got text that does not parse (${error}), expected ${languageOf(path)}.`, offset);
  }
  const { ast, comments } = result;
  try {
    let format = formatOf(path, packageType, ast.body.some(isModuleStatement), settings);
    let scopes = analyzeScopes(ast, format);
    const surveyed = survey(ast, isTypeScript(path), settings, requireOf(scopes));
    const final = formatOf(path, packageType, surveyed.esmSyntax, settings);
    if (final !== format && (final === "commonjs") !== (format === "commonjs"))
      scopes = analyzeScopes(ast, final);
    format = final;
    const typescript = isTypeScript(path);
    if (typescript) elideUnused(surveyed, scopes, settings);
    const { requests, imports, exports, stars, topLevelAwait, uses } = surveyed;
    return {
      module: {
        path,
        displayPath,
        text,
        ast,
        scopes,
        comments,
        format,
        typescript,
        settings,
        requests,
        imports,
        exports,
        stars,
        topLevelAwait: topLevelAwait && format === "esm",
        metadata: uses.metadata,
        failed: false,
      },
      diagnostics: [],
    };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return failure(
      "Got expressions or statements nested too deeply to follow, expected at most some thousand levels.",
      deepestOffset(ast),
    );
  }
}

/** A module without statements: one that failed, or JSON. */
export function emptyModule(
  path: string,
  displayPath: string,
  text: string,
  format: ModuleFormat,
  settings: CompilerSettings,
  failed: boolean,
): ParsedModule {
  const ast = {
    type: "Program",
    body: [],
    sourceType: "module",
    range: [0, text.length],
    comments: [],
    tokens: [],
  } as unknown as TSESTree.Program;
  return {
    path,
    displayPath,
    text,
    ast,
    scopes: analyzeScopes(ast, "esm"),
    comments: [],
    format,
    typescript: isTypeScript(path),
    settings,
    requests: [],
    imports: [],
    exports: [],
    stars: [],
    topLevelAwait: false,
    metadata: new Set(),
    failed,
  };
}

/** The names of CommonJS modules are in a function's scope, as Node has it; those of all others in a module's. */
function analyzeScopes(ast: TSESTree.Program, format: ModuleFormat): ScopeManager {
  const options = { jsxPragma: null, lib: [] };
  return format === "commonjs"
    ? analyze(ast, { ...options, sourceType: "script", globalReturn: true })
    : analyze(ast, { ...options, sourceType: "module" });
}

const isModuleStatement = ({ type }: TSESTree.ProgramStatement): boolean =>
  type === "ImportDeclaration" ||
  type === "ExportNamedDeclaration" ||
  type === "ExportDefaultDeclaration" ||
  type === "ExportAllDeclaration" ||
  type === "TSImportEqualsDeclaration" ||
  type === "TSExportAssignment";

/** `require` that nothing declares, or what `createRequire` made, by its name or where it is made. */
function requireOf(scopes: ScopeManager): IsRequire {
  const ours = new Set<TSESTree.Node>();
  for (const scope of scopes.scopes) {
    for (const { identifier, resolved } of scope.references) {
      const isOurs = resolved
        ? resolved.defs.length === 1 && isMadeRequire(resolved.defs[0].node)
        : identifier.name === "require";
      if (isOurs) ours.add(identifier);
    }
  }
  return (callee) => ours.has(callee) || isCreateRequire(callee);
}

const isMadeRequire = (node: TSESTree.Node): boolean =>
  node.type === "VariableDeclarator" && node.init !== null && isCreateRequire(node.init);

function isCreateRequire(node: TSESTree.Node): boolean {
  if (node.type !== "CallExpression") return false;
  const { callee } = node;
  const name = callee.type === "MemberExpression" ? callee.property : callee;
  return name.type === "Identifier" && name.name === "createRequire";
}

const languageOf = (path: string): string => (isTypeScript(path) ? "TypeScript" : "JavaScript");

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A parser's own exception: nothing that goes on should depend on which parser it is. */
const thrownMessage = (error: unknown): string =>
  error instanceof RangeError ? "nested too deeply for the parser" : messageOf(error);

/** Where the deepest node begins: what to show of a tree that is too deep. */
function deepestOffset(ast: TSESTree.Program): number {
  const nodes: TSESTree.Node[] = [ast];
  const depths = [0];
  let deepest = 0;
  let offset = 0;
  while (0 < nodes.length) {
    const node = nodes.pop()!;
    const depth = depths.pop()!;
    if (deepest < depth) {
      deepest = depth;
      offset = node.range[0];
    }
    for (const key of visitorKeys[node.type] ?? []) {
      const child = (node as unknown as Record<string, unknown>)[key];
      for (const one of Array.isArray(child) ? child : [child]) {
        if (!one) continue;
        nodes.push(one);
        depths.push(depth + 1);
      }
    }
  }
  return offset;
}
