/** `phloem/jvm`: Java programs, from class files and archives, in Node and in browsers. Reading files is `phloem/jvm/node`'s. */

export type { Diagnostic } from "../program/diagnostic.js";
export type { EntryRule } from "./calls/entries.js";
export type { Exceptions } from "./code/code-graph.js";
export { type JvmMethod, type JvmProgram, type LoadOptions, load } from "./load.js";
export type { NamedAssignment } from "./lower-method.js";
export type { StaticAccesses, StaticsRule } from "./statics.js";
