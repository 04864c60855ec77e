/**
 * The solver of inclusion constraints (Andersen): nodes hold sets of objects, edges carry all of a set to another, and
 * triggers run once per object that arrives at a node. Sets only grow, and every object is handled once per edge and trigger.
 */

import { PairSet } from "./pair-set.js";

export type NodeId = number;
export type ObjectId = number;
export type Trigger = (object: ObjectId) => void;

/** Objects of one node; past these, further ones are dropped, and the node counts as overfull. */
const NODE_LIMIT = 256;

export class PointsTo {
  readonly #objects: ObjectId[][] = [];
  readonly #handled: number[] = [];
  readonly #successors: NodeId[][] = [];
  readonly #triggers: Trigger[][] = [];
  readonly #members = new PairSet();
  readonly #edges = new PairSet();
  #work: NodeId[] = [];
  #next = 0;
  /** Triggers to run when nothing else is left to do. */
  readonly #late: (() => void)[] = [];
  overfull = 0;

  static readonly #none: never[] = [];

  get nodeCount(): number {
    return this.#objects.length;
  }

  /** Numbers of `count` new nodes, in a row. */
  create(count = 1): NodeId {
    const first = this.#objects.length;
    for (let i = 0; i < count; i++) {
      this.#objects.push(PointsTo.#none);
      this.#handled.push(0);
      this.#successors.push(PointsTo.#none);
      this.#triggers.push(PointsTo.#none);
    }
    return first;
  }

  of(node: NodeId): readonly ObjectId[] {
    return this.#objects[node];
  }

  has(node: NodeId, object: ObjectId): boolean {
    return this.#members.has(node, object);
  }

  add(node: NodeId, object: ObjectId): void {
    const objects = this.#objects[node];
    if (NODE_LIMIT <= objects.length) {
      if (!this.#members.has(node, object)) this.overfull++;
      return;
    }
    if (!this.#members.add(node, object)) return;
    if (objects === PointsTo.#none) this.#objects[node] = [object];
    else objects.push(object);
    if (this.#objects[node].length === this.#handled[node] + 1) this.#work.push(node);
  }

  /** Everything that `from` holds, `to` holds too. */
  edge(from: NodeId, to: NodeId): void {
    if (from === to || from < 0 || to < 0 || !this.#edges.add(from, to)) return;
    if (this.#successors[from] === PointsTo.#none) this.#successors[from] = [to];
    else this.#successors[from].push(to);
    for (let i = 0; i < this.#handled[from]; i++) this.add(to, this.#objects[from][i]);
  }

  /** Runs `trigger` for every object of `node`, those to come included. */
  on(node: NodeId, trigger: Trigger): void {
    if (node < 0) return;
    if (this.#triggers[node] === PointsTo.#none) this.#triggers[node] = [trigger];
    else this.#triggers[node].push(trigger);
    // The list may grow while the trigger runs; what is added later reaches it by the work list.
    for (let i = 0, known = this.#handled[node]; i < known; i++) trigger(this.#objects[node][i]);
  }

  /** Runs `action` once values have flowed as far as they do without it. */
  later(action: () => void): void {
    this.#late.push(action);
  }

  solve(): void {
    let late = 0;
    for (;;) {
      while (this.#next < this.#work.length) {
        const node = this.#work[this.#next++];
        if (this.#next === 1 << 16) {
          this.#work = this.#work.slice(this.#next);
          this.#next = 0;
        }
        while (this.#handled[node] < this.#objects[node].length) {
          const object = this.#objects[node][this.#handled[node]++];
          const successors = this.#successors[node];
          for (let i = 0; i < successors.length; i++) this.add(successors[i], object);
          const triggers = this.#triggers[node];
          for (let i = 0, count = triggers.length; i < count; i++) triggers[i](object);
        }
      }
      if (late === this.#late.length) break;
      this.#late[late++]();
    }
    this.#late.length = 0;
  }
}
