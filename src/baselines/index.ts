/**
 * The published ways of answering same-context queries without tree decompositions, behind the same interface as the
 * engine, to compare it with: no preprocessing, complete preprocessing, on demand with a cache, and graph search.
 */

import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import { complete } from "./complete.js";
import type { BaselineOptions } from "./limits.js";
import { memoized } from "./memoized.js";
import type { Baseline } from "./same-context.js";
import { search } from "./search.js";
import { tabulation } from "./tabulation.js";

export { complete, completeBytes } from "./complete.js";
export { type BaselineOptions, type BaselineProgress, MemoryLimitError, TimeLimitError } from "./limits.js";
export { memoized } from "./memoized.js";
export type { Baseline } from "./same-context.js";
export { search } from "./search.js";
export { tabulation } from "./tabulation.js";

/** All baselines by their short names. */
export const baselines = {
  nopp: tabulation,
  cpp: complete,
  od: memoized,
  search,
} as const satisfies Record<string, (graph: ExplodedSupergraph, options?: BaselineOptions) => Baseline>;
