/**
 * From entries to programs: modules are loaded and linked, their functions lowered, values followed, and procedures put
 * together. Everything that depends on where sources come from is the host's.
 */

import { ScopeManager } from "@typescript-eslint/scope-manager";
import { type AskedPrograms, programIndex } from "../ask/program-index.js";
import type { ProgramPosition } from "../ask/program-position.js";
import { InputError } from "../exploded/input-error.js";
import { once } from "../once.js";
import type { Diagnostic, Place } from "../program/diagnostic.js";
import type { SourceFile } from "../program/program.js";
import { type AssembledProgram, assembleLater, assembleLoad, assembleWhole } from "./assembly/assemble.js";
import type { AssemblySource } from "./assembly/assembly-source.js";
import type { EntryOrder } from "./assembly/entry-procedure.js";
import { exportedNames, exportedNodes } from "./assembly/exported-names.js";
import { type Code, hasStep, Names, STEP_SIZE, Step } from "./lower/code.js";
import { earlyCodes } from "./lower/early-codes.js";
import { type LoweredModule, lowerModule } from "./lower/module.js";
import { emptyCode } from "./lower/module-context.js";
import { BindingTable } from "./lower/scope-table.js";
import { laterOrders } from "./modules/later-order.js";
import { type Linkage, link, type Resolution } from "./modules/link.js";
import { loadModules } from "./modules/load.js";
import { type EvaluationOrder, evaluationOrder } from "./modules/order.js";
import type { ModuleGraph, ModuleRequest, ParsedModule, SourceHost } from "./modules/source.js";
import type { Instance } from "./values/abstract-object.js";
import type { ImportTarget, LinkedModule } from "./values/linked-modules.js";
import { ValueAnalysis, type ValueOptions } from "./values/value-analysis.js";

