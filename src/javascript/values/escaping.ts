/**
 * Which functions others can get at: those that some values lead to, by properties, prototypes, accessors, what bound functions
 * bind and what functions return. Linear in the objects and fields reached.
 */

import type { Code } from "../lower/code.js";
import { type AbstractObject, type Instance, isCallable } from "./abstract-object.js";
import type { NodeId, ObjectId, PointsTo } from "./points-to.js";

export interface Heap {
  readonly points: PointsTo;
  readonly objects: readonly AbstractObject[];
  readonly instances: readonly Instance[];
  node(instance: Instance, operand: number): NodeId;
}

/** Functions and classes, each once. Methods and accessors are called through the objects that have them. */
export function escapingFrom(roots: readonly NodeId[], heap: Heap): AbstractObject[] {
  const { points, objects, instances } = heap;
  const seen = new Set<ObjectId>();
  const queue: ObjectId[] = [];
  const reach = (node: NodeId) => {
    if (node < 0) return;
    for (const id of points.of(node)) {
      if (seen.has(id)) continue;
      seen.add(id);
      queue.push(id);
    }
  };
  const instancesOf = new Map<Code, Instance[]>();
  for (const instance of instances) {
    const list = instancesOf.get(instance.code);
    if (list === undefined) instancesOf.set(instance.code, [instance]);
    else list.push(instance);
  }
  const functions: AbstractObject[] = [];
  const returned = (code: Code, environment: Instance | undefined) => {
    for (const instance of instancesOf.get(code) ?? []) {
      if (environment !== undefined && instance.environment !== environment) continue;
      reach(heap.node(instance, code.result));
      reach(heap.node(instance, code.yielded));
    }
  };
  for (const root of roots) reach(root);
  for (let head = 0; head < queue.length; head++) {
    const object = objects[queue[head]];
    for (const node of object.fields.values()) reach(node);
    for (const node of [object.anyRead, object.anyWrite, object.proto]) reach(node);
    for (const code of [...object.getters.values(), ...object.setters.values()]) returned(code, undefined);
    if (object.proxied !== undefined) for (const node of Object.values(object.proxied)) reach(node);
    if (object.bound !== undefined && !seen.has(object.bound.target)) {
      seen.add(object.bound.target);
      queue.push(object.bound.target);
    }
    if (object.code !== undefined) returned(object.code, object.environment);
    if (isCallable(object) && object.kind !== "bound" && object.kind !== "resume") functions.push(object);
  }
  return functions;
}
