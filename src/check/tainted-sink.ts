/**
 * The rule `tainted-sink`: where values of a source get to a sink, by a taint analysis of the program of all
 * executions. Rules speak of names; here they become calls and variables of the program:
 *
 *     `f`, `fs.readFile`     calls under that name in the source, or of that function outside however it is imported
 *     `.query`               calls of a method of that name; as a sink also what is assigned to a property of that name
 *     `location.hash`        as a source: the property of what the host provides; as a sink: what is assigned to it
 *     `req.query`            as a source: the property of a parameter of that name
 */

import { type Taint, taint } from "../clients/taint.js";
import { type Place, placeAt } from "../program/diagnostic.js";
import { type CallSite, OPERATION_SIZE, Op, type Procedure, type Program } from "../program/program.js";
import { analyzeAnywhere } from "./any-host.js";
import type { TaintSink, TaintSpec } from "./check-request.js";
import type { Finding, WitnessStep } from "./finding.js";
import { DEFAULT_TAINT } from "./taint-defaults.js";
import { type TaintedPlace, taintWitness } from "./taint-witness.js";

export interface TaintedProgram {
  readonly program: Program;
  /** What a call may call outside the program, under names that do not depend on how it is imported. */
  outsideNamesAt(procedure: number, vertex: number): readonly string[];
}

/**
 * Findings in no particular order, one for each sink in the sources. Without a `spec`, sources and sinks are those of
 * `DEFAULT_TAINT`, which are functions outside the program, and sinks take what is tainted as a whole, not objects that hold
 * something tainted. Costs a taint analysis, and a search for each finding.
 */
export function taintedSinks({ program, outsideNamesAt }: TaintedProgram, spec?: TaintSpec): Finding[] {
  const { sources, sinks, sanitizers } = spec ?? DEFAULT_TAINT;
  const isWhole = spec === undefined;
  const variables = sourceVariables(program, sources);
  const named = renamed(program, (procedure, call) => {
    const outside = outsideNamesAt(procedure, call.vertex);
    if (isWhole && 0 < call.callees.length && !call.external) return undefined;
    const names = isWhole && !call.name.startsWith(".") ? outside : [call.name, ...outside];
    const is = (name: string) =>
      names.some(
        (one) => one === name || (name.startsWith(".") && !name.slice(1).includes(".") && one.endsWith(name)),
      );
    const role = {
      isSource: sources.some(is),
      isClean: sanitizers.some(is),
      sinks: sinks.filter(({ name }) => is(name)),
    };
    return role.isSource || role.isClean || 0 < role.sinks.length ? role : undefined;
  });
  const roles = [...named.roles];
  const rules = {
    sources: roles.filter(([, { isSource }]) => isSource).map(([call]) => ({ call })),
    variables,
    sinks: roles.flatMap(([call, role]) =>
      role.sinks.map(({ arguments: parts }) => (parts === undefined ? { call } : { call, parts })),
    ),
    sanitizers: roles.filter(([, { isClean }]) => isClean).map(([call]) => ({ call })),
  };
  if (rules.sources.length === 0 && variables.length === 0) return [];
  const answers = analyzeAnywhere(taint(named.program, rules));
  const found = new Map<string, Finding>();
  for (const place of [
    ...calls(answers, named, isWhole),
    ...stores(answers, named.program, sinks, isWhole),
  ]) {
    const { file, ranges } = program.procedures[place.procedure];
    if (file < 0) continue;
    const key = [file, ranges[2 * place.vertex], ranges[2 * place.vertex + 1], place.name].join();
    if (!found.has(key))
      found.set(key, finding(answers, place, new Set(variables.map(({ variable }) => variable))));
  }
  return [...found.values()];
}

interface Role {
  readonly isSource: boolean;
  readonly isClean: boolean;
  readonly sinks: readonly TaintSink[];
}

interface Renamed {
  /** The program, in which calls have the name of their role. */
  readonly program: Program;
  readonly roles: ReadonlyMap<string, Role>;
}

function renamed(program: Program, roleOf: (procedure: number, call: CallSite) => Role | undefined): Renamed {
  const roles = new Map<string, Role>();
  const procedures = program.procedures.map((procedure, p): Procedure => {
    const calls = procedure.calls.map((call): CallSite => {
      const role = roleOf(p, call);
      if (role === undefined) return call.name === "" ? call : { ...call, name: "" };
      const name = JSON.stringify(role);
      roles.set(name, role);
      return { ...call, name };
    });
    return { ...procedure, calls };
  });
  return { program: { ...program, procedures }, roles };
}