export interface FrontEndOptions extends Partial<ValueOptions> {
  /**
   * What the program of later turns has: every function (default, up to `MOST_FUNCTIONS`; `"complete"`: however many there
   * are), or, for questions about early reads alone, those in which there may be some.
   */
  readonly later?: "all" | "complete" | "early";
  /**
   * Whether to make the program of all executions in which values flow. It has every function, or is not made where there are
   * more than `MOST_FUNCTIONS`, unless `later` is `"complete"`.
   */
  readonly flows?: boolean;
  /** Called with the phase that is running, and how much of it is done. */
  readonly onProgress?: (phase: string, done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** Functions past which those that run at later turns are not all followed: only where there may be early reads. */
export const MOST_FUNCTIONS = 4_000;

export interface JavaScriptProgram {
  /** What entries run while modules are evaluated: one program, or one an entry where CommonJS makes them differ. */
  readonly load: readonly AssembledProgram[];
  /** What may run once they are: every function, called by the host or by others. */
  readonly later: AssembledProgram;
  /** All of these in one program, each entry's modules and then what later turns call, with the flows of values; if asked for. */
  readonly whole: AssembledProgram | undefined;
  /**
   * A position in its sources, to be asked about: see `ProgramIndex.at`. Throws an `InputError` where the program is not
   * complete, and for a position at which nothing can be asked. The first question makes the program of all executions.
   *
   * @example
   * program.at("main.js:1:14").liveVariables();
   */
  at(position: string | Place): ProgramPosition;
  /** What is asked then: executions end with an exception that leaves a module. */
  asked(): AskedPrograms;
  /** Whether `later` has every function. */
  readonly isComplete: boolean;
  readonly files: readonly SourceFile[];
  readonly graph: ModuleGraph;
  readonly diagnostics: readonly Diagnostic[];
  readonly milliseconds: Readonly<Record<"load" | "lower" | "values" | "assemble", number>>;
}

/**
 * Reads the modules that entries reach, and makes programs of them.
 *
 * @example
 * const { load, memoryHost } = await import("phloem/javascript");
 * const program = await load(["main.js"], memoryHost(new Map([["main.js", "export const x = 1;"]])));
 */
export async function load(
  entries: readonly string[],
  host: SourceHost,
  { callbacks = "later", later: wanted = "all", flows = false, onProgress, signal }: FrontEndOptions = {},
): Promise<JavaScriptProgram> {
  const milliseconds = { load: 0, lower: 0, values: 0, assemble: 0 };
  let begin = performance.now();
  const lap = (phase: keyof typeof milliseconds) => {
    const now = performance.now();
    milliseconds[phase] += now - begin;
    begin = now;
    signal?.throwIfAborted();
  };
  const graph = await loadModules(entries, host, {
    ...(onProgress === undefined ? {} : { onProgress: (done, total) => onProgress("load", done, total) }),
    ...(signal === undefined ? {} : { signal }),
  });
  lap("load");
  const diagnostics = [...graph.diagnostics];
  const parsed = [...graph.modules.values()];
  const tables = { names: new Names(), bindings: new BindingTable(), codes: [] as Code[] };
  const lowered = parsed.map((module, index) => {
    onProgress?.("lower", index, parsed.length);
    const result = lower(module, index, tables, diagnostics);
    release(module);
    return result;
  });
  lap("lower");
  const linkage = link(graph);
  const modules = linkModules(parsed, lowered, linkage);
  const values = new ValueAnalysis(modules, tables.bindings.list, tables.names, { callbacks });
  onProgress?.("values", 0, 2);
  values.load();
  lap("values");
  const files = parsed.map(({ displayPath, text }) => ({ path: displayPath, text }));
  const orders = graph.entries.map((entry) => evaluationOrder(graph, entry));
  const requests = requestTable(parsed);
  const awaiting = new Set(
    [...modules.keys()].filter((m) => hasStep(values.moduleInstances[m].code, (kind) => kind === Step.await)),
  );
  const source = (
    order: EvaluationOrder | undefined,
    requireEvaluates: AssemblySource["requireEvaluates"] = (instance, step) =>
      outcomeOf(instance, step, order, requests),
    hasFlows = false,
  ): AssemblySource => ({
    values,
    modules,
    bindings: tables.bindings.list,
    names: tables.names,
    files,
    awaiting,
    hasFlows,
    requireEvaluates,
  });
  const numbers = new Map(parsed.map(({ path }, index) => [path, index]));
  const entryOrders = orders.map((order) => entryOrder(order, graph, numbers));
  const isUniform = parsed.every(({ format }) => format === "esm" || format === "json");
  const programs = isUniform
    ? [assembleLoad(source(undefined), entryOrders)]
    : orders.map((order, i) => assembleLoad(source(order), [entryOrders[i]]));
  lap("assemble");
  onProgress?.("values", 1, 2);
  const root = laterCode(tables.codes.length);
  const isComplete =
    wanted === "complete" || ((wanted === "all" || flows) && tables.codes.length <= MOST_FUNCTIONS);
  const entryNumbers = graph.entries.map((entry) => numbers.get(entry)!);
  const rootInstance = values.runLater(
    root,
    isComplete ? undefined : earlyCodes(tables.codes),
    exportedNodes(entryNumbers, modules, values),
  );
  lap("values");
  const later = assembleLater(source(undefined), rootInstance);
  const assembleTurns = (afterFailure: boolean) =>
    assembleWhole(
      source(undefined, (instance, step) => anyOutcome(orders, requests, instance, step), true),
      entryOrders,
      { root: rootInstance, exported: exportedNames(entryNumbers, modules), afterFailure },
    );
  const whole = flows && isComplete ? assembleTurns(true) : undefined;
  lap("assemble");
  const asked = once((): AskedPrograms => {
    if (!isComplete)
      throw new InputError(
        "program",
        undefined,
        `got one with only some of its ${tables.codes.length} functions, expected option later: "complete"`,
      );
    return {
      executions: [assembleTurns(false).program],
      initialization: [...programs, later].map(({ program }) => program),
    };
  });
  const index = once(() => programIndex(asked()));
  return {
    ...{ load: programs, later, whole, isComplete, files, graph, diagnostics, milliseconds },
    asked,
    at: (position) => index().at(position),
  };
}

function lower(
  module: ParsedModule,
  index: number,
  tables: { readonly names: Names; readonly bindings: BindingTable; readonly codes: Code[] },
  diagnostics: Diagnostic[],
): LoweredModule {
  const elided = new Set(module.requests.filter(({ elided }) => elided).map(({ node }) => node as unknown));
  const requiring = new Set(module.requests.map(({ node }) => node as unknown));
  const syntax = {
    ast: module.ast,
    scopes: module.scopes,
    isCommonJs: module.format === "commonjs" || module.format === "json",
    importsByCall: module.format === "typescript-commonjs",
    inlinesConstEnums: module.typescript && !module.settings.isolatedModules,
    settings: module.settings,
    isElided: (node: unknown) => elided.has(node),
    isRequest: (node: unknown) => requiring.has(node),
  };
  try {
    return lowerModule(index, module.displayPath, syntax, tables);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // The host's stack is used up: an expression is nested thousands of levels deep.
    diagnostics.push({
      file: module.displayPath,
      line: 1,
      column: 1,
      severity: "error",
      message: "Got expressions nested too deeply to be analysed, expected fewer levels.",
    });
    return lowerModule(index, module.displayPath, { ...syntax, ast: { ...module.ast, body: [] } }, tables);
  }
}

/** Nothing reads syntax trees and scopes after lowering, and they are most of the memory. */
function release(module: { -readonly [key in "ast" | "scopes"]: ParsedModule[key] }): void {
  module.ast = { ...module.ast, body: [], comments: [], tokens: [] };
  module.scopes = new ScopeManager({});
}

function linkModules(
  parsed: readonly ParsedModule[],
  lowered: readonly LoweredModule[],
  linkage: Linkage,
): LinkedModule[] {
  const numbers = new Map(parsed.map(({ path }, index) => [path, index]));
  const targetOf = (resolution: Resolution): ImportTarget => {
    if (resolution.kind === "external" || resolution.kind === "missing") return resolution;
    const module = numbers.get(resolution.module);
    return module === undefined ? { kind: "missing" } : { ...resolution, module };
  };
  return parsed.map((module, index) => {
    const imports = new Map<number, ImportTarget>();
    for (const entry of module.imports) {
      const binding = lowered[index].binding(entry.local);
      if (binding !== undefined && !entry.elided)
        imports.set(binding.id, targetOf(linkage.resolveImport(module, entry)));
    }
    const targets = new Map(
      module.requests.map(({ specifier, resolved }) => [
        specifier,
        typeof resolved === "string" ? numbers.get(resolved) : (resolved?.external ?? specifier),
      ]),
    );
    let exported: ReadonlyMap<string, ImportTarget> | undefined;
    return {
      lowered: lowered[index],
      isCommonJs: module.format === "commonjs" || module.format === "json",
      imports,
      target: (specifier) => targets.get(specifier),
      exports() {
        exported ??= new Map(
          Array.from(linkage.exportsOf(module.path).names, ([name, resolution]) => [
            name,
            targetOf(resolution),
          ]),
        );
        return exported;
      },
    };
  });
}

/** Requests by where in a module they stand. */
function requestTable(parsed: readonly ParsedModule[]): ReadonlyMap<string, ModuleRequest> {
  const table = new Map<string, ModuleRequest>();
  for (const [index, { requests }] of parsed.entries()) {
    for (const request of requests) table.set(`${index} ${request.node.range[0]}`, request);
  }
  return table;
}

function outcomeOf(
  instance: Instance,
  step: number,
  order: EvaluationOrder | undefined,
  requests: ReadonlyMap<string, ModuleRequest>,
): "always" | "sometimes" | "never" {
  const request = requests.get(`${instance.code.module} ${instance.code.ranges[2 * step]}`);
  const outcome = request === undefined ? undefined : order?.outcomes.get(request);
  if (outcome === undefined || outcome.kind === "cached" || outcome.kind === "partial") return "never";
  return outcome.kind === "evaluates" ? "always" : "sometimes";
}

/** Over all entries; a `require` that no order knows may evaluate its module at a later turn. */
function anyOutcome(
  orders: readonly EvaluationOrder[],
  requests: ReadonlyMap<string, ModuleRequest>,
  instance: Instance,
  step: number,
): "always" | "sometimes" | "never" {
  const request = requests.get(`${instance.code.module} ${instance.code.ranges[2 * step]}`);
  const isKnown = orders.some(({ outcomes }) => request !== undefined && outcomes.has(request));
  if (!isKnown) return "sometimes";
  const outcomes = new Set(orders.map((order) => outcomeOf(instance, step, order, requests)));
  return outcomes.size === 1 ? [...outcomes][0] : "sometimes";
}

function entryOrder(
  order: EvaluationOrder,
  graph: ModuleGraph,
  numbers: ReadonlyMap<string, number>,
): EntryOrder {
  return {
    name: graph.modules.get(order.entry)!.displayPath,
    modules: order.steps.map(({ module }) => numbers.get(module)!),
    waiting: order.waiting.map(({ module }) => numbers.get(module)!),
    laterModules: laterOrders(graph, order).map((modules) => modules.map((module) => numbers.get(module)!)),
  };
}

/** The event loop: a code that only calls. */
function laterCode(id: number): Code {
  const code = emptyCode(id, -1, {
    name: "later",
    kind: "function",
    parent: undefined,
    range: [0, 0],
    isAsync: false,
    isGenerator: false,
    isArrow: false,
  });
  for (let step = 0; step < 4; step++) {
    for (let i = 0; i < STEP_SIZE; i++) code.steps.push(i === 0 ? Step.join : -1);
    code.ranges.push(0, 0);
  }
  // Start, exit, exceptional exit, and the step at which everything is called, again and again.
  code.edges.push(0, 3, 0, 3, 3, 0, 3, 1, 0);
  return code;
}
