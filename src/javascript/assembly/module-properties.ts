/**
 * Which variables properties of modules' namespaces and of `exports` are: those that a step reads and writes there, or may. Where
 * the name or the object is not known, a write may be of any.
 */

import { ANY_NAME, type CallCode } from "../lower/code.js";
import type { AbstractObject, Instance } from "../values/abstract-object.js";
import { builtinFor } from "../values/builtins.js";
import type { AssemblySource } from "./assembly-source.js";
import { isExports, type NamedVariables } from "./named-variables.js";

/** Variables that a step gives a value, and those that it may. */
export interface Written {
  readonly surely: readonly number[];
  readonly maybe: readonly number[];
}

export class ModuleProperties {
  readonly #source: AssemblySource;
  readonly #named: NamedVariables;
  readonly #instance: Instance;

  constructor(source: AssemblySource, named: NamedVariables, instance: Instance) {
    this.#source = source;
    this.#named = named;
    this.#instance = instance;
  }

  /** The variable that a property of an object of another module is, and the name it is read by if it has another. */
  read(
    object: AbstractObject,
    name: number,
  ): { readonly variable: number; readonly name?: string } | undefined {
    const { values, modules, names } = this.#source;
    const named = this.#named;
    if (object.kind === "namespace") {
      const target = modules[object.module].exports().get(names.list[name]);
      if (target?.kind !== "binding") return undefined;
      const binding = modules[target.module].lowered.binding(target.name);
      if (binding === undefined || binding.kind === "import") return undefined;
      const variable = named.variableOf(values.moduleInstances[target.module], binding);
      return binding.name === names.list[name] ? { variable } : { variable, name: names.list[name] };
    }
    if (!isExports(object) || object.module === this.#instance.code.module) return undefined;
    if (!named.trackedExports(object.module).has(name)) return undefined;
    return { variable: named.exportVariable(object.module, name) };
  }

  /**
   * Objects as one, where they are what a module's exports were and what they are replaced by: which of both it is depends on
   * when the module is asked, and so on whether the read is too early.
   */
  united(objects: readonly AbstractObject[]): readonly AbstractObject[] {
    if (objects.length < 2) return objects;
    const first = objects.find((object) => isExports(object));
    if (first === undefined) return objects;
    const isOther = (object: AbstractObject) =>
      object !== first && !this.#named.isReplacement(first.module, object.id);
    return objects.some(isOther) ? objects : [first];
  }

  /** What a store to one of some objects writes. */
  written(objects: readonly AbstractObject[], name: number): Written {
    const surely: number[] = [];
    const maybe: number[] = [];
    for (const object of objects) {
      const { module } = object;
      const isOwn = module === this.#instance.code.module;
      if (isExports(object)) {
        const isSure = name !== ANY_NAME && (isOwn || objects.length === 1);
        (isSure ? surely : maybe).push(...this.#variables(module, name));
      } else if (
        isOwn &&
        object.kind === "object" &&
        object.name === "module" &&
        this.#source.names.list[name] === "exports"
      ) {
        surely.push(...this.#variables(module, ANY_NAME));
        const replaced = this.#named.replacedExports(module);
        if (replaced !== undefined) surely.push(replaced);
      }
    }
    return { surely, maybe };
  }

  /** What of `exports` that it is given a callee outside the program may write: anything, unless it says which. */
  writtenOutside(call: CallCode): readonly number[] {
    if (call.kind !== "call" && call.kind !== "new") return [];
    const { values, names } = this.#source;
    const callees = values.objectsOf(this.#instance, call.callee);
    if (0 < callees.length && callees.every(({ kind }) => kind !== "external")) return [];
    const isNamed = callees.length === 1 && callees[0].name === "Object.defineProperty";
    const builtins = [...callees.map(({ name }) => name), call.name].map(builtinFor);
    if (!isNamed && builtins.some((builtin) => builtin !== undefined && builtin.copies === undefined))
      return [];
    const name = isNamed && call.property !== undefined ? names.of(call.property) : ANY_NAME;
    return call.args
      .flatMap((argument) => values.objectsOf(this.#instance, argument))
      .filter((object) => isExports(object))
      .flatMap(({ module }) => this.#variables(module, name));
  }

  /** Of properties of this name, or of any. */
  #variables(module: number, name: number): number[] {
    const tracked = this.#named.trackedExports(module);
    const names = name === ANY_NAME ? [...tracked] : tracked.has(name) ? [name] : [];
    return names.map((each) => this.#named.exportVariable(module, each));
  }
}
