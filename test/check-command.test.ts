/**
 * `phloem check` as a user meets it, with a stand-in for the analysis: it reports each `@rule` that a project's files have,
 * as an error, or a warning with `@rule?`. What it is asked is recorded.
 */

import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import ajvDraft04 from "ajv-draft-04";
import addFormats from "ajv-formats";
import type { Log } from "sarif";
import { describe, expect, test } from "vitest";
import type { CheckProgram, CheckRequest } from "../src/check/check-request.js";
import { type Diagnostic, type Finding, RULES, type RuleName } from "../src/check/finding.js";
import { run } from "../src/cli/run.js";
import { type Files, Sink, temporaryProjects, write } from "./support/command.js";

const project = temporaryProjects();

/** The stand-in, and the requests that it got. */
function standIn() {
  const requests: CheckRequest[] = [];
  const analyse: CheckProgram = async (request) => {
    requests.push(request);
    request.onProgress?.("parsing", 1, 2);
    const files = request.entries.map((path) => ({
      path,
      text: readFileSync(join(request.root, path), "utf8"),
    }));
    const diagnostics: Diagnostic[] = [];
    const findings: Finding[] = [];
    const comments = files.flatMap(({ path: file, text }) =>
      Array.from(text.matchAll(/\/\/(.*)/g), ({ 0: all, 1: text, index: start }) => ({
        ...{ file, start, end: start + all.length, text },
      })),
    );
    for (const { path: file, text } of files) {
      text.split("\n").forEach((source, i) => {
        for (const [mark, what, maybe] of source.matchAll(/@([a-z-]+)(\??)/g)) {
          const column = source.indexOf(mark) + 1;
          const severity = maybe === "" ? "error" : "warning";
          const place = { file, line: i + 1, column };
          if (what === "syntax") diagnostics.push({ ...place, severity, message: "Expected an expression." });
          if (!request.rules.includes(what as RuleName)) continue;
          findings.push({
            ...{ rule: what as RuleName, severity, ...place, name: "x", message: "x is read too early." },
            ...{ endLine: i + 1, endColumn: column + mark.length },
            witness: [
              { kind: "evaluates", file, line: 1, column: 1, message: file },
              { kind: "calls", file, line: 1, column: 3, message: "start()" },
              { kind: "reads", ...place, message: "x" },
              { kind: "initializes", file: "b c.js", line: 10, column: 7, message: "x = 1" },
            ],
          });
        }
      });
    }
    const statistics = { files: files.length, procedures: 3, milliseconds: { parse: 1, solve: 2 } };
    return { findings: findings.reverse(), diagnostics, files, comments, statistics };
  };
  return { requests, analyse };
}

async function phloem(cwd: string, argv: readonly string[], terminal = false) {
  const { requests, analyse } = standIn();
  const stdout = new Sink(terminal);
  const stderr = new Sink(terminal);
  const stdin = (async function* () {})();
  const exit = await run(["check", ...argv], { stdin, stdout, stderr, cwd: () => cwd }, analyse);
  return { exit, out: stdout.text, error: stderr.text, requests };
}

interface Expected {
  readonly exit?: 0 | 1;
  /** `file:line rule severity` of what is reported. */
  readonly findings?: readonly string[];
  readonly diagnostics?: readonly string[];
  readonly request?: Partial<CheckRequest>;
  readonly summary?: Readonly<Record<string, number>>;
}

/** Runs the command for JSON, and compares what is given of the outcome. */
async function check(files: Files | string, argv: readonly string[], expected: Expected): Promise<string> {
  const folder = typeof files === "string" ? files : project(files);
  const { exit, out, error, requests } = await phloem(folder, ["--json", ...argv]);
  expect(error).toBe("");
  const { findings, diagnostics, summary } = JSON.parse(out);
  if (expected.findings !== undefined) {
    const found = findings.map((one: Finding) => `${one.file}:${one.line} ${one.rule} ${one.severity}`);
    expect(found).toEqual(expected.findings);
  }
  if (expected.diagnostics !== undefined) {
    expect(diagnostics.map(({ file, message }: Diagnostic) => `${file}: ${message}`)).toEqual(
      expected.diagnostics,
    );
  }
  if (expected.exit !== undefined) expect(exit).toBe(expected.exit);
  expect(requests).toMatchObject([{ root: folder, ...expected.request }]);
  expect(summary).toMatchObject(expected.summary ?? {});
  return folder;
}

