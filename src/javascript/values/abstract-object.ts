/** Objects as the value analysis tells them apart: one for each place that makes them, in each instance of the code around. */

import type { ClassShape, Code } from "../lower/code.js";
import type { NodeId, ObjectId } from "./points-to.js";

export type ObjectKind =
  | "function"
  | "class"
  | "object"
  | "array"
  /** Made by `new`. */
  | "instance"
  /** A generator object: runs its code bit by bit. */
  | "generator"
  /** The `next`, `return` or `throw` of a generator object. */
  | "resume"
  /** What `bind` returns. */
  | "bound"
  /** Provided by the host or by a package outside the program; a name says which. */
  | "external"
  /** A `Proxy`. */
  | "proxy"
  | "namespace";

export interface AbstractObject {
  readonly id: ObjectId;
  readonly kind: ObjectKind;
  /** Of functions, classes (the constructor) and generators. */
  readonly code: Code | undefined;
  readonly shape: ClassShape | undefined;
  /** The activation whose bindings its code sees; of a generator, the one it runs. */
  readonly environment: Instance | undefined;
  /** Of external objects; of a module's `exports` and `module`; of what resumes a generator: which method it is. */
  readonly name: string;
  /** Of namespaces. */
  readonly module: number;
  readonly fields: Map<number, NodeId>;
  /** Holds the values of all fields, once somebody asks; and what is stored under names that are not known. */
  anyRead: NodeId;
  anyWrite: NodeId;
  /** Of arrays: elements that they have for sure. */
  length: number;
  /** Holds the prototypes. */
  proto: NodeId;
  /** Names that it surely has: a read of them does not go on to the prototype. */
  readonly declared: Map<number, Code | undefined>;
  readonly getters: Map<number, Code>;
  readonly setters: Map<number, Code>;
  /** Holds, by the names of properties, functions that `Object.defineProperty` made getters; made where needed. */
  defined: AbstractObject | undefined;
  /** Of generators and bound functions: the step that made it. */
  readonly maker: { readonly instance: Instance; readonly step: number } | undefined;
  /** Of proxies: what they stand before, and the object whose methods are their traps. */
  readonly proxied: { readonly target: NodeId; readonly handler: NodeId } | undefined;
  /** Of bound functions: target, receiver, leading arguments. */
  readonly bound:
    | { readonly target: ObjectId; readonly receiver: NodeId; readonly args: readonly NodeId[] }
    | undefined;
}

/** A code in an activation that is told apart from others: by the activation around it and by a context. */
export interface Instance {
  readonly id: number;
  readonly code: Code;
  readonly environment: Instance | undefined;
  readonly context: number;
  /** Its bindings' nodes, then those of its registers. */
  readonly base: NodeId;
  /** What its steps call, by number of the step. */
  readonly calls: Map<number, StepCall[]>;
  /** Generators that its steps make, by number of the step: what will run, and what it is given. */
  readonly generators: Map<number, StepCall[]>;
}

/**
 * Which part of a generator's code runs: all of it; that before its first `yield`; one behind a `yield`; either of these, or
 * nothing. Or what is behind a `yield` at which it is to return (`close`), the same or nothing (`abandon`), or at which an
 * exception is thrown into it. Of other code always all.
 */
export type Part = "whole" | "first" | "rest" | "either" | "close" | "abandon" | "throw";

export interface StepCall {
  readonly target: Instance;
  readonly runs: Part;
  /** By a callee outside the program: any number of times. */
  readonly repeated: boolean;
  /** The function that is called, past all that is bound to it. */
  readonly callee: ObjectId | undefined;
  /** Bound functions that the call goes through, in that order: the last one's arguments come first. */
  readonly bounds: readonly AbstractObject[];
  /** Operands of the caller; undefined where a callee outside the program chooses the arguments. */
  readonly args: readonly number[] | undefined;
  /** Index of the first of them that is spread, or -1. */
  readonly spread: number;
  readonly receiver: number;
  readonly hasResult: boolean;
  /** What it throws goes no further than the callee outside the program that calls it. */
  readonly isCaught?: boolean | undefined;
  /** The call happens once at least, if the operand, unless it is `NONE`, is an array of that length at least. */
  readonly least?: { readonly operand: number; readonly count: number } | undefined;
}

export function isCallable({ kind }: AbstractObject): boolean {
  return kind === "function" || kind === "class" || kind === "bound" || kind === "resume";
}
