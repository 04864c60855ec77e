/**
 * Applies a flow relation to one fact in O(1): which entry of the relation, if any, speaks of the fact. Entries
 * whose sources lie close together are indexed by source; scattered ones are found by binary search, so that the
 * index stays within a constant factor of the relations themselves however wide their ranges are.
 */

import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";

/** The fact is related to itself alone. */
export const SELF = -1;
/** The fact is related to nothing. */
export const NOTHING = -2;

export class RelationRows {
  /** Targets of entry `i`: `targets[targetStart[i] .. targetStart[i + 1]]`. */
  readonly targetStart: Uint32Array;
  readonly targets: Uint32Array;
  readonly #entryStart: Uint32Array;
  readonly #sourceFirst: Uint32Array;
  readonly #sourceLast: Uint32Array;
  /** What holds for facts without entry. */
  readonly #otherwise: Int32Array;
  /** Entries of relation `r` speak of facts from `first[r]` on, `span[r]` of them at most. */
  readonly #first: Uint32Array;
  readonly #span: Uint32Array;
  /** Fact `first[r] + i` has the row `rows[base[r] + i]`; -1 where rows are searched for. */
  readonly #base: Int32Array;
  readonly #rows: Int32Array;

  constructor({ relations, factCount }: ExplodedSupergraph) {
    const { count, identity, entryStart, sourceFirst, sourceLast } = relations;
    this.targetStart = relations.targetStart;
    this.targets = relations.targets;
    this.#entryStart = entryStart;
    this.#sourceFirst = sourceFirst;
    this.#sourceLast = sourceLast;
    this.#otherwise = Int32Array.from(identity.subarray(0, count), (is) => (is === 1 ? SELF : NOTHING));
    this.#first = new Uint32Array(count);
    this.#span = new Uint32Array(count);
    this.#base = new Int32Array(count).fill(-1);
    let factLimit = 0;
    for (const facts of factCount) if (factLimit < facts) factLimit = facts;
    let length = 0;
    for (let r = 0; r < count; r++) {
      const entries = entryStart[r + 1] - entryStart[r];
      if (entries === 0) continue;
      const first = sourceFirst[entryStart[r]];
      const end = Math.min(sourceLast[entryStart[r + 1] - 1] + 1, factLimit);
      if (end <= first) continue;
      this.#first[r] = first;
      this.#span[r] = end - first;
      if (32 + 8 * entries < end - first) continue;
      this.#base[r] = length;
      length += end - first;
    }
    this.#rows = new Int32Array(length);
    for (let r = 0; r < count; r++) {
      const base = this.#base[r];
      if (base < 0) continue;
      const first = this.#first[r];
      const span = this.#span[r];
      this.#rows.fill(this.#otherwise[r], base, base + span);
      for (let i = entryStart[r]; i < entryStart[r + 1]; i++) {
        const last = Math.min(sourceLast[i], first + span - 1);
        for (let d = sourceFirst[i]; d <= last; d++) this.#rows[base + d - first] = i;
      }
    }
  }

  /** The entry of relation `r` that has fact `d` among its sources; `SELF` or `NOTHING` where none has. */
  entry(r: number, d: number): number {
    const offset = d - this.#first[r];
    if (offset < 0 || this.#span[r] <= offset) return this.#otherwise[r];
    const base = this.#base[r];
    return 0 <= base ? this.#rows[base + offset] : this.#search(r, d);
  }

  get bytes(): number {
    return this.#rows.byteLength + 16 * this.#base.length;
  }

  /** `d` is at most the last source of relation `r`, so that there is an entry that ends at `d` or later. */
  #search(r: number, d: number): number {
    let low = this.#entryStart[r];
    let high = this.#entryStart[r + 1] - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#sourceLast[middle] < d) low = middle + 1;
      else high = middle;
    }
    return this.#sourceFirst[low] <= d ? low : this.#otherwise[r];
  }
}
