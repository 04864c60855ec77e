/** README.md's code runs, and gives what the comments beside it say; its commands print what it shows. */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";
import { describe, expect, test } from "vitest";
import { checkedCode, readmeBlocks, statedValues } from "./support/readme-code.js";

const root = join(import.meta.dirname, "..");
const blocks = readmeBlocks("ts");

test("the first block is the example of the first screen, and states values", () => {
  expect(blocks[0].line).toBeLessThan(40);
  expect(blocks[0].code.trim().split("\n").length).toBeLessThan(30);
  expect(statedValues(blocks[0])).toBeGreaterThan(1);
});

describe("TypeScript", () => {
  test.each(blocks)("README.md:$line runs", async (block) => {
    const { code } = await transform(checkedCode(block), { loader: "ts", format: "esm" });
    // Below the package's root, so that "phloem" is this package.
    const folder = join(root, "build/readme");
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `line-${block.line}.mjs`);
    writeFileSync(file, code);
    const run = spawnSync(process.execPath, [file], { cwd: root, encoding: "utf8" });
    expect(run.stderr).toBe("");
    expect(run.status).toBe(0);
  });
});

describe("commands", () => {
  const commands = readmeBlocks("console").flatMap(({ code }) =>
    Array.from(code.matchAll(/^\$ phloem (.+)\n((?:(?!\$ ).*\n)*)/gm), ([, command, output]) => ({
      command,
      output,
    })),
  );

  // Times and their derivatives change from run to run; so does the padding of the columns they stand in.
  const steady = (text: string): string =>
    text
      .replace(/\d[\d,.]* ?(?:ns|µs|ms|s)\b/g, "TIME")
      .replace(/[─━-]{3,}/g, "---")
      .replace(/[ \t]+/g, " ")
      .trim();

  test("there are some", () => {
    expect(commands.length).toBeGreaterThan(2);
  });

  test.each(commands)("phloem $command", ({ command, output }) => {
    const printed = execFileSync(process.execPath, [join(root, "dist/cli.js"), ...command.split(" ")], {
      cwd: root,
      encoding: "utf8",
    });
    expect(steady(printed)).toBe(steady(output));
  });
});
