/**
 * IFDS tabulation (Reps, Horwitz and Sagiv, POPL 1995) of same-context path edges, on demand: a run starts from one
 * exploded vertex and enters callees only with the facts that reach their calls, as in the extension of Naeem,
 * Lhotak and Rodriguez (CC 2010), which also lets summaries be applied from the callee's side. Used afresh for every
 * query it is the NOPP baseline, kept from query to query the OD baseline, and run from every start fact it yields
 * all summaries. O(path edges x relation degree) time.
 *
 * A *source* is an exploded vertex (p, u, d1) that path edges start from; the sources (p, start of p, d1) are entries.
 * The path edges of a source are bits: one row of `ceil(n / 32)` words for each fact that the source reaches, since
 * a fact, once it holds, mostly holds along a stretch of code. Rows live in one arena.
 */

import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import { GrowableUint32 } from "../exploded/growable-uint32.js";
import { MemoryLimitError, type Watch } from "./limits.js";
import type { ProgramEdges } from "./program-edges.js";
import { NOTHING, type RelationRows, SELF } from "./relation-rows.js";

const none = 0xffffffff;
const stepsBetweenChecks = 1 << 12;
/** The arena holds offsets into itself, as signed words. */
const mostWords = 2 ** 31 - 1;

export class PathEdges {
  readonly #graph: ExplodedSupergraph;
  readonly #edges: ProgramEdges;
  readonly #rows: RelationRows;

  /** Per source: its procedure, its entry (or none), and where its table of fact rows begins in the arena. */
  readonly #procedure = new GrowableUint32();
  readonly #entry = new GrowableUint32();
  readonly #table = new GrowableUint32();
  /** Per source: a linked list of the calls that wait for its exit facts. */
  readonly #firstCaller = new GrowableUint32();
  readonly #callerCall = new GrowableUint32();
  readonly #callerSource = new GrowableUint32();
  readonly #nextCaller = new GrowableUint32();

  /** Per entry: its source, whether its exit facts are final, and a linked list of them. */
  readonly #sourceOfEntry: Uint32Array;
  readonly #final: Uint8Array;
  readonly #firstExit: Uint32Array;
  readonly #exitVertex = new GrowableUint32();
  readonly #exitFact = new GrowableUint32();
  readonly #nextExit = new GrowableUint32();

  /** Word `table[s] + d` is where the row of fact d of source s begins, 0 where there is none; `top` is the end. */
  #arena = new Int32Array(1 << 12);
  #top = 1;
  /** Path edges to be followed: source, vertex, fact. */
  #pending = new Int32Array(3 << 10);
  #pendingLength = 0;
  /** Sources below this number are complete. */
  #complete = 0;

  constructor(graph: ExplodedSupergraph, edges: ProgramEdges, rows: RelationRows) {
    this.#graph = graph;
    this.#edges = edges;
    this.#rows = rows;
    const entries = edges.entryBase[graph.procedureCount];
    this.#sourceOfEntry = new Uint32Array(entries).fill(none);
    this.#final = new Uint8Array(entries);
    this.#firstExit = new Uint32Array(entries).fill(none);
  }

  /** Number of sources so far: sources are numbered in order of appearance. */
  get sourceCount(): number {
    return this.#procedure.length;
  }

  procedureOf(source: number): number {
    return this.#procedure.items[source];
  }

