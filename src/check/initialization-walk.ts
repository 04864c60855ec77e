/**
 * Where some variables are uninitialized, calling context by calling context. A procedure is walked once for each state
 * of the variables in which it is called: for each variable, whether it may be uninitialized, may be initialized, or
 * both. A chain of calls from an entry fixes the state at its end, so a read at which a variable can only be
 * uninitialized is too early along that chain for sure, whatever branches are taken on the way. A read that throws for
 * sure ends its path: nothing behind it is reported, nor at later turns where all paths end so. Reads and calls that are one
 * possibility of several prove nothing: they, and what only they lead to, may be too early, not more.
 *
 * A state is two bit-vectors over the variables. States at nodes only grow, and are handed on where they did: a call that has
 * to wait for its callee goes on from there. Cost: contexts times nodes of their procedures, times a word for 32 variables.
 */

import { Op, type Program } from "../program/program.js";
import { Edge, type VariableFlow } from "./variable-flow.js";

/** Whether what a vertex reads and calls is one possibility of several, of which control may take another. */
export type IsDoubtful = (procedure: number, vertex: number) => boolean;

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
  readonly id: number;
  readonly procedure: number;
  /** Per node the variables that may be uninitialized, and those that may be initialized. */
  readonly states: Uint32Array;
  readonly reached: Uint8Array;
  /** Nodes whose state is still to be handed on. */
  readonly dirty: Uint8Array;
  dirtyCount: number;
  isQueued: boolean;
  /** Calls that wait for the ends of this: context and node, as one number. */
  readonly callers: Set<number>;
  /** The next context with the same hash. */
  readonly next: Context | undefined;
  /** Words of the state in which it is called; undefined where contexts are joined. */
  readonly key: Uint32Array | undefined;
}

interface Visit {
  readonly context: Context;
  readonly from: Visit | undefined;
  /** The vertex of the call in the procedure of `from`. */
  readonly vertex: number;
}

const NODES = 2 ** 24;

export class InitializationWalk {
  readonly #flow: VariableFlow;
  readonly #isDoubtful: IsDoubtful;
  readonly #bitOf: Int32Array;
  readonly #words: number;
  /**
   * Per procedure: variables that a call of it hands over, those that it touches, or callees of it, but for its own: those are
   * new in each activation, whoever calls.
   */
  readonly #passed: Uint32Array;
  /** Per procedure with variables of its own: the others. */
  readonly #others = new Map<number, Uint32Array>();
  readonly #all: Uint32Array;
  readonly #throwsEarly: Uint32Array;
  readonly #contexts: Context[] = [];
  readonly #byHash = new Map<number, Context>();
  readonly #joint = new Map<number, Context>();
  readonly #stack: Context[] = [];
  /** Whether an early read ends the program for sure while it is loaded: there are no later turns. */
  #isOver = false;
  readonly #before: Uint32Array;
  readonly #after: Uint32Array;
  readonly #handed: Uint32Array;

  /** `flow` is cut down to `variables`; `bitOf` is scratch space, a number per variable of the program. */
  constructor(
    program: Program,
    flow: VariableFlow,
    variables: readonly number[],
    bitOf: Int32Array,
    isDoubtful: IsDoubtful,
  ) {
    this.#flow = flow;
    this.#isDoubtful = isDoubtful;
    this.#bitOf = bitOf;
    const words = (variables.length + 31) >>> 5;
    this.#words = words;
    this.#all = new Uint32Array(words);
    this.#throwsEarly = new Uint32Array(words);
    for (const [i, v] of variables.entries()) {
      bitOf[v] = i;
      this.#all[i >>> 5] |= 1 << (i & 31);
      if (program.variables[v].throwsEarly) this.#throwsEarly[i >>> 5] |= 1 << (i & 31);
    }
    for (const [i, v] of variables.entries()) {
      const { owner } = program.variables[v];
      if (owner < 0) continue;
      let others = this.#others.get(owner);
      if (others === undefined) this.#others.set(owner, (others = this.#all.slice()));
      others[i >>> 5] &= ~(1 << (i & 31));
    }
    this.#passed = this.#handedOver();
    this.#before = new Uint32Array(2 * words);
    this.#after = new Uint32Array(2 * words);
    this.#handed = new Uint32Array(2 * words);
  }

