/**
 * Which functions a call may call: a points-to analysis of functions, classes and objects, insensitive to the order of steps,
 * sensitive to fields, and to calling contexts where a call hands functions over. A function is analysed anew (an *instance*)
 * for each call that passes it functions, or calls it on an object that holds some; what closures see are the bindings of the
 * instance that made them. So `call(f)` calls this `f`, not every function that was ever passed to `call`.
 *
 * Not followed, and so known imprecision: values through property names that are computed count as stored under any name;
 * callees outside the program do what `builtins.ts` says.
 */

import { once } from "../../once.js";
import {
  ANY_NAME,
  type Binding,
  bindingId,
  type CallCode,
  type Code,
  isBinding,
  type Names,
  NONE,
  type Operand,
  STEP_SIZE,
  Step,
  stepCount,
} from "../lower/code.js";
import {
  type AbstractObject,
  type Instance,
  isCallable,
  type ObjectKind,
  type StepCall,
} from "./abstract-object.js";
import {
  BUILTINS,
  type Builtin,
  builtinFor,
  type Callback,
  EMITTERS,
  FUNCTION_METHODS,
  SHRINKING,
  type ValuePlace,
} from "./builtins.js";
import { ContentRules, type OutsideCall } from "./content-rules.js";
import { ConversionRules, isConvertible } from "./conversion-rules.js";
import { escapingFrom } from "./escaping.js";
import { Exceptions } from "./exceptions.js";
import { IterationRules, isFresh, resumedPart, resuming, yieldsForSure } from "./iteration-rules.js";
import type { ImportTarget, LinkedModule } from "./linked-modules.js";
import { type NodeId, type ObjectId, PointsTo } from "./points-to.js";
import { ProxyRules } from "./proxy-rules.js";
import { ReadingRules } from "./reading-rules.js";
import type { Invocation, ValueRules } from "./value-rules.js";

/** Call sites that a context remembers. */
const CONTEXT_DEPTH = 3;
/** Instances beyond one a code: for the whole program this many, and as many again as it has codes; and for each code. */
const EXTRA_INSTANCES = 2_000;
const INSTANCES_PER_CODE = 32;
/** The same for codes of few steps, as functions that wrap others. */
const INSTANCES_PER_SMALL_CODE = 256;
const SMALL_CODE = 12;
/**
 * Objects past which a value may be anything: calls that pass it, or are on it, are not told apart. The second is for what
 * runs once modules are evaluated, which is most of a program, and there only functions themselves count, not what holds them.
 */
const VAGUE = 6;
const VAGUE_LATER = 1;
const COARSE_LIMIT = 24;
/** Calls that are looked at in detail while modules are evaluated; those after them as at later turns. */
const DETAILED_CALLS = 20_000;
/**
 * Instances that the search for early reads at later turns may add. Past these, calls are not followed into codes that are new:
 * in very large programs, an early read that only a long chain of calls brings about is missed there.
 */
const EARLY_INSTANCES = 3_000;
/** The name of objects of classes outside the program that call what listens to them. */
const EMITTER = "emitter";
/** Parts of names of external objects: `a.b.c`. */
const NAME_PARTS = 4;

export interface ValueOptions {
  /** When a callee outside the program, of which nothing is known, calls functions that it is given. */
  readonly callbacks: "later" | "now";
}

/** A function that is called at a later turn, and the step that sees to that. */
export interface LaterCall {
  readonly object: ObjectId;
  readonly instance: Instance;
  readonly step: number;
  /** What it is called on, if known. */
  readonly thisObject: AbstractObject | undefined;
}

/** A step that evaluates a module: `require(...)`. */
export interface RequireStep {
  readonly step: number;
  readonly module: number;
}

