/**
 * What each instruction does to the shape of the operand stack (JVMS §6.5). A value is one entry, of one word or two; only
 * the `dup` and `pop2` family asks which.
 */

import { ClassFormatError } from "../class-file/byte-reader.js";
import type { ClassFile } from "../class-file/class-file.js";
import { isWideType, parseMethodDescriptor } from "../class-file/descriptor.js";
import type { Instructions } from "./instructions.js";
import { isReturn, isWithin, Opcode } from "./opcodes.js";
import type { StackShapes } from "./stack-shapes.js";

/** How the `dup` family rearranges the top of the stack: entries that are copied, and entries that they are put below. */
export interface Duplication {
  readonly copied: number;
  readonly skipped: number;
}

/** How many values an instruction takes, and what it leaves. */
export interface StackEffect {
  readonly pops: number;
  readonly pushes: "nothing" | "narrow" | "wide";
}

export class StackEffects {
  readonly #file: ClassFile;
  readonly #instructions: Instructions;
  /** Where in the file the code begins, for errors. */
  readonly #start: number;

  constructor(file: ClassFile, instructions: Instructions, start: number) {
    this.#file = file;
    this.#instructions = instructions;
    this.#start = start;
  }

  error(instruction: number, got: string, expected: string): ClassFormatError {
    return new ClassFormatError(this.#start + this.#instructions.offsets[instruction], got, expected);
  }

  /** Of every instruction but the `dup` family, `pop2`, `swap` and `jsr`. */
  effect(instruction: number): StackEffect {
    const { opcodes, operands } = this.#instructions;
    const opcode = opcodes[instruction];
    const operand = operands[instruction];
    const { constants } = this.#file;
    switch (opcode) {
      case Opcode.ldc:
      case Opcode.ldc_w:
      case Opcode.ldc2_w:
        constants.methodHandle(operand);
        return produce(0, constants.isWide(operand));
      case Opcode.pop:
      case Opcode.tableswitch:
      case Opcode.lookupswitch:
      case Opcode.athrow:
      case Opcode.monitorenter:
      case Opcode.monitorexit:
      case Opcode.ifnull:
      case Opcode.ifnonnull:
        return consume(1);
      case Opcode.getstatic:
        return produce(0, isWideType(constants.field(operand).descriptor));
      case Opcode.getfield:
        return produce(1, isWideType(constants.field(operand).descriptor));
      case Opcode.putstatic:
        constants.field(operand);
        return consume(1);
      case Opcode.putfield:
        constants.field(operand);
        return consume(2);
      case Opcode.new:
        constants.className(operand);
        return produce(0, false);
      case Opcode.newarray:
      case Opcode.anewarray:
      case Opcode.arraylength:
      case Opcode.checkcast:
      case Opcode.instanceof:
        return produce(1, false);
      case Opcode.multianewarray:
        if (operand === 0) throw this.error(instruction, "an array of 0 dimensions", "1 or more");
        return produce(operand, false);
      case Opcode.invokedynamic:
        return this.#call(instruction, constants.invokeDynamic(operand).descriptor, false);
      case Opcode.invokevirtual:
      case Opcode.invokespecial:
      case Opcode.invokestatic:
      case Opcode.invokeinterface:
        return this.#call(instruction, constants.method(operand).descriptor, opcode !== Opcode.invokestatic);
      case Opcode.iinc:
      case Opcode.ret:
      case Opcode.goto:
      case Opcode.goto_w:
        return consume(0);
    }
    if (opcode < Opcode.bipush) {
      // lconst and dconst: 9, 10, 14, 15.
      return opcode === 0 ? consume(0) : produce(0, opcode === 9 || opcode === 10 || 14 <= opcode);
    }
    if (opcode <= Opcode.sipush) return produce(0, false);
    if (isWithin(opcode, Opcode.iload, Opcode.aload)) return produce(0, isWideOfFive(opcode - Opcode.iload));
    if (isWithin(opcode, Opcode.iaload, Opcode.saload))
      return produce(2, isWideOfFive(opcode - Opcode.iaload));
    if (isWithin(opcode, Opcode.istore, Opcode.astore)) return consume(1);
    if (isWithin(opcode, Opcode.iastore, Opcode.sastore)) return consume(3);
    // int, long, float, double in turn; shifts, and, or, xor: int and long.
    if (isWithin(opcode, Opcode.iadd, Opcode.ineg - 1)) return produce(2, (opcode & 1) === 1);
    if (isWithin(opcode, Opcode.ineg, Opcode.dneg)) return produce(1, (opcode & 1) === 1);
    if (isWithin(opcode, Opcode.ishl, Opcode.lxor)) return produce(2, (opcode & 1) === 1);
    if (isWithin(opcode, Opcode.i2l, Opcode.i2s)) {
      // i2l, i2d, l2d, f2l, f2d, d2l.
      return produce(1, [133, 135, 138, 140, 141, 143].includes(opcode));
    }
    if (isWithin(opcode, Opcode.lcmp, Opcode.dcmpg)) return produce(2, false);
    if (isWithin(opcode, Opcode.ifeq, Opcode.ifle)) return consume(1);
    if (isWithin(opcode, Opcode.if_icmpeq, Opcode.if_acmpne)) return consume(2);
    if (isReturn(opcode)) return consume(opcode === Opcode.return ? 0 : 1);
    throw this.error(instruction, `opcode ${opcode}`, "one that a class file may have");
  }

  /** How one of the `dup` family duplicates what is on the stack, or undefined of another instruction. */
  duplication(instruction: number, shapes: StackShapes, shape: number): Duplication | undefined {
    const opcode = this.#instructions.opcodes[instruction];
    if (!isWithin(opcode, Opcode.dup, Opcode.dup2_x2)) return undefined;
    // dup, dup_x1, dup_x2 copy one word, dup2, dup2_x1, dup2_x2 two, and put them below none, one, two words.
    const copied = opcode < Opcode.dup2 ? 1 : this.words(instruction, shapes, shape, 2);
    let below = shape;
    for (let i = 0; i < copied; i++) below = this.pop(instruction, shapes, below);
    const words = (opcode - Opcode.dup) % 3;
    return { copied, skipped: words === 0 ? 0 : this.words(instruction, shapes, below, words) };
  }

  /** How many entries the topmost `count` words, one or two, are. */
  words(instruction: number, shapes: StackShapes, shape: number, count: number): number {
    const below = this.pop(instruction, shapes, shape);
    if (count === 1 || shapes.isWide(shape)) return 1;
    this.pop(instruction, shapes, below);
    return 2;
  }

  pop(instruction: number, shapes: StackShapes, shape: number): number {
    if (shape === 0) throw this.error(instruction, "an empty operand stack", "another value");
    return shapes.below(shape);
  }

  /** The stack after any instruction but `jsr`. */
  after(instruction: number, shapes: StackShapes, shape: number): number {
    const opcode = this.#instructions.opcodes[instruction];
    if (isWithin(opcode, Opcode.pop2, Opcode.swap)) return this.#rearranged(instruction, shapes, shape);
    const { pops, pushes } = this.effect(instruction);
    let result = shape;
    for (let i = 0; i < pops; i++) result = this.pop(instruction, shapes, result);
    // A return address stays one where it is only cast.
    if (pushes === "nothing") return result;
    return shapes.push(result, pushes === "wide");
  }

  #rearranged(instruction: number, shapes: StackShapes, shape: number): number {
    const opcode = this.#instructions.opcodes[instruction];
    const top: number[] = [];
    let rest = shape;
    const take = (count: number) => {
      for (let i = 0; i < count; i++) {
        top.push(rest);
        rest = this.pop(instruction, shapes, rest);
      }
    };
    if (opcode === Opcode.pop2) {
      take(this.words(instruction, shapes, shape, 2));
      return rest;
    }
    if (opcode === Opcode.swap) {
      take(2);
      return shapes.pushCopy(shapes.pushCopy(rest, top[0]), top[1]);
    }
    const { copied, skipped } = this.duplication(instruction, shapes, shape)!;
    take(copied + skipped);
    let result = rest;
    for (let i = copied - 1; 0 <= i; i--) result = shapes.pushCopy(result, top[i]);
    for (let i = copied + skipped - 1; 0 <= i; i--) result = shapes.pushCopy(result, top[i]);
    return result;
  }

  #call(instruction: number, descriptor: string, hasReceiver: boolean): StackEffect {
    const { parameters, returns } = parseMethodDescriptor(
      descriptor,
      this.#start + this.#instructions.offsets[instruction],
    );
    return { pops: parameters.length + (hasReceiver ? 1 : 0), pushes: returns };
  }
}

const consume = (pops: number): StackEffect => ({ pops, pushes: "nothing" });

const produce = (pops: number, isWide: boolean): StackEffect => ({
  pops,
  pushes: isWide ? "wide" : "narrow",
});

/** Of loads and stores by type: int, long, float, double, reference, and arrays' byte, char, short after these. */
const isWideOfFive = (index: number): boolean => index === 1 || index === 3;
