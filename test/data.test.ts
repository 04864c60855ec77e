/**
 * The saved index: rebuilt bit for bit by either engine, the same bytes at every run, and refused in one sentence
 * wherever a byte of it is missing or changed.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as I from "../assembly/image.js";
import { Analysis } from "../src/analysis.js";
import { type AnalyzeOptions, analyze } from "../src/analyze.js";
import { extractProcedure } from "../src/exploded/exploded-procedure.js";
import type { ExplodedSupergraph } from "../src/exploded/exploded-supergraph.js";
import { InputError } from "../src/exploded/input-error.js";
import { parseIfds } from "../src/exploded/parse-ifds.js";
import { checksum } from "../src/image/checksum.js";
import { program } from "./support/arbitraries.js";
import { bruteForce } from "./support/brute-force.js";
import { checkSolver } from "./support/check.js";
import { variants } from "./support/engines.js";

const text = `IFDS 1
R 0 I
R 1 I 0>0,1
R 2 X 0>0 1>2
R 3 I 2>1
M 0
P 0 5 3 0 4 main
e 0 1 1
t 1 2 0
c 1 2 1 2 2
e 2 3 0
e 3 4 0
e 3 1 3
P 1 3 3 0 2 callee
e 0 1 3
e 1 2 0
Z
`;
const bytesOf = (analysis: Analysis) => Buffer.from(analysis.data);

describe("both engines write the same bytes", () => {
  const check = (graph: ExplodedSupergraph, options: AnalyzeOptions = {}): void => {
    const reference = bytesOf(analyze(graph, { ...options, engine: "reference" }));
    expect(reference).toEqual(bytesOf(analyze(graph, { ...options, engine: "wasm" })));
  };

  test("where a call relates no fact to its callee, not even the zero fact", () => {
    check(parseIfds("IFDS 2\nR 0 I\nR 1 X\nM 0\nP 0 2 1 0 1 main\nt 0 1 0\nc 0 1 1 1 0\nP 1 1 1 0 0 q\nZ\n"));
  });

  test.each<[string, Parameters<typeof program>[0], AnalyzeOptions]>([
    ["small programs", {}, {}],
    ["eight facts and more", { facts: 9, sites: 3, vertices: 8, edges: 10 }, {}],
    ["many procedures", { procedures: 9, vertices: 4, facts: 3, edges: 3, sites: 3, exits: 3 }, {}],
    ["facts in classes", { facts: 12, classes: 4, sites: 3 }, {}],
    ["more facts than a word has bits", { procedures: 2, vertices: 5, facts: 70, classes: 7 }, {}],
    ["long straight lines", { procedures: 2, vertices: 60, edges: 62, facts: 6 }, {}],
    ["labels by elimination", { vertices: 10, edges: 14 }, { sweepLimit: 0 }],
  ])("%s", (_, size, options) => {
    fc.assert(
      fc.property(program(size), (graph) => check(graph, options)),
      { numRuns: 60 },
    );
  });
});

describe.each(variants)("%s", (_, options) => {
  test("rebuilt from its data it answers the same and has the same data", () => {
    fc.assert(
      fc.property(program(), (graph) => {
        const analysis = analyze(graph, options);
        const { data } = analysis;
        const again = Analysis.from(data, options);
        expect(bytesOf(again)).toEqual(Buffer.from(data));
        checkSolver(graph, again, bruteForce(graph));
      }),
      { numRuns: 60 },
    );
  });

  test("loaded with the limits it was made with, it is edited as it was itself", () => {
    fc.assert(
      fc.property(program({ vertices: 10, edges: 14, facts: 6 }), (graph) => {
        const limits = { ...options, labelBudget: 40, sweepLimit: 1 };
        const analysis = analyze(graph, limits);
        const again = Analysis.from(analysis.data, { ...limits, graph });
        const edited = extractProcedure(graph, 0);
        expect(bytesOf(again.update(0, edited))).toEqual(bytesOf(analysis.update(0, edited)));
        expect(bytesOf(again.update(0, edited))).toEqual(bytesOf(analysis));
      }),
      { numRuns: 30 },
    );
  });

  test("ten runs give the same bytes", () => {
    fc.assert(
      fc.property(program({ procedures: 6, sites: 3 }), (graph) => {
        const first = bytesOf(analyze(graph, options));
        for (let run = 1; run < 10; run++) expect(bytesOf(analyze(graph, options))).toEqual(first);
      }),
      { numRuns: 20 },
    );
  });
});

test("data in a view at any offset of a larger buffer is accepted", () => {
  const { data } = analyze(parseIfds(text));
  for (const offset of [0, 1, 4, 8, 13]) {
    const larger = new Uint8Array(data.byteLength + 20);
    larger.set(new Uint8Array(data), offset);
    const analysis = Analysis.from(larger.subarray(offset, offset + data.byteLength));
    expect(analysis.reaches(0, 0, 0, 4, 2)).toBe(true);
  }
  const shared = new SharedArrayBuffer(data.byteLength);
  new Uint8Array(shared).set(new Uint8Array(data));
  expect(Analysis.from(shared).procedure("callee").id).toBe(1);
});

describe("the option graph", () => {
  const graph = parseIfds(text);
  const { data } = analyze(graph);

  test("the program that the data was made from, whatever it looks like", () => {
    fc.assert(
      fc.property(program(), (any) => {
        const saved = analyze(any).data;
        expect(bytesOf(Analysis.from(saved, { graph: any }))).toEqual(Buffer.from(saved));
      }),
      { numRuns: 100 },
    );
    const lone = { ...graph, names: ["\ud800", "\ufeffb"] };
    expect(Analysis.from(analyze(lone).data, { graph: lone }).procedureCount).toBe(2);
  });

  test.each([
    ["names", "P 1 3", "P 1 3 3 0 2 other", 'procedure 1: got name "other", expected "callee"'],
    ["vertices", "P 1 3", "P 1 4 3 0 2 callee", "procedure 1: got vertices: 4, expected 3"],
    ["start", "P 1 3", "P 1 3 3 1 2 callee", "procedure 1: got start 1, expected 0"],
    ["exits", "P 1 3", "P 1 3 3 0 1 callee", "procedure 1: got exits 1, expected 2"],
    ["entry", "M 0", "M 1", "got entry procedure 1, expected 0"],
    ["callees", "c 1 2 1", "c 1 2 0 2 2", "procedure 0: got callee 0, expected 1"],
    ["fewer calls", "c 1 2 1", "e 1 2 0", "procedure 0: got calls: 0, expected 1"],
    ["edges", "e 3 1 3", "e 3 2 3", "got other edges, expected those of the index"],
    ["procedures", "Z", "P 2 1 1 0 0 third\nZ", "got procedures: 3, expected 2"],
  ])("another program is refused: %s", (_, begin, line, message) => {
    const other = parseIfds(text.replace(new RegExp(`^${begin}.*$`, "m"), line));
    const open = () => Analysis.from(data, { graph: other, name: "saved.phlm" });
    expect(open).toThrow(InputError);
    expect(open).toThrow(`saved.phlm: option graph: ${message}`);
  });

  test("another program is refused: facts", () => {
    const other = { ...graph, factCount: Uint32Array.of(3, 4) };
    expect(() => Analysis.from(data, { graph: other })).toThrow(
      "procedure 1: got facts: 4, expected 3 as in the",
    );
  });
});

describe("refused in one sentence", () => {
  const valid = new Uint8Array(analyze(parseIfds(text)).data);
  const refuse = (data: Uint8Array): string => {
    try {
      Analysis.from(data, { name: "saved.phlm" });
    } catch (error) {
      expect(error).toBeInstanceOf(InputError);
      const { message } = error as InputError;
      expect(message).toMatch(/^saved\.phlm: [^\n]*got [^\n]*, expected [^\n]*\.$/);
      return message;
    }
    throw new Error("expected the data to be refused");
  };
  const withWord = (index: number, value: number): Uint8Array => {
    const copy = valid.slice();
    const words = new Uint32Array(copy.buffer);
    words[index] = value;
    words[I.H_CHECKSUM] = checksum(words);
    return copy;
  };

  test.each([
    ["nothing", new Uint8Array(0), "0 bytes"],
    ["another file", new TextEncoder().encode("IFDS 1\nR 0 I\n"), "PHLM"],
    ["an older version", withWord(I.H_VERSION, 0), "version 0"],
    ["another kernel", withWord(I.H_KERNEL, 0x12345678), "kernel 12345678"],
    ["a wrong length", withWord(I.H_LENGTH, 7), "56 as the header says"],
  ])("%s", (_, data, part) => expect(refuse(data)).toContain(part));

  test("every cut", () => {
    for (let length = 0; length < valid.length; length += 1 + (length >> 5))
      refuse(valid.subarray(0, length));
  });

  test("every flipped bit", () => {
    for (let i = 0; i < valid.length; i++) {
      const copy = valid.slice();
      copy[i] ^= 1 << ((i * 5) & 7);
      refuse(copy);
    }
  });

  test("any mutation", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        (changes) => {
          const copy = valid.slice();
          for (const [at, value] of changes) copy[at] = value;
          if (Buffer.compare(copy, valid) !== 0) refuse(copy);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
