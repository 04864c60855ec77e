/**
 * The one comparison of solvers: every query of a small program, put to a solver and to an oracle. A difference is
 * reported with the query and the program's `.ifds` text, which can be saved as a fixture as it is.
 */

import type { ExplodedSupergraph } from "../../src/exploded/exploded-supergraph.js";
import { formatIfds } from "../../src/exploded/format-ifds.js";
import type { EnteringFacts } from "../../src/results/entering-facts.js";
import type { Reached } from "../../src/results/reached.js";
import type { Seed, Solver } from "../../src/solver.js";

/** Throws at the first query that `solver` answers otherwise than `oracle`. */
export function checkSolver(graph: ExplodedSupergraph, solver: Solver, oracle: Solver): void {
  const same = (query: string, got: string, expected: string): void => {
    if (got === expected) return;
    throw new Error(`${query}: got ${got}, expected ${expected}, in\n${[...formatIfds(graph)].join("")}`);
  };
  const batch: number[] = [];
  const answers: boolean[] = [];
  for (let p = 0; p < graph.procedureCount; p++) {
    for (const [u, d1] of explodedVertices(graph, p)) {
      for (const [v, d2] of explodedVertices(graph, p)) {
        const expected = oracle.reaches(p, u, d1, v, d2);
        if (solver.reaches(p, u, d1, v, d2) !== expected) {
          same(`reaches(${p}, ${u}, ${d1}, ${v}, ${d2})`, `${!expected}`, `${expected}`);
        }
        batch.push(p, u, d1, v, d2);
        answers.push(expected);
      }
      const reached = solver.from(p, u, d1);
      const expected = oracle.from(p, u, d1);
      same(`from(${p}, ${u}, ${d1})`, showReached(reached), showReached(expected));
      same(`from(${p}, ${u}, ${d1}).count`, `${reached.count}`, `${expected.count}`);
    }
    for (let u = 0; u < graph.vertexCount[p]; u++) {
      for (let v = 0; v < graph.vertexCount[p]; v++) {
        for (const facts of factSets(graph.factCount[p])) {
          const got = solver.meet(p, u, facts, v);
          same(`meet(${p}, ${u}, [${facts}], ${v})`, got.join(), oracle.meet(p, u, facts, v).join());
        }
      }
    }
    same(`summary(${p})`, solver.summary(p).join(" "), oracle.summary(p).join(" "));
    for (const exit of graph.exits.subarray(graph.exitStart[p], graph.exitStart[p + 1])) {
      same(`summary(${p}, ${exit})`, solver.summary(p, exit).join(" "), oracle.summary(p, exit).join(" "));
    }
  }
  const got = solver.reachesAll(Uint32Array.from(batch));
  same("reachesAll(every pair).length", `${got.length}`, `${answers.length}`);
  for (const [i, expected] of answers.entries()) {
    if (got[i] !== Number(expected)) {
      same(`reachesAll([${batch.slice(5 * i, 5 * i + 5)}])`, `${got[i]}`, `${Number(expected)}`);
    }
  }
  for (const seeds of seedSets(graph)) {
    const query = `entering(${JSON.stringify(seeds)})`;
    same(query, showEntering(graph, solver.entering(seeds)), showEntering(graph, oracle.entering(seeds)));
  }
}

function* explodedVertices(graph: ExplodedSupergraph, p: number): Iterable<[v: number, d: number]> {
  for (let v = 0; v < graph.vertexCount[p]; v++) for (let d = 0; d < graph.factCount[p]; d++) yield [v, d];
}

/** No fact, each fact alone, the last two, and all. */
function* factSets(facts: number): Iterable<number[]> {
  yield [];
  for (let d = 0; d < facts; d++) yield [d];
  if (2 < facts) yield [facts - 1, facts - 2];
  yield Array.from({ length: facts }, (_, d) => d);
}

/** The classic problem, all facts of the entry procedure, some ten exploded vertices alone, none, and two together. */
function* seedSets(graph: ExplodedSupergraph): Iterable<Seed[]> {
  const start = graph.startVertex[graph.entry];
  yield [[graph.entry, start, 0]];
  yield Array.from({ length: graph.factCount[graph.entry] }, (_, d): Seed => [graph.entry, start, d]);
  yield [];
  const all: Seed[] = [];
  for (let p = 0; p < graph.procedureCount; p++) {
    for (const [v, d] of explodedVertices(graph, p)) all.push([p, v, d]);
  }
  const step = Math.max(1, Math.floor(all.length / 10));
  for (let i = 0; i < all.length; i += step) yield [all[i]];
  yield [all[all.length - 1], all[all.length >> 1]];
}

function showReached(reached: Reached): string {
  return Array.from(reached, ([v, d]) => `${v}.${d}`).join(" ");
}

function showEntering(graph: ExplodedSupergraph, entering: EnteringFacts): string {
  let text = "";
  for (let p = 0; p < graph.procedureCount; p++) text += `${p}: ${showReached(entering.procedure(p))}; `;
  return text;
}
