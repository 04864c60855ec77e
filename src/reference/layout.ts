/**
 * How rows lie in scratch memory, and how a flow relation moves them. A *block* holds, for one vertex, a row per fact over
 * the columns (ancestor, fact of the row's group): with `a` ancestors and a group of m facts, a * m bits, ancestor by
 * ancestor in depth order. Facts of different groups never influence each other but for the zero fact, which therefore
 * has a row in every group (its local index is 0); in a joined procedure there is one group, and the zero fact is one
 * like any other.
 *
 * Blocks are stored plane by plane: first the first word of every row, then the second word of every row, and so on. So
 * a block's prefix of fewer ancestors is the beginning of the block under a mask, and uniting two blocks is one run over
 * plain words. Groups of very different widths would waste planes: the rows at hand are those of the groups whose width
 * lies in one class, and each class is a problem of its own.
 */

import { allocateWords, lowBits } from "./bitset.js";
import type { Program } from "./program.js";

/** No row: the fact's group is not in the class at hand. */
export const NO_ROW = -1;

/** Class of a width: its number of bits. */
export function classOf(width: number): number {
  return 32 - Math.clz32(width);
}

export class Layout {
  readonly program: Program;
  /** Per fact: its row; per group: the zero fact's row, and the columns per ancestor. */
  rowOf = allocateWords(64, "Layout");
  zeroRowOf = allocateWords(64, "Layout");
  widthOf = allocateWords(64, "Layout");
  groups = 0;
  /** Rows of a block, and from one plane to the next. */
  rowCount = 0;
  /** Largest width of a group in the class. */
  classWidth = 0;
  /** Whether every fact has a row. */
  complete = false;
  /** Planes that `moveForward` and `moveBackward` work on. */
  planes = 0;

  constructor(program: Program) {
    this.program = program;
  }

  /** Lays out the rows of the groups of the procedure at hand whose width is of one of the classes `from .. to`. */
  layOut(from: number, to: number): void {
    const { program } = this;
    const { factCount, groupCount, joined } = program;
    if (this.rowOf.length < factCount) {
      this.rowOf = allocateWords(2 * factCount, "Layout");
      this.zeroRowOf = allocateWords(2 * factCount, "Layout");
      this.widthOf = allocateWords(2 * factCount, "Layout");
    }
    const { rowOf, zeroRowOf, widthOf } = this;
    let rowCount = 0;
    let classWidth = 0;
    this.complete = true;
    for (let g = 0; g < groupCount; g++) {
      const width = program.columnsOf(g) + (joined ? 0 : 1);
      widthOf[g] = width;
      const c = classOf(width);
      if (c < from || to < c) {
        zeroRowOf[g] = NO_ROW;
        this.complete = false;
        continue;
      }
      zeroRowOf[g] = rowCount;
      rowCount += width;
      classWidth = Math.max(classWidth, width);
    }
    for (let d = 0; d < factCount; d++) {
      const first = zeroRowOf[program.groupOf(d)];
      rowOf[d] = first === NO_ROW ? NO_ROW : first + program.localOf(d);
    }
    this.groups = groupCount;
    this.rowCount = rowCount;
    this.classWidth = classWidth;
  }

  /** Planes of blocks over `ancestors` ancestors. */
  planesFor(ancestors: number): number {
    return (ancestors * this.classWidth + 31) >>> 5;
  }

  /** Words of a block over `ancestors` ancestors. */
  blockWords(ancestors: number): number {
    return this.planesFor(ancestors) * this.rowCount;
  }

  /** Sets in each row of a block the bit of (ancestor at `depth`, the row's own fact). */
  setOwnBits(space: Int32Array, block: number, depth: number): void {
    const { zeroRowOf, widthOf, groups, rowCount } = this;
    for (let g = 0; g < groups; g++) {
      const first = zeroRowOf[g];
      if (first === NO_ROW) continue;
      const width = widthOf[g];
      for (let i = 0; i < width; i++) {
        const bit = depth * width + i;
        space[block + (bit >>> 5) * rowCount + first + i] |= 1 << (bit & 31);
      }
    }
  }

  /** Writes a mask block: in each row the columns of the first `ancestors` ancestors. */
  writeMask(space: Int32Array, mask: number, ancestors: number): void {
    const { zeroRowOf, widthOf, groups, rowCount } = this;
    const planes = this.planesFor(ancestors);
    for (let g = 0; g < groups; g++) {
      const first = zeroRowOf[g];
      if (first === NO_ROW) continue;
      const width = widthOf[g];
      const bits = ancestors * width;
      for (let plane = 0; plane < planes; plane++) {
        const at = mask + plane * rowCount + first;
        space.fill(lowBits(Math.min(Math.max(bits - (plane << 5), 0), 32)), at, at + width);
      }
    }
  }

