/**
 * Subroutines of old class files (`jsr`, `ret`; JVMS §4.10.2.5): which activation of which subroutine an instruction belongs to,
 * so that each activation has a copy of its instructions and returns to its own call. Activation 0 is the method itself. Code that
 * the method also gets to without a subroutine belongs to the method, wherever control comes from; a subroutine that is
 * called from within itself has been left before.
 */

import type { Handlers } from "./handlers.js";
import type { Instructions } from "./instructions.js";
import { fallsThrough, isBranch, isJsr, Opcode } from "./opcodes.js";

export class Subroutines {
  readonly #instructions: Instructions;
  readonly #handlers: Handlers;
  /** First instruction of a subroutine, or 0 for the method -> the instructions that it gets to, calls passed over. */
  readonly #bodies = new Map<number, Uint8Array>();
  /** Per activation: first instruction, the caller, where it returns to, and the locals that hold that address. */
  readonly #first: number[] = [0];
  readonly #caller: number[] = [-1];
  readonly #returnsTo: number[] = [-1];
  readonly #addresses: Set<number>[] = [new Set()];
  readonly #known = new Map<string, number>();

  constructor(instructions: Instructions, handlers: Handlers) {
    this.#instructions = instructions;
    this.#handlers = handlers;
  }

  get count(): number {
    return this.#first.length;
  }

  /** The activation that `call`, a `jsr`, begins within `activation`. */
  enter(activation: number, call: number): number {
    const first = this.#instructions.operands[call];
    let caller = activation;
    for (let a = activation; a !== -1; a = this.#caller[a])
      if (a !== 0 && this.#first[a] === first) caller = this.#caller[a];
    const key = `${caller} ${call}`;
    let entered = this.#known.get(key);
    if (entered === undefined) {
      entered = this.#first.length;
      this.#known.set(key, entered);
      this.#first.push(first);
      this.#caller.push(caller);
      this.#returnsTo.push(call + 1);
      this.#addresses.push(new Set());
    }
    return entered;
  }

  /** Local `local` now holds the return address of `activation`. */
  keepAddress(activation: number, local: number): void {
    this.#addresses[activation].add(local);
  }

  /** The activation, `activation` or one around it, that `ret` on `local` returns from; -1 if there is none. */
  returning(activation: number, local: number): number {
    let a = activation;
    while (a !== -1 && !this.#addresses[a].has(local)) a = this.#caller[a];
    return a;
  }

  /** Where an activation returns to, and the activation that is there then. */
  returnOf(activation: number): { instruction: number; activation: number } {
    return { instruction: this.#returnsTo[activation], activation: this.#caller[activation] };
  }

  /** The activation, `activation` or one around it, that an instruction belongs to: the outermost that gets to it. */
  owner(activation: number, instruction: number): number {
    if (activation === 0) return 0;
    let owner = activation;
    for (let a = activation; a !== -1; a = this.#caller[a])
      if (this.#body(this.#first[a])[instruction] === 1) owner = a;
    return owner;
  }

  #body(first: number): Uint8Array {
    let body = this.#bodies.get(first);
    if (body !== undefined) return body;
    const { count, opcodes, operands, switches } = this.#instructions;
    const { listOf, lists } = this.#handlers;
    body = new Uint8Array(count);
    const marked = body;
    const stack: number[] = [];
    const visit = (instruction: number) => {
      if (instruction === count || marked[instruction] === 1) return;
      marked[instruction] = 1;
      stack.push(instruction);
    };
    visit(first);
    while (0 < stack.length) {
      const i = stack.pop()!;
      const opcode = opcodes[i];
      if (fallsThrough(opcode) || isJsr(opcode)) visit(i + 1);
      if (isBranch(opcode) && !isJsr(opcode)) visit(operands[i]);
      if (opcode === Opcode.tableswitch || opcode === Opcode.lookupswitch)
        for (const target of switches.get(i)!) visit(target);
      for (const target of lists[listOf[i]].targets) visit(target);
    }
    this.#bodies.set(first, body);
    return body;
  }
}
