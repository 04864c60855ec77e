/**
 * A witness: one path of the exploded supergraph, as a proof that a fact holds. A path may be exponentially longer than
 * the program, where calls are nested and repeated, so it is kept as a graph in which a way through a callee stands
 * once however often it is taken, and written out step by step while it is read. Reading a step takes constant time
 * and the whole as much memory as the graph and the calls that are open.
 */

import type { Seed } from "../solver.js";

/** An edge of the exploded supergraph, and where it leads. */
export interface Step {
  /** `call`: into the callee's start; `return`: from its exit to the return site; `call-to-return`: around it. */
  readonly edge: "normal" | "call" | "return" | "call-to-return";
  /**
   * Which edge: its number among the edges, call-to-return edges or calls of its procedure, as `ExplodedProcedure` has
   * them; that of the caller for `call` and `return`.
   */
  readonly index: number;
  /** Where the step leads. */
  readonly procedure: number;
  readonly vertex: number;
  readonly fact: number;
  /** Calls of the path that are open after the step. */
  readonly depth: number;
}

/**
 * A shortest path, as its steps in order; empty where it ends where it starts. Iterating writes calls out: it takes time
 * in the number of steps, which may be larger than any memory, and may be broken off.
 *
 * @example
 * const witness = analysis.procedure("main").explain(call, x, print, y);
 * for (const { edge, procedure, vertex, fact } of witness ?? []) console.log(edge, procedure, vertex, fact);
 */
export class Witness implements Iterable<Step> {
  /** Where the path begins. */
  readonly start: Seed;
  /** Number of steps; exact up to 2^53. */
  readonly length: number;
  readonly #steps: readonly PathStep[];

  /** @internal Use `Analysis`. */
  constructor(start: Seed, length: number, steps: readonly PathStep[]) {
    this.start = start;
    this.length = length;
    this.#steps = steps;
  }

  *[Symbol.iterator](): Iterator<Step> {
    const frames = [{ steps: this.#steps, next: 0 }];
    let depth = 0;
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      if (frame.next === frame.steps.length) {
        frames.pop();
        const caller = frames.at(-1);
        if (caller === undefined) return;
        const { index, procedure, vertex, fact } = caller.steps[caller.next++];
        depth--;
        yield { edge: "return", index, procedure, vertex, fact, depth };
        continue;
      }
      const { edge, index, procedure, vertex, fact, through } = frame.steps[frame.next];
      if (through !== undefined) {
        const [callee, start, d1] = through.start;
        depth++;
        yield { edge: "call", index, procedure: callee, vertex: start, fact: d1, depth };
        frames.push({ steps: through.steps, next: 0 });
      } else {
        frame.next++;
        if (edge === "call") depth++;
        yield { edge, index, procedure, vertex, fact, depth };
      }
    }
  }
}

/** @internal A step of a path in which completed calls are single steps: from the call vertex to the return site. */
export interface PathStep {
  readonly edge: "normal" | "call" | "call-to-return";
  readonly index: number;
  readonly procedure: number;
  readonly vertex: number;
  readonly fact: number;
  /** For completed calls: the way through the callee. */
  readonly through: { readonly start: Seed; readonly steps: readonly PathStep[] } | undefined;
}
