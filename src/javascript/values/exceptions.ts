/**
 * Where thrown objects go: to the handler, in the instance that throws or one that calls it, which takes what a step throws. What
 * leaves a handler is thrown by steps of its own.
 *
 * Instances are joined with their callers once an object leaves them, so that programs which throw none pay a list entry a call.
 */

import { type Code, EXCEPTION, hasStep, NONE, STEP_SIZE, Step, Way } from "../lower/code.js";
import type { Instance } from "./abstract-object.js";
import type { NodeId, ObjectId } from "./points-to.js";
import type { ValueRules } from "./value-rules.js";

/** What an instance throws to its callers. */
interface Leaving {
  readonly node: NodeId;
  /** Calls of it, as long as nothing has left it. */
  readonly waiting: { readonly caller: Instance; readonly step: number }[];
  isOpen: boolean;
}

export class Exceptions {
  readonly #rules: Pick<ValueRules, "points" | "node">;
  /** Takes what becomes the rejection of a promise. */
  readonly #rejected: (object: ObjectId, instance: Instance) => void;
  readonly #leaving = new Map<Instance, Leaving>();
  /** By code and step: the register of the handler that takes what it throws; the caller's for want of one. */
  readonly #caught = new Map<Code, ReadonlyMap<number, number>>();

  constructor(
    rules: Pick<ValueRules, "points" | "node">,
    rejected: (object: ObjectId, instance: Instance) => void,
  ) {
    this.#rules = rules;
    this.#rejected = rejected;
  }

  /** The steps of an instance that throw what the source says. */
  install(instance: Instance): void {
    const { steps } = instance.code;
    if (!hasStep(instance.code, (kind) => kind === Step.throw)) return;
    for (let at = 0, step = 0; at < steps.length; at += STEP_SIZE, step++) {
      if (steps[at] !== Step.throw || steps[at + 1] === NONE) continue;
      this.#rules.points.edge(this.#rules.node(instance, steps[at + 1]), this.taken(instance, step));
    }
  }

  /** A call: what leaves the callee is thrown by the step. */
  called(caller: Instance, step: number, callee: Instance): void {
    const leaving = this.#of(callee);
    if (leaving.isOpen) this.#rules.points.edge(leaving.node, this.taken(caller, step));
    else leaving.waiting.push({ caller, step });
  }

  /** The node that takes what a step of an instance throws. */
  taken(instance: Instance, step: number): NodeId {
    const register = this.#handlersOf(instance.code).get(step);
    return register === undefined ? this.#of(instance).node : this.#rules.node(instance, register);
  }

  #of(instance: Instance): Leaving {
    let leaving = this.#leaving.get(instance);
    if (leaving === undefined) {
      const { points } = this.#rules;
      const made: Leaving = { node: points.create(), waiting: [], isOpen: false };
      leaving = made;
      this.#leaving.set(instance, made);
      points.on(made.node, (object) => {
        if (instance.code.isAsync) this.#rejected(object, instance);
        if (made.isOpen) return;
        made.isOpen = true;
        for (const { caller, step } of made.waiting.splice(0))
          points.later(() => points.edge(made.node, this.taken(caller, step)));
      });
    }
    return leaving;
  }

  #handlersOf(code: Code): ReadonlyMap<number, number> {
    let found = this.#caught.get(code);
    if (found === undefined) {
      const caught = new Map(code.handlers.map((handler) => [handler.step, handler.caught]));
      const byStep = new Map<number, number>();
      for (let e = 0; e < code.edges.length && 0 < caught.size; e += 3) {
        const [from, to, way] = code.edges.slice(e, e + 3);
        const register = way === Way.exceptional && to !== EXCEPTION ? caught.get(to) : undefined;
        if (register !== undefined) byStep.set(from, register);
      }
      found = byStep;
      this.#caught.set(code, found);
    }
    return found;
  }
}
