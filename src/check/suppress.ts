/**
 * Comments that silence findings, and what becomes of those that silence nothing:
 *
 *     start(); // phloem-ignore use-before-init -- the host has loaded it by then
 *
 *     // phloem-ignore dead-store, unreachable-code
 *     legacy = 0;
 *
 * A comment beside code is about its own line, any other about the next line that has code. Without a rule it is about all
 * rules. What follows ` -- ` is for people. Linear in the sources that have such comments, beside sorting.
 */

import type { SourceComment } from "./check-request.js";
import { type Finding, RULES, type RuleName, type Severity } from "./finding.js";
import { lineAt, type SourceLines } from "./source-lines.js";

/** The rule about the comments themselves: one silences nothing, or names a rule that there is not. */
export const UNUSED_IGNORE = "unused-ignore";

/** Rules of the analysis, and the one about comments. */
export type ReportedRule = RuleName | typeof UNUSED_IGNORE;
export const REPORTED_RULES: readonly ReportedRule[] = [...RULES, UNUSED_IGNORE];

/** A finding as it is reported: of the analysis, or about a comment; the latter has no witness. */
export interface ReportedFinding extends Omit<Finding, "rule"> {
  readonly rule: ReportedRule;
}

/** What this run can tell about comments that silenced nothing. */
export interface Scope {
  /** Rules that ran. Comments about others are left alone. */
  readonly rules: readonly RuleName[];
  /** Whether these are all rules that the project wants: only then is a comment without a rule ever unused. */
  readonly allRules: boolean;
}

/**
 * Takes away findings that comments are about, and adds one for each comment, or rule in it, that is about none.
 *
 * @returns what is left, and how many were silenced
 *
 * @example
 * const files = [{ path: "a.js", text: "f(); // phloem-ignore\nconst f = 0;" }];
 * const comments = [{ file: "a.js", start: 5, end: 21, text: " phloem-ignore" }];
 * suppress(findings, comments, new SourceLines(files), { rules: RULES, allRules: true });
 * // { findings: all but those on line 1 of a.js, ignored: how many those were }
 */
export function suppress(
  findings: readonly Finding[],
  comments: readonly SourceComment[],
  sources: SourceLines,
  scope: Scope,
): { findings: ReportedFinding[]; ignored: number } {
  const byPlace = new Map<string, Directive[]>();
  const directives = directivesOf(comments, sources);
  for (const directive of directives) {
    const place = `${directive.line}:${directive.file}`;
    const others = byPlace.get(place);
    if (others === undefined) byPlace.set(place, [directive]);
    else others.push(directive);
  }
  const left: ReportedFinding[] = [];
  for (const finding of findings) {
    const { rule, line, file } = finding;
    const directive = byPlace
      .get(`${line}:${file}`)
      ?.find(({ rules }) => rules.length === 0 || rules.includes(rule));
    if (directive === undefined) left.push(finding);
    else directive.used.add(rule);
  }
  const ignored = findings.length - left.length;
  for (const directive of directives) left.push(...unusedParts(directive, sources, scope));
  return { findings: left, ignored };
}

interface Directive {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  /** As they are written there; none for all. */
  readonly rules: readonly string[];
  /** The line that it is about; 0 for one that no code follows. */
  readonly line: number;
  readonly used: Set<RuleName>;
}

const DIRECTIVE = /^[\s*]*phloem-ignore(?![\w-])([\s\S]*)$/;

/** Rules that a comment names, or undefined if it is no directive. */
function rulesIn(text: string): string[] | undefined {
  const [, rest] = DIRECTIVE.exec(text) ?? [];
  return rest
    ?.split(/\s--(?:\s|$)/, 1)[0]
    .split(/[\s,*]+/)
    .filter((rule) => rule !== "");
}

