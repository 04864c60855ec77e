/**
 * From instances of codes to a `Program`: each instance becomes a procedure, each step a vertex, and what the value analysis
 * found out becomes call sites. Steps that change nothing and call nothing vanish.
 *
 * What suspends runs in parts. An async function goes on after its first `await` in a second copy of its graph, which starts
 * at a later turn and never returns to the caller. A generator that is asked for one element runs from its start to a first
 * `yield`, or from behind any `yield` in a second copy.
 */

import {
  type Assignment,
  Op,
  type Procedure,
  type ProcedureKind,
  type Program,
  type Variable,
} from "../program/program.js";
import type { AssemblySource } from "./assembly-source.js";
import type { ExportedName } from "./exported-names.js";
import { Failures } from "./failures.js";
import {
  ANY_NAME,
  ASSIGNED,
  type Binding,
  bindingId,
  type CallCode,
  type Code,
  EXCEPTION,
  EXIT,
  isBinding,
  NONE,
  START,
  STEP_SIZE,
  Step,
} from "./lower/code.js";
import {
  type CallValues,
  NO_CALL_VALUES,
  NO_PROCEDURE_VALUES,
  ProcedureBuilder,
} from "./procedure-builder.js";
import { type NamedVariables, ValueFlows } from "./value-flows.js";
import { ValueVariables } from "./value-variables.js";
import type { AbstractObject, Instance, Part, StepCall } from "./values/abstract-object.js";

/** Modules that an entry evaluates. */
export interface EntryOrder {
  readonly name: string;
  /** What begins at once, in order; those that await go on once all of these have begun. */
  readonly modules: readonly number[];
  /** What begins after others have gone on. */
  readonly waiting: readonly number[];
  /** Modules that `import()` evaluates at later turns, each with what it needs first. */
  readonly laterModules: readonly (readonly number[])[];
}

/** How a procedure runs its code. */
type Variant = Part;

export interface AssembledProgram {
  readonly program: Program;
  /** The instance that a procedure runs; undefined for entries. */
  readonly instances: readonly (Instance | undefined)[];
  /** Name under which a vertex reads a variable, where it is not the variable's own: that of the import. */
  nameAt(procedure: number, vertex: number): string | undefined;
  /**
   * Where values flow: what else a call may call, outside the program, under names that are the same everywhere, as
   * `child_process.exec`, `location.assign`.
   */
  outsideNamesAt(procedure: number, vertex: number): readonly string[];
  /** Where values flow: vertices at which the source assigns a value for somebody to read, with the variable. */
  readonly assignments: readonly Assignment[];
  /** Where values flow: variables that other modules may read under the names they are exported by. */
  readonly exported: ReadonlySet<number>;
}

export function assembleLoad(source: AssemblySource, entries: readonly EntryOrder[]): AssembledProgram {
  const assembly = new Assembly(source);
  for (const entry of entries) assembly.addEntry(entry);
  return assembly.finish();
}

/** What runs once all modules are evaluated: everything that the host, or whoever imports them, may call. */
export function assembleLater(source: AssemblySource, root: Instance): AssembledProgram {
  const assembly = new Assembly(source);
  assembly.addRoot(root);
  return assembly.finish();
}

/** What happens once all modules are evaluated. */
export interface LaterTurns {
  /** Called again and again. */
  readonly root: Instance;
  /** What others may read between turns. */
  readonly exported: readonly ExportedName[];
  /** Whether turns come even after a module has failed. */
  readonly afterFailure: boolean;
}

/** Both, one after the other: all executions, from the first module to the last turn. */
export function assembleWhole(
  source: AssemblySource,
  entries: readonly EntryOrder[],
  turns: LaterTurns,
): AssembledProgram {
  const assembly = new Assembly(source);
  for (const entry of entries) assembly.addEntry(entry, turns);
  return assembly.finish();
}

class Assembly implements NamedVariables {
  readonly #source: AssemblySource;
  readonly #procedures: Procedure[] = [];
  readonly #instances: (Instance | undefined)[] = [];
  readonly #entries: number[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #work: { readonly instance: Instance; readonly variant: Variant; readonly number: number }[] = [];
  readonly #variables: Variable[] = [];
  readonly #variableOfNode = new Map<number, number>();
  readonly #exportVariables = new Map<string, number>();
  readonly #names = new Map<string, string>();
  readonly #outsideNames = new Map<string, readonly string[]>();
  readonly #assignments: Assignment[] = [];
  /** Where values flow: variables that no source names. */
  readonly values: ValueVariables | undefined;
  /** Calls what others have handed over: put together last, when all of that is known. */
  #last: { readonly instance: Instance; readonly number: number } | undefined;

  readonly failures: Failures;

  constructor(source: AssemblySource) {
    this.#source = source;
    this.failures = new Failures(source.values, source.modules, source.bindings);
    if (source.hasFlows)
      this.values = new ValueVariables(this.#variables, source.names, (instance) =>
        this.#number(instance, "whole"),
      );
  }

