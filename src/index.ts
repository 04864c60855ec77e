/** The public interface, in pipeline order: input, problems, analysis, results. */

export {
  Analysis,
  type EngineName,
  type EngineOptions,
  type PhaseMilliseconds,
  type ProcedureQueries,
  type ProcedureStatistics,
  type Statistics,
} from "./analysis.js";
export { type AnalyzeOptions, analyze, analyzeAsync, type Phase, type Progress } from "./analyze.js";
export { OutOfMemoryError } from "./engine.js";
export type { ExplodedSupergraph, FlowRelations } from "./exploded/exploded-supergraph.js";
export { formatIfds } from "./exploded/format-ifds.js";
export { InputError } from "./exploded/input-error.js";
export { type ParseOptions, parseIfds, parseIfdsStream } from "./exploded/parse-ifds.js";

export { type ExplodedProblem, explode } from "./problem/explode.js";
export {
  compose,
  type FlowFunction,
  flowAlgebra,
  gen,
  identity,
  kill,
  transfer,
  union,
  ZERO,
  type Zero,
} from "./problem/flow-functions.js";
export type { IfdsProblem } from "./problem/ifds-problem.js";
export type { ProblemFacts } from "./problem/problem-facts.js";
export { EnteringFacts } from "./results/entering-facts.js";
export { Reached } from "./results/reached.js";
export type { Seed, Solver } from "./solver.js";
export { reverse } from "./supergraph/reverse.js";
export type { Procedure, Supergraph, Vertex } from "./supergraph/supergraph.js";
export { SupergraphBuilder } from "./supergraph/supergraph-builder.js";
