/**
 * Shortest paths of the exploded supergraph, counted in its edges, guided by pair queries. Dijkstra's method in Knuth's
 * generalisation to grammars ("A generalization of Dijkstra's algorithm", 1977), on demand: a *walk* looks for the
 * shortest path from one exploded vertex of a procedure to another, and at a call starts, or waits for, a walk through
 * the callee. All walks advance together in the order of *time*, which is when a walk was first asked for plus the
 * length walked in it; so the way through a callee is known, and known to be shortest, by the time that its callers need
 * it, recursion or not. Of what leaves an exploded vertex only that is followed from which the pair query says
 * that the goal is reached, so each walk keeps to the paths that lead to its goal. Costs O(log) and a pair query
 * or two for each exploded vertex at which a walk arrives before the path asked for is complete, and one for each pair of
 * the relations of a call.
 */

import { forEachPair, forEachTarget } from "../exploded/relation-image.js";
import type { Seed } from "../solver.js";
import type { Goals, OpenCalls } from "./open-calls.js";
import type { Outgoing, ProgramFlow } from "./program-flow.js";
import { TimeQueue } from "./time-queue.js";
import { type PathStep, Witness } from "./witness.js";

/** What shows the way. */
export interface Guide {
  /** Pair query. */
  reaches(p: number, u: number, d1: number, v: number, d2: number): boolean;
  /** Whether pair queries about the procedure are searches, which cost more than what they save. */
  searches(p: number): boolean;
}

/** The shortest path from (u, d1) to (v, d2) of procedure `p` on which all calls return, which must exist. */
export function shortestSameContext(
  flow: ProgramFlow,
  guide: Guide,
  [p, u, d1, v, d2]: readonly [p: number, u: number, d1: number, v: number, d2: number],
): Witness {
  const search = new PathSearch(flow, guide);
  const goal = search.walkTo(p, [v, d2], 0);
  search.begin(goal, u, d1);
  return search.run(goal, v, d2);
}

/** The shortest path from any of `seeds` to `goal` on which calls may stay open, which must exist. */
export function shortestEntering(
  flow: ProgramFlow,
  guide: Guide,
  seeds: Iterable<Seed>,
  [p, v, d]: Seed,
  calls: OpenCalls,
): Witness {
  const search = new PathSearch(flow, guide, calls);
  for (const [q, u, d1] of seeds) {
    const walk = search.openWalk(q);
    if (walk !== undefined && search.leads(walk, u, d1)) search.begin(walk, u, d1);
  }
  return search.run(search.openWalk(p), v, d);
}

/** An exploded vertex to which a walk has found a way. */
interface State {
  readonly walk: Walk;
  readonly v: number;
  readonly d: number;
  /** Length of the way. */
  readonly length: number;
  /** The last step of the way, and where it was taken; undefined where the way is empty. */
  readonly before: State | undefined;
  readonly edge: PathStep["edge"];
  readonly index: number;
  readonly through: Walk | undefined;
}

interface Walk {
  readonly p: number;
  readonly outgoing: Outgoing;
  readonly goals: Goals;
  /** Whether calls may stay open: one such walk per procedure, from the seeds. */
  readonly open: boolean;
  /** Whether pair queries about the procedure are searches: what flows along its edges is followed unasked. */
  readonly searches: boolean;
  /** When it was first asked for. */
  readonly since: number;
  /** The best state so far at each exploded vertex, under its number. */
  readonly states: Map<number, State>;
  /** What is known of whether an exploded vertex leads to a goal. */
  readonly leads: Map<number, boolean>;
  /** The goal that was reached from the exploded vertex asked about last. */
  likely: readonly [v: number, d: number];
  /** Per call: facts at the callee's exit that lead back to exploded vertices from which a goal is reached. */
  readonly returns: Map<number, readonly Return[]>;
  /** States at calls that need the way through this procedure. */
  readonly waiting: { readonly state: State; readonly call: number; readonly targets: readonly number[] }[];
  /** Where it has arrived. */
  end: State | undefined;
}

interface Return {
  readonly exitFact: number;
  readonly targets: readonly number[];
}

class PathSearch {
  readonly #flow: ProgramFlow;
  readonly #guide: Guide;
  readonly #calls: OpenCalls | undefined;
  readonly #queue = new TimeQueue<State>();
  readonly #open = new Map<number, Walk>();
  /** Walks through callees, by procedure, fact at the start, exit and fact there. */
  readonly #through = new Map<string, Walk>();

  constructor(flow: ProgramFlow, guide: Guide, calls?: OpenCalls) {
    this.#flow = flow;
    this.#guide = guide;
    this.#calls = calls;
  }

