/** Edges by the vertex that they leave, for readers that look at a few vertices of a procedure. Linear. */

/** Positions `from .. to - 1` of an array by the vertex that stands there, in ascending order for each. */
export function bySource(sources: Uint32Array, from: number, to: number): Map<number, number[]> {
  const result = new Map<number, number[]>();
  for (let i = from; i < to; i++) {
    const list = result.get(sources[i]);
    if (list === undefined) result.set(sources[i], [i]);
    else list.push(i);
  }
  return result;
}
