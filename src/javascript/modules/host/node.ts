/**
 * Sources on disk, in Node: files as they are, `oxc-parser`, `oxc-resolver` with the `paths` of tsconfig.json, and settings
 * by `get-tsconfig`. The only file of the front end that knows which host it runs in.
 */

import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve as resolvePath, sep } from "node:path";
import type { TSESTree } from "@typescript-eslint/types";
import { createFilesMatcher, getTsconfig, parseTsconfig, type TsConfigResult } from "get-tsconfig";
import { parseSync } from "oxc-parser";
import { type NapiResolveOptions, ResolverFactory } from "oxc-resolver";
import { isTypeScript } from "../format.js";
import { settingsFrom } from "../settings.js";
import type { CompilerSettings, Goal, ParseResult, SourceHost } from "../source.js";
import { parseInBrowser } from "./browser-parser.js";
import { nestingOf } from "./nesting.js";

/**
 * A host over the file system. `root`: what display paths are relative to. It remembers what it has read of package.json
 * and tsconfig.json files and of folders: after edits, make another.
 *
 * @example
 * const graph = await loadModules(["src/index.ts"], nodeHost(process.cwd()));
 */
export function nodeHost(root: string): SourceHost {
  const base = realpathSync(root);
  const resolvers = makeResolvers();
  const tsconfigs = new Map<string, unknown>();
  const configured = new Map<string, { settings: CompilerSettings; matchers: readonly Project[] }>();
  const types = new Map<string, "module" | "commonjs" | undefined>();

  const packageType = (path: string): "module" | "commonjs" | undefined => {
    const passed: string[] = [];
    let found: "module" | "commonjs" | undefined;
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      if (types.has(folder)) {
        found = types.get(folder);
        break;
      }
      passed.push(folder);
      const text = readText(join(folder, "package.json"));
      if (text !== undefined) {
        found = typeOf(text);
        break;
      }
      if (folder === dirname(folder) || folder.endsWith(`${sep}node_modules`)) break;
    }
    for (const folder of passed) types.set(folder, found);
    return found;
  };

  return {
    locate(entry) {
      const path = resolvePath(base, entry);
      if (statSync(path, { throwIfNoEntry: false })?.isFile()) return realpathSync(path);
      return resolvers.typescript.import.resolveFileSync(join(base, "entry.ts"), path).path;
    },
    read: readText,
    parse: parseOnDisk,
    resolve(from, specifier, conditions) {
      const resolver = resolvers[isTypeScript(from) ? "typescript" : "javascript"];
      const { path, builtin, error } = resolver[conditions].resolveFileSync(from, specifier);
      if (builtin) return { external: builtin.resolved };
      if (path !== undefined) return path;
      // A tsconfig.json that cannot be read makes everything fail.
      return error?.includes("sconfig") ? resolvers.plain.sync(dirname(from), specifier).path : undefined;
    },
    settings(path) {
      const folder = dirname(path);
      let known = configured.get(folder);
      if (!known) {
        known = projectsOf(path, tsconfigs);
        configured.set(folder, known);
      }
      return known.matchers.find(({ matches }) => matches(path))?.settings ?? known.settings;
    },
    packageType,
    displayPath: (path) => relative(base, path).split(sep).join("/"),
  };
}

function readText(path: string): string | undefined {
  try {
    const text = readFileSync(path, "utf8");
    return text.startsWith("\ufeff") ? text.slice(1) : text;
  } catch {
    return undefined;
  }
}

function typeOf(packageJson: string): "module" | "commonjs" | undefined {
  try {
    const { type } = JSON.parse(packageJson) as { type?: unknown };
    return type === "module" || type === "commonjs" ? type : undefined;
  } catch {
    return undefined;
  }
}

/** One of the projects that a tsconfig.json without files of its own refers to. */
interface Project {
  readonly matches: (path: string) => boolean;
  readonly settings: CompilerSettings;
}

