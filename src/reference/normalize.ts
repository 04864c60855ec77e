/**
 * Raw relations and calls to relations in normal form (relation.ts). An arc joins two vertices of a procedure; its
 * relation unites everything that leads from one to the other: edges, call-to-return edges, and for each call
 * `entry ; summary of the callee ; exit`. Cost: about the listed sources and their targets; rows of |D*| bits only for
 * the sources of arcs with calls or parallel edges.
 */

import * as I from "../../assembly/image.js";
import { OutOfMemoryError } from "../engine.js";
import { allocateWords, countBits, enlargeWords, lowestBit } from "./bitset.js";
import type { Program } from "./program.js";
import { findEntry, type Relations, targetsFrom, targetsTo } from "./relation.js";

/** Words of `[fact count it was made for | id | offset of the next]`. */
const VERSION_WORDS = 3;

export class Normalizer {
  readonly #program: Program;
  readonly #relations: Relations;
  /** In runs, as assembly/image.ts says. */
  readonly contributions: Int32Array;
  readonly callee: Int32Array;
  readonly #callEntry: Int32Array;
  readonly #callExit: Int32Array;
  readonly #callFrom: Int32Array;
  readonly #identity: Uint8Array;
  readonly #entryStart: Int32Array;
  readonly #sourceFirst: Uint32Array;
  readonly #sourceLast: Uint32Array;
  readonly #targetStart: Int32Array;
  readonly #targets: Int32Array;

  /** Per exit: its summary, a row of callee exit facts per start fact. */
  readonly summaryStart: Int32Array;
  readonly summaries: Int32Array;

  /**
   * Normal forms made so far: two lists per raw relation (within a procedure, between procedures), 0 at their ends,
   * through `#versions`.
   */
  readonly #versionOf: Int32Array;
  #versions = allocateWords(1 << 12, "Relations");
  #versionsEnd = VERSION_WORDS;

  /** A mask of sources, then a row of targets for each, then a row of facts at a callee's exit. */
  #rows = allocateWords(64, "Relations");
  /** Per item of the arc at hand: its normal form, or that of the call's way in; that of its way out. */
  #itemInto = allocateWords(16, "Relations");
  #itemBack = allocateWords(16, "Relations");

  constructor(program: Program, relations: Relations, input: Uint32Array) {
    this.#program = program;
    this.#relations = relations;
    const section = (header: number) =>
      new Int32Array(input.buffer, input.byteOffset + input[header], (input.byteLength - input[header]) / 4);
    const unsigned = (header: number) =>
      new Uint32Array(input.buffer, input.byteOffset + input[header], (input.byteLength - input[header]) / 4);
    this.contributions = section(I.I_CONTRIBUTION);
    this.callee = section(I.I_CALLEE);
    this.#callEntry = section(I.I_CALL_ENTRY);
    this.#callExit = section(I.I_CALL_EXIT);
    this.#callFrom = section(I.I_CALL_FROM);
    this.#identity = new Uint8Array(input.buffer, input.byteOffset + input[I.I_IDENTITY]);
    this.#entryStart = section(I.I_ENTRY_START);
    this.#sourceFirst = unsigned(I.I_SOURCE_FIRST);
    this.#sourceLast = unsigned(I.I_SOURCE_LAST);
    this.#targetStart = section(I.I_TARGET_START);
    this.#targets = section(I.I_TARGET);
    this.#versionOf = allocateWords(2 * input[I.I_RELATIONS], "Relations");

    const { words, procedures } = program;
    this.summaryStart = allocateWords(program.exits.length, "Summaries");
    let length = 0;
    for (let p = 0; p < procedures; p++) {
      const record = program.recordOf(p);
      const facts = words[record + I.P_FACTS];
      const first = words[record + I.P_EXIT_BASE];
      const last = first + words[record + I.P_EXITS];
      for (let exit = first; exit < last; exit++) {
        this.summaryStart[exit] = length;
        length += facts * ((facts + 31) >>> 5);
        if (0x3fffffff < length) throw new OutOfMemoryError("Summaries", 4 * length);
      }
    }
    this.summaries = allocateWords(length, "Summaries");
  }

  callEntryRelation(call: number, facts: number): number {
    return this.#crossRelation(this.#callEntry[call], facts);
  }

  /**
   * The relation of an arc that unites `input` (H_ARC_RELATION before the first phase), in a procedure of `facts` facts,
   * with the summaries as they are now.
   */
  arcRelationNow(input: number, facts: number): number {
    return input < 0 ? this.#united(input & ~I.CHAIN_FLAG, facts) : this.#flowRelation(input, facts);
  }

  /** The relation of an arc whose items are a run at `list` of the contributions. */
  #united(list: number, facts: number): number {
    const { words: records } = this.#program;
    const { contributions } = this;
    const count = contributions[list];
    if (this.#itemInto.length < count) {
      this.#itemInto = enlargeWords(this.#itemInto, count, "Relations");
      this.#itemBack = enlargeWords(this.#itemBack, count, "Relations");
    }
    const into = this.#itemInto;
    const back = this.#itemBack;

