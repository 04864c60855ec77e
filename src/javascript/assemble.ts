/**
 * From instances of codes to a `Program`: each instance becomes a procedure, each step a vertex, and what the value analysis
 * found out becomes call sites. Steps that change nothing and call nothing vanish.
 *
 * What suspends runs in parts. An async function goes on after its first `await` in a second copy of its graph, which starts
 * at a later turn and never returns to the caller. A generator that is asked for one element runs from its start to a first
 * `yield`, or from behind any `yield` in a second copy.
 */

import {
  type CallSite,
  OPERATION_SIZE,
  Op,
  type Procedure,
  type ProcedureKind,
  type Program,
  type SourceFile,
  type Variable,
} from "../program/program.js";
import {
  ANY_NAME,
  type Binding,
  bindingId,
  type CallCode,
  type Code,
  EXCEPTION,
  EXIT,
  isBinding,
  type Names,
  NONE,
  START,
  STEP_SIZE,
  Step,
} from "./lower/code.js";
import {
  type AbstractObject,
  type Instance,
  isCallable,
  type Part,
  type StepCall,
} from "./values/abstract-object.js";
import { builtinFor } from "./values/builtins.js";
import type { LinkedModule } from "./values/linked-modules.js";
import type { ValueAnalysis } from "./values/value-analysis.js";

/** Modules that an entry evaluates, in order. */
export interface EntryOrder {
  readonly name: string;
  readonly modules: readonly number[];
  /** Modules that `import()` evaluates at later turns, each with what it needs first. */
  readonly laterModules: readonly (readonly number[])[];
}

export interface AssemblySource {
  readonly values: ValueAnalysis;
  readonly modules: readonly LinkedModule[];
  readonly bindings: readonly Binding[];
  readonly names: Names;
  readonly files: readonly SourceFile[];
  /** Whether callbacks may run before all modules are evaluated: some module awaits at its top level. */
  readonly hasTopLevelAwait: boolean;
  /** Whether a step that requires a module evaluates it: surely, maybe, or never. */
  requireEvaluates(instance: Instance, step: number, module: number): "always" | "sometimes" | "never";
}

/** How a procedure runs its code. */
type Variant = Part;

export interface AssembledProgram {
  readonly program: Program;
  /** The instance that a procedure runs; undefined for entries. */
  readonly instances: readonly (Instance | undefined)[];
  /** Name under which a vertex reads a variable, where it is not the variable's own: that of the import. */
  nameAt(procedure: number, vertex: number): string | undefined;
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

/** What runs once all modules are evaluated, again and again, in any order. */
export interface LaterTurns {
  readonly root: Instance;
  /** Functions that others may call again. */
  readonly again: readonly Instance[];
  /** Names whose values others may read. */
  readonly exported: readonly { readonly module: number; readonly name: string }[];
}

/** Whole executions: modules are evaluated, then later turns run. Both see the same variables. */
export function assembleExecutions(
  source: AssemblySource,
  entries: readonly EntryOrder[],
  later: LaterTurns,
): AssembledProgram {
  const assembly = new Assembly(source);
  for (const entry of entries) assembly.addEntry(entry, later);
  return assembly.finish();
}

class Assembly {
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

  constructor(source: AssemblySource) {
    this.#source = source;
  }

