import { describe, expect, test } from "vitest";
import { formatIfds } from "../src/exploded/format-ifds.js";
import { parseIfds } from "../src/exploded/parse-ifds.js";
import { EXITS_LABEL, reverse } from "../src/supergraph/reverse.js";
import { SupergraphBuilder } from "../src/supergraph/supergraph-builder.js";

const text = (builder: SupergraphBuilder) => [...formatIfds(builder.build())].join("").trimEnd().split("\n");

/** Calls f, which returns normally or throws, from a vertex with a return site for each. */
function throwing() {
  const builder = new SupergraphBuilder<string>();
  const keep = builder.relation([
    [0, 0],
    [1, 1],
  ]);
  const main = builder.procedure("main", { vertices: ["call", "after", "handler", "end"], facts: 3 });
  main
    .call("call", "after", "f", { call: keep, return: keep })
    .call("call", "handler", "f", { call: keep, return: keep, exit: "throws" })
    .callToReturn("call", "handler", builder.relation([]))
    .edge("after", "end")
    .edge("handler", "end", builder.relation([[2, []]], "identity"));
  builder
    .procedure("f", { vertices: ["in", "returns", "throws"], facts: 2, exits: ["returns", "throws"] })
    .edge("in", "returns")
    .edge("in", "throws");
  return { builder, main };
}

describe("SupergraphBuilder", () => {
  test("labels declare vertices when first used; relations are interned", () => {
    const builder = new SupergraphBuilder();
    const assign = builder.relation([
      [0, [0, 1]],
      [1, 1],
    ]);
    const again = builder.relation([
      [1, 1],
      [0, 1],
      [0, 0],
    ]);
    expect(again).toBe(assign);
    builder
      .procedure("main", { facts: 2 })
      .edge("entry", "call")
      .call("call", "after", "helper")
      .edge("after", "exit")
      .edge("after", "call", assign);
    builder.procedure("helper", { facts: 2 }).edge("entry", "exit", assign);
    expect(text(builder)).toEqual([
      "IFDS 1",
      "R 0 I",
      "R 1 X 0>0,1 1>1",
      "M 0",
      "P 0 4 2 0 3 main",
      "e 0 1 0",
      "e 2 3 0",
      "e 2 1 1",
      "t 1 2 0",
      "c 1 2 1 0 0",
      "P 1 2 2 0 1 helper",
      "e 0 1 1",
      "Z",
    ]);
  });

  test("several exits with a return site each, domains of different sizes", () => {
    expect(text(throwing().builder)).toEqual([
      "IFDS 2",
      "R 0 I",
      "R 1 X 0>0 1>1",
      "R 2 X",
      "R 3 I 2>",
      "M 0",
      "P 0 4 3 0 3 main",
      "e 1 3 0",
      "e 2 3 3",
      "t 0 1 0",
      "t 0 2 2",
      "c 0 1 1 1 1",
      "c 0 2 1 1 1 2",
      "P 1 3 2 0 1,2 f",
      "e 0 1 0",
      "e 0 2 0",
      "Z",
    ]);
  });

  test("several callees, external callees, recursion, entry, start", () => {
    const builder = new SupergraphBuilder().external("print").entry("main");
    const even = builder.procedure("even", { vertices: 3, start: 1, exits: [0] });
    even.call(1, 2, even).call(1, 2, "odd").call(2, 0, "print");
    builder.procedure("odd", { vertices: 1 });
    builder.procedure("main").edge("a", "b");
    const lines = text(builder);
    expect(lines.slice(2, 9)).toEqual([
      "M 2",
      "P 0 3 1 1 0 even",
      "t 1 2 0",
      "t 2 0 0",
      "c 1 2 0 0 0",
      "c 1 2 1 0 0",
      "P 1 1 1 0 0 odd",
    ]);
  });

  test("what is built is what its text says", () => {
    const graph = throwing().builder.build();
    expect(parseIfds([...formatIfds(graph)].join(""))).toEqual(graph);
  });

  test("building twice gives the same; later additions do not reach earlier results", () => {
    const { builder, main } = throwing();
    const before = builder.build();
    main.edge("call", "end");
    expect(before.edgeStart[1]).toBe(2);
    expect(builder.build().edgeStart[1]).toBe(3);
  });

  test("data stays attached to vertices; a vertex is always the same object", () => {
    const builder = new SupergraphBuilder<{ line: number }>();
    const main = builder.procedure("main");
    expect(main.vertex("a", { line: 7 })).toBe(0);
    main.edge("a", "b");
    const program = builder.supergraph();
    expect(program.vertex("main", "a")).toMatchObject({
      id: 0,
      label: "a",
      data: { line: 7 },
      procedure: { name: "main" },
    });
    expect(program.vertex(0, 0)).toBe(program.vertex("main", "a"));
    expect(program.vertex(0, 1).data).toBeUndefined();
    expect(program.procedure("main")).toEqual({ id: 0, name: "main", vertexCount: 2, start: 0, exits: [1] });
  });

  test("100,000 procedures that call each other in a chain", () => {
    const builder = new SupergraphBuilder();
    for (let p = 0; p < 100_000; p++)
      builder.procedure(`p${p}`, { vertices: 2 }).call(0, 1, `p${(p + 1) % 100_000}`);
    expect(builder.build().callStart[100_000]).toBe(100_000);
  });
});

