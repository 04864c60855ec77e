/**
 * Labels, the second bit-row data-flow problem. For each node v and fact d there are two rows over (h, fact), h being
 * the ancestors-or-self of v in the elimination tree: F has (h, e) if (v, d) reaches (h, e), and B has it if (h, e)
 * reaches (v, d), along paths inside the subtree of h. Rows start with their own bit; along a chain from u to v the
 * prefix that both have in common flows backward for F and forward for B, until nothing grows.
 *
 * In the image a node's labels are bits without gaps. With a = depth + 1 ancestors, and for each group its k columns
 * (facts other than the zero fact, which has no columns of its own, since nothing but itself reaches it):
 *
 *     | S: a | FZ: a | BZ: a |  per group: F of zero, of each fact: a * k | B of each fact: a * k | B0 of each fact: a |
 *
 * FZ and BZ: the ancestors whose zero fact (v, 0) reaches, and that reach (v, 0); B0: those whose zero fact reaches
 * (v, d). A joined procedure has S, and k = |D*| columns and rows for F and B. S is empty unless the procedure is exact:
 * where sweeps do not end soon or rows are long, labels come from elimination (eliminate.ts), hold for all paths of the
 * procedure, and a query needs to look only at the ancestors in S of the lowest common ancestor.
 */

import {
  MODE_EXACT,
  MODE_JOINED,
  MODE_SEARCH,
  P_HEIGHT,
  P_LABEL,
  P_LABEL_BITS,
  P_MODE,
} from "../../assembly/image.js";
import { allocateWords, lowBits, putBits } from "./bitset.js";
import { eliminate, eliminationWords } from "./eliminate.js";
import { Incoming } from "./incoming.js";
import { classOf, copyBlock, copyMasked, Layout, NO_ROW, unite, uniteMasked } from "./layout.js";
import type { Program } from "./program.js";

/** Most words of 64 bits in a row before labels come from elimination: one bound for both engines. */
const MOST_WORDS = 16;
/** Most words of 64 bits in matrices for elimination (1 GiB); beyond that, sweeps go on, exact as well. */
const MOST_ELIMINATION_WORDS = 2 ** 27;
const ALL_CLASSES = 32;

/** Offsets of the zero fact's rows, in bits per ancestor. */
export const FORWARD_ZERO = 1;
export const BACKWARD_ZERO = 2;

/** Word of the image in which a node's labels begin, and at which of its bits. */
export function labelBase(program: Program, node: number): number {
  return program.labels + (program.labelOf(node) >>> 2);
}

export function labelShift(program: Program, node: number): number {
  return (program.labelOf(node) & 3) << 3;
}

/** Offsets of rows among a node's labels, in bits per ancestor. `local` is a fact's index in its group. */
export function forwardRow(program: Program, group: number, local: number): number {
  return program.offsetOf(group) + local * program.columnsOf(group);
}

export function backwardRow(program: Program, group: number, local: number): number {
  const k = program.columnsOf(group);
  return program.offsetOf(group) + (k + local) * k;
}

export function backwardZeroRow(program: Program, group: number, local: number): number {
  const k = program.columnsOf(group);
  return program.offsetOf(group) + (k + k + 1) * k + local - 1;
}

/**
 * Decides each procedure's mode, and lays out the label section: a procedure whose labels would take more than `budget`
 * bytes answers by search. Returns the length of all labels in units of 8 bytes.
 */
export function planLabels(program: Program, budget: number): number {
  const { procedures, image } = program;
  let total = 0;
  for (let p = 0; p < procedures; p++) {
    const record = program.recordOf(p);
    const perAncestor = image[record + P_LABEL_BITS];
    const height = image[record + P_HEIGHT];
    program.useProcedure(p);
    const mode = image[record + P_MODE] & MODE_JOINED;
    let bytes = 0;
    for (let v = 0; v < program.nodeCount; v++) {
      program.setLabelOf(v, bytes);
      bytes += Math.floor((perAncestor * (program.depthOf(v) + 1) + 7) / 8);
    }
    const search = height === 0 || budget < bytes || 0x3fffffff < bytes || 0x7fffffff < perAncestor * height;
    image[record + P_MODE] = search ? mode | MODE_SEARCH : mode;
    image[record + P_LABEL] = total;
    if (!search) total += Math.floor((bytes + 7) / 8);
  }
  return total;
}

export class Labels {
  readonly #program: Program;
  readonly #sweepLimit: number;
  readonly #layout: Layout;
  readonly #incoming = new Incoming();