/** Variables that names of sources mean, each with the rest of the name as a path. */
function sourceVariables(
  { variables }: Program,
  sources: readonly string[],
): { readonly variable: number; readonly path: string }[] {
  const paths = new Map<string, string[]>();
  for (const source of sources) {
    if (source.startsWith(".")) continue;
    for (let end = source.length; 0 < end; end = source.lastIndexOf(".", end - 1)) {
      const name = source.slice(0, end);
      paths.set(name, [...(paths.get(name) ?? []), source.slice(end)]);
    }
  }
  return variables.flatMap(({ kind, name }, variable) => {
    if (kind !== "external" && kind !== "parameter") return [];
    const found = paths.get(name) ?? [];
    // A name alone is that of a function, or of something outside; not of any parameter.
    return found.filter((path) => kind === "external" || path !== "").map((path) => ({ variable, path }));
  });
}

/** Calls of sinks. */
function* calls(answers: Taint, { program, roles }: Renamed, isWhole: boolean): Iterable<TaintedPlace> {
  for (const { procedure, vertex, name, variable, paths } of answers.taintedSinks()) {
    if (isWhole && !paths.includes("")) continue;
    const path = isWhole ? "" : paths[0];
    const before = originBefore(answers, program.procedures[procedure], procedure, vertex, variable, path);
    if (before !== undefined) yield { procedure, vertex, name: roles.get(name)!.sinks[0].name, ...before };
  }
}

/** What is assigned to a property that is a sink, of anything, or of what the host provides. */
function* stores(
  answers: Taint,
  { procedures, paths, variables }: Program,
  sinks: readonly TaintSink[],
  isWhole: boolean,
): Iterable<TaintedPlace> {
  const properties = new Set(sinks.map(({ name }) => name).filter((name) => /^\.[^.]+$/.test(name)));
  const names = new Set(sinks.map(({ name }) => name));
  for (const [p, { operations, operationStart, vertexCount }] of procedures.entries()) {
    for (let vertex = 0; vertex < vertexCount; vertex++) {
      for (let i = operationStart[vertex]; i < operationStart[vertex + 1]; i++) {
        const [code, target, source, both] = operations.subarray(
          i * OPERATION_SIZE,
          (i + 1) * OPERATION_SIZE,
        );
        if (code !== Op.flow) continue;
        const path = paths[both >>> 16];
        const property = path.slice(path.lastIndexOf("."));
        const external = variables[target].kind === "external" ? variables[target].name : "";
        const name = properties.has(property) ? property : names.has(external) ? external : undefined;
        if (name === undefined) continue;
        const tainted = answers
          .taintedBefore(p, vertex, source)
          .filter((part) => !isWhole || part.path === "");
        if (0 < tainted.length) yield { procedure: p, vertex, name, variable: source, path: tainted[0].path };
      }
    }
  }
}

/** Something tainted before a vertex that its operations make part of a variable. */
function originBefore(
  answers: Taint,
  { operationStart, operations }: Procedure,
  procedure: number,
  vertex: number,
  variable: number,
  path: string,
): { readonly variable: number; readonly path: string } | undefined {
  const before = answers.taintedBefore(procedure, vertex);
  const work = [variable];
  for (const wanted of work) {
    const parts = before.filter((part) => part.variable === wanted);
    const [part] = wanted === variable ? parts.filter((one) => one.path === path) : parts;
    if (part !== undefined) return part;
    for (let i = operationStart[vertex]; i < operationStart[vertex + 1]; i++) {
      const [code, target, source] = operations.subarray(i * OPERATION_SIZE, (i + 1) * OPERATION_SIZE);
      if (code === Op.flow && target === wanted && !work.includes(source)) work.push(source);
    }
  }
  return undefined;
}

function finding(answers: Taint, place: TaintedPlace, sources: ReadonlySet<number>): Finding {
  const { program } = answers.problem;
  const { file, ranges } = program.procedures[place.procedure];
  const { path, text } = program.files[file];
  const from: Place = placeAt(path, text, ranges[2 * place.vertex]);
  const to = placeAt(path, text, ranges[2 * place.vertex + 1]);
  const sink: WitnessStep = { kind: "sink", ...from, message: place.name };
  const { steps, source } = taintWitness(answers, place, sources);
  return {
    rule: "tainted-sink",
    severity: "error",
    ...from,
    endLine: to.line,
    endColumn: to.column,
    name: place.name,
    message: `A value of ${source} reaches ${place.name}.`,
    witness: [...steps, sink],
  };
}
