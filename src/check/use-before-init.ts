/**
 * The rule `use-before-init`: reads of variables that can come before their initialization.
 *
 * A procedure is walked once for each state of the variables that it and its callees touch: for each variable, whether it may
 * be uninitialized, may be initialized, or both. A chain of calls from an entry fixes the state at its end, so a read at which
 * a variable can only be uninitialized is too early along that chain for sure, whatever branches are taken on the way to it.
 * A read that throws for sure ends its path: nothing behind it is reported, nor at later turns where all paths end so. Chains through calls with many possible callees
 * prove nothing: what only they lead to may be too early, not more.
 *
 * Cost: states times the size of the procedures that touch tracked variables; variables are tracked only where a read can come
 * before the initialization by the order of steps and calls (`early-variables.ts`).
 */

import { uninitialized } from "../clients/uninitialized.js";
import { OPERATION_SIZE, Op, type Procedure, type Program } from "../program/program.js";
import { analyzeAnywhere } from "./any-host.js";
import { earlyVariables, type Successors, successorsOf } from "./early-variables.js";

/** States of a variable: bits. None of them: it is not known to this part of the program, and counts as initialized. */
const UNINITIALIZED = 1;
const INITIALIZED = 2;

/**
 * Contexts that are told apart. Past these, what is new is joined, one context a procedure: nothing is missed, but a read that
 * is too early along one chain of calls alone may count as one that only may be.
 */
const CONTEXTS = 3_000;
/** Callees of one call up to which each of them counts as one that is called. */
const SURE_CALLEES = 6;
/** Facts of all procedures together up to which the data-flow engine is asked first which variables there are to follow. */
const FACTS = 100_000;

export interface EarlyRead {
  readonly variable: number;
  readonly procedure: number;
  readonly vertex: number;
  /** Whether there is a chain of calls along which every path to the read is too early. */
  readonly isCertain: boolean;
  /** Calls from the entry to the procedure of the read, outermost first. */
  readonly chain: readonly { readonly procedure: number; readonly vertex: number }[];
}

/** A procedure in a state of the variables that matter to it. */
interface Context {
  readonly procedure: number;
  /** States of the procedure's variables, in the order of `Walk.touched`; of a joint context it grows. */
  readonly state: Uint8Array;
  /** A call that leads here, a sure one if there is any. */
  caller: Context | undefined;
  callVertex: number;
  /** Whether some chain of calls leads here on which each has few callees: others may exist in the analysis alone. */
  isSure: boolean;
  /** States at the exits; undefined until one is reached. */
  exit: Uint8Array | undefined;
  failure: Uint8Array | undefined;
  readonly dependents: Set<Context>;
  isQueued: boolean;
}

/**
 * @returns for each read and variable one entry: a certain one where there is any
 */
export function earlyReads(program: Program): EarlyRead[] {
  return new Walk(program).run();
}

class Walk {
  readonly #program: Program;
  readonly #tracked: ReadonlySet<number>;
  /** By procedure: tracked variables that it or its callees touch, ascending. */
  readonly #touched: readonly (readonly number[])[];
  readonly #contexts = new Map<string, Context>();
  readonly #queue: Context[] = [];
  readonly #found = new Map<string, EarlyRead>();
  /** Whether all states are known: only then a read that looks certain is. */
  #isFinal = false;
  /** Whether an early read ends the program for sure while it is loaded: there are no later turns. */
  #isOver = false;
  readonly #shapes = new Map<number, Successors>();

  constructor(program: Program) {
    this.#program = program;
    const early = earlyVariables(program);
    const touched = touchedVariables(program, early);
    const isSmall = touched.reduce((sum, { length }) => sum + length, 0) <= FACTS;
    this.#tracked = isSmall ? uninitializedAtUses(program, early) : early;
    this.#touched = isSmall ? touchedVariables(program, this.#tracked) : touched;
  }

