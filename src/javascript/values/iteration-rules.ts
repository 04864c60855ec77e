/**
 * What iterations call: methods of iterators that the program makes, and generators, part by part. An array is its own iterator,
 * and so is a generator; neither calls anything for that.
 */

import {
  type CallCode,
  type Code,
  EXIT,
  NONE,
  type Operand,
  START,
  STEP_SIZE,
  Step,
  Way,
} from "../lower/code.js";
import {
  type AbstractObject,
  type Instance,
  isCallable,
  type Part,
  type StepCall,
} from "./abstract-object.js";
import type { NodeId } from "./points-to.js";
import type { ValueRules } from "./value-rules.js";

export class IterationRules {
  readonly #rules: ValueRules;

  constructor(rules: ValueRules) {
    this.#rules = rules;
  }

  /** A part of an iteration over an object, or with it as iterator; all of one, whose elements flow to `result`. */
  iterate(instance: Instance, step: number, call: CallCode, object: AbstractObject, result: NodeId): void {
    const { points, objects } = this.#rules;
    const part = call.kind === "iterate" ? call.part : undefined;
    switch (object.kind) {
      case "array":
        if (part === "open") points.add(result, object.id);
        else if (part !== "close" && part !== "cancel" && call.name !== "[]")
          points.edge(this.#rules.anyRead(object), result);
        return;
      case "generator":
        if (part === "open") points.add(result, object.id);
        else this.#runGenerator(instance, step, call, object, result);
        return;
      case "object":
      case "instance":
        break;
      default:
        return;
    }
    if (part === "open") {
      this.#open(instance, step, object, call.receiver, result);
      return;
    }
    if (part !== undefined) {
      this.#ask(instance, step, part, object, result);
      return;
    }
    const iterators = points.create();
    this.#open(instance, step, object, call.receiver, iterators);
    points.on(iterators, (id) =>
      points.later(() => {
        const iterator = objects[id];
        if (iterator.kind === "generator") this.#runGenerator(instance, step, call, iterator, result);
        else if (iterator.kind === "array") points.edge(this.#rules.anyRead(iterator), result);
        else this.#ask(instance, step, "all", iterator, result);
      }),
    );
  }

  /** Calls the method that gives the iterator. */
  #open(instance: Instance, step: number, object: AbstractObject, receiver: Operand, result: NodeId): void {
    const { points, objects } = this.#rules;
    const method = points.create();
    for (const name of ["@@iterator", "@@asyncIterator"])
      this.#rules.load(object, this.#rules.names().of(name), method);
    points.on(method, (id) =>
      points.later(() => {
        if (isCallable(objects[id]))
          this.#rules.invoke(instance, step, objects[id], { receiver, thisObject: object, args: [], result });
      }),
    );
  }

  /** Calls the methods of an iterator that is written by hand. */
  #ask(
    instance: Instance,
    step: number,
    part: "first" | "next" | "close" | "cancel" | "all",
    iterator: AbstractObject,
    result: NodeId,
  ): void {
    const { points, objects } = this.#rules;
    const names = this.#rules.names();
    const isClosing = part === "close" || part === "cancel";
    const method = points.create();
    const produced = points.create();
    this.#rules.load(iterator, names.of(isClosing ? "return" : "next"), method);
    points.on(method, (id) =>
      points.later(() =>
        this.#rules.invoke(instance, step, objects[id], {
          receiver: NONE,
          thisObject: iterator,
          args: [],
          result: produced,
          repeated: part === "all",
        }),
      ),
    );
    if (!isClosing)
      points.on(produced, (value) => this.#rules.load(objects[value], names.of("value"), result));
  }

  #runGenerator(
    instance: Instance,
    step: number,
    { part, kind, args: [iterated = NONE] }: CallCode,
    generator: AbstractObject,
    result: NodeId,
  ): void {
    const target = generator.environment!;
    const yields = this.#rules.node(target, target.code.yielded);
    if (0 <= yields && 0 <= result) this.#rules.points.edge(yields, result);
    // A callee outside the program that iterates over what it is given, and calls nothing for arrays.
    const least =
      kind === "iterate" || iterated === NONE ? undefined : { operand: iterated, count: Infinity };
    const runs = kind === "iterate" ? partOf(part, isFresh(generator, instance, step)) : "whole";
    if (runs !== undefined) this.#rules.record(instance, step, { ...resuming(target, runs), least });
  }
}

/** Which part of a generator a part of an iteration runs: one that nobody else can have asked for anything, or any. */
function partOf(part: CallCode["part"], isFresh: boolean): Part | undefined {
  switch (part) {
    case undefined:
      return "whole";
    case "first":
      return isFresh ? "first" : "either";
    case "next":
      return isFresh ? "rest" : "either";
    case "close":
      return isFresh ? "close" : "abandon";
    default:
      // Before anything has been asked there is nothing to leave.
      return isFresh ? undefined : "abandon";
  }
}

/** Which part a call of a generator's `next`, `return` or `throw` runs. */
export function resumedPart(object: AbstractObject, instance: Instance, step: number): Part | undefined {
  const isNew = isFresh(object, instance, step);
  if (object.name === "return") return isNew ? undefined : "abandon";
  if (object.name === "throw") return "throw";
  return isNew ? "first" : "either";
}

/** A call that has a generator run a part of its code. */
export function resuming(target: Instance, runs: Part): StepCall {
  return {
    target,
    runs,
    repeated: false,
    callee: undefined,
    bounds: [],
    args: [],
    spread: -1,
    receiver: NONE,
    hasResult: false,
  };
}

/** Whether the generator that a step asks was made for that alone, so that nobody else has asked it before. */
export function isFresh({ maker }: AbstractObject, instance: Instance, step: number): boolean {
  if (maker?.instance !== instance) return false;
  if (maker.step === step) return true;
  const { steps, calls } = instance.code;
  const at = maker.step * STEP_SIZE;
  if (steps[at] !== Step.call) return false;
  const { receiver, iterated } = calls[steps[step * STEP_SIZE + 1]];
  const { result } = calls[steps[at + 1]];
  return result === receiver || result === iterated;
}

/** Whether a generator cannot end without a `yield`, but by an exception. */
export function yieldsForSure({ steps, edges }: Code): boolean {
  const reached = new Uint8Array(steps.length / STEP_SIZE);
  const next: number[][] = Array.from(reached, () => []);
  for (let e = 0; e < edges.length; e += 3)
    if (edges[e + 2] === Way.normal) next[edges[e]].push(edges[e + 1]);
  const work = [START];
  while (0 < work.length) {
    const step = work.pop()!;
    if (reached[step] === 1 || steps[step * STEP_SIZE] === Step.yield) continue;
    reached[step] = 1;
    work.push(...next[step]);
  }
  return reached[EXIT] === 0;
}
