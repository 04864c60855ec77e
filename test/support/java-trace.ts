/**
 * What a Java virtual machine did, instruction by instruction (`test/fixtures/java/*.trace.gz`), held against what the clients
 * allow: every instruction executed is reachable; every value read comes from a definition that reaches it, and is live on
 * the way; a local without a value is one that may be uninitialized; a method that a call entered is among its targets.
 */

import type { Liveness } from "../../src/clients/liveness.js";
import { liveness } from "../../src/clients/liveness.js";
import { type Reachability, reachability } from "../../src/clients/reachability.js";
import { type ReachingDefinitions, reachingDefinitions } from "../../src/clients/reaching-definitions.js";
import { type Uninitialized, uninitialized } from "../../src/clients/uninitialized.js";
import { type ClassFile, type Method, parseClassFile } from "../../src/jvm/class-file/class-file.js";
import { decode, type Instructions } from "../../src/jvm/code/instructions.js";
import { isBranch, isCall, isReturn, isWithin, Opcode } from "../../src/jvm/code/opcodes.js";
import { type JvmProgram, load } from "../../src/jvm/load.js";
import type { JavaRun } from "./java-oracle.js";

interface TracedMethod {
  readonly procedure: number;
  readonly file: ClassFile;
  readonly instructions: Instructions;
  /** Offset -> vertices of the instruction there: several in subroutines. */
  readonly vertices: ReadonlyMap<number, readonly number[]>;
  /** Local -> variable. */
  readonly locals: ReadonlyMap<number, number>;
}

interface Frame {
  readonly depth: number;
  readonly method: TracedMethod;
  /** Local -> offset of the instruction that gave it its value, -1 the caller, and when, in `passed`. */
  readonly stores: Map<number, { readonly at: number; readonly time: number }>;
  readonly passed: number[];
}

/** What the trace is about: how many observations of each kind were made. */
export interface Observations {
  readonly differences: string[];
  readonly counts: Record<
    "instructions" | "definitions" | "statics" | "live" | "uninitialized" | "calls",
    number
  >;
}

/** `hasStatics`: whether definitions of static fields are compared as well. */
export function replay(
  jvm: JvmProgram,
  classes: readonly Uint8Array[],
  trace: readonly string[],
  hasStatics: boolean,
): Observations {
  const answers = {
    reach: reachability(jvm.program).analyze(),
    definitions: reachingDefinitions(jvm.program).analyze(),
    live: liveness(jvm.program).analyze(),
    uninitialized: uninitialized(jvm.program).analyze(),
  };
  return new Replay(jvm, tracedMethods(jvm, classes), answers, hasStatics).run(trace);
}

/** A generated program held against the analyses; how exceptions and calls are resolved changes with the seed. */
export function observe({ name, classes, trace }: JavaRun, seed: number): Observations {
  const exceptions = seed % 4 < 3 ? "throwing" : "handlers";
  const calls = seed % 2 === 0 ? "rapid" : "hierarchy";
  const jvm = load(classes, { exceptions, calls, initializers: "use", statics: "all" });
  if (0 < jvm.diagnostics.length) throw new Error(`${name}: ${JSON.stringify(jvm.diagnostics)}`);
  const bytes = classes.map(([, each]) => each);
  return replay(jvm, bytes, trace, exceptions === "throwing");
}

interface Answers {
  readonly reach: Reachability;
  readonly definitions: ReachingDefinitions;
  readonly live: Liveness;
  readonly uninitialized: Uninitialized;
}

class Replay {
  readonly #jvm: JvmProgram;
  readonly #methods: ReadonlyMap<string, TracedMethod>;
  readonly #files: ReadonlyMap<string, ClassFile>;
  readonly #answers: Answers;
  readonly #hasStatics: boolean;
  readonly #statics: ReadonlyMap<string, number>;
  readonly #frames: Frame[] = [];
  /** Variable of a static field -> where it was written last. */
  readonly #written = new Map<number, { readonly method: TracedMethod; readonly at: number }>();
  readonly #differences = new Set<string>();
  readonly #counts = { instructions: 0, definitions: 0, statics: 0, live: 0, uninitialized: 0, calls: 0 };