    // Normal forms first: making them may move the relation vector.
    let flows = 0;
    let calleeWords = 0;
    for (let i = 0; i < count; i++) {
      const item = contributions[list + 1 + i];
      if (0 <= item) {
        flows++;
        into[i] = this.#flowRelation(item, facts);
      } else {
        const call = item & ~I.CHAIN_FLAG;
        const calleeFacts = records[this.#program.recordOf(this.callee[call]) + I.P_FACTS];
        into[i] = this.#crossRelation(this.#callEntry[call], facts);
        back[i] = this.#crossRelation(this.#callExit[call], calleeFacts);
        calleeWords = Math.max(calleeWords, (calleeFacts + 31) >>> 5);
      }
    }
    const blocks = this.#relations.words;

    // The sources whose targets may differ from themselves: a bit each, before the rows.
    const words = (facts + 31) >>> 5;
    this.#needRows(words);
    const mask = this.#rows;
    let sources = 0;
    if (flows === 0) {
      mask.fill(-1, 0, words);
      if ((facts & 31) !== 0) mask[words - 1] = (1 << (facts & 31)) - 1;
      sources = facts;
    } else {
      mask.fill(0, 0, words);
      for (let i = 0; i < count; i++) {
        const first = into[i] + 1;
        const last = first + blocks[into[i]];
        for (let k = first; k < last; k++) mask[blocks[k] >>> 5] |= 1 << (blocks[k] & 31);
      }
      for (let w = 0; w < words; w++) sources += countBits(mask[w]);
    }

    // One row of targets per such source.
    this.#needRows(words * (sources + 1) + calleeWords);
    const rows = this.#rows;
    const exitRow = words * (sources + 1);
    let listed = 0;
    let targets = 0;
    let row = words;
    for (let w = 0; w < words; w++) {
      for (let bits = rows[w]; bits !== 0; bits &= bits - 1) {
        const d = (w << 5) + lowestBit(bits);
        rows.fill(0, row, row + words);
        for (let i = 0; i < count; i++) {
          const item = contributions[list + 1 + i];
          const entry = findEntry(blocks, into[i], d);
          if (item < 0) {
            if (0 <= entry) this.#addCall(row, item & ~I.CHAIN_FLAG, into[i], entry, back[i], exitRow);
          } else if (entry < 0) rows[row + w] |= 1 << (d & 31);
          else addTargets(rows, row, blocks, into[i], entry);
        }
        let size = 0;
        for (let k = 0; k < words; k++) size += countBits(rows[row + k]);
        if (size === 1 && ((rows[row + w] >>> (d & 31)) & 1) !== 0) {
          rows[w] &= ~(1 << (d & 31));
          continue;
        }
        listed++;
        targets += size;
        row += words;
      }
    }
    if (listed === 0) return 0;
    return this.#keepRows(words, listed, targets);
  }

