/**
 * The variables that the sources of a program name, by what a name means where it stands: through imports, in an activation,
 * as a property of `exports` of CommonJS.
 */

import { once } from "../../once.js";
import type { Variable, VariableKind } from "../../program/program.js";
import { ANY_NAME, type Binding, STEP_SIZE, Step } from "../lower/code.js";
import { type AbstractObject, type Instance, isCallable } from "../values/abstract-object.js";
import type { ObjectId } from "../values/points-to.js";
import type { AssemblySource } from "./assembly-source.js";

/** A binding in the activation of a function, or in a module. */
export interface Declared {
  readonly owner: Instance;
  readonly binding: Binding;
}

export class NamedVariables {
  readonly #source: AssemblySource;
  readonly #variables: Variable[];
  readonly #ownerOf: (instance: Instance) => number;
  readonly #variableOfNode = new Map<number, number>();
  readonly #exportVariables = new Map<string, number>();
  /** Instances of functions by their module. */
  readonly #instances = once(() => {
    const found = new Map<number, Instance[]>();
    for (const instance of this.#source.values.instances) {
      const { module } = instance.code;
      const others = found.get(module);
      if (others === undefined) found.set(module, [instance]);
      else others.push(instance);
    }
    return found;
  });
  readonly #tracked = new Map<number, ReadonlySet<number>>();
  /** By module: what it puts in the place of the `exports` that it began with. */
  readonly #replacements = new Map<number, ReadonlySet<ObjectId>>();

  /** @param variables takes them, beside those that are there already */
  constructor(source: AssemblySource, variables: Variable[], ownerOf: (instance: Instance) => number) {
    this.#source = source;
    this.#variables = variables;
    this.#ownerOf = ownerOf;
  }

  /** The binding of a module that an imported one stands for, with its module's instance. */
  resolve(instance: Instance, binding: Binding): Declared | undefined {
    const { values, modules } = this.#source;
    let { module } = instance.code;
    let target = binding;
    for (let hops = 0; target.kind === "import"; hops++) {
      const meaning = values.importTarget(module, target);
      if (meaning.kind !== "binding" || 64 < hops) return undefined;
      module = meaning.module;
      const next = modules[module].lowered.binding(meaning.name);
      if (next === undefined) return undefined;
      target = next;
    }
    const owner =
      target === binding ? values.ownerInstance(instance, target) : values.moduleInstances[module];
    return owner === undefined ? undefined : { owner, binding: target };
  }

  /** What a name at the top of a module stands for. */
  atTop(module: number, name: string): Declared | undefined {
    const { values, modules } = this.#source;
    const binding = modules[module].lowered.binding(name);
    return binding === undefined ? undefined : this.resolve(values.moduleInstances[module], binding);
  }

  /** The variable of a binding in an activation. */
  variableOf(owner: Instance, binding: Binding): number {
    const node = owner.base + binding.slot;
    let number = this.#variableOfNode.get(node);
    if (number === undefined) {
      number = this.#variables.length;
      this.#variableOfNode.set(node, number);
      const isModule = owner.code.kind === "module";
      this.#variables.push({
        name: binding.name,
        kind: binding.kind,
        owner: isModule ? -1 : this.#ownerOf(owner),
        deadZone: binding.deadZone,
        throwsEarly: binding.throwsEarly,
        file: owner.code.module,
        start: binding.start,
        end: binding.end,
      });
    }
    return number;
  }

  /** The same, if anything has used it. */
  usedVariableOf({ owner, binding }: Declared): number | undefined {
    return this.#variableOfNode.get(owner.base + binding.slot);
  }

  variable(number: number): Variable {
    return this.#variables[number];
  }

  /** The variable of a property of a module's `exports`. */
  exportVariable(module: number, name: number): number {
    return this.#exportsVariable(`${module} ${name}`, module, this.#source.names.list[name], "export");
  }

  /** The variable of what a module exports, if it puts functions or classes in the place of what it began with. */
  replacedExports(module: number): number | undefined {
    const { objects } = this.#source.values;
    const replacements = [...this.#replacementsOf(module)];
    if (replacements.length === 0 || !replacements.every((id) => isCallable(objects[id]))) return undefined;
    return this.#exportsVariable(`${module}`, module, "module.exports", "exports");
  }

  /** Whether a module puts an object in the place of the `exports` that it began with. */
  isReplacement(module: number, object: ObjectId): boolean {
    return this.#replacementsOf(module).has(object);
  }

  #replacementsOf(module: number): ReadonlySet<ObjectId> {
    this.trackedExports(module);
    return this.#replacements.get(module)!;
  }

  #exportsVariable(key: string, module: number, name: string, kind: VariableKind): number {
    let number = this.#exportVariables.get(key);
    if (number === undefined) {
      number = this.#variables.length;
      this.#exportVariables.set(key, number);
      this.#variables.push({
        name,
        kind,
        owner: -1,
        deadZone: true,
        throwsEarly: false,
        file: module,
        start: 0,
        end: 0,
      });
    }
    return number;
  }

  /** Properties of `exports` that a CommonJS module assigns, by name. */
  trackedExports(module: number): ReadonlySet<number> {
    let tracked = this.#tracked.get(module);
    if (tracked === undefined) {
      const names = new Set<number>();
      const replacements = new Set<ObjectId>();
      for (const instance of this.#instances().get(module) ?? []) {
        const { steps, reached } = instance.code;
        for (let at = 0; at < steps.length; at += STEP_SIZE) {
          if (steps[at] !== Step.store || steps[at + 3] === ANY_NAME || reached[at / STEP_SIZE] === 0)
            continue;
          const objects = this.#source.values.objectsOf(instance, steps[at + 1]);
          if (objects.some((object) => isExports(object, module))) names.add(steps[at + 3]);
          if (!objects.some((object) => object.name === "module" && object.module === module)) continue;
          if (this.#source.names.list[steps[at + 3]] !== "exports") continue;
          for (const value of this.#source.values.objectsOf(instance, steps[at + 2])) {
            if (!isExports(value, module)) replacements.add(value.id);
            // What is stored in `exports` itself is found where it is stored.
            if (value.kind !== "object" || isExports(value, module)) continue;
            for (const name of value.fields.keys()) names.add(name);
          }
        }
      }
      tracked = names;
      this.#tracked.set(module, tracked);
      this.#replacements.set(module, replacements);
    }
    return tracked;
  }
}

/** Whether an object is what a CommonJS module exports at first; of any module, unless one is given. */
export function isExports({ kind, name, module: of }: AbstractObject, module = of): boolean {
  return kind === "object" && name === "exports" && of === module;
}
