/**
 * The facts that `uninitialized` and `possibly-uninitialized` have in common, and their flow functions. Up to three facts
 * for a variable x, in this order: `uninitialized(x)`, `initialized(x)`, `copied(x)`. Costs one pass over the program's
 * operations for the copies.
 */

import { GrowableUint32 } from "../exploded/growable-uint32.js";
import { OPERATION_SIZE, Op, type Program } from "../program/program.js";
import type { FlowFunctions, Scope } from "./flow-functions.js";
import { silent } from "./flow-functions.js";
import type { Transfer } from "./transfer.js";

const UNINITIALIZED = 1;
const INITIALIZED = 2;
const COPIED = 4;

export type InitializationFact = "uninitialized" | "initialized" | "copied";
const MASK: Record<InitializationFact, number> = {
  uninitialized: UNINITIALIZED,
  initialized: INITIALIZED,
  copied: COPIED,
};

/** Which facts there are about each variable: bits as above. */
export function initializationKinds(
  program: Program,
  tracked: Uint8Array,
  include: { readonly initialized: boolean; readonly copied: boolean },
): Uint8Array {
  const own = UNINITIALIZED | (include.initialized ? INITIALIZED : 0);
  const kinds = Uint8Array.from(tracked, (isTracked) => (isTracked === 1 ? own : 0));
  if (include.copied) markCopies(program, kinds);
  return kinds;
}

/** The tag of a fact, or -1 where there is none of the kind about the variable. */
export function tagOf(kinds: number, fact: InitializationFact): number {
  const bit = MASK[fact];
  return (kinds & bit) === 0 ? -1 : bitCount(kinds & (bit - 1));
}

const bitCount = (bits: number): number => (bits & 1) + ((bits >>> 1) & 1) + ((bits >>> 2) & 1);

export function initializationFunctions(program: Program, kinds: Uint8Array): FlowFunctions {
  const { variables } = program;
  /** Number of a fact, 0 for none. */
  const number = (scope: Scope, v: number, bit: number): number => {
    const first = scope.first[v];
    return first === 0 || (kinds[v] & bit) === 0 ? 0 : first + bitCount(kinds[v] & (bit - 1));
  };
  const end = (transfer: Transfer, fact: number) => {
    if (fact !== 0) transfer.kill(fact);
  };
  const begin = (transfer: Transfer, fact: number) => {
    if (fact !== 0) transfer.generate(fact);
  };

  /** `settle` and `resume`: what others than `self` have initialized meanwhile. */
  const others = (transfer: Transfer, scope: Scope, self: number, certainly: boolean) => {
    const from: number[] = [];
    const to: number[] = [];
    for (const v of scope.all) {
      if (variables[v].owner === self) continue;
      const uninitialized = number(scope, v, UNINITIALIZED);
      const initialized = number(scope, v, INITIALIZED);
      if (uninitialized === 0) continue;
      if (initialized !== 0) {
        from.push(uninitialized);
        to.push(initialized);
      }
    }
    transfer.copyAll(from, to);
    if (!certainly) return;
    for (const v of scope.all) {
      const uninitialized = variables[v].owner === self ? 0 : number(scope, v, UNINITIALIZED);
      if (uninitialized !== 0) transfer.mark(uninitialized);
    }
    transfer.killMarked();
  };

  return {
    ...silent,
    direction: "forward",
    factsOf: Uint32Array.from(kinds, bitCount),
    step(transfer, scope, vertex) {
      const { operationStart, operations } = scope.procedure;
      for (let i = operationStart[vertex]; i < operationStart[vertex + 1]; i++) {
        const at = i * OPERATION_SIZE;
        const v = operations[at + 1];
        switch (operations[at]) {
          case Op.read:
          case Op.check:
            if (variables[v].throwsEarly) end(transfer, number(scope, v, UNINITIALIZED));
            break;
          case Op.demand:
            end(transfer, number(scope, v, UNINITIALIZED));
            end(transfer, number(scope, v, COPIED));
            break;
          case Op.write:
            end(transfer, number(scope, v, UNINITIALIZED));
            end(transfer, number(scope, v, COPIED));
            begin(transfer, number(scope, v, INITIALIZED));
            break;
          case Op.declare:
            end(transfer, number(scope, v, INITIALIZED));
            end(transfer, number(scope, v, COPIED));
            begin(transfer, number(scope, v, UNINITIALIZED));
            break;
          case Op.flow: {
            const copied = number(scope, v, COPIED);
            if (copied === 0 || operations[at + 3] !== 0) break;
            const source = operations[at + 2];
            const original = variables[source].throwsEarly ? 0 : number(scope, source, UNINITIALIZED);
            const copy = number(scope, source, COPIED);
            if (original !== 0) transfer.copy(original, copied);
            if (copy !== 0 && copy !== copied) transfer.copy(copy, copied);
            break;
          }
          case Op.settle:
            others(transfer, scope, v, true);
            break;
          case Op.resume:
            others(transfer, scope, v, false);
            break;
        }
      }
    },
    pass(from, to, part, visit) {
      if (part || (kinds[to] & COPIED) === 0) return;
      const target = bitCount(kinds[to] & (COPIED - 1));
      if ((kinds[from] & UNINITIALIZED) !== 0 && !variables[from].throwsEarly) visit(0, target);
      if ((kinds[from] & COPIED) !== 0) visit(bitCount(kinds[from] & (COPIED - 1)), target);
    },
    entered(_, v, visit) {
      if ((kinds[v] & INITIALIZED) !== 0) visit(bitCount(kinds[v] & (INITIALIZED - 1)));
    },
    returned(_, { result }, visit) {
      if (0 <= result && (kinds[result] & INITIALIZED) !== 0)
        visit(result, bitCount(kinds[result] & (INITIALIZED - 1)));
    },
    passesResult: () => true,
  };
}

