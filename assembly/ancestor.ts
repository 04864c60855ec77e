/**
 * Lowest common ancestors in the elimination tree in O(1), by Schieber and Vishkin (SIAM J. Comput. 17(6), 1988): nodes
 * of equal inlabel number form a path, and inlabel numbers are nodes of a complete binary tree, where ancestors are a
 * matter of bits.
 */

import { aboveHeadOf, ascendantOf, depthOf, inlabelOf } from "./program";

/** Lowest common ancestor of nodes x and y of the procedure at hand. */
export function commonAncestor(x: u32, y: u32): u32 {
  const inX = inlabelOf(x);
  const inY = inlabelOf(y);
  if (inX !== inY) {
    const ascendantX = ascendantOf(x);
    const ascendantY = ascendantOf(y);
    // The common path: the lowest one at or above the highest bit in which the inlabels differ.
    const differ: u32 = 31 - clz(inX ^ inY);
    const path = ctz(ascendantX & ascendantY & (0xffffffff << differ));
    x = entryToPath(x, inX, ascendantX, path);
    y = entryToPath(y, inY, ascendantY, path);
  }
  return select<u32>(x, y, depthOf(x) <= depthOf(y));
}

/** A node's lowest ancestor-or-self on the path of level `path`. */
function entryToPath(node: u32, inlabel: u32, ascendant: u32, path: u32): u32 {
  const below = ascendant & ((1 << path) - 1);
  // On the path already where there is no level below; then the own inlabel is looked up, and not used.
  const level: u32 = 31 - clz(below | 1);
  const child = select<u32>(inlabel, ((inlabel >> level) | 1) << level, below === 0);
  return select<u32>(node, aboveHeadOf(child), below === 0);
}
