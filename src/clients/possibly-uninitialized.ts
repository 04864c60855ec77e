/**
 * Which variables may not have a value yet, or hold a copy of one that had none: the client of the paper (ESOP 2020,
 * section 6), not separable. Facts and flow functions are those of `uninitialized`, and for every variable that can
 * hold such a copy
 *
 *     c(y) = copied(y)      y was given the value of a variable while that was uninitialized
 *
 * where reading too early gives an undefined value and not an exception. Normal edges:
 *
 *     flow y <- x    f(S) = S ∪ ({c(y)} if u(x) ∈ S and x does not throw early, or c(x) ∈ S)
 *     write y        f(S) = S \ {u(y), c(y)} ∪ {i(y)}
 *     declare y      f(S) = S \ {i(y), c(y)} ∪ {u(y)}
 *     demand y       f(S) = S \ {u(y), c(y)}: who goes on has a value
 *
 *           0  u(x)  c(x)  c(y)             0  u(y)  c(y)
 *     flow  |  | \   | \   |         write  |
 *           0  u(x)  c(x)  c(y)             0
 *
 *     call            c(parameter) if u or c holds of the argument; else as in `uninitialized`
 *     return          c(result of the call) if u or c holds of the callee's result; else as there
 *     call-to-return  as there; exceptional edges: f(S) = S
 *
 *     exports.f = () => exports.a;   // u(a)
 *     const t = f();                 // u(a)          t = undefined
 *     exports.a = 1;                 // u(a) c(t)
 *     t.x;                           // c(t)          throws
 *
 * Whether a flow replaces or adds is for a `write` before it to say. Known imprecision: as `uninitialized`; parts of a
 * value (field paths, rest parameters) are not followed, and values from callees outside the program are defined.
 */

import type { Analysis } from "../analysis.js";
import type { AnalyzeOptions } from "../analyze.js";
import type { Program } from "../program/program.js";
import { trackedVariables } from "./client-problem.js";
import { initializationKinds } from "./initialization.js";
import { Uninitialized, type UninitializedOptions, UninitializedProblem } from "./uninitialized.js";

/**
 * The problem of values that may be missing. `options.variables` says which variables start it: copies are followed
 * wherever they go. Errors and cost as for `uninitialized`.
 *
 * @example
 * const answers = possiblyUninitialized(program).analyze();
 * answers.mayBeUninitialized(0, 4, x); // x is uninitialized, or a copy of what was
 */
export function possiblyUninitialized(
  program: Program,
  options: UninitializedOptions = {},
): PossiblyUninitializedProblem {
  const tracked = trackedVariables(program, options.variables, (v) => program.variables[v].deadZone);
  const kinds = initializationKinds(program, tracked, {
    initialized: options.initialized ?? false,
    copied: true,
  });
  return new PossiblyUninitializedProblem(program, kinds, "possibly-uninitialized");
}

export class PossiblyUninitializedProblem extends UninitializedProblem {
  override analyze(options: AnalyzeOptions | Analysis = {}): PossiblyUninitialized {
    return new PossiblyUninitialized(this, options);
  }
}

export class PossiblyUninitialized extends Uninitialized {
  /** Whether an execution may get to a vertex with `variable` uninitialized, or holding a copy of what was. */
  override mayBeUninitialized(procedure: number, vertex: number, variable: number): boolean {
    return (
      super.mayBeUninitialized(procedure, vertex, variable) || this.mayBeCopy(procedure, vertex, variable)
    );
  }

  /** Whether `variable` itself may be in its dead zone. */
  mayBeInDeadZone(procedure: number, vertex: number, variable: number): boolean {
    return super.mayBeUninitialized(procedure, vertex, variable);
  }

  /** Whether `variable` may hold the value of another that was uninitialized. */
  mayBeCopy(procedure: number, vertex: number, variable: number): boolean {
    const fact = this.problem.factOf(procedure, variable, "copied");
    return 0 <= fact && this.entering.has(procedure, vertex, fact);
  }
}
