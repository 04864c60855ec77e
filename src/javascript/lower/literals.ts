/**
 * What expressions are known to be by their text: literals, and what operators make of them. What a test comes to decides which
 * branches are there at all. Names count as known where asked for: a constant, or a variable with what it begins with.
 */

import type { TSESTree } from "@typescript-eslint/types";
import type { Code } from "./code.js";
import type { ScopeTable } from "./scope-table.js";

type Node = TSESTree.Node;

/** Some object: it is true, and equal to nothing else that is known. */
const OBJECT = Symbol("object");

export interface Known {
  readonly value: unknown;
}

/** The value of an expression; undefined where it depends on more than its text. */
export function literalValue(node: Node, scopes: ScopeTable): Known | undefined {
  return evaluated(node, (name) => globalValue(name, scopes));
}

/**
 * The same as long as nothing but its initializer has given a variable a value. Variables of `code` itself do not count if it
 * assigns them: it may do so on the way.
 */
export function firstValue(node: Node, scopes: ScopeTable, code: Code): Known | undefined {
  return evaluated(node, (name) => {
    const initializer = scopes.initializer(name);
    if (initializer === undefined) return globalValue(name, scopes);
    if (initializer.isAssigned && scopes.of(name)?.owner === code) return undefined;
    if (initializer.value === null) return { value: undefined };
    return evaluated(initializer.value, (other) => globalValue(other, scopes));
  });
}

/** Whether a value is true; undefined where that is not known. */
export function truthOf(known: Known | undefined): boolean | undefined {
  return known === undefined ? undefined : known.value === OBJECT || Boolean(known.value);
}

/** Whether a value is `undefined` or `null`; undefined where that is not known. */
export function isNullish(known: Known | undefined): boolean | undefined {
  return known === undefined ? undefined : known.value === undefined || known.value === null;
}

/** Whether two values are the same in the sense of `===`; undefined where that is not known. */
export function areSame(a: Known | undefined, b: Known | undefined): boolean | undefined {
  if (a === undefined || b === undefined || (a.value === OBJECT && b.value === OBJECT)) return undefined;
  return a.value === b.value;
}

function globalValue(name: TSESTree.Identifier, scopes: ScopeTable): Known | undefined {
  if (scopes.of(name) !== undefined) return undefined;
  if (name.name === "undefined") return { value: undefined };
  if (name.name === "NaN") return { value: Number.NaN };
  return name.name === "Infinity" ? { value: Number.POSITIVE_INFINITY } : undefined;
}

const DEPTH = 8;

/** Nothing is known of what is nested deeper than `depth`: operands may be as many as a file has. */
function evaluated(
  node: Node,
  ofName: (name: TSESTree.Identifier) => Known | undefined,
  depth = DEPTH,
): Known | undefined {
  if (depth === 0) return undefined;
  switch (node.type as string) {
    case "ParenthesizedExpression":
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
    case "TSTypeAssertion":
      return evaluated((node as TSESTree.TSAsExpression).expression, ofName, depth - 1);
    default:
  }
  switch (node.type) {
    case "Identifier":
      return ofName(node);
    case "Literal":
      return { value: "regex" in node ? OBJECT : "bigint" in node ? BigInt(node.bigint) : node.value };
    case "TemplateLiteral":
      return node.expressions.length === 0 ? { value: node.quasis[0].value.cooked } : undefined;
    case "ArrayExpression":
    case "ObjectExpression":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
    case "ClassExpression":
      return { value: OBJECT };
    case "UnaryExpression": {
      const inner = evaluated(node.argument, ofName, depth - 1);
      if (inner === undefined) return undefined;
      if (node.operator === "!") return { value: truthOf(inner) === false };
      if (node.operator === "void") return { value: undefined };
      if (node.operator === "-" && typeof inner.value === "number") return { value: -inner.value };
      return undefined;
    }
    case "BinaryExpression": {
      if (!["===", "!==", "==", "!="].includes(node.operator)) return undefined;
      const [left, right] = [
        evaluated(node.left, ofName, depth - 1),
        evaluated(node.right, ofName, depth - 1),
      ];
      const isEqual = node.operator.length === 3 ? areSame(left, right) : areEqual(left, right);
      return isEqual === undefined ? undefined : { value: isEqual === (node.operator[0] === "=") };
    }
    case "LogicalExpression": {
      const left = evaluated(node.left, ofName, depth - 1);
      const isLeft =
        node.operator === "??"
          ? isNullish(left) === false
          : truthOf(left) !== undefined && truthOf(left) === (node.operator === "||");
      if (left === undefined || isLeft) return left;
      return evaluated(node.right, ofName, depth - 1);
    }
    default:
      return undefined;
  }
}

/** In the sense of `==`. */
function areEqual(a: Known | undefined, b: Known | undefined): boolean | undefined {
  const [first, second] = [isNullish(a), isNullish(b)];
  if (first === undefined || second === undefined) return undefined;
  if (first || second) return first && second;
  return typeof a!.value === typeof b!.value ? areSame(a, b) : undefined;
}
