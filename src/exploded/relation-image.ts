/**
 * Applies flow relations to single facts, straight from their entries: O(log entries) and the targets. Solvers that apply
 * relations by the million prepare them otherwise.
 */

import type { FlowRelations } from "./exploded-supergraph.js";

/** Hands the targets of fact `d` under relation `r` to `visit`, ascending. */
export function forEachTarget(
  relations: FlowRelations,
  r: number,
  d: number,
  visit: (target: number) => void,
): void {
  const { identity, entryStart, sourceFirst, sourceLast, targetStart, targets } = relations;
  // The last entry that begins at or before the fact.
  let low = entryStart[r];
  let high = entryStart[r + 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sourceFirst[middle] <= d) low = middle + 1;
    else high = middle;
  }
  const entry = low - 1;
  if (entryStart[r] <= entry && d <= sourceLast[entry]) {
    for (let i = targetStart[entry]; i < targetStart[entry + 1]; i++) visit(targets[i]);
  } else if (identity[r] === 1) visit(d);
}

/** Hands every pair of relation `r` between facts below `facts` and their targets to `visit`, by ascending source. */
export function forEachPair(
  relations: FlowRelations,
  r: number,
  facts: number,
  visit: (source: number, target: number) => void,
): void {
  const { identity, entryStart, sourceFirst, sourceLast, targetStart, targets } = relations;
  let unlisted = 0;
  const keepTo = (end: number): void => {
    if (identity[r] === 1) for (let d = unlisted; d < end; d++) visit(d, d);
  };
  for (let entry = entryStart[r]; entry < entryStart[r + 1] && sourceFirst[entry] < facts; entry++) {
    keepTo(sourceFirst[entry]);
    for (let d = sourceFirst[entry]; d <= sourceLast[entry] && d < facts; d++) {
      for (let i = targetStart[entry]; i < targetStart[entry + 1]; i++) visit(d, targets[i]);
    }
    unlisted = sourceLast[entry] + 1;
  }
  keepTo(facts);
}
