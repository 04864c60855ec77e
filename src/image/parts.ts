/**
 * Queries over several memories, each of which holds the labels of a range of procedures beside everything else. What
 * needs no labels is asked of the first.
 */

import * as I from "../../assembly/image.js";
import type { Engine, Queries } from "../engine.js";
import { checksum } from "./checksum.js";
import { type ProcedureRange, readLabelPlan, splitLabels } from "./label-plan.js";

export interface Part extends ProcedureRange {
  readonly queries: Queries;
}

export class PartedQueries implements Queries {
  readonly parts: readonly Part[];
  /** Per procedure: its part. */
  readonly #partOf: Uint32Array;

  constructor(parts: readonly Part[]) {
    this.parts = parts;
    this.#partOf = new Uint32Array(parts[parts.length - 1].to);
    for (const [i, { from, to }] of parts.entries()) this.#partOf.fill(i, from, to);
  }

  reaches(p: number, u: number, d1: number, v: number, d2: number): boolean {
    return this.parts[this.#partOf[p]].queries.reaches(p, u, d1, v, d2);
  }

  /** Each part answers its own queries in one call. */
  reachesMany(queries: Uint32Array, answers: Uint8Array): number {
    let first = answers.length;
    for (const [i, { queries: part }] of this.parts.entries()) {
      const own: number[] = [];
      for (let q = 0; q < answers.length; q++) {
        // A procedure that does not exist is for the first part to refuse.
        if ((this.#partOf[queries[5 * q]] ?? 0) === i) own.push(q);
      }
      const batch = new Uint32Array(5 * own.length);
      for (const [k, q] of own.entries()) batch.set(queries.subarray(5 * q, 5 * q + 5), 5 * k);
      const results = new Uint8Array(own.length);
      const answered = part.reachesMany(batch, results);
      for (const [k, q] of own.entries()) answers[q] = results[k];
      if (answered < own.length) first = Math.min(first, own[answered]);
    }
    return first;
  }

  from(p: number, u: number, d1: number): Uint32Array {
    return this.parts[this.#partOf[p]].queries.from(p, u, d1);
  }

  fromMany(p: number, seeds: Uint32Array): Uint32Array {
    return this.parts[this.#partOf[p]].queries.fromMany(p, seeds);
  }

  at(p: number, u: number, facts: Uint32Array, v: number): Uint32Array {
    return this.parts[this.#partOf[p]].queries.at(p, u, facts, v);
  }

  summary(p: number, exit: number): Uint32Array {
    return this.parts[this.#partOf[p]].queries.summary(p, exit);
  }

  locate(p: number): { image: Uint32Array; index: number } {
    return this.parts[this.#partOf[p]].queries.locate(p);
  }

  entering(seeds: Uint32Array): Uint32Array {
    return this.parts[0].queries.entering(seeds);
  }

  work(): number {
    return this.parts.reduce((sum, { queries }) => sum + queries.work(), 0);
  }

  image(): Uint32Array {
    return this.parts[0].queries.image();
  }
}

/** The images of several parts as one. */
export function joinParts(parts: readonly Part[]): Uint32Array<ArrayBuffer> {
  const first = parts[0].queries.image();
  const labelsAt = first[I.H_LABELS] / 4;
  let length = 0;
  for (const { queries } of parts) length += queries.image()[I.H_LABEL_LENGTH];
  const joined = new Uint32Array(labelsAt + 2 * length + 2);
  joined.set(first.subarray(0, labelsAt));
  const records = first[I.H_PROCEDURE] / 4;
  for (const { queries, from, to } of parts) {
    const image = queries.image();
    // How a procedure answers may have been decided while it was labelled.
    const begin = records + from * I.PROCEDURE_WORDS;
    const end = records + to * I.PROCEDURE_WORDS;
    joined.set(image.subarray(begin, end), begin);
    const labels = image.subarray(labelsAt, labelsAt + 2 * image[I.H_LABEL_LENGTH]);
    joined.set(labels, labelsAt + 2 * image[I.H_LABEL_BASE]);
  }
  joined[I.H_LABEL_BASE] = 0;
  joined[I.H_LABEL_LENGTH] = length;
  joined[I.H_LENGTH] = joined.length / 2;
  return joined;
}

/**
 * Opens a finished image, in several memories if its labels are longer than `capacity` units of 8 bytes; undefined where
 * its checksum is not what its header says.
 */
export function openParts(engine: Engine, image: Uint32Array, capacity: number): Queries | undefined {
  const length = image[I.H_LABEL_LENGTH];
  if (length <= capacity) return engine.openChecked(image);
  if (checksum(image) !== image[I.H_CHECKSUM]) return undefined;
  const { start } = readLabelPlan(image, length);
  const labelsAt = image[I.H_LABELS] / 4;
  const parts = splitLabels({ start }, capacity).map(({ from, to }) => {
    const own = start[to] - start[from];
    const part = new Uint32Array(labelsAt + 2 * own + 2);
    part.set(image.subarray(0, labelsAt));
    part.set(image.subarray(labelsAt + 2 * start[from], labelsAt + 2 * start[to]), labelsAt);
    part[I.H_LABEL_BASE] = start[from];
    part[I.H_LABEL_LENGTH] = own;
    part[I.H_LENGTH] = part.length / 2;
    return { from, to, queries: engine.open(part) };
  });
  return new PartedQueries(parts);
}
