/**
 * The rule `use-before-init` held against Node on random programs of modules: each early read that happens is found, at its
 * place and under its name; where a program's text says all that happens, what is called an error happens.
 */

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodeHost } from "../src/javascript/modules/host/node.js";
import { differences, earlyReadFindings } from "./support/early-read-comparison.js";
import { runInNode } from "./support/node-oracle.js";
import { randomModules } from "./support/random-modules.js";

const { parse } = nodeHost(join(import.meta.dirname, ".."));
const COUNT = 100;

describe.each([
  { name: "without branches", branches: false },
  { name: "with branches", branches: true },
])("random programs $name", ({ branches }) => {
  test(`${COUNT} of them`, async () => {
    const programs = Array.from({ length: COUNT }, (_, seed) => randomModules(seed, { branches }));
    const observations = runInNode(programs);
    expect(observations.filter(({ reads }) => 0 < reads.length).length).toBeGreaterThan(COUNT / 3);
    for (const [seed, program] of programs.entries()) {
      const findings = await earlyReadFindings(program, parse);
      const wrong = differences(program, observations[seed], findings, !branches);
      if (0 < wrong.length) throw new Error(`seed ${seed}: ${wrong.join("; ")}, in\n${show(program.files)}`);
    }
  });
});

/** In the form of the annotated fixtures. */
function show(files: Readonly<Record<string, string>>): string {
  return Object.entries(files)
    .map(([file, text]) => `// @filename: ${file}\n${text}`)
    .join("");
}
