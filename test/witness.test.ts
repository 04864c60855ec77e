/**
 * Witnesses: valid paths by definition, there exactly where a question is answered with yes, none of them longer than the
 * shortest.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Analysis } from "../src/analysis.js";
import { analyze } from "../src/analyze.js";
import { extractProcedure } from "../src/exploded/exploded-procedure.js";
import type { ExplodedSupergraph } from "../src/exploded/exploded-supergraph.js";
import { formatIfds } from "../src/exploded/format-ifds.js";
import { parseIfds } from "../src/exploded/parse-ifds.js";
import type { Seed } from "../src/solver.js";
import { ProgramFlow } from "../src/witness/program-flow.js";
import { shortestSameContext } from "../src/witness/shortest-path.js";
import type { Witness } from "../src/witness/witness.js";
import { edit, program } from "./support/arbitraries.js";
import { variants } from "./support/engines.js";
import { fixtureNames, readFixture, readGraph } from "./support/fixtures.js";
import { followWitness, shortestLengths } from "./support/shortest-paths.js";
import { lengthsByValidPaths } from "./support/valid-paths.js";

/** Throws unless the witness is a path from one of `starts` to `goal` of that length. */
function checkWitness(
  graph: ExplodedSupergraph,
  question: string,
  witness: Witness | undefined,
  starts: readonly Seed[],
  goal: Seed,
  length: number,
  mayStayOpen: boolean,
): void {
  const same = (what: string, got: unknown, expected: unknown) => {
    if (String(got) === String(expected)) return;
    throw new Error(
      `${question}: ${what}: got ${got}, expected ${expected}, in\n${[...formatIfds(graph)].join("")}`,
    );
  };
  same("length", witness?.length ?? Number.POSITIVE_INFINITY, length);
  if (witness === undefined) return;
  same("start", starts.filter((start) => String(start) === String(witness.start)).length > 0, true);
  const { end, openCalls, steps } = followWitness(graph, witness);
  same("end", end, goal);
  same("steps", steps, length);
  if (!mayStayOpen) same("open calls", openCalls, 0);
}

function* explodedVertices(graph: ExplodedSupergraph): Iterable<Seed> {
  for (let p = 0; p < graph.procedureCount; p++) {
    for (let v = 0; v < graph.vertexCount[p]; v++)
      for (let d = 0; d < graph.factCount[p]; d++) yield [p, v, d];
  }
}

/** Every pair of exploded vertices, and every exploded vertex from some seeds. */
function checkWitnesses(graph: ExplodedSupergraph, analysis: Analysis): void {
  const shortest = shortestLengths(graph);
  const all = [...explodedVertices(graph)];
  for (const [p, u, d1] of all) {
    const queries = analysis.procedure(p);
    for (const [q, v, d2] of all) {
      if (q !== p) continue;
      const witness = queries.explain(u, d1, v, d2);
      const length = shortest.sameContext(p, u, d1, v, d2);
      checkWitness(graph, `explain(${[p, u, d1, v, d2]})`, witness, [[p, u, d1]], [p, v, d2], length, false);
    }
  }
  const entry: Seed = [graph.entry, graph.startVertex[graph.entry], 0];
  const seedSets = [[entry], [], [all[all.length >> 1]], [all[all.length - 1], all[all.length >> 2], entry]];
  for (const seeds of seedSets) {
    const lengthTo = shortest.entering(seeds);
    for (const goal of all) {
      const witness = analysis.explain(seeds, ...goal);
      checkWitness(
        graph,
        `explain(${JSON.stringify(seeds)}, ${goal})`,
        witness,
        seeds,
        goal,
        lengthTo(...goal),
        true,
      );
    }
  }
}

describe.each(variants)("%s", (_, options) => {
  test.each([
    ["small programs", 30, {}],
    ["deep calls", 20, { facts: 4, edges: 2, sites: 4, callees: 3 }],
    ["one fact", 10, { facts: 1, vertices: 8, edges: 10 }],
    ["one procedure of many vertices", 4, { procedures: 1, vertices: 25, facts: 3, edges: 40 }],
    ["facts in classes", 10, { facts: 6, classes: 3 }],
    ["many procedures", 10, { procedures: 9, vertices: 4, facts: 3, edges: 3, sites: 3, exits: 3 }],
  ])("shortest valid paths of %s", (_, numRuns, size) => {
    fc.assert(
      fc.property(program(size), (graph) => checkWitnesses(graph, analyze(graph, options))),
      { numRuns },
    );
  });

  test("in edited programs, and from saved data with the program", () => {
    fc.assert(
      fc.property(edit(), ({ before, after, changed }) => {
        const analysis = analyze(before, options);
        checkWitnesses(after, analysis.update(changed, extractProcedure(after, changed)));
        checkWitnesses(before, Analysis.from(analysis.data, { ...options, graph: before }));
      }),
      { numRuns: 8 },
    );
  });
});

