/**
 * Every answer of a small program, straight from the definition: the set of all same-context path edges from all exploded
 * vertices, as the least fixpoint of "one more edge" and "one more call". Nothing is clever here, and nothing is shared
 * with the solvers under test. O((nD)^2) bytes per procedure and many passes over them.
 *
 * The fixpoint is taken in rounds: round k knows the paths on which calls are nested at most k deep. `depth` stops
 * after that round, which makes the answers comparable with a bounded enumeration of paths.
 */

import type { ExplodedSupergraph } from "../../src/exploded/exploded-supergraph.js";
import { EnteringFacts } from "../../src/results/entering-facts.js";
import { Reached } from "../../src/results/reached.js";
import type { Seed, Solver } from "../../src/solver.js";

export function bruteForce(graph: ExplodedSupergraph, depth = Number.POSITIVE_INFINITY): Solver {
  return new BruteForce(graph, depth);
}

/** The pairs (d, t) of relation `r`, sources below `facts`. */
export function relationPairs(graph: ExplodedSupergraph, r: number, facts: number): [d: number, t: number][] {
  const { identity, entryStart, sourceFirst, sourceLast, targetStart, targets } = graph.relations;
  const pairs: [number, number][] = [];
  for (let d = 0; d < facts; d++) {
    let listed = false;
    for (let i = entryStart[r]; i < entryStart[r + 1]; i++) {
      if (d < sourceFirst[i] || sourceLast[i] < d) continue;
      listed = true;
      for (let t = targetStart[i]; t < targetStart[i + 1]; t++) pairs.push([d, targets[t]]);
    }
    if (!listed && identity[r] === 1) pairs.push([d, d]);
  }
  return pairs;
}

/** An exploded edge within a procedure. */
type Edge = readonly [u: number, d: number, v: number, t: number];

class BruteForce implements Solver {
  readonly #graph: ExplodedSupergraph;
  /** Per procedure, for all pairs of exploded vertices x = u * D + d: whether x reaches y, at x * nD + y. */
  readonly #reaches: Uint8Array[] = [];

