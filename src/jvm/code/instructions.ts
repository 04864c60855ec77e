/**
 * The instructions of one method, decoded into flat arrays: offsets, opcodes, operands, and targets as numbers of
 * instructions. `wide` and the short forms of loads and stores are dissolved. Linear in the code; what is not an
 * instruction, and a target inside one, is a `ClassFormatError`.
 */

import { ByteReader, ClassFormatError } from "../class-file/byte-reader.js";
import type { CodeAttribute } from "../class-file/class-file.js";
import { isBranch, isWithin, LAST_OPCODE, Opcode, Operands, operandsOf } from "./opcodes.js";

export interface Instructions {
  readonly count: number;
  /** Per instruction: its offset in the code. */
  readonly offsets: Uint32Array;
  readonly opcodes: Uint8Array;
  /** The local, constant, byte or number of dimensions; of a branch the target's number. */
  readonly operands: Int32Array;
  /** Where a switch goes, the default first; each target once. */
  readonly switches: ReadonlyMap<number, Uint32Array>;
  /** Offset in the code -> number of the instruction that begins there, or -1. One more entry, the end: `count`. */
  readonly at: Int32Array;
}

export function decode(bytes: Uint8Array, { start, length }: CodeAttribute): Instructions {
  const reader = new ByteReader(bytes, start, start + length);
  const offsets = new Uint32Array(length);
  const opcodes = new Uint8Array(length);
  const operands = new Int32Array(length);
  const at = new Int32Array(length + 1).fill(-1);
  const switches = new Map<number, Uint32Array>();
  let count = 0;
  while (reader.offset < reader.end) {
    const offset = reader.offset - start;
    let opcode = reader.u1();
    if (LAST_OPCODE < opcode)
      throw new ClassFormatError(start + offset, `opcode ${opcode}`, `0 to ${LAST_OPCODE}`);
    let operand = 0;
    switch (operandsOf(opcode)) {
      case Operands.byte:
        operand = reader.s1();
        break;
      case Operands.short:
        operand = reader.s2();
        break;
      case Operands.local:
      case Operands.constantByte:
        operand = reader.u1();
        break;
      case Operands.increment:
        operand = reader.u1();
        reader.u1();
        break;
      case Operands.constant:
        operand = reader.u2();
        break;
      case Operands.branch:
        operand = offset + reader.s2();
        break;
      case Operands.farBranch:
        operand = offset + reader.s4();
        break;
      case Operands.interfaceCall:
        operand = reader.u2();
        reader.u2();
        break;
      case Operands.dimensions:
        // The constant says only which class.
        reader.u2();
        operand = reader.u1();
        break;
      case Operands.tableSwitch:
      case Operands.lookupSwitch:
        switches.set(count, switchTargets(reader, start, offset, opcode === Opcode.tableswitch));
        break;
      case Operands.wide: {
        opcode = reader.u1();
        const kind = operandsOf(opcode);
        if (kind !== Operands.local && kind !== Operands.increment)
          throw new ClassFormatError(start + offset, `opcode ${opcode} after wide`, "one with a local");
        operand = reader.u2();
        if (kind === Operands.increment) reader.u2();
        break;
      }
      default:
        // Four loads of each type, then four stores of each, for locals 0 to 3.
        if (isWithin(opcode, Opcode.iload_0, Opcode.iaload - 1)) {
          operand = (opcode - Opcode.iload_0) & 3;
          opcode = Opcode.iload + ((opcode - Opcode.iload_0) >> 2);
        } else if (isWithin(opcode, Opcode.istore_0, Opcode.astore_3)) {
          operand = (opcode - Opcode.istore_0) & 3;
          opcode = Opcode.istore + ((opcode - Opcode.istore_0) >> 2);
        }
    }
    at[offset] = count;
    offsets[count] = offset;
    opcodes[count] = opcode;
    operands[count] = operand;
    count++;
  }
  at[length] = count;

  const numberOf = (from: number, target: number): number => {
    const number = 0 <= target && target < length ? at[target] : -1;
    if (number < 0)
      throw new ClassFormatError(
        start + offsets[from],
        `a branch to ${target}`,
        "the start of an instruction",
      );
    return number;
  };
  for (let i = 0; i < count; i++) if (isBranch(opcodes[i])) operands[i] = numberOf(i, operands[i]);
  for (const [i, targets] of switches) {
    const numbers = new Set<number>();
    for (const target of targets) numbers.add(numberOf(i, target | 0));
    switches.set(i, Uint32Array.from(numbers));
  }
  return {
    count,
    offsets: offsets.slice(0, count),
    opcodes: opcodes.slice(0, count),
    operands: operands.slice(0, count),
    switches,
    at,
  };
}

/** Offsets of a switch's targets, as they are in the code: perhaps negative, modulo 2^32. */
function switchTargets(reader: ByteReader, start: number, offset: number, isTable: boolean): Uint32Array {
  while (((reader.offset - start) & 3) !== 0) reader.u1();
  const targets = [offset + reader.s4()];
  const low = isTable ? reader.s4() : 0;
  const count = isTable ? reader.s4() - low + 1 : reader.s4();
  // Every target has four bytes of the code at least.
  if (count < 0 || reader.end - reader.offset < 4 * count)
    throw new ClassFormatError(start + offset, `a switch with ${count} cases`, "as many as follow");
  for (let i = 0; i < count; i++) {
    if (!isTable) reader.s4();
    targets.push(offset + reader.s4());
  }
  return Uint32Array.from(targets);
}