  // Working blocks of the procedure and class being labelled, kept for the next where they are large enough.
  /** The blocks, two blocks on their way along a chain, and the masks. */
  #space = allocateWords(1 << 12, "Labels");
  /** Per node: its block; behind the last, where the blocks end. */
  #blockOf = allocateWords(1 << 8, "Labels");
  #dirty = allocateWords(1 << 8, "Labels");
  /** Per number of ancestors: its mask block. */
  #maskFor = allocateWords(1 << 8, "Labels");
  #moving = 0;
  #saved = 0;
  #eliminationFits = false;

  /** Most sweeps over a procedure so far, words united or composed: for tests that count work. */
  mostSweeps = 0;
  work = 0;

  /** A sweep is as much work as a visit to every node. */
  constructor(program: Program, sweepLimit: number) {
    this.#program = program;
    this.#sweepLimit = sweepLimit;
    this.#layout = new Layout(program);
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
    const { words, record, nodeCount } = program;
    if ((program.mode & MODE_SEARCH) !== 0) return;
    const layout = this.#layout;
    const height = words[record + P_HEIGHT];
    this.#incoming.list(program);
    layout.layOut(0, ALL_CLASSES);
    this.#eliminationFits = eliminationWords(layout) <= MOST_ELIMINATION_WORDS;
    let lowest = 32;
    let highest = 0;
    for (let g = 0; g < layout.groups; g++) {
      const c = classOf(layout.widthOf[g]);
      lowest = Math.min(lowest, c);
      highest = Math.max(highest, c);
    }
    // Widths 1 to 3 go together: a procedure's zero fact alone, single facts, pairs.
    let exact = false;
    let zeroDone = false;
    for (let c = Math.max(lowest, 2); c <= Math.max(highest, 2) && !exact; c++) {
      layout.layOut(c === 2 ? 0 : c, c);
      if (layout.classWidth === 0) continue;
      if (MOST_WORDS * 64 < height * layout.classWidth && this.#eliminationFits) {
        exact = true;
        break;
      }
      this.#prepare(height);
      this.#start();
      exact = !this.#sweepBackward();
      if (!exact) {
        for (let v = 0; v < nodeCount; v++) this.#packForward(v, !zeroDone);
        this.#start();
        exact = !this.#sweepForward();
      }
      if (!exact) {
        for (let v = 0; v < nodeCount; v++) this.#packBackward(v, !zeroDone);
        zeroDone = true;
      }
    }
    if (!exact) return;
    words[record + P_MODE] |= MODE_EXACT;
    layout.layOut(0, ALL_CLASSES);
    this.#clearLabels();
    this.work += eliminate(layout, this.#incoming);
  }

  #clearLabels(): void {
    const program = this.#program;
    const last = program.nodeCount - 1;
    const bits = program.image[program.record + P_LABEL_BITS] * (program.depthOf(last) + 1);
    const end = labelBase(program, last) + Math.ceil((labelShift(program, last) + bits) / 32);
    program.words.fill(0, labelBase(program, 0), end);
  }

