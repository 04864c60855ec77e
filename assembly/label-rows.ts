/**
 * Where a node's labels stand in the image: bits without gaps. With a = depth + 1 ancestors, and for each group its k
 * columns (facts other than the zero fact, which has no columns of its own, since nothing but itself reaches it):
 *
 *     | S: a | FZ: a | BZ: a |  per group: F of zero, of each fact: a * k | B of each fact: a * k | B0 of each fact: a |
 *
 * FZ and BZ: the ancestors whose zero fact (v, 0) reaches, and that reach (v, 0); B0: those whose zero fact reaches
 * (v, d). A joined procedure has S, and k = |D*| columns and rows for F and B. S is empty unless the procedure is exact
 * (eliminate.ts): then it has the node itself and N+(v).
 */

import { P_LABEL } from "./image";
import { columnsOf, joined, labelOf, labels, offsetOf, record, word } from "./program";

/** Offsets of the zero fact's rows, in bits per ancestor. */
export const FORWARD_ZERO: u32 = 1;
export const BACKWARD_ZERO: u32 = 2;

/** Where a node's labels begin. */
export function labelBase(node: u32): usize {
  return labels + ((<usize>word(record, P_LABEL)) << 3) + <usize>labelOf(node);
}

/** Offsets of rows among a node's labels, in bits per ancestor. `local` is a fact's index in its group. */
export function forwardRow(group: u32, local: u32): u32 {
  return offsetOf(group) + local * columnsOf(group);
}

export function backwardRow(group: u32, local: u32): u32 {
  const k = columnsOf(group);
  return joined ? 1 + (k + local) * k : offsetOf(group) + (k + local) * k;
}

export function backwardZeroRow(group: u32, local: u32): u32 {
  const k = columnsOf(group);
  return offsetOf(group) + (k + k + 1) * k + local - 1;
}
