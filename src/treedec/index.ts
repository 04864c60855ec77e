/** Tree decompositions and balanced elimination orders: the public subpath `phloem/treedec`. */

export { type BalancedOrder, balance } from "./balance.js";
export { balancedElimination } from "./balanced-elimination.js";
export {
  type EliminationOrder,
  eliminationOrder,
  type Heuristic,
  type OrderOptions,
} from "./elimination-order.js";
export { type EliminationTree, eliminate } from "./elimination-tree.js";
export { type Graph, graphFromEdges } from "./graph.js";
export { formatGr, formatTd, parseGr, parseTd, type ReadDecomposition } from "./pace.js";
export {
  checkDecomposition,
  decompositionOf,
  decompositionWidth,
  type TreeDecomposition,
} from "./tree-decomposition.js";
