/**
 * An analysed program, immutable: same-context queries on a finished index (ESOP 2020, sections 4 and 5), the classic
 * IFDS solution, and the index itself as one buffer.
 */

import * as I from "../assembly/image.js";
import type { Engine, Queries } from "./engine.js";
import { checkProcedure, type ExplodedProcedure } from "./exploded/exploded-procedure.js";
import type { ExplodedSupergraph } from "./exploded/exploded-supergraph.js";
import { InputError } from "./exploded/input-error.js";
import { isIterable, show } from "./exploded/shown-value.js";
import { checksum } from "./image/checksum.js";
import { type LabelLimits, labelLimits } from "./image/label-limits.js";
import { labelCapacity } from "./image/label-plan.js";
import { OnDemandQueries } from "./image/on-demand.js";
import { joinParts, openParts, PartedQueries } from "./image/parts.js";
import { type ProgramTable, readProgramTable, replaceInTable } from "./image/program-table.js";
import { programDifference } from "./image/same-program.js";
import { damaged, readHeader } from "./image/validate.js";
import { kernelEngine } from "./kernel/kernel-engine.js";
import { once } from "./once.js";
import { referenceEngine } from "./reference/reference-engine.js";
import { EnteringFacts } from "./results/entering-facts.js";
import { decodeRow, Reached } from "./results/reached.js";
import type { Seed, Solver } from "./solver.js";
import { indexProgram } from "./update/index-program.js";
import { OverlayQueries } from "./update/overlay.js";
import { ProgramSource } from "./update/program-source.js";
import { updateQueries } from "./update/update.js";
import { openCalls } from "./witness/open-calls.js";
import { ProgramFlow } from "./witness/program-flow.js";
import { type Guide, shortestEntering, shortestSameContext } from "./witness/shortest-path.js";
import type { Witness } from "./witness/witness.js";

export type EngineName = "wasm" | "reference";

export interface LoadOptions extends EngineOptions {
  /** What errors call the data; "index" if not given. */
  readonly name?: string;
  /** The program that the data was made from: `update` and `explain` need it. */
  readonly graph?: ExplodedSupergraph;
  /** For `update`: what the data was made with, see `AnalyzeOptions`. */
  readonly labelBudget?: number;
  readonly sweepLimit?: number;
}

export interface EngineOptions {
  /** `"wasm"` (default), or `"reference"`: the same method in plain TypeScript, where WebAssembly is forbidden. */
  readonly engine?: EngineName;
  /** Bytes of the kernel to use in place of the embedded one: `phloem/kernel.wasm`, or a debug build of it. */
  readonly kernel?: Uint8Array;
}

/** Milliseconds spent in each phase of preprocessing; all 0 for an analysis made from saved data. */
export interface PhaseMilliseconds {
  /** Contraction of flow graphs to nodes and chains. */
  readonly contract: number;
  /** Tree decomposition, balancing, elimination trees. */
  readonly decompose: number;
  /** Laying out the index. */
  readonly assemble: number;
  readonly summaries: number;
  readonly labels: number;
  readonly total: number;
}

export interface ProcedureStatistics {
  readonly name: string;
  readonly vertices: number;
  /** The zero fact included. */
  readonly facts: number;
  readonly nodes: number;
  /** Width of the tree decomposition of the node graph, and height of its elimination tree. */
  readonly width: number;
  readonly height: number;
  /** Sets of facts that influence each other; each is a problem of its own. */
  readonly groups: number;
  readonly labelBytes: number;
  /** Whether queries are answered from labels or, where these would pass the budget, by search. */
  readonly answersBy: "closure" | "labels" | "search";
}

