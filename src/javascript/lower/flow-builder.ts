/**
 * Builds the flow graph of one function: steps one after another, branches and joins, and the places that jumps and
 * exceptions lead to. Knows nothing of syntax but where it stands in the source.
 */

import {
  ASSIGNED,
  type Binding,
  bindingOperand,
  type CallCode,
  type Code,
  EXCEPTION,
  EXIT,
  NONE,
  type Operand,
  STEP_SIZE,
  Step,
  Way,
} from "./code.js";

/** What in the source a step belongs to. */
export interface Extent {
  readonly range: readonly [number, number];
}

/** Inline copies of `finally` blocks in one function; past these, jumps share one copy. */
const FINALIZER_COPIES = 64;

interface Context {
  readonly labels: readonly string[];
  readonly breakTo: number;
  readonly continueTo: number;
  /** Runs when control leaves, whichever way; the exception handler around it, and its copy for exceptions. */
  readonly finalizer: (() => void) | undefined;
  readonly handler: number;
  readonly sharedStart: number;
  readonly sharedTargets: number[];
  /** Whether it is no more than a step or two, of which there may be any number of copies. */
  readonly isSmall: boolean;
  /** Where a generator goes on that is to return at a `yield` within, or -1 as long as there is none. */
  returned: number;
}

export class FlowBuilder {
  readonly code: Code;
  /** The step that the next one follows, or -1 where control cannot come. */
  at = 0;
  /** Whether edges from `at` to what follows are those of an exception; only right after a handler's start. */
  handler = EXCEPTION;
  /** Names that a labelled statement hands to the loop that follows. */
  pendingLabels: string[] = [];
  #contexts: Context[] = [];
  #copies = 0;
  /** Where optional chains in the making end. */
  readonly chains: number[] = [];

  constructor(code: Code) {
    this.code = code;
    for (let i = 0; i < 3; i++) this.#add(Step.join, NONE, NONE, NONE, { range: [code.start, code.start] });
  }

  register(): Operand {
    return this.code.registers++;
  }

