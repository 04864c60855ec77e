/**
 * Which activations others may make again once modules are evaluated: those of functions that what entries export leads to,
 * by properties, prototypes, what bound functions bind and what functions return. Linear in the objects and fields reached.
 */

import { type AbstractObject, type Instance, isCallable } from "./values/abstract-object.js";
import type { ImportTarget, LinkedModule } from "./values/linked-modules.js";
import type { NodeId } from "./values/points-to.js";
import type { ValueAnalysis } from "./values/value-analysis.js";

/** A name of a module's top level that an entry exports, itself or of another module. */
export interface ExportedName {
  readonly module: number;
  readonly name: string;
}

/** Names behind the exports of modules, those of namespaces that they export included; each once. */
export function exportedNames(entries: readonly number[], modules: readonly LinkedModule[]): ExportedName[] {
  const names = new Map<string, ExportedName>();
  const seen = new Set(entries);
  const queue = [...seen];
  const add = (target: ImportTarget) => {
    if (target.kind === "binding") names.set(`${target.module} ${target.name}`, target);
    else if ((target.kind === "namespace" || target.kind === "property") && !seen.has(target.module)) {
      seen.add(target.module);
      queue.push(target.module);
    }
  };
  for (let head = 0; head < queue.length; head++) {
    for (const target of modules[queue[head]].exports().values()) add(target);
  }
  return [...names.values()];
}

export function escapingInstances(
  entries: readonly number[],
  modules: readonly LinkedModule[],
  values: ValueAnalysis,
): Instance[] {
  const seen = new Set<AbstractObject>();
  const queue: AbstractObject[] = [];
  const reach = (object: AbstractObject) => {
    if (seen.has(object)) return;
    seen.add(object);
    queue.push(object);
  };
  const reachNode = (node: NodeId) => {
    if (0 <= node) for (const id of values.points.of(node)) reach(values.objects[id]);
  };
  for (const { module, name } of exportedNames(entries, modules)) {
    const binding = modules[module].lowered.binding(name);
    if (binding !== undefined) reachNode(values.nodeOfBinding(values.moduleInstances[module], binding));
  }
  const outside = new Set(entries.filter((entry) => modules[entry].isCommonJs));
  for (const object of values.objects) {
    if (
      object.kind === "object" &&
      (object.name === "exports" || object.name === "module") &&
      outside.has(object.module)
    )
      reach(object);
  }

  const byCode = new Map<unknown, Instance[]>();
  for (const instance of values.instances) {
    const list = byCode.get(instance.code);
    if (list === undefined) byCode.set(instance.code, [instance]);
    else list.push(instance);
  }
  const found = new Set<Instance>();
  const run = (instance: Instance) => {
    if (found.has(instance)) return;
    found.add(instance);
    for (const operand of [instance.code.result, instance.code.yielded])
      reachNode(values.node(instance, operand));
  };
  for (let head = 0; head < queue.length; head++) {
    const object = queue[head];
    for (const node of object.fields.values()) reachNode(node);
    for (const node of [object.anyRead, object.anyWrite, object.proto]) reachNode(node);
    for (const code of [...object.getters.values(), ...object.setters.values()])
      for (const instance of byCode.get(code) ?? []) run(instance);
    if (object.bound !== undefined) reach(values.objects[object.bound.target]);
    if (!isCallable(object) && object.kind !== "generator") continue;
    for (const instance of byCode.get(object.code) ?? [])
      if (object.kind === "generator" || instance.environment === object.environment) run(instance);
  }
  return [...found];
}
