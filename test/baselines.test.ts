/** What the baselines promise beyond right answers: limits, errors, a cache that stays bounded, and no recursion. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type BaselineProgress,
  baselines,
  complete,
  completeBytes,
  MemoryLimitError,
  memoized,
  search,
  TimeLimitError,
} from "../src/baselines/index.js";
import type { ExplodedSupergraph } from "../src/exploded/exploded-supergraph.js";
import { parseIfds } from "../src/exploded/parse-ifds.js";
import { AnswerHash } from "../src/results/answer-hash.js";
import { program } from "./support/arbitraries.js";
import { bruteForce } from "./support/brute-force.js";
import { checkSolver } from "./support/check.js";

const head = "IFDS 1\nR 0 I\nR 1 X 0>0,1\nR 2 X 0>0 1>1\nM 0\n";
const line = parseIfds(`${head}P 0 3 2 0 2 main\ne 0 1 1\ne 1 2 0\nZ\n`);

/** `length` procedures, each calling the next. */
function callChain(length: number) {
  let text = head;
  for (let p = 0; p + 1 < length; p++) text += `P ${p} 2 2 0 1 p${p}\nt 0 1 2\nc 0 1 ${p + 1} 2 2\n`;
  return parseIfds(`${text}P ${length - 1} 2 2 0 1 leaf\ne 0 1 1\nZ\n`);
}

describe.each(Object.entries(baselines))("%s", (name, create) => {
  test("has its name, and counts the bytes that it keeps", () => {
    const solver = create(line);
    expect(solver.name).toBe(name);
    solver.from(0, 0, 0);
    if (name === "nopp") expect(solver.bytes).toBe(0);
    else expect(solver.bytes).toBeGreaterThan(0);
  });

  test("refuses ids out of range in one sentence", () => {
    const solver = create(line);
    const sentences = [
      () => solver.reaches(1, 0, 0, 0, 0),
      () => solver.reaches(0, 3, 0, 0, 0),
      () => solver.from(0, 0, 2),
      () => solver.from(0, 0.5, 0),
      () => solver.meet(0, 0, [-1], 2),
      () => solver.summary(0, 1),
      () => solver.entering([[0, 7, 0]]),
      () => solver.reachesAll(new Uint32Array(4)),
      () => solver.reachesAll(Uint32Array.of(0, 0, 0, 9, 0)),
    ].map((query) => {
      try {
        query();
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
        return (error as Error).message;
      }
      return "no error";
    });
    expect(sentences).toEqual([
      "Procedure 1 does not exist, expected 0 to 0.",
      "Vertex 3 does not exist in procedure 0 (main), expected 0 to 2.",
      "Fact 2 does not exist in procedure 0 (main), expected 0 to 1.",
      "Vertex 0.5 does not exist in procedure 0 (main), expected 0 to 2.",
      "Fact -1 does not exist in procedure 0 (main), expected 0 to 1.",
      "Vertex 1 is no exit of procedure 0 (main), expected one of 2.",
      "Vertex 7 does not exist in procedure 0 (main), expected 0 to 2.",
      "A batch of 4 numbers is cut, expected five numbers per query.",
      "Vertex 9 does not exist in procedure 0 (main), expected 0 to 2.",
    ]);
  });

  test("refuses a value where a list is expected in one sentence", () => {
    const solver = create(line);
    const wrong = (value: unknown) => value as never;
    expect(() => solver.entering(wrong([0, 0, 0]))).toThrow(
      "Seeds: got 0 in the list, expected [procedure, vertex, fact].",
    );
    expect(() => solver.entering(wrong(0))).toThrow("Seeds: got 0, expected a list of [procedure, vertex,");
    expect(() => solver.meet(0, 0, wrong(1), 2)).toThrow("Facts: got 1, expected a list of them.");
    expect(() => solver.reachesAll(wrong([0, 0, 0, 2, 1]))).toThrow(
      "Queries: got [0, 0, 0, 2, 1], expected a Uint32Array (p, u, d1, v, d2, ...).",
    );
  });

  test("stops when its signal is aborted", () => {
    expect(() => create(line, { signal: AbortSignal.abort(new Error("enough")) })).toThrow("enough");
  });

  test("a time limit and a memory limit of nothing are passed", () => {
    expect(() => create(line, { timeLimit: 0 })).toThrow(TimeLimitError);
    expect(() => create(line, { memoryLimit: 0 })).toThrow(MemoryLimitError);
    expect(create(line, { timeLimit: 60_000, memoryLimit: 1e6 }).reaches(0, 0, 0, 1, 1)).toBe(true);
  });

  test("follows calls nested 100,000 deep", () => {
    const solver = create(callChain(100_000));
    expect(solver.reaches(0, 0, 0, 1, 1)).toBe(true);
    expect(solver.reaches(0, 0, 1, 1, 1)).toBe(true);
    expect(solver.reaches(99_999, 0, 1, 1, 1)).toBe(false);
    expect([...solver.entering([[0, 0, 0]]).at(99_999, 1)]).toEqual([0, 1]);
  });

  if (name !== "cpp") {
    test("follows a line of 200,000 vertices", () => {
      const edges = Array.from({ length: 199_999 }, (_, v) => `e ${v} ${v + 1} ${v === 7 ? 1 : 0}\n`);
      const solver = create(parseIfds(`${head}P 0 200000 2 0 199999 main\n${edges.join("")}Z\n`));
      expect(solver.reaches(0, 0, 0, 199_999, 1)).toBe(true);
      expect(solver.reaches(0, 0, 1, 199_999, 1)).toBe(false);
      expect(solver.from(0, 8, 1).count).toBe(199_992);
    });
  }
});

