/**
 * Tabulates an IFDS problem into an exploded supergraph (Reps, Horwitz and Sagiv, POPL'95, section 3). Facts are
 * discovered by a worklist: a procedure's domain is closed under the flow functions of its edges, and what calls and
 * returns carry over belongs to the domain of the other procedure. Each flow function is obtained once per edge and
 * applied once per fact; the cost is their number times the number of facts.
 */

import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import { MAX_FACTS, ProgramSize } from "../exploded/limits.js";
import { RelationTable } from "../exploded/relation-table.js";
import type { EnteringFacts } from "../results/entering-facts.js";
import type { Seed, Solver } from "../solver.js";
import { reverse } from "../supergraph/reverse.js";
import type { ProcedureRef, Supergraph, VertexRef } from "../supergraph/supergraph.js";
import { type FlowFunction, identity, ZERO, type Zero } from "./flow-functions.js";
import type { IfdsProblem } from "./ifds-problem.js";
import { ProblemFacts } from "./problem-facts.js";

export interface ExplodeOptions {
  /** Called now and then with the number of facts whose flow is tabulated and of those found so far. */
  readonly onProgress?: (done: number, found: number) => void;
  /** Aborting makes `explode` throw the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * The exploded form of a problem on a supergraph.
 *
 * A call of an external procedure (one without body) flows around the call only; a callee that never returns gives the
 * return site nothing but what flows around the call.
 *
 * @throws RangeError for a seed at a vertex that does not exist; Error where a flow function is no function, its
 *   result is not iterable, or a procedure gets more than `MAX_FACTS` facts
 *
 * @example
 * const exploded = explode(program.supergraph(), { normal: () => gen("x") });
 * const analysis = analyze(exploded.graph);
 * const facts = exploded.decode(analysis.entering(exploded.seeds), analysis);
 * facts.before("main", "exit"); // ["x"]
 */
export function explode<F, D = unknown>(
  supergraph: Supergraph<D>,
  problem: IfdsProblem<F, D>,
  options: ExplodeOptions = {},
): ExplodedProblem<F, D> {
  const direction = problem.direction ?? "forward";
  const zero = problem.zero ?? ZERO;
  const keyOf = (fact: F | Zero): unknown =>
    fact === zero || fact === ZERO || problem.key === undefined ? fact : problem.key(fact as F);
  const { topology } = direction === "forward" ? supergraph : reverse(supergraph);

  const domains = topology.names.map((name) => new Domain<F>(name, zero, keyOf));
  const seeds = seedsOf(supergraph, problem, direction, zero).map(
    ([p, v, fact]): Seed => [p, v, domains[p].id(fact)],
  );
  if (problem.facts !== undefined) {
    for (const [p, domain] of domains.entries())
      for (const fact of problem.facts(supergraph.procedure(p))) domain.id(fact);
  }

  const flows = flowsOf(supergraph, topology, problem, domains);
  tabulate(flows, options);

  const relations = new RelationTable();
  relations.intern([], "identity");
  const size = new ProgramSize();
  for (const [p, { name, facts }] of domains.entries()) {
    const excess = size.add(topology.vertexCount[p], facts.length);
    if (excess !== undefined) throw new RangeError(`Procedure ${name}: ${excess}.`);
  }
  const inner = (list: readonly Flow<F>[]) => Uint32Array.from(list, (flow) => flow.innerRelation(relations));
  const outer = (list: readonly Flow<F>[]) => Uint32Array.from(list, (flow) => flow.outerRelation(relations));
  const graph: ExplodedSupergraph = {
    ...topology,
    factCount: Uint32Array.from(domains, ({ facts }) => facts.length),
    edgeRelation: inner(flows.normal),
    bypassRelation: inner(flows.callToReturn),
    callEntryRelation: outer(flows.call),
    callExitRelation: outer(flows.return),
    relations: relations.build(),
    header: [["direction", direction]],
  };
  return new ExplodedProblem(supergraph, direction, graph, seeds, domains);
}

/** A problem whose facts have numbers: what solvers take, and the way back from their answers. */
export class ExplodedProblem<F, D = unknown> {
  /** The program that was given, in program order also for a backward problem. */
  readonly supergraph: Supergraph<D>;
  readonly direction: "forward" | "backward";
  /** What solvers take. For a backward problem its edges run backwards; vertices keep their numbers. */
  readonly graph: ExplodedSupergraph;
  /** The problem's seeds by number, for `entering`. */
  readonly seeds: readonly Seed[];
  readonly #domains: readonly Domain<F>[];

