/**
 * All engines give the same answers as a brute-force fixpoint on random programs, every pair from every pair; and the
 * fixpoint itself those of a bounded enumeration of valid paths.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { program } from "./support/arbitraries.js";
import { bruteForce } from "./support/brute-force.js";
import { checkSolver } from "./support/check.js";
import { engines } from "./support/engines.js";
import { reachedByValidPaths } from "./support/valid-paths.js";

describe.each(engines)("$name agrees with brute force", ({ create }) => {
  test.each([
    ["small programs", 300, {}],
    ["deep calls", 200, { facts: 5, edges: 2, sites: 4, callees: 3 }],
    ["one fact", 60, { facts: 1, vertices: 8, edges: 10 }],
    ["one procedure of many vertices", 25, { procedures: 1, vertices: 40, facts: 3, edges: 60 }],
    ["many facts", 12, { procedures: 2, vertices: 4, facts: 70 }],
    ["facts in classes", 120, { facts: 8, classes: 3 }],
    ["separable facts", 80, { facts: 9, classes: 16, vertices: 8, edges: 10 }],
    ["many facts in classes", 12, { procedures: 2, vertices: 5, facts: 70, classes: 7 }],
    ["many procedures", 100, { procedures: 9, vertices: 4, facts: 3, edges: 3, sites: 3, exits: 3 }],
  ])("on %s", (_, numRuns, size) => {
    fc.assert(
      fc.property(program(size), (graph) => checkSolver(graph, create(graph), bruteForce(graph))),
      { numRuns },
    );
  });
});

test("brute force agrees with an enumeration of valid paths, calls nested at most 3 deep", () => {
  const tiny = program({ procedures: 3, vertices: 4, facts: 3, edges: 3 });
  fc.assert(
    fc.property(tiny, fc.integer({ min: 0, max: 3 }), (graph, depth) => {
      const solver = bruteForce(graph, depth);
      for (let p = 0; p < graph.procedureCount; p++) {
        for (let u = 0; u < graph.vertexCount[p]; u++) {
          for (let d1 = 0; d1 < graph.factCount[p]; d1++) {
            const reached = Array.from(solver.from(p, u, d1), ([v, d]) => `${v}.${d}`).sort();
            expect(reached).toEqual(reachedByValidPaths(graph, p, u, d1, depth));
          }
        }
      }
    }),
    { numRuns: 200 },
  );
});