  #prepare(height: number): void {
    const program = this.#program;
    const { nodeCount } = program;
    const layout = this.#layout;
    if (this.#blockOf.length <= nodeCount) {
      this.#blockOf = allocateWords(2 * nodeCount, "Labels");
      this.#dirty = allocateWords(2 * nodeCount, "Labels");
    }
    if (this.#maskFor.length <= height) this.#maskFor = allocateWords(2 * height, "Labels");
    const blockOf = this.#blockOf;
    const maskFor = this.#maskFor;
    let words = 0;
    for (let v = 0; v < nodeCount; v++) {
      blockOf[v] = words;
      words += layout.blockWords(program.depthOf(v) + 1);
    }
    blockOf[nodeCount] = words;
    this.#moving = words;
    words += layout.blockWords(height);
    this.#saved = words;
    words += layout.blockWords(height);
    const masks = words;
    for (let a = 1; a <= height; a++) {
      maskFor[a] = words;
      words += layout.blockWords(a);
    }
    if (this.#space.length < words) this.#space = allocateWords(words, "Labels");
    this.#space.fill(0, masks, words);
    for (let a = 1; a <= height; a++) layout.writeMask(this.#space, maskFor[a], a);
  }

  /** All rows hold their own bit alone; all nodes are dirty. */
  #start(): void {
    const program = this.#program;
    const { nodeCount } = program;
    const layout = this.#layout;
    const space = this.#space;
    const blockOf = this.#blockOf;
    space.fill(0, 0, blockOf[nodeCount]);
    this.#dirty.fill(1, 0, nodeCount);
    for (let v = 0; v < nodeCount; v++) layout.setOwnBits(space, blockOf[v], program.depthOf(v));
  }

  /** F rows, against the chains; false if more than `sweepLimit` sweeps were needed and elimination can do it. */
  #sweepBackward(): boolean {
    const program = this.#program;
    const { nodeCount, arcRelation, relations } = program;
    const { start: incomingStart, chains: incoming } = this.#incoming;
    const layout = this.#layout;
    const space = this.#space;
    const blockOf = this.#blockOf;
    const dirty = this.#dirty;
    const maskFor = this.#maskFor;
    const moving = this.#moving;
    const saved = this.#saved;
    let waiting = nodeCount;
    let first = nodeCount - 1;
    let visits = 0;
    let work = 0;
    while (waiting !== 0) {
      if (this.#tooMany(visits)) return false;
      let v = first;
      first = 0;
      for (; waiting !== 0 && 0 <= v; v--) {
        if (dirty[v] === 0) continue;
        dirty[v] = 0;
        waiting--;
        visits++;
        const countV = program.depthOf(v) + 1;
        const last = incomingStart[v + 1];
        for (let i = incomingStart[v]; i < last; i++) {
          const chain = incoming[i];
          const u = program.headOf(chain);
          const a = Math.min(program.depthOf(u) + 1, countV);
          const planes = layout.planesFor(a);
          const words = planes * layout.rowCount;
          layout.planes = planes;
          work += words;
          let block = blockOf[v];
          const firstArc = program.firstArcOf(chain);
          for (let arc = program.firstArcOf(chain + 1); firstArc < arc; ) {
            const relation = arcRelation[--arc];
            if (relation === 0) continue;
            if (block !== moving) {
              if (a === countV) copyBlock(space, moving, block, words);
              else copyMasked(space, moving, block, maskFor[a], words);
              block = moving;
            }
            layout.moveBackward(space, moving, relations, relation, saved);
          }
          const grown =
            block === moving || a === countV
              ? unite(space, blockOf[u], block, words)
              : uniteMasked(space, blockOf[u], block, maskFor[a], words);
          if (grown && dirty[u] === 0) {
            dirty[u] = 1;
            waiting++;
            if (v <= u && first < u) first = u;
          }
        }
      }
    }
    this.work += work;
    return true;
  }

  /** Whether the visits are more than the sweeps allowed; looked at between sweeps, the first of which is always free. */
  #tooMany(visits: number): boolean {
    const sweeps = Math.ceil(visits / this.#program.nodeCount);
    this.mostSweeps = Math.max(this.mostSweeps, sweeps + 1);
    return this.#eliminationFits && this.#sweepLimit <= sweeps;
  }

  /** B rows, along the chains; false as above. */
  #sweepForward(): boolean {
    const program = this.#program;
    const { nodeBase, nodeCount, nodeOut, arcRelation, relations } = program;
    const layout = this.#layout;
    const space = this.#space;
    const blockOf = this.#blockOf;
    const dirty = this.#dirty;
    const maskFor = this.#maskFor;
    const moving = this.#moving;
    const saved = this.#saved;
    let waiting = nodeCount;
    let first = 0;
    let visits = 0;
    let work = 0;
    while (waiting !== 0) {
      if (this.#tooMany(visits)) return false;
      let u = first;
      first = nodeCount;
      for (; waiting !== 0 && u < nodeCount; u++) {
        if (dirty[u] === 0) continue;
        dirty[u] = 0;
        waiting--;
        visits++;
        const countU = program.depthOf(u) + 1;
        const last = nodeOut[nodeBase + u + 1];
        for (let chain = nodeOut[nodeBase + u]; chain < last; chain++) {
          const v = program.tailOf(chain);
          const a = Math.min(countU, program.depthOf(v) + 1);
          const planes = layout.planesFor(a);
          const words = planes * layout.rowCount;
          layout.planes = planes;
          work += words;
          let block = blockOf[u];
          const lastArc = program.firstArcOf(chain + 1);
          for (let arc = program.firstArcOf(chain); arc < lastArc; arc++) {
            const relation = arcRelation[arc];
            if (relation === 0) continue;
            if (block !== moving) {
              if (a === countU) copyBlock(space, moving, block, words);
              else copyMasked(space, moving, block, maskFor[a], words);
              block = moving;
            }
            layout.moveForward(space, moving, relations, relation, saved);
          }
          const grown =
            block === moving || a === countU
              ? unite(space, blockOf[v], block, words)
              : uniteMasked(space, blockOf[v], block, maskFor[a], words);
          if (grown && dirty[v] === 0) {
            dirty[v] = 1;
            waiting++;
            if (v <= u && v < first) first = v;
          }
        }
      }
    }
    this.work += work;
    return true;
  }

  #packForward(v: number, withZero: boolean): void {
    const program = this.#program;
    const { joined, words: image } = program;
    const { groups, zeroRowOf, widthOf, rowCount } = this.#layout;
    const space = this.#space;
    const block = this.#blockOf[v];
    const a = program.depthOf(v) + 1;
    const to = labelBase(program, v);
    const shift = labelShift(program, v);
    const skip = joined ? 0 : 1;
    let zero = withZero && !joined;
    for (let g = 0; g < groups; g++) {
      const first = zeroRowOf[g];
      if (first === NO_ROW) continue;
      const width = widthOf[g];
      const k = width - skip;
      if (zero) {
        packRow(image, to, shift + a * FORWARD_ZERO, space, block + first, rowCount, a, width, 0, 1);
        zero = false;
      }
      let bit = shift + a * forwardRow(program, g, 0);
      for (let i = 0; i < width; i++, bit += a * k) {
        packRow(image, to, bit, space, block + first + i, rowCount, a, width, skip, k);
      }
    }
  }

