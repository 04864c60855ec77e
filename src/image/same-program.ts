/**
 * Whether a program is the one that an index was made from, as far as the index tells: names, sizes, starts, exits, calls,
 * and the contracted flow graphs. Flow relations are not compared. Linear in the program.
 */

import * as I from "../../assembly/image.js";
import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import { contract } from "../skeleton/skeleton.js";
import { enteringCalls } from "./assemble.js";
import type { ProgramTable } from "./program-table.js";

/** The first difference as `got ..., expected ...`; undefined where there is none. */
export function programDifference(
  image: Uint32Array,
  table: ProgramTable,
  graph: ExplodedSupergraph,
): string | undefined {
  const procedures = image[I.H_PROCEDURES];
  const got = (what: string, is: number | string, was: number | string) =>
    is === was ? undefined : `got ${what} ${is}, expected ${was} as in the index`;
  if (graph.procedureCount !== procedures) return got("procedures:", graph.procedureCount, procedures);
  const entry = got("entry procedure", graph.entry, image[I.H_ENTRY]);
  if (entry !== undefined) return entry;

  const section = (header: number, length: number): Uint32Array =>
    image.subarray(image[header] / 4, image[header] / 4 + length);
  const records = image[I.H_PROCEDURE] / 4;
  const exits = section(I.H_EXIT, image[I.H_EXITS]);
  const calls = enteringCalls(graph);
  const callVertex = section(I.H_CALL_VERTEX, image[I.H_CALLS]);
  const callCallee = section(I.H_CALL_CALLEE, image[I.H_CALLS]);
  for (let p = 0; p < procedures; p++) {
    const record = records + p * I.PROCEDURE_WORDS;
    const firstExit = image[record + I.P_EXIT_BASE];
    const firstCall = image[record + I.P_CALL_BASE];
    const endCall = firstCall + image[record + I.P_CALLS];
    const ownExits = graph.exits.subarray(graph.exitStart[p], graph.exitStart[p + 1]);
    const difference =
      got("name", JSON.stringify(encodable(graph.names[p])), JSON.stringify(table.names[p])) ??
      got("vertices:", graph.vertexCount[p], image[record + I.P_VERTICES]) ??
      got("facts:", graph.factCount[p], image[record + I.P_FACTS]) ??
      got("start", graph.startVertex[p], image[record + I.P_START]) ??
      got(
        "exits",
        ownExits.join(),
        exits.subarray(firstExit, firstExit + image[record + I.P_EXITS]).join(),
      ) ??
      got("calls:", calls.start[p + 1] - calls.start[p], endCall - firstCall);
    if (difference !== undefined) return `procedure ${p}: ${difference}`;
    for (let call = firstCall; call < endCall; call++) {
      const other =
        got("call vertex", calls.vertex[call], callVertex[call]) ??
        got("callee", calls.callee[call], callCallee[call]);
      if (other !== undefined) return `procedure ${p}: ${other}`;
    }
  }
  return flowDifference(image, graph);
}

/** The same for flow graphs; sizes of procedures are known to be the same. */
function flowDifference(image: Uint32Array, graph: ExplodedSupergraph): string | undefined {
  const skeleton = contract(graph);
  const at = (header: number): number => image[header] / 4;
  const isNarrow = image[I.H_NARROW] !== 0;
  const half = (header: number, i: number): number =>
    isNarrow ? (image[at(header) + (i >>> 1)] >>> ((i & 1) << 4)) & 0xffff : image[at(header) + i];
  const { place, nodeVertex, nodeOut, arcTarget } = skeleton;
  const isSame =
    nodeVertex.length === image[I.H_NODES] &&
    arcTarget.length === image[I.H_ARCS] &&
    place.every((value, i) => value === image[at(I.H_PLACE) + i]) &&
    nodeOut.every((value, i) => value === image[at(I.H_NODE_OUT) + i]) &&
    nodeVertex.every((value, i) => value === half(I.H_NODE_VERTEX, i)) &&
    arcTarget.every((value, i) => value === half(I.H_ARC_TARGET, i));
  return isSame ? undefined : "got other edges, expected those of the index";
}

/** A name as the index has it: halves of surrogate pairs cannot be encoded. */
function encodable(name: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(name));
}
