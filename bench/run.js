// Bundles the benchmarks with the sources as they are, and runs them in a process of its own whose garbage collector
// they may call. Arguments go to main.ts.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
await build({
  absWorkingDir: root,
  entryPoints: {
    bench: "bench/main.ts",
    phloem: "src/cli/main.ts",
    "parallel-worker": "src/parallel/worker.ts",
  },
  outdir: "build",
  outExtension: { ".js": ".mjs" },
  bundle: true,
  // For bundled CommonJS.
  banner: {
    js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
  },
  // Native parts come with them.
  external: ["oxc-parser", "oxc-resolver"],
  platform: "node",
  format: "esm",
  target: "es2023",
  logLevel: "warning",
});
const arguments_ = ["--expose-gc", "build/bench.mjs", ...process.argv.slice(2)];
process.exitCode = spawnSync(process.execPath, arguments_, { cwd: root, stdio: "inherit" }).status ?? 1;
