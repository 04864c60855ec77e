/**
 * The flow graphs of a program cut down to what matters to some variables: the steps that touch them, and calls of
 * procedures that do, themselves or through others. What lies between is contracted, so that of most programs a few steps in
 * a hundred are left. Callees that touch none of the variables become edges to where they can return, by returning or
 * throwing.
 *
 * A flow can be cut down again, to fewer variables. Cost: linear in the flow that is cut down, but that loops in loops in which
 * nothing happens are looked at once per nesting.
 */

import { Op, type Program } from "../program/program.js";
import { Edge, FlowBuilder, grouped, type VariableFlow } from "./variable-flow.js";

/**
 * What of a flow matters to the variables of which `tracked` says so. Of those that it drops, reads at the nodes that
 * `mayThrow` has may still throw, if it is given.
 */
export function restrictedTo(flow: VariableFlow, tracked: Uint8Array, mayThrow?: Uint8Array): VariableFlow {
  const touched = touchedProcedures(flow, tracked);
  return cutDown(flow, tracked, touched, endsOfOthers(flow, touched, mayThrow).ends, mayThrow);
}

function cutDown(
  flow: VariableFlow,
  tracked: Uint8Array,
  touched: Uint8Array,
  ends: Uint8Array,
  mayThrow: Uint8Array | undefined,
): VariableFlow {
  const count = flow.nodeStart.length - 1;
  const builder = new FlowBuilder(count);
  const contraction = new Contraction(flow, tracked, touched, ends, mayThrow, builder);
  for (let p = 0; p < count; p++) {
    if (touched[p] === 1) contraction.add(p);
    else builder.endProcedure(p, -1, -1);
  }
  return builder.finish();
}

/** Whether an operation is one on a tracked variable, or may be on any. */
function isKept(flow: VariableFlow, i: number, tracked: Uint8Array): boolean {
  const code = flow.code[i];
  return code === Op.settle || code === Op.resume || tracked[flow.variable[i]] === 1;
}

/** Procedures that touch one of the variables, and all that may call them. */
function touchedProcedures(flow: VariableFlow, tracked: Uint8Array): Uint8Array {
  const { nodeStart, operationStart, code, variable } = flow;
  const count = nodeStart.length - 1;
  const users: number[] = [];
  for (let p = 0; p < count; p++) {
    for (let i = operationStart[nodeStart[p]]; i < operationStart[nodeStart[p + 1]]; i++)
      if (code[i] !== Op.settle && code[i] !== Op.resume && tracked[variable[i]] === 1) users.push(p);
  }
  const touched = new Uint8Array(count);
  markCallers(callersOf(flow), users, touched);
  return touched;
}

interface Callers {
  readonly start: Uint32Array;
  readonly list: Uint32Array;
}

function callersOf({ nodeStart, callStart, calleeStart, callee }: VariableFlow): Callers {
  const count = nodeStart.length - 1;
  const caller = new Uint32Array(callee.length);
  for (let p = 0; p < count; p++)
    caller.fill(p, calleeStart[callStart[nodeStart[p]]], calleeStart[callStart[nodeStart[p + 1]]]);
  const { start, order } = grouped(count, callee.length, (k) => callee[k]);
  return { start, list: order.map((k) => caller[k]) };
}

/** Marks procedures and all that may call them, but not those that only call `owner`. */
function markCallers(
  { start, list }: Callers,
  procedures: readonly number[],
  marked: Uint8Array,
  owner = -1,
): void {
  const work = [...procedures];
  for (const p of work) marked[p] = 1;
  while (0 < work.length) {
    const p = work.pop()!;
    if (p === owner) continue;
    for (let i = start[p]; i < start[p + 1]; i++) {
      if (marked[list[i]] === 1) continue;
      marked[list[i]] = 1;
      work.push(list[i]);
    }
  }
}

/** Where a procedure calls another. */
export interface CallPlace {
  readonly procedure: number;
  readonly vertex: number;
}

/**
 * What of a flow may be done to a procedure's variables in its activations, whoever calls it: variables are taken by
 * themselves, and reads of others throw where `mayThrow` says so.
 */
export class Activations {
  readonly #flow: VariableFlow;
  readonly #callers: Callers;
  /** By variable: procedures that touch it, and those that declare it. */
  readonly #users = new Map<number, Set<number>>();
  readonly #declaring = new Map<number, Set<number>>();
  readonly #mayThrow: Uint8Array;
  readonly #ends: Uint8Array;
  readonly #reached: Uint8Array;

