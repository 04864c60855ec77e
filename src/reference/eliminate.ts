/**
 * Labels by elimination: the route whose cost has a bound, O(n w height m^3 / 32) for groups of m facts, whatever the
 * shape of the procedure (ESOP 2020, section 4; the elimination of a Kleene algebra's matrix along the elimination tree).
 * Upward, every node v is eliminated into relations between its later neighbours N+(v); downward, labels of v follow
 * from those of N+(v). Labels are exact for the whole procedure, so that every path between two nodes is found at L or
 * N+(L), L being their lowest common ancestor.
 *
 * A matrix is a block with one ancestor (layout.ts): row t has the facts d of its group that lead to t. `a ; b` below
 * means first a, then b.
 */

import { P_HEIGHT, P_WIDTH } from "../../assembly/image.js";
import { allocateWords, lowestBit } from "./bitset.js";
import type { Incoming } from "./incoming.js";
import {
  BACKWARD_ZERO,
  backwardRow,
  backwardZeroRow,
  FORWARD_ZERO,
  forwardRow,
  labelBase,
  labelShift,
} from "./label-rows.js";
import { copyBlock, type Layout, unite } from "./layout.js";

const NONE = -1;

/** Words of 64 bits that the kernel takes at most for the procedure and layout at hand: one measure for both engines. */
export function eliminationWords({ program, rowCount, classWidth }: Layout): number {
  const { words, record, nodeCount } = program;
  const perNode = 1 + 2 * words[record + P_WIDTH] + 2 * words[record + P_HEIGHT];
  return nodeCount * perNode * ((classWidth + 63) >>> 6) * ((rowCount + 1) & ~1);
}

/** Labels the procedure at hand in the layout at hand, which has all groups; the words composed on the way. */
export function eliminate(layout: Layout, incoming: Incoming): number {
  const elimination = new Elimination(layout, incoming);
  elimination.relateChains();
  elimination.eliminateUpward();
  elimination.labelDownward();
  elimination.pack();
  return elimination.work;
}

class Elimination {
  readonly #layout: Layout;
  /** Nodes, deepest first. */
  readonly #sequence: Int32Array;
  /** Per node: parent in the elimination tree; N+(v), the deepest first, between its start and end in `#higher`. */
  readonly #parent: Int32Array;
  readonly #higherStart: Int32Array;
  readonly #higherEnd: Int32Array;
  readonly #higher: Int32Array;
  readonly #stamp: Int32Array;
  /**
   * The matrices R(v, v) at `size * v`, then R(v, x) and R(x, v) for x in N+(v), then the label matrices, then two blocks
   * that relations move through and one for a product.
   */
  readonly #space: Int32Array;
  readonly #size: number;
  /** Per node: first of its label matrices; F(v, h) and B(v, h) for each depth h, two by two. */
  readonly #labelStart: Int32Array;
  readonly #moving: number;
  work = 0;

  constructor(layout: Layout, incoming: Incoming) {
    this.#layout = layout;
    const { program } = layout;
    const { nodeCount, words, record } = program;
    const width = words[record + P_WIDTH];
    this.#sequence = this.#findOrder(words[record + P_HEIGHT]);
    this.#parent = allocateWords(nodeCount, "Labels").fill(NONE);
    this.#higherStart = allocateWords(nodeCount, "Labels");
    this.#higherEnd = allocateWords(nodeCount, "Labels");
    this.#higher = allocateWords(nodeCount * width + 1, "Labels");
    this.#stamp = allocateWords(nodeCount, "Labels").fill(NONE);
    const higherCount = this.#findHigher(incoming);
    this.#labelStart = allocateWords(nodeCount, "Labels");
    let count = nodeCount + 2 * higherCount;
    for (let v = 0; v < nodeCount; v++) {
      this.#labelStart[v] = count;
      count += 2 * (program.depthOf(v) + 1);
    }
    layout.planes = layout.planesFor(1);
    this.#size = layout.blockWords(1);
    this.#moving = this.#size * count;
    this.#space = allocateWords(this.#moving + 3 * this.#size, "Labels");
  }

