/**
 * The flow graph of a method's instructions, with the shape of the operand stack before each: only what control can get to,
 * exceptional edges as the option says, one copy of a subroutine for each of its activations. Found by following control
 * from the first instruction, each node once; a stack that differs between two ways to a node is a `ClassFormatError`.
 * O(instructions + edges).
 */

import type { ClassFile, CodeAttribute } from "../class-file/class-file.js";
import type { MethodDescriptor } from "../class-file/descriptor.js";
import { type HandlerList, type Handlers, handlersOf } from "./handlers.js";
import type { Instructions } from "./instructions.js";
import { canThrow, fallsThrough, isBranch, isJsr, isReturn, isWithin, Opcode } from "./opcodes.js";
import { StackEffects } from "./stack-effect.js";
import { StackShapes } from "./stack-shapes.js";
import { Subroutines } from "./subroutines.js";

/**
 * Which instructions may end by an exception: no instruction; those with a handler around them, whatever they do; or
 * those that the specification lets throw, with or without a handler.
 */
export type Exceptions = "none" | "handlers" | "throwing";

export interface CodeGraph {
  readonly instructions: Instructions;
  readonly effects: StackEffects;
  readonly shapes: StackShapes;
  /** Nodes in the order of their code, the method's own before those of subroutines. */
  readonly count: number;
  /** Per node: its instruction, and the stack before it. */
  readonly instruction: Uint32Array;
  readonly shape: Uint32Array;
  /** Node i goes on to `successors[successorStart[i]]` up to `successors[successorStart[i + 1] - 1]`; none after a return. */
  readonly successorStart: Uint32Array;
  readonly successors: Uint32Array;
  /** Per node: where it goes when it throws, as a number of a landing; -1 where it does not throw. */
  readonly landing: Int32Array;
  readonly landings: readonly Landing[];
}

/** What an exception finds: handlers, as nodes, and the end of the method if none of them takes it. */
export interface Landing {
  readonly handlers: readonly number[];
  readonly leaves: boolean;
}

/** Copies of instructions past which a method is refused. */
const MOST_NODES = 1 << 18;

export function codeGraph(
  file: ClassFile,
  code: CodeAttribute,
  instructions: Instructions,
  returns: MethodDescriptor["returns"],
  exceptions: Exceptions,
): CodeGraph {
  const { count: size, opcodes, operands, switches } = instructions;
  const handlers: Handlers = handlersOf(code, instructions);
  const effects = new StackEffects(file, instructions, code.start);
  const shapes = new StackShapes();
  const subroutines = new Subroutines(instructions, handlers);

  // Nodes in the order in which they are found.
  const instruction: number[] = [];
  const activation: number[] = [];
  const shape: number[] = [];
  const successors: number[][] = [];
  const landing: number[] = [];
  const landings: { handlers: number[]; leaves: boolean }[] = [];
  const nodeOf: Int32Array[] = [];
  const landingOf = new Map<string, number>();
  const node = (i: number, inside: number, before: number): number => {
    const owner = subroutines.owner(inside, i);
    nodeOf[owner] ??= new Int32Array(size).fill(-1);
    let found = nodeOf[owner][i];
    if (found < 0) {
      found = instruction.length;
      if (found === MOST_NODES)
        throw effects.error(i, "subroutines with too many activations", `${MOST_NODES} instructions at most`);
      nodeOf[owner][i] = found;
      instruction.push(i);
      activation.push(owner);
      shape.push(before);
      landing.push(-1);
    } else if (shape[found] !== before) {
      const [one, other] = [shapes.height(shape[found]), shapes.height(before)];
      throw effects.error(i, `operand stacks of ${one} and ${other} values`, "the same on every way");
    }
    return found;
  };
  const next = (i: number): number => {
    if (i + 1 === size)
      throw effects.error(i, "control that goes past the last instruction", "a jump or return");
    return i + 1;
  };
  const land = (list: number, leaves: boolean, inside: number): number => {
    const key = `${list} ${leaves} ${inside}`;
    let found = landingOf.get(key);
    if (found === undefined) {
      const { targets }: HandlerList = handlers.lists[list];
      const caught = shapes.push(0, false);
      found = landings.length;
      landingOf.set(key, found);
      landings.push({ handlers: targets.map((target) => node(target, inside, caught)), leaves });
    }
    return found;
  };

  const throwsAt = (i: number): boolean =>
    canThrow(opcodes[i]) ||
    (isWithin(opcodes[i], Opcode.ldc, Opcode.ldc2_w) && file.constants.isLinked(operands[i]));

  node(0, 0, 0);
  for (let n = 0; n < instruction.length; n++) {
    const i = instruction[n];
    const opcode = opcodes[i];
    const inside = activation[n];
    const before = shape[n];
    if (exceptions !== "none") {
      const list = handlers.listOf[i];
      const throws = opcode === Opcode.athrow || (exceptions === "handlers" ? list !== 0 : throwsAt(i));
      if (throws) landing[n] = land(list, !handlers.lists[list].takesAll, inside);
    }
    if (isJsr(opcode)) {
      const entered = subroutines.enter(inside, i);
      successors.push([node(operands[i], entered, shapes.pushReturnAddress(before, entered))]);
      continue;
    }
    if (opcode === Opcode.ret) {
      const left = subroutines.returning(inside, operands[i]);
      if (left < 1)
        throw effects.error(i, `a return by local ${operands[i]}`, "the address of a subroutine's call");
      const to = subroutines.returnOf(left);
      if (to.instruction === size)
        throw effects.error(i, "a return past the last instruction", "one after a call");
      successors.push([node(to.instruction, to.activation, before)]);
      continue;
    }
    if (isWithin(opcode, Opcode.istore, Opcode.astore) && before !== 0) {
      const address = shapes.returnAddress(before);
      if (0 <= address) subroutines.keepAddress(address, operands[i]);
    }
    if (isReturn(opcode) && (opcode === Opcode.return) !== (returns === "nothing"))
      throw effects.error(i, `opcode ${opcode}`, "a return of the method's type");
    const after = effects.after(i, shapes, before);
    const to: number[] = [];
    if (opcode === Opcode.tableswitch || opcode === Opcode.lookupswitch)
      for (const target of switches.get(i)!) to.push(node(target, inside, after));
    else if (isBranch(opcode)) to.push(node(operands[i], inside, after));
    if (fallsThrough(opcode) && !isReturn(opcode)) {
      const following = node(next(i), inside, after);
      if (!to.includes(following)) to.push(following);
    }
    successors.push(to);
  }

  const count = instruction.length;
  const order = Uint32Array.from(instruction.keys()).sort(
    (a, b) => activation[a] - activation[b] || instruction[a] - instruction[b],
  );
  const rank = new Uint32Array(count);
  for (let r = 0; r < count; r++) rank[order[r]] = r;
  const successorStart = new Uint32Array(count + 1);
  const flat: number[] = [];
  for (let r = 0; r < count; r++) {
    for (const s of successors[order[r]]) flat.push(rank[s]);
    successorStart[r + 1] = flat.length;
  }
  return {
    instructions,
    effects,
    shapes,
    count,
    instruction: Uint32Array.from(order, (n) => instruction[n]),
    shape: Uint32Array.from(order, (n) => shape[n]),
    successorStart,
    successors: Uint32Array.from(flat),
    landing: Int32Array.from(order, (n) => landing[n]),
    landings: landings.map(({ handlers: nodes, leaves }) => ({
      handlers: nodes.map((n) => rank[n]),
      leaves,
    })),
  };
}
