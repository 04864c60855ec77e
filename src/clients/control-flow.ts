/**
 * Where control can go in a program, facts aside: which exits of a procedure its start reaches over paths on which every
 * call has returned, which vertices it reaches, and which procedures an entry reaches. Linear in edges and calls; what a
 * procedure waits for is looked at again only when a callee is found to return.
 */

import type { CallSite, Program } from "../program/program.js";

export const RETURNS = 1;
export const THROWS = 2;

export interface ControlFlow {
  /** Per procedure: whether it can return (`RETURNS`) and end by an exception (`THROWS`), once called. */
  readonly ends: Uint8Array;
  /** Per procedure: where its vertices begin in `reached`, and the end. */
  readonly vertexStart: Uint32Array;
  /** Per vertex: 1 where the start of its procedure reaches it. */
  readonly reached: Uint8Array;
  /** Per procedure: 1 where an execution from an entry gets into it. */
  readonly executed: Uint8Array;
  /** Per vertex: the call there, as its position among the calls of the procedure plus 1; 0 for none. */
  readonly callAt: Uint32Array;
}

/** Whether a call may be one of a callee outside the program. */
export function isExternal(call: CallSite): boolean {
  return call.external || call.callees.length === 0;
}

export function controlFlow(program: Program): ControlFlow {
  const { procedures } = program;
  const n = procedures.length;
  const vertexStart = new Uint32Array(n + 1);
  for (let p = 0; p < n; p++) vertexStart[p + 1] = vertexStart[p] + procedures[p].vertexCount;
  const vertices = vertexStart[n];
  const reached = new Uint8Array(vertices);
  const callAt = new Uint32Array(vertices);
  const ends = new Uint8Array(n);

  // Edges of each vertex, as positions in a list of targets over the whole program.
  const edgeStart = new Uint32Array(vertices + 1);
  for (let p = 0; p < n; p++) {
    const { edges } = procedures[p];
    for (let i = 0; i < edges.length; i += 2) edgeStart[vertexStart[p] + edges[i] + 1]++;
  }
  for (let v = 0; v < vertices; v++) edgeStart[v + 1] += edgeStart[v];
  const targets = new Uint32Array(edgeStart[vertices]);
  const fill = edgeStart.slice(0, vertices);
  for (let p = 0; p < n; p++) {
    const { edges, calls } = procedures[p];
    for (let i = 0; i < edges.length; i += 2) {
      targets[fill[vertexStart[p] + edges[i]]++] = vertexStart[p] + edges[i + 1];
    }
    for (const [i, call] of calls.entries()) callAt[vertexStart[p] + call.vertex] = i + 1;
  }

  // Calls that were reached, by callee: procedure and call.
  const waiting: number[][] = procedures.map(() => []);
  const stack: number[] = [];
  const owners: number[] = [];
  const visit = (p: number, v: number) => {
    if (v < 0) return;
    const vertex = vertexStart[p] + v;
    if (reached[vertex] === 1) return;
    reached[vertex] = 1;
    stack.push(vertex);
    owners.push(p);
  };
  const goOn = (p: number, call: CallSite, how: number) => {
    if ((how & RETURNS) !== 0) visit(p, call.returnSite);
    if ((how & THROWS) !== 0) visit(p, call.exceptionalReturnSite);
  };
  const ended = (p: number, how: number) => {
    if ((ends[p] & how) !== 0) return;
    ends[p] |= how;
    const list = waiting[p];
    for (let i = 0; i < list.length; i += 2) goOn(list[i], procedures[list[i]].calls[list[i + 1]], how);
  };
  for (let root = 0; root < n; root++) {
    visit(root, 0);
    while (0 < stack.length) {
      const vertex = stack.pop()!;
      const p = owners.pop()!;
      const procedure = procedures[p];
      const v = vertex - vertexStart[p];
      for (let i = edgeStart[vertex]; i < edgeStart[vertex + 1]; i++) visit(p, targets[i] - vertexStart[p]);
      const at = callAt[vertex];
      if (at !== 0) {
        const call = procedure.calls[at - 1];
        if (isExternal(call)) goOn(p, call, RETURNS | THROWS);
        for (const callee of call.callees) {
          waiting[callee].push(p, at - 1);
          goOn(p, call, ends[callee]);
        }
      }
      if (v === procedure.exit) ended(p, RETURNS);
      if (v === procedure.exceptionalExit) ended(p, THROWS);
    }
  }

  const executed = new Uint8Array(n);
  const queue = program.entries.filter((p) => executed[p] === 0 && (executed[p] = 1));
  for (let head = 0; head < queue.length; head++) {
    const p = queue[head];
    for (const call of procedures[p].calls) {
      if (reached[vertexStart[p] + call.vertex] === 0) continue;
      for (const callee of call.callees) {
        if (executed[callee] === 1) continue;
        executed[callee] = 1;
        queue.push(callee);
      }
    }
  }
  return { ends, vertexStart, reached, executed, callAt };
}
