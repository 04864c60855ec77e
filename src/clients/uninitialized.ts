/**
 * Which variables may not have been initialized yet, each by itself (a separable problem), and by request the dual: which
 * may have been. Of variables whose `declare` makes them unusable (`deadZone`):
 *
 *     u(x) = uninitialized(x)   x is in its dead zone          i(x) = initialized(x)   x has had its first write
 *
 * Normal edges, operation by operation; along an exceptional edge every fact stays as it was before the vertex:
 *
 *     declare x   f(S) = S \ {i(x)} ∪ {u(x)}                0  u  i
 *                                                           |\    .
 *                                                           0  u
 *
 *     write x     f(S) = S \ {u(x)} ∪ {i(x)}                0  u  i
 *                                                           |`-.. |
 *                                                           0     i
 *
 *     read x,     f(S) = S \ {u(x)} if x throws early:      0  u  i
 *     check x     who goes on has an initialized x          |     |
 *     demand x    f(S) = S \ {u(x)}                         0     i
 *
 *     settle      u(x) becomes i(x), but for variables of   0  u  i         resume     0  u  i
 *     resume      the procedure that is named there; u(x)   |   \ |                    |  |\ |
 *                 stays, and i(x) as well                   0     i                    0  u  i
 *
 *     call            f(S) = S, but for variables of the callee, which are new there; i(x) for a parameter x
 *     return          f(S) = S; i(x) for the variable of the result, which is u(x) no more
 *     call-to-return  f(S) = what no callee touches, and what belongs to a callee that is called again
 *
 *     caller   0  u  i    (x of another activation)         0  u  i    (x belongs to the callee)
 *              |\ |\ |\                                     |\ |  |
 *     callee   | 0| u| i                                    | 0|  |  u  i
 *              |/ |/ |/                                     |/ | .|.'.'
 *     caller   0  u  i                                      0  u  i
 *
 *     const f = () => late;   //
 *     {                       // u(late)
 *       f();                  // u(late)          throws: the exceptional exit keeps u(late)
 *       const late = 1;       //                  after the call: late cannot be uninitialized
 *     }                       // i(late)
 *
 * Known imprecision: one instance of a variable stands for all (a closure of an earlier loop turn, or of an older
 * activation of a recursive procedure, is taken for one of the newest); branches are taken both ways.
 */

import type { Analysis } from "../analysis.js";
import type { AnalyzeOptions } from "../analyze.js";
import type { Program } from "../program/program.js";
import { ClientAnalysis, ClientProblem, trackedVariables } from "./client-problem.js";
import {
  type InitializationFact,
  initializationFunctions,
  initializationKinds,
  tagOf,
} from "./initialization.js";

export interface UninitializedOptions {
  /** Variables to keep facts about: the fewer, the larger the programs can be. All that have a dead zone by default. */
  readonly variables?: Iterable<number>;
  /** Whether to keep the dual facts as well, for `mayBeInitialized`; false by default. */
  readonly initialized?: boolean;
}

/**
 * The problem of variables read too early. Throws a `RangeError` for a variable that does not exist and an
 * `InputError` where the program passes a limit. Costs edges, operations, and facts per call.
 *
 * @example
 * const answers = uninitialized(program, { initialized: true }).analyze();
 * answers.mayBeUninitialized(0, 4, x) && !answers.mayBeInitialized(0, 4, x); // x is never initialized there
 */
export function uninitialized(program: Program, options: UninitializedOptions = {}): UninitializedProblem {
  const tracked = trackedVariables(program, options.variables, (v) => program.variables[v].deadZone);
  const kinds = initializationKinds(program, tracked, {
    initialized: options.initialized ?? false,
    copied: false,
  });
  return new UninitializedProblem(program, kinds, "uninitialized");
}

export class UninitializedProblem extends ClientProblem {
  readonly #kinds: Uint8Array;

  /** @internal */
  constructor(program: Program, kinds: Uint8Array, name: string) {
    super(program, initializationFunctions(program, kinds), name);
    this.#kinds = kinds;
  }

  /** Number of a fact in a procedure, or -1 where there is none: to be used in queries. */
  factOf(procedure: number, variable: number, fact: InitializationFact): number {
    const tag = tagOf(this.#kinds[variable] ?? 0, fact);
    return tag < 0 ? -1 : this.fact(procedure, variable, tag);
  }

  /** Summaries, and the solution from the program's entries. */
  analyze(options: AnalyzeOptions | Analysis = {}): Uninitialized {
    return new Uninitialized(this, options);
  }
}

export class Uninitialized extends ClientAnalysis<UninitializedProblem> {
  /** Whether an execution from an entry may get to a vertex with `variable` in its dead zone. O(log variables). */
  mayBeUninitialized(procedure: number, vertex: number, variable: number): boolean {
    return this.#has(procedure, vertex, variable, "uninitialized");
  }

  /** Whether one may get there with `variable` initialized. Always false without the option `initialized`. */
  mayBeInitialized(procedure: number, vertex: number, variable: number): boolean {
    return this.#has(procedure, vertex, variable, "initialized");
  }

  /** Whether any execution gets to a vertex. */
  reaches(procedure: number, vertex: number): boolean {
    return this.entering.has(procedure, vertex, 0);
  }

  #has(procedure: number, vertex: number, variable: number, fact: InitializationFact): boolean {
    const number = this.problem.factOf(procedure, variable, fact);
    return 0 <= number && this.entering.has(procedure, vertex, number);
  }
}