export class ValueAnalysis {
  readonly points = new PointsTo();
  readonly objects: AbstractObject[] = [];
  readonly instances: Instance[] = [];
  readonly moduleInstances: Instance[] = [];
  readonly laterCalls: LaterCall[] = [];
  /** Modules that steps require, by instance. */
  readonly requires = new Map<Instance, RequireStep[]>();
  readonly #modules: readonly LinkedModule[];
  readonly #bindings: readonly Binding[];
  readonly #names: Names;
  readonly #options: ValueOptions;
  readonly #byKey = new Map<string, Instance>();
  readonly #instancesOfCode = new Map<Code, number>();
  readonly #contexts = new Map<string, number>();
  readonly #contextSites: (readonly number[])[] = [[]];
  readonly #closures = new Map<string, AbstractObject>();
  readonly #externals = new Map<string, AbstractObject>();
  readonly #namespaces = new Map<number, AbstractObject>();
  readonly #importNodes = new Map<number, NodeId>();
  readonly #created = new Map<string, AbstractObject>();
  readonly #done = new Set<string>();
  readonly #calledObjects = new Set<ObjectId>();
  readonly #calledFromHost = new Set<ObjectId>();
  readonly #rules: ValueRules = {
    points: this.points,
    objects: this.objects,
    names: () => this.#names,
    node: (instance, operand) => this.node(instance, operand),
    field: (object, name) => this.#field(object, name),
    anyWrite: (object) => this.#anyWrite(object),
    site: (instance, step, about, kind, name) => this.#site(instance, step, about, kind, name),
    anyRead: (object) => this.#anyRead(object),
    load: (object, name, to) => this.#load(object, name, to),
    array: (instance, step, elements) => {
      const array = this.#site(instance, step, -1, "array");
      for (const [i, element] of elements.entries())
        this.points.edge(element, this.#field(array, this.#names.of(String(i))));
      return array;
    },
    getter: (code, instance) => this.#closureIn(code, instance),
    invoke: (instance, step, callee, how) => this.#invoke(instance, step, callee, how),
    record: (instance, step, call) => this.#recordCall(instance, step, call),
  };
  readonly #iteration = new IterationRules(this.#rules);
  readonly #contents = new ContentRules(this.#rules);
  readonly #conversion = new ConversionRules(this.#rules);
  readonly #proxies = new ProxyRules(this.#rules);
  readonly #reading = new ReadingRules(this.#rules);
  readonly #exceptions = new Exceptions(this.#rules, (object, instance) =>
    this.#callLater(object, instance, 0),
  );
  readonly #pending: { readonly instance: Instance; readonly step: number; readonly call: CallCode }[] = [];
  readonly #later = new Set<ObjectId>();
  readonly #awaits: { readonly instance: Instance; readonly step: number }[] = [];
  /** Instances past which calls into new codes are not followed. */
  #most = Number.POSITIVE_INFINITY;
  /** Whether objects and calls are no longer told apart as finely as they could be. */
  #isCoarse = false;
  #extra = 0;
  #dispatcher: Instance | undefined;
  /** Whether any code may define a property with a getter: then loads look for one. */
  readonly #definesGetters = once(() => {
    const codes = this.#modules.flatMap(({ lowered }) => lowered.codes);
    const has = (kind: number, name: number) =>
      codes.some(({ steps }) => {
        for (let at = 0; at < steps.length; at += STEP_SIZE)
          if (steps[at] === kind && steps[at + 3] === name) return true;
        return false;
      });
    return has(Step.load, this.#names.of("defineProperty")) && has(Step.store, this.#names.of("get"));
  });

  constructor(
    modules: readonly LinkedModule[],
    bindings: readonly Binding[],
    names: Names,
    options: ValueOptions,
  ) {
    this.#modules = modules;
    this.#bindings = bindings;
    this.#names = names;
    this.#options = options;
    for (const { lowered } of modules) this.moduleInstances.push(this.#instance(lowered.code, undefined, 0));
  }

  /** Lets values flow from the modules' top levels. */
  load(): void {
    this.#solve();
  }

  /**
   * Calls what may run once modules are evaluated, by `root`: every function that nothing has called, what others were given to
   * call, and what they can get at through `exported`; or only some functions and what they call.
   */
  runLater(root: Code, only?: readonly Code[], exported: readonly NodeId[] = []): Instance {
    const dispatcher = this.#instance(root, undefined, 0);
    this.#dispatcher = dispatcher;
    this.#becomeCoarse();
    if (only !== undefined) {
      this.#most = this.instances.length + only.length + EARLY_INSTANCES;
      for (const code of only) {
        const around = this.#activationOf(code.parent!);
        this.points.later(() => this.#callFromHost(this.#closure(code, around).id));
      }
      this.#solve();
      return dispatcher;
    }
    for (let called = 0; ; ) {
      while (called < this.laterCalls.length) {
        const { object, thisObject } = this.laterCalls[called++];
        this.#callFromHost(object, thisObject);
      }
      this.#solve();
      if (called < this.laterCalls.length) continue;
      const idle = this.objects.filter(
        ({ kind, id }) => (kind === "function" || kind === "class") && !this.#calledObjects.has(id),
      );
      const escaping = escapingFrom(exported, this).filter(({ id }) => !this.#calledFromHost.has(id));
      if (idle.length + escaping.length === 0 && !this.#callMembersFromHost()) return dispatcher;
      for (const { id } of new Set([...idle, ...escaping])) this.#callFromHost(id);
      this.#solve();
      this.#callMembersFromHost();
      this.#solve();
    }
  }

  /** Some activation of a code, inside activations of those around it. */
  #activationOf(code: Code): Instance {
    const chain = [code];
    while (chain[0].parent !== undefined) chain.unshift(chain[0].parent);
    let instance: Instance | undefined;
    for (const each of chain) instance = this.#instance(each, instance, 0);
    return instance!;
  }

  /** The node of an operand of an instance, or -1 where it has none. */
  node(instance: Instance, operand: Operand): NodeId {
    if (operand === NONE) return -1;
    if (!isBinding(operand)) return instance.base + instance.code.bindings.length + operand;
    return this.nodeOfBinding(instance, this.#bindings[bindingId(operand)]);
  }

  nodeOfBinding(instance: Instance, binding: Binding): NodeId {
    if (binding.kind === "import") return this.#importNode(instance.code.module, binding);
    const owner = this.ownerInstance(instance, binding);
    return owner === undefined ? -1 : owner.base + binding.slot;
  }

  /** The activation, seen from another, that a binding belongs to. */
  ownerInstance(instance: Instance, binding: Binding): Instance | undefined {
    let owner: Instance | undefined = instance;
    while (owner !== undefined && owner.code !== binding.owner) owner = owner.environment;
    return owner;
  }

  /** What an import's binding stands for. */
  importTarget(module: number, binding: Binding): ImportTarget {
    return this.#modules[module].imports.get(binding.id) ?? { kind: "missing" };
  }

  objectsOf(instance: Instance, operand: Operand): AbstractObject[] {
    const node = this.node(instance, operand);
    return node < 0 ? [] : this.points.of(node).map((id) => this.objects[id]);
  }

  #becomeCoarse(): void {
    this.#isCoarse = true;
    this.points.limit = COARSE_LIMIT;
  }

  #solve(): void {
    for (;;) {
      this.points.solve();
      if (this.#pending.length === 0) return;
      // Calls that nothing in the program answers: from now on, callees outside do.
      for (const { instance, step, call } of this.#pending.splice(0)) {
        const callee = this.node(instance, call.callee);
        if (0 <= callee && 0 < this.points.of(callee).length) continue;
        this.#callOutside(instance, step, call, call.name);
      }
    }
  }

  // Instances

  #instance(code: Code, environment: Instance | undefined, context: number): Instance {
    const key = `${code.id} ${environment?.id ?? -1} ${context}`;
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const count = this.#instancesOfCode.get(code) ?? 0;
    if (0 < count) this.#extra++;
    this.#instancesOfCode.set(code, count + 1);
    const instance: Instance = {
      id: this.instances.length,
      code,
      environment,
      context,
      base: this.points.create(code.bindings.length + code.registers),
      calls: new Map(),
      generators: new Map(),
    };
    this.instances.push(instance);
    this.#byKey.set(key, instance);
    this.points.later(() => this.#install(instance));
    return instance;
  }

  #install(instance: Instance): void {
    const { code } = instance;
    const made = new Map<Operand, AbstractObject>();
    for (const allocation of code.allocations) {
      const object = this.#allocate(instance, allocation);
      if (object === undefined) continue;
      made.set(allocation.register, object);
      this.points.add(this.node(instance, allocation.register), object.id);
    }
    for (const { object, name, kind, code: accessor } of code.accessors) {
      const target = made.get(object);
      if (target === undefined) continue;
      (kind === "get" ? target.getters : target.setters).set(name, accessor);
      if (!target.declared.has(name)) target.declared.set(name, undefined);
    }
    const { steps } = code;
    this.#exceptions.install(instance);
    for (let at = 0, step = 0; at < steps.length; at += STEP_SIZE, step++) {
      if (code.reached[step] === 0) continue;
      const a = steps[at + 1];
      const b = steps[at + 2];
      const c = steps[at + 3];
      switch (steps[at]) {
        case Step.write:
        case Step.flow:
          if (b !== NONE) this.points.edge(this.node(instance, b), this.node(instance, a));
          break;
        case Step.load:
          this.#installLoad(instance, step, a, b, c);
          break;
        case Step.store:
          this.#installStore(instance, step, a, b, c);
          break;
        case Step.call:
          this.#installCall(instance, step, code.calls[a]);
          break;
        case Step.await:
          if (code.kind === "module") this.#addAwait(instance, step);
          this.#adopt(instance, step, this.node(instance, a));
          break;
        default:
      }
    }
  }

  #allocate(instance: Instance, allocation: Code["allocations"][number]): AbstractObject | undefined {
    switch (allocation.kind) {
      case "function":
        return this.#closure(allocation.code!, instance);
      case "class":
        return this.#classObject(allocation, instance);
      case "external":
        return this.#external(allocation.name!);
      case "array":
      case "arguments":
        return this.#object("array", { length: allocation.length ?? 0 });
      default:
        return this.#object("object", { name: allocation.name ?? "", module: instance.code.module });
    }
  }

  #object(kind: ObjectKind, rest: Partial<AbstractObject> = {}): AbstractObject {
    const object: AbstractObject = {
      id: this.objects.length,
      kind,
      code: undefined,
      shape: undefined,
      environment: undefined,
      name: "",
      module: -1,
      bound: undefined,
      length: 0,
      maker: undefined,
      proxied: undefined,
      ...rest,
      fields: new Map(),
      anyRead: -1,
      anyWrite: -1,
      proto: -1,
      declared: new Map(),
      getters: new Map(),
      setters: new Map(),
      defined: undefined,
    };
    this.objects.push(object);
    return object;
  }

  /** The activation around a code, as seen from one inside. */
  #environmentFor(code: Code, from: Instance): Instance | undefined {
    let environment: Instance | undefined = from;
    while (environment !== undefined && environment.code !== code.parent)
      environment = environment.environment;
    return environment;
  }

  #closure(code: Code, from: Instance): AbstractObject {
    const environment = this.#environmentFor(code, from);
    const key = `${code.id} ${environment?.id ?? -1}`;
    let closure = this.#closures.get(key);
    if (closure === undefined) {
      closure = this.#object("function", { code, environment });
      this.#closures.set(key, closure);
      if (code.kind === "fields") this.#calledObjects.add(closure.id);
    }
    return closure;
  }

  #classObject({ code, shape }: Code["allocations"][number], instance: Instance): AbstractObject {
    const object = this.#object("class", {
      code,
      shape,
      environment: this.#environmentFor(code!, instance),
    });
    const prototype = this.#object("object", { name: "prototype" });
    const prototypeName = this.#names.of("prototype");
    this.points.add(this.#field(object, prototypeName), prototype.id);
    object.declared.set(prototypeName, undefined);
    this.points.add(this.#field(prototype, this.#names.of("constructor")), object.id);
    for (const { name, kind, isStatic, code: member } of shape!.members) {
      const holder = isStatic ? object : prototype;
      if (kind === "get") holder.getters.set(name, member);
      else if (kind === "set") holder.setters.set(name, member);
      else {
        const method = this.#closure(member, instance);
        if (name === ANY_NAME) this.points.add(this.#anyWrite(holder), method.id);
        else this.points.add(this.#field(holder, name), method.id);
      }
      if (name !== ANY_NAME) holder.declared.set(name, member);
    }
    const superclass = this.node(instance, shape!.superclass);
    if (0 <= superclass) {
      this.points.edge(superclass, this.#proto(object));
      const protos = this.#proto(prototype);
      this.points.on(superclass, (parent) => this.#load(this.objects[parent], prototypeName, protos));
    }
    return object;
  }

  #external(name: string): AbstractObject {
    let external = this.#externals.get(name);
    if (external === undefined) {
      external = this.#object("external", { name });
      this.#externals.set(name, external);
    }
    return external;
  }

  #namespace(module: number): AbstractObject {
    let namespace = this.#namespaces.get(module);
    if (namespace === undefined) {
      namespace = this.#object("namespace", { module });
      this.#namespaces.set(module, namespace);
    }
    return namespace;
  }

  // Imports

  #importNode(module: number, binding: Binding): NodeId {
    let node = this.#importNodes.get(binding.id);
    if (node === undefined) {
      const target = this.importTarget(module, binding);
      node = this.#targetNode(target);
      this.#importNodes.set(binding.id, node);
    }
    return node;
  }

  #targetNode(target: ImportTarget): NodeId {
    if (target.kind === "binding") {
      const { lowered } = this.#modules[target.module];
      const binding = lowered.binding(target.name);
      if (binding === undefined) return -1;
      if (binding.kind === "import") return this.#importNode(target.module, binding);
      return this.nodeOfBinding(this.moduleInstances[target.module], binding);
    }
    const node = this.points.create();
    if (target.kind === "namespace") this.points.add(node, this.#moduleValue(target.module, node));
    else if (target.kind === "property") {
      if (target.name === undefined) this.#moduleValue(target.module, node);
      else {
        const whole = this.points.create();
        this.#moduleValue(target.module, whole);
        const name = this.#names.of(target.name);
        this.points.on(whole, (id) => this.#load(this.objects[id], name, node));
      }
    } else if (target.kind === "external") {
      const name = target.imported === "*" ? target.source : `${target.source}:${target.imported}`;
      this.points.add(node, this.#external(name).id);
    }
    return node;
  }

  /** What `import * as x` or `require` gives. For CommonJS, what `module.exports` holds flows to `node`, too. */
  #moduleValue(module: number, node: NodeId): ObjectId {
    const { isCommonJs, lowered } = this.#modules[module];
    if (isCommonJs) {
      const instance = this.moduleInstances[module];
      const exportsName = this.#names.of("exports");
      this.points.on(this.nodeOfBinding(instance, lowered.moduleBinding!), (object) =>
        this.#load(this.objects[object], exportsName, node),
      );
    }
    return this.#namespace(module).id;
  }

  /** What a module exports, by name. */
  *#exportsOf({ module }: AbstractObject): Iterable<[name: string, node: NodeId]> {
    for (const [name, target] of this.#modules[module].exports()) yield [name, this.#targetNode(target)];
  }

  // Fields

  #field(object: AbstractObject, name: number): NodeId {
    let node = object.fields.get(name);
    if (node === undefined) {
      node = this.points.create();
      object.fields.set(name, node);
      if (0 <= object.anyRead) this.points.edge(node, object.anyRead);
      if (0 <= object.anyWrite) this.points.edge(object.anyWrite, node);
      if (object.kind === "function" && this.#names.list[name] === "prototype") {
        const prototype = this.#object("object", { name: "prototype" });
        this.points.add(node, prototype.id);
      }
    }
    return node;
  }

  #anyRead(object: AbstractObject): NodeId {
    if (object.anyRead < 0) {
      object.anyRead = this.points.create();
      for (const node of object.fields.values()) this.points.edge(node, object.anyRead);
      if (0 <= object.anyWrite) this.points.edge(object.anyWrite, object.anyRead);
    }
    return object.anyRead;
  }

  #anyWrite(object: AbstractObject): NodeId {
    if (object.anyWrite < 0) {
      object.anyWrite = this.points.create();
      for (const node of object.fields.values()) this.points.edge(object.anyWrite, node);
      if (0 <= object.anyRead) this.points.edge(object.anyWrite, object.anyRead);
    }
    return object.anyWrite;
  }

  #proto(object: AbstractObject): NodeId {
    if (object.proto < 0) object.proto = this.points.create();
    return object.proto;
  }

  /** Lets a property's values flow to `to`; getters are reported to `onGetter` with the object they run on. */
  #load(
    object: AbstractObject,
    name: number,
    to: NodeId,
    onGetter?: (getter: Code | AbstractObject, holder: AbstractObject) => void,
    /** Objects that the search for the property has come by: prototypes may form a circle. */
    passed?: Set<ObjectId>,
  ): void {
    const { points } = this;
    const text = this.#names.list[name];
    switch (object.kind) {
      case "external": {
        if (name === ANY_NAME || NAME_PARTS <= object.name.split(".").length) return;
        points.add(to, this.#external(`${object.name}.${text}`).id);
        return;
      }
      case "namespace": {
        const { isCommonJs } = this.#modules[object.module];
        if (isCommonJs) {
          if (text === "default") this.#moduleValue(object.module, to);
          else {
            const value = points.create();
            this.#moduleValue(object.module, value);
            points.on(value, (inner) => this.#load(this.objects[inner], name, to, onGetter));
          }
          return;
        }
        for (const [exported, node] of this.#exportsOf(object))
          if (name === ANY_NAME || exported === text) points.edge(node, to);
        return;
      }
      case "proxy":
        points.on(object.proxied!.target, (id) => this.#load(this.objects[id], name, to, onGetter));
        return;
      case "generator":
        if (["next", "return", "throw"].includes(text)) {
          points.add(to, this.#resume(object, text).id);
          return;
        }
        break;
      case "function":
      case "class":
      case "bound":
        if (FUNCTION_METHODS.has(text) && !object.declared.has(name)) {
          points.add(to, this.#external(`.${text}`).id);
          return;
        }
        break;
      default:
    }
    if (onGetter !== undefined && this.#definesGetters()) {
      const getters = points.create();
      this.#load(this.#definedOn(object), name, getters);
      points.on(getters, (id) => onGetter(this.objects[id], object));
    }
    if (name === ANY_NAME) {
      points.edge(this.#anyRead(object), to);
      if (onGetter !== undefined) for (const code of object.getters.values()) onGetter(code, object);
      return;
    }
    const getter = object.getters.get(name);
    if (getter !== undefined) {
      onGetter?.(getter, object);
      return;
    }
    if (object.kind === "array" && Object.hasOwn(BUILTINS, `.${text}`) && !object.fields.has(name)) {
      points.add(to, this.#external(`.${text}`).id);
      return;
    }
    points.edge(this.#field(object, name), to);
    if (object.declared.has(name)) return;
    let seen = passed;
    points.on(this.#proto(object), (parent) => {
      seen ??= new Set([object.id]);
      if (seen.has(parent)) return;
      seen.add(parent);
      this.#load(this.objects[parent], name, to, onGetter, seen);
    });
  }

  #installLoad(instance: Instance, step: number, a: Operand, b: Operand, name: number): void {
    const to = this.node(instance, a);
    this.points.on(this.node(instance, b), (id) => {
      const object = this.objects[id];
      if (object.kind === "proxy") {
        this.#proxies.get(instance, step, object, to, (target) => this.#load(target, name, to));
        return;
      }
      this.#load(object, name, to, (getter) =>
        this.points.later(() => this.#reading.callGetter(instance, step, getter, object, b, to)),
      );
    });
  }

  /** Takes the place of an object for the getters that it has been given. */
  #definedOn(object: AbstractObject): AbstractObject {
    object.defined ??= this.#object("object");
    return object.defined;
  }

  /** The closure of an accessor: it sees what the code around the object sees. */
  #closureIn(code: Code, from: Instance): AbstractObject | undefined {
    const here = this.#environmentFor(code, from);
    if (here !== undefined || code.parent === undefined) return this.#closure(code, from);
    const around = this.instances.find((instance) => instance.code === code.parent);
    return around === undefined ? undefined : this.#closure(code, around);
  }

  #installStore(instance: Instance, step: number, a: Operand, b: Operand, name: number): void {
    const value = this.node(instance, b);
    const setterName = name;
    const store = (id: ObjectId) => {
      const object = this.objects[id];
      if (object.kind === "proxy") {
        const args = [object.proxied!.target, -1, value];
        this.#proxies.trap(instance, step, object, "set", {
          args,
          otherwise: ({ id: target }) => store(target),
        });
        return;
      }
      if (object.kind === "external") {
        if (0 <= value) this.points.on(value, (stored) => this.#callLater(stored, instance, step));
        return;
      }
      const setter = this.#setterOf(object, setterName);
      if (setter !== undefined) {
        this.points.later(() => {
          const closure = this.#closureIn(setter, instance);
          if (closure !== undefined)
            this.#invoke(instance, step, closure, { receiver: a, thisObject: object, args: [b], result: -1 });
        });
        return;
      }
      if (this.#names.list[name] === "length") object.length = 0;
      if (value < 0) return;
      if (this.#names.list[name] === "__proto__") this.points.edge(value, this.#proto(object));
      else this.points.edge(value, name === ANY_NAME ? this.#anyWrite(object) : this.#field(object, name));
    };
    this.points.on(this.node(instance, a), store);
  }

  #setterOf(object: AbstractObject, name: number): Code | undefined {
    for (let at: AbstractObject | undefined = object, depth = 0; at !== undefined && depth < 16; depth++) {
      const setter = at.setters.get(name);
      if (setter !== undefined) return setter;
      if (at.declared.has(name) || at.proto < 0) return undefined;
      const [parent]: readonly ObjectId[] = this.points.of(at.proto);
      at = parent === undefined ? undefined : this.objects[parent];
    }
    return undefined;
  }

  /** The method that an object surely has under a name, as far as known now. */
  #declaredMethod(object: AbstractObject, name: number): Code | undefined {
    const seen = new Set<AbstractObject>();
    for (let at: AbstractObject | undefined = object; at !== undefined && !seen.has(at); ) {
      seen.add(at);
      if (at.declared.has(name)) return at.declared.get(name);
      if (at.fields.has(name) && 0 < this.points.of(at.fields.get(name)!).length) return undefined;
      const parents: readonly ObjectId[] = at.proto < 0 ? [] : this.points.of(at.proto);
      at = parents.length === 1 ? this.objects[parents[0]] : undefined;
    }
    return undefined;
  }

  // Calls

  #installCall(instance: Instance, step: number, call: CallCode): void {
    const { points } = this;
    const result = this.node(instance, call.result);
    switch (call.kind) {
      case "iterate":
        points.on(this.node(instance, call.receiver), (id) =>
          points.later(() => this.#iteration.iterate(instance, step, call, this.objects[id], result)),
        );
        return;
      case "coerce":
        points.on(this.node(instance, call.receiver), (id) => {
          const object = this.objects[id];
          if (!isConvertible(object)) return;
          points.later(() =>
            this.#conversion.convert(instance, step, call.receiver, object, call.methods!, call.args),
          );
        });
        return;
      case "inspect":
        points.on(this.node(instance, call.receiver), (id) =>
          this.#proxies.trap(instance, step, this.objects[id], call.name),
        );
        return;
      case "import":
      case "require":
        this.#callModule(instance, step, call, result);
        return;
      default: {
        const callee = this.node(instance, call.callee);
        points.on(callee, (id) => points.later(() => this.#call(instance, step, call, this.objects[id])));
        this.#pending.push({ instance, step, call });
      }
    }
  }

  #callModule(instance: Instance, step: number, call: CallCode, result: NodeId): void {
    const target = this.#modules[instance.code.module].target(call.specifier!);
    if (typeof target === "string") this.points.add(result, this.#external(target).id);
    if (typeof target !== "number") return;
    if (call.kind === "require") {
      const known = this.requires.get(instance);
      if (known === undefined) this.requires.set(instance, [{ step, module: target }]);
      else known.push({ step, module: target });
    }
    if (call.kind === "require" && this.#modules[target].isCommonJs) this.#moduleValue(target, result);
    else this.points.add(result, this.#moduleValue(target, result));
  }

  #call(instance: Instance, step: number, call: CallCode, object: AbstractObject): void {
    const result = this.node(instance, call.result);
    const base = { receiver: call.receiver, args: call.args, spread: call.spread, result };
    switch (object.kind) {
      case "function":
        if (call.kind === "new") this.#construct(instance, step, call, object);
        else this.#invokeOn(instance, step, call, object);
        return;
      case "class":
        if (call.kind === "new") this.#construct(instance, step, call, object);
        else if (call.kind === "super") this.#invokeOn(instance, step, call, object);
        return;
      case "bound": {
        const { target, receiver, args } = object.bound!;
        const inner = this.objects[target];
        if (inner.kind === "external") {
          const method = inner.name.slice(inner.name.lastIndexOf(".") + 1);
          if (args.length === 0 && FUNCTION_METHODS.has(method))
            this.points.on(receiver, (id) =>
              this.points.later(() => this.#functionMethod(instance, step, call, method, this.objects[id])),
            );
          return;
        }
        const operands = call.args.map((argument) => this.node(instance, argument));
        this.#invoke(instance, step, inner, {
          ...base,
          receiver: NONE,
          receiverNode: receiver,
          args: call.args,
          argNodes: [...args, ...operands],
          bounds: [object],
        });
        return;
      }
      case "resume": {
        const [sent = NONE] = call.args;
        this.points.edge(
          this.node(instance, sent),
          this.node(object.environment!, object.environment!.code.sent),
        );
        if (object.name === "throw") {
          const { code } = object.environment!;
          for (let yielded = 0; yielded * STEP_SIZE < code.steps.length; yielded++) {
            if (code.steps[yielded * STEP_SIZE] !== Step.yield) continue;
            this.points.edge(this.node(instance, sent), this.#exceptions.taken(object.environment!, yielded));
          }
        }
        const runs = resumedPart(object, instance, step);
        if (runs !== undefined)
          this.#recordCall(instance, step, { ...resuming(object.environment!, runs), args: call.args });
        const value = this.#site(instance, step, object.id, "object");
        const handed = this.#field(value, this.#names.of("value"));
        this.points.edge(this.node(object.environment!, object.environment!.code.yielded), handed);
        if (object.name === "return") this.points.edge(this.node(instance, sent), handed);
        if (0 <= result) this.points.add(result, value.id);
        return;
      }
      case "external":
        this.#callOutside(instance, step, call, object.name);
        return;
      case "proxy": {
        const operands = call.args.map((argument) => this.node(instance, argument));
        this.#proxies.call(instance, step, object, call.kind === "new", operands, result, (target) =>
          this.#call(instance, step, call, target),
        );
        return;
      }
      default:
    }
  }

  /** Calls a function on each object that the receiver may be, or on none where nothing is known of it. */
  #invokeOn(instance: Instance, step: number, call: CallCode, callee: AbstractObject): void {
    const result = this.node(instance, call.result);
    const plain = { receiver: call.receiver, args: call.args, spread: call.spread, result };
    const receiver = this.node(instance, call.receiver);
    if (receiver < 0 || callee.code!.isArrow || callee.code!.receiver === NONE) {
      this.#invoke(instance, step, callee, plain);
      return;
    }
    const name = call.name.startsWith(".") ? this.#names.of(call.name.slice(1)) : -1;
    let known = 0;
    this.points.on(receiver, (id) => {
      const object = this.objects[id];
      known++;
      const most = this.#isCoarse ? 0 : VAGUE;
      if (most < known) {
        // Where it may be anything, objects are not told apart.
        if (known === most + 1) this.points.later(() => this.#invoke(instance, step, callee, plain));
        return;
      }
      const method = 0 <= name ? this.#declaredMethod(object, name) : undefined;
      if (method !== undefined && method !== callee.code && callee.kind === "function") return;
      this.points.later(() => this.#invoke(instance, step, callee, { ...plain, thisObject: object }));
    });
    this.points.later(() => {
      if (known === 0) this.#invoke(instance, step, callee, plain);
    });
  }

  #construct(
    instance: Instance,
    step: number,
    call: CallCode,
    callee: AbstractObject,
    /** Arguments that are not those of the call, of no known place. */
    argNodes?: readonly NodeId[],
  ): void {
    if (callee.kind !== "function" && callee.kind !== "class") return;
    const result = this.node(instance, call.result);
    // Objects of a class are told apart by where they are made only where that hands functions over.
    const passes = call.args.some(
      (argument) => argument !== NONE && this.#holdsFunctions(this.node(instance, argument)),
    );
    const made = passes
      ? this.#site(instance, step, callee.id, "instance")
      : this.#site(this.moduleInstances[0] ?? instance, -2, callee.id, "instance");
    const prototype = this.#names.of("prototype");
    this.#load(callee, prototype, this.#proto(made));
    for (const name of callee.shape?.fieldNames ?? []) made.declared.set(name, undefined);
    this.points.add(result, made.id);
    this.#invoke(instance, step, callee, {
      receiver: NONE,
      thisObject: made,
      ...(argNodes === undefined
        ? { args: call.args, spread: call.spread }
        : { args: [], argNodes, spread: 0 }),
      result: -1,
      produced: result,
    });
  }

  /** The object that a step makes when it concerns another object. */
  #site(instance: Instance, step: number, about: number, kind: ObjectKind, name = ""): AbstractObject {
    const key = `${instance.id} ${step} ${about} ${kind} ${name}`;
    let object = this.#created.get(key);
    if (object === undefined) {
      object = this.#object(kind, { name });
      this.#created.set(key, object);
    }
    return object;
  }

  #resume(generator: AbstractObject, name: string): AbstractObject {
    const key = `resume ${generator.id} ${name}`;
    let object = this.#created.get(key);
    if (object === undefined) {
      object = this.#object("resume", { environment: generator.environment, maker: generator.maker, name });
      this.#created.set(key, object);
    }
    return object;
  }

  #invoke(instance: Instance, step: number, callee: AbstractObject, how: Invocation): void {
    if (callee.kind === "bound") {
      const { target, receiver, args } = callee.bound!;
      const own = how.argNodes ?? how.args.map((argument) => this.node(instance, argument));
      const isChosen = how.argNodes !== undefined && how.bounds === undefined;
      const inner = {
        ...how,
        receiver: NONE,
        receiverNode: receiver,
        argNodes: [...args, ...own],
        ...(isChosen ? {} : { bounds: [...(how.bounds ?? []), callee] }),
      };
      this.#invoke(instance, step, this.objects[target], inner);
      return;
    }
    const { code } = callee;
    if (code === undefined) return;
    this.#calledObjects.add(callee.id);
    const argNodes = how.argNodes ?? how.args.map((argument) => this.node(instance, argument));
    const key = `${instance.id} ${step} ${callee.id} ${how.thisObject?.id ?? -1} ${argNodes.join(",")} ${how.repeated === true}`;
    if (this.#done.has(key)) return;
    this.#done.add(key);
    if (DETAILED_CALLS <= this.#done.size) this.#becomeCoarse();
    if (this.#most <= this.instances.length && !this.#instancesOfCode.has(code)) return;
    const context = this.#contextFor(instance, step, code, argNodes, how.thisObject);
    const target = this.#instance(code, callee.environment, context);
    const { points } = this;
    if (code.receiver !== NONE && !code.isArrow) {
      const self = this.node(target, code.receiver);
      if (how.thisObject !== undefined) points.add(self, how.thisObject.id);
      else if (how.receiverNode !== undefined) points.edge(how.receiverNode, self);
      else points.edge(this.node(instance, how.receiver), self);
    }
    this.#passArguments(target, argNodes, how.spread ?? -1);
    const call: StepCall = {
      target,
      runs: "whole",
      repeated: how.repeated ?? false,
      least: how.least,
      isCaught: how.isCaught,
      callee: callee.id,
      bounds: how.bounds ?? [],
      args: how.argNodes === undefined || how.bounds !== undefined ? how.args : undefined,
      spread: how.spread ?? -1,
      receiver: how.receiver,
      hasResult: 0 <= how.result,
    };
    if (code.isGenerator) {
      this.#record(instance.generators, step, call);
      const generator = this.#site(instance, step, target.id, "generator");
      Object.assign(generator, { code, environment: target, maker: { instance, step } });
      if (0 <= how.result) points.add(how.result, generator.id);
      return;
    }
    const returned = this.node(target, code.result);
    if (0 <= returned) {
      if (0 <= how.result) points.edge(returned, how.result);
      if (how.produced !== undefined) points.edge(returned, how.produced);
    }
    this.#recordCall(instance, step, call);
  }

  #passArguments(target: Instance, argNodes: readonly NodeId[], spread: number): void {
    const { code } = target;
    const { points } = this;
    const given = (i: number): NodeId[] => {
      if (spread < 0 || i < spread) return i < argNodes.length ? [argNodes[i]] : [];
      return argNodes.slice(spread);
    };
    for (const [i, parameter] of code.parameters.entries()) {
      const node = this.node(target, parameter);
      if (code.rest && i === code.parameters.length - 1) {
        const rest = this.#site(target, -1, i, "array");
        points.add(node, rest.id);
        for (let k = i; k < argNodes.length; k++) {
          for (const from of given(k)) {
            const isPlaced = spread < 0 || k < spread;
            const to = isPlaced ? this.#field(rest, this.#names.of(String(k - i))) : this.#anyWrite(rest);
            points.edge(from, to);
          }
        }
      } else for (const from of given(i)) points.edge(from, node);
    }
    if (code.argumentsObject !== NONE) {
      points.on(this.node(target, code.argumentsObject), (all) => {
        for (const from of argNodes) points.edge(from, this.#anyWrite(this.objects[all]));
      });
    }
  }

  #recordCall(instance: Instance, step: number, call: StepCall): void {
    this.#record(instance.calls, step, call);
    if (call.isCaught !== true) this.#exceptions.called(instance, step, call.target);
  }

  #record(all: Map<number, StepCall[]>, step: number, call: StepCall): void {
    const calls = all.get(step);
    if (calls === undefined) all.set(step, [call]);
    else {
      const same = (other: StepCall) =>
        other.target === call.target &&
        other.runs === call.runs &&
        other.repeated === call.repeated &&
        other.callee === call.callee &&
        other.bounds[0] === call.bounds[0];
      if (!calls.some(same)) calls.push(call);
    }
  }

  // Contexts

  /** Calls that hand functions over are told apart; others share an instance. */
  #contextFor(
    instance: Instance,
    step: number,
    code: Code,
    argNodes: readonly NodeId[],
    thisObject: AbstractObject | undefined,
  ): number {
    const passes = argNodes.some((node) => 0 <= node && this.#holdsFunctions(node));
    const holds =
      !this.#isCoarse && thisObject !== undefined && !code.isArrow && this.#hasFunctionFields(thisObject);
    if (!passes && !holds) return 0;
    if (EXTRA_INSTANCES + this.#byKey.size - this.#extra <= this.#extra) return 0;
    const most = stepCount(code) <= SMALL_CODE ? INSTANCES_PER_SMALL_CODE : INSTANCES_PER_CODE;
    if (most <= (this.#instancesOfCode.get(code) ?? 0)) return 0;
    let context = instance.context;
    if (holds) context = this.#push(context, -1 - thisObject.id);
    if (passes) context = this.#push(context, instance.code.id * 0x100000 + step);
    return context;
  }

  #push(context: number, site: number): number {
    const sites = [...this.#contextSites[context], site].slice(-CONTEXT_DEPTH);
    const key = sites.join(" ");
    let known = this.#contexts.get(key);
    if (known === undefined) {
      known = this.#contextSites.length;
      this.#contextSites.push(sites);
      this.#contexts.set(key, known);
    }
    return known;
  }

  #holdsFunctions(node: NodeId): boolean {
    const held = this.points.of(node);
    if ((this.#isCoarse ? VAGUE_LATER : VAGUE) < held.length) return false;
    return held.some((id) => {
      const object = this.objects[id];
      if (object.kind === "function" || object.kind === "class" || object.kind === "bound") return true;
      if (this.#isCoarse) return false;
      return object.kind === "generator" || this.#hasFunctionFields(object);
    });
  }

  #hasFunctionFields(object: AbstractObject): boolean {
    if (object.kind !== "object" && object.kind !== "instance" && object.kind !== "array") return false;
    if (object.name === "prototype") return false;
    for (const [name, node] of object.fields) {
      if (object.declared.get(name) === undefined && this.#isFunction(node)) return true;
    }
    return 0 <= object.anyWrite && this.#isFunction(object.anyWrite);
  }

  #isFunction(node: NodeId): boolean {
    const held = this.points.of(node);
    return 0 < held.length && held.length <= VAGUE && held.some((id) => isCallable(this.objects[id]));
  }

  // What iteration and conversion call

  /** Whether each object that a step iterates over has an element for sure. */
  isNonEmpty(instance: Instance, step: number, receiver: Operand): boolean {
    const objects = this.objectsOf(instance, receiver);
    if (objects.length === 0) return false;
    return objects.every((object) => {
      if (object.kind === "array") return 0 < object.length;
      return object.kind === "generator" && isFresh(object, instance, step) && yieldsForSure(object.code!);
    });
  }

  // Callees outside the program

  #callOutside(instance: Instance, step: number, call: CallCode, name: string): void {
    if (name === "Reflect.apply") {
      this.#callFunctionMethod(instance, step, reflected(call), "apply");
      return;
    }
    if (name === "Reflect.construct") {
      const [target = NONE, list = NONE] = call.args;
      const argNodes = [this.#contents.elementsOf(this.node(instance, list))];
      this.points.on(this.node(instance, target), (id) =>
        this.points.later(() => this.#construct(instance, step, call, this.objects[id], argNodes)),
      );
      return;
    }
    if (EMITTERS.has(name) && call.kind === "new")
      this.points.add(
        this.node(instance, call.result),
        this.#site(instance, step, 0, "instance", EMITTER).id,
      );
    const method = name.slice(name.lastIndexOf(".") + 1);
    if (FUNCTION_METHODS.has(method) && call.receiver !== NONE) {
      this.#callFunctionMethod(instance, step, call, method);
      return;
    }
    if (name === "Proxy" || name === "Proxy.revocable") {
      const [target, handler] = [0, 1].map((i) => this.node(instance, call.args[i] ?? NONE));
      const proxy = this.#site(instance, step, 0, "proxy");
      Object.assign(proxy, { proxied: { target, handler } });
      const node = this.node(instance, call.result);
      if (name === "Proxy") this.points.add(node, proxy.id);
      else {
        const made = this.#site(instance, step, 0, "object");
        this.points.add(this.#field(made, this.#names.of("proxy")), proxy.id);
        this.points.add(node, made.id);
      }
      return;
    }
    const key = `outside ${instance.id} ${step} ${name}`;
    if (this.#done.has(key)) return;
    this.#done.add(key);
    const builtin = builtinFor(name) ?? builtinFor(call.name);
    if (builtin !== undefined) this.#applyBuiltin(instance, step, call, builtin);
    if (SHRINKING.has(method) && call.receiver !== NONE) {
      this.points.on(this.node(instance, call.receiver), (id) => {
        this.objects[id].length = 0;
      });
    }
    if (name === "Object.create" || name === "Object.setPrototypeOf")
      this.#setPrototype(instance, step, call, name);
    if (name === "Object.defineProperty") this.#defineProperty(instance, call);
    const claimed = new Set(builtin?.callbacks?.map(({ argument }) => argument));
    if (builtin !== undefined && builtin.callbacks === undefined && builtin.stores !== undefined) return;
    for (const [i, argument] of call.args.entries()) {
      if (claimed.has(i) || argument === NONE) continue;
      this.#handOver(instance, step, this.node(instance, argument), builtin === undefined);
    }
  }

  /** A function given to a callee that may keep it; of objects, the functions in their properties. */
  #handOver(instance: Instance, step: number, node: NodeId, isUnknown: boolean): void {
    const give = (id: ObjectId) => {
      const object = this.objects[id];
      if (object.kind === "class" || !isCallable(object)) return;
      if (this.#options.callbacks === "now" && isUnknown) {
        this.points.later(() =>
          this.#invoke(instance, step, object, { receiver: NONE, args: [], result: -1, repeated: true }),
        );
      } else this.#callLater(id, instance, step);
    };
    this.points.on(node, (id) => {
      give(id);
      const { kind } = this.objects[id];
      if (kind === "object" || kind === "array") this.points.on(this.#anyRead(this.objects[id]), give);
    });
  }

  /** The `then` of an object that a promise takes on is called at a later turn. */
  #adopt(instance: Instance, step: number, node: NodeId): void {
    if (node < 0) return;
    const then = this.#names.of("then");
    this.points.on(node, (id) => {
      const object = this.objects[id];
      if (object.kind !== "object" && object.kind !== "instance" && object.kind !== "class") return;
      const method = this.points.create();
      this.#load(object, then, method);
      this.points.on(method, (fn) => this.#callLater(fn, instance, step, object));
    });
  }

  #callLater(id: ObjectId, instance: Instance, step: number, thisObject?: AbstractObject): void {
    if (!isCallable(this.objects[id]) || this.#later.has(id)) return;
    this.#later.add(id);
    const call = { object: id, instance, step, thisObject };
    this.laterCalls.push(call);
    for (const point of this.#awaits) this.#callAtAwait(call, point);
  }

  /** While a module awaits at its top level, what is queued may run. */
  #addAwait(instance: Instance, step: number): void {
    const point = { instance, step };
    this.#awaits.push(point);
    for (const call of this.laterCalls) this.#callAtAwait(call, point);
  }

  #callAtAwait(call: LaterCall, point: { readonly instance: Instance; readonly step: number }): void {
    // What the module's own top level queues only behind the await cannot run there.
    if (call.instance === point.instance && point.step < call.step) return;
    this.points.later(() =>
      this.#invoke(point.instance, point.step, this.objects[call.object], {
        receiver: NONE,
        ...(call.thisObject === undefined ? {} : { thisObject: call.thisObject }),
        args: [],
        result: -1,
        repeated: true,
      }),
    );
  }

  /** Calls something from the event loop, on an object if there is one. */
  #callFromHost(id: ObjectId, thisObject?: AbstractObject): void {
    const object = this.objects[id];
    const dispatcher = this.#dispatcher!;
    const step = 3;
    this.#calledObjects.add(id);
    this.#calledFromHost.add(id);
    if (object.kind === "class") {
      const made = this.#site(dispatcher, step, id, "instance");
      this.#load(object, this.#names.of("prototype"), this.#proto(made));
      this.#invoke(dispatcher, step, object, { receiver: NONE, thisObject: made, args: [], result: -1 });
    } else {
      const on = thisObject === undefined ? {} : { thisObject };
      this.#invoke(dispatcher, step, object, { receiver: NONE, ...on, args: [], result: -1 });
    }
    if (object.code?.isGenerator) {
      const target = this.#instance(object.code, object.environment, 0);
      // Who holds it may ask for all that it yields, and leave it or throw into it wherever it is.
      for (const runs of ["whole", "abandon", "throw"] as const)
        this.#recordCall(dispatcher, step, { ...resuming(target, runs), repeated: true });
    }
  }

  /** Methods and accessors of objects that others get hold of, on these objects; returns whether there are new ones. */
  #callMembersFromHost(): boolean {
    const { points } = this;
    const instances = new Map<Code, Instance[]>();
    for (const instance of this.instances) {
      const known = instances.get(instance.code);
      if (known === undefined) instances.set(instance.code, [instance]);
      else known.push(instance);
    }
    let isNew = false;
    for (const object of this.objects.slice()) {
      if (object.kind !== "instance" && object.kind !== "object" && object.kind !== "class") continue;
      const holders = new Set([object]);
      for (const { proto } of holders)
        if (0 <= proto) for (const id of points.of(proto)) holders.add(this.objects[id]);
      for (const holder of holders) {
        const members = [...holder.declared.values(), ...holder.getters.values(), ...holder.setters.values()];
        for (const code of members) {
          const key = `member ${object.id} ${code?.id}`;
          if (code === undefined || this.#done.has(key)) continue;
          this.#done.add(key);
          isNew = true;
          for (const around of instances.get(code.parent!) ?? [])
            this.#callFromHost(this.#closure(code, around).id, object);
        }
      }
    }
    return isNew;
  }

  #callFunctionMethod(instance: Instance, step: number, call: CallCode, method: string): void {
    this.points.on(this.node(instance, call.receiver), (id) =>
      this.points.later(() => this.#functionMethod(instance, step, call, method, this.objects[id])),
    );
  }

  /** `call`, `apply` or `bind` of a function, with the arguments of a call. */
  #functionMethod(
    instance: Instance,
    step: number,
    call: CallCode,
    method: string,
    target: AbstractObject,
  ): void {
    const [self = NONE, ...args] = call.args;
    const result = this.node(instance, call.result);
    const receiverNode = this.node(instance, self);
    if (!isCallable(target) && target.kind !== "external") return;
    if (method === "bind") {
      const key = `bound ${instance.id} ${step} ${target.id}`;
      let bound = this.#created.get(key);
      if (bound === undefined) {
        bound = this.#object("bound", {
          code: target.code,
          environment: target.environment,
          maker: { instance, step },
          bound: {
            target: target.id,
            receiver: receiverNode < 0 ? this.points.create() : receiverNode,
            args: args.map((argument) => this.node(instance, argument)),
          },
        });
        this.#created.set(key, bound);
      }
      this.points.add(result, bound.id);
      return;
    }
    if (target.kind === "external") {
      if (method === "call" && call.spread !== 0)
        this.#callOutside(
          instance,
          step,
          { ...call, receiver: self, args, spread: call.spread < 0 ? -1 : call.spread - 1 },
          target.name,
        );
      return;
    }
    const spread = method === "apply" ? 0 : call.spread < 1 ? -1 : call.spread - 1;
    if (method === "apply") {
      const elements = args[0] === undefined ? -1 : this.#contents.elementsOf(this.node(instance, args[0]));
      const argNodes = elements < 0 ? [] : [elements];
      this.#invoke(instance, step, target, { receiver: self, args: [], argNodes, spread, result });
    } else this.#invoke(instance, step, target, { receiver: self, args, spread, result });
  }

  #applyBuiltin(instance: Instance, step: number, call: CallCode, builtin: Builtin): void {
    const { points } = this;
    const result = this.node(instance, call.result);
    const argument = (i: number): NodeId =>
      0 <= i && i < call.args.length ? this.node(instance, call.args[i]) : -1;
    const returned = points.create();
    const iterated = points.create();
    const receiver = this.node(instance, call.receiver);
    const args = call.args.map((operand) => this.node(instance, operand));
    const outside: OutsideCall = { instance, step, receiver, args, returned, iterated };
    const place = (where: ValuePlace) => this.#contents.place(outside, where);
    for (const callback of builtin.callbacks ?? []) {
      const { when } = callback;
      if (when !== undefined) {
        const option = call.args[when.argument] ?? NONE;
        if (option === NONE || !hasOption(instance, option, this.#names.of(when.property))) continue;
      }
      const parameters = (callback.parameters ?? []).map(place);
      const self = callback.receiver === undefined ? -1 : argument(callback.receiver);
      points.on(argument(callback.argument), (id) => {
        const object = this.objects[id];
        if (!isCallable(object)) return;
        if (callback.turn === "later") {
          this.#callLater(id, instance, step);
          return;
        }
        const how = { least: leastOf(call, callback), isCaught: callback.isCaught };
        points.later(() =>
          this.#invokeMaybeRepeated(instance, step, object, self, parameters, returned, how),
        );
      });
    }
    if (builtin.returns !== undefined && 0 <= result) {
      const collects =
        builtin.collects === true && (builtin.callbacks ?? []).some((c) => c.argument < args.length);
      points.edge(place(collects ? { array: "returned" } : builtin.returns), result);
    }
    for (const [to, from] of builtin.copies ?? []) this.#copyFields(argument(to), argument(from));
    if (builtin.stores !== undefined) {
      for (const stored of call.args.slice(builtin.stores)) {
        const value = this.node(instance, stored);
        const key = argument(builtin.stores - 1);
        points.on(receiver, (id) => this.#contents.store(this.objects[id], value, key));
      }
    }
    if (builtin.iterates !== undefined) {
      points.on(argument(builtin.iterates), (id) =>
        points.later(() => this.#iteration.iterate(instance, step, call, this.objects[id], iterated)),
      );
    }
    const listeners = this.#names.of("@@listeners");
    if (builtin.listens !== undefined) {
      const listener = argument(builtin.listens);
      points.on(receiver, (id) => {
        if (isEmitter(this.objects[id])) points.edge(listener, this.#field(this.objects[id], listeners));
      });
    }
    if (builtin.emits !== undefined) {
      const given = args.slice(builtin.emits);
      points.on(receiver, (id) => {
        if (!isEmitter(this.objects[id])) return;
        points.on(this.#field(this.objects[id], listeners), (fn) =>
          points.later(() => {
            if (isCallable(this.objects[fn]))
              this.#invokeMaybeRepeated(instance, step, this.objects[fn], receiver, given, returned, {});
          }),
        );
      });
    }
    for (const adopted of builtin.adopts ?? []) this.#adopt(instance, step, argument(adopted));
    for (const listed of [...(builtin.lists ?? []), ...(builtin.reads ?? [])])
      points.on(argument(listed), (id) => this.#proxies.trap(instance, step, this.objects[id], "ownKeys"));
    for (const read of builtin.reads ?? []) {
      this.#reading.read(instance, step, argument(read), builtin.isDeep === true);
    }
    for (const [where, methods] of builtin.converts ?? []) {
      points.on(place(where), (id) =>
        points.later(() => this.#conversion.convert(instance, step, NONE, this.objects[id], methods)),
      );
    }
  }

  #invokeMaybeRepeated(
    instance: Instance,
    step: number,
    object: AbstractObject,
    receiverNode: NodeId,
    argNodes: readonly NodeId[],
    result: NodeId,
    how: Pick<StepCall, "least" | "isCaught">,
  ): void {
    const receiver = receiverNode < 0 ? {} : { receiverNode };
    this.#invoke(instance, step, object, {
      ...receiver,
      receiver: NONE,
      args: [],
      argNodes,
      result,
      repeated: true,
      ...how,
    });
  }

  #copyFields(to: NodeId, from: NodeId): void {
    if (to < 0 || from < 0) return;
    this.points.on(to, (id) => {
      const target = this.objects[id];
      if (target.kind === "external" || target.kind === "namespace") return;
      this.points.on(from, (source) => {
        const object = this.objects[source];
        if (object.kind === "external" || object === target) return;
        if (object.kind === "namespace") {
          for (const [name, node] of this.#exportsOf(object))
            this.points.edge(node, this.#field(target, this.#names.of(name)));
          return;
        }
        // Fields that are there by now keep their names; what comes later counts under any name.
        this.points.later(() => {
          for (const [name, node] of object.fields) this.points.edge(node, this.#field(target, name));
          if (0 <= object.anyWrite) this.points.edge(object.anyWrite, this.#anyWrite(target));
        });
      });
    });
  }

  #setPrototype(instance: Instance, step: number, call: CallCode, name: string): void {
    const [first = NONE, second = NONE] = call.args;
    const result = this.node(instance, call.result);
    if (name === "Object.create") {
      const made = this.#site(instance, step, 0, "object");
      this.points.add(result, made.id);
      if (first !== NONE) this.points.edge(this.node(instance, first), this.#proto(made));
      return;
    }
    if (first === NONE || second === NONE) return;
    this.points.on(this.node(instance, first), (id) =>
      this.points.edge(this.node(instance, second), this.#proto(this.objects[id])),
    );
  }

  /** `Object.defineProperty(o, p, { value, get })`. */
  #defineProperty(instance: Instance, call: CallCode): void {
    const [target = NONE, , descriptor = NONE] = call.args;
    if (target === NONE || descriptor === NONE) return;
    const name = call.property === undefined ? ANY_NAME : this.#names.of(call.property);
    const value = this.points.create();
    const getter = this.points.create();
    this.points.on(this.node(instance, descriptor), (id) => {
      this.#load(this.objects[id], this.#names.of("value"), value);
      this.#load(this.objects[id], this.#names.of("get"), getter);
    });
    const place = (object: AbstractObject) =>
      name === ANY_NAME ? this.#anyWrite(object) : this.#field(object, name);
    this.points.on(this.node(instance, target), (id) => {
      const object = this.objects[id];
      if (object.kind === "external" || object.kind === "namespace") return;
      this.points.edge(value, place(object));
      this.points.edge(getter, place(this.#definedOn(object)));
    });
  }
}

/** Whether listeners may be told apart by the object that they listen to. */
function isEmitter({ kind, name }: AbstractObject): boolean {
  return kind === "instance" || (kind === "object" && name === "");
}

/** `Reflect.apply(f, self, list)` as `f.apply(self, list)`. */
function reflected(call: CallCode): CallCode {
  const [receiver = NONE, ...args] = call.args;
  return { ...call, receiver, args, spread: call.spread - 1 };
}

/** What makes a callee outside the program call a callback once at least. */
function leastOf({ receiver, args }: CallCode, { least }: Callback): StepCall["least"] {
  if (least === undefined) return undefined;
  if (least.of === undefined) return { operand: NONE, count: 0 };
  const operand = least.of === "receiver" ? receiver : (args[least.of] ?? NONE);
  return operand === NONE ? undefined : { operand, count: least.elements };
}

/** Whether an object literal that is an argument of a call has a property, and it is not `false`. */
function hasOption({ code }: Instance, argument: Operand, name: number): boolean {
  const { steps } = code;
  for (let at = 0; at < steps.length; at += STEP_SIZE)
    if (steps[at] === Step.store && steps[at + 1] === argument && steps[at + 3] === name) return true;
  return false;
}
