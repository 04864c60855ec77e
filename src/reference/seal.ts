/**
 * Ends the first preprocessing phase: the relations that arcs and calls still use get their place behind the static
 * sections of the image, in the order in which arcs and calls first use them, equal blocks once: the same program gives
 * the same bytes, however its relations came about. Chain tables follow, and in a copy of the image its labels. Linear in
 * arcs and relations.
 */

import {
  H_CHAINS,
  H_LABEL_BASE,
  H_LABEL_LENGTH,
  H_LABELS,
  H_LENGTH,
  H_RELATION_WORDS,
  H_RELATIONS,
  H_TABLE_WORDS,
  H_TABLES,
} from "../../assembly/image.js";
import { allocateWords } from "./bitset.js";
import type { Program } from "./program.js";
import { blockLength, type Relations } from "./relation.js";
import { Tables } from "./tables.js";

/** Moves relations from their vector to a new one. */
class Sealing {
  readonly #words: Int32Array;
  /** Per word of the old vector: the new offset plus 1, where a block that has been moved begins. */
  readonly #moved: Int32Array;
  /** Offsets plus 1 of new blocks, by content. */
  readonly #table: Int32Array;
  readonly sealed: Int32Array;
  end = 0;

  constructor({ words, used }: Relations) {
    this.#words = words;
    this.#moved = allocateWords(used, "Relations");
    this.#table = allocateWords(2 ** (32 - Math.clz32(used)), "Relations");
    this.sealed = allocateWords(used, "Relations");
  }

  /** The new offset of a relation; its block is copied if no equal one has been. */
  seal(relation: number): number {
    const known = this.#moved[relation];
    if (known !== 0) return known - 1;
    const words = this.#words;
    const sealed = this.sealed;
    const table = this.#table;
    const length = blockLength(words, relation);
    let hash = 0x811c9dc5;
    for (let i = relation; i < relation + length; i++) {
      hash = Math.imul(hash ^ words[i], 0x01000193);
      hash ^= hash >>> 15;
    }
    let slot = hash & (table.length - 1);
    let found = 0;
    for (; (found = table[slot]) !== 0; slot = (slot + 1) & (table.length - 1)) {
      if (blockLength(sealed, found - 1) === length && this.#same(found - 1, relation, length)) break;
    }
    if (found === 0) {
      for (let i = 0; i < length; i++) sealed[this.end + i] = words[relation + i];
      found = this.end + 1;
      table[slot] = found;
      this.end += length;
    }
    this.#moved[relation] = found;
    return found - 1;
  }

  #same(kept: number, block: number, length: number): boolean {
    for (let i = 0; i < length; i++) if (this.sealed[kept + i] !== this.#words[block + i]) return false;
    return true;
  }
}

/** The image with its relations and chain tables. */
export function sealRelations(program: Program, relations: Relations): Uint32Array {
  const { arcRelation, callRelation, image } = program;
  const sealing = new Sealing(relations);
  sealing.seal(0);
  for (let i = 0; i < arcRelation.length; i++) arcRelation[i] = sealing.seal(arcRelation[i]);
  for (let i = 0; i < callRelation.length; i++) callRelation[i] = sealing.seal(callRelation[i]);

  const chains = image[H_CHAINS];
  for (let chain = 0; chain < chains; chain++) {
    const first = program.firstArcOf(chain);
    const last = program.firstArcOf(chain + 1);
    let busy = 0;
    for (let arc = first; arc < last; arc++) if (arcRelation[arc] !== 0) busy |= 1 << (arc - first);
    program.setBusy(chain, busy);
  }
  const tables = new Tables(program, sealing.sealed);
  tables.build();

  const relationStart = image[H_RELATIONS] / 4;
  const tableStart = (relationStart + sealing.end + 1) & ~1;
  const end = (tableStart + tables.used + 1) & ~1;
  const planned = new Uint32Array(allocateWords(end, "Index").buffer);
  planned.set(image);
  planned.set(sealing.sealed.subarray(0, sealing.end), relationStart);
  planned.set(tables.words.subarray(0, tables.used), tableStart);
  planned[H_RELATION_WORDS] = sealing.end;
  planned[H_TABLES] = 4 * tableStart;
  planned[H_TABLE_WORDS] = tables.used;
  planned[H_LABELS] = 4 * end;
  return planned;
}

/** A copy of an image, with labels or without, that has room for `length` units of 8 bytes of labels, which begin at `base` among all. */
export function sealLength(planned: Uint32Array, base: number, length: number): Uint32Array {
  // One more unit lets readers of unaligned words run over the last label.
  const units = planned[H_LABELS] / 8 + length + 1;
  const sealed = new Uint32Array(allocateWords(2 * units, "Labels").buffer);
  sealed.set(planned);
  sealed[H_LABEL_BASE] = base;
  sealed[H_LABEL_LENGTH] = length;
  sealed[H_LENGTH] = units;
  return sealed;
}
