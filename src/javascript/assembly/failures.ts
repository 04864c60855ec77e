/**
 * Which steps and calls may throw for reasons other than early reads: a property of what may be `undefined`, a callee outside
 * the program, a function that does such things. Where nothing can, an exception handler is no way on.
 *
 * Cost: the graph of each function that is asked about, and of those that it calls, once; calls are followed `DEPTH` deep, and
 * count as failing beyond.
 */

import {
  type Binding,
  bindingId,
  type CallCode,
  type Code,
  EXCEPTION,
  isBinding,
  NONE,
  START,
  STEP_SIZE,
  Step,
  Way,
} from "../lower/code.js";
import { ARITHMETIC } from "../lower/expressions.js";
import { type Instance, isCallable } from "../values/abstract-object.js";
import { builtinFor } from "../values/builtins.js";
import type { LinkedModule } from "../values/linked-modules.js";
import type { ValueAnalysis } from "../values/value-analysis.js";

const DEPTH = 4;
/** Functions outside the program that do nothing but call their first argument. */
const CALLS_ITS_FIRST: ReadonlySet<string> = new Set([
  "Reflect.apply",
  "Reflect.construct",
  "Function.prototype.call.call",
  "Function.prototype.apply.call",
]);

export class Failures {
  readonly #values: ValueAnalysis;
  readonly #modules: readonly LinkedModule[];
  readonly #bindings: readonly Binding[];
  readonly #fails = new Map<Instance, boolean>();
  readonly #objects = new Map<
    Code,
    { readonly registers: ReadonlySet<number>; readonly bindings: ReadonlySet<number> }
  >();

  constructor(values: ValueAnalysis, modules: readonly LinkedModule[], bindings: readonly Binding[]) {
    this.#values = values;
    this.#modules = modules;
    this.#bindings = bindings;
  }

  /** Whether a call of a function can throw for other reasons than early reads and `throw` statements. */
  mayFail(instance: Instance): boolean {
    return this.#mayFail(instance, DEPTH);
  }

  #mayFail(instance: Instance, depth: number): boolean {
    const { code } = instance;
    if (code.isAsync && !code.isGenerator) return false;
    const known = this.#fails.get(instance);
    if (known !== undefined) return known;
    if (depth === 0) return true;
    // Functions that call themselves count as failing.
    this.#fails.set(instance, true);
    const fails = this.#reachesFailure(instance, depth);
    this.#fails.set(instance, fails);
    return fails;
  }

  /** Follows control, into handlers only from steps that may fail. */
  #reachesFailure(instance: Instance, depth: number): boolean {
    const { steps, edges } = instance.code;
    const reached = new Uint8Array(steps.length / STEP_SIZE);
    const next: number[][] = Array.from(reached, () => []);
    const handlers = new Int32Array(reached.length).fill(EXCEPTION);
    for (let e = 0; e < edges.length; e += 3) {
      if (edges[e + 2] !== Way.exceptional) next[edges[e]].push(edges[e + 1]);
      else handlers[edges[e]] = edges[e + 1];
    }
    const work = [START];
    while (0 < work.length) {
      const step = work.pop()!;
      if (reached[step] === 1) continue;
      reached[step] = 1;
      for (const target of next[step]) work.push(target);
      const isThrow = steps[step * STEP_SIZE] === Step.throw;
      if (!isThrow && !this.#stepFails(instance, step, depth)) continue;
      if (handlers[step] !== EXCEPTION) work.push(handlers[step]);
      else if (!isThrow) return true;
    }
    return false;
  }

  #stepFails(instance: Instance, step: number, depth: number): boolean {
    const at = step * STEP_SIZE;
    const { steps } = instance.code;
    switch (steps[at]) {
      case Step.load:
        if (!this.isObject(instance, steps[at + 2])) return true;
        break;
      case Step.store:
        // A literal's own parts.
        if (isBinding(steps[at + 1]) || !this.isObject(instance, steps[at + 1])) return true;
        break;
      case Step.call:
        if (instance.calls.get(step) === undefined) return !this.isSafeCall(instance, step);
        if (this.mayCallOutside(instance, instance.code.calls[steps[at + 1]])) return true;
        break;
      default:
        return false;
    }
    return (instance.calls.get(step) ?? []).some(({ target }) => this.#mayFail(target, depth - 1));
  }

  /** Whether a callee outside the program may do something else than call what the program gives it. */
  mayCallOutside(instance: Instance, { callee, receiver, args }: CallCode): boolean {
    if (callee === NONE) return false;
    const values = this.#values;
    const isKnown = (operand: number) => {
      const objects = operand === NONE ? [] : values.objectsOf(instance, operand);
      return 0 < objects.length && objects.every(isCallable);
    };
    return values.objectsOf(instance, callee).some(({ kind, name }) => {
      if (kind !== "external") return false;
      if (CALLS_ITS_FIRST.has(name)) return !isKnown(args[0] ?? NONE);
      return !(name === ".call" || name === ".apply") || !isKnown(receiver);
    });
  }

  /** Whether a step is a call of nothing but functions outside the program of which it is known that they do not throw. */
  isSafeCall(instance: Instance, step: number): boolean {
    const { code } = instance;
    if (code.steps[step * STEP_SIZE] !== Step.call) return false;
    const { callee, name, kind } = code.calls[code.steps[step * STEP_SIZE + 1]];
    if (kind === "inspect" || (kind === "coerce" && name === ARITHMETIC)) return true;
    if (kind !== "call" && kind !== "new") return false;
    const objects = callee === NONE ? [] : this.#values.objectsOf(instance, callee);
    if (objects.length === 0) return builtinFor(name)?.isSafe === true;
    return objects.every(
      (object) =>
        object.kind === "external" && (builtinFor(object.name) ?? builtinFor(name))?.isSafe === true,
    );
  }

  /** Whether an operand is no `undefined` or `null` for sure, once it has a value. */
  isObject(instance: Instance, operand: number): boolean {
    if (!isBinding(operand)) return this.#objectsOf(instance.code).registers.has(operand);
    let binding = this.#bindings[bindingId(operand)];
    let { module } = instance.code;
    for (let hops = 0; binding.kind === "import" && hops < 64; hops++) {
      const target = this.#values.importTarget(module, binding);
      if (target.kind === "namespace") return true;
      if (target.kind !== "binding") return false;
      const next = this.#modules[target.module].lowered.binding(target.name);
      if (next === undefined) return false;
      module = target.module;
      binding = next;
    }
    if (binding.owner === undefined) return false;
    return this.#objectsOf(binding.owner).bindings.has(binding.id);
  }

  /** Registers, and names that are written once, which hold objects made in a code. */
  #objectsOf(code: Code) {
    let objects = this.#objects.get(code);
    if (objects === undefined) {
      const registers = new Set(code.allocations.map(({ register }) => register));
      for (const { kind, result } of code.calls) if (kind === "new") registers.add(result);
      const bindings = new Set<number>();
      const { steps } = code;
      for (let at = 0; at < steps.length; at += STEP_SIZE) {
        if (steps[at] !== Step.write || !isBinding(steps[at + 1])) continue;
        const id = bindingId(steps[at + 1]);
        const { kind } = this.#bindings[id];
        if ((kind === "const" || kind === "class") && registers.has(steps[at + 2])) bindings.add(id);
      }
      objects = { registers, bindings };
      this.#objects.set(code, objects);
    }
    return objects;
  }
}
