/**
 * Which steps of a program stand where in its sources. A step's extent is that of its vertex; where that is empty, what it
 * writes stands where the variable is declared: parameters, hoisted functions. A file's steps are collected when it is first
 * asked about, which costs one look at the procedures in it; a look-up costs its steps.
 */

import { OPERATION_SIZE, Op, type Procedure, type Program } from "../program/program.js";
import { isNamed } from "./clients.js";

/** What a step does to the variables that a question there is about. */
export type Use = "reads" | "writes" | "declares" | "none";

/** What a step does, the most telling first; `takes`: it uses variables without reading them anew, as a property of one. */
const RANKS = ["reads", "writes", "takes", "declares", "none"] as const;

/** A step in one procedure. */
export interface Site {
  readonly procedure: number;
  readonly vertex: number;
  /** Variables with names that it uses in that way. */
  readonly variables: readonly number[];
  /** Variables that hold its value once it has happened: those that it reads, or else those that it writes. */
  readonly values: readonly number[];
}

export interface Step extends Site {
  readonly start: number;
  readonly end: number;
  readonly use: Use;
  /** Of steps with the same extent, those with the lowest rank count. */
  readonly rank: number;
}

export class Sites {
  readonly program: Program;
  readonly #isByLine: boolean;
  readonly #byFile = new Map<number, readonly Step[]>();

  /** `isByLine`: extents are lines, not columns; there a step reads whatever goes on as the value of an expression. */
  constructor(program: Program, isByLine: boolean) {
    this.program = program;
    this.#isByLine = isByLine;
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
    const declared = (variable: number, vertex: number, use: "writes" | "declares") => {
      const { file: where, start, end } = program.variables[variable];
      if (where === file && start < end)
        steps.push({
          procedure: p,
          vertex,
          variables: [variable],
          values: [variable],
          start,
          end,
          use,
          rank: RANKS.indexOf(use),
        });
    };
    const results = new Map(calls.map(({ vertex, result }) => [vertex, result]));
    for (let vertex = 0; vertex < vertexCount; vertex++) {
      const [start, end] = [ranges[2 * vertex], ranges[2 * vertex + 1]];
      const reads: number[] = [];
      const writes: number[] = [];
      const checks: number[] = [];
      const declares: number[] = [];
      const sources: number[] = [];
      for (let i = operationStart[vertex]; i < operationStart[vertex + 1]; i++) {
        const [code, variable, source] = operations.subarray(i * OPERATION_SIZE, (i + 1) * OPERATION_SIZE);
        if (code === Op.read) reads.push(variable);
        else if (code === Op.write) writes.push(variable);
        else if (code === Op.check) checks.push(variable);
        else if (code === Op.declare) declares.push(variable);
        else if (code === Op.flow) {
          writes.push(variable);
          sources.push(source);
        }
      }
      if (start === end) {
        for (const variable of new Set(writes)) declared(variable, vertex, "writes");
        for (const variable of new Set(declares)) declared(variable, vertex, "declares");
        continue;
      }
      const result = results.get(vertex) ?? -1;
      if (0 <= result) writes.push(result);
      const named = (list: readonly number[]) => [...new Set(list.filter((v) => isNamed(program, v)))];
      const read = named(this.#isByLine ? [...reads, ...sources] : reads);
      const uses: Readonly<Record<(typeof RANKS)[number], number[]>> = {
        reads: read,
        writes: named([...writes, ...checks]),
        takes: named(sources),
        declares: named(declares),
        none: [],
      };
      const what = RANKS.find((rank) => 0 < uses[rank].length) ?? "none";
      const values = 0 < read.length ? read : [...new Set(writes)];
      steps.push({
        ...{ procedure: p, vertex, variables: uses[what], values, start, end },
        use: what === "takes" ? "reads" : what,
        rank: RANKS.indexOf(what),
      });
    }
    for (const variable of parameters) if (0 <= variable) declared(variable, 0, "writes");
    return steps;
  }
}

/**
 * Of the vertices of a procedure with an extent that begins at `start`, a line's, those that control enters from
 * elsewhere: before them, and nowhere else, is before the line.
 */
export function enteredAt({ vertexCount, ranges, edges, calls }: Procedure, start: number): number[] {
  const isOnLine = (vertex: number) => 0 < vertex && ranges[2 * vertex] === start;
  const isEntered = new Uint8Array(vertexCount);
  const hasBefore = new Uint8Array(vertexCount);
  const follow = (from: number, to: number) => {
    if (to < 0) return;
    hasBefore[to] = 1;
    if (!isOnLine(from)) isEntered[to] = 1;
  };
  for (let e = 0; e < edges.length; e += 2) follow(edges[e], edges[e + 1]);
  for (const { vertex, returnSite, exceptionalReturnSite } of calls) {
    follow(vertex, returnSite);
    follow(vertex, exceptionalReturnSite);
  }
  return Array.from({ length: vertexCount }, (_, vertex) => vertex).filter(
    (vertex) => isOnLine(vertex) && (isEntered[vertex] === 1 || hasBefore[vertex] === 0),
  );
}

/** Steps with the extent of a step of the same list, whatever they do. */
export const besides = (steps: readonly Step[], { start, end }: Pick<Step, "start" | "end">): Step[] =>
  steps.filter((step) => step.start === start && step.end === end);

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
  let lowest = -1;
  for (const steps of lists) {
    for (const { start, end, rank } of steps) {
      if (offset < start || end <= offset || length < end - start) continue;
      lowest = end - start < length ? rank : Math.min(lowest, rank);
      length = end - start;
    }
  }
  if (lowest < 0) return undefined;
  return lists.map((steps) =>
    steps.filter(
      ({ start, end, rank }) => start <= offset && offset < end && end - start === length && rank === lowest,
    ),
  );
}