  /** Costs one pass over the flow. */
  constructor(flow: VariableFlow, mayThrow: Uint8Array) {
    this.#flow = flow;
    this.#callers = callersOf(flow);
    this.#mayThrow = mayThrow;
    const { nodeStart, operationStart, code, variable } = flow;
    const count = nodeStart.length - 1;
    const { ends, reached } = endsOfOthers(flow, new Uint8Array(count), mayThrow);
    this.#ends = ends;
    this.#reached = reached;
    const add = (to: Map<number, Set<number>>, v: number, p: number) => {
      const known = to.get(v);
      if (known === undefined) to.set(v, new Set([p]));
      else known.add(p);
    };
    for (let p = 0; p < count; p++) {
      for (let i = operationStart[nodeStart[p]]; i < operationStart[nodeStart[p + 1]]; i++) {
        if (code[i] === Op.settle || code[i] === Op.resume) continue;
        add(this.#users, variable[i], p);
        if (code[i] === Op.declare) add(this.#declaring, variable[i], p);
      }
    }
  }

  /** Whether a variable comes into being in activations of its owner alone. */
  isOwned(v: number, { variables }: Program): boolean {
    const { owner } = variables[v];
    const declaring = this.#declaring.get(v);
    return 0 <= owner && (declaring === undefined || (declaring.size === 1 && declaring.has(owner)));
  }

  /** For variables of one owner, which must be owned. Costs what is left, and a byte per node of the flow. */
  of(owner: number, variables: readonly number[], { variables: { length } }: Program): VariableFlow {
    const touched = new Uint8Array(this.#flow.nodeStart.length - 1);
    const tracked = new Uint8Array(length);
    const users = new Set([owner]);
    for (const v of variables) {
      tracked[v] = 1;
      for (const p of this.#users.get(v) ?? []) users.add(p);
    }
    markCallers(this.#callers, [...users], touched, owner);
    return cutDown(this.#flow, tracked, touched, this.#ends, this.#mayThrow);
  }

  /** Shortest chains of calls from entries, by the procedure that they lead to. */
  chains(entries: readonly number[]): ReadonlyMap<number, readonly CallPlace[]> {
    const { nodeStart, callStart, calleeStart, callee, vertex } = this.#flow;
    const chains = new Map<number, readonly CallPlace[]>(entries.map((entry) => [entry, []]));
    for (const [p, chain] of chains) {
      for (let v = nodeStart[p]; v < nodeStart[p + 1]; v++) {
        if (this.#reached[v] === 0) continue;
        for (let k = calleeStart[callStart[v]]; k < calleeStart[callStart[v + 1]]; k++)
          if (!chains.has(callee[k])) chains.set(callee[k], [...chain, { procedure: p, vertex: vertex[v] }]);
      }
    }
    return chains;
  }
}

const RETURNS = 1;
const THROWS = 2;

/** How procedures that touch none of the variables can end. They call none that do. */
function endsOfOthers(
  flow: VariableFlow,
  touched: Uint8Array,
  mayThrow: Uint8Array | undefined,
): { readonly ends: Uint8Array; readonly reached: Uint8Array } {
  const { nodeStart, exit, failure, edgeStart, target, kind, callStart, calleeStart, callee } = flow;
  const count = nodeStart.length - 1;
  const ends = new Uint8Array(count);
  const reached = new Uint8Array(flow.vertex.length);
  const procedureOf = new Uint32Array(reached.length);
  for (let p = 0; p < count; p++) procedureOf.fill(p, nodeStart[p], nodeStart[p + 1]);
  const siteOf = new Uint32Array(callee.length);
  const nodeOf = new Uint32Array(flow.returnTo.length);
  for (let v = 0; v < reached.length; v++) nodeOf.fill(v, callStart[v], callStart[v + 1]);
  for (let c = 0; c < nodeOf.length; c++) siteOf.fill(c, calleeStart[c], calleeStart[c + 1]);
  const sitesOf = grouped(count, callee.length, (k) => callee[k]);
  const work: number[] = [];
  const arrive = (v: number) => {
    if (v < 0 || reached[v] === 1) return;
    reached[v] = 1;
    work.push(v);
  };
  for (let p = 0; p < count; p++) {
    if (touched[p] === 1 || nodeStart[p] === nodeStart[p + 1]) continue;
    arrive(nodeStart[p]);
    for (let v = 0; 0 < work.length; ) {
      v = work.pop()!;
      for (let e = edgeStart[v]; e < edgeStart[v + 1]; e++)
        if (kind[e] !== Edge.early || mayThrow?.[v] === 1) arrive(target[e]);
      for (let c = callStart[v]; c < callStart[v + 1]; c++) {
        for (let k = calleeStart[c]; k < calleeStart[c + 1]; k++) {
          if ((ends[callee[k]] & RETURNS) !== 0) arrive(flow.returnTo[c]);
          if ((ends[callee[k]] & THROWS) !== 0) arrive(flow.throwTo[c]);
        }
      }
      const q = procedureOf[v];
      const end = v === exit[q] ? RETURNS : v === failure[q] ? THROWS : 0;
      if ((ends[q] | end) === ends[q]) continue;
      ends[q] |= end;
      for (let i = sitesOf.start[q]; i < sitesOf.start[q + 1]; i++) {
        const c = siteOf[sitesOf.order[i]];
        if (reached[nodeOf[c]] === 1) arrive(end === RETURNS ? flow.returnTo[c] : flow.throwTo[c]);
      }
    }
  }
  return { ends, reached };
}

const DEAD = -1;

/** Cuts down one procedure after the other. A node at which nothing happens and which goes on to one other is that other. */
class Contraction {
  readonly #flow: VariableFlow;
  readonly #tracked: Uint8Array;
  readonly #touched: Uint8Array;
  readonly #ends: Uint8Array;
  readonly #mayThrow: Uint8Array | undefined;
  readonly #builder: FlowBuilder;
  /** Per node: what it has become, itself at first, or `DEAD`: nothing that matters can follow. */
  readonly #became: Int32Array;
  readonly #isEventful: Uint8Array;
  /** Per node: 0 new, 1 met, 2 finished. */
  readonly #mark: Uint8Array;
  /** Per node: its new number. */
  readonly #number: Int32Array;

  constructor(
    flow: VariableFlow,
    tracked: Uint8Array,
    touched: Uint8Array,
    ends: Uint8Array,
    mayThrow: Uint8Array | undefined,
    builder: FlowBuilder,
  ) {
    this.#flow = flow;
    this.#tracked = tracked;
    this.#touched = touched;
    this.#ends = ends;
    this.#mayThrow = mayThrow;
    this.#builder = builder;
    const count = flow.vertex.length;
    this.#became = new Int32Array(count);
    this.#isEventful = new Uint8Array(count);
    this.#mark = new Uint8Array(count);
    this.#number = new Int32Array(count).fill(-1);
  }

  add(p: number): void {
    const flow = this.#flow;
    const builder = this.#builder;
    const first = flow.nodeStart[p];
    for (let v = first; v < flow.nodeStart[p + 1]; v++) this.#became[v] = v;
    for (let v = first; v < flow.nodeStart[p + 1]; v++) this.#isEventful[v] = this.#happens(v) ? 1 : 0;
    for (const v of [first, flow.exit[p], flow.failure[p]]) if (0 <= v) this.#isEventful[v] = 1;
    const all = this.#postorder(first);
    for (let changed = true; changed; ) {
      changed = false;
      for (const v of all)
        if (this.#isEventful[v] === 0 && this.#became[v] === v && this.#contract(v)) changed = true;
    }
    for (const v of all) this.#mark[v] = 0;
    const order = this.#postorder(first).reverse();
    const base = builder.nodeCount;
    for (const [i, v] of order.entries()) this.#number[v] = base + i;
    for (const v of order) this.#emit(v);
    builder.endProcedure(p, this.#numberOf(flow.exit[p]), this.#numberOf(flow.failure[p]));
  }

  #numberOf(v: number): number {
    return v < 0 ? -1 : this.#number[v];
  }

  /** Whether a node has operations or calls that stay. */
  #happens(v: number): boolean {
    const { operationStart, callStart, calleeStart, callee } = this.#flow;
    for (let i = operationStart[v]; i < operationStart[v + 1]; i++)
      if (isKept(this.#flow, i, this.#tracked)) return true;
    const end = calleeStart[callStart[v + 1]];
    for (let k = calleeStart[callStart[v]]; k < end; k++) if (this.#touched[callee[k]] === 1) return true;
    return false;
  }

  #find(v: number): number {
    const became = this.#became;
    let root = v;
    while (0 <= root && became[root] !== root) root = became[root];
    for (let at = v; 0 <= at && at !== root; ) {
      const next = became[at];
      became[at] = root;
      at = next;
    }
    return root;
  }

  /** Calls `visit` for what control goes on to from a node, edges of calls that stay included, until it says to stop. */
  #forEachNext(v: number, visit: (target: number, kind: number) => boolean): void {
    const flow = this.#flow;
    const throwing = this.#throwKind(v);
    const go = (target: number, kind: number): boolean => {
      const to = target < 0 ? DEAD : this.#find(target);
      return to !== DEAD && visit(to, kind);
    };
    for (let e = flow.edgeStart[v]; e < flow.edgeStart[v + 1]; e++) {
      const kind = flow.kind[e] === Edge.early ? throwing : flow.kind[e];
      if (0 <= kind && go(flow.target[e], kind)) return;
    }
    for (let c = flow.callStart[v]; c < flow.callStart[v + 1]; c++) {
      let ends = 0;
      for (let k = flow.calleeStart[c]; k < flow.calleeStart[c + 1]; k++) {
        if (this.#touched[flow.callee[k]] === 0) ends |= this.#ends[flow.callee[k]];
      }
      if ((ends & RETURNS) !== 0 && go(flow.returnTo[c], Edge.after)) return;
      if ((ends & THROWS) !== 0 && go(flow.throwTo[c], Edge.after)) return;
    }
  }

  /** What becomes of a node's edges of kind `early`; -1 where its reads cannot be. */
  #throwKind(v: number): number {
    if (this.#mayThrow?.[v] === 1) return Edge.throws;
    const { operationStart, code, variable } = this.#flow;
    for (let i = operationStart[v]; i < operationStart[v + 1]; i++) {
      if ((code[i] === Op.read || code[i] === Op.check) && this.#tracked[variable[i]] === 1)
        return Edge.early;
    }
    return -1;
  }

  #contract(v: number): boolean {
    let only = DEAD;
    let isOne = true;
    this.#forEachNext(v, (to) => {
      if (to === v || to === only) return false;
      isOne = only === DEAD;
      only = to;
      return !isOne;
    });
    if (isOne) this.#became[v] = only;
    return isOne;
  }

  /** Nodes reached from one, each after those that it leads to but for ways back. */
  #postorder(start: number): number[] {
    const flow = this.#flow;
    const mark = this.#mark;
    const order: number[] = [];
    const stack = [start];
    while (0 < stack.length) {
      const v = stack[stack.length - 1];
      if (mark[v] !== 0) {
        stack.pop();
        if (mark[v] === 1) order.push(v);
        mark[v] = 2;
        continue;
      }
      mark[v] = 1;
      const meet = (to: number): boolean => {
        if (mark[to] === 0) stack.push(to);
        return false;
      };
      this.#forEachNext(v, meet);
      for (let c = flow.callStart[v]; c < flow.callStart[v + 1]; c++) {
        for (const site of [flow.returnTo[c], flow.throwTo[c]]) {
          const to = site < 0 ? DEAD : this.#find(site);
          if (to !== DEAD) meet(to);
        }
      }
    }
    return order;
  }

  #emit(v: number): void {
    const flow = this.#flow;
    const builder = this.#builder;
    const number = this.#number;
    builder.vertex.push(flow.vertex[v]);
    for (let i = flow.operationStart[v]; i < flow.operationStart[v + 1]; i++)
      if (isKept(flow, i, this.#tracked)) builder.operation(flow.code[i], flow.variable[i]);
    const isPlain = builder.isWithoutOperations;
    const seen = new Set<number>();
    this.#forEachNext(v, (to, kind) => {
      // Where nothing happens, what holds before holds after.
      const plain = isPlain && kind === Edge.throws ? Edge.after : kind;
      if (!seen.has(4 * to + plain)) builder.edge(number[to], plain);
      seen.add(4 * to + plain);
      return false;
    });
    for (let c = flow.callStart[v]; c < flow.callStart[v + 1]; c++) {
      const callees = flow.callee
        .subarray(flow.calleeStart[c], flow.calleeStart[c + 1])
        .filter((q) => this.#touched[q] === 1);
      if (callees.length === 0) continue;
      const site = (node: number) => (node < 0 ? -1 : this.#numberOf(this.#find(node)));
      builder.call(site(flow.returnTo[c]), site(flow.throwTo[c]), callees);
    }
    builder.endNode();
  }
}
