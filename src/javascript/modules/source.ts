/**
 * Modules as the front end works with them: syntax tree, scopes, what they import and export, and the module system that
 * evaluates them. Where texts come from, who parses them and what a specifier means is the affair of a `SourceHost`, so all
 * of this runs wherever JavaScript does.
 *
 * Syntax trees are TS-ESTree with offsets in UTF-16 units in `range`, parentheses not kept.
 */

import type { ScopeManager } from "@typescript-eslint/scope-manager";
import type { TSESTree } from "@typescript-eslint/types";
import type { Diagnostic } from "../../program/diagnostic.js";

/**
 * Which module system evaluates it. `typescript-commonjs` has the syntax of an ES module and is compiled to CommonJS: its
 * imports are `require` calls where they stand, its exports properties that are undefined until they are assigned.
 */
export type ModuleFormat = "esm" | "commonjs" | "typescript-commonjs" | "json";

/** Settings of the TypeScript compiler that change what a program does. Names and values are those of tsconfig.json. */
export interface CompilerSettings {
  readonly experimentalDecorators: boolean;
  readonly emitDecoratorMetadata: boolean;
  readonly verbatimModuleSyntax: boolean;
  /** Also true if `verbatimModuleSyntax` is: nothing is known of other files when one is compiled. */
  readonly isolatedModules: boolean;
  readonly preserveConstEnums: boolean;
  readonly useDefineForClassFields: boolean;
  readonly esModuleInterop: boolean;
  /** Whether `null` and `undefined` vanish from unions in metadata. */
  readonly strictNullChecks: boolean;
  /** Whether JavaScript files, too, are compiled. */
  readonly allowJs: boolean;
  /** In lower case, such as `"es2022"`. */
  readonly target: string;
  /** In lower case, such as `"nodenext"`; `undefined` if there is no tsconfig.json, so that no compiler says so. */
  readonly module: string | undefined;
  readonly jsx: "preserve" | "react" | "react-jsx" | "react-jsxdev" | "react-native";
  /** The name that an element's creation reads in classic mode: `React` of `React.createElement`. */
  readonly jsxFactory: string;
  /** The same for fragments. */
  readonly jsxFragmentFactory: string;
  /** Where the functions of automatic mode come from: `"react"` of `"react/jsx-runtime"`. */
  readonly jsxImportSource: string;
}

/**
 * How a module asks for another. `static`: `import ... from`; `reexport`: `export ... from`; `require`: a call of CommonJS'
 * `require`; `dynamic`: `import()`; `import-equals`: `import x = require()`; `jsx`: what automatic mode imports on its own.
 */
export type RequestKind = "static" | "reexport" | "require" | "dynamic" | "import-equals" | "jsx";

export type RequestNode =
  | TSESTree.ImportDeclaration
  | TSESTree.ExportNamedDeclaration
  | TSESTree.ExportAllDeclaration
  | TSESTree.CallExpression
  | TSESTree.ImportExpression
  | TSESTree.TSImportEqualsDeclaration
  | TSESTree.Program;

/** A module of the program by its path, one outside by its name, or `undefined`: it leads nowhere. */
export type Target = string | { readonly external: string } | undefined;

export interface ModuleRequest {
  readonly specifier: string;
  readonly kind: RequestKind;
  readonly node: RequestNode;
  /**
   * When it happens, if the module is evaluated without an exception: surely (`always`; all static ones), on some paths of
   * the module's body (`sometimes`), or when and if a function is called (`later`).
   */
  readonly occurs: "always" | "sometimes" | "later";
  /** Filled by `loadModules`. */
  resolved: Target;
  /** Nothing is left of it at run time: it imports types, or names that only types mention. */
  elided: boolean;
}

