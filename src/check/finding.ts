/** What `phloem check` reports: one shape for all rules, and for people and machines alike. */

import type { Place, Severity } from "../program/diagnostic.js";

export type { Diagnostic, Place, Severity } from "../program/diagnostic.js";

export const RULES = ["use-before-init", "unreachable-code", "dead-store", "tainted-sink"] as const;
export type RuleName = (typeof RULES)[number];

/** One station of the way to a finding, in the order in which it happens. */
export interface WitnessStep extends Place {
  /** What happens there: a module is evaluated, a call, a read, the initialization that would have come later. */
  readonly kind:
    | "evaluates"
    | "calls"
    | "reads"
    | "initializes"
    | "overwrites"
    | "ends"
    | "flows"
    | "sink"
    | "later";
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
