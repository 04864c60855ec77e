/**
 * In which order an entry evaluates modules: Evaluate() of the specification (16.2.1.6.1.3) for ES modules, with top-level
 * await; CommonJS modules at their place among them; and which `require` at a module's top level finds its module new.
 * Linear in modules and requests, with a stack of its own.
 *
 * What the specification fixes is a list, `steps`. What it does not fix is a partial order: a module in `waiting` begins
 * when all that it waits for has completed, and two of them that complete at times of their own may come in either order.
 * `mayPrecede` decides.
 */

import type { ModuleGraph, ModuleRequest, ParsedModule } from "./source.js";

export interface EvaluationStep {
  readonly module: string;
  /** Its body awaits: it runs to its first `await` here, and what follows at later turns. */
  readonly suspends: boolean;
  /** Otherwise a `require` on some path, or in a function, may have evaluated it before. */
  readonly certain: boolean;
}

export interface WaitingStep extends EvaluationStep {
  /** Modules that have to complete before: each suspends, or waits itself. */
  readonly waitsFor: readonly string[];
}

/** What a `require`, or an import of a module compiled to CommonJS, finds. */
export type RequireOutcome =
  /** A new module: it is evaluated there; an ES module after what it imports. */
  | { readonly kind: "evaluates"; readonly steps: readonly EvaluationStep[] }
  /** One that has been evaluated. */
  | { readonly kind: "cached" }
  /** One that is being evaluated: what it has exported so far. */
  | { readonly kind: "partial" }
  /** Any of these. */
  | { readonly kind: "may" };

export interface EvaluationOrder {
  readonly entry: string;
  /** What evaluates at once, in this order, modules aside that a `require` evaluates. The last is the entry, if it is there. */
  readonly steps: readonly EvaluationStep[];
  /** What evaluates at later turns, in the order in which it does if all becomes ready at the same time. */
  readonly waiting: readonly WaitingStep[];
  /** For all requests that happen in bodies rather than at linking. */
  readonly outcomes: ReadonlyMap<ModuleRequest, RequireOutcome>;
  /** Modules that only a `require` on some paths, or in a function, evaluates. */
  readonly perhaps: readonly string[];
}

/**
 * The order in which an entry evaluates modules; `evaluated`: modules that have been before, as for the target of an
 * `import()`.
 *
 * @example
 * evaluationOrder(graph, graph.entries[0]).steps.map(({ module }) => module); // ["/b.js", "/a.js", "/main.js"]
 */
