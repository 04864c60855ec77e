/**
 * What one walk over a syntax tree tells of a module: what it asks for, imports and exports, and which names it uses as
 * values. Types are not entered, nor anything else that TypeScript erases. Linear in the tree, without recursion.
 */

import type { TSESTree } from "@typescript-eslint/types";
import { visitorKeys } from "@typescript-eslint/visitor-keys";
import { readsOfMetadata } from "./metadata.js";
import type { CompilerSettings, ExportEntry, ImportEntry, ModuleRequest, RequestNode } from "./source.js";

export interface Survey {
  readonly requests: ModuleRequest[];
  readonly imports: ImportEntry[];
  readonly exports: ExportEntry[];
  readonly stars: ModuleRequest[];
  readonly topLevelAwait: boolean;
  /** It has `import` or `export` statements, `import.meta`, or awaits outside of functions. */
  readonly esmSyntax: boolean;
  readonly uses: Uses;
}

/** Where a module written in TypeScript uses names. */
export interface Uses {
  /** Identifiers outside of what is erased, `exported` aside; among them such as are no references. */
  readonly values: Set<TSESTree.Node>;
  /** Identifiers that `export { x }`, `export default x` and `export = x` name. */
  readonly exported: Set<TSESTree.Node>;
  readonly metadata: Set<TSESTree.Identifier>;
  /** `import a = N.b`: the identifier of N, and the declaration. */
  readonly aliases: Map<TSESTree.Node, TSESTree.TSImportEqualsDeclaration>;
  readonly element: boolean;
  readonly fragment: boolean;
}

/** Whether a callee is the `require` of CommonJS. */
export type IsRequire = (callee: TSESTree.Node) => boolean;

/**
 * The survey of a module. `typescript`: its types are erased; names that it uses are collected then alone.
 */
