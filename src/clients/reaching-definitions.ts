/**
 * Which definitions of a variable may be the one that a read sees. A definition is a vertex that gives a variable a value,
 * wholly or in part; a procedure's start defines its parameters, a call its result. Separable; facts `def(x, d)` for
 * every definition d of x.
 *
 *     d: write x            f(S) = S \ {def(x, *)} ∪ {def(x, d)}        0  d' e
 *                                                                       |\    |
 *                                                                       0  d  e
 *
 *     d: flow x <- y        f(S) = S ∪ {def(x, d)}: adds to x; a `write` before it replaces
 *     declare x             f(S) = S \ {def(x, *)}
 *     settle, resume        f(S) = S ∪ {def(x, *) : x captured, or of another activation}: others have run
 *     exceptional edges     f(S) = S
 *
 *     call            f(S) = S, but for variables of the callee; ∪ {def(x, start)} for its parameters x
 *     return          f(S) = S; for the call's result r: S \ {def(r, *)} ∪ {def(r, call)}
 *     call-to-return  f(S) = what no callee touches, without definitions of r; a callee outside the program: as return
 *
 *     caller   0  d  e    e: untouched
 *              |\ |\ |
 *     callee   | 0| d|
 *              |/  / |
 *     caller   0  d  e
 *
 *     let x = 1;          //             d1
 *     const set = () => { x = 2; };   //             d2, in another procedure
 *     if (c) set();       // {d1}
 *     use(x);             // {d1, d2}
 *
 * Known imprecision: branches are taken both ways; one instance of a variable stands for all; field paths are not
 * told apart: a flow into a part counts as a definition of the whole.
 */

import type { Analysis } from "../analysis.js";
import type { AnalyzeOptions } from "../analyze.js";
import { GrowableUint32 } from "../exploded/growable-uint32.js";
import { OPERATION_SIZE, Op, type Program } from "../program/program.js";
import { ClientAnalysis, ClientProblem, trackedVariables } from "./client-problem.js";
import type { FlowFunctions, Scope } from "./flow-functions.js";
import { silent } from "./flow-functions.js";
import type { Transfer } from "./transfer.js";

export interface ReachingDefinitionsOptions {
  /** Variables to keep facts about; all but temporaries by default. Answers about these are the same either way. */
  readonly variables?: Iterable<number>;
}

/** Where a variable gets a value: a vertex; the start where it is a parameter, the call where it is a result. */
export interface Definition {
  readonly variable: number;
  readonly procedure: number;
  readonly vertex: number;
}

/**
 * The reaching-definitions problem of a program. Throws a `RangeError` for a variable that does not exist and an
 * `InputError` where a procedure has more facts than the limit: then name the variables of interest. Costs edges,
 * operations, and facts per call.
 *
 * @example
 * const answers = reachingDefinitions(program).analyze();
 * answers.reachingDefinitions(0, 4, x); // [{ variable: x, procedure: 0, vertex: 1 }]
 */
export function reachingDefinitions(
  program: Program,
  options: ReachingDefinitionsOptions = {},
): ReachingDefinitionsProblem {
  const tracked = trackedVariables(
    program,
    options.variables,
    (v) => options.variables !== undefined || program.variables[v].kind !== "temporary",
  );
  return new ReachingDefinitionsProblem(program, definitionsOf(program, tracked));
}

/** Definitions of variable v: `start[v] .. start[v + 1]`, ascending by procedure and vertex. */
interface Definitions {
  readonly start: Uint32Array;
  readonly procedure: Uint32Array;
  readonly vertex: Uint32Array;
}

export class ReachingDefinitionsProblem extends ClientProblem {
  readonly #definitions: Definitions;

  /** @internal */
  constructor(program: Program, definitions: Definitions) {
    super(program, definitionFunctions(definitions), "reaching-definitions");
    this.#definitions = definitions;
  }

