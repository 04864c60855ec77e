/**
 * The rule `dead-store`: assignments whose value no execution reads, by liveness over the program of all executions. What
 * is assigned for other reasons than to be read is left alone: exports, names that begin with `_`, variables that other
 * functions use (a closure may run later, again and again), variables that nobody reads at all, and whatever the front end does
 * not count among assignments. Costs a liveness and a reachability analysis.
 */

import { liveness } from "../clients/liveness.js";
import { reachability } from "../clients/reachability.js";
import { placeAt } from "../program/diagnostic.js";
import { type Assignment, OPERATION_SIZE, Op, type Procedure, type Program } from "../program/program.js";
import { analyzeAnywhere } from "./any-host.js";
import type { Finding, WitnessStep } from "./finding.js";
import { grouped } from "./variable-flow.js";

export interface AssignmentSource {
  readonly program: Program;
  /** With `name` where several variables of the source share one. */
  readonly assignments: readonly (Assignment & { readonly name?: string })[];
  /** Variables that others may read in ways that the program does not show. */
  readonly exported: ReadonlySet<number>;
}

/**
 * Findings in no particular order, one for each assignment in the sources: where a function is several procedures, or a step
 * several vertices, an assignment is dead if it is in all of these that execute.
 */
export function deadStores({ program, assignments, exported }: AssignmentSource): Finding[] {
  const isLocal = localVariables(program);
  const candidates = assignments.filter(({ variable }) => isLocal[variable] === 1 && !exported.has(variable));
  if (candidates.length === 0) return [];
  const tracked = new Set(candidates.map(({ variable }) => variable));
  const live = analyzeAnywhere(liveness(withinFunctions(program), { variables: tracked }));
  const executed = analyzeAnywhere(reachability(program));
  const flowOf = normalFlows(program);
  const dead = new Map<string, AssignmentSource["assignments"][number]>();
  const used = new Set<string>();
  for (const assignment of candidates) {
    const { procedure, vertex, variable } = assignment;
    if (!executed.reaches(procedure, vertex)) continue;
    const { file, ranges } = program.procedures[procedure];
    const { start, name } = program.variables[variable];
    const key = [file, ranges[2 * vertex], ranges[2 * vertex + 1], start, assignment.name ?? name].join();
    const isRead = flowOf(procedure)(vertex).some((next) => live.isLiveBefore(procedure, next, variable));
    if (isRead) used.add(key);
    else if (!dead.has(key)) dead.set(key, assignment);
  }
  return Array.from(dead)
    .filter(([key]) => !used.has(key))
    .map(([, assignment]) => finding(program, assignment, flowOf(assignment.procedure)(assignment.vertex)));
}

/** The program without what happens to variables between functions: at later turns nobody uses those of one function alone. */
function withinFunctions(program: Program): Program {
  const procedures = program.procedures.map((procedure) =>
    0 <= procedure.file
      ? procedure
      : {
          ...procedure,
          operations: new Uint32Array(0),
          operationStart: new Uint32Array(procedure.vertexCount + 1),
        },
  );
  return { ...program, procedures };
}

/** Variables with a name that one function alone uses, and that it reads somewhere. */
function localVariables({ procedures, variables }: Program): Uint8Array {
  const isRead = new Uint8Array(variables.length);
  const user: (string | undefined)[] = new Array(variables.length);
  const isShared = new Uint8Array(variables.length);
  for (const { file, start, end, operations } of procedures) {
    // What an entry declares belongs to the modules.
    if (file < 0) continue;
    const source = `${file} ${start} ${end}`;
    const use = (variable: number) => {
      user[variable] ??= source;
      if (user[variable] !== source) isShared[variable] = 1;
    };
    for (let i = 0; i < operations.length; i += OPERATION_SIZE) {
      const code = operations[i];
      if (code === Op.settle || code === Op.resume) continue;
      use(operations[i + 1]);
      if (code === Op.read) isRead[operations[i + 1]] = 1;
      if (code !== Op.flow) continue;
      const value = operations[i + 2];
      use(value);
      // What goes on as the value of an expression is read.
      if (variables[operations[i + 1]].kind === "temporary") isRead[value] = 1;
    }
  }
  return Uint8Array.from(variables, ({ kind, name }, v) => {
    const isNamed = ["let", "const", "var", "parameter"].includes(kind) && !name.startsWith("_");
    return isNamed && isRead[v] === 1 && isShared[v] === 0 ? 1 : 0;
  });
}