  #findOrder(height: number): Int32Array {
    const { program } = this.#layout;
    const { nodeCount } = program;
    const sequence = allocateWords(nodeCount, "Labels");
    const places = allocateWords(height + 1, "Labels");
    for (let v = 0; v < nodeCount; v++) places[height - program.depthOf(v)]++;
    for (let i = 0; i < height; i++) places[i + 1] += places[i];
    for (let v = 0; v < nodeCount; v++) sequence[places[height - 1 - program.depthOf(v)]++] = v;
    return sequence;
  }

  /** Symbolic elimination: N+(v) is v's neighbours above it, and what its children have in N+ besides v. */
  #findHigher(incoming: Incoming): number {
    const { program } = this.#layout;
    const { nodeCount, nodeBase, nodeOut } = program;
    const sequence = this.#sequence;
    const higher = this.#higher;
    // Lists of children by parent.
    const firstChild = allocateWords(nodeCount, "Labels").fill(NONE);
    const nextChild = allocateWords(nodeCount, "Labels").fill(NONE);
    let end = 0;
    for (let i = 0; i < nodeCount; i++) {
      const v = sequence[i];
      const begin = end;
      const lastOut = nodeOut[nodeBase + v + 1];
      for (let c = nodeOut[nodeBase + v]; c < lastOut; c++)
        end = this.#note(program.tailOf(c), v, begin, end);
      const lastIn = incoming.start[v + 1];
      for (let i = incoming.start[v]; i < lastIn; i++) {
        end = this.#note(program.headOf(incoming.chains[i]), v, begin, end);
      }
      for (let child = firstChild[v]; child !== NONE; child = nextChild[child]) {
        const last = this.#higherEnd[child];
        for (let k = this.#higherStart[child]; k < last; k++) end = this.#note(higher[k], v, begin, end);
      }
      this.#higherStart[v] = begin;
      this.#higherEnd[v] = end;
      if (begin === end) continue;
      const above = higher[begin];
      this.#parent[v] = above;
      nextChild[v] = firstChild[above];
      firstChild[above] = v;
    }
    return end;
  }

  /** Adds x to N+(v) in order of depth if it lies above v and is new; the new end. */
  #note(x: number, v: number, begin: number, end: number): number {
    const { program } = this.#layout;
    const higher = this.#higher;
    const depth = program.depthOf(x);
    if (program.depthOf(v) <= depth || this.#stamp[x] === v) return end;
    this.#stamp[x] = v;
    let k = end;
    for (; begin < k && program.depthOf(higher[k - 1]) < depth; k--) higher[k] = higher[k - 1];
    higher[k] = x;
    return end + 1;
  }

  /** R(u, v) for u = v or one of them in N+ of the other. */
  #matrix(u: number, v: number): number {
    if (u === v) return this.#size * u;
    const { program } = this.#layout;
    const up = program.depthOf(v) < program.depthOf(u);
    const low = up ? u : v;
    const high = up ? v : u;
    let k = this.#higherStart[low];
    while (this.#higher[k] !== high) k++;
    return this.#size * (program.nodeCount + 2 * k + (up ? 0 : 1));
  }

  /** F(v, h), or B(v, h) if `backward` is 1. */
  #labelMatrix(v: number, depth: number, backward: number): number {
    return this.#size * (this.#labelStart[v] + 2 * depth + backward);
  }

  relateChains(): void {
    const layout = this.#layout;
    const { program } = layout;
    const { chainBase, chainCount, arcRelation, relations } = program;
    const space = this.#space;
    const size = this.#size;
    const moving = this.#moving;
    for (let chain = chainBase; chain < chainBase + chainCount; chain++) {
      space.fill(0, moving, moving + size);
      layout.setOwnBits(space, moving, 0);
      const lastArc = program.firstArcOf(chain + 1);
      for (let arc = program.firstArcOf(chain); arc < lastArc; arc++) {
        const relation = arcRelation[arc];
        if (relation !== 0) layout.moveForward(space, moving, relations, relation, moving + size);
      }
      unite(space, this.#matrix(program.headOf(chain), program.tailOf(chain)), moving, size);
      this.work += size;
    }
  }

  /** to |= a ; b: a fact d leads to t if it leads by a to some e, and e by b to t. */
  #compose(to: number, a: number, b: number): void {
    const { groups, zeroRowOf, widthOf, rowCount } = this.#layout;
    const space = this.#space;
    let work = 0;
    for (let g = 0; g < groups; g++) {
      const first = zeroRowOf[g];
      const width = widthOf[g];
      const end = ((width + 31) >>> 5) * rowCount;
      for (let t = first; t < first + width; t++) {
        for (let plane = 0, e0 = first; plane < end; plane += rowCount, e0 += 32) {
          for (let bits = space[b + plane + t]; bits !== 0; bits &= bits - 1) {
            const e = e0 + lowestBit(bits);
            for (let i = 0; i < end; i += rowCount) space[to + i + t] |= space[a + i + e];
            work += end;
          }
        }
      }
    }
    this.work += work / rowCount;
  }

  /** to := a ; b, where `to` is one of them. */
  #replace(to: number, a: number, b: number): void {
    const product = this.#moving + 2 * this.#size;
    this.#space.fill(0, product, product + this.#size);
    this.#compose(product, a, b);
    copyBlock(this.#space, to, product, this.#size);
  }

  /** Reflexive and transitive closure of a matrix. */
  #close(s: number): void {
    const layout = this.#layout;
    const { groups, zeroRowOf, widthOf, rowCount } = layout;
    const space = this.#space;
    layout.setOwnBits(space, s, 0);
    for (let g = 0; g < groups; g++) {
      const first = zeroRowOf[g];
      const width = widthOf[g];
      const end = ((width + 31) >>> 5) * rowCount;
      for (let e = 0; e < width; e++) {
        const column = s + (e >>> 5) * rowCount + first;
        for (let t = 0; t < width; t++) {
          if (t === e || ((space[column + t] >>> (e & 31)) & 1) === 0) continue;
          const to = s + first + t;
          const from = s + first + e;
          for (let i = 0; i < end; i += rowCount) space[to + i] |= space[from + i];
          this.work += end / rowCount;
        }
      }
    }
  }

  eliminateUpward(): void {
    const { nodeCount } = this.#layout.program;
    const higher = this.#higher;
    for (let i = 0; i < nodeCount; i++) {
      const v = this.#sequence[i];
      const s = this.#matrix(v, v);
      this.#close(s);
      const begin = this.#higherStart[v];
      const end = this.#higherEnd[v];
      // R(x, v) := R(x, v) ; S
      for (let k = begin; k < end; k++) {
        const down = this.#matrix(higher[k], v);
        this.#replace(down, down, s);
      }
      // R(x, y) |= R(x, v) ; S ; R(v, y)
      for (let k = begin; k < end; k++) {
        const down = this.#matrix(higher[k], v);
        for (let j = begin; j < end; j++) {
          this.#compose(this.#matrix(higher[k], higher[j]), down, this.#matrix(v, higher[j]));
        }
      }
      // R(v, y) := S ; R(v, y)
      for (let k = begin; k < end; k++) {
        const up = this.#matrix(v, higher[k]);
        this.#replace(up, s, up);
      }
    }
  }

  labelDownward(): void {
    const { program } = this.#layout;
    const { nodeCount, words, record } = program;
    const space = this.#space;
    const higher = this.#higher;
    const above = allocateWords(words[record + P_HEIGHT], "Labels");
    for (let i = nodeCount - 1; 0 <= i; i--) {
      const v = this.#sequence[i];
      const depth = program.depthOf(v);
      for (let x = this.#parent[v]; x !== NONE; x = this.#parent[x]) above[program.depthOf(x)] = x;
      const begin = this.#higherStart[v];
      const end = this.#higherEnd[v];
      for (let k = begin; k < end; k++) {
        const x = higher[k];
        const depthX = program.depthOf(x);
        const up = this.#matrix(v, x);
        const down = this.#matrix(x, v);
        for (let h = 0; h < depth; h++) {
          const fromX = h <= depthX ? this.#labelMatrix(x, h, 0) : this.#labelMatrix(above[h], depthX, 1);
          const toX = h <= depthX ? this.#labelMatrix(x, h, 1) : this.#labelMatrix(above[h], depthX, 0);
          this.#compose(this.#labelMatrix(v, h, 0), up, fromX);
          this.#compose(this.#labelMatrix(v, h, 1), toX, down);
        }
      }
      const own = this.#labelMatrix(v, depth, 0);
      unite(space, own, this.#matrix(v, v), this.#size);
      for (let k = begin; k < end; k++) {
        const x = higher[k];
        this.#compose(own, this.#matrix(v, x), this.#labelMatrix(v, program.depthOf(x), 1));
      }
      copyBlock(space, this.#labelMatrix(v, depth, 1), own, this.#size);
    }
  }

  /** Writes the label matrices as rows, in the form of labels.ts. */
  pack(): void {
    const { nodeCount } = this.#layout.program;
    for (let v = 0; v < nodeCount; v++) this.#packNode(v);
  }

  #packNode(v: number): void {
    const { program, groups, zeroRowOf, widthOf, rowCount } = this.#layout;
    const { joined, words: image } = program;
    const space = this.#space;
    const base = labelBase(program, v);
    const shift = labelShift(program, v);
    const depth = program.depthOf(v);
    const a = depth + 1;
    setBit(image, base, shift + depth);
    for (let k = this.#higherStart[v]; k < this.#higherEnd[v]; k++) {
      setBit(image, base, shift + program.depthOf(this.#higher[k]));
    }
    const skip = joined ? 0 : 1;
    for (let h = 0; h < a; h++) {
      const forward = this.#labelMatrix(v, h, 0);
      const backward = this.#labelMatrix(v, h, 1);
      if (!joined) {
        const zero = zeroRowOf[0];
        if ((space[forward + zero] & 1) !== 0) setBit(image, base, shift + a * FORWARD_ZERO + h);
        if ((space[backward + zero] & 1) !== 0) setBit(image, base, shift + a * BACKWARD_ZERO + h);
      }
      for (let g = 0; g < groups; g++) {
        const first = zeroRowOf[g];
        const width = widthOf[g];
        const k = width - skip;
        const planes = (width + 31) >>> 5;
        for (let t = skip; t < width; t++) {
          for (let plane = 0; plane < planes; plane++) {
            const row = plane * rowCount + first + t;
            for (let bits = space[forward + row]; bits !== 0; bits &= bits - 1) {
              const d = (plane << 5) + lowestBit(bits);
              setBit(image, base, shift + a * forwardRow(program, g, d) + h * k + t - skip);
            }
            for (let bits = space[backward + row]; bits !== 0; bits &= bits - 1) {
              const e = (plane << 5) + lowestBit(bits);
              if (e < skip) setBit(image, base, shift + a * backwardZeroRow(program, g, t) + h);
              else setBit(image, base, shift + a * backwardRow(program, g, t) + h * k + e - skip);
            }
          }
        }
      }
    }
  }
}

function setBit(words: Int32Array, base: number, bit: number): void {
  words[base + (bit >>> 5)] |= 1 << (bit & 31);
}
