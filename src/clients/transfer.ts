/**
 * What one edge does to the facts of a procedure, composed effect by effect and then interned as a relation: kills,
 * generated facts, copies, and at calls the correspondence between the facts of caller and callee. One value of each
 * class serves a whole program; what it costs is the facts mentioned, not the facts there are.
 */

import { GrowableUint32 } from "../exploded/growable-uint32.js";
import type { RelationTable } from "../exploded/relation-table.js";

/** A relation on the facts of one procedure; facts that nothing mentions stay as they are. */
export class Transfer {
  /** Facts that were mentioned, in that order; what each becomes: the first `#lengths[i]` numbers of `#rows[i]`. */
  readonly #sources: Uint32Array;
  readonly #rows: number[][] = [];
  readonly #lengths: Uint32Array;
  #count = 0;
  /** Fact -> position in `#sources` plus 1. */
  readonly #position: Uint32Array;
  /** Facts that the next `killMarked` ends. */
  readonly #marked: Uint32Array;
  #markedCount = 0;
  readonly #isMarked: Uint8Array;

  /** For procedures of up to `facts` facts. */
  constructor(facts: number) {
    this.#sources = new Uint32Array(facts);
    this.#lengths = new Uint32Array(facts);
    this.#position = new Uint32Array(facts);
    this.#marked = new Uint32Array(facts);
    this.#isMarked = new Uint8Array(facts);
  }

