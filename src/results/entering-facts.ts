/**
 * The classic IFDS solution, decoded lazily: for every vertex of every procedure the facts that hold before it over
 * valid paths from the seeds. One `Reached` per procedure.
 */

import type { Reached } from "./reached.js";

export class EnteringFacts {
  readonly #procedures: readonly Reached[];

  constructor(procedures: readonly Reached[]) {
    this.#procedures = procedures;
  }

  /**
   * Facts before vertex v of procedure `p`, the zero fact included where v is reached; ascending. Here and below, ids out
   * of range throw a `RangeError`.
   */
  at(p: number, v: number): Uint32Array {
    return this.procedure(p).facts(v);
  }

  has(p: number, v: number, d: number): boolean {
    return this.procedure(p).has(v, d);
  }

  /** All exploded vertices of procedure `p` that hold. */
  procedure(p: number): Reached {
    const reached = this.#procedures[p];
    if (reached === undefined) {
      throw new RangeError(`Procedure: got ${String(p)}, expected 0 to ${this.#procedures.length - 1}.`);
    }
    return reached;
  }

  /** Exploded vertices in all procedures together. */
  get count(): number {
    let count = 0;
    for (const reached of this.#procedures) count += reached.count;
    return count;
  }
}
