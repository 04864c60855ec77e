/** `phloem/javascript`: JavaScript and TypeScript programs, in Node and in browsers. Reading files is `phloem/javascript/node`'s. */

export type { ExplainedStep } from "../ask/explanation.js";
export type { DefinitionHere, LiveVariable, ProgramPosition } from "../ask/program-position.js";
export type { CheckAnswer, CheckRequest } from "../check/check-request.js";
export type { Diagnostic, Finding, RuleName, WitnessStep } from "../check/finding.js";
export { checkModules } from "./check-modules.js";
export { type FrontEndOptions, type JavaScriptProgram, load } from "./front-end.js";
export { type EstreeProgram, fromEstree } from "./modules/host/estree.js";
export { type MemoryOptions, memoryHost } from "./modules/host/memory.js";
export type { ModuleGraph, ParsedModule, Parser, SourceHost } from "./modules/source.js";
