/**
 * Sources in memory: a map from paths to texts, as an editor in a browser has them. Relative specifiers resolve within the
 * map, all others are external; `package.json` and `tsconfig.json` in the map count, the latter without `extends`.
 */

import { type CompilerOptions, settingsFrom } from "../settings.js";
import type { CompilerSettings, Parser, SourceHost } from "../source.js";
import { parseInBrowser } from "./browser-parser.js";

export interface MemoryOptions {
  /** Otherwise `@babel/parser`, loaded when the first module is parsed. */
  readonly parse?: Parser;
  /** Settings for all modules, instead of those of `tsconfig.json` files in the map. */
  readonly compilerOptions?: CompilerOptions;
}

/**
 * A host over texts in memory. Paths have `/`, with or without one at their beginning: `src/main.ts`, `/src/main.ts`.
 *
 * @example
 * const host = memoryHost(new Map([["main.ts", 'import "./dep.js"'], ["dep.ts", "export {}"]]));
 * host.resolve("main.ts", "./dep.js", "import"); // "dep.ts"
 */
export function memoryHost(
  texts: ReadonlyMap<string, string>,
  { parse = parseInBrowser, compilerOptions }: MemoryOptions = {},
): SourceHost {
  const fixed = compilerOptions && settingsFrom(compilerOptions);
  const settings = new Map<string, CompilerSettings>();
  const types = new Map<string, "module" | "commonjs" | undefined>();

  const find = (path: string): string | undefined => {
    if (texts.has(path)) return path;
    for (const candidate of candidatesOf(path)) if (texts.has(candidate)) return candidate;
    return undefined;
  };
  /** What the nearest file of a name in a folder or one above it gives; once per folder. */
  const nearest = <T>(
    path: string,
    name: string,
    known: Map<string, T>,
    read: (text: string | undefined) => T,
  ): T => {
    const folder = folderOf(path);
    if (known.has(folder)) return known.get(folder)!;
    let at: string | undefined = folder;
    let text: string | undefined;
    while (at !== undefined && text === undefined) {
      text = texts.get(at + name);
      at = at === "" || at === "/" ? undefined : folderOf(at.slice(0, -1));
    }
    const value = read(text);
    known.set(folder, value);
    return value;
  };

  return {
    locate: (entry) => find(normalize(entry)),
    read: (path) => texts.get(path),
    parse,
    resolve(from, specifier) {
      if (specifier.startsWith("/")) return find(normalize(specifier)) ?? find(normalize(specifier.slice(1)));
      if (!/^\.\.?(?:\/|$)/.test(specifier)) return { external: specifier };
      return find(normalize(folderOf(from) + specifier));
    },
    settings: (path) =>
      fixed ??
      nearest(path, "tsconfig.json", settings, (text) => {
        const config = text === undefined ? undefined : (parseJsonWithComments(text) as Config);
        return settingsFrom(text === undefined ? undefined : (config?.compilerOptions ?? {}));
      }),
    packageType: (path) =>
      nearest(path, "package.json", types, (text) => {
        const type = text === undefined ? undefined : (parseJsonWithComments(text) as Config)?.type;
        return type === "module" || type === "commonjs" ? type : undefined;
      }),
    displayPath: (path) => path.replace(/^\//, ""),
  };
}

interface Config {
  readonly compilerOptions?: CompilerOptions;
  readonly type?: unknown;
}

/** Endings that a specifier may leave out, first those that come first. */
const ENDINGS = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json"];

/** What a path may stand for if there is no such file: TypeScript's for JavaScript's ending, one left out, an index. */
function* candidatesOf(path: string): Generator<string> {
  const [, stem, ending] = /^(.*)(\.[cm]?jsx?)$/.exec(path) ?? [];
  if (ending !== undefined) {
    yield stem + ending.replace("j", "t");
    if (ending === ".js") yield `${stem}.tsx`;
  }
  const bare = path.replace(/\/$/, "");
  if (bare === path) for (const one of ENDINGS) yield bare + one;
  for (const one of ENDINGS) yield `${bare === "" ? "" : `${bare}/`}index${one}`;
}

/** With the `/` at its end; empty at the top. */
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);

/** Without `.` and `..`. */
function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === ".." && 0 < parts.length && parts[parts.length - 1] !== "") parts.pop();
    else if (part !== "." && part !== "..") parts.push(part);
  }
  return parts.join("/");
}

/** JSON with comments and commas before closing brackets; `undefined` if it is none. */
function parseJsonWithComments(text: string): unknown {
  const tokens = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  const bare = text.replace(tokens, (token) => (token.startsWith('"') ? token : " "));
  const strict = bare.replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g, (token) => (token === "," ? "" : token));
  try {
    return JSON.parse(strict);
  } catch {
    return undefined;
  }
}
