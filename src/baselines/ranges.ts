/**
 * Range checks of queries: one sentence that names what was asked for and what exists. They run once per query, so
 * that the solvers behind them index without checks.
 */

import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import { isIterable, show } from "../exploded/shown-value.js";
import type { Seed } from "../solver.js";

/** `>>> 0` leaves non-negative integers below 2^32, and no other numbers, as they are. */
const within = (value: number, count: number): boolean => value >>> 0 === value && value < count;

/** Throws a `RangeError` unless procedure `p` exists. */
export function checkProcedure(graph: ExplodedSupergraph, p: number): void {
  if (within(p, graph.procedureCount)) return;
  throw new RangeError(`Procedure ${p} does not exist, expected 0 to ${graph.procedureCount - 1}.`);
}

/** Throws a `RangeError` unless (v, d) is an exploded vertex of procedure `p`. */
export function checkExplodedVertex(graph: ExplodedSupergraph, p: number, v: number, d: number): void {
  checkVertex(graph, p, v);
  if (within(d, graph.factCount[p])) return;
  throw new RangeError(
    `Fact ${d} does not exist in procedure ${p} (${graph.names[p]}), expected 0 to ${graph.factCount[p] - 1}.`,
  );
}

/** Throws a `RangeError` unless v is a vertex of procedure `p`. */
export function checkVertex(graph: ExplodedSupergraph, p: number, v: number): void {
  checkProcedure(graph, p);
  if (within(v, graph.vertexCount[p])) return;
  throw new RangeError(
    `Vertex ${v} does not exist in procedure ${p} (${graph.names[p]}), expected 0 to ${graph.vertexCount[p] - 1}.`,
  );
}

/** Throws a `RangeError` unless `exit` is an exit vertex of procedure `p`. */
export function checkExit(graph: ExplodedSupergraph, p: number, exit: number): void {
  checkProcedure(graph, p);
  const exits = graph.exits.subarray(graph.exitStart[p], graph.exitStart[p + 1]);
  if (exits.includes(exit)) return;
  throw new RangeError(
    `Vertex ${exit} is no exit of procedure ${p} (${graph.names[p]}), expected one of ${exits.join(", ")}.`,
  );
}

/** Throws a `TypeError` unless `facts` is a list. */
export function checkFacts(facts: Iterable<number>): void {
  if (isIterable(facts)) return;
  throw new TypeError(`Facts: got ${show(facts)}, expected a list of them.`);
}

/** The seeds as an array; throws a `TypeError` unless they are a list of lists. */
export function seedList(seeds: Iterable<Seed>): Seed[] {
  if (!isIterable(seeds)) {
    throw new TypeError(`Seeds: got ${show(seeds)}, expected a list of [procedure, vertex, fact].`);
  }
  const list = [...seeds];
  for (const seed of list) {
    if (isIterable(seed)) continue;
    throw new TypeError(`Seeds: got ${show(seed)} in the list, expected [procedure, vertex, fact].`);
  }
  return list;
}

/** Throws unless a batch of pair queries is words, five per query. */
export function checkBatch(queries: Uint32Array): void {
  if (!(ArrayBuffer.isView(queries) && queries[Symbol.toStringTag] === "Uint32Array")) {
    throw new TypeError(`Queries: got ${show(queries)}, expected a Uint32Array (p, u, d1, v, d2, ...).`);
  }
  if (queries.length % 5 === 0) return;
  throw new RangeError(`A batch of ${queries.length} numbers is cut, expected five numbers per query.`);
}
