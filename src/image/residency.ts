/**
 * Which procedures' labels are in a region of limited size, for analyses that label a procedure when it is first asked
 * about. The least recently used make room for a new one. Finding a place costs a look at every resident procedure, and
 * is needed only when labels are made.
 */

export class Residency {
  readonly capacity: number;
  readonly #length: Float64Array;
  /** Per procedure: where its labels are, or -1. */
  readonly #offset: Float64Array;
  readonly #used: Float64Array;
  #clock = 0;
  /** Resident procedures by offset. */
  #residents: number[] = [];

  /** @param length units of 8 bytes that each procedure's labels take, known by the time it is given a place */
  constructor(length: Float64Array, capacity: number) {
    this.capacity = capacity;
    this.#length = length;
    this.#offset = new Float64Array(length.length).fill(-1);
    this.#used = new Float64Array(length.length);
  }

  /** Whether the procedure's labels are there; counts as a use. */
  touch(p: number): boolean {
    this.#used[p] = ++this.#clock;
    return 0 <= this.#offset[p];
  }

  /** Room for a procedure's labels, which must not exceed the capacity: where to make them. */
  place(p: number): number {
    for (;;) {
      const at = this.#gap(this.#length[p]);
      if (0 <= at) {
        this.#offset[p] = at;
        let i = this.#residents.findIndex((q) => at < this.#offset[q]);
        if (i < 0) i = this.#residents.length;
        this.#residents.splice(i, 0, p);
        return at;
      }
      this.#evict();
    }
  }

  /** Takes a procedure's labels for not there. */
  forget(p: number): void {
    this.#residents = this.#residents.filter((q) => q !== p);
    this.#offset[p] = -1;
  }

  /** Forgets all. */
  clear(): void {
    for (const p of this.#residents) this.#offset[p] = -1;
    this.#residents = [];
  }

  #gap(length: number): number {
    let end = 0;
    for (const q of this.#residents) {
      if (end + length <= this.#offset[q]) return end;
      // Those without labels may lie where others begin.
      end = Math.max(end, this.#offset[q] + this.#length[q]);
    }
    return end + length <= this.capacity ? end : -1;
  }

  #evict(): void {
    let oldest = 0;
    for (let i = 1; i < this.#residents.length; i++) {
      if (this.#used[this.#residents[i]] < this.#used[this.#residents[oldest]]) oldest = i;
    }
    const [p] = this.#residents.splice(oldest, 1);
    this.#offset[p] = -1;
  }
}
