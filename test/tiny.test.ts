/**
 * Small programs, some of them Java, some random, with every answer of an independent solver: what each exploded vertex
 * reaches by same-context valid paths, and the classic solution as a count and a hash.
 */

import { describe, expect, test } from "vitest";
import type { ExplodedSupergraph } from "../src/exploded/exploded-supergraph.js";
import { AnswerHash } from "../src/results/answer-hash.js";
import type { EnteringFacts } from "../src/results/entering-facts.js";
import type { Seed } from "../src/solver.js";
import { engines } from "./support/engines.js";
import { fixtureNames, readGraph, readLines } from "./support/fixtures.js";

const programs = fixtureNames("tiny").map((name) => ({
  name,
  graph: readGraph(`tiny/${name}.ifds.gz`),
  answers: readLines(`tiny/${name}.all.gz`),
}));

test("there are programs", () => {
  expect(programs.length).toBeGreaterThan(20);
});

describe.each(engines)("$name", ({ create }) => {
  test.each(programs)("$name", ({ graph, answers }) => {
    const solver = create(graph);
    for (const line of answers) {
      if (line.startsWith("S ")) {
        const [p, u, d1] = line.split(" ").slice(1).map(Number);
        const reached = Array.from(solver.from(p, u, d1), ([v, d]) => ` ${v}.${d}`);
        expect(`S ${p} ${u} ${d1} :${reached.join("")}`).toBe(line);
      } else {
        const isFromAllFacts = line.startsWith("X 1 ");
        const entering = solver.entering(entrySeeds(graph, isFromAllFacts));
        const hash = hashOf(graph, entering);
        expect(`X ${isFromAllFacts ? 1 : 0} ${entering.count} ${hash}`).toBe(line);
      }
    }
  });
});

/** Fact 0 at the start of the entry procedure, or all its facts. */
function entrySeeds({ entry, factCount, startVertex }: ExplodedSupergraph, all: boolean): Seed[] {
  return Array.from({ length: all ? factCount[entry] : 1 }, (_, d) => [entry, startVertex[entry], d]);
}

/** Keys are (p << 40) + (v << 16) + d. */
function hashOf(graph: ExplodedSupergraph, entering: EnteringFacts): AnswerHash {
  const hash = new AnswerHash();
  for (let p = 0; p < graph.procedureCount; p++) {
    for (const [v, d] of entering.procedure(p)) hash.add(p * 256 + (v >>> 16), (v << 16) | d);
  }
  return hash;
}