  run(): EarlyRead[] {
    if (this.#tracked.size === 0) return [];
    const ends = this.#explore();
    if (ends && this.#program.procedures.some(hasLaterTurn)) {
      this.#isOver = true;
      this.#contexts.clear();
      this.#queue.length = 0;
      this.#explore();
    }
    this.#isFinal = true;
    for (const context of this.#contexts.values()) this.#walk(context);
    return [...this.#found.values()];
  }

  /** Finds all contexts and their states; whether no entry gets to its end. */
  #explore(): boolean {
    const entries = this.#program.entries.map((entry) =>
      this.#context(entry, new Uint8Array(this.#touched[entry].length), undefined, -1),
    );
    for (let i = 0; i < this.#queue.length; i++) {
      const context = this.#queue[i];
      context.isQueued = false;
      this.#walk(context);
    }
    return entries.every(({ exit }) => exit === undefined);
  }

  #context(procedure: number, state: Uint8Array, caller: Context | undefined, callVertex: number): Context {
    const isJoint = CONTEXTS <= this.#contexts.size;
    const exact = `${procedure} ${state.join("")}`;
    const key = isJoint && !this.#contexts.has(exact) ? `${procedure} joint` : exact;
    let context = this.#contexts.get(key);
    if (context !== undefined && key !== exact) this.#join(context, state);
    if (context === undefined) {
      context = {
        procedure,
        state: state.slice(),
        caller,
        callVertex,
        isSure: caller === undefined,
        exit: undefined,
        failure: undefined,
        dependents: new Set(),
        isQueued: true,
      };
      this.#contexts.set(key, context);
      this.#queue.push(context);
    }
    return context;
  }

