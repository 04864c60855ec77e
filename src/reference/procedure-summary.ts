/**
 * Which facts at a procedure's start reach which at an exit, for all start facts at once: a row of |D*| bits per start
 * fact. Facts of different groups are never tried with each other. Few facts of a group (no more than there are nodes)
 * are pair queries; many are searched for in the summary-extended graph, 32 start facts side by side: a word of start
 * facts per node and fact, what is new of it handed on along chains. A group of k facts costs at most k^2 pair queries,
 * or k / 32 passes over what its start facts reach.
 */

import { CHAIN_MAX, MODE_SEARCH } from "../../assembly/image.js";
import { allocateWords, lowestBit } from "./bitset.js";
import { ANY_GROUP, type Chains } from "./chain.js";
import type { Pairs } from "./pair.js";
import type { Program } from "./program.js";
import type { Sets } from "./source.js";

/** Most bytes for sets of start facts; where they would take more, each start fact is searched from by itself. */
const MOST_BYTES = 2 ** 28;
/** Words per node and fact: start facts, those not handed on yet, the next such fact of the node, one that was met. */
const STATE_WORDS = 4;

/** The summary of the procedure at hand from its start to `exit`, which is one of its exits. */
export function summaryTo(
  program: Program,
  chains: Chains,
  pairs: Pairs,
  sets: Sets,
  exit: number,
): Uint32Array {
  const { factCount, groupCount, joined, nodeCount } = program;
  const stride = (factCount + 31) >>> 5;
  const rows = allocateWords(factCount * stride, "Summary");
  const setPair = (d1: number, d2: number): void => {
    rows[d1 * stride + (d2 >>> 5)] |= 1 << (d2 & 31);
  };

  const start = program.vertexOf(program.startNode);
  const search = (program.mode & MODE_SEARCH) !== 0;
  const isSearched = (group: number) => search || nodeCount < program.columnsOf(group);
  let most = 0;
  for (let g = 0; g < groupCount; g++) if (isSearched(g)) most = Math.max(most, program.columnsOf(g));
  const size = nodeCount * (most + (joined ? 0 : 1));
  const blocks =
    most === 0 || MOST_BYTES < 4 * STATE_WORDS * size ? undefined : new StartSets(program, chains, size);

  if (!joined) {
    if (search || nodeCount < factCount) rows.set(sets.reachedAt(start, Uint32Array.of(0), exit));
    else for (let d2 = 0; d2 < factCount; d2++) if (pairs.reaches(start, 0, exit, d2)) setPair(0, d2);
  }
  const { members, groupStart } = membersByGroup(program);
  for (let g = 0; g < groupCount; g++) {
    const group = members.subarray(groupStart[g], groupStart[g + 1]);
    if (!isSearched(g)) {
      for (const d1 of group) {
        for (const d2 of group) if (pairs.reaches(start, d1, exit, d2)) setPair(d1, d2);
      }
    } else if (blocks !== undefined) {
      for (let i = 0; i < group.length; i += 32) blocks.search(group, i, program.placeOf(exit), setPair);
    } else {
      for (const d1 of group) sets.searchRow(start, d1, exit, rows, d1 * stride);
    }
  }
  return new Uint32Array(rows.buffer);
}

/** The facts of group g are `members[groupStart[g] .. groupStart[g + 1]]`, in order. */
function membersByGroup(program: Program): { members: Int32Array; groupStart: Int32Array } {
  const { factCount, groupCount, joined } = program;
  const members = allocateWords(factCount, "Summary");
  const groupStart = allocateWords(groupCount + 1, "Summary");
  for (let g = 0; g < groupCount; g++) groupStart[g + 1] = groupStart[g] + program.columnsOf(g);
  const firstLocal = joined ? 0 : 1;
  for (let d = firstLocal; d < factCount; d++) {
    members[groupStart[program.groupOf(d)] + program.localOf(d) - firstLocal] = d;
  }
  return { members, groupStart };
}

