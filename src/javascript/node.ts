/** `phloem/javascript/node`: programs from the file system. */

import { type FrontEndOptions, type JavaScriptProgram, load as loadFrom } from "./front-end.js";
import { nodeHost } from "./modules/host/node.js";

export type { ExplainedStep } from "../ask/explanation.js";
export type { DefinitionHere, LiveVariable, ProgramPosition } from "../ask/program-position.js";
export type { JavaScriptProgram } from "./front-end.js";
export { nodeHost } from "./modules/host/node.js";

export interface LoadRequest extends Omit<FrontEndOptions, "later"> {
  /** The module where execution begins, or all such modules, relative to `root`. */
  readonly entry: string | readonly string[];
  /** The project's folder, to which paths are relative; the current folder if not given. */
  readonly root?: string;
}

/**
 * The program that begins at some modules on disk, with every function in it, to be asked about. What cannot be read or
 * parsed is among its diagnostics. Throws what the file system throws, and the reason of an aborted signal.
 *
 * @example
 * const { load } = await import("phloem/javascript/node");
 * const program = await load({ entry: "src/main.ts" });
 * program.at("src/main.ts:12:7").reachingDefinitions();
 */
export function load({ entry, root = ".", ...options }: LoadRequest): Promise<JavaScriptProgram> {
  const entries = typeof entry === "string" ? [entry] : entry;
  return loadFrom(entries, nodeHost(root), { ...options, later: "complete" });
}
