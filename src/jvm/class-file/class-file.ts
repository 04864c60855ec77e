/**
 * A class file (JVMS §4), with those of its attributes that control flow and names need: `Code` with its exception table,
 * `LineNumberTable` and `LocalVariableTable`, `BootstrapMethods`, `SourceFile`. Others are skipped, so that a version that
 * is not known yet is read like the newest. What is wrong with one method is kept with that method; what is wrong with the class
 * is a `ClassFormatError`. Linear in the file.
 */

import { ByteReader, ClassFormatError } from "./byte-reader.js";
import { ConstantPool, type MethodHandle } from "./constant-pool.js";

export const Access = {
  private: 0x2,
  static: 0x8,
  final: 0x10,
  native: 0x100,
  interface: 0x200,
  abstract: 0x400,
} as const;

export interface ClassFile {
  /** Internal name: `java/lang/Object`. */
  readonly name: string;
  readonly superName: string | undefined;
  readonly interfaces: readonly string[];
  readonly access: number;
  readonly constants: ConstantPool;
  readonly fields: readonly Member[];
  readonly methods: readonly Method[];
  readonly bootstrapMethods: readonly BootstrapMethod[];
  /** The file that it was compiled from, without a folder; undefined where the class does not say. */
  readonly sourceFile: string | undefined;
}

export interface Member {
  readonly access: number;
  readonly name: string;
  readonly descriptor: string;
}

export interface Method extends Member {
  /** What it does: absent of abstract and native methods; an error where it cannot be read. */
  readonly code: CodeAttribute | ClassFormatError | undefined;
}

export interface BootstrapMethod {
  readonly handle: MethodHandle | undefined;
  /** Indices of constants. */
  readonly arguments: readonly number[];
}

export interface CodeAttribute {
  readonly maxStack: number;
  readonly maxLocals: number;
  /** The instructions: where in the file they begin, and how many bytes they are. */
  readonly start: number;
  readonly length: number;
  /** Four numbers each, in the order in which they are tried: from, to (exclusive), handler, index of the class or 0. */
  readonly exceptionTable: Uint16Array;
  /** Two numbers each: from which byte on, which line. */
  readonly lines: Uint16Array;
  readonly locals: readonly LocalVariable[];
}

/** A name that a local has in a range of the code. */
export interface LocalVariable {
  readonly from: number;
  readonly to: number;
  readonly index: number;
  readonly name: string;
}

export function parseClassFile(bytes: Uint8Array): ClassFile {
  const reader = new ByteReader(bytes);
  const magic = reader.u4();
  if (magic !== 0xcafebabe) {
    throw new ClassFormatError(0, `0x${magic.toString(16).padStart(8, "0")}`, "0xcafebabe, a class file");
  }
  reader.u4(); // version
  const constants = new ConstantPool(reader);
  const access = reader.u2();
  const name = constants.className(reader.u2());
  const superName = constants.optionalClassName(reader.u2());
  const interfaces = times(reader.u2(), () => constants.className(reader.u2()));
  const fields = times(reader.u2(), () => {
    const member = parseMember(reader, constants);
    forEachAttribute(reader, constants, () => {});
    return member;
  });
  const methods = times(reader.u2(), (): Method => {
    const member = parseMember(reader, constants);
    let code: Method["code"];
    forEachAttribute(reader, constants, (attribute, content) => {
      if (attribute === "Code") code = attempt(() => parseCode(content, constants));
    });
    return { ...member, code };
  });
  let bootstrapMethods: readonly BootstrapMethod[] = [];
  let sourceFile: string | undefined;
  forEachAttribute(reader, constants, (attribute, content) => {
    if (attribute === "SourceFile") sourceFile = constants.text(content.u2());
    if (attribute !== "BootstrapMethods") return;
    bootstrapMethods = times(content.u2(), () => ({
      handle: constants.methodHandle(content.u2()),
      arguments: times(content.u2(), () => {
        const constant = content.u2();
        constants.methodHandle(constant);
        return constant;
      }),
    }));
  });
  return { name, superName, interfaces, access, constants, fields, methods, bootstrapMethods, sourceFile };
}

function parseMember(reader: ByteReader, constants: ConstantPool): Member {
  const access = reader.u2();
  const name = constants.text(reader.u2());
  return { access, name, descriptor: constants.text(reader.u2()) };
}

function parseCode(reader: ByteReader, constants: ConstantPool): CodeAttribute {
  const maxStack = reader.u2();
  const maxLocals = reader.u2();
  const length = reader.u4();
  if (length === 0 || 0xffff < length) {
    throw new ClassFormatError(reader.offset - 4, `${length} bytes of code`, "1 to 65535");
  }
  const start = reader.offset;
  reader.part(length);
  const exceptionTable = Uint16Array.from(times(4 * reader.u2(), () => reader.u2()));
  const lines: number[] = [];
  const locals: LocalVariable[] = [];
  forEachAttribute(reader, constants, (attribute, content) => {
    if (attribute === "LineNumberTable") {
      for (let i = 2 * content.u2(); 0 < i; i--) lines.push(content.u2());
    } else if (attribute === "LocalVariableTable") {
      for (let i = content.u2(); 0 < i; i--) {
        const from = content.u2();
        const to = from + content.u2();
        const name = constants.text(content.u2());
        content.u2(); // descriptor
        locals.push({ from, to, index: content.u2(), name });
      }
    }
  });
  return { maxStack, maxLocals, start, length, exceptionTable, lines: Uint16Array.from(lines), locals };
}

function forEachAttribute(
  reader: ByteReader,
  constants: ConstantPool,
  visit: (name: string, content: ByteReader) => void,
): void {
  for (let i = reader.u2(); 0 < i; i--) {
    const name = constants.text(reader.u2());
    visit(name, reader.part(reader.u4()));
  }
}

/** Each value costs at least a byte of the file, so that a wrong count ends at the file's end. */
function times<T>(count: number, next: () => T): T[] {
  const values: T[] = [];
  for (let i = 0; i < count; i++) values.push(next());
  return values;
}

function attempt<T>(parse: () => T): T | ClassFormatError {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ClassFormatError) return error;
    throw error;
  }
}