/** Marks the variables that can hold a copy of an uninitialized one, whatever the order of things. */
function markCopies({ procedures, variables }: Program, kinds: Uint8Array): void {
  const from = new GrowableUint32();
  const to = new GrowableUint32();
  const add = (source: number, target: number) => {
    if (source < 0 || target < 0) return;
    from.push(source);
    to.push(target);
  };
  for (const { operations, calls } of procedures) {
    for (let i = 0; i < operations.length; i += OPERATION_SIZE) {
      if (operations[i] === Op.flow && operations[i + 3] === 0) add(operations[i + 2], operations[i + 1]);
    }
    for (const call of calls) {
      for (const q of call.callees) {
        const { parameters, rest, result, receiver } = procedures[q];
        const count = Math.min(call.arguments.length, rest ? parameters.length - 1 : parameters.length);
        for (let i = 0; i < count; i++) add(call.arguments[i], parameters[i]);
        add(call.receiver, receiver);
        add(result, call.result);
      }
    }
  }
  const start = new Uint32Array(variables.length + 1);
  for (let i = 0; i < from.length; i++) start[from.items[i] + 1]++;
  for (let v = 0; v < variables.length; v++) start[v + 1] += start[v];
  const targets = new Uint32Array(from.length);
  const fill = start.slice(0, variables.length);
  for (let i = 0; i < from.length; i++) targets[fill[from.items[i]]++] = to.items[i];

  const queue: number[] = [];
  for (let v = 0; v < variables.length; v++) {
    if ((kinds[v] & UNINITIALIZED) !== 0 && !variables[v].throwsEarly) queue.push(v);
  }
  while (0 < queue.length) {
    const v = queue.pop()!;
    for (let i = start[v]; i < start[v + 1]; i++) {
      const target = targets[i];
      if ((kinds[target] & COPIED) !== 0) continue;
      kinds[target] |= COPIED;
      queue.push(target);
    }
  }
}
