/**
 * What proxies call (ECMAScript 2026, section 10.5): the handler's method for what is asked of them, or for want of one what the
 * target does. Handlers with other proxies as prototypes, and traps of what goes on inside callees outside the program, aside.
 */

import { NONE } from "../lower/code.js";
import { type AbstractObject, type Instance, isCallable } from "./abstract-object.js";
import type { NodeId } from "./points-to.js";
import type { ValueRules } from "./value-rules.js";

interface Asked {
  /** What the trap is given: the target first. */
  readonly args?: readonly NodeId[];
  /** Takes what it returns. */
  readonly result?: NodeId;
  /** What happens to each target where there is no trap. */
  readonly otherwise?: (target: AbstractObject) => void;
}

export class ProxyRules {
  readonly #rules: ValueRules;

  constructor(rules: ValueRules) {
    this.#rules = rules;
  }

  /** A step asks an object something; nothing, if that is no proxy. */
  trap(
    instance: Instance,
    step: number,
    object: AbstractObject,
    name: string,
    { args, result = -1, otherwise }: Asked = {},
  ): void {
    if (object.proxied === undefined) return;
    const { points, objects } = this.#rules;
    const { target, handler } = object.proxied;
    const traps = points.create();
    points.on(handler, (id) => this.#rules.load(objects[id], this.#rules.names().of(name), traps));
    points.on(traps, (id) =>
      points.later(() => {
        if (isCallable(objects[id]))
          this.#rules.invoke(instance, step, objects[id], {
            receiver: NONE,
            receiverNode: handler,
            args: [],
            argNodes: args ?? [target],
            result,
          });
      }),
    );
    if (otherwise === undefined) return;
    // Once it is known what the handler has.
    points.later(() =>
      points.later(() => {
        if (points.of(traps).length === 0) points.on(target, (id) => otherwise(objects[id]));
      }),
    );
  }

  /** A property is read. */
  get(
    instance: Instance,
    step: number,
    object: AbstractObject,
    result: NodeId,
    otherwise: (target: AbstractObject) => void,
  ): void {
    this.trap(instance, step, object, "get", { result, otherwise });
  }

  /** It is called, or constructed, with some arguments, which the trap gets in an array. */
  call(
    instance: Instance,
    step: number,
    object: AbstractObject,
    isNew: boolean,
    args: readonly NodeId[],
    result: NodeId,
    otherwise: (target: AbstractObject) => void,
  ): void {
    const { points } = this.#rules;
    const list = this.#rules.array(instance, step, args);
    const node = points.create();
    points.add(node, list.id);
    const given = [object.proxied!.target, ...(isNew ? [node] : [-1, node])];
    this.trap(instance, step, object, isNew ? "construct" : "apply", { args: given, result, otherwise });
  }
}