  /** Of all that is in use now, path edges to be followed included. */
  get bytes(): number {
    const lists = this.#procedure.length * 4 + this.#callerCall.length * 3 + this.#exitFact.length * 3;
    return 4 * (this.#top + lists + this.#pendingLength) + 9 * this.#final.length;
  }

  /** The source (p, u, d1): that of the entry if u is the start of `p`, a new one otherwise. Follow with `run`. */
  source(p: number, u: number, d1: number): number {
    if (u === this.#graph.startVertex[p]) return this.#entrySource(p, this.#edges.entryBase[p] + d1, d1);
    return this.#newSource(p, none, u, d1);
  }

  /**
   * Follows all pending path edges. Stops early, answering true, when source `s` reaches (v, d); what is pending
   * then stays so, and the tables must be forgotten before the next use.
   */
  run(watch?: Watch, s = none, v = none, d = none): boolean {
    let steps = 0;
    while (0 < this.#pendingLength) {
      const at = (this.#pendingLength -= 3);
      const source = this.#pending[at];
      const vertex = this.#pending[at + 1];
      const fact = this.#pending[at + 2];
      if (source === s && vertex === v && fact === d) return true;
      this.#follow(source, vertex, fact);
      if (++steps === stepsBetweenChecks) {
        watch?.step(steps);
        watch?.memory("Tabulation", this.bytes);
        steps = 0;
      }
    }
    watch?.step(steps);
    for (let source = this.#complete; source < this.sourceCount; source++) {
      const entry = this.#entry.items[source];
      if (entry !== none) this.#final[entry] = 1;
    }
    this.#complete = this.sourceCount;
    return false;
  }

  /** Whether source `s` reaches (v, d), as far as path edges have been followed. */
  has(s: number, v: number, d: number): boolean {
    const row = this.#arena[this.#table.items[s] + d];
    return row !== 0 && ((this.#arena[row + (v >>> 5)] >>> (v & 31)) & 1) === 1;
  }

  /** Adds everything that source `s` reaches to bit rows laid out as in `Reached`. */
  write(s: number, into: Uint32Array): void {
    const p = this.#procedure.items[s];
    const facts = this.#graph.factCount[p];
    const stride = (facts + 31) >>> 5;
    const blocks = (this.#graph.vertexCount[p] + 31) >>> 5;
    const table = this.#table.items[s];
    for (let d = 0; d < facts; d++) {
      const row = this.#arena[table + d];
      if (row === 0) continue;
      const column = d >>> 5;
      const bit = 1 << (d & 31);
      for (let block = 0; block < blocks; block++) {
        for (let word = this.#arena[row + block]; word !== 0; word &= word - 1) {
          const v = (block << 5) + (31 - Math.clz32(word & -word));
          into[v * stride + column] |= bit;
        }
      }
    }
  }

  /** Forgets all path edges; summaries of complete entries are kept and used by later runs. */
  forgetPathEdges(): void {
    for (let source = 0; source < this.sourceCount; source++) {
      const entry = this.#entry.items[source];
      if (entry !== none) this.#sourceOfEntry[entry] = none;
    }
    this.#procedure.length = 0;
    this.#entry.length = 0;
    this.#table.length = 0;
    this.#firstCaller.length = 0;
    this.#callerCall.length = 0;
    this.#callerSource.length = 0;
    this.#nextCaller.length = 0;
    this.#top = 1;
    this.#pendingLength = 0;
    this.#complete = 0;
  }

  /** Forgets everything. Costs as much as there are sources. */
  forget(): void {
    for (let source = 0; source < this.sourceCount; source++) {
      const entry = this.#entry.items[source];
      if (entry === none) continue;
      this.#final[entry] = 0;
      this.#firstExit[entry] = none;
    }
    this.#exitVertex.length = 0;
    this.#exitFact.length = 0;
    this.#nextExit.length = 0;
    this.forgetPathEdges();
  }

  /** Calls `visit` with each (r, d) that call `i` leads to when its callee is entered with fact `d1`. */
  returns(i: number, d1: number, visit: (r: number, d: number) => void): void {
    const { callCallee, callExit, callExitRelation, callReturn } = this.#graph;
    const { targets, targetStart } = this.#rows;
    const entry = this.#edges.entryBase[callCallee[i]] + d1;
    for (let x = this.#firstExit[entry]; x !== none; x = this.#nextExit.items[x]) {
      if (this.#exitVertex.items[x] !== callExit[i]) continue;
      const fact = this.#exitFact.items[x];
      const row = this.#rows.entry(callExitRelation[i], fact);
      if (row === SELF) visit(callReturn[i], fact);
      else if (row !== NOTHING) {
        for (let t = targetStart[row]; t < targetStart[row + 1]; t++) visit(callReturn[i], targets[t]);
      }
    }
  }

  #follow(source: number, vertex: number, fact: number): void {
    const { flowStart, flowTarget, flowRelation, callStart, calls, isExit, vertexBase } = this.#edges;
    const rows = this.#rows;
    const { targets, targetStart } = rows;
    const x = vertexBase[this.#procedure.items[source]] + vertex;
    for (let i = flowStart[x], end = flowStart[x + 1]; i < end; i++) {
      const row = rows.entry(flowRelation[i], fact);
      if (row === SELF) this.#add(source, flowTarget[i], fact);
      else if (row !== NOTHING) {
        for (let t = targetStart[row]; t < targetStart[row + 1]; t++)
          this.#add(source, flowTarget[i], targets[t]);
      }
    }
    for (let i = callStart[x], end = callStart[x + 1]; i < end; i++) {
      const call = calls[i];
      const row = rows.entry(this.#graph.callEntryRelation[call], fact);
      if (row === SELF) this.#enter(source, call, fact);
      else if (row !== NOTHING) {
        for (let t = targetStart[row]; t < targetStart[row + 1]; t++) this.#enter(source, call, targets[t]);
      }
    }
    if (isExit[x] === 1) this.#leave(source, vertex, fact);
  }

  /** A path edge of `source` enters the callee of `call` with fact `d1`. */
  #enter(source: number, call: number, d1: number): void {
    const q = this.#graph.callCallee[call];
    const entry = this.#edges.entryBase[q] + d1;
    if (this.#final[entry] === 0) {
      const callee = this.#entrySource(q, entry, d1);
      this.#callerCall.push(call);
      this.#callerSource.push(source);
      this.#nextCaller.push(this.#firstCaller.items[callee]);
      this.#firstCaller.items[callee] = this.#callerCall.length - 1;
    }
    const exit = this.#graph.callExit[call];
    for (let x = this.#firstExit[entry]; x !== none; x = this.#nextExit.items[x]) {
      if (this.#exitVertex.items[x] === exit) this.#return(source, call, this.#exitFact.items[x]);
    }
  }

  /** A path edge of `source` has come to an exit: a new summary edge if it is an entry, for its callers to follow. */
  #leave(source: number, exit: number, fact: number): void {
    const entry = this.#entry.items[source];
    if (entry === none) return;
    this.#exitVertex.push(exit);
    this.#exitFact.push(fact);
    this.#nextExit.push(this.#firstExit[entry]);
    this.#firstExit[entry] = this.#exitFact.length - 1;
    for (let i = this.#firstCaller.items[source]; i !== none; i = this.#nextCaller.items[i]) {
      const call = this.#callerCall.items[i];
      if (this.#graph.callExit[call] === exit) this.#return(this.#callerSource.items[i], call, fact);
    }
  }

  /** Back from the exit of `call`'s callee with `fact`. */
  #return(source: number, call: number, fact: number): void {
    const { targets, targetStart } = this.#rows;
    const r = this.#graph.callReturn[call];
    const row = this.#rows.entry(this.#graph.callExitRelation[call], fact);
    if (row === SELF) this.#add(source, r, fact);
    else if (row !== NOTHING) {
      for (let t = targetStart[row]; t < targetStart[row + 1]; t++) this.#add(source, r, targets[t]);
    }
  }

  #entrySource(p: number, entry: number, d1: number): number {
    const known = this.#sourceOfEntry[entry];
    if (known !== none) return known;
    const source = this.#newSource(p, entry, this.#graph.startVertex[p], d1);
    this.#sourceOfEntry[entry] = source;
    return source;
  }

  #newSource(p: number, entry: number, u: number, d1: number): number {
    const source = this.#procedure.length;
    this.#procedure.push(p);
    this.#entry.push(entry);
    this.#table.push(this.#allocate(this.#graph.factCount[p]));
    this.#firstCaller.push(none);
    this.#add(source, u, d1);
    return source;
  }

  /** Adds the path edge from `source` to (v, d), to be followed if it is new. */
  #add(source: number, v: number, d: number): void {
    const slot = this.#table.items[source] + d;
    let row = this.#arena[slot];
    if (row === 0) {
      row = this.#allocate((this.#graph.vertexCount[this.#procedure.items[source]] + 31) >>> 5);
      this.#arena[slot] = row;
    }
    const at = row + (v >>> 5);
    const word = this.#arena[at];
    const bit = 1 << (v & 31);
    if ((word & bit) !== 0) return;
    this.#arena[at] = word | bit;
    let pending = this.#pending;
    const length = this.#pendingLength;
    if (length === pending.length) {
      this.#pending = new Int32Array(2 * length);
      this.#pending.set(pending);
      pending = this.#pending;
    }
    pending[length] = source;
    pending[length + 1] = v;
    pending[length + 2] = d;
    this.#pendingLength = length + 3;
  }

  /** `words` zero words of the arena. */
  #allocate(words: number): number {
    const begin = this.#top;
    const end = begin + words;
    if (mostWords < end) {
      throw new MemoryLimitError(
        `Tabulation needs ${4 * end} bytes or more, expected at most ${4 * mostWords}.`,
      );
    }
    if (this.#arena.length < end) {
      const wider = new Int32Array(Math.max(end, 2 * this.#arena.length));
      wider.set(this.#arena.subarray(0, begin));
      this.#arena = wider;
    } else this.#arena.fill(0, begin, end);
    this.#top = end;
    return begin;
  }
}
