/** A set of pairs of numbers below 2^26 and 2^26, by open addressing: a few words a pair. */

export class PairSet {
  #keys = new Float64Array(1 << 12).fill(-1);
  #count = 0;

  get size(): number {
    return this.#count;
  }

  /** Adds a pair; false if it was there. */
  add(a: number, b: number): boolean {
    if (this.#keys.length < this.#count * 2) this.#grow();
    const key = a * 0x4000000 + b;
    const slot = this.#slot(this.#keys, a, b, key);
    if (this.#keys[slot] === key) return false;
    this.#keys[slot] = key;
    this.#count++;
    return true;
  }

  has(a: number, b: number): boolean {
    const key = a * 0x4000000 + b;
    return this.#keys[this.#slot(this.#keys, a, b, key)] === key;
  }

  #slot(keys: Float64Array, a: number, b: number, key: number): number {
    const mask = keys.length - 1;
    let slot = (Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca77)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & mask;
    while (keys[slot] !== -1 && keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const old = this.#keys;
    const keys = new Float64Array(old.length * 2).fill(-1);
    for (const key of old) {
      if (key === -1) continue;
      const a = Math.floor(key / 0x4000000);
      keys[this.#slot(keys, a, key - a * 0x4000000, key)] = key;
    }
    this.#keys = keys;
  }
}
