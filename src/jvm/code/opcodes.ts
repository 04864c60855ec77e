/**
 * The instructions of the Java virtual machine (JVMS §6.5): what follows each opcode, and what it does to the operand stack
 * where that can be said by two numbers. A stack entry is a value, whether it takes one word or two.
 */

/** Opcodes that something is said about by name. */
export const Opcode = {
  aconst_null: 1,
  bipush: 16,
  sipush: 17,
  ldc: 18,
  ldc_w: 19,
  ldc2_w: 20,
  iload: 21,
  aload: 25,
  iload_0: 26,
  iaload: 46,
  saload: 53,
  istore: 54,
  astore: 58,
  istore_0: 59,
  astore_3: 78,
  iastore: 79,
  sastore: 86,
  pop: 87,
  pop2: 88,
  dup: 89,
  dup_x1: 90,
  dup_x2: 91,
  dup2: 92,
  dup2_x1: 93,
  dup2_x2: 94,
  swap: 95,
  iadd: 96,
  idiv: 108,
  ldiv: 109,
  irem: 112,
  lrem: 113,
  ineg: 116,
  dneg: 119,
  ishl: 120,
  lxor: 131,
  iinc: 132,
  i2l: 133,
  i2s: 147,
  lcmp: 148,
  dcmpg: 152,
  ifeq: 153,
  ifle: 158,
  if_icmpeq: 159,
  if_acmpne: 166,
  goto: 167,
  jsr: 168,
  ret: 169,
  tableswitch: 170,
  lookupswitch: 171,
  ireturn: 172,
  return: 177,
  getstatic: 178,
  putstatic: 179,
  getfield: 180,
  putfield: 181,
  invokevirtual: 182,
  invokespecial: 183,
  invokestatic: 184,
  invokeinterface: 185,
  invokedynamic: 186,
  new: 187,
  newarray: 188,
  anewarray: 189,
  arraylength: 190,
  athrow: 191,
  checkcast: 192,
  instanceof: 193,
  monitorenter: 194,
  monitorexit: 195,
  wide: 196,
  multianewarray: 197,
  ifnull: 198,
  ifnonnull: 199,
  goto_w: 200,
  jsr_w: 201,
} as const;

/** The last one; those after it are reserved. */
export const LAST_OPCODE = 201;

/** What follows an opcode. */
export const Operands = {
  none: 0,
  /** A byte or two that say which constant is pushed. */
  byte: 1,
  short: 2,
  /** Index of a local. */
  local: 3,
  /** Index of a local, and what is added to it. */
  increment: 4,
  /** Index of a constant. */
  constant: 5,
  constantByte: 6,
  /** Distance of the target. */
  branch: 7,
  farBranch: 8,
  tableSwitch: 9,
  lookupSwitch: 10,
  /** Index of a constant, then two bytes that say nothing more. */
  interfaceCall: 11,
  /** Index of a constant, then the number of dimensions. */
  dimensions: 12,
  wide: 13,
} as const;

export function operandsOf(opcode: number): number {
  switch (opcode) {
    case Opcode.bipush:
    case Opcode.newarray:
      return Operands.byte;
    case Opcode.sipush:
      return Operands.short;
    case Opcode.ldc:
      return Operands.constantByte;
    case Opcode.ldc_w:
    case Opcode.ldc2_w:
    case Opcode.new:
    case Opcode.anewarray:
    case Opcode.checkcast:
    case Opcode.instanceof:
      return Operands.constant;
    case Opcode.ret:
      return Operands.local;
    case Opcode.iinc:
      return Operands.increment;
    case Opcode.tableswitch:
      return Operands.tableSwitch;
    case Opcode.lookupswitch:
      return Operands.lookupSwitch;
    case Opcode.invokeinterface:
    case Opcode.invokedynamic:
      return Operands.interfaceCall;
    case Opcode.wide:
      return Operands.wide;
    case Opcode.multianewarray:
      return Operands.dimensions;
    case Opcode.goto_w:
    case Opcode.jsr_w:
      return Operands.farBranch;
  }
  if (isWithin(opcode, Opcode.iload, Opcode.aload) || isWithin(opcode, Opcode.istore, Opcode.astore))
    return Operands.local;
  if (isWithin(opcode, Opcode.ifeq, Opcode.jsr) || isWithin(opcode, Opcode.ifnull, Opcode.ifnonnull))
    return Operands.branch;
  if (isWithin(opcode, Opcode.getstatic, Opcode.invokestatic)) return Operands.constant;
  return Operands.none;
}

export const isWithin = (opcode: number, first: number, last: number): boolean =>
  first <= opcode && opcode <= last;

/**
 * Whether it can end by an exception (JVMS §2.10), errors of linking included. What `ldc` does depends on the constant: one
 * that is found by linking throws as well.
 */
export function canThrow(opcode: number): boolean {
  if (isWithin(opcode, Opcode.iaload, Opcode.saload) || isWithin(opcode, Opcode.iastore, Opcode.sastore))
    return true;
  if (isWithin(opcode, Opcode.getstatic, Opcode.instanceof)) return true;
  switch (opcode) {
    case Opcode.idiv:
    case Opcode.ldiv:
    case Opcode.irem:
    case Opcode.lrem:
    case Opcode.monitorenter:
    case Opcode.monitorexit:
    case Opcode.multianewarray:
      return true;
  }
  return false;
}

/** Whether control goes from it to the instruction after it. */
export function fallsThrough(opcode: number): boolean {
  return !(
    isWithin(opcode, Opcode.goto, Opcode.return) ||
    opcode === Opcode.athrow ||
    opcode === Opcode.goto_w ||
    opcode === Opcode.jsr_w
  );
}

export const isBranch = (opcode: number): boolean =>
  isWithin(opcode, Opcode.ifeq, Opcode.jsr) || isWithin(opcode, Opcode.ifnull, Opcode.jsr_w);

export const isJsr = (opcode: number): boolean => opcode === Opcode.jsr || opcode === Opcode.jsr_w;

export const isReturn = (opcode: number): boolean => isWithin(opcode, Opcode.ireturn, Opcode.return);

export const isCall = (opcode: number): boolean =>
  isWithin(opcode, Opcode.invokevirtual, Opcode.invokedynamic);
