/**
 * Lowers one function: parameters, scopes, `this`, and the way between the parts of the syntax, each of which has a file of
 * its own. Functions met on the way are lowered later, from a list, so that no nesting of functions becomes a recursion.
 */

import type { Scope } from "@typescript-eslint/scope-manager";
import type { TSESTree } from "@typescript-eslint/types";
import { lowerClass } from "./classes.js";
import {
  type Binding,
  bindingOperand,
  type CallCode,
  type Code,
  type CodeKind,
  NONE,
  type Operand,
  Step,
  stepCount,
} from "./code.js";
import { bare, lowerExpression } from "./expressions.js";
import type { Extent } from "./flow-builder.js";
import { FlowBuilder } from "./flow-builder.js";
import type { ModuleContext } from "./module-context.js";
import { type BindingMode, lowerPattern } from "./patterns.js";
import { lowerStatement } from "./statements.js";

export type FunctionNode =
  | TSESTree.FunctionDeclaration
  | TSESTree.FunctionExpression
  | TSESTree.ArrowFunctionExpression;

/** What `this` and `super` mean: arrow functions share that of the code around them. */
export interface Receiver {
  /** The binding of `this`; made when first asked for. */
  binding(): Binding;
  /** The binding that holds the superclass, of members of a class that has one. */
  readonly superclass: Binding | undefined;
  readonly isStatic: boolean;
  /** What `super(...)` runs when it returns: the fields of the new object. */
  readonly fields: (() => Code | undefined) | undefined;
}

export class FunctionLowering {
  readonly flow: FlowBuilder;
  readonly module: ModuleContext;
  receiver: Receiver;
  readonly #globals = new Map<string, Operand>();

  constructor(code: Code, module: ModuleContext, receiver?: Receiver) {
    this.flow = new FlowBuilder(code);
    this.module = module;
    this.receiver = receiver ?? this.#ownReceiver(undefined, false, undefined);
  }

  get scopes() {
    return this.module.scopes;
  }

  name(text: string): number {
    return this.module.names.of(text);
  }

