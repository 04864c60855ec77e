/**
 * What becomes of an analysis' findings before anybody sees them: severities as configured, comments, ignored files, the
 * baseline, and an order that does not depend on how they were found.
 */

import picomatch from "picomatch";
import { applyBaseline, type Baseline, baselineOf } from "./baseline.js";
import type { CheckAnswer } from "./check-request.js";
import type { Level } from "./config.js";
import type { Diagnostic, RuleName } from "./finding.js";
import { SourceLines } from "./source-lines.js";
import { type ReportedFinding, type ReportedRule, suppress } from "./suppress.js";

export interface ReportPolicy {
  /** Rules that ran. */
  readonly rules: readonly RuleName[];
  /** Whether these are all rules, and the entries all entries, that the project has. */
  readonly allRules: boolean;
  readonly allEntries: boolean;
  readonly levels: Readonly<Partial<Record<ReportedRule, Level>>>;
  readonly ignore: readonly string[];
  readonly baseline?: { readonly path: string; readonly entries: Baseline };
}

export interface CheckReport {
  readonly findings: readonly ReportedFinding[];
  readonly diagnostics: readonly Diagnostic[];
  readonly summary: CheckSummary;
  readonly sources: SourceLines;
}

export interface CheckSummary {
  readonly files: number;
  readonly procedures: number;
  /** Findings by severity. */
  readonly errors: number;
  readonly warnings: number;
  /** Files and imports that could not be analysed: diagnostics that are errors. */
  readonly failures: number;
  /** Findings that comments silence. */
  readonly ignored: number;
  /** Findings that the baseline knows. */
  readonly known: number;
  readonly milliseconds: Readonly<Record<string, number>>;
}

/**
 * The report on an analysis.
 *
 * @example
 * const policy = { rules: RULES, allRules: true, allEntries: true, levels: {}, ignore: ["dist/"] };
 * reportOf(await checkProgram(request), policy).findings; // none in dist/, nor those that comments silence
 */
export function reportOf(answer: CheckAnswer, policy: ReportPolicy): CheckReport {
  const { findings: current, diagnostics, ignored, sources } = currentFindings(answer, policy);
  const { baseline } = policy;
  const { fresh, known, stale } = applyBaseline(current, baseline?.entries ?? [], sources);
  const outdated = stale
    .filter((entry) => isJudged(entry, policy, sources))
    .map(({ rule, file, name, count }) => ({
      severity: "warning" as const,
      file: baseline?.path ?? "",
      line: 1,
      column: 1,
      message:
        `The baseline has ${count === 1 ? "a finding" : `${count} findings`} of ${rule} for ${JSON.stringify(name)} in ` +
        `${file} that no longer ${count === 1 ? "occurs" : "occur"}; --write-baseline forgets what is gone.`,
    }));
  const count = (of: readonly { severity: string }[], severity: string) =>
    of.filter((one) => one.severity === severity).length;
  return {
    findings: fresh,
    diagnostics: [...diagnostics, ...outdated],
    summary: {
      files: answer.statistics.files,
      procedures: answer.statistics.procedures,
      errors: count(fresh, "error"),
      warnings: count(fresh, "warning"),
      failures: count(diagnostics, "error"),
      ignored,
      known,
      milliseconds: answer.statistics.milliseconds,
    },
    sources,
  };
}

/**
 * The baseline that knows all findings of an analysis. Of the old one it keeps what this run cannot judge: entries of rules
 * that did not run, and of files that were not analysed when not all entries were.
 */
export function nextBaseline(answer: CheckAnswer, policy: ReportPolicy): Baseline {
  const { findings, sources } = currentFindings(answer, policy);
  const kept = (policy.baseline?.entries ?? []).filter((entry) => !isJudged(entry, policy, sources));
  return [...kept, ...baselineOf(findings, sources)];
}

/** Findings of interest, baseline aside. */
function currentFindings(answer: CheckAnswer, { rules, allRules, levels, ignore }: ReportPolicy) {
  const ignores = ignorePattern(ignore);
  const ofInterest = <T extends { file: string }>(all: readonly T[]) =>
    all.filter(({ file }) => !ignores(file));
  const sources = new SourceLines(answer.files);
  const { findings, ignored } = suppress(ofInterest(answer.findings), ofInterest(answer.comments), sources, {
    rules,
    allRules,
  });
  const levelled = findings.flatMap((finding): ReportedFinding[] => {
    const level = levels[finding.rule] ?? finding.severity;
    // A rule that is off and ran was asked for.
    if (level === "off") return finding.rule === "unused-ignore" ? [] : [finding];
    return [{ ...finding, severity: level }];
  });
  return {
    findings: levelled.sort(byPlace),
    diagnostics: ofInterest(answer.diagnostics).sort(byPlace),
    ignored,
    sources,
  };
}

/** Whether a run tells if an entry of the baseline still occurs. */
function isJudged(
  { rule, file }: { readonly rule: string; readonly file: string },
  { rules, allEntries }: ReportPolicy,
  sources: SourceLines,
): boolean {
  const ran = rules.some((one) => one === rule) || rule === "unused-ignore";
  return ran && (allEntries || sources.has(file));
}

/** Globs as a predicate; a folder stands for what is in it. */
function ignorePattern(globs: readonly string[]): (file: string) => boolean {
  if (globs.length === 0) return () => false;
  const patterns = globs.map((glob) => glob.replace(/^\.\//, "").replace(/\/$/, ""));
  return picomatch([...patterns, ...patterns.map((pattern) => `${pattern}/**`)], { dot: true });
}

type Placed = Pick<Diagnostic, "file" | "line" | "column" | "message"> & { readonly rule?: string };

function byPlace(a: Placed, b: Placed): number {
  const order = (x: string, y: string) => (x < y ? -1 : y < x ? 1 : 0);
  return (
    order(a.file, b.file) ||
    a.line - b.line ||
    a.column - b.column ||
    order(a.rule ?? "", b.rule ?? "") ||
    order(a.message, b.message)
  );
}
