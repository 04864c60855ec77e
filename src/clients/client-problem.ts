/**
 * A client's exploded problem with the way back: which fact of which procedure speaks of which variable. `analyze` gives
 * what holds where; same-context queries go to the analysis with the numbers that `fact` gives.
 */

import { Analysis } from "../analysis.js";
import { type AnalyzeOptions, analyze } from "../analyze.js";
import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import type { Program } from "../program/program.js";
import type { EnteringFacts } from "../results/entering-facts.js";
import type { Seed } from "../solver.js";
import { type Domain, positionOf } from "./domain.js";
import { type ExplodedProgram, explodeProgram } from "./explode-program.js";
import type { FlowFunctions } from "./flow-functions.js";

/** A fact about a variable; tags are the client's. */
export interface VariableFact {
  readonly variable: number;
  readonly tag: number;
}

/**
 * What all clients offer beside their own answers. A client of yours extends it with flow functions, and `ClientAnalysis` with
 * what its facts mean.
 */
export abstract class ClientProblem {
  readonly program: Program;
  /** The exploded supergraph; vertices are those of the program. */
  readonly graph: ExplodedSupergraph;
  /** Where executions begin: for `Analysis.entering`. */
  readonly seeds: readonly Seed[];
  readonly #domain: Domain;
  readonly #factsOf: Uint32Array;
  readonly #backward: boolean;

  /**
   * `name` is that of the client, for messages. Throws an `InputError` where the program passes a limit. Costs edges,
   * operations, and facts per call.
   */
  constructor(program: Program, functions: FlowFunctions, name: string) {
    const exploded: ExplodedProgram = explodeProgram(program, functions, name);
    this.program = program;
    this.graph = exploded.graph;
    this.seeds = exploded.seeds;
    this.#domain = exploded.domain;
    this.#factsOf = functions.factsOf;
    this.#backward = functions.direction === "backward";
  }

  /** Variables that a procedure has facts about: what it and its transitive callees touch. */
  variablesOf(procedure: number): Uint32Array {
    checkProcedure(this.program, procedure);
    const { start, variables } = this.#domain;
    return variables.slice(start[procedure], start[procedure + 1]);
  }

  /** Number of a fact in a procedure, or -1 where it has no facts about the variable. O(log variables). */
  fact(procedure: number, variable: number, tag = 0): number {
    checkProcedure(this.program, procedure);
    const position = positionOf(this.#domain, procedure, variable);
    return 0 <= position && tag < this.#factsOf[variable] ? this.#domain.firstFact[position] + tag : -1;
  }

  /**
   * What fact number `fact` of a procedure says, undefined for the zero fact and those that a backward problem has at
   * exits alone. O(log variables).
   */
  meaning(procedure: number, fact: number): VariableFact | undefined {
    checkProcedure(this.program, procedure);
    const { start, firstFact, variables, factCount } = this.#domain;
    if (fact === 0 || factCount[procedure] <= fact) return undefined;
    let low = start[procedure];
    let high = start[procedure + 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (firstFact[middle] <= fact) low = middle + 1;
      else high = middle;
    }
    return { variable: variables[low - 1], tag: fact - firstFact[low - 1] };
  }

  /**
   * @internal The analysis, or one of `graph` that was made before, and what holds where over executions from the entries.
   */
  solve(options: AnalyzeOptions | Analysis): { analysis: Analysis; entering: EnteringFacts } {
    // The classic solution reads summaries alone; labels are for those who ask pair queries.
    const analysis =
      options instanceof Analysis ? options : analyze(this.graph, { onDemand: true, ...options });
    return { analysis, entering: analysis.entering(this.seeds) };
  }

  /** @internal Numbers of the facts about a variable: the first, and how many; undefined for none. */
  factsAbout(procedure: number, variable: number): { first: number; count: number } | undefined {
    const position = positionOf(this.#domain, procedure, variable);
    return position < 0
      ? undefined
      : { first: this.#domain.firstFact[position], count: this.#factsOf[variable] };
  }

  /** Where the procedure begins, in the direction of the analysis. */
  startOf(procedure: number): number {
    checkProcedure(this.program, procedure);
    return this.#backward ? this.program.procedures[procedure].vertexCount : 0;
  }
}

/** What holds where. */
export abstract class ClientAnalysis<P extends ClientProblem> {
  readonly problem: P;
  /** Same-context queries on the client's facts: `analysis.reaches(p, u, problem.fact(...), v, problem.fact(...))`. */
  readonly analysis: Analysis;
  protected readonly entering: EnteringFacts;

  /**
   * Computes summaries, and what holds where over executions from the entries. In place of options it takes an analysis of
   * `problem.graph` that was made before.
   */
  constructor(problem: P, options: AnalyzeOptions | Analysis = {}) {
    this.problem = problem;
    const { analysis, entering } = problem.solve(options);
    this.analysis = analysis;
    this.entering = entering;
  }

  /** Whether a fact holds before a vertex. */
  protected holds(procedure: number, vertex: number, variable: number, tag = 0): boolean {
    checkVertex(this.problem.program, procedure, vertex);
    const fact = this.problem.fact(procedure, variable, tag);
    return 0 <= fact && this.entering.has(procedure, vertex, fact);
  }

  /** The facts that hold before a vertex, about one variable or about all, in the order of their numbers. */
  protected *factsAt(procedure: number, vertex: number, variable?: number): Iterable<VariableFact> {
    checkVertex(this.problem.program, procedure, vertex);
    if (variable !== undefined) {
      const facts = this.problem.factsAbout(procedure, variable);
      if (facts === undefined) return;
      for (let tag = 0; tag < facts.count; tag++) {
        if (this.entering.has(procedure, vertex, facts.first + tag)) yield { variable, tag };
      }
      return;
    }
    for (const fact of this.entering.at(procedure, vertex)) {
      const meaning = this.problem.meaning(procedure, fact);
      if (meaning !== undefined) yield meaning;
    }
  }
}

export function checkProcedure(program: Program, procedure: number): void {
  const count = program.procedures.length;
  if (Number.isInteger(procedure) && 0 <= procedure && procedure < count) return;
  throw new RangeError(`Procedure: got ${procedure}, expected 0 to ${count - 1}.`);
}

export function checkVertex(program: Program, procedure: number, vertex: number): void {
  checkProcedure(program, procedure);
  const count = program.procedures[procedure].vertexCount;
  if (Number.isInteger(vertex) && 0 <= vertex && vertex < count) return;
  throw new RangeError(`Procedure ${procedure}: got vertex ${vertex}, expected 0 to ${count - 1}.`);
}

/** Which variables of a program a client tracks: all that `wanted` admits, or those of the list that it admits. */
export function trackedVariables(
  program: Program,
  list: Iterable<number> | undefined,
  wanted: (variable: number) => boolean,
): Uint8Array {
  const { length } = program.variables;
  const tracked = new Uint8Array(length);
  if (list === undefined) {
    for (let v = 0; v < length; v++) tracked[v] = wanted(v) ? 1 : 0;
    return tracked;
  }
  for (const v of list) {
    if (!(Number.isInteger(v) && 0 <= v && v < length))
      throw new RangeError(`Variables: got ${v}, expected 0 to ${length - 1}.`);
    tracked[v] = wanted(v) ? 1 : 0;
  }
  return tracked;
}
