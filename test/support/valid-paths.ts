/**
 * Valid paths of tiny programs, walked one configuration at a time and shortest first: a path is followed edge by edge
 * with the stack of its open calls, and a return leaves only through the call on top. Calls nest at most `depth` deep, or
 * paths are at most `steps` long. This is the definition of a valid path itself, without summaries, and exponential.
 */

import type { ExplodedSupergraph } from "../../src/exploded/exploded-supergraph.js";
import { relationPairs } from "./brute-force.js";

/** A point on a path: open calls, innermost last, then where it is. */
interface Configuration {
  readonly openCalls: readonly number[];
  readonly p: number;
  readonly v: number;
  readonly d: number;
  /** Steps to there. */
  readonly length: number;
}

/** The exploded vertices `"v.d"` of `p` that valid paths from (u, d1) reach with no call open, sorted. */
export function reachedByValidPaths(
  graph: ExplodedSupergraph,
  p: number,
  u: number,
  d1: number,
  depth: number,
): string[] {
  const reached = new Set<string>();
  for (const { openCalls, v, d } of configurations(graph, [p, u, d1], depth, Number.POSITIVE_INFINITY)) {
    if (openCalls.length === 0) reached.add(`${v}.${d}`);
  }
  return [...reached].sort();
}

/**
 * Lengths of shortest paths of at most `steps` edges from (u, d1) of `p` to what they reach, `"p v d"`: with no call open,
 * and with any calls open.
 */
export function lengthsByValidPaths(
  graph: ExplodedSupergraph,
  p: number,
  u: number,
  d1: number,
  steps: number,
): { sameContext: Map<string, number>; valid: Map<string, number> } {
  const sameContext = new Map<string, number>();
  const valid = new Map<string, number>();
  const start = [p, u, d1] as const;
  for (const { openCalls, p: q, v, d, length } of configurations(graph, start, steps, steps)) {
    const key = `${q} ${v} ${d}`;
    if (!valid.has(key)) valid.set(key, length);
    if (openCalls.length === 0 && !sameContext.has(key)) sameContext.set(key, length);
  }
  return { sameContext, valid };
}

/** All configurations on paths from an exploded vertex, by ascending length, each once. */
function configurations(
  graph: ExplodedSupergraph,
  [p, u, d1]: readonly [p: number, u: number, d1: number],
  depth: number,
  steps: number,
): readonly Configuration[] {
  const seen = new Set<string>();
  const found: Configuration[] = [];
  const go = (openCalls: readonly number[], p: number, v: number, d: number, length: number): void => {
    const key = `${openCalls.join()} ${p} ${v} ${d}`;
    if (steps < length || seen.has(key)) return;
    seen.add(key);
    found.push({ openCalls, p, v, d, length });
  };
  go([], p, u, d1, 0);
  for (const { openCalls, p, v, d, length } of found) {
    const next = length + 1;
    for (let i = graph.edgeStart[p]; i < graph.edgeStart[p + 1]; i++) {
      if (graph.edgeSource[i] !== v) continue;
      for (const t of targetsOf(graph, graph.edgeRelation[i], p, d))
        go(openCalls, p, graph.edgeTarget[i], t, next);
    }
    for (let i = graph.bypassStart[p]; i < graph.bypassStart[p + 1]; i++) {
      if (graph.bypassCall[i] !== v) continue;
      for (const t of targetsOf(graph, graph.bypassRelation[i], p, d)) {
        go(openCalls, p, graph.bypassReturn[i], t, next);
      }
    }
    for (let i = graph.callStart[p]; i < graph.callStart[p + 1]; i++) {
      if (graph.callVertex[i] !== v || openCalls.length === depth) continue;
      const q = graph.callCallee[i];
      for (const t of targetsOf(graph, graph.callEntryRelation[i], p, d)) {
        go([...openCalls, i], q, graph.startVertex[q], t, next);
      }
    }
    const call = openCalls.at(-1);
    if (call === undefined || graph.callExit[call] !== v) continue;
    const caller = callerOf(graph, call);
    for (const t of targetsOf(graph, graph.callExitRelation[call], p, d)) {
      go(openCalls.slice(0, -1), caller, graph.callReturn[call], t, next);
    }
  }
  return found;
}

function targetsOf(graph: ExplodedSupergraph, r: number, p: number, d: number): number[] {
  return relationPairs(graph, r, graph.factCount[p])
    .filter(([source]) => source === d)
    .map(([, target]) => target);
}

function callerOf(graph: ExplodedSupergraph, call: number): number {
  let p = 0;
  while (graph.callStart[p + 1] <= call) p++;
  return p;
}