test("on demand", () => {
  fc.assert(
    fc.property(program(), (graph) => checkWitnesses(graph, analyze(graph, { onDemand: true }))),
    { numRuns: 20 },
  );
});

test("lengths agree with an enumeration of valid paths of at most 9 steps", () => {
  const tiny = program({ procedures: 3, vertices: 4, facts: 3, edges: 3 });
  fc.assert(
    fc.property(tiny, (graph) => {
      const shortest = shortestLengths(graph);
      for (const [p, u, d1] of explodedVertices(graph)) {
        const { sameContext, valid } = lengthsByValidPaths(graph, p, u, d1, 9);
        const entering = shortest.entering([[p, u, d1]]);
        for (const [q, v, d2] of explodedVertices(graph)) {
          const within = (length: number) => (length <= 9 ? length : undefined);
          expect(valid.get(`${q} ${v} ${d2}`)).toBe(within(entering(q, v, d2)));
          if (q !== p) continue;
          expect(sameContext.get(`${q} ${v} ${d2}`)).toBe(within(shortest.sameContext(p, u, d1, v, d2)));
        }
      }
    }),
    { numRuns: 100 },
  );
});

const cases = fixtureNames("cases").map((name) => ({ name, graph: readGraph(`cases/${name}.ifds`) }));

test.each(cases)("cases: $name", ({ name, graph }) => {
  const analysis = analyze(graph);
  checkWitnesses(graph, analysis);
  const { seeds } = JSON.parse(new TextDecoder().decode(readFixture(`cases/${name}.json`)));
  const lengthTo = shortestLengths(graph).entering(seeds);
  for (const goal of explodedVertices(graph)) {
    checkWitness(graph, `${goal}`, analysis.explain(seeds, ...goal), seeds, goal, lengthTo(...goal), true);
  }
});

/** Steps as `edge procedure.vertex.fact`. */
const show = (witness: Witness | undefined): string[] =>
  Array.from(witness ?? [], ({ edge, procedure, vertex, fact }) => `${edge} ${procedure}.${vertex}.${fact}`);

const relations = "R 0 I\nR 1 I 0>0,1\nR 2 X 0>0 1>1\nR 3 X 1>2\nR 4 X 0>1\n";

