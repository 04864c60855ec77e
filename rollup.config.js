// ES modules that share their chunks, for Node and for browsers alike, and the kernel as a file beside them.
import { readFileSync } from "node:fs";
import { copyFile, rm } from "node:fs/promises";
import commonjs from "@rollup/plugin-commonjs";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import esbuild from "rollup-plugin-esbuild";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));

/** A dependency for the sake of declarations; the code that bundled packages take from it is bundled, too. */
const TYPES = "@typescript-eslint/types";

const clean = {
  name: "clean",
  buildStart: () => rm("dist", { recursive: true, force: true }),
};

const copyKernel = {
  name: "copy-kernel",
  writeBundle: () => copyFile("build/kernel.wasm", "dist/kernel.wasm"),
};

/** Names of TypeScript's libraries, 300 kB of them: the front end asks for none (`lib: []`). */
const withoutLibraries = {
  name: "without-libraries",
  load: (id) =>
    id.endsWith("/@typescript-eslint/scope-manager/dist/lib/index.js") ? "exports.lib = new Map();" : null,
};

/** What is bundled comes with its licence; a package that has none of its own has that of its repository's. */
const licences = {
  name: "licences",
  generateBundle(_, bundle) {
    const packages = new Set();
    for (const { modules } of Object.values(bundle)) {
      for (const [id, { renderedLength }] of Object.entries(modules ?? {})) {
        const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
        if (name !== undefined && 0 < renderedLength) packages.add(name);
      }
    }
    for (const name of packages) {
      const holder = name === "@assemblyscript/loader" ? "assemblyscript" : name;
      this.emitFile({
        type: "asset",
        fileName: `LICENSE-${holder.replace(/^@/, "").replace("/", "-")}`,
        source: readFileSync(`node_modules/${holder}/LICENSE`, "utf8"),
      });
    }
  },
};

export default {
  input: {
    index: "src/index.ts",
    baselines: "src/baselines/index.ts",
    treedec: "src/treedec/index.ts",
    clients: "src/clients/index.ts",
    ask: "src/ask/index.ts",
    parallel: "src/parallel/index.ts",
    "parallel-worker": "src/parallel/worker.ts",
    javascript: "src/javascript/index.ts",
    "javascript-node": "src/javascript/node.ts",
    jvm: "src/jvm/index.ts",
    "jvm-node": "src/jvm/host/node.ts",
    rollup: "src/rollup-plugin/plugin.ts",
    cli: "src/cli/main.ts",
  },
  output: {
    dir: "dist",
    format: "es",
    chunkFileNames: "chunks/[name]-[hash].js",
    hoistTransitiveImports: false,
  },
  external: [/^node:/, ...Object.keys(manifest.dependencies).filter((name) => name !== TYPES)],
  plugins: [
    clean,
    nodeResolve({ extensions: [".ts", ".js"] }),
    withoutLibraries,
    commonjs(),
    esbuild({ target: "es2023", tsconfig: false }),
    copyKernel,
    licences,
  ],
};
