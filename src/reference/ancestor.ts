/**
 * Lowest common ancestors in the elimination tree in O(1), by Schieber and Vishkin (SIAM J. Comput. 17(6), 1988): nodes
 * of equal inlabel number form a path, and inlabel numbers are nodes of a complete binary tree, where ancestors are a
 * matter of bits.
 */

import { lowestBit } from "./bitset.js";
import type { Program } from "./program.js";

/** Lowest common ancestor of nodes x and y of the procedure at hand. */
export function commonAncestor(program: Program, x: number, y: number): number {
  const inX = program.inlabelOf(x);
  const inY = program.inlabelOf(y);
  let enteredX = x;
  let enteredY = y;
  if (inX !== inY) {
    const ascendantX = program.ascendantOf(x);
    const ascendantY = program.ascendantOf(y);
    // The common path: the lowest one at or above the highest bit in which the inlabels differ.
    const differ = 31 - Math.clz32(inX ^ inY);
    const path = lowestBit(ascendantX & ascendantY & (-1 << differ));
    enteredX = entryToPath(program, x, inX, ascendantX, path);
    enteredY = entryToPath(program, y, inY, ascendantY, path);
  }
  return program.depthOf(enteredX) <= program.depthOf(enteredY) ? enteredX : enteredY;
}

/** A node's lowest ancestor-or-self on the path of level `path`. */
function entryToPath(
  program: Program,
  node: number,
  inlabel: number,
  ascendant: number,
  path: number,
): number {
  const below = ascendant & ((1 << path) - 1);
  if (below === 0) return node;
  const level = 31 - Math.clz32(below);
  const child = ((inlabel >>> level) | 1) << level;
  return program.aboveHeadOf(child);
}
