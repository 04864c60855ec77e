/** What the assembly of a program works from: everything that is known of its modules and values. */

import type { SourceFile } from "../../program/program.js";
import type { Binding, Names } from "../lower/code.js";
import type { Instance } from "../values/abstract-object.js";
import type { LinkedModule } from "../values/linked-modules.js";
import type { ValueAnalysis } from "../values/value-analysis.js";

export interface AssemblySource {
  readonly values: ValueAnalysis;
  readonly modules: readonly LinkedModule[];
  readonly bindings: readonly Binding[];
  readonly names: Names;
  readonly files: readonly SourceFile[];
  /** Modules that await at their top level. Where there are some, callbacks may run before all modules are evaluated. */
  readonly awaiting: ReadonlySet<number>;
  /** Whether the program also says how values flow; it is a few times larger then. */
  readonly hasFlows: boolean;
  /** Whether a step that requires a module evaluates it: surely, maybe, or never. */
  requireEvaluates(instance: Instance, step: number, module: number): "always" | "sometimes" | "never";
}
