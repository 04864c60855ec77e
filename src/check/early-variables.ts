/**
 * Which variables can be used before they are initialized, by the order of steps and calls alone: a cheap filter before the
 * exact analysis. Most variables are initialized before anything that uses them can run, and drop out here.
 *
 * In the procedure that initializes a variable, control is followed from its declaration to its first writes. A use on the way
 * keeps the variable, and so does a call on the way through which a procedure with a use can be reached. A variable of a
 * module also counts as open in everything that modules before that one may run.
 *
 * Cost: 32 variables of a procedure at a time, the part of its graph where they are open, and the call graph below it.
 */

import { OPERATION_SIZE, Op, type Procedure, type Program } from "../program/program.js";
import { grouped } from "./variable-flow.js";

/** Variables that have a dead zone and may be used in it. */
export function earlyVariables(program: Program): ReadonlySet<number> {
  return new Filter(program).run();
}

class Filter {
  readonly #program: Program;
  readonly #early = new Set<number>();
  /** By procedure: variables with a dead zone that it uses, declares, writes. */
  readonly #uses: readonly (readonly number[])[];
  readonly #callees: readonly (readonly number[])[];
  /** Used by procedures other than the one that declares them. */
  readonly #usedElsewhere = new Set<number>();
  /** Of the pass that is running: the variables' bits, and what each procedure has been reached with. */
  #bits = new Map<number, number>();
  readonly #reached: Uint32Array;