test("complete preprocessing says how much memory it needs before it begins", () => {
  const bytes = completeBytes(line);
  expect(bytes).toBe(6 * 4 + 6 * 4);
  expect(complete(line, { memoryLimit: bytes }).bytes).toBeLessThanOrEqual(bytes);
  expect(() => complete(line, { memoryLimit: bytes - 1 })).toThrow(MemoryLimitError);
  expect(() => complete(line, { memoryLimit: bytes - 1 })).toThrow(
    "The closure of all procedures needs 48 bytes, expected at most 47.",
  );
});

test("preprocessing stops at the time limit, and reports progress", () => {
  const graph = callChain(50_000);
  expect(() => search(graph, { timeLimit: 0 })).toThrow(TimeLimitError);
  expect(() => search(graph, { timeLimit: 0 })).toThrow(
    "Preprocessing took more than 0 ms, expected at most the time limit.",
  );
  const reports: BaselineProgress[] = [];
  search(graph, { onProgress: (progress) => reports.push(progress) });
  expect(reports.at(-1)).toEqual({ phase: "tables", done: 50_000, total: 50_000 });
  const controller = new AbortController();
  const abort = () => controller.abort(new Error("enough"));
  expect(() => search(graph, { signal: controller.signal, onProgress: abort })).toThrow("enough");
});

/** Bytes of a cache that holds one query: the most over all queries. */
function largestQuery(graph: ExplodedSupergraph): number {
  let bytes = 0;
  for (let p = 0; p < graph.procedureCount; p++) {
    for (let u = 0; u < graph.vertexCount[p]; u++) {
      for (let d1 = 0; d1 < graph.factCount[p]; d1++) {
        const solver = memoized(graph);
        solver.from(p, u, d1);
        bytes = Math.max(bytes, solver.bytes);
      }
    }
  }
  return bytes;
}

test("memoised tabulation stays right, and within its limit, when its cache is dropped again and again", () => {
  fc.assert(
    fc.property(program({ sites: 3 }), (graph) => {
      const memoryLimit = largestQuery(graph);
      const solver = memoized(graph, { memoryLimit });
      checkSolver(graph, solver, bruteForce(graph));
      expect(solver.bytes).toBeLessThanOrEqual(memoryLimit);
    }),
    { numRuns: 50 },
  );
});

test.each(["nopp", "od"] as const)("%s: a query that passes the memory limit leaves no traces", (name) => {
  // Much is reached from (0, 0), nothing from (0, 1).
  const edges = Array.from({ length: 9999 }, (_, v) => `e ${v} ${v + 1} 1\n`).join("");
  const graph = parseIfds(
    `IFDS 1\nR 0 I\nR 1 I 0>0,2,3,4,5,6,7,8 1>\nM 0\nP 0 10000 9 0 9999 main\n${edges}Z\n`,
  );
  const solver = baselines[name](graph, { memoryLimit: 8000 });
  expect(() => solver.from(0, 0, 0)).toThrow(MemoryLimitError);
  expect(() => solver.from(0, 0, 0)).toThrow(
    /^(?:Tabulation|The cache) needs \d+ bytes, expected at most 8000\.$/,
  );
  expect(Array.from(solver.from(0, 0, 1))).toEqual([[0, 1]]);
  expect(() => solver.entering([[0, 0, 0]])).toThrow(MemoryLimitError);
  expect(Array.from(solver.entering([[0, 5, 1]]).procedure(0))).toEqual([[5, 1]]);
  expect(solver.reaches(0, 0, 1, 9999, 2)).toBe(false);
});

test("answer hashes are sums of splitmix64", () => {
  const mask = (1n << 64n) - 1n;
  const splitmix64 = (key: bigint): bigint => {
    let x = (key + 0x9e3779b97f4a7c15n) & mask;
    x = ((x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    x = ((x ^ (x >> 27n)) * 0x94d049bb133111ebn) & mask;
    return x ^ (x >> 31n);
  };
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: 0n, max: mask })), (keys) => {
      const hash = new AnswerHash();
      let sum = 0n;
      for (const key of keys) {
        hash.add(Number(key >> 32n), Number(key & 0xffffffffn));
        sum = (sum + splitmix64(key)) & mask;
      }
      expect(`${hash}`).toBe(sum.toString(16).padStart(16, "0"));
    }),
  );
});
