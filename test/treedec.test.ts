import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  balance,
  balancedElimination,
  checkDecomposition,
  decompositionOf,
  decompositionWidth,
  type EliminationTree,
  eliminate,
  eliminationOrder,
  formatGr,
  formatTd,
  type Graph,
  graphFromEdges,
  type Heuristic,
  parseGr,
  parseTd,
} from "../src/treedec/index.js";

const heuristics: Heuristic[] = ["min-degree", "min-fill"];

type Edges = [number, number][];

function graphOf(vertexCount: number, edges: Edges): Graph {
  return graphFromEdges(
    vertexCount,
    edges.map(([u]) => u),
    edges.map(([, v]) => v),
  );
}

function path(n: number): Graph {
  return graphOf(
    n,
    range(n - 1).map((v) => [v, v + 1]),
  );
}

function cycle(n: number): Graph {
  return graphOf(
    n,
    range(n).map((v) => [v, (v + 1) % n]),
  );
}

function star(n: number): Graph {
  return graphOf(
    n,
    range(n - 1).map((v) => [0, v + 1]),
  );
}

function binaryTree(n: number): Graph {
  return graphOf(
    n,
    range(n - 1).map((v) => [v >> 1, v + 1]),
  );
}

function clique(n: number): Graph {
  return graphOf(
    n,
    range(n).flatMap((u) => range(u).map((v): [number, number] => [u, v])),
  );
}

function grid(rows: number, columns: number): Graph {
  const edges: Edges = [];
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      if (c + 1 < columns) edges.push([r * columns + c, r * columns + c + 1]);
      if (r + 1 < rows) edges.push([r * columns + c, (r + 1) * columns + c]);
    }
  }
  return graphOf(rows * columns, edges);
}

/** `hubs` vertices joined to all of the others, which are not joined to each other. */
function hubs(count: number, n: number): Graph {
  return graphOf(
    n,
    range(count).flatMap((h) => range(n - count).map((v): [number, number] => [h, count + v])),
  );
}

/** Two terminals and, again and again, an edge that is doubled or divided: series-parallel by construction. */
function seriesParallel(steps: readonly number[]): Graph {
  const edges: Edges = [[0, 1]];
  let n = 2;
  for (const step of steps) {
    const [u, v] = edges[step % edges.length];
    edges.push([u, n], [n, v]);
    if (step % 3 === 0) edges.splice(step % edges.length, 1);
    n++;
  }
  return graphOf(n, edges);
}

function range(n: number): number[] {
  return Array.from({ length: Math.max(0, n) }, (_, i) => i);
}

const anyGraph = fc
  .integer({ min: 0, max: 24 })
  .chain((n) =>
    n === 0
      ? fc.constant(graphOf(0, []))
      : fc
          .array(fc.tuple(fc.nat(n - 1), fc.nat(n - 1)), { maxLength: 3 * n })
          .map((edges) => graphOf(n, edges)),
  );

/** A k-tree with edges left out: width at most k, any size. */
const narrowGraph = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 300 }))
  .map(([k, seeds]) => {
    const edges: Edges = [];
    const cliques: number[][] = [range(k)];
    seeds.forEach((seed, i) => {
      const base = cliques[seed % cliques.length];
      base.forEach((u, j) => {
        if ((seed >> j) % 5 !== 0) edges.push([u, k + i]);
      });
      for (let j = 0; j < k; j++) cliques.push([...base.slice(0, j), ...base.slice(j + 1), k + i]);
    });
    return { k, graph: graphOf(k + seeds.length, edges) };
  });

/** N+ by the definition: make the neighbours of each vertex a clique when it goes. */
function higherByDefinition(graph: Graph, order: Uint32Array): number[][] {
  const around = range(graph.vertexCount).map(
    (v) => new Set(graph.neighbours.subarray(graph.neighbourStart[v], graph.neighbourStart[v + 1])),
  );
  const result: number[][] = range(graph.vertexCount).map(() => []);
  for (const v of order) {
    const later = [...around[v]];
    result[v] = later;
    for (const x of later) {
      around[x].delete(v);
      for (const y of later) if (x !== y) around[x].add(y);
    }
  }
  return result;
}

