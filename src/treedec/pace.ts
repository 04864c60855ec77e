/**
 * The text forms of the PACE challenge, so that graphs can be handed to other solvers and their tree decompositions
 * read back: `.gr` (`p tw VERTICES EDGES`, then one edge a line) and `.td` (`s td BAGS LARGEST VERTICES`, then
 * `b BAG VERTEX...` and one tree edge a line). Both number from 1 and have comment lines that begin with `c`. All
 * functions take time linear in the text.
 */

import { type Graph, graphFromEdges } from "./graph.js";
import type { TreeDecomposition } from "./tree-decomposition.js";

/** A decomposition read from `.td`: rooted at its first bag. */
export interface ReadDecomposition {
  readonly decomposition: TreeDecomposition;
  /** Vertices of the decomposed graph, as the file's first line has it. */
  readonly vertexCount: number;
}

/**
 * `graph` as `.gr` text, each edge once, smaller end first, ascending.
 *
 * @example
 * formatGr(graphFromEdges(2, [1], [0])); // "p tw 2 1\n1 2\n"
 */
export function formatGr(graph: Graph): string {
  const { vertexCount, neighbourStart, neighbours } = graph;
  const lines = [`p tw ${vertexCount} ${neighbours.length / 2}`];
  for (let v = 0; v < vertexCount; v++) {
    for (let i = neighbourStart[v]; i < neighbourStart[v + 1]; i++) {
      if (v < neighbours[i]) lines.push(`${v + 1} ${neighbours[i] + 1}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

/**
 * The graph of a `.gr` text; self-loops are dropped and parallel edges merged. Throws an `Error` of one sentence that
 * begins with the line's number.
 *
 * @example
 * parseGr("c an edge\np tw 2 1\n1 2\n").neighbours; // Uint32Array [1, 0]
 */
export function parseGr(text: string): Graph {
  let header: number[] | undefined;
  const sources: number[] = [];
  const targets: number[] = [];
  const lineCount = eachLine(text, (line, fields) => {
    if (header === undefined) {
      if (fields.length !== 4 || fields[0] !== "p" || fields[1] !== "tw") {
        throw expected(line, fields.join(" "), "p tw VERTICES EDGES");
      }
      header = [readCount(line, fields[2], 0), readCount(line, fields[3], 0)];
      return;
    }
    const [vertexCount, edgeCount] = header;
    if (fields.length !== 2) throw expected(line, fields.join(" "), "an edge, VERTEX VERTEX");
    if (sources.length === edgeCount)
      throw expected(line, fields.join(" "), `no more than ${edgeCount} edges`);
    sources.push(readId(line, fields[0], vertexCount, "vertex"));
    targets.push(readId(line, fields[1], vertexCount, "vertex"));
  });
  if (header === undefined) throw expected(lineCount, "the end", "p tw VERTICES EDGES");
  if (sources.length !== header[1])
    throw expected(lineCount, `the end after ${sources.length} edges`, `${header[1]} edges`);
  return graphFromEdges(header[0], sources, targets);
}

/**
 * `decomposition`, of a graph of `vertexCount` vertices, as `.td` text.
 *
 * @example
 * const edge = graphFromEdges(2, [0], [1]);
 * formatTd(decompositionOf(eliminate(edge, [0, 1])), 2); // "s td 2 2 2\nb 1 2 1\nb 2 2\n1 2\n"
 */
export function formatTd(decomposition: TreeDecomposition, vertexCount: number): string {
  const { bagStart, bags, parent } = decomposition;
  const bagCount = parent.length;
  const lines = [""];
  let largest = 0;
  for (let b = 0; b < bagCount; b++) {
    let line = `b ${b + 1}`;
    for (let i = bagStart[b]; i < bagStart[b + 1]; i++) line += ` ${bags[i] + 1}`;
    lines.push(line);
    largest = Math.max(largest, bagStart[b + 1] - bagStart[b]);
  }
  for (let b = 0; b < bagCount; b++) if (parent[b] >= 0) lines.push(`${b + 1} ${parent[b] + 1}`);
  lines[0] = `s td ${bagCount} ${largest} ${vertexCount}`;
  return `${lines.join("\n")}\n`;
}

/**
 * The decomposition of a `.td` text. That its bags form a tree is checked here, the other axioms, which need the graph,
 * by `checkDecomposition`. Throws an `Error` of one sentence that begins with the line's number.
 *
 * @example
 * const { decomposition } = parseTd("s td 2 2 3\nb 1 1 2\nb 2 2 3\n1 2\n");
 * decomposition.parent; // Int32Array [-1, 0]
 */
export function parseTd(text: string): ReadDecomposition {
  let header: number[] | undefined;
  let contents: number[][] = [];
  let bagsRead = 0;
  const sources: number[] = [];
  const targets: number[] = [];
  const lineCount = eachLine(text, (line, fields) => {
    if (header === undefined) {
      if (fields.length !== 5 || fields[0] !== "s" || fields[1] !== "td") {
        throw expected(line, fields.join(" "), "s td BAGS LARGEST VERTICES");
      }
      header = [readCount(line, fields[2], 0), readCount(line, fields[3], 0), readCount(line, fields[4], 0)];
      contents = [];
      return;
    }
    const [bagCount, largest, vertexCount] = header;
    if (fields[0] === "b") {
      const b = readId(line, fields[1] ?? "", bagCount, "bag");
      if (contents[b] !== undefined) throw expected(line, `bag ${b + 1} a second time`, "each bag once");
      const bag: number[] = [];
      const distinct = new Set<number>();
      for (let i = 2; i < fields.length; i++) {
        const v = readId(line, fields[i], vertexCount, "vertex");
        if (distinct.has(v)) throw expected(line, `vertex ${v + 1} twice`, "distinct vertices");
        distinct.add(v);
        bag.push(v);
      }
      if (bag.length > largest) throw expected(line, `a bag of ${bag.length}`, `at most ${largest} vertices`);
      contents[b] = bag;
      bagsRead++;
      return;
    }
    if (fields.length !== 2)
      throw expected(line, fields.join(" "), "b BAG VERTEX... or a tree edge, BAG BAG");
    sources.push(readId(line, fields[0], bagCount, "bag"));
    targets.push(readId(line, fields[1], bagCount, "bag"));
  });
  if (header === undefined) throw expected(lineCount, "the end", "s td BAGS LARGEST VERTICES");
  const [bagCount, , vertexCount] = header;
  if (bagsRead !== bagCount) throw expected(lineCount, `the end after ${bagsRead} bags`, `${bagCount} bags`);
  const treeEdges = Math.max(0, bagCount - 1);
  if (sources.length !== treeEdges) {
    throw expected(
      lineCount,
      `the end after ${sources.length} tree edges`,
      `${treeEdges}, one less than there are bags`,
    );
  }

  const parent = rootAtFirst(graphFromEdges(bagCount, sources, targets));
  if (parent === undefined) throw expected(lineCount, "bags that are not connected", "a tree");
  const bagStart = new Uint32Array(bagCount + 1);
  for (let b = 0; b < bagCount; b++) bagStart[b + 1] = bagStart[b] + contents[b].length;
  const bags = new Uint32Array(bagStart[bagCount]);
  for (let b = 0; b < bagCount; b++) bags.set(contents[b], bagStart[b]);
  return { decomposition: { bagStart, bags, parent }, vertexCount };
}

/** Parents in the tree rooted at vertex 0; `undefined` if some vertex is out of its reach. */
function rootAtFirst(tree: Graph): Int32Array | undefined {
  const { vertexCount, neighbourStart, neighbours } = tree;
  const parent = new Int32Array(vertexCount).fill(-2);
  const queue = new Int32Array(vertexCount);
  let queued = 0;
  if (vertexCount > 0) {
    parent[0] = -1;
    queued = 1;
  }
  for (let at = 0; at < queued; at++) {
    const b = queue[at];
    for (let i = neighbourStart[b]; i < neighbourStart[b + 1]; i++) {
      const other = neighbours[i];
      if (parent[other] !== -2) continue;
      parent[other] = b;
      queue[queued++] = other;
    }
  }
  return queued === vertexCount ? parent : undefined;
}

/** Calls `visit` with each line's number and fields, leaving out comments and blank lines; returns the last number. */
function eachLine(text: string, visit: (line: number, fields: string[]) => void): number {
  let line = 0;
  for (let at = 0; at < text.length; ) {
    let end = text.indexOf("\n", at);
    if (end < 0) end = text.length;
    line++;
    const content = text.slice(at, end).trim();
    at = end + 1;
    if (content === "" || content === "c" || /^c\s/.test(content)) continue;
    visit(line, content.split(/\s+/));
  }
  return line;
}

function readCount(line: number, field: string, least: number): number {
  const value = Number(field);
  if (!/^\d+$/.test(field) || value < least || 0xffff_ffff <= value) {
    throw expected(line, field, "a whole number below 4294967295");
  }
  return value;
}

/** A number from 1 to `count`, made to count from 0. */
function readId(line: number, field: string, count: number, what: string): number {
  const value = Number(field);
  if (!/^\d+$/.test(field) || value < 1 || count < value) {
    throw expected(line, field === "" ? "nothing" : field, `a ${what} from 1 to ${count}`);
  }
  return value - 1;
}

function expected(line: number, got: string, wanted: string): Error {
  return new Error(
    `line ${line}: got ${got.length > 60 ? `${got.slice(0, 60)}...` : got}, expected ${wanted}`,
  );
}