  addEntry({ name, modules, waiting, laterModules }: EntryOrder, turns?: LaterTurns): void {
    const builder = new ProcedureBuilder();
    const start = builder.vertex(0, 0);
    // Nothing can get at a module that only `import()` asks for before it is evaluated.
    const atOnce = new Set([...modules, ...waiting]);
    const later = new Set(
      turns === undefined ? laterModules.flat().filter((module) => !atOnce.has(module)) : [],
    );
    for (const module of this.#source.modules.keys())
      if (!later.has(module)) this.#declareModule(builder, start, module);
    const exit = builder.vertex(0, 0);
    const failure = builder.vertex(0, 0);
    const awaits = (module: number) =>
      hasStep(this.#source.values.moduleInstances[module].code, (kind) => kind === Step.await);
    /** The vertex behind a part of a module; `goesOn`: where to if it fails, beside the end of everything. */
    const evaluatePart = (from: number, module: number, part: Part, goesOn?: number): number => {
      const call = builder.vertex(0, 0);
      const next = builder.vertex(0, 0);
      builder.edge(from, call);
      const instance = this.#source.values.moduleInstances[module];
      let failed = failure;
      if (awaits(module)) {
        // A module that awaits is a promise: modules that do not wait for it are evaluated even if it is rejected.
        failed = builder.vertex(0, 0);
        builder.edge(failed, failure);
        builder.edge(failed, goesOn ?? next);
      }
      builder.calls.push({
        ...NO_CALL_VALUES,
        vertex: call,
        returnSite: next,
        exceptionalReturnSite: failed,
        callees: [this.#number(instance, part)],
        external: false,
        name: instance.code.name,
      });
      return next;
    };
    const evaluate = (from: number, order: readonly number[]): number => {
      let at = from;
      for (const module of order) at = evaluatePart(at, module, "whole");
      return at;
    };
    /** What begins at once: a module that awaits is suspended while those behind it begin. */
    const begin = (from: number): number => {
      const suspended = this.values === undefined ? modules.slice(0, -1).filter(awaits) : [];
      const isSuspended = new Set(suspended);
      // Where one has failed, those behind it begin all the same, and that is all that is followed.
      const failing = suspended.length === 0 ? [] : modules.map(() => builder.vertex(0, 0));
      let at = from;
      for (const [i, module] of modules.entries()) {
        const part = isSuspended.has(module) ? "first" : "whole";
        at = evaluatePart(at, module, part, part === "first" ? failing[i + 1] : undefined);
        if (i === 0 || failing.length === 0) continue;
        const behind = evaluatePart(failing[i], module, part, failing[i + 1] ?? failure);
        builder.edge(behind, failing[i + 1] ?? failure);
      }
      // What waits for one that fails does not begin; the others go on.
      const left = suspended.map(() => builder.vertex(0, 0));
      for (const [i, module] of suspended.entries()) {
        at = evaluatePart(at, module, "rest", left[i + 1] ?? failure);
        if (i === 0) continue;
        const behind = evaluatePart(left[i], module, "rest", left[i + 1] ?? failure);
        builder.edge(behind, left[i + 1] ?? failure);
      }
      return at;
    };
    const loaded = evaluate(begin(start), waiting);
    builder.edge(loaded, exit);
    for (const order of laterModules) {
      const first = builder.vertex(0, 0);
      builder.edge(loaded, first);
      for (const module of order) if (later.has(module)) this.#declareModule(builder, first, module);
      builder.edge(evaluate(first, order), turns === undefined ? exit : loaded);
    }
    if (turns !== undefined) {
      for (const { module, name } of turns.exported) {
        const instance = this.#source.values.moduleInstances[module];
        const binding = this.#source.modules[module].lowered.binding(name);
        const origin = binding === undefined ? undefined : this.resolve(instance, binding);
        if (origin !== undefined)
          builder.operation(loaded, Op.read, this.variableOf(origin.owner, origin.binding));
      }
      const call = builder.vertex(0, 0);
      const failed = builder.vertex(0, 0);
      for (const from of [loaded, failed]) builder.edge(from, call);
      // Other modules may have been evaluated.
      if (turns.afterFailure) builder.edge(failure, call);
      builder.calls.push({
        ...NO_CALL_VALUES,
        vertex: call,
        returnSite: loaded,
        exceptionalReturnSite: failed,
        callees: [this.#number(turns.root, "whole")],
        external: false,
        name: turns.root.code.name,
      });
      // What was waiting goes on in any order; the entry itself gets the next number.
      const waits = this.#source.values.instances.some(({ code }) =>
        hasStep(code, (kind) => kind === Step.await || kind === Step.yield),
      );
      if (waits) builder.operation(call, Op.settle, this.#procedures.length);
    }
    const number = this.#add(
      builder.finish({
        name,
        kind: "entry",
        file: -1,
        start: 0,
        end: 0,
        exit,
        exceptionalExit: turns?.afterFailure ? builder.vertex(0, 0) : failure,
      }),
      undefined,
    );
    this.#entries.push(number);
  }

  addRoot(root: Instance): void {
    this.#entries.push(this.#number(root, "whole"));
  }

  finish(): AssembledProgram {
    this.#build();
    if (this.#last !== undefined) {
      const { instance, number } = this.#last;
      this.#procedures[number] = new InstanceAssembly(this.#source, instance, "whole", this).build(number);
      this.#build();
    }
    const names = this.#names;
    const outside = this.#outsideNames;
    return {
      program: {
        files: this.#source.files,
        variables: this.#variables,
        procedures: this.#procedures,
        entries: this.#entries,
        paths: this.values?.paths ?? [""],
      },
      instances: this.#instances,
      nameAt: (procedure, vertex) => names.get(`${procedure} ${vertex}`),
      outsideNamesAt: (procedure, vertex) => outside.get(`${procedure} ${vertex}`) ?? [],
      assignments: this.#assignments,
      exported: this.#exported(),
    };
  }

  #built = 0;

  /** Puts together the procedures that are numbered by now, and those that they call. */
  #build(): void {
    while (this.#built < this.#work.length) {
      const { instance, variant, number } = this.#work[this.#built++];
      if (this.values !== undefined && instance.code.module < 0) {
        this.#last = { instance, number };
        for (const calls of instance.calls.values()) for (const call of calls) this.numberOf(call);
        continue;
      }
      this.#procedures[number] = new InstanceAssembly(this.#source, instance, variant, this).build(number);
    }
  }

  #exported(): ReadonlySet<number> {
    const found = new Set<number>();
    if (this.values === undefined) return found;
    const { values, modules } = this.#source;
    for (const module of modules) {
      for (const target of module.exports().values()) {
        if (target.kind !== "binding") continue;
        const instance = values.moduleInstances[target.module];
        const binding = modules[target.module].lowered.binding(target.name);
        const origin = binding === undefined ? undefined : this.resolve(instance, binding);
        const variable = origin === undefined ? undefined : this.#variableOfNode.get(nodeOf(origin));
        if (variable !== undefined) found.add(variable);
      }
    }
    return found;
  }

  #add(procedure: Procedure, instance: Instance | undefined): number {
    this.#procedures.push(procedure);
    this.#instances.push(instance);
    return this.#procedures.length - 1;
  }

