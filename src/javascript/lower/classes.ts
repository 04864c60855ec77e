/**
 * Classes, in the order in which their parts are evaluated (ECMAScript 2026, section 15.7.14): heritage, computed keys and
 * decorators, then the name inside the class, static fields and blocks, and last the name outside. Instance fields are code
 * of their own, which constructors run. TypeScript's older decorators are evaluated after all of that.
 */

import type { TSESTree } from "@typescript-eslint/types";
import {
  ANY_NAME,
  type Binding,
  bindingOperand,
  type ClassShape,
  type Code,
  type Member,
  NONE,
  type Operand,
  stepCount,
} from "./code.js";
import { bare, coerce } from "./expressions.js";
import type { Extent } from "./flow-builder.js";
import type { FunctionLowering } from "./function-lowering.js";

type ClassNode = TSESTree.ClassDeclaration | TSESTree.ClassExpression;
type Field = TSESTree.PropertyDefinition | TSESTree.AccessorProperty;

const isField = (element: TSESTree.ClassElement): element is Field =>
  element.type === "PropertyDefinition" || element.type === "AccessorProperty";

/** The class; a declaration's name is initialized on the way. */
export function lowerClass(
  f: FunctionLowering,
  node: ClassNode,
  declared: Binding | undefined,
  name: string,
): Operand {
  const { flow } = f;
  const { bindings, settings } = f.module;
  const isLegacy = settings.experimentalDecorators;
  const value = flow.register();
  const classDecorators = isLegacy ? [] : decoratorValues(f, node.decorators);

  let innerName: Binding | undefined;
  for (const scope of f.scopes.scopesOf(node)) {
    f.enterScope(scope, node);
    innerName ??= node.id == null ? undefined : f.scopes.get(node.id.name, scope);
  }

  let superclass: Binding | undefined;
  if (node.superClass) {
    const parent = f.expression(node.superClass);
    superclass = bindings.hidden("super", flow.code);
    flow.write(superclass, parent, node.superClass);
  }

  let fields: Code | undefined;
  const members: Member[] = [];
  const fieldNames: number[] = [];
  const applied: { readonly decorators: Operand[]; readonly where: TSESTree.Node }[] = [];
  let constructorCode: Code | undefined;
  const keyOf = (element: TSESTree.MethodDefinition | Field) => {
    const key = f.propertyKey(element.key, element.computed);
    return key === undefined ? ANY_NAME : f.name(key);
  };

  for (const element of node.body.body) {
    if (!("key" in element) || isTypeOnly(element)) continue;
    if (!isLegacy) {
      const decorators = decoratorValues(f, element.decorators);
      if (0 < decorators.length) applied.push({ decorators, where: element });
    }
    if (element.computed) coerce(f, f.expression(element.key), element.key);
    if (isField(element)) {
      if (!element.static) fieldNames.push(keyOf(element));
      continue;
    }
    if (element.type !== "MethodDefinition") continue;
    const isStatic = element.static;
    const isConstructor = element.kind === "constructor";
    const { code } = f.declareFunction(
      element.value as TSESTree.FunctionExpression,
      isConstructor ? name : (f.propertyKey(element.key, element.computed) ?? ""),
      isConstructor ? "constructor" : "method",
      { superclass, isStatic, ...(isConstructor ? { fields: () => fields } : {}) },
    );
    if (element.kind === "constructor") constructorCode = code;
    else members.push({ name: keyOf(element), kind: element.kind, isStatic, code });
  }

  const instanceFields = node.body.body.filter(
    (element): element is Field => isField(element) && !element.static && !isTypeOnly(element),
  );
  if (instanceFields.some(({ value: initial }) => initial !== null && initial !== undefined)) {
    fields = f.declareCode(`fields of ${name}`, "fields", node, { superclass, isStatic: false }, (inner) => {
      for (const field of instanceFields) {
        const initial = field.value ? inner.expression(field.value) : NONE;
        inner.flow.store(inner.thisOperand(), initial, keyOf(field), field);
      }
    });
  }
  constructorCode ??= impliedConstructor(f, node, name, superclass, fields);
  const shape: ClassShape = {
    name,
    superclass: superclass === undefined ? NONE : bindingOperand(superclass),
    constructorCode,
    fields,
    members,
    fieldNames,
  };
  flow.code.allocations.push({
    step: stepCount(flow.code),
    register: value,
    kind: "class",
    code: constructorCode,
    shape,
  });

  for (const { decorators, where } of applied) applyDecorators(f, decorators, [], where);
  if (!isLegacy) applyDecorators(f, classDecorators, [value], node);
  if (innerName !== undefined) flow.write(innerName, value, node.id ?? node);
  staticElements(f, node, value, superclass, keyOf);
  if (declared !== undefined) {
    flow.write(declared, value, node.id ?? node);
    f.afterWrite(declared, value, node.id ?? node);
  }
  if (isLegacy) legacyDecorators(f, node, value);
  return value;
}

function isTypeOnly(element: TSESTree.ClassElement): boolean {
  if (element.type.startsWith("TSAbstract") || element.type === "TSIndexSignature") return true;
  if ("declare" in element && element.declare) return true;
  return (
    element.type === "MethodDefinition" && (element.value.type as string) === "TSEmptyBodyFunctionExpression"
  );
}

