/**
 * Summaries, the first bit-row data-flow problem: for every node and fact the start facts that reach it, swept along
 * the chains in reverse post-order, changed nodes only, until nothing grows; then a procedure's summary is the rows at
 * its exits. Callees come first; inside a strongly connected component of the call graph a grown summary changes the
 * arcs of its call sites, and re-opens only the nodes before those. O(n |D|^3 / 32) per procedure; a block here is a
 * block of labels with the start as the only ancestor (layout.ts).
 */

import { CHAIN_FLAG } from "../../assembly/image.js";
import { allocateWords, enlargeWords, lowestBit } from "./bitset.js";
import { joinByRelation, partition, writeGroups } from "./groups.js";
import { copyBlock, Layout, unite } from "./layout.js";
import { Normalizer } from "./normalize.js";
import type { Program } from "./program.js";
import { Relations } from "./relation.js";

/** Every class of group widths: summaries have one ancestor, so that rows are short. */
const ALL_CLASSES = 32;

/** Words of a call site inside a component: [caller | chain | arc | input | next]. */
const SITE_WORDS = 5;

export class Summaries {
  readonly #program: Program;
  readonly relations = new Relations();
  readonly #normalizer: Normalizer;
  readonly #layout: Layout;

  /** Per procedure: its component; whether it is to be swept; first of its list of sites, 0 at the end. */
  readonly #componentOf: Int32Array;
  readonly #pending: Uint8Array;
  readonly #sitesOf: Int32Array;
  #sites = allocateWords(1 << 8, "Summaries");
  #sitesEnd = SITE_WORDS;

  /**
   * States of the procedures of one component, in one array used anew for the next. Per procedure where in it: the
   * partition of its facts, its nodes' blocks, and per node whether it is dirty.
   */
  #space = allocateWords(1 << 12, "Summaries");
  #spaceEnd = 0;
  readonly #partitionOf: Int32Array;
  readonly #blocksOf: Int32Array;
  readonly #dirtyOf: Int32Array;
  /** Two blocks, on their way along a chain. */
  #moving = 0;
  #movingWords = 0;
  /** Facts by (group, local index), and per group where it begins there. */
  #members = allocateWords(64, "Summaries");
  #memberStart = allocateWords(64, "Summaries");

  /** Nodes processed so far, for tests that count work. */
  nodesSwept = 0;

  constructor(program: Program, input: Uint32Array) {
    this.#program = program;
    this.#normalizer = new Normalizer(program, this.relations, input);
    this.#layout = new Layout(program);
    const { procedures } = program;
    this.#componentOf = allocateWords(procedures, "Summaries");
    this.#pending = new Uint8Array(procedures);
    this.#sitesOf = allocateWords(procedures, "Summaries");
    this.#partitionOf = allocateWords(procedures, "Summaries");
    this.#blocksOf = allocateWords(procedures, "Summaries");
    this.#dirtyOf = allocateWords(procedures, "Summaries");
  }

