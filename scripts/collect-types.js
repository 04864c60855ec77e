// Copies from build/types to dist/types the declarations that the public entry points reach, and fails where one reaches
// out of src/, as a package has neither assembly/ nor build/, or names a package that is not installed with this one.
import { copyFile, mkdir, readFile, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

const from = "build/types/src";
const to = "dist/types";
const { dependencies, exports, peerDependencies } = JSON.parse(await readFile("package.json", "utf8"));
const installed = Object.keys({ ...dependencies, ...peerDependencies });
const pending = Object.values(exports).flatMap(({ types }) =>
  types === undefined ? [] : [relative(to, types)],
);
const seen = new Set(pending);

const fail = (problem) => {
  console.error(`types: ${problem}`);
  process.exit(1);
};

await rm(to, { recursive: true, force: true });
for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
  const code = (await readFile(join(from, file), "utf8")).replace(/\/\*[\s\S]*?\*\//g, "");
  for (const [, specifier] of code.matchAll(/(?:\bfrom |\bimport\(|\bimport )"([^"]*)"/g)) {
    if (!specifier.startsWith(".")) {
      if (installed.some((name) => specifier === name || specifier.startsWith(`${name}/`))) continue;
      fail(`${file} names ${specifier}, expected packages that are dependencies.`);
    }
    const target = join(dirname(file), specifier.replace(/\.js$/, ".d.ts"));
    if (target.startsWith(".."))
      fail(`${file} reaches ${relative(".", target)}, expected declarations of src/ alone.`);
    if (!seen.has(target)) pending.push(target);
    seen.add(target);
  }
  await mkdir(dirname(join(to, file)), { recursive: true });
  await copyFile(join(from, file), join(to, file));
}
console.log(`types: ${seen.size} declarations`);
