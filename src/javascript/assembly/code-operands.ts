/** How a code uses its registers: which of them anything reads, which stand for something outside, and what loads fill. */

import { type Code, NONE, STEP_SIZE, Step } from "../lower/code.js";

export interface CodeOperands {
  /** By register: 1 where a step or a call reads it. */
  readonly isRead: Uint8Array;
  /** Registers that hold an exception which is on its way. */
  readonly caught: ReadonlySet<number>;
  /** Registers of what the host provides, with its name. */
  readonly externals: ReadonlyMap<number, string>;
  /** By register that a load fills: the number of that step. Each has one. */
  readonly loads: ReadonlyMap<number, number>;
}

const known = new WeakMap<Code, CodeOperands>();

/** Linear in the code; each code is looked at once. */
export function operandsOf(code: Code): CodeOperands {
  let operands = known.get(code);
  if (operands === undefined) {
    operands = look(code);
    known.set(code, operands);
  }
  return operands;
}

function look(code: Code): CodeOperands {
  const isRead = new Uint8Array(code.registers);
  const loads = new Map<number, number>();
  const read = (operand: number) => {
    if (NONE < operand) isRead[operand] = 1;
  };
  const { steps } = code;
  for (let at = 0; at < steps.length; at += STEP_SIZE) {
    const [a, b] = [steps[at + 1], steps[at + 2]];
    switch (steps[at]) {
      case Step.write:
      case Step.flow:
      case Step.derive:
        read(b);
        break;
      case Step.load:
        read(b);
        loads.set(a, at / STEP_SIZE);
        break;
      case Step.store:
        read(a);
        read(b);
        break;
      case Step.yield:
      case Step.throw:
        read(a);
        break;
      case Step.call: {
        const { args, receiver } = code.calls[a];
        for (const argument of args) read(argument);
        read(receiver);
        break;
      }
      default:
    }
  }
  for (const operand of [code.result, code.yielded, code.sent, code.argumentsObject]) read(operand);
  const externals = new Map<number, string>();
  for (const { kind, register, name } of code.allocations)
    if (kind === "external") externals.set(register, name!);
  const caught = new Set(code.handlers.map((handler) => handler.caught));
  return { isRead, caught, externals, loads };
}
