/** The rules as people see them: what each finds, what to do about it, and whether it runs unless told to. Data alone. */

import type { Severity } from "./finding.js";
import { type ReportedRule, UNUSED_IGNORE } from "./suppress.js";

export interface RuleText {
  /** One sentence on what is found. */
  readonly summary: string;
  readonly description: string;
  /** What to do about a finding. */
  readonly help: string;
  /** The highest severity that its findings have of their own. */
  readonly severity: Severity;
  /** Whether it runs without being asked for. */
  readonly byDefault: boolean;
}

export const RULE_TEXTS: Readonly<Record<ReportedRule, RuleText>> = {
  "use-before-init": {
    summary: "A binding is read before it is initialized.",
    description:
      "Some chain of calls from an entry leads to a read of a let, const, class, import or enum that has no value yet: " +
      "there it throws a ReferenceError, or in CommonJS gives undefined. An error if every path along the chain is too " +
      "early, a warning if only some are.",
    help: "Move the read into a function that is called later, initialize the binding earlier, or break the import cycle.",
    severity: "error",
    byDefault: true,
  },
  "unreachable-code": {
    summary: "Code can never run.",
    description:
      "No path from any entry leads here, because something before it always returns, throws or calls what never returns.",
    help: "Remove the code, or mend the condition or the call before it.",
    severity: "warning",
    byDefault: true,
  },
  "dead-store": {
    summary: "A value is stored that nobody reads.",
    description:
      "On every path from here, across calls, the variable is written again or given up before it is read.",
    help: "Remove the assignment, or use the value.",
    severity: "warning",
    byDefault: false,
  },
  "tainted-sink": {
    summary: "A value from outside reaches a place that must not get it.",
    description:
      "A value of one of the configured sources flows, through calls, returns, captured variables and fields, to an argument " +
      "of one of the configured sinks without passing a sanitizer.",
    help: "Pass the value through a sanitizer, or keep it away from the sink.",
    severity: "error",
    byDefault: true,
  },
  [UNUSED_IGNORE]: {
    summary: "A phloem-ignore comment silences nothing.",
    description:
      "The line that the comment is about has no finding of the rules it names, or it names a rule that there is not.",
    help: "Remove the comment, or the rule from it.",
    severity: "warning",
    byDefault: true,
  },
};
