/** Closures of tiny procedures: see assembly/closure.ts. */

import { bitsAt } from "./bitset.js";
import { labelBase, labelShift } from "./label-rows.js";
import type { Program } from "./program.js";

/** Most nodes of a procedure with a closure. */
export const MOST_CLOSURE_NODES = 8;

/** Bytes of each node's rows, where labels take `perAncestor` bits per ancestor. */
export function closureBytes(perAncestor: number, nodes: number): number {
  return Math.floor((Math.floor((perAncestor - 1) / 2) * nodes + 7) / 8);
}

/** Offset of a row among a node's, in bits per node. `local` is a fact's index in its group. */
export function closureRow(program: Program, group: number, local: number): number {
  return ((program.offsetOf(group) - 1) >>> 1) + local * program.columnsOf(group);
}

/** Whether fact d at node a reaches fact e at node b of the procedure at hand, by its closure. */
export function closureHas(program: Program, a: number, d: number, b: number, e: number): boolean {
  const { joined, nodeCount, words } = program;
  const base = labelBase(program, a);
  const shift = labelShift(program, a);
  if (!joined && e === 0) return d === 0 && (bitsAt(words, base, shift + b) & 1) !== 0;
  const group = program.groupOf(e);
  if (!joined && d !== 0 && program.groupOf(d) !== group) return false;
  const row = nodeCount * closureRow(program, group, joined || d !== 0 ? program.localOf(d) : 0);
  const column = b * program.columnsOf(group) + program.localOf(e) - (joined ? 0 : 1);
  return (bitsAt(words, base, shift + row + column) & 1) !== 0;
}
