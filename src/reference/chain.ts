/**
 * Facts along straight-line code. A set of facts is a list; moving it along an arc touches only the relation's entries
 * for facts in the list. Facts outside `group` (other than the zero fact) can be left out where only one group matters.
 */

import { allocateWords } from "./bitset.js";
import type { Program } from "./program.js";
import { findEntry, targetsFrom, targetsTo } from "./relation.js";

export const ANY_GROUP = -1;

export class Chains {
  readonly #program: Program;
  readonly #blocks: Int32Array;
  /** The facts that the last move left. */
  moved: Int32Array;
  #other: Int32Array;
  readonly #seen: Int32Array;
  #epoch = 0;

  /** For lists of up to `facts` facts; `blocks` are the image's relations. */
  constructor(program: Program, blocks: Int32Array, facts: number) {
    this.#program = program;
    this.#blocks = blocks;
    this.moved = allocateWords(facts, "Query space");
    this.#other = allocateWords(facts, "Query space");
    this.#seen = allocateWords(facts, "Query space");
  }

  /** Moves `fact` along the arcs `from .. to - 1`; the number of facts it becomes. */
  moveAlong(fact: number, from: number, to: number, group: number): number {
    const { arcRelation, factBase, factGroup } = this.#program;
    const blocks = this.#blocks;
    const all = group === ANY_GROUP;
    let count = 1;
    this.moved[0] = fact;
    for (let arc = from; arc < to && count !== 0; arc++) {
      const block = arcRelation[arc];
      if (block === 0) continue;
      if (count === 1) {
        const moved = this.moved;
        const i = findEntry(blocks, block, moved[0]);
        if (i < 0) continue;
        const last = targetsTo(blocks, block, i);
        count = 0;
        for (let k = targetsFrom(blocks, block, i); k < last; k++) {
          const t = blocks[k];
          if (all || t === 0 || factGroup[factBase + t] === group) moved[count++] = t;
        }
        continue;
      }
      this.#nextEpoch();
      let moved = 0;
      for (let j = 0; j < count; j++) {
        const d = this.moved[j];
        const i = findEntry(blocks, block, d);
        if (i < 0) {
          moved = this.#add(d, moved);
          continue;
        }
        const last = targetsTo(blocks, block, i);
        for (let k = targetsFrom(blocks, block, i); k < last; k++) {
          const t = blocks[k];
          if (all || t === 0 || factGroup[factBase + t] === group) moved = this.#add(t, moved);
        }
      }
      this.#swap();
      count = moved;
    }
    return count;
  }

  /** Moves `fact` against the arcs `from .. to - 1`, last first; the number of facts that become it. */
  moveAgainst(fact: number, from: number, to: number): number {
    const { arcRelation } = this.#program;
    const blocks = this.#blocks;
    let count = 1;
    this.moved[0] = fact;
    for (let arc = to; from < arc && count !== 0; ) {
      const block = arcRelation[--arc];
      if (block === 0) continue;
      this.#nextEpoch();
      let moved = 0;
      for (let j = 0; j < count; j++) {
        const t = this.moved[j];
        if (findEntry(blocks, block, t) < 0) moved = this.#add(t, moved);
      }
      const m = blocks[block];
      const sources = block + 1;
      const ends = sources + m;
      const targets = ends + m;
      let k = targets;
      for (let i = 0; i < m; i++) {
        const to = targets + blocks[ends + i];
        while (k < to && !this.#holds(blocks[k], count)) k++;
        if (k < to) moved = this.#add(blocks[sources + i], moved);
        k = to;
      }
      this.#swap();
      count = moved;
    }
    return count;
  }

  #holds(fact: number, count: number): boolean {
    const moved = this.moved;
    for (let j = 0; j < count; j++) if (moved[j] === fact) return true;
    return false;
  }

  #add(fact: number, count: number): number {
    if (this.#seen[fact] === this.#epoch) return count;
    this.#seen[fact] = this.#epoch;
    this.#other[count] = fact;
    return count + 1;
  }

  #nextEpoch(): void {
    if (this.#epoch === 0x7fffffff) {
      this.#seen.fill(0);
      this.#epoch = 0;
    }
    this.#epoch++;
  }

  #swap(): void {
    const list = this.moved;
    this.moved = this.#other;
    this.#other = list;
  }
}
