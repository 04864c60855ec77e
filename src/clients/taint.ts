/**
 * Where values from outside can get to. A fact `taint(x, π)` says that x's part at field path π (all of x where π is empty)
 * may come from a source. Not separable: what flows from x to y takes its facts along.
 *
 *     flow y.τ <- x.σ    f(S) = S ∪ {taint(y, τρ) : taint(x, σρ) ∈ S} ∪ ({taint(y, τ)} if taint(x, π) ∈ S, π before σ)
 *
 *                        0  x   x.a  y   y.b                    0  x   x.a  y
 *        y.b <- x.a      |  |`.  |`. |   |          write x     |           |
 *                        0  x  `x.a `y  `y.b                    0           y
 *
 *     write x, declare x    f(S) = S \ {taint(x, *)}
 *     settle, resume        f(S) = S ∪ {taint(x, π) : x captured, or of another activation, and ever tainted at π}
 *     exceptional edges     f(S) = S
 *
 *     call            taint(parameter, π) if taint(argument, π), receivers alike; a rest parameter has its arguments
 *                     somewhere below it; S but for variables of the callee
 *     return          taint(call's result, π) if taint(callee's result, π), unless a sanitizer is called; ∪ what the rules
 *                     say that a source taints
 *     call-to-return  f(S) = what no callee touches, without the call's result; a callee outside the program: S, and
 *                     taint(result) if anything of an argument or the receiver is tainted, unless it is a sanitizer
 *
 *     caller   0  a           0  a         0  .  a       (outside the program)
 *              |\ |           |  |\        |`.   |`.
 *     callee   | 0 p  result  |  | |       |  source's result
 *              |/    /        |  | |
 *     caller   0    r         0  a  r
 *
 *     const id = query("id");     //
 *     const o = { id, n: 1 };     // id
 *     run(o.n);                   // id, o.id
 *     run(escape(o.id));          // id, o.id       escape is a sanitizer
 *     run(o.id);                  // id, o.id       a sink gets what came from query
 *
 * A (variable, path) enters the problem only where the program's flows, in any order, lead from a source to it. Known
 * imprecision: objects are values, so that two variables for one object do not see each other's later changes (a miss);
 * paths end at a bound; branches are taken both ways; one instance of a variable stands for all; conditions that depend on
 * a tainted value taint nothing (a miss, on purpose).
 */

import type { Analysis } from "../analysis.js";
import type { AnalyzeOptions } from "../analyze.js";
import { GrowableUint32 } from "../exploded/growable-uint32.js";
import { type CallSite, OPERATION_SIZE, Op, type Program } from "../program/program.js";
import { AccessPaths } from "./access-paths.js";
import { ClientAnalysis, ClientProblem, checkVertex } from "./client-problem.js";
import { isExternal } from "./control-flow.js";
import type { FlowFunctions, Scope } from "./flow-functions.js";
import { silent } from "./flow-functions.js";
import type { Transfer } from "./transfer.js";

/** What a rule speaks of at a call: the result, the receiver, or an argument by position. */
export type CallPart = "result" | "receiver" | number;

/** What is a source, a sink, a sanitizer: calls by the callee's name as `CallSite.name` has it. */
export interface TaintRules {
  /** Once such a call has returned, these parts are tainted; `["result"]` if not given. */
  readonly sources: readonly { readonly call: string; readonly taints?: readonly CallPart[] }[];
  /**
   * Variables that are tainted at a field path, `""` if not given: parameters and receivers whenever a call gives them a value,
   * variables of the whole program from the start on.
   */
  readonly variables?: readonly { readonly variable: number; readonly path?: string }[];
  /** Values that are tainted: those that variables hold once a vertex has happened, its call included. */
  readonly values?: readonly {
    readonly procedure: number;
    readonly vertex: number;
    readonly variable: number;
  }[];
  /** Nothing tainted may be an argument of these, or the receiver; every argument if not given. */
  readonly sinks: readonly { readonly call: string; readonly parts?: readonly CallPart[] }[];
  /** What these return is clean. */
  readonly sanitizers?: readonly { readonly call: string }[];
}

