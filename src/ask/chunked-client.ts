/**
 * A client's answers on a program, made when they are first asked for: once for all variables where the program is of
 * moderate size, and otherwise for a part of the variables at a time. Answers are the same either way, as no fact about one
 * variable depends on another's.
 */

import type { Analysis } from "../analysis.js";
import type { AnalyzeOptions } from "../analyze.js";
import type { ClientAnalysis, ClientProblem } from "../clients/client-problem.js";
import { OPERATION_SIZE, Op, type Program } from "../program/program.js";

/**
 * Facts times vertices of one analysis at most, as far as can be told beforehand: every procedure may have the facts about a
 * variable that several use. And such facts: well below the engine's limit for one procedure.
 */
const MOST_PAIRS = 2 ** 31;
const MOST_FACTS = 50_000;
/** Parts whose answers are kept. */
const KEPT = 4;

/**
 * How clients are analysed: questions from entries need summaries alone, and what witnesses ask besides is found by search, so
 * that an index has no labels. Which of several shortest witnesses is found depends on it.
 */
export const WITHOUT_LABELS: AnalyzeOptions = { onDemand: false, labelBudget: 0 };

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
    mostPairs = MOST_PAIRS,
  ) {
    this.client = client;
    this.#open = open;
    let vertices = 0;
    for (const { vertexCount } of program.procedures) vertices += vertexCount;
    const shared = sharedVariables(program);
    const chunks: number[][] = [[]];
    this.#chunkOf = new Int32Array(client.facts.length).fill(-1);
    let [facts, pairs] = [0, 0];
    for (const [variable, own] of client.facts.entries()) {
      if (own === 0) continue;
      const { owner } = program.variables[variable];
      const isShared = shared[variable] === 1;
      const ownPairs = own * (isShared ? vertices : program.procedures[owner].vertexCount);
      const ownFacts = isShared ? own : 0;
      if (0 < pairs && (mostPairs < pairs + ownPairs || MOST_FACTS < facts + ownFacts)) {
        chunks.push([]);
        [facts, pairs] = [0, 0];
      }
      facts += ownFacts;
      pairs += ownPairs;
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

/** By variable: 1 where it is of the whole program, or another procedure than its owner uses it. */
function sharedVariables({ variables, procedures }: Program): Uint8Array {
  const shared = Uint8Array.from(variables, ({ owner }) => (owner < 0 ? 1 : 0));
  for (const [p, { operations }] of procedures.entries()) {
    for (let i = 0; i < operations.length; i += OPERATION_SIZE) {
      if (operations[i] === Op.settle || operations[i] === Op.resume) continue;
      const [, variable, source] = operations.subarray(i, i + OPERATION_SIZE);
      if (variables[variable].owner !== p) shared[variable] = 1;
      if (operations[i] === Op.flow && variables[source].owner !== p) shared[source] = 1;
    }
  }
  return shared;
}
