/**
 * Witnesses as steps in sources: where the fact in question comes from, which calls and flows bring it along, and where it is
 * asked about. Of calls that change nothing about it nothing is told. Costs the length of the witness, up to a bound.
 */

import type { Analysis } from "../analysis.js";
import type { ClientProblem, VariableFact } from "../clients/client-problem.js";
import type { Step as WitnessStep } from "../witness/witness.js";
import type { Places } from "./places.js";
import type { Extent } from "./position.js";

/** One step of an explanation, in the order of execution. */
export interface ExplainedStep extends Extent {
  /**
   * `evaluates` a module, `calls`, `returns` to the caller; `begins`: from here on it holds; `flows` from one variable to
   * another; `uses`: what a live variable is kept for; `here`: the position of the question.
   */
  readonly kind: "evaluates" | "calls" | "returns" | "begins" | "flows" | "uses" | "here";
  readonly message: string;
  /** What holds then, for instance `"total has this value"`; empty where nothing does yet. */
  readonly holds: string;
}

/** How a client's facts are put in words. */
export interface Wording {
  /** What holds: `"x may be uninitialized"`. */
  holds(fact: VariableFact): string;
  /** What happens where it begins to hold: `"writes x"`. */
  begins(fact: VariableFact): string;
  /** What the question is: `"reads x"`. */
  readonly here: string;
}

export interface Target {
  readonly procedure: number;
  readonly vertex: number;
  readonly fact: number;
}

/** Steps of a witness that are read at most. */
const MOST_STEPS = 1_000_000;

/** Why a fact holds at a vertex, undefined where it does not. `analysis` must know its program. */
export function explain(
  analysis: Analysis,
  problem: ClientProblem,
  target: Target,
  places: Places,
  wording: Wording,
): ExplainedStep[] | undefined {
  const witness = analysis.explain(problem.seeds, target.procedure, target.vertex, target.fact);
  if (witness === undefined) return undefined;
  const telling = new Telling(problem, places, wording);
  const { program } = problem;
  const isBackward = 0 < program.procedures.length && problem.startOf(0) !== 0;
  const [procedure, vertex, fact] = witness.start;
  let before: State = { procedure, vertex, fact };
  let read = 0;
  for (const step of witness) {
    if (isBackward) telling.backward(before, step);
    else telling.forward(before, step);
    before = step;
    if (MOST_STEPS < ++read) break;
  }
  const steps = telling.steps;
  const meaning = problem.meaning(target.procedure, target.fact);
  const here = telling.step("here", target, wording.here, meaning);
  return isBackward ? [...here, ...steps.reverse()] : [...steps, ...here];
}

type State = Pick<WitnessStep, "procedure" | "vertex" | "fact">;

class Telling {
  steps: ExplainedStep[] = [];
  readonly #problem: ClientProblem;
  readonly #places: Places;
  readonly #wording: Wording;
  /** Calls that are open: how many steps came before, and what held there. */
  readonly #open: { readonly steps: number; readonly held: string }[] = [];
  #latest: VariableFact | undefined;

  constructor(problem: ClientProblem, places: Places, wording: Wording) {
    this.#problem = problem;
    this.#places = places;
    this.#wording = wording;
  }

  forward(from: State, to: WitnessStep): void {
    const before = this.#meaning(from);
    const after = this.#meaning(to);
    switch (to.edge) {
      case "call":
        this.#open.push({ steps: this.steps.length, held: key(before) });
        this.#push(this.#call(from, to.procedure, before, after));
        if (before === undefined && after !== undefined)
          this.#push(this.step("begins", to, this.#wording.begins(after), after));
        return;
      case "return": {
        const call = this.#open.pop();
        if (call !== undefined && call.held === key(after)) {
          this.steps.length = Math.min(this.steps.length, call.steps);
          return;
        }
        this.#change(before, after, { procedure: to.procedure, vertex: this.#callVertex(to) }, "returns");
        return;
      }
      default:
        this.#change(before, after, from, "flows");
    }
  }