/** A name that an import declares, or a whole namespace. */
export interface ImportEntry {
  readonly local: string;
  /** `"*"`: the namespace; `"="`: what `require` gives, for `import x = require()`. */
  readonly imported: string;
  readonly request: ModuleRequest;
  readonly node: TSESTree.ImportClause | TSESTree.TSImportEqualsDeclaration;
  /** For what the module needs it; what comes first in this list, if several hold. Always `value` outside TypeScript. */
  use: "value" | "metadata" | "exported" | "none";
  /** Nothing is left of it at run time. */
  elided: boolean;
}

/**
 * A name that a module exports, `export *` aside. Either `local` is set or `request` and `imported` are.
 */
export interface ExportEntry {
  readonly exported: string;
  /**
   * The binding behind it; `"*default*"` for `export default` of an expression or of something without a name, `"*="` for
   * `export =` of an expression.
   */
  readonly local: string | undefined;
  readonly request: ModuleRequest | undefined;
  /** The name in that module, or `"*"`: its namespace. */
  readonly imported: string | undefined;
  /** The specifier, or the declaration that it is part of. */
  readonly node: TSESTree.Node;
  /** Nothing is left of it at run time: what it exports exists for types alone. */
  elided: boolean;
}

export interface ParsedModule {
  /** Absolute, or a name in memory: what `Target`s and keys of maps say. */
  readonly path: string;
  /** Relative to the project's root, with `/`. */
  readonly displayPath: string;
  readonly text: string;
  /** Without statements if the module is JSON or does not parse; the front end empties it, and the scopes, once it has lowered them. */
  readonly ast: TSESTree.Program;
  /** @internal */
  readonly scopes: ScopeManager;
  readonly comments: readonly TSESTree.Comment[];
  readonly format: ModuleFormat;
  /** Whether TypeScript's rules hold: types are erased, unused imports dropped. */
  readonly typescript: boolean;
  readonly settings: CompilerSettings;
  /** In the order of the source. */
  readonly requests: readonly ModuleRequest[];
  readonly imports: readonly ImportEntry[];
  readonly exports: readonly ExportEntry[];
  /** `export * from`, in the order of the source. */
  readonly stars: readonly ModuleRequest[];
  /** Whether its body awaits outside of functions. */
  readonly topLevelAwait: boolean;
  /**
   * Names in type annotations that decorators' metadata reads as values, in the order of the source. Empty without
   * `experimentalDecorators` and `emitDecoratorMetadata`.
   */
  readonly metadata: ReadonlySet<TSESTree.Identifier>;
  /** It could not be parsed; the diagnostics say why. */
  readonly failed: boolean;
}

export interface ModuleGraph {
  /** By path, in the order of discovery: breadth-first from the entries. */
  readonly modules: ReadonlyMap<string, ParsedModule>;
  /** Paths of the entries, as the host names them. */
  readonly entries: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What a text may be: an ES module, or CommonJS (a script inside a function). */
export type Goal = "module" | "commonjs";

/** A syntax tree, or why there is none and at which offset. */
export type ParseResult =
  | { readonly ast: TSESTree.Program; readonly comments: readonly TSESTree.Comment[] }
  | { readonly error: string; readonly offset: number };

/** Gives TS-ESTree with `range`s and without parentheses; the language is told by the end of the path. */
export type Parser = (path: string, text: string, goal: Goal) => ParseResult | Promise<ParseResult>;

export interface SourceHost {
  /** The path under which an entry is known: absolute, links followed; `undefined` if there is none. */
  locate(entry: string): string | undefined;
  /** The text of a module, or `undefined` if there is none. */
  read(path: string): string | undefined | Promise<string | undefined>;
  readonly parse: Parser;
  /** What a specifier in a module leads to; `conditions` is what `exports` of package.json are asked for. */
  resolve(from: string, specifier: string, conditions: "import" | "require"): Target;
  settings(path: string): CompilerSettings;
  /** What the nearest package.json says of `.js` files. */
  packageType(path: string): "module" | "commonjs" | undefined;
  /** For people: relative to the root, with `/`. */
  displayPath(path: string): string;
}
