/**
 * One relation for each chain of the procedure being worked on: its busy arcs' relations, composed once, so that sweeps
 * touch the rows of a fact once per chain and not once per arc. Composed from the last arc to the first, each arc costs
 * what its own entries lead to: facts that it does not list keep their images.
 */

import { TABLE_FLAG } from "../../assembly/image.js";
import { allocateWords, enlargeWords, lowestBit } from "./bitset.js";
import type { Program } from "./program.js";
import { targetsFrom, targetsTo } from "./relation.js";

export class Composition {
  readonly #program: Program;
  /**
   * Per chain (local): a relation of the program where at most one arc is busy, else the complement of an offset in
   * `blocks`. Composed blocks are as in relation.ts, but for the order of sources: the zero fact is first, where listed.
   */
  relationOf = allocateWords(1 << 8, "Labels");
  blocks = allocateWords(1 << 12, "Labels");
  #used = 0;

  /** Per fact: its image from the arc at hand on, a range of `#images`, where the stamp is the current one. */
  readonly #stampOf: Int32Array;
  readonly #imageFrom: Int32Array;
  readonly #imageTo: Int32Array;
  #stamp = 0;
  #images = allocateWords(1 << 12, "Labels");
  /** Facts with an image of their own; stamps against repetition within one image; where images of an arc end. */
  readonly #touched: Int32Array;
  readonly #seenIn: Int32Array;
  #seen = 0;
  readonly #ends: Int32Array;

  /** For procedures of up to `facts` facts. */
  constructor(program: Program, facts: number) {
    this.#program = program;
    this.#stampOf = allocateWords(facts, "Labels");
    this.#imageFrom = allocateWords(facts, "Labels");
    this.#imageTo = allocateWords(facts, "Labels");
    this.#touched = allocateWords(facts, "Labels");
    this.#seenIn = allocateWords(facts, "Labels");
    this.#ends = allocateWords(facts, "Labels");
  }

  /** Composes the chains of the procedure being worked on. */
  compose(): void {
    const program = this.#program;
    const { chainBase, chainCount, arcRelation, tables } = program;
    if (this.relationOf.length < chainCount) this.relationOf = allocateWords(2 * chainCount, "Labels");
    this.#used = 0;
    for (let i = 0; i < chainCount; i++) {
      const busy = program.busyOf(chainBase + i);
      const arcs = 0 <= busy ? busy : tables[busy & ~TABLE_FLAG];
      const first = program.firstArcOf(chainBase + i);
      if (arcs === 0) this.relationOf[i] = 0;
      else if ((arcs & (arcs - 1)) === 0) this.relationOf[i] = arcRelation[first + lowestBit(arcs)];
      else this.relationOf[i] = ~this.#composeChain(first, arcs);
    }
  }

  /** Composes the arcs of a chain that `arcs` has bits for; the offset of the block. */
  #composeChain(first: number, arcs: number): number {
    const { arcRelation, relations } = this.#program;
    const stampOf = this.#stampOf;
    const imageFrom = this.#imageFrom;
    const imageTo = this.#imageTo;
    const touched = this.#touched;
    const ends = this.#ends;
    this.#nextStamp();
    const stamp = this.#stamp;
    let touchedCount = 0;
    let used = 0;
    for (let rest = arcs; rest !== 0; ) {
      const arc = 31 - Math.clz32(rest);
      rest ^= 1 << arc;
      const block = arcRelation[first + arc];
      const m = relations[block];
      const begin = used;
      for (let i = 0; i < m; i++) {
        used = this.#image(relations, targetsFrom(relations, block, i), targetsTo(relations, block, i), used);
        ends[i] = used;
      }
      // No image may change before all of the arc's are made.
      let from = begin;
      for (let i = 0; i < m; i++) {
        const d = relations[block + 1 + i];
        if (stampOf[d] !== stamp) {
          stampOf[d] = stamp;
          touched[touchedCount++] = d;
        }
        imageFrom[d] = from;
        from = ends[i];
        imageTo[d] = from;
      }
    }
    return this.#keep(touchedCount);
  }

  /** Appends the union of the images of the facts `from .. to - 1` of `relations`; the new end of the images. */
  #image(relations: Int32Array, from: number, to: number, end: number): number {
    const stampOf = this.#stampOf;
    const seenIn = this.#seenIn;
    const stamp = this.#stamp;
    const seen = ++this.#seen;
    let images = this.#images;
    let used = end;
    for (let k = from; k < to; k++) {
      const t = relations[k];
      const own = stampOf[t] === stamp;
      const first = own ? this.#imageFrom[t] : 0;
      const last = own ? this.#imageTo[t] : 1;
      if (images.length < used + last - first) {
        images = enlargeWords(images, used + last - first, "Labels");
        this.#images = images;
      }
      for (let j = first; j < last; j++) {
        const e = own ? images[j] : t;
        if (seenIn[e] === seen) continue;
        seenIn[e] = seen;
        images[used++] = e;
      }
    }
    return used;
  }

  /** Writes the images of the touched facts as a block. */
  #keep(touchedCount: number): number {
    const touched = this.#touched;
    const imageFrom = this.#imageFrom;
    const imageTo = this.#imageTo;
    const images = this.#images;
    let m = 0;
    let targets = 0;
    for (let i = 0; i < touchedCount; i++) {
      const d = touched[i];
      const from = imageFrom[d];
      const count = imageTo[d] - from;
      if (count === 1 && images[from] === d) continue;
      targets += count;
      touched[m] = d;
      // The zero fact goes first.
      if (d === 0) {
        touched[m] = touched[0];
        touched[0] = 0;
      }
      m++;
    }
    const block = this.#used;
    this.#used += 1 + 2 * m + targets;
    if (this.blocks.length < this.#used) this.blocks = enlargeWords(this.blocks, this.#used, "Labels");
    const blocks = this.blocks;
    const ends = block + 1 + m;
    const lists = ends + m;
    blocks[block] = m;
    let end = 0;
    for (let i = 0; i < m; i++) {
      const d = touched[i];
      blocks[block + 1 + i] = d;
      const to = imageTo[d];
      for (let j = imageFrom[d]; j < to; j++) blocks[lists + end++] = images[j];
      blocks[ends + i] = end;
    }
    return block;
  }

  #nextStamp(): void {
    // Stamps of one kind last for two billion chains or arcs' entries; then they start again.
    if (0x3fffffff < this.#stamp || 0x3fffffff < this.#seen) {
      this.#stampOf.fill(0);
      this.#seenIn.fill(0);
      this.#stamp = 0;
      this.#seen = 0;
    }
    this.#stamp++;
  }
}
