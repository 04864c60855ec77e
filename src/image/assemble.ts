/**
 * Lays out the static sections of the index image and the preprocessing input (assembly/image.ts): everything that the
 * kernel and the reference engine start from. Linear in the skeleton.
 */

import * as I from "../../assembly/image.js";
import type { Components } from "../exploded/components.js";
import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import type { Skeleton } from "../skeleton/skeleton.js";

export interface AssembledImage {
  /** Header and static sections. */
  readonly image: Uint32Array;
  readonly input: Uint32Array;
}

type Section = readonly [header: number, content: Uint32Array | Uint16Array | Uint8Array];

/** The static sections but for elimination trees, whose place is left empty. */
export function assemble(
  graph: ExplodedSupergraph,
  skeleton: Skeleton,
  components: Components,
  kernelHash: number,
): AssembledImage {
  const procedures = graph.procedureCount;
  const { nodeStart, chainStart } = skeleton;
  const nodes = nodeStart[procedures];
  const chains = chainStart[procedures];
  const arcs = skeleton.arcTarget.length;

  // Numbers of vertices and nodes take half a word where they all fit.
  const narrow = graph.vertexCount.every((count) => count <= 0x10000);
  const Numbers = narrow ? Uint16Array : Uint32Array;
  const chainWords = narrow ? I.NARROW_CHAIN_WORDS : I.WIDE_CHAIN_WORDS;
  const chainRecords = new Uint32Array((chains + 1) * chainWords);
  for (let c = 0; c <= chains; c++) {
    const at = c * chainWords;
    const end = at + chainWords;
    chainRecords[end - 2] = skeleton.chainArc[c];
    if (c === chains) break;
    if (narrow) chainRecords[at] = (skeleton.chainHead[c] << 16) | skeleton.chainTail[c];
    else {
      chainRecords[at] = skeleton.chainHead[c];
      chainRecords[at + 1] = skeleton.chainTail[c];
    }
  }

  const calls = enteringCalls(graph);
  const encoder = new TextEncoder();
  const nameStart = new Uint32Array(procedures + 1);
  const encoded = graph.names.map((name) => encoder.encode(name));
  for (let p = 0; p < procedures; p++) nameStart[p + 1] = nameStart[p] + encoded[p].length;
  const names = new Uint8Array(nameStart[procedures]);
  for (let p = 0; p < procedures; p++) names.set(encoded[p], nameStart[p]);

  const records = new Uint32Array(I.PROCEDURE_WORDS * procedures);
  let vertexBase = 0;
  let factBase = 0;
  for (let p = 0; p < procedures; p++) {
    const at = p * I.PROCEDURE_WORDS;
    records[at + I.P_VERTICES] = graph.vertexCount[p];
    records[at + I.P_FACTS] = graph.factCount[p];
    records[at + I.P_VERTEX_BASE] = vertexBase;
    records[at + I.P_NODE_BASE] = nodeStart[p];
    records[at + I.P_NODES] = nodeStart[p + 1] - nodeStart[p];
    records[at + I.P_CHAIN_BASE] = chainStart[p];
    records[at + I.P_CHAINS] = chainStart[p + 1] - chainStart[p];
    records[at + I.P_FACT_BASE] = factBase;
    records[at + I.P_EXIT_BASE] = graph.exitStart[p];
    records[at + I.P_EXITS] = graph.exitStart[p + 1] - graph.exitStart[p];
    records[at + I.P_START] = graph.startVertex[p];
    records[at + I.P_CALL_BASE] = calls.start[p];
    records[at + I.P_CALLS] = calls.start[p + 1] - calls.start[p];
    vertexBase += graph.vertexCount[p];
    factBase += graph.factCount[p];
  }

  const sections: Section[] = [
    [I.H_PROCEDURE, records],
    [I.H_ORDER, components.order],
    [I.H_COMPONENT, components.start],
    [I.H_EXIT, graph.exits],
    [I.H_PLACE, skeleton.place],
    [I.H_NODE_VERTEX, new Numbers(skeleton.nodeVertex)],
    [I.H_NODE, new Uint32Array(nodes * I.NODE_WORDS)],
    [I.H_ABOVE_HEAD, new Uint32Array(nodes)],
    [I.H_NODE_OUT, skeleton.nodeOut],
    [I.H_CHAIN, chainRecords],
    [I.H_ARC_TARGET, new Numbers(skeleton.arcTarget)],
    [I.H_ARC_RELATION, skeleton.arcInput],
    [I.H_FACT, new Uint32Array(factBase)],
    [I.H_GROUP, new Uint32Array(2 * factBase)],
    [I.H_CALL_VERTEX, calls.vertex],
    [I.H_CALL_CALLEE, calls.callee],
    [I.H_CALL_RELATION, calls.call],
    [I.H_NAME_START, nameStart],
    [I.H_NAMES, names],
  ];
  const image = layOutSections(I.HEADER_WORDS, sections);
  image[I.H_MAGIC] = I.MAGIC;
  image[I.H_VERSION] = I.FORMAT_VERSION;
  image[I.H_KERNEL] = kernelHash;
  image[I.H_PROCEDURES] = procedures;
  image[I.H_VERTICES] = vertexBase;
  image[I.H_NODES] = nodes;
  image[I.H_CHAINS] = chains;
  image[I.H_ARCS] = arcs;
  image[I.H_FACTS] = factBase;
  image[I.H_EXITS] = graph.exits.length;
  image[I.H_CALLS] = calls.call.length;
  image[I.H_COMPONENTS] = components.start.length - 1;
  image[I.H_NAME_BYTES] = names.length;
  image[I.H_ENTRY] = graph.entry;
  image[I.H_NARROW] = narrow ? 1 : 0;
  image[I.H_RELATIONS] = image.byteLength;

  const { relations, callCallee } = graph;
  const exitIndex = new Uint32Array(callCallee.length);
  for (let i = 0; i < exitIndex.length; i++) {
    let exit = graph.exitStart[callCallee[i]];
    while (graph.exits[exit] !== graph.callExit[i]) exit++;
    exitIndex[i] = exit;
  }
  const input = layOutSections(I.INPUT_WORDS, [
    [I.I_CONTRIBUTION, skeleton.contributions],
    [I.I_CALLEE, callCallee],
    [I.I_CALL_ENTRY, graph.callEntryRelation],
    [I.I_CALL_EXIT, graph.callExitRelation],
    [I.I_CALL_FROM, exitIndex],
    [I.I_IDENTITY, relations.identity],
    [I.I_ENTRY_START, relations.entryStart],
    [I.I_SOURCE_FIRST, relations.sourceFirst],
    [I.I_SOURCE_LAST, relations.sourceLast],
    [I.I_TARGET_START, relations.targetStart],
    [I.I_TARGET, relations.targets],
  ]);
  input[I.I_RELATIONS] = relations.count;
  return { image, input };
}

