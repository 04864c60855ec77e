/**
 * Elimination trees of node graphs, with the numbers that queries want of them: for all procedures before the image is
 * labelled, or for one of an image, in place, when it is first asked about. O(n log n) per node graph.
 */

import * as I from "../../assembly/image.js";
import { type AncestorNumbers, numberAncestors } from "../skeleton/ancestors.js";
import type { Skeleton } from "../skeleton/skeleton.js";
import { balancedElimination, graphFromEdges } from "../treedec/index.js";

/** Elimination trees of all node graphs, numbered for the image. */
export interface Forest extends AncestorNumbers {
  /** Per procedure; height 0 where no decomposition was found that is narrow enough. */
  readonly height: Uint32Array;
  readonly width: Uint32Array;
}

/** What a decomposition reads of a skeleton. */
export type NodeGraphs = Pick<Skeleton, "nodeStart" | "chainStart" | "chainHead" | "chainTail">;

/** Widest decomposition that is looked for; real procedures have width 11 at most. */
const WIDTH_LIMIT = 1024;

/** The forest of a program, to be filled by `decompose(from, to)` for all its procedures. */
export function decomposeAll(skeleton: NodeGraphs): {
  forest: Forest;
  decompose: (from: number, to: number) => void;
} {
  const { nodeStart, chainStart, chainHead, chainTail } = skeleton;
  const procedures = nodeStart.length - 1;
  const nodes = nodeStart[procedures];
  const forest: Forest = {
    nodes: new Uint32Array(nodes * I.NODE_WORDS),
    aboveHead: new Uint32Array(nodes),
    height: new Uint32Array(procedures),
    width: new Uint32Array(procedures),
  };
  const decompose = (from: number, to: number) => {
    for (let p = from; p < to; p++) {
      const first = chainStart[p];
      const last = chainStart[p + 1];
      const tree = decomposeGraph(
        nodeStart[p + 1] - nodeStart[p],
        chainHead.subarray(first, last),
        chainTail.subarray(first, last),
        forest,
        nodeStart[p],
      );
      forest.height[p] = tree.height;
      forest.width[p] = tree.width;
    }
  };
  return { forest, decompose };
}

/** Writes the forest of a program into its image, which may have been through the first phase. */
export function placeForest(image: Uint32Array, forest: Forest): void {
  image.set(forest.nodes, image[I.H_NODE] / 4);
  image.set(forest.aboveHead, image[I.H_ABOVE_HEAD] / 4);
  const records = image[I.H_PROCEDURE] / 4;
  for (let p = 0; p < forest.height.length; p++) {
    image[records + p * I.PROCEDURE_WORDS + I.P_HEIGHT] = forest.height[p];
    image[records + p * I.PROCEDURE_WORDS + I.P_WIDTH] = forest.width[p];
  }
}

/** Decomposes one procedure of an image in place. It may have been through the first phase. */
export function decomposeInImage(image: Uint32Array, p: number): void {
  const record = image[I.H_PROCEDURE] / 4 + p * I.PROCEDURE_WORDS;
  const narrow = image[I.H_NARROW] !== 0;
  const chainWords = narrow ? I.NARROW_CHAIN_WORDS : I.WIDE_CHAIN_WORDS;
  const chains = image[record + I.P_CHAINS];
  const heads = new Uint32Array(chains);
  const tails = new Uint32Array(chains);
  let at = image[I.H_CHAIN] / 4 + image[record + I.P_CHAIN_BASE] * chainWords;
  for (let c = 0; c < chains; c++, at += chainWords) {
    heads[c] = narrow ? image[at] >>> 16 : image[at];
    tails[c] = narrow ? image[at] & 0xffff : image[at + 1];
  }
  const to: AncestorNumbers = {
    nodes: image.subarray(image[I.H_NODE] / 4),
    aboveHead: image.subarray(image[I.H_ABOVE_HEAD] / 4),
  };
  const tree = decomposeGraph(image[record + I.P_NODES], heads, tails, to, image[record + I.P_NODE_BASE]);
  image[record + I.P_HEIGHT] = tree.height;
  image[record + I.P_WIDTH] = tree.width;
}

/** Numbers the elimination tree of a graph of `count` nodes; height 0, and no numbers, where it would be too wide. */
function decomposeGraph(
  count: number,
  heads: Uint32Array,
  tails: Uint32Array,
  to: AncestorNumbers,
  base: number,
): { height: number; width: number } {
  const tree = balancedElimination(graphFromEdges(count, heads, tails), { widthLimit: WIDTH_LIMIT });
  // No labels: the procedure answers by search.
  if (tree === undefined) return { height: 0, width: WIDTH_LIMIT + 1 };
  return { height: numberAncestors(tree.parent, count, to, base), width: tree.width };
}
