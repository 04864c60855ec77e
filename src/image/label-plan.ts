/**
 * Where each procedure's labels lie among all labels: read from an image after the first phase, in units of 8 bytes.
 * Labels that one memory cannot hold are spread over several, each with a range of the procedures.
 */

import * as I from "../../assembly/image.js";

export interface LabelPlan {
  /** Per procedure, and one more: where its labels begin. */
  readonly start: Float64Array;
}

export interface ProcedureRange {
  readonly from: number;
  readonly to: number;
}

/** The plan of an image whose labels have `length` units in all. */
export function readLabelPlan(planned: Uint32Array, length: number): LabelPlan {
  const procedures = planned[I.H_PROCEDURES];
  const start = new Float64Array(procedures + 1);
  const records = planned[I.H_PROCEDURE] / 4;
  for (let p = 0; p < procedures; p++) start[p] = planned[records + p * I.PROCEDURE_WORDS + I.P_LABEL];
  start[procedures] = length;
  return { start };
}

/** Ranges of procedures, in order, whose labels take at most `capacity` units each; one procedure at least. */
export function splitLabels({ start }: LabelPlan, capacity: number): ProcedureRange[] {
  const procedures = start.length - 1;
  const ranges: ProcedureRange[] = [];
  let from = 0;
  for (let p = 1; p <= procedures; p++) {
    if (p < procedures && start[p + 1] - start[from] <= capacity) continue;
    ranges.push({ from, to: p });
    from = p;
  }
  return ranges.length === 0 ? [{ from: 0, to: 0 }] : ranges;
}

/** Bytes of one WebAssembly memory that an index may take; the rest is for working space and batches. */
const MEMORY_BYTES = 3.25 * 2 ** 30;

/** Bytes of an image besides its labels: what stands before them, and the padding behind. */
export function bytesBesideLabels(planned: Uint32Array): number {
  return planned[I.H_LABELS] + 8;
}

/** Units of 8 bytes for labels that fit one memory beside the rest of an image. */
export function labelCapacity(planned: Uint32Array, memoryBytes = MEMORY_BYTES): number {
  return Math.floor((memoryBytes - bytesBesideLabels(planned)) / 8);
}
