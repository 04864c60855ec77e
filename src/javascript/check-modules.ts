/** The rules of `phloem check` on JavaScript and TypeScript modules. */

import type { CheckAnswer, CheckRequest } from "../check/check-request.js";
import { deadStores } from "../check/dead-store.js";
import { useBeforeInit } from "../check/early-read-findings.js";
import type { Diagnostic, Finding, RuleName } from "../check/finding.js";
import { taintedSinks } from "../check/tainted-sink.js";
import { unreachableCode } from "../check/unreachable-code.js";
import { load, MOST_FUNCTIONS } from "./front-end.js";
import type { SourceHost } from "./modules/source.js";

/** Rules that ask about all executions, and so need every function. */
const NEEDS_ALL: readonly RuleName[] = ["unreachable-code", "dead-store", "tainted-sink"];
/** Rules that follow values. */
const NEEDS_FLOWS: readonly RuleName[] = ["dead-store", "tainted-sink"];

/**
 * Analyses the modules that entries reach, and reports what the rules find. Files that cannot be read or parsed, and imports
 * that lead nowhere, are diagnostics; the rest is analysed.
 *
 * @throws the reason of an aborted signal, and what the host throws
 * @example
 * const { checkModules, memoryHost } = await import("phloem/javascript");
 * const host = memoryHost(new Map([["main.js", "console.log(soon); let soon = 1;"]]));
 * const { findings } = await checkModules(
 *   { entries: ["main.js"], root: "", rules: ["use-before-init"], callbacks: "later" }, host);
 * findings.map(({ line, name, severity }) => [line, name, severity]); // [[1, "soon", "error"]]
 */
export async function checkModules(request: CheckRequest, host: SourceHost): Promise<CheckAnswer> {
  const { entries, rules, callbacks, taint, onProgress, signal } = request;
  const program = await load(entries, host, {
    callbacks,
    later: rules.some((rule) => NEEDS_ALL.includes(rule)) ? "all" : "early",
    flows: rules.some((rule) => NEEDS_FLOWS.includes(rule)),
    ...(onProgress === undefined ? {} : { onProgress }),
    ...(signal === undefined ? {} : { signal }),
  });
  const findings: Finding[] = [];
  const begin = performance.now();
  if (rules.includes("use-before-init")) {
    const seen = new Map<string, Finding>();
    for (const { program: part, nameAt, isDoubtful } of [...program.load, program.later]) {
      for (const finding of useBeforeInit(part, nameAt, isDoubtful)) {
        const key = [finding.file, finding.line, finding.column, finding.name].join();
        const known = seen.get(key);
        if (known === undefined || (known.severity === "warning" && finding.severity === "error"))
          seen.set(key, finding);
      }
    }
    findings.push(...seen.values());
  }
  const limits: string[] = [];
  for (const rule of rules) {
    if (!NEEDS_ALL.includes(rule)) continue;
    if (!program.isComplete) {
      limits.push(
        `Got more than ${MOST_FUNCTIONS} functions, expected fewer for rule ${rule}: it did not run.`,
      );
    } else if (rule === "unreachable-code") {
      findings.push(...unreachableCode([...program.load, program.later].map((part) => part.program)));
    } else if (rule === "dead-store") findings.push(...deadStores(program.whole!));
    else findings.push(...taintedSinks(program.whole!, taint));
  }
  const comments = [...program.graph.modules.values()].flatMap((module) =>
    module.comments.map(({ range, value }) => ({
      file: module.displayPath,
      start: range[0],
      end: range[1],
      text: value,
    })),
  );
  /** Module bodies and functions that run in any of the programs; calls in different contexts count once. */
  const procedures = new Set<unknown>();
  for (const { instances } of [...program.load, program.later]) {
    for (const instance of instances) if (0 <= (instance?.code.module ?? -1)) procedures.add(instance!.code);
  }
  return {
    findings,
    diagnostics: [
      ...program.diagnostics,
      ...limits.map(
        (message): Diagnostic => ({
          file: entries[0] ?? "",
          line: 1,
          column: 1,
          severity: "warning",
          message,
        }),
      ),
    ],
    files: program.files,
    comments,
    statistics: {
      files: program.files.length,
      procedures: procedures.size,
      milliseconds: { ...program.milliseconds, rules: performance.now() - begin },
    },
  };
}