export interface Statistics {
  readonly engine: EngineName;
  readonly procedures: number;
  readonly vertices: number;
  /** Sum over procedures of vertices times facts. */
  readonly explodedVertices: number;
  readonly nodes: number;
  readonly chains: number;
  readonly calls: number;
  /** Strongly connected components of the call graph. */
  readonly components: number;
  readonly width: number;
  readonly height: number;
  /** Procedures whose labels would pass the budget. */
  readonly searchProcedures: number;
  readonly bytes: { readonly index: number; readonly labels: number; readonly relations: number };
  readonly milliseconds: PhaseMilliseconds;
  procedure(p: number): ProcedureStatistics;
}

/** Queries about one procedure; see `Analysis`, most of whose methods these are with the procedure fixed. */
export interface ProcedureQueries {
  readonly id: number;
  readonly name: string;
  readonly vertexCount: number;
  /** The zero fact included. */
  readonly factCount: number;
  readonly start: number;
  /** Exit vertices, the default one first. */
  readonly exits: readonly number[];
  reaches(u: number, d1: number, v: number, d2: number): boolean;
  from(u: number, d1: number): Reached;
  meet(u: number, facts: Iterable<number>, v: number): Uint32Array;
  summary(exit?: number): [d1: number, d2: number][];
  /**
   * A witness of `reaches(u, d1, v, d2)`: a shortest same-context valid path from (u, d1) to (v, d2), undefined where there
   * is none. Shortest: no such path has fewer edges of the exploded supergraph, those within callees (and two for a call
   * and its return) counted as often as they are walked; of several such paths always the same one.
   *
   * Costs one pass over the edges of each procedure on the way when it is first walked; O(log) and a pair query or two for
   * each exploded vertex that the search arrives at, none in straight-line code; and at a call one for each pair of its
   * relations. The search arrives only at exploded vertices that lead to the goal (in callees: to an exit fact that does)
   * and are no further away than the goal is. So it costs about what the path is long unless there are many ways; and it
   * arrives nowhere more often than once for each start fact and exit fact of a callee, however often the path walks
   * through it. In a procedure that is answered by search, what flows along its own edges is followed unasked.
   *
   * Needs the program that the analysis was made from, which saved data does not hold: throws an Error where it was made
   * by `Analysis.from(data)` without `graph`. Throws a `RangeError` for ids out of range.
   *
   * @see Knuth, "A generalization of Dijkstra's algorithm" (1977), on Reps, Horwitz and Sagiv (POPL 1995)
   *
   * @example
   * const witness = analyze(parseIfds("IFDS 1\nR 0 I\nR 1 I 0>0,1\nM 0\nP 0 2 2 0 1 main\ne 0 1 1\nZ\n"))
   *   .procedure("main")
   *   .explain(0, 0, 1, 1);
   * Array.from(witness ?? []); // [{ edge: "normal", index: 0, procedure: 0, vertex: 1, fact: 1, depth: 0 }]
   */
  explain(u: number, d1: number, v: number, d2: number): Witness | undefined;
}

const NO_TIME: PhaseMilliseconds = {
  contract: 0,
  decompose: 0,
  assemble: 0,
  summaries: 0,
  labels: 0,
  total: 0,
};

/** What an analysis was made from: what it takes to make it anew after a change. */
export interface Origin {
  readonly source: () => ProgramSource;
  readonly limits: LabelLimits;
}

export class Analysis implements Solver {
  readonly #engine: Engine;
  readonly #queries: Queries;
  readonly #milliseconds: PhaseMilliseconds;
  readonly #program: ProgramTable;
  readonly #origin: Origin | undefined;
  #byName: Map<string, number> | undefined;
  #flow: ProgramFlow | undefined;

  /** @internal Use `analyze` or `Analysis.from`. */
  constructor(
    engine: Engine,
    queries: Queries,
    program: ProgramTable,
    milliseconds: PhaseMilliseconds,
    origin?: Origin,
  ) {
    this.#engine = engine;
    this.#queries = queries;
    this.#program = program;
    this.#milliseconds = milliseconds;
    this.#origin = origin;
  }

