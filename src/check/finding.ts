/** What `phloem check` reports: one shape for all rules, and for people and machines alike. */

export type Severity = "error" | "warning";

export const RULES = ["use-before-init", "unreachable-code", "dead-store", "tainted-sink"] as const;
export type RuleName = (typeof RULES)[number];

/** A place in a source: lines and columns count from 1, columns in UTF-16 units. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One station of the way to a finding, in the order in which it happens. */
export interface WitnessStep extends Place {
  /** What happens there: a module is evaluated, a call, a read, the initialization that would have come later. */
  readonly kind: "evaluates" | "calls" | "reads" | "initializes" | "flows" | "sink" | "later";
  readonly message: string;
}

export interface Finding extends Place {
  readonly rule: RuleName;
  readonly severity: Severity;
  readonly endLine: number;
  readonly endColumn: number;
  /** The name in question, as written there: a variable, a function, a sink. */
  readonly name: string;
  readonly message: string;
  readonly witness: readonly WitnessStep[];
}

/** What could not be analysed, and why: a file that does not parse, an import that leads nowhere. */
export interface Diagnostic extends Place {
  readonly severity: Severity;
  readonly message: string;
}
