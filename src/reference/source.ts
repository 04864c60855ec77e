/**
 * Single-source queries and the classic IFDS solution, as sets of facts swept over the summary-extended graph: a row of
 * |D*| bits per node, changed nodes only, in reverse post-order; then along each chain once for the vertices on it.
 * Output rows have `ceil(|D*| / 32)` words of 32 bits per vertex. Each sweep is O(n |D| / 32 + entries of relations).
 */

import * as I from "../../assembly/image.js";
import { OutOfMemoryError } from "../engine.js";
import { allocateWords } from "./bitset.js";
import type { Program } from "./program.js";

const POSITION_MASK = (1 << I.POSITION_BITS) - 1;

export class Sets {
  readonly #program: Program;
  /** One row on its way along a chain, and what a relation adds to it. */
  readonly #moving: Int32Array;
  readonly #added: Int32Array;

  // Sets of the procedure at hand.
  /** Per node a row, then per node whether it is to be swept. */
  #state: Int32Array;
  #rows = 0;
  #dirty = 0;
  /** Per vertex an output row. */
  #output: Int32Array;
  #outputStart = 0;
  #rowWords = 0;
  /** For one procedure at a time: its state, all zeros between queries; output of pair queries by search. */
  readonly #ownState: Int32Array;
  readonly #ownOutput: Int32Array;

  /** Space for procedures of up to `facts` facts. What pair queries by search need is there before the first. */
  constructor(program: Program, facts: number) {
    this.#program = program;
    this.#moving = allocateWords((facts + 31) >>> 5, "Query space");
    this.#added = allocateWords((facts + 31) >>> 5, "Query space");
    let state = 0;
    let output = 0;
    const { words, procedures } = program;
    for (let p = 0; p < procedures; p++) {
      const record = program.recordOf(p);
      const rowWords = (words[record + I.P_FACTS] + 31) >>> 5;
      state = Math.max(state, (rowWords + 1) * words[record + I.P_NODES]);
      if ((words[record + I.P_MODE] & I.MODE_SEARCH) === 0) continue;
      output = Math.max(output, rowWords * words[record + I.P_VERTICES]);
    }
    this.#ownState = allocateWords(state, "Query space");
    this.#ownOutput = allocateWords(output, "Query space");
    this.#state = this.#ownState;
    this.#output = this.#ownOutput;
  }

