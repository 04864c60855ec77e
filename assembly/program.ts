/** The image at hand: where its sections are, and the record of the procedure being worked on. */

import {
  H_ABOVE_HEAD,
  H_ARC_RELATION,
  H_ARC_TARGET,
  H_CALL_CALLEE,
  H_CALL_RELATION,
  H_CALL_VERTEX,
  H_CHAIN,
  H_COMPONENT,
  H_EXIT,
  H_FACT,
  H_GROUP,
  H_LABEL_BASE,
  H_LABELS,
  H_NARROW,
  H_NODE,
  H_NODE_OUT,
  H_NODE_VERTEX,
  H_ORDER,
  H_PLACE,
  H_PROCEDURE,
  H_TABLES,
  MODE_JOINED,
  N_ASCENDANT,
  N_DEPTH,
  N_INLABEL,
  N_LABEL,
  NARROW_CHAIN_WORDS,
  NODE_WORDS,
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
  WIDE_CHAIN_WORDS,
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
export let nodeOut: usize = 0;
export let arcRelation: usize = 0;
export let callVertex: usize = 0;
export let callCallee: usize = 0;
export let callRelation: usize = 0;
export let tables: usize = 0;
export let labels: usize = 0;
let records: usize = 0;
let nodeVertices: usize = 0;
let nodes: usize = 0;
let aboveHeads: usize = 0;
let chains: usize = 0;
let chainBytes: usize = 0;
let arcTargets: usize = 0;
let facts: usize = 0;
let groups: usize = 0;
let narrow: bool = false;

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
  nodeVertices = section(H_NODE_VERTEX);
  nodes = section(H_NODE);
  aboveHeads = section(H_ABOVE_HEAD);
  nodeOut = section(H_NODE_OUT);
  chains = section(H_CHAIN);
  arcTargets = section(H_ARC_TARGET);
  arcRelation = section(H_ARC_RELATION);
  facts = section(H_FACT);
  groups = section(H_GROUP);
  narrow = word(image, H_NARROW) !== 0;
  chainBytes = (<usize>(narrow ? NARROW_CHAIN_WORDS : WIDE_CHAIN_WORDS)) << 2;
  callVertex = section(H_CALL_VERTEX);
  callCallee = section(H_CALL_CALLEE);
  callRelation = section(H_CALL_RELATION);
  tables = section(H_TABLES);
  // May wrap around: only labels that the section holds are ever looked at.
  labels = section(H_LABELS) - ((<usize>word(image, H_LABEL_BASE)) << 3);
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
export let groupCount: u32 = 0;
export let joined: bool = false;

export function useProcedure(p: u32): void {
  useForPairs(p);
  nodeCount = word(record, P_NODES);
  exitBase = word(record, P_EXIT_BASE);
  exitCount = word(record, P_EXITS);
  useGroups();
}

/** As `useProcedure`, as far as pair queries need it. */
export function useForPairs(p: u32): void {
  record = recordOf(p);
  vertexCount = word(record, P_VERTICES);
  factCount = word(record, P_FACTS);
  vertexBase = word(record, P_VERTEX_BASE);
  nodeBase = word(record, P_NODE_BASE);
  chainBase = word(record, P_CHAIN_BASE);
  factBase = word(record, P_FACT_BASE);
  joined = (word(record, P_MODE) & MODE_JOINED) !== 0;
}

/** To be called when the groups of the procedure being worked on have changed. */
export function useGroups(): void {
  groupCount = word(record, P_GROUPS);
  joined = (word(record, P_MODE) & MODE_JOINED) !== 0;
}

/** What `useForPairs` leaves out and a search needs. */
export function nodesOfProcedure(): void {
  nodeCount = word(record, P_NODES);
}

export function startNode(): u32 {
  return placeOf(word(record, P_START));
}

export function placeOf(vertex: u32): u32 {
  return word(place, vertexBase + vertex);
}

/** Place of a vertex, by its number among all vertices. */
export function placeAt(vertex: u32): u32 {
  return word(place, vertex);
}

/** Group and index there of a fact, by its number among all facts. */
export function factWordAt(fact: u32): u32 {
  return word(facts, fact);
}

/** A group's columns and offset, by its number among all facts. */
export function groupAt(group: u32): usize {
  return groups + ((<usize>group) << 3);
}

export function groupOf(fact: u32): u32 {
  return word(facts, factBase + fact) >> 16;
}

export function localOf(fact: u32): u32 {
  return word(facts, factBase + fact) & 0xffff;
}

export function setFact(fact: u32, group: u32, local: u32): void {
  setWord(facts, factBase + fact, (group << 16) | local);
}

export function columnsOf(group: u32): u32 {
  return load<u32>(groups + ((<usize>(factBase + group)) << 3));
}

export function offsetOf(group: u32): u32 {
  return load<u32>(groups + ((<usize>(factBase + group)) << 3), 4);
}

export function setGroup(group: u32, columns: u32, offset: u32): void {
  const at = groups + ((<usize>(factBase + group)) << 3);
  store<u32>(at, columns);
  store<u32>(at, offset, 4);
}

function nodeAt(node: u32): usize {
  return nodeRecordAt(nodeBase + node);
}

/** A node's words, by its number among all nodes. */
export function nodeRecordAt(node: u32): usize {
  return nodes + <usize>node * (NODE_WORDS << 2);
}

export function depthOf(node: u32): u32 {
  return word(nodeAt(node), N_DEPTH);
}

export function inlabelOf(node: u32): u32 {
  return word(nodeAt(node), N_INLABEL);
}

export function ascendantOf(node: u32): u32 {
  return word(nodeAt(node), N_ASCENDANT);
}

export function labelOf(node: u32): u32 {
  return word(nodeAt(node), N_LABEL);
}

export function setLabelOf(node: u32, bytes: u32): void {
  setWord(nodeAt(node), N_LABEL, bytes);
}

export function aboveHeadOf(inlabel: u32): u32 {
  return word(aboveHeads, nodeBase + inlabel - 1);
}

export function vertexOf(node: u32): u32 {
  const i = <usize>(nodeBase + node);
  return narrow ? <u32>load<u16>(nodeVertices + (i << 1)) : load<u32>(nodeVertices + (i << 2));
}

export function targetOf(arc: u32): u32 {
  const i = <usize>arc;
  return narrow ? <u32>load<u16>(arcTargets + (i << 1)) : load<u32>(arcTargets + (i << 2));
}

function chainAt(chain: u32): usize {
  return chains + <usize>chain * chainBytes;
}

export function headOf(chain: u32): u32 {
  return narrow ? <u32>load<u16>(chainAt(chain), 2) : load<u32>(chainAt(chain));
}

export function tailOf(chain: u32): u32 {
  return narrow ? <u32>load<u16>(chainAt(chain)) : load<u32>(chainAt(chain), 4);
}

export function firstArcOf(chain: u32): u32 {
  return load<u32>(chainAt(chain) + chainBytes - 8);
}

/** A bit for each arc of the chain whose relation is not the identity, or its table; known once relations are sealed. */
export function busyOf(chain: u32): u32 {
  return load<u32>(chainAt(chain) + chainBytes - 4);
}

export function setBusy(chain: u32, arcs: u32): void {
  store<u32>(chainAt(chain) + chainBytes - 4, arcs);
}
