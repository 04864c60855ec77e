/** `phloem/ask`: questions about a `Program` by positions in its sources, whatever front end made it. */

export type { ExplainedStep } from "./explanation.js";
export { type Extent, parsePosition } from "./position.js";
export { type AskedPrograms, ProgramIndex, programIndex } from "./program-index.js";
export { type DefinitionHere, type LiveVariable, ProgramPosition } from "./program-position.js";
