/** Options and ids out of range: one sentence each, with either engine; and what extreme but valid options do. */

import { describe, expect, test } from "vitest";
import { type AnalyzeOptions, analyze, analyzeAsync, type Progress } from "../src/analyze.js";
import { OutOfMemoryError } from "../src/engine.js";
import { parseIfds } from "../src/exploded/parse-ifds.js";
import { variants } from "./support/engines.js";

const graph = parseIfds("IFDS 1\nR 0 I\nR 1 I 0>0,1\nM 0\nP 0 4 2 0 3 main\ne 0 1 1\ne 1 2 0\ne 2 3 0\nZ\n");
const engines = variants.filter(([name]) => name === "wasm" || name === "reference");

/** What happens as a memory limit rises. */
const ORDER = ["refused", "search", "labels"];

describe.each(engines)("%s", (_, engine) => {
  const analysis = analyze(graph, engine);
  const p = analysis.procedure("main");

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 32, 2 ** 53, "1", undefined, null])(
    "%s is no vertex, fact or procedure",
    (value) => {
      const bad = value as number;
      const shown = typeof value === "string" ? `"${value}"` : `${value}`;
      const refused = (act: () => unknown, what: string, expected: string) => {
        expect(act).toThrow(RangeError);
        expect(act).toThrow(`got ${what}${shown}, expected ${expected}`);
      };
      refused(() => p.reaches(bad, 0, 1, 0), "vertex ", "0 to 3.");
      refused(() => p.reaches(0, 0, bad, 0), "vertex ", "0 to 3.");
      refused(() => p.reaches(0, bad, 1, 0), "fact ", "0 to 1.");
      refused(() => p.reaches(0, 0, 1, bad), "fact ", "0 to 1.");
      refused(() => p.from(bad, 0), "vertex ", "0 to 3.");
      refused(() => p.from(0, bad), "fact ", "0 to 1.");
      refused(() => p.meet(0, [bad], 1), "fact ", "0 to 1.");
      refused(() => analysis.entering([[0, bad, 0]]), "vertex ", "0 to 3.");
      const reached = p.from(0, 0);
      const entering = analysis.entering([[0, 0, 0]]);
      const result = (act: () => unknown, what: string, expected: string) => {
        expect(act).toThrow(RangeError);
        expect(act).toThrow(`got ${what}${value}, expected ${expected}`);
      };
      result(() => reached.has(bad, 0), "vertex ", "0 to 3.");
      result(() => reached.has(0, bad), "fact ", "0 to 1.");
      result(() => reached.facts(bad), "vertex ", "0 to 3.");
      result(() => entering.at(0, bad), "vertex ", "0 to 3.");
      result(() => entering.has(0, bad, 0), "vertex ", "0 to 3.");
      result(() => entering.has(0, 0, bad), "fact ", "0 to 1.");
      if (typeof value !== "string") result(() => entering.at(bad, 0), "", "0 to 0.");
      refused(() => analysis.entering([[0, 0, bad]]), "fact ", "0 to 1.");
      if (typeof value !== "string") refused(() => analysis.procedure(bad), "", "0 to 0.");
    },
  );

  test("batches", () => {
    expect(analysis.reachesAll(new Uint32Array(0))).toEqual(new Uint8Array(0));
    expect(() => analysis.reachesAll(new Uint32Array(3))).toThrow("got 3 words, expected a multiple of 5");
    const second = Uint32Array.of(0, 0, 0, 1, 0, 0, 0, 0, 9, 0);
    expect(() => analysis.reachesAll(second)).toThrow("Query 1: Procedure 0 (main): got vertex 9");
    const shared = new Uint32Array(new SharedArrayBuffer(20));
    shared.set([0, 0, 0, 3, 1]);
    expect(Array.from(analysis.reachesAll(shared))).toEqual([1]);
  });

  test("a value where a list is expected is refused in one sentence", () => {
    const wrong = (value: unknown) => value as never;
    const refused = (act: () => unknown, message: string) => {
      expect(act).toThrow(TypeError);
      expect(act).toThrow(message);
    };
    refused(
      () => analysis.entering(wrong([0, 0, 0])),
      "Seeds: got 0 in the list, expected [procedure, vertex, fact].",
    );
    refused(
      () => analysis.entering(wrong(undefined)),
      "Seeds: got undefined, expected a list of [procedure, vertex, fact].",
    );
    refused(() => p.meet(0, wrong(1), 3), "Procedure 0 (main): got facts 1, expected a list of them.");
    refused(
      () => analysis.reachesAll(wrong([0, 0, 0, 3, 1])),
      "Queries: got [0, 0, 0, 3, 1], expected a Uint32Array (p, u, d1, v, d2, ...).",
    );
    expect(analysis.entering(new Set([[0, 0, 0] as const])).has(0, 3, 1)).toBe(true);
  });

  test.each<[AnalyzeOptions]>([
    [{ labelBudget: 0 }],
    [{ labelBudget: Number.POSITIVE_INFINITY }],
    [{ sweepLimit: Number.POSITIVE_INFINITY }],
    [{ bytesPerMemory: 0 }],
    [{ bytesPerMemory: Number.POSITIVE_INFINITY }],
    [{ memoryLimit: Number.POSITIVE_INFINITY }],
    [{ onDemand: true }],
    [{ onDemand: true, memoryLimit: Number.POSITIVE_INFINITY }],
  ])("%o is fine", (options) => {
    expect(analyze(graph, { ...engine, ...options }).reaches(0, 0, 0, 3, 1)).toBe(true);
  });

  test.each([
    ["labelBudget", Number.NaN],
    ["sweepLimit", -1],
    ["memoryLimit", "1 GiB"],
    ["bytesPerMemory", Number.NEGATIVE_INFINITY],
  ])("%s: %s", (name, value) => {
    const act = () => analyze(graph, { ...engine, [name]: value });
    expect(act).toThrow(RangeError);
    expect(act).toThrow(`Option ${name}: got ${typeof value === "string" ? `"${value}"` : value}, expected`);
  });

  test("a memory limit that is too small says what is needed", () => {
    const limited = (memoryLimit: number) => analyze(graph, { ...engine, memoryLimit });
    let needed = 0;
    try {
      limited(10);
    } catch (error) {
      expect(error).toBeInstanceOf(OutOfMemoryError);
      needed = (error as OutOfMemoryError).bytes;
      expect((error as Error).message).toBe(
        `Index: got ${needed} bytes or more, expected them to fit the memory limit of 10 bytes.`,
      );
    }
    expect(limited(needed).reaches(0, 0, 0, 3, 1)).toBe(true);
    expect(() => limited(needed - 1)).toThrow(OutOfMemoryError);
  });

  test("a memory limit is the length of the index, to the byte", () => {
    const { data, statistics } = analyze(graph, engine);
    expect(statistics.bytes.index).toBe(data.byteLength);
    const limited = (memoryLimit: number) => analyze(graph, { ...engine, memoryLimit });
    expect(limited(data.byteLength).data).toEqual(data);
    expect(() => limited(data.byteLength - 1)).toThrow(OutOfMemoryError);
  });

  test("on demand, a limit above all but labels is enough: a procedure whose labels do not fit answers by search", () => {
    const { index, labels } = analyze(graph, engine).statistics.bytes;
    const limited = (memoryLimit: number) => analyze(graph, { ...engine, onDemand: true, memoryLimit });
    const outcomes: string[] = [];
    for (let limit = index - labels - 8; limit <= index + 8; limit += 8) {
      try {
        const analysis = limited(limit);
        expect(analysis.reaches(0, 0, 0, 3, 1)).toBe(true);
        outcomes.push(analysis.statistics.searchProcedures === 0 ? "labels" : "search");
      } catch (error) {
        expect((error as OutOfMemoryError).bytes).toBe(index - labels);
        outcomes.push("refused");
      }
    }
    expect([...new Set(outcomes)]).toEqual(["refused", "search", "labels"]);
    expect(outcomes).toEqual(outcomes.toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)));
  });

  test("on demand nothing is decomposed before it is asked about, and the index is the same", () => {
    const phases = new Set<string>();
    const onProgress = ({ phase }: Progress) => phases.add(phase);
    const lazy = analyze(graph, { ...engine, onDemand: true, onProgress });
    expect([...phases]).toEqual(["contract", "assemble", "summaries", "labels"]);
    const eager = analyze(graph, engine);
    expect(lazy.reaches(0, 0, 0, 3, 1)).toBe(true);
    expect(lazy.statistics.procedure(0)).toEqual(eager.statistics.procedure(0));
    expect(Buffer.from(lazy.data)).toEqual(Buffer.from(eager.data));
    phases.clear();
    const { index } = eager.statistics.bytes;
    analyze(graph, { ...engine, onDemand: true, memoryLimit: index, onProgress });
    expect([...phases]).toEqual(["contract", "assemble", "summaries", "labels"]);
  });

  test("what onProgress throws, and an abort, end the work", async () => {
    const phases = new Set<string>();
    analyze(graph, { ...engine, onProgress: ({ phase }) => phases.add(phase) });
    expect([...phases]).toEqual(["contract", "decompose", "assemble", "summaries", "labels"]);
    const stop = () => {
      throw new Error("enough");
    };
    expect(() => analyze(graph, { ...engine, onProgress: stop })).toThrow("enough");
    const signal = AbortSignal.abort(new Error("stopped"));
    expect(() => analyze(graph, { ...engine, signal })).toThrow("stopped");
    await expect(analyzeAsync(graph, { ...engine, signal })).rejects.toThrow("stopped");
    expect((await analyzeAsync(graph, engine)).reaches(0, 0, 0, 3, 1)).toBe(true);
  });
});

test("another engine", () => {
  expect(() => analyze(graph, { engine: "fast" as "wasm" })).toThrow(
    'Option engine: got "fast", expected "wasm" or "reference".',
  );
});