describe("situations", () => {
  test("the empty path", () => {
    const graph = parseIfds(`IFDS 2\n${relations}M 0\nP 0 1 2 0 0 main\nZ\n`);
    const witness = analyze(graph).procedure(0).explain(0, 1, 0, 1);
    expect([witness?.start, witness?.length, show(witness)]).toEqual([[0, 0, 1], 0, []]);
  });

  // The way by recursion is shortest in steps of the caller, and must not be taken for ever.
  const recursive = `IFDS 2\n${relations}M 0
P 0 2 2 0 1 main
c 0 1 1 2 2
P 1 6 2 0 5 f
c 0 5 1 2 2
e 0 1 0
e 1 2 0
e 2 3 1
e 3 4 0
e 4 5 0
Z
`;
  test("recursion ends", () => {
    const witness = analyze(parseIfds(recursive)).procedure(0).explain(0, 0, 1, 1);
    expect(show(witness)).toEqual([
      "call 1.0.0",
      "normal 1.1.0",
      "normal 1.2.0",
      "normal 1.3.1",
      "normal 1.4.1",
      "normal 1.5.1",
      "return 0.1.1",
    ]);
  });

  test("recursion that is needed is written out as often as it is", () => {
    // Each activation of f makes the fact one higher, and only fact 3 comes back to main.
    const graph = parseIfds(`IFDS 2
R 0 I
R 1 X 0>1 1>2 2>3 3>3
R 2 X 3>3
R 3 X 0>0 1>1 2>2 3>3
M 0
P 0 2 4 0 1 main
c 0 1 1 3 2
P 1 3 4 0 2 f
e 0 1 1
c 1 2 1 3 3
e 0 2 2
Z
`);
    const witness = analyze(graph).procedure(0).explain(0, 0, 1, 3);
    expect(followWitness(graph, witness as Witness)).toEqual({
      end: [0, 1, 3],
      openCalls: 0,
      steps: 12,
    });
    expect(Math.max(...Array.from(witness ?? [], ({ depth }) => depth))).toBe(4);
  });

  test("two exits and their return sites", () => {
    const analysis = analyze(readGraph("cases/issue-twoReturnSites.ifds"));
    const p = analysis.procedure(0);
    expect(show(p.explain(0, 0, 3, 2))).toEqual([
      "call 1.0.0",
      "normal 1.2.2",
      "return 0.2.2",
      "normal 0.3.2",
    ]);
    expect(p.explain(0, 1, 1, 1)).toBeUndefined();
  });

  test("a call that stays open, and one that does not", () => {
    const graph = parseIfds(`IFDS 2\n${relations}R 5 X 2>2\nM 0
P 0 4 3 0 3 main
e 0 1 0
t 1 2 0
c 1 2 1 4 3
c 2 3 1 5 2
P 1 3 3 0 2 f
e 0 1 0
e 1 2 0
Z
`);
    const analysis = analyze(graph);
    expect(show(analysis.explain([[0, 0, 0]], 1, 1, 2))).toEqual([
      "normal 0.1.0",
      "call 1.0.1",
      "normal 1.1.1",
      "normal 1.2.1",
      "return 0.2.2",
      "call 1.0.2",
      "normal 1.1.2",
    ]);
  });

  test("the zero fact, where it is not kept", () => {
    const p = analyze(readGraph("cases/issue-zeroNotKept.ifds")).procedure(0);
    expect(show(p.explain(0, 0, 2, 1))).toEqual(["normal 0.1.1", "normal 0.2.1"]);
    expect(p.explain(0, 0, 2, 2)).toBeUndefined();
  });

  test("several edges between the same points are told apart", () => {
    const graph = parseIfds(`IFDS 2\n${relations}M 0\nP 0 2 2 0 1 main\ne 0 1 0\ne 0 1 1\nZ\n`);
    expect(Array.from(analyze(graph).procedure(0).explain(0, 0, 1, 1) ?? [])).toEqual([
      { edge: "normal", index: 1, procedure: 0, vertex: 1, fact: 1, depth: 0 },
    ]);
  });
});

describe("scale", () => {
  test("a path of 2^60 steps is found at once and read as far as one likes", () => {
    // Procedure p calls p + 1 twice.
    const n = 60;
    let text = "IFDS 2\nR 0 I\nM 0\n";
    for (let p = 0; p < n; p++) {
      text += `P ${p} 3 1 0 2 p${p}\n`;
      text += p + 1 < n ? `c 0 1 ${p + 1} 0 0\nc 1 2 ${p + 1} 0 0\n` : "e 0 1 0\ne 1 2 0\n";
    }
    const witness = analyze(parseIfds(`${text}Z\n`))
      .procedure(0)
      .explain(0, 0, 2, 0) as Witness;
    // Two steps in the last, and two calls with their returns around two ways through the next.
    expect(witness.length).toBeCloseTo(6 * 2 ** (n - 1), -10);
    let read = 0;
    let deepest = 0;
    for (const { depth } of witness) {
      deepest = Math.max(deepest, depth);
      if (++read === 100_000) break;
    }
    expect(deepest).toBe(n - 1);
  });

  test("a chain of 30,000 calls", () => {
    const n = 30_000;
    const lines = ["IFDS 2\nR 0 I\nR 1 I 0>0,1\nM 0"];
    for (let p = 0; p < n; p++) {
      lines.push(`P ${p} 2 2 0 1 p${p}\n${p + 1 < n ? `c 0 1 ${p + 1} 0 0` : "e 0 1 1"}`);
    }
    const graph = parseIfds(`${lines.join("\n")}\nZ\n`);
    const analysis = analyze(graph);
    const witness = analysis.procedure(0).explain(0, 0, 1, 1) as Witness;
    expect(witness.length).toBe(2 * n - 1);
    expect(Array.from(witness).at(-1)).toEqual({
      edge: "return",
      index: 0,
      procedure: 0,
      vertex: 1,
      fact: 1,
      depth: 0,
    });
    const open = analysis.explain([[0, 0, 0]], n - 1, 1, 1) as Witness;
    expect([open.length, Array.from(open).at(-1)?.depth]).toEqual([n, n - 1]);
  });

  test.each([
    ["by labels", {}],
    ["by search", { labelBudget: 0 }],
  ])("a straight line of 100,000 vertices, %s", (_, options) => {
    const n = 100_000;
    const lines = Array.from({ length: n - 1 }, (_, v) => `e ${v} ${v + 1} ${v === 7 ? 1 : 0}`);
    const graph = parseIfds(
      `IFDS 2\nR 0 I\nR 1 I 0>0,1\nM 0\nP 0 ${n} 2 0 ${n - 1} main\n${lines.join("\n")}\nZ\n`,
    );
    expect(
      analyze(graph, options)
        .procedure(0)
        .explain(0, 0, n - 1, 1)?.length,
    ).toBe(n - 1);
  });
});