  /**
   * An analysis from saved `data`, without preprocessing. Costs one copy into the engine's memory and one pass for the
   * checksum. Throws an `InputError` where the data is cut, damaged, or of another version or kernel. `graph` is the
   * program that the data was made from: only `update` and `explain` need it. Another program is an `InputError` as well, as
   * far as names, sizes, calls and edges tell; that takes a pass over the program.
   *
   * @example
   * const again = Analysis.from(analysis.data);
   */
  static from(data: ArrayBufferLike | Uint8Array, options: LoadOptions = {}): Analysis {
    const limits = labelLimits(options);
    const image = readHeader(data, options.name);
    const engine = engineFor(options);
    const queries = openParts(engine, image, labelCapacity(image));
    if (queries === undefined) throw damaged(image, options.name);
    const program = readProgramTable(image);
    const { graph } = options;
    const difference = graph === undefined ? undefined : programDifference(image, program, graph);
    if (difference !== undefined) {
      throw new InputError(options.name ?? "index", undefined, `option graph: ${difference}`);
    }
    const origin = graph === undefined ? undefined : { source: once(() => ProgramSource.of(graph)), limits };
    return new Analysis(engine, queries, program, NO_TIME, origin);
  }

  /**
   * The whole index as one buffer of its own, ready to be saved or transferred: format version, kernel hash and checksum
   * in its header. The same program always gives the same bytes, with either engine. Costs a copy.
   */
  get data(): ArrayBuffer {
    const words = wholeImage(this.#engine, this.#queries, this.#origin);
    words[I.H_CHECKSUM] = checksum(words);
    return words.buffer;
  }

  get procedureCount(): number {
    return this.#program.names.length;
  }

  /** Queries about one procedure, by id or by name. A name that several procedures have means the first. */
  procedure(p: number | string): ProcedureQueries {
    const id = typeof p === "string" ? this.#idOf(p) : p;
    this.#checkProcedure(id);
    const queries = this.#queries;
    const vertexCount = this.#program.vertexCount[id];
    const factCount = this.#program.factCount[id];
    const { start, exits } = this.#ends(id);
    return {
      id,
      name: this.#program.names[id],
      vertexCount,
      factCount,
      start,
      exits,
      reaches: (u, d1, v, d2) => {
        if (
          !(
            isBelow(u, vertexCount) &&
            isBelow(v, vertexCount) &&
            isBelow(d1, factCount) &&
            isBelow(d2, factCount)
          )
        ) {
          this.#checkPair(id, u, d1, v, d2);
        }
        return queries.reaches(id, u, d1, v, d2);
      },
      from: (u, d1) => this.from(id, u, d1),
      meet: (u, facts, v) => this.meet(id, u, facts, v),
      summary: (exit) => this.summary(id, exit),
      explain: (u, d1, v, d2) => {
        const flow = this.#flowFor("Explain");
        this.#checkPair(id, u, d1, v, d2);
        if (!queries.reaches(id, u, d1, v, d2)) return undefined;
        return shortestSameContext(flow, this.#guide, [id, u, d1, v, d2]);
      },
    };
  }

  /** Pair query: a few word operations (O(|D| / log n); ESOP 2020, theorem 1). */
  reaches(p: number, u: number, d1: number, v: number, d2: number): boolean {
    this.#checkPair(p, u, d1, v, d2);
    return this.#queries.reaches(p, u, d1, v, d2);
  }

  /** Pair queries, five words (p, u, d1, v, d2) each, in one kernel call; 0 or 1 for each. */
  reachesAll(queries: Uint32Array): Uint8Array {
    if (!isWords(queries)) {
      throw new TypeError(`Queries: got ${show(queries)}, expected a Uint32Array (p, u, d1, v, d2, ...).`);
    }
    if (queries.length % 5 !== 0) {
      throw new RangeError(
        `Queries: got ${queries.length} words, expected a multiple of 5 (p, u, d1, v, d2).`,
      );
    }
    const answers = new Uint8Array(queries.length / 5);
    const answered = this.#queries.reachesMany(queries, answers);
    if (answered < answers.length) {
      this.refuse(queries, answered);
    }
    return answers;
  }

  /** @internal The error of a query whose ids are out of range. */
  refuse(queries: Uint32Array, index: number): never {
    const [p, u, d1, v, d2] = queries.subarray(5 * index, 5 * index + 5);
    this.#checkPair(p, u, d1, v, d2, `Query ${index}: `);
    throw new RangeError(`Query ${index}: got no answer, expected one.`);
  }

  /** @internal Names and sizes of the procedures. */
  get table(): ProgramTable {
    return this.#program;
  }

  /** @internal The image as it is now, to be read at once; for a program that was never changed, in one memory. */
  get image(): Uint32Array {
    return wholeImage(this.#engine, this.#queries, this.#origin);
  }

  /** Single-source query. O(n |D| / 32) words, and the entries of the relations on the way. */
  from(p: number, u: number, d1: number): Reached {
    this.#checkVertex(p, u);
    this.#checkFact(p, d1);
    return new Reached(
      this.#program.vertexCount[p],
      this.#program.factCount[p],
      this.#queries.from(p, u, d1),
    );
  }

  /** MSCP (ESOP 2020, section 2): facts at v when exactly `facts` hold at u, from (u, 0) as well. */
  meet(p: number, u: number, facts: Iterable<number>, v: number): Uint32Array {
    this.#checkVertex(p, u);
    this.#checkVertex(p, v);
    if (!isIterable(facts)) {
      throw new TypeError(`${this.#title(p)}: got facts ${show(facts)}, expected a list of them.`);
    }
    const distinct = new Set<number>([0]);
    for (const d of facts) {
      this.#checkFact(p, d);
      distinct.add(d);
    }
    const row = this.#queries.at(p, u, Uint32Array.from(distinct), v);
    return decodeRow(row, 0, row.length);
  }

  /**
   * Pairs (d1, d2) from the start to an exit vertex (by default the first), sorted. Costs a look at |D|^2 bits, and for each
   * group of k facts that influence each other k^2 pair queries or, where k is more than there are nodes, k / 32 passes
   * over what they reach.
   */
  summary(p: number, exit?: number): [d1: number, d2: number][] {
    this.#checkProcedure(p);
    const { exits } = this.#ends(p);
    const target = exit ?? exits[0];
    if (!exits.includes(target)) {
      throw new RangeError(
        `${this.#title(p)}: got exit ${show(target)}, expected one of its exit vertices: ${exits.join(", ")}.`,
      );
    }
    const rows = this.#queries.summary(p, target);
    const stride = (this.#program.factCount[p] + 31) >>> 5;
    const pairs: [number, number][] = [];
    for (let i = 0; i < rows.length; i++) {
      for (let word = rows[i]; word !== 0; word &= word - 1) {
        const d1 = Math.floor(i / stride);
        pairs.push([d1, ((i - d1 * stride) << 5) + (31 - Math.clz32(word & -word))]);
      }
    }
    return pairs;
  }

  /**
   * The classic IFDS solution from seeds `[procedure, vertex, fact]`: facts that hold before each vertex over valid paths,
   * on which calls may stay open. The zero fact is included where it arrives.
   */
  entering(seeds: Iterable<Seed>): EnteringFacts {
    if (!isIterable(seeds)) {
      throw new TypeError(`Seeds: got ${show(seeds)}, expected a list of [procedure, vertex, fact].`);
    }
    const words: number[] = [];
    for (const seed of seeds) {
      if (!isIterable(seed)) {
        throw new TypeError(`Seeds: got ${show(seed)} in the list, expected [procedure, vertex, fact].`);
      }
      const [p, v, d] = seed;
      this.#checkVertex(p, v);
      this.#checkFact(p, d);
      words.push(p, v, d);
    }
    const rows = this.#queries.entering(Uint32Array.from(words));
    const procedures: Reached[] = [];
    let at = 0;
    for (let p = 0; p < this.procedureCount; p++) {
      const length = this.#program.vertexCount[p] * ((this.#program.factCount[p] + 31) >>> 5);
      procedures.push(
        new Reached(this.#program.vertexCount[p], this.#program.factCount[p], rows.subarray(at, at + length)),
      );
      at += length;
    }
    return new EnteringFacts(procedures);
  }

  /**
   * A witness of `entering(seeds).has(p, v, d)`: a shortest valid path from any of the seeds to (v, d) of procedure `p`, on
   * which calls may stay open; undefined where there is none. What `ProcedureQueries.explain` says of shortest paths, of
   * the program that it needs and of errors holds here as well. Costs one `entering`; a look at the facts at each call
   * from which more calls lead to the goal, and pair queries between these; and then as `ProcedureQueries.explain`.
   *
   * @example
   * const witness = analysis.explain([[0, 0, 0]], 3, 7, 1);
   * witness?.start; // [0, 0, 0]
   */
  explain(seeds: Iterable<Seed>, p: number, v: number, d: number): Witness | undefined {
    const flow = this.#flowFor("Explain");
    this.#checkVertex(p, v);
    this.#checkFact(p, d);
    const from = Array.from(seeds);
    const holds = this.entering(from);
    if (!holds.has(p, v, d)) return undefined;
    const guide = this.#guide;
    return shortestEntering(flow, guide, from, [p, v, d], openCalls(flow, guide.reaches, holds, [p, v, d]));
  }

  /**
   * The analysis after one procedure has changed: `procedure` is what `p` is now, its callees numbered as before. Only
   * procedures whose inputs have changed are indexed anew: `p` and what lies on a call cycle with it, and, where a summary
   * came out different, its callers. Costs about what preprocessing these takes. This analysis stays as it is. Throws an
   * `InputError` where the procedure is inconsistent.
   *
   * @example
   * const edited = analysis.update(3, extractProcedure(parseIfds(newText), 3));
   */
  update(p: number, procedure: ExplodedProcedure): Analysis {
    return this.updateAll([[p, procedure]]);
  }

  /** As `update`, with several procedures changed at once: what callers and callees agree on may change in both. */
  updateAll(changes: Iterable<readonly [p: number, procedure: ExplodedProcedure]>): Analysis {
    const changed = new Map(changes);
    for (const p of changed.keys()) this.#checkProcedure(p);
    const origin = this.#originFor("Update");
    const before = origin.source();
    let source = before;
    let table = this.#program;
    const reshaped = new Set<number>();
    for (const [p, procedure] of changed) {
      checkProcedure(procedure, (callee) => changed.get(callee) ?? before.shape(callee));
      source = source.with(p, procedure);
      table = replaceInTable(table, p, procedure);
      const was = before.procedure(p);
      if (
        was.factCount !== procedure.factCount ||
        was.exits.length !== procedure.exits.length ||
        was.exits.some((exit, i) => exit !== procedure.exits[i])
      ) {
        reshaped.add(p);
      }
    }
    // Callers must still fit procedures of another shape.
    for (const caller of reshaped.size === 0 ? [] : source.callersOf(reshaped)) {
      checkProcedure(source.procedure(caller), (callee) => source.shape(callee));
    }
    if (changed.size === 0) return this;
    const members = new Set(changed.keys());
    const queries = updateQueries(this.#engine, this.#queries, before, source, members, origin.limits);
    return new Analysis(this.#engine, queries, table, NO_TIME, {
      source: () => source,
      limits: origin.limits,
    });
  }

  /** Counts, widths, heights, bytes, and milliseconds per phase. */
  get statistics(): Statistics {
    const image = this.#queries.image();
    let vertices = 0;
    let explodedVertices = 0;
    let nodes = 0;
    let chains = 0;
    let calls = 0;
    let width = 0;
    let height = 0;
    let searchProcedures = 0;
    let labels = 0;
    for (let p = 0; p < this.procedureCount; p++) {
      const { image: own, index } = this.#queries.locate(p);
      const at = own[I.H_PROCEDURE] / 4 + index * I.PROCEDURE_WORDS;
      vertices += this.#program.vertexCount[p];
      explodedVertices += this.#program.vertexCount[p] * this.#program.factCount[p];
      nodes += own[at + I.P_NODES];
      chains += own[at + I.P_CHAINS];
      calls += own[at + I.P_CALLS];
      width = Math.max(width, own[at + I.P_WIDTH]);
      height = Math.max(height, own[at + I.P_HEIGHT]);
      if ((own[at + I.P_MODE] & I.MODE_SEARCH) !== 0) searchProcedures++;
    }
    if (this.#queries instanceof PartedQueries) {
      for (const { queries } of this.#queries.parts) labels += 8 * queries.image()[I.H_LABEL_LENGTH];
    } else labels = 8 * image[I.H_LABEL_LENGTH];
    return {
      engine: this.#engine.name,
      procedures: this.procedureCount,
      vertices,
      explodedVertices,
      nodes,
      chains,
      calls,
      components: image[I.H_COMPONENTS],
      width,
      height,
      searchProcedures,
      bytes: { index: image[I.H_LABELS] + labels + 8, labels, relations: 4 * image[I.H_RELATION_WORDS] },
      milliseconds: this.#milliseconds,
      procedure: (p) => this.#procedureStatistics(p),
    };
  }

  #originFor(what: string): Origin {
    if (this.#origin === undefined) {
      throw new Error(
        `${what}: got an analysis from saved data alone, expected one that knows its program: Analysis.from(data, { graph }).`,
      );
    }
    return this.#origin;
  }

  #flowFor(what: string): ProgramFlow {
    const { source } = this.#originFor(what);
    this.#flow ??= new ProgramFlow(this.procedureCount, (p) => source().procedure(p));
    return this.#flow;
  }

  get #guide(): Guide {
    const queries = this.#queries;
    return {
      reaches: (p, u, d1, v, d2) => queries.reaches(p, u, d1, v, d2),
      searches: (p) => {
        const { image, index } = queries.locate(p);
        const mode = image[image[I.H_PROCEDURE] / 4 + index * I.PROCEDURE_WORDS + I.P_MODE];
        return (mode & I.MODE_SEARCH) !== 0;
      },
    };
  }

  #procedureStatistics(p: number): ProcedureStatistics {
    this.#checkProcedure(p);
    const { image, index } = this.#queries.locate(p);
    const at = image[I.H_PROCEDURE] / 4 + index * I.PROCEDURE_WORDS;
    const nodes = image[at + I.P_NODES];
    const mode = image[at + I.P_MODE];
    const search = (mode & I.MODE_SEARCH) !== 0;
    const closed = (mode & I.MODE_CLOSURE) !== 0;
    let labelBits = 0;
    if (closed) labelBits = (nodes * nodes * (image[at + I.P_LABEL_BITS] - 1)) / 2;
    else if (!search) {
      const first = image[I.H_NODE] / 4 + image[at + I.P_NODE_BASE] * I.NODE_WORDS;
      for (let v = 0; v < nodes; v++) {
        labelBits += (image[first + v * I.NODE_WORDS + I.N_DEPTH] + 1) * image[at + I.P_LABEL_BITS];
      }
    }
    return {
      name: this.#program.names[p],
      vertices: this.#program.vertexCount[p],
      facts: this.#program.factCount[p],
      nodes,
      width: image[at + I.P_WIDTH],
      height: image[at + I.P_HEIGHT],
      groups: image[at + I.P_GROUPS],
      labelBytes: Math.ceil(labelBits / 8),
      answersBy: closed ? "closure" : search ? "search" : "labels",
    };
  }

  #ends(p: number): { start: number; exits: number[] } {
    const { image, index } = this.#queries.locate(p);
    const record = image[I.H_PROCEDURE] / 4 + index * I.PROCEDURE_WORDS;
    const first = image[I.H_EXIT] / 4 + image[record + I.P_EXIT_BASE];
    return {
      start: image[record + I.P_START],
      exits: Array.from(image.subarray(first, first + image[record + I.P_EXITS])),
    };
  }

  #idOf(name: string): number {
    if (this.#byName === undefined) {
      this.#byName = new Map();
      for (let p = this.#program.names.length - 1; 0 <= p; p--) this.#byName.set(this.#program.names[p], p);
    }
    const id = this.#byName.get(name);
    if (id === undefined) {
      throw new RangeError(
        `Procedure: got the name ${JSON.stringify(name)}, expected one of the program's ${this.#program.names.length} procedures.`,
      );
    }
    return id;
  }

  #title(p: number): string {
    return `Procedure ${p} (${this.#program.names[p]})`;
  }