/** The one sentence of a command that must fail. */
async function sentence(files: Files, argv: readonly string[], expected: string | RegExp): Promise<void> {
  const { exit, out, error, requests } = await phloem(project(files), argv);
  expect({ exit, out, requests }).toEqual({ exit: 2, out: "", requests: [] });
  expect(error).toMatch(/^phloem: [^\n]+\.\n$/);
  if (typeof expected === "string") expect(error).toBe(`phloem: ${expected}\n`);
  else expect(error).toMatch(expected);
}

const EARLY = "f(@use-before-init);";

describe("entries", () => {
  const files = {
    "package.json": '{ "exports": { ".": "./src/a.js", "./gone": "./gone.js", "./x/*": "./x/*.js" } }',
    "src/a.js": "",
    "src/b.ts": "",
    "x/c.js": "",
    "x/d.js": "",
    "node_modules/m/index.js": "",
  };
  const cases: readonly [argv: string[], entries: string[], files?: Files][] = [
    [[], ["src/a.js", "x/c.js", "x/d.js"]],
    [["."], ["src/a.js", "x/c.js", "x/d.js"]],
    [["src/b.ts"], ["src/b.ts"]],
    [
      ["./src/b.ts", "src/b.ts", "src/a.js"],
      ["src/b.ts", "src/a.js"],
    ],
    [["**/*.js"], ["src/a.js", "x/c.js", "x/d.js"]],
    [["./x/{c,d}.js"], ["x/c.js", "x/d.js"]],
    [["node_modules/m"], ["node_modules/m/index.js"]],
    [["[id].js"], ["[id].js"], { "[id].js": "" }],
    [
      [],
      ["a.js", "b.js"],
      { "phloem.config.json": '{ "entries": ["a.js", "b*.js"] }', "a.js": "", "b.js": "" },
    ],
    [[], ["src/index.ts"], { "src/index.ts": "" }],
  ];
  test.each(cases)("%j", async (argv, entries, other = files) => {
    await check(other, argv, { exit: 0, request: { entries } });
  });

  test("what package.json names and is not there is said", async () => {
    const diagnostics = [
      'package.json: exports["./gone"]: got ./gone.js, expected a file that exists; it is not checked.',
    ];
    await check(files, [], { exit: 0, diagnostics });
  });
});

describe("configuration", () => {
  const source = { "a.js": `${EARLY} // @dead-store @unreachable-code?` };
  const on = ["use-before-init", "unreachable-code"];
  const configs: readonly [what: string, files: Files, argv: string[], request: Partial<CheckRequest>][] = [
    ["none", {}, [], { rules: on as RuleName[], callbacks: "later" }],
    ["json", { "phloem.config.json": '\ufeff{ "callbacks": "now" }' }, [], { callbacks: "now" }],
    ["js", { "phloem.config.mjs": 'export default { callbacks: "now" };' }, [], { callbacks: "now" }],
    ["cjs", { "phloem.config.cjs": 'module.exports = { callbacks: "now" };' }, [], { callbacks: "now" }],
    ["package.json", { "package.json": '{ "phloem": { "callbacks": "now" } }' }, [], { callbacks: "now" }],
    ["asked for", { "c/x.json": '{ "callbacks": "now" }' }, ["--config", "c/x.json"], { callbacks: "now" }],
    [
      "an option goes first",
      { "phloem.config.json": '{ "callbacks": "now" }' },
      ["--callbacks", "later"],
      { callbacks: "later" },
    ],
    ["a rule", {}, ["--rule", "dead-store"], { rules: ["dead-store"] }],
    [
      "rules",
      {},
      ["--rule", "dead-store", "--rule", "use-before-init,dead-store"],
      { rules: ["use-before-init", "dead-store"] },
    ],
    [
      "taint",
      { "phloem.config.json": '{ "taint": { "sources": ["f"], "sinks": ["g"] } }' },
      [],
      {
        rules: [...on, "tainted-sink"] as RuleName[],
        taint: { sources: ["f"], sinks: [{ name: "g" }], sanitizers: [] },
      },
    ],
  ];
  test.each(configs)("%s", async (_, files, argv, request) => {
    await check({ ...source, ...files }, ["a.js", ...argv], { request });
  });

  const levels: readonly [rules: object, argv: string[], findings: string[], exit: 0 | 1][] = [
    [{}, [], ["a.js:1 use-before-init error", "a.js:1 unreachable-code warning"], 1],
    [{ "use-before-init": "off" }, [], ["a.js:1 unreachable-code warning"], 0],
    [{ "use-before-init": "warning", "unreachable-code": "off" }, [], ["a.js:1 use-before-init warning"], 0],
    [{ "use-before-init": "off", "unreachable-code": "error" }, [], ["a.js:1 unreachable-code error"], 1],
    [{ "use-before-init": "off" }, ["--rule", "use-before-init"], ["a.js:1 use-before-init error"], 1],
  ];
  test.each(levels)("rules %j with %j", async (rules, argv, findings, exit) => {
    const files = { ...source, "phloem.config.json": JSON.stringify({ rules }) };
    await check(files, ["a.js", ...argv], { findings, exit });
  });

  test("ignored files are analysed and not reported, nor their comments", async () => {
    const text = `${EARLY}\nx; // phloem-ignore\n@syntax`;
    const files = {
      "phloem.config.json": '{ "ignore": ["gen/", "./b.js", "**/*.min.js"] }',
      ...{ "gen/.x/a.js": text, "b.js": text, "lib/c.min.js": text, "lib/d.js": EARLY },
    };
    const findings = ["lib/d.js:1 use-before-init error"];
    await check(files, ["**/*.js", "gen/.x/a.js"], { findings, diagnostics: [], summary: { failures: 0 } });
  });
});

