/**
 * Whether a call is of what it seems to be: several functions may be found where one is called, since values are followed without
 * regard to the order of steps. A chain through such a call proves nothing.
 *
 * Cost: the steps of a code once, then a few for each call.
 */

import { once } from "../../once.js";
import { ANY_NAME, type CallCode, STEP_SIZE, Step } from "../lower/code.js";
import { type Instance, isCallable, type ObjectKind, type StepCall } from "../values/abstract-object.js";
import type { ValueAnalysis } from "../values/value-analysis.js";
import type { Failures } from "./failures.js";

/** Operands that are followed back to what they are elements of. */
const MOST_OPERANDS = 8;

export class CallChoices {
  readonly #values: ValueAnalysis;
  readonly #failures: Failures;
  readonly #instance: Instance;
  /** By operand: the steps that give it a value. */
  readonly #definitions = once(() => {
    const found = new Map<number, number[]>();
    const { steps, calls } = this.#instance.code;
    for (let at = 0; at < steps.length; at += STEP_SIZE) {
      const kind = steps[at];
      if (kind !== Step.load && kind !== Step.write && kind !== Step.flow && kind !== Step.call) continue;
      const target = kind === Step.call ? calls[steps[at + 1]].result : steps[at + 1];
      const known = found.get(target);
      if (known === undefined) found.set(target, [at]);
      else known.push(at);
    }
    return found;
  });

  constructor(values: ValueAnalysis, failures: Failures, instance: Instance) {
    this.#values = values;
    this.#failures = failures;
    this.#instance = instance;
  }

  /** Whether each of the calls that a step may make is one possibility of several; `call` is undefined for accessors. */
  isOneOfSeveral(call: CallCode | undefined, made: readonly StepCall[]): boolean {
    const targets = new Set(made.map(({ target }) => target));
    // An object has one getter or setter of a name, one conversion; an iteration may call several methods.
    if (call === undefined || call.kind === "coerce") return 1 < targets.size;
    if (call.kind === "iterate") return 1 < targets.size && 1 < this.#objects(call.receiver).length;
    if (targets.size === 0) return false;
    // A callee outside the program calls each of its arguments, if it is a function.
    if (made.every(({ repeated }) => repeated)) {
      const callees = new Set(made.map(({ callee }) => callee));
      const isVague = (operand: number) =>
        1 < this.#objects(operand).filter(({ id }) => callees.has(id)).length;
      return isVague(call.receiver) || call.args.some(isVague);
    }
    // What a callee outside the program calls, it was given.
    const mayBeOutside =
      this.#objects(call.callee).some(isCallable) && this.#failures.mayCallOutside(this.#instance, call);
    if (targets.size === 1 && !mayBeOutside)
      return made.some(({ callee }) => callee !== undefined && this.#isStoredAnywhere(call.callee, callee));
    return !this.#takesEach(call.callee, targets.size);
  }

  #objects(operand: number) {
    return this.#values.objectsOf(this.#instance, operand);
  }

  /** Whether a function is found under a name because it is stored under one that is not known. */
  #isStoredAnywhere(operand: number, callee: number): boolean {
    const { steps } = this.#instance.code;
    const isThere = (holder: number) =>
      this.#objects(holder).some(
        ({ kind, anyWrite }) =>
          kind !== "array" && 0 <= anyWrite && this.#values.points.of(anyWrite).includes(callee),
      );
    return (this.#definitions().get(operand) ?? []).some(
      (at) => steps[at] === Step.load && steps[at + 3] !== ANY_NAME && isThere(steps[at + 2]),
    );
  }

  /**
   * Whether an operand is one element of a list after the other, as in `for (const f of [a, b])`, or what a table has under a
   * name that is not known: a choice that the program itself makes.
   */
  #takesEach(operand: number, count: number): boolean {
    const { steps, calls } = this.#instance.code;
    const isOneOf = (holder: number, kinds: readonly ObjectKind[]) => {
      const [list, ...others] = this.#objects(holder);
      if (list === undefined || 0 < others.length || !kinds.includes(list.kind)) return false;
      return list.anyWrite < 0 && count <= list.fields.size;
    };
    const operands = new Set([operand]);
    let isTaken = false;
    for (const each of operands) {
      const definitions = this.#definitions().get(each) ?? [];
      if (definitions.length === 0 || MOST_OPERANDS < operands.size) return false;
      for (const at of definitions) {
        if (steps[at] === Step.write || steps[at] === Step.flow) {
          operands.add(steps[at + 2]);
          continue;
        }
        const call = steps[at] === Step.call ? calls[steps[at + 1]] : undefined;
        const isOne =
          call === undefined
            ? steps[at + 3] === ANY_NAME && isOneOf(steps[at + 2], ["array", "object"])
            : call.kind === "iterate" && isOneOf(call.receiver, ["array"]);
        if (!isOne) return false;
        isTaken = true;
      }
    }
    return isTaken;
  }
}
