/** Java programs as a virtual machine ran them: everything observed is allowed by the analyses. */

import { describe, expect, test } from "vitest";
import { type LoadOptions, load } from "../src/jvm/load.js";
import { readFixture, readLines } from "./support/fixtures.js";
import { replay } from "./support/java-trace.js";

const programs: Record<string, readonly string[]> = {
  Exceptions: ["Exceptions"],
  Loops: ["Loops"],
  Switches: ["Switches", "Switches$1", "Switches$Color"],
  Lambdas: ["Lambdas", "Lambdas$Step"],
  Objects: [
    "Objects",
    "Objects$1",
    "Objects$Base",
    "Objects$Counter",
    "Objects$Lazy",
    "Objects$Named",
    "Objects$Shape",
    "Objects$Square",
  ],
  Subroutine: ["Subroutine"],
};

/** Definitions of static fields pass handlers of callers only by the second. */
const options: readonly LoadOptions[] = (["handlers", "throwing"] as const).flatMap((exceptions) =>
  (["hierarchy", "rapid"] as const).map((calls) => ({ exceptions, calls, statics: "all" as const })),
);

describe.each(Object.keys(programs))("%s", (name) => {
  const classes = programs[name].map((file) => readFixture(`java/${file}.class`));
  const trace = readLines(`java/${name}.trace.gz`);

  test.each(options)("exceptions: $exceptions, calls: $calls", (loadOptions) => {
    const jvm = load(
      programs[name].map((file, i) => [`${file}.class`, classes[i]]),
      loadOptions,
    );
    expect(jvm.diagnostics).toEqual([]);
    const { differences, counts } = replay(jvm, classes, trace, loadOptions.exceptions === "throwing");
    expect(differences).toEqual([]);
    expect(counts.instructions).toBeGreaterThan(90);
    expect(Math.min(counts.definitions, counts.live, counts.calls)).toBeGreaterThan(3);
  });
});

test("what is not allowed is seen: exceptions happened", () => {
  const bytes = readFixture("java/Exceptions.class");
  const jvm = load([["Exceptions.class", bytes]], { exceptions: "none" });
  const { differences } = replay(jvm, [bytes], readLines("java/Exceptions.trace.gz"), true);
  expect(differences.length).toBeGreaterThan(10);
});
