/** Settings of the TypeScript compiler from what tsconfig.json says, with the compiler's own defaults for the rest. */

import type { CompilerSettings } from "./source.js";

/** `compilerOptions` as tsconfig.json has them, `extends` applied. */
export type CompilerOptions = Readonly<Record<string, unknown>>;

/**
 * The settings that options stand for; `undefined`: there is no tsconfig.json. Options that are none of the compiler's, or
 * have values that are not, count as absent.
 *
 * @example
 * settingsFrom({ target: "ES2021" }).useDefineForClassFields; // false
 */
export function settingsFrom(options: CompilerOptions | undefined): CompilerSettings {
  const given = options ?? {};
  const flag = (name: string, otherwise: boolean): boolean => {
    const value = given[name];
    return typeof value === "boolean" ? value : otherwise;
  };
  const text = (name: string): string | undefined => {
    const value = given[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const module = text("module")?.toLowerCase();
  const target = text("target")?.toLowerCase() ?? targetOf(module);
  const verbatimModuleSyntax = flag("verbatimModuleSyntax", false);
  const [factory] = (text("jsxFactory") ?? text("reactNamespace") ?? "React").split(".");
  const [fragment] = (text("jsxFragmentFactory") ?? factory).split(".");
  const jsx = text("jsx")?.toLowerCase();
  return {
    experimentalDecorators: flag("experimentalDecorators", false),
    emitDecoratorMetadata: flag("emitDecoratorMetadata", false),
    verbatimModuleSyntax,
    isolatedModules: verbatimModuleSyntax || flag("isolatedModules", false),
    preserveConstEnums: flag("preserveConstEnums", false),
    useDefineForClassFields: flag(
      "useDefineForClassFields",
      yearOf(target) === undefined || 2022 <= yearOf(target)!,
    ),
    esModuleInterop: flag("esModuleInterop", true),
    strictNullChecks: flag("strictNullChecks", flag("strict", true)),
    allowJs: flag("allowJs", flag("checkJs", false)),
    target,
    module: options && (module ?? (target === "es3" || target === "es5" ? "commonjs" : "esnext")),
    jsx: isJsx(jsx) ? jsx : "react",
    jsxFactory: factory,
    jsxFragmentFactory: fragment,
    jsxImportSource: text("jsxImportSource") ?? "react",
  };
}

const targetOf = (module: string | undefined): string =>
  module === "node16" || module === "node18" ? "es2022" : module === "node20" ? "es2023" : "esnext";

/** The year of the edition; none for `esnext`. */
function yearOf(target: string): number | undefined {
  if (target === "es3" || target === "es5") return 2009;
  const [, digits] = /^es(\d+)$/.exec(target) ?? [];
  return digits === undefined ? undefined : digits === "6" ? 2015 : Number(digits);
}

const JSX = ["preserve", "react", "react-jsx", "react-jsxdev", "react-native"] as const;
const isJsx = (value: string | undefined): value is (typeof JSX)[number] =>
  (JSX as readonly (string | undefined)[]).includes(value);