describe("bad use gives one sentence", () => {
  test.each<[name: string, use: (builder: SupergraphBuilder) => unknown, message: string]>([
    ["no procedures", () => {}, "Got a program without procedures, expected at least one."],
    ["no vertices", (b) => b.procedure("f"), "Procedure f: got no vertices, expected at least one."],
    [
      "zero vertices",
      (b) => b.procedure("f", { vertices: 0 }),
      "got 0 vertices, expected an integer from 1 to 16777216.",
    ],
    [
      "many vertices",
      (b) => b.procedure("f", { vertices: 2 ** 25 }),
      "expected an integer from 1 to 16777216.",
    ],
    [
      "zero facts",
      (b) => b.procedure("f", { facts: 0 }),
      "got 0 facts, expected an integer from 1 to 65536.",
    ],
    [
      "label twice",
      (b) => b.procedure("f", { vertices: ["a", "a"] }),
      'got vertex "a" twice, expected unique labels.',
    ],
    [
      "two procedures",
      (b) => b.external("f").procedure("f"),
      'Got a second procedure "f", expected unique names.',
    ],
    [
      "id",
      (b) => b.procedure("f", { vertices: 2 }).edge(0, 2),
      "got vertex 2, expected an integer from 0 to 1.",
    ],
    [
      "fraction",
      (b) => b.procedure("f", { vertices: 2 }).edge(0, 0.5),
      "got vertex 0.5, expected an integer",
    ],
    [
      "id without the option vertices",
      (b) => b.procedure("m").edge(0, 1),
      "Procedure m: got vertex 0, expected a label, or the option vertices to say how many vertices there are.",
    ],
    [
      "id above the labels",
      (b) => b.procedure("m").edge("a", 1),
      "Procedure m: got vertex 1, expected a label, an integer from 0 to 0, or the option vertices to say how many there are.",
    ],
    [
      "label",
      (b) => b.procedure("f", { vertices: ["a"] }).edge("a", "b"),
      'got vertex "b", expected a declared label.',
    ],
    [
      "start",
      (b) => b.procedure("f", { start: "s" }).edge("a", "b"),
      'got vertex "s", expected a declared label.',
    ],
    [
      "no exits",
      (b) => b.procedure("f", { vertices: 1, exits: [] }),
      "got exits [], expected at least one and each once.",
    ],
    [
      "exit twice",
      (b) => b.procedure("f", { vertices: 1, exits: [0, 0] }),
      "got exits [0, 0], expected at least one",
    ],
    [
      "loop at the end",
      (b) => b.procedure("f").edge("a", "b").edge("b", "a"),
      "Procedure f: got edges out of b, the last vertex, expected none or the option exits",
    ],
    [
      "relation",
      (b) => b.procedure("f").edge("a", "b", 7),
      "Got relation 7, expected a result of relation(), 0 to 0.",
    ],
    ["fact", (b) => b.relation([[0, -1]]), "Got fact -1 in a relation, expected an integer from 0 to 65535."],
    [
      "target fact",
      (b) => b.procedure("f", { facts: 2 }).edge("a", "b", b.relation([[1, 2]])),
      "Edge a -> b of f: got relation 1 with target fact 2, expected at most 1.",
    ],
    [
      "identity between domains",
      (b) => [b.procedure("f", { facts: 2 }).call("a", "b", "g"), b.procedure("g", { vertices: 1 })],
      "Edge a -> b of f: got relation 0, which keeps unlisted facts, from 2 facts to 1, expected equally many facts",
    ],
    [
      "callee",
      (b) => b.procedure("f").call("a", "b", "g"),
      'f calls "g" at a, expected a procedure of this program or',
    ],
    [
      "foreign callee",
      (b) => b.procedure("f").call("a", "b", new SupergraphBuilder().procedure("g", { vertices: 1 })),
      'f calls "g" at a, expected',
    ],
    [
      "exit of the callee",
      (b) => [b.procedure("f").call("a", "b", "g", { exit: 0 }), b.procedure("g").edge("x", "y")],
      "f expects g to return from 0, expected one of its exits, y.",
    ],
    [
      "entry",
      (b) => b.entry("g").procedure("f", { vertices: 1 }),
      'Got entry procedure "g", expected the name of',
    ],
    [
      "two call-to-return edges",
      (b) => b.procedure("f").callToReturn("a", "b").callToReturn("a", "b"),
      "Got a second call-to-return edge a -> b of f, expected at most one per call site and return site.",
    ],
    [
      "size",
      (b) => b.procedure("f", { vertices: 2 ** 24, facts: 2 ** 16 }),
      "Procedure f: got 1099511627776 exploded vertices so far, expected at most 4294967296.",
    ],
  ])("%s", (_, use, message) => {
    const builder = new SupergraphBuilder();
    expect(() => {
      use(builder);
      builder.build();
    }).toThrow(message);
  });

  const wrong = (value: unknown) => value as never;
  test.each<[name: string, use: (builder: SupergraphBuilder) => unknown, message: string]>([
    ["no pairs", (b) => b.relation(wrong(5)), "Relation: got 5, expected a list of [source, targets]."],
    ["no pair", (b) => b.relation(wrong([0, 1])), "Relation: got 0 in the list, expected [source, targets]."],
    [
      "no targets",
      (b) => b.relation([[3, wrong(undefined)]]),
      "Relation: got undefined for the targets of 3, expected a fact or a list of facts.",
    ],
    [
      "unlisted",
      (b) => b.relation([[0, 1]], wrong("foo")),
      'Relation: got "foo" for unlisted facts, expected "nothing" or "identity".',
    ],
    ["no name", (b) => b.procedure(wrong(undefined)), "Got procedure name undefined, expected text."],
    ["number as name", (b) => b.procedure(wrong(Number.NaN)), "Got procedure name NaN, expected text."],
    ["object as name", (b) => b.procedure(wrong({})), "Got procedure name an object, expected text."],
    ["no external name", (b) => b.external(wrong(null)), "Got procedure name null, expected text."],
    [
      "no callee",
      (b) => b.procedure("f", { vertices: 2 }).call(0, 1, wrong(undefined)),
      "Procedure f: got callee undefined, expected the name of a procedure or its builder.",
    ],
    [
      "callee by number",
      (b) => b.procedure("f", { vertices: 2 }).call(0, 1, wrong(5)),
      "Procedure f: got callee 5, expected the name of a procedure or its builder.",
    ],
    [
      "vertices",
      (b) => b.procedure("f", { vertices: wrong(true) }),
      "Procedure f: got vertices true, expected how many or a list of their labels.",
    ],
    [
      "labels",
      (b) => b.procedure("f", { vertices: [wrong(1)] }),
      "Procedure f: got vertex 1, expected a label, which is text.",
    ],
    [
      "exits",
      (b) => b.procedure("f", { vertices: ["end"], exits: wrong("end") }),
      'Procedure f: got exits "end", expected a list of vertices.',
    ],
    ["no vertex", (b) => b.procedure("f", { vertices: 2 }).edge(0, Number.NaN), "got vertex NaN, expected"],
  ])("a value of another type: %s", (_, use, message) => {
    const builder = new SupergraphBuilder();
    expect(() => {
      use(builder);
      builder.build();
    }).toThrow(message);
  });

  test("unknown names in a supergraph", () => {
    const program = throwing().builder.supergraph();
    expect(() => program.procedure("g")).toThrow('Got procedure "g", expected the name of a procedure.');
    expect(() => program.procedure(2)).toThrow("Got procedure 2, expected 0 to 1.");
    expect(() => program.vertex("f", "x")).toThrow('Got vertex "x" of f, expected the label of a vertex.');
    expect(() => program.vertex("f", 3)).toThrow("Got vertex 3 of f, expected 0 to 2.");
  });
});

