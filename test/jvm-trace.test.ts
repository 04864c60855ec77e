/** Java programs as a virtual machine ran them: everything observed is allowed by the analyses. */

import { describe, expect, test } from "vitest";
import { type LoadOptions, load } from "../src/jvm/load.js";
import { readClasses, readFixture, readLines } from "./support/fixtures.js";
import { replay } from "./support/java-trace.js";

const programs = ["Exceptions", "Initializers", "Loops", "Switches", "Lambdas", "Objects", "Subroutine"];

/** Definitions of static fields pass handlers of callers only by the second. */
const options: readonly LoadOptions[] = (["handlers", "throwing"] as const).flatMap((exceptions) =>
  (["hierarchy", "rapid"] as const).map((calls) => ({
    exceptions,
    calls,
    initializers: "use" as const,
    statics: "all" as const,
  })),
);

describe.each(programs)("%s", (name) => {
  const classes = readClasses("java", name);
  const bytes = classes.map(([, each]) => each);
  const trace = readLines(`java/${name}.trace.gz`);

  test.each(options)("exceptions: $exceptions, calls: $calls", (loadOptions) => {
    const jvm = load(classes, loadOptions);
    expect(jvm.diagnostics).toEqual([]);
    const { differences, counts } = replay(jvm, bytes, trace, loadOptions.exceptions === "throwing");
    expect(differences).toEqual([]);
    expect(counts.instructions).toBeGreaterThan(90);
    expect(Math.min(counts.definitions, counts.live, counts.calls)).toBeGreaterThan(3);
  });
});

test("what is not allowed is seen: initializers ran in the middle of main", () => {
  const classes = readClasses("java", "Initializers");
  const jvm = load(classes, { exceptions: "throwing", statics: "all" });
  const bytes = classes.map(([, each]) => each);
  const { differences } = replay(jvm, bytes, readLines("java/Initializers.trace.gz"), true);
  const MAIN = "Initializers.main([Ljava/lang/String;)V";
  expect(differences.length).toBeGreaterThan(0);
  for (const each of differences) expect(each).toContain(`statics: ${MAIN}`);
});

test("what is not allowed is seen: exceptions happened", () => {
  const bytes = readFixture("java/Exceptions.class");
  const jvm = load([["Exceptions.class", bytes]], { exceptions: "none" });
  const { differences } = replay(jvm, [bytes], readLines("java/Exceptions.trace.gz"), true);
  expect(differences.length).toBeGreaterThan(10);
});