/** Sets of start facts per node and fact of one group, node by node. */
class StartSets {
  readonly #program: Program;
  readonly #chains: Chains;
  readonly #reached: Int32Array;
  readonly #fresh: Int32Array;
  readonly #next: Int32Array;
  readonly #met: Int32Array;
  #metCount = 0;
  /** Per node: the first of its facts with something to hand on, plus 1. */
  readonly #heads: Int32Array;
  #columns = 0;
  /** Nodes with something to hand on; the node at hand; the first node that the next sweep begins with. */
  #waiting = 0;
  #current = 0;
  #first = 0;

  /** `size` is the number of nodes times the most columns. */
  constructor(program: Program, chains: Chains, size: number) {
    this.#program = program;
    this.#chains = chains;
    this.#reached = allocateWords(size, "Summary");
    this.#fresh = allocateWords(size, "Summary");
    this.#next = allocateWords(size, "Summary");
    this.#met = allocateWords(size, "Summary");
    this.#heads = allocateWords(program.nodeCount, "Summary");
  }

  /** Pairs of the 32 start facts from the `begin`-th fact of `group` on. */
  search(group: Int32Array, begin: number, exit: number, pair: (d1: number, d2: number) => void): void {
    const { joined, nodeCount, startNode } = this.#program;
    const fresh = this.#fresh;
    const heads = this.#heads;
    const firstLocal = joined ? 0 : 1;
    const columns = group.length + firstLocal;
    const end = Math.min(begin + 32, group.length);
    this.#columns = columns;
    this.#waiting = 0;
    this.#metCount = 0;
    this.#current = 0;
    this.#first = startNode;
    for (let i = begin; i < end; i++) this.#arrive(startNode, i + firstLocal, 1 << (i - begin));
    while (this.#waiting !== 0) {
      this.#current = this.#first;
      this.#first = nodeCount;
      for (; this.#current < nodeCount && this.#waiting !== 0; this.#current++) {
        let x = heads[this.#current];
        if (x === 0) continue;
        heads[this.#current] = 0;
        this.#waiting--;
        while (x !== 0) {
          const at = x - 1;
          x = this.#next[at];
          const bits = fresh[at];
          fresh[at] = 0;
          this.#handOn(group[at - this.#current * columns - firstLocal], bits);
        }
      }
    }
    for (let j = 0; j < group.length; j++) {
      let bits = this.#reached[exit * columns + j + firstLocal];
      for (; bits !== 0; bits &= bits - 1) pair(group[begin + lowestBit(bits)], group[j]);
    }
    for (let i = 0; i < this.#metCount; i++) this.#reached[this.#met[i]] = 0;
  }

  /** Start facts that reach `fact` at the node at hand go on along its chains. */
  #handOn(fact: number, bits: number): void {
    const program = this.#program;
    const { nodeBase, nodeOut } = program;
    const last = nodeOut[nodeBase + this.#current + 1];
    for (let chain = nodeOut[nodeBase + this.#current]; chain < last; chain++) {
      const count = this.#chains.moveAlong(fact, chain, 0, CHAIN_MAX + 1, ANY_GROUP);
      const { moved } = this.#chains;
      const tail = program.tailOf(chain);
      for (let i = 0; i < count; i++) this.#arrive(tail, program.localOf(moved[i]), bits);
    }
  }

  #arrive(node: number, local: number, bits: number): void {
    const at = node * this.#columns + local;
    const old = this.#reached[at];
    const added = bits & ~old;
    if (added === 0) return;
    if (old === 0) this.#met[this.#metCount++] = at;
    this.#reached[at] = old | added;
    const behind = this.#fresh[at];
    this.#fresh[at] = behind | added;
    if (behind !== 0) return;
    const head = this.#heads[node];
    this.#next[at] = head;
    this.#heads[node] = at + 1;
    if (head !== 0) return;
    this.#waiting++;
    if (node <= this.#current) this.#first = Math.min(this.#first, node);
  }
}
