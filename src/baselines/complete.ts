/**
 * The CPP baseline, complete preprocessing: the closure of every procedure's summary-extended exploded graph in bit
 * sets, then look-ups. The closure is built over strongly connected components, successors first (Nuutila 1995):
 * exploded vertices of one component share a row, and a row is the union of its successors' rows.
 * O((nD)^2) bits per procedure and O(E nD / 32) word operations, which is why it does not scale beyond small
 * procedures; a pair query is one bit, a single source one row.
 */

import { components } from "../exploded/components.js";
import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import { type BaselineOptions, Watch } from "./limits.js";
import { type Baseline, baselineOver, type SameContextSearch } from "./same-context.js";
import { type SummaryGraph, summaryGraph } from "./summary-graph.js";

/**
 * Everything tabulated first, then looked up. Throws a `MemoryLimitError` before it begins if `completeBytes(graph)`
 * is above the memory limit.
 *
 * @example
 * const solver = complete(parseIfds("IFDS 1\nR 0 I\nR 1 X 0>0,1\nM 0\nP 0 2 2 0 1 main\ne 0 1 1\nZ\n"));
 * solver.reaches(0, 0, 0, 1, 1); // true
 * solver.reaches(0, 0, 1, 1, 1); // false
 */
export function complete(graph: ExplodedSupergraph, options?: BaselineOptions): Baseline {
  const watch = new Watch(options);
  watch.memory("The closure of all procedures", completeBytes(graph));
  const closure = new Closure(graph, summaryGraph(graph, watch), watch);
  watch.check();
  return baselineOver(graph, "cpp", closure);
}

/** Bytes that `complete` takes at most: (nD)^2 bits per procedure. */
export function completeBytes(graph: ExplodedSupergraph): number {
  let bytes = 0;
  for (let p = 0; p < graph.procedureCount; p++) {
    const size = graph.vertexCount[p] * graph.factCount[p];
    bytes += 4 * size * (1 + ((size + 31) >>> 5));
  }
  return bytes;
}

class Closure implements SameContextSearch {
  readonly bytes: number;
  readonly #graph: ExplodedSupergraph;
  readonly #explodedBase: Float64Array;
  /** Exploded vertices are numbered as in `SummaryGraph`: bit y of the row that begins at word `rowOf[base + x]`. */
  readonly #rowOf: Uint32Array;
  readonly #rows: Uint32Array;

  constructor(graph: ExplodedSupergraph, extended: SummaryGraph, watch: Watch) {
    this.#graph = graph;
    this.#explodedBase = extended.explodedBase;
    const exploded = extended.explodedBase[graph.procedureCount];
    this.#rowOf = new Uint32Array(exploded);
    // Room for the worst case. What is not written to costs no memory: hosts commit zero pages at the first write.
    this.#rows = new Uint32Array(completeBytes(graph) / 4 - exploded);
    let words = 0;
    for (let p = 0; p < graph.procedureCount; p++) {
      const first = extended.explodedBase[p];
      const end = extended.explodedBase[p + 1];
      const start = extended.start.subarray(first, end + 1);
      const rowOf = this.#rowOf.subarray(first, end);
      words = addClosure(start, extended.successors, rowOf, this.#rows, words, watch);
      watch.progress("tables", p + 1, graph.procedureCount);
    }
    this.bytes = 4 * (exploded + words);
  }

  reaches(p: number, u: number, d1: number, v: number, d2: number): boolean {
    const n = this.#graph.vertexCount[p];
    const y = d2 * n + v;
    const row = this.#rowOf[this.#explodedBase[p] + d1 * n + u];
    return ((this.#rows[row + (y >>> 5)] >>> (y & 31)) & 1) === 1;
  }

  sweep(p: number, u: number, d1: number, into: Uint32Array): void {
    const n = this.#graph.vertexCount[p];
    const facts = this.#graph.factCount[p];
    const words = (n * facts + 31) >>> 5;
    const stride = (facts + 31) >>> 5;
    const rows = this.#rows;
    const row = this.#rowOf[this.#explodedBase[p] + d1 * n + u];
    for (let i = 0; i < words; i++) {
      for (let word = rows[row + i]; word !== 0; word &= word - 1) {
        const y = (i << 5) + (31 - Math.clz32(word & -word));
        const d = Math.floor(y / n);
        into[(y - d * n) * stride + (d >>> 5)] |= 1 << (d & 31);
      }
    }
  }
}

/**
 * Appends the reflexive transitive closure of one graph to `rows`, from word `top` on, and returns the new top: the row
 * that begins at `rowOf[x]` has bit y if x reaches y.
 */
function addClosure(
  start: Uint32Array,
  successors: Uint32Array,
  rowOf: Uint32Array,
  rows: Uint32Array,
  top: number,
  watch: Watch,
): number {
  const parts = components(rowOf.length, start, successors);
  const words = (rowOf.length + 31) >>> 5;
  const count = parts.start.length - 1;
  for (let c = 0, row = top; c < count; c++, row += words) {
    for (let i = parts.start[c]; i < parts.start[c + 1]; i++) {
      const x = parts.order[i];
      rowOf[x] = row;
      rows[row + (x >>> 5)] |= 1 << (x & 31);
    }
    for (let i = parts.start[c]; i < parts.start[c + 1]; i++) {
      const x = parts.order[i];
      for (let j = start[x]; j < start[x + 1]; j++) {
        const y = successors[j];
        // A successor that is in the row already has brought all that it reaches along.
        if (((rows[row + (y >>> 5)] >>> (y & 31)) & 1) === 1) continue;
        const other = rowOf[y];
        for (let w = 0; w < words; w++) rows[row + w] |= rows[other + w];
        watch.step(words >>> 3);
      }
    }
  }
  return top + count * words;
}
