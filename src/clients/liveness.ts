/**
 * Which variables are live: their value may still be used. A backward, separable problem with one fact `live(x)` per
 * variable; equations map what holds after an edge to what holds before it.
 *
 *     read x, flow y <- x   f(S) = S ∪ {live(x)}            0  x  y  before
 *                                                           |\ |  |
 *                                                           0  x  y  after
 *
 *     write x, declare x    f(S) = S \ {live(x)}            0     y  before
 *                                                           |     |
 *                                                           0  x  y  after
 *
 *     settle, resume        f(S) = S ∪ {live(x) : x captured, or of another activation}
 *
 * Along an exceptional edge nothing is overwritten: f(S) = S ∪ {live(x) : x is read before it is written}.
 *
 *     call            live(argument) if live(parameter), or the parameter is a pattern; what belongs to the callee is new
 *     return          live(callee's result) if live(call's result); S but for that. What is live after a return and
 *                     what is live after an exception come in as facts of their own, so that no exit gets the other's
 *     call-to-return  f(S) = what no callee touches, without the call's result; a callee outside the program uses all
 *                     arguments and the receiver
 *
 *     caller   0  a       r   before                 0  x   before, x untouched
 *              |\ |                                  |  |
 *     callee   | 0 p ... result                      |  |
 *              |/        /                           |  |
 *     caller   0        r     after                  0  x   after
 *
 *     let a = 1;          //            dead store
 *     a = f();            // {}
 *     if (a) g(a);        // {a}
 *     h();                // {}
 *
 * The zero fact holds wherever execution can get, also where no exit follows, so that endless loops use what they use.
 * Known imprecision: branches are taken both ways; one instance of a variable stands for all; flows into parts do not
 * overwrite; whatever is captured is live while others run.
 */

import type { Analysis } from "../analysis.js";
import type { AnalyzeOptions } from "../analyze.js";
import { OPERATION_SIZE, Op, type Program } from "../program/program.js";
import { ClientAnalysis, ClientProblem, trackedVariables } from "./client-problem.js";
import type { FlowFunctions, Scope } from "./flow-functions.js";
import { silent } from "./flow-functions.js";
import type { Transfer } from "./transfer.js";

export interface LivenessOptions {
  /** Variables to keep facts about; all but temporaries by default. Answers about these are the same either way. */
  readonly variables?: Iterable<number>;
}

/**
 * The liveness problem of a program. Throws a `RangeError` for a variable that does not exist and an `InputError` where the
 * program passes a limit. Costs edges, operations, and facts per call.
 *
 * @example
 * const answers = liveness(program).analyze();
 * answers.liveBefore(0, 4); // variables whose value may still be used, before vertex 4 of procedure 0
 */
export function liveness(program: Program, options: LivenessOptions = {}): LivenessProblem {
  const tracked = trackedVariables(
    program,
    options.variables,
    (v) => options.variables !== undefined || program.variables[v].kind !== "temporary",
  );
  return new LivenessProblem(program, tracked);
}

export class LivenessProblem extends ClientProblem {
  /** @internal */
  constructor(program: Program, tracked: Uint8Array) {
    super(program, livenessFunctions(Uint32Array.from(tracked)), "liveness");
  }

  /** Summaries, and the solution over executions from the program's entries. */
  analyze(options: AnalyzeOptions | Analysis = {}): Liveness {
    return new Liveness(this, options);
  }
}

export class Liveness extends ClientAnalysis<LivenessProblem> {
  /** The variables that are live just before a vertex. Throws a `RangeError` for numbers out of range. */
  liveBefore(procedure: number, vertex: number): number[] {
    return Array.from(this.factsAt(procedure, vertex), ({ variable }) => variable).sort((a, b) => a - b);
  }

  /** Whether `variable` is. O(log variables). */
  isLiveBefore(procedure: number, vertex: number, variable: number): boolean {
    return this.holds(procedure, vertex, variable);
  }
}

function livenessFunctions(factsOf: Uint32Array): FlowFunctions {
  const use = (transfer: Transfer, scope: Scope, v: number) => {
    if (0 <= v && scope.first[v] !== 0) transfer.generate(scope.first[v]);
  };
  return {
    ...silent,
    direction: "backward",
    factsOf,
    step(transfer, scope, vertex) {
      const { operationStart, operations } = scope.procedure;
      for (let i = operationStart[vertex + 1] - 1; operationStart[vertex] <= i; i--) {
        const at = i * OPERATION_SIZE;
        const v = operations[at + 1];
        switch (operations[at]) {
          case Op.read:
            use(transfer, scope, v);
            break;
          case Op.flow:
            use(transfer, scope, operations[at + 2]);
            break;
          case Op.write:
          case Op.declare:
            if (scope.first[v] !== 0) transfer.kill(scope.first[v]);
            break;
          case Op.settle:
          case Op.resume:
            for (const other of scope.outer) use(transfer, scope, other);
            break;
        }
      }
    },
    throws(transfer, scope, vertex) {
      const { operationStart, operations } = scope.procedure;
      const from = operationStart[vertex];
      for (let i = from; i < operationStart[vertex + 1]; i++) {
        const code = operations[i * OPERATION_SIZE];
        if (code !== Op.read && code !== Op.flow) continue;
        const v = operations[i * OPERATION_SIZE + (code === Op.read ? 1 : 2)];
        let overwritten = false;
        for (let k = from; k < i && !overwritten; k++) {
          const earlier = operations[k * OPERATION_SIZE];
          overwritten =
            (earlier === Op.write || earlier === Op.declare) && operations[k * OPERATION_SIZE + 1] === v;
        }
        if (!overwritten) use(transfer, scope, v);
      }
    },
    pass(_from, _to, _part, visit) {
      visit(0, 0);
    },
    passesResult: () => true,
    external(transfer, scope, call) {
      for (const v of call.arguments) use(transfer, scope, v);
      use(transfer, scope, call.receiver);
    },
  };
}
