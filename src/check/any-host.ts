/** The data-flow engine on whatever host there is: where WebAssembly is forbidden, the one in plain TypeScript. */

import { type AnalyzeOptions, KernelUnavailable } from "../analyze.js";

/** What a client's problem answers, by the first engine that the host allows. Errors of the program itself are thrown. */
export function analyzeAnywhere<A>(
  problem: { analyze(options?: AnalyzeOptions): A },
  options: AnalyzeOptions = {},
): A {
  try {
    return problem.analyze(options);
  } catch (error) {
    if (!(error instanceof KernelUnavailable)) throw error;
    return problem.analyze({ ...options, engine: "reference" });
  }
}