  /** A path of a backward problem: what comes later is told first. */
  backward(from: State, to: WitnessStep): void {
    const before = this.#meaning(from);
    const after = this.#meaning(to);
    if (before === undefined && after !== undefined) {
      this.steps.length = 0;
      // What nobody in the sources does, others may do.
      const isOthers = this.#problem.program.procedures[to.procedure].file < 0;
      const message = `${isOthers ? "another program " : ""}${this.#wording.begins(after)}`;
      this.#push(this.step("uses", to, message, after));
      if (to.edge === "return") this.#open.pop();
      return;
    }
    if (to.edge === "call") {
      this.#open.push({ steps: this.steps.length, held: key(before) });
      if (after !== undefined)
        this.#push(this.step("returns", from, `returns from ${this.#name(to.procedure)}`, before));
    } else if (to.edge === "return") {
      const call = this.#open.pop();
      if (
        call !== undefined &&
        call.held === key(after) &&
        call.steps <= this.steps.length &&
        call.held !== ""
      ) {
        this.steps.length = call.steps;
      } else if (after !== undefined) this.#push(this.#call(to, from.procedure, after, before));
    } else if (after !== undefined && key(before) !== key(after)) {
      this.#push(
        this.step("flows", to, `${this.#variable(after)} flows into ${this.#variable(before!)}`, before),
      );
    }
  }

  step(
    kind: ExplainedStep["kind"],
    at: Pick<State, "procedure" | "vertex">,
    message: string,
    fact: VariableFact | undefined,
  ): ExplainedStep[] {
    const { program } = this.#problem;
    const place =
      this.#places.ofVertex(program, at.procedure, at.vertex, fact?.variable) ??
      this.#places.ofProcedure(program, at.procedure);
    if (place === undefined) return [];
    return [{ ...place, kind, message, holds: fact === undefined ? "" : this.#wording.holds(fact) }];
  }

  #push(steps: readonly ExplainedStep[]): void {
    this.steps.push(...steps);
  }

  #change(
    before: VariableFact | undefined,
    after: VariableFact | undefined,
    at: Pick<State, "procedure" | "vertex">,
    kind: "flows" | "returns",
  ): void {
    if (after === undefined || key(before) === key(after)) return;
    if (before === undefined) this.#push(this.step("begins", at, this.#wording.begins(after), after));
    else {
      const verb = kind === "returns" ? "comes back as" : "flows into";
      this.#push(this.step(kind, at, `${this.#variable(before)} ${verb} ${this.#variable(after)}`, after));
    }
  }

  #call(
    at: Pick<State, "procedure" | "vertex">,
    callee: number,
    outside: VariableFact | undefined,
    inside: VariableFact | undefined,
  ): ExplainedStep[] {
    const { program } = this.#problem;
    const { kind, name, file } = program.procedures[callee];
    if (file < 0) return [];
    const isModule = kind === "module";
    const isLater = program.procedures[at.procedure].file < 0 && !isModule;
    const passed =
      outside !== undefined && inside !== undefined && outside.variable !== inside.variable
        ? `: ${this.#variable(outside)} is ${this.#variable(inside)}`
        : "";
    const message = isModule
      ? `${name} is evaluated`
      : `${isLater ? "calls, at a later turn," : "calls"} ${this.#name(callee)}${passed}`;
    const place =
      isLater || isModule
        ? this.#places.ofProcedure(program, callee)
        : this.#places.ofVertex(program, at.procedure, at.vertex);
    const holds = inside === undefined ? "" : this.#wording.holds(inside);
    return place === undefined ? [] : [{ ...place, kind: isModule ? "evaluates" : "calls", message, holds }];
  }

  #callVertex({ procedure, index }: WitnessStep): number {
    const { callStart, callVertex } = this.#problem.graph;
    return callVertex[callStart[procedure] + index];
  }

  #name(procedure: number): string {
    return this.#problem.program.procedures[procedure].name || "a function";
  }

  #variable({ variable }: VariableFact): string {
    const { kind, name } = this.#problem.program.variables[variable];
    return kind === "temporary" ? "the value" : name;
  }

  /** What a fact says. Facts that a backward problem has at exits alone say what the one before said. */
  #meaning({ procedure, fact }: State): VariableFact | undefined {
    if (fact === 0) this.#latest = undefined;
    else this.#latest = this.#problem.meaning(procedure, fact) ?? this.#latest;
    return this.#latest;
  }
}

const key = (fact: VariableFact | undefined): string =>
  fact === undefined ? "" : `${fact.variable} ${fact.tag}`;
