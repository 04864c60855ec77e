/**
 * What a conversion to a primitive value calls (ECMAScript 2026, sections 7.1.1 and 7.1.1.1): the first of some methods that the
 * object has, of arrays those of their elements, and the getter of `Symbol.toStringTag` for want of any.
 */

import { NONE, type Operand } from "../lower/code.js";
import { type AbstractObject, type Instance, isCallable } from "./abstract-object.js";
import type { ObjectId } from "./points-to.js";
import type { ValueRules } from "./value-rules.js";

/** Whether a conversion may call something for an object. */
export function isConvertible({ kind }: AbstractObject): boolean {
  return (
    kind === "object" || kind === "instance" || kind === "array" || kind === "class" || kind === "function"
  );
}

export class ConversionRules {
  readonly #rules: ValueRules;
  /** By instance, step and object: arrays that have been converted. */
  readonly #joined = new Set<string>();

  constructor(rules: ValueRules) {
    this.#rules = rules;
  }

  /** @param methods names, in order of trial */
  convert(
    instance: Instance,
    step: number,
    receiver: Operand,
    object: AbstractObject,
    methods: readonly string[],
    args: readonly Operand[] = [],
  ): void {
    const { points, objects } = this.#rules;
    const names = this.#rules.names();
    if (object.kind === "array" && methods.includes("toString")) {
      const key = `${instance.id} ${step} ${object.id}`;
      if (this.#joined.has(key)) return;
      this.#joined.add(key);
      points.on(this.#rules.anyRead(object), (id) =>
        points.later(() => this.convert(instance, step, NONE, objects[id], methods)),
      );
      return;
    }
    if (!isConvertible(object)) return;
    // Most objects have none of these, and no prototypes: nothing is built for them.
    const isPlain = object.proto < 0 && object.getters.size === 0;
    if (isPlain && !methods.some((text) => object.fields.has(names.of(text)))) return;
    for (const text of methods) {
      const found = this.#find(object, names.of(text));
      for (const id of found) {
        if (isCallable(objects[id]))
          this.#rules.invoke(instance, step, objects[id], { receiver, thisObject: object, args, result: -1 });
      }
      if (0 < found.length) return;
    }
    if (methods.includes("toString"))
      for (const code of this.#getters(object, names.of("@@toStringTag"))) {
        const getter = this.#rules.getter(code, instance);
        if (getter !== undefined)
          this.#rules.invoke(instance, step, getter, { receiver, thisObject: object, args: [], result: -1 });
      }
  }

  /** What a property holds now, the prototypes' included; makes no nodes. */
  #find(object: AbstractObject, name: number): readonly ObjectId[] {
    const found: ObjectId[] = [];
    for (const { fields } of this.#holders(object, name)) {
      const node = fields.get(name);
      if (node !== undefined) found.push(...this.#rules.points.of(node));
    }
    return found;
  }

  #getters(object: AbstractObject, name: number) {
    return this.#holders(object, name).flatMap(({ getters }) => getters.get(name) ?? []);
  }

  /** An object and its prototypes, up to those that surely have a property. */
  #holders(object: AbstractObject, name: number): AbstractObject[] {
    const { points, objects } = this.#rules;
    const holders = new Set([object]);
    for (const { declared, proto } of holders) {
      if (declared.has(name) || proto < 0) continue;
      for (const id of points.of(proto)) holders.add(objects[id]);
    }
    return [...holders];
  }
}