/** Ways into callees. */
export interface EnteringCalls {
  /** Per procedure, and one more: where its own begin. */
  readonly start: Uint32Array;
  readonly vertex: Uint32Array;
  readonly callee: Uint32Array;
  /** A call of the graph that stands for it. */
  readonly call: Uint32Array;
}

/** Calls by (call vertex, callee, entry relation): several return sites enter the callee once. */
export function enteringCalls(graph: ExplodedSupergraph): EnteringCalls {
  const { procedureCount: procedures } = graph;
  const { callStart, callVertex, callCallee, callEntryRelation } = graph;
  const calls = callVertex.length;
  const entering = new Uint32Array(3 * calls);
  const enteringVertex = entering.subarray(0, calls);
  const enteringCallee = entering.subarray(calls, 2 * calls);
  const enteringCall = entering.subarray(2 * calls);
  const enteringStart = new Uint32Array(procedures + 1);
  let enteringCount = 0;
  for (let p = 0; p < procedures; p++) {
    enteringStart[p] = enteringCount;
    for (let i = callStart[p]; i < callStart[p + 1]; i++) {
      let known = false;
      // Lines of one call vertex usually follow one another; a repetition that is missed costs space, nothing else.
      for (let k = enteringCount - 1; enteringStart[p] <= k && enteringVertex[k] === callVertex[i]; k--) {
        if (
          enteringCallee[k] === callCallee[i] &&
          callEntryRelation[enteringCall[k]] === callEntryRelation[i]
        ) {
          known = true;
          break;
        }
      }
      if (known) continue;
      enteringVertex[enteringCount] = callVertex[i];
      enteringCallee[enteringCount] = callCallee[i];
      enteringCall[enteringCount++] = i;
    }
  }
  enteringStart[procedures] = enteringCount;
  return {
    start: enteringStart,
    vertex: enteringVertex.subarray(0, enteringCount),
    callee: enteringCallee.subarray(0, enteringCount),
    call: enteringCall.subarray(0, enteringCount),
  };
}

/** One buffer: a header, then each section aligned to 8 bytes, its offset in the header word named. */
function layOutSections(headerWords: number, sections: readonly Section[]): Uint32Array {
  let bytes = headerWords * 4;
  const offsets = sections.map(([, content]) => {
    const offset = bytes;
    bytes += (content.byteLength + 7) & ~7;
    return offset;
  });
  const words = new Uint32Array(bytes / 4);
  const asBytes = new Uint8Array(words.buffer);
  sections.forEach(([header, content], i) => {
    words[header] = offsets[i];
    asBytes.set(new Uint8Array(content.buffer, content.byteOffset, content.byteLength), offsets[i]);
  });
  return words;
}
