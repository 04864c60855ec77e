/**
 * Findings for programs: one JSON document.
 *
 *     {
 *       "findings": [{ "rule", "severity", "file", "line", "column", "name", "message",
 *                      "witness": [{ "kind", "file", "line", "column", "message" }] }],
 *       "diagnostics": [{ "severity", "file", "line", "column", "message" }],
 *       "summary": { "files", "procedures", "errors", "warnings", "failures", "ignored", "known", "milliseconds" }
 *     }
 */

import type { CheckReport } from "../check/check-report.js";

/** The report as a JSON document, with a line break at its end. */
export function jsonReport({ findings, diagnostics, summary }: CheckReport): string {
  const document = {
    findings: findings.map(({ rule, severity, file, line, column, name, message, witness }) => ({
      rule,
      severity,
      file,
      line,
      column,
      name,
      message,
      witness: witness.map(({ kind, file, line, column, message }) => ({
        kind,
        file,
        line,
        column,
        message,
      })),
    })),
    diagnostics: diagnostics.map(({ severity, file, line, column, message }) => ({
      severity,
      file,
      line,
      column,
      message,
    })),
    summary,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
