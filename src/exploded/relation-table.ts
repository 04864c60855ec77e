/**
 * Flow relations under construction, in the layout of `FlowRelations`. A relation is written entry by entry
 * (`begin`, `entry`, `target`, `end`), which is how files list them, or handed over as a whole to `intern`, which gives
 * relations with the same pairs one number. `misfit` answers in O(log entries) whether a relation stays in range
 * between two fact domains, without ever expanding a range of sources.
 */

import type { FlowRelations } from "./exploded-supergraph.js";
import { GrowableUint32 } from "./growable-uint32.js";

/** What sources without entry are related to: to themselves, or to nothing. */
export type Unlisted = "identity" | "nothing";

export class RelationTable {
  /** Per relation. */
  readonly #identity = new GrowableUint32();
  readonly #entryStart = new GrowableUint32();
  /** Per entry. */
  readonly #first = new GrowableUint32();
  readonly #last = new GrowableUint32();
  readonly #targetStart = new GrowableUint32();
  /** Per entry: one more than the largest target of this and the earlier entries of its relation. */
  readonly #bound = new GrowableUint32();
  readonly #targets = new GrowableUint32();
  /** Content hash -> relations with it. */
  readonly #interned = new Map<number, number[]>();

  constructor() {
    this.#entryStart.push(0);
    this.#targetStart.push(0);
  }

  get count(): number {
    return this.#entryStart.length - 1;
  }

  isIdentity(relation: number): boolean {
    return this.#identity.items[relation] === 1 && this.#entriesOf(relation).count === 0;
  }

  begin(unlisted: Unlisted): void {
    this.#identity.push(unlisted === "identity" ? 1 : 0);
  }

  /** Opens an entry for the sources `first` to `last`; its targets follow. */
  entry(first: number, last: number): void {
    this.#closeEntry();
    this.#first.push(first);
    this.#last.push(last);
  }

  target(fact: number): void {
    this.#targets.push(fact);
  }

