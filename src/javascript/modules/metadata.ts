/**
 * Which names `emitDecoratorMetadata` reads: it turns the type annotations of decorated members into values, and a name of
 * a class becomes a read of that class. Follows the compiler's serialization of types (`typeSerializer.ts`), as far as it
 * goes without knowing what the names stand for.
 */

import type { TSESTree } from "@typescript-eslint/types";
import type { CompilerSettings } from "./source.js";

/** First identifiers of the names that a class's metadata reads, in the order in which it reads them. */
export function readsOfMetadata(
  node: TSESTree.ClassDeclaration | TSESTree.ClassExpression,
  settings: CompilerSettings,
): TSESTree.Identifier[] {
  const reads: TSESTree.Identifier[] = [];
  const add = (annotation: TSESTree.TSTypeAnnotation | undefined): void => {
    const read = annotation && serialize(annotation.typeAnnotation, settings).read;
    if (read) reads.push(read);
  };
  const addParameters = (parameters: readonly TSESTree.Parameter[]): void => {
    for (const parameter of parameters) {
      const pattern = bare(parameter);
      const annotation = annotationOf(parameter);
      if (pattern.type !== "RestElement") add(annotation);
      else if (annotation) {
        const element = elementOf(annotation.typeAnnotation);
        const read = element && serialize(element, settings).read;
        if (read) reads.push(read);
      }
    }
  };
  for (const member of node.body.body) {
    if (member.type === "PropertyDefinition" || member.type === "AccessorProperty") {
      if (0 < member.decorators.length) add(member.typeAnnotation);
    } else if (member.type === "MethodDefinition" && member.value.type === "FunctionExpression") {
      const { params, returnType } = member.value;
      const decorated = 0 < member.decorators.length || params.some(isDecorated);
      if (member.kind === "constructor" || !decorated) continue;
      if (member.kind === "get") add(returnType);
      else {
        // Of an accessor: the type is that of the setter's parameter.
        if (member.kind === "set") add(params[0] && annotationOf(params[0]));
        addParameters(params);
        if (member.kind === "method") add(returnType);
      }
    }
  }
  const maker = node.body.body.find(
    (member) =>
      member.type === "MethodDefinition" &&
      member.kind === "constructor" &&
      member.value.type === "FunctionExpression",
  ) as TSESTree.MethodDefinition | undefined;
  if (maker && (0 < node.decorators.length || maker.value.params.some(isDecorated))) {
    addParameters(maker.value.params);
  }
  return reads;
}

/** A parameter without its default and accessibility. */
function bare(parameter: TSESTree.Parameter): TSESTree.Node {
  const inner = parameter.type === "TSParameterProperty" ? parameter.parameter : parameter;
  return inner.type === "AssignmentPattern" ? inner.left : inner;
}

function annotationOf(parameter: TSESTree.Parameter): TSESTree.TSTypeAnnotation | undefined {
  const pattern = bare(parameter) as { typeAnnotation?: TSESTree.TSTypeAnnotation };
  return pattern.typeAnnotation ?? undefined;
}

function isDecorated(parameter: TSESTree.Parameter): boolean {
  const inner = parameter.type === "TSParameterProperty" ? parameter.parameter : parameter;
  const lists = [parameter, inner, bare(parameter)] as { decorators?: readonly TSESTree.Decorator[] }[];
  return lists.some(({ decorators }) => decorators !== undefined && 0 < decorators.length);
}

/** The type of the elements of an array type, for rest parameters. */
function elementOf(type: TSESTree.TypeNode): TSESTree.TypeNode | undefined {
  if (type.type === "TSArrayType") return type.elementType;
  if (type.type === "TSTypeReference") return type.typeArguments?.params[0];
  return undefined;
}

/** What a type becomes: the text of the expression, and the name in it if it reads one. */
interface Serialized {
  readonly text: string;
  readonly read?: TSESTree.Identifier;
}

const OBJECT: Serialized = { text: "Object" };
const NOTHING: Serialized = { text: "void 0" };

/** Nesting of types beyond which they count as `Object`. */
const DEPTH = 200;

function serialize(type: TSESTree.TypeNode, settings: CompilerSettings, depth = 0): Serialized {
  if (DEPTH < depth) return OBJECT;
  switch (type.type) {
    case "TSVoidKeyword":
    case "TSUndefinedKeyword":
    case "TSNeverKeyword":
    case "TSNullKeyword":
      return NOTHING;
    case "TSFunctionType":
    case "TSConstructorType":
      return { text: "Function" };
    case "TSArrayType":
    case "TSTupleType":
      return { text: "Array" };
    case "TSTypePredicate":
      return type.asserts ? NOTHING : { text: "Boolean" };
    case "TSBooleanKeyword":
      return { text: "Boolean" };
    case "TSTemplateLiteralType":
    case "TSStringKeyword":
      return { text: "String" };
    case "TSNumberKeyword":
      return { text: "Number" };
    case "TSBigIntKeyword":
      return { text: "BigInt" };
    case "TSSymbolKeyword":
      return { text: "Symbol" };
    case "TSLiteralType":
      return ofLiteral(type.literal);
    case "TSTypeReference":
      return ofName(type.typeName);
    case "TSIntersectionType":
      return ofConstituents(type.types, true, settings, depth);
    case "TSUnionType":
      return ofConstituents(type.types, false, settings, depth);
    case "TSConditionalType":
      return ofConstituents([type.trueType, type.falseType], false, settings, depth);
    case "TSTypeOperator":
      return type.operator === "readonly" && type.typeAnnotation
        ? serialize(type.typeAnnotation, settings, depth + 1)
        : OBJECT;
    default:
      return OBJECT;
  }
}

function ofLiteral(literal: TSESTree.TSLiteralType["literal"]): Serialized {
  if (literal.type === "TemplateLiteral") return { text: "String" };
  if (literal.type === "UnaryExpression") return { text: "Number" };
  if (literal.type !== "Literal") return OBJECT;
  if (literal.value === null) return "bigint" in literal ? { text: "BigInt" } : NOTHING;
  const kind = typeof literal.value;
  return { text: kind === "bigint" ? "BigInt" : kind[0].toUpperCase() + kind.slice(1) };
}

function ofName(name: TSESTree.EntityName): Serialized {
  const parts: string[] = [];
  let root: TSESTree.Node = name;
  while (root.type === "TSQualifiedName") {
    parts.push(root.right.name);
    root = root.left;
  }
  if (root.type !== "Identifier") return OBJECT;
  return { text: `name ${[...parts, root.name].join(" ")}`, read: root };
}

/** The one thing that all constituents become, or `Object`. */
function ofConstituents(
  types: readonly TSESTree.TypeNode[],
  intersection: boolean,
  settings: CompilerSettings,
  depth: number,
): Serialized {
  let common: Serialized | undefined;
  for (const type of types) {
    if (type.type === "TSNeverKeyword") {
      if (intersection) return NOTHING;
      continue;
    }
    if (type.type === "TSUnknownKeyword") {
      if (!intersection) return OBJECT;
      continue;
    }
    if (type.type === "TSAnyKeyword") return OBJECT;
    if (!settings.strictNullChecks && (type.type === "TSNullKeyword" || type.type === "TSUndefinedKeyword")) {
      continue;
    }
    const one = serialize(type, settings, depth + 1);
    if (one.text === "Object") return one;
    if (common && common.text !== one.text) return OBJECT;
    common ??= one;
  }
  return common ?? NOTHING;
}