  #packBackward(v: number, withZero: boolean): void {
    const program = this.#program;
    const { joined, words: image } = program;
    const { groups, zeroRowOf, widthOf, rowCount } = this.#layout;
    const space = this.#space;
    const block = this.#blockOf[v];
    const a = program.depthOf(v) + 1;
    const to = labelBase(program, v);
    const shift = labelShift(program, v);
    const skip = joined ? 0 : 1;
    let zero = withZero && !joined;
    for (let g = 0; g < groups; g++) {
      const first = zeroRowOf[g];
      if (first === NO_ROW) continue;
      const width = widthOf[g];
      const k = width - skip;
      if (zero) {
        packRow(image, to, shift + a * BACKWARD_ZERO, space, block + first, rowCount, a, width, 0, 1);
        zero = false;
      }
      let bit = shift + a * backwardRow(program, g, skip);
      let zeroBit = shift + a * backwardZeroRow(program, g, 1);
      for (let i = skip; i < width; i++, bit += a * k, zeroBit += a) {
        const row = block + first + i;
        packRow(image, to, bit, space, row, rowCount, a, width, skip, k);
        if (!joined) packRow(image, to, zeroBit, space, row, rowCount, a, width, 0, 1);
      }
    }
  }
}

/** Columns `skip .. skip + k - 1` of the first `a` ancestors in a working row, to label bits from `to` on. */
function packRow(
  image: Int32Array,
  base: number,
  to: number,
  space: Int32Array,
  row: number,
  rowCount: number,
  a: number,
  width: number,
  skip: number,
  k: number,
): void {
  if (k === 0) return;
  // Bits wait in `packed` until the next ones would not fit a word.
  let packed = 0;
  let filled = 0;
  if (a * width <= 32) {
    const mask = lowBits(k);
    for (let rest = space[row] >>> skip; rest !== 0; rest = width === 32 ? 0 : rest >>> width) {
      packed |= (rest & mask) << filled;
      filled += k;
    }
    if (packed !== 0) putBits(image, base, to, packed);
    return;
  }
  let bit = to;
  let from = skip;
  for (let h = 0; h < a; h++, from += width) {
    let source = from;
    for (let rest = k; rest !== 0; ) {
      const count = Math.min(rest, 32 - filled);
      const at = row + (source >>> 5) * rowCount;
      const shift = source & 31;
      let bits = space[at] >>> shift;
      if (32 < shift + count) bits |= space[at + rowCount] << (32 - shift);
      packed |= (bits & lowBits(count)) << filled;
      filled += count;
      source += count;
      rest -= count;
      if (filled === 32) {
        if (packed !== 0) putBits(image, base, bit, packed);
        bit += 32;
        packed = 0;
        filled = 0;
      }
    }
  }
  if (packed !== 0) putBits(image, base, bit, packed);
}