  /** The definition that a fact speaks of. */
  definition(variable: number, tag: number): Definition {
    const at = this.#definitions.start[variable] + tag;
    return { variable, procedure: this.#definitions.procedure[at], vertex: this.#definitions.vertex[at] };
  }

  /** Number of the fact that a definition reaches, or -1 where `procedure` has none. */
  factOf(procedure: number, definition: Definition): number {
    const tag = tagOf(this.#definitions, definition.variable, definition.procedure, definition.vertex);
    return tag < 0 ? -1 : this.fact(procedure, definition.variable, tag);
  }

  /** Summaries, and the solution from the program's entries. */
  analyze(options: AnalyzeOptions | Analysis = {}): ReachingDefinitions {
    return new ReachingDefinitions(this, options);
  }
}

export class ReachingDefinitions extends ClientAnalysis<ReachingDefinitionsProblem> {
  /**
   * The definitions that may reach a vertex, of one variable or of all, ascending by variable, procedure and vertex.
   * Throws a `RangeError` for numbers out of range.
   */
  reachingDefinitions(procedure: number, vertex: number, variable?: number): Definition[] {
    return Array.from(this.factsAt(procedure, vertex, variable), ({ variable: v, tag }) =>
      this.problem.definition(v, tag),
    ).sort((a, b) => a.variable - b.variable || a.procedure - b.procedure || a.vertex - b.vertex);
  }
}

function definitionsOf({ procedures, variables }: Program, tracked: Uint8Array): Definitions {
  const definedVariable = new GrowableUint32();
  const definedProcedure = new GrowableUint32();
  const definedVertex = new GrowableUint32();
  const seen = new Set<number>();
  for (const [
    p,
    { vertexCount, operationStart, operations, parameters, receiver, calls },
  ] of procedures.entries()) {
    const resultAt = new Int32Array(vertexCount).fill(-1);
    for (const call of calls) resultAt[call.vertex] = call.result;
    for (let vertex = 0; vertex < vertexCount; vertex++) {
      seen.clear();
      const define = (v: number) => {
        if (v < 0 || tracked[v] === 0 || seen.has(v)) return;
        seen.add(v);
        definedVariable.push(v);
        definedProcedure.push(p);
        definedVertex.push(vertex);
      };
      if (vertex === 0) {
        for (const v of parameters) define(v);
        define(receiver);
      }
      for (let i = operationStart[vertex]; i < operationStart[vertex + 1]; i++) {
        const code = operations[i * OPERATION_SIZE];
        if (code === Op.write || code === Op.flow) define(operations[i * OPERATION_SIZE + 1]);
      }
      define(resultAt[vertex]);
    }
  }
  const start = new Uint32Array(variables.length + 1);
  for (let i = 0; i < definedVariable.length; i++) start[definedVariable.items[i] + 1]++;
  for (let v = 0; v < variables.length; v++) start[v + 1] += start[v];
  const procedure = new Uint32Array(definedVariable.length);
  const vertex = new Uint32Array(definedVariable.length);
  const fill = start.slice(0, variables.length);
  for (let i = 0; i < definedVariable.length; i++) {
    const at = fill[definedVariable.items[i]]++;
    procedure[at] = definedProcedure.items[i];
    vertex[at] = definedVertex.items[i];
  }
  return { start, procedure, vertex };
}

/** Which definition of v one is, or -1. O(log definitions of v). */
function tagOf({ start, procedure, vertex }: Definitions, v: number, p: number, at: number): number {
  let low = start[v];
  let high = start[v + 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (procedure[middle] < p || (procedure[middle] === p && vertex[middle] < at)) low = middle + 1;
    else high = middle;
  }
  return low < start[v + 1] && procedure[low] === p && vertex[low] === at ? low - start[v] : -1;
}

function definitionFunctions(definitions: Definitions): FlowFunctions {
  const { start } = definitions;
  const factsOf = Uint32Array.from({ length: start.length - 1 }, (_, v) => start[v + 1] - start[v]);
  const define = (transfer: Transfer, scope: Scope, v: number, vertex: number, replaces: boolean) => {
    const first = scope.first[v];
    if (first === 0) return;
    if (replaces) transfer.kill(first, factsOf[v]);
    transfer.generate(first + tagOf(definitions, v, scope.id, vertex));
  };
  return {
    ...silent,
    direction: "forward",
    factsOf,
    step(transfer, scope, vertex) {
      const { operationStart, operations } = scope.procedure;
      for (let i = operationStart[vertex]; i < operationStart[vertex + 1]; i++) {
        const at = i * OPERATION_SIZE;
        const v = operations[at + 1];
        switch (operations[at]) {
          case Op.write:
            define(transfer, scope, v, vertex, true);
            break;
          case Op.flow:
            define(transfer, scope, v, vertex, false);
            break;
          case Op.declare:
            if (scope.first[v] !== 0) transfer.kill(scope.first[v], factsOf[v]);
            break;
          case Op.settle:
          case Op.resume:
            for (const other of scope.outer) transfer.generateAll(scope.first[other], factsOf[other]);
            break;
        }
      }
    },
    entered(callee, v, visit) {
      visit(tagOf(definitions, v, callee, 0));
    },
    returned(caller, call, visit) {
      if (call.result < 0) return;
      const tag = tagOf(definitions, call.result, caller, call.vertex);
      if (0 <= tag) visit(call.result, tag);
    },
  };
}
