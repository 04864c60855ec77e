/**
 * Costs are counted, not timed: words united for labels, nodes swept for summaries, words read by a pair query, on
 * families that are hard for one part of the method or another. From 500 vertices to 8,000 at fixed facts, work per
 * vertex may grow with the logarithm (the tree's height) and no faster.
 */

import { describe, expect, test } from "vitest";
import { parseIfds } from "../src/exploded/parse-ifds.js";
import { families } from "./support/families.js";
import { measureWork } from "./support/work.js";

const FACTS = 5;
const SMALL = 500;
const LARGE = 8000;

function queries(n: number): [number, number, number, number, number][] {
  const random = (i: number) => Math.imul(i, 0x9e3779b1) >>> 0;
  return Array.from({ length: 500 }, (_, i) => [
    0,
    random(3 * i) % n,
    i % FACTS,
    random(3 * i + 1) % n,
    (i >> 3) % FACTS,
  ]);
}

describe.each(families)("$name", ({ program }) => {
  const of = (n: number, sweepLimit: number) =>
    measureWork(parseIfds(program(n, FACTS)), sweepLimit, queries(n));

  test.each([
    ["sweeps, elimination where they do not end", 8],
    ["elimination always", 0],
  ])("labels by %s", (_, sweepLimit) => {
    const small = of(SMALL, sweepLimit);
    const large = of(LARGE, sweepLimit);
    const perVertex = (work: typeof small) => work.labelWords / work.nodes;
    expect(perVertex(large) / perVertex(small)).toBeLessThan((1.3 * large.height) / small.height);
    expect(large.height).toBeLessThan(2 * (Math.log2(LARGE) + large.width));
    expect(large.summaryNodes / large.nodes).toBeLessThan((1.3 * small.summaryNodes) / small.nodes);
    if (sweepLimit === 0) {
      // An exact procedure reads L and N+(L): w + 1 positions at most, each in a word of its own here. A query about a
      // chain vertex may do so for each fact that its own becomes on the way.
      expect(large.pairWords).toBeLessThanOrEqual(2 * (large.width + 1) * FACTS);
    }
  });
});

/** One loop around which every fact moves on by one at each turn: sweeps would take as many turns as there are facts. */
function carousel(n: number, facts: number): string {
  const shift = Array.from(
    { length: facts - 1 },
    (_, d) => `${d + 1}>${d + 1},${((d + 1) % (facts - 1)) + 1}`,
  );
  const lines = Array.from(
    { length: n - 2 },
    (_, i) =>
      `e ${i} ${i + 1} 0\n${i % 3 === 0 ? `e ${i} ${i + 1} 0\ne ${i} ${Math.min(i + 2, n - 2)} 0\n` : ""}`,
  );
  return `IFDS 1\nR 0 I\nR 1 I ${shift.join(" ")}\nM 0\nP 0 ${n} ${facts} 0 ${n - 1} main\n${lines.join("")}e ${n - 2} 1 1\ne ${n - 2} ${n - 1} 0\nZ\n`;
}

test("sweeps that do not end soon give way to elimination", () => {
  const graph = parseIfds(carousel(60, 40));
  const unlimited = measureWork(graph, 2 ** 31, []);
  expect(unlimited.sweeps).toBeGreaterThan(8);
  expect(measureWork(graph, 8, []).sweeps).toBeLessThanOrEqual(9);
});

test("long rows give way to elimination, and a query reads the positions at L and N+(L) alone", () => {
  const facts = 150;
  // A ladder of joins: many ancestors, one group of many facts.
  const n = 120;
  const shift = Array.from(
    { length: facts - 1 },
    (_, d) => `${d + 1}>${d + 1},${Math.min(d + 2, facts - 1)}`,
  );
  const edges = Array.from(
    { length: n - 1 },
    (_, i) => `e ${i} ${i + 1} 1\n${i + 3 < n ? `e ${i} ${i + 3} 0\n` : ""}`,
  );
  const graph = parseIfds(
    `IFDS 1\nR 0 I\nR 1 I ${shift.join(" ")}\nM 0\nP 0 ${n} ${facts} 0 ${n - 1} main\n${edges.join("")}Z\n`,
  );
  const work = measureWork(
    graph,
    8,
    Array.from(
      { length: 400 },
      (_, i) => [0, (i * 7) % n, 1 + (i % 149), (i * 13) % n, 1 + ((i * 5) % 149)] as const,
    ),
  );
  expect(work.sweeps).toBe(0);
  expect(work.pairWords).toBeLessThanOrEqual((work.width + 1) * Math.ceil((facts - 1) / 56));
});

test("a graph too dense for elimination is labelled by sweeps", () => {
  const n = 250;
  const edges = Array.from({ length: 12_000 }, (_, i) => {
    const random = Math.imul(i + 1, 0x9e3779b1) >>> 0;
    return `e ${random % n} ${(random >>> 12) % n} ${i % 3 === 0 ? 1 : 0}\n`;
  });
  const graph = parseIfds(
    `IFDS 1\nR 0 I\nR 1 I 0>0,1 1>2\nM 0\nP 0 ${n} 3 0 ${n - 1} main\n${edges.join("")}Z\n`,
  );
  const work = measureWork(graph, 8, []);
  expect(work.width).toBeGreaterThan(100);
  expect(work.sweeps).toBeGreaterThan(0);
  // Each sweep unites a block of at most `height` ancestors and 3 facts over each arc, in either direction.
  const perSweep = 2 * edges.length * 4 * Math.ceil((3 * work.height) / 64);
  expect(work.labelWords).toBeLessThanOrEqual(work.sweeps * perSweep);
});
