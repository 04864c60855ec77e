/**
 * An array of 32-bit numbers that grows by doubling. Readers append to it where the final length is not known in
 * advance; amortised cost of an append is constant.
 */
export class GrowableUint32 {
  /** Backing store; only the first `length` items mean anything. It is replaced when the array grows. */
  items = new Uint32Array(16);
  length = 0;

  push(value: number): void {
    if (this.length === this.items.length) {
      const grown = new Uint32Array(this.length * 2);
      grown.set(this.items);
      this.items = grown;
    }
    this.items[this.length++] = value;
  }

  /** A copy of exactly `length` items. */
  toArray(): Uint32Array<ArrayBuffer> {
    return this.items.slice(0, this.length);
  }
}
