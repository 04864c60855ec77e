/**
 * A parser that runs in browsers: `@babel/parser`, loaded when it is first asked for. Of those written in JavaScript it is
 * the one whose TypeScript nodes are those of TS-ESTree since its version 8; what still differs is made equal here.
 */

import type { ParserOptions } from "@babel/parser";
import type { TSESTree } from "@typescript-eslint/types";
import { visitorKeys } from "@typescript-eslint/visitor-keys";
import type { Goal, ParseResult } from "../source.js";
import { fromEstree } from "./estree.js";

type Plugin = NonNullable<ParserOptions["plugins"]>[number];

/** Parses JavaScript, with JSX, and TypeScript, as the path's ending says. */
export async function parseInBrowser(path: string, text: string, goal: Goal): Promise<ParseResult> {
  const { parse } = await import("@babel/parser");
  const typescript = /\.[cm]?tsx?$/.test(path);
  const plugins: Plugin[] = ["estree", "decoratorAutoAccessors"];
  if (typescript) plugins.push("typescript");
  if (!/\.[cm]?ts$/.test(path)) plugins.push("jsx");
  let failure: unknown;
  // Parameters have decorators in the legacy form alone, classes after `export` in the other.
  for (const decorators of ["decorators-legacy", "decorators"] as const) {
    try {
      const file = parse(text, {
        sourceType: goal === "module" ? "module" : "commonjs",
        ranges: true,
        createParenthesizedExpressions: false,
        plugins: [...plugins, decorators],
      });
      const ast = fromEstree(file.program);
      widenTemplates(ast, text);
      const comments = (file.comments ?? []).map(({ type, value, start, end }) => ({
        type: type === "CommentBlock" ? "Block" : "Line",
        value,
        range: [start, end],
      }));
      return { ast, comments: comments as unknown as TSESTree.Comment[] };
    } catch (error) {
      if (!isSyntaxError(error)) throw error;
      failure ??= error;
    }
  }
  const { message, pos } = failure as SyntaxError & { pos: number };
  return { error: message.replace(/ \(\d+:\d+\)$/, ""), offset: pos };
}

const isSyntaxError = (error: unknown): boolean => error instanceof SyntaxError && "pos" in error;

/** Makes of Babel's template elements, which end before their delimiters, what TS-ESTree says: they end after them. */
function widenTemplates(ast: TSESTree.Program, text: string): void {
  const pending: TSESTree.Node[] = [ast];
  while (0 < pending.length) {
    const node = pending.pop()! as TSESTree.Node & Record<string, unknown>;
    if (node.type === "TemplateElement") {
      const [start, end] = node.range;
      node.range = [start - 1, end + (text.startsWith("${", end) ? 2 : 1)];
    }
    for (const key of visitorKeys[node.type] ?? []) {
      const child = node[key];
      if (Array.isArray(child)) {
        for (const one of child) if (one) pending.push(one);
      } else if (child) pending.push(child as TSESTree.Node);
    }
  }
}
