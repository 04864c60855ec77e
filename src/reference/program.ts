/**
 * The image at hand: views of its sections, and the record of the procedure being worked on. Words are read as signed
 * integers, which is what engines keep in registers; only label lengths in bits need all 32 bits unsigned.
 */

import * as I from "../../assembly/image.js";

export class Program {
  readonly image: Uint32Array;
  readonly words: Int32Array;
  readonly procedures: number;
  readonly order: Int32Array;
  readonly component: Int32Array;
  readonly exits: Int32Array;
  readonly place: Int32Array;
  readonly nodeVertex: Int32Array;
  readonly nodeDepth: Int32Array;
  readonly nodeInlabel: Int32Array;
  readonly nodeAscendant: Int32Array;
  readonly aboveHead: Int32Array;
  readonly nodeOut: Int32Array;
  readonly nodeIn: Int32Array;
  readonly inChain: Int32Array;
  readonly nodeLabel: Int32Array;
  readonly chainHead: Int32Array;
  readonly chainTail: Int32Array;
  readonly chainArc: Int32Array;
  readonly arcTarget: Int32Array;
  readonly arcRelation: Int32Array;
  readonly factGroup: Int32Array;
  readonly factLocal: Int32Array;
  readonly groupColumns: Int32Array;
  readonly groupOffset: Int32Array;
  readonly callVertex: Int32Array;
  readonly callCallee: Int32Array;
  readonly callRelation: Int32Array;
  /** Word at which the label section begins; meaningful once relations have been sealed. */
  readonly labels: number;
  readonly #records: number;

  // The procedure being worked on.
  record = 0;
  vertexCount = 0;
  factCount = 0;
  vertexBase = 0;
  nodeBase = 0;
  nodeCount = 0;
  chainBase = 0;
  chainCount = 0;
  factBase = 0;
  exitBase = 0;
  exitCount = 0;
  startNode = 0;
  callBase = 0;
  callCount = 0;
  groupCount = 0;
  joined = false;

  constructor(image: Uint32Array) {
    this.image = image;
    const words = new Int32Array(image.buffer, image.byteOffset, image.length);
    this.words = words;
    const section = (header: number, length: number) => {
      const from = image[header] / 4;
      return words.subarray(from, from + length);
    };
    const procedures = image[I.H_PROCEDURES];
    const nodes = image[I.H_NODES];
    const chains = image[I.H_CHAINS];
    const arcs = image[I.H_ARCS];
    const facts = image[I.H_FACTS];
    const calls = image[I.H_CALLS];
    this.procedures = procedures;
    this.#records = image[I.H_PROCEDURE] / 4;
    this.order = section(I.H_ORDER, procedures);
    this.component = section(I.H_COMPONENT, image[I.H_COMPONENTS] + 1);
    this.exits = section(I.H_EXIT, image[I.H_EXITS]);
    this.place = section(I.H_PLACE, image[I.H_VERTICES]);
    this.nodeVertex = section(I.H_NODE_VERTEX, nodes);
    this.nodeDepth = section(I.H_NODE_DEPTH, nodes);
    this.nodeInlabel = section(I.H_NODE_INLABEL, nodes);
    this.nodeAscendant = section(I.H_NODE_ASCENDANT, nodes);
    this.aboveHead = section(I.H_ABOVE_HEAD, nodes);
    this.nodeOut = section(I.H_NODE_OUT, nodes + 1);
    this.nodeIn = section(I.H_NODE_IN, nodes + 1);
    this.inChain = section(I.H_IN_CHAIN, chains);
    this.nodeLabel = section(I.H_NODE_LABEL, nodes);
    this.chainHead = section(I.H_CHAIN_HEAD, chains);
    this.chainTail = section(I.H_CHAIN_TAIL, chains);
    this.chainArc = section(I.H_CHAIN_ARC, chains + 1);
    this.arcTarget = section(I.H_ARC_TARGET, arcs);
    this.arcRelation = section(I.H_ARC_RELATION, arcs);
    this.factGroup = section(I.H_FACT_GROUP, facts);
    this.factLocal = section(I.H_FACT_LOCAL, facts);
    this.groupColumns = section(I.H_GROUP_COLUMNS, facts);
    this.groupOffset = section(I.H_GROUP_OFFSET, facts);
    this.callVertex = section(I.H_CALL_VERTEX, calls);
    this.callCallee = section(I.H_CALL_CALLEE, calls);
    this.callRelation = section(I.H_CALL_RELATION, calls);
    this.labels = image[I.H_LABELS] / 4;
  }

  /** Word at which a procedure's record begins. */
  recordOf(p: number): number {
    return this.#records + p * I.PROCEDURE_WORDS;
  }

  useProcedure(p: number): void {
    const words = this.words;
    const record = this.recordOf(p);
    this.record = record;
    this.vertexCount = words[record + I.P_VERTICES];
    this.factCount = words[record + I.P_FACTS];
    this.vertexBase = words[record + I.P_VERTEX_BASE];
    this.nodeBase = words[record + I.P_NODE_BASE];
    this.nodeCount = words[record + I.P_NODES];
    this.chainBase = words[record + I.P_CHAIN_BASE];
    this.chainCount = words[record + I.P_CHAINS];
    this.factBase = words[record + I.P_FACT_BASE];
    this.exitBase = words[record + I.P_EXIT_BASE];
    this.exitCount = words[record + I.P_EXITS];
    this.startNode = this.placeOf(words[record + I.P_START]);
    this.callBase = words[record + I.P_CALL_BASE];
    this.callCount = words[record + I.P_CALLS];
    this.useGroups();
  }

  /** To be called when the groups of the procedure being worked on have changed. */
  useGroups(): void {
    this.groupCount = this.words[this.record + I.P_GROUPS];
    this.joined = (this.words[this.record + I.P_MODE] & I.MODE_JOINED) !== 0;
  }

  placeOf(vertex: number): number {
    return this.place[this.vertexBase + vertex];
  }

  groupOf(fact: number): number {
    return this.factGroup[this.factBase + fact];
  }

  localOf(fact: number): number {
    return this.factLocal[this.factBase + fact];
  }

  columnsOf(group: number): number {
    return this.groupColumns[this.factBase + group];
  }

  depthOf(node: number): number {
    return this.nodeDepth[this.nodeBase + node];
  }
}
