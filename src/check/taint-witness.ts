/** The way of a tainted value from its source to a sink, in the words of the sources: a shortest one over all calls. */

import type { Taint } from "../clients/taint.js";
import { placeAt } from "../program/diagnostic.js";
import type { WitnessStep } from "./finding.js";

/** A place of a sink where something tainted gets. */
export interface TaintedPlace {
  readonly procedure: number;
  readonly vertex: number;
  readonly name: string;
  /** What is tainted there before the step: the way to it explains the finding. */
  readonly variable: number;
  readonly path: string;
}

/** Steps of the exploded path that are looked at; the rest is left out. */
const MOST_STEPS = 100_000;
const SNIPPET = 40;

/**
 * Its stations, without the sink itself, and what the source is called. `sources` are variables that are sources themselves. Costs
 * a search for a shortest path.
 */
export function taintWitness(
  answers: Taint,
  { procedure, vertex, variable, path }: TaintedPlace,
  sources: ReadonlySet<number>,
): { readonly steps: readonly WitnessStep[]; readonly source: string } {
  const { problem } = answers;
  const { program } = problem;
  const way = answers.analysis.explain(
    problem.seeds,
    procedure,
    vertex,
    problem.factOf(procedure, variable, path),
  );
  const steps: WitnessStep[] = [];
  let source = "";
  if (way === undefined) return { steps, source: "a source" };
  const add = (kind: WitnessStep["kind"], p: number, at: number, message: string) => {
    const { file, ranges } = program.procedures[p];
    if (file < 0) return;
    const place = placeAt(program.files[file].path, program.files[file].text, ranges[2 * at]);
    const last = steps.at(-1);
    if (
      last !== undefined &&
      last.line === place.line &&
      last.column === place.column &&
      last.file === place.file
    )
      return;
    steps.push({ kind, ...place, message });
  };
  const snippet = (p: number, at: number): string => {
    const { file, ranges } = program.procedures[p];
    if (file < 0) return "";
    const text = program.files[file].text.slice(ranges[2 * at], ranges[2 * at + 1]).replace(/\s+/g, " ");
    return text.length <= SNIPPET ? text : `${text.slice(0, SNIPPET)}...`;
  };
  /** Where no text is at hand: what is called there. */
  const calledAt = (p: number, at: number): string =>
    program.procedures[p].calls.find(({ vertex, name }) => vertex === at && name !== "")?.name ?? "a source";
  let [p, at, fact] = way.start;
  const callers: [procedure: number, vertex: number][] = [];
  let count = 0;
  for (const step of way) {
    if (MOST_STEPS < count++) break;
    const before = problem.meaning(p, fact);
    const after = problem.meaning(step.procedure, step.fact);
    if (step.edge === "call") callers.push([p, at]);
    const caller = step.edge === "return" ? callers.pop() : undefined;
    const isSource =
      before === undefined ||
      (sources.has(before.variable) && after?.variable !== before.variable && source === "");
    if (after !== undefined && isSource && !sources.has(after.variable)) {
      const { name = "" } = before === undefined ? {} : program.variables[before.variable];
      const [where, place] = caller ?? [p, at];
      source =
        before === undefined
          ? snippet(where, place) || calledAt(where, place)
          : `${name}${problem.path(before.variable, before.tag)}`;
      add("flows", where, place, `${source} comes from outside`);
    } else if (after !== undefined && before !== undefined && source !== "") {
      if (step.edge === "call") {
        const { name } = program.procedures[step.procedure];
        add("calls", p, at, `passes it to ${name === "" ? "a function" : name}`);
      } else if (caller !== undefined) {
        if (before.variable !== after.variable) add("flows", ...caller, `returns it`);
      } else if (before.variable !== after.variable) {
        const { name, kind } = program.variables[after.variable];
        const isNamed = name !== "" && kind !== "field" && kind !== "external" && kind !== "temporary";
        const through = isNamed ? "" : snippet(p, at);
        if (isNamed || through !== "") add("flows", p, at, isNamed ? `into ${name}` : `through ${through}`);
      }
    }
    [p, at, fact] = [step.procedure, step.vertex, step.fact];
  }
  return { steps, source: source === "" ? "a source" : source };
}