describe("comments", () => {
  const files = { "a.js": `${EARLY} // phloem-ignore use-before-init -- known\nx; // phloem-ignore` };
  test("silence findings, and are reported when they silence none", async () => {
    const findings = ["a.js:2 unused-ignore warning"];
    await check(files, ["a.js"], { findings, exit: 0, summary: { ignored: 1, warnings: 1, errors: 0 } });
    await check(files, ["a.js", "--max-warnings", "0"], { findings, exit: 1 });
    await check(files, ["a.js", "--rule", "use-before-init"], { findings: [], exit: 0 });
  });

  test("their rule has a level like others", async () => {
    for (const level of ["off", "error"]) {
      const config = JSON.stringify({ rules: { "unused-ignore": level } });
      const findings = level === "off" ? [] : ["a.js:2 unused-ignore error"];
      await check({ ...files, "phloem.config.json": config }, ["a.js"], { findings });
    }
  });
});

describe("exit codes", () => {
  const cases: readonly [source: string, argv: string[], exit: 0 | 1][] = [
    ["", [], 0],
    ["@use-before-init", [], 1],
    ["@use-before-init?", [], 0],
    ["@use-before-init? @unreachable-code?", ["--max-warnings", "2"], 0],
    ["@use-before-init? @unreachable-code?", ["--max-warnings", "1"], 1],
    ["@syntax", [], 1],
    ["@syntax?", ["--max-warnings", "0"], 0],
  ];
  test.each(cases)("%s with %j", async (source, argv, exit) => {
    await check({ "a.js": source }, ["a.js", ...argv], { exit });
  });
});

