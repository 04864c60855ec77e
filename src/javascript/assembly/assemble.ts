/**
 * From instances of codes to a `Program`: entries and instances become procedures, and whatever these call. A variable is made
 * where the first procedure uses it.
 */

import type { Assignment, Procedure, Program, Variable } from "../../program/program.js";
import type { Instance, Part } from "../values/abstract-object.js";
import type { AssemblySource } from "./assembly-source.js";
import { type EntryOrder, EntryProcedures, type LaterTurns } from "./entry-procedure.js";
import { Failures } from "./failures.js";
import { GivenArguments } from "./given-arguments.js";
import { instanceProcedure, type ProgramParts } from "./instance-procedure.js";
import { NamedVariables } from "./named-variables.js";
import { NO_PROCEDURE_VALUES } from "./procedure-builder.js";
import { ValueVariables } from "./value-variables.js";

export interface AssembledProgram {
  readonly program: Program;
  /** The instance that a procedure runs; undefined for entries. */
  readonly instances: readonly (Instance | undefined)[];
  /** Name under which a vertex reads a variable, where it is not the variable's own: that of the import. */
  nameAt(procedure: number, vertex: number): string | undefined;
  /** Whether what a vertex reads and calls is one possibility of several, of which control may take another. */
  isDoubtful(procedure: number, vertex: number): boolean;
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

class Assembly implements ProgramParts {
  readonly #source: AssemblySource;
  readonly #entryProcedures: EntryProcedures;
  readonly #procedures: Procedure[] = [];
  readonly #instances: (Instance | undefined)[] = [];
  readonly #entries: number[] = [];
  readonly #numbers = new Map<string, number>();
  /** Procedures to make, in the order of their numbers; those before `#made` are made. */
  readonly #work: { readonly instance: Instance; readonly part: Part; readonly number: number }[] = [];
  #made = 0;
  /** Calls what others have handed over: put together last, when all of that is known. */
  #last: { readonly instance: Instance; readonly number: number } | undefined;
  readonly #variables: Variable[] = [];
  readonly #names = new Map<string, string>();
  readonly #doubtful: (Set<number> | undefined)[] = [];
  readonly #outsideNames = new Map<string, readonly string[]>();
  readonly #assignments: Assignment[] = [];
  readonly named: NamedVariables;
  readonly values: ValueVariables | undefined;
  readonly failures: Failures;
  readonly given: GivenArguments;

  constructor(source: AssemblySource) {
    this.#source = source;
    const ownerOf = (instance: Instance) => this.numberOf(instance, "whole");
    this.named = new NamedVariables(source, this.#variables, ownerOf);
    if (source.hasFlows) this.values = new ValueVariables(this.#variables, source.names, ownerOf);
    this.failures = new Failures(source.values, source.modules, source.bindings);
    this.given = new GivenArguments(source.values, this.failures);
    this.#entryProcedures = new EntryProcedures(source, this);
  }

  addEntry(entry: EntryOrder, turns?: LaterTurns): void {
    const number = this.#add(undefined);
    this.#procedures[number] = this.#entryProcedures.make(entry, turns, number);
    this.#entries.push(number);
  }

  addRoot(root: Instance): void {
    this.#entries.push(this.numberOf(root, "whole"));
  }

  finish(): AssembledProgram {
    this.#make();
    if (this.#last !== undefined) {
      const { instance, number } = this.#last;
      this.#procedures[number] = instanceProcedure(this.#source, instance, "whole", this, number);
      this.#make();
    }
    const names = this.#names;
    const outside = this.#outsideNames;
    const doubtful = this.#doubtful;
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
      isDoubtful: (procedure, vertex) => doubtful[procedure]?.has(vertex) === true,
      outsideNamesAt: (procedure, vertex) => outside.get(`${procedure} ${vertex}`) ?? [],
      assignments: this.#assignments,
      exported: this.#exported(),
    };
  }

  /** Puts together the procedures that are numbered by now, and those that they call. */
  #make(): void {
    while (this.#made < this.#work.length) {
      const { instance, part, number } = this.#work[this.#made++];
      if (this.values !== undefined && instance.code.module < 0) {
        this.#last = { instance, number };
        for (const calls of instance.calls.values())
          for (const { target, runs } of calls) this.numberOf(target, runs);
        continue;
      }
      this.#procedures[number] = instanceProcedure(this.#source, instance, part, this, number);
    }
  }

  #exported(): ReadonlySet<number> {
    const found = new Set<number>();
    if (this.values === undefined) return found;
    for (const module of this.#source.modules) {
      for (const target of module.exports().values()) {
        const origin = target.kind === "binding" ? this.named.atTop(target.module, target.name) : undefined;
        const variable = origin === undefined ? undefined : this.named.usedVariableOf(origin);
        if (variable !== undefined) found.add(variable);
      }
    }
    return found;
  }

  /** The number of a procedure that is made later. */
  #add(instance: Instance | undefined): number {
    this.#procedures.push(PLACEHOLDER);
    this.#instances.push(instance);
    return this.#procedures.length - 1;
  }

  numberOf(instance: Instance, part: Part): number {
    const key = `${instance.id} ${part}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#add(instance);
      this.#numbers.set(key, number);
      this.#work.push({ instance, part, number });
    }
    return number;
  }

  rename(procedure: number, vertex: number, name: string): void {
    this.#names.set(`${procedure} ${vertex}`, name);
  }

  doubt(procedure: number, vertex: number): void {
    const known = this.#doubtful[procedure];
    if (known === undefined) this.#doubtful[procedure] = new Set([vertex]);
    else known.add(vertex);
  }

  nameOutside(procedure: number, vertex: number, names: readonly string[]): void {
    if (0 < names.length) this.#outsideNames.set(`${procedure} ${vertex}`, names);
  }

  assigned(assignment: Assignment): void {
    this.#assignments.push(assignment);
  }
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