export interface TaintOptions {
  /** Names of a field path that are told apart; 3 by default. */
  readonly pathBound?: number;
}

/** A variable that may be tainted at a field path; `""` is the whole. */
export interface TaintedPart {
  readonly variable: number;
  readonly path: string;
}

/** A call of a sink with a part that may be tainted. */
export interface TaintedSink {
  readonly procedure: number;
  readonly vertex: number;
  readonly name: string;
  readonly part: CallPart;
  readonly variable: number;
  readonly paths: readonly string[];
}

/**
 * The taint problem of a program. Throws an `InputError` where the program passes a limit. Costs operations, edges, and
 * facts per call.
 *
 * @example
 * const rules = { sources: [{ call: "query" }], sinks: [{ call: "run" }], sanitizers: [{ call: "escape" }] };
 * taint(program, rules).analyze().taintedSinks();
 */
export function taint(program: Program, rules: TaintRules, options: TaintOptions = {}): TaintProblem {
  const { pathBound = 3 } = options;
  if (!(Number.isInteger(pathBound) && 0 <= pathBound))
    throw new RangeError(`Option pathBound: got ${pathBound}, expected an integer that is not negative.`);
  for (const { procedure, vertex } of rules.values ?? []) checkVertex(program, procedure, vertex);
  for (const { variable } of [...(rules.variables ?? []), ...(rules.values ?? [])]) {
    if (!(Number.isInteger(variable) && 0 <= variable && variable < program.variables.length))
      throw new RangeError(`Variables: got ${variable}, expected 0 to ${program.variables.length - 1}.`);
  }
  const paths = new AccessPaths(pathBound);
  const tables = new RuleTables(rules);
  return new TaintProblem(program, tables, paths, taintableParts(program, tables, paths));
}

/** Parts that can be tainted at all: of variable v `start[v] .. start[v + 1]`, paths ascending. */
interface Parts {
  readonly start: Uint32Array;
  readonly path: Uint32Array;
}

export class TaintProblem extends ClientProblem {
  readonly #tables: RuleTables;
  readonly #paths: AccessPaths;
  readonly #parts: Parts;

  /** @internal */
  constructor(program: Program, tables: RuleTables, paths: AccessPaths, parts: Parts) {
    super(program, taintFunctions(program, tables, paths, parts), "taint");
    this.#tables = tables;
    this.#paths = paths;
    this.#parts = parts;
  }

  /** The field path that a fact about a variable speaks of. */
  path(variable: number, tag: number): string {
    return this.#paths.text(this.#parts.path[this.#parts.start[variable] + tag]);
  }

  /** Number of the fact that `variable` is tainted at `path`, or -1 where there is none. */
  factOf(procedure: number, variable: number, path = ""): number {
    const tag = tagOf(this.#parts, variable, this.#paths.id(path));
    return tag < 0 ? -1 : this.fact(procedure, variable, tag);
  }

  /** Summaries, and the solution from the program's entries. */
  analyze(options: AnalyzeOptions | Analysis = {}): Taint {
    return new Taint(this, options);
  }

  /** @internal What is tainted after the operations of a vertex. */
  afterOperations(procedure: number, vertex: number, before: readonly TaintedPart[]): TaintedPart[] {
    const { operationStart, operations } = this.program.procedures[procedure];
    let parts = [...before];
    for (let i = operationStart[vertex]; i < operationStart[vertex + 1]; i++) {
      const [code, v, source, both] = operations.subarray(i * OPERATION_SIZE, (i + 1) * OPERATION_SIZE);
      if (code === Op.write || code === Op.declare) parts = parts.filter(({ variable }) => variable !== v);
      if (code !== Op.flow) continue;
      const from = this.#paths.id(this.program.paths[both & 0xffff]);
      const to = this.#paths.id(this.program.paths[both >>> 16]);
      for (const { variable, path } of [...parts]) {
        const moved = variable === source ? this.#paths.move(this.#paths.id(path), from, to) : -1;
        const text = moved < 0 ? "" : this.#paths.text(moved);
        if (0 <= moved && !parts.some((part) => part.variable === v && part.path === text))
          parts.push({ variable: v, path: text });
      }
    }
    return parts;
  }

  /** @internal Parts of a call that must not be tainted, with their variables. */
  *sinkParts(call: CallSite): Iterable<[part: CallPart, variable: number]> {
    const parts = this.#tables.sinks.get(call.name);
    if (parts === undefined) return;
    for (const part of parts === "arguments" ? call.arguments.keys() : parts) {
      const variable = variableOf(call, part);
      if (0 <= variable) yield [part, variable];
    }
  }
}

export class Taint extends ClientAnalysis<TaintProblem> {
  /** What may be tainted just before a vertex, of one variable or of all. Throws a `RangeError` for numbers out of range. */
  taintedBefore(procedure: number, vertex: number, variable?: number): TaintedPart[] {
    return Array.from(this.factsAt(procedure, vertex, variable), ({ variable: v, tag }) => ({
      variable: v,
      path: this.problem.path(v, tag),
    }));
  }

