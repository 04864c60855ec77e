/**
 * Expressions as steps, in evaluation order (ECMAScript 2026, section 13). Each function returns the operand that holds the
 * value, or `NONE` for values that are no object of interest: numbers, strings, `undefined`.
 */

import type { TSESTree } from "@typescript-eslint/types";
import { ANY_NAME, type CallCode, NONE, type Operand, Step, stepCount, Way } from "./code.js";
import type { FunctionLowering } from "./function-lowering.js";
import { Iteration } from "./iteration.js";
import { firstValue, isNullish, type Known, literalValue, truthOf } from "./literals.js";

type Node = TSESTree.Node;

/** Methods that a conversion to a primitive value may call, where a string is wanted, and where not. */
const TO_STRING = ["@@toPrimitive", "toString", "valueOf"];
const TO_NUMBER = ["@@toPrimitive", "valueOf", "toString"];

export function lowerExpression(f: FunctionLowering, node: Node): Operand {
  const { flow } = f;
  switch (node.type as string) {
    case "ParenthesizedExpression":
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
    case "TSTypeAssertion":
    case "TSInstantiationExpression":
      return f.expression((node as TSESTree.TSAsExpression).expression);
    default:
  }
  switch (node.type) {
    case "Identifier":
      return readIdentifier(f, node);
    case "Literal":
    case "MetaProperty":
    case "TemplateElement":
    case "JSXText":
    case "JSXEmptyExpression":
      return NONE;
    case "ThisExpression":
      return f.thisOperand();
    case "Super":
      return f.superOperand(node);
    case "ArrayExpression":
      return arrayLiteral(f, node);
    case "ObjectExpression":
      return objectLiteral(f, node);
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return f.functionValue(node);
    case "ClassExpression":
      return f.classValue(node);
    case "TemplateLiteral":
      return templateLiteral(f, node);
    case "TaggedTemplateExpression": {
      const { callee, receiver } = calleeOf(f, node.tag);
      const args = [NONE, ...node.quasi.expressions.map((part) => f.expression(part))];
      return flow.call({ ...plainCall(f, node.tag), callee, receiver, args }, node);
    }
    case "MemberExpression":
      return member(f, node).value;
    case "ChainExpression":
      return chain(f, node);
    case "CallExpression":
      return call(f, node);
    case "NewExpression": {
      const callee = f.expression(node.callee);
      const given = argumentsOf(f, node.arguments);
      return flow.call({ ...plainCall(f, node.callee), kind: "new", callee, ...given }, node);
    }
    case "ImportExpression": {
      f.expression(node.source);
      const specifier = literalString(node.source);
      return flow.call({ ...plainCall(f, node), kind: "import", name: "import", specifier }, node);
    }
    case "UnaryExpression": {
      if (node.operator === "delete" && node.argument.type === "MemberExpression") {
        const { object } = place(f, node.argument);
        inspect(f, object, "deleteProperty", node);
        return NONE;
      }
      const value = f.expression(node.argument);
      if (value === NONE || !["+", "-", "~"].includes(node.operator)) return NONE;
      const result = flow.register();
      coerce(f, value, node.argument, "number", result);
      flow.derive(result, value, node);
      return result;
    }
    case "UpdateExpression":
      return update(f, node);
    case "BinaryExpression":
      return binary(f, node);
    case "LogicalExpression":
      return logical(f, node);
    case "AssignmentExpression":
      return assignment(f, node);
    case "ConditionalExpression":
      return conditional(f, node);
    case "SequenceExpression": {
      let value = NONE;
      for (const part of node.expressions) value = f.expression(part);
      return value;
    }
    case "AwaitExpression": {
      const value = f.expression(node.argument);
      f.suspend(node, value);
      return value;
    }
    case "YieldExpression":
      return yielding(f, node);
    case "SpreadElement":
      return iterate(f, f.expression(node.argument), node);
    case "JSXElement":
    case "JSXFragment":
      return jsx(f, node);
    case "JSXExpressionContainer":
    case "JSXSpreadChild":
      return f.expression(node.expression);
    case "JSXSpreadAttribute":
      return f.expression(node.argument);
    case "JSXIdentifier":
      return readIdentifier(f, node);
    case "JSXMemberExpression": {
      const object = f.expression(node.object);
      return flow.load(object, f.name(node.property.name), node.property);
    }
    case "JSXNamespacedName":
      return NONE;
    default:
      return NONE;
  }
}