  #checkProcedure(p: number, where = ""): void {
    if (!isBelow(p, this.#program.names.length)) {
      throw new RangeError(
        `${where}Procedure: got ${show(p)}, expected 0 to ${this.#program.names.length - 1}.`,
      );
    }
  }

  #checkVertex(p: number, v: number, where = ""): void {
    this.#checkProcedure(p, where);
    if (!isBelow(v, this.#program.vertexCount[p])) {
      throw new RangeError(
        `${where}${this.#title(p)}: got vertex ${show(v)}, expected 0 to ${this.#program.vertexCount[p] - 1}.`,
      );
    }
  }

  #checkFact(p: number, d: number, where = ""): void {
    if (!isBelow(d, this.#program.factCount[p])) {
      throw new RangeError(
        `${where}${this.#title(p)}: got fact ${show(d)}, expected 0 to ${this.#program.factCount[p] - 1}.`,
      );
    }
  }

  #checkPair(p: number, u: number, d1: number, v: number, d2: number, where = ""): void {
    this.#checkVertex(p, u, where);
    this.#checkVertex(p, v, where);
    this.#checkFact(p, d1, where);
    this.#checkFact(p, d2, where);
  }
}

/** The finished image of everything: what several memories, demand or updates have left apart is put together. */
function wholeImage(engine: Engine, queries: Queries, origin: Origin | undefined): Uint32Array<ArrayBuffer> {
  if (queries instanceof OnDemandQueries) return wholeImage(engine, queries.complete(), origin);
  if (queries instanceof PartedQueries) return joinParts(queries.parts);
  if (queries instanceof OverlayQueries && origin !== undefined) {
    const graph = origin.source().graph();
    const whole = indexProgram(graph, (assembled) => engine.preprocess(assembled), origin.limits);
    return wholeImage(engine, whole, origin);
  }
  return queries.image().slice() as Uint32Array<ArrayBuffer>;
}

/** Whether a value is a `Uint32Array`, of this or another realm. */
function isWords(value: unknown): boolean {
  return ArrayBuffer.isView(value) && (value as Uint32Array)[Symbol.toStringTag] === "Uint32Array";
}

/** Whether x is an integer in `0 .. end - 1`. */
function isBelow(x: number, end: number): boolean {
  return x >>> 0 === x && x < end;
}

/** @internal */
export function engineFor(options: EngineOptions): Engine {
  const { engine } = options;
  if (engine !== undefined && engine !== "wasm" && engine !== "reference") {
    throw new RangeError(`Option engine: got ${show(engine)}, expected "wasm" or "reference".`);
  }
  return options.engine === "reference" ? referenceEngine() : kernelEngine(options.kernel);
}