function directivesOf(comments: readonly SourceComment[], sources: SourceLines): Directive[] {
  const byFile = new Map<string, SourceComment[]>();
  for (const comment of comments) {
    const others = byFile.get(comment.file);
    if (others === undefined) byFile.set(comment.file, [comment]);
    else others.push(comment);
  }
  const directives: Directive[] = [];
  for (const [file, inFile] of byFile) {
    inFile.sort((a, b) => a.start - b.start);
    const found = inFile.flatMap((comment) => {
      const rules = rulesIn(comment.text);
      return rules === undefined ? [] : [{ comment, rules }];
    });
    if (found.length === 0) continue;
    const code = new CodeBesideComments(sources.text(file), inFile);
    const starts = sources.starts(file);
    for (const { comment, rules } of found) {
      const { start, end } = comment;
      directives.push({
        file,
        start,
        end,
        rules,
        line: lineMeant(code, starts, start, end),
        used: new Set(),
      });
    }
  }
  return directives;
}

/** The line that a comment is about, or 0. */
function lineMeant(code: CodeBesideComments, starts: Uint32Array, start: number, end: number): number {
  const line = lineAt(starts, start);
  const before = code.from(starts[line - 1]);
  const after = code.from(end);
  if (start <= before) return after < code.length ? lineAt(starts, after) : 0;
  // {/* phloem-ignore */} in JSX has the line to itself if nothing stands beside the braces.
  const braced = code.text[before] === "{" && start <= code.from(before + 1) && code.text[after] === "}";
  if (!braced) return line;
  const next = code.from(after + 1);
  return next < code.length ? lineAt(starts, next) : 0;
}

/** The text of a file with its comments: where code goes on. */
class CodeBesideComments {
  readonly text: string;
  readonly length: number;
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  /** Where code goes on after each comment. */
  readonly #next: Uint32Array;
  readonly #blanks = /\s*/y;

  /** `inOrder`: all comments of the text, by place. */
  constructor(text: string, inOrder: readonly SourceComment[]) {
    this.text = text;
    this.length = text.length;
    this.#starts = Uint32Array.from(inOrder, ({ start }) => start);
    this.#ends = Uint32Array.from(inOrder, ({ end }) => end);
    this.#next = new Uint32Array(inOrder.length);
    for (let i = inOrder.length - 1; 0 <= i; i--) {
      const at = this.#pastBlanks(this.#ends[i]);
      this.#next[i] = i + 1 < inOrder.length && at === this.#starts[i + 1] ? this.#next[i + 1] : at;
    }
  }

  /** The first offset of code at or after `offset`; the text's length if none follows. */
  from(offset: number): number {
    const at = this.#pastBlanks(offset);
    const i = lineAt(this.#starts, at) - 1;
    return i < this.#starts.length && this.#starts[i] <= at && at < this.#ends[i] ? this.#next[i] : at;
  }

  #pastBlanks(offset: number): number {
    this.#blanks.lastIndex = offset;
    this.#blanks.test(this.text);
    return this.#blanks.lastIndex;
  }
}

function* unusedParts(
  directive: Directive,
  sources: SourceLines,
  { rules, allRules }: Scope,
): Generator<ReportedFinding> {
  const { file, start, end, used } = directive;
  const starts = sources.starts(file);
  const place = (offset: number) => {
    const line = lineAt(starts, offset);
    return { line, column: offset - starts[line - 1] + 1 };
  };
  const from = place(start);
  const to = place(end);
  const finding = (name: string, message: string): ReportedFinding => ({
    rule: UNUSED_IGNORE,
    severity: "warning" satisfies Severity,
    file,
    ...from,
    endLine: to.line,
    endColumn: to.column,
    name,
    message,
    witness: [],
  });
  const about = directive.line === 0 ? "no code follows" : `line ${directive.line} has none`;
  if (directive.rules.length === 0 && allRules && used.size === 0) {
    yield finding("phloem-ignore", `This comment silences no finding: ${about}.`);
  }
  for (const name of new Set(directive.rules)) {
    const rule = RULES.find((rule) => rule === name);
    if (rule === undefined) {
      const got = name.length <= 40 ? name : `${name.slice(0, 40)}...`;
      yield finding(
        got,
        `Got the rule ${JSON.stringify(got)}, expected ${anyOf(RULES)}, or a reason after " -- ".`,
      );
      break;
    }
    if (rules.includes(rule) && !used.has(rule)) {
      yield finding(rule, `This comment silences no finding of ${rule}: ${about}.`);
    }
  }
}

/** `a, b or c`. */
export const anyOf = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