/** The operand of a name that is read: the binding itself, or a register for what the host provides. */
function readIdentifier(f: FunctionLowering, node: TSESTree.Identifier | TSESTree.JSXIdentifier): Operand {
  const binding = f.scopes.of(node);
  if (binding !== undefined) return f.readBinding(binding, node);
  if (node.name === "undefined" || node.name === "NaN" || node.name === "Infinity") return NONE;
  if (node.name === "arguments") return f.argumentsOperand();
  return f.globalOperand(node.name);
}

export function isUndefined(node: Node): boolean {
  if (node.type === "Identifier") return node.name === "undefined";
  if (node.type === "UnaryExpression") return node.operator === "void" && node.argument.type === "Literal";
  return node.type === "AssignmentExpression" && node.operator === "=" && isUndefined(node.right);
}

function plainCall(f: FunctionLowering, callee: Node): Omit<CallCode, "result"> {
  return { kind: "call", callee: NONE, receiver: NONE, args: [], spread: -1, name: calleeName(f, callee) };
}

/** `f`, `Array.from` for a property of a global, `.map` for a method of anything else. */
function calleeName(f: FunctionLowering, callee: Node): string {
  if (callee.type === "Identifier") return callee.name;
  if (callee.type !== "MemberExpression") return "";
  const key = f.propertyKey(callee.property, callee.computed);
  if (key === undefined) return "";
  const { object } = callee;
  // No method of the receiver's own class: it is not looked up there.
  if (object.type === "Super") return `super.${key}`;
  const isGlobal = object.type === "Identifier" && f.scopes.of(object) === undefined;
  return isGlobal ? `${object.name}.${key}` : `.${key}`;
}

function literalString(node: Node): string {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "TemplateLiteral" && node.expressions.length === 0)
    return node.quasis[0].value.cooked ?? "";
  return "";
}

/**
 * Calls what a conversion to a primitive may call, where the value is an object of the program. What comes of it becomes part
 * of `result`, if given.
 */
export function coerce(
  f: FunctionLowering,
  value: Operand,
  where: Node,
  wanted: "string" | "number" = "string",
  result?: Operand,
  name = "",
): void {
  if (value === NONE) return;
  const methods = wanted === "string" ? TO_STRING : TO_NUMBER;
  f.flow.call({ ...bare("coerce"), receiver: value, methods, name }, where, result);
}

/** Asks an object what a `Proxy` answers by one of its traps. */
export function inspect(f: FunctionLowering, object: Operand, trap: string, where: Node): void {
  if (object !== NONE) f.flow.call({ ...bare("inspect"), receiver: object, name: trap }, where);
}

function templateLiteral(f: FunctionLowering, node: TSESTree.TemplateLiteral): Operand {
  const result = f.flow.register();
  let isDerived = false;
  for (const part of node.expressions) {
    const value = f.expression(part);
    if (value === NONE) continue;
    coerce(f, value, part, "string", result);
    f.flow.derive(result, value, part);
    isDerived = true;
  }
  return isDerived ? result : NONE;
}

/** Runs an iteration of `value` to its end; the result holds the elements. */
export function iterate(f: FunctionLowering, value: Operand, where: Node): Operand {
  if (value === NONE) return NONE;
  return f.flow.call({ ...bare("iterate"), receiver: value }, where);
}

export function bare(kind: CallCode["kind"]): Omit<CallCode, "result"> {
  return { kind, callee: NONE, receiver: NONE, args: [], spread: -1, name: "" };
}

function arrayLiteral(f: FunctionLowering, node: TSESTree.ArrayExpression): Operand {
  const array = f.flow.register();
  const spread = node.elements.findIndex((element) => element?.type === "SpreadElement");
  const length = spread < 0 ? node.elements.length : spread;
  f.flow.code.allocations.push({ step: stepCount(f.flow.code), register: array, kind: "array", length });
  let isPlaced = true;
  for (const [i, element] of node.elements.entries()) {
    if (element === null) continue;
    const value = f.expression(element);
    if (element.type === "SpreadElement") isPlaced = false;
    if (value !== NONE) f.flow.store(array, value, isPlaced ? f.name(String(i)) : ANY_NAME, element);
  }
  return array;
}

