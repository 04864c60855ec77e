/** What code does with classes: which it makes instances of, calls, and has initialized. One pass over the code. */

import type { TypeUses } from "./calls/rapid-types.js";
import type { ClassFile } from "./class-file/class-file.js";
import { HandleKind } from "./class-file/constant-pool.js";
import { isCall, Opcode } from "./code/opcodes.js";
import { isVirtualHandle, type Lambda } from "./lambdas.js";
import type { MethodSource } from "./lower-method.js";

/** The class that a node uses in a way that initializes it, or undefined. */
export function usedClass(
  { graph }: MethodSource,
  { constants }: ClassFile,
  node: number,
): string | undefined {
  const i = graph.instruction[node];
  const operand = graph.instructions.operands[i];
  switch (graph.instructions.opcodes[i]) {
    case Opcode.new:
      return constants.className(operand);
    case Opcode.getstatic:
    case Opcode.putstatic:
      return constants.field(operand).owner;
    case Opcode.invokestatic:
      return constants.method(operand).owner;
    default:
      return undefined;
  }
}

/** Instances that a method makes, and its calls. */
export function typeUses(
  { graph }: MethodSource,
  { constants }: ClassFile,
  lambdaOf: (node: number) => string | undefined,
): TypeUses {
  const instances: string[] = [];
  const calls: { isVirtual: boolean; owner: string; signature: string }[] = [];
  const { opcodes, operands } = graph.instructions;
  for (let node = 0; node < graph.count; node++) {
    const i = graph.instruction[node];
    const opcode = opcodes[i];
    if (opcode === Opcode.new) instances.push(constants.className(operands[i]));
    else if (opcode === Opcode.invokedynamic) {
      const lambda = lambdaOf(node);
      if (lambda !== undefined) instances.push(lambda);
    } else if (isCall(opcode)) {
      const { owner, name, descriptor } = constants.method(operands[i]);
      const isVirtual = opcode === Opcode.invokevirtual || opcode === Opcode.invokeinterface;
      calls.push({ isVirtual, owner, signature: name + descriptor });
    }
  }
  return { instances, calls };
}

export function lambdaUses({ body }: Lambda): TypeUses {
  const { owner, name, descriptor, kind } = body;
  return {
    instances: kind === HandleKind.newInvokeSpecial ? [owner] : [],
    calls: [{ isVirtual: isVirtualHandle(body), owner, signature: name + descriptor }],
  };
}