  /** The number of the procedure of an instance, which is made later. */
  #number(instance: Instance, variant: Variant): number {
    const key = `${instance.id} ${variant}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#add(PLACEHOLDER, instance);
      this.#numbers.set(key, number);
      this.#work.push({ instance, variant, number });
    }
    return number;
  }

  numberOf({ target, runs }: Pick<StepCall, "target" | "runs">): number {
    return this.#number(target, runs);
  }

  numberOfModule(module: number): number {
    return this.#number(this.#source.values.moduleInstances[module], "whole");
  }

  nameOutside(procedure: number, vertex: number, names: readonly string[]): void {
    if (0 < names.length) this.#outsideNames.set(`${procedure} ${vertex}`, names);
  }

  assigned(assignment: Assignment): void {
    this.#assignments.push(assignment);
  }

  resolve(
    instance: Instance,
    binding: Binding,
  ): { readonly owner: Instance; readonly binding: Binding } | undefined {
    const { values, modules } = this.#source;
    let { module } = instance.code;
    let target = binding;
    for (let hops = 0; target.kind === "import"; hops++) {
      const meaning = values.importTarget(module, target);
      if (meaning.kind !== "binding" || 64 < hops) return undefined;
      module = meaning.module;
      const next = modules[module].lowered.binding(meaning.name);
      if (next === undefined) return undefined;
      target = next;
    }
    const owner =
      target === binding ? values.ownerInstance(instance, target) : values.moduleInstances[module];
    return owner === undefined ? undefined : { owner, binding: target };
  }

  rename(procedure: number, vertex: number, name: string): void {
    this.#names.set(`${procedure} ${vertex}`, name);
  }

  /** All names of a module's top level exist, uninitialized, before anything runs. */
  #declareModule(builder: ProcedureBuilder, vertex: number, module: number): void {
    const instance = this.#source.values.moduleInstances[module];
    for (const binding of instance.code.bindings) {
      if (binding.deadZone) builder.operation(vertex, Op.declare, this.variableOf(instance, binding));
    }
    const { isCommonJs } = this.#source.modules[module];
    if (isCommonJs) {
      for (const name of this.trackedExports(module))
        builder.operation(vertex, Op.declare, this.exportVariable(module, name));
    }
  }

  /** The variable of a binding in an activation. */
  variableOf(owner: Instance, binding: Binding): number {
    const node = nodeOf({ owner, binding });
    let number = this.#variableOfNode.get(node);
    if (number === undefined) {
      number = this.#variables.length;
      this.#variableOfNode.set(node, number);
      const isModule = owner.code.kind === "module";
      this.#variables.push({
        name: binding.name,
        kind: binding.kind,
        owner: isModule ? -1 : this.#number(owner, "whole"),
        deadZone: binding.deadZone,
        throwsEarly: binding.throwsEarly,
        file: owner.code.module,
        start: binding.start,
        end: binding.end,
      });
    }
    return number;
  }

  variable(number: number): Variable {
    return this.#variables[number];
  }

  exportVariable(module: number, name: number): number {
    const key = `${module} ${name}`;
    let number = this.#exportVariables.get(key);
    if (number === undefined) {
      number = this.#variables.length;
      this.#exportVariables.set(key, number);
      this.#variables.push({
        name: this.#source.names.list[name],
        kind: "export",
        owner: -1,
        deadZone: true,
        throwsEarly: false,
        file: module,
        start: 0,
        end: 0,
      });
    }
    return number;
  }

  readonly #tracked = new Map<number, ReadonlySet<number>>();

  /** Properties of `exports` that a CommonJS module assigns, by name. */
  trackedExports(module: number): ReadonlySet<number> {
    let tracked = this.#tracked.get(module);
    if (tracked === undefined) {
      const names = new Set<number>();
      for (const instance of this.#source.values.instances) {
        if (instance.code.module !== module) continue;
        const { steps } = instance.code;
        for (let at = 0; at < steps.length; at += STEP_SIZE) {
          if (steps[at] !== Step.store || steps[at + 3] === ANY_NAME) continue;
          const objects = this.#source.values.objectsOf(instance, steps[at + 1]);
          if (objects.some((object) => isExports(object, module))) names.add(steps[at + 3]);
          if (!objects.some((object) => object.name === "module" && object.module === module)) continue;
          for (const value of this.#source.values.objectsOf(instance, steps[at + 2])) {
            if (value.kind === "object") for (const name of value.fields.keys()) names.add(name);
          }
        }
      }
      tracked = names;
      this.#tracked.set(module, tracked);
    }
    return tracked;
  }
}

const nodeOf = ({ owner, binding }: { readonly owner: Instance; readonly binding: Binding }): number =>
  owner.base + binding.slot;

export function isExports(object: AbstractObject, module: number): boolean {
  return object.kind === "object" && object.name === "exports" && object.module === module;
}

const PLACEHOLDER: Procedure = {
  name: "",
  kind: "function",
  file: -1,
  start: 0,
  end: 0,
  vertexCount: 0,
  exit: 0,
  exceptionalExit: 0,
  ranges: new Uint32Array(0),
  operationStart: new Uint32Array(1),
  operations: new Uint32Array(0),
  edges: new Uint32Array(0),
  exceptional: new Uint8Array(0),
  calls: [],
  ...NO_PROCEDURE_VALUES,
};

/** One instance as a procedure. */
class InstanceAssembly {
  readonly #source: AssemblySource;
  readonly #instance: Instance;
  readonly #variant: Variant;
  readonly #assembly: Assembly;
  readonly #builder = new ProcedureBuilder();
  readonly #flows: ValueFlows | undefined;
  /** By register: the variable without a dead zone that throws, whose value it holds. */
  readonly #lateVariable = new Map<number, number>();
  /** Vertices that may throw for want of a value. */
  readonly #demands = new Set<number>();
  /** First step's vertex of the second copy. */
  readonly #second: number;

  constructor(source: AssemblySource, instance: Instance, variant: Variant, assembly: Assembly) {
    this.#source = source;
    this.#instance = instance;
    this.#variant = variant;
    this.#assembly = assembly;
    this.#second = instance.code.steps.length / STEP_SIZE;
    if (assembly.values !== undefined)
      this.#flows = new ValueFlows(source, instance, assembly, assembly.values, this.#builder);
  }

  build(number: number): Procedure {
    const { code } = this.#instance;
    const builder = this.#builder;
    const count = this.#second;
    const isAsync = code.isAsync && code.kind !== "module";
    const isPart = this.#variant !== "whole";
    const suspendsAt = (kind: number) =>
      (isAsync && (kind === Step.await || (kind === Step.yield && code.isGenerator))) ||
      (isPart && kind === (code.kind === "module" ? Step.await : Step.yield));
    const copies = hasStep(code, suspendsAt) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      for (let step = 0; step < count; step++)
        builder.vertex(code.ranges[2 * step], code.ranges[2 * step + 1]);
    }
    // Nothing leaves it: what goes on at a later turn ends there.
    const sink = isAsync ? builder.vertex(code.end, code.end) : -1;
    const targets = this.#outgoing();
    const never = this.#stepsOfNoTurn();
    const self = this.#assembly.numberOf({ target: this.#instance, runs: "whole" });
    const values = this.#flows?.procedure() ?? NO_PROCEDURE_VALUES;
    // Who waits for it finds all that it has done by then.
    if (this.#flows !== undefined && 0 <= sink) builder.edge(sink, EXIT);
    for (let copy = 0; copy < copies; copy++) {
      const base = copy * count;
      for (let step = 0; step < count; step++) {
        const vertex = base + step;
        const kind = code.steps[step * STEP_SIZE];
        const before = builder.useCount;
        this.#operations(number, step, vertex);
        const asks = before < builder.useCount;
        // Loads have a way out only within handlers; of a namespace they need one everywhere.
        if (
          (this.#demands.has(vertex) || (asks && kind === Step.load)) &&
          !targets.exceptional.subarray(targets.start[step], targets.start[step + 1]).includes(1)
        )
          builder.edge(vertex, this.#place(EXCEPTION, base, isAsync, copy, sink), 1);
        const leave = this.#calls(
          number,
          step,
          vertex,
          (target) => this.#place(target, base, isAsync, copy, sink),
          targets,
        );
        const resumed = suspendsAt(kind) ? this.#suspend(step, vertex, kind, copy, self, sink) : -1;
        const isSafe = leave === vertex && !asks && this.#isSafe(step);
        const failing = kind === Step.throw && this.#flows !== undefined ? this.#after(vertex, step) : vertex;
        for (let e = targets.start[step]; e < targets.start[step + 1]; e++) {
          const target = targets.target[e];
          const exceptional = targets.exceptional[e];
          if (never.has(target) || (vertex === START && this.#variant === "rest")) continue;
          // Only who asks for the next element step by step can throw into the generator.
          if (exceptional === 1 && kind === Step.yield && this.#variant !== "either") continue;
          if (0 <= resumed) builder.edge(resumed, this.#place(target, count, isAsync, 1, sink), exceptional);
          else {
            const to = this.#place(target, base, isAsync, copy, sink);
            if (exceptional === 0) builder.edge(leave, to);
            else if (leave === vertex && !isSafe) builder.edge(failing, to, 1);
          }
        }
      }
    }
    // It may have come to its end before.
    if (this.#variant === "either" || (this.#variant === "rest" && this.#firstAwaits().has(EXIT)))
      builder.edge(START, EXIT);
    return builder.finish(
      {
        name: code.name,
        kind: code.kind as ProcedureKind,
        file: code.module,
        start: code.start,
        end: code.end,
        exit: EXIT,
        exceptionalExit: EXCEPTION,
      },
      values,
    );
  }

  /** What happens at a vertex has happened behind it, also if the step then throws. */
  #after(vertex: number, step: number): number {
    const { ranges } = this.#instance.code;
    const after = this.#builder.vertex(ranges[2 * step], ranges[2 * step + 1]);
    this.#builder.edge(vertex, after);
    return after;
  }

  /** Ends a part at a step; returns the vertex from which the next one, in the second copy, goes on. */
  #suspend(step: number, vertex: number, kind: number, copy: number, self: number, sink: number): number {
    const builder = this.#builder;
    const end = this.#instance.code.ranges[2 * step + 1];
    const resumed = builder.vertex(end, end);
    if (this.#instance.code.kind === "module") {
      // Once it has gone on, awaiting again changes nothing: others are in the order of their entry.
      if (copy === 1) builder.edge(vertex, resumed);
      else if (this.#variant === "first") builder.edge(vertex, EXIT);
      else if (this.#firstAwaits().has(step)) builder.edge(START, resumed);
      return resumed;
    }
    const waits = 0 <= sink;
    builder.edge(vertex, waits && copy === 1 ? sink : EXIT);
    if (this.#variant !== "whole" && kind === Step.yield) {
      // Somebody asks for more: all but the generator's own variables are as that caller sees them.
      if (copy === 0 && this.#variant !== "first") builder.edge(START, resumed);
    } else {
      // What may throw on going on does so in the state of that turn.
      const waiting = builder.vertex(end, end);
      builder.operation(waiting, this.#source.hasTopLevelAwait ? Op.resume : Op.settle, self);
      builder.edge(vertex, waiting);
      builder.edge(waiting, resumed);
    }
    return resumed;
  }

  #awaitsFirst: ReadonlySet<number> | undefined;

  /** Of a module: the steps at which it may be suspended first, and its exit if it may get there before. */
  #firstAwaits(): ReadonlySet<number> {
    if (this.#awaitsFirst !== undefined) return this.#awaitsFirst;
    const { code } = this.#instance;
    const found = new Set<number>();
    const seen = new Set([START]);
    const { start, target } = this.#outgoing();
    for (const step of seen) {
      if (code.steps[step * STEP_SIZE] === Step.await || step === EXIT) found.add(step);
      else for (let e = start[step]; e < start[step + 1]; e++) seen.add(target[e]);
    }
    this.#awaitsFirst = code.kind === "module" ? found : new Set();
    return this.#awaitsFirst;
  }

  /** Where a step stands in a copy. Promises swallow exceptions, and what runs at a later turn returns to nobody. */
  #place(step: number, base: number, isAsync: boolean, copy: number, sink: number): number {
    if (step !== EXIT && step !== EXCEPTION) return base + step;
    if (!isAsync) return step;
    return copy === 0 ? EXIT : sink;
  }

  /** Steps that stand for an iteration over nothing, where there is something for sure. */
  #stepsOfNoTurn(): ReadonlySet<number> {
    const steps = new Set<number>();
    const { code } = this.#instance;
    for (let step = 0; step < this.#second; step++) {
      if (code.steps[step * STEP_SIZE] !== Step.call) continue;
      const { emptyTo, receiver } = code.calls[code.steps[step * STEP_SIZE + 1]];
      if (emptyTo !== undefined && this.#source.values.isNonEmpty(this.#instance, step, receiver))
        steps.add(emptyTo);
    }
    return steps;
  }

  #outgoing(): Outgoing {
    const { edges } = this.#instance.code;
    const start = new Uint32Array(this.#second + 1);
    for (let e = 0; e < edges.length; e += 3) start[edges[e] + 1]++;
    for (let v = 0; v < this.#second; v++) start[v + 1] += start[v];
    const next = start.slice();
    const target = new Uint32Array(edges.length / 3);
    const exceptional = new Uint8Array(edges.length / 3);
    for (let e = 0; e < edges.length; e += 3) {
      const at = next[edges[e]]++;
      target[at] = edges[e + 1];
      exceptional[at] = edges[e + 2];
    }
    return { start, target, exceptional };
  }

  /** Adds what a step does to variables. */
  #operations(procedure: number, step: number, vertex: number): void {
    this.#accesses(procedure, step, vertex);
    this.#flows?.step(step, vertex);
  }

  /** What a step does to variables with names. */
  #accesses(procedure: number, step: number, vertex: number): void {
    const { code } = this.#instance;
    const at = step * STEP_SIZE;
    const a = code.steps[at + 1];
    const c = code.steps[at + 3];
    switch (code.steps[at]) {
      case Step.read:
        this.#use(procedure, vertex, Op.read, this.#source.bindings[bindingId(a)]);
        return;
      case Step.check:
        this.#use(procedure, vertex, Op.check, this.#source.bindings[bindingId(a)]);
        return;
      case Step.write:
      case Step.declare: {
        if (!isBinding(a)) return;
        const kind = code.steps[at] === Step.write ? Op.write : Op.declare;
        // A module's names exist before its body runs; declaring them again there would hide that.
        if (kind === Op.declare && code.kind === "module" && this.#ownsAtTop(a)) return;
        if (this.#flows !== undefined && kind === Op.write) {
          if (this.#flows.isGiven(step)) return;
          if (c === ASSIGNED && !code.isDynamic) {
            const binding = this.#source.bindings[bindingId(a)];
            // `arguments` shows what a parameter holds.
            const isShown = binding.kind === "parameter" && code.argumentsObject !== NONE;
            const found = isShown ? undefined : this.#variableOf(binding);
            if (found !== undefined) this.#assembly.assigned({ procedure, vertex, variable: found.variable });
          }
        }
        this.#use(procedure, vertex, kind, this.#source.bindings[bindingId(a)]);
        return;
      }
      case Step.load:
        this.#demand(vertex, code.steps[at + 2]);
        for (const object of this.#source.values.objectsOf(this.#instance, code.steps[at + 2]))
          this.#loadOperations(procedure, vertex, object, c);
        return;
      case Step.call:
        this.#demand(vertex, code.calls[a].callee);
        return;
      case Step.store:
        for (const object of this.#source.values.objectsOf(this.#instance, a))
          this.#storeOperations(vertex, object, c);
        return;
      default:
    }
  }

  /** Whether a declaration is the first of its binding: scopes of loops and blocks declare theirs again and again. */
  #ownsAtTop(operand: number): boolean {
    return (
      this.#source.bindings[bindingId(operand)].owner === this.#instance.code && this.#isTopName(operand)
    );
  }

  #isTopName(operand: number): boolean {
    const binding = this.#source.bindings[bindingId(operand)];
    const { lowered } = this.#source.modules[this.#instance.code.module];
    return lowered.binding(binding.name) === binding || binding.name === "default";
  }

  #use(procedure: number, vertex: number, op: number, binding: Binding): void {
    const found = this.#variableOf(binding);
    if (found === undefined) return;
    this.#builder.operation(vertex, op, found.variable);
    if (found.name !== binding.name) this.#assembly.rename(procedure, vertex, binding.name);
  }

  /** The variable that a binding means here, through imports, and the name it has where it is declared. */
  #variableOf(binding: Binding): { readonly variable: number; readonly name: string } | undefined {
    const found = this.#assembly.resolve(this.#instance, binding);
    if (found === undefined) return undefined;
    return { variable: this.#assembly.variableOf(found.owner, found.binding), name: found.binding.name };
  }

  /** A property of an operand is used, or it is called: that throws if the operand is a variable without a value yet. */
  #demand(vertex: number, operand: number): void {
    const variable = isBinding(operand)
      ? this.#variableOf(this.#source.bindings[bindingId(operand)])?.variable
      : this.#lateVariable.get(operand);
    if (variable === undefined) return;
    const { deadZone, throwsEarly } = this.#assembly.variable(variable);
    if (!deadZone || throwsEarly) return;
    this.#builder.operation(vertex, Op.demand, variable);
    this.#demands.add(vertex);
  }

  #loadOperations(procedure: number, vertex: number, object: AbstractObject, name: number): void {
    const { values, modules, names } = this.#source;
    const { code } = this.#instance;
    if (name === ANY_NAME) return;
    if (object.kind === "namespace") {
      const target = modules[object.module].exports().get(names.list[name]);
      if (target?.kind !== "binding") return;
      const binding = modules[target.module].lowered.binding(target.name);
      if (binding === undefined || binding.kind === "import") return;
      const owner = values.moduleInstances[target.module];
      this.#builder.operation(vertex, Op.read, this.#assembly.variableOf(owner, binding));
      if (binding.name !== names.list[name]) this.#assembly.rename(procedure, vertex, names.list[name]);
    } else if (object.name === "exports" && object.module !== code.module && object.kind === "object") {
      if (!this.#assembly.trackedExports(object.module).has(name)) return;
      const variable = this.#assembly.exportVariable(object.module, name);
      this.#builder.operation(vertex, Op.read, variable);
      this.#lateVariable.set(this.#instance.code.steps[(vertex % this.#second) * STEP_SIZE + 1], variable);
    }
  }

  #storeOperations(vertex: number, object: AbstractObject, name: number): void {
    const { module } = object;
    if (object.kind !== "object" || module !== this.#instance.code.module) return;
    if (object.name === "exports" && this.#assembly.trackedExports(module).has(name)) {
      this.#builder.operation(vertex, Op.write, this.#assembly.exportVariable(module, name));
    } else if (object.name === "module" && this.#source.names.list[name] === "exports") {
      if (vertex < 8 && this.#instance.code.ranges[2 * vertex + 1] === 0) return;
      for (const each of this.#assembly.trackedExports(module))
        this.#builder.operation(vertex, Op.write, this.#assembly.exportVariable(module, each));
    }
  }

  /** Adds a step's call sites; returns the vertex from which control goes on. */
  #calls(
    procedure: number,
    step: number,
    vertex: number,
    place: (step: number) => number,
    targets: Outgoing,
  ): number {
    const { code, calls } = this.#instance;
    const made = calls.get(step) ?? [];
    const { required, isSure } = this.#modulesRequired(step);
    const flows = this.#flows;
    flows?.prepare(step, vertex);
    const isCall = code.steps[step * STEP_SIZE] === Step.call;
    const call = isCall ? code.calls[code.steps[step * STEP_SIZE + 1]] : undefined;
    const isOutside = flows !== undefined && call !== undefined && this.#isOutside(step, call, made);
    if (made.length === 0 && required.length === 0 && !isOutside) return vertex;
    const builder = this.#builder;
    let handler = place(EXCEPTION);
    for (let e = targets.start[step]; e < targets.start[step + 1]; e++) {
      if (targets.exceptional[e] === 1) handler = place(targets.target[e]);
    }
    const [from, to] = [code.ranges[2 * step], code.ranges[2 * step + 1]];
    const site = (
      callees: readonly number[],
      at: number,
      returnSite: number,
      external: boolean,
      values: CallValues = NO_CALL_VALUES,
      name = call?.name ?? "",
    ) => {
      let failure = handler;
      if (failure === returnSite) {
        // The two ways out of a call are two vertices.
        failure = builder.vertex(to, to);
        builder.edge(failure, handler);
      }
      builder.calls.push({
        ...values,
        vertex: at,
        returnSite,
        exceptionalReturnSite: failure,
        callees,
        external,
        name,
      });
    };
    const once = made.filter((each) => !each.repeated);
    const more = made.filter((each) => each.repeated);
    const direct = [...once.map((each) => this.#assembly.numberOf(each)), ...required];
    const repeated = more.map((each) => this.#assembly.numberOf(each));
    /** One of several ways from one vertex on: a vertex of its own, unless there is just one. */
    const way = (at: number, ways: number): number => {
      if (ways === 1) return at;
      const vertex = builder.vertex(from, to);
      builder.edge(at, vertex);
      return vertex;
    };
    let at = vertex;
    if (0 < direct.length || isOutside) {
      const after = builder.vertex(to, to);
      const hasOutside = call !== undefined && this.#assembly.failures.mayCallOutside(this.#instance, call);
      // A conversion or a getter may also find nothing to call; so may a call of a callee outside.
      const isSureOfOne = made.every((each) => this.#happens(each));
      const external =
        (hasOutside && !isSureOfOne) || !isSure || (required.length === 0 && !this.#isSureCall(step, call));
      if (flows === undefined) site([...new Set(direct)], at, after, external);
      else {
        const groups = grouped(once, (each) => flows.key(each));
        const isElse = isOutside || (external && 0 < direct.length);
        const ways = groups.length + (0 < required.length ? 1 : 0) + (isElse ? 1 : 0);
        for (const group of groups) {
          const start = way(at, ways);
          const callees = new Set(group.map((each) => this.#assembly.numberOf(each)));
          site([...callees], start, after, false, flows.passed(step, group, start));
        }
        if (0 < required.length) site([...new Set(required)], way(at, ways), after, !isSure);
        if (isOutside) {
          const start = way(at, ways);
          this.#assembly.nameOutside(procedure, start, flows.outsideNames(step));
          site([], start, after, true, flows.outside(step, start));
        } else if (isElse) builder.edge(way(at, ways), after);
        flows.returned(step, once, after, isOutside);
      }
      // It may also fail in ways that no early read is part of.
      if (handler !== EXCEPTION && made.some(({ target }) => this.#assembly.failures.mayFail(target)))
        builder.edge(at, handler, 1);
      at = after;
    }
    if (0 < repeated.length) {
      const again = builder.vertex(from, to);
      const inside = builder.vertex(from, to);
      const after = builder.vertex(to, to);
      const isSureOfOne = direct.length === 0 && made.every((each) => this.#happens(each));
      builder.edge(at, isSureOfOne ? inside : again);
      builder.edge(again, inside);
      builder.edge(again, after);
      if (made.some(({ isCaught }) => isCaught)) handler = again;
      if (flows === undefined) site([...new Set(repeated)], inside, again, false);
      else {
        const groups = grouped(more, (each) => flows.key(each));
        for (const group of groups) {
          const start = way(inside, groups.length);
          const callees = new Set(group.map((each) => this.#assembly.numberOf(each)));
          // The name is that of the callee that makes these calls.
          site([...callees], start, again, false, flows.passed(step, group, start), "");
        }
        flows.calledBack(step, more, after);
      }
      at = after;
    }
    return at;
  }

  /** Whether a call may be of a callee outside the program, or one that is not known: a way of its own where values flow. */
  #isOutside(step: number, call: CallCode, made: readonly StepCall[]): boolean {
    if (!["call", "new", "super", "decorate"].includes(call.kind)) return false;
    if (this.#assembly.failures.mayCallOutside(this.#instance, call)) return true;
    return made.every(({ repeated }) => repeated) && !this.#instance.generators.has(step);
  }

  /** Whether a callee outside the program makes a call once at least. */
  #happens({ least }: StepCall): boolean {
    if (least === undefined) return false;
    if (least.operand === NONE) return true;
    const objects = this.#source.values.objectsOf(this.#instance, least.operand);
    return (
      0 < objects.length &&
      objects.every(({ kind, length }) =>
        kind === "array" ? least.count <= length : kind === "generator" && least.count === Infinity,
      )
    );
  }

  /** Whether a step that has calls makes one of them for sure. */
  #isSureCall(step: number, call: CallCode | undefined): boolean {
    const { values } = this.#source;
    if (call !== undefined && call.kind !== "coerce") {
      if (call.kind !== "iterate") return true;
      const kinds = values.objectsOf(this.#instance, call.receiver).map(({ kind }) => kind);
      return kinds.every((kind) => kind === "generator" || kind === "object" || kind === "instance");
    }
    // A getter, a setter, a conversion: of the one object that there is.
    const { steps, calls } = this.#instance.code;
    const at = step * STEP_SIZE;
    const operand = call?.receiver ?? steps[at + (steps[at] === Step.load ? 2 : 1)];
    if (operand === NONE || values.objectsOf(this.#instance, operand).length !== 1) return false;
    if (isBinding(operand))
      return ["const", "class", "import", "temporary"].includes(
        this.#source.bindings[bindingId(operand)].kind,
      );
    return (
      calls.some(({ kind, result }) => kind === "new" && result === operand) || this.#isImported(operand)
    );
  }

  /** Whether a register holds what a module exports. */
  #isImported(register: number): boolean {
    const { steps } = this.#instance.code;
    for (let at = 0; at < steps.length; at += STEP_SIZE) {
      if (steps[at] !== Step.load || steps[at + 1] !== register) continue;
      const objects = this.#source.values.objectsOf(this.#instance, steps[at + 2]);
      return 0 < objects.length && objects.every(({ kind }) => kind === "namespace");
    }
    return false;
  }

  /** Whether a step without calls into the program, and without uses of variables, throws nothing. */
  #isSafe(step: number): boolean {
    const { steps } = this.#instance.code;
    const { failures } = this.#assembly;
    const at = step * STEP_SIZE;
    // What has no variable is a namespace, or from outside the program.
    if (steps[at] === Step.read || steps[at] === Step.check) return true;
    if (steps[at] === Step.load) return failures.isObject(this.#instance, steps[at + 2]);
    if (steps[at] === Step.store)
      return !isBinding(steps[at + 1]) && failures.isObject(this.#instance, steps[at + 1]);
    return failures.isSafeCall(this.#instance, step);
  }

  #modulesRequired(step: number): { readonly required: number[]; readonly isSure: boolean } {
    const required: number[] = [];
    let isSure = true;
    for (const { step: at, module } of this.#source.values.requires.get(this.#instance) ?? []) {
      if (at !== step) continue;
      const evaluates = this.#source.requireEvaluates(this.#instance, step, module);
      if (evaluates === "never") continue;
      if (evaluates === "sometimes") isSure = false;
      required.push(this.#assembly.numberOfModule(module));
    }
    return { required, isSure };
  }
}

function hasStep({ steps }: Code, isWanted: (kind: number) => boolean): boolean {
  for (let at = 0; at < steps.length; at += STEP_SIZE) if (isWanted(steps[at])) return true;
  return false;
}

interface Outgoing {
  readonly start: Uint32Array;
  readonly target: Uint32Array;
  readonly exceptional: Uint8Array;
}

function grouped<T>(list: readonly T[], keyOf: (one: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const one of list) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()];
}
