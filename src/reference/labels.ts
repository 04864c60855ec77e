/**
 * Labels, the second bit-row data-flow problem. For each node v and fact d there are two rows over (h, fact), h being
 * the ancestors-or-self of v in the elimination tree: F has (h, e) if (v, d) reaches (h, e), and B has it if (h, e)
 * reaches (v, d), along paths inside the subtree of h. Rows start with their own bit; along a chain from u to v the
 * prefix that both have in common flows backward for F and forward for B, until nothing grows.
 *
 * Where sweeps do not end soon or rows are long, labels come from elimination (eliminate.ts): they hold for all paths of the
 * procedure, and a query needs to look only at the ancestors in S of the lowest common ancestor. Finished rows are packed
 * into the image (label-packing.ts).
 *
 * Where a closure takes no more bytes, there is one in place of labels (closure.ts): F rows swept in the same way over
 * all nodes, as if each were an ancestor of all.
 */

import {
  MODE_CLOSURE,
  MODE_EXACT,
  MODE_JOINED,
  MODE_SEARCH,
  P_FACTS,
  P_HEIGHT,
  P_LABEL,
  P_LABEL_BITS,
  P_MODE,
  P_WIDTH,
} from "../../assembly/image.js";
import { allocateWords } from "./bitset.js";
import { closureBytes, MOST_CLOSURE_NODES } from "./closure.js";
import { Composition } from "./compose.js";
import { eliminate, eliminationWords } from "./eliminate.js";
import { Incoming } from "./incoming.js";
import { type Blocks, packBackward, packForward } from "./label-packing.js";
import { labelBase, labelShift } from "./label-rows.js";
import { classOf, Layout, NO_ROW, unite, uniteMasked } from "./layout.js";
import type { Program } from "./program.js";
import { Rows } from "./rows.js";

/** Most words of 64 bits in a row before labels come from elimination: one bound for both engines. */
const MOST_WORDS = 16;
/** Most words of 64 bits in matrices for elimination (1 GiB); beyond that, sweeps go on, exact as well. */
const MOST_ELIMINATION_WORDS = 2 ** 27;
/** Widest decomposition for elimination, whose cost grows with the width's square; real procedures have 11 at most. */
const MOST_ELIMINATION_WIDTH = 64;
const ALL_CLASSES = 32;

/**
 * Decides each procedure's mode, and lays out the label section. Returns the length of all labels in units of 8 bytes.
 */
export function planLabels(program: Program, budget: number, sweepLimit: number): number {
  let total = 0;
  for (let p = 0; p < program.procedures; p++) {
    program.image[program.recordOf(p) + P_LABEL] = total;
    total += planProcedure(program, p, budget, sweepLimit);
  }
  return total;
}

/**
 * Decides a procedure's mode, and where among its labels those of its nodes are. It answers from a closure where that is
 * no longer, unless elimination is asked for; by search where it would take more than `budget` bytes or has no elimination
 * tree. Returns the length of labels in units of 8 bytes.
 */
export function planProcedure(program: Program, p: number, budget: number, sweepLimit: number): number {
  const { image } = program;
  const record = program.recordOf(p);
  const perAncestor = image[record + P_LABEL_BITS];
  const height = image[record + P_HEIGHT];
  program.useProcedure(p);
  const mode = image[record + P_MODE] & MODE_JOINED;
  if (height === 0) {
    image[record + P_MODE] = mode | MODE_SEARCH;
    return 0;
  }
  let bytes = 0;
  for (let v = 0; v < program.nodeCount; v++) {
    program.setLabelOf(v, bytes);
    bytes += Math.floor((perAncestor * (program.depthOf(v) + 1) + 7) / 8);
  }
  let most = perAncestor * height;
  const { nodeCount } = program;
  const each = closureBytes(perAncestor, nodeCount);
  const hasClosure = nodeCount <= MOST_CLOSURE_NODES && each * nodeCount <= bytes && sweepLimit !== 0;
  if (hasClosure) {
    for (let v = 0; v < nodeCount; v++) program.setLabelOf(v, each * v);
    bytes = each * nodeCount;
    most = 8 * each;
  }
  const search = budget < bytes || 0x3fffffff < bytes || 0x7fffffff < most;
  image[record + P_MODE] = mode | (search ? MODE_SEARCH : hasClosure ? MODE_CLOSURE : 0);
  return search ? 0 : Math.floor((bytes + 7) / 8);
}