  constructor(
    jvm: JvmProgram,
    methods: ReadonlyMap<string, TracedMethod>,
    answers: Answers,
    hasStatics: boolean,
  ) {
    this.#jvm = jvm;
    this.#methods = methods;
    this.#files = new Map([...methods.values()].map(({ file }) => [file.name, file]));
    this.#answers = answers;
    this.#hasStatics = hasStatics;
    this.#statics = new Map(
      jvm.statics.filter(({ variable }) => 0 <= variable).map(({ name, variable }) => [name, variable]),
    );
  }

  run(trace: readonly string[]): Observations {
    const numbered: (TracedMethod | undefined)[] = [];
    for (const line of trace) {
      const fields = line.split(" ");
      if (fields[0] === "m") {
        numbered[Number(fields[1])] = this.#methods.get(fields[2]);
        continue;
      }
      const [depth, number, offset] = fields.map(Number);
      const method = numbered[number];
      if (method !== undefined) this.#step(depth, method, offset);
    }
    return { differences: [...this.#differences], counts: this.#counts };
  }

  #step(depth: number, method: TracedMethod, offset: number): void {
    while (0 < this.#frames.length && depth < this.#frames[this.#frames.length - 1].depth) this.#frames.pop();
    let frame = this.#frames[this.#frames.length - 1];
    if (frame === undefined || frame.depth < depth || this.#isNew(frame, method, offset)) {
      if (frame?.depth === depth) this.#frames.pop();
      this.#enter(depth, method);
      frame = this.#frames[this.#frames.length - 1];
    }
    frame.passed.push(offset);
    const { procedure: p, instructions, vertices, locals, file } = method;
    const i = instructions.at[offset];
    const [opcode, operand] = [instructions.opcodes[i], instructions.operands[i]];
    const here = vertices.get(offset) ?? [];
    this.#expect(
      "instructions",
      here.some((v) => this.#answers.reach.reaches(p, v)),
      () => `${this.#name(p)} at ${offset} is reached`,
    );
    for (const [local, variable] of locals) {
      if (frame.stores.has(local)) continue;
      this.#expect(
        "uninitialized",
        here.some((v) => this.#answers.uninitialized.mayBeUninitialized(p, v, variable)),
        () => `${this.#name(p)} at ${offset}, local ${local} has no value`,
      );
    }
    if (isWithin(opcode, Opcode.iload, Opcode.aload) || opcode === Opcode.iinc)
      this.#load(frame, operand, here, offset);
    if (isWithin(opcode, Opcode.istore, Opcode.astore) || opcode === Opcode.iinc)
      frame.stores.set(operand, { at: offset, time: frame.passed.length });
    if (!this.#hasStatics || (opcode !== Opcode.getstatic && opcode !== Opcode.putstatic)) return;
    const { owner, name } = file.constants.field(operand);
    const variable = this.#statics.get(`${this.#declaring(owner, name)}.${name}`);
    if (variable === undefined) return;
    if (opcode === Opcode.putstatic) this.#written.set(variable, { method, at: offset });
    else this.#read(p, here, offset, variable);
  }

  /** The class that has the field which code names by `owner`: that one or a superclass. */
  #declaring(owner: string, name: string): string | undefined {
    let at: string | undefined = owner;
    while (at !== undefined && !this.#files.get(at)?.fields.some((field) => field.name === name))
      at = this.#files.get(at)?.superName;
    return at;
  }

  /** Whether control is at the start of another activation: not of this one, by a jump. */
  #isNew(frame: Frame, method: TracedMethod, offset: number): boolean {
    if (frame.method !== method) return true;
    const { instructions } = method;
    const latest = instructions.at[frame.passed[frame.passed.length - 1]];
    const opcode = instructions.opcodes[latest];
    return isReturn(opcode) || (offset === 0 && !(isBranch(opcode) && instructions.operands[latest] === 0));
  }

  #enter(depth: number, method: TracedMethod): void {
    const caller = this.#frames[this.#frames.length - 1];
    const { procedures } = this.#jvm.program;
    const { parameters, receiver } = procedures[method.procedure];
    const stores = new Map<number, { at: number; time: number }>();
    for (const [local, variable] of method.locals)
      if (variable === receiver || parameters.includes(variable)) stores.set(local, { at: -1, time: 0 });
    this.#frames.push({ depth, method, stores, passed: [] });
    if (caller === undefined || this.#name(method.procedure).includes("<clinit>")) return;
    const at = caller.passed[caller.passed.length - 1];
    // Two deeper: by way of an object that stands for a lambda.
    const isDirect = caller.depth + 1 === depth;
    if (!isDirect && caller.depth + 2 !== depth) return;
    const { instructions, vertices, procedure } = caller.method;
    if (!isCall(instructions.opcodes[instructions.at[at]])) return;
    const sites = procedures[procedure].calls.filter(({ vertex }) => vertices.get(at)?.includes(vertex));
    const callees = sites.flatMap((site) => site.callees);
    const bodies = callees
      .filter((q) => this.#jvm.methods[q].kind === "lambda")
      .flatMap((q) => procedures[q].calls.flatMap((site) => site.callees));
    const isOutside = sites.every((site) => site.callees.length === 0);
    if (!isDirect && isOutside) return;
    this.#expect(
      "calls",
      (isDirect ? callees : bodies).includes(method.procedure),
      () => `${this.#name(procedure)} at ${at} calls ${this.#name(method.procedure)}`,
    );
  }

  #load(frame: Frame, local: number, here: readonly number[], offset: number): void {
    const { procedure: p, vertices, locals } = frame.method;
    const variable = locals.get(local)!;
    const store = frame.stores.get(local);
    if (store === undefined) {
      this.#differences.add(`${this.#name(p)} at ${offset}: local ${local} is read without a value`);
      return;
    }
    const from = store.at < 0 ? [0] : (vertices.get(store.at) ?? []);
    this.#expect(
      "definitions",
      here.some((v) =>
        this.#answers.definitions
          .reachingDefinitions(p, v, variable)
          .some((found) => found.procedure === p && from.includes(found.vertex)),
      ),
      () => `${this.#name(p)} at ${offset} reads local ${local} of ${store.at}`,
    );
    for (let time = store.time; time < frame.passed.length; time++) {
      const between = vertices.get(frame.passed[time]) ?? [];
      this.#expect(
        "live",
        between.some((v) => this.#answers.live.isLiveBefore(p, v, variable)),
        () => `${this.#name(p)} at ${frame.passed[time]}, local ${local} is live: ${offset} reads it`,
      );
    }
  }

  #read(p: number, here: readonly number[], offset: number, variable: number): void {
    const written = this.#written.get(variable);
    if (written === undefined) return;
    const from = written.method.vertices.get(written.at) ?? [];
    this.#expect(
      "statics",
      here.some((v) =>
        this.#answers.definitions
          .reachingDefinitions(p, v, variable)
          .some((found) => found.procedure === written.method.procedure && from.includes(found.vertex)),
      ),
      () =>
        `${this.#name(p)} at ${offset} reads what ${this.#name(written.method.procedure)} wrote at ${written.at}`,
    );
  }

  #expect(kind: keyof Observations["counts"], holds: boolean, says: () => string): void {
    this.#counts[kind]++;
    if (!holds) this.#differences.add(`${kind}: ${says()}`);
  }

  #name(p: number): string {
    return this.#jvm.program.procedures[p].name;
  }
}

