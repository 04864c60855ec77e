/**
 * Programs of `phloem/jvm` held against instances that an independent exporter made of the same class files. Its vertices
 * are the start, the instructions with a return site after each call, and the exit; ours begin with the same numbers and have
 * catching and parting points before the exit, and an exceptional exit after it.
 *
 * Its facts of a procedure: locals, stack entries, returned value, static fields. Ours are about the same variables; where
 * they differ, `factDifferences` and `answerDifferences` say why.
 */

import type { Analysis } from "../../src/analysis.js";
import { analyze } from "../../src/analyze.js";
import type { ClientProblem } from "../../src/clients/client-problem.js";
import { controlFlow, RETURNS } from "../../src/clients/control-flow.js";
import { type Liveness, liveness } from "../../src/clients/liveness.js";
import { possiblyUninitialized } from "../../src/clients/possibly-uninitialized.js";
import { reachability } from "../../src/clients/reachability.js";
import { reachingDefinitions } from "../../src/clients/reaching-definitions.js";
import { uninitialized } from "../../src/clients/uninitialized.js";
import type { ExplodedSupergraph } from "../../src/exploded/exploded-supergraph.js";
import type { JvmProgram } from "../../src/jvm/load.js";
import type { Procedure, Program } from "../../src/program/program.js";

export const EXPORTED_ANALYSES = ["reach", "reachx", "rdef", "suninit", "puninit", "live"] as const;
export type ExportedAnalysis = (typeof EXPORTED_ANALYSES)[number];

/** Differences between flow graphs, in words: none. Vertices, edges between instructions, calls with their targets. */
export function graphDifferences({ program, methods }: JvmProgram, graph: ExplodedSupergraph): string[] {
  const procedures = program.procedures.filter((_, p) => methods[p].kind === "method");
  const differences: string[] = [];
  const same = (what: string, ours: Iterable<string>, theirs: Iterable<string>) => {
    const [a, b] = [new Set(ours), new Set(theirs)];
    const more = [...a].filter((x) => !b.has(x));
    const less = [...b].filter((x) => !a.has(x));
    if (0 < more.length + less.length)
      differences.push(`${what}: ${more.join(" ")} instead of ${less.join(" ")}`);
  };
  same(
    "procedures",
    procedures.map(({ name }) => name),
    graph.names,
  );
  if (0 < differences.length) return differences;
  for (const [p, procedure] of procedures.entries()) {
    const exit = exitOf(graph, p);
    same(`${procedure.name}, edges`, ourEdges(procedure, exit), theirEdges(graph, p));
    const calls: string[] = [];
    for (let i = graph.callStart[p]; i < graph.callStart[p + 1]; i++)
      calls.push(`${graph.callVertex[i]}>${graph.callCallee[i]}>${graph.callReturn[i]}`);
    const ours = procedure.calls.flatMap(({ vertex, returnSite, callees }) =>
      callees.map((q) => `${vertex}>${q}>${returnSite}`),
    );
    same(`${procedure.name}, calls`, ours, calls);
  }
  return differences;
}

/** The exporter's exit, in either direction: its last vertex. */
const exitOf = (graph: ExplodedSupergraph, p: number): number => graph.vertexCount[p] - 1;

/** Edges between the exporter's vertices, by way of those that it does not have. */
function* ourEdges(procedure: Procedure, exit: number): Iterable<string> {
  const targets = new Map<number, number[]>();
  const add = (from: number, to: number) => targets.set(from, [...(targets.get(from) ?? []), to]);
  for (let i = 0; i < procedure.edges.length; i += 2) add(procedure.edges[i], procedure.edges[i + 1]);
  // A call outside is an instruction like others.
  for (const { vertex, returnSite, callees } of procedure.calls)
    if (callees.length === 0) add(vertex, returnSite);
  for (let vertex = 0; vertex < exit; vertex++) {
    const pending = [...(targets.get(vertex) ?? [])];
    while (0 < pending.length) {
      const to = pending.pop()!;
      if (to < exit) yield `${vertex}>${to}`;
      else if (to === procedure.exit) yield `${vertex}>${exit}`;
      else if (to !== procedure.exceptionalExit) pending.push(...(targets.get(to) ?? []));
    }
  }
}

function* theirEdges(graph: ExplodedSupergraph, p: number): Iterable<string> {
  for (let i = graph.edgeStart[p]; i < graph.edgeStart[p + 1]; i++)
    yield `${graph.edgeSource[i]}>${graph.edgeTarget[i]}`;
}

/** Variables of each procedure in the exporter's order. */
interface Layout {
  readonly locals: readonly number[];
  readonly stack: readonly number[];
  readonly result: readonly number[];
  readonly statics: readonly number[];
}

/** What all comparisons of a program share. */
export class ExportedProgram {
  readonly jvm: JvmProgram;
  readonly #program: Program;
  readonly #layouts: readonly Layout[];
  readonly #live: Liveness;
  /** Per procedure: 1 where a call, or one in a callee, may go to a procedure that never returns. */
  readonly #maySuspend: Uint8Array;

