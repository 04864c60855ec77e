/**
 * A client's answers on a program, made when they are first asked for: once for all variables where the program is of
 * moderate size, and otherwise for a part of the variables at a time. Answers are the same either way, as no fact about one
 * variable depends on another's.
 */

import type { Analysis } from "../analysis.js";
import type { AnalyzeOptions } from "../analyze.js";
import type { ClientAnalysis, ClientProblem } from "../clients/client-problem.js";
import type { Program } from "../program/program.js";

/** Facts times vertices of one analysis at most, as far as can be told beforehand, and facts: well below the engine's limit. */
const MOST_PAIRS = 2 ** 29;
const MOST_FACTS = 50_000;
/** Parts whose answers are kept. */
const KEPT = 4;

export interface AnalysableProblem<A> extends ClientProblem {
  analyze(options?: AnalyzeOptions | Analysis): A;
}

export interface Client<A> {
  readonly name: string;
  /** How many facts there are about each variable, 0 for those that it does not track. */
  readonly facts: Uint32Array;
  problem(variables: readonly number[]): AnalysableProblem<A>;
}

export class ChunkedClient<A extends ClientAnalysis<ClientProblem>> {
  readonly client: Client<A>;
  /** Variables by part. */
  readonly chunks: readonly (readonly number[])[];
  readonly #chunkOf: Int32Array;
  readonly #answers = new Map<number, A>();
  readonly #open: (chunk: number, problem: AnalysableProblem<A>) => A;

  /** `open` makes the answers of a part's problem. */
  constructor(
    program: Program,
    client: Client<A>,
    open: (chunk: number, problem: AnalysableProblem<A>) => A,
  ) {
    this.client = client;
    this.#open = open;
    let vertices = 1;
    for (const { vertexCount } of program.procedures) vertices += vertexCount;
    const most = Math.max(1, Math.min(MOST_FACTS, Math.floor(MOST_PAIRS / vertices)));
    const chunks: number[][] = [[]];
    this.#chunkOf = new Int32Array(client.facts.length).fill(-1);
    let facts = 0;
    for (const [variable, own] of client.facts.entries()) {
      if (own === 0) continue;
      if (most < facts + own && 0 < facts) {
        chunks.push([]);
        facts = 0;
      }
      facts += own;
      chunks[chunks.length - 1].push(variable);
      this.#chunkOf[variable] = chunks.length - 1;
    }
    this.chunks = chunks;
  }

  /** The answers about a variable, undefined for one that is not tracked. */
  about(variable: number): A | undefined {
    const chunk = this.#chunkOf[variable];
    return chunk < 0 ? undefined : this.chunk(chunk);
  }

  /** All answers, part by part. */
  *all(): Iterable<A> {
    for (const chunk of this.chunks.keys()) yield this.chunk(chunk);
  }

  /** The problem of a part, undefined where there is no such part. */
  problem(chunk: number): AnalysableProblem<A> | undefined {
    return chunk < this.chunks.length ? this.client.problem(this.chunks[chunk]) : undefined;
  }

  chunk(chunk: number): A {
    let answers = this.#answers.get(chunk);
    if (answers === undefined) {
      answers = this.#open(chunk, this.client.problem(this.chunks[chunk]));
      const [oldest] = this.#answers.keys();
      if (KEPT <= this.#answers.size) this.#answers.delete(oldest);
    } else this.#answers.delete(chunk);
    // The one used last comes last.
    this.#answers.set(chunk, answers);
    return answers;
  }
}