  /** Adds a state to that of a joint context. */
  #join(context: Context, state: Uint8Array): void {
    let grew = false;
    for (let i = 0; i < state.length; i++) {
      if ((context.state[i] | state[i]) === context.state[i]) continue;
      context.state[i] |= state[i];
      grew = true;
    }
    if (!grew || context.isQueued) return;
    context.isQueued = true;
    this.#queue.push(context);
  }

  #shape(procedure: number): Successors {
    let shape = this.#shapes.get(procedure);
    if (shape === undefined) {
      shape = successorsOf(this.#program.procedures[procedure]);
      this.#shapes.set(procedure, shape);
    }
    return shape;
  }

  #walk(context: Context): void {
    const number = context.procedure;
    const procedure = this.#program.procedures[number];
    const touched = this.#touched[number];
    const width = touched.length;
    const shape = this.#shape(number);
    const place = new Map(touched.map((variable, i) => [variable, i]));
    const states = new Uint8Array(procedure.vertexCount * width);
    const isReached = new Uint8Array(procedure.vertexCount);
    const work = [0];
    isReached[0] = 1;
    states.set(context.state, 0);

    const arrive = (vertex: number, state: Uint8Array) => {
      let isNew = isReached[vertex] === 0;
      const base = vertex * width;
      for (let i = 0; i < width; i++) {
        const joined = states[base + i] | state[i];
        if (joined === states[base + i]) continue;
        states[base + i] = joined;
        isNew = true;
      }
      if (!isNew) return;
      isReached[vertex] = 1;
      work.push(vertex);
    };

    while (0 < work.length) {
      const vertex = work.pop()!;
      const before = states.slice(vertex * width, vertex * width + width);
      const after = this.#step(undefined, procedure, vertex, before.slice(), place);
      for (let i = shape.callStart[vertex]; i < shape.callStart[vertex + 1]; i++) {
        if (after !== undefined) this.#call(context, procedure.calls[shape.calls[i]], after, place, arrive);
      }
      const throws = this.#throws(procedure, vertex, before, place);
      for (let i = shape.edgeStart[vertex]; i < shape.edgeStart[vertex + 1]; i++) {
        const edge = shape.edges[i];
        const target = procedure.edges[2 * edge + 1];
        if (procedure.exceptional[edge] === 1) {
          if (throws) arrive(target, before);
        } else if (after !== undefined) arrive(target, after);
      }
    }
    const ending = (vertex: number): Uint8Array | undefined =>
      isReached[vertex] === 1 ? states.slice(vertex * width, vertex * width + width) : undefined;
    if (this.#isFinal) {
      for (let vertex = 0; vertex < procedure.vertexCount; vertex++) {
        if (isReached[vertex] === 1)
          this.#step(context, procedure, vertex, states.slice(vertex * width, vertex * width + width), place);
      }
      return;
    }
    const exit = ending(procedure.exit);
    const failure = ending(procedure.exceptionalExit);
    if (isSame(exit, context.exit) && isSame(failure, context.failure)) return;
    context.exit = exit;
    context.failure = failure;
    for (const dependent of context.dependents) {
      if (dependent.isQueued) continue;
      dependent.isQueued = true;
      this.#queue.push(dependent);
    }
  }

  /**
   * The state behind a vertex's operations, or undefined if one of them throws for sure. Early reads are reported for a
   * context whose states are final.
   */
  #step(
    reported: Context | undefined,
    procedure: Procedure,
    vertex: number,
    state: Uint8Array,
    place: ReadonlyMap<number, number>,
  ): Uint8Array | undefined {
    const { operations, operationStart } = procedure;
    for (let i = operationStart[vertex]; i < operationStart[vertex + 1]; i++) {
      const code = operations[i * OPERATION_SIZE];
      const variable = operations[i * OPERATION_SIZE + 1];
      if (code === Op.settle && this.#isOver) return undefined;
      if (code === Op.settle || code === Op.resume) {
        for (const [other, at] of place) {
          if (this.#program.variables[other].owner === variable || (state[at] & UNINITIALIZED) === 0)
            continue;
          state[at] = code === Op.settle ? INITIALIZED : UNINITIALIZED | INITIALIZED;
        }
        continue;
      }
      const at = place.get(variable);
      if (at === undefined) continue;
      if (code === Op.declare) state[at] = UNINITIALIZED;
      else if (code === Op.write) state[at] = INITIALIZED;
      else if (code === Op.demand) {
        if (state[at] === UNINITIALIZED) return undefined;
        state[at] = state[at] & INITIALIZED;
      } else if (code === Op.read || code === Op.check) {
        if ((state[at] & UNINITIALIZED) === 0) continue;
        if (reported !== undefined)
          this.#report(reported, vertex, variable, state[at] === UNINITIALIZED && reported.isSure);
        if (!this.#program.variables[variable].throwsEarly) continue;
        if (state[at] === UNINITIALIZED) return undefined;
        state[at] = INITIALIZED;
      }
    }
    return state;
  }

  /** Whether control can leave a vertex by an exception: a read does only while its variable is uninitialized. */
  #throws(
    { operations, operationStart }: Procedure,
    vertex: number,
    before: Uint8Array,
    place: ReadonlyMap<number, number>,
  ): boolean {
    let asks = false;
    for (let i = operationStart[vertex]; i < operationStart[vertex + 1]; i++) {
      const code = operations[i * OPERATION_SIZE];
      if (code !== Op.read && code !== Op.check) continue;
      asks = true;
      const at = place.get(operations[i * OPERATION_SIZE + 1]);
      if (at !== undefined && (before[at] & UNINITIALIZED) !== 0) return true;
    }
    return !asks;
  }

  #call(
    context: Context,
    call: Procedure["calls"][number],
    state: Uint8Array,
    place: ReadonlyMap<number, number>,
    arrive: (vertex: number, state: Uint8Array) => void,
  ): void {
    if (call.external || call.callees.length === 0) {
      arrive(call.returnSite, state);
      arrive(call.exceptionalReturnSite, state);
    }
    for (const callee of call.callees) {
      const touched = this.#touched[callee];
      const entering = new Uint8Array(touched.length);
      for (const [i, variable] of touched.entries()) {
        if (this.#program.variables[variable].owner !== callee) entering[i] = state[place.get(variable)!];
      }
      const inner = this.#context(callee, entering, context, call.vertex);
      inner.dependents.add(context);
      if (context.isSure && !inner.isSure && call.callees.length <= SURE_CALLEES) {
        inner.isSure = true;
        inner.caller = context;
        inner.callVertex = call.vertex;
        if (!inner.isQueued && inner !== context) {
          inner.isQueued = true;
          this.#queue.push(inner);
        }
      }
      const leaving = (end: Uint8Array | undefined, site: number) => {
        if (end === undefined) return;
        const result = state.slice();
        for (const [i, variable] of touched.entries()) {
          if (this.#program.variables[variable].owner !== callee) result[place.get(variable)!] = end[i];
        }
        arrive(site, result);
      };
      leaving(inner.exit, call.returnSite);
      leaving(inner.failure, call.exceptionalReturnSite);
    }
  }

  #report(context: Context, vertex: number, variable: number, isCertain: boolean): void {
    const key = `${context.procedure} ${vertex} ${variable}`;
    const known = this.#found.get(key);
    if (known !== undefined && (known.isCertain || !isCertain)) return;
    const chain: { procedure: number; vertex: number }[] = [];
    for (let at: Context = context; at.caller !== undefined; at = at.caller)
      chain.push({ procedure: at.caller.procedure, vertex: at.callVertex });
    this.#found.set(key, {
      variable,
      procedure: context.procedure,
      vertex,
      isCertain,
      chain: chain.reverse(),
    });
  }
}

