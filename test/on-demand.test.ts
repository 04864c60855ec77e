/**
 * Analyses on demand of a real program whose labels outgrow the region that they get at first: the answers are those of
 * the complete index while the region grows, and while labels make room for one another in a small one.
 */

import { describe, expect, test } from "vitest";
import { analyze } from "../src/analyze.js";
import { Residency } from "../src/image/residency.js";
import { variants } from "./support/engines.js";
import { readGraph } from "./support/fixtures.js";

const engines = variants.filter(([name]) => name === "wasm" || name === "reference");
const graph = readGraph("instances/antlr.live.ifds.gz");

/** Queries about every procedure, so many times. */
function queriesByProcedure(times: number): Uint32Array {
  const queries: number[] = [];
  for (let k = 1; k <= times; k++) {
    for (let p = 0; p < graph.procedureCount; p++) {
      const [n, facts] = [graph.vertexCount[p], graph.factCount[p]];
      queries.push(p, (k * 7) % n, (k * 3) % facts, (k * 31) % n, (k * 5) % facts);
      queries.push(p, (k * 11) % n, 0, (k * 17) % n, (k * 3) % facts);
    }
  }
  return Uint32Array.from(queries);
}

test("a procedure without labels, placed where another's begin, does not make room there", () => {
  const residency = new Residency(Float64Array.of(1, 0, 1, 1), 3);
  const [first, empty, second] = [0, 1, 2].map((p) => residency.place(p));
  expect([first, empty, second]).toEqual([0, 0, 1]);
  expect(residency.place(3)).toBe(2);
});

describe.each(engines)("%s", (_, options) => {
  const queries = queriesByProcedure(2);
  const complete = analyze(graph, options);
  const expected = Array.from(complete.reachesAll(queries));
  const { index, labels } = complete.statistics.bytes;

  test.each([
    ["grows", {}],
    ["is too small", { memoryLimit: index - (labels >> 1) }],
  ])("the region %s", (_, limit: { memoryLimit?: number }) => {
    const create = () => analyze(graph, { ...options, ...limit, onDemand: true });
    const oneByOne = create();
    const answers: number[] = [];
    for (let i = 0; i < queries.length; i += 5) {
      const [p, u, d1, v, d2] = queries.subarray(i, i + 5);
      answers.push(oneByOne.reaches(p, u, d1, v, d2) ? 1 : 0);
    }
    expect(answers).toEqual(expected);
    expect(Array.from(create().reachesAll(queries))).toEqual(expected);
    // A procedure may take what the limit leaves; beyond that, it answers by search.
    const { memoryLimit = Number.POSITIVE_INFINITY } = limit;
    const left = memoryLimit - (index - labels);
    const same = analyze(graph, { ...options, labelBudget: Math.min(left, 2 ** 28) });
    expect(Buffer.compare(Buffer.from(oneByOne.data), Buffer.from(same.data))).toBe(0);
  });

  test("both answers occur, and the region is larger than at first", () => {
    expect(new Set(expected)).toEqual(new Set([0, 1]));
    expect(labels).toBeGreaterThan(2 ** 20);
  });
});