  constructor(program: Program) {
    this.#program = program;
    const { procedures } = program;
    this.#uses = procedures.map((procedure) =>
      this.#select(procedure, (code) => code === Op.read || code === Op.check),
    );
    this.#callees = procedures.map(({ calls }) => [...new Set(calls.flatMap(({ callees }) => callees))]);
    this.#reached = new Uint32Array(procedures.length);
  }

  run(): ReadonlySet<number> {
    const { procedures, variables } = this.#program;
    /** By variable: the procedures that initialize it. A module that awaits at its top level has two parts. */
    const home = new Map<number, number[]>();
    const declared = procedures.map((procedure) => this.#select(procedure, (code) => code === Op.declare));
    const written = procedures.map((procedure) => this.#select(procedure, (code) => code === Op.write));
    for (const [number, { kind }] of procedures.entries()) {
      const own = kind === "entry" ? [] : declared[number];
      for (const variable of own) home.set(variable, [number]);
      if (kind === "module") {
        for (const variable of written[number]) {
          if (0 <= variables[variable].owner) continue;
          const known = home.get(variable);
          if (known === undefined) home.set(variable, [number]);
          else if (isPartOf(procedures[number], procedures[known[0]])) known.push(number);
        }
      }
    }
    for (const [number, uses] of this.#uses.entries()) {
      for (const variable of uses)
        if (!home.get(variable)?.includes(number)) this.#usedElsewhere.add(variable);
    }
    for (const [number, { kind }] of procedures.entries())
      if (kind === "entry") this.#compareModules(number, home);
    // A generator's parts are procedures of their own, each of which declares its variables.
    const byHome = procedures.map(({ kind }, number) => new Set(kind === "entry" ? [] : declared[number]));
    for (const [variable, numbers] of home) for (const number of numbers) byHome[number].add(variable);
    for (const [number, variables] of byHome.entries()) {
      const own = [...variables].filter((variable) => !this.#early.has(variable));
      for (let i = 0; i < own.length; i += 32) this.#follow(number, own.slice(i, i + 32));
    }
    return this.#early;
  }

  #select({ operations }: Procedure, wanted: (code: number) => boolean): number[] {
    const found = new Set<number>();
    for (let i = 0; i < operations.length; i += OPERATION_SIZE) {
      const code = operations[i];
      if (code === Op.settle || code === Op.resume) continue;
      if (wanted(code) && this.#program.variables[operations[i + 1]].deadZone) found.add(operations[i + 1]);
    }
    return [...found];
  }

  /** Variables of modules that something reachable from modules before them uses; those that no module initializes stay. */
  #compareModules(entry: number, home: ReadonlyMap<number, readonly number[]>): void {
    const { procedures, variables } = this.#program;
    const position = new Map<number, number>();
    const first = new Int32Array(procedures.length).fill(-1);
    const order = [...procedures[entry].calls].sort((a, b) => a.vertex - b.vertex);
    for (const [index, { callees }] of order.entries()) {
      const stack = [...callees];
      for (const callee of callees) if (!position.has(callee)) position.set(callee, index);
      while (0 < stack.length) {
        const procedure = stack.pop()!;
        if (0 <= first[procedure]) continue;
        first[procedure] = index;
        for (const variable of this.#uses[procedure]) {
          if (0 <= variables[variable].owner) continue;
          const owners = home.get(variable) ?? [];
          if (owners.includes(procedure)) continue;
          // A module's own position is not known yet if its turn has not come.
          const isOver = owners.some((owner) => position.has(owner) && position.get(owner)! <= index);
          const isOpen = owners.some((owner) => !position.has(owner) || index < position.get(owner)!);
          if (!isOver || isOpen) this.#early.add(variable);
        }
        for (const callee of this.#callees[procedure]) if (first[callee] < 0) stack.push(callee);
      }
    }
  }

  /** Follows control while variables are open. */
  #follow(number: number, own: readonly number[]): void {
    const procedure = this.#program.procedures[number];
    const { operations, operationStart, edges, calls } = procedure;
    this.#bits = new Map(own.map((variable, i) => [variable, 1 << i]));
    const elsewhere = own.reduce((mask, v, i) => (this.#usedElsewhere.has(v) ? mask | (1 << i) : mask), 0);
    const edgesOf = grouped(procedure.vertexCount, edges.length / 2, (e) => edges[2 * e]);
    const callsOf = grouped(procedure.vertexCount, calls.length, (c) => calls[c].vertex);
    const open = new Int32Array(procedure.vertexCount);
    const visited: number[] = [];
    const work: number[] = [];
    const arrive = (vertex: number, mask: number) => {
      if ((open[vertex] | mask) === open[vertex]) return;
      open[vertex] |= mask;
      work.push(vertex);
    };
    if (procedure.kind === "module") {
      let mask = 0;
      for (const [i, variable] of own.entries())
        if (this.#program.variables[variable].owner < 0) mask |= 1 << i;
      arrive(0, mask);
    }
    for (let vertex = 0; vertex < procedure.vertexCount; vertex++) {
      let mask = 0;
      for (let i = operationStart[vertex]; i < operationStart[vertex + 1]; i++) {
        if (operations[i * OPERATION_SIZE] === Op.declare)
          mask |= this.#bits.get(operations[i * OPERATION_SIZE + 1]) ?? 0;
      }
      if (mask !== 0) work.push(vertex);
    }
    while (0 < work.length) {
      const vertex = work.pop()!;
      let mask = open[vertex];
      for (let i = operationStart[vertex]; i < operationStart[vertex + 1]; i++) {
        const code = operations[i * OPERATION_SIZE];
        const bit = this.#bits.get(operations[i * OPERATION_SIZE + 1]);
        if (bit === undefined) continue;
        if (code === Op.declare) mask |= bit;
        else if (code === Op.write) mask &= ~bit;
        else if ((code === Op.read || code === Op.check) && (mask & bit) !== 0)
          this.#early.add(operations[i * OPERATION_SIZE + 1]);
      }
      if (mask === 0) continue;
      for (let i = callsOf.start[vertex]; i < callsOf.start[vertex + 1]; i++) {
        const call = calls[callsOf.order[i]];
        if ((mask & elsewhere) !== 0)
          for (const callee of call.callees) this.#descend(callee, mask & elsewhere, visited);
        arrive(call.returnSite, mask);
        arrive(call.exceptionalReturnSite, mask);
      }
      for (let i = edgesOf.start[vertex]; i < edgesOf.start[vertex + 1]; i++)
        arrive(edges[2 * edgesOf.order[i] + 1], mask);
    }
    for (const procedureNumber of visited) this.#reached[procedureNumber] = 0;
  }

  #descend(callee: number, mask: number, visited: number[]): void {
    const stack = [callee];
    while (0 < stack.length) {
      const procedure = stack.pop()!;
      const known = this.#reached[procedure];
      if ((known | mask) >>> 0 === known) continue;
      if (known === 0) visited.push(procedure);
      this.#reached[procedure] |= mask;
      for (const variable of this.#uses[procedure]) {
        const bit = this.#bits.get(variable);
        if (bit !== undefined && (bit & mask) !== 0) this.#early.add(variable);
      }
      for (const next of this.#callees[procedure]) stack.push(next);
    }
  }
}

/** Whether two procedures run parts of the same code. */
function isPartOf(a: Procedure, b: Procedure): boolean {
  return a.kind === b.kind && a.file === b.file && a.start === b.start;
}
