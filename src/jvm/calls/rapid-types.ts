/**
 * Rapid type analysis (Bacon, Sweeney, OOPSLA 1996): the classes of which code that the entries reach makes instances, and
 * the procedures that it reaches, each found by way of the other. Costs instances times supertypes, and calls.
 */

import { Access } from "../class-file/class-file.js";
import type { ClassNode, Hierarchy } from "./hierarchy.js";

/** What a procedure does that matters here. */
export interface TypeUses {
  /** Names of the classes that it makes instances of. */
  readonly instances: readonly string[];
  readonly calls: readonly {
    readonly isVirtual: boolean;
    readonly owner: string;
    readonly signature: string;
  }[];
}

/** Names of the classes of which there may be instances. `classOf` is the class of an entry that is called on an object. */
export function instantiatedClasses(
  hierarchy: Hierarchy,
  entries: readonly number[],
  classOf: (procedure: number) => string | undefined,
  usesOf: (procedure: number) => TypeUses,
): ReadonlySet<string> {
  const instantiated = new Set<string>();
  const reached = new Set<number>();
  const pending: number[] = [];
  /** Signatures that are called on a class or interface. */
  const called = new Map<string, Set<string>>();
  /** Instantiated classes at or below a class or interface. */
  const receivers = new Map<string, ClassNode[]>();
  const reach = (procedure: number) => {
    if (procedure < 0 || reached.has(procedure)) return;
    reached.add(procedure);
    pending.push(procedure);
  };
  const call = (node: ClassNode, signature: string) =>
    reach(hierarchy.method(node, signature)?.procedure ?? -1);
  const instantiate = (name: string) => {
    const node = hierarchy.class(name);
    if (node === undefined || instantiated.has(name)) return;
    instantiated.add(name);
    if ((node.access & (Access.abstract | Access.interface)) !== 0) return;
    for (const supertype of hierarchy.supertypes(node)) {
      const known = receivers.get(supertype);
      if (known === undefined) receivers.set(supertype, [node]);
      else known.push(node);
      for (const signature of called.get(supertype) ?? []) call(node, signature);
    }
  };
  for (const entry of entries) {
    reach(entry);
    const name = classOf(entry);
    if (name !== undefined) instantiate(name);
  }
  while (0 < pending.length) {
    const { instances, calls } = usesOf(pending.pop()!);
    for (const name of instances) instantiate(name);
    for (const { isVirtual, owner, signature } of calls) {
      const node = hierarchy.class(owner);
      const declared = node === undefined ? undefined : hierarchy.method(node, signature);
      if (!isVirtual || (declared !== undefined && (declared.access & Access.private) !== 0)) {
        reach(declared?.procedure ?? -1);
        continue;
      }
      let signatures = called.get(owner);
      if (signatures === undefined) {
        signatures = new Set();
        called.set(owner, signatures);
      }
      if (signatures.has(signature)) continue;
      signatures.add(signature);
      for (const receiver of receivers.get(owner) ?? []) call(receiver, signature);
    }
  }
  return instantiated;
}