export function survey(
  ast: TSESTree.Program,
  typescript: boolean,
  settings: CompilerSettings,
  isRequire: IsRequire,
): Survey {
  const requests: ModuleRequest[] = [];
  const imports: ImportEntry[] = [];
  const exports: ExportEntry[] = [];
  const stars: ModuleRequest[] = [];
  const uses = {
    values: new Set<TSESTree.Node>(),
    exported: new Set<TSESTree.Node>(),
    metadata: new Set<TSESTree.Identifier>(),
    aliases: new Map<TSESTree.Node, TSESTree.TSImportEqualsDeclaration>(),
    element: false,
    fragment: false,
  };
  const readsMetadata = typescript && settings.experimentalDecorators && settings.emitDecoratorMetadata;
  let statements = false;
  let meta = false;
  let topLevelAwait = false;
  let body: Body = { returned: false, outer: undefined };

  const request = (
    specifier: string,
    kind: ModuleRequest["kind"],
    node: RequestNode,
    elided: boolean,
    context = 0,
  ): ModuleRequest => {
    const occurs =
      (context & LATER) !== 0
        ? "later"
        : (context & SOMETIMES) !== 0 || mayHaveLeft(body)
          ? "sometimes"
          : "always";
    const made: ModuleRequest = { specifier, kind, node, occurs, resolved: undefined, elided };
    requests.push(made);
    return made;
  };

  const declareImport = (node: TSESTree.ImportDeclaration): void => {
    const from = request(node.source.value, "static", node, node.importKind === "type");
    for (const specifier of node.specifiers) {
      const typeOnly =
        node.importKind === "type" ||
        (specifier.type === "ImportSpecifier" && specifier.importKind === "type");
      const imported =
        specifier.type === "ImportDefaultSpecifier"
          ? "default"
          : specifier.type === "ImportNamespaceSpecifier"
            ? "*"
            : nameOf(specifier.imported);
      imports.push({
        local: specifier.local.name,
        imported,
        request: from,
        node: specifier,
        use: typeOnly ? "none" : "value",
        elided: typeOnly,
      });
    }
  };

  const declareExport = (node: TSESTree.ExportNamedDeclaration): void => {
    const typeOnly = node.exportKind === "type";
    const from = node.source ? request(node.source.value, "reexport", node, typeOnly) : undefined;
    for (const specifier of node.specifiers) {
      const elided = typeOnly || specifier.exportKind === "type";
      const name = nameOf(specifier.local);
      if (from === undefined && !elided) uses.exported.add(specifier.local);
      exports.push({
        exported: nameOf(specifier.exported),
        local: from === undefined ? name : undefined,
        request: from,
        imported: from === undefined ? undefined : name,
        node: specifier,
        elided,
      });
    }
    if (node.declaration) {
      const elided = isErased(node.declaration, settings);
      for (const { name } of declaredNames(node.declaration)) {
        exports.push({ exported: name, local: name, request: undefined, imported: undefined, node, elided });
      }
    }
  };

  const statement = (node: TSESTree.ProgramStatement): void => {
    switch (node.type) {
      case "ImportDeclaration":
        statements = true;
        declareImport(node);
        return;
      case "ExportNamedDeclaration":
        statements = true;
        declareExport(node);
        if (node.declaration) walk(node.declaration);
        return;
      case "ExportAllDeclaration": {
        statements = true;
        const from = request(node.source.value, "reexport", node, node.exportKind === "type");
        if (node.exported === null) stars.push(from);
        else {
          exports.push({
            exported: nameOf(node.exported),
            local: undefined,
            request: from,
            imported: "*",
            node,
            elided: node.exportKind === "type",
          });
        }
        return;
      }
      case "ExportDefaultDeclaration": {
        statements = true;
        const { declaration } = node;
        const named =
          "id" in declaration && declaration.id?.type === "Identifier" && isDeclaration(declaration);
        exports.push({
          exported: "default",
          local: named ? (declaration.id as TSESTree.Identifier).name : "*default*",
          request: undefined,
          imported: undefined,
          node,
          elided: isErased(declaration, settings),
        });
        if (declaration.type === "Identifier") uses.exported.add(declaration);
        else walk(declaration);
        return;
      }
      case "TSExportAssignment": {
        statements = true;
        const { expression } = node;
        exports.push({
          exported: "=",
          local: expression.type === "Identifier" ? expression.name : "*=",
          request: undefined,
          imported: undefined,
          node,
          elided: false,
        });
        if (expression.type === "Identifier") uses.exported.add(expression);
        else walk(expression);
        return;
      }
      case "TSImportEqualsDeclaration":
        importEquals(node);
        return;
      default:
        walk(node);
    }
  };

  const importEquals = (node: TSESTree.TSImportEqualsDeclaration): void => {
    const { moduleReference } = node;
    if (moduleReference.type === "TSExternalModuleReference") {
      statements = true;
      const { expression } = moduleReference;
      if (expression.type !== "Literal" || typeof expression.value !== "string") return;
      const typeOnly = node.importKind === "type";
      imports.push({
        local: node.id.name,
        imported: "=",
        request: request(expression.value, "import-equals", node, typeOnly),
        node,
        use: typeOnly ? "none" : "value",
        elided: typeOnly,
      });
      return;
    }
    let root: TSESTree.Node = moduleReference;
    while (root.type === "TSQualifiedName") root = root.left;
    uses.aliases.set(root, node);
  };

  /** Everything below a node that is not erased, in the order of the source. */
  const walk = (root: TSESTree.Node): void => {
    const nodes: TSESTree.Node[] = [root];
    const contexts: number[] = [0];
    const bodies: Body[] = [body];
    while (0 < nodes.length) {
      const node = nodes.pop()!;
      let context = contexts.pop()!;
      body = bodies.pop()!;
      if (isErased(node, settings)) {
        // The compiler drops the member and keeps the import that its computed name uses.
        if (typescript && "computed" in node && node.computed && "key" in node) {
          let key = node.key as TSESTree.Node;
          while (key.type === "MemberExpression") key = key.object;
          uses.values.add(key);
        }
        continue;
      }
      switch (node.type) {
        case "Identifier":
        case "JSXIdentifier":
          if (typescript) uses.values.add(node);
          // A parameter's annotation and decorators are children of its identifier.
          if (node.type === "JSXIdentifier" || (node.decorators?.length ?? 0) === 0) continue;
          break;
        case "JSXOpeningElement":
          uses.element = true;
          break;
        case "JSXFragment":
          uses.element = true;
          uses.fragment = true;
          break;
        case "AwaitExpression":
          topLevelAwait ||= (context & INSIDE) === 0;
          break;
        case "ForOfStatement":
          topLevelAwait ||= node.await && (context & INSIDE) === 0;
          break;
        case "VariableDeclaration":
          topLevelAwait ||= node.kind === "await using" && (context & INSIDE) === 0;
          break;
        case "MetaProperty":
          meta ||= node.meta.name === "import";
          continue;
        case "ReturnStatement":
          body.returned = true;
          break;
        case "CallExpression": {
          const [argument] = node.arguments;
          const { callee } = node;
          const specifier = argument && textOf(argument);
          if (specifier !== undefined && isRequire(callee)) {
            request(specifier, "require", node, false, context);
          }
          break;
        }
        case "ImportExpression": {
          const specifier = textOf(node.source);
          if (specifier !== undefined) request(specifier, "dynamic", node, false, context);
          break;
        }
        case "TSImportEqualsDeclaration":
          importEquals(node);
          continue;
        case "ExportNamedDeclaration":
          // Inside a namespace.
          for (const { local } of node.specifiers) uses.values.add(local);
          break;
        case "ClassDeclaration":
        case "ClassExpression":
          if (readsMetadata) {
            for (const read of readsOfMetadata(node, settings)) uses.metadata.add(read);
          }
          break;
      }
      const atOnce = (context & AT_ONCE) !== 0;
      context &= ~AT_ONCE;
      if (isFunction(node)) body = { returned: false, outer: body };
      if (isFunction(node)) context |= atOnce && !node.async && !node.generator ? INSIDE : INSIDE | LATER;
      const keys = visitorKeys[node.type] ?? [];
      for (let k = keys.length - 1; 0 <= k; k--) {
        const key = keys[k];
        const child = (node as unknown as Record<string, unknown>)[key];
        if (child === null || child === undefined) continue;
        const below = context | contextOf(node, key);
        if (Array.isArray(child)) {
          for (let i = child.length - 1; 0 <= i; i--) {
            if (child[i]) {
              nodes.push(child[i]);
              contexts.push(below);
              bodies.push(body);
            }
          }
        } else {
          nodes.push(child as TSESTree.Node);
          contexts.push(callsAtOnce(node, key, atOnce) ? below | AT_ONCE : below);
          bodies.push(body);
        }
      }
    }
  };

  const whole = body;
  for (const node of ast.body) {
    body = whole;
    statement(node);
  }
  const automatic = settings.jsx === "react-jsx" || settings.jsx === "react-jsxdev";
  if (uses.element && automatic) {
    const runtime = settings.jsx === "react-jsx" ? "jsx-runtime" : "jsx-dev-runtime";
    body = { returned: false, outer: undefined };
    request(`${settings.jsxImportSource}/${runtime}`, "jsx", ast, false);
    requests.unshift(requests.pop()!);
  }
  return {
    requests,
    imports,
    exports,
    stars,
    topLevelAwait,
    esmSyntax: statements || meta || topLevelAwait,
    uses,
  };
}

