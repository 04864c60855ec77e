/** The data-flow engine on whatever host there is: where WebAssembly is forbidden, the one in plain TypeScript. */

import type { AnalyzeOptions } from "../analyze.js";

/** What a client's problem answers, by the first engine that the host allows. Errors of the program itself come from both. */
export function analyzeAnywhere<A>(
  problem: { analyze(options?: AnalyzeOptions): A },
  options: AnalyzeOptions = {},
): A {
  try {
    return problem.analyze(options);
  } catch {
    return problem.analyze({ ...options, engine: "reference" });
  }
}
