// Bundles the experiment with the sources as they are and runs it. What measures is a bundle of its own: its bytes say
// whether earlier results still hold.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "../..");
await build({
  absWorkingDir: root,
  entryPoints: {
    experiment: "bench/experiment/main.ts",
    "experiment-work": "bench/experiment/work.ts",
    "experiment-worker": "src/parallel/worker.ts",
  },
  outdir: "build",
  outExtension: { ".js": ".mjs" },
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  target: "es2023",
  logLevel: "warning",
});
const child = spawn(process.execPath, [join(root, "build/experiment.mjs"), ...process.argv.slice(2)], {
  cwd: process.cwd(),
  stdio: "inherit",
});
child.on("exit", (code) => {
  process.exitCode = code ?? 1;
});