export function evaluationOrder(
  graph: ModuleGraph,
  entry: string,
  evaluated: Iterable<string> = [],
): EvaluationOrder {
  const states = new Map<string, State>();
  const outcomes = new Map<ModuleRequest, RequireOutcome>();
  const steps: EvaluationStep[] = [];
  const waiting: State[] = [];
  const frames: Frame[] = [];
  let asyncOrder = 0;

  const stateOf = (path: string): State => {
    let state = states.get(path);
    if (!state) states.set(path, (state = newState(graph.modules.get(path)!)));
    return state;
  };
  for (const path of evaluated) {
    if (graph.modules.has(path)) stateOf(path).status = "done";
  }

  /** Begins to evaluate a module that is new. */
  const begin = (state: State, into: EvaluationStep[]): void => {
    if (isEsm(state.module)) frames.push(visit(state, { stack: [], index: 0, steps: into }));
    else run(state, into);
  };

  const run = (state: State, into: EvaluationStep[]): void => {
    const { module } = state;
    into.push({ module: module.path, suspends: module.topLevelAwait, certain: !state.uncertain });
    state.status = "running";
    const requests = bodyRequests(module);
    for (const request of requests) {
      if (request.occurs !== "later") continue;
      const target = stateOf(request.resolved as string);
      settle(request, target.status === "done" ? CACHED : MAY);
      doubt(target);
    }
    frames.push({ kind: "body", state, requests, next: 0 });
  };

  const settle = (request: ModuleRequest, outcome: RequireOutcome): void => {
    if (outcomes.get(request)?.kind !== "may") outcomes.set(request, outcome);
  };

  /** A module, and what it asks for, may be evaluated at any time from now on. */
  const doubt = (root: State): void => {
    const pending = [root];
    while (0 < pending.length) {
      const state = pending.pop()!;
      if (state.uncertain || state.status !== "new") continue;
      state.uncertain = true;
      const { module } = state;
      for (const request of bodyRequests(module)) {
        const target = stateOf(request.resolved as string);
        settle(request, target.status === "done" ? CACHED : MAY);
        pending.push(target);
      }
      for (const path of linkedModules(module)) pending.push(stateOf(path));
    }
  };

  const stepBody = (frame: BodyFrame): void => {
    if (frame.next === frame.requests.length) {
      frame.state.status = isEsm(frame.state.module) ? frame.state.status : "done";
      frames.pop();
      return;
    }
    const request = frame.requests[frame.next++];
    if (request.occurs === "later") return;
    const target = stateOf(request.resolved as string);
    if (target.status === "done") settle(request, CACHED);
    else if (target.status !== "new") settle(request, PARTIAL);
    else if (request.occurs === "sometimes") {
      settle(request, MAY);
      doubt(target);
    } else {
      const nested: EvaluationStep[] = [];
      settle(request, target.uncertain ? MAY : { kind: "evaluates", steps: nested });
      begin(target, nested);
    }
  };

  /** InnerModuleEvaluation, one step of it. */
  const stepVisit = (frame: VisitFrame): void => {
    const { state, evaluation } = frame;
    if (frame.phase === "requests") {
      if (0 < frame.next) afterRequest(frame, stateOf(frame.requests[frame.next - 1]));
      if (frame.next < frame.requests.length) {
        const target = stateOf(frame.requests[frame.next++]);
        if (target.status === "new") {
          if (isEsm(target.module)) frames.push(visit(target, evaluation));
          else run(target, evaluation.steps);
        }
        return;
      }
      frame.phase = "finish";
      if (0 < state.waitsFor.length || state.module.topLevelAwait) state.asyncOrder = asyncOrder++;
      if (0 < state.waitsFor.length) waiting.push(state);
      else run(state, evaluation.steps);
      state.status = "evaluating";
      return;
    }
    frames.pop();
    if (state.ancestor !== state.index) return;
    for (let member: State | undefined; member !== state; ) {
      member = evaluation.stack.pop()!;
      member.status = "done";
      member.cycleRoot = state;
    }
  };

  const afterRequest = ({ state, evaluation }: VisitFrame, requested: State): void => {
    if (!isEsm(requested.module)) return;
    let target = requested;
    if (target.status === "done") target = target.cycleRoot ?? target;
    // One of an evaluation around this one, by way of `require`, is none of this one's cycles.
    else if (target.evaluation === evaluation) state.ancestor = Math.min(state.ancestor, target.ancestor);
    if (target.asyncOrder !== -1 && !state.waitsFor.includes(target)) state.waitsFor.push(target);
  };

  const visit = (state: State, evaluation: Evaluation): VisitFrame => {
    state.status = "evaluating";
    state.evaluation = evaluation;
    state.index = state.ancestor = evaluation.index++;
    evaluation.stack.push(state);
    const requests = linkedModules(state.module);
    return { kind: "visit", state, evaluation, requests, next: 0, phase: "requests" };
  };

  const drain = (): void => {
    while (0 < frames.length) {
      const frame = frames[frames.length - 1];
      if (frame.kind === "body") stepBody(frame);
      else stepVisit(frame);
    }
  };

  const first = stateOf(entry);
  if (first.status === "new") begin(first, steps);
  drain();
  const waitingSteps: WaitingStep[] = [];
  for (const state of waiting) {
    const step: EvaluationStep[] = [];
    run(state, step);
    drain();
    state.status = "done";
    waitingSteps.push({ ...step[0], waitsFor: state.waitsFor.map(({ module }) => module.path) });
  }
  const perhaps = [...states.values()]
    .filter(({ status, uncertain }) => status === "new" && uncertain)
    .map(({ module }) => module.path);
  return { entry, steps, waiting: waitingSteps, outcomes, perhaps };
}

/**
 * For an order: whether one module may begin to evaluate before another; both of `steps` and `waiting`. Each time it is
 * asked, it costs at most the size of `waiting`; the first time its square.
 */
