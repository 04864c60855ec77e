/** Ranges for several workers: consecutive things of about equal weight. Linear in the things. */

/** At most `count` ranges of things, in order, of about equal weight; `start` says what weighs before each. */
export function split(start: Float64Array, count: number): [from: number, to: number][] {
  const things = start.length - 1;
  const ranges: [number, number][] = [];
  let from = 0;
  for (let k = 1; k <= count && from < things; k++) {
    let to = from + 1;
    while (to < things && start[to] < (start[things] * k) / count) to++;
    if (k === count) to = things;
    ranges.push([from, to]);
    from = to;
  }
  return ranges.length === 0 ? [[0, 0]] : ranges;
}