export class Labels {
  readonly #program: Program;
  readonly #sweepLimit: number;
  /** Of one ancestor, for elimination. */
  readonly #layout: Layout;
  readonly #rows: Rows;
  readonly #incoming = new Incoming();
  readonly #composition: Composition;

  // Working blocks of the procedure, class and direction at hand, kept for the next where they are large enough.
  /** The blocks, one more, and the masks. */
  #space = allocateWords(1 << 12, "Labels");
  /** Per node: its ancestors; its block, and behind the last where the blocks end; whether it is dirty. */
  #ancestorsOf = allocateWords(1 << 8, "Labels");
  #blockOf = allocateWords(1 << 8, "Labels");
  #dirty = allocateWords(1 << 8, "Labels");
  /** Per number of ancestors: its mask block. */
  #maskFor = allocateWords(1 << 8, "Labels");
  #moving = 0;
  /** Rows that are hidden for a while, and their words. */
  #hiddenRows = allocateWords(1 << 8, "Labels");
  #hidden = allocateWords(1 << 8, "Labels");
  #eliminationFits = false;
  /** Whether the procedure gets a closure: all nodes count as ancestors of each. */
  #closed = false;

  // What an arc's worth of moving works on.
  #planes = 0;
  #mask = 0;
  #partial = false;

  /** Most sweeps over a procedure so far, words united or composed: for tests that count work. */
  mostSweeps = 0;
  work = 0;

  /** A sweep is as much work as a visit to every node. */
  constructor(program: Program, sweepLimit: number) {
    this.#program = program;
    this.#sweepLimit = sweepLimit;
    this.#layout = new Layout(program);
    this.#rows = new Rows(program);
    let facts = 0;
    for (let p = 0; p < program.procedures; p++) {
      facts = Math.max(facts, program.words[program.recordOf(p) + P_FACTS]);
    }
    this.#composition = new Composition(program, facts);
  }

  /** Labels one procedure into `length` units of 8 bytes at `offset` among all labels. */
  labelAt(p: number, offset: number, length: number): void {
    const program = this.#program;
    const record = program.recordOf(p);
    program.image[record + P_LABEL] = offset;
    program.image[record + P_MODE] &= ~MODE_EXACT;
    program.useProcedure(p);
    program.words.fill(0, program.labels, program.labels + 2 * length);
    this.labelProcedure(p);
  }