function impliedConstructor(
  f: FunctionLowering,
  node: ClassNode,
  name: string,
  superclass: Binding | undefined,
  fields: Code | undefined,
): Code {
  const at: Extent = { range: [node.range[0], node.range[0]] };
  return f.declareCode(name, "constructor", at, { superclass, isStatic: false }, (inner) => {
    if (superclass !== undefined) {
      const all = inner.flow.register();
      inner.flow.code.parameters = [all];
      inner.flow.code.rest = true;
      const rest = inner.flow.call({ ...bare("iterate"), receiver: all }, at);
      inner.superCall([rest], 0, at);
    }
    if (fields !== undefined) inner.callFields(fields, at);
  });
}

function staticElements(
  f: FunctionLowering,
  node: ClassNode,
  value: Operand,
  superclass: Binding | undefined,
  keyOf: (element: Field) => number,
): void {
  const { flow } = f;
  const outer = f.receiver;
  let self: Binding | undefined;
  f.receiver = {
    binding: () => {
      if (self === undefined) {
        self = f.module.bindings.hidden("this", flow.code);
        flow.write(self, value, node);
      }
      return self;
    },
    superclass,
    isStatic: true,
    fields: undefined,
  };
  for (const element of node.body.body) {
    if (element.type === "StaticBlock") {
      f.enterBlock(element);
      f.statements(element.body);
    } else if (isField(element) && element.static && !isTypeOnly(element)) {
      const initial = element.value ? f.expression(element.value) : NONE;
      flow.store(value, initial, keyOf(element), element);
    }
  }
  f.receiver = outer;
}

function decoratorValues(
  f: FunctionLowering,
  decorators: readonly TSESTree.Decorator[] | undefined,
): Operand[] {
  return (decorators ?? []).map(({ expression }) => f.expression(expression));
}

/** Calls decorators, the last one first. */
function applyDecorators(
  f: FunctionLowering,
  decorators: readonly Operand[],
  args: readonly Operand[],
  where: TSESTree.Node,
): void {
  for (const callee of [...decorators].reverse())
    f.flow.call({ ...bare("decorate"), callee, args: [...args], name: "decorator" }, where);
}

function legacyDecorators(f: FunctionLowering, node: ClassNode, value: Operand): void {
  const readsTypes = f.module.settings.emitDecoratorMetadata;
  for (const element of node.body.body) {
    if (!isField(element) && element.type !== "MethodDefinition") continue;
    if (isTypeOnly(element) && !isField(element)) continue;
    const parameters =
      element.type === "MethodDefinition" && element.kind !== "constructor" ? element.value.params : [];
    const decorators = [
      ...decoratorValues(f, element.decorators),
      ...parameters.flatMap((parameter) => decoratorValues(f, parameterDecorators(parameter))),
    ];
    if (decorators.length === 0) continue;
    if (readsTypes) {
      if (isField(element)) readType(f, element.typeAnnotation);
      for (const parameter of parameters) readType(f, annotationOf(parameter));
      if (element.type === "MethodDefinition") readType(f, element.value.returnType);
    }
    applyDecorators(f, decorators, [value], element);
  }
  const constructor_ = node.body.body.find(
    (element) =>
      element.type === "MethodDefinition" && element.kind === "constructor" && !isTypeOnly(element),
  ) as TSESTree.MethodDefinition | undefined;
  const parameters = constructor_?.value.params ?? [];
  const decorators = [
    ...decoratorValues(f, node.decorators),
    ...parameters.flatMap((parameter) => decoratorValues(f, parameterDecorators(parameter))),
  ];
  if (decorators.length === 0) return;
  if (readsTypes) for (const parameter of parameters) readType(f, annotationOf(parameter));
  applyDecorators(f, decorators, [value], node);
}

function parameterDecorators(parameter: TSESTree.Parameter): readonly TSESTree.Decorator[] {
  return (parameter as { decorators?: TSESTree.Decorator[] }).decorators ?? [];
}

function annotationOf(parameter: TSESTree.Parameter): TSESTree.TSTypeAnnotation | undefined {
  let inner: TSESTree.Node = parameter;
  if (inner.type === "TSParameterProperty") inner = inner.parameter;
  if (inner.type === "AssignmentPattern") inner = inner.left;
  return (inner as { typeAnnotation?: TSESTree.TSTypeAnnotation }).typeAnnotation;
}

/** What `emitDecoratorMetadata` makes of a type: a class or an enum is read, everything else is a global. */
function readType(f: FunctionLowering, annotation: TSESTree.TSTypeAnnotation | undefined): void {
  let type: TSESTree.TypeNode | undefined = annotation?.typeAnnotation;
  if (type?.type === "TSUnionType") {
    const kept = type.types.filter(
      ({ type: kind }) =>
        kind !== "TSNullKeyword" && kind !== "TSUndefinedKeyword" && kind !== "TSNeverKeyword",
    );
    type = kept.length === 1 ? kept[0] : undefined;
  }
  if (type?.type !== "TSTypeReference") return;
  let { typeName } = type;
  while (typeName.type === "TSQualifiedName") typeName = typeName.left;
  if (typeName.type !== "Identifier") return;
  const binding = f.scopes.of(typeName);
  if (binding !== undefined) f.readBinding(binding, typeName);
}
