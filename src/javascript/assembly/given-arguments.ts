/**
 * Which parameters have an argument that is not `undefined` in every call of a function: their defaults are never evaluated.
 * Cost: all calls, once.
 */

import { once } from "../../once.js";
import { NONE, STEP_SIZE, Step } from "../lower/code.js";
import type { Instance, StepCall } from "../values/abstract-object.js";
import type { ValueAnalysis } from "../values/value-analysis.js";
import type { Failures } from "./failures.js";

/** Parameters that are looked at: a bit each. */
const MOST = 31;

export class GivenArguments {
  readonly #values: ValueAnalysis;
  readonly #failures: Failures;
  /** By instance that is called: a bit for each parameter that all calls give something. */
  readonly #given = once(() => {
    const given = new Map<Instance, number>();
    for (const caller of this.#values.instances) {
      for (const made of [caller.calls, caller.generators]) {
        for (const [step, calls] of made) {
          for (const call of calls)
            given.set(call.target, (given.get(call.target) ?? -1) & this.#argumentsOf(caller, step, call));
        }
      }
    }
    return given;
  });

  constructor(values: ValueAnalysis, failures: Failures) {
    this.#values = values;
    this.#failures = failures;
  }

  /** Whether each call of an instance gives a parameter something else than `undefined`. */
  isAlwaysGiven(instance: Instance, parameter: number): boolean {
    const given = this.#given().get(instance);
    return given !== undefined && parameter < MOST && ((given >>> parameter) & 1) === 1;
  }

  #argumentsOf(caller: Instance, step: number, { args, bounds, spread }: StepCall): number {
    if (args === undefined || 0 < bounds.length) return 0;
    const { steps, calls } = caller.code;
    const at = step * STEP_SIZE;
    const call = steps[at] === Step.call ? calls[steps[at + 1]] : undefined;
    const literals = call?.args === args ? (call.literals ?? []) : [];
    const placed = spread < 0 ? args : args.slice(0, spread);
    let bits = 0;
    for (const [i, operand] of placed.slice(0, MOST).entries()) {
      const isObject = operand !== NONE && this.#failures.isObject(caller, operand);
      if (isObject || literals.includes(i)) bits |= 1 << i;
    }
    return bits;
  }
}