  constructor(jvm: JvmProgram) {
    this.jvm = jvm;
    this.#program = jvm.program;
    const problem = liveness(jvm.program, { variables: jvm.program.variables.keys() });
    this.#live = problem.analyze();
    this.#layouts = jvm.program.procedures.map((_, p) => layoutOf(problem, p));
    this.#maySuspend = maySuspend(jvm.program);
  }

  /**
   * Differences between numbers of facts that nothing explains. Explained are: in `rdef` none; a variable of the null
   * constant; an entry above the stack where the operation needs a copy; in `suninit` no static fields, which have a value from
   * the start; in `puninit` two facts for a variable that can hold copies, in `live` those of exceptional exits.
   */
  factDifferences(graph: ExplodedSupergraph, analysis: ExportedAnalysis): string[] {
    const { factCount } = clientProblem(this.#program, analysis).graph;
    const isExact = analysis === "rdef" || analysis.startsWith("reach");
    return this.#layouts.slice(0, graph.procedureCount).flatMap(({ locals, stack, result, statics }, p) => {
      const theirs = graph.factCount[p];
      const ours = isExact ? factCount[p] : 1 + locals.length + stack.length + result.length + statics.length;
      const isExplained = ours === theirs || (!isExact && ours === theirs + 1 && 0 < stack.length);
      return isExplained ? [] : [`${graph.names[p]}: ${ours} facts instead of ${theirs}`];
    });
  }

  /**
   * Puts the exporter's pair queries to the client of the same analysis. Not asked is about stack entries that hold nothing
   * that is used later, of which only the exporter says that they are uninitialized or gone; and about static fields where
   * there are no such facts.
   */
  answerDifferences(
    graph: ExplodedSupergraph,
    analysis: ExportedAnalysis,
    queries: Iterable<Query>,
  ): {
    readonly same: number;
    readonly notAsked: number;
    readonly explained: number;
    readonly differences: string[];
  } {
    const problem = clientProblem(this.#program, analysis);
    const answers = analyze(problem.graph);
    let [same, notAsked, explained] = [0, 0, 0];
    const differences: string[] = [];
    const tables = new Map<number, readonly (readonly number[])[]>();
    for (const query of queries) {
      const { p, u, d1, v, d2, expected } = query;
      let table = tables.get(p);
      if (table === undefined) {
        table = this.#factTable(problem, analysis, graph, p);
        tables.set(p, table);
      }
      if (!this.#isAsked(graph, analysis, query) || table[d1].length === 0 || table[d2].length === 0) {
        notAsked++;
        continue;
      }
      const got = this.#ask(answers, graph, analysis, query, table);
      if (got === expected) same++;
      else if (this.#isExplained(analysis, query)) explained++;
      else {
        const { name } = this.#program.procedures[p];
        differences.push(`${name}: (${u}, ${d1}) to (${v}, ${d2}): ${got} instead of ${expected}`);
      }
    }
    return { same, notAsked, explained, differences };
  }

  /** The exporter's facts of a procedure: for each those of ours that say the same. */
  #factTable(
    problem: ClientProblem,
    analysis: ExportedAnalysis,
    graph: ExplodedSupergraph,
    p: number,
  ): readonly (readonly number[])[] {
    const { locals, stack, result, statics } = this.#layouts[p];
    const facts = (v: number): number[] => {
      const about = problem.factsAbout(p, v);
      return Array.from({ length: about?.count ?? 0 }, (_, tag) => about!.first + tag);
    };
    if (analysis === "rdef")
      return [[0], ...[...locals, ...statics].flatMap((v) => facts(v).map((fact) => [fact]))];
    const entries = graph.factCount[p] - 1 - locals.length - result.length - statics.length;
    return [[0], ...[...locals, ...stack.slice(0, entries), ...result, ...statics].map(facts)];
  }

  /**
   * Whether a query is about what can hold: at a start only what a caller hands over, of a stack entry only what is used
   * later, and not that it is uninitialized then.
   */
  #isAsked(graph: ExplodedSupergraph, analysis: ExportedAnalysis, { p, u, d1, v, d2 }: Query): boolean {
    const { locals, stack, result, statics } = this.#layouts[p];
    const { parameters, receiver } = this.#program.procedures[p];
    if (analysis === "live") {
      const isHandedOver = (d: number) => {
        const local = locals[d - 1];
        return local === undefined
          ? graph.factCount[p] - statics.length <= d
          : local === receiver || parameters.includes(local);
      };
      if (v === 0 && d2 !== 0 && !isHandedOver(d2)) return false;
    } else if (u === 0 && d1 !== 0) return false;
    if (analysis === "rdef" || analysis.startsWith("reach")) return true;
    const end = exitOf(graph, p);
    const firstOfResult = graph.factCount[p] - statics.length - result.length;
    const isStack = (d: number) => locals.length < d && d < firstOfResult;
    const isUsed = (vertex: number, d: number) =>
      !isStack(d) || (vertex !== end && this.#live.isLiveBefore(p, vertex, stack[d - 1 - locals.length]));
    if (analysis === "suninit") return !isStack(d1) && isUsed(v, d2);
    if (analysis === "live") return isUsed(u, d1);
    // Before it returns, what a method returns is uninitialized only for one of the two.
    const isReturned = (vertex: number, d: number) =>
      d < firstOfResult || firstOfResult + result.length <= d || vertex === end;
    return isUsed(u, d1) && isUsed(v, d2) && isReturned(u, d1) && isReturned(v, d2);
  }

  #ask(
    answers: Analysis,
    graph: ExplodedSupergraph,
    analysis: ExportedAnalysis,
    { p, u, d1, v, d2 }: Query,
    table: readonly (readonly number[])[],
  ): boolean {
    const { exit, exceptionalExit } = this.#program.procedures[p];
    const end = exitOf(graph, p);
    // An exception that leaves ends at the exporter's one exit where that matters.
    const vertices = (vertex: number) =>
      vertex < end ? [vertex] : analysis === "live" ? [exit, exceptionalExit] : [exit];
    return vertices(u).some((from) =>
      vertices(v).some((to) =>
        [0, ...table[d1]].some((one) => table[d2].some((other) => answers.reaches(p, from, one, to, other))),
      ),
    );
  }

  /**
   * The exporter lets facts flow around a call whose callees never return, but for `reachx`; our liveness counts every
   * copy as a use, the exporter's only one that is used in turn; what a callee outside returns is defined for our
   * `puninit`, and derived from the arguments for the exporter's.
   */
  #isExplained(analysis: ExportedAnalysis, { p, expected }: Query): boolean {
    if (analysis === "live" && !expected) return true;
    if (analysis === "puninit" && expected) return true;
    return expected && analysis !== "reachx" && this.#maySuspend[p] === 1;
  }
}

