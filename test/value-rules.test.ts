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
