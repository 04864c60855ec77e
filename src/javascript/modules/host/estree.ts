/**
 * Syntax trees of other parsers as the front end reads them. ESTree leaves out what TypeScript adds: lists of decorators and
 * of interfaces, whether an import or export is of types; and offsets are in `start` and `end` there. One pass over the tree.
 */

import type { TSESTree } from "@typescript-eslint/types";
import { visitorKeys } from "@typescript-eslint/visitor-keys";

/** A tree as ESTree has it, with offsets in UTF-16 units: that of acorn, rollup, or Babel's with the plugin `estree`. */
export interface EstreeProgram {
  readonly type: "Program";
  readonly start?: number | null | undefined;
  readonly end?: number | null | undefined;
}

/**
 * Fills in, in place, what the front end asks of a tree beyond ESTree. Parentheses must not be nodes of their own.
 *
 * @example
 * const { fromEstree, memoryHost } = await import("phloem/javascript");
 * const parse = (path, text) => ({
 *   ast: fromEstree(acorn.parse(text, { ecmaVersion: "latest", sourceType: "module" })), comments: [] });
 * const host = memoryHost(new Map([["main.js", "export {}"]]), { parse });
 */
export function fromEstree(program: EstreeProgram): TSESTree.Program {
  const pending = [program as unknown as LooseNode];
  while (0 < pending.length) {
    const node = pending.pop()!;
    node.range ??= [node.start!, node.end!];
    if (DECORATED.has(node.type)) node.decorators ??= [];
    if (EXPORTING.has(node.type)) node.exportKind ??= "value";
    else if (node.type === "ImportDeclaration" || node.type === "ImportSpecifier")
      node.importKind ??= "value";
    else if (node.type === "ClassDeclaration" || node.type === "ClassExpression") node.implements ??= [];
    for (const key of visitorKeys[node.type] ?? []) {
      const child = node[key];
      if (Array.isArray(child)) {
        for (const one of child) if (one) pending.push(one as LooseNode);
      } else if (child) pending.push(child as LooseNode);
    }
  }
  return program as unknown as TSESTree.Program;
}

interface LooseNode extends Record<string, unknown> {
  readonly type: string;
  readonly start?: number;
  readonly end?: number;
}

const EXPORTING = new Set([
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ExportDefaultDeclaration",
  "ExportSpecifier",
]);

/** What may have decorators; as a parameter, any pattern. */
const DECORATED = new Set([
  "Identifier",
  "ArrayPattern",
  "ObjectPattern",
  "AssignmentPattern",
  "RestElement",
  "ClassDeclaration",
  "ClassExpression",
  "MethodDefinition",
  "PropertyDefinition",
  "AccessorProperty",
]);
