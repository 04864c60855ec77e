/**
 * Writes an `ExplodedSupergraph` in the `.ifds` text form, piece by piece so that no string of the whole file is ever
 * built. It is the inverse of `parseIfds`, except that comments are gone and that the lines of a procedure are sorted
 * by kind.
 */

import type { ExplodedSupergraph, FlowRelations } from "./exploded-supergraph.js";

/** Characters collected before a piece is handed out. */
const PIECE = 1 << 16;

/**
 * The text in pieces of some 64 K characters. Version 1 is written where it suffices: one exit per procedure
 * and a call-to-return edge around every call. Blanks and line ends in names become underscores,
 * since the form has no quotes: no name that was read from a file has any.
 *
 * @example
 * const graph = parseIfds("IFDS 1\nR 0 I\nM 0\nP 0 2 1 0 1 main\ne 0 1 0\nZ\n");
 * [...formatIfds(graph)].join(""); // the same text
 */
export function* formatIfds(graph: ExplodedSupergraph): Iterable<string> {
  let piece = "";
  for (const line of lines(graph)) {
    piece += `${line}\n`;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}

function* lines(graph: ExplodedSupergraph): Iterable<string> {
  const version = needsVersion2(graph) ? 2 : 1;
  yield `IFDS ${version}`;
  for (const [key, value] of graph.header) {
    yield value === "" ? `h ${word(key)}` : `h ${word(key)} ${value.replace(/[\r\n]/g, " ")}`;
  }
  for (let r = 0; r < graph.relations.count; r++) {
    yield `R ${r} ${graph.relations.identity[r] === 1 ? "I" : "X"}${entries(graph.relations, r)}`;
  }
  yield `M ${graph.entry}`;
  for (let p = 0; p < graph.procedureCount; p++) {
    const exits = graph.exits.subarray(graph.exitStart[p], graph.exitStart[p + 1]);
    yield `P ${p} ${graph.vertexCount[p]} ${graph.factCount[p]} ${graph.startVertex[p]} ${exits.join()} ${word(graph.names[p])}`;
    for (let i = graph.edgeStart[p]; i < graph.edgeStart[p + 1]; i++) {
      yield `e ${graph.edgeSource[i]} ${graph.edgeTarget[i]} ${graph.edgeRelation[i]}`;
    }
    for (let i = graph.bypassStart[p]; i < graph.bypassStart[p + 1]; i++) {
      yield `t ${graph.bypassCall[i]} ${graph.bypassReturn[i]} ${graph.bypassRelation[i]}`;
    }
    for (let i = graph.callStart[p]; i < graph.callStart[p + 1]; i++) {
      const callee = graph.callCallee[i];
      const exit = graph.callExit[i] === graph.exits[graph.exitStart[callee]] ? "" : ` ${graph.callExit[i]}`;
      yield `c ${graph.callVertex[i]} ${graph.callReturn[i]} ${callee} ${graph.callEntryRelation[i]} ${graph.callExitRelation[i]}${exit}`;
    }
  }
  yield "Z";
}

function entries(relations: FlowRelations, relation: number): string {
  let text = "";
  for (let i = relations.entryStart[relation]; i < relations.entryStart[relation + 1]; i++) {
    const first = relations.sourceFirst[i];
    const last = relations.sourceLast[i];
    const targets = relations.targets.subarray(relations.targetStart[i], relations.targetStart[i + 1]);
    text += ` ${first === last ? first : `${first}-${last}`}>${targets.join()}`;
  }
  return text;
}

function needsVersion2(graph: ExplodedSupergraph): boolean {
  for (let p = 0; p < graph.procedureCount; p++) {
    if (graph.exitStart[p + 1] - graph.exitStart[p] !== 1) return true;
    const around = new Set<number>();
    for (let i = graph.bypassStart[p]; i < graph.bypassStart[p + 1]; i++) {
      around.add(graph.bypassCall[i] * graph.vertexCount[p] + graph.bypassReturn[i]);
    }
    for (let i = graph.callStart[p]; i < graph.callStart[p + 1]; i++) {
      if (!around.has(graph.callVertex[i] * graph.vertexCount[p] + graph.callReturn[i])) return true;
    }
  }
  return false;
}

/** A field: not empty, without blanks or line ends. */
const word = (text: string): string => text.replace(/[ \r\n]/g, "_") || "_";
