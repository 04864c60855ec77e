/**
 * An updated analysis is the analysis of the edited program: the same answers, the same data; and the analysis before
 * the edit stays what it was.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Analysis } from "../src/analysis.js";
import { analyze } from "../src/analyze.js";
import { extractProcedure } from "../src/exploded/exploded-procedure.js";
import { InputError } from "../src/exploded/input-error.js";
import { parseIfds } from "../src/exploded/parse-ifds.js";
import { edit, program } from "./support/arbitraries.js";
import { bruteForce } from "./support/brute-force.js";
import { checkSolver } from "./support/check.js";
import { variants } from "./support/engines.js";

const bytesOf = (analysis: Analysis) => Buffer.from(analysis.data);

describe.each(variants)("%s", (_, options) => {
  test.each([
    ["small programs", 60, {}],
    ["deep calls", 40, { procedures: 6, facts: 3, edges: 2, sites: 3, callees: 2 }],
    ["facts in classes", 20, { facts: 6, classes: 2 }],
    ["many procedures", 20, { procedures: 9, vertices: 4, facts: 3, edges: 3, sites: 3, exits: 3 }],
  ])("one edit of %s", (_, numRuns, size) => {
    fc.assert(
      fc.property(edit(size), ({ before, after, changed }) => {
        const analysis = analyze(before, options);
        const data = bytesOf(analysis);
        const updated = analysis.update(changed, extractProcedure(after, changed));
        checkSolver(after, updated, bruteForce(after));
        expect(bytesOf(updated)).toEqual(bytesOf(analyze(after, options)));
        checkSolver(before, analysis, bruteForce(before));
        expect(bytesOf(analysis)).toEqual(data);
      }),
      { numRuns },
    );
  });

  test("edits and their undoing, one after another", () => {
    fc.assert(
      fc.property(edit(), ({ before, after, changed }) => {
        const back = analyze(before, options)
          .update(changed, extractProcedure(after, changed))
          .update(changed, extractProcedure(before, changed));
        checkSolver(before, back, bruteForce(before));
        const again = back.update(changed, extractProcedure(after, changed));
        checkSolver(after, again, bruteForce(after));
      }),
      { numRuns: 25 },
    );
  });
});

const text = (edges: string, facts = 2) => `IFDS 1
R 0 I
R 1 I 0>0,1
R 2 X 0>0 1>1
M 0
P 0 4 2 0 3 main
e 0 1 0
t 1 2 0
c 1 2 1 2 2
e 2 3 0
P 1 3 ${facts} 0 2 callee
${edges}
Z
`;

test("a changed summary reaches the callers", () => {
  const analysis = analyze(parseIfds(text("e 0 1 0\ne 1 2 0")));
  expect(analysis.reaches(0, 0, 0, 3, 1)).toBe(false);
  const edited = analysis.update(1, extractProcedure(parseIfds(text("e 0 1 1\ne 1 2 0")), 1));
  expect(edited.reaches(0, 0, 0, 3, 1)).toBe(true);
  expect(Array.from(edited.entering([[0, 0, 0]]).at(0, 3))).toEqual([0, 1]);
  expect(analysis.reaches(0, 0, 0, 3, 1)).toBe(false);
});

test("a procedure may get other vertices and another name", () => {
  const longer = parseIfds(text("e 0 1 1\ne 1 2 0").replace("P 1 3 2 0 2 callee", "P 1 5 2 0 2 renamed"));
  const edited = analyze(parseIfds(text("e 0 1 0\ne 1 2 0"))).update(1, extractProcedure(longer, 1));
  expect(edited.procedure("renamed").vertexCount).toBe(5);
  expect(edited.procedure(1).reaches(0, 0, 2, 1)).toBe(true);
  expect(() => edited.procedure("callee")).toThrow(/got the name "callee"/);
});

describe("refused in one sentence", () => {
  const analysis = analyze(parseIfds(text("e 0 1 0\ne 1 2 0")));
  const procedure = extractProcedure(parseIfds(text("e 0 1 0\ne 1 2 0")), 0);
  test.each([
    [
      "a vertex",
      { ...procedure, edgeTarget: procedure.edgeTarget.with(0, 9) },
      "edges: got vertex 9, expected 0 to 3",
    ],
    [
      "a relation",
      { ...procedure, edgeRelation: procedure.edgeRelation.with(0, 7) },
      "got relation 7, expected 0 to 2",
    ],
    ["a fact", { ...procedure, factCount: 1 }, "got target fact 1"],
    ["a callee", { ...procedure, callCallee: procedure.callCallee.with(0, 5) }, "got callee 5"],
    ["an exit", { ...procedure, callExit: procedure.callExit.with(0, 1) }, "got exit 1 of callee 1"],
    ["no exits", { ...procedure, exits: new Uint32Array(0) }, "exits: got none"],
  ])("%s out of range", (_, changed, part) => {
    expect(() => analysis.update(0, changed)).toThrow(InputError);
    expect(() => analysis.update(0, changed)).toThrow(part);
  });

  test("a procedure that callers do not fit any more", () => {
    const wider = extractProcedure(parseIfds(text("e 0 1 0\ne 1 2 0", 3)), 1);
    const narrower = { ...wider, factCount: 1, relations: { ...wider.relations, count: 1 } };
    expect(() => analysis.update(1, narrower)).toThrow(InputError);
  });

  test("an analysis that does not know its program", () => {
    fc.assert(
      fc.property(program(), (graph) => {
        const saved = Analysis.from(analyze(graph).data);
        expect(() => saved.update(0, extractProcedure(graph, 0))).toThrow(
          /expected one that knows its program/,
        );
      }),
      { numRuns: 5 },
    );
  });
});
