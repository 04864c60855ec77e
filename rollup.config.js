// ES modules that share their chunks, for Node and for browsers alike, and the kernel as a file beside them.
import { readFileSync } from "node:fs";
import { copyFile, rm } from "node:fs/promises";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import esbuild from "rollup-plugin-esbuild";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));

const clean = {
  name: "clean",
  buildStart: () => rm("dist", { recursive: true, force: true }),
};

const copyFiles = {
  name: "copy-files",
  async writeBundle() {
    await copyFile("build/kernel.wasm", "dist/kernel.wasm");
    // The bundle has a copy of @assemblyscript/loader in it, whose licence asks for this.
    await copyFile("node_modules/assemblyscript/LICENSE", "dist/LICENSE-assemblyscript");
  },
};

export default {
  input: {
    index: "src/index.ts",
    baselines: "src/baselines/index.ts",
    treedec: "src/treedec/index.ts",
    parallel: "src/parallel/index.ts",
    "parallel-worker": "src/parallel/worker.ts",
    javascript: "src/javascript/index.ts",
    "javascript-node": "src/javascript/modules/host/node.ts",
    cli: "src/cli/main.ts",
  },
  output: {
    dir: "dist",
    format: "es",
    chunkFileNames: "chunks/[name]-[hash].js",
    hoistTransitiveImports: false,
  },
  external: [/^node:/, ...Object.keys(manifest.dependencies)],
  plugins: [
    clean,
    nodeResolve({ extensions: [".ts", ".js"] }),
    esbuild({ target: "es2023", tsconfig: false }),
    copyFiles,
  ],
};