  /** Single-source query in the procedure at hand: its output rows. */
  reachedFrom(u: number, d1: number): Uint32Array {
    this.#openRows();
    this.#output = this.#freshOutput();
    this.#seed(u, d1);
    this.#finish();
    return new Uint32Array(this.#output.buffer);
  }

  /** The same from several seeds (v, d). */
  reachedFromMany(seeds: Uint32Array): Uint32Array {
    this.#openRows();
    this.#output = this.#freshOutput();
    for (let i = 0; i < seeds.length; i += 2) this.#seed(seeds[i], seeds[i + 1]);
    this.#finish();
    return new Uint32Array(this.#output.buffer);
  }

  /** The same from several facts at u: v's row. */
  reachedAt(u: number, facts: Uint32Array, v: number): Uint32Array {
    this.#openRows();
    this.#output = this.#freshOutput();
    for (let i = 0; i < facts.length; i++) this.#seed(u, facts[i]);
    this.#finish();
    return new Uint32Array(this.#output.buffer).slice(v * this.#rowWords, (v + 1) * this.#rowWords);
  }

  /** Pair query by search in the procedure at hand. */
  searchPair(u: number, d1: number, v: number, d2: number): boolean {
    this.#search(u, d1);
    return hasFact(this.#output, v * this.#rowWords, d2);
  }

  /** The row of v reached from (u, d1) by search in the procedure at hand, written to `at` of `rows`. */
  searchRow(u: number, d1: number, v: number, rows: Int32Array, at: number): void {
    this.#search(u, d1);
    const row = v * this.#rowWords;
    for (let w = 0; w < this.#rowWords; w++) rows[at + w] = this.#output[row + w];
  }

  #search(u: number, d1: number): void {
    this.#openRows();
    this.#output = this.#ownOutput;
    this.#output.fill(0, 0, this.#program.vertexCount * this.#rowWords);
    this.#seed(u, d1);
    this.#finish();
  }

  /**
   * The classic IFDS solution from seeds of three words (p, v, d): facts enter callees through their open calls, callers
   * first, until nothing grows. The output rows of all procedures, one after another.
   */
  enteringFrom(seeds: Uint32Array): Uint32Array {
    const program = this.#program;
    const { words, procedures, order, callVertex, callCallee, callRelation } = program;
    // Per procedure: offsets of its output and state.
    const outputs = allocateWords(procedures + 1, "Facts from seeds");
    const states = allocateWords(procedures + 1, "Facts from seeds");
    const pending = new Uint8Array(procedures);
    let outputWords = 0;
    let stateWords = 0;
    for (let p = 0; p < procedures; p++) {
      const record = program.recordOf(p);
      const rowWords = (words[record + I.P_FACTS] + 31) >>> 5;
      outputs[p] = outputWords;
      states[p] = stateWords;
      outputWords += rowWords * words[record + I.P_VERTICES];
      stateWords += (rowWords + 1) * words[record + I.P_NODES];
      if (0x3fffffff < outputWords + stateWords) {
        throw new OutOfMemoryError("Facts from seeds", 4 * (outputWords + stateWords));
      }
    }
    this.#output = allocateWords(outputWords, "Facts from seeds");
    this.#state = allocateWords(stateWords, "Facts from seeds");

    for (let i = 0; i < seeds.length; i += 3) {
      const p = seeds[i];
      this.#useSets(p, outputs, states);
      this.#seed(seeds[i + 1], seeds[i + 2]);
      pending[p] = 1;
    }
    for (let again = true; again; ) {
      again = false;
      for (let i = procedures - 1; 0 <= i; i--) {
        const p = order[i];
        if (pending[p] === 0) continue;
        pending[p] = 0;
        again = true;
        this.#useSets(p, outputs, states);
        this.#sweep();
        const lastCall = program.callBase + program.callCount;
        for (let call = program.callBase; call < lastCall; call++) {
          const from = outputs[p] + callVertex[call] * this.#rowWords;
          const q = callCallee[call];
          if (this.#enter(q, from, callRelation[call], states[q])) pending[q] = 1;
        }
      }
    }
    return new Uint32Array(this.#output.buffer);
  }

  #freshOutput(): Int32Array {
    return allocateWords(this.#program.vertexCount * this.#rowWords, "Single-source query");
  }

  /** The procedure at hand in its own space. */
  #openRows(): void {
    this.#state = this.#ownState;
    this.#place(0, 0);
  }

  #useSets(p: number, outputs: Int32Array, states: Int32Array): void {
    this.#program.useProcedure(p);
    this.#place(states[p], outputs[p]);
  }

  #place(state: number, output: number): void {
    const { factCount, nodeCount } = this.#program;
    this.#rowWords = (factCount + 31) >>> 5;
    this.#rows = state;
    this.#dirty = state + nodeCount * this.#rowWords;
    this.#outputStart = output;
  }

  #finish(): void {
    this.#sweep();
    this.#state.fill(0, this.#rows, this.#dirty + this.#program.nodeCount);
  }

  /** Moves the set in `#moving` along an arc. */
  #moveSet(arc: number): void {
    const block = this.#program.arcRelation[arc];
    if (block === 0) return;
    const blocks = this.#program.relations;
    const moving = this.#moving;
    const added = this.#added;
    const rowWords = this.#rowWords;
    const m = blocks[block];
    const sources = block + 1;
    const ends = sources + m;
    const targets = ends + m;
    let adds = false;
    let k = 0;
    for (let i = 0; i < m; i++) {
      const d = blocks[sources + i];
      const to = blocks[ends + i];
      if (((moving[d >>> 5] >>> (d & 31)) & 1) !== 0) {
        moving[d >>> 5] &= ~(1 << (d & 31));
        if (k !== to && !adds) {
          adds = true;
          for (let w = 0; w < rowWords; w++) added[w] = 0;
        }
        for (; k < to; k++) {
          const t = blocks[targets + k];
          added[t >>> 5] |= 1 << (t & 31);
        }
      }
      k = to;
    }
    if (adds) for (let w = 0; w < rowWords; w++) moving[w] |= added[w];
  }

  /** Sets out from a node's row. */
  #beginMove(node: number): void {
    const moving = this.#moving;
    const state = this.#state;
    const rowWords = this.#rowWords;
    const row = this.#rows + node * rowWords;
    for (let w = 0; w < rowWords; w++) moving[w] = state[row + w];
  }

