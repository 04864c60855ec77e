/** Statements and declarations as steps (ECMAScript 2026, section 14; TypeScript's enums, namespaces and import assignments). */

import type { TSESTree } from "@typescript-eslint/types";
import { lowerClass } from "./classes.js";
import { ASSIGNED, type Binding, bindingOperand, NONE, STEP_SIZE, Step, stepCount } from "./code.js";
import { bare, enterBranch, inspect } from "./expressions.js";
import type { FunctionLowering } from "./function-lowering.js";
import { Iteration } from "./iteration.js";
import { areSame, literalValue, truthOf } from "./literals.js";

type Node = TSESTree.Node;

const end = (node: Node) => ({ range: [node.range[1], node.range[1]] as const });
const LOOP = -2;

export function lowerStatement(f: FunctionLowering, node: Node): void {
  const { flow } = f;
  const labels = flow.pendingLabels;
  flow.pendingLabels = [];
  switch (node.type) {
    case "ExpressionStatement":
      f.expression(node.expression);
      if (node.expression.type === "UpdateExpression") {
        const last = flow.code.steps.length - STEP_SIZE;
        if (flow.code.steps[last] === Step.write) flow.code.steps[last + 3] = ASSIGNED;
      }
      return;
    case "VariableDeclaration":
      variables(f, node);
      return;
    case "FunctionDeclaration":
      // Has its value since its scope was entered.
      return;
    case "ClassDeclaration":
      if (!node.declare) lowerClass(f, node, node.id ? f.scopes.of(node.id) : undefined, node.id?.name ?? "");
      return;
    case "BlockStatement":
      f.enterBlock(node);
      f.statements(node.body);
      return;
    case "IfStatement":
      ifChain(f, node);
      return;
    case "ReturnStatement":
      if (node.argument) {
        const value = f.expression(node.argument);
        flow.flow(flow.code.result, value, node.argument);
      }
      flow.step(Step.join, NONE, NONE, NONE, node);
      flow.returnTo();
      return;
    case "ThrowStatement":
      flow.throwValue(f.expression(node.argument), node);
      return;
    case "BreakStatement":
      flow.step(Step.join, NONE, NONE, NONE, node);
      flow.break(node.label?.name);
      return;
    case "ContinueStatement":
      flow.step(Step.join, NONE, NONE, NONE, node);
      flow.continue(node.label?.name);
      return;
    case "LabeledStatement": {
      const names = [...labels, node.label.name];
      flow.pendingLabels = names;
      if (/^(For|While|DoWhile|Labeled)/.test(node.body.type)) {
        f.statement(node.body);
        return;
      }
      flow.pendingLabels = [];
      const after = flow.place(end(node));
      flow.within(after, LOOP, names, () => f.statement(node.body));
      flow.continueAt(after);
      return;
    }
    case "WhileStatement":
    case "DoWhileStatement":
    case "ForStatement":
      loop(f, node, labels);
      return;
    case "ForInStatement":
    case "ForOfStatement":
      forEach(f, node, labels);
      return;
    case "SwitchStatement":
      switchStatement(f, node, labels);
      return;
    case "TryStatement":
      tryStatement(f, node);
      return;
    case "WithStatement":
      f.becomeDynamic();
      f.expression(node.object);
      f.statement(node.body);
      return;
    case "ExportNamedDeclaration":
      if (f.module.isElided(node)) return;
      if (node.declaration) f.statement(node.declaration);
      else if (node.source) importByCall(f, node, node.source.value);
      return;
    case "ExportAllDeclaration":
      if (!f.module.isElided(node)) importByCall(f, node, node.source.value);
      return;
    case "ImportDeclaration":
      if (!f.module.isElided(node)) importByCall(f, node, node.source.value);
      return;
    case "ExportDefaultDeclaration":
      exportDefault(f, node);
      return;
    case "TSEnumDeclaration":
      enumeration(f, node);
      return;
    case "TSModuleDeclaration":
      namespace(f, node);
      return;
    case "TSImportEqualsDeclaration":
      importEquals(f, node);
      return;
    case "TSExportAssignment": {
      const value = f.expression(node.expression);
      const { moduleBinding } = f.module;
      if (moduleBinding !== undefined)
        flow.store(bindingOperand(moduleBinding), value, f.name("exports"), node);
      return;
    }
    default:
  }
}

