/**
 * What `phloem check` asks of an analysis, and what it gets: the boundary between the command and whatever reads programs.
 * Findings come as the analysis sees them; comments that silence some of them come along unread.
 */

import type { SourceFile } from "../program/program.js";
import type { Diagnostic, Finding, RuleName } from "./finding.js";

/** What an unknown callee does with a function that it is given. */
export const CALLBACKS = ["later", "now"] as const;
export type Callbacks = (typeof CALLBACKS)[number];

/**
 * Where tainted values come from, where they must not go, and what makes them harmless. Names are written as programs write
 * them: `"readLine"` and `"fs.readFileSync"` for functions, `".query"` for any method of that name, `"process.argv"` and
 * `"location.hash"` for properties that are read.
 */
export interface TaintSpec {
  /** Calls whose result, and properties whose value, is tainted. */
  readonly sources: readonly string[];
  readonly sinks: readonly TaintSink[];
  /** Calls whose result is harmless, whatever they are given. */
  readonly sanitizers: readonly string[];
}

export interface TaintSink {
  readonly name: string;
  /** Positions of the arguments that matter, counted from 0; all of them if left out. */
  readonly arguments?: readonly number[];
}

export interface CheckRequest {
  /** Modules where execution begins, relative to `root`. */
  readonly entries: readonly string[];
  /** The project's folder; paths in the answer are relative to it. */
  readonly root: string;
  readonly rules: readonly RuleName[];
  readonly callbacks: Callbacks;
  /** Of Java, patterns of the packages whose classes are checked; all where there are none. */
  readonly packages?: readonly string[];
  readonly taint?: TaintSpec;
  readonly onProgress?: (label: string, done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** A comment, with its extent in UTF-16 units, delimiters included; `text` is what stands between them. */
export interface SourceComment {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface CheckAnswer {
  readonly findings: readonly Finding[];
  readonly diagnostics: readonly Diagnostic[];
  /** Every file that was analysed. */
  readonly files: readonly SourceFile[];
  /** All comments of these files, in any order. */
  readonly comments: readonly SourceComment[];
  readonly statistics: {
    readonly files: number;
    readonly procedures: number;
    /** Time per phase. */
    readonly milliseconds: Readonly<Record<string, number>>;
  };
}

/** Analyses the program that begins at some entries. What is wrong with the program itself is a diagnostic, not an error. */
export type CheckProgram = (request: CheckRequest) => Promise<CheckAnswer>;
