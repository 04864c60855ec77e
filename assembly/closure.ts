/**
 * Closures of tiny procedures. Below a handful of nodes a row over all nodes is no longer than the two rows over
 * ancestors that are labels (labels.ts), and needs no partner: for each node u and fact d one row, which has (v, e) if
 * (u, d) reaches (v, e) along any path. So a pair query reads one bit and no common ancestor. With n nodes, and for each
 * group its k columns, a node's rows are bits without gaps, about half of what labels take per ancestor:
 *
 *     | FZ: n |  per group: F of zero, of each fact: n * k |
 *
 * FZ: the nodes whose zero fact (u, 0) reaches. A joined procedure has no FZ, and k = |D*| columns and rows. Two in three
 * procedures of real programs have closures, an eighth shorter than their labels; as most are small, an index is
 * shorter by less than a thousandth.
 */

import { bitsAt } from "./bitset";
import { P_NODES } from "./image";
import { labelBase } from "./label-rows";
import { columnsOf, groupOf, joined, localOf, offsetOf, record, word } from "./program";

/**
 * Most nodes of a procedure with a closure, whatever its elimination tree: sweeps over it have no limit, and with a
 * constant number of nodes need none for O(|D|^3).
 */
export const MOST_CLOSURE_NODES: u32 = 8;

/** Bytes of each node's rows, where labels take `perAncestor` bits per ancestor. */
export function closureBytes(perAncestor: u64, nodes: u32): u64 {
  return (((perAncestor - 1) >> 1) * <u64>nodes + 7) >> 3;
}

/** Offset of a row among a node's, in bits per node. `local` is a fact's index in its group. */
export function closureRow(group: u32, local: u32): u32 {
  return ((offsetOf(group) - 1) >> 1) + local * columnsOf(group);
}

/** Whether fact d at node a reaches fact e at node b of the procedure at hand, by its closure. */
export function closureHas(a: u32, d: u32, b: u32, e: u32): bool {
  const base = labelBase(a);
  if (!joined && e === 0) return d === 0 && (bitsAt(base, b) & 1) !== 0;
  const group = groupOf(e);
  if (!joined && d !== 0 && groupOf(d) !== group) return false;
  const row = word(record, P_NODES) * closureRow(group, joined || d !== 0 ? localOf(d) : 0);
  const column = b * columnsOf(group) + localOf(e) - (joined ? 0 : 1);
  return (bitsAt(base, row + column) & 1) !== 0;
}
