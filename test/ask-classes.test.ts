/** `phloem ask` and `phloem index` of Java programs, by lines, with the source at hand and without. */

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { beforeAll, expect, test } from "vitest";
import { phloem, temporaryFolder } from "./support/command.js";

const FIXTURES = new URL("fixtures/java-check/", import.meta.url).pathname;
const JAR = ["--entry", "faults.jar"];

const root = temporaryFolder();
beforeAll(() => {
  copyFileSync(join(FIXTURES, "faults.jar"), join(root(), "faults.jar"));
  copyFileSync(join(FIXTURES, "org/shop/Faults.java"), join(root(), "Faults.java"));
});

interface Found {
  readonly name: string;
  readonly place: { readonly line: number } | null;
}

/** Asks, and gives `name line` of what is found, or the answer. */
async function ask(line: number, ...options: string[]): Promise<unknown> {
  const position = `org/shop/Faults.java:${line}`;
  const { stdout, stderr } = await phloem(root(), "ask", position, "--json", ...options);
  expect(stderr).toBe("");
  const [{ found, answer }] = JSON.parse(stdout).answers;
  return found?.map(({ name, place }: Found) => `${name} ${place?.line ?? ""}`.trim()) ?? answer;
}

test.each([
  ["all variables that a line reads", 26, ["n 22", "one 25"]],
  ["a loop", 29, ["sum 22", "square|e 28", "sum 29"]],
  ["what a handler sees: of a try block, what can throw", 40, ["sum 33"]],
])("definitions: %s", async (_, line, expected) => {
  expect(await ask(line, "--definitions", ...JAR)).toEqual(expected);
});

test("live before a line is live where control enters it", async () => {
  // Line 25 writes one and two; line 26 reads one alone.
  expect(((await ask(25, "--live", ...JAR)) as string[]).map((each) => each.split(" ")[0])).toEqual([
    "first",
    "n",
    "sum",
  ]);
});

test.each([
  [56, 52, true],
  [58, 52, false],
  [24, 34, true],
  [35, 43, false],
  [36, 43, true],
])("whether the value of line %i reaches line %i", async (from, to, expected) => {
  expect(await ask(from, "--to", `org/shop/Faults.java:${to}`, ...JAR)).toBe(expected);
});

test.each([
  ["--uninitialized: the verifier sees to it that none is", 29, "--uninitialized", false, []],
  ["--live: the way to the nearest use", 42, "--live", true, ["sum: here 42, uses 43"]],
  [
    "--definitions: the way from the entry",
    26,
    "--definitions",
    true,
    ["n: calls 56, calls 58, begins 22, here 26", "one: calls 56, calls 58, begins 25, here 26"],
  ],
])("--explain %s", async (_, line, question, answer, expected) => {
  const position = `org/shop/Faults.java:${line}`;
  const { stdout, exit } = await phloem(root(), "ask", position, "--json", "--explain", question, ...JAR);
  const [answered] = JSON.parse(stdout).answers;
  expect(answered.answer).toBe(answer);
  expect(exit).toBe(answer ? 0 : 1);
  const told = (answered.found ?? []).map(
    ({ name, steps }: { name: string; steps: { kind: string; line: number }[] }) =>
      `${name}: ${steps.map(({ kind, line }) => `${kind} ${line}`).join(", ")}`,
  );
  expect(told).toEqual(expected);
});

test("--to --explain: the way of a value, into the callee", async () => {
  const options = ["--to", "org/shop/Faults.java:52", "--explain", "--json", ...JAR];
  const { stdout } = await phloem(root(), "ask", "org/shop/Faults.java:56", ...options);
  const [{ steps }] = JSON.parse(stdout).answers;
  expect(steps.map(({ line, holds }: { line: number; holds: string }) => `${line} ${holds}`)).toEqual([
    "56 ",
    "56 the value is in this",
    "56 the value is in command",
    "52 the value is in command",
  ]);
});

test("several questions at several places are answered one after the other", async () => {
  const places = ["org/shop/Faults.java:29", "org/shop/Faults.java:26"];
  const { stdout } = await phloem(root(), "ask", ...places, "--live", "--definitions", "--json", ...JAR);
  expect(
    JSON.parse(stdout).answers.map(({ position, question }: { position: string; question: string }) => [
      position,
      question,
    ]),
  ).toEqual(
    [29, 26].flatMap((line) =>
      ["definitions", "live"].map((question) => [`org/shop/Faults.java:${line}:1`, question]),
    ),
  );
});

