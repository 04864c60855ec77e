/** How much labels may take, and when they come from elimination. One home for the defaults and for what options may be. */

import { show } from "../exploded/shown-value.js";

export interface LabelLimits {
  /** Most bytes of labels for one procedure. */
  readonly labelBudget: number;
  /** Sweeps over one procedure after which its labels come from elimination, at most 2^32 - 1. */
  readonly sweepLimit: number;
}

const DEFAULTS: LabelLimits = { labelBudget: 2 ** 28, sweepLimit: 8 };

type Limits = Partial<LabelLimits> & { readonly memoryLimit?: number; readonly bytesPerMemory?: number };

/** The limits for labels that options give, or the defaults; throws a `RangeError` for one that is no number from 0 on. */
export function labelLimits(options: Limits): LabelLimits {
  for (const name of ["labelBudget", "sweepLimit", "memoryLimit", "bytesPerMemory"] as const) {
    const value: unknown = options[name];
    if (value !== undefined && !(typeof value === "number" && 0 <= value)) {
      throw new RangeError(`Option ${name}: got ${show(value)}, expected a number that is not negative.`);
    }
  }
  const { labelBudget = DEFAULTS.labelBudget, sweepLimit = DEFAULTS.sweepLimit } = options;
  return { labelBudget, sweepLimit: Math.min(sweepLimit, 2 ** 32 - 1) };
}
