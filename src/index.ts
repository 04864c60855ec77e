/** The public interface, in the order of the pipeline: input, problems, analysis, results. */

export {
  Analysis,
  type EngineName,
  type EngineOptions,
  type LoadOptions,
  type PhaseMilliseconds,
  type ProcedureQueries,
  type ProcedureStatistics,
  type Statistics,
} from "./analysis.js";
export { type AnalyzeOptions, analyze, analyzeAsync, type Phase, type Progress } from "./analyze.js";
export { OutOfMemoryError } from "./engine.js";
export { type ExplodedProcedure, extractProcedure } from "./exploded/exploded-procedure.js";
export type { ExplodedSupergraph, FlowRelations } from "./exploded/exploded-supergraph.js";
export { formatIfds } from "./exploded/format-ifds.js";
export { InputError } from "./exploded/input-error.js";
export { type ParseOptions, parseIfds, parseIfdsStream } from "./exploded/parse-ifds.js";

export { type ExplodedProblem, type ExplodeOptions, explode } from "./problem/explode.js";
export {
  compose,
  type FlowAlgebra,
  type FlowAlgebraOptions,
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
export type { IfdsProblem, ProblemSeed } from "./problem/ifds-problem.js";
export type { ProblemFacts } from "./problem/problem-facts.js";
export { EnteringFacts } from "./results/entering-facts.js";
export { Reached } from "./results/reached.js";
export type { Seed, Solver } from "./solver.js";
export type {
  CallOptions,
  ProcedureBuilder,
  ProcedureOptions,
  Relation,
} from "./supergraph/procedure-builder.js";
export { reverse } from "./supergraph/reverse.js";
export type {
  Procedure,
  ProcedureRef,
  Supergraph,
  Topology,
  Vertex,
  VertexNotes,
  VertexRef,
} from "./supergraph/supergraph.js";
export { SupergraphBuilder } from "./supergraph/supergraph-builder.js";
export type { Step, Witness } from "./witness/witness.js";
