/**
 * What collections hold, and the collections that functions outside the program make of others. A set is an array. A map is an
 * array, too: of one pair that stands for all, the keys at its place 0, the values at its place 1.
 */

import { type Names, NONE } from "../lower/code.js";
import type { AbstractObject, Instance } from "./abstract-object.js";
import type { Content, ValuePlace } from "./builtins.js";
import type { NodeId } from "./points-to.js";
import type { ValueRules } from "./value-rules.js";

/** The name of objects that are maps, and of the pair in each. */
export const MAP = "map";
export const PAIR = "pair";

/** A call of a function outside the program, as nodes. */
export interface OutsideCall {
  readonly instance: Instance;
  readonly step: number;
  readonly receiver: NodeId;
  readonly args: readonly NodeId[];
  /** What callbacks have returned, and what iterating gives. */
  readonly returned: NodeId;
  readonly iterated: NodeId;
}

export class ContentRules {
  readonly #rules: ValueRules;
  readonly #elements = new Map<NodeId, NodeId>();

  constructor(rules: ValueRules) {
    this.#rules = rules;
  }

  /** Everything that a place of a call holds; makes what the call makes. */
  place(call: OutsideCall, where: ValuePlace): NodeId {
    if (typeof where === "number") return call.args[where] ?? NONE;
    if (where === "receiver") return call.receiver;
    if (where === "nothing") return NONE;
    if (typeof where === "string") return this.#content(call, where);
    const { points } = this.#rules;
    const node = points.create();
    const add = (object: AbstractObject) => points.add(node, object.id);
    if ("array" in where) {
      add(this.#array(call, 1, this.#content(call, where.array)));
    } else if ("object" in where) {
      const object = this.#rules.site(call.instance, call.step, 1, "object");
      points.edge(this.#content(call, where.object), this.#rules.anyWrite(object));
      add(object);
    } else if ("value" in where) {
      const object = this.#rules.site(call.instance, call.step, 1, "object");
      points.edge(this.#content(call, where.value), this.#field(object, "value"));
      add(object);
    } else if ("groups" in where) {
      const group = points.create();
      points.add(group, this.#array(call, 2, this.#content(call, where.groups)).id);
      if (where.keys === undefined) {
        const object = this.#rules.site(call.instance, call.step, 1, "object");
        points.edge(group, this.#rules.anyWrite(object));
        add(object);
      } else add(this.#map(call, group, this.#content(call, where.keys)));
    } else {
      const keys = where.keys === "nothing" ? NONE : this.#content(call, where.keys);
      if ("map" in where) add(this.#map(call, this.#content(call, where.map), keys));
      else add(this.#array(call, 1, this.#pairs(call, this.#content(call, where.pairs), keys)));
    }
    return node;
  }

  #content(call: OutsideCall, content: Content): NodeId {
    const { points } = this.#rules;
    switch (content) {
      case "elements":
        return this.elementsOf(call.receiver);
      case "elements of 0":
        return this.elementsOf(call.args[0] ?? NONE);
      case "keys":
        return this.#sideOf(call.receiver, "0");
      case "iterated":
        return call.iterated;
      case "iterated keys":
        return this.#loaded(call.iterated, "0");
      case "iterated values":
        return this.#loaded(call.iterated, "1");
      case "returned":
        return call.returned;
      case "returned flat":
        return this.#flat([call.returned]);
      case "elements flat":
        return this.#flat([this.elementsOf(call.receiver)]);
      case "arguments": {
        const all = points.create();
        for (const argument of call.args) points.edge(argument, all);
        return all;
      }
      case "concatenated":
        return this.#flat([this.elementsOf(call.receiver), ...call.args]);
    }
  }

  /** What the objects of a node hold: elements, values of maps, properties, exports. */
  elementsOf(node: NodeId): NodeId {
    if (node < 0) return NONE;
    let elements = this.#elements.get(node);
    if (elements === undefined) {
      elements = this.#sideOf(node, "1");
      this.#elements.set(node, elements);
    }
    return elements;
  }

  /** One side of the pairs of maps; of other objects what they hold. */
  #sideOf(node: NodeId, side: "0" | "1"): NodeId {
    const { points, objects } = this.#rules;
    const held = points.create();
    points.on(node, (id) => {
      const object = objects[id];
      if (object.kind === "external") return;
      if (object.kind === "namespace") this.#rules.load(object, 0, held);
      else if (object.name === MAP) points.edge(this.#loaded(this.#rules.anyRead(object), side), held);
      else points.edge(this.#rules.anyRead(object), held);
    });
    return held;
  }

  #loaded(node: NodeId, name: string): NodeId {
    const { points, objects } = this.#rules;
    const to = points.create();
    points.on(node, (id) => this.#rules.load(objects[id], this.#rules.names().of(name), to));
    return to;
  }

  /** What nodes hold, and what is in the arrays among that. */
  #flat(nodes: readonly NodeId[]): NodeId {
    const { points, objects } = this.#rules;
    const all = points.create();
    for (const node of nodes) points.edge(node, all);
    points.on(all, (id) => {
      if (objects[id].kind === "array") points.edge(this.#rules.anyRead(objects[id]), all);
    });
    return all;
  }

  #field(object: AbstractObject, name: string, names: Names = this.#rules.names()): NodeId {
    return this.#rules.field(object, names.of(name));
  }

  #array({ instance, step }: OutsideCall, number: number, elements: NodeId): AbstractObject {
    const array = this.#rules.site(instance, step, number, "array");
    this.#rules.points.edge(elements, this.#rules.anyWrite(array));
    return array;
  }

  /** A node with the pair that stands for all. */
  #pairs({ instance, step }: OutsideCall, values: NodeId, keys: NodeId): NodeId {
    const { points } = this.#rules;
    const pair = this.#rules.site(instance, step, 3, "array", PAIR);
    points.edge(keys, this.#field(pair, "0"));
    points.edge(values, this.#field(pair, "1"));
    const node = points.create();
    points.add(node, pair.id);
    return node;
  }

  #map(call: OutsideCall, values: NodeId, keys: NodeId): AbstractObject {
    const map = this.#rules.site(call.instance, call.step, 1, "array", MAP);
    this.#rules.points.edge(this.#pairs(call, values, keys), this.#rules.anyWrite(map));
    return map;
  }

  /** A method of an object puts a value into it, in a map under a key. */
  store(object: AbstractObject, value: NodeId, key: NodeId): void {
    const { points, objects } = this.#rules;
    if (object.kind === "external" || object.kind === "namespace") return;
    if (object.name !== MAP) {
      points.edge(value, this.#rules.anyWrite(object));
      return;
    }
    points.on(this.#rules.anyRead(object), (id) => {
      if (objects[id].name !== PAIR) return;
      points.edge(key, this.#field(objects[id], "0"));
      points.edge(value, this.#field(objects[id], "1"));
    });
  }
}