  /** Writes the rows of the sources in the mask as a block. */
  #keepRows(words: number, listed: number, targets: number): number {
    const rows = this.#rows;
    const block = this.#relations.openBlock(1 + 2 * listed + targets);
    const blocks = this.#relations.words;
    blocks[block] = listed;
    const lists = block + 1 + 2 * listed;
    let at = block + 1;
    let end = 0;
    let row = words;
    for (let w = 0; w < words; w++) {
      for (let bits = rows[w]; bits !== 0; bits &= bits - 1) {
        for (let k = 0; k < words; k++) {
          for (let t = rows[row + k]; t !== 0; t &= t - 1) blocks[lists + end++] = (k << 5) + lowestBit(t);
        }
        blocks[at] = (w << 5) + lowestBit(bits);
        blocks[at + listed] = end;
        at++;
        row += words;
      }
    }
    return this.#relations.keepBlock(1 + 2 * listed + targets);
  }

  /** row |= the facts that a fact of the caller, entry `entry` of `into`, becomes by the completed call. */
  #addCall(row: number, call: number, into: number, entry: number, back: number, exitRow: number): void {
    const rows = this.#rows;
    const blocks = this.#relations.words;
    const { summaries } = this;
    const q = this.callee[call];
    const words = (this.#program.words[this.#program.recordOf(q) + I.P_FACTS] + 31) >>> 5;
    const summary = this.summaryStart[this.#callFrom[call]];
    rows.fill(0, exitRow, exitRow + words);
    const to = targetsTo(blocks, into, entry);
    for (let k = targetsFrom(blocks, into, entry); k < to; k++) {
      const from = summary + blocks[k] * words;
      for (let w = 0; w < words; w++) rows[exitRow + w] |= summaries[from + w];
    }
    for (let w = 0; w < words; w++) {
      for (let bits = rows[exitRow + w]; bits !== 0; bits &= bits - 1) {
        const y = findEntry(blocks, back, (w << 5) + lowestBit(bits));
        if (0 <= y) addTargets(rows, row, blocks, back, y);
      }
    }
  }

  /** Normal form of a raw relation between facts of one procedure; made once per raw relation where that is valid. */
  #flowRelation(raw: number, facts: number): number {
    const first = this.#versionOf[2 * raw];
    if (first !== 0) {
      // An identity with exceptions is the same for any fact count above its last source.
      let beyond = 0x7fffffff;
      if (this.#identity[raw] !== 0) {
        const end = this.#entryStart[raw + 1];
        beyond = end === this.#entryStart[raw] ? 0 : this.#sourceLast[end - 1] + 1;
      }
      const versions = this.#versions;
      for (let at = first; at !== 0; at = versions[at + 2]) {
        const madeFor = versions[at];
        if (madeFor === facts || (beyond <= facts && beyond <= madeFor)) return versions[at + 1];
      }
    }
    return this.#remember(2 * raw, facts, this.#normalize(raw, facts, false));
  }

  /** Normal form of a raw relation from facts of one procedure (of which there are `facts`) to facts of another. */
  #crossRelation(raw: number, facts: number): number {
    const versions = this.#versions;
    for (let at = this.#versionOf[2 * raw + 1]; at !== 0; at = versions[at + 2]) {
      if (versions[at] === facts) return versions[at + 1];
    }
    return this.#remember(2 * raw + 1, facts, this.#normalize(raw, facts, true));
  }

  /** Keeps a normal form just made in its list. */
  #remember(list: number, facts: number, id: number): number {
    const at = this.#versionsEnd;
    this.#versionsEnd += VERSION_WORDS;
    if (this.#versions.length < this.#versionsEnd) {
      this.#versions = enlargeWords(this.#versions, this.#versionsEnd, "Relations");
    }
    this.#versions[at] = facts;
    this.#versions[at + 1] = id;
    this.#versions[at + 2] = this.#versionOf[list];
    this.#versionOf[list] = at;
    return id;
  }

  /**
   * Normal form of a raw relation over sources `0 .. facts - 1`. `cross`: between two procedures, all sources with
   * targets listed. Two passes over its entries: count, then write.
   */
  #normalize(raw: number, facts: number, cross: boolean): number {
    const sourceFirst = this.#sourceFirst;
    const sourceLast = this.#sourceLast;
    const targetStart = this.#targetStart;
    const targetList = this.#targets;
    const first = this.#entryStart[raw];
    const last = this.#entryStart[raw + 1];
    const keeps = this.#identity[raw] !== 0;
    if (keeps && first === last && !cross) return 0;
    // Sources without entry are listed if they do not do by themselves what "not listed" means.
    const listGaps = cross ? keeps : !keeps;
    let m = 0;
    let targets = 0;
    let next = 0;
    for (let i = first; i < last; i++) {
      const from = sourceFirst[i];
      if (facts <= from) break;
      const to = Math.min(sourceLast[i], facts - 1);
      if (listGaps) {
        m += from - next;
        if (cross) targets += from - next;
      }
      next = to + 1;
      const count = targetStart[i + 1] - targetStart[i];
      if (cross && count === 0) continue;
      m += to - from + 1;
      targets += count * (to - from + 1);
    }
    if (listGaps) {
      m += facts - next;
      if (cross) targets += facts - next;
    }
    if (m === 0 && !cross) return 0;
    const block = this.#relations.openBlock(1 + 2 * m + targets);
    const blocks = this.#relations.words;
    // m may shrink below (sources related to themselves alone need no entry): ends and targets are written behind the
    // sources for the largest m, and moved down at the end.
    const sources = block + 1;
    const ends = sources + m;
    const lists = ends + m;
    let kept = 0;
    let end = 0;
    next = 0;
    for (let i = first; i <= last; i++) {
      const from = i < last ? Math.min(sourceFirst[i], facts) : facts;
      const to = i < last ? Math.min(sourceLast[i] + 1, facts) : facts;
      if (listGaps) {
        for (; next < from; next++) {
          if (cross) blocks[lists + end++] = next;
          blocks[sources + kept] = next;
          blocks[ends + kept++] = end;
        }
      }
      if (from === facts) break;
      const begin = targetStart[i];
      const count = targetStart[i + 1] - begin;
      next = to;
      if (cross && count === 0) continue;
      for (let s = from; s < to; s++) {
        if (!cross && count === 1 && targetList[begin] === s) continue;
        for (let k = 0; k < count; k++) blocks[lists + end++] = targetList[begin + k];
        blocks[sources + kept] = s;
        blocks[ends + kept++] = end;
      }
    }
    if (kept === 0 && !cross) return 0;
    blocks[block] = kept;
    if (kept < m) {
      blocks.copyWithin(sources + kept, ends, ends + kept);
      blocks.copyWithin(sources + 2 * kept, lists, lists + end);
    }
    return this.#relations.keepBlock(1 + 2 * kept + end);
  }

  /** Scratch rows; their content is kept when they grow. */
  #needRows(words: number): void {
    if (this.#rows.length < words) this.#rows = enlargeWords(this.#rows, 2 * words, "Relations");
  }
}

function addTargets(rows: Int32Array, row: number, blocks: Int32Array, block: number, entry: number): void {
  const to = targetsTo(blocks, block, entry);
  for (let k = targetsFrom(blocks, block, entry); k < to; k++) {
    rows[row + (blocks[k] >>> 5)] |= 1 << (blocks[k] & 31);
  }
}
