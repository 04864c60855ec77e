/**
 * What a client says to become an exploded problem: how many facts there are about each variable, and what the four kinds
 * of edges do to them. Facts of a variable have tags 0, 1, ...; a scope tells their numbers in one procedure. What every
 * client has in common is not said here but in `explode-program.ts`: which variables pass through a call and which
 * around it.
 */

import type { CallSite, Procedure } from "../program/program.js";
import type { Correspondence, Transfer } from "./transfer.js";

/** The procedure at hand. */
export interface Scope {
  readonly id: number;
  readonly procedure: Procedure;
  /** Per variable its first fact; 0 where the procedure has no facts about it. */
  readonly first: Uint32Array;
  /** Tracked variables of the procedure that other activations may touch. */
  readonly outer: Uint32Array;
  /** All of them. */
  readonly all: Uint32Array;
}

/**
 * The flow functions of a client. `step` and `throws` compose what happens into a `Transfer`, effect by effect; the rest says what
 * calls do beside what they do for every client.
 *
 * @example
 * const functions: FlowFunctions = { ...silent, direction: "forward", factsOf, step(transfer, { procedure, first }, vertex) {} };
 */
export interface FlowFunctions {
  readonly direction: "forward" | "backward";
  /** Facts per variable of the program; 0 for one that is not tracked. */
  readonly factsOf: Uint32Array;

  /** The operations of a vertex that happens, in the order of the direction. */
  step(transfer: Transfer, scope: Scope, vertex: number): void;
  /** Those of a vertex that throws: along exceptional edges. */
  throws(transfer: Transfer, scope: Scope, vertex: number): void;
  /**
   * Pairs of tags that go from one variable to another where the value of `from` becomes that of `to` at a call or return,
   * or part of it. In program order, whatever the direction.
   */
  pass(from: number, to: number, part: boolean, visit: (fromTag: number, toTag: number) => void): void;
  /** Facts that hold where executions begin, of variables that there are once or that belong to an entry. */
  begins(visit: (variable: number, tag: number) => void): void;
  /** Tags that hold where a call gives `variable`, a parameter or receiver of `callee`, a value. */
  entered(callee: number, variable: number, visit: (tag: number) => void): void;
  /** Facts that hold once a call has returned: of its result, and of arguments that it fills. */
  returned(caller: number, call: CallSite, visit: (variable: number, tag: number) => void): void;
  /** Whether what the callee returned is what the call's result holds. */
  passesResult(call: CallSite): boolean;
  /** Forward: facts about the result of a callee outside the program, and the facts about what it is given that they come from. */
  derived(scope: Scope, call: CallSite, visit: (from: number, to: number) => void): void;
  /** Backward: what a callee outside the program does, the result's value being still to come. `throws`: by an exception. */
  external(transfer: Transfer, scope: Scope, call: CallSite, throws: boolean): void;
}

/** Adds pairs between two scopes as `pass` says; nothing where one of them has no facts about its variable. */
export function passFacts(
  functions: FlowFunctions,
  pairs: Correspondence,
  from: { readonly first: Uint32Array; readonly variable: number },
  to: { readonly first: Uint32Array; readonly variable: number },
  part: boolean,
): void {
  if (from.variable < 0 || to.variable < 0) return;
  const source = from.first[from.variable];
  const target = to.first[to.variable];
  if (source === 0 || target === 0) return;
  const forward = functions.direction === "forward";
  functions.pass(from.variable, to.variable, part, (fromTag, toTag) => {
    if (forward) pairs.add(source + fromTag, target + toTag);
    else pairs.add(target + toTag, source + fromTag);
  });
}

/** Flow functions that keep every fact as it is: what a client does not say. */
export const silent: Omit<FlowFunctions, "direction" | "factsOf"> = {
  step() {},
  throws() {},
  pass() {},
  begins() {},
  entered() {},
  returned() {},
  passesResult: () => false,
  derived() {},
  external() {},
};
