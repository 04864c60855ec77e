/**
 * The whole way from a graph to a shallow elimination tree: min-degree, min-fill too where that is wider than 3, the
 * narrower order's tree decomposition, balancing, and a local search that takes further ancestors away. What it
 * minimises is the sum of all depths, since labels take one row for each vertex and ancestor. O(n w^2 + n log n) for
 * width w. Called for thousands of graphs of a few vertices, so that nothing but results is allocated.
 */

import { balanceSteps } from "./balance.js";
import { type EliminationRun, type OrderOptions, runElimination } from "./elimination-order.js";
import { type EliminationTree, eliminate, symbolicElimination } from "./elimination-tree.js";
import { type Graph, graphFromEdges } from "./graph.js";
import { grownInt32 } from "./scratch.js";
import { shorten, shortened, shortenedTree } from "./shorten.js";

/** Widths up to this one are taken from min-degree unseen: min-fill hardly ever improves on them. */
const NARROW = 3;
/** Beyond this width or this many vertices min-fill takes too long for what it may gain. */
const MIN_FILL_WIDTH = 40;
const MIN_FILL_VERTICES = 20_000;
/** Up to this many vertices the unbalanced order, too, is worth shortening: it sometimes comes out ahead. */
const BOTH_STARTS = 64;

let stepOf = new Int32Array(64);
let parentStep = new Int32Array(64);
let balancedOrder = new Int32Array(64);

const noVertex = eliminate(graphFromEdges(0, [], []), []);
const oneVertex = eliminate(graphFromEdges(1, [], []), [0]);
const twoApart = eliminate(graphFromEdges(2, [], []), [1, 0]);
const twoJoined = eliminate(graphFromEdges(2, [0], [1]), [1, 0]);

/**
 * An elimination tree of `graph` with few ancestors. Its height is at most 2 (log2(n) + 1) (w + 1), w being the width
 * that the heuristics reach, and typically less than half of that; its own width stays within 3 (w + 1). Graphs of
 * up to two vertices share their results, which must not be written to. O(n w^2 + n log n).
 *
 * @example
 * const path = graphFromEdges(7, [0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6]);
 * balancedElimination(path).height; // 3
 */
export function balancedElimination(graph: Graph): EliminationTree;
/**
 * The same, but `undefined` where the heuristics find no order of width at most `widthLimit`: trees then take space
 * quadratic in the part that is too dense.
 */
export function balancedElimination(graph: Graph, options: OrderOptions): EliminationTree | undefined;
export function balancedElimination(graph: Graph, options: OrderOptions = {}): EliminationTree | undefined {
  const n = graph.vertexCount;
  const widthLimit = options.widthLimit ?? Infinity;
  if (n <= 2 && widthLimit >= 1) {
    if (n < 2) return n === 0 ? noVertex : oneVertex;
    return graph.neighbours.length === 0 ? twoApart : twoJoined;
  }
  let run = runElimination(graph, "min-degree", widthLimit);
  const { complete, width } = run;
  const toBeat = complete ? width - 1 : widthLimit;
  if (NARROW <= toBeat && toBeat < MIN_FILL_WIDTH && n <= MIN_FILL_VERTICES) {
    run = runElimination(graph, "min-fill", toBeat);
    if (complete && !run.complete) run = runElimination(graph, "min-degree", widthLimit);
  }
  if (!run.complete) return undefined;

  balancedOrder = grownInt32(balancedOrder, n);
  linkSteps(n, run);
  const levels = balanceSteps(n, parentStep, run.bagStart, run.bags, balancedOrder);
  const heightLimit = levels * (run.width + 1);
  const longestList = 3 * (run.width + 1);
  let rival = Infinity;
  if (n <= BOTH_STARTS && shorten(graph, run.order, longestList, heightLimit))
    rival = shortened.ancestorTotal;
  if (!shorten(graph, balancedOrder, longestList, heightLimit))
    return symbolicElimination(graph, balancedOrder);
  if (rival < shortened.ancestorTotal) return symbolicElimination(graph, run.order);
  return shortenedTree(graph, balancedOrder);
}

/** Parent of each step: the first step that eliminates a neighbour; the last step for the roots of components. */
function linkSteps(n: number, run: EliminationRun): void {
  stepOf = grownInt32(stepOf, n);
  parentStep = grownInt32(parentStep, n);
  const { order, bagStart, bags } = run;
  for (let i = 0; i < n; i++) stepOf[order[i]] = i;
  for (let i = 0; i < n; i++) {
    let least = i === n - 1 ? n : n - 1;
    for (let j = bagStart[i] + 1; j < bagStart[i + 1]; j++) {
      const step = stepOf[bags[j]];
      if (step < least) least = step;
    }
    parentStep[i] = least === n ? -1 : least;
  }
}
