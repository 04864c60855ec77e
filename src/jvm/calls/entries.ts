/**
 * Where executions of a Java program may begin: its `main` methods, what the virtual machine runs by itself (class
 * initializers), and what code outside may call back (methods of classes with supertypes outside). A library has no
 * `main`: there every method that is not private may be first.
 */

import type { Procedure } from "../../program/program.js";
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

const START = 0;
const NEXT = 1;
const CALL = 2;
const RETURNED = 3;
const FAILED = 4;
const EXIT = 5;
const EXCEPTIONAL_EXIT = 6;
const VERTEX_COUNT = 7;

/** A procedure that calls the entries, in any order, again and again, whether they return or not. */
export function entriesProcedure(entries: readonly number[]): Procedure {
  const edges = [START, NEXT, NEXT, CALL, RETURNED, NEXT, FAILED, NEXT, NEXT, EXIT];
  const call = {
    vertex: CALL,
    returnSite: RETURNED,
    exceptionalReturnSite: FAILED,
    callees: entries,
    external: false,
    name: "",
    arguments: new Int32Array(0),
    result: -1,
    receiver: -1,
  };
  return {
    name: "entries",
    kind: "entry",
    file: -1,
    start: 0,
    end: 0,
    vertexCount: VERTEX_COUNT,
    exit: EXIT,
    exceptionalExit: EXCEPTIONAL_EXIT,
    ranges: new Uint32Array(2 * VERTEX_COUNT),
    operationStart: new Uint32Array(VERTEX_COUNT + 1),
    operations: new Uint32Array(0),
    edges: Uint32Array.from(edges),
    exceptional: new Uint8Array(edges.length / 2),
    calls: entries.length === 0 ? [] : [call],
    parameters: new Int32Array(0),
    rest: false,
    result: -1,
    receiver: -1,
  };
}
