/** The documents' code runs, and gives what the comments beside it say; README.md's commands print what it shows. */

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";
import { describe, expect, test } from "vitest";
import { checkedCode, documentBlocks, statedValues } from "./support/document-code.js";

const root = join(import.meta.dirname, "..");
const blocks = documentBlocks("README.md", "ts");
const documents = readdirSync(join(root, "docs")).filter((file) => file.endsWith(".md"));
const allBlocks = [...blocks, ...documents.sort().flatMap((file) => documentBlocks(`docs/${file}`, "ts"))];

test("the first block of code is the example of the engine, and states values", () => {
  expect(blocks[0].line).toBeLessThan(60);
  expect(blocks[0].code.trim().split("\n").length).toBeLessThan(30);
  expect(statedValues(blocks[0])).toBeGreaterThan(1);
});

describe("TypeScript", () => {
  test.each(allBlocks)("$file:$line runs", async (block) => {
    const { code } = await transform(checkedCode(block), { loader: "ts", format: "esm" });
    // Below the package's root, so that "phloem" is this package.
    const folder = join(root, "build/readme");
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${block.file.replace("/", "-")}-${block.line}.mjs`);
    writeFileSync(file, code);
    const run = spawnSync(process.execPath, [file], { cwd: root, encoding: "utf8" });
    expect(run.stderr).toBe("");
    expect(run.status).toBe(0);
  });
});

describe("commands", () => {
  const commands = documentBlocks("README.md", "console").flatMap(({ code }) =>
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

  test("there are some, and the first screen has the first", () => {
    expect(commands.length).toBeGreaterThan(2);
    expect(documentBlocks("README.md", "console")[0].line).toBeLessThan(12);
    expect(commands[0].command).toMatch(/^check /);
  });

  test.each(commands)("phloem $command", ({ command, output }) => {
    // A command that finds something exits with 1.
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, "dist/cli.js"), ...command.split(" ")],
      { cwd: root, encoding: "utf8" },
    );
    expect(stderr).toBe("");
    expect(steady(stdout)).toBe(steady(output));
  });
});
