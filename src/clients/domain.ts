/**
 * Which variables a client has facts about in which procedure: those that the procedure or one of its transitive
 * callees touches. What a variable's owner does with it is of no interest to the owner's callers, unless one of them also
 * calls a closure that captured it: then to all procedures between them and the owner, which hand the activation back.
 * Found variable by variable, against the direction of calls (for variables that the whole program shares, over strongly
 * connected components of the call graph); costs about what it produces, times calls per procedure, and for each procedure
 * with captured variables its transitive callers.
 */

import { callComponents } from "../exploded/components.js";
import { GrowableUint32 } from "../exploded/growable-uint32.js";
import { OPERATION_SIZE, Op, type Program } from "../program/program.js";

export interface Domain {
  /** Procedure p has the variables `variables[start[p]]` to `variables[start[p + 1] - 1]`. */
  readonly start: Uint32Array;
  /** Up to `outerEnd[p]` those that other activations may touch too, from there on locals; both parts ascend. */
  readonly outerEnd: Uint32Array;
  readonly variables: Uint32Array;
  /** Per entry of `variables`: its first fact. Fact 0 is the zero fact. */
  readonly firstFact: Uint32Array;
  /** Per procedure, the zero fact included. */
  readonly factCount: Uint32Array;
  /** Per variable: 1 where a procedure that is not its owner touches it. */
  readonly shared: Uint8Array;
}

/** `factsOf[v]` facts are kept for variable v; 0 for a variable that is not tracked. */
export function domainOf(program: Program, factsOf: Uint32Array): Domain {
  const { procedures, variables } = program;
  const n = procedures.length;

  // Pairs (variable, procedure that touches it), each once.
  const seenBy = new Int32Array(variables.length).fill(-1);
  const pairVariable = new GrowableUint32();
  const pairProcedure = new GrowableUint32();
  const shared = new Uint8Array(variables.length);
  for (let p = 0; p < n; p++) {
    const procedure = procedures[p];
    const touch = (v: number) => {
      if (v < 0 || factsOf[v] === 0 || seenBy[v] === p) return;
      seenBy[v] = p;
      pairVariable.push(v);
      pairProcedure.push(p);
      if (variables[v].owner !== p) shared[v] = 1;
    };
    const { operations } = procedure;
    for (let i = 0; i < operations.length; i += OPERATION_SIZE) {
      const code = operations[i];
      if (code === Op.settle || code === Op.resume) continue;
      touch(operations[i + 1]);
      if (code === Op.flow) touch(operations[i + 2]);
    }
    for (const v of procedure.parameters) touch(v);
    touch(procedure.result);
    touch(procedure.receiver);
    for (const call of procedure.calls) {
      for (const v of call.arguments) touch(v);
      touch(call.result);
      touch(call.receiver);
    }
  }
  const touchStart = new Uint32Array(variables.length + 1);
  for (let i = 0; i < pairVariable.length; i++) touchStart[pairVariable.items[i] + 1]++;
  for (let v = 0; v < variables.length; v++) touchStart[v + 1] += touchStart[v];
  const touchedBy = new Uint32Array(pairVariable.length);
  const fill = touchStart.slice(0, variables.length);
  for (let i = 0; i < pairVariable.length; i++) {
    touchedBy[fill[pairVariable.items[i]]++] = pairProcedure.items[i];
  }

  const { callStart, callCallee } = callEdges(program);
  const callers = reversed(n, callStart, callCallee);
  const components = callComponents({ procedureCount: n, callStart, callCallee });
  const componentCount = components.start.length - 1;
  const componentOf = new Uint32Array(n);
  for (let c = 0; c < componentCount; c++) {
    for (let i = components.start[c]; i < components.start[c + 1]; i++) componentOf[components.order[i]] = c;
  }

  const outerVariable = new GrowableUint32();
  const outerProcedure = new GrowableUint32();
  const mark = new Int32Array(n).fill(-1);
  const componentMark = new Int32Array(componentCount).fill(-1);
  const queue = new Uint32Array(n);
  const down = new Uint32Array(n);
  const downMark = new Int32Array(n).fill(-1);
  const ancestorMark = new Int32Array(n).fill(-1);
  const ancestors = new Uint32Array(n);
  /** Marks all from which `owner` can be called. */
  const markAncestors = (owner: number) => {
    let length = 0;
    ancestorMark[owner] = owner;
    ancestors[length++] = owner;
    for (let head = 0; head < length; head++) {
      const p = ancestors[head];
      for (let k = callers.start[p]; k < callers.start[p + 1]; k++) {
        const caller = callers.list[k];
        if (ancestorMark[caller] === owner) continue;
        ancestorMark[caller] = owner;
        ancestors[length++] = caller;
      }
    }
  };
  let ancestorsOf = -1;
  const order = Uint32Array.from(shared.keys())
    .filter((v) => shared[v] === 1)
    .sort((a, b) => variables[a].owner - variables[b].owner || a - b);
  for (const v of order) {
    const { owner } = variables[v];
    let length = 0;
    const visit = (p: number) => {
      if (mark[p] === v) return;
      mark[p] = v;
      queue[length++] = p;
      outerVariable.push(v);
      outerProcedure.push(p);
    };
    for (let i = touchStart[v]; i < touchStart[v + 1]; i++) visit(touchedBy[i]);
    for (let head = 0; head < length; head++) {
      const p = queue[head];
      if (p === owner) continue;
      if (owner < 0) {
        // All of a component is visited at once, and leads on once.
        const c = componentOf[p];
        if (componentMark[c] === v) continue;
        componentMark[c] = v;
        for (let i = components.start[c]; i < components.start[c + 1]; i++) {
          const q = components.order[i];
          visit(q);
          for (let k = callers.start[q]; k < callers.start[q + 1]; k++) visit(callers.list[k]);
        }
      } else {
        for (let k = callers.start[p]; k < callers.start[p + 1]; k++) visit(callers.list[k]);
      }
    }
    if (owner < 0) continue;

    // From those that may use the activation's variable down to the owner.
    if (ancestorsOf !== owner) {
      markAncestors(owner);
      ancestorsOf = owner;
    }
    let depth = 0;
    for (let i = 0, users = length; i < users; i++) {
      const p = queue[i];
      if (p === owner || ancestorMark[p] !== owner) continue;
      downMark[p] = v;
      down[depth++] = p;
    }
    for (let head = 0; head < depth; head++) {
      const p = down[head];
      visit(p);
      // Past the owner, too: an activation inside another is handed back through what lies between the two.
      for (let k = callStart[p]; k < callStart[p + 1]; k++) {
        const q = callCallee[k];
        if (ancestorMark[q] !== owner || downMark[q] === v) continue;
        downMark[q] = v;
        down[depth++] = q;
      }
    }
  }

  const start = new Uint32Array(n + 1);
  for (let i = 0; i < outerProcedure.length; i++) start[outerProcedure.items[i] + 1]++;
  const outerEnd = start.slice(1);
  for (let i = 0; i < pairVariable.length; i++) {
    if (shared[pairVariable.items[i]] === 0) start[pairProcedure.items[i] + 1]++;
  }
  for (let p = 0; p < n; p++) {
    start[p + 1] += start[p];
    outerEnd[p] += start[p];
  }
  const list = new Uint32Array(start[n]);
  const at = start.slice(0, n);
  for (let i = 0; i < outerProcedure.length; i++)
    list[at[outerProcedure.items[i]]++] = outerVariable.items[i];
  for (let i = 0; i < pairVariable.length; i++) {
    if (shared[pairVariable.items[i]] === 0) list[at[pairProcedure.items[i]]++] = pairVariable.items[i];
  }
  const firstFact = new Uint32Array(start[n]);
  const factCount = new Uint32Array(n);
  for (let p = 0; p < n; p++) {
    list.subarray(start[p], outerEnd[p]).sort();
    list.subarray(outerEnd[p], start[p + 1]).sort();
    let facts = 1;
    for (let i = start[p]; i < start[p + 1]; i++) {
      firstFact[i] = facts;
      facts += factsOf[list[i]];
    }
    factCount[p] = facts;
  }
  return { start, outerEnd, variables: list, firstFact, factCount, shared };
}