function isAncestor(tree: EliminationTree, above: number, below: number): boolean {
  let at = below;
  while (at !== above && at !== -1) at = tree.parent[at];
  return at === above;
}

/** All that an elimination tree promises, for graphs of any size that is small enough to walk up from each edge. */
function expectEliminationTree(graph: Graph, tree: EliminationTree): void {
  const n = graph.vertexCount;
  expect([...tree.order].sort((a, b) => a - b)).toEqual(range(n));
  for (let i = 0; i < n; i++) expect(tree.position[tree.order[i]]).toBe(i);
  expect([...tree.parent].filter((p) => p < 0).length).toBe(Math.min(n, 1));
  let total = 0;
  let height = 0;
  for (let v = 0; v < n; v++) {
    const p = tree.parent[v];
    expect(tree.depth[v]).toBe(p < 0 ? 0 : tree.depth[p] + 1);
    total += tree.depth[v] + 1;
    height = Math.max(height, tree.depth[v] + 1);
    for (let i = graph.neighbourStart[v]; i < graph.neighbourStart[v + 1]; i++) {
      const u = graph.neighbours[i];
      expect(isAncestor(tree, u, v) || isAncestor(tree, v, u)).toBe(true);
    }
    const higher = [...tree.higher.subarray(tree.higherStart[v], tree.higherStart[v + 1])];
    expect(higher).toEqual([...higher].sort((a, b) => tree.depth[a] - tree.depth[b]));
    if (higher.length > 0) expect(p).toBe(higher[higher.length - 1]);
  }
  expect(tree.ancestorTotal).toBe(total);
  expect(tree.height).toBe(height);
  const byDefinition = higherByDefinition(graph, tree.order);
  byDefinition.forEach((expected, v) => {
    const higher = tree.higher.subarray(tree.higherStart[v], tree.higherStart[v + 1]);
    expect([...higher].sort((a, b) => a - b)).toEqual(expected.sort((a, b) => a - b));
  });
  expect(tree.width).toBe(Math.max(0, ...byDefinition.map((higher) => higher.length)));
}

describe("graphs", () => {
  test("parallel edges are merged, loops dropped, neighbours ascending", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 40 }), (edges) => {
        const graph = graphOf(10, edges);
        for (let v = 0; v < 10; v++) {
          const expected = new Set<number>();
          for (const [a, b] of edges) {
            if (a === v && b !== v) expected.add(b);
            if (b === v && a !== v) expected.add(a);
          }
          const got = graph.neighbours.subarray(graph.neighbourStart[v], graph.neighbourStart[v + 1]);
          expect([...got]).toEqual([...expected].sort((a, b) => a - b));
        }
      }),
    );
  });

  test("an end that is no vertex is refused", () => {
    expect(() => graphOf(2, [[0, 2]])).toThrow("edge 0: got 0 - 2, expected vertices below 2");
  });
});

