/** Comments that silence findings, on sources that mark where there is one. */

import { describe, expect, test } from "vitest";
import { type Finding, RULES, type RuleName } from "../src/check/finding.js";
import { SourceLines } from "../src/check/source-lines.js";
import { suppress } from "../src/check/suppress.js";

interface Expected {
  /** Lines whose findings are left, with the rule if it is not use-before-init. */
  readonly left?: readonly (number | `${number} ${RuleName}`)[];
  /** `line:column name` of findings about comments. */
  readonly unused?: readonly string[];
}

interface Settings {
  readonly rules?: readonly RuleName[];
  readonly allRules?: boolean;
}

/** `@` in the source marks a read with a finding, `@dead-store` one of that rule. */
function check(source: string, expected: Expected, settings: Settings = {}): void {
  const { rules = RULES, allRules = true } = settings;
  const found: Finding[] = [];
  source.split(/\r\n|\n|\r|\u2028/).forEach((text, i) => {
    for (const [, rule = "use-before-init"] of text.matchAll(/@(dead-store)?/g)) {
      found.push(finding(rule as RuleName, i + 1));
    }
  });
  const comments = Array.from(source.matchAll(/\/\/([^\n\r\u2028]*)|\/\*([\s\S]*?)\*\//g), (match) => ({
    file: "a.js",
    start: match.index,
    end: match.index + match[0].length,
    text: match[1] ?? match[2],
  }));
  const sources = new SourceLines([{ path: "a.js", text: source }]);
  const { findings, ignored } = suppress(found, comments.reverse(), sources, { rules, allRules });
  const about = findings.filter(({ rule }) => rule === "unused-ignore");
  const left = findings
    .filter(({ rule }) => rule !== "unused-ignore")
    .map(({ line, rule }) => (rule === "use-before-init" ? line : `${line} ${rule}`));
  expect({ left, unused: about.map(({ line, column, name }) => `${line}:${column} ${name}`) }).toEqual({
    left: [],
    unused: [],
    ...expected,
  });
  expect(ignored).toBe(found.length - left.length);
  for (const { severity, witness, message } of about) {
    expect({ severity, witness }).toEqual({ severity: "warning", witness: [] });
    expect(message).toMatch(/^[A-Z][^\n]+\.$/);
  }
}

const finding = (rule: RuleName, line: number): Finding => ({
  rule,
  severity: "error",
  file: "a.js",
  line,
  column: 1,
  endLine: line,
  endColumn: 2,
  name: "x",
  message: "x is read too early.",
  witness: [],
});

describe("the line that a comment is about", () => {
  const cases: readonly [what: string, source: string, expected: Expected][] = [
    ["its own, beside code", "@x; // phloem-ignore\n@y;", { left: [2] }],
    ["the next one", "// phloem-ignore\n@x;\n@y;", { left: [3] }],
    [
      "the next one with code",
      "@w;\n// phloem-ignore\n\n  // why\n/* and\n what */\n  @x;\n@y;",
      { left: [1, 8] },
    ],
    ["several stacked", "// phloem-ignore use-before-init\n// phloem-ignore dead-store\n@x; @dead-store", {}],
    ["a block beside code", "@x; /* phloem-ignore */\n@y;", { left: [2] }],
    ["a block before code on its line", "/* phloem-ignore */ @x;\n@y;", { left: [2] }],
    ["a block alone", "/* phloem-ignore */\n@x;\n@y;", { left: [3] }],
    ["a block of several lines", "/*\n * phloem-ignore use-before-init\n */\n@x;\n@y;", { left: [5] }],
    ["a block that ends beside code", "/* phloem-ignore\n*/ @x;\n@y;", { left: [3] }],
    ["code before a block of several lines", "@x; /* phloem-ignore\n*/ @y;", { left: [2] }],
    ["a comment before code does not count as code", "/* a */ // phloem-ignore\n@x;", {}],
    ["in JSX", "<a>\n {/* phloem-ignore */}\n {@x}\n {@y}\n</a>", { left: [4] }],
    ["in JSX, beside code", "<a>\n {@x}{/* phloem-ignore */}\n {@y}\n</a>", { left: [3] }],
    ["an empty block beside code", "{ /* phloem-ignore */ } @x;", { unused: [] }],
    ["other line ends", "// phloem-ignore\r\n@x;\r@y;\u2028@z;", { left: [3, 4] }],
    ["none", "@x;\n// phloem-ignore\n", { left: [1], unused: ["2:1 phloem-ignore"] }],
  ];
  test.each(cases)("%s", (_, source, expected) => check(source, expected));
});

