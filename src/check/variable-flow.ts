/**
 * The flow graphs of all procedures of a program as one graph in flat arrays: the steps, what they do to variables, and where
 * control goes on to, so that they can be cut down to what matters to some variables (`restrict-flow.ts`). Linear.
 */

import { OPERATION_SIZE, Op, type Program } from "../program/program.js";

/** When control goes along an edge. */
export const Edge = {
  /** Once the step is done. */
  after: 0,
  /** When the step throws because a variable that it reads is uninitialized; what held before it holds. */
  early: 1,
  /** When the step throws for reasons that are not known; what held before it holds. */
  throws: 2,
} as const;

/** Nodes are numbered through all procedures. A procedure that touches none of the variables has no nodes. */
export interface VariableFlow {
  /** Procedure `p` has the nodes from `nodeStart[p]`, where it begins, to `nodeStart[p + 1]`, in reverse post-order. */
  readonly nodeStart: Uint32Array;
  /** Per procedure: the nodes at which it returns and at which it ends by an exception, or -1. */
  readonly exit: Int32Array;
  readonly failure: Int32Array;
  /** Per node: the vertex it was. */
  readonly vertex: Uint32Array;
  /** Node `v` has the operations from `operationStart[v]` to `operationStart[v + 1]`: code, and variable or procedure. */
  readonly operationStart: Uint32Array;
  readonly code: Uint8Array;
  readonly variable: Uint32Array;
  /** Node `v` has the edges from `edgeStart[v]` to `edgeStart[v + 1]`. */
  readonly edgeStart: Uint32Array;
  readonly target: Uint32Array;
  readonly kind: Uint8Array;
  /** Node `v` has the calls from `callStart[v]` to `callStart[v + 1]`: nodes that they return to, or -1. */
  readonly callStart: Uint32Array;
  readonly returnTo: Int32Array;
  readonly throwTo: Int32Array;
  /** Call `c` has the callees from `calleeStart[c]` to `calleeStart[c + 1]`. */
  readonly calleeStart: Uint32Array;
  readonly callee: Uint32Array;
}

/** All of a program's steps, as nodes. */
export function flowOf({ procedures }: Program): VariableFlow {
  const flow = new FlowBuilder(procedures.length);
  for (const [number, procedure] of procedures.entries()) {
    const { vertexCount, operations, operationStart, edges, exceptional, calls } = procedure;
    const base = flow.nodeCount;
    const edgesOf = grouped(vertexCount, exceptional.length, (e) => edges[2 * e]);
    const callsOf = grouped(vertexCount, calls.length, (c) => calls[c].vertex);
    for (let v = 0; v < vertexCount; v++) {
      flow.vertex.push(v);
      let reads = false;
      for (let i = operationStart[v]; i < operationStart[v + 1]; i++) {
        const code = operations[i * OPERATION_SIZE];
        if (code === Op.flow) continue;
        reads ||= code === Op.read || code === Op.check;
        flow.operation(code, operations[i * OPERATION_SIZE + 1]);
      }
      for (let i = edgesOf.start[v]; i < edgesOf.start[v + 1]; i++) {
        const e = edgesOf.order[i];
        // A read throws only while its variable is uninitialized.
        const kind = exceptional[e] === 0 ? Edge.after : reads ? Edge.early : Edge.throws;
        flow.edge(base + edges[2 * e + 1], kind);
      }
      for (let i = callsOf.start[v]; i < callsOf.start[v + 1]; i++) {
        const { returnSite, exceptionalReturnSite, callees, external } = calls[callsOf.order[i]];
        if (external || callees.length === 0) {
          flow.edge(base + returnSite, Edge.after);
          flow.edge(base + exceptionalReturnSite, Edge.after);
        }
        if (0 < callees.length) flow.call(base + returnSite, base + exceptionalReturnSite, callees);
      }
      flow.endNode();
    }
    const isEmpty = vertexCount === 0;
    flow.endProcedure(
      number,
      isEmpty ? -1 : base + procedure.exit,
      isEmpty ? -1 : base + procedure.exceptionalExit,
    );
  }
  return flow.finish();
}

/** Collects a flow, node by node and procedure by procedure. */
export class FlowBuilder {
  readonly #nodeStart: Uint32Array;
  readonly #exit: Int32Array;
  readonly #failure: Int32Array;
  readonly vertex: number[] = [];
  readonly #operationStart: number[] = [0];
  readonly #code: number[] = [];
  readonly #variable: number[] = [];
  readonly #edgeStart: number[] = [0];
  readonly #target: number[] = [];
  readonly #kind: number[] = [];
  readonly #callStart: number[] = [0];
  readonly #returnTo: number[] = [];
  readonly #throwTo: number[] = [];
  readonly #calleeStart: number[] = [0];
  readonly #callee: number[] = [];

  constructor(procedures: number) {
    this.#nodeStart = new Uint32Array(procedures + 1);
    this.#exit = new Int32Array(procedures);
    this.#failure = new Int32Array(procedures);
  }

  get nodeCount(): number {
    return this.vertex.length;
  }

  /** Whether the node at hand has none so far. */
  get isWithoutOperations(): boolean {
    return this.#operationStart[this.#operationStart.length - 1] === this.#code.length;
  }

  operation(code: number, variable: number): void {
    this.#code.push(code);
    this.#variable.push(variable);
  }

  edge(target: number, kind: number): void {
    this.#target.push(target);
    this.#kind.push(kind);
  }

  call(returnTo: number, throwTo: number, callees: Iterable<number>): void {
    this.#returnTo.push(returnTo);
    this.#throwTo.push(throwTo);
    for (const q of callees) this.#callee.push(q);
    this.#calleeStart.push(this.#callee.length);
  }

  endNode(): void {
    this.#operationStart.push(this.#code.length);
    this.#edgeStart.push(this.#target.length);
    this.#callStart.push(this.#returnTo.length);
  }

  endProcedure(p: number, exit: number, failure: number): void {
    this.#nodeStart[p + 1] = this.nodeCount;
    this.#exit[p] = exit;
    this.#failure[p] = failure;
  }

  finish(): VariableFlow {
    return {
      nodeStart: this.#nodeStart,
      exit: this.#exit,
      failure: this.#failure,
      vertex: Uint32Array.from(this.vertex),
      operationStart: Uint32Array.from(this.#operationStart),
      code: Uint8Array.from(this.#code),
      variable: Uint32Array.from(this.#variable),
      edgeStart: Uint32Array.from(this.#edgeStart),
      target: Uint32Array.from(this.#target),
      kind: Uint8Array.from(this.#kind),
      callStart: Uint32Array.from(this.#callStart),
      returnTo: Int32Array.from(this.#returnTo),
      throwTo: Int32Array.from(this.#throwTo),
      calleeStart: Uint32Array.from(this.#calleeStart),
      callee: Uint32Array.from(this.#callee),
    };
  }
}

/** Numbers below `count`, by a key below `groups`: where each group begins, and the numbers in order. */
export function grouped(
  groups: number,
  count: number,
  keyOf: (i: number) => number,
): { readonly start: Uint32Array; readonly order: Uint32Array } {
  const start = new Uint32Array(groups + 1);
  for (let i = 0; i < count; i++) start[keyOf(i) + 1]++;
  for (let g = 0; g < groups; g++) start[g + 1] += start[g];
  const next = start.slice();
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[next[keyOf(i)]++] = i;
  return { start, order };
}
