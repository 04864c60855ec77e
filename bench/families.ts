/**
 * Generated programs of any size, the same for the same seed: procedures of nested branches and loops (treewidth 2), or
 * grids of a given width, that copy, set and kill variables and call procedures further down, so that the call graph has
 * no cycle. They are written as typed arrays, with no text in between.
 */

import type { ExplodedSupergraph } from "../src/exploded/exploded-supergraph.js";
import { GrowableUint32 } from "../src/exploded/growable-uint32.js";
import { RelationTable } from "../src/exploded/relation-table.js";
import { randomBelow } from "./harness.js";

export interface Family {
  /** In all procedures, about. */
  readonly vertices: number;
  readonly procedures: number;
  /** The zero fact included, at least 2. */
  readonly facts: number;
  /** A grid of this width in place of nested branches and loops. */
  readonly width?: number;
}

/** Flow graphs nest no deeper. */
const DEPTH = 6;
/** One statement in so many is a call. */
const CALL_EVERY = 12;
/** Relations between the facts of one procedure. */
const STATEMENTS = 64;

interface Open {
  readonly kind: "branch" | "otherwise" | "loop";
  /** Where the branch began, or the head of the loop. */
  readonly head: number;
  /** Where the first side of a branch ended. */
  readonly end: number;
}

export function generate({ vertices, procedures, facts, width }: Family, seed = 1): ExplodedSupergraph {
  const below = randomBelow(seed);
  const relations = new RelationTable();
  relations.intern([], "identity");
  const statements = Array.from({ length: STATEMENTS }, () => statement(relations, facts, below));
  const argument = 1 + below(facts - 1);
  const entry = relations.intern(
    [
      [0, [0]],
      [argument, [1]],
    ],
    "nothing",
  );
  const exit = relations.intern(
    [
      [0, [0]],
      [facts - 1, [argument]],
    ],
    "nothing",
  );

  const edges = { start: new Uint32Array(procedures + 1), columns: columns(3) };
  const bypasses = { start: new Uint32Array(procedures + 1), columns: columns(3) };
  const calls = { start: new Uint32Array(procedures + 1), columns: columns(6) };
  const vertexCount = new Uint32Array(procedures);
  const exits = new Uint32Array(procedures);
  // Exits of procedures further down are not known yet: every procedure's exit is its vertex 1.
  exits.fill(1);
  const size = Math.max(4, Math.round(vertices / procedures));
  for (let p = 0; p < procedures; p++) {
    let count = 2;
    const edge = (from: number, to: number) => push(edges, [from, to, statements[below(STATEMENTS)]]);
    const step = (from: number): number => {
      const to = count++;
      if (p + 1 < procedures && below(CALL_EVERY) === 0) {
        // Mostly near, so that call chains are long; now and then anywhere.
        const callee =
          below(4) === 0 ? p + 1 + below(procedures - p - 1) : Math.min(procedures - 1, p + 1 + below(8));
        push(bypasses, [from, to, statements[below(STATEMENTS)]]);
        push(calls, [from, to, callee, entry, exit, exits[callee]]);
      } else edge(from, to);
      return to;
    };
    const last =
      width === undefined
        ? nested(size, step, edge, below, () => count)
        : grid(size, width, step, edge, () => count);
    edge(last, 1);
    vertexCount[p] = count;
    for (const table of [edges, bypasses, calls]) table.start[p + 1] = table.columns[0].length;
  }

  const [edgeSource, edgeTarget, edgeRelation] = arrays(edges);
  const [bypassCall, bypassReturn, bypassRelation] = arrays(bypasses);
  const [callVertex, callReturn, callCallee, callEntryRelation, callExitRelation, callExit] = arrays(calls);
  return {
    procedureCount: procedures,
    names: Array.from(vertexCount, (_, p) => `p${p}`),
    vertexCount,
    factCount: new Uint32Array(procedures).fill(facts),
    startVertex: new Uint32Array(procedures),
    exitStart: Uint32Array.from({ length: procedures + 1 }, (_, p) => p),
    exits,
    edgeStart: edges.start,
    edgeSource,
    edgeTarget,
    edgeRelation,
    bypassStart: bypasses.start,
    bypassCall,
    bypassReturn,
    bypassRelation,
    callStart: calls.start,
    callVertex,
    callReturn,
    callCallee,
    callEntryRelation,
    callExitRelation,
    callExit,
    relations: relations.build(),
    entry: 0,
    header: [],
  };
}

/** `x = y`, `x = source()`, `x = 0`, or nothing at all, for random variables. */
function statement(relations: RelationTable, facts: number, below: (end: number) => number): number {
  const x = 1 + below(facts - 1);
  const y = 1 + below(facts - 1);
  switch (below(4)) {
    case 0:
      return x === y
        ? 0
        : relations.intern(
            [
              [x, []],
              [y, [y, x]],
            ],
            "identity",
          );
    case 1:
      return relations.intern([[0, [0, x]]], "identity");
    case 2:
      return relations.intern([[x, []]], "identity");
    default:
      return 0;
  }
}

/** Branches and loops inside each other, from vertex 0 on; the answer is where they end. */
function nested(
  size: number,
  step: (from: number) => number,
  edge: (from: number, to: number) => void,
  below: (end: number) => number,
  count: () => number,
): number {
  const open: Open[] = [];
  let at = 0;
  const close = ({ kind, head, end }: Open) => {
    if (kind === "branch") {
      open.push({ kind: "otherwise", head, end: at });
      at = step(head);
    } else if (kind === "otherwise") {
      at = step(at);
      edge(end, at);
    } else {
      edge(at, head);
      at = step(head);
    }
  };
  while (count() + 2 * open.length < size) {
    const draw = below(10);
    if (draw < 7 || (draw < 9 && open.length === DEPTH) || (draw === 9 && open.length === 0)) at = step(at);
    else if (draw === 9) close(open.pop()!);
    else {
      if (draw === 8) at = step(at);
      open.push({ kind: draw === 7 ? "branch" : "loop", head: at, end: at });
      at = step(at);
    }
  }
  while (0 < open.length) close(open.pop()!);
  return at;
}

/** Columns of `width` vertices; each vertex leads to the next of its column and to its neighbour in the next one. */
function grid(
  size: number,
  width: number,
  step: (from: number) => number,
  edge: (from: number, to: number) => void,
  count: () => number,
): number {
  let column = [step(0)];
  for (let i = 1; i < width; i++) column.push(step(column[i - 1]));
  while (count() + width < size) {
    const next = [step(column[0])];
    for (let i = 1; i < width; i++) {
      next.push(step(next[i - 1]));
      edge(column[i], next[i]);
    }
    column = next;
  }
  return column[width - 1];
}

interface Table {
  readonly start: Uint32Array;
  readonly columns: readonly GrowableUint32[];
}

const columns = (length: number): GrowableUint32[] => Array.from({ length }, () => new GrowableUint32());

function push(table: Table, values: readonly number[]): void {
  for (const [i, value] of values.entries()) table.columns[i].push(value);
}

const arrays = (table: Table): Uint32Array[] => table.columns.map((column) => column.toArray());
