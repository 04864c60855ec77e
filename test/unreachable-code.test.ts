/** The rule `unreachable-code` on annotated sources: what is reported is what begins on an annotated line. */

import { expect, test } from "vitest";
import { checkModules } from "../src/javascript/check-modules.js";
import { memoryHost } from "../src/javascript/modules/host/memory.js";

async function check(text: string): Promise<void> {
  const { findings, diagnostics } = await checkModules(
    { entries: ["main.js"], root: "", rules: ["unreachable-code"], callbacks: "later" },
    memoryHost(new Map([["main.js", text]])),
  );
  expect(diagnostics).toEqual([]);
  const lines = text.split("\n");
  const annotated = lines.flatMap((line, i) => (line.endsWith("// ~") ? [i + 1] : []));
  expect(findings.map(({ line }) => line)).toEqual(annotated);
}

const FAIL = "function fail() { throw new Error(); }";

test.each([
  ["after both branches return", "export function f(x) {\n  if (x) return 1; else return 2;\n  x(); // ~\n}"],
  ["after a call that never returns", `${FAIL}\nexport function f(x) {\n  fail();\n  x(); // ~\n}`],
  [
    "behind such a call in a try, but not the handler",
    `${FAIL}\nexport function f(x) {\n  try {\n    fail();\n    x(1); // ~\n  } catch {\n    x(2);\n  }\n  x(3);\n}`,
  ],
  [
    "through a method of a known class",
    `${FAIL}\nclass A { m() { fail(); } }\nconst a = new A();\nexport function f(x) {\n  a.m();\n  x(); // ~\n}`,
  ],
  [
    "after a loop without an end, not after one that is left",
    "export function f(x) {\n  for (;;) { if (x()) break; }\n  x(1);\n  for (;;) { x(2); }\n  x(3); // ~\n}",
  ],
  [
    "a finally block runs, whatever else does not",
    `${FAIL}\nexport function f(x) {\n  try {\n    fail();\n  } finally {\n    x();\n  }\n}`,
  ],
  [
    "a callee that may also return",
    "function g(x) { if (x) throw 1; }\nexport function f(x) {\n  g(x);\n  x();\n}",
  ],
  [
    "a finally block of a generator that is left at its yield, not what follows it",
    "function* g(x) {\n  try {\n    for (;;) yield 1;\n  } finally {\n    x();\n  }\n  x(); // ~\n}\nexport function f(x) {\n  for (const v of g(x)) return v;\n}",
  ],
  [
    "a handler in a generator that others resume",
    "export function* g(x) {\n  try {\n    yield 1;\n  } catch {\n    x();\n  }\n}",
  ],
  ["functions that nobody calls", "function unused(x) {\n  x();\n}\nexport const y = 1;"],
  ["what follows an await", "export async function f(x) {\n  await x();\n  x();\n}"],
])("%s", (_, text) => check(text));