function tracedMethods(jvm: JvmProgram, classes: readonly Uint8Array[]): Map<string, TracedMethod> {
  const numbers = new Map(jvm.program.procedures.map(({ name }, p) => [name, p]));
  const result = new Map<string, TracedMethod>();
  for (const bytes of classes) {
    const file = parseClassFile(bytes);
    for (const method of file.methods) {
      const name = `${file.name}.${method.name}${method.descriptor}`;
      const procedure = numbers.get(name);
      if (procedure !== undefined) result.set(name, tracedMethod(jvm, bytes, file, method, procedure));
    }
  }
  return result;
}

function tracedMethod(
  jvm: JvmProgram,
  bytes: Uint8Array,
  file: ClassFile,
  { code }: Method,
  procedure: number,
): TracedMethod {
  if (code === undefined || code instanceof Error) throw new Error(`No code of procedure ${procedure}.`);
  const instructions = decode(bytes, code);
  const vertices = new Map<number, number[]>();
  for (const [vertex, offset] of jvm.methods[procedure].offsets.entries())
    if (0 <= offset) vertices.set(offset, [...(vertices.get(offset) ?? []), vertex]);
  const { operationStart, operations } = jvm.program.procedures[procedure];
  const locals = new Map<number, number>();
  // The local of a load or store, and the variable that its operations speak of.
  for (let i = 0; i < instructions.count; i++) {
    const opcode = instructions.opcodes[i];
    const isLoad = isWithin(opcode, Opcode.iload, Opcode.aload) || opcode === Opcode.iinc;
    const isStore = isWithin(opcode, Opcode.istore, Opcode.astore);
    const [vertex] = vertices.get(instructions.offsets[i]) ?? [];
    if (vertex === undefined || !(isLoad || isStore)) continue;
    const at = 4 * operationStart[vertex];
    locals.set(instructions.operands[i], isLoad ? operations[at + 6] : operations[at + 1]);
  }
  return { procedure, file, instructions, vertices, locals };
}
