/** Inputs that would overflow a stack or a naive table: each is answered, and the answers are those that its shape says. */

import { describe, expect, test } from "vitest";
import { parseIfds } from "../src/exploded/parse-ifds.js";
import { mainEngines } from "./support/engines.js";

function* straightLine(n: number): Generator<string> {
  yield "IFDS 1\nR 0 I\nR 1 I 0>0,1\nR 2 I 1>\nR 3 I 1>1,2\nM 0\n";
  yield `P 0 ${n} 4 0 ${n - 1} main\n`;
  for (let v = 0; v + 1 < n; v++)
    yield `e ${v} ${v + 1} ${v === 3 ? 1 : v === n >> 1 ? 3 : v === n - 10 ? 2 : 0}\n`;
  yield "Z\n";
}

function* callChain(n: number): Generator<string> {
  yield "IFDS 1\nR 0 I\nR 1 X 0>0,1\nR 2 X 0>0 1>1\nR 3 I 1>\nM 0\n";
  for (let p = 0; p < n; p++) {
    yield `P ${p} 4 2 0 3 p${p}\ne 0 1 0\ne 2 3 ${p === n - 1 ? 1 : 0}\n`;
    yield p + 1 < n ? `t 1 2 3\nc 1 2 ${p + 1} 2 2\n` : "e 1 2 0\n";
  }
  yield "Z\n";
}

/** `facts` facts, each generated once; with `copies` each also flows into the next, so that all influence each other. */
function* manyFacts(n: number, facts: number, copies: boolean): Generator<string> {
  yield "IFDS 1\nR 0 I\n";
  for (let d = 1; d < facts; d++)
    yield `R ${d} I 0>0,${d}${copies && d + 1 < facts ? ` ${d}>${d},${d + 1}` : ""}\n`;
  yield `M 0\nP 0 ${n} ${facts} 0 ${n - 1} main\n`;
  for (let v = 0; v + 1 < n; v++) yield `e ${v} ${v + 1} ${1 + (v % (facts - 1))}\n`;
  for (let v = 10; v + 1 < n; v += 50) yield `e ${v} ${v - 10} 0\n`;
  yield "Z\n";
}

describe.each(mainEngines)("$name", ({ create }) => {
  test("a straight line of 200,000 vertices", () => {
    const n = 200_000;
    const solver = create(parseIfds(straightLine(n)));
    expect(solver.reaches(0, 0, 0, 4, 1)).toBe(true);
    expect(solver.reaches(0, 0, 0, n - 1, 2)).toBe(true);
    expect(solver.reaches(0, 0, 0, n - 1, 1)).toBe(false);
    expect(solver.reaches(0, 1, 3, n - 1, 3)).toBe(true);
    // (v, 0) everywhere, 1 from vertex 4 to the kill, 2 from the copy on.
    expect(solver.from(0, 0, 0).count).toBe(n + (n - 10 - 3) + (n - 1 - (n >> 1)));
  });

  test("a chain of 100,000 calls", () => {
    const n = 100_000;
    const solver = create(parseIfds(callChain(n)));
    expect(solver.reaches(0, 0, 0, 3, 1)).toBe(true);
    expect(solver.reaches(n >> 1, 0, 0, 3, 1)).toBe(true);
    expect(solver.reaches(n >> 1, 0, 1, 3, 1)).toBe(false);
    expect(solver.reaches(0, 2, 0, 3, 1)).toBe(false);
    expect(Array.from(solver.entering([[0, 0, 0]]).at(n - 1, 3))).toEqual([0, 1]);
    expect(Array.from(solver.entering([[0, 0, 0]]).at(n - 1, 1))).toEqual([0]);
  });

  test.each([false, true])("3,000 facts, all influencing each other: %s", (copies) => {
    const solver = create(parseIfds(manyFacts(3000, 3000, copies)));
    expect(solver.reaches(0, 0, 0, 2999, 7)).toBe(true);
    expect(solver.reaches(0, 7, 7, 2999, 7)).toBe(true);
    expect(solver.reaches(0, 700, 7, 2999, 6)).toBe(false);
    expect(solver.reaches(0, 0, 0, 5, 700)).toBe(false);
    expect(solver.from(0, 0, 0).facts(2999).length).toBe(3000);
  });
});
