/**
 * The constant pool of a class file (JVMS §4.4): where each entry is, decoded when asked for. Every kind of constant up to
 * the newest is known; the index of an entry that is missing or of another kind is a `ClassFormatError`. One pass over the
 * pool; a text is decoded once.
 */

import { type ByteReader, ClassFormatError } from "./byte-reader.js";

const Tag = {
  utf8: 1,
  integer: 3,
  float: 4,
  long: 5,
  double: 6,
  class: 7,
  string: 8,
  field: 9,
  method: 10,
  interfaceMethod: 11,
  nameAndType: 12,
  methodHandle: 15,
  methodType: 16,
  dynamic: 17,
  invokeDynamic: 18,
  module: 19,
  package: 20,
} as const;

/** Bytes after the tag; those of a text follow its length. */
const SIZE: Readonly<Record<number, number>> = {
  [Tag.utf8]: 2,
  [Tag.integer]: 4,
  [Tag.float]: 4,
  [Tag.long]: 8,
  [Tag.double]: 8,
  [Tag.class]: 2,
  [Tag.string]: 2,
  [Tag.field]: 4,
  [Tag.method]: 4,
  [Tag.interfaceMethod]: 4,
  [Tag.nameAndType]: 4,
  [Tag.methodHandle]: 3,
  [Tag.methodType]: 2,
  [Tag.dynamic]: 4,
  [Tag.invokeDynamic]: 4,
  [Tag.module]: 2,
  [Tag.package]: 2,
};

/** A field or method as an instruction names it: internal names such as `java/lang/Object`. */
export interface MemberReference {
  readonly owner: string;
  readonly name: string;
  readonly descriptor: string;
}

/** What a method handle does (JVMS table 5.4.3.5-A): 1 to 4 are fields, 5 to 9 methods. */
export const HandleKind = {
  invokeVirtual: 5,
  invokeStatic: 6,
  invokeSpecial: 7,
  newInvokeSpecial: 8,
  invokeInterface: 9,
} as const;

export interface MethodHandle extends MemberReference {
  readonly kind: number;
}

/** A call site or constant that a bootstrap method makes: index into the class's bootstrap methods. */
export interface DynamicReference {
  readonly bootstrap: number;
  readonly name: string;
  readonly descriptor: string;
}

export class ConstantPool {
  /** The class file. */
  readonly bytes: Uint8Array;
  /** Per index: offset of the entry's tag, or 0: there is none (a class file begins with its magic number). */
  readonly #offsets: Uint32Array;
  readonly #texts = new Map<number, string>();

  constructor(reader: ByteReader) {
    this.bytes = reader.bytes;
    const count = reader.u2();
    if (count === 0) throw new ClassFormatError(reader.offset - 2, "0 constants", "1 or more");
    this.#offsets = new Uint32Array(count);
    for (let index = 1; index < count; index++) {
      const at = reader.offset;
      const tag = reader.u1();
      const size = SIZE[tag];
      if (size === undefined) throw new ClassFormatError(at, `constant tag ${tag}`, "one of 1 to 20");
      this.#offsets[index] = at;
      if (tag === Tag.utf8) reader.part(reader.u2());
      else reader.part(size);
      // The index after a number of 64 bits is not used.
      if (tag === Tag.long || tag === Tag.double) index++;
    }
  }

  text(index: number): string {
    let text = this.#texts.get(index);
    if (text === undefined) {
      const at = this.#entry(index, "a text", Tag.utf8);
      text = this.#decode(at + 2, this.#u2(at));
      this.#texts.set(index, text);
    }
    return text;
  }

