// Copies from build/types to dist/types the declarations that the public entry points reach, and fails where one reaches
// out of src/: a package has neither assembly/ nor build/.
import { copyFile, mkdir, readFile, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

const from = "build/types/src";
const to = "dist/types";
const pending = [
  "index.d.ts",
  "baselines/index.d.ts",
  "treedec/index.d.ts",
  "clients/index.d.ts",
  "parallel/index.d.ts",
];
const seen = new Set(pending);

await rm(to, { recursive: true, force: true });
for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
  const text = await readFile(join(from, file), "utf8");
  for (const [, specifier] of text.matchAll(/(?:\bfrom |\bimport\(|\bimport )"(\.[^"]*)\.js"/g)) {
    const target = join(dirname(file), `${specifier}.d.ts`);
    if (target.startsWith("..")) {
      console.error(`types: ${file} reaches ${relative(".", target)}, expected declarations of src/ alone.`);
      process.exit(1);
    }
    if (!seen.has(target)) pending.push(target);
    seen.add(target);
  }
  await mkdir(dirname(join(to, file)), { recursive: true });
  await copyFile(join(from, file), join(to, file));
}
console.log(`types: ${seen.size} declarations`);