  walkTo(p: number, goal: readonly [v: number, d: number], since: number): Walk {
    const number = goal[0] * this.#flow.outgoing(p).procedure.factCount + goal[1];
    return this.#walk(p, new Map([[number, goal]]), since, false);
  }

  /** The walk of procedure `p` on which calls may stay open; undefined where none of them lead to the goal. */
  openWalk(p: number): Walk | undefined {
    let walk = this.#open.get(p);
    const goals = this.#calls?.goals.get(p);
    if (walk === undefined && goals !== undefined) {
      walk = this.#walk(p, goals, 0, true);
      this.#open.set(p, walk);
    }
    return walk;
  }

  #walk(p: number, goals: Goals, since: number, open: boolean): Walk {
    const [likely] = goals.values();
    return {
      p,
      outgoing: this.#flow.outgoing(p),
      goals,
      open,
      searches: this.#guide.searches(p),
      since,
      states: new Map(),
      leads: new Map(),
      likely,
      returns: new Map(),
      waiting: [],
      end: undefined,
    };
  }

  begin(walk: Walk, u: number, d1: number): void {
    const { factCount } = walk.outgoing.procedure;
    if (walk.states.has(u * factCount + d1)) return;
    this.#arrive({
      walk,
      v: u,
      d: d1,
      length: 0,
      before: undefined,
      edge: "normal",
      index: 0,
      through: undefined,
    });
  }

  /** Advances all walks until (v, d) of `goal` is reached. */
  run(goal: Walk | undefined, v: number, d: number): Witness {
    for (let next = this.#queue.pop(); next !== undefined; next = this.#queue.pop()) {
      const { item: state } = next;
      const { walk, length } = state;
      const { factCount } = walk.outgoing.procedure;
      const number = state.v * factCount + state.d;
      if (walk.end !== undefined || walk.states.get(number) !== state) continue;
      if (walk === goal && state.v === v && state.d === d) return witnessOf(state);
      if (!walk.open && walk.goals.has(number)) {
        walk.end = state;
        for (const { state: caller, call, targets } of walk.waiting) {
          if (caller.walk.end === undefined) this.#return(caller, call, targets, walk, length);
        }
        walk.waiting.length = 0;
      } else this.#follow(state, number, next.time);
    }
    throw new Error(
      "Explain: got a program without the path that its index knows of, expected the program that the index was made from.",
    );
  }

  /** Everything that leaves a state and leads to a goal. */
  #follow(state: State, number: number, time: number): void {
    const { walk, v, d, length } = state;
    const { procedure, edges, bypasses, calls } = walk.outgoing;
    const { relations } = procedure;
    const found: [w: number, target: number, edge: "normal" | "call-to-return", index: number][] = [];
    for (const index of edges.get(v) ?? []) {
      const w = procedure.edgeTarget[index];
      forEachTarget(relations, procedure.edgeRelation[index], d, (target) => {
        found.push([w, target, "normal", index]);
      });
    }
    for (const index of bypasses.get(v) ?? []) {
      const w = procedure.bypassReturn[index];
      forEachTarget(relations, procedure.bypassRelation[index], d, (target) => {
        found.push([w, target, "call-to-return", index]);
      });
    }
    const callsHere = calls.get(v) ?? [];
    // Something leads on from here: where nothing else does, the last way does, unasked.
    let mustLead = callsHere.length === 0 && !walk.goals.has(number);
    for (const [i, [w, target, edge, index]] of found.entries()) {
      const last = mustLead && i + 1 === found.length;
      if (!(walk.searches || last || this.leads(walk, w, target))) continue;
      mustLead = false;
      this.#step(state, walk, w, target, length + 1, edge, index, undefined);
    }
    for (const call of callsHere) {
      const callee = procedure.callCallee[call];
      forEachTarget(relations, procedure.callEntryRelation[call], d, (d1) => {
        if (walk.open && this.#calls?.entries.get(callee)?.has(d1)) {
          const into = this.openWalk(callee) as Walk;
          const u = into.outgoing.procedure.startVertex;
          this.#step(state, into, u, d1, length + 1, "call", call, undefined);
        }
        this.#passThrough(state, call, d1, time + 1);
      });
    }
  }

  /** Ways through the callee of `call`, entered with `d1`, that lead to a goal and may be shorter than what is known. */
  #passThrough(state: State, call: number, d1: number, time: number): void {
    const { walk, length } = state;
    const { callCallee, callExit, callReturn, factCount } = walk.outgoing.procedure;
    const q = callCallee[call];
    const exit = callExit[call];
    const base = callReturn[call] * factCount;
    for (const { exitFact, targets } of this.#returnsOf(walk, call)) {
      const shorter = (target: number): boolean => {
        const known = walk.states.get(base + target);
        return known === undefined || length + 2 < known.length;
      };
      if (!targets.some(shorter)) continue;
      const key = `${q} ${d1} ${exit} ${exitFact}`;
      let through = this.#through.get(key);
      if (through === undefined) {
        const start = this.#flow.procedure(q).startVertex;
        if (!this.#guide.reaches(q, start, d1, exit, exitFact)) continue;
        through = this.walkTo(q, [exit, exitFact], time);
        this.#through.set(key, through);
        this.begin(through, start, d1);
      }
      if (through.end === undefined) through.waiting.push({ state, call, targets });
      else this.#return(state, call, targets, through, through.end.length);
    }
  }

  #returnsOf(walk: Walk, call: number): readonly Return[] {
    let returns = walk.returns.get(call);
    if (returns === undefined) {
      const { procedure } = walk.outgoing;
      const { factCount } = this.#flow.procedure(procedure.callCallee[call]);
      const byFact = new Map<number, number[]>();
      forEachPair(procedure.relations, procedure.callExitRelation[call], factCount, (exitFact, target) => {
        if (!this.leads(walk, procedure.callReturn[call], target)) return;
        const targets = byFact.get(exitFact);
        if (targets === undefined) byFact.set(exitFact, [target]);
        else targets.push(target);
      });
      returns = Array.from(byFact, ([exitFact, targets]) => ({ exitFact, targets }));
      walk.returns.set(call, returns);
    }
    return returns;
  }

  /** Whether a goal of the walk is reached from (v, d). */
  leads(walk: Walk, v: number, d: number): boolean {
    const number = v * walk.outgoing.procedure.factCount + d;
    if (walk.states.has(number)) return true;
    let leads = walk.leads.get(number);
    if (leads === undefined) {
      const { p, goals, likely } = walk;
      leads = this.#guide.reaches(p, v, d, ...likely);
      if (!leads) {
        for (const goal of goals.values()) {
          if (goal === likely || !this.#guide.reaches(p, v, d, ...goal)) continue;
          walk.likely = goal;
          leads = true;
          break;
        }
      }
      walk.leads.set(number, leads);
    }
    return leads;
  }

  /** The callee has been passed: its way is `inside` steps long. */
  #return(state: State, call: number, targets: readonly number[], through: Walk, inside: number): void {
    const { walk, length } = state;
    const r = walk.outgoing.procedure.callReturn[call];
    for (const target of targets) {
      this.#step(state, walk, r, target, length + inside + 2, "call", call, through);
    }
  }

  #step(
    before: State,
    walk: Walk,
    v: number,
    d: number,
    length: number,
    edge: PathStep["edge"],
    index: number,
    through: Walk | undefined,
  ): void {
    const known = walk.states.get(v * walk.outgoing.procedure.factCount + d);
    if (known !== undefined && known.length <= length) return;
    this.#arrive({ walk, v, d, length, before, edge, index, through });
  }

  #arrive(state: State): void {
    const { walk, v, d, length } = state;
    walk.states.set(v * walk.outgoing.procedure.factCount + d, state);
    this.#queue.push(walk.since + length, state);
  }
}