function objectLiteral(f: FunctionLowering, node: TSESTree.ObjectExpression): Operand {
  const { flow } = f;
  const object = flow.register();
  flow.code.allocations.push({ step: stepCount(flow.code), register: object, kind: "object" });
  for (const property of node.properties) {
    if (property.type === "SpreadElement") {
      copyProperties(f, object, f.expression(property.argument), property);
      continue;
    }
    if (property.computed) coerce(f, f.expression(property.key), property.key);
    const key = f.propertyKey(property.key, property.computed);
    const name = key === undefined ? ANY_NAME : f.name(key);
    if (property.kind !== "init") {
      const { code } = f.declareFunction(property.value as TSESTree.FunctionExpression, key ?? "", "method");
      flow.code.accessors.push({ object, name, kind: property.kind, code });
      continue;
    }
    const value =
      property.method && property.value.type === "FunctionExpression"
        ? f.functionValue(property.value, key, "method")
        : f.expression(property.value);
    const isOff = property.value.type === "Literal" && property.value.value === false;
    if (!isOff) flow.store(object, value, name, property);
  }
  return object;
}

/** `Object.assign(target, source)`: what spread does, up to accessors. */
export function copyProperties(f: FunctionLowering, target: Operand, source: Operand, where: Node): void {
  if (source === NONE) return;
  const callee = f.globalOperand("Object.assign");
  f.flow.call({ ...bare("call"), callee, args: [target, source], name: "Object.assign" }, where);
}

/** The object and the name of a property. */
function place(
  f: FunctionLowering,
  node: TSESTree.MemberExpression,
): { readonly object: Operand; readonly name: number } {
  const object = f.expression(node.object);
  if (node.optional) shortCut(f, node.object);
  if (node.computed) coerce(f, f.expression(node.property), node.property);
  const key = f.propertyKey(node.property, node.computed);
  return { object, name: key === undefined ? ANY_NAME : f.name(key) };
}

/** A property read: its value, and the object that it was read from. */
function member(
  f: FunctionLowering,
  node: TSESTree.MemberExpression,
): { readonly value: Operand; readonly object: Operand } {
  const { object, name } = place(f, node);
  const value = f.flow.load(object, name, node.computed ? node : node.property);
  return { value, object: node.object.type === "Super" ? f.thisOperand() : object };
}

function chain(f: FunctionLowering, node: TSESTree.ChainExpression): Operand {
  const end = f.flow.place({ range: [node.range[1], node.range[1]] });
  f.flow.chains.push(end);
  const value = f.expression(node.expression);
  f.flow.chains.pop();
  f.flow.continueAt(end);
  return value;
}

/** Methods of arrays that call a function for each element, and for nothing else. */
const PER_ELEMENT: ReadonlySet<string> = new Set([
  "every",
  "filter",
  "find",
  "findIndex",
  "findLast",
  "findLastIndex",
  "flatMap",
  "forEach",
  "map",
  "some",
]);

function isMethodOfNothing(callee: Node): boolean {
  if (callee.type !== "MemberExpression" || callee.computed || callee.property.type !== "Identifier")
    return false;
  const { object } = callee;
  return (
    object.type === "ArrayExpression" && object.elements.length === 0 && PER_ELEMENT.has(callee.property.name)
  );
}

/** The rest of an optional chain is left out if its object is `undefined` or `null`. */
function shortCut(f: FunctionLowering, object: Node): void {
  const { flow } = f;
  const known = isNullish(literalValue(object, f.scopes));
  if (known !== false) flow.edge(flow.at, flow.chains[flow.chains.length - 1]);
  if (known === true) flow.at = -1;
}

