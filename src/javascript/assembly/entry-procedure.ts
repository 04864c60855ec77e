/**
 * What an entry runs, as a procedure: its modules in the order of their evaluation, then those of `import()`, and then, for
 * whole executions, what later turns call.
 */

import { once } from "../../once.js";
import { Op, type Procedure } from "../../program/program.js";
import { hasStep, Step } from "../lower/code.js";
import type { Instance, Part } from "../values/abstract-object.js";
import type { AssemblySource } from "./assembly-source.js";
import type { ExportedName } from "./exported-names.js";
import type { ProgramParts } from "./instance-procedure.js";
import { NO_CALL_VALUES, ProcedureBuilder } from "./procedure-builder.js";

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

/** What happens once all modules are evaluated. */
export interface LaterTurns {
  /** Called again and again. */
  readonly root: Instance;
  /** What others may read between turns. */
  readonly exported: readonly ExportedName[];
  /** Whether turns come even after a module has failed. */
  readonly afterFailure: boolean;
}

/** Makes the procedures of a program's entries. */
export class EntryProcedures {
  readonly #source: AssemblySource;
  readonly #parts: ProgramParts;
  /** Whether anything of the program may be suspended. */
  readonly #suspends = once(() => {
    const codes = new Set(this.#source.values.instances.map(({ code }) => code));
    return [...codes].some((code) => hasStep(code, (kind) => kind === Step.await || kind === Step.yield));
  });

  constructor(source: AssemblySource, parts: ProgramParts) {
    this.#source = source;
    this.#parts = parts;
  }

  /** Procedure `number`: an entry, and what comes after it where there are `turns`. */
  make(entry: EntryOrder, turns: LaterTurns | undefined, number: number): Procedure {
    const { modules, waiting, laterModules } = entry;
    const body = new EntryBody(this.#source, this.#parts);
    const { builder, start, failure } = body;
    // Nothing can get at a module that only `import()` asks for before it is evaluated.
    const atOnce = new Set([...modules, ...waiting]);
    const later = new Set(
      turns === undefined ? laterModules.flat().filter((module) => !atOnce.has(module)) : [],
    );
    for (const module of this.#source.modules.keys()) if (!later.has(module)) body.declare(start, module);
    const exit = builder.vertex(0, 0);
    const loaded = body.evaluate(body.begin(start, modules), waiting);
    builder.edge(loaded, exit);
    for (const order of laterModules) {
      const first = builder.vertex(0, 0);
      builder.edge(loaded, first);
      for (const module of order) if (later.has(module)) body.declare(first, module);
      builder.edge(body.evaluate(first, order), turns === undefined ? exit : loaded);
    }
    if (turns !== undefined) {
      const call = body.turn(loaded, turns);
      // What was waiting goes on in any order.
      if (this.#suspends()) builder.operation(call, Op.settle, number);
    }
    return builder.finish({
      name: entry.name,
      kind: "entry",
      file: -1,
      start: 0,
      end: 0,
      exit,
      exceptionalExit: turns?.afterFailure ? builder.vertex(0, 0) : failure,
    });
  }
}

/** An entry's procedure in the making. */
class EntryBody {
  readonly builder = new ProcedureBuilder();
  readonly start = this.builder.vertex(0, 0);
  /** Where a module that fails leads. */
  readonly failure = this.builder.vertex(0, 0);
  readonly #source: AssemblySource;
  readonly #parts: ProgramParts;

  constructor(source: AssemblySource, parts: ProgramParts) {
    this.#source = source;
    this.#parts = parts;
  }

  /** All names of a module's top level exist, uninitialized, before anything runs. */
  declare(vertex: number, module: number): void {
    const { named } = this.#parts;
    const instance = this.#source.values.moduleInstances[module];
    for (const binding of instance.code.bindings) {
      if (binding.deadZone) this.builder.operation(vertex, Op.declare, named.variableOf(instance, binding));
    }
    if (!this.#source.modules[module].isCommonJs) return;
    for (const name of named.trackedExports(module))
      this.builder.operation(vertex, Op.declare, named.exportVariable(module, name));
    const replaced = named.replacedExports(module);
    if (replaced !== undefined) this.builder.operation(vertex, Op.declare, replaced);
  }

  /** The vertex behind these modules, one after the other. */
  evaluate(from: number, order: readonly number[]): number {
    let at = from;
    for (const module of order) at = this.#part(at, module, "whole");
    return at;
  }

  /** The vertex behind what begins at once: a module that awaits is suspended while those behind it begin. */
  begin(from: number, modules: readonly number[]): number {
    const { builder, failure } = this;
    const isFollowed = this.#parts.values === undefined;
    const suspended = isFollowed ? modules.slice(0, -1).filter((m) => this.#source.awaiting.has(m)) : [];
    const isSuspended = new Set(suspended);
    // Where one has failed, those behind it begin all the same, and that is all that is followed.
    const failing = suspended.length === 0 ? [] : modules.map(() => builder.vertex(0, 0));
    let at = from;
    for (const [i, module] of modules.entries()) {
      const part = isSuspended.has(module) ? "first" : "whole";
      at = this.#part(at, module, part, part === "first" ? failing[i + 1] : undefined);
      if (i === 0 || failing.length === 0) continue;
      const behind = this.#part(failing[i], module, part, failing[i + 1] ?? failure);
      builder.edge(behind, failing[i + 1] ?? failure);
    }
    // What waits for one that fails does not begin; the others go on.
    const left = suspended.map(() => builder.vertex(0, 0));
    for (const [i, module] of suspended.entries()) {
      at = this.#part(at, module, "rest", left[i + 1] ?? failure);
      if (i === 0) continue;
      const behind = this.#part(left[i], module, "rest", left[i + 1] ?? failure);
      builder.edge(behind, left[i + 1] ?? failure);
    }
    return at;
  }

  /** The vertex behind a part of a module; `goesOn`: where to if it fails, beside the end of everything. */
  #part(from: number, module: number, part: Part, goesOn?: number): number {
    const { builder } = this;
    const call = builder.vertex(0, 0);
    const next = builder.vertex(0, 0);
    builder.edge(from, call);
    const instance = this.#source.values.moduleInstances[module];
    let failed = this.failure;
    if (this.#source.awaiting.has(module)) {
      // A module that awaits is a promise: modules that do not wait for it are evaluated even if it is rejected.
      failed = builder.vertex(0, 0);
      builder.edge(failed, this.failure);
      builder.edge(failed, goesOn ?? next);
    }
    this.#call(call, next, failed, instance, part);
    return next;
  }

  /** A later turn, after which there may be others; returns the vertex that calls. */
  turn(loaded: number, { root, exported, afterFailure }: LaterTurns): number {
    const { builder } = this;
    const { named } = this.#parts;
    for (const { module, name } of exported) {
      const origin = named.atTop(module, name);
      if (origin !== undefined)
        builder.operation(loaded, Op.read, named.variableOf(origin.owner, origin.binding));
    }
    const call = builder.vertex(0, 0);
    const failed = builder.vertex(0, 0);
    for (const from of [loaded, failed]) builder.edge(from, call);
    // Other modules may have been evaluated.
    if (afterFailure) builder.edge(this.failure, call);
    this.#call(call, loaded, failed, root, "whole");
    return call;
  }

  #call(
    vertex: number,
    returnSite: number,
    exceptionalReturnSite: number,
    callee: Instance,
    part: Part,
  ): void {
    this.builder.calls.push({
      ...NO_CALL_VALUES,
      ...{ vertex, returnSite, exceptionalReturnSite },
      callees: [this.#parts.numberOf(callee, part)],
      external: false,
      name: callee.code.name,
    });
  }
}