  /**
   * Every call of a sink that an execution from an entry may get to with a tainted part, in the order of procedures and
   * calls. What the operations of the call's own vertex do counts, as they happen before it.
   */
  taintedSinks(): TaintedSink[] {
    const found: TaintedSink[] = [];
    for (const [procedure, { calls }] of this.problem.program.procedures.entries()) {
      for (const call of calls) {
        for (const [part, variable] of this.problem.sinkParts(call)) {
          const paths = this.#taintedAtCall(procedure, call.vertex, variable);
          if (0 < paths.length)
            found.push({ procedure, vertex: call.vertex, name: call.name, part, variable, paths });
        }
      }
    }
    return found;
  }

  /** Paths at which a variable is tainted after the operations of a vertex. */
  #taintedAtCall(procedure: number, vertex: number, variable: number): string[] {
    const { operationStart } = this.problem.program.procedures[procedure];
    const before = this.taintedBefore(procedure, vertex);
    const after =
      operationStart[vertex] === operationStart[vertex + 1]
        ? before
        : this.problem.afterOperations(procedure, vertex, before);
    return after.filter((part) => part.variable === variable).map(({ path }) => path);
  }
}

const RESULT: readonly CallPart[] = ["result"];

/** The rules by callee name. */
class RuleTables {
  readonly sources = new Map<string, Set<CallPart>>();
  readonly sinks = new Map<string, Set<CallPart> | "arguments">();
  readonly sanitizers: ReadonlySet<string>;
  readonly variables: NonNullable<TaintRules["variables"]>;
  readonly values: NonNullable<TaintRules["values"]>;

  constructor({ sources, sinks, sanitizers = [], variables = [], values = [] }: TaintRules) {
    this.variables = variables;
    this.values = values;
    for (const { call, taints } of sources) {
      this.sources.set(call, new Set<CallPart>([...(this.sources.get(call) ?? []), ...(taints ?? RESULT)]));
    }
    for (const { call, parts } of sinks) {
      const known = this.sinks.get(call);
      if (parts === undefined || known === "arguments") this.sinks.set(call, "arguments");
      else this.sinks.set(call, new Set<CallPart>([...(known ?? []), ...parts]));
    }
    this.sanitizers = new Set(sanitizers.map(({ call }) => call));
  }
}

function variableOf(call: CallSite, part: CallPart): number {
  if (part === "result") return call.result;
  if (part === "receiver") return call.receiver;
  return call.arguments[part] ?? -1;
}

function tagOf({ start, path }: Parts, v: number, wanted: number): number {
  for (let i = start[v]; i < start[v + 1]; i++) if (path[i] === wanted) return i - start[v];
  return -1;
}