function layoutOf(problem: ClientProblem, p: number): Layout {
  const { program } = problem;
  const procedure = program.procedures[p];
  const [locals, stack, result, statics]: [number[], number[], number[], number[]] = [[], [], [], []];
  for (const v of Array.from(problem.variablesOf(p)).sort((a, b) => a - b)) {
    const { owner, name, kind } = program.variables[v];
    if (owner !== p) statics.push(v);
    else if (v === procedure.result) result.push(v);
    else if (kind !== "temporary") locals.push(v);
    else if (name !== "null") stack.push(v);
  }
  return { locals, stack, result, statics };
}

function maySuspend(program: Program): Uint8Array {
  const { ends } = controlFlow(program);
  const found = Uint8Array.from(ends, (end) => ((end & RETURNS) === 0 ? 1 : 0));
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false;
    for (const [p, { calls }] of program.procedures.entries()) {
      if (found[p] === 1 || !calls.some(({ callees }) => callees.some((q) => found[q] === 1))) continue;
      found[p] = 1;
      isGrowing = true;
    }
  }
  return found;
}

/** The client that answers an exporter's analysis; only the last one asked for is kept. */
function clientProblem(program: Program, analysis: ExportedAnalysis): ClientProblem {
  if (latest?.program !== program || latest.analysis !== analysis)
    latest = { program, analysis, problem: makeProblem(program, analysis) };
  return latest.problem;
}

let latest: { program: Program; analysis: ExportedAnalysis; problem: ClientProblem } | undefined;

function makeProblem(program: Program, analysis: ExportedAnalysis): ClientProblem {
  switch (analysis) {
    case "reach":
    case "reachx":
      return reachability(program);
    case "rdef":
      return reachingDefinitions(program);
    case "suninit":
      return uninitialized(program);
    case "puninit":
      return possiblyUninitialized(program);
    case "live":
      return liveness(program, { variables: program.variables.keys() });
  }
}

export interface Query {
  readonly p: number;
  readonly u: number;
  readonly d1: number;
  readonly v: number;
  readonly d2: number;
  readonly expected: boolean;
}

/** Pair queries of a `.q` file, with the answer from (u, d1) or (u, 0): which of these two a fact comes from is form. */
export function* pairQueries(lines: Iterable<string>): Iterable<Query> {
  for (const line of lines) {
    if (!/^[pbi] /.test(line)) continue;
    const [p, u, d1, v, d2, , b] = line.split(" ").slice(1).map(Number);
    yield { p, u, d1, v, d2, expected: b === 1 };
  }
}

/** Every pair query that a `.all` file answers. */
export function* allQueries(lines: Iterable<string>, graph: ExplodedSupergraph): Iterable<Query> {
  let fromZero: readonly string[] = [];
  for (const line of lines) {
    if (!line.startsWith("S ")) continue;
    const [head, list] = line.split(" :");
    const [p, u, d1] = head.split(" ").slice(1).map(Number);
    if (d1 === 0) fromZero = list.trim().split(" ");
    const reached = new Set([...fromZero, ...list.trim().split(" ")]);
    for (let v = 0; v < graph.vertexCount[p]; v++)
      for (let d2 = 0; d2 < graph.factCount[p]; d2++)
        yield { p, u, d1, v, d2, expected: reached.has(`${v}.${d2}`) };
  }
}
