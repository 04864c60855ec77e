/**
 * Where a procedure of a backward problem begins: its further vertex, with edges to its two exits, and to what no exit can
 * be reached from. Facts at the exceptional exit have numbers of their own there, `prime` and following, behind those at the
 * exit: the exceptional exit's fact d is `prime + d - 1`. Cost: linear in the procedure.
 */

import type { RelationTable } from "../exploded/relation-table.js";
import type { Program } from "../program/program.js";
import type { Columns } from "./columns.js";
import { type ControlFlow, RETURNS, THROWS } from "./control-flow.js";

/**
 * Edges from where a procedure begins backwards: to its exits, and with the zero fact alone to places from which no exit
 * can be reached (endless loops, calls that do not come back), so that what is used there is seen.
 */
export function addBegin(
  program: Program,
  flow: ControlFlow,
  p: number,
  prime: number,
  facts: number,
  relations: RelationTable,
  edge: Columns,
): void {
  const { vertexCount, exit, exceptionalExit, edges, calls } = program.procedures[p];
  const base = flow.vertexStart[p];
  const degree = new Uint32Array(vertexCount + 1);
  const reached = (v: number) => flow.reached[base + v] === 1;
  /** Whether the zero fact must get there: what is reached, and where calls return to. */
  const needed = flow.reached.slice(base, base + vertexCount);
  const forEachEdge = (visit: (from: number, to: number) => void) => {
    for (let i = 0; i < edges.length; i += 2) if (reached(edges[i])) visit(edges[i], edges[i + 1]);
    for (const { vertex, returnSite, exceptionalReturnSite } of calls) {
      if (!reached(vertex)) continue;
      if (0 <= returnSite) visit(vertex, returnSite);
      if (0 <= exceptionalReturnSite) visit(vertex, exceptionalReturnSite);
    }
  };
  forEachEdge((_, to) => {
    degree[to + 1]++;
    needed[to] = 1;
  });
  for (let v = 0; v < vertexCount; v++) degree[v + 1] += degree[v];
  const sources = new Uint32Array(degree[vertexCount]);
  const fill = degree.slice(0, vertexCount);
  forEachEdge((from, to) => {
    sources[fill[to]++] = from;
  });
  const queue = new Uint32Array(vertexCount);
  let length = 0;
  const visit = (v: number) => {
    if (needed[v] !== 1) return;
    needed[v] = 0;
    queue[length++] = v;
  };
  let head = 0;
  const spread = () => {
    for (; head < length; head++) {
      const v = queue[head];
      for (let i = degree[v]; i < degree[v + 1]; i++) visit(sources[i]);
    }
  };

  if ((flow.ends[p] & RETURNS) !== 0) {
    if (prime !== 0 && prime < facts) {
      relations.begin("identity");
      relations.entry(prime, facts - 1);
      edge.push(vertexCount, exit, relations.endInterned());
    } else edge.push(vertexCount, exit, 0);
    visit(exit);
  }
  if ((flow.ends[p] & THROWS) !== 0) {
    if (prime !== 0) {
      relations.begin("nothing");
      relations.entry(0, 0);
      relations.target(0);
      for (let fact = prime; fact < facts; fact++) {
        relations.entry(fact, fact);
        relations.target(fact - prime + 1);
      }
      edge.push(vertexCount, exceptionalExit, relations.endInterned());
    } else edge.push(vertexCount, exceptionalExit, 0);
    visit(exceptionalExit);
  }
  spread();
  relations.begin("nothing");
  relations.entry(0, 0);
  relations.target(0);
  const zeroAlone = relations.endInterned();
  for (let v = vertexCount - 1; 0 <= v; v--) {
    if (needed[v] === 0) continue;
    edge.push(vertexCount, v, zeroAlone);
    visit(v);
    spread();
  }
}
