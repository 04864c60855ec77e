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

import { allocateWords, enlargeWords } from "./bitset.js";

/** Words that a relation vector starts with. */
const FIRST_WORDS = 1 << 14;

export class Relations {
  /** The blocks, at first the identity alone; another array when the vector has grown. */
  words = allocateWords(FIRST_WORDS, "Relations");
  used = 1;

  /** Offset for a block of up to `words` words, to be written by the caller and then kept by `keepBlock`. */
  openBlock(words: number): number {
    if (this.words.length < this.used + words) {
      this.words = enlargeWords(this.words, this.used + words, "Relations");
    }
    return this.used;
  }

  /** Keeps the block just written; its relation id. */
  keepBlock(words: number): number {
    const id = this.used;
    this.used += words;
    return id;
  }
}

/** Words of a block. */
export function blockLength(blocks: Int32Array, block: number): number {
  const m = blocks[block];
  return m === 0 ? 1 : 1 + 2 * m + blocks[block + 2 * m];
}

/** Entry of `source` in a block, or -1 if it is not listed. */
export function findEntry(blocks: Int32Array, block: number, source: number): number {
  const sources = block + 1;
  let low = 0;
  let high = blocks[block];
  while (8 < high - low) {
    const middle = (low + high) >>> 1;
    if (blocks[sources + middle] <= source) low = middle;
    else high = middle;
  }
  for (; low < high; low++) {
    const s = blocks[sources + low];
    if (source <= s) return source === s ? low : -1;
  }
  return -1;
}

/** Where entry i's targets begin, as an offset in the vector. */
export function targetsFrom(blocks: Int32Array, block: number, i: number): number {
  const m = blocks[block];
  return block + 1 + 2 * m + (i === 0 ? 0 : blocks[block + m + i]);
}

/** Where entry i's targets end. */
export function targetsTo(blocks: Int32Array, block: number, i: number): number {
  const m = blocks[block];
  return block + 1 + 2 * m + blocks[block + 1 + m + i];
}
