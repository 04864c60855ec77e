/**
 * What a query file lets one check about a solver: every kind of line under every aspect, such as the two columns of
 * pair lines. Each question is put only when its answer is asked for.
 */

import { AnswerHash } from "../results/answer-hash.js";
import type { Reached } from "../results/reached.js";
import { isAnalysis, type Prepared } from "./engines.js";
import type { Outline, Program } from "./input.js";
import type { ExhaustiveLine, PairLine, QueryLine } from "./query-file.js";

export interface Check {
  readonly kind: QueryLine["kind"];
  readonly aspect: string;
  readonly questions: readonly Question[];
  /** Why the questions cannot be put at all. */
  readonly obstacle?: string | undefined;
}

export interface Question {
  readonly line: number;
  readonly expected: string;
  /** The solver's answer; undefined if it was not complete at `deadline`. */
  answer(deadline: number): string | undefined;
}

/** Checks of one solver, kinds in the order of the file format's description. */
export function checksOf(
  { name, solver }: Prepared,
  program: Program,
  outline: Outline,
  lines: readonly QueryLine[],
): readonly Check[] {
  const ofKind = <K extends QueryLine["kind"]>(kind: K) =>
    lines.filter((line): line is Extract<QueryLine, { kind: K }> => line.kind === kind);

  const pairChecks = (kind: PairLine["kind"]): Check[] => {
    const pairs: readonly PairLine[] = lines.filter((line) => line.kind === kind) as PairLine[];
    const check = (
      aspect: string,
      expected: (line: PairLine) => boolean,
      got: (line: PairLine, i: number) => boolean,
    ) => ({
      kind,
      aspect,
      questions: pairs.map((line, i) => ({
        line: line.line,
        expected: bit(expected(line)),
        answer: () => bit(got(line, i)),
      })),
    });
    let batch: Uint8Array | undefined;
    const answerAll = () =>
      (batch ??= solver.reachesAll(Uint32Array.from(pairs.flatMap(({ query }) => query))));
    return [
      check(
        "reaches",
        ({ reaches }) => reaches,
        ({ query }) => solver.reaches(...query),
      ),
      ...(isAnalysis(name)
        ? [
            check(
              "reaches, in one batch",
              ({ reaches }) => reaches,
              (_, i) => answerAll()[i] === 1,
            ),
          ]
        : []),
      check(
        "meet",
        ({ meets }) => meets,
        ({ query: [p, u, d1, v, d2] }) => solver.meet(p, u, [d1], v).includes(d2),
      ),
    ];
  };

  const exhaustive = ({ p, allFacts }: ExhaustiveLine): string => {
    const { startVertex } = (program as Program & { kind: "instance" }).graph;
    const facts = allFacts ? outline.factCount[p] : 1;
    const entering = solver.entering(
      Array.from({ length: facts }, (_, d) => [p, startVertex[p], d] as const),
    );
    const tally = new Tally();
    for (let q = 0; q < outline.procedureCount; q++) {
      for (const [v, d] of entering.procedure(q)) tally.add(256 * q + (v >>> 16), (v << 16) | d);
    }
    return tally.toString();
  };
  const summaries = (deadline: number): string | undefined => {
    const tally = new Tally();
    for (let p = 0; p < outline.procedureCount; p++) {
      if (deadline < performance.now()) return undefined;
      for (const [d1, d2] of solver.summary(p)) tally.add(256 * p + (d1 >>> 12), (d1 << 20) | d2);
    }
    return tally.toString();
  };

  const checks: Check[] = [
    ...pairChecks("p"),
    ...pairChecks("b"),
    ...pairChecks("i"),
    {
      kind: "s",
      aspect: "count and hash",
      questions: ofKind("s").map(({ line, query, answer }) => ({
        line,
        expected: answer,
        answer: () => sourceAnswer(solver.from(...query)),
      })),
    },
    {
      kind: "x",
      aspect: "count and hash",
      obstacle: program.kind === "index" ? "an index does not say where procedures start" : undefined,
      questions: ofKind("x").map((line) => ({
        line: line.line,
        expected: line.answer,
        answer: () => exhaustive(line),
      })),
    },
    {
      kind: "y",
      aspect: "count and hash",
      questions: ofKind("y").map(({ line, answer }) => ({ line, expected: answer, answer: summaries })),
    },
  ];
  return checks.filter(({ questions }) => 0 < questions.length);
}

const bit = (answer: boolean): string => (answer ? "1" : "0");

function sourceAnswer(reached: Reached): string {
  const tally = new Tally();
  for (const [v, d] of reached) {
    const key = v * reached.factCount + d;
    tally.add(Math.floor(key / 2 ** 32), key);
  }
  return tally.toString();
}

/** Count and hash of a set of answers, as the file has them. */
class Tally {
  #count = 0;
  readonly #hash = new AnswerHash();

  add(keyHigh: number, keyLow: number): void {
    this.#count++;
    this.#hash.add(keyHigh, keyLow);
  }

  toString(): string {
    return `${this.#count} ${this.#hash}`;
  }
}
