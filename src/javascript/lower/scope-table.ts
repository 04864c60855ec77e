/**
 * Names of one module: which binding an identifier means, and which bindings a scope creates. Scope analysis itself is
 * `@typescript-eslint/scope-manager`'s; here its variables become `Binding`s.
 */

import type { Definition, Scope, ScopeManager, Variable } from "@typescript-eslint/scope-manager";
import type { TSESTree } from "@typescript-eslint/types";
import type { VariableKind } from "../../program/program.js";
import type { Binding, Code } from "./code.js";

/** Numbers bindings of all modules. */
export class BindingTable {
  readonly list: Binding[] = [];

  create(name: string, kind: VariableKind, start: number, end: number): Binding {
    const binding: Binding = {
      id: this.list.length,
      name,
      kind,
      owner: undefined,
      slot: -1,
      deadZone: false,
      throwsEarly: true,
      start,
      end,
    };
    this.list.push(binding);
    return binding;
  }

  /** A binding that no source names: `this`, a superclass, ... */
  hidden(name: string, owner: Code): Binding {
    return this.own(this.create(name, "temporary", owner.start, owner.start), owner);
  }

  own(binding: Binding, owner: Code): Binding {
    if (binding.owner === undefined) {
      binding.owner = owner;
      binding.slot = owner.bindings.length;
      owner.bindings.push(binding);
    }
    return binding;
  }
}

export class ScopeTable {
  readonly #manager: ScopeManager;
  readonly #bindings: BindingTable;
  readonly #ofNode = new Map<TSESTree.Node, Variable>();
  readonly #ofVariable = new Map<Variable, Binding>();
  readonly #inlinesConstEnums: boolean;

  constructor(manager: ScopeManager, bindings: BindingTable, inlinesConstEnums: boolean) {
    this.#manager = manager;
    this.#bindings = bindings;
    this.#inlinesConstEnums = inlinesConstEnums;
    for (const scope of manager.scopes) {
      for (const reference of scope.references) {
        if (reference.resolved !== null) this.#ofNode.set(reference.identifier, reference.resolved);
      }
      for (const variable of scope.variables) {
        // A class's name is one in the scope around it and one inside: the declaration means the former, which comes first.
        for (const identifier of variable.identifiers)
          if (!this.#ofNode.has(identifier)) this.#ofNode.set(identifier, variable);
      }
    }
  }

  /** The binding that an identifier refers to or declares; undefined for globals and for names of types. */
  of(identifier: TSESTree.Node): Binding | undefined {
    const variable = this.#ofNode.get(identifier);
    return variable === undefined ? undefined : this.ofVariable(variable);
  }

  ofVariable(variable: Variable): Binding | undefined {
    const known = this.#ofVariable.get(variable);
    if (known !== undefined) return known;
    const definition = variable.defs[0];
    if (definition === undefined) return undefined;
    const kind = strongest(variable.defs);
    if (kind === undefined) return undefined;
    const [start, end] = definition.name.range;
    const binding = this.#bindings.create(variable.name, kind, start, end);
    const erased = variable.defs.every((each) => isErased(each, this.#inlinesConstEnums));
    binding.deadZone = !erased && ["let", "const", "class", "enum", "catch"].includes(kind);
    binding.throwsEarly = kind !== "enum";
    this.#ofVariable.set(variable, binding);
    return binding;
  }

  /**
   * What the one declaration of a variable initializes it with, null for nothing, and whether it is assigned elsewhere; undefined
   * for names that hold something from elsewhere: parameters, patterns, functions, imports.
   */
  initializer(
    identifier: TSESTree.Node,
  ): { readonly value: TSESTree.Expression | null; readonly isAssigned: boolean } | undefined {
    const variable = this.#ofNode.get(identifier);
    const [definition, ...others] = variable?.defs ?? [];
    if (variable === undefined || definition === undefined || 0 < others.length) return undefined;
    if ((definition.type as string) !== "Variable") return undefined;
    const { id, init } = definition.node as TSESTree.VariableDeclarator;
    if (id.type !== "Identifier") return undefined;
    const writes = variable.references.filter((reference) => reference.isWrite());
    // The head of a loop gives it what the loop runs over.
    if (init === null && writes.some((reference) => reference.init === true)) return undefined;
    return { value: init, isAssigned: writes.some((reference) => reference.init !== true) };
  }

  /** Scopes that a node opens, outermost first. */
  scopesOf(node: TSESTree.Node): readonly Scope[] {
    return this.#manager.nodeToScope.get(node) ?? [];
  }

  get(name: string, scope: Scope): Binding | undefined {
    const variable = scope.set.get(name);
    return variable === undefined ? undefined : this.ofVariable(variable);
  }
}

/** What a name is when several declarations share it: a class merged with a namespace is a class. */
function strongest(definitions: readonly Definition[]): VariableKind | undefined {
  const kinds = definitions.map(kindOf).filter((kind) => kind !== undefined);
  return kinds.find((kind) => kind === "class" || kind === "function") ?? kinds[0];
}

function kindOf(definition: Definition): VariableKind | undefined {
  switch (definition.type as string) {
    case "Variable": {
      const { kind } = definition.parent as TSESTree.VariableDeclaration;
      return kind === "var" ? "var" : kind === "let" ? "let" : "const";
    }
    case "FunctionName":
      return "function";
    case "ClassName":
      return "class";
    case "Parameter":
      return "parameter";
    case "CatchClause":
      return "catch";
    case "ImportBinding":
      return "import";
    case "TSEnumName":
    case "TSModuleName":
      return "enum";
    case "TSEnumMember":
      return "var";
    default:
      return undefined;
  }
}

/** Whether a declaration leaves nothing in the program that runs. */
function isErased(definition: Definition, inlinesConstEnums: boolean): boolean {
  const node = definition.node as { declare?: boolean; const?: boolean; type: string };
  const parent = definition.parent as { declare?: boolean } | null | undefined;
  if (node.declare === true || parent?.declare === true) return true;
  return node.type === "TSEnumDeclaration" && node.const === true && inlinesConstEnums;
}
