/**
 * The image at hand: where its sections are, and the record of the procedure being worked on. Words are read as signed
 * integers, which is what hosts keep in registers; only lengths and offsets of labels need all 32 bits.
 */

import * as I from "../../assembly/image.js";

export class Program {
  readonly image: Uint32Array;
  /** The same words. */
  readonly words: Int32Array;
  readonly procedures: number;
  readonly order: Int32Array;
  readonly component: Int32Array;
  readonly exits: Int32Array;
  readonly place: Int32Array;
  readonly nodeOut: Int32Array;
  readonly arcRelation: Int32Array;
  readonly callVertex: Int32Array;
  readonly callCallee: Int32Array;
  readonly callRelation: Int32Array;
  /** Flow relations of a sealed image, and its chain tables. */
  readonly relations: Int32Array;
  readonly tables: Int32Array;
  // Words at which sections begin.
  readonly #records: number;
  readonly #nodes: number;
  readonly #nodeVertices: number;
  readonly #aboveHeads: number;
  readonly #chains: number;
  readonly #chainWords: number;
  readonly #arcTargets: number;
  readonly #facts: number;
  readonly #groups: number;
  /** May be negative: only labels that the image holds are ever looked at. */
  readonly #labels: number;
  readonly #narrow: boolean;

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
  callBase = 0;
  callCount = 0;
  startNode = 0;
  mode = 0;
  groupCount = 0;
  joined = false;
  /** Word at which its labels begin. */
  labels = 0;

  constructor(image: Uint32Array) {
    this.image = image;
    const words = new Int32Array(image.buffer, image.byteOffset, image.length);
    this.words = words;
    const section = (header: number, length: number) => {
      const from = image[header] / 4;
      return words.subarray(from, from + length);
    };
    const calls = image[I.H_CALLS];
    this.procedures = image[I.H_PROCEDURES];
    this.order = section(I.H_ORDER, this.procedures);
    this.component = section(I.H_COMPONENT, image[I.H_COMPONENTS] + 1);
    this.exits = section(I.H_EXIT, image[I.H_EXITS]);
    this.place = section(I.H_PLACE, image[I.H_VERTICES]);
    this.nodeOut = section(I.H_NODE_OUT, image[I.H_NODES] + 1);
    this.arcRelation = section(I.H_ARC_RELATION, image[I.H_ARCS]);
    this.callVertex = section(I.H_CALL_VERTEX, calls);
    this.callCallee = section(I.H_CALL_CALLEE, calls);
    this.callRelation = section(I.H_CALL_RELATION, calls);
    this.relations = section(I.H_RELATIONS, image[I.H_RELATION_WORDS]);
    this.tables = section(I.H_TABLES, image[I.H_TABLE_WORDS]);
    this.#narrow = image[I.H_NARROW] !== 0;
    this.#records = image[I.H_PROCEDURE] / 4;
    this.#nodes = image[I.H_NODE] / 4;
    this.#nodeVertices = image[I.H_NODE_VERTEX] / 4;
    this.#aboveHeads = image[I.H_ABOVE_HEAD] / 4;
    this.#chains = image[I.H_CHAIN] / 4;
    this.#chainWords = this.#narrow ? I.NARROW_CHAIN_WORDS : I.WIDE_CHAIN_WORDS;
    this.#arcTargets = image[I.H_ARC_TARGET] / 4;
    this.#facts = image[I.H_FACT] / 4;
    this.#groups = image[I.H_GROUP] / 4;
    this.#labels = image[I.H_LABELS] / 4 - 2 * image[I.H_LABEL_BASE];
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
    this.callBase = words[record + I.P_CALL_BASE];
    this.callCount = words[record + I.P_CALLS];
    this.startNode = this.placeOf(words[record + I.P_START]);
    this.labels = this.#labels + 2 * this.image[record + I.P_LABEL];
    this.useGroups();
  }

  /** To be called when the groups of the procedure being worked on have changed. */
  useGroups(): void {
    this.groupCount = this.words[this.record + I.P_GROUPS];
    this.mode = this.words[this.record + I.P_MODE];
    this.joined = (this.mode & I.MODE_JOINED) !== 0;
  }

  placeOf(vertex: number): number {
    return this.place[this.vertexBase + vertex];
  }

  groupOf(fact: number): number {
    return this.words[this.#facts + this.factBase + fact] >>> 16;
  }

  localOf(fact: number): number {
    return this.words[this.#facts + this.factBase + fact] & 0xffff;
  }

  setFact(fact: number, group: number, local: number): void {
    this.words[this.#facts + this.factBase + fact] = (group << 16) | local;
  }

  columnsOf(group: number): number {
    return this.words[this.#groups + 2 * (this.factBase + group)];
  }

  offsetOf(group: number): number {
    return this.words[this.#groups + 2 * (this.factBase + group) + 1];
  }

  setGroup(group: number, columns: number, offset: number): void {
    const at = this.#groups + 2 * (this.factBase + group);
    this.words[at] = columns;
    this.words[at + 1] = offset;
  }

  #nodeAt(node: number): number {
    return this.#nodes + (this.nodeBase + node) * I.NODE_WORDS;
  }

  depthOf(node: number): number {
    return this.words[this.#nodeAt(node) + I.N_DEPTH];
  }

  inlabelOf(node: number): number {
    return this.words[this.#nodeAt(node) + I.N_INLABEL];
  }

  ascendantOf(node: number): number {
    return this.words[this.#nodeAt(node) + I.N_ASCENDANT];
  }

  /** Bytes from the procedure's labels to the node's. */
  labelOf(node: number): number {
    return this.words[this.#nodeAt(node) + I.N_LABEL];
  }

  setLabelOf(node: number, bytes: number): void {
    this.words[this.#nodeAt(node) + I.N_LABEL] = bytes;
  }

  aboveHeadOf(inlabel: number): number {
    return this.words[this.#aboveHeads + this.nodeBase + inlabel - 1];
  }

  /** Number `i` of a section that has halves where the image is narrow. */
  #number(section: number, i: number): number {
    return this.#narrow
      ? (this.words[section + (i >>> 1)] >>> ((i & 1) << 4)) & 0xffff
      : this.words[section + i];
  }

  vertexOf(node: number): number {
    return this.#number(this.#nodeVertices, this.nodeBase + node);
  }

  targetOf(arc: number): number {
    return this.#number(this.#arcTargets, arc);
  }

  headOf(chain: number): number {
    const first = this.words[this.#chains + chain * this.#chainWords];
    return this.#narrow ? first >>> 16 : first;
  }

  tailOf(chain: number): number {
    const at = this.#chains + chain * this.#chainWords;
    return this.#narrow ? this.words[at] & 0xffff : this.words[at + 1];
  }

  firstArcOf(chain: number): number {
    return this.words[this.#chains + (chain + 1) * this.#chainWords - 2];
  }

  /** A bit for each arc of the chain whose relation is not the identity, or its table; known once relations are sealed. */
  busyOf(chain: number): number {
    return this.words[this.#chains + (chain + 1) * this.#chainWords - 1];
  }

  setBusy(chain: number, arcs: number): void {
    this.words[this.#chains + (chain + 1) * this.#chainWords - 1] = arcs;
  }
}
