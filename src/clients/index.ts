/** `phloem/clients`: the classic data-flow problems of a program, and their answers in terms of its variables. */

export type {
  CallSite,
  Procedure,
  ProcedureKind,
  Program,
  SourceFile,
  Variable,
  VariableKind,
} from "../program/program.js";
export { OPERATION_SIZE, Op } from "../program/program.js";
export { type ClientName, clientNames, clients } from "./by-name.js";
export { ClientAnalysis, ClientProblem, type VariableFact } from "./client-problem.js";
export { type FlowFunctions, type Scope, silent } from "./flow-functions.js";
export type { InitializationFact } from "./initialization.js";
export { Liveness, type LivenessOptions, LivenessProblem, liveness } from "./liveness.js";
export {
  PossiblyUninitialized,
  PossiblyUninitializedProblem,
  possiblyUninitialized,
} from "./possibly-uninitialized.js";
export { Reachability, ReachabilityProblem, reachability } from "./reachability.js";
export {
  type Definition,
  ReachingDefinitions,
  type ReachingDefinitionsOptions,
  ReachingDefinitionsProblem,
  reachingDefinitions,
} from "./reaching-definitions.js";
export {
  type CallPart,
  Taint,
  type TaintedPart,
  type TaintedSink,
  type TaintOptions,
  TaintProblem,
  type TaintRules,
  taint,
} from "./taint.js";
export type { Transfer } from "./transfer.js";
export {
  Uninitialized,
  type UninitializedOptions,
  UninitializedProblem,
  uninitialized,
} from "./uninitialized.js";