function calleeOf(f: FunctionLowering, node: Node): { readonly callee: Operand; readonly receiver: Operand } {
  let inner = node;
  while (inner.type === "TSNonNullExpression" || inner.type === "TSInstantiationExpression")
    inner = inner.expression;
  if (inner.type === "MemberExpression") {
    const { value, object } = member(f, inner);
    return { callee: value, receiver: object };
  }
  if (inner.type === "ChainExpression" && inner.expression.type === "MemberExpression") {
    const end = f.flow.place({ range: [inner.range[1], inner.range[1]] });
    f.flow.chains.push(end);
    const { value, object } = member(f, inner.expression);
    f.flow.chains.pop();
    f.flow.continueAt(end);
    return { callee: value, receiver: object };
  }
  return { callee: f.expression(inner), receiver: NONE };
}

export function argumentsOf(
  f: FunctionLowering,
  nodes: readonly TSESTree.CallExpressionArgument[],
): Pick<CallCode, "args" | "spread" | "literals"> {
  const spread = nodes.findIndex((argument) => argument.type === "SpreadElement");
  const literals = [...nodes.keys()].filter((i) => {
    const known = literalValue(nodes[i], f.scopes);
    return known !== undefined && known.value !== undefined;
  });
  return {
    args: nodes.map((argument) => f.expression(argument)),
    spread,
    ...(literals.length === 0 ? {} : { literals }),
  };
}

function call(f: FunctionLowering, node: TSESTree.CallExpression): Operand {
  const { flow } = f;
  const { callee: calleeNode } = node;
  if (calleeNode.type === "Super") {
    const { args, spread } = argumentsOf(f, node.arguments);
    return f.superCall(args, spread, node);
  }
  const [first] = node.arguments;
  const isGlobal = calleeNode.type === "Identifier" && f.scopes.of(calleeNode) === undefined;
  if (first !== undefined && (f.module.isRequest(node) || (isGlobal && calleeNode.name === "require"))) {
    if (!isGlobal) f.expression(calleeNode);
    f.expression(first);
    const specifier = literalString(first);
    return flow.call({ ...bare("require"), name: "require", specifier }, node);
  }
  if (isGlobal && calleeNode.name === "eval") f.becomeDynamic();
  const { callee, receiver } = calleeOf(f, calleeNode);
  if (node.optional) shortCut(f, calleeNode);
  const given = argumentsOf(f, node.arguments);
  // Nothing is called for the elements of a list without any.
  if (isMethodOfNothing(calleeNode)) return NONE;
  const plain = plainCall(f, calleeNode);
  const property = node.arguments.length === 3 ? literalString(node.arguments[1]) : "";
  const named = property === "" ? {} : { property };
  return flow.call({ ...plain, callee, receiver, ...given, ...named }, node);
}

function update(f: FunctionLowering, node: TSESTree.UpdateExpression): Operand {
  if (node.argument.type === "Identifier") {
    const binding = f.scopes.of(node.argument);
    if (binding === undefined) return NONE;
    const before = f.readBinding(binding, node.argument);
    const result = f.flow.register();
    coerce(f, before, node.argument, "number", result, ARITHMETIC);
    f.flow.derive(result, before, node);
    f.flow.write(binding, result, node);
    return result;
  } else coerce(f, f.expression(node.argument), node.argument, "number");
  return NONE;
}

/** The name of conversions by operators of numbers, which are not taken to fail by themselves. */
export const ARITHMETIC = "arithmetic";

/** What an operator asks of its operands, and calls for that. */
function convertOperands(
  f: FunctionLowering,
  { operator, left: leftNode, right: rightNode }: TSESTree.BinaryExpression,
  left: Operand,
  right: Operand,
  result: Operand,
): void {
  const { flow } = f;
  const isNull = (node: Node) => isNullish(literalValue(node, f.scopes)) === true;
  switch (operator) {
    case "===":
    case "!==":
      return;
    case "==":
    case "!=":
      // Of two objects neither is converted, nor what is compared with nothing.
      if (right === NONE && !isNull(rightNode)) coerce(f, left, leftNode, "number", result, ARITHMETIC);
      if (left === NONE && !isNull(leftNode)) coerce(f, right, rightNode, "number", result, ARITHMETIC);
      return;
    case "instanceof":
      if (right !== NONE)
        flow.call(
          { ...bare("coerce"), receiver: right, args: [left], methods: ["@@hasInstance"], name: ARITHMETIC },
          rightNode,
        );
      return;
    case "in":
      coerce(f, left, leftNode, "string", result, ARITHMETIC);
      inspect(f, right, "has", rightNode);
      return;
    default: {
      const name = ["+", "<", ">", "<=", ">="].includes(operator) ? "" : ARITHMETIC;
      if (left !== result) coerce(f, left, leftNode, "number", result, name);
      coerce(f, right, rightNode, "number", result, name);
    }
  }
}

