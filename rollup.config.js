import { copyFile } from "node:fs/promises";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import esbuild from "rollup-plugin-esbuild";

const copyKernel = {
  name: "copy-kernel",
  writeBundle: () => copyFile("build/kernel.wasm", "dist/kernel.wasm"),
};

export default {
  input: {
    index: "src/index.ts",
    baselines: "src/baselines/index.ts",
    treedec: "src/treedec/index.ts",
    cli: "src/cli/main.ts",
  },
  output: {
    dir: "dist",
    format: "es",
    chunkFileNames: "chunks/[name]-[hash].js",
    hoistTransitiveImports: false,
    sourcemap: true,
  },
  external: [/^node:/, "cli-progress", "cli-table3", "commander", "picocolors"],
  plugins: [nodeResolve({ extensions: [".ts", ".js"] }), esbuild({ target: "es2023", tsconfig: false }), copyKernel],
};
