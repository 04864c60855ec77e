/**
 * Chain tables: what a fact at any position of a chain is at the chain's end, and what at its head it comes from, in
 * O(1). Along a chain a fact's image changes only where an arc touches it; so for each pair (fact here, fact there) that
 * is not simply the same fact all along, a bit mask says at which positions it holds. Chains with few arcs other than
 * identities, and procedures whose facts do not influence each other, do without: walking is as short there.
 *
 * A table is a run of words in the table section:
 *
 *     [ busy arcs | words of the forward part | forward part | backward part ]
 *
 * and a part relates facts here to facts there, by masks in which bit p stands for the vertex at position p:
 *
 *     [ m: half, pairs: half | m entries: fact here, end of its pairs, a half each | a mask per pair | facts there: halves ]
 *
 * Facts that a part does not list are themselves there. Built in one pass over the busy arcs in each direction, in time
 * about linear in what they list and in the pairs that come of it.
 */

import { P_FACTS, TABLE_FLAG } from "../../assembly/image.js";
import { allocateWords, countBits, enlargeWords, lowBits, lowestBit } from "./bitset.js";
import type { Program } from "./program.js";
import { findEntry, targetsFrom, targetsTo } from "./relation.js";

/** Fewest busy arcs that make a table worth its space, most touched facts and most pairs of one. */
const FEWEST_BUSY = 6;
const MOST_TOUCHED = 256;
const MOST_PAIRS = 1024;

/** Words of a pair under construction: [fact there | mask | next + 1]. */
const PAIR_WORDS = 3;

export class Tables {
  readonly #program: Program;
  readonly #blocks: Int32Array;
  /** The tables written so far. */
  words = allocateWords(1 << 8, "Chain tables");
  used = 0;

  /** Per fact of the procedure: its index among the touched facts, valid where the stamp is the current one. */
  readonly #indexOf: Int32Array;
  readonly #stampOf: Int32Array;
  #stamp = 0;
  /** Touched facts, ascending; their images now, as rows of bits, and those that an arc makes. */
  readonly #touched = allocateWords(MOST_TOUCHED, "Chain tables");
  #touchedCount = 0;
  readonly #rows: Int32Array;
  readonly #fresh: Int32Array;
  #rowWords = 0;
  /** Per touched fact: the position from which on, in the walk's direction, its image has not been noted. */
  readonly #noted = allocateWords(MOST_TOUCHED, "Chain tables");
  /** Per touched fact: its last pair + 1; the pairs. */
  readonly #lastPair = allocateWords(MOST_TOUCHED, "Chain tables");
  readonly #pairs = allocateWords(PAIR_WORDS * MOST_PAIRS, "Chain tables");
  #pairCount = 0;

  /** `blocks` are the sealed relations. */
  constructor(program: Program, blocks: Int32Array) {
    this.#program = program;
    this.#blocks = blocks;
    let facts = 0;
    for (let p = 0; p < program.procedures; p++) {
      facts = Math.max(facts, program.words[program.recordOf(p) + P_FACTS]);
    }
    this.#indexOf = allocateWords(facts, "Chain tables");
    this.#stampOf = allocateWords(facts, "Chain tables");
    this.#rows = allocateWords(((facts + 31) >>> 5) * MOST_TOUCHED, "Chain tables");
    this.#fresh = allocateWords(((facts + 31) >>> 5) * MOST_TOUCHED, "Chain tables");
  }

  /** Builds the tables of all chains whose busy arcs are known. */
  build(): void {
    const program = this.#program;
    for (let p = 0; p < program.procedures; p++) {
      program.useProcedure(p);
      if (this.#isSeparable()) continue;
      this.#rowWords = (program.factCount + 31) >>> 5;
      const { chainBase, chainCount } = program;
      for (let chain = chainBase; chain < chainBase + chainCount; chain++) {
        if (FEWEST_BUSY <= countBits(program.busyOf(chain))) this.#buildTable(chain);
      }
    }
  }

  /** Whether no fact but the zero fact influences another: walking a chain is then a look per busy arc. */
  #isSeparable(): boolean {
    const program = this.#program;
    for (let g = 0; g < program.groupCount; g++) if (1 < program.columnsOf(g)) return false;
    return true;
  }

