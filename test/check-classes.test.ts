/** `phloem check` on Java: faults where the source says, with the source at hand and without. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync, zipSync } from "fflate";
import { beforeAll, expect, test } from "vitest";
import { phloem, temporaryFolder, write } from "./support/command.js";

const FIXTURES = new URL("fixtures/java-check/", import.meta.url).pathname;
const SOURCE = "org/shop/Faults.java";
const TAINT = {
  sources: ["java.lang.System.getenv"],
  sinks: [{ name: "java.lang.Runtime.exec", arguments: [0] }],
};
const ALL = ["--rule", "unreachable-code,dead-store,tainted-sink"];

const root = temporaryFolder();
beforeAll(() => write(root(), "phloem.config.json", JSON.stringify({ taint: TAINT })));

/** `line rule` of the annotations of the source, and of a report. */
const expected = readFileSync(join(FIXTURES, SOURCE), "utf8")
  .split("\n")
  .flatMap((text, i) => Array.from(text.matchAll(/@([a-z-]+)/g), ([, rule]) => `${i + 1} ${rule}`));

async function check(inputs: readonly string[], options: readonly string[], ignored: number): Promise<void> {
  const paths = inputs.map((input) => join(FIXTURES, input));
  const { stdout, stderr } = await phloem(root(), "check", ...paths, "--json", ...options);
  const { findings, diagnostics, summary } = JSON.parse(stdout);
  expect(stderr).toBe("");
  expect(diagnostics).toEqual([]);
  for (const { file } of findings) expect(`/${file}`.endsWith(`/${SOURCE}`)).toBe(true);
  const found = findings.map(({ line, rule }: { line: number; rule: string }) => `${line} ${rule}`);
  const silenced = ignored === 0 ? ["42 dead-store"] : [];
  expect(found.sort()).toEqual([...expected, ...silenced].sort());
  expect(summary.ignored).toBe(ignored);
}

test("with sources: comments silence", () => check(["faults.jar", "org"], ALL, 1));
test("without sources", () => check(["faults.jar"], ALL, 0));

test("a finding has a frame where its source is at hand, and none where it is not", async () => {
  const jar = join(FIXTURES, "faults.jar");
  const shown = await phloem(root(), "check", jar, join(FIXTURES, SOURCE), "--rule", "unreachable-code");
  expect(shown.stdout).toContain("> 12 |       n = -n; // @unreachable-code");
  const bare = await phloem(root(), "check", jar, "--rule", "unreachable-code");
  expect(bare.stdout).toContain(`${SOURCE}:12:1`);
  expect(bare.stdout).not.toContain("|");
  expect(bare.exit).toBe(0);
});

test("by default, rules that do not apply are left out silently; asked for by name, a sentence says so", async () => {
  const jar = join(FIXTURES, "faults.jar");
  expect((await phloem(root(), "check", jar)).stderr).toBe("");
  expect((await phloem(root(), "check", jar, "--rule", "use-before-init")).stderr).toBe(
    "phloem: rule use-before-init: got Java, expected JavaScript or TypeScript: it did not run.\n",
  );
});

test("handlers of errors of linking run", async () => {
  const path = new URL("fixtures/java/Linking.class", import.meta.url).pathname;
  const { stdout } = await phloem(root(), "check", path, "--rule", "unreachable-code", "--json");
  expect(JSON.parse(stdout).findings).toEqual([]);
});

test("--package: of other classes nothing is said, damage included", async () => {
  const faults = unzipSync(readFileSync(join(FIXTURES, "faults.jar")));
  const archive = zipSync({ ...faults, "org/other/Broken.class": new Uint8Array(9) });
  writeFileSync(join(root(), "broken.jar"), archive);
  const report = async (...options: string[]) => {
    const { stdout } = await phloem(root(), "check", "broken.jar", "--json", ...options);
    const { findings, diagnostics } = JSON.parse(stdout);
    return [findings.length, diagnostics.map(({ message }: { message: string }) => message)];
  };
  const [all, damage] = await report();
  expect(all).toBeGreaterThan(1);
  expect(damage).toEqual([
    "Class org/other/Broken, offset 0: got 0x00000000, expected 0xcafebabe, a class file.",
  ]);
  expect(await report("--package", "org.shop.**")).toEqual([all, []]);
  expect(await report("--package", "org.other.**")).toEqual([0, damage]);
});

test.each([
  ["packages of modules", ["check", "a.js"]],
  ["packages of modules", ["ask", "a.js:1:1", "--entry", "a.js"]],
  ["packages of modules", ["index", "a.js", "-o", "a.phloem"]],
])("%s: %j", async (_, command) => {
  write(root(), "a.js", "let a = 1; a;");
  const { exit, stderr } = await phloem(root(), ...command, "--package", "a.*");
  expect(stderr).toBe("phloem: --package: got modules, expected Java archives or class files.\n");
  expect(exit).toBe(2);
});

test.each([
  [
    "a module beside",
    ["faults.jar", "../../check-classes.test.ts"],
    / got a module beside .*expected one language\.\n$/,
  ],
  ["no such file", ["absent.jar"], /absent\.jar: got no such file/],
])("%s", async (_, inputs, message) => {
  const { exit, stderr } = await phloem(root(), "check", ...inputs.map((input) => join(FIXTURES, input)));
  expect(stderr).toMatch(message);
  expect(exit).toBe(2);
});

test("dead-store says so where classes do not name their variables", async () => {
  const jar = new URL("fixtures/java/Subroutine.class", import.meta.url).pathname;
  const { stdout } = await phloem(root(), "check", jar, "--rule", "dead-store", "--json");
  const [{ message }] = JSON.parse(stdout).diagnostics;
  expect(message).toMatch(/^Got classes without LocalVariableTable, expected .*\.$/);
});

test("tainted-sink has no sources of its own on Java", async () => {
  const { exit, stderr } = await phloem(FIXTURES, "check", "faults.jar", "--rule", "tainted-sink");
  expect(stderr).toMatch(
    /^phloem: tainted-sink: got no taint in the configuration, expected sources and sinks/,
  );
  expect(exit).toBe(2);
});