  /**
   * Walks from the program's entries. Past `most` contexts, gives up, or joins what is new, one context a procedure: nothing is
   * missed then, but a read that is too early along one chain of calls alone may count as one that only may be.
   *
   * @returns for each read and variable one entry, a certain one where there is any; undefined if it gave up
   */
  fromEntries(entries: readonly number[], most: number, past: "give up" | "join"): EarlyRead[] | undefined {
    const { nodeStart, exit, code } = this.#flow;
    const followed = entries.filter((entry) => nodeStart[entry] < nodeStart[entry + 1]);
    let outermost = this.#explore(followed, most, past);
    if (outermost === undefined) return undefined;
    const ends = outermost.every(
      ({ procedure, reached }) => reached[exit[procedure] - nodeStart[procedure]] !== 1,
    );
    if (ends && followed.length === entries.length && code.includes(Op.settle)) {
      this.#isOver = true;
      this.#contexts.length = 0;
      this.#byHash.clear();
      this.#joint.clear();
      outermost = this.#explore(followed, most, past)!;
    }
    return this.#collect(outermost);
  }

  /** The same from a procedure that is called while its own variables are not there yet, whoever calls it. */
  inActivations(owner: number, most: number): EarlyRead[] {
    return this.#collect(this.#explore([owner], most, "join")!);
  }

  /** Finds all contexts and their states. */
  #explore(from: readonly number[], most: number, past: "give up" | "join"): Context[] | undefined {
    const outermost = from.map((procedure) => {
      this.#handed.fill(0);
      return this.#context(procedure, most);
    });
    while (0 < this.#stack.length) {
      if (past === "give up" && most < this.#contexts.length) return undefined;
      const context = this.#stack.pop()!;
      context.isQueued = false;
      this.#walk(context, most);
    }
    return outermost;
  }

