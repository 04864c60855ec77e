/** The rules of `phloem check` on Java classes: those that make sense there, on the program of all executions. */

import type { CheckAnswer, CheckRequest, SourceComment } from "../check/check-request.js";
import { deadStores } from "../check/dead-store.js";
import type { Diagnostic, Finding, RuleName } from "../check/finding.js";
import { taintedSinks } from "../check/tainted-sink.js";
import { unreachableCode } from "../check/unreachable-code.js";
import { InputError } from "../index.js";
import { load } from "../jvm/load.js";
import { inPackages, readClassFiles, requireCode } from "./java-classes.js";

/** Of Java's locals the verifier knows that they have values. */
export const NOT_FOR_JAVA: readonly RuleName[] = ["use-before-init"];

/**
 * Reads the class files, archives and sources that the entries are, and reports what the rules find. What cannot be read is a
 * diagnostic, and the rest is analysed; rules that are not for Java are left out.
 *
 * @throws {InputError} where there is no method with code; for `tainted-sink` without sources and sinks
 */
export function checkClasses(request: CheckRequest): CheckAnswer {
  const { entries, root, rules, packages = [], taint, onProgress } = request;
  if (rules.includes("tainted-sink") && taint === undefined) {
    const problem =
      "got no taint in the configuration, expected sources and sinks: of Java there are none by default";
    throw new InputError("tainted-sink", undefined, problem);
  }
  const begin = performance.now();
  onProgress?.("classes", 1, 2);
  const loaded = load(readClassFiles(root, entries), {
    exceptions: "throwing",
    initializers: "use",
    ...inPackages(packages),
  });
  if (loaded.diagnostics.length === 0) requireCode(loaded, entries, packages);
  const { program, assignments, diagnostics } = loaded;
  const read = performance.now();
  onProgress?.("rules", 2, 2);
  const findings: Finding[] = [];
  if (rules.includes("unreachable-code")) findings.push(...unreachableCode([program]));
  const limits: Diagnostic[] = [];
  if (rules.includes("dead-store")) {
    if (!program.variables.some(({ owner, file }) => 0 <= owner && 0 <= file)) {
      const message =
        "Got classes without LocalVariableTable, expected those of javac -g for rule dead-store: it found no variables.";
      limits.push({ file: entries[0], line: 1, column: 1, severity: "warning", message });
    }
    findings.push(...deadStores({ program, assignments, exported: new Set() }));
  }
  if (rules.includes("tainted-sink"))
    findings.push(...taintedSinks({ program, outsideNamesAt: () => [] }, taint));
  return {
    findings,
    diagnostics: [...diagnostics, ...limits],
    files: program.files,
    comments: [...loaded.sources].flatMap(([file, text]) => javaComments(file, text)),
    statistics: {
      files: program.files.length,
      procedures: loaded.methods.filter(({ kind }) => kind === "method").length,
      milliseconds: { read: read - begin, rules: performance.now() - read },
    },
  };
}

/** Text blocks, strings and characters, in which nothing is a comment; or a comment (JLS 3.7, 3.10). */
const TOKEN =
  /"""(?:\\[\s\S]|[^\\])*?"""|"(?:\\.|[^"\\\n\r])*"|'(?:\\.|[^'\\\n\r])*'|\/\/[^\n\r]*|\/\*[\s\S]*?\*\//g;

function javaComments(file: string, text: string): SourceComment[] {
  return Array.from(text.matchAll(TOKEN))
    .filter(([token]) => token.startsWith("/"))
    .map(({ 0: token, index: start }) => ({
      ...{ file, start, end: start + token.length },
      text: token.startsWith("//") ? token.slice(2) : token.slice(2, -2),
    }));
}