  /** @internal */
  constructor(
    supergraph: Supergraph<D>,
    direction: "forward" | "backward",
    graph: ExplodedSupergraph,
    seeds: readonly Seed[],
    domains: readonly Domain<F>[],
  ) {
    this.supergraph = supergraph;
    this.direction = direction;
    this.graph = graph;
    this.seeds = seeds;
    this.#domains = domains;
  }

  /** The number of a procedure. */
  procedureId(procedure: ProcedureRef): number {
    return this.supergraph.procedure(procedure).id;
  }

  /** The number of a vertex in its procedure. */
  vertexId(procedure: ProcedureRef, vertex: VertexRef): number {
    return this.supergraph.vertex(procedure, vertex).id;
  }

  /** The fact with this number in a procedure; number 0 is the zero fact. */
  fact(procedure: ProcedureRef, d: number): F | Zero {
    const { name, facts } = this.#domains[this.procedureId(procedure)];
    if (!(Number.isInteger(d) && 0 <= d && d < facts.length)) {
      throw new RangeError(`Got fact ${d} of ${name}, expected 0 to ${facts.length - 1}.`);
    }
    return facts[d];
  }

  /** The number of a fact in a procedure; undefined where it can hold nowhere in it. */
  factId(procedure: ProcedureRef, fact: F | Zero): number | undefined {
    return this.#domains[this.procedureId(procedure)].find(fact);
  }

  /**
   * A solver's answer in terms of the problem's facts.
   *
   * @param solver the solver that gave the answer; asked for summaries where facts after a call site are wanted
   */
  decode(entering: EnteringFacts, solver: Pick<Solver, "summary">): ProblemFacts<F, D> {
    return new ProblemFacts(this, entering, solver);
  }
}

/** The facts of one procedure, numbered in order of discovery; number 0 is the zero fact. */
class Domain<F> {
  readonly name: string;
  readonly facts: (F | Zero)[] = [];
  readonly #ids = new Map<unknown, number>();
  readonly #keyOf: (fact: F | Zero) => unknown;

  constructor(name: string, zero: F | Zero, keyOf: (fact: F | Zero) => unknown) {
    this.name = name;
    this.#keyOf = keyOf;
    this.id(zero);
  }

  find(fact: F | Zero): number | undefined {
    return this.#ids.get(this.#keyOf(fact));
  }

  /** The number of a fact, a new one where it is not known yet. */
  id(fact: F | Zero): number {
    const key = this.#keyOf(fact);
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    if (this.facts.length === MAX_FACTS) {
      throw new Error(
        `Procedure ${this.name}: got more than ${MAX_FACTS} facts, expected a finite, smaller domain.`,
      );
    }
    this.#ids.set(key, this.facts.length);
    return this.facts.push(fact) - 1;
  }
}

/** A flow function between two procedures' domains with its images so far: those of facts 0, 1, 2, ... in order. */
class Flow<F> {
  readonly apply: FlowFunction<F>;
  readonly where: string;
  readonly target: number;
  /** Image of source d: `targets[ends[d - 1] .. ends[d]]`. */
  readonly targets: number[] = [];
  readonly ends: number[] = [];
  #inner: number | undefined;
  #outer: number | undefined;

