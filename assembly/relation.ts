/**
 * Flow relations in their normal form. A relation over a procedure's facts is a block of words in the relation
 * section:
 *
 *     [ m | m sources, ascending | m ends of target lists, cumulative | targets, ascending per source ]
 *
 * A source that is not listed is related to itself alone, so block 0, a single 0, is the identity. Call relations,
 * whose sources and targets belong to different procedures, list every source that has a target; others have none.
 * During preprocessing the blocks stand in a growing vector; a relation is its word offset there.
 */

import { allocate } from "./arena";
import { copyWords } from "./bitset";

let vector: usize = 0;
let capacity: u32 = 0;
let used: u32 = 0;

/** Starts the vector with the identity alone. */
export function beginRelations(words: u32): bool {
  vector = allocate((<usize>words) << 2);
  if (vector === 0) return false;
  capacity = words;
  store<u32>(vector, 0);
  store<u32>(vector + 4, 0);
  used = 1;
  return true;
}

export function relationWords(): u32 {
  return used;
}

/** From now on relations are read from a finished image. */
export function useRelations(at: usize, words: u32): void {
  vector = at;
  capacity = words;
  used = words;
}

/** Address for a block of up to `words` words, to be written by the caller and then kept by `keepBlock`; 0 if none. */
export function openBlock(words: u32): usize {
  if (capacity - used < words) {
    let larger = capacity + (capacity >> 1);
    if (larger < used + words) larger = used + words;
    const moved = allocate((<usize>larger) << 2);
    if (moved === 0) return 0;
    copyWords(moved, vector, (used + 1) >> 1);
    vector = moved;
    capacity = larger;
  }
  return vector + ((<usize>used) << 2);
}

/** Keeps the block just written; its relation id. */
export function keepBlock(words: u32): u32 {
  const id = used;
  used += words;
  return id;
}

export function blockOf(relation: u32): usize {
  return vector + ((<usize>relation) << 2);
}

export function entryCount(block: usize): u32 {
  return load<u32>(block);
}

export function sourceAt(block: usize, i: u32): u32 {
  return load<u32>(block + 4 + ((<usize>i) << 2));
}

/** Where entry i's targets begin and end, as indices into the block's targets. */
export function targetsFrom(block: usize, m: u32, i: u32): u32 {
  return i === 0 ? 0 : load<u32>(block + 4 + ((<usize>(m + i - 1)) << 2));
}

export function targetsTo(block: usize, m: u32, i: u32): u32 {
  return load<u32>(block + 4 + ((<usize>(m + i)) << 2));
}

export function targetAt(block: usize, m: u32, k: u32): u32 {
  return load<u32>(block + 4 + ((<usize>(2 * m + k)) << 2));
}

/** Entry of `source`, or -1 if it is not listed. */
export function findEntry(block: usize, m: u32, source: u32): i32 {
  let low: u32 = 0;
  let high = m;
  while (high - low > 8) {
    const middle = (low + high) >> 1;
    if (sourceAt(block, middle) <= source) low = middle;
    else high = middle;
  }
  for (; low < high; low++) {
    const s = sourceAt(block, low);
    if (source <= s) return source === s ? <i32>low : -1;
  }
  return -1;
}
