/** The baseline: what it knows again after an edit, what it calls stale, and its file. */

import { describe, expect, test } from "vitest";
import { applyBaseline, baselineOf, formatBaseline, parseBaseline, textHash } from "../src/check/baseline.js";
import type { Finding } from "../src/check/finding.js";
import { SourceLines } from "../src/check/source-lines.js";

/** Findings of `x` where a source has `x@`, of `y` where it has `y@`. */
function project(files: Readonly<Record<string, string>>) {
  const findings = Object.entries(files).flatMap(([file, text]) =>
    text.split("\n").flatMap((line, i) =>
      Array.from(
        line.matchAll(/(\w)@/g),
        ({ 1: name, index }): Finding => ({
          ...{ rule: "use-before-init", severity: "error", file, name, message: "", witness: [] },
          ...{ line: i + 1, column: index + 1, endLine: i + 1, endColumn: index + 2 },
        }),
      ),
    ),
  );
  const sources = new SourceLines(Object.entries(files).map(([path, text]) => ({ path, text })));
  return { findings, sources };
}

type Files = Readonly<Record<string, string>>;

/** What is new, known and stale in `after` by the baseline of `before`. */
function check(before: Files, after: Files, expected: { fresh: string[]; known: number; stale: string[] }) {
  const old = project(before);
  const baseline = parseBaseline(formatBaseline(baselineOf(old.findings, old.sources)), "b.json");
  const { findings, sources } = project(after);
  const { fresh, known, stale } = applyBaseline(findings, baseline, sources);
  expect({
    fresh: fresh.map(({ file, line, name }) => `${file}:${line} ${name}`),
    known,
    stale: stale.map(({ file, name, count }) => `${file} ${name} ${count}`),
  }).toEqual(expected);
}

describe("after an edit", () => {
  const cases: readonly [
    what: string,
    before: Files,
    after: Files,
    fresh: string[],
    known: number,
    stale: string[],
  ][] = [
    ["none", { a: "x@;" }, { a: "x@;" }, [], 1, []],
    ["lines move", { a: "x@;\ny@;" }, { a: "\n\ny@;\n\nx@;" }, [], 2, []],
    ["indentation", { a: "x@;" }, { a: "if (c) {\n\tx@;  \n}" }, [], 1, []],
    ["the line changes", { a: "x@;" }, { a: "f(x@);" }, ["a:1 x"], 0, ["a x 1"]],
    ["another name", { a: "x@;" }, { a: "y@;" }, ["a:1 y"], 0, ["a x 1"]],
    ["another file", { a: "x@;" }, { b: "x@;" }, ["b:1 x"], 0, ["a x 1"]],
    ["one more of a kind", { a: "x@;" }, { a: "x@;\nx@;" }, ["a:2 x"], 1, []],
    ["one less of a kind", { a: "x@;\nx@;\nx@;" }, { a: "x@;" }, [], 1, ["a x 2"]],
    ["two on a line", { a: "x@, x@;" }, { a: "x@, x@;" }, [], 2, []],
    ["gone", { a: "x@;" }, {}, [], 0, ["a x 1"]],
    ["new", {}, { a: "x@;" }, ["a:1 x"], 0, []],
  ];
  test.each(cases)("%s", (_, before, after, fresh, known, stale) =>
    check(before, after, { fresh, known, stale }),
  );
});

describe("the file", () => {
  test("is sorted, one entry a line, and the same whatever the order of findings", () => {
    const { findings, sources } = project({ b: "y@ x@;", a: "x@;\nx@;" });
    const text = formatBaseline(baselineOf(findings, sources));
    expect(formatBaseline(baselineOf([...findings].reverse(), sources))).toBe(text);
    expect(text).toBe(`{
  "version": 1,
  "findings": [
    {"rule":"use-before-init","file":"a","name":"x","source":"${textHash("x@;")}","count":2},
    {"rule":"use-before-init","file":"b","name":"x","source":"${textHash("y@ x@;")}","count":1},
    {"rule":"use-before-init","file":"b","name":"y","source":"${textHash("y@ x@;")}","count":1}
  ]
}
`);
    expect(parseBaseline(formatBaseline([]), "b.json")).toEqual([]);
  });

  const entry = { rule: "dead-store", file: "a", name: "x", source: "0", count: 1 };
  test.each([
    ["", "got text that is no JSON, expected a baseline made by --write-baseline"],
    ["null", "got null, expected an object with version and findings"],
    ["[]", "got a list, expected an object with version and findings"],
    ["{}", "version: got none, expected 1"],
    ['{ "version": 2 }', "version: got 2, expected 1"],
    ['{ "version": 1 }', "got no list under findings, expected one"],
    [JSON.stringify({ version: 1, findings: [entry, null] }), "findings[1]: got null, expected rule,"],
    [
      JSON.stringify({ version: 1, findings: [{ ...entry, count: 0 }] }),
      'findings[0]: got {"rule":"dead-store"',
    ],
    [JSON.stringify({ version: 1, findings: [{ ...entry, name: 1 }] }), "findings[0]: got "],
  ])("%s is refused", (text, problem) => {
    const refused = () => parseBaseline(text, "b.json");
    expect(refused).toThrow(`b.json: ${problem}`);
    expect(refused).toThrow(/^[^\n]+\.$/);
  });
});

test("hashes tell lines apart, and are those of saved files", () => {
  expect(textHash("")).toBe("811c9dc5cbf29ce4");
  const texts = Array.from({ length: 20_000 }, (_, i) => `const x${i} = f(${i % 7});`);
  expect(new Set(texts.map(textHash)).size).toBe(texts.length);
});