  /** One class of group widths after the other; all of them by elimination if one of them asks for it. */
  labelProcedure(p: number): void {
    const program = this.#program;
    program.useProcedure(p);
    if ((program.mode & MODE_SEARCH) !== 0) return;
    const { words, record, groupCount, joined } = program;
    const layout = this.#layout;
    layout.layOut(0, ALL_CLASSES);
    const closed = (program.mode & MODE_CLOSURE) !== 0;
    this.#closed = closed;
    this.#eliminationFits =
      !closed &&
      program.words[program.record + P_WIDTH] <= MOST_ELIMINATION_WIDTH &&
      eliminationWords(layout) <= MOST_ELIMINATION_WORDS;
    this.#incoming.list(program);
    let lowest = 32;
    let highest = 0;
    for (let g = 0; g < groupCount; g++) {
      const c = classOf(program.columnsOf(g) + (joined ? 0 : 1));
      lowest = Math.min(lowest, c);
      highest = Math.max(highest, c);
    }
    // Widths 1 to 3 go together: a procedure's zero fact alone, single facts, pairs.
    const height = closed ? program.nodeCount : words[record + P_HEIGHT];
    this.#composition.compose();
    this.#findAncestors();
    let exact = false;
    let zeroDone = false;
    for (let c = Math.max(lowest, 2); c <= Math.max(highest, 2) && !exact; c++) {
      const from = c === 2 ? 0 : c;
      this.#rows.layOut(from, c, false, height);
      const { classWidth } = this.#rows;
      if (classWidth === 0) continue;
      exact = MOST_WORDS * 64 < height * classWidth && this.#eliminationFits;
      if (exact) break;
      this.#start(height);
      exact = !this.#sweepBackward();
      if (exact) break;
      packForward(program, this.#rows, this.#blocks, !zeroDone, closed);
      if (closed) {
        zeroDone = true;
        continue;
      }
      this.#rows.layOut(from, c, true, height);
      this.#start(height);
      exact = !this.#sweepForward();
      if (exact) break;
      packBackward(program, this.#rows, this.#blocks, !zeroDone);
      zeroDone = true;
    }
    if (!exact) return;
    words[record + P_MODE] |= MODE_EXACT;
    this.#clearLabels();
    this.work += eliminate(layout, this.#incoming);
  }

  get #blocks(): Blocks {
    return { space: this.#space, ancestorsOf: this.#ancestorsOf, blockOf: this.#blockOf };
  }

  #clearLabels(): void {
    const program = this.#program;
    const last = program.nodeCount - 1;
    const bits = program.image[program.record + P_LABEL_BITS] * (program.depthOf(last) + 1);
    const end = labelBase(program, last) + Math.ceil((labelShift(program, last) + bits) / 32);
    program.words.fill(0, labelBase(program, 0), end);
  }

  #findAncestors(): void {
    const program = this.#program;
    const { nodeCount } = program;
    if (this.#blockOf.length <= nodeCount) {
      this.#ancestorsOf = allocateWords(2 * nodeCount, "Labels");
      this.#blockOf = allocateWords(2 * nodeCount, "Labels");
      this.#dirty = allocateWords(2 * nodeCount, "Labels");
    }
    for (let v = 0; v < nodeCount; v++) {
      this.#ancestorsOf[v] = this.#closed ? nodeCount : program.depthOf(v) + 1;
    }
  }

  /** Blocks for all nodes whose rows hold their own bit alone; all nodes are dirty. */
  #start(height: number): void {
    const { nodeCount } = this.#program;
    const rows = this.#rows;
    const ancestorsOf = this.#ancestorsOf;
    const blockOf = this.#blockOf;
    if (this.#maskFor.length <= height) this.#maskFor = allocateWords(2 * height, "Labels");
    const maskFor = this.#maskFor;
    let words = 0;
    for (let v = 0; v < nodeCount; v++) {
      blockOf[v] = words;
      words += rows.blockWords(ancestorsOf[v]);
    }
    blockOf[nodeCount] = words;
    this.#moving = words;
    words += rows.blockWords(height);
    for (let a = 1; a <= height; a++) {
      maskFor[a] = words;
      words += rows.blockWords(a);
    }
    if (this.#space.length < words) this.#space = allocateWords(words, "Labels");
    const space = this.#space;
    for (let a = 1; a <= height; a++) rows.writeMask(space, maskFor[a], a);
    if (this.#hidden.length < rows.blockWords(height)) {
      this.#hidden = allocateWords(2 * rows.blockWords(height), "Labels");
    }
    if (this.#hiddenRows.length < rows.rowCount) {
      this.#hiddenRows = allocateWords(2 * rows.rowCount, "Labels");
    }
    space.fill(0, 0, blockOf[nodeCount]);
    this.#dirty.fill(1, 0, nodeCount);
    for (let v = 0; v < nodeCount; v++) {
      rows.setOwnBits(space, blockOf[v], this.#closed ? v : ancestorsOf[v] - 1);
    }
  }

  /** F rows, against the chains; false if more than `sweepLimit` sweeps were needed and elimination can do it. */
  #sweepBackward(): boolean {
    const program = this.#program;
    const { nodeCount } = program;
    const { start: incomingStart, chains: incoming } = this.#incoming;
    const dirty = this.#dirty;
    let waiting = nodeCount;
    let first = nodeCount - 1;
    let visits = 0;
    while (waiting !== 0) {
      if (this.#tooMany(visits)) return false;
      let v = first;
      first = 0;
      for (; waiting !== 0 && 0 <= v; v--) {
        if (dirty[v] === 0) continue;
        dirty[v] = 0;
        waiting--;
        visits++;
        const last = incomingStart[v + 1];
        for (let i = incomingStart[v]; i < last; i++) {
          const u = program.headOf(incoming[i]);
          if (this.#move(incoming[i], u, v, false) && dirty[u] === 0) {
            dirty[u] = 1;
            waiting++;
            if (v <= u && first < u) first = u;
          }
        }
      }
    }
    return true;
  }

  /** B rows, along the chains; false as above. */
  #sweepForward(): boolean {
    const program = this.#program;
    const { nodeBase, nodeCount, nodeOut } = program;
    const dirty = this.#dirty;
    let waiting = nodeCount;
    let first = 0;
    let visits = 0;
    while (waiting !== 0) {
      if (this.#tooMany(visits)) return false;
      let u = first;
      first = nodeCount;
      for (; waiting !== 0 && u < nodeCount; u++) {
        if (dirty[u] === 0) continue;
        dirty[u] = 0;
        waiting--;
        visits++;
        const last = nodeOut[nodeBase + u + 1];
        for (let chain = nodeOut[nodeBase + u]; chain < last; chain++) {
          const v = program.tailOf(chain);
          if (this.#move(chain, v, u, true) && dirty[v] === 0) {
            dirty[v] = 1;
            waiting++;
            if (v <= u && v < first) first = v;
          }
        }
      }
    }
    return true;
  }

  /** Whether the visits are more than the sweeps allowed; looked at between sweeps, the first of which is always free. */
  #tooMany(visits: number): boolean {
    const sweeps = Math.ceil(visits / this.#program.nodeCount);
    this.mostSweeps = Math.max(this.mostSweeps, sweeps + 1);
    return this.#eliminationFits && this.#sweepLimit <= sweeps;
  }

  /**
   * Unites node `to`'s rows with those of node `from` moved along a chain (`backward` rows) or against it; whether they
   * grew. Rows of facts that the chain does not keep are hidden, so that all others can be united in one run; rows of
   * facts that become others are then added one by one.
   */
  #move(chain: number, to: number, from: number, backward: boolean): boolean {
    const rows = this.#rows;
    const space = this.#space;
    const target = this.#blockOf[to];
    let source = this.#blockOf[from];
    const ancestorsFrom = this.#ancestorsOf[from];
    const a = Math.min(this.#ancestorsOf[to], ancestorsFrom);
    const planes = rows.planesFor(a);
    const words = planes * rows.rowCount;
    const mask = this.#maskFor[a];
    const partial = a < ancestorsFrom;
    this.work += words;
    const relation = this.#composition.relationOf[chain - this.#program.chainBase];
    if (relation === 0) {
      return partial ? uniteMasked(space, target, source, mask, words) : unite(space, target, source, words);
    }
    if (target === source) {
      source = this.#moving;
      space.copyWithin(source, target, target + words);
    }
    this.#planes = planes;
    this.#mask = mask;
    this.#partial = partial;
    const blocks = relation < 0 ? this.#composition.blocks : this.#program.relations;
    const block = relation < 0 ? ~relation : relation;
    const hidden = this.#hide(source, blocks, block, backward);
    let grown = partial
      ? uniteMasked(space, target, source, mask, words)
      : unite(space, target, source, words);
    if (hidden !== 0) this.#show(source, hidden);
    const m = blocks[block];
    const sources = block + 1;
    const ends = sources + m;
    const targets = ends + m;
    const { rowOf, zeroRow, zeroRowOf } = rows;
    let k = 0;
    for (let i = 0; i < m; i++) {
      const d = blocks[sources + i];
      const end = blocks[ends + i];
      const row = rowOf[d];
      if (d === 0 && zeroRow !== NO_ROW) {
        // The zero fact, in each group of its own.
        for (; k < end; k++) {
          const t = blocks[targets + k];
          const rowT = rowOf[t];
          if (t === 0 || rowT === NO_ROW) continue;
          const moved = backward
            ? this.#uniteRow(target, rowT, source, zeroRow)
            : this.#uniteRow(target, zeroRowOf[this.#program.groupOf(t)], source, rowT);
          if (moved) grown = true;
        }
      } else if (row === NO_ROW) k = end;
      else {
        for (; k < end; k++) {
          const t = blocks[targets + k];
          if (t === d) continue;
          const moved = backward
            ? this.#uniteRow(target, rowOf[t], source, row)
            : this.#uniteRow(target, row, source, rowOf[t]);
          if (moved) grown = true;
        }
      }
    }
    return grown;
  }

  /** Takes the rows of facts that a relation does not keep out of a block; how many. */
  #hide(source: number, blocks: Int32Array, block: number, backward: boolean): number {
    const { rowOf, zeroRow, zeroRowOf, groups, groupCount } = this.#rows;
    const m = blocks[block];
    const ends = block + 1 + m;
    const targets = ends + m;
    let count = 0;
    let k = 0;
    for (let i = 0; i < m; i++) {
      const d = blocks[block + 1 + i];
      const end = blocks[ends + i];
      const zero = d === 0 && zeroRow !== NO_ROW;
      const row = zero ? zeroRow : rowOf[d];
      if (row === NO_ROW) {
        k = end;
        continue;
      }
      while (k < end && blocks[targets + k] !== d) k++;
      if (k === end) {
        this.#hideRow(source, row, count++);
        if (zero && !backward) {
          for (let j = 0; j < groupCount; j++) this.#hideRow(source, zeroRowOf[groups[j]], count++);
        }
      }
      k = end;
    }
    return count;
  }

  #hideRow(source: number, row: number, i: number): void {
    const { rowCount } = this.#rows;
    const space = this.#space;
    const hidden = this.#hidden;
    const planes = this.#planes;
    this.#hiddenRows[i] = row;
    for (let plane = 0, at = source + row; plane < planes; plane++, at += rowCount) {
      hidden[i * planes + plane] = space[at];
      space[at] = 0;
    }
  }

  /** Puts hidden rows back. */
  #show(source: number, count: number): void {
    const { rowCount } = this.#rows;
    const space = this.#space;
    const hidden = this.#hidden;
    const planes = this.#planes;
    for (let i = 0; i < count; i++) {
      for (let plane = 0, at = source + this.#hiddenRows[i]; plane < planes; plane++, at += rowCount) {
        space[at] = hidden[i * planes + plane];
      }
    }
  }

  /** Unites a row of the target with one of the source, as far as both have ancestors; whether it grew. */
  #uniteRow(target: number, row: number, source: number, sourceRow: number): boolean {
    const { rowCount } = this.#rows;
    const space = this.#space;
    const planes = this.#planes;
    const mask = this.#mask;
    const partial = this.#partial;
    let grown = 0;
    for (let plane = 0, i = 0; plane < planes; plane++, i += rowCount) {
      const old = space[target + row + i];
      const added = space[source + sourceRow + i];
      const merged = old | (partial ? added & space[mask + sourceRow + i] : added);
      grown |= merged ^ old;
      space[target + row + i] = merged;
    }
    return grown !== 0;
  }
}