describe("reverse", () => {
  test("exchanges starts and exits, call sites and return sites", () => {
    const builder = new SupergraphBuilder();
    builder.procedure("main", { vertices: 4 }).edge(0, 1).call(1, 2, "f").edge(2, 3);
    builder.procedure("f", { vertices: 2 }).edge(0, 1);
    const forward = builder.supergraph();
    const { topology } = reverse(forward);
    expect([...topology.startVertex]).toEqual([3, 1]);
    expect([...topology.exits]).toEqual([0, 0]);
    expect([...topology.edgeSource, ...topology.edgeTarget]).toEqual([1, 3, 1, 0, 2, 0]);
    expect([topology.bypassCall[0], topology.bypassReturn[0]]).toEqual([2, 1]);
    expect([topology.callVertex[0], topology.callReturn[0], topology.callExit[0]]).toEqual([2, 1, 0]);
    expect(reverse(reverse(forward)).topology).toEqual(forward.topology);
  });

  test("several exits are entered through one added vertex", () => {
    const backward = reverse(throwing().builder.supergraph());
    expect(backward.procedure("f")).toMatchObject({ vertexCount: 4, start: 3, exits: [0] });
    expect(backward.vertex("f", EXITS_LABEL).id).toBe(3);
    expect(backward.vertex("f", "throws").id).toBe(2);
    const { edgeStart, edgeSource, edgeTarget, callVertex, callExit } = backward.topology;
    expect([...edgeSource.subarray(edgeStart[1])]).toEqual([1, 2, 3, 3]);
    expect([...edgeTarget.subarray(edgeStart[1])]).toEqual([0, 0, 1, 2]);
    expect([...callVertex]).toEqual([1, 2]);
    expect([...callExit]).toEqual([0, 0]);
  });
});
