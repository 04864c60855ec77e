/**
 * What the steps of one instance do to values: flows between variables, beside the reads and writes of named ones. Whatever
 * flows when the program runs flows here, up to what the value analysis does not see and what `builtins.ts` does not say of
 * functions outside; not the other way round. Objects have a variable each for what is stored in them, so that all names for
 * an object see it; the field paths of variables are for objects that the value analysis does not know.
 *
 *     read              nothing: a binding is its own operand
 *     write x <- v      write x, flow x <- v
 *     flow, derive      flow r <- v; derived: from anything in v
 *     load r <- o.p     write r, flow r <- o at .p, flow r <- what objects that o may be hold at .p
 *     store o.p <- v    flow o at .p <- v, and of o's own origin (`a.b.p`); flow of the same into all objects that o may be
 *     throw v           write thrown, flow thrown <- v, on a vertex before the one that throws
 *     call              arguments, receiver and result; outside the program, arguments with all that their objects hold
 *     callbacks         take anything that the callee outside is given; what they return is part of its result
 *     functions handed  take anything that is handed over along with them, whenever they are called
 */

import { Op } from "../../program/program.js";
import {
  ANY_NAME,
  bindingId,
  bindingOperand,
  type CallCode,
  isBinding,
  NONE,
  type Operand,
  START,
  STEP_SIZE,
  Step,
} from "../lower/code.js";
import { type AbstractObject, type Instance, isCallable, type StepCall } from "../values/abstract-object.js";
import { builtinFor } from "../values/builtins.js";
import { MAP, PAIR } from "../values/content-rules.js";
import type { AssemblySource } from "./assembly-source.js";
import { type CodeOperands, operandsOf } from "./code-operands.js";
import type { NamedVariables } from "./named-variables.js";
import {
  type CallValues,
  NO_CALL_VALUES,
  type ProcedureBuilder,
  type ProcedureValues,
} from "./procedure-builder.js";
import { canonicalName, type ValueVariables } from "./value-variables.js";

/** Objects whose fields go along with one that is given to a callee outside the program; those past it stay behind. */
const MOST_OBJECTS = 256;
/** Loads from loads that a store looks back on: `a.b.c.d = v`. */
const MOST_LOADS = 3;

export class ValueFlows {
  readonly #source: AssemblySource;
  readonly #instance: Instance;
  readonly #named: NamedVariables;
  readonly #variables: ValueVariables;
  readonly #builder: ProcedureBuilder;
  readonly #operands: CodeOperands;

  constructor(
    source: AssemblySource,
    instance: Instance,
    named: NamedVariables,
    variables: ValueVariables,
    builder: ProcedureBuilder,
  ) {
    this.#source = source;
    this.#instance = instance;
    this.#named = named;
    this.#variables = variables;
    this.#builder = builder;
    this.#operands = operandsOf(instance.code);
  }

  // Operands

