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
void [
  path,
  cycle,
  star,
  binaryTree,
  clique,
  grid,
  hubs,
  seriesParallel,
  formatGr,
  formatTd,
  parseGr,
  parseTd,
];
