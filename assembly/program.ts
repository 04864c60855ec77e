/** The image at hand: where its sections are, and the record of the procedure being worked on. */

import {
  H_ABOVE_HEAD,
  H_ARC_RELATION,
  H_ARC_TARGET,
  H_CALL_CALLEE,
  H_CALL_RELATION,
  H_CALL_VERTEX,
  H_CHAIN_ARC,
  H_CHAIN_HEAD,
  H_CHAIN_TAIL,
  H_COMPONENT,
  H_EXIT,
  H_FACT_GROUP,
  H_FACT_LOCAL,
  H_GROUP_COLUMNS,
  H_GROUP_OFFSET,
  H_IN_CHAIN,
  H_LABELS,
  H_NODE_ASCENDANT,
  H_NODE_DEPTH,
  H_NODE_IN,
  H_NODE_INLABEL,
  H_NODE_LABEL,
  H_NODE_OUT,
  H_NODE_VERTEX,
  H_ORDER,
  H_PLACE,
  H_PROCEDURE,
  MODE_JOINED,
  P_CHAIN_BASE,
  P_EXIT_BASE,
  P_EXITS,
  P_FACT_BASE,
  P_FACTS,
  P_GROUPS,
  P_MODE,
  P_NODE_BASE,
  P_NODES,
  P_START,
  P_VERTEX_BASE,
  P_VERTICES,
  PROCEDURE_WORDS,
} from "./image";

export function word(base: usize, i: u32): u32 {
  return load<u32>(base + ((<usize>i) << 2));
}

export function setWord(base: usize, i: u32, value: u32): void {
  store<u32>(base + ((<usize>i) << 2), value);
}

export let image: usize = 0;
export let order: usize = 0;
export let component: usize = 0;
export let exits: usize = 0;
export let place: usize = 0;
export let nodeVertex: usize = 0;
export let nodeDepth: usize = 0;
export let nodeInlabel: usize = 0;
export let nodeAscendant: usize = 0;
export let aboveHead: usize = 0;
export let nodeOut: usize = 0;
export let nodeIn: usize = 0;
export let inChain: usize = 0;
export let nodeLabel: usize = 0;
export let chainHead: usize = 0;
export let chainTail: usize = 0;
export let chainArc: usize = 0;
export let arcTarget: usize = 0;
export let arcRelation: usize = 0;
export let factGroup: usize = 0;
export let factLocal: usize = 0;
export let groupColumns: usize = 0;
export let groupOffset: usize = 0;
export let callVertex: usize = 0;
export let callCallee: usize = 0;
export let callRelation: usize = 0;
export let labels: usize = 0;
let records: usize = 0;

function section(header: u32): usize {
  return image + <usize>word(image, header);
}

/** Makes the image at `at` the one at hand. The label section may not exist yet. */
export function useImage(at: usize): void {
  image = at;
  records = section(H_PROCEDURE);
  order = section(H_ORDER);
  component = section(H_COMPONENT);
  exits = section(H_EXIT);
  place = section(H_PLACE);
  nodeVertex = section(H_NODE_VERTEX);
  nodeDepth = section(H_NODE_DEPTH);
  nodeInlabel = section(H_NODE_INLABEL);
  nodeAscendant = section(H_NODE_ASCENDANT);
  aboveHead = section(H_ABOVE_HEAD);
  nodeOut = section(H_NODE_OUT);
  nodeIn = section(H_NODE_IN);
  inChain = section(H_IN_CHAIN);
  nodeLabel = section(H_NODE_LABEL);
  chainHead = section(H_CHAIN_HEAD);
  chainTail = section(H_CHAIN_TAIL);
  chainArc = section(H_CHAIN_ARC);
  arcTarget = section(H_ARC_TARGET);
  arcRelation = section(H_ARC_RELATION);
  factGroup = section(H_FACT_GROUP);
  factLocal = section(H_FACT_LOCAL);
  groupColumns = section(H_GROUP_COLUMNS);
  groupOffset = section(H_GROUP_OFFSET);
  callVertex = section(H_CALL_VERTEX);
  callCallee = section(H_CALL_CALLEE);
  callRelation = section(H_CALL_RELATION);
  labels = section(H_LABELS);
}

export function recordOf(p: u32): usize {
  return records + ((<usize>(p * PROCEDURE_WORDS)) << 2);
}

// The procedure being worked on.
export let record: usize = 0;
export let vertexCount: u32 = 0;
export let factCount: u32 = 0;
export let vertexBase: u32 = 0;
export let nodeBase: u32 = 0;
export let nodeCount: u32 = 0;
export let chainBase: u32 = 0;
export let factBase: u32 = 0;
export let exitBase: u32 = 0;
export let exitCount: u32 = 0;
export let startNode: u32 = 0;
export let groupCount: u32 = 0;
export let joined: bool = false;

export function useProcedure(p: u32): void {
  record = recordOf(p);
  vertexCount = word(record, P_VERTICES);
  factCount = word(record, P_FACTS);
  vertexBase = word(record, P_VERTEX_BASE);
  nodeBase = word(record, P_NODE_BASE);
  nodeCount = word(record, P_NODES);
  chainBase = word(record, P_CHAIN_BASE);
  factBase = word(record, P_FACT_BASE);
  exitBase = word(record, P_EXIT_BASE);
  exitCount = word(record, P_EXITS);
  startNode = placeOf(word(record, P_START));
  useGroups();
}

/** To be called when the groups of the procedure being worked on have changed. */
export function useGroups(): void {
  groupCount = word(record, P_GROUPS);
  joined = (word(record, P_MODE) & MODE_JOINED) !== 0;
}

export function placeOf(vertex: u32): u32 {
  return word(place, vertexBase + vertex);
}

export function groupOf(fact: u32): u32 {
  return word(factGroup, factBase + fact);
}

export function localOf(fact: u32): u32 {
  return word(factLocal, factBase + fact);
}

export function columnsOf(group: u32): u32 {
  return word(groupColumns, factBase + group);
}