  summarizeComponent(c: number): void {
    const program = this.#program;
    const { order, component } = program;
    const first = component[c];
    const last = component[c + 1];
    this.#spaceEnd = 0;
    this.#movingWords = 0;
    for (let i = first; i < last; i++) this.#componentOf[order[i]] = c + 1;
    for (let i = first; i < last; i++) {
      program.useProcedure(order[i]);
      this.#relateArcs(order[i]);
      this.#relateCalls();
    }
    for (let i = first; i < last; i++) {
      const p = order[i];
      program.useProcedure(p);
      const parents = this.#take(program.factCount);
      this.#partitionOf[p] = parents;
      partition(program, this.relations, this.#space, parents);
      writeGroups(program, this.#space, parents);
      this.#openState(p);
    }
    for (let again = true; again; ) {
      again = false;
      for (let i = first; i < last; i++) {
        const p = order[i];
        if (this.#pending[p] === 0) continue;
        this.#pending[p] = 0;
        program.useProcedure(p);
        this.#layout.layOut(0, ALL_CLASSES);
        this.#sweep(p);
        if (!this.#publish(p) || this.#sitesOf[p] === 0) continue;
        this.#reopenCallers(p);
        again = true;
      }
    }
  }

  /** Makes the relations of all arcs of the procedure, in place of what they unite, and lists its call sites inside the component. */
  #relateArcs(p: number): void {
    const program = this.#program;
    const { chainBase, chainCount, arcRelation, factCount } = program;
    const { contributions, callee } = this.#normalizer;
    const component = this.#componentOf[p];
    for (let chain = chainBase; chain < chainBase + chainCount; chain++) {
      const lastArc = program.firstArcOf(chain + 1);
      for (let arc = program.firstArcOf(chain); arc < lastArc; arc++) {
        const input = arcRelation[arc];
        arcRelation[arc] = this.#normalizer.arcRelationNow(input, factCount);
        if (0 <= input) continue;
        const list = input & ~CHAIN_FLAG;
        const count = contributions[list];
        for (let i = 1; i <= count; i++) {
          const item = contributions[list + i];
          if (0 <= item) continue;
          const q = callee[item & ~CHAIN_FLAG];
          if (this.#componentOf[q] === component) this.#addSite(q, p, chain, arc, input);
        }
      }
    }
  }

  #addSite(q: number, caller: number, chain: number, arc: number, input: number): void {
    const at = this.#sitesEnd;
    this.#sitesEnd += SITE_WORDS;
    if (this.#sites.length < this.#sitesEnd)
      this.#sites = enlargeWords(this.#sites, this.#sitesEnd, "Summaries");
    this.#sites[at] = caller;
    this.#sites[at + 1] = chain;
    this.#sites[at + 2] = arc;
    this.#sites[at + 3] = input;
    this.#sites[at + 4] = this.#sitesOf[q];
    this.#sitesOf[q] = at;
  }

  /** Makes the entry relations of the procedure's calls, for facts entering callees. They hold raw calls so far. */
  #relateCalls(): void {
    const { callBase, callCount, callRelation, factCount } = this.#program;
    for (let call = callBase; call < callBase + callCount; call++) {
      callRelation[call] = this.#normalizer.callEntryRelation(callRelation[call], factCount);
    }
  }

  /** Makes the rows at all nodes of a procedure empty but for the start's own bits. */
  #openState(p: number): void {
    const { nodeCount, startNode } = this.#program;
    const layout = this.#layout;
    layout.layOut(0, ALL_CLASSES);
    const words = layout.blockWords(1);
    const blocks = this.#take(words * nodeCount + nodeCount);
    const dirty = blocks + words * nodeCount;
    this.#blocksOf[p] = blocks;
    this.#dirtyOf[p] = dirty;
    if (this.#movingWords < words) {
      this.#moving = this.#take(2 * words);
      this.#movingWords = words;
    }
    this.#space.fill(0, blocks, dirty + nodeCount);
    layout.setOwnBits(this.#space, blocks + words * startNode, 0);
    this.#space[dirty + startNode] = 1;
    this.#pending[p] = 1;
  }

  /** Sweeps until no node of the procedure is dirty. A sweep runs from the first dirty node to the last. */
  #sweep(p: number): void {
    const program = this.#program;
    const { nodeBase, nodeCount, nodeOut, arcRelation } = program;
    const layout = this.#layout;
    const space = this.#space;
    const relations = this.relations.words;
    const words = layout.blockWords(1);
    const blocks = this.#blocksOf[p];
    const dirty = this.#dirtyOf[p];
    const moving = this.#moving;
    const saved = moving + this.#movingWords;
    layout.planes = layout.planesFor(1);
    let visits = 0;
    let waiting = 0;
    for (let u = 0; u < nodeCount; u++) waiting += space[dirty + u];
    for (let first = 0; waiting !== 0; ) {
      let u = first;
      first = nodeCount;
      for (; u < nodeCount && waiting !== 0; u++) {
        if (space[dirty + u] === 0) continue;
        space[dirty + u] = 0;
        waiting--;
        visits++;
        const last = nodeOut[nodeBase + u + 1];
        for (let chain = nodeOut[nodeBase + u]; chain < last; chain++) {
          let block = blocks + words * u;
          const lastArc = program.firstArcOf(chain + 1);
          for (let arc = program.firstArcOf(chain); arc < lastArc; arc++) {
            const relation = arcRelation[arc];
            if (relation === 0) continue;
            if (block !== moving) {
              copyBlock(space, moving, block, words);
              block = moving;
            }
            layout.moveForward(space, moving, relations, relation, saved);
          }
          const v = program.tailOf(chain);
          if (unite(space, blocks + words * v, block, words) && space[dirty + v] === 0) {
            space[dirty + v] = 1;
            waiting++;
            if (v <= u && v < first) first = v;
          }
        }
      }
    }
    this.nodesSwept += visits;
  }

  /** Adds the rows at the exits to the summary; whether it grew. */
  #publish(p: number): boolean {
    const program = this.#program;
    const { factCount, joined, exits } = program;
    const { summaries, summaryStart } = this.#normalizer;
    const layout = this.#layout;
    const space = this.#space;
    this.#findMembers();
    const members = this.#members;
    const memberStart = this.#memberStart;
    const words = layout.blockWords(1);
    const planes = layout.planesFor(1);
    const wordsPerRow = (factCount + 31) >>> 5;
    let grown = false;
    for (let x = program.exitBase; x < program.exitBase + program.exitCount; x++) {
      const block = this.#blocksOf[p] + words * program.placeOf(exits[x]);
      for (let d2 = 0; d2 < factCount; d2++) {
        const row = block + layout.rowOf[d2];
        const first = memberStart[program.groupOf(d2)];
        const target = summaryStart[x] + (d2 >>> 5);
        const bit = 1 << (d2 & 31);
        for (let plane = 0; plane < planes; plane++) {
          for (let bits = space[row + plane * layout.rowCount]; bits !== 0; bits &= bits - 1) {
            const column = (plane << 5) + lowestBit(bits);
            const d1 = joined ? column : column === 0 ? 0 : members[first + column - 1];
            const at = target + d1 * wordsPerRow;
            if ((summaries[at] & bit) === 0) {
              summaries[at] |= bit;
              grown = true;
            }
          }
        }
      }
    }
    return grown;
  }

  #findMembers(): void {
    const program = this.#program;
    const { factCount, groupCount, joined } = program;
    if (this.#members.length < factCount) {
      this.#members = allocateWords(2 * factCount, "Summaries");
      this.#memberStart = allocateWords(2 * factCount, "Summaries");
    }
    const members = this.#members;
    const memberStart = this.#memberStart;
    let next = 0;
    for (let g = 0; g < groupCount; g++) {
      memberStart[g] = next;
      next += program.columnsOf(g);
    }
    // In a joined procedure the zero fact is local 0 of the only group; elsewhere members count from 1.
    const skip = joined ? 0 : 1;
    for (let d = skip; d < factCount; d++) {
      members[memberStart[program.groupOf(d)] + program.localOf(d) - skip] = d;
    }
  }

  /** The summary of `p` has grown: its call sites in the component get their new relations. */
  #reopenCallers(p: number): void {
    const program = this.#program;
    const { arcRelation } = program;
    for (let site = this.#sitesOf[p]; site !== 0; site = this.#sites[site + 4]) {
      const caller = this.#sites[site];
      const arc = this.#sites[site + 2];
      program.useProcedure(caller);
      const relation = this.#normalizer.arcRelationNow(this.#sites[site + 3], program.factCount);
      arcRelation[arc] = relation;
      const parents = this.#partitionOf[caller];
      if (joinByRelation(this.#space, parents, this.relations, relation)) {
        // Facts that were apart are not any more: the rows get their new layout and start again.
        writeGroups(program, this.#space, parents);
        this.#openState(caller);
      } else {
        this.#space[this.#dirtyOf[caller] + program.headOf(this.#sites[site + 1])] = 1;
        this.#pending[caller] = 1;
      }
    }
  }

  /** Words in the space; what was taken before stays where it is. */
  #take(words: number): number {
    const start = this.#spaceEnd;
    this.#spaceEnd += words;
    if (this.#space.length < this.#spaceEnd)
      this.#space = enlargeWords(this.#space, this.#spaceEnd, "Summaries");
    return start;
  }
}