/** Operators whose results are truth values: these say something about their operands, and hold nothing of them. */
const TRUTHS: ReadonlySet<string> = new Set([
  "==",
  "!=",
  "===",
  "!==",
  "<",
  ">",
  "<=",
  ">=",
  "in",
  "instanceof",
]);

/** Chains of operators lean to the left, and may be thousands long. */
function binary(f: FunctionLowering, node: TSESTree.BinaryExpression): Operand {
  const spine: TSESTree.BinaryExpression[] = [];
  let first: Node = node;
  while (first.type === "BinaryExpression") {
    spine.push(first);
    first = first.left;
  }
  const result = f.flow.register();
  let left = first.type === "PrivateIdentifier" ? NONE : f.expression(first);
  let derived = false;
  for (const each of spine.reverse()) {
    const right = f.expression(each.right);
    convertOperands(f, each, left, right, result);
    if (TRUTHS.has(each.operator)) {
      // Asking for a property of what is no object throws.
      if (f.flow.guarded && 0 <= f.flow.at && /^in/.test(each.operator)) {
        f.flow.step(Step.join, NONE, NONE, NONE, each);
        f.flow.mayThrow();
      }
      left = NONE;
      derived = false;
      continue;
    }
    for (const value of [left, right]) {
      if (value === NONE || value === result) continue;
      f.flow.derive(result, value, each);
      derived = true;
    }
    left = derived ? result : NONE;
  }
  return left;
}

function logical(f: FunctionLowering, node: TSESTree.LogicalExpression): Operand {
  const { flow } = f;
  const spine: TSESTree.LogicalExpression[] = [];
  let first: Node = node;
  while (first.type === "LogicalExpression") {
    spine.push(first);
    first = first.left;
  }
  const result = flow.register();
  let value = f.expression(first);
  for (const each of spine.reverse()) {
    const end = flow.place({ range: [each.range[1], each.range[1]] });
    flow.flow(result, value, each.left);
    const needsRight = rightDecides(each.operator, literalValue(each.left, f.scopes));
    if (needsRight !== true) flow.edge(flow.at, end);
    if (needsRight === false) flow.at = -1;
    if (rightDecides(each.operator, firstValue(each.left, f.scopes, flow.code)) === false)
      flow.close(each.right);
    flow.flow(result, f.expression(each.right), each.right);
    flow.continueAt(end);
    value = result;
  }
  return result;
}

/** Whether the right operand of a logical operator is evaluated, if that is what the left is; undefined where it depends. */
function rightDecides(operator: string, left: Known | undefined): boolean | undefined {
  if (operator === "??") return isNullish(left);
  const known = truthOf(left);
  return known === undefined ? undefined : known === (operator === "&&");
}

/** Control comes to one of the branches that a test decides between, where it can. */
export function enterBranch(f: FunctionLowering, test: Node, outcome: boolean, fork: number): void {
  const { flow, scopes } = f;
  flow.at = truthOf(literalValue(test, scopes)) === !outcome ? -1 : fork;
  if (truthOf(firstValue(test, scopes, flow.code)) === !outcome) flow.close(test);
}

/** Branches on `test`: `yes` and `no` are lowered where they can be reached. */
export function branch(f: FunctionLowering, test: Node, yes: () => void, no: () => void): void {
  const { flow } = f;
  f.expression(test);
  const end = flow.place({ range: [test.range[1], test.range[1]] });
  const fork = flow.step(Step.join, NONE, NONE, NONE, test);
  enterBranch(f, test, true, fork);
  yes();
  flow.goto(end);
  enterBranch(f, test, false, fork);
  no();
  flow.goto(end);
  flow.at = end;
}

function conditional(f: FunctionLowering, node: TSESTree.ConditionalExpression): Operand {
  const result = f.flow.register();
  branch(
    f,
    node.test,
    () => f.flow.flow(result, f.expression(node.consequent), node.consequent),
    () => f.flow.flow(result, f.expression(node.alternate), node.alternate),
  );
  return result;
}