describe("baseline", () => {
  test("is written, knows, is outdated, is written anew", async () => {
    const folder = project({ "index.js": `${EARLY}\n${EARLY}\n@unreachable-code?` });
    const written = await phloem(folder, ["--write-baseline"]);
    expect(written).toMatchObject({ exit: 0, error: "", out: "phloem-baseline.json: 3 findings written.\n" });
    const argv = ["--baseline", "phloem-baseline.json"];
    await check(folder, argv, { findings: [], diagnostics: [], exit: 0, summary: { known: 3 } });
    await check(folder, [], { findings: [], diagnostics: [], exit: 0, summary: { known: 3 } });

    write(folder, "index.js", `\n\n${EARLY}\ng(@use-before-init);`);
    await check(folder, argv, {
      findings: ["index.js:4 use-before-init error"],
      diagnostics: [
        'phloem-baseline.json: The baseline has a finding of unreachable-code for "x" in index.js that no longer occurs; --write-baseline forgets what is gone.',
        'phloem-baseline.json: The baseline has a finding of use-before-init for "x" in index.js that no longer occurs; --write-baseline forgets what is gone.',
      ],
      exit: 1,
      summary: { known: 1, failures: 0 },
    });
    await phloem(folder, [...argv, "--write-baseline"]);
    await check(folder, argv, { findings: [], diagnostics: [], exit: 0 });
  });

  test("what a run cannot judge is neither stale nor forgotten", async () => {
    const folder = project({
      "package.json":
        '{ "exports": { "./a": "./a.js", "./b": "./b.js" }, "phloem": { "baseline": "old.json" } }',
      "a.js": `${EARLY} @unreachable-code?`,
      "b.js": EARLY,
    });
    await phloem(folder, ["--write-baseline"]);
    const all = readFileSync(join(folder, "old.json"), "utf8");
    await check(folder, ["a.js"], { findings: [], diagnostics: [] });
    await check(folder, ["--rule", "unreachable-code"], { findings: [], diagnostics: [] });
    await phloem(folder, ["a.js", "--rule", "unreachable-code", "--write-baseline"]);
    expect(readFileSync(join(folder, "old.json"), "utf8")).toBe(all);
  });

  test("is written where it was asked for", async () => {
    const folder = project({ "a.js": EARLY });
    const { exit } = await phloem(folder, ["a.js", "--baseline", "no/b.json", "--write-baseline"]);
    expect({ exit, made: existsSync(join(folder, "no")) }).toEqual({ exit: 2, made: false });
    await phloem(folder, ["a.js", "--baseline", "b.json", "--write-baseline"]);
    await check(folder, ["a.js", "--baseline", "b.json"], { findings: [], exit: 0 });
  });
});

describe("what is wrong is said in one sentence", () => {
  const file = { "a.js": "" };
  const cases: readonly [what: string, files: Files, argv: string[], sentence: string | RegExp][] = [
    [
      "no such file",
      file,
      ["b.js"],
      "b.js: got no such file, expected an entry: a module, a folder or a glob.",
    ],
    ["an empty entry", file, [""], 'Entries: got "", expected a module, a folder or a glob.'],
    [
      "an entry that is no file",
      file,
      ["/dev/null"],
      "/dev/null: got neither a file nor a folder, expected an entry: a module, a folder or a glob.",
    ],
    [
      "an empty configuration's name",
      file,
      ["a.js", "--config", ""],
      '"": got a directory, expected a file.',
    ],
    ["no match", file, ["b*.js"], "b*.js: got no matching file, expected at least one."],
    [
      "no entries",
      file,
      [],
      "Entries: got none, expected paths of modules, exports, module, main or bin in package.json that exist, index.* or src/index.*.",
    ],
    ["an unknown rule", file, ["a.js", "--rule", "no-undef"], /Expected use-before-init, .* or tainted-sink/],
    ["an unknown format", file, ["a.js", "--format", "xml"], /Allowed choices are text, json, sarif/],
    [
      "two formats",
      file,
      ["a.js", "--json", "--format", "sarif"],
      "Format: got --json and --format sarif, expected one of them.",
    ],
    ["no number", file, ["a.js", "--max-warnings", "-1"], /Expected a number, 0 or more/],
    [
      "no baseline",
      file,
      ["a.js", "--baseline", "b.json"],
      "b.json: got no such file, expected a baseline made by --write-baseline.",
    ],
    ["no configuration", file, ["a.js", "--config", "c.json"], /^phloem: c.json: got no such file/],
    ["no configuration module", file, ["a.js", "--config", "c.mjs"], /^phloem: c.mjs: got no such file/],
    [
      "a broken one",
      { ...file, "phloem.config.json": "{" },
      ["a.js"],
      /^phloem: phloem.config.json: got text that is no JSON/,
    ],
    [
      "a wrong one",
      { ...file, "phloem.config.json": '{ "entry": 1 }' },
      ["a.js"],
      /^phloem: phloem.config.json: .* "entry"/,
    ],
    [
      "one that throws",
      { ...file, "phloem.config.mjs": 'throw new Error("no")' },
      ["a.js"],
      "phloem.config.mjs: got no, expected a module that loads.",
    ],
    [
      "one without a value",
      { ...file, "phloem.config.mjs": "export {};" },
      ["a.js"],
      "phloem.config.mjs: got no default export, expected the configuration.",
    ],
    [
      "a wrong key in package.json",
      { ...file, "package.json": '{ "phloem": [] }' },
      ["a.js"],
      /^phloem: package.json, key phloem: the configuration: got \[\]/,
    ],
  ];
  test.each(cases)("%s", (_, files, argv, expected) => sentence(files, argv, expected));

  test("a link that leads back to itself", async () => {
    const folder = project(file);
    symlinkSync("loop.js", join(folder, "loop.js"));
    const { exit, error } = await phloem(folder, ["loop.js"]);
    expect({ exit, error }).toEqual({
      exit: 2,
      error: "phloem: loop.js: got a symbolic link that leads back to itself, expected a path that exists.\n",
    });
  });

  test("a report that cannot be written", async () => {
    const { exit, error } = await phloem(project(file), ["a.js", "--output", "no/such/folder"]);
    expect({ exit, error }).toEqual({
      exit: 2,
      error: "phloem: no/such/folder: got no such file, expected a path that exists.\n",
    });
  });
});