  #ownReceiver(
    superclass: Binding | undefined,
    isStatic: boolean,
    fields: (() => Code | undefined) | undefined,
  ): Receiver {
    return receiverOf(this.module, this.flow.code, superclass, isStatic, fields);
  }

  expression(node: TSESTree.Node, name?: string): Operand {
    if (name !== undefined) {
      if (node.type === "FunctionExpression" || node.type === "ArrowFunctionExpression")
        return this.functionValue(node, name);
      if (node.type === "ClassExpression") return lowerClass(this, node, undefined, name);
    }
    return lowerExpression(this, node);
  }

  statement(node: TSESTree.Node): void {
    lowerStatement(this, node);
  }

  bindPattern(pattern: TSESTree.Node, value: Operand, mode: BindingMode, assigned = false): void {
    lowerPattern(this, pattern, value, mode, assigned);
  }

  classValue(node: TSESTree.ClassExpression): Operand {
    return lowerClass(this, node, undefined, node.id?.name ?? "");
  }

  readBinding(binding: Binding, where: Extent): Operand {
    this.flow.read(binding, where);
    return bindingOperand(binding);
  }

  /** Something that the host provides under a global name. */
  globalOperand(name: string): Operand {
    const { module } = this;
    if (module.exportsBinding !== undefined && module.moduleBinding !== undefined) {
      if (name === "exports") return bindingOperand(module.exportsBinding);
      if (name === "module") return bindingOperand(module.moduleBinding);
    }
    let register = this.#globals.get(name);
    if (register === undefined) {
      register = this.flow.register();
      this.#globals.set(name, register);
      this.flow.code.allocations.push({ step: stepCount(this.flow.code), register, kind: "external", name });
    }
    return register;
  }

  thisOperand(): Operand {
    return bindingOperand(this.receiver.binding());
  }

  argumentsOperand(): Operand {
    const { code } = this.flow;
    if (code.argumentsObject === NONE) {
      code.argumentsObject = this.flow.register();
      code.allocations.push({ step: stepCount(code), register: code.argumentsObject, kind: "arguments" });
    }
    return code.argumentsObject;
  }

  /** What `super` stands for in `super.name`. */
  superOperand(where: Extent): Operand {
    const { superclass, isStatic } = this.receiver;
    if (superclass === undefined) return NONE;
    const operand = bindingOperand(superclass);
    return isStatic ? operand : this.flow.load(operand, this.name("prototype"), where);
  }

  superCall(args: readonly Operand[], spread: number, where: Extent): Operand {
    const { superclass, fields } = this.receiver;
    const receiver = this.thisOperand();
    const callee = superclass === undefined ? NONE : bindingOperand(superclass);
    this.flow.call({ ...bare("super"), callee, receiver, args, spread, name: "super" }, where);
    const code = fields?.();
    if (code !== undefined) this.callFields(code, where);
    return receiver;
  }

  /** Runs the instance fields of a class on `this`. */
  callFields(fields: Code, where: Extent): void {
    const callee = this.flow.register();
    this.flow.code.allocations.push({
      step: stepCount(this.flow.code),
      register: callee,
      kind: "function",
      code: fields,
    });
    const call: Omit<CallCode, "result"> = { ...bare("call"), callee, receiver: this.thisOperand() };
    this.flow.call({ ...call, name: fields.name }, where);
  }

  /** From here on, source that is not known may use all names in scope. */
  becomeDynamic(): void {
    for (let code: Code | undefined = this.flow.code; code !== undefined; code = code.parent)
      code.isDynamic = true;
  }

  suspend(where: Extent, awaited: Operand = NONE): void {
    this.flow.step(Step.await, awaited, NONE, NONE, where);
    this.flow.mayThrow();
  }

  /** The name of a property, or undefined where it is computed. */
  propertyKey(key: TSESTree.Node, computed: boolean): string | undefined {
    if (key.type === "PrivateIdentifier") return `#${key.name}`;
    if (!computed && key.type === "Identifier") return key.name;
    if (key.type === "Literal") return String(key.value);
    if (key.type === "TemplateLiteral" && key.expressions.length === 0)
      return key.quasis[0].value.cooked ?? undefined;
    if (key.type === "SequenceExpression")
      return this.propertyKey(key.expressions[key.expressions.length - 1], computed);
    if (
      key.type === "MemberExpression" &&
      !key.computed &&
      key.object.type === "Identifier" &&
      key.object.name === "Symbol" &&
      key.property.type === "Identifier"
    ) {
      return `@@${key.property.name}`;
    }
    return undefined;
  }

  /** What a module makes known once a name of it has its value. */
  afterWrite(binding: Binding, value: Operand, where: Extent): void {
    this.module.afterWrite?.(this, binding, value, where);
  }

  functionValue(node: FunctionNode, name = node.id?.name ?? "", kind: CodeKind = "function"): Operand {
    const register = this.flow.register();
    const { code } = this.declareFunction(node, name, kind);
    this.flow.code.allocations.push({ step: stepCount(this.flow.code), register, kind: "function", code });
    return register;
  }

  /** Plans a function of this code; its body is lowered later. */
  declareFunction(
    node: FunctionNode,
    name: string,
    kind: CodeKind,
    member?: {
      readonly superclass: Binding | undefined;
      readonly isStatic: boolean;
      readonly fields?: () => Code | undefined;
    },
  ): { readonly code: Code } {
    const known = this.module.codeOfNode.get(node);
    if (known !== undefined) return { code: known };
    const isArrow = node.type === "ArrowFunctionExpression";
    const code = this.module.createCode({
      name,
      kind,
      parent: this.flow.code,
      range: node.range,
      isAsync: node.async,
      isGenerator: node.generator,
      isArrow,
    });
    this.module.codeOfNode.set(node, code);
    const receiver = isArrow
      ? this.receiver
      : receiverOf(this.module, code, member?.superclass, member?.isStatic ?? false, member?.fields);
    this.module.pending.push(() => {
      const inner = new FunctionLowering(code, this.module, receiver);
      inner.#body(node, kind === "constructor" ? member : undefined);
    });
    return { code };
  }

  /** Plans code that has no function of its own in the source: field initializers, constructors that are not written. */
  declareCode(
    name: string,
    kind: CodeKind,
    where: Extent,
    member: { readonly superclass: Binding | undefined; readonly isStatic: boolean },
    body: (inner: FunctionLowering) => void,
  ): Code {
    const { range } = where;
    const code = this.module.createCode({
      name,
      kind,
      parent: this.flow.code,
      range,
      isAsync: false,
      isGenerator: false,
      isArrow: false,
    });
    const receiver = receiverOf(this.module, code, member.superclass, member.isStatic, undefined);
    this.module.pending.push(() => {
      const inner = new FunctionLowering(code, this.module, receiver);
      body(inner);
      inner.flow.returnTo();
    });
    return code;
  }

  #body(
    node: FunctionNode,
    constructed:
      | { readonly superclass: Binding | undefined; readonly fields?: () => Code | undefined }
      | undefined,
  ): void {
    const { flow } = this;
    const { code } = flow;
    const scopes = this.scopes.scopesOf(node);
    const isSimple = node.params.every((parameter) => parameter.type === "Identifier");
    code.result = flow.register();
    for (const scope of scopes) {
      if ((scope.type as string) === "function-expression-name") this.#ownName(scope, code, node);
      else this.enterScope(scope, node, isSimple);
    }
    if (constructed !== undefined && constructed.superclass === undefined) {
      const fields = constructed.fields?.();
      if (fields !== undefined) this.callFields(fields, { range: [node.range[0], node.range[0]] });
    }
    const last = node.params[node.params.length - 1];
    code.rest = last?.type === "RestElement";
    code.parameters = node.params.map((parameter) => this.#parameterOperand(parameter));
    if (isSimple) for (const operand of code.parameters) this.#takeSimple(operand, node);
    else {
      for (const [i, parameter] of node.params.entries())
        this.bindPattern(parameter, code.parameters[i], "initialize");
    }
    for (const parameter of node.params) {
      if (parameter.type !== "TSParameterProperty") continue;
      const { parameter: inner } = parameter;
      const target = inner.type === "AssignmentPattern" ? inner.left : inner;
      if (target.type !== "Identifier") continue;
      const binding = this.scopes.of(target);
      if (binding !== undefined)
        flow.store(this.thisOperand(), bindingOperand(binding), this.name(target.name), parameter);
    }
    for (const scope of scopes) this.hoistFunctions(scope);
    if (node.body === null || node.body === undefined) flow.returnTo();
    else if (node.body.type === "BlockStatement") {
      this.statements(node.body.body);
      flow.returnTo();
    } else {
      flow.flow(code.result, this.expression(node.body), node.body);
      flow.returnTo();
    }
  }

  #parameterOperand(parameter: TSESTree.Parameter): Operand {
    if (parameter.type === "Identifier") {
      const binding = this.scopes.of(parameter);
      return binding === undefined || binding.deadZone ? this.flow.register() : bindingOperand(binding);
    }
    return this.flow.register();
  }

  #takeSimple(operand: Operand, node: FunctionNode): void {
    if (operand < NONE)
      this.flow.step(Step.write, operand, NONE, NONE, { range: [node.range[0], node.range[0]] });
  }

  /** A function expression's own name, which only it sees. */
  #ownName(scope: Scope, code: Code, node: FunctionNode): void {
    for (const variable of scope.variables) {
      const binding = this.scopes.ofVariable(variable);
      if (binding === undefined) continue;
      this.module.bindings.own(binding, code);
      const register = this.flow.register();
      code.allocations.push({ step: stepCount(code), register, kind: "function", code });
      this.flow.write(binding, register, { range: [node.range[0], node.range[0]] });
    }
  }

  /** Creates a scope's bindings. Lexical ones begin uninitialized; parameters do where they have defaults or patterns. */
  enterScope(scope: Scope, where: TSESTree.Node, simpleParameters = true): void {
    const at: Extent = { range: [where.range[0], where.range[0]] };
    for (const variable of scope.variables) {
      const binding = this.scopes.ofVariable(variable);
      if (binding === undefined || binding.kind === "import") continue;
      const isNew = binding.owner === undefined;
      this.module.bindings.own(binding, this.flow.code);
      if (isNew && binding.kind === "parameter") binding.deadZone = !simpleParameters;
      if (binding.owner === this.flow.code) this.flow.declare(binding, at);
    }
  }

  /** Gives functions declared in a scope their values, as entering the scope does. */
  hoistFunctions(scope: Scope): void {
    for (const variable of scope.variables) {
      for (const definition of variable.defs) {
        const node = definition.node as TSESTree.Node;
        if ((definition.type as string) !== "FunctionName" || node.type !== "FunctionDeclaration") continue;
        const binding = this.scopes.ofVariable(variable);
        if (binding === undefined) continue;
        const value = this.functionValue(node);
        this.flow.write(binding, value, { range: [node.range[0], node.range[0]] });
      }
    }
  }

  /** Opens the scopes of a block, in which lexical declarations live. */
  enterBlock(node: TSESTree.Node): void {
    for (const scope of this.scopes.scopesOf(node)) {
      this.enterScope(scope, node);
      this.hoistFunctions(scope);
    }
  }

  /** Statements of a block, with what `using` declarations leave to be disposed of. */
  statements(nodes: readonly TSESTree.Node[]): void {
    const using = nodes.findIndex(
      (node) => node.type === "VariableDeclaration" && /using$/.test(node.kind as string),
    );
    if (using < 0) {
      for (const node of nodes) this.statement(node);
      return;
    }
    for (const node of nodes.slice(0, using + 1)) this.statement(node);
    const declaration = nodes[using] as TSESTree.VariableDeclaration;
    this.flow.guard(
      () => this.statements(nodes.slice(using + 1)),
      () => this.#dispose(declaration),
      declaration,
    );
  }

  #dispose(declaration: TSESTree.VariableDeclaration): void {
    const isAwait = declaration.kind === "await using";
    for (const { id } of [...declaration.declarations].reverse()) {
      const binding = this.scopes.of(id);
      if (binding === undefined) continue;
      const receiver = bindingOperand(binding);
      const end: Extent = { range: [declaration.range[1], declaration.range[1]] };
      const callee = this.flow.load(receiver, this.name(isAwait ? "@@asyncDispose" : "@@dispose"), end);
      this.flow.call({ ...bare("call"), callee, receiver, name: ".[Symbol.dispose]" }, end);
      if (isAwait) this.suspend(end);
    }
  }
}

export function receiverOf(
  module: ModuleContext,
  code: Code,
  superclass: Binding | undefined,
  isStatic: boolean,
  fields: (() => Code | undefined) | undefined,
): Receiver {
  let made: Binding | undefined;
  return {
    binding: () => {
      if (made === undefined) {
        made = module.bindings.hidden("this", code);
        code.receiver = bindingOperand(made);
      }
      return made;
    },
    superclass,
    isStatic,
    fields,
  };
}