function taintFunctions(
  program: Program,
  tables: RuleTables,
  paths: AccessPaths,
  parts: Parts,
): FlowFunctions {
  const { start, path } = parts;
  const programPath = program.paths.map((text) => paths.id(text));
  const below = paths.id(".*");
  const factsOf = Uint32Array.from({ length: start.length - 1 }, (_, v) => start[v + 1] - start[v]);
  const tainted = tables.variables.map(({ variable, path: at = "" }) => ({
    variable,
    tag: tagOf(parts, variable, paths.id(at)),
  }));
  const tagsOf = new Map<number, number[]>();
  for (const { variable, tag } of tainted) tagsOf.set(variable, [...(tagsOf.get(variable) ?? []), tag]);
  /** By procedure and vertex: variables that are tainted after the operations, and results that are after the call. */
  const stepValues = new Map<string, number[]>();
  const callResults = new Set<string>();
  for (const { procedure, vertex, variable } of tables.values) {
    const at = `${procedure} ${vertex}`;
    const isResult = program.procedures[procedure].calls.some(
      (call) => call.vertex === vertex && call.result === variable,
    );
    if (isResult) callResults.add(at);
    else stepValues.set(at, [...(stepValues.get(at) ?? []), variable]);
  }
  return {
    ...silent,
    direction: "forward",
    factsOf,
    begins(visit) {
      for (const { variable, tag } of tainted) visit(variable, tag);
    },
    entered(_, variable, visit) {
      for (const tag of tagsOf.get(variable) ?? []) visit(tag);
    },
    step(transfer, scope, vertex) {
      const { operationStart, operations } = scope.procedure;
      for (let i = operationStart[vertex]; i < operationStart[vertex + 1]; i++) {
        const at = i * OPERATION_SIZE;
        const v = operations[at + 1];
        switch (operations[at]) {
          case Op.write:
          case Op.declare:
            if (scope.first[v] !== 0) transfer.kill(scope.first[v], factsOf[v]);
            break;
          case Op.flow: {
            const source = operations[at + 2];
            const from = programPath[operations[at + 3] & 0xffff];
            const to = programPath[operations[at + 3] >>> 16];
            copyParts(transfer, scope, source, v, from, to);
            break;
          }
          case Op.settle:
          case Op.resume:
            for (const other of scope.outer) transfer.generateAll(scope.first[other], factsOf[other]);
            break;
        }
      }
      if (stepValues.size === 0) return;
      for (const v of stepValues.get(`${scope.id} ${vertex}`) ?? [])
        if (scope.first[v] !== 0) transfer.generate(scope.first[v] + tagOf(parts, v, 0));
    },
    pass(from, to, part, visit) {
      for (let i = start[from]; i < start[from + 1]; i++) {
        const tag = tagOf(parts, to, paths.move(path[i], 0, part ? below : 0));
        if (0 <= tag) visit(i - start[from], tag);
      }
    },
    returned(caller, call, visit) {
      if (callResults.has(`${caller} ${call.vertex}`)) visit(call.result, tagOf(parts, call.result, 0));
      for (const part of tables.sources.get(call.name) ?? []) {
        const v = variableOf(call, part);
        const tag = v < 0 ? -1 : tagOf(parts, v, 0);
        if (0 <= tag) visit(v, tag);
      }
    },
    passesResult: ({ name }) => !tables.sanitizers.has(name),
    derived(scope, call, visit) {
      if (tables.sanitizers.has(call.name)) return;
      const result = scope.first[call.result];
      const tag = tagOf(parts, call.result, 0);
      if (result === 0 || tag < 0) return;
      for (const v of [...call.arguments, call.receiver]) {
        if (v < 0 || scope.first[v] === 0) continue;
        for (let t = 0; t < factsOf[v]; t++) visit(scope.first[v] + t, result + tag);
      }
    },
  };

  function copyParts(
    transfer: Transfer,
    scope: Scope,
    source: number,
    target: number,
    from: number,
    to: number,
  ): void {
    if (scope.first[source] === 0 || scope.first[target] === 0) return;
    // At once, for a flow within one variable: `x.next = x`.
    const before: number[] = [];
    const after: number[] = [];
    for (let i = start[source]; i < start[source + 1]; i++) {
      const moved = paths.move(path[i], from, to);
      const tag = moved < 0 ? -1 : tagOf(parts, target, moved);
      if (tag < 0) continue;
      before.push(scope.first[source] + i - start[source]);
      after.push(scope.first[target] + tag);
    }
    transfer.copyAll(before, after);
  }
}

