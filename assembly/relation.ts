/**
 * Flow relations in their normal form. A relation over a procedure's facts is a block of words in the relation
 * section:
 *
 *     [ m | m sources, ascending | m ends of target lists, cumulative | targets, ascending per source ]
 *
 * A source that is not listed is related to itself alone, so block 0, a single 0, is the identity. Call relations,
 * whose sources and targets belong to different procedures, list every source that has a target; others have none.
 * During preprocessing the blocks stand in a growing vector, equal ones once; a relation is its word offset there. Real
 * programs have few different ones: keeping each once takes a quarter to a third off the memory of the first phase, and fresh
 * memory is what that costs most.
 */

import { allocate, allocateZeroed } from "./arena";
import { copyWords } from "./bitset";

/** No relation: memory is exhausted. */
export const NONE: u32 = 0xffffffff;

let vector: usize = 0;
let capacity: u32 = 0;
let used: u32 = 0;
/** Relations by content, each plus 1: a power of two of slots, at most half of them taken; 0 is an empty one. */
let table: usize = 0;
let slots: u32 = 0;
let taken: u32 = 0;

/** Starts the vector with the identity alone; a call relation that relates nothing is the same block. */
export function beginRelations(words: u32): bool {
  slots = 1 << 10;
  taken = 0;
  vector = allocate((<usize>words) << 2);
  table = allocateZeroed((<usize>slots) << 2);
  if (vector === 0 || table === 0) return false;
  capacity = words;
  store<u32>(vector, 0);
  store<u32>(vector + 4, 0);
  used = 0;
  return keepBlock(1) === 0;
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

/** Keeps the block just written; its relation, which is an earlier one where that is equal, or NONE. */
export function keepBlock(words: u32): u32 {
  const id = used;
  const slot = slotOf(id, words);
  const known = load<u32>(slot);
  if (known !== 0) return known - 1;
  store<u32>(slot, id + 1);
  used += words;
  taken++;
  return slots <= 2 * taken && !widenTable() ? NONE : id;
}

/** Address of the slot with the relation that is equal to the block of `words` words at `id`, or of the one for it. */
function slotOf(id: u32, words: u32): usize {
  const block = blockOf(id);
  const bytes = (<usize>words) << 2;
  let slot = hashOf(block, words) & (slots - 1);
  let at = table + ((<usize>slot) << 2);
  for (let known: u32 = 0; (known = load<u32>(at)) !== 0; at = table + ((<usize>slot) << 2)) {
    const other = blockOf(known - 1);
    if (blockLength(other) === words && memory.compare(other, block, bytes) === 0) break;
    slot = (slot + 1) & (slots - 1);
  }
  return at;
}

function widenTable(): bool {
  const old = table;
  const end = table + ((<usize>slots) << 2);
  table = allocateZeroed((<usize>slots) << 4);
  if (table === 0) return false;
  slots <<= 2;
  for (let at = old; at < end; at += 4) {
    const kept = load<u32>(at);
    if (kept !== 0) store<u32>(slotOf(kept - 1, blockLength(blockOf(kept - 1))), kept);
  }
  return true;
}

function hashOf(block: usize, words: u32): u32 {
  let hash: u32 = 0x811c9dc5;
  const end = block + ((<usize>words) << 2);
  for (; block < end; block += 4) {
    hash = (hash ^ load<u32>(block)) * 0x01000193;
    hash ^= hash >> 15;
  }
  return hash;
}

export function blockOf(relation: u32): usize {
  return vector + ((<usize>relation) << 2);
}

/** Words of a block. */
export function blockLength(block: usize): u32 {
  const m = entryCount(block);
  return m === 0 ? 1 : 1 + 2 * m + targetsTo(block, m, m - 1);
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