const sample = {
  "a.js": `start();\n\n${EARLY}\n`,
  "b c.js": "x; // phloem-ignore dead-store, unreachable-code\n@syntax\n",
};

describe("text", () => {
  test("frames, witness and summary", async () => {
    const { exit, out } = await phloem(project(sample), ["*.js"]);
    expect(exit).toBe(1);
    expect(out).toBe(`b c.js:2:1  error  Expected an expression.

  1 | x; // phloem-ignore dead-store, unreachable-code
> 2 | @syntax
    | ^
  3 |

a.js:3:3  error  x is read too early.  use-before-init

  1 | start();
  2 |
> 3 | f(@use-before-init);
    |   ^^^^^^^^^^^^^^^^
  4 |

  a.js:1:1     evaluates          a.js
  a.js:1:3     calls              start()
  a.js:3:3     reads              x
  b c.js:10:7  initialized later  x = 1

b c.js:1:4  warning  This comment silences no finding of unreachable-code: line 1 has none.  unused-ignore

> 1 | x; // phloem-ignore dead-store, unreachable-code
    |    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  2 | @syntax
  3 |

1 error and 1 warning in 2 files, 3 procedures (1 failure to analyse); 3 ms.
`);
  });

  test("nothing found", async () => {
    const { out } = await phloem(project({ "a.js": `${EARLY} // phloem-ignore` }), ["a.js"]);
    expect(out).toBe("No findings in 1 file, 3 procedures (1 silenced by comments); 3 ms.\n");
  });

  test("of a very long line the part around the finding", async () => {
    const files = { "a.js": `${"a;".repeat(500_000)}\n${"b;".repeat(5_000)}${EARLY}${"c;".repeat(500_000)}` };
    const { out } = await phloem(project(files), ["a.js"]);
    expect(out.length).toBeLessThan(2_000);
    expect(out).toMatch(/^> 2 \| (?:b;)+f\(@use-before-init\);(?:c;)+\n {4}\| +\^{16}$/m);
    const [, marked, marks] = /> 2 \| (.*)\n {4}\| (.*)/.exec(out) ?? [];
    expect(marks.indexOf("^")).toBe(marked.indexOf("@"));
  });

  test.each([
    ["a terminal", [], true],
    ["a terminal without colours", ["--no-color"], false],
  ])("colours on %s", async (_, argv, coloured) => {
    const { out } = await phloem(project(sample), ["*.js", ...argv], true);
    expect(out.includes("\u001b[")).toBe(coloured);
  });

  test("to a file, plain, and the summary to standard output", async () => {
    const folder = project(sample);
    const { exit, out } = await phloem(folder, ["*.js", "--output", "report.txt"], true);
    expect(exit).toBe(1);
    expect(out.split("\n").length).toBe(2);
    const report = readFileSync(join(folder, "report.txt"), "utf8");
    expect(report).toContain("> 3 | f(@use-before-init);");
    expect(report).not.toContain("\u001b[");
  });
});