  /** The identity again. */
  reset(): this {
    for (let i = 0; i < this.#count; i++) this.#position[this.#sources[i]] = 0;
    this.#count = 0;
    return this;
  }

  /** `f(S) = S ∪ {fact}`. */
  generate(fact: number): void {
    this.#add(this.#mention(0), fact);
  }

  /** `f(S) = S ∪ {first, ..., first + count - 1}`, for many: does not look whether they are there already. */
  generateAll(first: number, count: number): void {
    const i = this.#mention(0);
    const row = this.#rows[i];
    for (let fact = first; fact < first + count; fact++) row[this.#lengths[i]++] = fact;
  }

  /** `f(S) = S \ {first, ..., first + count - 1}`. */
  kill(first: number, count = 1): void {
    this.mark(first, count);
    this.killMarked();
  }

  /** Facts to be killed together. */
  mark(first: number, count = 1): void {
    for (let fact = first; fact < first + count; fact++) {
      if (this.#isMarked[fact] === 1) continue;
      this.#isMarked[fact] = 1;
      this.#marked[this.#markedCount++] = fact;
      this.#mention(fact);
    }
  }

  killMarked(): void {
    if (this.#markedCount === 0) return;
    for (let i = 0; i < this.#count; i++) {
      const row = this.#rows[i];
      let kept = 0;
      for (let k = 0; k < this.#lengths[i]; k++) if (this.#isMarked[row[k]] === 0) row[kept++] = row[k];
      this.#lengths[i] = kept;
    }
    for (let i = 0; i < this.#markedCount; i++) this.#isMarked[this.#marked[i]] = 0;
    this.#markedCount = 0;
  }

  /** `f(S) = S ∪ ({to} if from ∈ S)`. */
  copy(from: number, to: number): void {
    this.#mention(from);
    for (let i = 0; i < this.#count; i++) if (this.#has(i, from)) this.#add(i, to);
  }

  /**
   * Copies each `from[i]` to `to[i]` at once, so that nothing is copied twice: linear in both and in what was mentioned.
   */
  copyAll(from: readonly number[], to: readonly number[]): void {
    const target = new Map<number, number[]>();
    for (const [i, fact] of from.entries()) {
      this.#mention(fact);
      const list = target.get(fact);
      if (list === undefined) target.set(fact, [to[i]]);
      else list.push(to[i]);
    }
    for (let i = 0; i < this.#count; i++) {
      const row = this.#rows[i];
      for (let k = 0, length = this.#lengths[i]; k < length; k++) {
        for (const copied of target.get(row[k]) ?? []) this.#add(i, copied);
      }
    }
  }

  /** `f(S) = S \ {first, ..., first + count - 1} ∪ {to[i] | from[i] ∈ S}`: what is replaced may be among what it comes from. */
  replace(first: number, count: number, from: readonly number[], to: readonly number[]): void {
    for (let fact = first; fact < first + count; fact++) this.#mention(fact);
    for (const fact of from) this.#mention(fact);
    for (let i = 0; i < this.#count; i++) {
      const added = to.filter((_, k) => this.#has(i, from[k]));
      const row = this.#rows[i];
      let kept = 0;
      for (let k = 0; k < this.#lengths[i]; k++)
        if (row[k] < first || first + count <= row[k]) row[kept++] = row[k];
      this.#lengths[i] = kept;
      for (const fact of added) this.#add(i, fact);
    }
  }

  /** How many facts `fact` becomes, or -1: itself. */
  imageSize(fact: number): number {
    const position = this.#position[fact];
    return position === 0 ? -1 : this.#lengths[position - 1];
  }

  /** Number `index` of the facts that `fact` becomes. */
  imageAt(fact: number, index: number): number {
    return this.#rows[this.#position[fact] - 1][index];
  }

  intern(relations: RelationTable): number {
    if (this.#count === 0) return 0;
    relations.begin("identity");
    let killedFrom = -1;
    let killedTo = -1;
    for (const source of this.#sources.slice(0, this.#count).sort()) {
      const i = this.#position[source] - 1;
      const row = this.#rows[i];
      const length = this.#lengths[i];
      if (0 <= killedFrom && (0 < length || killedTo !== source - 1)) {
        relations.entry(killedFrom, killedTo);
        killedFrom = -1;
      }
      if (length === 0) {
        if (killedFrom < 0) killedFrom = source;
        killedTo = source;
      } else if (1 < length || row[0] !== source) {
        relations.entry(source, source);
        for (let k = 0; k < length; k++) relations.target(row[k]);
      }
    }
    if (0 <= killedFrom) relations.entry(killedFrom, killedTo);
    return relations.endInterned();
  }

  /** Position of a fact among the sources. */
  #mention(fact: number): number {
    const position = this.#position[fact];
    if (position !== 0) return position - 1;
    const i = this.#count++;
    this.#sources[i] = fact;
    this.#position[fact] = i + 1;
    this.#rows[i] ??= [];
    this.#rows[i][0] = fact;
    this.#lengths[i] = 1;
    return i;
  }

  #has(i: number, fact: number): boolean {
    const row = this.#rows[i];
    for (let k = 0; k < this.#lengths[i]; k++) if (row[k] === fact) return true;
    return false;
  }

  #add(i: number, fact: number): void {
    if (!this.#has(i, fact)) this.#rows[i][this.#lengths[i]++] = fact;
  }
}

/** Pairs of facts of two procedures; facts without a pair end. */
export class Correspondence {
  /** Source fact -> its latest pair plus 1; pair -> target and the pair before it of the same source. */
  readonly #latest: Uint32Array;
  readonly #target = new GrowableUint32();
  readonly #before = new GrowableUint32();

  constructor(facts: number) {
    this.#latest = new Uint32Array(facts);
  }

  /** No pairs, for procedures with `facts` facts at the source. */
  reset(facts: number): this {
    this.#latest.fill(0, 0, facts);
    this.#target.length = 0;
    this.#before.length = 0;
    return this;
  }

  add(source: number, target: number): void {
    this.#target.push(target);
    this.#before.push(this.#latest[source]);
    this.#latest[source] = this.#target.length;
  }

  /** First `step`, if there is one, then this; both from the `facts` facts at the source. */
  internAfter(step: Transfer | undefined, facts: number, relations: RelationTable): number {
    relations.begin("nothing");
    for (let source = 0; source < facts; source++) {
      const size = step === undefined ? -1 : step.imageSize(source);
      let open = false;
      for (let i = 0; i < Math.abs(size); i++) {
        const fact = size < 0 ? source : step!.imageAt(source, i);
        for (let pair = this.#latest[fact]; pair !== 0; pair = this.#before.items[pair - 1]) {
          if (!open) relations.entry(source, source);
          open = true;
          relations.target(this.#target.items[pair - 1]);
        }
      }
    }
    return relations.endInterned();
  }

  /** First this, then `step`, which is on the facts at the target. */
  internBefore(step: Transfer, facts: number, relations: RelationTable): number {
    relations.begin("nothing");
    for (let source = 0; source < facts; source++) {
      let open = false;
      for (let pair = this.#latest[source]; pair !== 0; pair = this.#before.items[pair - 1]) {
        const fact = this.#target.items[pair - 1];
        const size = step.imageSize(fact);
        for (let i = 0; i < Math.abs(size); i++) {
          if (!open) relations.entry(source, source);
          open = true;
          relations.target(size < 0 ? fact : step.imageAt(fact, i));
        }
      }
    }
    return relations.endInterned();
  }
}
