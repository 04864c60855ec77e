/**
 * Queries on an index of which some procedures have changed: these are answered by small images of their own, all others
 * by the image they were in before. Facts that enter callees cross from one image to another.
 */

import * as I from "../../assembly/image.js";
import type { Queries } from "../engine.js";

/** A small image that replaces procedures; number in the image -> number in the program, callees included. */
export interface Patch {
  readonly queries: Queries;
  readonly globalOf: readonly number[];
}

/** Where a changed procedure is now. */
export interface Placement {
  readonly patch: Patch;
  readonly index: number;
}

export class OverlayQueries implements Queries {
  readonly base: Queries;
  readonly placements: ReadonlyMap<number, Placement>;

  constructor(base: Queries, placements: ReadonlyMap<number, Placement>) {
    this.base = base;
    this.placements = placements;
  }

  reaches(p: number, u: number, d1: number, v: number, d2: number): boolean {
    const placement = this.placements.get(p);
    if (placement === undefined) return this.base.reaches(p, u, d1, v, d2);
    return placement.patch.queries.reaches(placement.index, u, d1, v, d2);
  }

  /** The base answers its own in one call; queries about changed procedures are asked one by one. */
  reachesMany(queries: Uint32Array, answers: Uint8Array): number {
    const rest: number[] = [];
    for (let q = 0; q < answers.length; q++) {
      const placement = this.placements.get(queries[5 * q]);
      if (placement === undefined) {
        rest.push(q);
        continue;
      }
      const [, u, d1, v, d2] = queries.subarray(5 * q, 5 * q + 5);
      const answer = new Uint8Array(1);
      const query = Uint32Array.of(placement.index, u, d1, v, d2);
      if (placement.patch.queries.reachesMany(query, answer) === 0)
        return Math.min(q, this.#ask(rest, queries, answers));
      answers[q] = answer[0];
    }
    return this.#ask(rest, queries, answers);
  }

  #ask(own: readonly number[], queries: Uint32Array, answers: Uint8Array): number {
    const batch = new Uint32Array(5 * own.length);
    for (const [k, q] of own.entries()) batch.set(queries.subarray(5 * q, 5 * q + 5), 5 * k);
    const results = new Uint8Array(own.length);
    const answered = this.base.reachesMany(batch, results);
    for (const [k, q] of own.entries()) answers[q] = results[k];
    return answered < own.length ? own[answered] : answers.length;
  }

  from(p: number, u: number, d1: number): Uint32Array {
    const { queries, index } = this.#of(p);
    return queries.from(index, u, d1);
  }

  fromMany(p: number, seeds: Uint32Array): Uint32Array {
    const { queries, index } = this.#of(p);
    return queries.fromMany(index, seeds);
  }

  at(p: number, u: number, facts: Uint32Array, v: number): Uint32Array {
    const { queries, index } = this.#of(p);
    return queries.at(index, u, facts, v);
  }

  summary(p: number, exit: number): Uint32Array {
    const { queries, index } = this.#of(p);
    return queries.summary(index, exit);
  }

  /** A worklist over procedures: each is swept from all that has newly entered it, and hands on to its callees. */
  entering(seeds: Uint32Array): Uint32Array {
    const procedures = this.base.image()[I.H_PROCEDURES];
    const rows: (Uint32Array | undefined)[] = new Array(procedures);
    const waiting = new Map<number, number[]>();
    /** Per procedure: facts that have entered at its start. */
    const entered = new Map<number, Uint32Array>();
    const add = (p: number, v: number, d: number): void => {
      const list = waiting.get(p);
      if (list === undefined) waiting.set(p, [v, d]);
      else list.push(v, d);
    };
    for (let i = 0; i < seeds.length; i += 3) add(seeds[i], seeds[i + 1], seeds[i + 2]);
    while (waiting.size !== 0) {
      const [p, list] = waiting.entries().next().value as [number, number[]];
      waiting.delete(p);
      const reached = this.fromMany(p, Uint32Array.from(list));
      const old = rows[p];
      if (old !== undefined) for (let i = 0; i < reached.length; i++) reached[i] |= old[i];
      rows[p] = reached;
      this.#enterCallees(p, reached, (q, start, d) => {
        let row = entered.get(q);
        if (row === undefined) {
          row = new Uint32Array(this.#stride(q));
          entered.set(q, row);
        }
        if (((row[d >>> 5] >>> (d & 31)) & 1) === 1) return;
        row[d >>> 5] |= 1 << (d & 31);
        add(q, start, d);
      });
    }
    let words = 0;
    const lengths: number[] = [];
    for (let p = 0; p < procedures; p++) {
      const { image, index } = this.locate(p);
      lengths.push(this.#stride(p) * image[recordAt(image, index) + I.P_VERTICES]);
      words += lengths[p];
    }
    const all = new Uint32Array(words);
    let at = 0;
    for (let p = 0; p < procedures; p++) {
      const row = rows[p];
      if (row !== undefined) all.set(row, at);
      at += lengths[p];
    }
    return all;
  }

  /** Calls `enter` with every fact that enters a callee at its start from the facts at p's call vertices. */
  #enterCallees(p: number, rows: Uint32Array, enter: (q: number, start: number, d: number) => void): void {
    const { image, index } = this.locate(p);
    const record = recordAt(image, index);
    const stride = this.#stride(p);
    const globalOf = this.placements.get(p)?.patch.globalOf;
    const first = image[record + I.P_CALL_BASE];
    const calls: [q: number, facts: number[]][] = [];
    for (let call = first; call < first + image[record + I.P_CALLS]; call++) {
      const vertex = image[image[I.H_CALL_VERTEX] / 4 + call];
      const callee = image[image[I.H_CALL_CALLEE] / 4 + call];
      const block = image[I.H_RELATIONS] / 4 + image[image[I.H_CALL_RELATION] / 4 + call];
      const m = image[block];
      const facts: number[] = [];
      let k = 0;
      for (let i = 0; i < m; i++) {
        const d = image[block + 1 + i];
        const end = image[block + 1 + m + i];
        const holds = ((rows[vertex * stride + (d >>> 5)] >>> (d & 31)) & 1) === 1;
        for (; k < end; k++) if (holds) facts.push(image[block + 1 + 2 * m + k]);
      }
      calls.push([globalOf === undefined ? callee : globalOf[callee], facts]);
    }
    for (const [q, facts] of calls) {
      const { image: calleeImage, index: calleeIndex } = this.locate(q);
      const start = calleeImage[recordAt(calleeImage, calleeIndex) + I.P_START];
      for (const d of facts) enter(q, start, d);
    }
  }

  locate(p: number): { image: Uint32Array; index: number } {
    const placement = this.placements.get(p);
    if (placement === undefined) return this.base.locate(p);
    return placement.patch.queries.locate(placement.index);
  }

  work(): number {
    return this.base.work();
  }

  image(): Uint32Array {
    return this.base.image();
  }

  #of(p: number): { queries: Queries; index: number } {
    const placement = this.placements.get(p);
    if (placement === undefined) return { queries: this.base, index: p };
    return { queries: placement.patch.queries, index: placement.index };
  }

  #stride(p: number): number {
    const { image, index } = this.locate(p);
    return (image[recordAt(image, index) + I.P_FACTS] + 31) >>> 5;
  }
}

function recordAt(image: Uint32Array, index: number): number {
  return image[I.H_PROCEDURE] / 4 + index * I.PROCEDURE_WORDS;
}
