/**
 * Working arrays that outlive a call. Decompositions are computed for thousands of graphs of a few vertices, where
 * allocation would cost more than the work; so each algorithm keeps its arrays at module level and asks here for
 * at least as many entries as it needs. Contents are undefined after a call that grows, and nothing that is
 * returned to a caller may live in such an array.
 */

/** `array`, or a larger one with undefined contents if it has fewer than `length` entries. Amortised O(1). */
export function grownInt32(array: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  return length <= array.length ? array : new Int32Array(Math.max(length, 2 * array.length));
}

/** `grownInt32` for unsigned entries. */
export function grownUint32(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  return length <= array.length ? array : new Uint32Array(Math.max(length, 2 * array.length));
}

/** `array` with at least `length` entries, its contents kept. Amortised O(1). */
export function extendedInt32(array: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  if (length <= array.length) return array;
  const larger = new Int32Array(Math.max(length, 2 * array.length));
  larger.set(array);
  return larger;
}