/** The settings of the nearest tsconfig.json, and of the projects it refers to: the first that includes a file has it. */
function projectsOf(
  path: string,
  cache: Map<string, unknown>,
): { settings: CompilerSettings; matchers: readonly Project[] } {
  let found: TsConfigResult | null;
  try {
    found = getTsconfig(path, "tsconfig.json", cache as Parameters<typeof getTsconfig>[2]);
  } catch {
    found = null;
  }
  const settings = settingsFrom(found ? { ...found.config.compilerOptions } : undefined);
  const matchers: Project[] = [];
  if (found && 0 < (found.config.references?.length ?? 0)) {
    for (const reference of found.config.references!) {
      const target = resolvePath(dirname(found.path), reference.path);
      const file = target.endsWith(".json") ? target : join(target, "tsconfig.json");
      try {
        const config = parseTsconfig(file);
        const matcher = createFilesMatcher({ ...found, config, path: file });
        matchers.push({
          matches: (one) => matcher(one) !== undefined,
          settings: settingsFrom({ ...config.compilerOptions }),
        });
      } catch {
        // A project that cannot be read has no say.
      }
    }
  }
  return { settings, matchers };
}

const TYPESCRIPT = [".ts", ".tsx", ".mts", ".cts"];
const JAVASCRIPT = [".js", ".jsx", ".mjs", ".cjs"];

/**
 * What a specifier without an ending may mean, and which file an ending may: a TypeScript module names the output of its
 * neighbours, for which their sources stand; for JavaScript, files as they are come first.
 */
function makeResolvers(): Record<
  "typescript" | "javascript",
  Record<"import" | "require", ResolverFactory>
> & { plain: ResolverFactory } {
  const options = (typescript: boolean, condition: "import" | "require"): NapiResolveOptions => {
    const order = (source: string[], output: string): string[] =>
      typescript ? [...source, output] : [output, ...source];
    return {
      tsconfig: "auto",
      conditionNames: [condition, "node", "default"],
      extensions: [
        ...(typescript ? [...TYPESCRIPT, ...JAVASCRIPT] : [...JAVASCRIPT, ...TYPESCRIPT]),
        ".json",
      ],
      extensionAlias: {
        ".js": order([".ts", ".tsx"], ".js"),
        ".jsx": order([".tsx"], ".jsx"),
        ".mjs": order([".mts"], ".mjs"),
        ".cjs": order([".cts"], ".cjs"),
      },
      mainFields: ["main", "module"],
      builtinModules: true,
    };
  };
  const first = new ResolverFactory(options(true, "import"));
  const { tsconfig: _, ...plain } = options(true, "import");
  return {
    typescript: { import: first, require: first.cloneWithOptions(options(true, "require")) },
    javascript: {
      import: first.cloneWithOptions(options(false, "import")),
      require: first.cloneWithOptions(options(false, "require")),
    },
    plain: first.cloneWithOptions(plain),
  };
}

/**
 * Beyond this nesting the other parser takes over: it is written in JavaScript, and fails with an exception where this one
 * would end the process. On a stack of 8 MiB this one follows 5,500 of such levels of any construct, and more of most; the
 * deepest code seen, the compiler bundle of `typescript`, has 2,400.
 */
const NESTING = 4_000;

function parseOnDisk(path: string, text: string, goal: Goal): ParseResult | Promise<ParseResult> {
  if (NESTING < nestingOf(text)) return parseInBrowser(path, text, goal);
  const lang = path.endsWith(".tsx") ? "tsx" : isTypeScript(path) ? "ts" : "jsx";
  const { program, comments, errors } = parseSync(path, text, {
    lang,
    sourceType: goal,
    astType: "ts",
    range: true,
    preserveParens: false,
  });
  const error = errors.find(({ severity }) => severity === "Error");
  if (error) return { error: error.message, offset: error.labels[0]?.start ?? 0 };
  return {
    ast: program as unknown as TSESTree.Program,
    comments: comments.map(({ type, value, start, end }) => ({
      type,
      value,
      range: [start, end],
    })) as unknown as TSESTree.Comment[],
  };
}
