/** A position in a program's sources, and what can be asked there. */

import type { ClientProblem, VariableFact } from "../clients/client-problem.js";
import type { PossiblyUninitialized } from "../clients/possibly-uninitialized.js";
import { InputError } from "../exploded/input-error.js";
import type { Place } from "../program/diagnostic.js";
import type { VariableKind } from "../program/program.js";
import { type ExplainedStep, explain, type Wording } from "./explanation.js";
import { type Extent, placeText } from "./position.js";
import type { AskedProgram, ProgramIndex } from "./program-index.js";
import { enteredAt, type Step } from "./sites.js";
import { type Arrival, ValueReach } from "./value-reach.js";

/** Where a variable gets a value that reaches a position. */
export interface DefinitionHere extends Extent {
  /** The variable's name where it is declared. */
  readonly name: string;
  /** A shortest execution from an entry on which it does: where it gets the value, and the way from there. */
  explain(): ExplainedStep[];
}

/** A variable whose value may still be used. */
export interface LiveVariable {
  readonly name: string;
  readonly kind: VariableKind;
  /** Where it is declared; undefined where no source does. */
  readonly declaration: Extent | undefined;
  /** From here to the nearest use. */
  explain(): ExplainedStep[];
}

export class ProgramPosition {
  /** The position that was asked for. */
  readonly position: Place;
  /** The step it stands for. */
  readonly extent: Extent;
  /** Whether that reads variables, writes them, declares them, or does none of these. */
  readonly use: Step["use"];
  /** Names of these variables, in the order of their declarations. */
  readonly names: readonly string[];
  readonly #index: ProgramIndex;
  readonly #executions: readonly (readonly Step[])[];
  readonly #initialization: readonly (readonly Step[])[];
  /** All steps on the line, where a position stands for that; otherwise the same as executions. */
  readonly #whole: readonly (readonly Step[])[];
  readonly #reach: ValueReach[] = [];

  /** @internal Use `ProgramIndex.at`. */
  constructor(
    index: ProgramIndex,
    position: Place,
    executions: readonly (readonly Step[])[],
    initialization: readonly (readonly Step[])[],
    whole: readonly (readonly Step[])[] = executions,
  ) {
    this.#whole = whole;
    this.#index = index;
    this.#executions = executions;
    this.#initialization = initialization;
    this.position = position;
    const [programs, lists] = [
      [...index.executions, ...index.initialization],
      [...executions, ...initialization],
    ];
    const program = lists.findIndex((steps) => 0 < steps.length);
    const [{ procedure, start, end, use }] = lists[program];
    this.extent = index.places.extent(programs[program].program.procedures[procedure].file, start, end);
    this.use = use;
    const names = new Set<string>();
    for (const [i, steps] of lists.entries()) {
      const { variables } = programs[i].program;
      for (const step of steps) {
        for (const v of step.variables) names.add(variables[v].name);
      }
    }
    this.names = [...names];
  }

  /** Whether some execution gets here. */
  isExecuted(): boolean {
    for (const [asked, { procedure, vertex }] of this.#sitesOf(this.#index.executions, this.#whole)) {
      const { executed, reached, vertexStart } = asked.flow();
      if (executed[procedure] === 1 && reached[vertexStart[procedure] + vertex] === 1) return true;
    }
    return false;
  }

