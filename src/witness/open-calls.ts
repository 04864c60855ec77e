/**
 * Which calls to leave open on the way from seeds to a goal: backwards from the goal, the facts at starts of procedures
 * from which it is reached, and the facts at call vertices that become these. Only what holds from the seeds is looked
 * at. Costs, for each fact at a start, a pair query per goal of its procedure and a look at its callers' facts.
 */

import { forEachTarget } from "../exploded/relation-image.js";
import type { EnteringFacts } from "../results/entering-facts.js";
import type { Seed } from "../solver.js";
import type { ProgramFlow } from "./program-flow.js";

/** Exploded vertices of a procedure, (v, d) under the number `v * factCount + d`. */
export type Goals = ReadonlyMap<number, readonly [v: number, d: number]>;

export interface OpenCalls {
  /** Per procedure: the exploded vertices that lead on to the goal by an open call; and the goal itself. */
  readonly goals: ReadonlyMap<number, Goals>;
  /** Per procedure: facts at its start from which one of its goals is reached. */
  readonly entries: ReadonlyMap<number, ReadonlySet<number>>;
}

export function openCalls(
  flow: ProgramFlow,
  reaches: (p: number, u: number, d1: number, v: number, d2: number) => boolean,
  holds: EnteringFacts,
  goal: Seed,
): OpenCalls {
  const goals = new Map<number, Map<number, [v: number, d: number]>>();
  const entries = new Map<number, Set<number>>();
  const pending: [p: number, fact: number][] = [];
  const addGoal = (p: number, v: number, d: number): void => {
    const { startVertex: start, factCount } = flow.procedure(p);
    let own = goals.get(p);
    if (own === undefined) goals.set(p, (own = new Map()));
    if (own.has(v * factCount + d)) return;
    own.set(v * factCount + d, [v, d]);
    let known = entries.get(p);
    if (known === undefined) entries.set(p, (known = new Set()));
    for (const fact of holds.at(p, start)) {
      if (known.has(fact) || !reaches(p, start, fact, v, d)) continue;
      known.add(fact);
      pending.push([p, fact]);
    }
  };
  addGoal(...goal);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [q, fact] = next;
    for (const [p, call] of flow.callers(q)) {
      const { callVertex, callEntryRelation, relations } = flow.procedure(p);
      for (const d of holds.at(p, callVertex[call])) {
        forEachTarget(relations, callEntryRelation[call], d, (target) => {
          if (target === fact) addGoal(p, callVertex[call], d);
        });
      }
    }
  }
  return { goals, entries };
}
