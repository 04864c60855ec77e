/** Early reads as findings: places, words, and the way from the entry to the read. */

import { placeAt } from "../program/diagnostic.js";
import { OPERATION_SIZE, Op, type Procedure, type Program, type Variable } from "../program/program.js";
import type { Finding, WitnessStep } from "./finding.js";
import type { EarlyRead, IsDoubtful } from "./initialization-walk.js";
import { earlyReads } from "./use-before-init.js";

/** The name under which a vertex reads a variable, where it is not the variable's own. */
export type NameAt = (procedure: number, vertex: number) => string | undefined;

/** Findings of `use-before-init`, one for each variable and place that reads it, in the order of the sources. */
export function useBeforeInit(program: Program, nameAt: NameAt, isDoubtful: IsDoubtful): Finding[] {
  const byPlace = new Map<string, EarlyRead>();
  for (const read of earlyReads(program, isDoubtful)) {
    const { file, ranges } = program.procedures[read.procedure];
    const variable = program.variables[read.variable];
    const key = [
      file,
      ranges[2 * read.vertex],
      ranges[2 * read.vertex + 1],
      variable.file,
      variable.start,
      variable.name,
    ].join();
    const known = byPlace.get(key);
    if (known === undefined || (!known.isCertain && read.isCertain)) byPlace.set(key, read);
  }
  return [...byPlace.values()].map((read) => finding(program, read, nameAt));
}

function finding(program: Program, read: EarlyRead, nameAt: NameAt): Finding {
  const procedure = program.procedures[read.procedure];
  const variable = program.variables[read.variable];
  const name = nameAt(read.procedure, read.vertex) ?? variable.name;
  const [start, end] = [procedure.ranges[2 * read.vertex], procedure.ranges[2 * read.vertex + 1]];
  const { path, text } = program.files[procedure.file];
  const from = placeAt(path, text, start);
  const to = placeAt(path, text, end);
  return {
    rule: "use-before-init",
    severity: read.isCertain ? "error" : "warning",
    ...from,
    endLine: to.line,
    endColumn: to.column,
    name,
    message: message(read, variable, name),
    witness: witness(program, read, name),
  };
}

function message({ isCertain }: EarlyRead, variable: Variable, name: string): string {
  const when = isCertain ? "is" : "may be";
  if (variable.kind === "exports") {
    return `'${name}' ${when} read before the module replaces it: the value is the empty object that it was.`;
  }
  const what =
    variable.kind === "export"
      ? `Property '${name}' of the module's exports`
      : name === variable.name
        ? `'${name}'`
        : `'${name}' (declared as '${variable.name}')`;
  const consequence = variable.throwsEarly
    ? `Cannot access '${variable.name}' before initialization`
    : "the value is undefined";
  return `${what} ${when} read before it is initialized: ${consequence}.`;
}

function witness(program: Program, read: EarlyRead, name: string): WitnessStep[] {
  const steps: WitnessStep[] = [];
  for (const [i, { procedure, vertex }] of read.chain.entries()) {
    const caller = program.procedures[procedure];
    const callee = program.procedures[read.chain[i + 1]?.procedure ?? read.procedure];
    if (callee.kind === "module") {
      const { path } = program.files[callee.file];
      steps.push({ kind: "evaluates", file: path, line: 1, column: 1, message: `${path} is evaluated` });
    } else if (0 <= caller.file) {
      const { path, text } = program.files[caller.file];
      const place = placeAt(path, text, caller.ranges[2 * vertex]);
      steps.push({ kind: "calls", ...place, message: `calls ${described(callee)}` });
    } else {
      const { path, text } = program.files[callee.file];
      const place = placeAt(path, text, callee.start);
      steps.push({ kind: "later", ...place, message: `${described(callee)} is called at a later turn` });
    }
  }
  const procedure = program.procedures[read.procedure];
  const { path, text } = program.files[procedure.file];
  const place = placeAt(path, text, procedure.ranges[2 * read.vertex]);
  steps.push({ kind: "reads", ...place, message: `reads ${name}` });
  const initialization = initializationOf(program, read.variable);
  if (initialization !== undefined)
    steps.push({
      kind: "initializes",
      ...initialization,
      message: `${program.variables[read.variable].name} is initialized here, later`,
    });
  return steps;
}

function described({ name, kind }: Procedure): string {
  if (kind === "fields") return name;
  if (kind === "constructor") return name === "" ? "a constructor" : `the constructor of ${name}`;
  return name === "" ? "a function" : name;
}

function initializationOf(
  program: Program,
  variable: number,
): Omit<WitnessStep, "kind" | "message"> | undefined {
  const { file, start, end } = program.variables[variable];
  if (start < end) return placeAt(program.files[file].path, program.files[file].text, start);
  for (const { file: at, operations, operationStart, ranges, vertexCount } of program.procedures) {
    if (at !== file) continue;
    for (let vertex = 0; vertex < vertexCount; vertex++) {
      for (let i = operationStart[vertex]; i < operationStart[vertex + 1]; i++) {
        if (operations[i * OPERATION_SIZE] !== Op.write || operations[i * OPERATION_SIZE + 1] !== variable)
          continue;
        return placeAt(program.files[at].path, program.files[at].text, ranges[2 * vertex]);
      }
    }
  }
  return undefined;
}
