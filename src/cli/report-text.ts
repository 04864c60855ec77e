/**
 * Findings for people: where and what, the source around it, and the way that leads there, step by step. Diagnostics come
 * first, since they say what the findings do not cover.
 */

import type { CheckReport, CheckSummary } from "../check/check-report.js";
import { codeFrame, type Extent } from "../check/code-frame.js";
import type { Place, Severity, WitnessStep } from "../check/finding.js";
import type { SourceLines } from "../check/source-lines.js";
import type { ReportedFinding } from "../check/suppress.js";
import { type Colours, milliseconds, whole } from "./output.js";

/** The report as text, with a line break at its end. */
export function textReport(
  { findings, diagnostics, summary, sources }: CheckReport,
  colours: Colours,
): string {
  const blocks = [
    ...diagnostics.map((diagnostic) =>
      [
        `${placeText(diagnostic, colours)}  ${severityText(diagnostic.severity, colours)}  ${diagnostic.message}`,
        ...frame(diagnostic, sources, colours),
      ].join("\n"),
    ),
    ...findings.map((finding) => findingText(finding, sources, colours)),
    summaryText(summary, colours),
  ];
  return `${blocks.join("\n\n")}\n`;
}

/** One line: how many findings in how many files, and what was left out. */
export function summaryText(summary: CheckSummary, colours: Colours): string {
  const { errors, warnings, failures, files, procedures, ignored, known } = summary;
  const total = Object.values(summary.milliseconds).reduce((sum, ms) => sum + ms, 0);
  const counts = [
    ...(0 < errors ? [colours.red(plural(errors, "error"))] : []),
    ...(0 < warnings ? [colours.yellow(plural(warnings, "warning"))] : []),
  ];
  const asides = [
    ...(0 < failures ? [`${plural(failures, "failure")} to analyse`] : []),
    ...(0 < ignored ? [`${whole(ignored)} silenced by comments`] : []),
    ...(0 < known ? [`${whole(known)} in the baseline`] : []),
  ];
  const found = counts.length === 0 ? colours.green("No findings") : counts.join(" and ");
  const aside = asides.length === 0 ? "" : ` (${asides.join(", ")})`;
  return `${found} in ${plural(files, "file")}, ${plural(procedures, "procedure")}${aside}; ${milliseconds(total)}.`;
}

const plural = (count: number, noun: string): string => `${whole(count)} ${noun}${count === 1 ? "" : "s"}`;

const placeText = ({ file, line, column }: Place, colours: Colours): string =>
  colours.cyan(`${file}:${line}:${column}`);

const severityText = (severity: Severity, colours: Colours): string =>
  severity === "error" ? colours.red("error") : colours.yellow("warning");

function findingText(finding: ReportedFinding, sources: SourceLines, colours: Colours): string {
  const { severity, message, rule, witness } = finding;
  const head =
    `${placeText(finding, colours)}  ${severityText(severity, colours)}  ` +
    `${colours.bold(message)}  ${colours.dim(rule)}`;
  return [head, ...frame(finding, sources, colours), ...witnessLines(witness, colours)].join("\n");
}

const STEP_TEXTS: Readonly<Record<WitnessStep["kind"], string>> = {
  evaluates: "evaluates",
  calls: "calls",
  reads: "reads",
  initializes: "initialized later",
  overwrites: "overwritten",
  ends: "ends",
  flows: "flows",
  sink: "reaches",
  later: "at a later turn",
};

/** The steps below each other: place, what happens, and to what. */
function witnessLines(witness: readonly WitnessStep[], colours: Colours): string[] {
  if (witness.length === 0) return [];
  const places = witness.map(({ file, line, column }) => `${file}:${line}:${column}`);
  const kinds = witness.map(({ kind }) => STEP_TEXTS[kind]);
  const width = (texts: readonly string[]) => texts.reduce((most, { length }) => Math.max(most, length), 0);
  const [placeWidth, kindWidth] = [width(places), width(kinds)];
  return [
    "",
    ...witness.map(({ kind, message }, i) => {
      const text = kinds[i].padEnd(kindWidth);
      const shown =
        kind === "reads" || kind === "sink"
          ? colours.red(text)
          : kind === "initializes"
            ? colours.green(text)
            : text;
      return `  ${colours.cyan(places[i].padEnd(placeWidth))}  ${shown}  ${message}`.trimEnd();
    }),
  ];
}

/** The code frame below a blank line; nothing where the source is not at hand. */
function frame(at: Extent, sources: SourceLines, colours: Colours): string[] {
  const text = codeFrame(at, sources, colours.isColorSupported);
  return text === undefined ? [] : ["", text];
}
