/**
 * What one edge does to the facts of a procedure, composed effect by effect and then interned as a relation: kills,
 * generated facts, copies, and at calls the correspondence between the facts of caller and callee. One value of each
 * class serves a whole program; what it costs is the facts mentioned, not the facts there are.
 */

import { GrowableUint32 } from "../exploded/growable-uint32.js";
import type { RelationTable } from "../exploded/relation-table.js";

/** A relation on the facts of one procedure; facts that nothing mentions stay as they are. */
export class Transfer {
  /** Facts that were mentioned, in that order, and what each becomes. */
  readonly #sources: number[] = [];
  readonly #rows: number[][] = [];
  /** Fact -> position in `#sources` plus 1. */
  #position: Uint32Array;
  /** Facts that the next `killMarked` ends. */
  readonly #marked: number[] = [];
  readonly #isMarked: Uint8Array;

  /** For procedures of up to `facts` facts. */
  constructor(facts: number) {
    this.#position = new Uint32Array(facts);
    this.#isMarked = new Uint8Array(facts);
  }

  /** The identity again. */
  reset(): this {
    for (const source of this.#sources) this.#position[source] = 0;
    this.#sources.length = 0;
    return this;
  }

  get isIdentity(): boolean {
    return this.#sources.length === 0;
  }

  /** `f(S) = S ∪ {fact}`. */
  generate(fact: number): void {
    const row = this.#row(0);
    if (!row.includes(fact)) row.push(fact);
  }

  /** `f(S) = S ∪ {first, ..., first + count - 1}`, for many: does not look whether they are there already. */
  generateAll(first: number, count: number): void {
    const row = this.#row(0);
    for (let fact = first; fact < first + count; fact++) row.push(fact);
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
      this.#marked.push(fact);
      this.#row(fact);
    }
  }

  killMarked(): void {
    if (this.#marked.length === 0) return;
    for (let i = 0; i < this.#sources.length; i++) {
      const row = this.#rows[i];
      let kept = 0;
      for (const fact of row) if (this.#isMarked[fact] === 0) row[kept++] = fact;
      row.length = kept;
    }
    for (const fact of this.#marked) this.#isMarked[fact] = 0;
    this.#marked.length = 0;
  }

  /** `f(S) = S ∪ ({to} if from ∈ S)`. */
  copy(from: number, to: number): void {
    this.#row(from);
    for (let i = 0; i < this.#sources.length; i++) {
      const row = this.#rows[i];
      if (row.includes(from) && !row.includes(to)) row.push(to);
    }
  }

  /**
   * Copies each `from[i]` to `to[i]` at once, where no fact is in both lists: linear in both and in what was mentioned.
   */
  copyAll(from: readonly number[], to: readonly number[]): void {
    const target = new Map<number, number>();
    for (const [i, fact] of from.entries()) {
      this.#row(fact);
      target.set(fact, to[i]);
    }
    for (let i = 0; i < this.#sources.length; i++) {
      const row = this.#rows[i];
      for (let k = 0, length = row.length; k < length; k++) {
        const copied = target.get(row[k]);
        if (copied !== undefined && !row.includes(copied)) row.push(copied);
      }
    }
  }

  /** What `fact` becomes, or undefined: itself. Do not keep it. */
  image(fact: number): readonly number[] | undefined {
    const position = this.#position[fact];
    return position === 0 ? undefined : this.#rows[position - 1];
  }

  intern(relations: RelationTable): number {
    if (this.#sources.length === 0) return 0;
    relations.begin("identity");
    let killedFrom = -1;
    let killedTo = -1;
    const flush = () => {
      if (0 <= killedFrom) relations.entry(killedFrom, killedTo);
      killedFrom = -1;
    };
    for (const source of Uint32Array.from(this.#sources).sort()) {
      const row = this.#rows[this.#position[source] - 1];
      if (row.length === 0) {
        if (killedFrom < 0 || killedTo !== source - 1) {
          flush();
          killedFrom = source;
        }
        killedTo = source;
        continue;
      }
      flush();
      if (row.length === 1 && row[0] === source) continue;
      relations.entry(source, source);
      for (const target of row) relations.target(target);
    }
    flush();
    return relations.endInterned();
  }

  #row(fact: number): number[] {
    const position = this.#position[fact];
    if (position !== 0) return this.#rows[position - 1];
    const index = this.#sources.push(fact) - 1;
    this.#position[fact] = index + 1;
    const row = (this.#rows[index] ??= []);
    row.length = 1;
    row[0] = fact;
    return row;
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
      const image = step?.image(source);
      let open = false;
      const count = image === undefined ? 1 : image.length;
      for (let i = 0; i < count; i++) {
        const fact = image === undefined ? source : image[i];
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
        const image = step.image(fact);
        const count = image === undefined ? 1 : image.length;
        for (let i = 0; i < count; i++) {
          if (!open) relations.entry(source, source);
          open = true;
          relations.target(image === undefined ? fact : image[i]);
        }
      }
    }
    return relations.endInterned();
  }
}
