/**
 * Lines of bytes that come in chunks, and the fields of the line at hand: numbers and words, one blank before each. Fields
 * are read straight from the bytes, without an object per line or field; beyond the chunk, which must not change before it
 * is read through, one unfinished line is held. What is not as expected is an `InputError` with the line's number.
 */

import { InputError } from "./input-error.js";

export const BLANK = 0x20;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const ZERO = 0x30;

export class LineFields {
  readonly #name: string;

  #chunk = new Uint8Array(0);
  /** Where in the chunk the next line begins. */
  #next = 0;
  /** The start of a line whose end has not arrived yet. */
  #carry = new Uint8Array(256);
  #carryLength = 0;

  /** The line at hand: `#bytes[#start .. #end]`, of which `#position .. #end` is still to be read. */
  #bytes = new Uint8Array(0);
  #start = 0;
  #position = 0;
  #end = 0;
  #lineNumber = 0;

  /** `name` is that of the input, for errors. */
  constructor(name: string) {
    this.#name = name;
  }

  /** Number of the line at hand, counted from 1; 0 before the first. */
  get lineNumber(): number {
    return this.#lineNumber;
  }

  /** Takes a chunk, whose lines `next` then gives. The last one must be read through. */
  feed(chunk: Uint8Array): void {
    this.#chunk = chunk as Uint8Array<ArrayBuffer>;
    this.#next = 0;
  }

  /** Goes to the next line that is complete; false where the chunk has none. What it has of another is kept. */
  next(): boolean {
    const chunk = this.#chunk;
    const from = this.#next;
    const newline = chunk.indexOf(LINE_FEED, from);
    if (newline < 0) {
      this.#keep(chunk.subarray(from));
      this.#next = chunk.length;
      return false;
    }
    this.#next = newline + 1;
    if (this.#carryLength === 0) {
      this.#begin(chunk, from, newline);
      return true;
    }
    this.#keep(chunk.subarray(from, newline));
    return this.last();
  }

  /** Goes to what is kept of a line without end; false where there is nothing. */
  last(): boolean {
    if (this.#carryLength === 0) return false;
    this.#begin(this.#carry, 0, this.#carryLength);
    this.#carryLength = 0;
    return true;
  }

  /** Whether the line begins with these two bytes. */
  beginsWith(first: number, second: number): boolean {
    const start = this.#start;
    return start + 1 < this.#end && this.#bytes[start] === first && this.#bytes[start + 1] === second;
  }

  /** Reads the byte that a line begins with, if it stands alone: before a blank or the end of the line. -1 if not. */
  kind(): number {
    const next = this.#start + 1;
    if (this.#end < next || (next < this.#end && this.#bytes[next] !== BLANK)) return -1;
    this.#position = next;
    return this.#bytes[next - 1];
  }

  at(byte: number): boolean {
    return this.#position < this.#end && this.#bytes[this.#position] === byte;
  }

  get isRead(): boolean {
    return this.#end <= this.#position;
  }

  /** Reads `byte` if it is next; whether it was. */
  take(byte: number): boolean {
    if (this.#end <= this.#position || this.#bytes[this.#position] !== byte) return false;
    this.#position++;
    return true;
  }

  /** Reads a blank and a number; `what` it is expected to be. */
  field(what: string): number {
    if (this.take(BLANK)) return this.number(what);
    if (this.isRead) this.fail(`got the end of the line, expected ${what}`);
    this.fail(`got ${this.show()}, expected one blank and ${what}`);
  }

  number(what: string): number {
    const bytes = this.#bytes;
    const end = this.#end;
    const start = this.#position;
    let position = start;
    let value = 0;
    for (; position < end; position++) {
      const digit = bytes[position] - ZERO;
      if (digit < 0 || 9 < digit) break;
      value = value * 10 + digit;
      if (0xffffffff < value) {
        this.fail(`got ${this.show()} for ${what}, expected a number of at most 4294967295`);
      }
    }
    if (position === start) {
      this.fail(
        start < end ? `got ${this.show()}, expected ${what}` : `got the end of the line, expected ${what}`,
      );
    }
    this.#position = position;
    return value;
  }

  /** Reads a blank and everything up to the next one. */
  word(): string {
    if (!this.take(BLANK)) this.fail(`got ${this.show()}, expected a further field`);
    const start = this.#position;
    while (this.#position < this.#end && !this.at(BLANK)) this.#position++;
    return this.#text(start, this.#position);
  }

  /** Reads everything up to the end of the line. */
  rest(): string {
    const start = this.#position;
    this.#position = this.#end;
    return this.#text(start, this.#end);
  }

  finish(): void {
    if (this.#position < this.#end) this.fail(`got ${this.show()}, expected the end of the line`);
  }

  /** What is still to be read, quoted and cut short for a message. */
  show(): string {
    return this.#show(this.#position, "the end of the line");
  }

  /** The whole line in the same way. */
  showLine(): string {
    return this.#show(this.#start, "an empty line");
  }

  /** Throws an `InputError`; `problem` is `got ..., expected ...`. */
  fail(problem: string, line = this.#lineNumber): never {
    throw new InputError(this.#name, line, problem);
  }

  #begin(bytes: Uint8Array<ArrayBuffer>, start: number, end: number): void {
    this.#lineNumber++;
    this.#bytes = bytes;
    this.#start = start;
    this.#position = start;
    this.#end = start < end && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
  }

  #keep(bytes: Uint8Array): void {
    const length = this.#carryLength + bytes.length;
    if (this.#carry.length < length) {
      const grown = new Uint8Array(2 * length);
      grown.set(this.#carry.subarray(0, this.#carryLength));
      this.#carry = grown;
    }
    this.#carry.set(bytes, this.#carryLength);
    this.#carryLength = length;
  }

  #text(start: number, end: number): string {
    try {
      return utf8.decode(this.#bytes.subarray(start, end));
    } catch {
      this.fail("got bytes that are no UTF-8, expected text");
    }
  }

  #show(start: number, nothing: string): string {
    const bytes = this.#bytes.subarray(start, Math.min(this.#end, start + 40));
    if (bytes.length === 0) return nothing;
    return JSON.stringify(new TextDecoder().decode(bytes)) + (start + 40 < this.#end ? "..." : "");
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
