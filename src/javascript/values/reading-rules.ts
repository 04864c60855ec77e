/**
 * What reading an object calls: a getter where a property is read; all of its own getters where it is copied; and where it becomes
 * JSON, those of whatever it holds, too, and `toJSON` methods (ECMAScript 2026, section 25.5.2).
 */

import { ANY_NAME, type Code, NONE, type Operand } from "../lower/code.js";
import { type AbstractObject, type Instance, isCallable } from "./abstract-object.js";
import type { NodeId } from "./points-to.js";
import type { ValueRules } from "./value-rules.js";

export class ReadingRules {
  readonly #rules: ValueRules;
  /** By instance, step and object: what has become JSON. */
  readonly #serialized = new Set<string>();

  constructor(rules: ValueRules) {
    this.#rules = rules;
  }

  callGetter(
    instance: Instance,
    step: number,
    accessor: Code | AbstractObject,
    thisObject: AbstractObject,
    receiver: Operand,
    result: NodeId,
  ): void {
    const getter = "fields" in accessor ? accessor : this.#rules.getter(accessor, instance);
    if (getter !== undefined)
      this.#rules.invoke(instance, step, getter, { receiver, thisObject, args: [], result });
  }

  /** A step reads all properties that the objects of a node have themselves. */
  read(instance: Instance, step: number, node: NodeId, isDeep: boolean): void {
    const { points, objects } = this.#rules;
    points.on(node, (id) => {
      const object = objects[id];
      if (!isDeep) {
        for (const code of object.getters.values())
          points.later(() => this.callGetter(instance, step, code, object, NONE, -1));
        return;
      }
      const key = `${instance.id} ${step} ${id}`;
      if (this.#serialized.has(key) || isCallable(object) || object.kind === "external") return;
      this.#serialized.add(key);
      const held = points.create();
      for (const code of object.getters.values())
        points.later(() => this.callGetter(instance, step, code, object, NONE, held));
      if (object.kind === "namespace") this.#rules.load(object, ANY_NAME, held);
      else {
        points.edge(this.#rules.anyRead(object), held);
        const method = points.create();
        this.#rules.load(object, this.#rules.names().of("toJSON"), method);
        points.on(method, (fn) =>
          points.later(() => {
            const how = { receiver: NONE, thisObject: object, args: [], result: held };
            if (isCallable(objects[fn])) this.#rules.invoke(instance, step, objects[fn], how);
          }),
        );
      }
      this.read(instance, step, held, true);
    });
  }
}
