/** What the rules of the value analysis have to do with each other: nodes, loads of properties, calls. */

import type { Code, Names, Operand } from "../lower/code.js";
import type { AbstractObject, Instance, ObjectKind, StepCall } from "./abstract-object.js";
import type { NodeId, PointsTo } from "./points-to.js";

/** What a step calls a function with. */
export interface Invocation {
  /** The caller's operand; or a node; or the very object. */
  readonly receiver: Operand;
  readonly receiverNode?: NodeId;
  readonly thisObject?: AbstractObject;
  readonly args: readonly Operand[];
  readonly argNodes?: readonly NodeId[];
  /** Bound functions on the way, whose arguments are among the nodes. */
  readonly bounds?: readonly AbstractObject[];
  readonly spread?: number;
  readonly result: NodeId;
  /** Takes objects that a constructor returns. */
  readonly produced?: NodeId;
  readonly repeated?: boolean;
  readonly least?: StepCall["least"];
  readonly isCaught?: StepCall["isCaught"];
}

export interface ValueRules {
  readonly points: PointsTo;
  readonly objects: readonly AbstractObject[];
  names(): Names;
  node(instance: Instance, operand: Operand): NodeId;
  /** The node of a property, that of everything that an object holds, and that of what may be stored anywhere in it. */
  field(object: AbstractObject, name: number): NodeId;
  anyRead(object: AbstractObject): NodeId;
  anyWrite(object: AbstractObject): NodeId;
  /** The object that a step makes, by a number of the caller's choice; `name` is that of a new one. */
  site(instance: Instance, step: number, about: number, kind: ObjectKind, name?: string): AbstractObject;
  /** Lets a property's values flow to a node. */
  load(object: AbstractObject, name: number, to: NodeId): void;
  /** A new array with these elements, which a step makes. */
  array(instance: Instance, step: number, elements: readonly NodeId[]): AbstractObject;
  /** The getter of an object, as a function. */
  getter(code: Code, instance: Instance): AbstractObject | undefined;
  invoke(instance: Instance, step: number, callee: AbstractObject, how: Invocation): void;
  record(instance: Instance, step: number, call: StepCall): void;
}
