/**
 * One instance of a code as a procedure: each step becomes a vertex, and what the value analysis found out becomes call sites.
 * Steps that change nothing and call nothing vanish.
 *
 * What suspends runs in parts. An async function goes on after its first `await` in a second copy of its graph, which starts
 * at a later turn and never returns to the caller. A generator that is asked for one element runs from its start to a first
 * `yield`, or from behind any `yield` in a second copy.
 */

import { once } from "../../once.js";
import { type Assignment, Op, type Procedure, type ProcedureKind } from "../../program/program.js";
import {
  ANY_NAME,
  ASSIGNED,
  type Binding,
  bindingId,
  type CallCode,
  EXCEPTION,
  EXIT,
  hasStep,
  isBinding,
  NONE,
  START,
  STEP_SIZE,
  Step,
  Way,
} from "../lower/code.js";
import { reachedSteps } from "../lower/reached-steps.js";
import type { AbstractObject, Instance, Part, StepCall } from "../values/abstract-object.js";
import type { AssemblySource } from "./assembly-source.js";
import { CallChoices } from "./call-choices.js";
import type { Failures } from "./failures.js";
import type { GivenArguments } from "./given-arguments.js";
import { ModuleProperties } from "./module-properties.js";
import type { NamedVariables } from "./named-variables.js";
import {
  type CallValues,
  NO_CALL_VALUES,
  NO_PROCEDURE_VALUES,
  ProcedureBuilder,
} from "./procedure-builder.js";
import { ValueFlows } from "./value-flows.js";
import type { ValueVariables } from "./value-variables.js";
import { wholeNamespaces } from "./whole-namespaces.js";

/** What the procedures of a program have in common. */
export interface ProgramParts {
  readonly named: NamedVariables;
  /** Where values flow: variables that no source names. */
  readonly values: ValueVariables | undefined;
  readonly failures: Failures;
  readonly given: GivenArguments;
  /** The number of the procedure of an instance, which is made later. */
  numberOf(instance: Instance, part: Part): number;
  /** The name under which a vertex reads a variable is not the variable's own. */
  rename(procedure: number, vertex: number, name: string): void;
  /** What a vertex reads and calls is one possibility of several. */
  doubt(procedure: number, vertex: number): void;
  /** What else a call may call, outside the program. */
  nameOutside(procedure: number, vertex: number, names: readonly string[]): void;
  assigned(assignment: Assignment): void;
}

/** One instance of a code as procedure `number`. */
export function instanceProcedure(
  source: AssemblySource,
  instance: Instance,
  part: Part,
  parts: ProgramParts,
  number: number,
): Procedure {
  return new InstanceProcedure(source, instance, part, parts).build(number);
}

/** How a generator is resumed at a `yield`, in the parts that begin there. */
const RESUMPTION: Readonly<Partial<Record<Part, number>>> = {
  rest: Way.normal,
  either: Way.normal,
  close: Way.returned,
  abandon: Way.returned,
  throw: Way.exceptional,
};

class InstanceProcedure {
  readonly #source: AssemblySource;
  readonly #instance: Instance;
  readonly #part: Part;
  readonly #parts: ProgramParts;
  readonly #builder = new ProcedureBuilder();
  readonly #flows: ValueFlows | undefined;
  readonly #choices: CallChoices;
  readonly #properties: ModuleProperties;
  /** By register: the variable without a dead zone that throws, whose value it holds. */
  readonly #lateVariable = new Map<number, number>();
  /** By vertex: what its step may do to variables, or not; each adds operations to a vertex of its own. */
  readonly #possibilities = new Map<number, ((at: number) => void)[]>();
  /** Vertices that may throw for want of a value. */
  readonly #demands = new Set<number>();
  /** First step's vertex of the second copy. */
  readonly #second: number;

  constructor(source: AssemblySource, instance: Instance, part: Part, parts: ProgramParts) {
    this.#source = source;
    this.#instance = instance;
    this.#part = part;
    this.#parts = parts;
    this.#second = instance.code.steps.length / STEP_SIZE;
    this.#choices = new CallChoices(source.values, parts.failures, instance);
    this.#properties = new ModuleProperties(source, parts.named, instance);
    if (parts.values !== undefined)
      this.#flows = new ValueFlows(source, instance, parts.named, parts.values, this.#builder);
  }