/** On some paths only; in a function that is called when it is; inside any function; a function that is called at once. */
const SOMETIMES = 1;
const LATER = 2;
const INSIDE = 4;
const AT_ONCE = 8;

/** What being below `key` of a node adds to the context. */
function contextOf(node: TSESTree.Node, key: string): number {
  switch (node.type) {
    case "IfStatement":
    case "ConditionalExpression":
      return key === "test" ? 0 : SOMETIMES;
    case "LogicalExpression":
      return key === "right" ? SOMETIMES : 0;
    case "AssignmentExpression":
      return key === "right" && /^(?:&&|\|\||\?\?)=$/.test(node.operator) ? SOMETIMES : 0;
    case "AssignmentPattern":
      return key === "right" ? SOMETIMES : 0;
    case "ForStatement":
      return key === "init" || key === "test" ? 0 : SOMETIMES;
    case "ForInStatement":
    case "ForOfStatement":
      return key === "right" ? 0 : SOMETIMES;
    case "WhileStatement":
      return key === "test" ? 0 : SOMETIMES;
    case "DoWhileStatement":
    case "LabeledStatement":
    case "SwitchCase":
    case "CatchClause":
    case "ChainExpression":
      return SOMETIMES;
    case "TryStatement":
      return key === "block" && node.handler ? SOMETIMES : 0;
    case "PropertyDefinition":
    case "AccessorProperty":
      return key === "value" && !node.static ? LATER | INSIDE : key === "value" ? INSIDE : 0;
    case "StaticBlock":
      return INSIDE;
    default:
      return 0;
  }
}

const isFunction = (
  node: TSESTree.Node,
): node is TSESTree.FunctionDeclaration | TSESTree.FunctionExpression | TSESTree.ArrowFunctionExpression =>
  node.type === "FunctionDeclaration" ||
  node.type === "FunctionExpression" ||
  node.type === "ArrowFunctionExpression";

/** Whether a node calls its child, if that is a function, on the spot: `(() => {})()`, `(function () {}).call(this)`. */
function callsAtOnce(node: TSESTree.Node, key: string, atOnce: boolean): boolean {
  if (node.type === "CallExpression") return key === "callee";
  return (
    atOnce &&
    key === "object" &&
    node.type === "MemberExpression" &&
    node.property.type === "Identifier" &&
    (node.property.name === "call" || node.property.name === "apply")
  );
}

