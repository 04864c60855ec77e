/**
 * Facts along straight-line code. A set of facts is a list; moving it along an arc touches only the relation's entries
 * for facts in the list. Facts outside `group` (other than the zero fact) can be left out where only one group matters.
 */

import { CHAIN_MAX, TABLE_FLAG } from "../../assembly/image.js";
import { allocateWords, lowBits, lowestBit } from "./bitset.js";
import type { Program } from "./program.js";
import { findEntry, targetsFrom, targetsTo } from "./relation.js";

export const ANY_GROUP = -1;

export class Chains {
  readonly #program: Program;
  /** The facts that the last move left. */
  moved: Int32Array;
  #other: Int32Array;
  readonly #seen: Int32Array;
  #epoch = 0;

  /** For lists of up to `facts` facts. */
  constructor(program: Program, facts: number) {
    this.#program = program;
    this.moved = allocateWords(facts, "Query space");
    this.#other = allocateWords(facts, "Query space");
    this.#seen = allocateWords(facts, "Query space");
  }

  /** Moves `fact` from the vertex at `position` to the chain's end; the number of facts it becomes. */
  moveToEnd(fact: number, chain: number, position: number, group: number): number {
    const busy = this.#program.busyOf(chain);
    if (0 <= busy) return this.moveAlong(fact, chain, position + 1, CHAIN_MAX + 1, group);
    return this.#readTable((busy & ~TABLE_FLAG) + 2, fact, position, group);
  }

  /** Moves `fact` back from the vertex at `position` to the chain's head; the number of facts that become it. */
  moveToHead(fact: number, chain: number, position: number): number {
    const busy = this.#program.busyOf(chain);
    if (0 <= busy) return this.#moveAgainst(fact, chain, position + 1);
    const table = busy & ~TABLE_FLAG;
    return this.#readTable(table + 2 + this.#program.tables[table + 1], fact, position, ANY_GROUP);
  }

  /** The facts at the chain's other end that belong to `fact` at `position`, by one part of its table. */
  #readTable(part: number, fact: number, position: number, group: number): number {
    const program = this.#program;
    const { tables } = program;
    const moved = this.moved;
    const m = tables[part] & 0xffff;
    const entries = part + 1;
    let low = 0;
    for (let high = m; low < high; ) {
      const middle = (low + high) >>> 1;
      if ((tables[entries + middle] & 0xffff) < fact) low = middle + 1;
      else high = middle;
    }
    if (low === m || (tables[entries + low] & 0xffff) !== fact) {
      moved[0] = fact;
      return 1;
    }
    const masks = entries + m;
    const facts = masks + (tables[part] >>> 16);
    const to = tables[entries + low] >>> 16;
    let count = 0;
    for (let k = low === 0 ? 0 : tables[entries + low - 1] >>> 16; k < to; k++) {
      if (((tables[masks + k] >>> position) & 1) === 0) continue;
      const t = (tables[facts + (k >>> 1)] >>> ((k & 1) << 4)) & 0xffff;
      if (t === 0 || group === ANY_GROUP || program.groupOf(t) === group) moved[count++] = t;
    }
    return count;
  }

  /** The arcs `from .. to - 1` of a chain that are not identities, as bits. */
  #busyBetween(chain: number, from: number, to: number): number {
    const busy = this.#program.busyOf(chain);
    const all = 0 <= busy ? busy : this.#program.tables[busy & ~TABLE_FLAG];
    return all & lowBits(to) & ~lowBits(from);
  }

  /** Moves `fact` along the arcs `from .. to - 1` of a chain, counted from its head; the number of facts it becomes. */
  moveAlong(fact: number, chain: number, from: number, to: number, group: number): number {
    const program = this.#program;
    const { arcRelation, relations } = program;
    const first = program.firstArcOf(chain);
    let count = 1;
    this.moved[0] = fact;
    for (let busy = this.#busyBetween(chain, from, to); busy !== 0 && count !== 0; busy &= busy - 1) {
      const block = arcRelation[first + lowestBit(busy)];
      if (count === 1) {
        const moved = this.moved;
        const i = findEntry(relations, block, moved[0]);
        if (i < 0) continue;
        const last = targetsTo(relations, block, i);
        count = 0;
        for (let k = targetsFrom(relations, block, i); k < last; k++) {
          const t = relations[k];
          if (t === 0 || group === ANY_GROUP || program.groupOf(t) === group) moved[count++] = t;
        }
        continue;
      }
      this.#nextEpoch();
      let moved = 0;
      for (let j = 0; j < count; j++) {
        const d = this.moved[j];
        const i = findEntry(relations, block, d);
        if (i < 0) {
          moved = this.#add(d, moved);
          continue;
        }
        const last = targetsTo(relations, block, i);
        for (let k = targetsFrom(relations, block, i); k < last; k++) {
          const t = relations[k];
          if (t === 0 || group === ANY_GROUP || program.groupOf(t) === group) moved = this.#add(t, moved);
        }
      }
      this.#swap();
      count = moved;
    }
    return count;
  }

  /** Moves `fact` against the first `to` arcs of a chain, last first; the number of facts that become it. */
  #moveAgainst(fact: number, chain: number, to: number): number {
    const program = this.#program;
    const { arcRelation, relations } = program;
    const first = program.firstArcOf(chain);
    let count = 1;
    this.moved[0] = fact;
    for (let busy = this.#busyBetween(chain, 0, to); busy !== 0 && count !== 0; ) {
      const arc = 31 - Math.clz32(busy);
      busy ^= 1 << arc;
      const block = arcRelation[first + arc];
      this.#nextEpoch();
      let moved = 0;
      for (let j = 0; j < count; j++) {
        const t = this.moved[j];
        if (findEntry(relations, block, t) < 0) moved = this.#add(t, moved);
      }
      const m = relations[block];
      let k = targetsFrom(relations, block, 0);
      for (let i = 0; i < m; i++) {
        const end = targetsTo(relations, block, i);
        while (k < end && !this.#holds(relations[k], count)) k++;
        if (k < end) moved = this.#add(relations[block + 1 + i], moved);
        k = end;
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
