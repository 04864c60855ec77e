/**
 * Where executions of a Java program may begin: its `main` methods, what the virtual machine runs by itself (class
 * initializers), and what code outside may call back (methods of classes with supertypes outside). A library has no
 * `main`: there every method that is not private may be first.
 */

import { Access } from "../class-file/class-file.js";
import type { ClassNode, Hierarchy, MethodNode } from "./hierarchy.js";

/** Methods of `java/lang/Object` that code outside calls on any object. */
const OF_OBJECT = new Set([
  "equals(Ljava/lang/Object;)Z",
  "hashCode()I",
  "toString()Ljava/lang/String;",
  "clone()Ljava/lang/Object;",
  "finalize()V",
]);

/**
 * `main`: from `main` methods on; `all`: from every method that is not private; by default the first where there is one, else
 * the second.
 */
export type EntryRule = "main" | "all";

/** Procedures, ascending. Linear in methods and supertypes. */
export function entryProcedures(
  classes: Iterable<ClassNode>,
  hierarchy: Hierarchy,
  rule: EntryRule | undefined,
): number[] {
  const all = [...classes];
  const hasMain = all.some(({ methods }) =>
    [...methods].some(([signature, method]) => isMain(signature, method)),
  );
  const begins = (rule ?? (hasMain ? "main" : "all")) === "main" ? isCalledFromOutside : isVisible;
  const entries: number[] = [];
  for (const node of all) {
    const isCallback = hierarchy.hasOutsideSupertype(node);
    for (const [signature, method] of node.methods)
      if (0 <= method.procedure && begins(signature, method, isCallback)) entries.push(method.procedure);
  }
  return entries.sort((a, b) => a - b);
}

function isMain(signature: string, { access, procedure }: MethodNode): boolean {
  return 0 <= procedure && signature === "main([Ljava/lang/String;)V" && (access & Access.static) !== 0;
}

function isCalledFromOutside(signature: string, method: MethodNode, isCallback: boolean): boolean {
  if (isMain(signature, method) || signature === "<clinit>()V") return true;
  if ((method.access & (Access.static | Access.private)) !== 0 || signature.startsWith("<init>"))
    return false;
  return isCallback || OF_OBJECT.has(signature);
}

function isVisible(signature: string, { access }: MethodNode): boolean {
  return signature === "<clinit>()V" || (access & Access.private) === 0;
}