describe("cost", () => {
  /** Pair queries that a witness takes, and its length. */
  function count(graph: ExplodedSupergraph, query: readonly [number, number, number, number, number]) {
    const analysis = analyze(graph);
    let asked = 0;
    const guide = {
      reaches: (p: number, u: number, d1: number, v: number, d2: number) => {
        asked++;
        return analysis.reaches(p, u, d1, v, d2);
      },
      searches: () => false,
    };
    const flow = new ProgramFlow(graph.procedureCount, (p) => extractProcedure(graph, p));
    const { length } = shortestSameContext(flow, guide, query);
    return { asked, length };
  }

  // From every second vertex of main's line a branch leads astray; every tenth vertex calls a procedure, from which fact
  // 0 comes back, and which calls another with the like; what flows around the call comes back sooner.
  const n = 2000;
  const lines = [`IFDS 2\nR 0 I\nR 1 I 0>0,1\nR 2 X 0>0\nM 0\nP 0 ${2 * n} 2 0 ${n - 1} main`];
  for (let v = 0; v + 1 < n; v++) {
    lines.push(
      v % 10 === 5 ? `t ${v} ${v + 1} 0\nc ${v} ${v + 1} 1 2 2` : `e ${v} ${v + 1} ${v === 3 ? 1 : 0}`,
    );
    if (v % 2 === 0) lines.push(`e ${v} ${n + v} 0\ne ${n + v} ${n + v} 0`);
  }
  for (let p = 1; p <= 50; p++) {
    lines.push(`P ${p} 100 2 0 99 p${p}`);
    for (let v = 0; v < 99; v++) {
      const call = p < 50 && v % 10 === 5 ? `c ${v} ${v + 1} ${p + 1} 2 2` : `e ${v} ${v + 1} 0`;
      lines.push(call);
    }
  }
  const graph = parseIfds(`${lines.join("\n")}\nZ\n`);

  test.each([10, 100, 1000])(
    "a path of %i steps in a large program takes few pair queries per step",
    (length) => {
      const measured = count(graph, [0, 0, 0, length, 1]);
      expect(measured.length).toBe(length);
      expect(measured.asked).toBeLessThan(4 * length);
    },
  );
});

describe("refused in one sentence", () => {
  const graph = readGraph("cases/rhs95.ifds");
  const analysis = analyze(graph);
  const saved = Analysis.from(analysis.data);
  test.each([
    [
      "a pair without the program",
      () => saved.procedure(0).explain(0, 0, 1, 0),
      /^Explain: got [^\n]*, expected [^\n]*\.$/,
    ],
    [
      "seeds without the program",
      () => saved.explain([[0, 0, 0]], 0, 1, 0),
      /^Explain: got [^\n]*, expected [^\n]*\.$/,
    ],
    [
      "another program",
      () => Analysis.from(analysis.data, { graph: cases[0].graph }).procedure(0).explain(0, 0, 1, 0),
      /^index: option graph: procedure 0: got name "[^\n]*, expected "main" as in the index\.$/,
    ],
    ["a vertex", () => analysis.procedure(0).explain(0, 0, 99, 0), /got vertex 99, expected [^\n]*\.$/],
    ["a fact", () => analysis.explain([[0, 0, 0]], 0, 1, 99), /got fact 99, expected [^\n]*\.$/],
    ["a seed", () => analysis.explain([[0, 99, 0]], 0, 1, 0), /got vertex 99, expected [^\n]*\.$/],
    ["a procedure", () => analysis.explain([], 99, 1, 0), /got 99, expected [^\n]*\.$/],
  ])("%s", (_, action, message) => {
    expect(action).toThrow(message);
  });
});