  #handedOver(): Uint32Array {
    const words = this.#words;
    const { nodeStart, operationStart, code, variable, callStart, calleeStart, callee } = this.#flow;
    const count = nodeStart.length - 1;
    const passed = new Uint32Array(count * words);
    const callers: number[][] = Array.from({ length: count }, () => []);
    const work: number[] = [];
    for (let p = 0; p < count; p++) {
      for (let i = operationStart[nodeStart[p]]; i < operationStart[nodeStart[p + 1]]; i++) {
        if (code[i] === Op.settle || code[i] === Op.resume) continue;
        const bit = this.#bitOf[variable[i]];
        passed[p * words + (bit >>> 5)] |= 1 << (bit & 31);
      }
      const end = calleeStart[callStart[nodeStart[p + 1]]];
      for (let k = calleeStart[callStart[nodeStart[p]]]; k < end; k++) callers[callee[k]].push(p);
      if (nodeStart[p] < nodeStart[p + 1]) work.push(p);
    }
    const others = (p: number, w: number) => this.#others.get(p)?.[w] ?? 0xffffffff;
    for (let p = 0; p < count; p++) for (let w = 0; w < words; w++) passed[p * words + w] &= others(p, w);
    while (0 < work.length) {
      const q = work.pop()!;
      for (const p of callers[q]) {
        let grew = false;
        for (let w = 0; w < words; w++) {
          const joined = (passed[p * words + w] | (passed[q * words + w] & others(p, w))) >>> 0;
          if (joined === passed[p * words + w]) continue;
          passed[p * words + w] = joined;
          grew = true;
        }
        if (grew) work.push(p);
      }
    }
    return passed;
  }

  /** The context of a procedure called in the state that is in `#handed`. */
  #context(procedure: number, most: number): Context {
    const state = this.#handed;
    let hash = procedure;
    for (let i = 0; i < state.length; i++) hash = Math.imul(hash ^ state[i], 0x01000193) ^ (hash >>> 15);
    const first = this.#byHash.get(hash);
    for (let at = first; at !== undefined; at = at.next)
      if (at.procedure === procedure && isSame(at.key!, state)) return at;
    const isJoint = most <= this.#contexts.length;
    const known = isJoint ? this.#joint.get(procedure) : undefined;
    const context = known ?? this.#create(procedure, isJoint ? undefined : state.slice(), first);
    if (known === undefined) {
      if (isJoint) this.#joint.set(procedure, context);
      else this.#byHash.set(hash, context);
    }
    this.#arrive(context, 0, state);
    return context;
  }

  #create(procedure: number, key: Uint32Array | undefined, next: Context | undefined): Context {
    const count = this.#flow.nodeStart[procedure + 1] - this.#flow.nodeStart[procedure];
    const context: Context = {
      id: this.#contexts.length,
      procedure,
      states: new Uint32Array(count * 2 * this.#words),
      reached: new Uint8Array(count),
      dirty: new Uint8Array(count),
      dirtyCount: 0,
      isQueued: false,
      callers: new Set(),
      next,
      key,
    };
    this.#contexts.push(context);
    return context;
  }

  /** Adds a state to that of a node, which is to hand it on if it is new there. */
  #arrive(context: Context, node: number, state: Uint32Array): void {
    const { states, reached, dirty } = context;
    const base = node * state.length;
    let isNew = reached[node] === 0;
    reached[node] = 1;
    for (let i = 0; i < state.length; i++) {
      const joined = (states[base + i] | state[i]) >>> 0;
      if (joined === states[base + i]) continue;
      states[base + i] = joined;
      isNew = true;
    }
    if (!isNew || dirty[node] === 1) return;
    dirty[node] = 1;
    context.dirtyCount++;
    if (context.isQueued) return;
    context.isQueued = true;
    this.#stack.push(context);
  }

  #load(context: Context, node: number): void {
    const width = 2 * this.#words;
    for (let i = 0; i < width; i++) this.#before[i] = this.#after[i] = context.states[node * width + i];
  }

  #walk(context: Context, most: number): void {
    const flow = this.#flow;
    const { procedure, dirty } = context;
    const base = flow.nodeStart[procedure];
    const count = flow.nodeStart[procedure + 1] - base;
    // What arrives in it meanwhile is handed on in here.
    context.isQueued = true;
    while (0 < context.dirtyCount) {
      for (let node = 0; node < count && 0 < context.dirtyCount; node++) {
        if (dirty[node] === 0) continue;
        dirty[node] = 0;
        context.dirtyCount--;
        const v = base + node;
        this.#load(context, node);
        const goesOn = this.#step(v);
        for (let e = flow.edgeStart[v]; e < flow.edgeStart[v + 1]; e++) {
          const kind = flow.kind[e];
          if (kind === Edge.after) {
            if (goesOn) this.#arrive(context, flow.target[e] - base, this.#after);
          } else if (kind === Edge.throws || this.#readsEarly(v))
            this.#arrive(context, flow.target[e] - base, this.#before);
        }
        for (let c = flow.callStart[v]; goesOn && c < flow.callStart[v + 1]; c++)
          this.#call(context, node, c, most);
        if (v === flow.exit[procedure] || v === flow.failure[procedure]) this.#wakeCallers(context);
      }
    }
    context.isQueued = false;
  }

  #call(context: Context, node: number, c: number, most: number): void {
    const flow = this.#flow;
    const base = flow.nodeStart[context.procedure];
    for (let k = flow.calleeStart[c]; k < flow.calleeStart[c + 1]; k++) {
      const q = flow.callee[k];
      this.#handOver(q);
      const inner = this.#context(q, most);
      inner.callers.add(context.id * NODES + node);
      this.#return(context, q, inner, flow.exit[q], flow.returnTo[c] - base);
      this.#return(context, q, inner, flow.failure[q], flow.throwTo[c] - base);
    }
  }

  /** Goes on behind a call if its callee can end at `end`. */
  #return(context: Context, q: number, inner: Context, end: number, site: number): void {
    const node = end - this.#flow.nodeStart[q];
    if (end < 0 || site < 0 || inner.reached[node] === 0) return;
    this.#handBack(q, inner.states, node);
    this.#arrive(context, site, this.#handed);
  }

  /** What of `#after` a callee gets. */
  #handOver(q: number): void {
    const words = this.#words;
    for (let w = 0; w < words; w++) {
      const passed = this.#passed[q * words + w];
      this.#handed[w] = this.#after[w] & passed;
      this.#handed[words + w] = this.#after[words + w] & passed;
    }
  }

  /** `#after` with what a callee has made of it at one of its ends. */
  #handBack(q: number, states: Uint32Array, end: number): void {
    const words = this.#words;
    const base = end * 2 * words;
    for (let w = 0; w < words; w++) {
      const passed = this.#passed[q * words + w];
      this.#handed[w] = (this.#after[w] & ~passed) | (states[base + w] & passed);
      this.#handed[words + w] = (this.#after[words + w] & ~passed) | (states[base + words + w] & passed);
    }
  }

  #wakeCallers(context: Context): void {
    for (const caller of context.callers) {
      const waiting = this.#contexts[Math.floor(caller / NODES)];
      const node = caller % NODES;
      if (waiting.dirty[node] === 1) continue;
      waiting.dirty[node] = 1;
      waiting.dirtyCount++;
      if (waiting.isQueued) continue;
      waiting.isQueued = true;
      this.#stack.push(waiting);
    }
  }

  /** Whether a node's step reads a variable that may be uninitialized before it. */
  #readsEarly(v: number): boolean {
    const { operationStart, code, variable } = this.#flow;
    for (let i = operationStart[v]; i < operationStart[v + 1]; i++) {
      if (code[i] !== Op.read && code[i] !== Op.check) continue;
      const bit = this.#bitOf[variable[i]];
      if (((this.#before[bit >>> 5] >>> (bit & 31)) & 1) === 1) return true;
    }
    return false;
  }

  /**
   * Does a node's operations to `#after`; false if one of them throws for sure. `found` is told of early reads.
   */
  #step(v: number, found?: (variable: number, isOnly: boolean) => void): boolean {
    const { operationStart, code, variable } = this.#flow;
    const after = this.#after;
    const words = this.#words;
    for (let i = operationStart[v]; i < operationStart[v + 1]; i++) {
      const op = code[i];
      if (op === Op.settle && this.#isOver) return false;
      if (op === Op.settle || op === Op.resume) {
        const others = this.#others.get(variable[i]) ?? this.#all;
        for (let w = 0; w < words; w++) {
          after[words + w] |= after[w] & others[w];
          if (op === Op.settle) after[w] &= ~others[w];
        }
        continue;
      }
      const at = this.#bitOf[variable[i]];
      const w = at >>> 5;
      const bit = 1 << (at & 31);
      if (op === Op.declare) {
        after[w] |= bit;
        after[words + w] &= ~bit;
      } else if (op === Op.write) {
        after[w] &= ~bit;
        after[words + w] |= bit;
      } else if ((after[w] & bit) !== 0) {
        const isOnly = (after[words + w] & bit) === 0;
        if (op !== Op.demand) {
          found?.(variable[i], isOnly);
          if ((this.#throwsEarly[w] & bit) === 0) continue;
        }
        if (isOnly) return false;
        after[w] &= ~bit;
      }
    }
    return true;
  }

  /**
   * Goes through the contexts that the final states lead to, by sure calls first: those that only states on the way there led
   * to do not count.
   */
  #collect(outermost: readonly Context[]): EarlyRead[] {
    const flow = this.#flow;
    const found = new Map<number, EarlyRead>();
    const seen = new Uint8Array(this.#contexts.length);
    const sure: Visit[] = [];
    const unsure: Visit[] = [];
    const go = (visit: Visit, isSure: boolean) => {
      const { context } = visit;
      const { procedure } = context;
      const base = flow.nodeStart[procedure];
      for (let node = 0; node < context.reached.length; node++) {
        if (context.reached[node] === 0) continue;
        const v = base + node;
        const isSureHere = isSure && !this.#isDoubtful(procedure, flow.vertex[v]);
        this.#load(context, node);
        const report = (variable: number, isOnly: boolean) => {
          const key = variable * flow.vertex.length + v;
          const isCertain = isOnly && isSureHere;
          const known = found.get(key);
          if (known !== undefined && (known.isCertain || !isCertain)) return;
          found.set(key, { variable, procedure, vertex: flow.vertex[v], isCertain, chain: chainOf(visit) });
        };
        if (!this.#step(v, report)) continue;
        for (let c = flow.callStart[v]; c < flow.callStart[v + 1]; c++) {
          for (let k = flow.calleeStart[c]; k < flow.calleeStart[c + 1]; k++) {
            this.#handOver(flow.callee[k]);
            const inner = this.#context(flow.callee[k], 0);
            if (seen[inner.id] === 0)
              (isSureHere ? sure : unsure).push({ context: inner, from: visit, vertex: flow.vertex[v] });
          }
        }
      }
    };
    for (const context of outermost) sure.push({ context, from: undefined, vertex: -1 });
    for (const [list, isSure] of [
      [sure, true],
      [unsure, false],
    ] as const) {
      for (let i = 0; i < list.length; i++) {
        if (seen[list[i].context.id] === 1) continue;
        seen[list[i].context.id] = 1;
        go(list[i], isSure);
      }
    }
    return [...found.values()];
  }
}

function chainOf(visit: Visit): EarlyRead["chain"] {
  const chain: { procedure: number; vertex: number }[] = [];
  for (let at = visit; at.from !== undefined; at = at.from)
    chain.push({ procedure: at.from.context.procedure, vertex: at.vertex });
  return chain.reverse();
}

function isSame(a: Uint32Array, b: Uint32Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
