/**
 * Same-context valid paths of tiny programs, walked one configuration at a time: a path is followed edge by edge with
 * the stack of its open calls, and a return leaves only through the call on top. Calls nest at most `depth` deep.
 * This is the definition of a valid path itself, without summaries, and exponential in `depth`.
 */

import type { ExplodedSupergraph } from "../../src/exploded/exploded-supergraph.js";
import { relationPairs } from "./brute-force.js";

/** A point on a path: open calls, innermost last, then where it is. */
interface Configuration {
  readonly openCalls: readonly number[];
  readonly p: number;
  readonly v: number;
  readonly d: number;
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
  const seen = new Set<string>();
  const pending: Configuration[] = [];
  const go = (openCalls: readonly number[], p: number, v: number, d: number): void => {
    const key = `${openCalls.join()} ${p} ${v} ${d}`;
    if (seen.has(key)) return;
    seen.add(key);
    pending.push({ openCalls, p, v, d });
  };
  go([], p, u, d1);
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const { openCalls, p, v, d } = at;
    if (openCalls.length === 0) reached.add(`${v}.${d}`);
    for (let i = graph.edgeStart[p]; i < graph.edgeStart[p + 1]; i++) {
      if (graph.edgeSource[i] !== v) continue;
      for (const t of targetsOf(graph, graph.edgeRelation[i], p, d)) go(openCalls, p, graph.edgeTarget[i], t);
    }
    for (let i = graph.bypassStart[p]; i < graph.bypassStart[p + 1]; i++) {
      if (graph.bypassCall[i] !== v) continue;
      for (const t of targetsOf(graph, graph.bypassRelation[i], p, d)) {
        go(openCalls, p, graph.bypassReturn[i], t);
      }
    }
    for (let i = graph.callStart[p]; i < graph.callStart[p + 1]; i++) {
      if (graph.callVertex[i] !== v || openCalls.length === depth) continue;
      const q = graph.callCallee[i];
      for (const t of targetsOf(graph, graph.callEntryRelation[i], p, d)) {
        go([...openCalls, i], q, graph.startVertex[q], t);
      }
    }
    const call = openCalls.at(-1);
    if (call === undefined || graph.callExit[call] !== v) continue;
    const caller = callerOf(graph, call);
    for (const t of targetsOf(graph, graph.callExitRelation[call], p, d)) {
      go(openCalls.slice(0, -1), caller, graph.callReturn[call], t);
    }
  }
  return [...reached].sort();
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