export function precedence({ steps, waiting }: EvaluationOrder): (first: string, second: string) => boolean {
  const position = new Map<string, number>();
  for (const { module } of steps) position.set(module, position.size);
  for (const { module } of waiting) position.set(module, position.size);
  const suspending = new Set(
    [...steps, ...waiting].filter(({ suspends }) => suspends).map(({ module }) => module),
  );
  const waits = new Map(waiting.map(({ module, waitsFor }) => [module, waitsFor]));

  /** All that completes before a module begins; `nearest`: not past what suspends, and only that. */
  const before = (module: string, nearest: boolean): Set<string> => {
    const seen = new Set<string>();
    const pending = [...(waits.get(module) ?? [])];
    while (0 < pending.length) {
      const one = pending.pop()!;
      if (seen.has(one)) continue;
      seen.add(one);
      if (!nearest || !suspending.has(one)) pending.push(...(waits.get(one) ?? []));
    }
    if (nearest) for (const one of seen) if (!suspending.has(one)) seen.delete(one);
    return seen;
  };
  const triggers = new Map<string, ReadonlySet<string>>();
  const closures = new Map<string, ReadonlySet<string>>();
  for (const { module } of waiting) {
    triggers.set(module, before(module, true));
    closures.set(module, before(module, false));
  }

  const surely = (first: string, second: string): boolean => {
    const firstTriggers = triggers.get(first);
    const secondTriggers = triggers.get(second);
    const inOrder = position.get(first)! < position.get(second)!;
    if (!firstTriggers || !secondTriggers) return inOrder;
    const closure = closures.get(second)!;
    if (closure.has(first)) return true;
    const list = [...firstTriggers];
    // Ready no later than the other; and if at the same time, first in order.
    return (
      list.every((trigger) => closure.has(trigger)) &&
      (inOrder || !list.some((trigger) => secondTriggers.has(trigger)))
    );
  };
  return (first, second) => !surely(second, first);
}

interface State {
  readonly module: ParsedModule;
  /** `evaluating`: an ES module on the stack; `running`: a body in progress; `done` includes what waits. */
  status: "new" | "evaluating" | "running" | "done";
  uncertain: boolean;
  evaluation: Evaluation | undefined;
  index: number;
  ancestor: number;
  cycleRoot: State | undefined;
  /** [[AsyncEvaluationOrder]], or -1. */
  asyncOrder: number;
  readonly waitsFor: State[];
}

/** One call of Evaluate(): the entry's, or one that a `require` of an ES module makes. */
interface Evaluation {
  readonly stack: State[];
  index: number;
  readonly steps: EvaluationStep[];
}

interface VisitFrame {
  readonly kind: "visit";
  readonly state: State;
  readonly evaluation: Evaluation;
  readonly requests: readonly string[];
  next: number;
  phase: "requests" | "finish";
}

interface BodyFrame {
  readonly kind: "body";
  readonly state: State;
  readonly requests: readonly ModuleRequest[];
  next: number;
}

type Frame = VisitFrame | BodyFrame;

const CACHED: RequireOutcome = { kind: "cached" };
const PARTIAL: RequireOutcome = { kind: "partial" };
const MAY: RequireOutcome = { kind: "may" };

const newState = (module: ParsedModule): State => ({
  module,
  status: "new",
  uncertain: false,
  evaluation: undefined,
  index: -1,
  ancestor: -1,
  cycleRoot: undefined,
  asyncOrder: -1,
  waitsFor: [],
});

const isEsm = ({ format }: ParsedModule): boolean => format === "esm";

const isLinked = ({ kind }: ModuleRequest): boolean =>
  kind === "static" || kind === "reexport" || kind === "jsx";

/** Modules of the program that an ES module's imports ask for: each once, in order. */
export function linkedModules(module: ParsedModule): string[] {
  if (!isEsm(module)) return [];
  const paths = new Set<string>();
  for (const request of module.requests) {
    if (isLinked(request) && !request.elided && typeof request.resolved === "string")
      paths.add(request.resolved);
  }
  return [...paths];
}

/** Requests that a module's body makes while it runs, in order: `require`, and what compiles to it. */
export function bodyRequests(module: ParsedModule): ModuleRequest[] {
  return module.requests.filter(
    (request) =>
      request.kind !== "dynamic" &&
      !(isEsm(module) && isLinked(request)) &&
      !request.elided &&
      typeof request.resolved === "string",
  );
}