function variables(f: FunctionLowering, node: TSESTree.VariableDeclaration): void {
  if (node.declare) return;
  for (const { id, init } of node.declarations) {
    if (init === null && node.kind === "var") continue;
    const value = init === null ? NONE : f.expression(init, id.type === "Identifier" ? id.name : undefined);
    f.bindPattern(id, value, "initialize", init !== null && !isPlaceholder(init));
  }
}

/** What people initialize with until there is a value: it need not be read. */
function isPlaceholder(node: Node): boolean {
  switch (node.type) {
    case "Literal":
      return [null, true, false, 0, 1, ""].includes(node.value as never) && !("regex" in node);
    case "Identifier":
      return node.name === "undefined" || node.name === "NaN" || node.name === "Infinity";
    case "UnaryExpression":
      return node.operator === "void" || (node.operator === "-" && node.argument.type === "Literal");
    case "ArrayExpression":
      return node.elements.length === 0;
    case "ObjectExpression":
      return node.properties.length === 0;
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
    case "TSTypeAssertion":
      return isPlaceholder(node.expression);
    default:
      return false;
  }
}

/** `else if` chains may be thousands long. */
function ifChain(f: FunctionLowering, first: TSESTree.IfStatement): void {
  const { flow } = f;
  const after = flow.place(end(first));
  let node: Node | null = first;
  while (node?.type === "IfStatement") {
    f.expression(node.test);
    const fork = flow.step(Step.join, NONE, NONE, NONE, node.test);
    enterBranch(f, node.test, true, fork);
    f.statement(node.consequent);
    flow.goto(after);
    enterBranch(f, node.test, false, fork);
    node = node.alternate;
  }
  if (node !== null) f.statement(node);
  flow.continueAt(after);
}

function loop(
  f: FunctionLowering,
  node: TSESTree.WhileStatement | TSESTree.DoWhileStatement | TSESTree.ForStatement,
  labels: readonly string[],
): void {
  const { flow } = f;
  const after = flow.place(end(node));
  const again = flow.place(node.type === "ForStatement" && node.update ? node.update : (node.test ?? node));
  if (node.type === "ForStatement") {
    for (const scope of f.scopes.scopesOf(node)) f.enterScope(scope, node);
    if (node.init?.type === "VariableDeclaration") variables(f, node.init);
    else if (node.init) f.expression(node.init);
  }
  const head = flow.step(Step.join, NONE, NONE, NONE, node.test ?? node);
  const test = () => {
    if (node.test) f.expression(node.test);
    const known = node.test ? truthOf(literalValue(node.test, f.scopes)) : true;
    if (known !== true) flow.edge(flow.at, after);
    if (known === false) flow.at = -1;
  };
  if (node.type !== "DoWhileStatement") test();
  flow.within(after, again, labels, () => f.statement(node.body));
  flow.continueAt(again);
  if (node.type === "DoWhileStatement") test();
  if (node.type === "ForStatement" && node.update) f.expression(node.update);
  flow.goto(head);
  flow.at = after;
}

