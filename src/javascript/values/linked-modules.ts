/** What the value analysis is told of modules: their codes, and what each imported name and each specifier means. */

import type { LoweredModule } from "../lower/module.js";

export type ImportTarget =
  | { readonly kind: "binding"; readonly module: number; readonly name: string }
  | { readonly kind: "namespace"; readonly module: number }
  /** What a CommonJS module exports: all of it, or a property. */
  | { readonly kind: "property"; readonly module: number; readonly name: string | undefined }
  | { readonly kind: "external"; readonly source: string; readonly imported: string }
  | { readonly kind: "missing" };

export interface LinkedModule {
  readonly lowered: LoweredModule;
  readonly isCommonJs: boolean;
  /** By number of the import's binding. */
  readonly imports: ReadonlyMap<number, ImportTarget>;
  /** What a specifier leads to: a module's number, or the name of something outside the program. */
  target(specifier: string): number | string | undefined;
  /** Exported names, those of `export *` included. */
  exports(): ReadonlyMap<string, ImportTarget>;
}
