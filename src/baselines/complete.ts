/**
 * The CPP baseline, complete preprocessing: the closure of every procedure's summary-extended exploded graph in bit
 * sets, then look-ups. The closure is built over strongly connected components, successors first (Nuutila 1995):
 * exploded vertices of one component share a row, and a row is the union of its successors' rows.
 * O((nD)^2) bits per procedure and O(E nD / 32) word operations, which is why it does not scale beyond small
 * procedures; a pair query is one bit, a single source one row.
 */

import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import { components } from "./components.js";
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
  return baselineOver(graph, "cpp", new Closure(graph, summaryGraph(graph, watch), watch));
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
  /** Exploded vertices are numbered as in `SummaryGraph`. Per procedure: which row one has, and the rows. */
  readonly #rowOf: Uint32Array[] = [];
  readonly #rows: Uint32Array[] = [];

  constructor(graph: ExplodedSupergraph, extended: SummaryGraph, watch: Watch) {
    this.#graph = graph;
    let bytes = 0;
    for (let p = 0; p < graph.procedureCount; p++) {
      const size = graph.vertexCount[p] * graph.factCount[p];
      const first = extended.explodedBase[p];
      const start = extended.start.subarray(first, first + size + 1);
      const closure = closureRows(size, start, extended.successors, watch);
      this.#rowOf.push(closure.rowOf);
      this.#rows.push(closure.rows);
      bytes += closure.rowOf.byteLength + closure.rows.byteLength;
      watch.progress("tables", p + 1, graph.procedureCount);
    }
    this.bytes = bytes;
  }

  reaches(p: number, u: number, d1: number, v: number, d2: number): boolean {
    const n = this.#graph.vertexCount[p];
    const words = (n * this.#graph.factCount[p] + 31) >>> 5;
    const y = d2 * n + v;
    return ((this.#rows[p][this.#rowOf[p][d1 * n + u] * words + (y >>> 5)] >>> (y & 31)) & 1) === 1;
  }

  sweep(p: number, u: number, d1: number, into: Uint32Array): void {
    const n = this.#graph.vertexCount[p];
    const facts = this.#graph.factCount[p];
    const words = (n * facts + 31) >>> 5;
    const stride = (facts + 31) >>> 5;
    const rows = this.#rows[p];
    const row = this.#rowOf[p][d1 * n + u] * words;
    for (let i = 0; i < words; i++) {
      for (let word = rows[row + i]; word !== 0; word &= word - 1) {
        const y = (i << 5) + (31 - Math.clz32(word & -word));
        const d = Math.floor(y / n);
        into[(y - d * n) * stride + (d >>> 5)] |= 1 << (d & 31);
      }
    }
  }
}

/** The reflexive transitive closure of a graph: row `rowOf[x]` of `rows` has bit y if x reaches y. */
function closureRows(size: number, start: Uint32Array, successors: Uint32Array, watch: Watch) {
  const parts = components(size, start, successors);
  const words = (size + 31) >>> 5;
  const rowOf = new Uint32Array(size);
  const rows = new Uint32Array(parts.count * words);
  for (let c = 0; c < parts.count; c++) {
    const row = c * words;
    for (let i = parts.start[c]; i < parts.start[c + 1]; i++) {
      const x = parts.order[i];
      rowOf[x] = c;
      rows[row + (x >>> 5)] |= 1 << (x & 31);
    }
    for (let i = parts.start[c]; i < parts.start[c + 1]; i++) {
      const x = parts.order[i];
      for (let j = start[x]; j < start[x + 1]; j++) {
        const y = successors[j];
        // A successor that is in the row already has brought all that it reaches along.
        if (((rows[row + (y >>> 5)] >>> (y & 31)) & 1) === 1) continue;
        const other = rowOf[y] * words;
        for (let w = 0; w < words; w++) rows[row + w] |= rows[other + w];
        watch.step(words >>> 3);
      }
    }
  }
  return { rowOf, rows };
}
