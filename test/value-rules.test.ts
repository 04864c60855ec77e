/** The rules `dead-store` and `tainted-sink` on annotated programs: what is reported is what the annotations say. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TaintSpec } from "../src/check/check-request.js";
import type { Finding, RuleName } from "../src/check/finding.js";
import { checkModules } from "../src/javascript/check-modules.js";
import { memoryHost } from "../src/javascript/modules/host/memory.js";
import { nodeHost } from "../src/javascript/modules/host/node.js";
import { parseAnnotated } from "./support/annotated-modules.js";

const fixtures = join(import.meta.dirname, "fixtures");
const { parse } = nodeHost(fixtures);
const TAINT: TaintSpec = {
  sources: ["in.source"],
  sinks: [{ name: "out.sink" }, { name: "sink" }, { name: ".innerHTML" }],
  sanitizers: ["escape", "washing.clean"],
};

async function find(
  files: Readonly<Record<string, string>>,
  rule: RuleName,
  taint?: TaintSpec,
): Promise<readonly Finding[]> {
  const host = memoryHost(new Map(Object.entries(files)), { parse });
  const entries = Object.keys(files);
  const spec = taint === undefined ? {} : { taint };
  const answer = await checkModules({ entries, root: "", rules: [rule], callbacks: "later", ...spec }, host);
  expect(answer.diagnostics).toEqual([]);
  return answer.findings;
}

function annotations(files: Readonly<Record<string, string>>, rule: RuleName): string[] {
  return Object.entries(files).flatMap(([file, text]) =>
    text.split("\n").flatMap((line, i) =>
      Array.from(line.matchAll(/\/\/ ~ (\S+) (\S+)/g))
        .filter(([, of]) => of === rule)
        .map(([, , name]) => `${file}:${i + 1} ${name}`),
    ),
  );
}

async function check(folder: string, name: string, rule: RuleName, taint?: TaintSpec): Promise<void> {
  const { files } = parseAnnotated(readFileSync(join(fixtures, folder, name), "utf8"));
  const findings = await find(files, rule, taint);
  const shown = findings.map(
    (finding) => `${finding.file}:${finding.line} ${finding.name.replace(/^out\./, "")}`,
  );
  expect(shown.sort()).toEqual(annotations(files, rule).sort());
}

describe("dead-store", () => {
  for (const name of readdirSync(join(fixtures, "dead-stores")).sort())
    if (name.endsWith(".txt")) test(name, () => check("dead-stores", name, "dead-store"));
});

describe("tainted-sink", () => {
  for (const name of readdirSync(join(fixtures, "tainted-sinks")).sort())
    if (name.endsWith(".txt")) test(name, () => check("tainted-sinks", name, "tainted-sink", TAINT));
});

describe("tainted-sink without a configuration", () => {
  const handler = `
    import express from "express";
    import * as cp from "node:child_process";
    import { readFile } from "fs/promises";
    import pg from "pg";
    const pool = new pg.Pool();
    express().get("/", async (req, res) => {
      cp.exec("ls " + req.query.path);
      cp.exec("ls");
      const { id } = req.params;
      pool.query("SELECT " + id);
      pool.query("SELECT $1", [id]);
      pool.query("SELECT " + Number(id));
      res.send(await readFile(\`/data/\${req.body.name}\`));
      cp.execFile(process.argv[2]);
    });
    document.body.innerHTML = location.hash.slice(1);
    document.body.textContent = location.hash;
    eval(location.search);
    new Function(document.cookie);
    function exec(command) {}
    exec(location.hash);`;

  test("remote values at commands, queries, files, markup and code", async () => {
    const findings = await find({ "main.mjs": handler }, "tainted-sink");
    const inOrder = [...findings].sort((a, b) => a.line - b.line);
    expect(inOrder.map(({ line, name }) => `${line} ${name}`)).toEqual([
      "8 child_process.exec",
      "11 .query",
      "14 fs/promises.readFile",
      "17 .innerHTML",
      "19 eval",
      "20 Function",
    ]);
  });

  test("the witness is the way of the value", async () => {
    const findings = await find(
      {
        "main.mjs":
          'import { run } from "./run.mjs";\nexport default (req) => {\n  run(req.query.name);\n};\n',
        "run.mjs":
          'import { exec } from "child_process";\nexport const run = (name) => {\n  const all = "ls " + name;\n  exec(all);\n};\n',
      },
      "tainted-sink",
    );
    expect(
      findings.map(({ witness }) =>
        witness.map(({ kind, file, line, message }) => `${kind} ${file}:${line} ${message}`),
      ),
    ).toEqual([
      [
        "flows main.mjs:3 req.query comes from outside",
        "flows main.mjs:3 through name",
        "calls main.mjs:3 passes it to run",
        'flows run.mjs:3 through "ls " + name',
        "flows run.mjs:3 into all",
        "sink run.mjs:4 child_process.exec",
      ],
    ]);
  });
});

test("the witness of a dead store is where the variable is overwritten, or ends", async () => {
  const text =
    "export function f(get) {\n  let x = get();\n  if (get()) return 0;\n  x = 2;\n  return x;\n}\n";
  const findings = await find({ "main.mjs": text }, "dead-store");
  expect(findings.map(({ message }) => message)).toEqual(["The value that 'x' gets here is never read."]);
  expect(findings[0].witness.map(({ kind, line }) => `${kind} ${line}`)).toEqual(["overwrites 4", "ends 6"]);
});