/** Follows all flows of the program in any order, from what the sources taint. */
function taintableParts(program: Program, tables: RuleTables, paths: AccessPaths): Parts {
  const { procedures, variables } = program;
  const programPath = program.paths.map((text) => paths.id(text));
  const below = paths.id(".*");
  const ANY = 0xffffffff;
  const source = new GrowableUint32();
  const target = new GrowableUint32();
  const from = new GrowableUint32();
  const to = new GrowableUint32();
  /** `before` ANY: whatever is tainted of the source taints all of the target. */
  const connect = (u: number, v: number, before: number, after: number) => {
    if (u < 0 || v < 0) return;
    source.push(u);
    target.push(v);
    from.push(before);
    to.push(after);
  };
  const found = new Map<number, Set<number>>();
  const queue: number[] = [];
  const add = (v: number, path: number) => {
    if (v < 0) return;
    let known = found.get(v);
    if (known === undefined) {
      known = new Set();
      found.set(v, known);
    }
    if (known.has(path)) return;
    known.add(path);
    queue.push(v, path);
  };
  for (const { variable, path = "" } of tables.variables) add(variable, paths.id(path));
  for (const { variable } of tables.values) add(variable, 0);
  for (const { operations, calls } of procedures) {
    for (let i = 0; i < operations.length; i += OPERATION_SIZE) {
      if (operations[i] !== Op.flow) continue;
      const both = operations[i + 3];
      connect(operations[i + 2], operations[i + 1], programPath[both & 0xffff], programPath[both >>> 16]);
    }
    for (const call of calls) {
      const clean = tables.sanitizers.has(call.name);
      for (const part of tables.sources.get(call.name) ?? []) add(variableOf(call, part), 0);
      for (const q of call.callees) {
        const { parameters, rest, result, receiver } = procedures[q];
        const last = parameters.length - 1;
        for (let i = 0; i < call.arguments.length; i++) {
          const isRest = rest && last <= i;
          if (!isRest && last < i) continue;
          connect(call.arguments[i], parameters[isRest ? last : i], 0, isRest ? below : 0);
        }
        connect(call.receiver, receiver, 0, 0);
        if (!clean) connect(result, call.result, 0, 0);
      }
      if (!isExternal(call) || clean) continue;
      for (const v of call.arguments) connect(v, call.result, ANY, 0);
      connect(call.receiver, call.result, ANY, 0);
    }
  }
  const edgeStart = new Uint32Array(variables.length + 1);
  for (let i = 0; i < source.length; i++) edgeStart[source.items[i] + 1]++;
  for (let v = 0; v < variables.length; v++) edgeStart[v + 1] += edgeStart[v];
  const edges = new Uint32Array(source.length);
  const fill = edgeStart.slice(0, variables.length);
  for (let i = 0; i < source.length; i++) edges[fill[source.items[i]]++] = i;

  while (0 < queue.length) {
    const path = queue.pop()!;
    const v = queue.pop()!;
    for (let k = edgeStart[v]; k < edgeStart[v + 1]; k++) {
      const edge = edges[k];
      const before = from.items[edge];
      const moved = before === ANY ? 0 : paths.move(path, before, to.items[edge]);
      if (0 <= moved) add(target.items[edge], moved);
    }
  }
  const start = new Uint32Array(variables.length + 1);
  for (const [v, known] of found) start[v + 1] = known.size;
  for (let v = 0; v < variables.length; v++) start[v + 1] += start[v];
  const path = new Uint32Array(start[variables.length]);
  for (const [v, known] of found) path.set(Uint32Array.from(known).sort(), start[v]);
  return { start, path };
}
