/**
 * Programs as numbers and texts, and back: what a saved index has of them. Texts of files are not part of it. Linear in the
 * program. Reading checks lengths and references, so that no numbers make it run past their end.
 */

import { GrowableUint32 } from "../exploded/growable-uint32.js";
import type {
  CallSite,
  Procedure,
  ProcedureKind,
  Program,
  SourceFile,
  Variable,
  VariableKind,
} from "../program/program.js";

/** Negative numbers are kept as they are in 32 bits. */
export interface ProgramWords {
  readonly words: Uint32Array;
  readonly texts: readonly string[];
}

/** Thrown where words are no program; the reader of the file says which. */
export class UnreadableProgram extends Error {
  override readonly name = "UnreadableProgram";
}

export function writeProgram({ variables, procedures, entries, paths }: Program): ProgramWords {
  const writer = new Writer();
  writer.list(variables, ({ name, kind, owner, deadZone, throwsEarly, file, start, end }) => {
    writer.text(name);
    writer.text(kind);
    writer.numbers(owner, Number(deadZone), Number(throwsEarly), file, start, end);
  });
  writer.list(procedures, (procedure) => writeProcedure(writer, procedure));
  writer.array(entries);
  writer.list(paths, (path) => writer.text(path));
  return writer.finish();
}

function writeProcedure(writer: Writer, procedure: Procedure): void {
  const { name, kind, file, start, end, vertexCount, exit, exceptionalExit, rest, result, receiver } =
    procedure;
  writer.text(name);
  writer.text(kind);
  writer.numbers(file, start, end, vertexCount, exit, exceptionalExit, Number(rest), result, receiver);
  for (const array of [
    procedure.ranges,
    procedure.operationStart,
    procedure.operations,
    procedure.edges,
    procedure.exceptional,
    procedure.parameters,
  ])
    writer.array(array);
  writer.list(procedure.calls, (call) => {
    writer.numbers(
      call.vertex,
      call.returnSite,
      call.exceptionalReturnSite,
      Number(call.external),
      call.result,
      call.receiver,
    );
    writer.text(call.name);
    writer.array(call.callees);
    writer.array(call.arguments);
  });
}

/** Throws an `UnreadableProgram` where the words are none. */
export function readProgram({ words, texts }: ProgramWords, files: readonly SourceFile[]): Program {
  const reader = new Reader(words, texts);
  const variables = reader.list((): Variable => {
    const name = reader.text();
    const kind = reader.text() as VariableKind;
    const [owner, deadZone, throwsEarly, file, start, end] = reader.numbers(6);
    return { name, kind, owner, deadZone: deadZone === 1, throwsEarly: throwsEarly === 1, file, start, end };
  });
  const procedures = reader.list(() => readProcedure(reader));
  const entries = Array.from(reader.array());
  const paths = reader.list(() => reader.text());
  reader.end();
  return { files, variables, procedures, entries, paths };
}

function readProcedure(reader: Reader): Procedure {
  const name = reader.text();
  const kind = reader.text() as ProcedureKind;
  const [file, start, end, vertexCount, exit, exceptionalExit, rest, result, receiver] = reader.numbers(9);
  const [ranges, operationStart, operations, edges, exceptional, parameters] = [
    reader.array(),
    reader.array(),
    reader.array(),
    reader.array(),
    reader.array(),
    reader.array(),
  ];
  const calls = reader.list((): CallSite => {
    const [vertex, returnSite, exceptionalReturnSite, external, result, receiver] = reader.numbers(6);
    const name = reader.text();
    const callees = Array.from(reader.array());
    const argumentList = Int32Array.from(reader.array());
    return {
      vertex,
      returnSite,
      exceptionalReturnSite,
      callees,
      external: external === 1,
      name,
      arguments: argumentList,
      result,
      receiver,
    };
  });
  return {
    ...{ name, kind, file, start, end, vertexCount, exit, exceptionalExit },
    ...{ ranges, operationStart, operations, edges, calls },
    exceptional: Uint8Array.from(exceptional),
    parameters: Int32Array.from(parameters),
    rest: rest === 1,
    result,
    receiver,
  };
}

class Writer {
  readonly #words = new GrowableUint32();
  readonly #texts = new Map<string, number>();

  numbers(...values: number[]): void {
    for (const value of values) this.#words.push(value >>> 0);
  }

  text(text: string): void {
    let id = this.#texts.get(text);
    if (id === undefined) this.#texts.set(text, (id = this.#texts.size));
    this.#words.push(id);
  }

  array(values: ArrayLike<number>): void {
    this.#words.push(values.length);
    for (let i = 0; i < values.length; i++) this.#words.push(values[i] >>> 0);
  }

  list<T>(items: readonly T[], write: (item: T) => void): void {
    this.#words.push(items.length);
    for (const item of items) write(item);
  }

  finish(): ProgramWords {
    return { words: this.#words.toArray(), texts: [...this.#texts.keys()] };
  }
}

class Reader {
  readonly #words: Uint32Array;
  readonly #texts: readonly string[];
  #at = 0;

  constructor(words: Uint32Array, texts: readonly string[]) {
    this.#words = words;
    this.#texts = texts;
  }

  numbers(count: number): number[] {
    return Array.from(this.#take(count), (word) => word | 0);
  }

  text(): string {
    const text = this.#texts[this.#take(1)[0]];
    if (text === undefined) throw new UnreadableProgram("A text is missing.");
    return text;
  }

  array(): Uint32Array {
    const [length] = this.#take(1);
    return this.#take(length).slice();
  }

  list<T>(read: () => T): T[] {
    const [length] = this.#take(1);
    if (this.#words.length - this.#at < length) throw new UnreadableProgram("A list is too long.");
    const items: T[] = [];
    for (let i = 0; i < length; i++) items.push(read());
    return items;
  }

  end(): void {
    if (this.#at !== this.#words.length) throw new UnreadableProgram("There is something behind the end.");
  }

  #take(count: number): Uint32Array {
    if (this.#words.length - this.#at < count) throw new UnreadableProgram("The words end too early.");
    this.#at += count;
    return this.#words.subarray(this.#at - count, this.#at);
  }
}