test("JSON has what its description says, in this order", async () => {
  const { out } = await phloem(project(sample), ["*.js", "--format", "json"]);
  const { findings, diagnostics, summary, ...others } = JSON.parse(out);
  expect(others).toEqual({});
  expect(findings.length).toBe(2);
  expect(Object.entries(findings[0])).toEqual([
    ["rule", "use-before-init"],
    ["severity", "error"],
    ["file", "a.js"],
    ["line", 3],
    ["column", 3],
    ["name", "x"],
    ["message", "x is read too early."],
    ["witness", expect.any(Array)],
  ]);
  expect(findings[0].witness[3]).toEqual({
    ...{ kind: "initializes", file: "b c.js", line: 10, column: 7, message: "x = 1" },
  });
  expect(diagnostics).toEqual([
    { severity: "error", file: "b c.js", line: 2, column: 1, message: "Expected an expression." },
  ]);
  expect(summary).toEqual({
    ...{ files: 2, procedures: 3, errors: 1, warnings: 1, failures: 1, ignored: 0, known: 0 },
    milliseconds: { parse: 1, solve: 2 },
  });
});

describe("SARIF", () => {
  const ajv = new ajvDraft04.default({ strict: false, allErrors: true, unicodeRegExp: false });
  addFormats.default(ajv as unknown as Parameters<typeof addFormats.default>[0]);
  const schema = join(import.meta.dirname, "fixtures/sarif/sarif-2.1.0-rtm.5.json");
  const validate = ajv.compile(JSON.parse(readFileSync(schema, "utf8")));

  async function sarif(files: Files, argv: readonly string[]): Promise<Log> {
    const { out } = await phloem(project(files), [...argv, "--format", "sarif"]);
    const log = JSON.parse(out);
    validate(log);
    expect(validate.errors).toBeNull();
    return log;
  }

  test("the schema refuses what is no SARIF", () => {
    expect(validate({ version: "2.1.0", runs: [{}] })).toBe(false);
  });

  test("nothing found", async () => {
    const { runs } = await sarif({ "a.js": "" }, ["a.js"]);
    expect(runs[0].results).toEqual([]);
    expect(runs[0].tool.driver.rules?.map(({ id }) => id)).toEqual([...RULES, "unused-ignore"]);
  });

  test("results, code flows and diagnostics", async () => {
    const { runs } = await sarif(sample, ["*.js"]);
    const [{ results = [], invocations = [], tool }] = runs;
    const [first, second] = results;
    expect(first).toMatchObject({
      ruleId: "use-before-init",
      level: "error",
      message: { text: "x is read too early." },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: "a.js", uriBaseId: "%SRCROOT%" },
            region: { startLine: 3, startColumn: 3, endLine: 3, endColumn: 19 },
          },
        },
      ],
    });
    expect(tool.driver.rules?.[first.ruleIndex ?? -1].id).toBe("use-before-init");
    expect(second.locations?.[0].physicalLocation?.artifactLocation?.uri).toBe("b%20c.js");
    expect(second.codeFlows).toBeUndefined();
    const steps = first.codeFlows?.[0].threadFlows[0].locations ?? [];
    expect(steps.map(({ location, executionOrder }) => [location?.message?.text, executionOrder])).toEqual([
      ["a.js", 1],
      ["start()", 2],
      ["x", 3],
      ["x = 1", 4],
    ]);
    expect(invocations[0].toolExecutionNotifications).toMatchObject([
      { level: "error", message: { text: "Expected an expression." } },
    ]);
  });

  test("fingerprints outlast moved lines, and differ for equal lines", async () => {
    const prints = async (source: string) =>
      (await sarif({ "a.js": source }, ["a.js"])).runs[0].results?.map(
        ({ partialFingerprints }) => partialFingerprints?.["phloem/v1"],
      );
    const before = await prints(`${EARLY}\n${EARLY}`);
    expect(new Set(before).size).toBe(2);
    expect(await prints(`\n\n  ${EARLY}\n\n${EARLY}`)).toEqual(before);
  });
});

test("help names every option", async () => {
  const { exit, out } = await phloem(project({}), ["--help"]);
  expect(exit).toBe(0);
  for (const option of ["format", "json", "rule", "config", "baseline", "write-baseline"]) {
    expect(out).toContain(`--${option}`);
  }
  for (const option of ["max-warnings", "callbacks", "output", "no-color"])
    expect(out).toContain(`--${option}`);
  expect(out).toContain("$ phloem check");
});
