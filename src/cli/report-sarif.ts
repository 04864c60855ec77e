/**
 * Findings as SARIF 2.1.0, the form that code hosts and editors read: a result each, with the witness as its code flow.
 * Paths are relative to the project, written as URIs, so that the document does not depend on where it was made. See
 * https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
 */

import type {
  CodeFlow,
  Location,
  Log,
  Notification,
  PhysicalLocation,
  ReportingDescriptor,
  Result,
} from "sarif";
import { lineHashes } from "../check/baseline.js";
import type { CheckReport } from "../check/check-report.js";
import type { Diagnostic, Place, WitnessStep } from "../check/finding.js";
import { RULE_TEXTS } from "../check/rules.js";
import { REPORTED_RULES, type ReportedFinding } from "../check/suppress.js";

const BASE = "%SRCROOT%";

/** The report as a SARIF log, with a line break at its end; `version` is that of this package. */
export function sarifReport({ findings, diagnostics, sources }: CheckReport, version: string): string {
  const hashAt = lineHashes(sources);
  const seen = new Map<string, number>();
  const results = findings.map((finding): Result => {
    const { rule, file, name, line } = finding;
    const fingerprint = [rule, file, name, hashAt(file, line)].join(":");
    const ordinal = (seen.get(fingerprint) ?? 0) + 1;
    seen.set(fingerprint, ordinal);
    return resultOf(finding, `${fingerprint}:${ordinal}`);
  });
  const log: Log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: { name: "phloem", semanticVersion: version, rules: REPORTED_RULES.map(ruleOf) },
        },
        columnKind: "utf16CodeUnits",
        originalUriBaseIds: { [BASE]: { description: { text: "The project's folder." } } },
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: diagnostics.map(notificationOf),
          },
        ],
        results,
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

/**
 * A path relative to the project as a URI reference.
 *
 * @example
 * uriOf("src/my file#1.ts"); // "src/my%20file%231.ts"
 */
export const uriOf = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

function ruleOf(id: (typeof REPORTED_RULES)[number]): ReportingDescriptor {
  const { summary, description, help, severity, byDefault } = RULE_TEXTS[id];
  return {
    id,
    shortDescription: { text: summary },
    fullDescription: { text: description },
    help: { text: help },
    defaultConfiguration: { level: severity, enabled: byDefault },
  };
}

function resultOf(finding: ReportedFinding, fingerprint: string): Result {
  const { rule, severity, message, name, witness, endLine, endColumn } = finding;
  return {
    ruleId: rule,
    ruleIndex: REPORTED_RULES.indexOf(rule),
    level: severity,
    message: { text: message },
    locations: [{ physicalLocation: physical(finding, { endLine, endColumn }) }],
    partialFingerprints: { "phloem/v1": fingerprint },
    ...(witness.length === 0 ? {} : { codeFlows: [codeFlowOf(witness)] }),
    properties: { name },
  };
}

/** Kinds of steps in the words of SARIF (3.38.8), where it has one. */
const STEP_KINDS: Readonly<Partial<Record<WitnessStep["kind"], string[]>>> = {
  evaluates: ["enter"],
  calls: ["call"],
  reads: ["acquire", "value"],
  sink: ["taint", "sink"],
  flows: ["taint"],
};

function codeFlowOf(witness: readonly WitnessStep[]): CodeFlow {
  return {
    threadFlows: [
      {
        locations: witness.map((step, i) => ({
          location: locationOf(step, step.message),
          executionOrder: i + 1,
          importance: step.kind === "reads" || step.kind === "sink" ? "essential" : "important",
          ...(STEP_KINDS[step.kind] === undefined ? {} : { kinds: STEP_KINDS[step.kind] }),
          properties: { kind: step.kind },
        })),
      },
    ],
  };
}

const notificationOf = (diagnostic: Diagnostic): Notification => ({
  level: diagnostic.severity,
  message: { text: diagnostic.message },
  locations: [locationOf(diagnostic)],
});

const locationOf = (place: Place, message?: string): Location => ({
  physicalLocation: physical(place),
  ...(message === undefined ? {} : { message: { text: message } }),
});

function physical(
  { file, line, column }: Place,
  end?: { endLine: number; endColumn: number },
): PhysicalLocation {
  return {
    artifactLocation: { uri: uriOf(file), uriBaseId: BASE },
    region: { startLine: line, startColumn: column, ...end },
  };
}