  /**
   * Moves a block along an arc: new row(t) = union of row(d) over the pairs (d, t) of the relation. `saved` is a second
   * block for the rows that are replaced.
   */
  moveForward(space: Int32Array, block: number, blocks: Int32Array, relation: number, saved: number): void {
    const { rowOf } = this;
    const m = blocks[relation];
    const sources = relation + 1;
    const ends = sources + m;
    const targets = ends + m;
    const zeroEntry = !this.program.joined && blocks[sources] === 0;
    const first = zeroEntry ? 1 : 0;
    const zeroEnd = zeroEntry ? blocks[ends] : 0;
    let end = zeroEnd;
    for (let i = first; i < m; i++) {
      const row = rowOf[blocks[sources + i]];
      const to = blocks[ends + i];
      if (row !== NO_ROW) {
        if (end !== to) this.#copyRow(space, saved + row, block + row);
        this.#clearRow(space, block + row);
      }
      end = to;
    }
    if (zeroEnd !== end) {
      let k = zeroEnd;
      for (let i = first; i < m; i++) {
        const to = blocks[ends + i];
        const row = rowOf[blocks[sources + i]];
        if (row === NO_ROW) k = to;
        for (; k < to; k++) this.#uniteRow(space, block + rowOf[blocks[targets + k]], saved + row);
      }
    }
    if (!zeroEntry) return;
    // The zero fact, entry 0: its rows still stand as they were, and no other fact is related to it.
    let kept = false;
    for (let k = 0; k < zeroEnd; k++) {
      const t = blocks[targets + k];
      if (t === 0) {
        kept = true;
        continue;
      }
      const row = rowOf[t];
      if (row !== NO_ROW) this.#uniteRow(space, block + row, block + this.#zeroRow(t));
    }
    if (!kept) this.#clearZero(space, block);
  }

  /** Moves a block against an arc: new row(d) = union of row(t) over the pairs (d, t) of the relation. */
  moveBackward(space: Int32Array, block: number, blocks: Int32Array, relation: number, saved: number): void {
    const { rowOf } = this;
    const m = blocks[relation];
    const sources = relation + 1;
    const ends = sources + m;
    const targets = ends + m;
    const zeroEntry = !this.program.joined && blocks[sources] === 0;
    const first = zeroEntry ? 1 : 0;
    const zeroEnd = zeroEntry ? blocks[ends] : 0;
    if (zeroEntry) {
      if (zeroEnd === 0 || blocks[targets] !== 0) this.#clearZero(space, block);
      for (let k = 0; k < zeroEnd; k++) {
        const t = blocks[targets + k];
        const row = t === 0 ? NO_ROW : rowOf[t];
        if (row !== NO_ROW) this.#uniteRow(space, block + this.#zeroRow(t), block + row);
      }
    }
    let k = zeroEnd;
    for (let i = first; i < m; i++) {
      const row = rowOf[blocks[sources + i]];
      const to = blocks[ends + i];
      if (row === NO_ROW) k = to;
      else if (k === to) this.#clearRow(space, saved + row);
      else {
        this.#copyRow(space, saved + row, block + rowOf[blocks[targets + k++]]);
        for (; k < to; k++) this.#uniteRow(space, saved + row, block + rowOf[blocks[targets + k]]);
      }
    }
    for (let i = first; i < m; i++) {
      const row = rowOf[blocks[sources + i]];
      if (row !== NO_ROW) this.#copyRow(space, block + row, saved + row);
    }
  }

  #zeroRow(fact: number): number {
    return this.zeroRowOf[this.program.groupOf(fact)];
  }

  #clearZero(space: Int32Array, block: number): void {
    for (let g = 0; g < this.groups; g++) {
      const row = this.zeroRowOf[g];
      if (row !== NO_ROW) this.#clearRow(space, block + row);
    }
  }

  // A row is given by its first word.

  #clearRow(space: Int32Array, row: number): void {
    const { planes, rowCount } = this;
    for (let plane = 0, at = row; plane < planes; plane++, at += rowCount) space[at] = 0;
  }

  #copyRow(space: Int32Array, target: number, source: number): void {
    const { planes, rowCount } = this;
    for (let plane = 0, i = 0; plane < planes; plane++, i += rowCount) space[target + i] = space[source + i];
  }

  #uniteRow(space: Int32Array, target: number, source: number): void {
    const { planes, rowCount } = this;
    for (let plane = 0, i = 0; plane < planes; plane++, i += rowCount) space[target + i] |= space[source + i];
  }
}

/** target |= source; whether target grew. */
export function unite(space: Int32Array, target: number, source: number, words: number): boolean {
  let grown = 0;
  for (let i = 0; i < words; i++) {
    const old = space[target + i];
    const merged = old | space[source + i];
    grown |= merged ^ old;
    space[target + i] = merged;
  }
  return grown !== 0;
}

/** target |= source & mask; whether target grew. */
export function uniteMasked(
  space: Int32Array,
  target: number,
  source: number,
  mask: number,
  words: number,
): boolean {
  let grown = 0;
  for (let i = 0; i < words; i++) {
    const old = space[target + i];
    const merged = old | (space[source + i] & space[mask + i]);
    grown |= merged ^ old;
    space[target + i] = merged;
  }
  return grown !== 0;
}

/** target = source & mask. */
export function copyMasked(
  space: Int32Array,
  target: number,
  source: number,
  mask: number,
  words: number,
): void {
  for (let i = 0; i < words; i++) space[target + i] = space[source + i] & space[mask + i];
}

export function copyBlock(space: Int32Array, target: number, source: number, words: number): void {
  for (let i = 0; i < words; i++) space[target + i] = space[source + i];
}