function forEach(
  f: FunctionLowering,
  node: TSESTree.ForInStatement | TSESTree.ForOfStatement,
  labels: readonly string[],
): void {
  const { flow } = f;
  // The names of the loop exist, uninitialized, while what it runs over is evaluated.
  const enter = () => {
    for (const scope of f.scopes.scopesOf(node)) f.enterScope(scope, node);
  };
  enter();
  const collection = f.expression(node.right);
  const after = flow.place(end(node));
  const again = flow.place(node.left);
  const none = flow.place(node.left);
  const element = flow.register();
  const bind = () => {
    enter();
    if (node.left.type === "VariableDeclaration")
      f.bindPattern(node.left.declarations[0].id, element, "initialize");
    else f.bindPattern(node.left, element, "assign");
  };
  if (node.type === "ForInStatement") {
    inspect(f, collection, "ownKeys", node.right);
    // Names of properties are those that the object's maker chose.
    flow.derive(element, collection, node.right);
    flow.step(Step.join, NONE, NONE, NONE, node.left);
    flow.edge(flow.at, none);
    flow.edge(none, after);
    const start = flow.step(Step.join, NONE, NONE, NONE, node.left);
    bind();
    flow.within(after, again, labels, () => f.statement(node.body));
    flow.continueAt(again);
    flow.edge(flow.at, after);
    flow.goto(start);
    flow.at = after;
    return;
  }
  // The first element, and then one more each time round.
  const iteration = new Iteration(f, collection, node.right, "of", node.await);
  const ask = (part: "first" | "next", emptyTo?: number) => {
    flow.flow(element, iteration.ask(part, emptyTo), node.right);
    if (node.await) f.suspend(node.left);
  };
  iteration.open();
  ask("first", none);
  flow.step(Step.join, NONE, NONE, NONE, node.left);
  flow.edge(flow.at, none);
  flow.edge(none, after);
  const start = flow.step(Step.join, NONE, NONE, NONE, node.left);
  const body = () => {
    bind();
    flow.within(-1, again, labels, () => f.statement(node.body));
    flow.goto(again);
  };
  // Leaving is what goes anywhere but to the next turn.
  flow.within(after, -1, labels, () => iteration.closingOnLeave(body, node.right));
  flow.at = again;
  ask("next");
  flow.edge(flow.at, after);
  flow.goto(start);
  flow.at = after;
}

function switchStatement(
  f: FunctionLowering,
  node: TSESTree.SwitchStatement,
  labels: readonly string[],
): void {
  const { flow } = f;
  f.expression(node.discriminant);
  f.enterBlock(node);
  const after = flow.place(end(node));
  const bodies = node.cases.map((each) => flow.place(each));
  const value = literalValue(node.discriminant, f.scopes);
  let fallback = after;
  for (const [i, each] of node.cases.entries()) {
    if (each.test === null) {
      fallback = bodies[i];
      continue;
    }
    f.expression(each.test);
    flow.step(Step.join, NONE, NONE, NONE, each.test);
    const isSame = areSame(value, literalValue(each.test, f.scopes));
    if (isSame !== false) flow.edge(flow.at, bodies[i]);
    if (isSame === true) flow.at = -1;
  }
  flow.goto(fallback);
  flow.within(after, -1, labels, () => {
    for (const [i, each] of node.cases.entries()) {
      flow.continueAt(bodies[i]);
      for (const statement of each.consequent) f.statement(statement);
    }
  });
  flow.continueAt(after);
}

function tryStatement(f: FunctionLowering, node: TSESTree.TryStatement): void {
  const { flow } = f;
  const attempt = () => {
    if (node.handler === null) {
      f.statement(node.block);
      return;
    }
    const { handler } = node;
    const outer = flow.handler;
    const { step, caught } = flow.handlerPlace(handler);
    const after = flow.place(end(node));
    flow.handler = step;
    f.statement(node.block);
    flow.goto(after);
    flow.handler = outer;
    flow.at = step;
    for (const scope of f.scopes.scopesOf(handler)) f.enterScope(scope, handler);
    if (handler.param) f.bindPattern(handler.param, caught, "initialize");
    f.statement(handler.body);
    flow.continueAt(after);
  };
  const { finalizer } = node;
  if (finalizer) flow.guard(attempt, () => f.statement(finalizer), finalizer);
  else attempt();
}

/** In a module compiled to CommonJS: `require` where the import stands. */
function importByCall(f: FunctionLowering, node: Node, specifier: string): void {
  if (f.module.importsByCall) f.flow.call({ ...bare("require"), name: "require", specifier }, node);
}