  /** Writes the table of a chain, or leaves the chain without one if that would be large. */
  #buildTable(chain: number): void {
    const program = this.#program;
    const busy = program.busyOf(chain);
    const first = program.firstArcOf(chain);
    const length = program.firstArcOf(chain + 1) - first;
    const begin = this.used;
    if (!this.#findTouched(busy, first, false) || !this.#walkForward(busy, first, length)) return;
    const forward = this.#partWords();
    this.#reserve(2 + forward);
    this.words[begin] = busy;
    this.words[begin + 1] = forward;
    this.#writePart(begin + 2);
    if (!this.#findTouched(busy, first, true) || !this.#walkBackward(busy, first, length)) {
      this.used = begin;
      return;
    }
    const next = this.used;
    this.#reserve(this.#partWords());
    this.#writePart(next);
    program.setBusy(chain, TABLE_FLAG | begin);
  }

  #reserve(words: number): void {
    this.used += words;
    if (this.words.length < this.used) this.words = enlargeWords(this.words, this.used, "Chain tables");
  }

  /** Facts that the busy arcs list as sources and, for the way back, as targets; false if they are too many. */
  #findTouched(busy: number, first: number, targetsToo: boolean): boolean {
    const { arcRelation } = this.#program;
    const blocks = this.#blocks;
    this.#stamp++;
    this.#touchedCount = 0;
    this.#pairCount = 0;
    for (let rest = busy; rest !== 0; rest &= rest - 1) {
      const block = arcRelation[first + lowestBit(rest)];
      const m = blocks[block];
      for (let i = 0; i < m; i++) if (!this.#touch(blocks[block + 1 + i])) return false;
      if (!targetsToo) continue;
      const to = targetsTo(blocks, block, m - 1);
      for (let k = targetsFrom(blocks, block, 0); k < to; k++) if (!this.#touch(blocks[k])) return false;
    }
    for (let i = 0; i < this.#touchedCount; i++) {
      const d = this.#touched[i];
      this.#indexOf[d] = i;
      this.#lastPair[i] = 0;
      this.#clearRow(this.#rows, i);
      this.#setRowBit(this.#rows, i, d);
    }
    return true;
  }

  /** Adds a fact to the sorted list; false if it is full. */
  #touch(d: number): boolean {
    if (this.#stampOf[d] === this.#stamp) return true;
    if (this.#touchedCount === MOST_TOUCHED) return false;
    this.#stampOf[d] = this.#stamp;
    const touched = this.#touched;
    let i = this.#touchedCount++;
    for (; i !== 0 && d < touched[i - 1]; i--) touched[i] = touched[i - 1];
    touched[i] = d;
    return true;
  }

  #clearRow(rows: Int32Array, i: number): void {
    rows.fill(0, i * this.#rowWords, (i + 1) * this.#rowWords);
  }

  #setRowBit(rows: Int32Array, i: number, bit: number): void {
    rows[i * this.#rowWords + (bit >>> 5)] |= 1 << (bit & 31);
  }

  #uniteRow(rows: Int32Array, i: number, other: Int32Array, j: number): void {
    const rowWords = this.#rowWords;
    for (let w = 0; w < rowWords; w++) rows[i * rowWords + w] |= other[j * rowWords + w];
  }

  /** Moves the fresh row of a touched fact into its place. */
  #renew(i: number): void {
    const rowWords = this.#rowWords;
    for (let w = i * rowWords; w < (i + 1) * rowWords; w++) this.#rows[w] = this.#fresh[w];
  }

  /** Notes that touched fact i's image holds at the positions; false if pairs are too many. */
  #note(i: number, at: number): boolean {
    if (at === 0) return true;
    const rows = this.#rows;
    const rowWords = this.#rowWords;
    const pairs = this.#pairs;
    const lastPair = this.#lastPair;
    for (let w = 0; w < rowWords; w++) {
      for (let bits = rows[i * rowWords + w]; bits !== 0; bits &= bits - 1) {
        const e = (w << 5) + lowestBit(bits);
        let pair = lastPair[i];
        while (pair !== 0 && pairs[PAIR_WORDS * (pair - 1)] !== e) pair = pairs[PAIR_WORDS * (pair - 1) + 2];
        if (pair === 0) {
          if (this.#pairCount === MOST_PAIRS) return false;
          const there = PAIR_WORDS * this.#pairCount++;
          pair = this.#pairCount;
          pairs[there] = e;
          pairs[there + 1] = 0;
          pairs[there + 2] = lastPair[i];
          lastPair[i] = pair;
        }
        pairs[PAIR_WORDS * (pair - 1) + 1] |= at;
      }
    }
    return true;
  }

  /** Notes where touched fact i's image has held so far; from the walk's place `now` on it may be another. */
  #noteBefore(i: number, now: number): boolean {
    const from = this.#noted[i];
    this.#noted[i] = now;
    return this.#note(i, positions(from, now));
  }

  #noteBehind(i: number, now: number): boolean {
    const to = this.#noted[i];
    this.#noted[i] = now;
    return this.#note(i, positions(now, to));
  }

  /** Images at the chain's end, from its last arc to its first. The vertex at position p lies before arc p + 1. */
  #walkForward(busy: number, first: number, length: number): boolean {
    const { arcRelation } = this.#program;
    const blocks = this.#blocks;
    const indexOf = this.#indexOf;
    const last = length - 1;
    this.#noted.fill(last, 0, this.#touchedCount);
    for (let rest = busy; rest !== 0; ) {
      const arc = 31 - Math.clz32(rest);
      rest ^= 1 << arc;
      const block = arcRelation[first + arc];
      const m = blocks[block];
      for (let i = 0; i < m; i++) {
        const index = indexOf[blocks[block + 1 + i]];
        if (!this.#noteBehind(index, Math.min(arc, last))) return false;
        this.#clearRow(this.#fresh, index);
        const to = targetsTo(blocks, block, i);
        for (let k = targetsFrom(blocks, block, i); k < to; k++) {
          const t = blocks[k];
          if (this.#stampOf[t] === this.#stamp) this.#uniteRow(this.#fresh, index, this.#rows, indexOf[t]);
          else this.#setRowBit(this.#fresh, index, t);
        }
      }
      for (let i = 0; i < m; i++) this.#renew(indexOf[blocks[block + 1 + i]]);
    }
    for (let i = 0; i < this.#touchedCount; i++) if (!this.#noteBehind(i, 0)) return false;
    return true;
  }

  /** Origins at the chain's head, from its first arc to its last. The vertex at position p lies behind arc p. */
  #walkBackward(busy: number, first: number, length: number): boolean {
    const { arcRelation } = this.#program;
    const blocks = this.#blocks;
    const indexOf = this.#indexOf;
    this.#noted.fill(0, 0, this.#touchedCount);
    for (let rest = busy; rest !== 0; rest &= rest - 1) {
      const arc = lowestBit(rest);
      const block = arcRelation[first + arc];
      const m = blocks[block];
      const begin = targetsFrom(blocks, block, 0);
      const end = targetsTo(blocks, block, m - 1);
      for (let k = begin; k < end; k++) {
        const index = indexOf[blocks[k]];
        if (!this.#noteBefore(index, arc)) return false;
        this.#clearRow(this.#fresh, index);
        // A fact that the arc does not list stays itself.
        if (findEntry(blocks, block, blocks[k]) < 0) this.#uniteRow(this.#fresh, index, this.#rows, index);
      }
      let k = begin;
      for (let i = 0; i < m; i++) {
        const source = indexOf[blocks[block + 1 + i]];
        if (!this.#noteBefore(source, arc)) return false;
        for (const to = targetsTo(blocks, block, i); k < to; k++) {
          this.#uniteRow(this.#fresh, indexOf[blocks[k]], this.#rows, source);
        }
      }
      for (let i = 0; i < m; i++) this.#clearRow(this.#rows, indexOf[blocks[block + 1 + i]]);
      for (let k = begin; k < end; k++) this.#renew(indexOf[blocks[k]]);
    }
    for (let i = 0; i < this.#touchedCount; i++) if (!this.#noteBefore(i, length - 1)) return false;
    return true;
  }

  #partWords(): number {
    return 1 + this.#touchedCount + this.#pairCount + ((this.#pairCount + 1) >>> 1);
  }

  /** The pairs as one part of a table; its space is all zeros or left over. */
  #writePart(at: number): void {
    const { words } = this;
    const pairs = this.#pairs;
    const masks = at + 1 + this.#touchedCount;
    const facts = masks + this.#pairCount;
    words[at] = this.#touchedCount | (this.#pairCount << 16);
    let end = 0;
    for (let i = 0; i < this.#touchedCount; i++) {
      for (let pair = this.#lastPair[i]; pair !== 0; pair = pairs[PAIR_WORDS * (pair - 1) + 2]) {
        const there = PAIR_WORDS * (pair - 1);
        const half = facts + (end >>> 1);
        words[half] = (end & 1) === 0 ? pairs[there] : words[half] | (pairs[there] << 16);
        words[masks + end] = pairs[there + 1];
        end++;
      }
      words[at + 1 + i] = this.#touched[i] | (end << 16);
    }
  }
}

/** Positions `from .. to - 1` as bits. */
function positions(from: number, to: number): number {
  return lowBits(to) & ~lowBits(from);
}