  /** Adds the set in `#moving` to a vertex's output row. */
  #put(vertex: number): void {
    const moving = this.#moving;
    const output = this.#output;
    const rowWords = this.#rowWords;
    const row = this.#outputStart + vertex * rowWords;
    for (let w = 0; w < rowWords; w++) output[row + w] |= moving[w];
  }

  /** Adds the set in `#moving` to a node's row, which becomes dirty if it grows; whether it did. */
  #arrive(node: number): boolean {
    const moving = this.#moving;
    const state = this.#state;
    const rowWords = this.#rowWords;
    const row = this.#rows + node * rowWords;
    let grown = 0;
    for (let w = 0; w < rowWords; w++) {
      const old = state[row + w];
      const merged = old | moving[w];
      grown |= merged ^ old;
      state[row + w] = merged;
    }
    if (grown === 0) return false;
    state[this.#dirty + node] = 1;
    return true;
  }

  /** Adds a fact at a vertex: in its output row, and from there on at its chain's end. */
  #seed(vertex: number, fact: number): void {
    const program = this.#program;
    const moving = this.#moving;
    for (let w = 0; w < this.#rowWords; w++) moving[w] = 0;
    moving[fact >>> 5] = 1 << (fact & 31);
    this.#put(vertex);
    const at = program.placeOf(vertex);
    if (0 <= at) {
      this.#arrive(at);
      return;
    }
    const chain = program.chainBase + ((at & ~I.CHAIN_FLAG) >>> I.POSITION_BITS);
    const last = program.firstArcOf(chain + 1) - 1;
    for (let arc = program.firstArcOf(chain) + (at & POSITION_MASK) + 1; arc <= last; arc++) {
      this.#moveSet(arc);
      if (arc < last) this.#put(program.targetOf(arc));
    }
    this.#arrive(program.tailOf(chain));
  }

  /**
   * Sweeps the node rows until none is dirty, and writes the output rows on the way. A sweep runs from the first dirty
   * node to the last.
   */
  #sweep(): void {
    const program = this.#program;
    const { nodeBase, nodeCount, nodeOut } = program;
    const state = this.#state;
    const dirty = this.#dirty;
    let waiting = 0;
    for (let u = 0; u < nodeCount; u++) waiting += state[dirty + u];
    for (let first = 0; waiting !== 0; ) {
      let u = first;
      first = nodeCount;
      for (; u < nodeCount && waiting !== 0; u++) {
        if (state[dirty + u] === 0) continue;
        state[dirty + u] = 0;
        waiting--;
        this.#beginMove(u);
        this.#put(program.vertexOf(u));
        const last = nodeOut[nodeBase + u + 1];
        for (let chain = nodeOut[nodeBase + u]; chain < last; chain++) {
          this.#beginMove(u);
          const lastArc = program.firstArcOf(chain + 1) - 1;
          for (let arc = program.firstArcOf(chain); arc <= lastArc; arc++) {
            this.#moveSet(arc);
            if (arc < lastArc) this.#put(program.targetOf(arc));
          }
          const v = program.tailOf(chain);
          const wasDirty = state[dirty + v];
          if (!this.#arrive(v) || wasDirty === 1) continue;
          waiting++;
          if (v <= u) first = Math.min(first, v);
        }
      }
    }
  }

  /** Facts of a call vertex's output row enter q's start by a call relation; whether its start row grew. */
  #enter(q: number, from: number, relation: number, rows: number): boolean {
    const program = this.#program;
    const { words } = program;
    const blocks = this.#program.relations;
    const state = this.#state;
    const record = program.recordOf(q);
    const rowWords = (words[record + I.P_FACTS] + 31) >>> 5;
    const start = program.place[words[record + I.P_VERTEX_BASE] + words[record + I.P_START]];
    const row = rows + start * rowWords;
    const m = blocks[relation];
    const ends = relation + 1 + m;
    const targets = ends + m;
    let grown = false;
    let k = 0;
    for (let i = 0; i < m; i++) {
      const to = blocks[ends + i];
      if (!hasFact(this.#output, from, blocks[relation + 1 + i])) k = to;
      for (; k < to; k++) {
        const t = blocks[targets + k];
        if (hasFact(state, row, t)) continue;
        state[row + (t >>> 5)] |= 1 << (t & 31);
        grown = true;
      }
    }
    if (grown) state[rows + words[record + I.P_NODES] * rowWords + start] = 1;
    return grown;
  }
}

function hasFact(rows: Int32Array, row: number, fact: number): boolean {
  return ((rows[row + (fact >>> 5)] >>> (fact & 31)) & 1) !== 0;
}