/** The way to a state, and the ways through callees on it, each once; the rest of the search is forgotten. */
function witnessOf(end: State): Witness {
  const paths = new Map<Walk, { start: Seed; steps: PathStep[] }>();
  const pending: Walk[] = [];
  const pathOf = (walk: Walk): { start: Seed; steps: PathStep[] } => {
    let path = paths.get(walk);
    if (path === undefined) {
      path = { start: [walk.p, 0, 0], steps: [] };
      paths.set(walk, path);
      pending.push(walk);
    }
    return path;
  };
  const write = (last: State, path: { start: Seed; steps: PathStep[] }): void => {
    let state = last;
    for (; state.before !== undefined; state = state.before) {
      const { walk, v: vertex, d: fact, edge, index, through } = state;
      path.steps.push({
        edge,
        index,
        procedure: walk.p,
        vertex,
        fact,
        through: through === undefined ? undefined : pathOf(through),
      });
    }
    path.start = [state.walk.p, state.v, state.d];
    path.steps.reverse();
  };
  const whole: { start: Seed; steps: PathStep[] } = { start: [end.walk.p, 0, 0], steps: [] };
  write(end, whole);
  for (let walk = pending.pop(); walk !== undefined; walk = pending.pop()) {
    write(walk.end as State, pathOf(walk));
  }
  return new Witness(whole.start, end.length, whole.steps);
}