  /**
   * Where the variables at this position got the values that they may have here, in the order of sources: assignments,
   * initializers, parameters. Throws an `InputError` where the step uses no variable.
   */
  reachingDefinitions(): DefinitionHere[] {
    this.#expectVariable();
    const found = new Map<string, DefinitionHere>();
    const { places } = this.#index;
    for (const [asked, { procedure, vertex, variables }] of this.#sitesOf(
      this.#index.executions,
      this.#executions,
    )) {
      const { program } = asked;
      for (const variable of variables) {
        const answers = asked.definitions().about(variable);
        if (answers === undefined) continue;
        for (const definition of answers.reachingDefinitions(procedure, vertex, variable)) {
          const extent =
            places.ofVertex(program, definition.procedure, definition.vertex, variable) ??
            places.ofProcedure(program, definition.procedure);
          const { name } = program.variables[variable];
          const key = `${extent === undefined ? "" : placeText(extent)} ${extent?.endLine} ${extent?.endColumn} ${name}`;
          if (extent === undefined || found.has(key)) continue;
          const wording: Wording = {
            holds: () => `${name} has this value`,
            begins: () => `${name} gets a value`,
            here: this.#here(name),
          };
          const { problem, analysis } = answers;
          const fact = problem.factOf(procedure, definition);
          found.set(key, {
            ...extent,
            name,
            explain: () =>
              explained(explain(analysis, problem, { procedure, vertex, fact }, places, wording)),
          });
        }
      }
    }
    return [...found.values()].sort(bySource);
  }

  /**
   * The variables whose value just before this step may still be used, by name: of those that the procedure here, or what it
   * calls, uses.
   */
  liveVariables(): LiveVariable[] {
    const found = new Map<string, LiveVariable>();
    const { places } = this.#index;
    for (const [asked, { procedure, vertex }] of this.#begins()) {
      const { variables } = asked.program;
      for (const { problem, analysis, variable } of liveAt(asked, procedure, vertex)) {
        const { name, kind, file } = variables[variable];
        const declaration = places.ofVariable(asked.program, variable);
        const key = `${name} ${kind} ${declaration === undefined ? file : placeText(declaration)}`;
        if (found.has(key)) continue;
        const fact = problem.fact(procedure, variable);
        const nameOf = (about: VariableFact) => variables[about.variable].name;
        const wording: Wording = {
          holds: (about) => `${nameOf(about)} is live`,
          begins: (about) => `uses ${nameOf(about)}`,
          here: `${name} is live`,
        };
        found.set(key, {
          name,
          kind,
          declaration,
          explain: () => explained(explain(analysis, problem, { procedure, vertex, fact }, places, wording)),
        });
      }
    }
    return [...found.values()].sort(
      (a, b) =>
        (a.name < b.name ? -1 : a.name === b.name ? 0 : 1) ||
        (a.declaration === undefined || b.declaration === undefined
          ? 0
          : bySource(a.declaration, b.declaration)),
    );
  }

  /**
   * Whether a variable at this position may be without a value yet: before its initialization, or holding a copy of what
   * was. Throws an `InputError` where the step uses no variable.
   */
  mayBeUninitialized(): boolean {
    for (const _ of this.#uninitialized()) return true;
    return false;
  }

  /** Why it may be, undefined where it may not: a shortest execution on which it is. */
  explainUninitialized(): ExplainedStep[] | undefined {
    for (const [asked, { procedure, vertex }, variable, answers] of this.#uninitialized()) {
      const { problem, analysis } = answers;
      const isCopy = !answers.mayBeInDeadZone(procedure, vertex, variable);
      const fact = problem.factOf(procedure, variable, isCopy ? "copied" : "uninitialized");
      const name = (about: VariableFact) => asked.program.variables[about.variable].name;
      const wording: Wording = {
        holds: (about) => `${name(about)} has no value yet`,
        begins: (about) => `${name(about)} comes into being`,
        here: this.#here(asked.program.variables[variable].name),
      };
      return explain(analysis, problem, { procedure, vertex, fact }, this.#index.places, wording);
    }
    return undefined;
  }

  /**
   * Whether the value at this position may reach another one: be what the step there uses or makes, be part of that, or be what
   * it was computed from. Conditions that depend on it pass nothing on. The value is that of the variable that is read or
   * written, or what the expression gives. The first question costs an analysis. Throws an `InputError` where one of the
   * steps has no value.
   *
   * @example
   * program.at("src/a.ts:12:7").reaches("src/b.ts:3:15");
   */
  reaches(other: string | Place | ProgramPosition): boolean {
    return this.#arrival(other) !== undefined;
  }

  /** Why it may, undefined where it may not: a shortest execution on which it does. */
  explainReaches(other: string | Place | ProgramPosition): ExplainedStep[] | undefined {
    const found = this.#arrival(other);
    if (found === undefined) return undefined;
    const [reach, arrival] = found;
    return reach.explain(arrival, this.#index.places);
  }

  #arrival(other: string | Place | ProgramPosition): [ValueReach, Arrival] | undefined {
    const to = other instanceof ProgramPosition ? other : this.#index.at(other);
    for (const position of [this, to]) position.#expectValue();
    for (const [i, steps] of this.#whole.entries()) {
      if (steps.length === 0 || to.#whole[i].length === 0) continue;
      const reach = (this.#reach[i] ??= new ValueReach(this.#index.executions[i], steps));
      const arrival = reach.arrival(to.#whole[i]);
      if (arrival !== undefined) return [reach, arrival];
    }
    return undefined;
  }

  #expectValue(): void {
    if (this.#whole.some((steps) => steps.some(({ values }) => 0 < values.length))) return;
    throw new InputError(
      placeText(this.position),
      undefined,
      "got a step without a value, expected one that has one",
    );
  }

  *#uninitialized(): Iterable<[AskedProgram, Step, number, PossiblyUninitialized]> {
    this.#expectVariable();
    for (const [asked, step] of this.#sitesOf(this.#index.initialization, this.#initialization)) {
      for (const variable of step.variables) {
        for (const answers of asked.uninitialized().all()) {
          if (answers.mayBeUninitialized(step.procedure, step.vertex, variable))
            yield [asked, step, variable, answers];
        }
      }
    }
  }

  #here(name: string): string {
    return this.use === "reads"
      ? `reads ${name}`
      : this.use === "writes"
        ? `is about to write ${name}`
        : `declares ${name}`;
  }

  #expectVariable(): void {
    if (0 < this.names.length) return;
    const near = this.#index.nearestVariable(this.position);
    throw new InputError(
      placeText(this.position),
      undefined,
      `got a step that uses no variable by name, expected ${near === undefined ? "one that does" : `one that does, such as the nearest, ${placeText(near)}`}`,
    );
  }

  /** Where the step here, or the line, begins. */
  *#begins(): Iterable<[AskedProgram, Pick<Step, "procedure" | "vertex">]> {
    const { executions, isByLine } = this.#index;
    if (!isByLine) yield* this.#sitesOf(executions, this.#executions);
    else {
      for (const [i, steps] of this.#whole.entries()) {
        for (const procedure of new Set(steps.map((step) => step.procedure))) {
          for (const vertex of enteredAt(executions[i].program.procedures[procedure], steps[0].start))
            yield [executions[i], { procedure, vertex }];
        }
      }
    }
  }

  *#sitesOf(
    programs: readonly AskedProgram[],
    lists: readonly (readonly Step[])[],
  ): Iterable<[AskedProgram, Step]> {
    for (const [i, steps] of lists.entries()) for (const step of steps) yield [programs[i], step];
  }
}

const explained = (steps: ExplainedStep[] | undefined): ExplainedStep[] => steps ?? [];

const bySource = (a: Place, b: Place): number =>
  (a.file < b.file ? -1 : a.file === b.file ? 0 : 1) || a.line - b.line || a.column - b.column;

function* liveAt(asked: AskedProgram, procedure: number, vertex: number) {
  for (const answers of asked.liveness().all()) {
    for (const variable of answers.liveBefore(procedure, vertex)) {
      yield { problem: answers.problem as ClientProblem, analysis: answers.analysis, variable };
    }
  }
}
