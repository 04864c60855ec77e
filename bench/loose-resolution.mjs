/**
 * Hooks for Node's module loader, for sources that are published for bundlers: paths without an extension or of a folder,
 * TypeScript, and `.js` files that are ES modules although no package.json says so.
 */

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";

const ENDINGS = [".js", ".mjs", ".ts", ".tsx", "/index.js", "/index.mjs", "/index.ts"];

export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    if (context.parentURL === undefined || !specifier.startsWith(".")) throw error;
    const { href } = new URL(specifier, context.parentURL);
    const candidates = [...ENDINGS.map((ending) => href + ending), href.replace(/\.js$/, ".ts")];
    const found = candidates.find((url) => existsSync(fileURLToPath(url)) && url !== href);
    if (found === undefined) throw error;
    return { url: found, shortCircuit: true };
  }
}

export async function load(url, context, next) {
  const isTypeScript = /\.tsx?$/.test(url);
  if (!isTypeScript && !/\.js$/.test(url)) return next(url, context);
  const text = await readFile(fileURLToPath(url), "utf8");
  if (!isTypeScript) {
    const isModule = /^\s*(?:import\b\s*[\w{*"']|export\b\s*[\w{*])/m.test(text);
    return isModule ? { format: "module", source: text, shortCircuit: true } : next(url, context);
  }
  const { code } = await transform(text, {
    loader: url.endsWith("x") ? "tsx" : "ts",
    target: "es2022",
    sourcemap: "inline",
    sourcefile: url,
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: false, experimentalDecorators: true } },
  });
  return { format: "module", source: code, shortCircuit: true };
}
