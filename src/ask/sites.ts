/**
 * Which steps of a program stand where in its sources. A step's extent is that of its vertex; where that is empty, what it
 * writes stands where the variable is declared: parameters, hoisted functions. A file's steps are collected when it is first
 * asked about, which costs one look at the procedures in it; a look-up costs its steps.
 */

import { OPERATION_SIZE, Op, type Program } from "../program/program.js";
import { isNamed } from "./clients.js";

/** What a step does to the variables that a question there is about. */
export type Use = "reads" | "writes" | "declares" | "none";
const ORDER: readonly Use[] = ["reads", "writes", "declares", "none"];

/** A step in one procedure. */
export interface Site {
  readonly procedure: number;
  readonly vertex: number;
  /** Variables it uses in that way; those without names only where it uses no others. */
  readonly variables: readonly number[];
}

export interface Step extends Site {
  readonly start: number;
  readonly end: number;
  readonly use: Use;
  /** Whether its variables have names. */
  readonly isNamed: boolean;
}

export class Sites {
  readonly program: Program;
  readonly #byFile = new Map<number, readonly Step[]>();

  constructor(program: Program) {
    this.program = program;
  }

  stepsOf(file: number): readonly Step[] {
    let steps = this.#byFile.get(file);
    if (steps === undefined) {
      steps = this.program.procedures.flatMap((procedure, p) =>
        procedure.file === file ? this.#steps(p) : [],
      );
      this.#byFile.set(file, steps);
    }
    return steps;
  }

  #steps(p: number): Step[] {
    const { program } = this;
    const { vertexCount, ranges, operationStart, operations, file, parameters, calls } =
      program.procedures[p];
    const steps: Step[] = [];
    const declared = (variable: number, vertex: number, use: Use) => {
      const { file: where, start, end } = program.variables[variable];
      if (where === file && start < end)
        steps.push({ procedure: p, vertex, variables: [variable], start, end, use, isNamed: true });
    };
    const results = new Map(calls.map(({ vertex, result }) => [vertex, result]));
    for (let vertex = 0; vertex < vertexCount; vertex++) {
      const [start, end] = [ranges[2 * vertex], ranges[2 * vertex + 1]];
      const found: Record<Use, number[]> = { reads: [], writes: [], declares: [], none: [] };
      for (let i = operationStart[vertex]; i < operationStart[vertex + 1]; i++) {
        const [code, variable, source] = operations.subarray(i * OPERATION_SIZE, (i + 1) * OPERATION_SIZE);
        if (code === Op.read) found.reads.push(variable);
        else if (code === Op.write || code === Op.check) found.writes.push(variable);
        else if (code === Op.declare) found.declares.push(variable);
        else if (code === Op.flow) {
          found.reads.push(source);
          found.writes.push(variable);
        }
      }
      if (start === end) {
        for (const use of ["writes", "declares"] as const)
          for (const variable of new Set(found[use])) declared(variable, vertex, use);
        continue;
      }
      const result = results.get(vertex) ?? -1;
      if (0 <= result) found.writes.push(result);
      const use =
        ORDER.find((use) => found[use].some((v) => isNamed(program, v))) ??
        (0 < found.writes.length ? "writes" : "none");
      const named = found[use].filter((v) => isNamed(program, v));
      const isNamedStep = 0 < named.length;
      const variables = [...new Set(isNamedStep ? named : found[use])];
      steps.push({ procedure: p, vertex, variables, start, end, use, isNamed: isNamedStep });
    }
    for (const variable of parameters) if (0 <= variable) declared(variable, 0, "declares");
    return steps;
  }
}

/** Where the nearest step begins that is wanted, undefined for none. */
export function nearestStep(
  lists: readonly (readonly Step[])[],
  distance: (start: number) => number,
  isWanted: (step: Step) => boolean,
): number | undefined {
  let best: number | undefined;
  for (const steps of lists) {
    for (const step of steps) {
      if ((best === undefined || distance(step.start) < distance(best)) && isWanted(step)) best = step.start;
    }
  }
  return best;
}

/**
 * Of steps that cover an offset the smallest, and of these the ones that matter most: reads, then writes, then
 * declarations. Undefined where none covers it.
 */
export function smallestAt(lists: readonly (readonly Step[])[], offset: number): Step[][] | undefined {
  let length = Number.POSITIVE_INFINITY;
  let rank = ORDER.length;
  for (const steps of lists) {
    for (const { start, end, use } of steps) {
      if (offset < start || end <= offset || length < end - start) continue;
      const own = ORDER.indexOf(use);
      if (end - start < length) rank = own;
      else rank = Math.min(rank, own);
      length = end - start;
    }
  }
  if (rank === ORDER.length) return undefined;
  return lists.map((steps) =>
    steps.filter(
      ({ start, end, use }) =>
        start <= offset && offset < end && end - start === length && use === ORDER[rank],
    ),
  );
}
