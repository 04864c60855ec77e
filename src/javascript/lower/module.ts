/** Lowers one module: its top level, and all functions in it, one after another. */

import type { ScopeManager } from "@typescript-eslint/scope-manager";
import type { TSESTree } from "@typescript-eslint/types";
import { type Binding, bindingOperand, type Code, type Names, stepCount } from "./code.js";
import { FunctionLowering } from "./function-lowering.js";
import { emptyCode, type LoweringSettings, type ModuleContext } from "./module-context.js";
import { reachedSteps } from "./reached-steps.js";
import { type BindingTable, ScopeTable } from "./scope-table.js";

/** @internal */
export interface ModuleSyntax {
  readonly ast: TSESTree.Program;
  readonly scopes: ScopeManager;
  readonly isCommonJs: boolean;
  /** Whether imports are calls of `require`: TypeScript compiled to CommonJS. */
  readonly importsByCall: boolean;
  readonly inlinesConstEnums: boolean;
  readonly settings: LoweringSettings;
  readonly isElided: (node: TSESTree.Node) => boolean;
  /** Whether a call asks for another module, under a name that the source says. */
  readonly isRequest: (node: TSESTree.Node) => boolean;
}

/**
 * Numbers and tables that all modules of a program share.
 *
 * @internal
 */
export interface LoweringTables {
  readonly names: Names;
  readonly bindings: BindingTable;
  readonly codes: Code[];
}

export interface LoweredModule {
  readonly index: number;
  readonly code: Code;
  readonly codes: readonly Code[];
  /** A name of the module's top level; `*default*` is that of `export default` with an expression. */
  binding(name: string): Binding | undefined;
  readonly exportsBinding: Binding | undefined;
  readonly moduleBinding: Binding | undefined;
}

export const DEFAULT_NAME = "*default*";

/** @internal */
export function lowerModule(
  index: number,
  name: string,
  syntax: ModuleSyntax,
  tables: LoweringTables,
): LoweredModule {
  const { ast } = syntax;
  const scopes = new ScopeTable(syntax.scopes, tables.bindings, syntax.inlinesConstEnums);
  const codes: Code[] = [];
  let defaultBinding: Binding | undefined;
  const commonJs = syntax.isCommonJs
    ? {
        exports: tables.bindings.create("exports", "var", 0, 0),
        module: tables.bindings.create("module", "var", 0, 0),
      }
    : undefined;
  const context: ModuleContext = {
    index,
    scopes,
    bindings: tables.bindings,
    names: tables.names,
    settings: syntax.settings,
    codes,
    codeOfNode: new Map(),
    pending: [],
    exportsBinding: commonJs?.exports,
    moduleBinding: commonJs?.module,
    defaultBinding: () => {
      if (defaultBinding === undefined) {
        const declaration = ast.body.find(({ type }) => type === "ExportDefaultDeclaration");
        const [start, end] = declaration?.range ?? [0, 0];
        defaultBinding = tables.bindings.create("default", "const", start, end);
        defaultBinding.deadZone = true;
      }
      return defaultBinding;
    },
    importsByCall: syntax.importsByCall,
    isElided: syntax.isElided,
    isRequest: syntax.isRequest,
    createCode(created) {
      const code = emptyCode(tables.codes.length, index, created);
      tables.codes.push(code);
      codes.push(code);
      return code;
    },
  };
  const code = context.createCode({
    name,
    kind: "module",
    parent: undefined,
    range: [ast.range[0], ast.range[1]],
    isAsync: false,
    isGenerator: false,
    isArrow: false,
  });
  const f = new FunctionLowering(code, context);
  if (commonJs !== undefined) startCommonJs(f, commonJs.exports, commonJs.module);
  const top = scopes.scopesOf(ast);
  for (const scope of top) f.enterScope(scope, ast);
  const needsDefault = ast.body.some(
    (node) =>
      node.type === "ExportDefaultDeclaration" &&
      !(
        (node.declaration.type === "ClassDeclaration" || node.declaration.type === "FunctionDeclaration") &&
        node.declaration.id
      ) &&
      !/^TS(Interface|TypeAlias|DeclareFunction)/.test(node.declaration.type),
  );
  if (needsDefault) {
    const binding = context.defaultBinding();
    context.bindings.own(binding, code);
    hoistDefault(f, ast, binding);
    f.flow.declare(binding, { range: [0, 0] });
  }
  for (const scope of top) f.hoistFunctions(scope);
  f.statements(ast.body);
  f.flow.returnTo();
  for (let i = 0; i < context.pending.length; i++) context.pending[i]();
  for (const lowered of codes) lowered.reached = reachedSteps(lowered);
  const named = new Map<string, Binding>();
  for (const scope of top) {
    for (const name of scope.set.keys()) {
      const binding = scopes.get(name, scope);
      if (binding !== undefined) named.set(name, binding);
    }
  }
  return {
    index,
    code,
    codes,
    exportsBinding: commonJs?.exports,
    moduleBinding: commonJs?.module,
    binding: lookUp(named, defaultBinding),
  };
}

/** Names of the top level; a function of its own, so that syntax trees and scopes are not kept alive. */
function lookUp(named: ReadonlyMap<string, Binding>, defaultBinding: Binding | undefined) {
  return (wanted: string): Binding | undefined =>
    wanted === DEFAULT_NAME ? defaultBinding : named.get(wanted);
}

/** `module` is an object with the property `exports`, to which the variable `exports` refers too. */
function startCommonJs(f: FunctionLowering, exports: Binding, module: Binding): void {
  const { flow } = f;
  const at = { range: [0, 0] as const };
  for (const binding of [exports, module]) {
    f.module.bindings.own(binding, flow.code);
    const register = flow.register();
    flow.code.allocations.push({ step: stepCount(flow.code), register, kind: "object", name: binding.name });
    flow.write(binding, register, at);
  }
  flow.store(bindingOperand(module), bindingOperand(exports), f.name("exports"), at);
}

/** A default-exported function without a name has its value before anything runs. */
function hoistDefault(f: FunctionLowering, ast: TSESTree.Program, binding: Binding): void {
  for (const node of ast.body) {
    if (node.type !== "ExportDefaultDeclaration" || node.declaration.type !== "FunctionDeclaration") continue;
    binding.deadZone = false;
    f.flow.write(binding, f.functionValue(node.declaration, "default"), node);
  }
}
