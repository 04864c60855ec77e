/** Configuration, key by key, and the entries that a package.json means. */

import { describe, expect, test } from "vitest";
import { parseConfig, rulesToRun } from "../src/check/config.js";
import type { RuleName } from "../src/check/finding.js";
import { packageEntries } from "../src/check/package-entries.js";
import { InputError } from "../src/exploded/input-error.js";

describe("configuration", () => {
  test("defaults", () => {
    expect(parseConfig({}, "c.json")).toEqual({ rules: {}, callbacks: "later", ignore: [] });
  });

  test("everything", () => {
    const config = {
      entries: ["a.js"],
      rules: { "use-before-init": "warning", "unused-ignore": "off" },
      callbacks: "now",
      taint: { sources: ["read"], sinks: [".query", { name: "eval", arguments: [0] }, { name: "f" }] },
      ignore: ["dist/"],
      baseline: "b.json",
    };
    expect(parseConfig(config, "c.json")).toEqual({
      ...config,
      taint: {
        sources: ["read"],
        sinks: [{ name: ".query" }, { name: "eval", arguments: [0] }, { name: "f" }],
        sanitizers: [],
      },
    });
  });

  test.each<[config: unknown, sentence: string]>([
    [null, "c.json: the configuration: got null, expected an object."],
    [[], "c.json: the configuration: got [], expected an object."],
    [() => {}, "c.json: the configuration: got a function, expected an object."],
    [
      { entry: "a.js" },
      'c.json: the configuration: got the key "entry", expected entries, rules, callbacks, taint, ignore or baseline.',
    ],
    [{ entries: "a.js" }, 'c.json: entries: got "a.js", expected a list.'],
    [{ entries: ["a.js", 1] }, "c.json: entries[1]: got 1, expected a string that is not empty."],
    [{ entries: [""] }, 'c.json: entries[0]: got "", expected a string that is not empty.'],
    [
      { rules: { "no-undef": "error" } },
      'c.json: rules: got the key "no-undef", expected use-before-init, unreachable-code, dead-store, tainted-sink or unused-ignore.',
    ],
    [
      { rules: { "dead-store": "warn" } },
      'c.json: rules["dead-store"]: got "warn", expected "error", "warning" or "off".',
    ],
    [
      { rules: { "dead-store": 2 } },
      'c.json: rules["dead-store"]: got 2, expected "error", "warning" or "off".',
    ],
    [{ callbacks: "soon" }, 'c.json: callbacks: got "soon", expected "later" or "now".'],
    [{ taint: { sources: ["f"] } }, "c.json: taint.sinks: got nothing, expected a list."],
    [
      { taint: { sources: [], sinks: [{}] } },
      "c.json: taint.sinks[0].name: got nothing, expected a string that is not empty.",
    ],
    [
      { taint: { sources: [], sinks: [{ name: "f", arguments: [-1] }] } },
      "c.json: taint.sinks[0].arguments[0]: got -1, expected a position counted from 0.",
    ],
    [{ ignore: "dist" }, 'c.json: ignore: got "dist", expected a list.'],
    [{ baseline: true }, "c.json: baseline: got true, expected a string that is not empty."],
  ])("%j is refused", (config, sentence) => {
    const refused = () => parseConfig(config, "c.json");
    expect(refused).toThrow(InputError);
    expect(refused).toThrow(sentence);
  });

  const taint = { sources: ["f"], sinks: ["g"] };
  test.each<[config: object, asked: RuleName[], run: RuleName[]]>([
    [{}, [], ["use-before-init", "unreachable-code"]],
    [{ rules: { "dead-store": "warning" } }, [], ["use-before-init", "unreachable-code", "dead-store"]],
    [{ rules: { "use-before-init": "off" } }, [], ["unreachable-code"]],
    [{ taint }, [], ["use-before-init", "unreachable-code", "tainted-sink"]],
    [{ taint, rules: { "tainted-sink": "off" } }, [], ["use-before-init", "unreachable-code"]],
    [
      { rules: { "dead-store": "off" } },
      ["dead-store", "use-before-init"],
      ["use-before-init", "dead-store"],
    ],
  ])("%j, asked for %j, runs %j", (config, asked, run) => {
    expect(rulesToRun(parseConfig(config, ""), asked)).toEqual(run);
  });
});

