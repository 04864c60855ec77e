/** What the pool asks of a worker, and what the worker keeps between requests. */

import type { EngineOptions } from "../analysis.js";
import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import type { Forest } from "../image/decompose.js";
import type { Skeleton } from "../skeleton/skeleton.js";

export type Request =
  /** The program that is to be prepared. */
  | { kind: "program"; graph: ExplodedSupergraph }
  /** Contract and decompose its procedures `from .. to - 1`. */
  | { kind: "prepare"; from: number; to: number }
  /** Start labelling a planned image. */
  | { kind: "adopt"; planned: Uint32Array; sweepLimit: number; engine: EngineOptions }
  /** Label procedures, whose labels begin at `base` and have `length` (units of 8 bytes). */
  | { kind: "label"; from: number; to: number; base: number; length: number }
  /** Queries are about this finished image from now on. */
  | { kind: "open"; image: Uint32Array; engine: EngineOptions }
  /** Pair queries; the answers are written into `answers` where that is shared, or sent back. */
  | { kind: "reaches"; queries: Uint32Array; answers?: Uint8Array; count: number }
  /** Single-source queries (p, u, d1): the answers' words, one after another. */
  | { kind: "from"; sources: Uint32Array };

export interface Prepared {
  readonly skeleton: Skeleton;
  readonly forest: Forest;
}

export interface Labelled {
  /** Records of the procedures, whose mode may have changed, and their labels. */
  readonly records: Uint32Array;
  readonly labels: Uint32Array;
}
