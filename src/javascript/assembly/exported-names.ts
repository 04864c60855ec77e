/** What a program gives to whoever imports its entries: names of modules' top levels, and where their values are. */

import type { ImportTarget, LinkedModule } from "../values/linked-modules.js";
import type { NodeId } from "../values/points-to.js";
import type { ValueAnalysis } from "../values/value-analysis.js";

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

/** Nodes that hold what entries export. */
export function exportedNodes(
  entries: readonly number[],
  modules: readonly LinkedModule[],
  values: ValueAnalysis,
): NodeId[] {
  const nodes: NodeId[] = [];
  for (const { module, name } of exportedNames(entries, modules)) {
    const binding = modules[module].lowered.binding(name);
    if (binding !== undefined) nodes.push(values.nodeOfBinding(values.moduleInstances[module], binding));
  }
  for (const module of entries) {
    const { exportsBinding, moduleBinding } = modules[module].lowered;
    for (const binding of [exportsBinding, moduleBinding])
      if (binding !== undefined) nodes.push(values.nodeOfBinding(values.moduleInstances[module], binding));
  }
  return nodes;
}
