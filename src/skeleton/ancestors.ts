/**
 * Numbers that give the depth of two nodes' lowest common ancestor in O(1): inlabel and ascendant of Schieber and
 * Vishkin (1988), read by assembly/ancestor.ts. Linear, without recursion.
 */

import { N_ASCENDANT, N_DEPTH, N_INLABEL, NODE_WORDS } from "../../assembly/image.js";

/** Where to write: per node its words in the image, and per inlabel number the parent of its path's head. */
export interface AncestorNumbers {
  readonly nodes: Uint32Array;
  readonly aboveHead: Uint32Array;
}

let firstChild = new Int32Array(64);
let nextSibling = new Int32Array(64);
let size = new Uint32Array(64);
let topDown = new Uint32Array(64);
let preorder = new Uint32Array(64);

/** Numbers a tree of `count` nodes given by parents (-1 for the root alone); returns its height, 1 for a single node. */
export function numberAncestors(
  parent: Int32Array,
  count: number,
  to: AncestorNumbers,
  base: number,
): number {
  if (size.length < count) {
    const room = Math.max(count, 2 * size.length);
    firstChild = new Int32Array(room);
    nextSibling = new Int32Array(room);
    size = new Uint32Array(room);
    topDown = new Uint32Array(room);
    preorder = new Uint32Array(room);
  }
  const { nodes } = to;
  firstChild.fill(-1, 0, count);
  let root = 0;
  for (let v = count - 1; 0 <= v; v--) {
    const above = parent[v];
    if (above < 0) root = v;
    else {
      nextSibling[v] = firstChild[above];
      firstChild[above] = v;
    }
  }
  topDown[0] = root;
  nodes[(base + root) * NODE_WORDS + N_DEPTH] = 0;
  let height = 0;
  for (let i = 0, end = 1; i < end; i++) {
    const v = topDown[i];
    const depth = nodes[(base + v) * NODE_WORDS + N_DEPTH];
    if (height <= depth) height = depth + 1;
    size[v] = 1;
    for (let child = firstChild[v]; 0 <= child; child = nextSibling[child]) {
      nodes[(base + child) * NODE_WORDS + N_DEPTH] = depth + 1;
      topDown[end++] = child;
    }
  }
  for (let i = count - 1; 0 < i; i--) size[parent[topDown[i]]] += size[topDown[i]];

  // Preorder numbers from 1; a node's inlabel is the number in its subtree's interval with most trailing zeros.
  preorder[root] = 1;
  for (let i = 0; i < count; i++) {
    const v = topDown[i];
    let next = preorder[v] + 1;
    for (let child = firstChild[v]; 0 <= child; child = nextSibling[child]) {
      preorder[child] = next;
      next += size[child];
    }
    const last = preorder[v] + size[v] - 1;
    const level = 31 - Math.clz32((preorder[v] - 1) ^ last);
    const inlabel = (last >>> level) << level;
    const lowest = inlabel & -inlabel;
    nodes[(base + v) * NODE_WORDS + N_INLABEL] = inlabel;
    if (i === 0) {
      nodes[(base + v) * NODE_WORDS + N_ASCENDANT] = lowest;
      to.aboveHead[base + inlabel - 1] = 0;
      continue;
    }
    const above = parent[v];
    const ascendant = nodes[(base + above) * NODE_WORDS + N_ASCENDANT];
    if (nodes[(base + above) * NODE_WORDS + N_INLABEL] === inlabel)
      nodes[(base + v) * NODE_WORDS + N_ASCENDANT] = ascendant;
    else {
      nodes[(base + v) * NODE_WORDS + N_ASCENDANT] = ascendant | lowest;
      to.aboveHead[base + inlabel - 1] = above;
    }
  }
  return height;
}
