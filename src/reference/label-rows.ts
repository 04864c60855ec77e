/** Where a node's labels stand in the image: see assembly/label-rows.ts. */

import type { Program } from "./program.js";

/** Offsets of the zero fact's rows, in bits per ancestor. */
export const FORWARD_ZERO = 1;
export const BACKWARD_ZERO = 2;

/** Word of the image in which a node's labels begin, and at which of its bits. */
export function labelBase(program: Program, node: number): number {
  return program.labels + (program.labelOf(node) >>> 2);
}

export function labelShift(program: Program, node: number): number {
  return (program.labelOf(node) & 3) << 3;
}

/** Offsets of rows among a node's labels, in bits per ancestor. `local` is a fact's index in its group. */
export function forwardRow(program: Program, group: number, local: number): number {
  return program.offsetOf(group) + local * program.columnsOf(group);
}

export function backwardRow(program: Program, group: number, local: number): number {
  const k = program.columnsOf(group);
  return program.offsetOf(group) + (k + local) * k;
}

export function backwardZeroRow(program: Program, group: number, local: number): number {
  const k = program.columnsOf(group);
  return program.offsetOf(group) + (k + k + 1) * k + local - 1;
}