  constructor(apply: FlowFunction<F>, where: string, target: number) {
    this.apply = apply;
    this.where = where;
    this.target = target;
  }

  /** As a relation of a domain with itself: with identity where that is shorter. */
  innerRelation(relations: RelationTable): number {
    return (this.#inner ??= relations.intern(
      this.#images(),
      2 * this.#keptCount() < this.ends.length ? "nothing" : "identity",
    ));
  }

  /** As a relation between two domains. */
  outerRelation(relations: RelationTable): number {
    return (this.#outer ??= relations.intern(this.#images(), "nothing"));
  }

  *#images(): Iterable<[source: number, targets: number[]]> {
    for (let d = 0; d < this.ends.length; d++)
      yield [d, this.targets.slice(d === 0 ? 0 : this.ends[d - 1], this.ends[d])];
  }

  /** Facts that are related to themselves alone. */
  #keptCount(): number {
    let count = 0;
    for (let d = 0, start = 0; d < this.ends.length; start = this.ends[d++]) {
      if (this.ends[d] === start + 1 && this.targets[start] === d) count++;
    }
    return count;
  }
}

/** The flow of every edge, in the order of the arrays, and all of them grouped by the domain they start from. */
interface Flows<F> {
  readonly normal: readonly Flow<F>[];
  readonly callToReturn: readonly Flow<F>[];
  readonly call: readonly Flow<F>[];
  readonly return: readonly Flow<F>[];
  readonly bySource: readonly (readonly Flow<F>[])[];
  readonly domains: readonly Domain<F>[];
}

/** Asks the problem for the flow function of every edge; edges with the same function and domains share one `Flow`. */
function flowsOf<F, D>(
  supergraph: Supergraph<D>,
  topology: Supergraph["topology"],
  problem: IfdsProblem<F, D>,
  domains: readonly Domain<F>[],
): Flows<F> {
  const flows = {
    normal: [] as Flow<F>[],
    callToReturn: [] as Flow<F>[],
    call: [] as Flow<F>[],
    return: [] as Flow<F>[],
  };
  const bySource = domains.map((): Flow<F>[] => []);
  const shared = domains.map(() => new Map<number, Map<FlowFunction<F>, Flow<F>>>());
  const flow = (
    source: number,
    target: number,
    apply: FlowFunction<F> | undefined,
    where: () => string,
  ): Flow<F> => {
    if (typeof apply !== "function")
      throw new Error(`Got ${String(apply)} from ${where()}, expected a flow function.`);
    let known = shared[source].get(target);
    if (known === undefined) shared[source].set(target, (known = new Map()));
    let result = known.get(apply);
    if (result === undefined) {
      known.set(apply, (result = new Flow(apply, where(), target)));
      bySource[source].push(result);
    }
    return result;
  };

  // arguments are taken from the program as it was given; a reversed edge has the same place in its procedure's list
  const program = supergraph.topology;
  for (let p = 0; p < topology.procedureCount; p++) {
    const vertex = (v: number) => supergraph.vertex(p, v);
    for (let i = program.edgeStart[p]; i < program.edgeStart[p + 1]; i++) {
      const from = vertex(program.edgeSource[i]);
      const to = vertex(program.edgeTarget[i]);
      const apply = problem.normal === undefined ? identity : problem.normal(from, to);
      flows.normal.push(flow(p, p, apply, () => `normal(${from.label}, ${to.label}) of ${domains[p].name}`));
    }
    // edges that reverse() added
    while (flows.normal.length < topology.edgeStart[p + 1])
      flows.normal.push(flow(p, p, identity, () => "identity"));
    for (let i = program.bypassStart[p]; i < program.bypassStart[p + 1]; i++) {
      const site = vertex(program.bypassCall[i]);
      const returnSite = vertex(program.bypassReturn[i]);
      const apply = problem.callToReturn === undefined ? identity : problem.callToReturn(site, returnSite);
      const where = () => `callToReturn(${site.label}, ${returnSite.label}) of ${domains[p].name}`;
      flows.callToReturn.push(flow(p, p, apply, where));
    }
    // one call flow function per site and callee, however many exits and return sites there are
    const callFlows = new Map<number, Flow<F>>();
    for (let i = program.callStart[p]; i < program.callStart[p + 1]; i++) {
      const site = vertex(program.callVertex[i]);
      const returnSite = vertex(program.callReturn[i]);
      const callee = supergraph.procedure(program.callCallee[i]);
      const exit = supergraph.vertex(callee.id, program.callExit[i]);
      const key = site.id * topology.procedureCount + callee.id;
      let call = callFlows.get(key);
      if (call === undefined) {
        const apply = problem.call === undefined ? identity : problem.call(site, callee);
        call = flow(p, callee.id, apply, () => `call(${site.label}, ${callee.name}) of ${domains[p].name}`);
        callFlows.set(key, call);
      }
      flows.call.push(call);
      const apply = problem.return === undefined ? identity : problem.return(site, callee, exit, returnSite);
      const where = () =>
        `return(${site.label}, ${callee.name}, ${exit.label}, ${returnSite.label}) of ${domains[p].name}`;
      flows.return.push(flow(callee.id, p, apply, where));
    }
  }
  return { ...flows, bySource, domains };
}

