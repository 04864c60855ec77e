/**
 * The programs that are measured: the fixtures, and further instances from the folder that the environment variable
 * PHLOEM_INSTANCES names. Queries are drawn as by a user who points somewhere in the code: a vertex of the program, then
 * another one and two facts of its procedure.
 */

import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { ExplodedSupergraph } from "../src/exploded/exploded-supergraph.js";
import { parseIfds } from "../src/exploded/parse-ifds.js";
import { type Options, randomBelow } from "./harness.js";

const SUFFIX = ".ifds.gz";
const FIXTURES = "test/fixtures/instances";
const QUICK = ["trove.live", "batik.puninit", "chart.live"];

export interface Instance {
  readonly name: string;
  /** The text of the `.ifds` file. */
  readonly bytes: () => Uint8Array;
  readonly graph: () => ExplodedSupergraph;
}

/** By size of the file; `analysis` or `program.analysis` in `only` restricts them. */
export function instances(options: Options, only?: readonly string[]): Instance[] {
  const files = new Map<string, string>();
  for (const folder of [process.env.PHLOEM_INSTANCES, FIXTURES]) {
    if (!folder) continue;
    for (const file of readdirSync(folder)) {
      if (file.endsWith(SUFFIX)) files.set(basename(file, SUFFIX), join(folder, file));
    }
  }
  return [...files]
    .filter(([name]) => !options.quick || QUICK.includes(name))
    .filter(([name]) => only === undefined || options.quick || only.includes(name))
    .map(([name, file]) => ({ name, packed: readFileSync(file) }))
    .sort((a, b) => a.packed.length - b.packed.length)
    .map(({ name, packed }) => {
      const bytes = () => gunzipSync(packed);
      return { name, bytes, graph: () => parseIfds(bytes(), { name }) };
    });
}

export function explodedVertices(graph: ExplodedSupergraph): number {
  let sum = 0;
  for (let p = 0; p < graph.procedureCount; p++) sum += graph.vertexCount[p] * graph.factCount[p];
  return sum;
}

export function vertices(graph: ExplodedSupergraph): number {
  return graph.vertexCount.reduce((sum, n) => sum + n, 0);
}

/** `count` pair queries, (p, u, d1, v, d2) five after five. */
export function randomQueries(graph: ExplodedSupergraph, count: number, seed: number): Uint32Array {
  const below = randomBelow(seed);
  const firstVertex = new Float64Array(graph.procedureCount + 1);
  for (let p = 0; p < graph.procedureCount; p++) firstVertex[p + 1] = firstVertex[p] + graph.vertexCount[p];
  const queries = new Uint32Array(5 * count);
  for (let i = 0; i < queries.length; i += 5) {
    const vertex = below(firstVertex[graph.procedureCount]);
    let p = 0;
    for (let end = graph.procedureCount; p + 1 < end; ) {
      const middle = (p + end) >>> 1;
      if (firstVertex[middle] <= vertex) p = middle;
      else end = middle;
    }
    const n = graph.vertexCount[p];
    const facts = graph.factCount[p];
    queries.set([p, below(n), below(facts), below(n), below(facts)], i);
  }
  return queries;
}

/** The procedure with most exploded vertices. */
export function largestProcedure(graph: ExplodedSupergraph): number {
  let largest = 0;
  const size = (p: number) => graph.vertexCount[p] * graph.factCount[p];
  for (let p = 1; p < graph.procedureCount; p++) if (size(largest) < size(p)) largest = p;
  return largest;
}