  /**
   * Completes the relation: entries are sorted by source. The answer is a source that two entries list, in which case
   * the table must not be used any more, or undefined.
   */
  end(): number | undefined {
    this.#closeEntry();
    const from = this.#entryStart.items[this.count];
    const to = this.#first.length;
    const first = this.#first.items;
    const last = this.#last.items;
    let sorted = true;
    for (let i = from + 1; sorted && i < to; i++) sorted = last[i - 1] < first[i];
    if (!sorted) {
      this.#sortEntries(from, to);
      for (let i = from + 1; i < to; i++) if (first[i] <= last[i - 1]) return first[i];
    }
    let bound = 0;
    for (let i = from; i < to; i++) {
      // targets ascend, so the last one is the largest
      const end = this.#targetStart.items[i + 1];
      if (this.#targetStart.items[i] < end) bound = Math.max(bound, this.#targets.items[end - 1] + 1);
      this.#bound.push(bound);
    }
    this.#entryStart.push(to);
    return undefined;
  }

  /**
   * As `end`, for entries that were written in order, disjoint, and each in its shortest form: the number of the
   * relation, which is an earlier one's if that has the same content.
   */
  endInterned(): number {
    const entryLength = this.#entryStart.items[this.count];
    const length = [entryLength, this.#targetStart.items[entryLength]] as const;
    this.end();
    return this.#deduplicate(length);
  }

  /**
   * The number of the relation with these images, a new one where it is not known yet. Images of one source add up;
   * a source with an empty image is killed.
   */
  intern(images: Iterable<readonly [source: number, targets: Iterable<number>]>, unlisted: Unlisted): number {
    const bySource = new Map<number, Set<number>>();
    for (const [source, targets] of images) {
      const image = bySource.get(source);
      if (image === undefined) bySource.set(source, new Set(targets));
      else for (const target of targets) image.add(target);
    }
    const length = [this.#first.length, this.#targets.length] as const;
    this.begin(unlisted);
    let killedTo = -1;
    for (const source of [...bySource.keys()].sort((a, b) => a - b)) {
      const image = bySource.get(source)!;
      if (image.size === 0) {
        // killed sources side by side share one entry
        if (unlisted === "nothing") continue;
        if (killedTo === source - 1 && length[0] < this.#first.length)
          this.#last.items[this.#last.length - 1] = source;
        else this.entry(source, source);
        killedTo = source;
      } else if (!(unlisted === "identity" && image.size === 1 && image.has(source))) {
        this.entry(source, source);
        for (const target of image) this.target(target);
        killedTo = -1;
      }
    }
    this.end();
    return this.#deduplicate(length);
  }

  /**
   * Whether sources below `sourceFacts` all stay below `targetFacts`: undefined, or `got ..., expected ...`. Relations
   * that keep unlisted facts connect equally large domains only.
   */
  misfit(relation: number, sourceFacts: number, targetFacts: number): string | undefined {
    if (this.#identity.items[relation] === 1 && sourceFacts !== targetFacts) {
      return (
        `got relation ${relation}, which keeps unlisted facts, from ${sourceFacts} facts to ${targetFacts}, ` +
        "expected equally many facts or a relation without identity"
      );
    }
    const { from, count } = this.#entriesOf(relation);
    const bounds = this.#bound.items;
    if (count === 0 || bounds[from + count - 1] <= targetFacts) return undefined;
    // entries at or above `applicable` begin with sources that do not exist here
    let low = from;
    let applicable = from + count;
    while (low < applicable) {
      const middle = (low + applicable) >>> 1;
      if (this.#first.items[middle] < sourceFacts) low = middle + 1;
      else applicable = middle;
    }
    if (applicable === from || bounds[applicable - 1] <= targetFacts) return undefined;
    return `got relation ${relation} with target fact ${bounds[applicable - 1] - 1}, expected at most ${targetFacts - 1}`;
  }

  build(): FlowRelations {
    return {
      count: this.count,
      identity: Uint8Array.from(this.#identity.toArray()),
      entryStart: this.#entryStart.toArray(),
      sourceFirst: this.#first.toArray(),
      sourceLast: this.#last.toArray(),
      targetStart: this.#targetStart.toArray(),
      targets: this.#targets.toArray(),
    };
  }

  #entriesOf(relation: number): { from: number; count: number } {
    const from = this.#entryStart.items[relation];
    return { from, count: this.#entryStart.items[relation + 1] - from };
  }

  /** Makes the targets of the open entry, if there is one, ascend without duplicates. */
  #closeEntry(): void {
    if (this.#targetStart.length > this.#first.length) return;
    const from = this.#targetStart.items[this.#targetStart.length - 1];
    const targets = this.#targets.items;
    let ascending = true;
    for (let i = from + 1; ascending && i < this.#targets.length; i++)
      ascending = targets[i - 1] < targets[i];
    if (!ascending) {
      targets.subarray(from, this.#targets.length).sort();
      let kept = from + 1;
      for (let i = from + 1; i < this.#targets.length; i++) {
        if (targets[i] !== targets[kept - 1]) targets[kept++] = targets[i];
      }
      this.#targets.length = kept;
    }
    this.#targetStart.push(this.#targets.length);
  }

  #sortEntries(from: number, to: number): void {
    const first = this.#first.items.slice(from, to);
    const last = this.#last.items.slice(from, to);
    const start = this.#targetStart.items.slice(from, to + 1);
    const targets = this.#targets.items.slice(start[0], start[to - from]);
    const order = Uint32Array.from(first.keys()).sort((a, b) => first[a] - first[b]);
    let filled = start[0];
    for (const [i, entry] of order.entries()) {
      this.#first.items[from + i] = first[entry];
      this.#last.items[from + i] = last[entry];
      const image = targets.subarray(start[entry] - start[0], start[entry + 1] - start[0]);
      this.#targets.items.set(image, filled);
      filled += image.length;
      this.#targetStart.items[from + i + 1] = filled;
    }
  }

  /** Takes the last relation back when an earlier one has the same content; `length` as before it was added. */
  #deduplicate([entryLength, targetLength]: readonly [number, number]): number {
    const added = this.count - 1;
    const hash = this.#hash(added);
    const candidates = this.#interned.get(hash);
    if (candidates === undefined) {
      this.#interned.set(hash, [added]);
      return added;
    }
    for (const candidate of candidates) {
      if (!this.#equal(candidate, added)) continue;
      this.#identity.length--;
      this.#entryStart.length--;
      this.#first.length = this.#last.length = this.#bound.length = entryLength;
      this.#targetStart.length = entryLength + 1;
      this.#targets.length = targetLength;
      return candidate;
    }
    candidates.push(added);
    return added;
  }

  #hash(relation: number): number {
    const { from, count } = this.#entriesOf(relation);
    let hash = this.#identity.items[relation] + 1;
    const mix = (x: number) => {
      hash = Math.imul(hash ^ x, 0x01000193);
      hash ^= hash >>> 15;
    };
    for (let i = from; i < from + count; i++) {
      mix(this.#first.items[i]);
      mix(this.#last.items[i]);
      const end = this.#targetStart.items[i + 1];
      for (let t = this.#targetStart.items[i]; t < end; t++) mix(~this.#targets.items[t]);
    }
    return hash;
  }

  #equal(a: number, b: number): boolean {
    const { from: fromA, count } = this.#entriesOf(a);
    const { from: fromB, count: countB } = this.#entriesOf(b);
    const start = this.#targetStart.items;
    if (count !== countB || this.#identity.items[a] !== this.#identity.items[b]) return false;
    if (start[fromA + count] - start[fromA] !== start[fromB + count] - start[fromB]) return false;
    for (let i = 0; i < count; i++) {
      if (this.#first.items[fromA + i] !== this.#first.items[fromB + i]) return false;
      if (this.#last.items[fromA + i] !== this.#last.items[fromB + i]) return false;
      if (start[fromA + i + 1] - start[fromA] !== start[fromB + i + 1] - start[fromB]) return false;
    }
    for (let t = 0; t < start[fromA + count] - start[fromA]; t++) {
      if (this.#targets.items[start[fromA] + t] !== this.#targets.items[start[fromB] + t]) return false;
    }
    return true;
  }
}
