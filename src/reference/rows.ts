/**
 * How label rows lie in scratch memory: the image's rows, each on words of its own. A *block* holds the rows of one node
 * in one direction, over its `a` ancestors: a row of a group with k columns has a * k bits, ancestor by ancestor in depth
 * order. Forward, the zero fact has a row in every group, beside the row of one column that says which zero facts it
 * reaches. Backward, rows begin with *zero planes*: the ancestors whose zero fact reaches this one; the zero fact's row
 * has nothing else. In a joined procedure the zero fact is a fact like any other.
 *
 * Blocks are stored plane by plane: first the first word of every row, then the second word of every row, and so on. So
 * a block's prefix of fewer ancestors is the beginning of the block under a mask, and uniting two blocks is one run over
 * words. Groups of very different widths would waste planes: the rows at hand are those of the groups whose width (the
 * zero fact included) lies in one class, and each class is a problem of its own.
 */

import { allocateWords, lowBits } from "./bitset.js";
import { classOf, NO_ROW } from "./layout.js";
import type { Program } from "./program.js";

export class Rows {
  readonly program: Program;
  /** Per fact: its row; per group: the zero fact's row, forward, and the first row of another fact. */
  rowOf = allocateWords(64, "Labels");
  zeroRowOf = allocateWords(64, "Labels");
  firstRowOf = allocateWords(64, "Labels");
  /** The groups at hand. */
  groups = allocateWords(64, "Labels");
  groupCount = 0;
  /** Per row: columns per ancestor behind the zero planes. */
  columnsOf = allocateWords(129, "Labels");
  /** The zero fact's row of one column, or of zero planes alone; none in a joined procedure. */
  zeroRow = NO_ROW;
  /** Rows of a block, and from one plane to the next. */
  rowCount = 0;
  zeroPlanes = 0;
  /** Largest width of a group in the class, the zero fact included; 0 if it has no groups. */
  classWidth = 0;
  #mostColumns = 0;

  constructor(program: Program) {
    this.program = program;
  }

  /** Lays out the groups of the procedure at hand whose width is of one of the classes `from .. to`. */
  layOut(from: number, to: number, backward: boolean, height: number): void {
    const { program } = this;
    const { factCount, groupCount, joined } = program;
    if (this.rowOf.length < factCount) {
      this.rowOf = allocateWords(2 * factCount, "Labels");
      this.zeroRowOf = allocateWords(2 * factCount, "Labels");
      this.firstRowOf = allocateWords(2 * factCount, "Labels");
      this.groups = allocateWords(2 * factCount, "Labels");
      this.columnsOf = allocateWords(4 * factCount + 1, "Labels");
    }
    const { rowOf, zeroRowOf, firstRowOf, columnsOf } = this;
    const skip = joined ? 0 : 1;
    this.groupCount = 0;
    let rows = 0;
    let classWidth = 0;
    let mostColumns = 0;
    this.zeroRow = NO_ROW;
    this.zeroPlanes = backward && !joined ? (height + 31) >>> 5 : 0;
    for (let g = 0; g < groupCount; g++) {
      const k = program.columnsOf(g);
      const c = classOf(k + skip);
      zeroRowOf[g] = NO_ROW;
      firstRowOf[g] = NO_ROW;
      if (c < from || to < c) continue;
      this.groups[this.groupCount++] = g;
      classWidth = Math.max(classWidth, k + skip);
      mostColumns = Math.max(mostColumns, k);
      if (!joined && !backward) {
        columnsOf[rows] = k;
        zeroRowOf[g] = rows++;
      }
      firstRowOf[g] = rows;
      columnsOf.fill(k, rows, rows + k);
      rows += k;
    }
    for (let d = skip; d < factCount; d++) {
      const first = firstRowOf[program.groupOf(d)];
      rowOf[d] = first === NO_ROW ? NO_ROW : first + program.localOf(d) - skip;
    }
    if (!joined) {
      rowOf[0] = NO_ROW;
      if (classWidth !== 0) {
        columnsOf[rows] = backward ? 0 : 1;
        mostColumns = Math.max(mostColumns, columnsOf[rows]);
        this.zeroRow = rows++;
      }
    }
    this.rowCount = rows;
    this.classWidth = classWidth;
    this.#mostColumns = mostColumns;
  }

  /** Planes of blocks over `ancestors` ancestors. */
  planesFor(ancestors: number): number {
    return this.zeroPlanes + ((ancestors * this.#mostColumns + 31) >>> 5);
  }

  /** Words of a block over `ancestors` ancestors. */
  blockWords(ancestors: number): number {
    return this.planesFor(ancestors) * this.rowCount;
  }

  /** Sets in each row of a block the bit of (ancestor at `depth`, the row's own fact). */
  setOwnBits(space: Int32Array, block: number, depth: number): void {
    const { program, rowOf, rowCount, zeroPlanes, zeroRow, columnsOf } = this;
    const { factCount, joined } = program;
    const first = block + zeroPlanes * rowCount;
    const skip = joined ? 0 : 1;
    for (let d = skip; d < factCount; d++) {
      const row = rowOf[d];
      if (row === NO_ROW) continue;
      const bit = depth * columnsOf[row] + program.localOf(d) - skip;
      space[first + (bit >>> 5) * rowCount + row] |= 1 << (bit & 31);
    }
    if (zeroRow !== NO_ROW) space[block + (depth >>> 5) * rowCount + zeroRow] |= 1 << (depth & 31);
  }

  /** Writes a mask block: in each row the columns of the first `ancestors` ancestors. */
  writeMask(space: Int32Array, mask: number, ancestors: number): void {
    const { rowCount, zeroPlanes, columnsOf } = this;
    const planes = this.planesFor(ancestors);
    for (let plane = 0; plane < zeroPlanes; plane++) {
      const at = mask + plane * rowCount;
      space.fill(lowBits(Math.min(Math.max(ancestors - (plane << 5), 0), 32)), at, at + rowCount);
    }
    for (let plane = zeroPlanes; plane < planes; plane++) {
      const low = (plane - zeroPlanes) << 5;
      for (let row = 0; row < rowCount; row++) {
        const bits = ancestors * columnsOf[row] - low;
        space[mask + plane * rowCount + row] = lowBits(Math.min(Math.max(bits, 0), 32));
      }
    }
  }
}