describe("rules and reasons", () => {
  const both = "@x; @dead-store";
  const cases: readonly [what: string, source: string, expected: Expected][] = [
    ["none for all", `// phloem-ignore\n${both}`, {}],
    ["one", `// phloem-ignore dead-store\n${both}`, { left: [2] }],
    ["several", `// phloem-ignore dead-store, use-before-init\n${both}`, {}],
    ["several without commas", `// phloem-ignore dead-store use-before-init\n${both}`, {}],
    ["a reason", `// phloem-ignore dead-store -- the host, reads it\n${both}`, { left: [2] }],
    ["a reason alone", `// phloem-ignore -- for now\n${both}`, {}],
    ["an empty reason", `// phloem-ignore --\n${both}`, {}],
    ["no directive: another word", `// phloem-ignored\n${both}`, { left: [2, "2 dead-store"] }],
    ["no directive: a longer one", `// phloem-ignore-file\n${both}`, { left: [2, "2 dead-store"] }],
    ["no directive: in a sentence", `// see phloem-ignore\n${both}`, { left: [2, "2 dead-store"] }],
  ];
  test.each(cases)("%s", (_, source, expected) => check(source, expected));
});

describe("unused", () => {
  const cases: readonly [what: string, source: string, expected: Expected, settings?: Settings][] = [
    ["all", "x; // phloem-ignore", { unused: ["1:4 phloem-ignore"] }],
    ["one", "x; // phloem-ignore dead-store", { unused: ["1:4 dead-store"] }],
    ["one of two", "@x; // phloem-ignore dead-store, use-before-init", { unused: ["1:5 dead-store"] }],
    ["the second about a line", "// phloem-ignore\n@x; // phloem-ignore", { unused: ["2:5 phloem-ignore"] }],
    ["named twice", "x; // phloem-ignore dead-store, dead-store", { unused: ["1:4 dead-store"] }],
    ["no such rule", "@x; // phloem-ignore no-undef", { left: [1], unused: ["1:5 no-undef"] }],
    ["words", "@x; // phloem-ignore it is fine", { left: [1], unused: ["1:5 it"] }],
    ["a rule that did not run", "x; // phloem-ignore dead-store", {}, { rules: ["use-before-init"] }],
    ["not all rules ran", "x; // phloem-ignore", {}, { rules: ["use-before-init"], allRules: false }],
    ["the rule ran", "x; // phloem-ignore dead-store", { unused: ["1:4 dead-store"] }, { allRules: false }],
  ];
  test.each(cases)("%s", (_, source, expected, settings) => check(source, expected, settings));
});

test("very many comments below each other", () => {
  const line = "// phloem-ignore dead-store\n";
  const count = 20_000;
  const comments = Array.from({ length: count }, (_, i) => ({
    file: "a.js",
    start: i * line.length,
    end: (i + 1) * line.length - 1,
    text: line.slice(2, -1),
  }));
  const sources = new SourceLines([{ path: "a.js", text: `${line.repeat(count)}x = 1;` }]);
  const scope = { rules: RULES, allRules: true };
  const { findings, ignored } = suppress([finding("dead-store", count + 1)], comments, sources, scope);
  expect(ignored).toBe(1);
  expect(findings.length).toBe(count - 1);
  expect(findings.at(-1)?.line).toBe(count);
});
