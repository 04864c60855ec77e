/**
 * The rule `use-before-init` on written programs: those confirmed by Node, with what was found in them, and annotated ones,
 * whose annotated lines are the reported lines. Node runs the annotated ones along with the test.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { checkModules } from "../src/javascript/check-modules.js";
import { memoryHost } from "../src/javascript/modules/host/memory.js";
import { nodeHost } from "../src/javascript/modules/host/node.js";
import type { SourceHost } from "../src/javascript/modules/source.js";
import { type ExpectedRead, parseAnnotated } from "./support/annotated-modules.js";
import { isPlaced, type ModuleProgram, runInNode } from "./support/node-oracle.js";

const fixtures = join(import.meta.dirname, "fixtures", "early-reads");

async function found(host: SourceHost, entry: string, root: string): Promise<string[]> {
  const { findings, diagnostics } = await checkModules(
    { entries: [entry], root, rules: ["use-before-init"], callbacks: "later" },
    host,
  );
  expect(diagnostics).toEqual([]);
  return findings.map(show).sort();
}

const show = ({ file, line, name, severity }: ExpectedRead) => `${file}:${line} ${name} ${severity}`;

describe("programs confirmed by Node", () => {
  const folder = join(fixtures, "confirmed");
  for (const name of readdirSync(folder).sort()) {
    test(name, async () => {
      const root = join(folder, name);
      const { entry, findings } = JSON.parse(readFileSync(join(root, "expected.json"), "utf8")) as {
        entry: string;
        findings: ExpectedRead[];
      };
      expect(await found(nodeHost(root), entry, root)).toEqual(findings.map(show).sort());
    });
  }
});

describe("annotated programs", () => {
  const folder = join(fixtures, "annotated");
  const { parse } = nodeHost(fixtures);
  const names = readdirSync(folder).sort();
  const programs = names.map((name) => parseAnnotated(readFileSync(join(folder, name), "utf8")));
  // Not known to every Node that runs the tests.
  const runnable = programs.filter(
    ({ files }) => !/^\s*(?:await )?using /m.test(Object.values(files).join("\n")),
  );
  const observations = runInNode(runnable.map(asJavaScript));

  for (const [i, name] of names.entries()) {
    const program = programs[i];
    test(name, async () => {
      const { expected, untaken, files, entry } = program;
      const sources = new Map(Object.entries(files).filter(([file]) => file.includes(".")));
      expect(await found(memoryHost(sources, { parse }), entry, "")).toEqual(expected.map(show).sort());

      if (!runnable.includes(program)) return;
      const { reads, others } = observations[runnable.indexOf(program)];
      // An early read of an enum gives `undefined`, of which nothing can be read.
      expect(others.filter((error) => !/^TypeError: .* of undefined/.test(error))).toEqual([]);
      // Lines of TypeScript are not those of what runs.
      const place = (read: { file: string; line: number; name: string }) =>
        entry.endsWith(".ts") ? read.name : `${read.file}:${read.line} ${read.name}`;
      const allowed = new Set(expected.map(place));
      const seen = new Set(reads.filter(isPlaced).map(place));
      const names = new Set(reads.map(({ name }) => name));
      expect([...seen].filter((read) => !allowed.has(read))).toEqual([]);
      const isVague = !reads.every(isPlaced);
      const due = expected.filter((read) => !untaken.includes(read));
      expect(due.filter((read) => !seen.has(place(read)) && !(isVague && names.has(read.name)))).toEqual([]);
    });
  }
});

/** What TypeScript makes of its files, under the names that imports give. */
function asJavaScript({ entry, files }: ModuleProgram): ModuleProgram {
  const settings = JSON.parse(files["tsconfig.json"] ?? "{}") as { compilerOptions?: object };
  const { options } = ts.convertCompilerOptionsFromJson(
    { ...settings.compilerOptions, target: "es2022", module: "esnext", verbatimModuleSyntax: false },
    ".",
  );
  const javaScript = Object.entries(files).map(([path, text]) =>
    path.endsWith(".ts")
      ? [path.replace(/ts$/, "js"), ts.transpileModule(text, { compilerOptions: options }).outputText]
      : [path, text],
  );
  return {
    entry: entry.replace(/ts$/, "js"),
    files: Object.fromEntries(javaScript) as ModuleProgram["files"],
  };
}
