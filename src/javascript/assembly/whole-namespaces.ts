/**
 * Namespaces of modules that a step reads as wholes: `Object.keys(ns)`, `{ ...ns }`, `for (k in ns)`. Each of these asks for every
 * exported binding, in the order of the names (ECMAScript 2026, sections 10.4.6.5 and 10.4.6.11), which throws for one that is not
 * initialized; `Object.getOwnPropertyNames(ns)` and `k in ns` do not.
 */

import { type Binding, type CallCode, NONE } from "../lower/code.js";
import type { Instance } from "../values/abstract-object.js";
import { builtinFor } from "../values/builtins.js";
import type { AssemblySource } from "./assembly-source.js";

/** An export that is read: its binding in its module, and the name that the namespace has it under. */
export interface WholeRead {
  readonly module: number;
  readonly binding: Binding;
  readonly name: string;
}

export function wholeNamespaces(
  { values, modules }: AssemblySource,
  instance: Instance,
  call: CallCode,
): WholeRead[] {
  const operands = new Set<number>();
  if (call.kind === "inspect" && call.name === "ownKeys") operands.add(call.receiver);
  else if (call.callee !== NONE) {
    for (const { kind, name } of values.objectsOf(instance, call.callee)) {
      const builtin = kind === "external" ? builtinFor(name) : undefined;
      for (const i of [...(builtin?.lists ?? []), ...(builtin?.reads ?? [])])
        operands.add(call.args[i] ?? NONE);
    }
  }
  const reads: WholeRead[] = [];
  for (const operand of operands) {
    for (const { kind, module } of values.objectsOf(instance, operand)) {
      if (kind !== "namespace" || modules[module].isCommonJs) continue;
      for (const [name, target] of [...modules[module].exports()].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const binding =
          target.kind === "binding" ? modules[target.module].lowered.binding(target.name) : undefined;
        if (target.kind === "binding" && binding !== undefined)
          reads.push({ module: target.module, binding, name });
      }
    }
  }
  return reads;
}