  build(number: number): Procedure {
    const { code } = this.#instance;
    const builder = this.#builder;
    const count = this.#second;
    const isAsync = code.isAsync && code.kind !== "module";
    const isPart = this.#part !== "whole";
    const resumption = RESUMPTION[this.#part];
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
    const never = this.#stepsThatCannotBe();
    /** Where a step leads if it throws. */
    const handlerOf = (step: number, base: number, copy: number): number => {
      let handler = EXCEPTION;
      for (let e = targets.start[step]; e < targets.start[step + 1]; e++)
        if (targets.way[e] === Way.exceptional) handler = targets.target[e];
      return this.#place(handler, base, isAsync, copy, sink);
    };
    const self = this.#parts.numberOf(this.#instance, "whole");
    const values = this.#flows?.procedure() ?? NO_PROCEDURE_VALUES;
    // Who waits for it finds all that it has done by then.
    if (this.#flows !== undefined && 0 <= sink) builder.edge(sink, EXIT);
    const open = code.closed.length === 0 ? undefined : reachedSteps(code, code.closed);
    for (let copy = 0; copy < copies; copy++) {
      const base = copy * count;
      for (let step = 0; step < count; step++) {
        const vertex = base + step;
        const made = builder.vertexCount;
        const kind = code.steps[step * STEP_SIZE];
        const before = builder.useCount;
        this.#operations(number, step, vertex);
        const asks = before < builder.useCount;
        // Loads have a way out only within handlers; of a namespace they need one everywhere.
        if (
          (this.#demands.has(vertex) || (asks && kind === Step.load)) &&
          !targets.way.subarray(targets.start[step], targets.start[step + 1]).includes(Way.exceptional)
        )
          builder.edge(vertex, this.#place(EXCEPTION, base, isAsync, copy, sink), 1);
        const called = this.#calls(
          number,
          step,
          vertex,
          (target) => this.#place(target, base, isAsync, copy, sink),
          targets,
        );
        const leave = this.#either(number, vertex, step, called, handlerOf(step, base, copy));
        const resumed = suspendsAt(kind) ? this.#suspend(step, vertex, kind, copy, self, sink) : -1;
        const isSafe = called === vertex && !asks && this.#isSafe(step);
        const failing = kind === Step.throw && this.#flows !== undefined ? this.#after(vertex, step) : vertex;
        for (let e = targets.start[step]; e < targets.start[step + 1]; e++) {
          const target = targets.target[e];
          const way = targets.way[e];
          if (never.has(target) || (vertex === START && resumption !== undefined && this.#part !== "either"))
            continue;
          // At a `yield`, control goes on as whoever resumes the generator wants.
          if (kind === Step.yield && way !== (resumption ?? Way.normal)) continue;
          if (0 <= resumed)
            builder.edge(
              resumed,
              this.#place(target, count, isAsync, 1, sink),
              way === Way.exceptional ? 1 : 0,
            );
          else {
            const to = this.#place(target, base, isAsync, copy, sink);
            if (way !== Way.exceptional) builder.edge(leave, to);
            else if (called === vertex && !isSafe) builder.edge(failing, to, 1);
          }
        }
        if (open?.[step] !== 0) continue;
        this.#parts.doubt(number, vertex);
        for (let inner = made; inner < builder.vertexCount; inner++) this.#parts.doubt(number, inner);
      }
    }
    // It may have come to its end before, or not have begun.
    if (this.#part === "throw") builder.edge(START, EXCEPTION, 1);
    if (
      this.#part === "either" ||
      this.#part === "abandon" ||
      (this.#part === "rest" && code.kind === "module" && this.#firstAwaits().has(EXIT))
    )
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
      else if (this.#part === "first") builder.edge(vertex, EXIT);
      else if (this.#firstAwaits().has(step)) builder.edge(START, resumed);
      return resumed;
    }
    const waits = 0 <= sink;
    builder.edge(vertex, waits && copy === 1 ? sink : EXIT);
    if (this.#part !== "whole" && kind === Step.yield) {
      // Somebody asks for more: all but the generator's own variables are as that caller sees them.
      if (copy === 0 && this.#part !== "first") builder.edge(START, resumed);
    } else {
      // What may throw on going on does so in the state of that turn.
      const waiting = builder.vertex(end, end);
      builder.operation(waiting, 0 < this.#source.awaiting.size ? Op.resume : Op.settle, self);
      builder.edge(vertex, waiting);
      builder.edge(waiting, resumed);
    }
    return resumed;
  }

  /** Of a module: the steps at which it may be suspended first, and its exit if it may get there before. */
  readonly #firstAwaits = once((): ReadonlySet<number> => {
    const { code } = this.#instance;
    const found = new Set<number>();
    const seen = new Set([START]);
    const { start, target } = this.#outgoing();
    for (const step of seen) {
      if (code.steps[step * STEP_SIZE] === Step.await || step === EXIT) found.add(step);
      else for (let e = start[step]; e < start[step + 1]; e++) seen.add(target[e]);
    }
    return found;
  });

  /** Where a step stands in a copy. Promises swallow exceptions, and what runs at a later turn returns to nobody. */
  #place(step: number, base: number, isAsync: boolean, copy: number, sink: number): number {
    if (step !== EXIT && step !== EXCEPTION) return base + step;
    if (!isAsync) return step;
    return copy === 0 ? EXIT : sink;
  }

  /** Steps that stand for an iteration over nothing, where there is something for sure, or for defaults that nobody needs. */
  #stepsThatCannotBe(): ReadonlySet<number> {
    const steps = new Set<number>();
    const { code } = this.#instance;
    for (let step = 0; step < this.#second; step++) {
      if (code.steps[step * STEP_SIZE] !== Step.call) continue;
      const { emptyTo, receiver } = code.calls[code.steps[step * STEP_SIZE + 1]];
      if (emptyTo !== undefined && this.#source.values.isNonEmpty(this.#instance, step, receiver))
        steps.add(emptyTo);
    }
    for (const { parameter, step } of code.defaults)
      if (this.#parts.given.isAlwaysGiven(this.#instance, code.parameters.indexOf(parameter)))
        steps.add(step);
    return steps;
  }

  #outgoing(): Outgoing {
    const { edges } = this.#instance.code;
    const start = new Uint32Array(this.#second + 1);
    for (let e = 0; e < edges.length; e += 3) start[edges[e] + 1]++;
    for (let v = 0; v < this.#second; v++) start[v + 1] += start[v];
    const next = start.slice();
    const target = new Uint32Array(edges.length / 3);
    const way = new Uint8Array(edges.length / 3);
    for (let e = 0; e < edges.length; e += 3) {
      const at = next[edges[e]]++;
      target[at] = edges[e + 1];
      way[at] = edges[e + 2];
    }
    return { start, target, way };
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
            if (found !== undefined) this.#parts.assigned({ procedure, vertex, variable: found.variable });
          }
        }
        this.#use(procedure, vertex, kind, this.#source.bindings[bindingId(a)]);
        return;
      }
      case Step.load:
        this.#demand(vertex, code.steps[at + 2]);
        this.#loadOperations(
          procedure,
          vertex,
          this.#source.values.objectsOf(this.#instance, code.steps[at + 2]),
          c,
        );
        return;
      case Step.call:
        this.#demand(vertex, code.calls[a].callee);
        return;
      case Step.store:
        this.#storeOperations(vertex, this.#source.values.objectsOf(this.#instance, a), c);
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
    if (found.name !== binding.name) this.#parts.rename(procedure, vertex, binding.name);
  }

  /** The variable that a binding means here, through imports, and the name it has where it is declared. */
  #variableOf(binding: Binding): { readonly variable: number; readonly name: string } | undefined {
    const found = this.#parts.named.resolve(this.#instance, binding);
    if (found === undefined) return undefined;
    return { variable: this.#parts.named.variableOf(found.owner, found.binding), name: found.binding.name };
  }

  /** A property of an operand is used, or it is called: that throws if the operand is a variable without a value yet. */
  #demand(vertex: number, operand: number): void {
    const variable = isBinding(operand)
      ? this.#variableOf(this.#source.bindings[bindingId(operand)])?.variable
      : this.#lateVariable.get(operand);
    if (variable === undefined) return;
    const { deadZone, throwsEarly } = this.#parts.named.variable(variable);
    if (!deadZone || throwsEarly) return;
    this.#builder.operation(vertex, Op.demand, variable);
    this.#demands.add(vertex);
  }

  #loadOperations(procedure: number, vertex: number, objects: readonly AbstractObject[], name: number): void {
    if (name === ANY_NAME) return;
    const united = this.#properties.united(objects);
    for (const object of united) {
      const read = this.#properties.read(object, name);
      if (read === undefined) continue;
      const add = (at: number) => {
        this.#builder.operation(at, Op.read, read.variable);
        if (read.name !== undefined) this.#parts.rename(procedure, at, read.name);
      };
      if (united.length === 1) {
        add(vertex);
        if (object.kind === "object")
          this.#lateVariable.set(
            this.#instance.code.steps[(vertex % this.#second) * STEP_SIZE + 1],
            read.variable,
          );
      } else this.#maybe(vertex, add);
    }
  }

  #storeOperations(vertex: number, objects: readonly AbstractObject[], name: number): void {
    // At its start, a module makes `module.exports` refer to `exports`.
    if (vertex < 8 && this.#instance.code.ranges[2 * vertex + 1] === 0) return;
    const { surely, maybe } = this.#properties.written(objects, name);
    for (const variable of surely) this.#builder.operation(vertex, Op.write, variable);
    this.#mayWrite(vertex, maybe);
  }

  #mayWrite(vertex: number, variables: readonly number[]): void {
    if (0 < variables.length)
      this.#maybe(vertex, (at) => {
        for (const variable of variables) this.#builder.operation(at, Op.write, variable);
      });
  }

  #maybe(vertex: number, operations: (at: number) => void): void {
    const known = this.#possibilities.get(vertex);
    if (known === undefined) this.#possibilities.set(vertex, [operations]);
    else known.push(operations);
  }

  /** Adds what may happen at a vertex, or not, each by itself; returns the vertex from which control goes on. */
  #either(procedure: number, vertex: number, step: number, leave: number, handler: number): number {
    const possibilities = this.#possibilities.get(vertex);
    if (possibilities === undefined) return leave;
    const builder = this.#builder;
    const { ranges } = this.#instance.code;
    const place = () => builder.vertex(ranges[2 * step], ranges[2 * step + 1]);
    const after = place();
    builder.edge(leave, after);
    for (const operations of possibilities) {
      const at = place();
      this.#parts.doubt(procedure, at);
      const before = builder.useCount;
      operations(at);
      builder.edge(leave, at);
      builder.edge(at, after);
      if (before < builder.useCount) builder.edge(at, handler, 1);
    }
    return after;
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
    if (call !== undefined) this.#mayWrite(vertex, this.#properties.writtenOutside(call));
    const whole = call === undefined ? [] : wholeNamespaces(this.#source, this.#instance, call);
    const replaced = call?.kind === "require" ? this.#replacedExports(step) : [];
    if (made.length === 0 && required.length === 0 && !isOutside && whole.length + replaced.length === 0)
      return vertex;
    const builder = this.#builder;
    let handler = place(EXCEPTION);
    for (let e = targets.start[step]; e < targets.start[step + 1]; e++) {
      if (targets.way[e] === Way.exceptional) handler = place(targets.target[e]);
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
    const direct = [...once.map(({ target, runs }) => this.#parts.numberOf(target, runs)), ...required];
    const repeated = more.map(({ target, runs }) => this.#parts.numberOf(target, runs));
    /** One of several ways from one vertex on: a vertex of its own, unless there is just one. */
    const way = (at: number, ways: number): number => {
      if (ways === 1) return at;
      const vertex = builder.vertex(from, to);
      builder.edge(at, vertex);
      return vertex;
    };
    let at = vertex;
    for (const { module, binding, name } of whole) {
      const found = this.#parts.named.resolve(this.#source.values.moduleInstances[module], binding);
      if (found === undefined) continue;
      const read = builder.vertex(from, to);
      builder.edge(at, read);
      builder.operation(read, Op.read, this.#parts.named.variableOf(found.owner, found.binding));
      if (found.binding.name !== name) this.#parts.rename(procedure, read, name);
      builder.edge(read, handler, 1);
      at = read;
    }
    if (0 < direct.length || isOutside) {
      const after = builder.vertex(to, to);
      const hasOutside = call !== undefined && this.#parts.failures.mayCallOutside(this.#instance, call);
      // A conversion or a getter may also find nothing to call; so may a call of a callee outside.
      const isSureOfOne = made.every((each) => this.#happens(each));
      const external =
        (hasOutside && !isSureOfOne) || !isSure || (required.length === 0 && !this.#isSureCall(step, call));
      if (flows === undefined) {
        // It may also be that none of them is called.
        const isDoubtful = this.#choices.isOneOfSeveral(call, once);
        if (isDoubtful) this.#parts.doubt(procedure, at);
        site([...new Set(direct)], at, after, external || isDoubtful);
      } else {
        const groups = grouped(once, (each) => flows.key(each));
        const isElse = isOutside || (external && 0 < direct.length);
        const ways = groups.length + (0 < required.length ? 1 : 0) + (isElse ? 1 : 0);
        for (const group of groups) {
          const start = way(at, ways);
          const callees = new Set(group.map(({ target, runs }) => this.#parts.numberOf(target, runs)));
          site([...callees], start, after, false, flows.passed(step, group, start));
        }
        if (0 < required.length) site([...new Set(required)], way(at, ways), after, !isSure);
        if (isOutside) {
          const start = way(at, ways);
          this.#parts.nameOutside(procedure, start, flows.outsideNames(step));
          site([], start, after, true, flows.outside(step, start));
        } else if (isElse) builder.edge(way(at, ways), after);
        flows.returned(step, once, after, isOutside);
      }
      // It may also fail in ways that no early read is part of.
      if (handler !== EXCEPTION && made.some(({ target }) => this.#parts.failures.mayFail(target)))
        builder.edge(at, handler, 1);
      at = after;
    }
    if (0 < repeated.length) {
      const again = builder.vertex(from, to);
      const inside = builder.vertex(from, to);
      const after = builder.vertex(to, to);
      const isDoubtful = this.#choices.isOneOfSeveral(call, more);
      const isSureOfOne = direct.length === 0 && !isDoubtful && made.every((each) => this.#happens(each));
      builder.edge(at, isSureOfOne ? inside : again);
      builder.edge(again, inside);
      builder.edge(again, after);
      if (made.some(({ isCaught }) => isCaught)) handler = again;
      if (flows === undefined) {
        if (isDoubtful) this.#parts.doubt(procedure, inside);
        site([...new Set(repeated)], inside, again, false);
      } else {
        const groups = grouped(more, (each) => flows.key(each));
        for (const group of groups) {
          const start = way(inside, groups.length);
          const callees = new Set(group.map(({ target, runs }) => this.#parts.numberOf(target, runs)));
          // The name is that of the callee that makes these calls.
          site([...callees], start, again, false, flows.passed(step, group, start), "");
        }
        flows.calledBack(step, more, after);
      }
      at = after;
    }
    // What it gives is looked at once the module has run as far as it does now.
    if (0 < replaced.length) {
      const read = builder.vertex(from, to);
      builder.edge(at, read);
      for (const variable of replaced) builder.operation(read, Op.read, variable);
      at = read;
    }
    return at;
  }

  /** Of the modules that a step requires: the variables of exports that they replace. */
  #replacedExports(step: number): number[] {
    const { values } = this.#source;
    const modules = (values.requires.get(this.#instance) ?? []).filter((each) => each.step === step);
    // Of several modules it is one.
    if (modules.length !== 1 || modules[0].module === this.#instance.code.module) return [];
    const replaced = this.#parts.named.replacedExports(modules[0].module);
    return replaced === undefined ? [] : [replaced];
  }

  /** Whether a call may be of a callee outside the program, or one that is not known: a way of its own where values flow. */
  #isOutside(step: number, call: CallCode, made: readonly StepCall[]): boolean {
    if (!["call", "new", "super", "decorate"].includes(call.kind)) return false;
    if (this.#parts.failures.mayCallOutside(this.#instance, call)) return true;
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
    if (call !== undefined && call.kind !== "coerce" && call.kind !== "inspect") {
      if (call.kind !== "iterate") return true;
      const kinds = values.objectsOf(this.#instance, call.receiver).map(({ kind }) => kind);
      // Iterators written by hand need not have a `return`.
      if (call.part === "close" || call.part === "cancel")
        return kinds.length === 1 || kinds.every((kind) => kind === "generator");
      return kinds.every((kind) => kind === "generator" || kind === "object" || kind === "instance");
    }
    // A getter, a setter, a conversion: of the one object that there is.
    const { steps, calls, allocations } = this.#instance.code;
    const at = step * STEP_SIZE;
    const operand = call?.receiver ?? steps[at + (steps[at] === Step.load ? 2 : 1)];
    if (operand === NONE || values.objectsOf(this.#instance, operand).length !== 1) return false;
    if (isBinding(operand))
      return ["const", "class", "import", "temporary"].includes(
        this.#source.bindings[bindingId(operand)].kind,
      );
    const isMade =
      calls.some(({ kind, result }) => kind === "new" && result === operand) ||
      allocations.some(({ kind, register }) => kind !== "external" && register === operand);
    return isMade || this.#isImported(operand);
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
    const { failures } = this.#parts;
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
      required.push(this.#parts.numberOf(this.#source.values.moduleInstances[module], "whole"));
    }
    return { required, isSure };
  }
}
interface Outgoing {
  readonly start: Uint32Array;
  readonly target: Uint32Array;
  readonly way: Uint8Array;
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
