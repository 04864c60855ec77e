/**
 * Where the values at a position get to: the client `taint` with these values as its source. A value reaches a step if what a
 * variable there holds, or a part of it, is that value or was computed from it. Costs one analysis per position asked from.
 */

import { analyzeAnywhere } from "../check/any-host.js";
import { type Taint, taint } from "../clients/taint.js";
import { type ExplainedStep, explain, type Wording } from "./explanation.js";
import type { Places } from "./places.js";
import type { AskedProgram } from "./program-index.js";
import type { Step } from "./sites.js";

/** The fact that holds where a value has got to the step; -1: it begins there. */
export interface Arrival {
  readonly step: Step;
  readonly variable: number;
  readonly vertex: number;
  readonly fact: number;
}

export class ValueReach {
  readonly #asked: AskedProgram;
  readonly #answers: Taint;
  readonly #sources: ReadonlySet<string>;

  constructor(asked: AskedProgram, steps: readonly Step[]) {
    this.#asked = asked;
    const values = steps.flatMap(({ procedure, vertex, values }) =>
      values.map((variable) => ({ procedure, vertex, variable })),
    );
    this.#sources = new Set(
      values.map(({ procedure, vertex, variable }) => `${procedure} ${vertex} ${variable}`),
    );
    this.#answers = analyzeAnywhere(taint(asked.program, { sources: [], sinks: [], values }));
  }

  /** Where it gets to one of these steps, undefined where it does not. */
  arrival(steps: readonly Step[]): Arrival | undefined {
    for (const step of steps) {
      for (const variable of step.values) {
        const found = this.#arrivalAt(step, variable);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  #arrivalAt(step: Step, variable: number): Arrival | undefined {
    const { procedure, vertex } = step;
    const { executed, reached, vertexStart } = this.#asked.flow();
    if (executed[procedure] === 0 || reached[vertexStart[procedure] + vertex] === 0) return undefined;
    if (this.#sources.has(`${procedure} ${vertex} ${variable}`)) return { step, variable, vertex, fact: -1 };
    const { problem } = this.#answers;
    const at = (vertex: number, part: { readonly variable: number; readonly path: string }): Arrival => ({
      step,
      variable,
      vertex,
      fact: problem.factOf(procedure, part.variable, part.path),
    });
    const call = this.#asked.program.procedures[procedure].calls.find((site) => site.vertex === vertex);
    if (call !== undefined && call.result === variable) {
      const [part] = this.#answers.taintedBefore(procedure, call.returnSite, variable);
      return part === undefined ? undefined : at(call.returnSite, part);
    }
    for (const part of this.#answers.taintedBefore(procedure, vertex)) {
      const after = problem.afterOperations(procedure, vertex, [part]);
      if (after.some((each) => each.variable === variable)) return at(vertex, part);
    }
    return undefined;
  }

  /** The way there. */
  explain({ step, variable, vertex, fact }: Arrival, places: Places): ExplainedStep[] {
    const { problem, analysis } = this.#answers;
    const { program } = this.#asked;
    const { procedure } = step;
    const named = (v: number, path: string): string =>
      `${program.variables[v].kind === "temporary" ? "this" : program.variables[v].name}${path}`;
    const wording: Wording = {
      holds: ({ variable, tag }) => `the value is in ${named(variable, problem.path(variable, tag))}`,
      begins: ({ variable }) => `the value of ${named(variable, "")}`,
      here: `the value is here${program.variables[variable].kind === "temporary" ? "" : `, in ${program.variables[variable].name}`}`,
    };
    if (fact < 0) {
      const place = places.ofVertex(program, procedure, vertex, variable);
      return place === undefined ? [] : [{ ...place, kind: "here", message: wording.here, holds: "" }];
    }
    return explain(analysis, problem, { procedure, vertex, fact }, places, wording) ?? [];
  }
}
