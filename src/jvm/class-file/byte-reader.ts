/**
 * Big-endian numbers from a range of bytes, as class files have them (JVMS §4). Reading past the end is a `ClassFormatError`
 * that names the offset; so is whatever a caller finds wrong.
 */

/** What is wrong with a class file, and at which byte of it. */
export class ClassFormatError extends Error {
  override readonly name = "ClassFormatError";
  readonly offset: number;

  constructor(offset: number, got: string, expected: string) {
    super(`got ${got}, expected ${expected}`);
    this.offset = offset;
  }
}

export class ByteReader {
  readonly bytes: Uint8Array;
  /** Offset of the next byte, in all of `bytes`. */
  offset: number;
  readonly end: number;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.offset = start;
    this.end = end;
  }

  u1(): number {
    this.#need(1);
    return this.bytes[this.offset++];
  }

  u2(): number {
    this.#need(2);
    const { bytes, offset } = this;
    this.offset += 2;
    return (bytes[offset] << 8) | bytes[offset + 1];
  }

  u4(): number {
    this.#need(4);
    const { bytes, offset } = this;
    this.offset += 4;
    return (
      ((bytes[offset] << 24) | (bytes[offset + 1] << 16) | (bytes[offset + 2] << 8) | bytes[offset + 3]) >>> 0
    );
  }

  s1(): number {
    return (this.u1() << 24) >> 24;
  }

  s2(): number {
    return (this.u2() << 16) >> 16;
  }

  s4(): number {
    return this.u4() | 0;
  }

  /** The next `length` bytes as a reader of their own; this one goes on after them. */
  part(length: number): ByteReader {
    this.#need(length);
    const start = this.offset;
    this.offset += length;
    return new ByteReader(this.bytes, start, this.offset);
  }

  #need(count: number): void {
    const left = this.end - this.offset;
    if (left < count) throw new ClassFormatError(this.offset, `${left} more bytes`, `${count}`);
  }
}