/** Where variable `v` is in the list of procedure p, or -1. O(log variables). */
export function positionOf(domain: Domain, p: number, v: number): number {
  const find = (from: number, end: number): number => {
    let low = from;
    let high = end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (domain.variables[middle] < v) low = middle + 1;
      else high = middle;
    }
    return low < end && domain.variables[low] === v ? low : -1;
  };
  const outer = find(domain.start[p], domain.outerEnd[p]);
  return 0 <= outer ? outer : find(domain.outerEnd[p], domain.start[p + 1]);
}

/** Each pair of caller and callee once. */
function callEdges({ procedures }: Program): { callStart: Uint32Array; callCallee: Uint32Array } {
  const callStart = new Uint32Array(procedures.length + 1);
  const callCallee = new GrowableUint32();
  const seenBy = new Int32Array(procedures.length).fill(-1);
  for (let p = 0; p < procedures.length; p++) {
    for (const { callees } of procedures[p].calls) {
      for (const q of callees) {
        if (seenBy[q] === p) continue;
        seenBy[q] = p;
        callCallee.push(q);
      }
    }
    callStart[p + 1] = callCallee.length;
  }
  return { callStart, callCallee: callCallee.toArray() };
}

function reversed(
  n: number,
  callStart: Uint32Array,
  callCallee: Uint32Array,
): { start: Uint32Array; list: Uint32Array } {
  const start = new Uint32Array(n + 1);
  for (const q of callCallee) start[q + 1]++;
  for (let p = 0; p < n; p++) start[p + 1] += start[p];
  const list = new Uint32Array(callCallee.length);
  const fill = start.slice(0, n);
  for (let p = 0; p < n; p++)
    for (let i = callStart[p]; i < callStart[p + 1]; i++) list[fill[callCallee[i]]++] = p;
  return { start, list };
}
