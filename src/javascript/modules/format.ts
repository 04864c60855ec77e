/** Which module system evaluates a file, from its name, package.json, tsconfig.json and syntax, as Node and TypeScript have it. */

import type { CompilerSettings, Goal, ModuleFormat } from "./source.js";

export const isTypeScript = (path: string): boolean => /\.[cm]?tsx?$/.test(path);
export const isJson = (path: string): boolean => path.endsWith(".json");
/** Declarations without code. */
export const isDeclarationFile = (path: string): boolean => /\.d\.(?:[^./\\]+\.)?[cm]?ts$/.test(path);

/** As what to parse a file: one after the other until one succeeds. */
export function goalsOf(path: string, packageType: "module" | "commonjs" | undefined): readonly Goal[] {
  if (/\.(?:mjs|mts)$/.test(path)) return ["module"];
  if (path.endsWith(".cjs")) return ["commonjs"];
  return /\.jsx?$/.test(path) && packageType === "module" ? ["module"] : ["module", "commonjs"];
}

/** Modules of TypeScript's that are compiled to something older than ES modules. */
const OLD_MODULES = new Set(["none", "commonjs", "amd", "umd", "system"]);

/**
 * The format of a file. `esmSyntax`: it has `import` or `export` statements, `import.meta` or top-level await. JavaScript
 * with such statements is an ES module even where package.json says `commonjs`, as bundlers have it.
 */
export function formatOf(
  path: string,
  packageType: "module" | "commonjs" | undefined,
  esmSyntax: boolean,
  settings: CompilerSettings,
): ModuleFormat {
  if (isJson(path)) return "json";
  if (/\.(?:mjs|mts)$/.test(path)) return "esm";
  if (/\.(?:cjs|cts)$/.test(path)) return esmSyntax ? "typescript-commonjs" : "commonjs";
  const compiled = isTypeScript(path) || settings.allowJs;
  if (compiled && settings.module !== undefined) {
    const node = /^node\d*|^nodenext$/.test(settings.module);
    const commonjs = node ? packageType !== "module" : OLD_MODULES.has(settings.module);
    if (commonjs) return esmSyntax ? "typescript-commonjs" : "commonjs";
    if (isTypeScript(path)) return "esm";
  }
  return esmSyntax || packageType === "module" ? "esm" : "commonjs";
}