  constructor(graph: ExplodedSupergraph, depth: number) {
    this.#graph = graph;
    const plain: Edge[][] = [];
    for (let p = 0; p < graph.procedureCount; p++) {
      const facts = graph.factCount[p];
      const edges: Edge[] = [];
      for (let i = graph.edgeStart[p]; i < graph.edgeStart[p + 1]; i++) {
        for (const [d, t] of relationPairs(graph, graph.edgeRelation[i], facts)) {
          edges.push([graph.edgeSource[i], d, graph.edgeTarget[i], t]);
        }
      }
      for (let i = graph.bypassStart[p]; i < graph.bypassStart[p + 1]; i++) {
        for (const [d, t] of relationPairs(graph, graph.bypassRelation[i], facts)) {
          edges.push([graph.bypassCall[i], d, graph.bypassReturn[i], t]);
        }
      }
      plain.push(edges);
      const size = graph.vertexCount[p] * facts;
      const reaches = new Uint8Array(size * size);
      for (let x = 0; x < size; x++) reaches[x * size + x] = 1;
      this.#reaches.push(reaches);
    }
    for (let p = 0; p < graph.procedureCount; p++) this.#close(p, plain[p]);
    for (let round = 1; round <= depth; round++) {
      // Summaries of the round before, for all procedures, and only then the next round.
      const edges = plain.map((own, p) => own.concat(this.#summaryEdges(p)));
      let grew = false;
      for (let p = 0; p < graph.procedureCount; p++) if (this.#close(p, edges[p])) grew = true;
      if (!grew) break;
    }
  }

  reaches(p: number, u: number, d1: number, v: number, d2: number): boolean {
    const facts = this.#graph.factCount[p];
    const size = this.#graph.vertexCount[p] * facts;
    return this.#reaches[p][(u * facts + d1) * size + v * facts + d2] === 1;
  }

  reachesAll(queries: Uint32Array): Uint8Array {
    const answers = new Uint8Array(queries.length / 5);
    for (let i = 0; i < answers.length; i++) {
      const [p, u, d1, v, d2] = queries.subarray(5 * i, 5 * i + 5);
      answers[i] = Number(this.reaches(p, u, d1, v, d2));
    }
    return answers;
  }

  from(p: number, u: number, d1: number): Reached {
    return this.#collect(p, (v, d2) => this.reaches(p, u, d1, v, d2));
  }

  meet(p: number, u: number, facts: Iterable<number>, v: number): Uint32Array {
    const held = [0, ...facts];
    const all = Uint32Array.from({ length: this.#graph.factCount[p] }, (_, d) => d);
    return all.filter((d2) => held.some((d1) => this.reaches(p, u, d1, v, d2)));
  }

  summary(p: number, exit = this.#graph.exits[this.#graph.exitStart[p]]): [d1: number, d2: number][] {
    const pairs: [d1: number, d2: number][] = [];
    for (let d1 = 0; d1 < this.#graph.factCount[p]; d1++) {
      for (let d2 = 0; d2 < this.#graph.factCount[p]; d2++) {
        if (this.reaches(p, this.#graph.startVertex[p], d1, exit, d2)) pairs.push([d1, d2]);
      }
    }
    return pairs;
  }

  entering(seeds: Iterable<Seed>): EnteringFacts {
    const graph = this.#graph;
    const holds = new Set<string>();
    const pending: Seed[] = [];
    const hold = (p: number, v: number, d: number): void => {
      const key = `${p} ${v} ${d}`;
      if (holds.has(key)) return;
      holds.add(key);
      pending.push([p, v, d]);
    };
    for (const [p, v, d] of seeds) hold(p, v, d);
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const [p, u, d1] = next;
      for (const [v, d2] of this.from(p, u, d1)) hold(p, v, d2);
      for (let i = graph.callStart[p]; i < graph.callStart[p + 1]; i++) {
        if (graph.callVertex[i] !== u) continue;
        const q = graph.callCallee[i];
        for (const [d, t] of relationPairs(graph, graph.callEntryRelation[i], graph.factCount[p])) {
          if (d === d1) hold(q, graph.startVertex[q], t);
        }
      }
    }
    const procedures = Array.from({ length: graph.procedureCount }, (_, p) => p);
    return new EnteringFacts(procedures.map((p) => this.#collect(p, (v, d) => holds.has(`${p} ${v} ${d}`))));
  }

  /** One edge for each way through a callee that is known by now. */
  #summaryEdges(p: number): Edge[] {
    const graph = this.#graph;
    const edges: Edge[] = [];
    for (let i = graph.callStart[p]; i < graph.callStart[p + 1]; i++) {
      const q = graph.callCallee[i];
      const into = relationPairs(graph, graph.callEntryRelation[i], graph.factCount[p]);
      const back = relationPairs(graph, graph.callExitRelation[i], graph.factCount[q]);
      for (const [d, d1] of into) {
        for (const [d2, t] of back) {
          if (!this.reaches(q, graph.startVertex[q], d1, graph.callExit[i], d2)) continue;
          edges.push([graph.callVertex[i], d, graph.callReturn[i], t]);
        }
      }
    }
    return edges;
  }

  /** Adds paths that are one edge longer until there are none. */
  #close(p: number, edges: Edge[]): boolean {
    const facts = this.#graph.factCount[p];
    const size = this.#graph.vertexCount[p] * facts;
    const reaches = this.#reaches[p];
    let grew = false;
    for (let changed = true; changed; ) {
      changed = false;
      for (const [u, d, v, t] of edges) {
        const from = u * facts + d;
        const to = v * facts + t;
        for (let x = 0; x < size; x++) {
          if (reaches[x * size + from] === 0 || reaches[x * size + to] === 1) continue;
          reaches[x * size + to] = 1;
          changed = true;
          grew = true;
        }
      }
    }
    return grew;
  }

  #collect(p: number, has: (v: number, d: number) => boolean): Reached {
    const vertices = this.#graph.vertexCount[p];
    const facts = this.#graph.factCount[p];
    const stride = Math.ceil(facts / 32);
    const words = new Uint32Array(vertices * stride);
    for (let v = 0; v < vertices; v++) {
      for (let d = 0; d < facts; d++) if (has(v, d)) words[v * stride + Math.floor(d / 32)] |= 1 << (d % 32);
    }
    return new Reached(vertices, facts, words);
  }
}
