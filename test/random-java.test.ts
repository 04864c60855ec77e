/**
 * Random Java programs, compiled and run one instruction at a time: everything observed is allowed by the analyses. Needs a JDK; as
 * many more as you like are `npm run bench -- random-java`.
 */

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { load } from "../src/jvm/load.js";
import { missingJdk, runJava } from "./support/java-oracle.js";
import { observe, replay } from "./support/java-trace.js";
import { randomJava } from "./support/random-java.js";

const COUNT = 6;
const missing = missingJdk();
const where = missing === undefined ? "" : ` (skipped: ${missing})`;

describe.skipIf(missing !== undefined)(`random Java programs${where}`, () => {
  test(`${COUNT} of them`, { timeout: 300_000 }, () => {
    const programs = Array.from({ length: COUNT }, (_, seed) => randomJava(seed));
    const runs = runJava(programs, join(import.meta.dirname, "fixtures", "java"));
    let instructions = 0;
    for (const [seed, run] of runs.entries()) {
      const { differences, counts } = observe(run, seed);
      if (0 < differences.length)
        throw new Error(`seed ${seed}: ${differences.join("; ")}, in\n${programs[seed].source}`);
      instructions += counts.instructions;
    }
    // That the oracle says something: without exceptions, and initializers in the middle, not everything is allowed.
    const first = load(runs[0].classes, { exceptions: "none", statics: "all" });
    const bytes = runs[0].classes.map(([, each]) => each);
    expect(replay(first, bytes, runs[0].trace, true).differences.length).toBeGreaterThan(0);
    expect(instructions).toBeGreaterThan(500 * COUNT);
  });
});

test("the same program for the same seed", () => {
  expect(randomJava(7)).toEqual(randomJava(7));
  expect(randomJava(7)).not.toEqual(randomJava(8));
});
