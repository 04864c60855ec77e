/** What the pool asks of a worker, what the worker keeps between requests, and what it replies. */

import type { EngineOptions } from "../analysis.js";
import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import type { AssembledImage } from "../image/assemble.js";
import type { Forest, NodeGraphs } from "../image/decompose.js";

export type Request =
  /** The first. Reply: the hash of the kernel, which both sides agree on if they are of one version. */
  | { kind: "hello" }
  /** The program that is to be prepared; the one before is forgotten. */
  | { kind: "program"; graph: ExplodedSupergraph; engine: EngineOptions }
  /** Whatever is being prepared is given up. */
  | { kind: "release" }
  /** Contract procedures `from .. to - 1`. Reply: their `Skeleton`. */
  | { kind: "contract"; from: number; to: number }
  /** Decompose node graphs. Reply: their `Forest`. */
  | { kind: "decompose"; graphs: NodeGraphs }
  /** Summaries of all components, and the end of the first phase. Reply: the sealed image. */
  | { kind: "summarize"; assembled: AssembledImage; components: number }
  /** Another worker has sealed this image. */
  | { kind: "adopt"; sealed: Uint32Array; sweepLimit: number }
  /** Elimination trees, and the plan of labels. Reply: where labels begin per procedure, see `LabelPlan`. */
  | { kind: "plan"; forest: Forest; labelBudget: number; sweepLimit: number }
  | LabelRequest
  /** Queries are about this finished image from now on. */
  | { kind: "open"; image: Uint32Array; engine: EngineOptions }
  /** Pair queries; the answers are written into `answers` where that is shared, or sent back. */
  | { kind: "reaches"; queries: Uint32Array; answers?: Uint8Array; count: number }
  /** Single-source queries (p, u, d1), whose rows have `length` words in all: as above. */
  | { kind: "from"; sources: Uint32Array; rows?: Uint32Array; length: number };

/**
 * Label procedures `from .. to - 1`, whose labels begin at `base` and have `length` (units of 8 bytes), and deliver words
 * `fixedFrom .. fixedTo - 1` of what precedes labels: into `image` where that is shared, or with the reply `Labelled`.
 */
export interface LabelRequest {
  readonly kind: "label";
  readonly from: number;
  readonly to: number;
  readonly base: number;
  readonly length: number;
  readonly fixedFrom: number;
  readonly fixedTo: number;
  readonly image?: Uint32Array;
}

export interface Labelled {
  /** Records of the procedures, whose mode may have changed. */
  readonly records: Uint32Array;
  readonly fixed?: Uint32Array;
  readonly labels?: Uint32Array;
}

export interface Answered {
  /** Queries answered before one with ids out of range. */
  readonly answered: number;
  readonly answers?: Uint8Array;
}