describe("random graphs", () => {
  test.each(heuristics)("%s: axioms, width and later neighbours", (heuristic) => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        const { order, width, complete } = eliminationOrder(graph, heuristic);
        expect(complete).toBe(true);
        const tree = eliminate(graph, order);
        expectEliminationTree(graph, tree);
        expect(tree.width).toBe(width);
        const decomposition = decompositionOf(tree);
        expect(checkDecomposition(graph, decomposition)).toBeUndefined();
        if (graph.vertexCount > 0) expect(decompositionWidth(decomposition)).toBe(width);
        const balanced = eliminate(graph, balance(decomposition).order);
        expectEliminationTree(graph, balanced);
        expect(checkDecomposition(graph, decompositionOf(balanced))).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  test("the whole pipeline", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyGraph,
          narrowGraph.map(({ graph }) => graph),
        ),
        (graph) => {
          expectEliminationTree(graph, balancedElimination(graph));
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("known widths", () => {
  const cases: [name: string, graph: Graph, width: number][] = [
    ["no vertex", graphOf(0, []), 0],
    ["one vertex", graphOf(1, []), 0],
    ["five vertices apart", graphOf(5, []), 0],
    ["an edge", path(2), 1],
    ["path", path(100), 1],
    ["star", star(100), 1],
    ["binary tree", binaryTree(127), 1],
    ["cycle", cycle(50), 2],
    [
      "two paths and a cycle apart",
      graphOf(7, [
        [0, 1],
        [2, 3],
        [4, 5],
        [5, 6],
        [6, 4],
      ]),
      2,
    ],
    ["series-parallel", seriesParallel(range(200).map((i) => i * 7919)), 2],
    ["hubs", hubs(3, 200), 3],
    ["clique", clique(40), 39],
  ];
  for (const heuristic of heuristics) {
    test.each(cases)(`${heuristic}: %s`, (_, graph, width) => {
      expect(eliminationOrder(graph, heuristic).width).toBe(width);
    });
    test.each([2, 3, 4, 5, 6])(`${heuristic}: grid of side %i`, (k) => {
      expect(eliminationOrder(grid(k, k), heuristic).width).toBeLessThanOrEqual(k);
    });
    test(`${heuristic}: random series-parallel graphs`, () => {
      fc.assert(
        fc.property(fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 100 }), (steps) => {
          expect(eliminationOrder(seriesParallel(steps), heuristic).width).toBeLessThanOrEqual(2);
        }),
      );
    });
  }
});

describe("balance", () => {
  function expectShallow(graph: Graph): void {
    const decomposition = decompositionOf(eliminate(graph, eliminationOrder(graph, "min-degree").order));
    const width = decompositionWidth(decomposition);
    const { order, levels } = balance(decomposition);
    const bound = 2 * Math.log2(Math.max(1, graph.vertexCount)) + 2;
    expect(levels).toBeLessThanOrEqual(bound);
    const balanced = eliminate(graph, order);
    expect(balanced.height).toBeLessThanOrEqual(levels * (width + 1));
    expect(balanced.width).toBeLessThan(3 * (width + 1));
    const whole = balancedElimination(graph);
    expect(whole.height).toBeLessThanOrEqual(bound * (width + 1));
    expect(whole.width).toBeLessThanOrEqual(3 * (width + 1));
  }

  const shapes: [name: string, graph: Graph][] = [
    ["path of 2", path(2)],
    ["path of 3", path(3)],
    ["path of 1023", path(1023)],
    ["cycle of 1000", cycle(1000)],
    ["star of 1000", star(1000)],
    ["binary tree of 1023", binaryTree(1023)],
    [
      "caterpillar",
      graphOf(
        1000,
        range(999).map((v) => (v < 499 ? [v, v + 1] : [v - 499, v + 1])),
      ),
    ],
    ["grid 5 x 200", grid(200, 5)],
    ["series-parallel", seriesParallel(range(1000).map((i) => i * 7919))],
  ];
  test.each(shapes)("%s", (_, graph) => expectShallow(graph));

  test("random graphs of small width", () => {
    fc.assert(
      fc.property(narrowGraph, ({ graph }) => expectShallow(graph)),
      { numRuns: 200 },
    );
  });

  test.each([
    [1, 1],
    [2, 2],
    [3, 2],
    [7, 3],
    [1023, 10],
  ])("a path of %i vertices comes out perfectly balanced", (n, height) => {
    expect(balancedElimination(path(n)).height).toBe(height);
  });
});

describe("axioms", () => {
  const bags = (parent: number[], contents: number[][]) => ({
    bagStart: Uint32Array.from([0, ...contents.map((_, i) => contents.slice(0, i + 1).flat().length)]),
    bags: Uint32Array.from(contents.flat()),
    parent: Int32Array.from(parent),
  });

  const violations: [sentence: string | undefined, parent: number[], contents: number[][]][] = [
    ["vertex 2 is in no bag", [-1, 0], [[0, 1], [1]]],
    ["the edge 1 - 2 is in no bag", [-1, 0, 0], [[0, 1], [1], [2]]],
    [
      "the bags of vertex 0 are not connected: neither 0 nor 2 has it in its parent",
      [-1, 0, 1],
      [[0, 1], [1, 2], [0]],
    ],
    [
      "the bags have 2 roots, but a tree has one",
      [-1, -1],
      [
        [0, 1],
        [1, 2],
      ],
    ],
    ["the parents of the bags form a cycle", [-1, 2, 1], [[0, 1], [1, 2], [1]]],
    [
      "the parent of bag 1 is 5, which is no bag",
      [-1, 5],
      [
        [0, 1],
        [1, 2],
      ],
    ],
    [
      "bag 1 has the vertex 3, but the graph has 3 vertices",
      [-1, 0],
      [
        [0, 1],
        [1, 3],
      ],
    ],
    [
      "bag 0 has the vertex 1 twice",
      [-1, 0],
      [
        [0, 1, 1],
        [1, 2],
      ],
    ],
    [
      "there are 2 bags, but 1 parents",
      [-1],
      [
        [0, 1],
        [1, 2],
      ],
    ],
    [
      undefined,
      [-1, 0],
      [
        [0, 1],
        [1, 2],
      ],
    ],
  ];
  test.each(violations)("checkDecomposition: %s", (sentence, parent, contents) => {
    expect(checkDecomposition(path(3), bags(parent, contents))).toBe(sentence);
  });

  test("agrees with the axioms as they are stated, on random bags", () => {
    const anyBags = fc.array(fc.tuple(fc.nat(5), fc.uniqueArray(fc.nat(4), { maxLength: 4 })), {
      minLength: 1,
      maxLength: 6,
    });
    const edges = fc.array(fc.tuple(fc.nat(4), fc.nat(4)), { maxLength: 4 });
    fc.assert(
      fc.property(anyBags, edges, (entries, pairs) => {
        const graph = graphOf(5, pairs);
        const parent = entries.map(([p], b) => (b === 0 ? -1 : p % b));
        const contents = entries.map(([, bag]) => bag);
        const covered = range(5).every((v) => contents.some((bag) => bag.includes(v)));
        const joined = pairs.every(([u, v]) => contents.some((bag) => bag.includes(u) && bag.includes(v)));
        const connected = range(5).every(
          (v) => contents.filter((bag, b) => bag.includes(v) && !contents[parent[b]]?.includes(v)).length < 2,
        );
        const sentence = checkDecomposition(graph, bags(parent, contents));
        expect(sentence === undefined).toBe(covered && joined && connected);
      }),
      { numRuns: 2000 },
    );
  });

  test("bags without some vertex, in a cycle, or in two trees cannot be balanced", () => {
    expect(() => balance(bags([-1], [[0, 2]]))).toThrow("got no bag with vertex 1, expected all below 3");
    expect(() => balance(bags([1, 0], [[0], [1]]))).toThrow(
      "got a cycle of parents, expected a tree of bags",
    );
    expect(() => balance(bags([-1, -1], [[0], [1]]))).toThrow(
      "got more than one root, expected a tree of bags",
    );
  });
});

describe("large graphs", () => {
  const cases: [name: string, graph: () => Graph, height: number][] = [
    ["path of 200,000", () => path(200_000), 36],
    ["star of 200,000", () => star(200_000), 2],
    ["binary tree of 100,000", () => binaryTree(100_000), 36],
    ["two hubs and 100,000 vertices", () => hubs(2, 100_000), 3],
    ["grid 4 x 10,000", () => grid(10_000, 4), 2 * 16 * 5],
    ["clique of 1000", () => clique(1000), 1000],
    ["100,000 vertices apart", () => graphOf(100_000, []), 2],
  ];
  test.each(cases)("%s", (_, make, height) => {
    const graph = make();
    const tree = balancedElimination(graph);
    expect(tree.height).toBeLessThanOrEqual(height);
    expect(checkDecomposition(graph, decompositionOf(tree))).toBeUndefined();
    const decomposition = decompositionOf(eliminate(graph, eliminationOrder(graph, "min-fill").order));
    expect(checkDecomposition(graph, decomposition)).toBeUndefined();
    expect(balance(decomposition).levels).toBeLessThanOrEqual(36);
  });

  test("a path eliminated from end to end is a decomposition of 200,000 levels, and is balanced", () => {
    const graph = path(200_000);
    const decomposition = decompositionOf(eliminate(graph, range(200_000)));
    expect(eliminate(graph, balance(decomposition).order).height).toBeLessThanOrEqual(36);
  });

  test.each(heuristics)("%s stops where the width passes the limit", (heuristic) => {
    const graph = grid(30, 30);
    const stopped = eliminationOrder(graph, heuristic, { widthLimit: 5 });
    expect(stopped.complete).toBe(false);
    expect([...stopped.order].sort((a, b) => a - b)).toEqual(range(900));
    expect(eliminate(graph, stopped.order).width).toBeLessThanOrEqual(stopped.width);
    expect(eliminationOrder(graph, heuristic, { widthLimit: 100 }).complete).toBe(true);
  });

  test("the pipeline returns nothing where the width passes the limit", () => {
    expect(balancedElimination(grid(30, 30), { widthLimit: 5 })).toBeUndefined();
    expect(balancedElimination(clique(9), { widthLimit: 7 })).toBeUndefined();
    expect(balancedElimination(path(2), { widthLimit: 0 })).toBeUndefined();
    expect(balancedElimination(clique(9), { widthLimit: 8 })?.width).toBe(8);
  });
});

test("the same graph gives the same tree, whatever was computed before", () => {
  const graphs = [grid(9, 9), cycle(40), hubs(4, 60), seriesParallel(range(80)), clique(12)];
  const first = graphs.map((graph) => balancedElimination(graph));
  for (let i = 0; i < 10; i++) {
    for (const k of [4, 2, 0, 1, 3]) expect(balancedElimination(graphs[k])).toEqual(first[k]);
  }
});

test.each([
  [[0, 1], "got 2 vertices, expected 3"],
  [[0, 1, 1], "got 1 at place 2, expected each vertex below 3 once"],
  [[0, 1, 3], "got 3 at place 2, expected each vertex below 3 once"],
])("%j is no elimination order of three vertices", (order, message) => {
  expect(() => eliminate(path(3), order)).toThrow(message);
});

describe("PACE formats", () => {
  test("graphs and decompositions survive the round trip", () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        expect(parseGr(formatGr(graph))).toEqual(graph);
        const decomposition = decompositionOf(balancedElimination(graph));
        const read = parseTd(formatTd(decomposition, graph.vertexCount));
        expect(read.vertexCount).toBe(graph.vertexCount);
        expect(checkDecomposition(graph, read.decomposition)).toBeUndefined();
        expect(read.decomposition.bags).toEqual(decomposition.bags);
        expectEliminationTree(graph, eliminate(graph, balance(read.decomposition).order));
      }),
    );
  });

  test("the text forms", () => {
    const graph = graphOf(3, [
      [2, 1],
      [0, 1],
    ]);
    expect(formatGr(graph)).toBe("p tw 3 2\n1 2\n2 3\n");
    expect(formatTd(decompositionOf(eliminate(graph, [0, 2, 1])), 3)).toBe(
      "s td 3 2 3\nb 1 2 1\nb 2 2\nb 3 2 3\n1 2\n3 2\n",
    );
  });

  test("comments, blank lines, line ends of any kind and a missing last one", () => {
    const text = "c a comment\r\n\r\nc\r\np tw 3 3\r\n1 2\r\n  2\t3 \r\nc another\r\n3 3";
    expect(parseGr(text)).toEqual(path(3));
  });

  test.each([
    ["", "line 0: got the end, expected p tw VERTICES EDGES"],
    ["c\nhello\n", "line 2: got hello, expected p tw VERTICES EDGES"],
    ["p tw 3\n", "line 1: got p tw 3, expected p tw VERTICES EDGES"],
    ["p tw x 0\n", "line 1: got x, expected a whole number below 4294967295"],
    ["p tw -1 0\n", "line 1: got -1, expected a whole number below 4294967295"],
    ["p tw 2 1\n1 3\n", "line 2: got 3, expected a vertex from 1 to 2"],
    ["p tw 2 1\n0 1\n", "line 2: got 0, expected a vertex from 1 to 2"],
    ["p tw 2 1\n1 2 3\n", "line 2: got 1 2 3, expected an edge, VERTEX VERTEX"],
    ["p tw 2 1\n1 2\n2 1\n", "line 3: got 2 1, expected no more than 1 edges"],
    ["p tw 2 2\n1 2\n", "line 2: got the end after 1 edges, expected 2 edges"],
  ])("parseGr refuses %j", (text, message) => {
    expect(() => parseGr(text)).toThrow(new Error(message));
  });

  test.each([
    ["", "line 0: got the end, expected s td BAGS LARGEST VERTICES"],
    ["s td 1 1\n", "line 1: got s td 1 1, expected s td BAGS LARGEST VERTICES"],
    ["s td 1 1 1\nb 2 1\n", "line 2: got 2, expected a bag from 1 to 1"],
    ["s td 1 1 1\nb\n", "line 2: got nothing, expected a bag from 1 to 1"],
    ["s td 1 1 1\nb 1 2\n", "line 2: got 2, expected a vertex from 1 to 1"],
    ["s td 1 2 1\nb 1 1 1\n", "line 2: got vertex 1 twice, expected distinct vertices"],
    ["s td 1 1 2\nb 1 1 2\n", "line 2: got a bag of 2, expected at most 1 vertices"],
    ["s td 2 1 1\nb 1 1\nb 1 1\n", "line 3: got bag 1 a second time, expected each bag once"],
    ["s td 2 1 1\nb 1 1\n", "line 2: got the end after 1 bags, expected 2 bags"],
    ["s td 1 1 1\nb 1 1\nx\n", "line 3: got x, expected b BAG VERTEX... or a tree edge, BAG BAG"],
    [
      "s td 2 1 1\nb 1 1\nb 2 1\n",
      "line 3: got the end after 0 tree edges, expected 1, one less than there are bags",
    ],
    ["s td 3 1 1\nb 1 1\nb 2 1\nb 3\n1 2\n2 1\n", "line 6: got bags that are not connected, expected a tree"],
    ["s td 2 1 1\nb 1 1\nb 2 1\n1 1\n", "line 4: got bags that are not connected, expected a tree"],
  ])("parseTd refuses %j", (text, message) => {
    expect(() => parseTd(text)).toThrow(new Error(message));
  });

  test("mutated texts are read or refused in one sentence", () => {
    const text = formatTd(decompositionOf(balancedElimination(grid(3, 4))), 12);
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.string({ maxLength: 3 }), (at, inserted) => {
        try {
          parseTd(text.slice(0, at) + inserted + text.slice(at + 1));
        } catch (error) {
          expect((error as Error).message).toMatch(/^line \d+: got [^\n]*, expected [^\n]*$/);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