describe("entries of a package", () => {
  interface Case {
    readonly manifest: unknown;
    readonly files: readonly string[];
    readonly entries: readonly string[];
    readonly missing?: readonly string[];
  }
  const cases: Readonly<Record<string, Case>> = {
    "exports as a string": { manifest: { exports: "./a.js" }, files: ["a.js"], entries: ["a.js"] },
    "exports before main": {
      manifest: { exports: "./a.js", main: "b.js", module: "b.js", browser: "b.js" },
      files: ["a.js", "b.js"],
      entries: ["a.js"],
    },
    "every condition but types": {
      manifest: {
        exports: {
          types: "./a.d.ts",
          "types@>=5": "./a.ts",
          node: { import: "./a.mjs", require: "./a.cjs" },
          default: "./a.js",
        },
      },
      files: ["a.mjs", "a.cjs", "a.js", "a.ts", "a.d.ts"],
      entries: ["a.mjs", "a.cjs", "a.js"],
    },
    "subpaths, in order, once each": {
      manifest: {
        exports: { ".": { import: "./b.js", default: "./a.js" }, "./c": "./b.js", "./d": "./d.js" },
      },
      files: ["a.js", "b.js", "d.js"],
      entries: ["b.js", "a.js", "d.js"],
    },
    "fallback lists": {
      manifest: { exports: { ".": ["./a.js", { import: "./b.js" }] } },
      files: ["a.js", "b.js"],
      entries: ["a.js", "b.js"],
    },
    "what is no module": {
      manifest: {
        exports: {
          ".": "./a.js",
          "./package.json": "./package.json",
          "./s": "./s.css",
          "./t": "./t.d.mts",
          "./n": null,
        },
      },
      files: ["a.js", "package.json", "s.css", "t.d.mts"],
      entries: ["a.js"],
    },
    patterns: {
      manifest: { exports: { "./*": "./lib/*.js" } },
      files: ["lib/a.js", "lib/b/c.js", "lib/d.ts", "e.js"],
      entries: ["lib/a.js", "lib/b/c.js"],
    },
    "patterns with extensions in the key": {
      manifest: { exports: { "./x/*.js": "./x/*.js", "./y/*": "./y/*" } },
      files: ["x/a.js", "y/b.ts", "y/c.css"],
      entries: ["x/a.js", "y/b.ts"],
    },
    "patterns with two stars in the target": {
      manifest: { exports: { "./*": "./lib/*/*.js" } },
      files: ["lib/a/a.js", "lib/a/b.js", "lib/ab/ab.js"],
      entries: ["lib/a/a.js", "lib/ab/ab.js"],
    },
    "patterns with exceptions": {
      manifest: { exports: { "./*": "./lib/*.js", "./internal/*": null, "./secret": null } },
      files: ["lib/a.js", "lib/internal/b.js", "lib/secret.js", "lib/internal.js"],
      entries: ["lib/a.js", "lib/internal.js"],
    },
    "patterns under conditions": {
      manifest: { exports: { "./*": { types: "./lib/*.d.ts", import: "./lib/*.mjs" } } },
      files: ["lib/a.mjs", "lib/a.d.ts"],
      entries: ["lib/a.mjs"],
    },
    "module, main and browser": {
      manifest: { main: "./a.cjs", module: "a.mjs", browser: "./b.js" },
      files: ["a.cjs", "a.mjs", "b.js"],
      entries: ["a.mjs", "a.cjs", "b.js"],
    },
    "browser as a map": {
      manifest: { main: "a.js", browser: { "./a.js": "./b.js" } },
      files: ["a.js", "b.js"],
      entries: ["a.js"],
    },
    "main without an extension": { manifest: { main: "lib/a" }, files: ["lib/a.js"], entries: ["lib/a.js"] },
    "main as a folder": { manifest: { main: "./lib/" }, files: ["lib/index.js"], entries: ["lib/index.js"] },
    "main as a dot": { manifest: { main: "." }, files: ["index.js"], entries: ["index.js"] },
    "a command": {
      manifest: { bin: "./cli.js", main: "a.js" },
      files: ["cli.js", "a.js"],
      entries: ["a.js", "cli.js"],
    },
    commands: {
      manifest: { bin: { x: "bin/x", y: "./bin/y.mjs", z: "z.sh" } },
      files: ["bin/x", "bin/y.mjs", "z.sh"],
      entries: ["bin/x", "bin/y.mjs"],
    },
    nothing: { manifest: {}, files: ["src/index.ts", "index.mjs"], entries: ["index.mjs"] },
    "nothing, and sources in src": {
      manifest: {},
      files: ["src/index.tsx", "src/a.ts"],
      entries: ["src/index.tsx"],
    },
    "nothing at all": { manifest: {}, files: ["a.js"], entries: [] },
    "what was not built": {
      manifest: {
        exports: { ".": { types: "./dist/a.d.ts", default: "./dist/a.js" } },
        bin: { a: "dist/cli.js" },
      },
      files: ["src/index.ts"],
      entries: ["src/index.ts"],
      missing: ['exports["."]["default"] ./dist/a.js', 'bin["a"] dist/cli.js'],
    },
    "what is partly there": {
      manifest: { exports: { "./a": "./a.js", "./b": "./b.js", "./c/*": "./c/*.js" } },
      files: ["a.js"],
      entries: ["a.js"],
      missing: ['exports["./b"] ./b.js', 'exports["./c/*"] ./c/*.js'],
    },
    "a missing main": {
      manifest: { main: "./a" },
      files: ["index.js"],
      entries: ["index.js"],
      missing: ["main ./a"],
    },
    "no object": { manifest: [], files: ["index.js"], entries: ["index.js"] },
    "wrong types": {
      manifest: { main: 1, exports: null, bin: 3, module: {} },
      files: ["index.js"],
      entries: ["index.js"],
    },
  };
  test.each(Object.entries(cases))("%s", (_, { manifest, files, entries, missing = [] }) => {
    const found = packageEntries(manifest, files);
    expect(found.entries).toEqual(entries);
    expect(found.missing.map(({ key, target }) => `${key} ${target}`)).toEqual(missing);
  });

  test("conditions nested very deep", () => {
    let exports: unknown = "./a.js";
    for (let i = 0; i < 100_000; i++) exports = { default: exports };
    expect(packageEntries({ exports }, ["a.js"]).entries).toEqual(["a.js"]);
  });
});
