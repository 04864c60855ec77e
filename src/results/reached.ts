/**
 * A set of exploded vertices (v, d) of one procedure, decoded lazily from bit rows: one row of
 * `ceil(factCount / 32)` words per vertex, fact d in bit `d & 31` of word `d >> 5`.
 */

const populationCount = (x: number): number => {
  x -= (x >>> 1) & 0x55555555;
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return (((x + (x >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
};

export class Reached implements Iterable<[v: number, d: number]> {
  readonly vertexCount: number;
  readonly factCount: number;
  /** 32-bit words per vertex. */
  readonly stride: number;
  readonly #rows: Uint32Array;
  readonly #base: number;

  /** `words` holds the rows from `base` on. */
  constructor(vertexCount: number, factCount: number, words: Uint32Array, base = 0) {
    this.vertexCount = vertexCount;
    this.factCount = factCount;
    this.stride = (factCount + 31) >>> 5;
    this.#rows = words;
    this.#base = base;
  }

  /** The bit rows themselves, `vertexCount * stride` words; do not write to them. */
  get words(): Uint32Array {
    const length = this.vertexCount * this.stride;
    if (this.#base === 0 && this.#rows.length === length) return this.#rows;
    return this.#rows.subarray(this.#base, this.#base + length);
  }

  /** Number of exploded vertices in the set. Costs one pass over the words. */
  get count(): number {
    let count = 0;
    for (const word of this.words) if (word !== 0) count += populationCount(word);
    return count;
  }

  /** Whether (v, d) is in the set; false for ids out of range. */
  has(v: number, d: number): boolean {
    if (!(0 <= v && v < this.vertexCount && 0 <= d && d < this.factCount)) return false;
    return ((this.#rows[this.#base + v * this.stride + (d >>> 5)] >>> (d & 31)) & 1) === 1;
  }

  /** The facts at v, ascending; empty for a vertex out of range. */
  facts(v: number): Uint32Array {
    if (!(0 <= v && v < this.vertexCount)) return new Uint32Array(0);
    return decodeRow(this.#rows, this.#base + v * this.stride, this.stride);
  }

  *[Symbol.iterator](): Iterator<[v: number, d: number]> {
    for (let v = 0; v < this.vertexCount; v++) for (const d of this.facts(v)) yield [v, d];
  }
}

/** Positions of the one bits of `stride` words from `base` on, ascending. */
export function decodeRow(words: Uint32Array, base: number, stride: number): Uint32Array {
  let count = 0;
  for (let i = base; i < base + stride; i++) count += populationCount(words[i]);
  const facts = new Uint32Array(count);
  let filled = 0;
  for (let i = 0; i < stride; i++) {
    for (let word = words[base + i]; word !== 0; word &= word - 1) {
      facts[filled++] = (i << 5) + (31 - Math.clz32(word & -word));
    }
  }
  return facts;
}