  addEntry({ name, modules, laterModules }: EntryOrder, later?: LaterTurns): void {
    const builder = new ProcedureBuilder();
    const start = builder.vertex(0, 0);
    for (const module of this.#source.modules.keys()) this.#declareModule(builder, start, module);
    const exit = builder.vertex(0, 0);
    const failure = builder.vertex(0, 0);
    const evaluate = (from: number, order: readonly number[]): number => {
      let at = from;
      for (const module of order) {
        const call = builder.vertex(0, 0);
        const next = builder.vertex(0, 0);
        builder.edge(at, call);
        const instance = this.#source.values.moduleInstances[module];
        let failed = failure;
        if (hasStep(instance.code, (kind) => kind === Step.await)) {
          // A module that awaits is a promise: modules that do not wait for it are evaluated even if it is rejected.
          failed = builder.vertex(0, 0);
          builder.edge(failed, failure);
          builder.edge(failed, next);
        }
        builder.calls.push({
          ...NO_VALUES,
          vertex: call,
          returnSite: next,
          exceptionalReturnSite: failed,
          callees: [this.#number(instance, "whole")],
          external: false,
          name: instance.code.name,
        });
        at = next;
      }
      return at;
    };
    const loaded = evaluate(start, modules);
    const end = later === undefined ? exit : this.#laterTurns(builder, exit, later);
    builder.edge(loaded, end);
    for (const order of laterModules) builder.edge(evaluate(loaded, order), end);
    const number = this.#add(
      builder.finish({ name, kind: "entry", file: -1, start: 0, end: 0, exit, exceptionalExit: failure }),
      undefined,
    );
    this.#entries.push(number);
  }

  /** The event loop, between whose turns others may read what is exported; returns its first vertex. */
  #laterTurns(builder: ProcedureBuilder, exit: number, { root, again, exported }: LaterTurns): number {
    const idle = builder.vertex(0, 0);
    builder.edge(idle, exit);
    for (const { module, name } of exported) {
      const binding = this.#source.modules[module].lowered.binding(name);
      if (binding === undefined || binding.kind === "import") continue;
      const instance = this.#source.values.moduleInstances[module];
      builder.operation(idle, Op.read, this.variableOf(instance, binding));
    }
    for (const callees of [[root], again]) {
      if (callees.length === 0) continue;
      const [call, next, failed] = [builder.vertex(0, 0), builder.vertex(0, 0), builder.vertex(0, 0)];
      builder.edge(idle, call);
      for (const end of [next, failed]) builder.edge(end, idle);
      builder.calls.push({
        ...NO_VALUES,
        vertex: call,
        returnSite: next,
        exceptionalReturnSite: failed,
        callees: callees.map((instance) => this.#number(instance, "whole")),
        external: false,
        name: "",
      });
    }
    return idle;
  }

  addRoot(root: Instance): void {
    this.#entries.push(this.#number(root, "whole"));
  }

  finish(): AssembledProgram {
    for (let i = 0; i < this.#work.length; i++) {
      const { instance, variant, number } = this.#work[i];
      this.#procedures[number] = new InstanceAssembly(this.#source, instance, variant, this).build(number);
    }
    const names = this.#names;
    return {
      program: {
        files: this.#source.files,
        variables: this.#variables,
        procedures: this.#procedures,
        entries: this.#entries,
        paths: [""],
      },
      instances: this.#instances,
      nameAt: (procedure, vertex) => names.get(`${procedure} ${vertex}`),
    };
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
    const node = owner.base + binding.slot;
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

export function isExports(object: AbstractObject, module: number): boolean {
  return object.kind === "object" && object.name === "exports" && object.module === module;
}

const NO_VALUES = { arguments: new Int32Array(0), result: -1, receiver: -1 };

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
  parameters: new Int32Array(0),
  rest: false,
  result: -1,
  receiver: -1,
};

/** Collects a procedure's vertices, edges and operations, in any order. */
class ProcedureBuilder {
  readonly #ranges: number[] = [];
  readonly #edges: number[] = [];
  readonly #exceptional: number[] = [];
  /** Vertex, then `OPERATION_SIZE` numbers. */
  readonly #operations: number[] = [];
  readonly calls: CallSite[] = [];

  get vertexCount(): number {
    return this.#ranges.length / 2;
  }

  vertex(start: number, end: number): number {
    this.#ranges.push(start, end);
    return this.vertexCount - 1;
  }

  edge(from: number, to: number, exceptional = 0): void {
    this.#edges.push(from, to);
    this.#exceptional.push(exceptional);
  }

  operation(vertex: number, code: number, variable: number, source = 0): void {
    this.#operations.push(vertex, code, variable, source, 0);
  }

  finish(
    rest: Pick<Procedure, "name" | "kind" | "file" | "start" | "end" | "exit" | "exceptionalExit">,
  ): Procedure {
    const count = this.vertexCount;
    const size = OPERATION_SIZE + 1;
    const operationStart = new Uint32Array(count + 1);
    for (let i = 0; i < this.#operations.length; i += size) operationStart[this.#operations[i] + 1]++;
    for (let v = 0; v < count; v++) operationStart[v + 1] += operationStart[v];
    const next = operationStart.slice();
    const operations = new Uint32Array((this.#operations.length / size) * OPERATION_SIZE);
    for (let i = 0; i < this.#operations.length; i += size) {
      const at = next[this.#operations[i]]++ * OPERATION_SIZE;
      for (let k = 0; k < OPERATION_SIZE; k++) operations[at + k] = this.#operations[i + 1 + k];
    }
    return {
      ...rest,
      vertexCount: count,
      ranges: Uint32Array.from(this.#ranges),
      operationStart,
      operations,
      edges: Uint32Array.from(this.#edges),
      exceptional: Uint8Array.from(this.#exceptional),
      calls: this.calls,
      parameters: new Int32Array(0),
      rest: false,
      result: -1,
      receiver: -1,
    };
  }
}

/** One instance as a procedure. */
class InstanceAssembly {
  readonly #source: AssemblySource;
  readonly #instance: Instance;
  readonly #variant: Variant;
  readonly #assembly: Assembly;
  readonly #builder = new ProcedureBuilder();
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
  }

  build(number: number): Procedure {
    const { code } = this.#instance;
    const builder = this.#builder;
    const count = this.#second;
    const isAsync = code.isAsync && code.kind !== "module";
    const isPart = this.#variant !== "whole";
    const suspendsAt = (kind: number) =>
      (isAsync && (kind === Step.await || (kind === Step.yield && code.isGenerator))) ||
      (isPart && kind === Step.yield);
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
    for (let copy = 0; copy < copies; copy++) {
      const base = copy * count;
      for (let step = 0; step < count; step++) {
        const vertex = base + step;
        const kind = code.steps[step * STEP_SIZE];
        this.#operations(number, step, vertex);
        if (
          this.#demands.has(vertex) &&
          !targets.exceptional.subarray(targets.start[step], targets.start[step + 1]).includes(1)
        )
          builder.edge(vertex, this.#place(EXCEPTION, base, isAsync, copy, sink), 1);
        const leave = this.#calls(
          step,
          vertex,
          (target) => this.#place(target, base, isAsync, copy, sink),
          targets,
        );
        const resumed = suspendsAt(kind) ? this.#suspend(step, vertex, kind, copy, self, sink) : -1;
        const isSafe = leave === vertex && this.#isSafeCall(step);
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
            else if (leave === vertex && !isSafe) builder.edge(vertex, to, 1);
          }
        }
      }
    }
    // It may have come to its end before.
    if (this.#variant === "either") builder.edge(START, EXIT);
    return builder.finish({
      name: code.name,
      kind: code.kind as ProcedureKind,
      file: code.module,
      start: code.start,
      end: code.end,
      exit: EXIT,
      exceptionalExit: EXCEPTION,
    });
  }

  /** Ends a part at a step; returns the vertex from which the next one, in the second copy, goes on. */
  #suspend(step: number, vertex: number, kind: number, copy: number, self: number, sink: number): number {
    const builder = this.#builder;
    const end = this.#instance.code.ranges[2 * step + 1];
    const resumed = builder.vertex(end, end);
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
    const { values, modules } = this.#source;
    let module = this.#instance.code.module;
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
      target === binding ? values.ownerInstance(this.#instance, target) : values.moduleInstances[module];
    if (owner === undefined) return undefined;
    return { variable: this.#assembly.variableOf(owner, target), name: target.name };
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
  #calls(step: number, vertex: number, place: (step: number) => number, targets: Outgoing): number {
    const { code, calls } = this.#instance;
    const made = calls.get(step) ?? [];
    const { required, isSure } = this.#modulesRequired(step);
    if (made.length === 0 && required.length === 0) return vertex;
    const builder = this.#builder;
    let handler = place(EXCEPTION);
    for (let e = targets.start[step]; e < targets.start[step + 1]; e++) {
      if (targets.exceptional[e] === 1) handler = place(targets.target[e]);
    }
    const [from, to] = [code.ranges[2 * step], code.ranges[2 * step + 1]];
    const isCall = code.steps[step * STEP_SIZE] === Step.call;
    const call = isCall ? code.calls[code.steps[step * STEP_SIZE + 1]] : undefined;
    const site = (callees: readonly number[], at: number, returnSite: number, external: boolean) => {
      let failure = handler;
      if (failure === returnSite) {
        // The two ways out of a call are two vertices.
        failure = builder.vertex(to, to);
        builder.edge(failure, handler);
      }
      builder.calls.push({
        ...NO_VALUES,
        vertex: at,
        returnSite,
        exceptionalReturnSite: failure,
        callees,
        external,
        name: call?.name ?? "",
      });
    };
    const direct = [
      ...made.filter(({ repeated }) => !repeated).map((each) => this.#assembly.numberOf(each)),
      ...required,
    ];
    const repeated = made.filter((each) => each.repeated).map((each) => this.#assembly.numberOf(each));
    let at = vertex;
    if (0 < direct.length) {
      const after = builder.vertex(to, to);
      const hasOutside = call !== undefined && this.#mayCallOutside(call);
      // A conversion or a getter may also find nothing to call; so may a call of a callee outside.
      const isSureOfOne = made.every((each) => this.#happens(each));
      const external =
        (hasOutside && !isSureOfOne) || !isSure || (required.length === 0 && !this.#isSureCall(step, call));
      site([...new Set(direct)], at, after, external);
      // It may also fail in ways that no early read is part of.
      if (handler !== EXCEPTION && made.some(({ target }) => mayFail(target.code)))
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
      site([...new Set(repeated)], inside, again, false);
      at = after;
    }
    return at;
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

  /** Whether a callee outside the program may do something else than call what the program gives it. */
  #mayCallOutside({ callee, receiver, args }: CallCode): boolean {
    if (callee === NONE) return false;
    const { values } = this.#source;
    const isKnown = (operand: number) => {
      const objects = operand === NONE ? [] : values.objectsOf(this.#instance, operand);
      return 0 < objects.length && objects.every(isCallable);
    };
    return values.objectsOf(this.#instance, callee).some(({ kind, name }) => {
      if (kind !== "external") return false;
      if (name === "Reflect.apply") return !isKnown(args[0] ?? NONE);
      return !(name === ".call" || name === ".apply") || !isKnown(receiver);
    });
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

  /** Whether a step is a call of nothing but functions outside the program of which it is known that they do not throw. */
  #isSafeCall(step: number): boolean {
    const { code } = this.#instance;
    if (code.steps[step * STEP_SIZE] !== Step.call) return false;
    const { callee, name, kind } = code.calls[code.steps[step * STEP_SIZE + 1]];
    if (kind !== "call" && kind !== "new") return false;
    const objects = callee === NONE ? [] : this.#source.values.objectsOf(this.#instance, callee);
    if (objects.length === 0) return builtinFor(name)?.isSafe === true;
    return objects.every(
      (object) =>
        object.kind === "external" && (builtinFor(object.name) ?? builtinFor(name))?.isSafe === true,
    );
  }

  #modulesRequired(step: number): { readonly required: number[]; readonly isSure: boolean } {
    const required: number[] = [];
    let isSure = true;
    for (const { instance, step: at, module, kind } of this.#source.values.moduleCalls) {
      if (instance !== this.#instance || at !== step || kind !== "require") continue;
      const evaluates = this.#source.requireEvaluates(instance, step, module);
      if (evaluates === "never") continue;
      if (evaluates === "sometimes") isSure = false;
      required.push(this.#assembly.numberOfModule(module));
    }
    return { required, isSure };
  }
}

/** Whether a call of it can throw for other reasons than early reads: it uses what may be undefined. */
function mayFail({ isAsync, isGenerator, steps }: Code): boolean {
  if (isAsync && !isGenerator) return false;
  for (let at = 0; at < steps.length; at += STEP_SIZE)
    if (steps[at] === Step.load || steps[at] === Step.store || steps[at] === Step.call) return true;
  return false;
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
