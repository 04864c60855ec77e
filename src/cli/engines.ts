/**
 * Solvers by their names on the command line: the engine on its two kernels, and the baselines. An index can be opened by
 * the engine alone; baselines work on the program itself.
 */

import { type Command, InvalidArgumentError, Option } from "commander";
import { baselines } from "../baselines/index.js";
import {
  type Analysis,
  type AnalyzeOptions,
  analyze,
  type EngineName,
  InputError,
  type Solver,
} from "../index.js";
import type { Input } from "./input.js";
import type { Progress } from "./progress.js";

export const ENGINES = ["wasm", "reference", "nopp", "cpp", "od", "search"] as const;
export type Engine = (typeof ENGINES)[number];

/** Whether the name is one of the engine's own kernels, not of a baseline. */
export const isOwn = (engine: Engine): engine is "wasm" | "reference" =>
  engine === "wasm" || engine === "reference";

/** Options of a command that go to `analyze`. */
export type AnalyzeFlags = Pick<AnalyzeOptions, "onDemand" | "memoryLimit">;

/** Those of a command's options that go to `analyze`, where they are given. */
export function analyzeFlags({ onDemand, memoryLimit }: AnalyzeFlags): AnalyzeFlags {
  return {
    ...(onDemand === undefined ? {} : { onDemand }),
    ...(memoryLimit === undefined ? {} : { memoryLimit }),
  };
}

export interface SolverOptions extends AnalyzeFlags {
  /** Seconds that preprocessing may take. */
  readonly timeLimit?: number;
}

/** The engine's preprocessing passed its time limit. */
export class Timeout extends Error {
  override readonly name = "Timeout";
}

/** Number of an input's procedures, their vertices and facts: what ids are checked against. */
export interface Shape {
  readonly procedureCount: number;
  readonly names: readonly string[];
  vertexCount(p: number): number;
  factCount(p: number): number;
  startVertex(p: number): number;
}

/** An analysis by the engine: of an instance by preprocessing, of an index by opening it. */
export function analysisOf(
  input: Input,
  engine: "wasm" | "reference",
  options: SolverOptions,
  progress: Progress,
): Analysis {
  if (input.kind === "index") return input.open(engine);
  const { timeLimit = Infinity, ...rest } = options;
  const begin = performance.now();
  const analysis = analyze(input.graph, {
    ...rest,
    engine,
    onProgress: ({ phase, done, total }) => {
      progress.show(phase, done, total);
      if (1000 * timeLimit < performance.now() - begin) throw new Timeout(`more than ${timeLimit} s`);
    },
  });
  progress.end();
  return analysis;
}

/** Any solver; baselines refuse an index. */
export function solverOf(input: Input, engine: Engine, options: SolverOptions, progress: Progress): Solver {
  if (isOwn(engine)) return analysisOf(input, engine, options, progress);
  if (input.kind === "index") {
    const problem = `got an index, expected an instance (.ifds): the engine ${engine} works on the program itself`;
    throw new InputError(input.name, undefined, problem);
  }
  const solver = baselines[engine](input.graph, {
    ...(options.timeLimit === undefined ? {} : { timeLimit: 1000 * options.timeLimit }),
    ...(options.memoryLimit === undefined ? {} : { memoryLimit: options.memoryLimit }),
    onProgress: ({ phase, done, total }) => progress.show(phase, done, total),
  });
  progress.end();
  return solver;
}

export function shapeOf(input: Input, engine: EngineName = "wasm"): Shape {
  if (input.kind === "instance") {
    const { procedureCount, names, vertexCount, factCount, startVertex } = input.graph;
    return {
      procedureCount,
      names,
      vertexCount: (p) => vertexCount[p],
      factCount: (p) => factCount[p],
      startVertex: (p) => startVertex[p],
    };
  }
  const index = input.open(engine);
  const procedures = Array.from({ length: index.procedureCount }, (_, p) => index.procedure(p));
  return {
    procedureCount: procedures.length,
    names: procedures.map(({ name }) => name),
    vertexCount: (p) => procedures[p].vertexCount,
    factCount: (p) => procedures[p].factCount,
    startVertex: (p) => procedures[p].start,
  };
}

/** Reads a list of engines, separated by commas; the option may be repeated. */
export function engineList(text: string, previous: readonly Engine[] | undefined): readonly Engine[] {
  const names = text.split(",").map((name) => {
    if (!(ENGINES as readonly string[]).includes(name)) {
      throw new InvalidArgumentError(`Allowed are ${ENGINES.join(", ")}.`);
    }
    return name as Engine;
  });
  return [...new Set([...(previous ?? []), ...names])];
}

/** A positive number, for options. */
export function positive(text: string): number {
  const value = Number(text);
  if (!(0 < value && value < Infinity)) throw new InvalidArgumentError("Expected a positive number.");
  return value;
}

/** A positive whole number, for options. */
export function positiveInteger(text: string): number {
  const value = positive(text);
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError("Expected a positive whole number.");
  return value;
}

const UNITS: Record<string, number> = { "": 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 };

/** Bytes, also as 512K, 64M or 2G. */
export function byteCount(text: string): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)([KMG]?)(?:i?B)?$/i.exec(text) ?? [];
  if (digits === undefined)
    throw new InvalidArgumentError("Expected bytes, such as 1000000, 512K, 64M or 2G.");
  const bytes = Math.floor(Number(digits) * UNITS[unit.toUpperCase()]);
  if (!(0 < bytes && Number.isSafeInteger(bytes)))
    throw new InvalidArgumentError("Expected more than 0 bytes.");
  return bytes;
}

/** Adds the options that go to `analyze` as they are. */
export function withAnalyzeOptions(command: Command): Command {
  return command
    .addOption(new Option("--on-demand", "label procedures when they are first asked about"))
    .addOption(
      new Option("--memory-limit <bytes>", "most bytes of the index (512K, 64M, 2G)").argParser(byteCount),
    );
}
