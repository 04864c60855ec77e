/**
 * Pair queries. Take any path from u to v and its highest node h in the elimination tree: h is a common ancestor of
 * both, and the path lies in its subtree. So (u, d1) reaches (v, d2) exactly if F(u, d1) and B(v, d2) have a bit in
 * common on the prefix of their common ancestors. Chain vertices first go to their chain's end, or come from its head;
 * on one chain the way between them is a third. A tiny procedure's closure says it in one bit (closure.ts). O(1 + |D|
 * height / 32) words; for a constant number of facts and the O(log n) height, O(1).
 */

import { CHAIN_FLAG, MODE_CLOSURE, MODE_EXACT, MODE_SEARCH, POSITION_BITS } from "../../assembly/image.js";
import { commonAncestor } from "./ancestor.js";
import { allocateWords, bitsAt, intersects, lowBits, lowestBit } from "./bitset.js";
import { ANY_GROUP, type Chains } from "./chain.js";
import { closureHas } from "./closure.js";
import {
  BACKWARD_ZERO,
  backwardRow,
  backwardZeroRow,
  FORWARD_ZERO,
  forwardRow,
  labelBase,
  labelShift,
} from "./label-rows.js";
import type { Program } from "./program.js";
import type { Sets } from "./source.js";

const POSITION_MASK = (1 << POSITION_BITS) - 1;

export class Pairs {
  readonly #program: Program;
  readonly #chains: Chains;
  readonly #sets: Sets;
  /** Facts at the node that u goes to, kept while those at v's are found. */
  readonly #ahead: Int32Array;

  constructor(program: Program, chains: Chains, sets: Sets, facts: number) {
    this.#program = program;
    this.#chains = chains;
    this.#sets = sets;
    this.#ahead = allocateWords(facts, "Query space");
  }

  /** Pair query in the procedure at hand; ids are in range. */
  reaches(u: number, d1: number, v: number, d2: number): boolean {
    const program = this.#program;
    const { joined } = program;
    if (u === v && d1 === d2) return true;
    const group = program.groupOf(d2);
    if (!joined && d1 !== 0 && (d2 === 0 || program.groupOf(d1) !== group)) return false;
    if ((program.mode & MODE_SEARCH) !== 0) return this.#sets.searchPair(u, d1, v, d2);
    const closed = (program.mode & MODE_CLOSURE) !== 0;
    const chains = this.#chains;
    const only = joined ? ANY_GROUP : group;
    const a = program.placeOf(u);
    const b = program.placeOf(v);

    if ((a & b) < 0 && a < b && (a ^ b) >>> POSITION_BITS === 0) {
      const count = chains.moveAlong(
        d1,
        this.#chainOf(a),
        (a & POSITION_MASK) + 1,
        (b & POSITION_MASK) + 1,
        only,
      );
      for (let i = 0; i < count; i++) if (chains.moved[i] === d2) return true;
    }

    const ahead = this.#ahead;
    let aheadCount = 1;
    let from = a;
    ahead[0] = d1;
    if (a < 0) {
      const chain = this.#chainOf(a);
      aheadCount = chains.moveToEnd(d1, chain, a & POSITION_MASK, only);
      for (let i = 0; i < aheadCount; i++) ahead[i] = chains.moved[i];
      if (aheadCount === 0) return false;
      from = program.tailOf(chain);
    }

    if (0 <= b) {
      const common = closed ? 0 : commonAncestor(program, from, b);
      for (let i = 0; i < aheadCount; i++) {
        const d = ahead[i];
        if (closed ? closureHas(program, from, d, b, d2) : this.#meets(from, d, b, d2, common)) return true;
      }
      return false;
    }
    const chain = this.#chainOf(b);
    const behindCount = chains.moveToHead(d2, chain, b & POSITION_MASK);
    if (behindCount === 0) return false;
    const to = program.headOf(chain);
    const common = closed ? 0 : commonAncestor(program, from, to);
    for (let j = 0; j < behindCount; j++) {
      const behind = chains.moved[j];
      for (let i = 0; i < aheadCount; i++) {
        const d = ahead[i];
        if (closed ? closureHas(program, from, d, to, behind) : this.#meets(from, d, to, behind, common))
          return true;
      }
    }
    return false;
  }

  /** Chain (global) of a chain vertex's place. */
  #chainOf(place: number): number {
    return this.#program.chainBase + ((place & ~CHAIN_FLAG) >>> POSITION_BITS);
  }

  /** Whether fact d at node a reaches fact e at node b; `common` is the nodes' lowest common ancestor. */
  #meets(a: number, d: number, b: number, e: number, common: number): boolean {
    const program = this.#program;
    const group = program.groupOf(e);
    const baseA = labelBase(program, a);
    const baseB = labelBase(program, b);
    const shiftA = labelShift(program, a);
    const shiftB = labelShift(program, b);
    const countA = program.depthOf(a) + 1;
    const countB = program.depthOf(b) + 1;
    if (program.joined) {
      const rowA = shiftA + countA * forwardRow(program, 0, d);
      const rowB = shiftB + countB * backwardRow(program, 0, e);
      return this.#meetsAt(common, baseA, rowA, baseB, rowB, program.factCount);
    }
    if (d === 0) {
      const rowA = shiftA + countA * FORWARD_ZERO;
      const rowB =
        shiftB + countB * (e === 0 ? BACKWARD_ZERO : backwardZeroRow(program, group, program.localOf(e)));
      if (this.#meetsAt(common, baseA, rowA, baseB, rowB, 1)) return true;
      if (e === 0) return false;
    } else if (e === 0 || program.groupOf(d) !== group) return false;
    const rowA = shiftA + countA * forwardRow(program, group, d === 0 ? 0 : program.localOf(d));
    const rowB = shiftB + countB * backwardRow(program, group, program.localOf(e));
    return this.#meetsAt(common, baseA, rowA, baseB, rowB, program.columnsOf(group));
  }

  /**
   * Whether two rows have a bit in common at an ancestor-or-self of `common`, of `k` columns each; in an exact procedure,
   * where every path shows at the lowest common ancestor L or N+(L), at one of those.
   */
  #meetsAt(common: number, baseA: number, rowA: number, baseB: number, rowB: number, k: number): boolean {
    const program = this.#program;
    const words = program.words;
    const count = program.depthOf(common) + 1;
    if ((program.mode & MODE_EXACT) === 0) {
      return intersects(words, baseA, rowA, baseB, rowB, count * k);
    }
    const base = labelBase(program, common);
    const shift = labelShift(program, common);
    for (let from = 0; from < count; from += 32) {
      let positions = bitsAt(words, base, shift + from) & lowBits(Math.min(count - from, 32));
      for (; positions !== 0; positions &= positions - 1) {
        const h = from + lowestBit(positions);
        if (intersects(words, baseA, rowA + h * k, baseB, rowB + h * k, k)) return true;
      }
    }
    return false;
  }
}