function exportDefault(f: FunctionLowering, node: TSESTree.ExportDefaultDeclaration): void {
  const { declaration } = node;
  if (declaration.type === "FunctionDeclaration") {
    if (declaration.id) f.statement(declaration);
    return;
  }
  if (declaration.type === "ClassDeclaration") {
    const binding = declaration.id ? f.scopes.of(declaration.id) : f.module.defaultBinding();
    lowerClass(f, declaration, binding, declaration.id?.name ?? "default");
    return;
  }
  if (/^TS(Interface|TypeAlias|DeclareFunction)/.test(declaration.type)) return;
  const value = f.expression(declaration, "default");
  const binding = f.module.defaultBinding();
  f.flow.write(binding, value, declaration);
  f.afterWrite(binding, value, declaration);
}

/** `var E; (function (E) { ... })(E || (E = {}))`, as TypeScript emits it. */
function enumeration(f: FunctionLowering, node: TSESTree.TSEnumDeclaration): void {
  if (node.declare) return;
  const { flow } = f;
  const binding = f.scopes.of(node.id);
  if (binding === undefined || (node.const && !binding.deadZone)) return;
  const object = flow.register();
  flow.code.allocations.push({ step: stepCount(flow.code), register: object, kind: "object" });
  // `E || (E = {})` gives it a value before its members do.
  flow.write(binding, object, node.id);
  f.afterWrite(binding, object, node.id);
  for (const scope of f.scopes.scopesOf(node)) f.enterScope(scope, node);
  const members = node.body?.members ?? (node as unknown as { members: TSESTree.TSEnumMember[] }).members;
  for (const member of members) {
    if (member.initializer) f.expression(member.initializer);
    const inner = f.scopes.of(member.id);
    if (inner !== undefined) flow.write(inner, NONE, member);
  }
}

/** A namespace runs its body where it stands; what it exports becomes properties. */
function namespace(f: FunctionLowering, node: TSESTree.TSModuleDeclaration): void {
  const { flow } = f;
  if (node.declare || node.id.type !== "Identifier" || !node.body) return;
  const binding = f.scopes.of(node.id);
  if (binding === undefined) return;
  const object = flow.register();
  flow.code.allocations.push({ step: stepCount(flow.code), register: object, kind: "object" });
  if (binding.kind === "enum") {
    flow.write(binding, object, node.id);
    f.afterWrite(binding, object, node.id);
  }
  if (node.body.type !== "TSModuleBlock") {
    f.statement(node.body);
    return;
  }
  f.enterBlock(node);
  for (const statement of node.body.body) {
    f.statement(statement);
    if (statement.type !== "ExportNamedDeclaration" || !statement.declaration) continue;
    for (const exported of declaredNames(f, statement.declaration)) {
      flow.store(bindingOperand(binding), bindingOperand(exported), f.name(exported.name), statement);
    }
  }
}

function declaredNames(f: FunctionLowering, declaration: Node): Binding[] {
  const found: Binding[] = [];
  const add = (node: Node | null) => {
    const binding = node === null ? undefined : f.scopes.of(node);
    if (binding !== undefined) found.push(binding);
  };
  if (declaration.type === "VariableDeclaration") {
    for (const { id } of declaration.declarations) if (id.type === "Identifier") add(id);
  } else if ("id" in declaration) add(declaration.id as Node | null);
  return found;
}

function importEquals(f: FunctionLowering, node: TSESTree.TSImportEqualsDeclaration): void {
  if (node.importKind === "type" || f.module.isElided(node)) return;
  const binding = f.scopes.of(node.id);
  let value = NONE;
  if (node.moduleReference.type === "TSExternalModuleReference") {
    const { expression } = node.moduleReference;
    const specifier = expression.type === "Literal" ? String(expression.value) : "";
    value = f.flow.call({ ...bare("require"), name: "require", specifier }, node);
  } else if (node.moduleReference.type === "Identifier") value = f.expression(node.moduleReference);
  if (binding !== undefined) f.flow.write(binding, value, node.id);
}
