/**
 * Queries that label a procedure when it is first asked about, in a region of limited size: summaries are there for all
 * procedures, labels for those used last. Works on either engine. Answers are the same as with all labels.
 */

import * as I from "../../assembly/image.js";
import type { Engine, Preprocessing, Queries } from "../engine.js";
import type { LabelPlan } from "./label-plan.js";
import { Residency } from "./residency.js";

export class OnDemandQueries implements Queries {
  readonly #engine: Engine;
  readonly #preprocessing: Preprocessing;
  readonly #queries: Queries;
  readonly #plan: LabelPlan;
  readonly #residency: Residency;
  readonly #sweepLimit: number;

  /** @param capacity units of 8 bytes for labels, at least as many as the largest procedure takes */
  constructor(
    engine: Engine,
    preprocessing: Preprocessing,
    plan: LabelPlan,
    capacity: number,
    sweepLimit: number,
  ) {
    this.#engine = engine;
    this.#preprocessing = preprocessing;
    this.#plan = plan;
    this.#sweepLimit = sweepLimit;
    const { start } = plan;
    const length = new Float64Array(start.length - 1);
    for (let p = 0; p < length.length; p++) length[p] = start[p + 1] - start[p];
    this.#residency = new Residency(length, capacity);
    preprocessing.beginLabels(0, capacity);
    this.#queries = preprocessing.finish();
  }

  reaches(p: number, u: number, d1: number, v: number, d2: number): boolean {
    if (!this.#residency.touch(p)) this.#label(p);
    return this.#queries.reaches(p, u, d1, v, d2);
  }

  /** Runs of queries whose procedures fit the region together. */
  reachesMany(queries: Uint32Array, answers: Uint8Array): number {
    const procedures = this.#plan.start.length - 1;
    let begin = 0;
    while (begin < answers.length) {
      const pinned = new Set<number>();
      let length = 0;
      let end = begin;
      for (; end < answers.length; end++) {
        const p = queries[5 * end];
        if (procedures <= p || pinned.has(p)) continue;
        if (this.#residency.capacity < length + this.#residency.lengthOf(p)) break;
        length += this.#residency.lengthOf(p);
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
    const planned = this.#preprocessing.sealed().slice();
    const records = planned[I.H_PROCEDURE] / 4;
    const { start } = this.#plan;
    const procedures = start.length - 1;
    for (let p = 0; p < procedures; p++) {
      const record = records + p * I.PROCEDURE_WORDS;
      planned[record + I.P_LABEL] = start[p];
      planned[record + I.P_MODE] &= ~I.MODE_EXACT;
    }
    const preprocessing = this.#engine.adopt(planned, this.#sweepLimit);
    preprocessing.beginLabels(0, start[procedures]);
    preprocessing.labelProcedures(0, procedures);
    return preprocessing.finish();
  }

  #label(p: number): void {
    this.#preprocessing.labelAt(p, this.#residency.place(p), this.#residency.lengthOf(p));
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
