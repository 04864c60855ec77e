import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { ExplodedSupergraph } from "../src/exploded/exploded-supergraph.js";
import { formatIfds } from "../src/exploded/format-ifds.js";
import { parseIfds } from "../src/exploded/parse-ifds.js";
import { explode } from "../src/problem/explode.js";
import {
  compose,
  type FlowFunction,
  flowAlgebra,
  gen,
  identity,
  kill,
  transfer,
  union,
  ZERO,
  type Zero,
} from "../src/problem/flow-functions.js";
import type { IfdsProblem, ProblemSeed } from "../src/problem/ifds-problem.js";
import { EnteringFacts } from "../src/results/entering-facts.js";
import { Reached } from "../src/results/reached.js";
import type { Seed } from "../src/solver.js";
import type { Supergraph } from "../src/supergraph/supergraph.js";
import { SupergraphBuilder } from "../src/supergraph/supergraph-builder.js";

/** The plainest fixpoint over an exploded supergraph, enough of a solver to decode results with. */
class Fixpoint {
  readonly #graph: ExplodedSupergraph;
  /** "p d1" -> "v d2" reached from the start. */
  readonly #paths = new Map<string, Set<string>>();

  constructor(graph: ExplodedSupergraph) {
    this.#graph = graph;
    const count = () => [...this.#paths.values()].reduce((sum, { size }) => sum + size, 0);
    for (let before = -1; before < count(); ) {
      before = count();
      for (let p = 0; p < graph.procedureCount; p++) {
        for (let d = 0; d < graph.factCount[p]; d++) {
          const reached = this.#paths.get(`${p} ${d}`) ?? new Set([`${graph.startVertex[p]} ${d}`]);
          this.#paths.set(`${p} ${d}`, reached);
          for (const item of reached) {
            const [v, fact] = item.split(" ").map(Number);
            for (const [w, target] of this.#steps(p, v, fact)) reached.add(`${w} ${target}`);
          }
        }
      }
    }
  }

  summary(p: number, exit = this.#graph.exits[this.#graph.exitStart[p]]): [number, number][] {
    const pairs: [number, number][] = [];
    for (let d1 = 0; d1 < this.#graph.factCount[p]; d1++) {
      for (let d2 = 0; d2 < this.#graph.factCount[p]; d2++) {
        if (this.#paths.get(`${p} ${d1}`)?.has(`${exit} ${d2}`)) pairs.push([d1, d2]);
      }
    }
    return pairs;
  }

  entering(seeds: Iterable<Seed>): EnteringFacts {
    const graph = this.#graph;
    const held = new Set(Array.from(seeds, (seed) => seed.join(" ")));
    for (const item of held) {
      const [p, v, d] = item.split(" ").map(Number);
      for (const [w, target] of this.#steps(p, v, d)) held.add(`${p} ${w} ${target}`);
      for (const i of range(graph.callStart, p, graph.callVertex, v)) {
        const callee = graph.callCallee[i];
        for (const target of this.#image(graph.callEntryRelation[i], d)) {
          held.add(`${callee} ${graph.startVertex[callee]} ${target}`);
        }
      }
    }
    return new EnteringFacts(
      Array.from(graph.vertexCount, (vertexCount, p) => {
        const stride = (graph.factCount[p] + 31) >>> 5;
        const words = new Uint32Array(vertexCount * stride);
        for (const item of held) {
          const [q, v, d] = item.split(" ").map(Number);
          if (q === p) words[v * stride + (d >>> 5)] |= 1 << (d & 31);
        }
        return new Reached(vertexCount, graph.factCount[p], words);
      }),
    );
  }

  *#steps(p: number, v: number, d: number): Iterable<[number, number]> {
    const graph = this.#graph;
    for (const i of range(graph.edgeStart, p, graph.edgeSource, v)) {
      for (const target of this.#image(graph.edgeRelation[i], d)) yield [graph.edgeTarget[i], target];
    }
    for (const i of range(graph.bypassStart, p, graph.bypassCall, v)) {
      for (const target of this.#image(graph.bypassRelation[i], d)) yield [graph.bypassReturn[i], target];
    }
    for (const i of range(graph.callStart, p, graph.callVertex, v)) {
      for (const inside of this.#image(graph.callEntryRelation[i], d)) {
        for (const [d1, d2] of this.summary(graph.callCallee[i], graph.callExit[i])) {
          if (d1 !== inside) continue;
          for (const target of this.#image(graph.callExitRelation[i], d2))
            yield [graph.callReturn[i], target];
        }
      }
    }
  }

  #image(relation: number, d: number): number[] {
    const { identity, entryStart, sourceFirst, sourceLast, targetStart, targets } = this.#graph.relations;
    for (let i = entryStart[relation]; i < entryStart[relation + 1]; i++) {
      if (sourceFirst[i] <= d && d <= sourceLast[i])
        return [...targets.subarray(targetStart[i], targetStart[i + 1])];
    }
    return identity[relation] === 1 ? [d] : [];
  }
}

function* range(start: Uint32Array, p: number, sources: Uint32Array, v: number): Iterable<number> {
  for (let i = start[p]; i < start[p + 1]; i++) if (sources[i] === v) yield i;
}

/** Statements of the little language the tests are written in; facts are names of variables. */
type Statement = { set: string; to?: string } | { use: string };

function solve<F, D>(program: Supergraph<D>, problem: IfdsProblem<F, D>) {
  const exploded = explode(program, problem);
  // a valid graph is one that the reader takes
  expect(() => parseIfds([...formatIfds(exploded.graph)].join(""))).not.toThrow();
  const solver = new Fixpoint(exploded.graph);
  return { exploded, facts: exploded.decode(solver.entering(exploded.seeds), solver) };
}

describe("the algebra", () => {
  const image = (f: FlowFunction<string>, fact: string | Zero) => [...f(fact)];

  test.each<[name: string, f: FlowFunction<string>, zero: (string | Zero)[], x: string[], y: string[]]>([
    ["identity", identity, [ZERO], ["x"], ["y"]],
    ["gen", gen("x", "z"), [ZERO, "x", "z"], ["x"], ["y"]],
    ["kill", kill("x"), [ZERO], [], ["y"]],
    ["transfer", transfer("x", "y"), [ZERO], ["x", "y"], []],
    ["transfer to itself", transfer("x", "x"), [ZERO], ["x"], ["y"]],
    ["compose", compose(gen("x"), transfer("x", "y"), kill("x")), [ZERO, "y"], ["y"], []],
    ["compose of nothing", compose(), [ZERO], ["x"], ["y"]],
    ["union", union(kill("x"), transfer("x", "y")), [ZERO], ["x", "y"], ["y"]],
    ["union of nothing", union(), [ZERO], [], []],
    ["parts that forget zero", compose<string>(() => [], identity), [ZERO], [], []],
    ["union of parts that forget zero", union<string>(() => ["y"]), [ZERO, "y"], ["y"], ["y"]],
  ])("%s", (_, f, zero, x, y) => {
    expect(image(f, ZERO)).toEqual(zero);
    expect(image(f, "x")).toEqual(x);
    expect(image(f, "y")).toEqual(y);
  });

  test("laws", () => {
    const fact: fc.Arbitrary<string> = fc.constantFrom("a", "b", "c");
    const leaf = fc.oneof(
      fc.constant<FlowFunction<string>>(identity),
      fact.map((x) => gen(x)),
      fact.map((x) => kill(x)),
      fc.tuple(fact, fact).map(([x, y]) => transfer(x, y)),
    );
    const { f: flowFunction } = fc.letrec<{ f: FlowFunction<string> }>((tie) => ({
      f: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.array(tie("f"), { maxLength: 3 }).map((parts) => compose(...parts)),
        fc.array(tie("f"), { maxLength: 3 }).map((parts) => union(...parts)),
      ),
    }));
    const table = (f: FlowFunction<string>) =>
      [ZERO, "a", "b", "c"].map((d) => new Set(f(d as string | Zero)));
    fc.assert(
      fc.property(flowFunction, flowFunction, flowFunction, (f, g, h) => {
        expect(table(f)[0].has(ZERO)).toBe(true);
        for (const set of table(f).slice(1)) expect(set.has(ZERO)).toBe(false);
        expect(table(compose(f, identity))).toEqual(table(f));
        expect(table(compose(identity, f))).toEqual(table(f));
        expect(table(compose(compose(f, g), h))).toEqual(table(compose(f, compose(g, h))));
        expect(table(union(f, g))).toEqual(table(union(g, f)));
        expect(table(union(f, f))).toEqual(table(f));
        expect(table(compose(union(f, g), h))).toEqual(table(union(compose(f, h), compose(g, h))));
        expect(table(compose(h, union(f, g)))).toEqual(table(union(compose(h, f), compose(h, g))));
      }),
      { numRuns: 300 },
    );
  });

  test("a zero of one's own, facts told apart by a key", () => {
    const algebra = flowAlgebra<{ name: string }>({ zero: { name: "0" }, key: ({ name }) => name });
    const [x, alsoX, y] = ["x", "x", "y"].map((name) => ({ name }));
    expect([...algebra.kill(x)(alsoX)]).toEqual([]);
    expect([...algebra.transfer(x, y)(alsoX)]).toEqual([x, y]);
    expect([...algebra.union(algebra.identity, () => [x])(alsoX)]).toHaveLength(1);
    const zero = { name: "zero" };
    expect([...flowAlgebra({ zero }).gen(x)(zero)]).toEqual([zero, x]);
  });
});

/** Straight-line procedures from statements: vertex i is before statement i, the last one is the exit. */
function straight(builder: SupergraphBuilder<Statement>, name: string, ...statements: Statement[]) {
  const procedure = builder.procedure(name, { vertices: statements.length + 1 });
  for (const [i, statement] of statements.entries()) {
    procedure.vertex(i, statement);
    procedure.edge(i, i + 1);
  }
  return procedure;
}

const taint: IfdsProblem<string, Statement> = {
  normal({ data }) {
    if (data === undefined || "use" in data) return identity;
    return data.to === undefined ? gen(data.set) : transfer(data.to, data.set);
  },
};
const liveness: IfdsProblem<string, Statement> = {
  direction: "backward",
  normal({ data }) {
    if (data === undefined) return identity;
    if ("use" in data) return gen(data.use);
    return data.to === undefined ? kill(data.set) : compose(transfer(data.set, data.to), kill(data.set));
  },
};

describe("forward", () => {
  test("facts before and after, in the problem's own terms", () => {
    const builder = new SupergraphBuilder<Statement>();
    straight(builder, "main", { set: "x" }, { set: "y", to: "x" }, { set: "x", to: "z" });
    const { exploded, facts } = solve(builder.supergraph(), taint);
    expect([0, 1, 2, 3].map((v) => facts.before("main", v))).toEqual([[], ["x"], ["x", "y"], ["y"]]);
    expect([0, 1, 2, 3].map((v) => facts.after("main", v))).toEqual([["x"], ["x", "y"], ["y"], ["y"]]);
    expect(exploded.fact("main", 0)).toBe(ZERO);
    expect(exploded.fact("main", exploded.factId("main", "y")!)).toBe("y");
    expect(exploded.factId("main", "nowhere")).toBeUndefined();
    expect(() => exploded.fact("main", 9)).toThrow("Got fact 9 of main, expected 0 to 2.");
    expect([facts.holds("main", 1, "x"), facts.holds("main", 1, "y"), facts.reached(0, 3)]).toEqual([
      true,
      false,
      true,
    ]);
  });

  test("domains are per procedure and grow through calls and returns", () => {
    const builder = new SupergraphBuilder();
    builder.procedure("main", { vertices: 3 }).call(0, 1, "f").edge(1, 2);
    builder.procedure("f", { vertices: 2 }).edge(0, 1);
    const { exploded, facts } = solve<string, unknown>(builder.supergraph(), {
      seeds: [["main", 0, "actual"]],
      call: () => (fact) => (fact === "actual" ? ["formal"] : []),
      normal: (from) => (fact) =>
        from.procedure.name === "f" && fact === "formal" ? ["formal", "result"] : [fact],
      return: () => (fact) => (fact === "result" ? ["value"] : []),
      callToReturn: () => kill("value"),
    });
    const domain = (p: number) =>
      Array.from({ length: exploded.graph.factCount[p] }, (_, d) => exploded.fact(p, d));
    expect(domain(0)).toEqual([ZERO, "actual", "value"]);
    expect(domain(1)).toEqual([ZERO, "formal", "result"]);
    expect(facts.before("f", 1)).toEqual(["formal", "result"]);
    expect(facts.before("main", 2)).toEqual(["actual", "value"]);
    expect(facts.after("main", 0)).toEqual(["actual", "value"]);
  });

  test("without flow functions everything flows everywhere", () => {
    const builder = new SupergraphBuilder();
    builder.procedure("main", { vertices: 3 }).call(0, 1, "f").edge(1, 2);
    builder.procedure("f", { vertices: 2 }).edge(0, 1);
    const { facts } = solve<string, unknown>(builder.supergraph(), { seeds: [["main", 0, "x"]] });
    expect([facts.before("f", 1), facts.before("main", 2), facts.after("main", 0)]).toEqual([
      ["x"],
      ["x"],
      ["x"],
    ]);
    expect(facts.reached("main", 2)).toBe(false);
  });

  test("a procedure that never returns gives its return site only what flows around the call", () => {
    const builder = new SupergraphBuilder();
    builder.procedure("main", { vertices: 2 }).call(0, 1, "spin");
    builder
      .procedure("spin", { vertices: 3, exits: [2] })
      .edge(0, 1)
      .edge(1, 0);
    const { facts } = solve(builder.supergraph(), {
      seeds: ["global", "local", ZERO].map((fact) => ["main", 0, fact] as ProblemSeed<string>),
      call: () => kill("local"),
      return: () => gen("returned"),
      callToReturn: () => kill("global"),
    });
    expect(facts.before("spin", 1)).toEqual(["global"]);
    expect(facts.before("main", 1)).toEqual(["local"]);
    expect(facts.after("main", 0)).toEqual(["local"]);
    expect(facts.before("spin", 2)).toEqual([]);
    expect(facts.reached("spin", 2)).toBe(false);
  });

  test("a procedure without body is only flowed around", () => {
    const builder = new SupergraphBuilder().external("log");
    builder.procedure("main", { vertices: 2 }).call(0, 1, "log");
    const call = vi.fn();
    const { facts } = solve<string, unknown>(builder.supergraph(), {
      call,
      callToReturn: () => gen("logged"),
    });
    expect(call).not.toHaveBeenCalled();
    expect(facts.before("main", 1)).toEqual(["logged"]);
  });

  test("each exit returns to its own site", () => {
    const builder = new SupergraphBuilder();
    builder
      .procedure("main", { vertices: ["call", "after", "handler"], exits: ["after", "handler"] })
      .call("call", "after", "f")
      .call("call", "handler", "f", { exit: "throws" });
    builder
      .procedure("f", { vertices: ["in", "returns", "throws"], exits: ["returns", "throws"] })
      .edge("in", "returns")
      .edge("in", "throws");
    const { facts } = solve<string, unknown>(builder.supergraph(), {
      normal: (_, to) => gen(to.label),
      return: (site, callee, exit, returnSite) =>
        gen(`${site.label} ${callee.name} ${exit.label} ${returnSite.label}`),
    });
    expect(facts.before("main", "after").sort()).toEqual(["call f returns after", "returns"]);
    expect(facts.before("main", "handler").sort()).toEqual(["call f throws handler", "throws"]);
    expect(facts.after("main", "call")).toHaveLength(4);
  });

  test("facts of interest, a zero of one's own, facts by key", () => {
    const builder = new SupergraphBuilder();
    builder.procedure("main", { vertices: 2 }).edge(0, 1);
    const zero = { name: "0" };
    const { exploded, facts } = solve<{ name: string }, unknown>(builder.supergraph(), {
      zero,
      key: ({ name }) => name,
      facts: ({ name }) => [{ name }, { name: "x" }],
      normal: () => flowAlgebra<{ name: string }>({ zero, key: ({ name }) => name }).gen({ name: "x" }),
    });
    expect(exploded.graph.factCount[0]).toBe(3);
    expect(exploded.fact(0, 0)).toBe(zero);
    expect(exploded.factId("main", { name: "x" })).toBe(2);
    expect(facts.before("main", 1)).toEqual([{ name: "x" }]);
  });

  test("a flow function that drops zero is taken at its word", () => {
    const builder = new SupergraphBuilder();
    builder.procedure("main", { vertices: 3 }).edge(0, 1).edge(1, 2);
    const { facts } = solve<string, unknown>(builder.supergraph(), {
      normal: (from) => (from.id === 0 ? (fact) => (fact === ZERO ? ["x"] : [fact]) : gen("y")),
    });
    expect(facts.before("main", 2)).toEqual(["x"]);
  });
});

describe("backward", () => {
  test("liveness: before and after mean program order", () => {
    const builder = new SupergraphBuilder<Statement>();
    straight(builder, "main", { set: "x" }, { set: "y", to: "x" }, { use: "y" });
    const { exploded, facts } = solve(builder.supergraph(), liveness);
    expect([0, 1, 2, 3].map((v) => facts.before("main", v))).toEqual([[], ["x"], ["y"], []]);
    expect([0, 1, 2, 3].map((v) => facts.after("main", v))).toEqual([["x"], ["y"], [], []]);
    expect(exploded.graph.startVertex[0]).toBe(3);
    expect(exploded.seeds).toEqual([[0, 3, 0]]);
  });

  test("arguments name edges in program order; return sites are met before their calls", () => {
    const builder = new SupergraphBuilder();
    builder
      .procedure("main", { vertices: ["a", "call", "after"] })
      .edge("a", "call")
      .call("call", "after", "f");
    builder.procedure("f", { vertices: ["in", "out"] }).edge("in", "out");
    const asked: string[] = [];
    const log = (kind: string, ...vertices: { label?: string; name?: string }[]) => {
      asked.push(`${kind} ${vertices.map(({ label, name }) => label ?? name).join(" ")}`);
      return gen(kind);
    };
    const { facts } = solve<string, unknown>(builder.supergraph(), {
      direction: "backward",
      normal: (...edge) => log("normal", ...edge),
      call: (...edge) => log("call", ...edge),
      return: (...edge) => log("return", ...edge),
      callToReturn: (...edge) => log("callToReturn", ...edge),
    });
    expect(asked).toEqual([
      "normal a call",
      "callToReturn call after",
      "call call f",
      "return call f out after",
      "normal in out",
    ]);
    expect(facts.before("f", "out")).toEqual(["call"]);
    expect(facts.before("f", "in")).toEqual(["call", "normal"]);
    expect(new Set(facts.before("main", "call"))).toEqual(
      new Set(["callToReturn", "call", "normal", "return"]),
    );
    expect(facts.after("main", "call")).toEqual([]);
    expect(facts.after("main", "after")).toEqual([]);
  });

  test("several exits: the default seeds are all of the entry's; callers enter at every one", () => {
    const builder = new SupergraphBuilder<Statement>();
    builder
      .procedure("main", { vertices: ["call", "after", "handler"], exits: ["after", "handler"] })
      .call("call", "after", "f")
      .call("call", "handler", "f", { exit: "throws" });
    const f = builder.procedure("f", { vertices: ["in", "returns", "throws"], exits: ["returns", "throws"] });
    f.vertex("in", { set: "x" });
    f.edge("in", "returns").edge("in", "throws");
    const seeds: ProblemSeed<string>[] = [
      ["main", "after", "x"],
      ["main", "handler", "y"],
    ];
    const { exploded, facts } = solve(builder.supergraph(), { ...liveness, seeds });
    expect(facts.before("f", "returns")).toEqual(["x", "y"]);
    expect(facts.before("f", "in")).toEqual(["y"]);
    expect(facts.after("f", "in")).toEqual(["x", "y"]);
    expect(facts.before("main", "call")).toEqual(["x", "y"]);
    expect(exploded.vertexId("f", "throws")).toBe(2);
    expect(explode(builder.supergraph(), liveness).seeds).toEqual([
      [0, 1, 0],
      [0, 2, 0],
    ]);
  });
});

test("each flow function is obtained once per edge and applied once per fact", () => {
  const builder = new SupergraphBuilder();
  builder
    .procedure("main", { vertices: 5 })
    .edge(0, 1)
    .edge(0, 1)
    .call(1, 2, "f")
    .call(1, 3, "f", { exit: 2 })
    .call(1, 2, "main")
    .edge(2, 4)
    .edge(3, 4);
  builder
    .procedure("f", { vertices: 3, exits: [1, 2] })
    .edge(0, 1)
    .edge(0, 2)
    .edge(0, 0);
  const applied: string[] = [];
  let edges = 0;
  const spied = (kind: string, then: FlowFunction<string>) => {
    const id = `${kind} ${edges++}`;
    return (fact: string | Zero) => {
      applied.push(`${id} ${String(fact)}`);
      return then(fact);
    };
  };
  const exploded = explode<string, unknown>(builder.supergraph(), {
    normal: (_, to) => spied("normal", gen(`n${to.id}`)),
    call: () => spied("call", transfer("n1", "formal")),
    return: () => spied("return", gen("r")),
    callToReturn: () => spied("callToReturn", identity),
  });
  // 7 edges, 2 pairs of call and return site, 2 pairs of call and callee, 3 returns
  expect(edges).toBe(14);
  expect(new Set(applied).size).toBe(applied.length);
  const [main, f] = exploded.graph.factCount;
  const perMain = 4 + 2 + 2 + 1; // edges, around, calls, returns from the recursive call
  const perF = 3 + 2;
  expect(applied.length).toBe(perMain * main + perF * f);
});

test("edges that share a function share its table", () => {
  const builder = new SupergraphBuilder();
  const main = builder.procedure("main", { vertices: 1001 });
  for (let v = 0; v < 1000; v++) main.edge(v, v + 1);
  const shared = vi.fn(gen("x"));
  const { graph } = explode(builder.supergraph(), { normal: () => shared });
  expect(shared).toHaveBeenCalledTimes(2);
  expect(graph.relations.count).toBe(2);
});

test("a call chain of 20,000 procedures needs no recursion", () => {
  const builder = new SupergraphBuilder();
  for (let p = 0; p < 20_000; p++) {
    const procedure = builder.procedure(`p${p}`, { vertices: 2 });
    if (p < 19_999) procedure.call(0, 1, `p${p + 1}`);
    else procedure.edge(0, 1);
  }
  const { graph } = explode<string, unknown>(builder.supergraph(), { normal: () => gen("deep") });
  expect(graph.factCount[0]).toBe(2);
});

describe("bad problems give one sentence", () => {
  const program = () => {
    const builder = new SupergraphBuilder();
    builder.procedure("main", { vertices: ["a", "b"] }).edge("a", "b");
    return builder.supergraph();
  };
  // problems as they come from JavaScript
  test.each<[name: string, problem: object, message: string]>([
    [
      "seed label",
      {
        seeds: [
          ["main", "a", ZERO],
          ["main", "c", ZERO],
        ],
      },
      'Seed 1: Got vertex "c" of main, expected the label',
    ],
    ["seed id", { seeds: [["main", 2, ZERO]] }, "Seed 0: Got vertex 2 of main, expected 0 to 1."],
    [
      "seed procedure",
      { seeds: [["f", 0, ZERO]] },
      'Seed 0: Got procedure "f", expected the name of a procedure.',
    ],
    [
      "no function",
      { normal: () => undefined },
      "Got undefined from normal(a, b) of main, expected a flow function.",
    ],
    [
      "no iterable",
      { normal: () => () => "x" },
      "Got x from the flow function of normal(a, b) of main, expected an iterable of facts.",
    ],
    [
      "endless facts",
      { normal: () => (fact: unknown) => [typeof fact === "number" ? fact + 1 : 0] },
      "Procedure main: got more than 65536 facts, expected a finite, smaller domain.",
    ],
  ])("%s", (_, problem, message) => {
    expect(() => explode(program(), problem)).toThrow(message);
  });

  test("an aborted signal stops, progress counts facts", () => {
    expect(() => explode(program(), {}, { signal: AbortSignal.abort(new Error("enough")) })).toThrow(
      "enough",
    );
    const onProgress = vi.fn();
    explode(program(), { normal: () => gen("x") }, { onProgress });
    expect(onProgress).toHaveBeenLastCalledWith(2, 2);
  });
});