/** By procedure and vertex: where control goes on to when nothing is thrown. Edges of a procedure are sorted once. */
function normalFlows({ procedures }: Program): (procedure: number) => (vertex: number) => number[] {
  const sorted = new Map<number, ReturnType<typeof grouped>>();
  return (p) => {
    const { vertexCount, edges, exceptional } = procedures[p];
    let edgesOf = sorted.get(p);
    if (edgesOf === undefined) {
      edgesOf = grouped(vertexCount, exceptional.length, (e) => edges[2 * e]);
      sorted.set(p, edgesOf);
    }
    const { start, order } = edgesOf;
    return (vertex) =>
      Array.from(order.subarray(start[vertex], start[vertex + 1]))
        .filter((e) => exceptional[e] === 0)
        .map((e) => edges[2 * e + 1]);
  };
}

function finding(
  program: Program,
  {
    procedure: p,
    vertex,
    variable,
    name = program.variables[variable].name,
  }: AssignmentSource["assignments"][number],
  next: readonly number[],
): Finding {
  const procedure = program.procedures[p];
  const { path, text } = program.files[procedure.file];
  const place = (at: number) => placeAt(path, text, procedure.ranges[2 * at]);
  const to = placeAt(path, text, procedure.ranges[2 * vertex + 1]);
  const ends = overwrites(procedure, next, variable);
  const witness: WitnessStep[] = ends.vertices
    .filter((at) => procedure.ranges[2 * at] !== procedure.ranges[2 * vertex])
    .sort((a, b) => procedure.ranges[2 * a] - procedure.ranges[2 * b])
    .filter((at, i, all) => i === 0 || procedure.ranges[2 * at] !== procedure.ranges[2 * all[i - 1]])
    .map((at) => ({
      kind: "overwrites",
      ...place(at),
      message: `${name} gets another value before it is read`,
    }));
  if (ends.isGone)
    witness.push({ kind: "ends", ...placeAt(path, text, procedure.end), message: `${name} is gone` });
  return {
    rule: "dead-store",
    severity: "warning",
    ...place(vertex),
    endLine: to.line,
    endColumn: to.column,
    name,
    message: `The value that '${name}' gets here is never read.`,
    witness,
  };
}

/** Where a variable is written next on the ways from some vertices, and whether a way ends without that. */
function overwrites(
  procedure: Procedure,
  from: readonly number[],
  variable: number,
): { vertices: number[]; isGone: boolean } {
  const { operationStart, operations, calls, edges, exceptional, vertexCount } = procedure;
  const next: number[][] = Array.from({ length: vertexCount }, () => []);
  for (let e = 0; e < exceptional.length; e++) next[edges[2 * e]].push(edges[2 * e + 1]);
  for (const call of calls)
    for (const site of [call.returnSite, call.exceptionalReturnSite])
      if (0 <= site) next[call.vertex].push(site);
  const writes = (at: number) => {
    for (let i = operationStart[at]; i < operationStart[at + 1]; i++) {
      const code = operations[i * OPERATION_SIZE];
      if ((code === Op.write || code === Op.declare) && operations[i * OPERATION_SIZE + 1] === variable)
        return true;
    }
    return false;
  };
  const seen = new Set<number>();
  const vertices: number[] = [];
  let isGone = false;
  const work = [...from];
  while (0 < work.length) {
    const at = work.pop()!;
    if (seen.has(at)) continue;
    seen.add(at);
    if (writes(at)) vertices.push(at);
    else if (next[at].length === 0) isGone = true;
    else for (const target of next[at]) work.push(target);
  }
  return { vertices, isGone };
}
