/**
 * Queries that decompose and label a procedure when it is first asked about, in a region that grows up to a limit:
 * summaries are there for all procedures, labels for those used last. Works on either engine. Answers are the same as
 * with all labels.
 */

import * as I from "../../assembly/image.js";
import type { Engine, Preprocessing, Queries } from "../engine.js";
import type { DemandPlan } from "./demand-plan.js";
import { Residency } from "./residency.js";

/** Units of 8 bytes that the region has at first. */
const FIRST_ROOM = 2 ** 13;

export class OnDemandQueries implements Queries {
  readonly #engine: Engine;
  readonly #preprocessing: Preprocessing;
  readonly #plan: DemandPlan;
  readonly #residency: Residency;
  readonly #sweepLimit: number;
  /** Units of 8 bytes that the region has now. */
  #room: number;
  #queries: Queries;

  /** @param capacity most units of 8 bytes for labels, as many as the budget of one procedure at least */
  constructor(
    engine: Engine,
    preprocessing: Preprocessing,
    plan: DemandPlan,
    capacity: number,
    sweepLimit: number,
  ) {
    this.#engine = engine;
    this.#preprocessing = preprocessing;
    this.#plan = plan;
    this.#sweepLimit = sweepLimit;
    this.#residency = new Residency(plan.length, capacity);
    this.#room = Math.min(capacity, FIRST_ROOM);
    preprocessing.beginLabels(0, this.#room);
    this.#queries = preprocessing.finish();
  }

  reaches(p: number, u: number, d1: number, v: number, d2: number): boolean {
    if (!this.#residency.touch(p)) this.#label(p);
    return this.#queries.reaches(p, u, d1, v, d2);
  }

  /** Runs of queries whose procedures fit the region together. */
  reachesMany(queries: Uint32Array, answers: Uint8Array): number {
    const procedures = this.#plan.length.length;
    let begin = 0;
    while (begin < answers.length) {
      const pinned = new Set<number>();
      let length = 0;
      let end = begin;
      for (; end < answers.length; end++) {
        const p = queries[5 * end];
        if (procedures <= p || pinned.has(p)) continue;
        if (this.#residency.capacity < length + this.#plan.lengthOf(p)) break;
        length += this.#plan.lengthOf(p);
        pinned.add(p);
      }
      this.#labelAll(pinned);
      const answered = this.#queries.reachesMany(
        queries.subarray(5 * begin, 5 * end),
        answers.subarray(begin, end),
      );
      if (answered < end - begin) return begin + answered;
      begin = end;
    }
    return begin;
  }

  from(p: number, u: number, d1: number): Uint32Array {
    return this.#queries.from(p, u, d1);
  }

  fromMany(p: number, seeds: Uint32Array): Uint32Array {
    return this.#queries.fromMany(p, seeds);
  }

  at(p: number, u: number, facts: Uint32Array, v: number): Uint32Array {
    return this.#queries.at(p, u, facts, v);
  }

  summary(p: number, exit: number): Uint32Array {
    if (!this.#residency.touch(p)) this.#label(p);
    return this.#queries.summary(p, exit);
  }

  locate(p: number): { image: Uint32Array; index: number } {
    this.#plan.lengthOf(p);
    return this.#queries.locate(p);
  }

  entering(seeds: Uint32Array): Uint32Array {
    return this.#queries.entering(seeds);
  }

  work(): number {
    return this.#queries.work();
  }

  image(): Uint32Array {
    return this.#queries.image();
  }

  /** The whole index, every procedure labelled: made anew at each call. */
  complete(): Queries {
    const procedures = this.#plan.length.length;
    for (let p = 0; p < procedures; p++) this.#plan.lengthOf(p);
    const planned = this.#preprocessing.sealed().slice();
    const records = planned[I.H_PROCEDURE] / 4;
    let length = 0;
    for (let p = 0; p < procedures; p++) {
      const record = records + p * I.PROCEDURE_WORDS;
      planned[record + I.P_LABEL] = length;
      planned[record + I.P_MODE] &= ~I.MODE_EXACT;
      length += this.#plan.lengthOf(p);
    }
    const preprocessing = this.#engine.adopt(planned, this.#sweepLimit);
    preprocessing.beginLabels(0, length);
    preprocessing.labelProcedures(0, procedures);
    return preprocessing.finish();
  }

  #label(p: number): void {
    const length = this.#plan.lengthOf(p);
    try {
      const offset = this.#residency.place(p);
      const end = offset + length;
      if (this.#room < end) this.#grow(Math.min(this.#residency.capacity, Math.max(end, 2 * this.#room)));
      this.#preprocessing.labelAt(p, offset, length);
    } catch (error) {
      this.#residency.forget(p);
      throw error;
    }
  }

  #grow(room: number): void {
    this.#preprocessing.growLabels(room);
    this.#room = room;
    this.#queries = this.#preprocessing.finish();
  }

  /** Labels of all of them at once; where gaps between others are in the way, these go. */
  #labelAll(pinned: ReadonlySet<number>): void {
    const missing: number[] = [];
    for (const p of pinned) if (!this.#residency.touch(p)) missing.push(p);
    for (const p of missing) this.#label(p);
    if (missing.length === 0) return;
    for (const p of pinned) {
      if (this.#residency.touch(p)) continue;
      this.#residency.clear();
      for (const q of pinned) {
        this.#residency.touch(q);
        this.#label(q);
      }
      return;
    }
  }
}
