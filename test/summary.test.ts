/**
 * Summaries of procedures with many facts and few nodes, which all start facts are searched for at once: against graph
 * search on every route to an answer, and at sizes where
 * every pair of facts would be too many to try.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseIfds } from "../src/exploded/parse-ifds.js";
import { analyses, engines, mainEngines } from "./support/engines.js";

const search = engines.find(({ name }) => name === "search")!;

/** A few vertices, up to 100 facts in groups of any size, loops, a call of another procedure of the same shape. */
const program = fc
  .record({
    vertices: fc.integer({ min: 1, max: 5 }),
    facts: fc.integer({ min: 30, max: 100 }),
    joined: fc.boolean(),
    relations: fc.array(
      fc.array(fc.tuple(fc.nat(), fc.array(fc.nat(), { maxLength: 3 })), { maxLength: 60 }),
      { minLength: 1, maxLength: 3 },
    ),
    edges: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { maxLength: 10 }),
  })
  .map(({ vertices, facts, joined, relations, edges }) => {
    const lines = ["IFDS 1", "R 0 I"];
    for (const [r, pairs] of relations.entries()) {
      const bySource = new Map<number, Set<number>>();
      for (const [source, targets] of pairs) {
        const near = targets.map((t) => {
          const target = (source + (t % 9)) % facts;
          return !joined && target === 0 && source % facts !== 0 ? 1 : target;
        });
        bySource.set(source % facts, new Set(near));
      }
      const entries = Array.from(bySource, ([source, targets]) => `${source}>${[...targets].join()}`);
      lines.push(`R ${r + 1} I ${entries.join(" ")}`.trimEnd());
    }
    lines.push("M 0");
    for (const p of [0, 1]) {
      lines.push(`P ${p} ${vertices} ${facts} 0 ${vertices - 1} p${p}`);
      for (const [u, v, r] of edges) {
        lines.push(`e ${(u + p) % vertices} ${v % vertices} ${r % (relations.length + 1)}`);
      }
      if (p === 0) lines.push(`t 0 ${vertices - 1} 1`, `c 0 ${vertices - 1} 1 0 0`);
    }
    return `${lines.join("\n")}\nZ\n`;
  });

describe.each(analyses)("$name", ({ create }) => {
  test("more facts than nodes: the pairs that graph search finds", () => {
    fc.assert(
      fc.property(program, (text) => {
        const graph = parseIfds(text);
        const solver = create(graph);
        const oracle = search.create(graph);
        for (const p of [0, 1]) expect(solver.summary(p)).toEqual(oracle.summary(p));
      }),
      { numRuns: 60 },
    );
  });
});

describe.each(mainEngines)("$name", ({ create }) => {
  test("16,000 facts that do not influence each other", () => {
    const facts = 16_000;
    const text = `IFDS 1\nR 0 I\nM 0\nP 0 1 ${facts} 0 0 a\nZ\n`;
    const all = Array.from({ length: facts }, (_, d) => [d, d]);
    expect(create(parseIfds(text)).summary(0)).toEqual(all);
  });

  test("3,000 facts in one group", () => {
    const facts = 3000;
    const copies = Array.from({ length: facts - 2 }, (_, d) => `${d + 1}>${d + 2}`).join(" ");
    const text = `IFDS 1\nR 0 I\nR 1 I ${copies} ${facts - 1}>\nM 0\nP 0 2 ${facts} 0 1 a\ne 0 1 1\nZ\n`;
    const moved = Array.from({ length: facts - 2 }, (_, d) => [d + 1, d + 2]);
    expect(create(parseIfds(text)).summary(0)).toEqual([[0, 0], ...moved]);
  });
});