/** Applies all flow functions to all facts, which may find further facts, until none is left. */
function tabulate<F>({ bySource, domains }: Flows<F>, options: ExplodeOptions): void {
  const queue = Array.from(domains.keys());
  const queued = domains.map(() => true);
  const done = domains.map(() => 0);
  let total = 0;
  for (let head = 0; head < queue.length; head++) {
    options.signal?.throwIfAborted();
    const p = queue[head];
    queued[p] = false;
    for (; done[p] < domains[p].facts.length; done[p]++, total++) {
      const fact = domains[p].facts[done[p]];
      for (const flow of bySource[p]) {
        const domain = domains[flow.target];
        const before = domain.facts.length;
        for (const target of imageOf(flow, fact)) flow.targets.push(domain.id(target));
        flow.ends.push(flow.targets.length);
        if (before < domain.facts.length && !queued[flow.target] && flow.target !== p) {
          queued[flow.target] = true;
          queue.push(flow.target);
        }
      }
    }
    if (options.onProgress !== undefined && (head & 0xff) === 0) {
      options.onProgress(
        total,
        domains.reduce((sum, { facts }) => sum + facts.length, 0),
      );
    }
  }
  options.onProgress?.(total, total);
}

function imageOf<F>(flow: Flow<F>, fact: F | Zero): Iterable<F | Zero> {
  const image: unknown = flow.apply(fact);
  // a string is iterable too, but it is a fact that was meant to be wrapped
  if (typeof image === "object" && image !== null && Symbol.iterator in image)
    return image as Iterable<F | Zero>;
  throw new Error(
    `Got ${String(image)} from the flow function of ${flow.where}, expected an iterable of facts.`,
  );
}

function seedsOf<F, D>(
  supergraph: Supergraph<D>,
  problem: IfdsProblem<F, D>,
  direction: "forward" | "backward",
  zero: F | Zero,
): [p: number, v: number, fact: F | Zero][] {
  if (problem.seeds === undefined) {
    const entry = supergraph.procedure(supergraph.topology.entry);
    const vertices = direction === "forward" ? [entry.start] : entry.exits;
    return vertices.map((v) => [entry.id, v, zero]);
  }
  return Array.from(problem.seeds, ([procedure, vertex, fact], i) => {
    try {
      const { id, procedure: owner } = supergraph.vertex(procedure, vertex);
      return [owner.id, id, fact];
    } catch (error) {
      throw new RangeError(`Seed ${i}: ${(error as Error).message}`);
    }
  });
}
