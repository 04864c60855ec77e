/**
 * Which code can execute: the zero fact alone. A call goes on only where a callee can end: code after calls that never
 * return, or never without an exception, is not reached.
 *
 *     normal           f(S) = S            0          call, return     0   caller
 *     call-to-return   f(S) = ∅            |                           |\
 *       (a callee outside the program:     0                           | 0 callee
 *       f(S) = S)                                                      |/
 *                                                                      0   (no edge past the callee)
 *
 *     function fail(message) {     // 0
 *       throw new Error(message);  // 0    only the exceptional exit is reached
 *     }
 *     start();                     // 0
 *     fail("no input");            // 0
 *     finish();                    //      unreachable
 *
 * Known imprecision: branches are taken both ways whatever their condition; callees outside the program return.
 */

import type { Analysis } from "../analysis.js";
import type { AnalyzeOptions } from "../analyze.js";
import type { Program } from "../program/program.js";
import { ClientAnalysis, ClientProblem, checkVertex } from "./client-problem.js";
import type { FlowFunctions } from "./flow-functions.js";
import { silent } from "./flow-functions.js";

/**
 * The reachability problem of a program. Throws an `InputError` where the program passes a limit. O(edges + calls).
 *
 * @example
 * const executed = reachability(program).analyze();
 * executed.reaches(0, 3); // whether vertex 3 of procedure 0 can execute
 */
export function reachability(program: Program): ReachabilityProblem {
  return new ReachabilityProblem(program);
}

export class ReachabilityProblem extends ClientProblem {
  /** @internal */
  constructor(program: Program) {
    const functions: FlowFunctions = {
      ...silent,
      direction: "forward",
      factsOf: new Uint32Array(program.variables.length),
    };
    super(program, functions, "reachability");
  }

  /** Summaries, and the solution from the program's entries. */
  analyze(options: AnalyzeOptions | Analysis = {}): Reachability {
    return new Reachability(this, options);
  }
}

export class Reachability extends ClientAnalysis<ReachabilityProblem> {
  /** Whether an execution from an entry gets to a vertex. Throws a `RangeError` for numbers out of range. */
  reaches(procedure: number, vertex: number): boolean {
    checkVertex(this.problem.program, procedure, vertex);
    return this.entering.has(procedure, vertex, 0);
  }

  /** The vertices of a procedure that no execution gets to, ascending. Linear in its vertices. */
  unreachable(procedure: number): Uint32Array {
    checkVertex(this.problem.program, procedure, 0);
    const { vertexCount } = this.problem.program.procedures[procedure];
    const reached = this.entering.procedure(procedure);
    const result: number[] = [];
    for (let v = 0; v < vertexCount; v++) if (!reached.has(v, 0)) result.push(v);
    return Uint32Array.from(result);
  }
}
