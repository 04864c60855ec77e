/**
 * Test cases of other IFDS solvers (Heros, WALA, PhASAR, SootUp) and the running example of the POPL 1995 paper, as
 * programs with expected facts: the classic solution from the case's seeds, and same-context pairs.
 */

import { describe, expect, test } from "vitest";
import type { Seed } from "../src/solver.js";
import { engines } from "./support/engines.js";
import { fixtureNames, readFixture, readGraph } from "./support/fixtures.js";

interface Case {
  readonly title: string;
  readonly seeds: Seed[];
  /** The complete list of facts that hold before a vertex. */
  readonly at: [p: number, v: number, facts: number[]][];
  readonly pairs: [p: number, u: number, d1: number, v: number, d2: number, answer: number][];
}

const cases = fixtureNames("cases").map((name) => ({
  name,
  graph: readGraph(`cases/${name}.ifds`),
  expected: JSON.parse(new TextDecoder().decode(readFixture(`cases/${name}.json`))) as Case,
}));

test("there are cases", () => {
  expect(cases.length).toBeGreaterThan(25);
});

describe.each(engines)("$name", ({ create }) => {
  test.each(cases)("$name: $expected.title", ({ graph, expected }) => {
    const solver = create(graph);
    const entering = solver.entering(expected.seeds);
    expect(expected.at.map(([p, v]) => [p, v, [...entering.at(p, v)]])).toEqual(expected.at);
    for (const [p, u, d1, v, d2, answer] of expected.pairs) {
      expect([p, u, d1, v, d2, Number(solver.reaches(p, u, d1, v, d2))]).toEqual([p, u, d1, v, d2, answer]);
    }
  });
});
