/**
 * Questions about a program by positions in its sources. A position stands for the smallest step that covers it, in every
 * procedure that runs it: a function may be several, by who calls it. Answers are joined over these, and over the programs,
 * and hold for executions from the entries: some execution on which calls return to where they were made from, branches taken
 * either way. Clients are analysed when first asked, once per program.
 */

import { analyzeAnywhere } from "../check/any-host.js";
import type { ClientAnalysis, ClientProblem } from "../clients/client-problem.js";
import { type ControlFlow, controlFlow } from "../clients/control-flow.js";
import type { Liveness } from "../clients/liveness.js";
import type { PossiblyUninitialized } from "../clients/possibly-uninitialized.js";
import type { ReachingDefinitions } from "../clients/reaching-definitions.js";
import { InputError } from "../exploded/input-error.js";
import { once } from "../once.js";
import type { Place } from "../program/diagnostic.js";
import type { Program } from "../program/program.js";
import { type AnalysableProblem, ChunkedClient, type Client, WITHOUT_LABELS } from "./chunked-client.js";
import { type ClientName, definitionsClient, livenessClient, uninitializedClient } from "./clients.js";
import { Places } from "./places.js";
import { parsePosition, placeText } from "./position.js";
import { ProgramPosition } from "./program-position.js";
import { besides, nearestStep, Sites, smallestAt } from "./sites.js";

/** What a program is asked as: `files` are the same in all of these. */
export interface AskedPrograms {
  /** Whole executions: for definitions, live variables and flows. */
  readonly executions: readonly Program[];
  /** Those to ask about initialization, where these tell more; the same if not given. */
  readonly initialization?: readonly Program[];
  /** `line`: sources are known by lines alone, so that a position stands for its line, and all steps there. */
  readonly extents?: "line";
}

/** Makes the answers of a problem; a saved index opens them instead. */
export type OpenAnswers = <A extends ClientAnalysis<ClientProblem>>(
  client: ClientName,
  program: number,
  chunk: number,
  problem: AnalysableProblem<A>,
) => A;

/** The parts of a client, whichever it is. */
export interface Parts {
  all(): Iterable<unknown>;
  problem(chunk: number): ClientProblem | undefined;
}

/** A program's steps and the answers about it. */
export class AskedProgram {
  readonly program: Program;
  readonly sites: Sites;
  readonly definitions: () => ChunkedClient<ReachingDefinitions>;
  readonly liveness: () => ChunkedClient<Liveness>;
  readonly uninitialized: () => ChunkedClient<PossiblyUninitialized>;
  readonly flow: () => ControlFlow;

  constructor(program: Program, number: number, open: OpenAnswers, isByLine: boolean) {
    this.program = program;
    this.sites = new Sites(program, isByLine);
    const client = <A extends ClientAnalysis<ClientProblem>>(
      name: ClientName,
      make: (program: Program) => Client<A>,
    ) =>
      once(
        () =>
          new ChunkedClient<A>(program, make(program), (chunk, problem) =>
            open(name, number, chunk, problem),
          ),
      );
    this.definitions = client("reaching-definitions", definitionsClient);
    this.liveness = client("liveness", livenessClient);
    this.uninitialized = client("possibly-uninitialized", uninitializedClient);
    this.flow = once(() => controlFlow(program));
  }

  client(name: ClientName): Parts {
    switch (name) {
      case "reaching-definitions":
        return this.definitions();
      case "liveness":
        return this.liveness();
      case "possibly-uninitialized":
        return this.uninitialized();
    }
  }
}

export class ProgramIndex {
  readonly places: Places;
  /** Whether positions stand for lines. */
  readonly isByLine: boolean;
  /** @internal */
  readonly executions: readonly AskedProgram[];
  /** @internal */
  readonly initialization: readonly AskedProgram[];

  /** @internal `open` in place of analysing. */
  constructor({ executions, initialization, extents }: AskedPrograms, open: OpenAnswers = analyzeAnew) {
    this.isByLine = extents === "line";
    this.places = new Places(executions[0]?.files ?? []);
    const asked = new Map<Program, AskedProgram>();
    const ask = (program: Program): AskedProgram => {
      let known = asked.get(program);
      if (known === undefined)
        asked.set(program, (known = new AskedProgram(program, asked.size, open, this.isByLine)));
      return known;
    };
    this.executions = executions.map(ask);
    this.initialization = (initialization ?? executions).map(ask);
  }

  /**
   * The position of a step: `"src/a.ts:12:7"`, or the same as an object. The step is the smallest one that covers the
   * position; of several with the same extent the one that reads a variable, or else writes one, or else declares one.
   * Throws an `InputError` of one sentence for a position outside the program, or at which there is no step: that names the
   * nearest one that has some. The first position in a file costs one look at its procedures.
   *
   * @example
   * program.at("src/a.ts:12:7").reachingDefinitions();
   */
  at(position: string | Place): ProgramPosition {
    const at = typeof position === "string" ? parsePosition(position) : position;
    const { file, offset } = this.places.locate(at);
    const listsOf = (programs: readonly AskedProgram[]) => programs.map(({ sites }) => sites.stepsOf(file));
    const lists = listsOf(this.executions);
    const found = smallestAt(lists, offset);
    if (found === undefined) {
      const nearest = nearestStep(
        lists,
        (start) => this.places.distance(file, start, offset),
        () => true,
      );
      const expected =
        nearest === undefined
          ? "a file in which something may be executed"
          : `one such as the nearest, ${placeText(this.places.place(file, nearest))}`;
      throw new InputError(placeText(at), undefined, `got a position without a step, expected ${expected}`);
    }
    const initialization = smallestAt(listsOf(this.initialization), offset) ?? [];
    if (!this.isByLine) return new ProgramPosition(this, at, found, initialization);
    const step = found.flat()[0];
    const whole = lists.map((steps) => besides(steps, step));
    return new ProgramPosition(this, at, found, initialization, whole);
  }

  /** @internal Where the nearest step stands that uses a variable with a name. */
  nearestVariable(at: Place): Place | undefined {
    const { file, offset } = this.places.locate(at);
    const lists = this.executions.map(({ sites }) => sites.stepsOf(file));
    const start = nearestStep(
      lists,
      (start) => this.places.distance(file, start, offset),
      ({ variables }) => 0 < variables.length,
    );
    return start === undefined ? undefined : this.places.place(file, start);
  }
}

/**
 * An index of programs made by any front end.
 *
 * @example
 * const index = programIndex({ executions: [program] });
 * index.at("main.js:3:9").liveVariables();
 */
export function programIndex(programs: AskedPrograms): ProgramIndex {
  return new ProgramIndex(programs);
}

/** Makes them anew. */
export const analyzeAnew: OpenAnswers = (_client, _program, _chunk, problem) =>
  analyzeAnywhere(problem, WITHOUT_LABELS);