  #add(kind: number, a: number, b: number, c: number, where: Extent): number {
    const { steps, ranges } = this.code;
    const index = steps.length / STEP_SIZE;
    steps.push(kind, a, b, c);
    ranges.push(where.range[0], where.range[1]);
    return index;
  }

  edge(from: number, to: number, way: number = Way.normal): void {
    if (from < 0) return;
    this.code.edges.push(from, to, way);
  }

  /** Adds a step after the current one. */
  step(kind: number, a: number, b: number, c: number, where: Extent): number {
    const index = this.#add(kind, a, b, c, where);
    this.edge(this.at, index);
    this.at = index;
    return index;
  }

  /** A step that nothing leads to yet. */
  place(where: Extent): number {
    return this.#add(Step.join, NONE, NONE, NONE, where);
  }

  /** Control goes on at `target`, which others may also lead to. */
  continueAt(target: number): void {
    this.edge(this.at, target);
    this.at = target;
  }

  /** Control goes to `target` and not on. */
  goto(target: number): void {
    this.edge(this.at, target);
    this.at = -1;
  }

  /** What comes next is behind a test that fails as long as the variables in it are what they begin with. */
  close(where: Extent): void {
    if (0 <= this.at) this.code.closed.push(this.step(Step.join, NONE, NONE, NONE, where));
  }

  /** What just happened may throw. */
  mayThrow(): void {
    this.edge(this.at, this.handler, Way.exceptional);
  }

  /** Whether exceptions are caught within the function. */
  get guarded(): boolean {
    return this.handler !== EXCEPTION;
  }

  read(binding: Binding, where: Extent): void {
    this.step(Step.read, bindingOperand(binding), NONE, NONE, where);
    if (binding.deadZone || binding.kind === "import") this.mayThrow();
  }

  check(binding: Binding, where: Extent): void {
    if (!binding.deadZone) return;
    this.step(Step.check, bindingOperand(binding), NONE, NONE, where);
    this.mayThrow();
  }

  write(binding: Binding, value: Operand, where: Extent, assigned = false): void {
    this.step(Step.write, bindingOperand(binding), value, assigned ? ASSIGNED : NONE, where);
  }

  declare(binding: Binding, where: Extent): void {
    if (binding.deadZone) this.step(Step.declare, bindingOperand(binding), NONE, NONE, where);
  }

  flow(register: Operand, value: Operand, where: Extent): void {
    if (value !== NONE) this.step(Step.flow, register, value, NONE, where);
  }

  derive(register: Operand, value: Operand, where: Extent): void {
    if (value !== NONE) this.step(Step.derive, register, value, NONE, where);
  }

  load(object: Operand, name: number, where: Extent): Operand {
    const register = this.register();
    this.step(Step.load, register, object, name, where);
    if (this.guarded) this.mayThrow();
    return register;
  }

  store(object: Operand, value: Operand, name: number, where: Extent): void {
    this.step(Step.store, object, value, name, where);
    if (this.guarded) this.mayThrow();
  }

  call(call: Omit<CallCode, "result">, where: Extent, result = this.register()): Operand {
    this.code.calls.push({ ...call, result });
    this.step(Step.call, this.code.calls.length - 1, NONE, NONE, where);
    this.mayThrow();
    return result;
  }

  throwValue(value: Operand, where: Extent): void {
    this.step(Step.throw, value, NONE, NONE, where);
    this.mayThrow();
    this.at = -1;
  }

  /** A place to which exceptions lead, and the register that holds them there. */
  handlerPlace(where: Extent): { readonly step: number; readonly caught: Operand } {
    const handler = { step: this.place(where), caught: this.register() };
    this.code.handlers.push(handler);
    return handler;
  }

  /** Runs `body` where `break` and `continue` have somewhere to go: -1 where they have not. */
  within(breakTo: number, continueTo: number, labels: readonly string[], body: () => void): void {
    this.#contexts.push({
      labels,
      breakTo,
      continueTo,
      finalizer: undefined,
      handler: this.handler,
      sharedStart: -1,
      sharedTargets: [],
      isSmall: true,
      returned: -1,
    });
    body();
    this.#contexts.pop();
  }

  /**
   * Runs `body` so that `finalizer` runs whenever control leaves it: at its end, by jumps, by exceptions. Each way has a
   * copy of its own, so that ways do not mix, up to a bound on copies.
   */
  guard(body: () => void, finalizer: () => void, where: Extent): void {
    this.#guard(body, finalizer, where, finalizer);
  }

  /** Runs `body` so that `finalizer`, a step or two, runs when control leaves it by jumps or exceptions, not at its end. */
  leaving(body: () => void, finalizer: () => void, where: Extent): void {
    this.#guard(body, finalizer, where, undefined);
  }

  #guard(body: () => void, finalizer: () => void, where: Extent, atEnd: (() => void) | undefined): void {
    const outer = this.handler;
    const { step: failed, caught } = this.handlerPlace(where);
    const context: Context = {
      labels: [],
      breakTo: -1,
      continueTo: -1,
      finalizer,
      handler: outer,
      sharedStart: failed,
      sharedTargets: [],
      isSmall: atEnd === undefined,
      returned: -1,
    };
    this.handler = failed;
    this.#contexts.push(context);
    body();
    this.#contexts.pop();
    this.handler = outer;
    atEnd?.();
    const after = this.at;
    this.at = failed;
    finalizer();
    for (const target of context.sharedTargets) this.edge(this.at, target);
    if (0 <= this.at) this.throwValue(caught, where);
    this.at = after;
  }

  returnTo(): void {
    this.#leave(-1, EXIT);
  }

  /** The step at which a generator goes on that is to return at a `yield` here: what runs when control leaves does then. */
  returned(where: Extent): number {
    const context = this.#contexts.findLast(({ finalizer }) => finalizer !== undefined);
    if (context === undefined) return EXIT;
    if (context.returned < 0) {
      const { at } = this;
      this.at = this.place(where);
      context.returned = this.at;
      this.returnTo();
      this.at = at;
    }
    return context.returned;
  }

  break(label: string | undefined): void {
    for (let i = this.#contexts.length - 1; 0 <= i; i--) {
      const { breakTo, continueTo, labels } = this.#contexts[i];
      const found = label === undefined ? continueTo !== -2 : labels.includes(label);
      if (0 <= breakTo && found) {
        this.#leave(i, breakTo);
        return;
      }
    }
    this.at = -1;
  }

  continue(label: string | undefined): void {
    for (let i = this.#contexts.length - 1; 0 <= i; i--) {
      const { continueTo, labels } = this.#contexts[i];
      if (0 <= continueTo && (label === undefined || labels.includes(label))) {
        this.#leave(i, continueTo);
        return;
      }
    }
    this.at = -1;
  }

  /** Leaves contexts down to number `depth`, running finalizers on the way, and goes to `target`. */
  #leave(depth: number, target: number): void {
    const contexts = this.#contexts;
    const handler = this.handler;
    for (let i = contexts.length - 1; depth < i && 0 <= this.at; i--) {
      const { finalizer, isSmall, sharedStart, sharedTargets } = contexts[i];
      if (finalizer === undefined) continue;
      if (!isSmall && FINALIZER_COPIES <= this.#copies) {
        sharedTargets.push(target);
        this.goto(sharedStart);
        break;
      }
      if (!isSmall) this.#copies++;
      this.#contexts = contexts.slice(0, i);
      this.handler = contexts[i].handler;
      finalizer();
    }
    this.#contexts = contexts;
    this.handler = handler;
    this.goto(target);
  }
}