  /** The variable of an operand, or -1 where it has none, or nothing reads it. */
  operand(operand: Operand): number {
    if (operand === NONE) return -1;
    if (!isBinding(operand)) return this.#register(operand);
    const binding = this.#source.bindings[bindingId(operand)];
    if (binding.kind === "import") {
      const target = this.#source.values.importTarget(this.#instance.code.module, binding);
      if (target.kind === "external")
        return this.#variables.external(
          canonicalName(target.imported === "*" ? target.source : `${target.source}:${target.imported}`),
        );
      if (target.kind === "property") return this.#variables.temporary(this.#instance, -1, binding.name);
    }
    const found = this.#named.resolve(this.#instance, binding);
    return found === undefined ? -1 : this.#named.variableOf(found.owner, found.binding);
  }

  #register(register: number): number {
    const { code } = this.#instance;
    const external = this.#operands.externals.get(register);
    if (external !== undefined) return this.#variables.external(canonicalName(external));
    if (this.#operands.caught.has(register)) return this.#variables.thrown;
    if (code.isGenerator) {
      if (register === code.yielded || register === code.result)
        return this.#variables.output(this.#instance);
      if (register === code.sent) return this.#variables.sent(this.#instance);
    }
    return this.#operands.isRead[register] === 1 ? this.#variables.register(this.#instance, register) : -1;
  }

  #flow(vertex: number, target: number, source: number, to = 0, from = 0): void {
    if (target < 0 || source < 0) return;
    this.#builder.operation(vertex, Op.flow, target, source, (to << 16) | from);
  }

  #objects(operand: Operand): AbstractObject[] {
    return this.#source.values.objectsOf(this.#instance, operand);
  }

  /** Objects with their prototypes. */
  #withPrototypes(objects: readonly AbstractObject[]): AbstractObject[] {
    const found = new Set(objects);
    const { values } = this.#source;
    for (const { proto } of found) {
      if (proto < 0) continue;
      for (const id of values.points.of(proto)) found.add(values.objects[id]);
    }
    return [...found].filter(isTracked);
  }

  /** Objects in whose fields something is stored that can be reached from some. */
  #reachable(objects: readonly AbstractObject[]): AbstractObject[] {
    const { values } = this.#source;
    const found = new Set(objects.filter(isTracked));
    for (const object of found) {
      if (MOST_OBJECTS <= found.size) break;
      for (const node of [...object.fields.values(), object.anyWrite]) {
        if (node < 0) continue;
        for (const id of values.points.of(node))
          if (isTracked(values.objects[id])) found.add(values.objects[id]);
      }
    }
    return [...found].filter(({ kind }) => kind !== "function" && kind !== "class");
  }

  // The procedure

  /** Parameters, receiver and result; at the start, what is not passed by the call itself. */
  procedure(): ProcedureValues {
    const { code } = this.#instance;
    const receiver = this.#ownReceiver();
    const parameters = code.parameters.map((operand) => this.operand(operand));
    if (code.isGenerator) {
      const input = this.#variables.input(this.#instance);
      const last = code.rest ? parameters.length - 1 : -1;
      for (const [i, parameter] of parameters.entries()) {
        if (i === last) this.#flow(START, parameter, input, this.#variables.anyPath, this.#variables.anyPath);
        else this.#flow(START, parameter, input, 0, this.#variables.element(i));
      }
      this.#flow(START, receiver, input, 0, this.#variables.receiverPath);
      if (code.argumentsObject !== NONE) this.#flow(START, this.operand(code.argumentsObject), input);
      return { parameters: new Int32Array(0), rest: false, result: -1, receiver: -1 };
    }
    let { rest } = code;
    if (code.argumentsObject !== NONE) {
      const all = this.operand(code.argumentsObject);
      for (const [i, parameter] of parameters.entries()) {
        const isRest = rest && i === parameters.length - 1;
        this.#flow(START, all, parameter, isRest ? 0 : this.#variables.element(i));
      }
      if (!rest) {
        // Those without a parameter.
        parameters.push(all);
        rest = true;
      }
    }
    return { parameters: Int32Array.from(parameters), rest, result: this.operand(code.result), receiver };
  }

  #ownReceiver(): number {
    const { code } = this.#instance;
    if (code.isArrow || code.receiver === NONE) return -1;
    const binding = this.#source.bindings[bindingId(code.receiver)];
    return binding.owner === code ? this.operand(code.receiver) : -1;
  }

  /** Whether a `write` is the one by which a parameter has its value from the start: the call gives it. */
  isGiven(step: number): boolean {
    const { code } = this.#instance;
    const [start, end] = [code.ranges[2 * step], code.ranges[2 * step + 1]];
    return start === end && code.parameters.includes(code.steps[step * STEP_SIZE + 1]);
  }

  // Steps

  /** Adds what a step that is no call does; that of a `write` comes after the `write` itself. */
  step(step: number, vertex: number): void {
    const { steps } = this.#instance.code;
    const at = step * STEP_SIZE;
    const [a, b, c] = [steps[at + 1], steps[at + 2], steps[at + 3]];
    switch (steps[at]) {
      case Step.read:
        this.#readImport(vertex, a);
        return;
      case Step.write:
      case Step.flow:
        if (b !== NONE) this.#flow(vertex, this.operand(a), this.operand(b));
        return;
      case Step.derive:
        this.#flow(vertex, this.operand(a), this.operand(b), 0, this.#variables.anyPath);
        return;
      case Step.load:
        this.#load(vertex, a, b, c);
        return;
      case Step.store:
        this.#store(vertex, a, b, c);
        return;
      case Step.throw:
        // Thrown again, it stays what it is.
        if (this.operand(a) === this.#variables.thrown) return;
        this.#builder.operation(vertex, Op.write, this.#variables.thrown);
        this.#flow(vertex, this.#variables.thrown, this.operand(a));
        return;
      default:
    }
  }

  /** A property of what a CommonJS module exports, imported under a name. */
  #readImport(vertex: number, operand: Operand): void {
    const binding = this.#source.bindings[bindingId(operand)];
    if (binding.kind !== "import") return;
    const { values, modules, names } = this.#source;
    const target = values.importTarget(this.#instance.code.module, binding);
    if (target.kind !== "property" || target.name === undefined) return;
    const variable = this.operand(operand);
    const { moduleBinding } = modules[target.module].lowered;
    if (moduleBinding === undefined) return;
    const exported = names.of("exports");
    for (const module of values.objectsOf(
      values.moduleInstances[target.module],
      bindingOperand(moduleBinding),
    )) {
      const node = module.fields.get(exported);
      if (node === undefined) continue;
      for (const id of values.points.of(node))
        this.#loadFrom(vertex, variable, values.objects[id], names.of(target.name));
    }
  }

  #load(vertex: number, a: Operand, b: Operand, name: number): void {
    const target = this.operand(a);
    if (target < 0) return;
    this.#builder.operation(vertex, Op.write, target);
    this.#take(vertex, target, b, name);
  }

  /** A property of an operand becomes part of a variable. */
  #take(vertex: number, target: number, operand: Operand, name: number): void {
    this.#flow(vertex, target, this.operand(operand), 0, this.#variables.path([name]));
    const objects = this.#objects(operand);
    for (const object of objects) if (!isTracked(object)) this.#loadFrom(vertex, target, object, name);
    for (const object of this.#withPrototypes(objects)) this.#loadFrom(vertex, target, object, name);
  }

  #loadFrom(vertex: number, target: number, object: AbstractObject, name: number): void {
    const { modules, names, values } = this.#source;
    if (object.kind === "external") {
      if (object.name.startsWith(".")) return;
      if (name === ANY_NAME)
        this.#flow(
          vertex,
          target,
          this.#variables.external(canonicalName(object.name)),
          0,
          this.#variables.anyPath,
        );
      else
        this.#flow(
          vertex,
          target,
          this.#variables.external(canonicalName(`${object.name}.${names.list[name]}`)),
        );
      return;
    }
    if (object.kind === "namespace") {
      for (const [exported, found] of modules[object.module].exports()) {
        if (found.kind !== "binding" || (name !== ANY_NAME && exported !== names.list[name])) continue;
        const module = values.moduleInstances[found.module];
        const binding = modules[found.module].lowered.binding(found.name);
        const origin = binding === undefined ? undefined : this.#named.resolve(module, binding);
        if (origin !== undefined)
          this.#flow(vertex, target, this.#named.variableOf(origin.owner, origin.binding));
      }
      return;
    }
    if (isTracked(object))
      this.#flow(vertex, target, this.#variables.field(object), 0, this.#variables.path([name]));
  }

  #store(vertex: number, a: Operand, b: Operand, name: number): void {
    const value = this.operand(b);
    if (value < 0) return;
    const { steps } = this.#instance.code;
    const names = [name];
    let base = a;
    for (let depth = 0; ; depth++) {
      this.#flow(vertex, this.operand(base), value, this.#variables.path(names));
      const loaded = isBinding(base) ? undefined : this.#operands.loads.get(base);
      if (loaded === undefined || depth === MOST_LOADS) break;
      base = steps[loaded * STEP_SIZE + 2];
      names.unshift(steps[loaded * STEP_SIZE + 3]);
    }
    for (const object of this.#objects(a)) this.#storeInto(vertex, object, name, value);
  }

  #storeInto(vertex: number, object: AbstractObject, name: number, value: number): void {
    if (object.kind === "external") {
      if (object.name.startsWith(".")) return;
      const text = this.#source.names.list[name];
      if (name === ANY_NAME)
        this.#flow(
          vertex,
          this.#variables.external(canonicalName(object.name)),
          value,
          this.#variables.anyPath,
        );
      else this.#flow(vertex, this.#variables.external(canonicalName(`${object.name}.${text}`)), value);
    } else if (isTracked(object))
      this.#flow(vertex, this.#variables.field(object), value, this.#variables.path([name]));
  }

  // Calls

  /** Names of what a call may call outside the program, with what the source calls it. */
  outsideNames(step: number): string[] {
    const call = this.#callAt(step);
    if (call === undefined || call.callee === NONE) return [];
    const names = this.#objects(call.callee)
      .filter(({ kind }) => kind === "external")
      .map(({ name }) => canonicalName(name));
    const external = isBinding(call.callee) ? undefined : this.#operands.externals.get(call.callee);
    if (external !== undefined) names.push(canonicalName(external));
    return [...new Set(names)];
  }

  #callAt(step: number): CallCode | undefined {
    const { code } = this.#instance;
    const at = step * STEP_SIZE;
    return code.steps[at] === Step.call ? code.calls[code.steps[at + 1]] : undefined;
  }

  /** What tells calls of one step apart that pass different values. */
  key(made: StepCall): string {
    const handed = this.#handed(made);
    if (0 <= handed) return `handed ${handed}`;
    return `${made.bounds.map(({ id }) => id).join()} ${made.args?.join()} ${made.spread} ${made.receiver}`;
  }

  /** The variable from which a function takes its arguments that a later turn calls. */
  #handed({ callee }: StepCall): number {
    return callee === undefined ? -1 : this.#variables.knownHanded(callee);
  }

  /** Whether a step calls what others have handed over. */
  #isLaterTurn(step: number): boolean {
    const { code } = this.#instance;
    return code.module < 0 || code.steps[step * STEP_SIZE] === Step.await;
  }

  /** What a call of functions of the program passes, once the operations that this adds to its vertex have happened. */
  passed(step: number, made: readonly StepCall[], vertex: number): CallValues {
    const [first] = made;
    const width = Math.max(
      ...made.map(({ target: { code } }) => code.parameters.length + (code.argumentsObject === NONE ? 0 : 1)),
    );
    if (made.every(({ target }) => target.code.isGenerator)) return { ...NO_CALL_VALUES };
    const result = first.repeated ? this.#callbackVariable(step) : this.#resultOf(step);
    const handed = this.#isLaterTurn(step) ? this.#handed(first) : -1;
    if (this.#isLaterTurn(step))
      return { arguments: new Int32Array(0 <= handed ? width : 0).fill(handed), result: -1, receiver: -1 };
    const receiver = this.#boundReceiver(first, step, vertex);
    if (first.args === undefined) {
      const given = this.#given(step, vertex);
      if (first.repeated) this.#flow(vertex, given, result);
      return { arguments: new Int32Array(width).fill(given), result, receiver };
    }
    const leading = [...first.bounds].reverse().flatMap((object) =>
      object.bound!.args.map((_, i) => {
        const variable = this.#variables.temporary(this.#instance, step, `bound ${object.id} ${i}`);
        this.#flow(vertex, variable, this.#variables.bound(object), 0, this.#variables.element(i));
        return variable;
      }),
    );
    const own = first.args.map((operand) => this.operand(operand));
    if (0 <= first.spread) {
      const rest = this.#variables.temporary(this.#instance, step, "spread");
      for (const variable of own.splice(first.spread)) this.#flow(vertex, rest, variable);
      do own.push(rest);
      while (leading.length + own.length < width);
    }
    return { arguments: Int32Array.from([...leading, ...own]), result, receiver };
  }

  #boundReceiver({ bounds, receiver }: StepCall, step: number, vertex: number): number {
    if (bounds.length === 0) return this.operand(receiver);
    const innermost = bounds[bounds.length - 1];
    const variable = this.#variables.temporary(this.#instance, step, `bound ${innermost.id} this`);
    this.#flow(vertex, variable, this.#variables.bound(innermost), 0, this.#variables.receiverPath);
    return variable;
  }

  /** The variable that takes what a step's calls return: that of the call, or one on the way to it. */
  #resultOf(step: number): number {
    const call = this.#callAt(step);
    if (call !== undefined && isPlain(call)) return this.operand(call.result);
    if (call === undefined) {
      const { steps } = this.#instance.code;
      if (steps[step * STEP_SIZE] !== Step.load || this.operand(steps[step * STEP_SIZE + 1]) < 0) return -1;
    }
    return this.#variables.temporary(this.#instance, step, "result");
  }

  /** What callees outside pass to functions that they are given: anything that the call gives them. */
  #given(step: number, vertex: number): number {
    const call = this.#callAt(step);
    const given = this.#variables.temporary(this.#instance, step, "given");
    if (call === undefined) return given;
    const any = this.#variables.anyPath;
    for (const operand of [call.receiver, ...call.args]) {
      const variable = this.operand(operand);
      const objects = this.#objects(operand);
      if (0 < objects.length && objects.every(isCallable)) continue;
      this.#flow(vertex, given, variable);
      this.#flow(vertex, given, variable, 0, any);
      for (const object of this.#reachable(objects))
        this.#flow(vertex, given, this.#variables.field(object), 0, any);
    }
    if (/\.(?:then|catch)$/.test(call.name)) this.#flow(vertex, given, this.#variables.thrown);
    return given;
  }

  /** What a call passes to a callee outside the program: arguments with all that is in them. */
  outside(step: number, vertex: number): CallValues {
    const call = this.#callAt(step)!;
    this.#handOver(step, call, vertex);
    const values = call.args.map((operand, i) => this.#withContents(step, operand, vertex, `argument ${i}`));
    const receiver = this.#withContents(step, call.receiver, vertex, "receiver");
    return { arguments: Int32Array.from(values), receiver, result: this.#resultOf(step) };
  }

  #withContents(step: number, operand: Operand, vertex: number, role: string): number {
    const variable = this.operand(operand);
    const objects = this.#reachable(this.#objects(operand));
    const namespaces = this.#objects(operand).filter(({ kind }) => kind === "namespace");
    if (objects.length + namespaces.length === 0) return variable;
    const whole = this.#variables.temporary(this.#instance, step, role);
    this.#builder.operation(vertex, Op.write, whole);
    this.#flow(vertex, whole, variable);
    const any = this.#variables.anyPath;
    for (const object of objects) this.#flow(vertex, whole, this.#variables.field(object), any, any);
    for (const object of namespaces) this.#loadFrom(vertex, whole, object, ANY_NAME);
    return whole;
  }

  /** Functions among the arguments, and in objects there, may be called with whatever else there is. */
  #handOver(step: number, call: CallCode, vertex: number): void {
    const { values } = this.#source;
    const functions = new Set<AbstractObject>();
    for (const operand of call.args) {
      for (const object of this.#objects(operand)) {
        if (isCallable(object)) functions.add(object);
        else if (object.kind === "object" || object.kind === "array") {
          for (const node of [...object.fields.values(), object.anyWrite]) {
            if (node < 0) continue;
            for (const id of values.points.of(node))
              if (isCallable(values.objects[id])) functions.add(values.objects[id]);
          }
        }
      }
    }
    if (functions.size === 0) return;
    const given = this.#given(step, vertex);
    for (const object of functions) {
      let inner = object;
      while (inner.kind === "bound") inner = values.objects[inner.bound!.target];
      if (
        inner.code === undefined ||
        (inner.code.parameters.length === 0 && inner.code.argumentsObject === NONE)
      )
        continue;
      this.#flow(vertex, this.#variables.handed(inner.id), given);
      if (object.kind === "bound") {
        this.#flow(
          vertex,
          this.#variables.handed(inner.id),
          this.#variables.bound(object),
          0,
          this.#variables.anyPath,
        );
      }
    }
  }

  /** Adds to the vertex after a step's calls what becomes of their results. */
  returned(step: number, made: readonly StepCall[], vertex: number, isOutside: boolean): void {
    const { code } = this.#instance;
    const at = step * STEP_SIZE;
    const call = this.#callAt(step);
    const any = this.#variables.anyPath;
    const target = this.operand(call?.result ?? (code.steps[at] === Step.load ? code.steps[at + 1] : NONE));
    const generators = new Set(made.map((each) => each.target).filter((each) => each.code.isGenerator));
    for (const generator of generators) {
      const output = this.#variables.output(generator);
      if (call?.kind === "iterate") this.#flow(vertex, target, output);
      else {
        this.#flow(vertex, target, output, this.#variables.valuePath);
        this.#flow(vertex, target, output, any);
      }
    }
    if (call?.kind === "super") {
      const result = this.#resultOf(step);
      if (isOutside) {
        this.#flow(vertex, this.operand(call.receiver), result, any);
        for (const object of this.#objects(call.receiver)) this.#storeInto(vertex, object, ANY_NAME, result);
      }
    } else if (!isPlain(call)) {
      if (generators.size < made.length) {
        const result = this.#resultOf(step);
        this.#flow(vertex, target, result);
        if (call?.kind === "iterate") this.#flow(vertex, target, result, 0, any);
      }
    } else if (isOutside) this.#stored(call!, vertex);
  }

  /** Adds to the vertex after callbacks that what they return is part of the result of the callee outside that calls them. */
  calledBack(step: number, made: readonly StepCall[], vertex: number): void {
    const call = this.#callAt(step);
    if (call === undefined || !isPlain(call)) {
      this.returned(step, made, vertex, false);
      return;
    }
    const target = this.operand(call.result);
    const result = this.#variables.temporary(this.#instance, step, "returned");
    this.#flow(vertex, target, result);
    this.#flow(vertex, target, result, this.#variables.anyPath);
  }

  #callbackVariable(step: number): number {
    return isPlain(this.#callAt(step))
      ? this.#variables.temporary(this.#instance, step, "returned")
      : this.#resultOf(step);
  }

  /** What a callee outside the program puts into its receiver or an argument. */
  #stored(call: CallCode, vertex: number): void {
    const names = this.#objects(call.callee).map(({ name }) => name);
    const any = this.#variables.anyPath;
    for (const name of new Set([...names, call.name])) {
      const builtin = builtinFor(name);
      if (builtin?.stores !== undefined) {
        for (const stored of call.args.slice(builtin.stores)) {
          const value = this.operand(stored);
          this.#flow(vertex, this.operand(call.receiver), value, any);
          for (const object of this.#objects(call.receiver)) {
            this.#storeInto(vertex, object, ANY_NAME, value);
            for (const pair of object.name === MAP ? this.#reachable([object]) : [])
              if (pair.name === PAIR) this.#storeInto(vertex, pair, ANY_NAME, value);
          }
        }
      }
      for (const [to, from] of builtin?.copies ?? []) {
        const [target = NONE, source = NONE] = [call.args[to], call.args[from]];
        const value = this.operand(source);
        this.#flow(vertex, this.operand(target), value);
        for (const object of this.#objects(target)) {
          if (!isTracked(object)) continue;
          const field = this.#variables.field(object);
          this.#flow(vertex, field, value);
          for (const each of this.#objects(source))
            if (each.kind === "namespace") this.#loadFrom(vertex, field, each, ANY_NAME);
            else if (isTracked(each)) this.#flow(vertex, field, this.#variables.field(each));
        }
      }
    }
  }

  /** Adds what a step does that makes a generator, a bound function, or asks a generator for more; iterations take elements. */
  prepare(step: number, vertex: number): void {
    for (const made of this.#instance.generators.get(step) ?? []) this.#makeGenerator(step, made, vertex);
    const call = this.#callAt(step);
    if (call === undefined) return;
    const target = this.operand(call.result);
    if (call.kind === "iterate") {
      if (0 <= target) {
        this.#builder.operation(vertex, Op.write, target);
        if (call.part === "open") this.#flow(vertex, target, this.operand(call.receiver));
        if (call.part === "open" || call.part === "close" || call.part === "cancel") return;
        // A pattern takes elements from their places.
        if (call.name !== "[]") this.#take(vertex, target, call.receiver, ANY_NAME);
      }
      return;
    }
    for (const object of this.#objects(call.result)) {
      if (object.kind !== "bound" || object.maker?.instance !== this.#instance || object.maker.step !== step)
        continue;
      const [self = NONE, ...args] = call.args;
      const bound = this.#variables.bound(object);
      this.#flow(vertex, bound, this.operand(self), this.#variables.receiverPath);
      for (const [i, argument] of args.entries())
        this.#flow(vertex, bound, this.operand(argument), this.#variables.element(i));
    }
    for (const object of this.#objects(call.callee)) {
      if (object.kind !== "resume" || object.environment === undefined) continue;
      for (const argument of call.args)
        this.#flow(vertex, this.#variables.sent(object.environment), this.operand(argument));
      if (object.name === "return")
        for (const argument of call.args)
          this.#flow(vertex, this.#variables.output(object.environment), this.operand(argument));
    }
  }

  #makeGenerator(step: number, made: StepCall, vertex: number): void {
    const input = this.#variables.input(made.target);
    const isChosen = made.args === undefined || this.#isLaterTurn(step);
    if (isChosen) {
      const handed = this.#isLaterTurn(step) ? this.#handed(made) : this.#given(step, vertex);
      this.#flow(vertex, input, handed, this.#variables.anyPath);
      return;
    }
    let i = 0;
    for (const object of [...made.bounds].reverse()) {
      for (const k of object.bound!.args.keys()) {
        const [to, from] = [this.#variables.element(i++), this.#variables.element(k)];
        this.#flow(vertex, input, this.#variables.bound(object), to, from);
      }
    }
    for (const [k, operand] of made.args!.entries()) {
      const isPlaced = made.spread < 0 || k < made.spread;
      const to = isPlaced ? this.#variables.element(i + k) : this.#variables.anyPath;
      this.#flow(vertex, input, this.operand(operand), to);
    }
    this.#flow(vertex, input, this.#boundReceiver(made, step, vertex), this.#variables.receiverPath);
  }
}

/** Whether a call is one that the source writes as such, with a result of its own. */
function isPlain(call: CallCode | undefined): boolean {
  return call !== undefined && (call.kind === "call" || call.kind === "new" || call.kind === "decorate");
}

/** Whether what an object holds is known to the program. */
function isTracked({ kind }: AbstractObject): boolean {
  return (
    kind !== "external" &&
    kind !== "namespace" &&
    kind !== "generator" &&
    kind !== "resume" &&
    kind !== "bound"
  );
}
