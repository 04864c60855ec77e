/**
 * Tiny procedures answer from a closure exactly where it takes no more bytes than labels. That its answers are right is
 * test/agreement.test.ts's business; here it is settled who gets one, and that every way of answering is met there.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AnalyzeOptions, analyze } from "../src/analyze.js";
import type { ExplodedSupergraph } from "../src/exploded/exploded-supergraph.js";
import { parseIfds } from "../src/exploded/parse-ifds.js";
import { programText } from "./support/arbitraries.js";
import { bruteForce } from "./support/brute-force.js";
import { checkSolver } from "./support/check.js";
import { variants } from "./support/engines.js";
import { readGraph } from "./support/fixtures.js";

const engines = variants.filter(([name]) => name === "wasm, debug build" || name === "reference");

/** How each procedure answers, and how many bytes all labels take. */
function plan(graph: ExplodedSupergraph, options: AnalyzeOptions) {
  const { statistics } = analyze(graph, options);
  const answersBy = Array.from(
    { length: statistics.procedures },
    (_, p) => statistics.procedure(p).answersBy,
  );
  return { answersBy, bytes: statistics.bytes.labels };
}

/** One procedure: a cycle through all vertices, each with a way to the next but one, so that none is inside a chain. */
function ring(vertices: number, relation: string): string {
  const edges = Array.from({ length: vertices }, (_, v) =>
    [1, 2].map((step) => `e ${v} ${(v + step) % vertices} 1`),
  );
  return [
    "IFDS 1",
    "R 0 I",
    `R 1 ${relation}`,
    "M 0",
    `P 0 ${vertices} 3 0 ${vertices - 1} main`,
    ...edges.flat(),
    "Z",
    "",
  ].join("\n");
}

/** Facts that stay apart, facts that influence each other, and facts that lead back to the zero fact. */
const relations = ["I 0>0,1", "I 0>0,1 1>2", "I 1>0,2"];

describe.each(engines)("%s", (_, engine) => {
  test("few nodes have a closure, many have labels", () => {
    for (const relation of relations) {
      expect(plan(parseIfds(ring(3, relation)), engine).answersBy).toEqual(["closure"]);
      expect(plan(parseIfds(ring(40, relation)), engine).answersBy).toEqual(["labels"]);
    }
  });

  test("neither where elimination is asked for, nor where the budget is too small for it", () => {
    const graph = parseIfds(ring(3, relations[1]));
    expect(plan(graph, { ...engine, sweepLimit: 0 }).answersBy).toEqual(["labels"]);
    expect(plan(graph, { ...engine, labelBudget: 0 }).answersBy).toEqual(["search"]);
    const { bytes } = plan(graph, engine);
    expect(plan(graph, { ...engine, labelBudget: bytes }).answersBy).toEqual(["closure"]);
    expect(plan(graph, { ...engine, labelBudget: bytes - 8 }).answersBy).toEqual(["search"]);
  });

  test.each(relations)("rings of every size agree with brute force: %s", (relation) => {
    for (let vertices = 2; vertices <= 9; vertices++) {
      const graph = parseIfds(ring(vertices, relation));
      checkSolver(graph, analyze(graph, engine), bruteForce(graph));
    }
  });

  test("an index with closures is no longer than one of labels alone", () => {
    fc.assert(
      fc.property(programText(), (text) => {
        const graph = parseIfds(text);
        const labels = plan(graph, { ...engine, sweepLimit: 0 });
        const mixed = plan(graph, engine);
        expect(mixed.bytes).toBeLessThanOrEqual(labels.bytes);
        if (!mixed.answersBy.includes("closure")) expect(mixed.bytes).toBe(labels.bytes);
      }),
      { numRuns: 50 },
    );
  });

  test("real programs and random ones have procedures of both kinds", () => {
    for (const name of ["fop.puninit", "batik.live", "chart.rdef"]) {
      const { answersBy } = plan(readGraph(`instances/${name}.ifds.gz`), engine);
      expect(new Set(answersBy)).toEqual(new Set(["closure", "labels"]));
    }
    const kinds = fc
      .sample(programText({ procedures: 2, vertices: 14 }), { numRuns: 40, seed: 1 })
      .flatMap((text) => plan(parseIfds(text), engine).answersBy);
    expect(new Set(kinds)).toEqual(new Set(["closure", "labels"]));
  });
});