  className(index: number): string {
    return this.text(this.#u2(this.#entry(index, "a class", Tag.class)));
  }

  /** The name of a class, or undefined for index 0. */
  optionalClassName(index: number): string | undefined {
    return index === 0 ? undefined : this.className(index);
  }

  field(index: number): MemberReference {
    return this.#member(this.#entry(index, "a field", Tag.field));
  }

  method(index: number): MemberReference {
    return this.#member(this.#entry(index, "a method", Tag.method, Tag.interfaceMethod));
  }

  invokeDynamic(index: number): DynamicReference {
    return this.#dynamic(this.#entry(index, "a dynamic call site", Tag.invokeDynamic));
  }

  /** The method handle at an index, or undefined where there is another constant. */
  methodHandle(index: number): MethodHandle | undefined {
    if (this.#tag(index) !== Tag.methodHandle) return undefined;
    const at = this.#offsets[index] + 1;
    const kind = this.bytes[at];
    if (kind < 1 || 9 < kind) throw new ClassFormatError(at, `method handle kind ${kind}`, "1 to 9");
    const reference = this.#u2(at + 1);
    return { kind, ...(kind < HandleKind.invokeVirtual ? this.field(reference) : this.method(reference)) };
  }

  /** The descriptor of a method type, or undefined where there is another constant. */
  methodType(index: number): string | undefined {
    return this.#tag(index) === Tag.methodType ? this.text(this.#u2(this.#offsets[index] + 1)) : undefined;
  }

  /** Whether what `ldc` loads takes two words: a `long`, a `double`, or a dynamic constant of such a type. */
  isWide(index: number): boolean {
    switch (this.#tag(index)) {
      case Tag.long:
      case Tag.double:
        return true;
      case Tag.dynamic: {
        const { descriptor } = this.#dynamic(this.#offsets[index] + 1);
        return descriptor === "J" || descriptor === "D";
      }
      case Tag.integer:
      case Tag.float:
      case Tag.string:
      case Tag.class:
      case Tag.methodHandle:
      case Tag.methodType:
        return false;
      default:
        throw this.#unexpected(index, "a constant that can be loaded");
    }
  }

  /** Whether loading it links what it names, or runs code, and so may end by an exception: a class, a handle, a dynamic constant. */
  isLinked(index: number): boolean {
    const tag = this.#tag(index);
    return tag === Tag.class || tag === Tag.methodHandle || tag === Tag.methodType || tag === Tag.dynamic;
  }

  #member(at: number): MemberReference {
    const type = this.#entry(this.#u2(at + 2), "a name and type", Tag.nameAndType);
    return {
      owner: this.className(this.#u2(at)),
      name: this.text(this.#u2(type)),
      descriptor: this.text(this.#u2(type + 2)),
    };
  }

  #dynamic(at: number): DynamicReference {
    const type = this.#entry(this.#u2(at + 2), "a name and type", Tag.nameAndType);
    return {
      bootstrap: this.#u2(at),
      name: this.text(this.#u2(type)),
      descriptor: this.text(this.#u2(type + 2)),
    };
  }

  #tag(index: number): number {
    const at = this.#offsets[index] ?? 0;
    return at === 0 ? 0 : this.bytes[at];
  }

  /** Offset of an entry after its tag, which must be one of `tags`. */
  #entry(index: number, expected: string, ...tags: readonly number[]): number {
    if (!tags.includes(this.#tag(index))) throw this.#unexpected(index, expected);
    return this.#offsets[index] + 1;
  }

  #unexpected(index: number, expected: string): ClassFormatError {
    const tag = this.#tag(index);
    const got = tag === 0 ? `no constant ${index}` : `a constant ${index} with tag ${tag}`;
    return new ClassFormatError(this.#offsets[index] ?? 0, got, expected);
  }

  #u2(at: number): number {
    return (this.bytes[at] << 8) | this.bytes[at + 1];
  }

  /** UTF-16 units in one to three bytes each (JVMS §4.4.7): surrogates by themselves, and no byte is zero. */
  #decode(start: number, length: number): string {
    const bytes = this.bytes;
    const units: number[] = [];
    let text = "";
    for (let i = start, end = start + length; i < end; ) {
      const first = bytes[i];
      const count = first < 0x80 ? 1 : first >> 5 === 6 ? 2 : first >> 4 === 14 ? 3 : 0;
      let isValid = count !== 0 && first !== 0 && i + count <= end;
      for (let k = 1; isValid && k < count; k++) isValid = bytes[i + k] >> 6 === 2;
      if (!isValid) throw new ClassFormatError(i, `byte ${first} in a text`, "modified UTF-8");
      if (count === 1) units.push(first);
      else if (count === 2) units.push(((first & 0x1f) << 6) | (bytes[i + 1] & 0x3f));
      else units.push(((first & 0x0f) << 12) | ((bytes[i + 1] & 0x3f) << 6) | (bytes[i + 2] & 0x3f));
      i += count;
      if (units.length === 4096) text += String.fromCharCode(...units.splice(0));
    }
    return text + String.fromCharCode(...units);
  }
}