function hasLaterTurn({ operations }: Procedure): boolean {
  for (let i = 0; i < operations.length; i += OPERATION_SIZE) if (operations[i] === Op.settle) return true;
  return false;
}

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.every((value, i) => value === b[i]);
}

/** Of some variables those that may be uninitialized at a use, calls matched with returns: most of the work ends here. */
function uninitializedAtUses(program: Program, variables: ReadonlySet<number>): ReadonlySet<number> {
  const found = new Set<number>();
  if (variables.size === 0) return found;
  const answers = analyzeAnywhere(uninitialized(program, { variables }));
  for (const [number, { operations, operationStart, vertexCount }] of program.procedures.entries()) {
    for (let vertex = 0; vertex < vertexCount; vertex++) {
      for (let i = operationStart[vertex]; i < operationStart[vertex + 1]; i++) {
        const code = operations[i * OPERATION_SIZE];
        const variable = operations[i * OPERATION_SIZE + 1];
        if ((code !== Op.read && code !== Op.check) || !variables.has(variable) || found.has(variable))
          continue;
        if (answers.mayBeUninitialized(number, vertex, variable)) found.add(variable);
      }
    }
  }
  return found;
}

/** By procedure: which of some variables it or anything it calls touches, ascending. */
function touchedVariables(program: Program, tracked: ReadonlySet<number>): number[][] {
  const { procedures } = program;
  const touched = procedures.map(() => new Set<number>());
  const callers: number[][] = procedures.map(() => []);
  const work: [procedure: number, variable: number][] = [];
  const add = (procedure: number, variable: number) => {
    if (touched[procedure].has(variable)) return;
    touched[procedure].add(variable);
    work.push([procedure, variable]);
  };
  for (const [number, { operations, calls }] of procedures.entries()) {
    for (let i = 0; i < operations.length; i += OPERATION_SIZE) {
      const code = operations[i];
      if (code === Op.settle || code === Op.resume) continue;
      if (tracked.has(operations[i + 1])) add(number, operations[i + 1]);
    }
    for (const { callees } of calls) for (const callee of callees) callers[callee].push(number);
  }
  while (0 < work.length) {
    const [procedure, variable] = work.pop()!;
    for (const caller of callers[procedure]) add(caller, variable);
  }
  return touched.map((variables) => [...variables].sort((a, b) => a - b));
}