test("--package: classes of these packages alone, in saved indexes too", async () => {
  const inShop = ["--package", "org.shop.*"];
  expect(await ask(26, "--definitions", ...JAR, ...inShop)).toEqual(["n 22", "one 25"]);
  const saved = join(root(), "shop.phloem");
  const made = await phloem(root(), "index", "faults.jar", "--client", "liveness", ...inShop, "-o", saved);
  expect(made).toMatchObject({ exit: 0, stderr: "" });
  expect(await ask(26, "--live", "--index", saved)).toEqual(await ask(26, "--live", ...JAR));
  const none = await phloem(root(), "ask", "org/shop/Faults.java:26", ...JAR, "--package", "org.*");
  expect(none).toMatchObject({
    exit: 2,
    stderr: "phloem: faults.jar: got no method with code in org.*, expected one at least.\n",
  });
  const both = await phloem(root(), "ask", "org/shop/Faults.java:26", "--index", saved, ...inShop);
  expect(both.stderr).toMatch(/^phloem: Index: got --index and --package, expected the index alone/);
});

test("a folder of class files, that of the sources beside it", async () => {
  const entries = ["--entry", "classes", "--entry", "src"];
  const bytes = unzipSync(readFileSync(join(root(), "faults.jar")))["org/shop/Faults.class"];
  for (const folder of ["classes/org/shop", "src/org/shop"])
    mkdirSync(join(root(), folder), { recursive: true });
  writeFileSync(join(root(), "classes/org/shop/Faults.class"), bytes);
  copyFileSync(join(root(), "Faults.java"), join(root(), "src/org/shop/Faults.java"));
  const { stdout } = await phloem(root(), "ask", "org/shop/Faults.java:26", ...entries);
  expect(stdout).toContain("> 26 |     two = one * n;");
});

test.each([["org/shop/Faults.java:26"], ["src/main/java/org/shop/Faults.java:26:5"]])(
  "%s is a position: a column says nothing more, a longer path is the file",
  async (position) => {
    expect((await phloem(root(), "ask", position, ...JAR)).stdout).toMatch(/^org\/shop\/Faults\.java:26:1 /);
  },
);

test("a frame where the source is at hand, none where it is not", async () => {
  const entries = [...JAR, "--entry", join(FIXTURES, "org")];
  expect((await phloem(root(), "ask", "org/shop/Faults.java:26", ...entries)).stdout).toContain(
    "> 26 |     two = one * n;",
  );
  expect((await phloem(root(), "ask", "org/shop/Faults.java:26", ...JAR)).stdout).not.toContain("|");
});

test("a saved index answers alike, and is not asked about another archive unawares", async () => {
  const saved = join(root(), "faults.phloem");
  const made = await phloem(root(), "index", "faults.jar", "--client", "liveness", "-o", saved);
  expect(made).toMatchObject({ exit: 0, stderr: "" });
  for (const question of ["--live", "--definitions"])
    expect(await ask(29, question, "--index", saved)).toEqual(await ask(29, question, ...JAR));
  const bytes = readFileSync(join(root(), "faults.jar"));
  writeFileSync(join(root(), "faults.jar"), Buffer.concat([bytes, Buffer.alloc(1)]));
  const { stderr, exit } = await phloem(root(), "ask", "org/shop/Faults.java:29", "--live", "--index", saved);
  writeFileSync(join(root(), "faults.jar"), bytes);
  expect(stderr).toMatch(
    /^phloem: .*faults\.phloem: got 1 of 1 files changed \(faults\.jar\); .* 0 were indexed anew\.\n$/,
  );
  expect(exit).toBe(0);
});

test.each([
  [
    "org/shop/Faults.java",
    /^phloem: position: got "org\/shop\/Faults\.java", expected FILE:LINE, counted from 1\.\n$/,
  ],
  ["Other.java:3", /^phloem: Other\.java:3:1: got file Other\.java, expected one of the program's 1\.\n$/],
  ["org/shop/Faults.java:900", /got line 900, expected 1 to \d+\.\n$/],
  [
    "org/shop/Faults.java:3",
    /got a position without a step, expected one such as the nearest, org\/shop\/Faults\.java:4:1\.\n$/,
  ],
])("%s is refused in one sentence", async (position, message) => {
  const { stderr, exit } = await phloem(root(), "ask", position, ...JAR);
  expect(stderr).toMatch(message);
  expect(exit).toBe(2);
});