function assignment(f: FunctionLowering, node: TSESTree.AssignmentExpression): Operand {
  const { flow } = f;
  const { left, right, operator } = node;
  if (operator === "=") {
    if (left.type === "MemberExpression") {
      const object = f.expression(left.object);
      if (left.computed) f.expression(left.property);
      const value = f.expression(right);
      const key = f.propertyKey(left.property, left.computed);
      if (!isUndefined(right)) flow.store(object, value, key === undefined ? ANY_NAME : f.name(key), left);
      return value;
    }
    const value = f.expression(right, left.type === "Identifier" ? left.name : undefined);
    f.bindPattern(left, value, "assign", true);
    return value;
  }
  const isLogical = operator === "||=" || operator === "&&=" || operator === "??=";
  const before = f.expression(left);
  if (!isLogical) {
    const value = f.expression(right);
    const result = flow.register();
    const name = operator === "+=" ? "" : ARITHMETIC;
    coerce(f, before, left, "number", result, name);
    coerce(f, value, right, "number", result, name);
    flow.derive(result, before, left);
    flow.derive(result, value, right);
    f.bindPattern(left, result, "assign", true);
    return result;
  }
  const result = flow.register();
  const end = flow.place({ range: [node.range[1], node.range[1]] });
  flow.flow(result, before, left);
  flow.edge(flow.at, end);
  const value = f.expression(right);
  f.bindPattern(left, value, "assign", true);
  flow.flow(result, value, right);
  flow.continueAt(end);
  return result;
}

function yielding(f: FunctionLowering, node: TSESTree.YieldExpression): Operand {
  const { flow } = f;
  const { code } = flow;
  const value = node.argument ? f.expression(node.argument) : NONE;
  if (code.yielded === NONE) code.yielded = flow.register();
  const hand = (handed: Operand, returned: number) => {
    flow.flow(code.yielded, handed, node);
    flow.step(Step.yield, handed, NONE, NONE, node);
    flow.mayThrow();
    flow.edge(flow.at, returned, Way.returned);
  };
  const nowhere = { range: [node.range[1], node.range[1]] } as const;
  if (!node.delegate) {
    hand(value, flow.returned(nowhere));
    if (code.sent === NONE) code.sent = flow.register();
    return code.sent;
  }
  // Each element of the other is one of its own, and who has it return has the other return first.
  const after = flow.place(nowhere);
  const none = flow.place(node);
  const left = flow.place(nowhere);
  const handed = flow.register();
  const iteration = new Iteration(f, value, node, "of", code.isAsync);
  iteration.open();
  flow.flow(handed, iteration.ask("first", none), node);
  flow.step(Step.join, NONE, NONE, NONE, node);
  flow.edge(flow.at, none);
  flow.edge(none, after);
  const start = flow.step(Step.join, NONE, NONE, NONE, node);
  hand(handed, left);
  flow.flow(handed, iteration.ask("next"), node);
  flow.edge(flow.at, after);
  flow.goto(start);
  flow.at = left;
  iteration.close("close", nowhere);
  flow.returnTo();
  flow.at = after;
  // What the other returns is not told apart from what it yields.
  const result = flow.register();
  flow.derive(result, handed, node);
  return result;
}

/** An element is a call of a function that the program does not have, with the component and all attributes. */
function jsx(f: FunctionLowering, node: TSESTree.JSXElement | TSESTree.JSXFragment): Operand {
  const args: Operand[] = [];
  if (node.type === "JSXElement") {
    const { name, attributes } = node.openingElement;
    const isTag = name.type === "JSXIdentifier" && /^[a-z]/.test(name.name);
    if (!isTag) args.push(f.expression(name));
    for (const attribute of attributes) {
      if (attribute.type === "JSXSpreadAttribute") args.push(f.expression(attribute));
      else if (attribute.value !== null) args.push(f.expression(attribute.value));
    }
  }
  for (const child of node.children) args.push(f.expression(child));
  const used = args.filter((argument) => argument !== NONE);
  return f.flow.call({ ...bare("call"), args: used, name: "jsx" }, node);
}
