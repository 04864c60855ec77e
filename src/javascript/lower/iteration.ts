/**
 * An iteration as steps (ECMAScript 2026, sections 7.4 and 14.7.5): one that asks for the iterator, one for each element that is
 * asked for, and one that has the iterator return where control leaves before its end. Arrays, and whatever else has no
 * iterator in the program, make nothing of these.
 */

import { type CallCode, type IterationPart, NONE, type Operand, Step } from "./code.js";
import type { Extent } from "./flow-builder.js";
import type { FunctionLowering } from "./function-lowering.js";

export class Iteration {
  readonly #f: FunctionLowering;
  readonly #iterated: Operand;
  readonly #where: Extent;
  readonly #name: string;
  readonly #isAwaited: boolean;
  #iterator: Operand = NONE;

  /** @param name what calls are called: `[]` where elements of arrays are taken from their places */
  constructor(f: FunctionLowering, iterated: Operand, where: Extent, name: "of" | "[]", isAwaited: boolean) {
    this.#f = f;
    this.#iterated = iterated;
    this.#where = where;
    this.#name = name;
    this.#isAwaited = isAwaited;
  }

  #call(part: IterationPart | undefined, where = this.#where, emptyTo?: number): Operand {
    if (this.#iterated === NONE) return NONE;
    const isBehind = part !== undefined && part !== "open";
    const call: Omit<CallCode, "result"> = {
      kind: "iterate",
      callee: NONE,
      receiver: isBehind ? this.#iterator : this.#iterated,
      args: [],
      spread: -1,
      name: this.#name,
      ...(part === undefined ? {} : { part }),
      ...(isBehind ? { iterated: this.#iterated } : {}),
      ...(emptyTo === undefined ? {} : { emptyTo }),
    };
    return this.#f.flow.call(call, where);
  }

  /** Asks for the iterator, before any element. */
  open(): void {
    this.#iterator = this.#call("open");
  }

  /** The register of an element. */
  ask(part: "first" | "next", emptyTo?: number): Operand {
    return this.#call(part, this.#where, emptyTo);
  }

  /** The register of an element that is asked for unless the iterator has come to its end. */
  askUnlessDone(): Operand {
    if (this.#iterated === NONE) return NONE;
    const { flow } = this.#f;
    const after = flow.place(this.#where);
    flow.edge(flow.at, after);
    const element = this.ask("next");
    flow.continueAt(after);
    return element;
  }

  /** The register of all elements, or those that are left: the iterator comes to its end. */
  all(): Operand {
    return this.#call(undefined);
  }

  rest(): Operand {
    if (this.#iterated === NONE) return NONE;
    const { flow } = this.#f;
    const after = flow.place(this.#where);
    const again = flow.step(Step.join, NONE, NONE, NONE, this.#where);
    flow.edge(again, after);
    const element = this.ask("next");
    flow.goto(again);
    flow.at = after;
    return element;
  }

  close(part: "close" | "cancel", where: Extent): void {
    this.#call(part, where);
    if (this.#isAwaited && this.#iterated !== NONE) this.#f.suspend(where);
  }

  /** Runs `body` so that the iterator is closed when control leaves it, by jumps or exceptions, but not at its end. */
  closingOnLeave(body: () => void, { range }: Extent): void {
    if (this.#iterated === NONE) body();
    else {
      const where: Extent = { range: [range[0], range[0]] };
      this.#f.flow.leaving(body, () => this.close("close", where), where);
    }
  }
}