const isDeclaration = (node: TSESTree.Node): boolean =>
  node.type === "FunctionDeclaration" ||
  node.type === "ClassDeclaration" ||
  node.type === "TSInterfaceDeclaration" ||
  node.type === "TSDeclareFunction";

const nameOf = (node: TSESTree.Identifier | TSESTree.StringLiteral): string =>
  node.type === "Identifier" ? node.name : node.value;

/** The text of a string literal or of a template without holes. */
function textOf(node: TSESTree.Node): string | undefined {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "TemplateLiteral" && node.expressions.length === 0)
    return node.quasis[0].value.cooked ?? undefined;
  return undefined;
}

/** Names that a declaration declares, in the order of the source. */
export function declaredNames(declaration: TSESTree.Node): TSESTree.Identifier[] {
  const names: TSESTree.Identifier[] = [];
  const patterns: (TSESTree.Node | null | undefined)[] = [];
  if (declaration.type === "VariableDeclaration") {
    for (let i = declaration.declarations.length - 1; 0 <= i; i--) {
      patterns.push(declaration.declarations[i].id);
    }
  } else if ("id" in declaration) {
    let id = declaration.id as TSESTree.Node | null;
    while (id?.type === "TSQualifiedName") id = id.left;
    patterns.push(id);
  }
  while (0 < patterns.length) {
    const pattern = patterns.pop();
    switch (pattern?.type) {
      case "Identifier":
        names.push(pattern);
        break;
      case "ArrayPattern":
        patterns.push(...[...pattern.elements].reverse());
        break;
      case "ObjectPattern":
        patterns.push(...[...pattern.properties].reverse());
        break;
      case "Property":
        patterns.push(pattern.value);
        break;
      case "AssignmentPattern":
        patterns.push(pattern.left);
        break;
      case "RestElement":
        patterns.push(pattern.argument);
        break;
    }
  }
  return names;
}

/** TypeScript's nodes that are there at run time; all others are erased. */
const KEPT = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression",
  "TSEnumDeclaration",
  "TSEnumBody",
  "TSEnumMember",
  "TSModuleDeclaration",
  "TSModuleBlock",
  "TSExportAssignment",
  "TSImportEqualsDeclaration",
  "TSExternalModuleReference",
  "TSParameterProperty",
]);

/** Whether nothing of a node is left at run time. */
export function isErased(node: TSESTree.Node, settings: CompilerSettings): boolean {
  if (node.type === "TSModuleDeclaration") return node.declare || instanceOf(node, settings) !== "value";
  if (node.type === "TSEnumDeclaration") {
    return node.declare || (node.const && !settings.preserveConstEnums && !settings.isolatedModules);
  }
  if (node.type === "MethodDefinition") return node.value.type === "TSEmptyBodyFunctionExpression";
  if (node.type.startsWith("TS")) return !KEPT.has(node.type);
  return "declare" in node && node.declare === true;
}

/** What is left of a namespace: an object, members of `const enum`s, or nothing. */
export function instanceOf(
  namespace: TSESTree.TSModuleDeclaration,
  settings: CompilerSettings,
): "value" | "const enums" | "nothing" {
  const preserve = settings.preserveConstEnums || settings.isolatedModules;
  let enums = false;
  const pending: TSESTree.Node[] = [namespace];
  while (0 < pending.length) {
    const node = pending.pop()!;
    switch (node.type) {
      case "TSModuleDeclaration":
        if (node.body) pending.push(node.body);
        break;
      case "TSModuleBlock":
        pending.push(...node.body);
        break;
      case "ExportNamedDeclaration":
        if (node.declaration) pending.push(node.declaration);
        else if (node.exportKind !== "type") return "value";
        break;
      case "TSEnumDeclaration":
        if (!node.const || preserve) return "value";
        enums = true;
        break;
      case "TSInterfaceDeclaration":
      case "TSTypeAliasDeclaration":
      case "ImportDeclaration":
      case "TSImportEqualsDeclaration":
        break;
      default:
        return "value";
    }
  }
  return enums ? "const enums" : "nothing";
}

/** A function's body, or the module's, as far as it has been walked. */
interface Body {
  /** Whether a `return` in it may have ended it. */
  returned: boolean;
  readonly outer: Body | undefined;
}

function mayHaveLeft(body: Body): boolean {
  for (let at: Body | undefined = body; at !== undefined; at = at.outer) if (at.returned) return true;
  return false;
}
