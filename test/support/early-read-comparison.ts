/** The rule `use-before-init` held against a run in Node: what it missed, and what it is sure of but did not happen. */

import type { Finding } from "../../src/check/finding.js";
import { checkModules } from "../../src/javascript/check-modules.js";
import { memoryHost } from "../../src/javascript/modules/host/memory.js";
import type { Parser } from "../../src/javascript/modules/source.js";
import { isPlaced, type ModuleProgram, type Observation, type ObservedRead } from "./node-oracle.js";

export async function earlyReadFindings(
  { entry, files }: ModuleProgram,
  parse: Parser,
): Promise<readonly Finding[]> {
  const { findings, diagnostics } = await checkModules(
    { entries: [entry], root: "", rules: ["use-before-init"], callbacks: "later" },
    memoryHost(new Map(Object.entries(files)), { parse }),
  );
  if (0 < diagnostics.length) throw new Error(diagnostics[0].message);
  return findings;
}

/**
 * @param isExact whether the program's text says all that happens: then errors must happen, too. What only the host could
 * call at a later turn need not.
 * @returns a line for each difference
 */
export function differences(
  { files }: ModuleProgram,
  { reads, afterwards, others }: Observation,
  findings: readonly Finding[],
  isExact: boolean,
): string[] {
  const isSame = (read: ObservedRead, { file, line, column, name }: Finding) => {
    if (read.file !== file || read.name !== name) return false;
    if (!isPlaced(read)) return true;
    if (read.line !== line) return false;
    // Where Node points elsewhere than at the name, as it does for `typeof`, the line has to do.
    const pointed = files[file].split("\n")[line - 1].slice(read.column - 1);
    return !pointed.startsWith(name) || read.column === column;
  };
  const show = (read: { file: string; line: number; column: number; name: string }) =>
    `${read.file}:${read.line}:${read.column} ${read.name}`;
  const wrong = others.map((error) => `another error: ${error}`);
  for (const read of reads) {
    if (!findings.some((finding) => isSame(read, finding))) wrong.push(`missed: ${show(read)}`);
  }
  if (!isExact) return wrong;
  for (const finding of findings) {
    if (finding.severity !== "error" || finding.witness.some(({ kind }) => kind === "later")) continue;
    if (![...reads, ...afterwards].some((read) => isSame(read, finding)))
      wrong.push(`did not happen: ${show(finding)}`);
  }
  return wrong;
}
