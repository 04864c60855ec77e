/**
 * Reads the `.ifds` text form, versions 1 and 2, into an `ExplodedSupergraph`. The parser is fed with chunks of bytes
 * and reads numbers straight from them; beyond the growing result it holds one unfinished line, so that files of any
 * size can be streamed. Everything is validated here, once: what is returned is safe for every solver.
 */

import type { ExplodedSupergraph } from "./exploded-supergraph.js";
import { GrowableUint32 } from "./growable-uint32.js";
import { InputError } from "./input-error.js";
import { MAX_FACTS, MAX_VERTICES, ProgramSize } from "./limits.js";
import { RelationTable } from "./relation-table.js";
import { isIterable, show } from "./shown-value.js";

export interface ParseOptions {
  /** Name of the input in error messages; "input" by default. */
  readonly name?: string;
  /** Called now and then with the bytes read so far and, where known, their total number. */
  readonly onProgress?: (bytes: number, total: number | undefined) => void;
  /** Aborting makes the parser throw the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * Parses a whole `.ifds` file: its text, its bytes, or its chunks in order (chunks may end anywhere, also in the middle
 * of a character). Gzip is not undone here.
 *
 * @throws InputError naming the line, what was got and what was expected, for anything that is not a valid file
 *
 * @example
 * const graph = parseIfds("IFDS 1\nR 0 I\nR 1 X 0>0,1\nM 0\nP 0 2 2 0 1 main\ne 0 1 1\nZ\n");
 * graph.names; // ["main"]
 * graph.factCount[0]; // 2
 */
export function parseIfds(
  input: string | Uint8Array | Iterable<Uint8Array | string>,
  options: ParseOptions = {},
): ExplodedSupergraph {
  const parser = new IfdsParser(options, input instanceof Uint8Array ? input.length : undefined);
  const encoder = new ChunkEncoder();
  if (typeof input === "string") {
    for (const bytes of encoder.encode(input)) parser.write(bytes);
  } else if (input instanceof Uint8Array) {
    parser.write(input);
  } else {
    checkChunks(input, isIterable(input));
    for (const chunk of input) for (const bytes of encoder.encode(chunk)) parser.write(bytes);
  }
  for (const bytes of encoder.flush()) parser.write(bytes);
  return parser.end();
}

/**
 * `parseIfds` for input that arrives over time, such as a file stream or a response body. An aborted signal also ends the
 * wait for a chunk; the input is then told to stop, and not waited for.
 *
 * @example
 * const bytes = new TextEncoder().encode("IFDS 1\nR 0 I\nM 0\nP 0 1 1 0 0 main\nZ\n");
 * const graph = await parseIfdsStream(new Blob([bytes]).stream());
 * graph.procedureCount; // 1
 */
export async function parseIfdsStream(
  input: AsyncIterable<Uint8Array | string>,
  options: ParseOptions = {},
): Promise<ExplodedSupergraph> {
  checkChunks(input, isIterable(input) || Symbol.asyncIterator in Object(input));
  const parser = new IfdsParser(options, undefined);
  const encoder = new ChunkEncoder();
  for await (const chunk of untilAborted(input, options.signal)) {
    for (const bytes of encoder.encode(chunk)) parser.write(bytes);
  }
  for (const bytes of encoder.flush()) parser.write(bytes);
  return parser.end();
}

function checkChunks(input: unknown, areChunks: boolean): void {
  if (areChunks) return;
  throw new TypeError(`Input: got ${show(input)}, expected text or bytes (Uint8Array), whole or in chunks.`);
}

/** The same chunks; throws the signal's reason as soon as it is aborted, also while the next chunk is on its way. */
async function* untilAborted<T>(
  input: AsyncIterable<T> | Iterable<T>,
  signal: AbortSignal | undefined,
): AsyncIterable<T> {
  signal?.throwIfAborted();
  if (signal === undefined || !(Symbol.asyncIterator in input)) {
    yield* input;
    return;
  }
  const iterator = input[Symbol.asyncIterator]();
  let isOpen = true;
  try {
    for (;;) {
      const { done, value } = await settledOrAborted(iterator.next(), signal);
      if (done === true) {
        isOpen = false;
        return;
      }
      yield value;
    }
  } catch (error) {
    isOpen = signal.aborted;
    throw error;
  } finally {
    if (isOpen) {
      // An input that does not answer to `next` may not answer to this either.
      const closed = iterator.return?.();
      if (signal.aborted) closed?.catch(() => {});
      else await closed;
    }
  }
}

function settledOrAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** How far the file has got; records may only move on. */
enum Stage {
  Version,
  Header,
  Relations,
  Entry,
  Procedures,
  Done,
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANK = 0x20;
const COMMA = 0x2c;
const DASH = 0x2d;
const ZERO = 0x30;
const GREATER = 0x3e;

/** Bytes between two calls of `onProgress`. */
const SLICE = 1 << 20;

class IfdsParser {
  readonly #options: ParseOptions;
  readonly #total: number | undefined;
  #bytesRead = 0;

  /** The start of a line whose end has not arrived yet. */
  #carry = new Uint8Array(256);
  #carryLength = 0;

  /** The line at hand: `#bytes[#position .. #end]`. */
  #bytes = new Uint8Array(0);
  #position = 0;
  #end = 0;
  #line = 0;

  #stage = Stage.Version;
  #version = 1;
  readonly #header: [string, string][] = [];
  readonly #relations = new RelationTable();
  #entry = 0;
  #entryLine = 0;

  readonly #size = new ProgramSize();
  readonly #names: string[] = [];
  readonly #vertexCount = new GrowableUint32();
  readonly #factCount = new GrowableUint32();
  readonly #startVertex = new GrowableUint32();
  readonly #exitStart = new GrowableUint32();
  readonly #exits = new GrowableUint32();
  readonly #edgeStart = new GrowableUint32();
  readonly #edgeSource = new GrowableUint32();
  readonly #edgeTarget = new GrowableUint32();
  readonly #edgeRelation = new GrowableUint32();
  readonly #bypassStart = new GrowableUint32();
  readonly #bypassCall = new GrowableUint32();
  readonly #bypassReturn = new GrowableUint32();
  readonly #bypassRelation = new GrowableUint32();
  readonly #callStart = new GrowableUint32();
  readonly #callVertex = new GrowableUint32();
  readonly #callReturn = new GrowableUint32();
  readonly #callCallee = new GrowableUint32();
  readonly #callEntryRelation = new GrowableUint32();
  readonly #callExitRelation = new GrowableUint32();
  /** The exit vertex plus 1; 0 stands for the callee's first exit, which may not be known yet. */
  readonly #callExit = new GrowableUint32();
  /** Line of each call: callees are checked at the end, when all procedures are known. */
  readonly #callLine = new GrowableUint32();

  /** Sizes of the current procedure, and its `t` lines: call vertex * MAX_VERTICES + return site. */
  #vertices = 0;
  #facts = 0;
  readonly #bypasses = new Set<number>();

  constructor(options: ParseOptions, total: number | undefined) {
    this.#options = options;
    this.#total = total;
  }

  write(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length; from += SLICE) {
      const slice = chunk.subarray(from, from + SLICE);
      this.#options.signal?.throwIfAborted();
      this.#split(slice);
      this.#bytesRead += slice.length;
      this.#options.onProgress?.(this.#bytesRead, this.#total);
    }
  }

  end(): ExplodedSupergraph {
    this.#options.signal?.throwIfAborted();
    if (0 < this.#carryLength) this.#record(this.#carry, 0, this.#carryLength);
    if (this.#stage !== Stage.Done) {
      this.#line++;
      this.#fail(
        this.#stage === Stage.Version
          ? "got an empty input, expected IFDS 1 or IFDS 2"
          : "got the end of the input, expected further records up to the last line Z",
      );
    }
    this.#checkCalls();
    return {
      procedureCount: this.#names.length,
      names: this.#names,
      vertexCount: this.#vertexCount.toArray(),
      factCount: this.#factCount.toArray(),
      startVertex: this.#startVertex.toArray(),
      exitStart: this.#exitStart.toArray(),
      exits: this.#exits.toArray(),
      edgeStart: this.#edgeStart.toArray(),
      edgeSource: this.#edgeSource.toArray(),
      edgeTarget: this.#edgeTarget.toArray(),
      edgeRelation: this.#edgeRelation.toArray(),
      bypassStart: this.#bypassStart.toArray(),
      bypassCall: this.#bypassCall.toArray(),
      bypassReturn: this.#bypassReturn.toArray(),
      bypassRelation: this.#bypassRelation.toArray(),
      callStart: this.#callStart.toArray(),
      callVertex: this.#callVertex.toArray(),
      callReturn: this.#callReturn.toArray(),
      callCallee: this.#callCallee.toArray(),
      callEntryRelation: this.#callEntryRelation.toArray(),
      callExitRelation: this.#callExitRelation.toArray(),
      callExit: this.#callExit.toArray(),
      relations: this.#relations.build(),
      entry: this.#entry,
      header: this.#header,
    };
  }

  /** Hands every complete line to `#record` and carries the rest over. */
  #split(chunk: Uint8Array): void {
    let start = 0;
    if (0 < this.#carryLength) {
      const newline = chunk.indexOf(LINE_FEED);
      this.#keep(newline < 0 ? chunk : chunk.subarray(0, newline));
      if (newline < 0) return;
      this.#record(this.#carry, 0, this.#carryLength);
      this.#carryLength = 0;
      start = newline + 1;
    }
    for (let newline = 0; 0 <= (newline = chunk.indexOf(LINE_FEED, start)); start = newline + 1) {
      this.#record(chunk, start, newline);
    }
    this.#keep(chunk.subarray(start));
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

  #record(bytes: Uint8Array, start: number, end: number): void {
    this.#line++;
    this.#bytes = bytes as Uint8Array<ArrayBuffer>;
    this.#position = start;
    this.#end = start < end && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
    if (this.#stage === Stage.Version) {
      this.#versionRecord();
      return;
    }
    if (this.#stage === Stage.Done) {
      this.#fail(`got ${this.#show(start, "an empty line")} after Z, expected the end of the input`);
    }
    const kind = start < this.#end ? String.fromCharCode(bytes[start]) : "";
    if (kind === "#") return;
    if (start + 1 < this.#end && bytes[start + 1] !== BLANK) this.#unknownRecord();
    this.#position++;
    switch (kind) {
      case "e":
        this.#edgeRecord();
        break;
      case "t":
        this.#bypassRecord();
        break;
      case "c":
        this.#callRecord();
        break;
      case "P":
        this.#procedureRecord();
        break;
      case "R":
        this.#relationRecord();
        break;
      case "h":
        this.#headerRecord();
        break;
      case "M":
        this.#entryRecord();
        break;
      case "Z":
        this.#advance("Z", Stage.Procedures, Stage.Procedures, Stage.Done);
        this.#closeProcedure();
        this.#finishLine();
        break;
      default:
        this.#position--;
        this.#unknownRecord();
    }
  }

  #versionRecord(): void {
    if (this.#bytes[this.#position] === 0x1f && this.#bytes[this.#position + 1] === 0x8b) {
      this.#fail("got gzip-compressed data, expected text");
    }
    const line = this.#text(this.#position, this.#end);
    if (line !== "IFDS 1" && line !== "IFDS 2") {
      this.#fail(`got ${this.#show(this.#position, "an empty line")}, expected IFDS 1 or IFDS 2`);
    }
    this.#version = line === "IFDS 1" ? 1 : 2;
    this.#stage = Stage.Header;
  }

  #headerRecord(): void {
    this.#advance("h", Stage.Header, Stage.Header, Stage.Header);
    if (this.#position < this.#end) this.#position++;
    const rest = this.#text(this.#position, this.#end);
    const blank = rest.indexOf(" ");
    const key = blank < 0 ? rest : rest.slice(0, blank);
    if (key === "") this.#fail("got an h record without key, expected h KEY VALUE");
    if (rest.includes("\r"))
      this.#fail(`got ${JSON.stringify(rest)}, expected a key and a value without line ends`);
    this.#header.push([key, blank < 0 ? "" : rest.slice(blank + 1)]);
  }

  #relationRecord(): void {
    this.#advance("R", Stage.Header, Stage.Relations, Stage.Relations);
    const relations = this.#relations;
    this.#expectNumber("relation number", relations.count);
    const mode = this.#word();
    if (mode !== "I" && mode !== "X")
      this.#fail(`got relation mode ${JSON.stringify(mode)}, expected I or X`);
    relations.begin(mode === "I" ? "identity" : "nothing");
    while (this.#position < this.#end) {
      const first = this.#field("a source fact");
      let last = first;
      if (this.#at(DASH)) {
        this.#position++;
        last = this.#number("the last source fact of a range");
        if (last < first) this.#fail(`got the range ${first}-${last}, expected ascending source facts`);
      }
      if (!this.#at(GREATER)) this.#fail(`got ${this.#show(this.#position)} after a source fact, expected >`);
      this.#position++;
      relations.entry(first, last);
      if (this.#position < this.#end && !this.#at(BLANK)) {
        for (;;) {
          const target = this.#number("a target fact");
          if (MAX_FACTS <= target) this.#fail(`got target fact ${target}, expected at most ${MAX_FACTS - 1}`);
          relations.target(target);
          if (!this.#at(COMMA)) break;
          this.#position++;
        }
      }
    }
    const duplicate = relations.end();
    if (duplicate !== undefined) {
      this.#fail(`got source fact ${duplicate} in two entries, expected each source in at most one`);
    }
    if (relations.count === 1 && !relations.isIdentity(0)) {
      this.#fail("got another relation 0, expected the identity, R 0 I");
    }
  }

  #entryRecord(): void {
    if (this.#relations.count === 0) this.#fail("got M before any relation, expected R 0 I");
    this.#advance("M", Stage.Relations, Stage.Relations, Stage.Entry);
    this.#entry = this.#field("an entry procedure");
    this.#entryLine = this.#line;
    this.#finishLine();
  }

  #procedureRecord(): void {
    if (this.#stage < Stage.Entry) this.#fail("got P before M, expected the entry procedure first, M PID");
    this.#advance("P", Stage.Entry, Stage.Procedures, Stage.Procedures);
    this.#closeProcedure();
    this.#expectNumber("procedure number", this.#names.length);
    const vertices = (this.#vertices = this.#field("a number of vertices"));
    const facts = (this.#facts = this.#field("a number of facts"));
    if (vertices === 0) this.#fail("got 0 vertices, expected at least 1");
    if (facts === 0) this.#fail("got 0 facts, expected at least 1, the zero fact");
    const excess = this.#size.add(vertices, facts);
    if (excess !== undefined) this.#fail(excess);
    this.#startVertex.push(this.#vertex("a start vertex"));

    this.#exitStart.push(this.#exits.length);
    this.#exits.push(this.#below(this.#field("an exit vertex"), vertices, "an exit vertex"));
    while (this.#at(COMMA)) {
      if (this.#version === 1)
        this.#fail("got several exits in version 1, expected one exit vertex or IFDS 2");
      this.#position++;
      const exit = this.#below(this.#number("an exit vertex"), vertices, "an exit vertex");
      const from = this.#exitStart.items[this.#names.length];
      if (this.#exits.items.subarray(from, this.#exits.length).includes(exit)) {
        this.#fail(`got exit vertex ${exit} twice, expected different exits`);
      }
      this.#exits.push(exit);
    }
    const name = this.#word();
    if (name === "") this.#fail("got an empty procedure name, expected a name without blanks");
    if (name.includes("\r")) {
      this.#fail(`got procedure name ${JSON.stringify(name)}, expected a name without blanks and line ends`);
    }
    this.#finishLine();

    this.#names.push(name);
    this.#vertexCount.push(vertices);
    this.#factCount.push(facts);
    this.#edgeStart.push(this.#edgeSource.length);
    this.#bypassStart.push(this.#bypassCall.length);
    this.#callStart.push(this.#callVertex.length);
  }

  #edgeRecord(): void {
    if (this.#stage !== Stage.Procedures) this.#outsideProcedure("e");
    this.#edgeSource.push(this.#vertex("a vertex"));
    this.#edgeTarget.push(this.#vertex("a vertex"));
    this.#edgeRelation.push(this.#innerRelation());
    this.#finishLine();
  }

  #bypassRecord(): void {
    if (this.#stage !== Stage.Procedures) this.#outsideProcedure("t");
    const call = this.#vertex("a call vertex");
    const returnSite = this.#vertex("a return site");
    const relation = this.#innerRelation();
    this.#finishLine();

    const key = call * MAX_VERTICES + returnSite;
    if (!this.#bypasses.has(key)) {
      this.#bypasses.add(key);
      this.#bypassCall.push(call);
      this.#bypassReturn.push(returnSite);
      this.#bypassRelation.push(relation);
    } else if (this.#version === 1) {
      // two call sites of version 1 share both vertices: the further edge carries the same facts as an ordinary one
      this.#edgeSource.push(call);
      this.#edgeTarget.push(returnSite);
      this.#edgeRelation.push(relation);
    } else {
      this.#fail(
        `got a second t line from ${call} to ${returnSite}, expected at most one per call and return site`,
      );
    }
  }

  #callRecord(): void {
    if (this.#stage !== Stage.Procedures) this.#outsideProcedure("c");
    this.#callVertex.push(this.#vertex("a call vertex"));
    this.#callReturn.push(this.#vertex("a return site"));
    this.#callCallee.push(this.#field("a callee"));
    this.#callEntryRelation.push(this.#relation());
    this.#callExitRelation.push(this.#relation());
    if (this.#position < this.#end) {
      if (this.#version === 1) {
        this.#fail(
          `got ${this.#show(this.#position)} after the relations in version 1, expected the end of the line`,
        );
      }
      const exit = this.#field("an exit vertex");
      if (MAX_VERTICES <= exit) this.#fail(`got exit vertex ${exit}, expected at most ${MAX_VERTICES - 1}`);
      this.#callExit.push(exit + 1);
    } else {
      this.#callExit.push(0);
    }
    this.#finishLine();
    this.#callLine.push(this.#line);
  }

  /** In version 1 every call has a `t` line. */
  #closeProcedure(): void {
    if (this.#version === 1 && 0 < this.#names.length) {
      const from = this.#callStart.items[this.#names.length - 1];
      for (let i = from; i < this.#callVertex.length; i++) {
        const call = this.#callVertex.items[i];
        const returnSite = this.#callReturn.items[i];
        if (this.#bypasses.has(call * MAX_VERTICES + returnSite)) continue;
        this.#fail(
          `got a call from ${call} returning to ${returnSite} without t line in version 1, expected one or IFDS 2`,
          this.#callLine.items[i],
        );
      }
    }
    if (0 < this.#bypasses.size) this.#bypasses.clear();
  }

  /** What can only be checked when every procedure is known; completes the lists of starts and the default exits. */
  #checkCalls(): void {
    const procedures = this.#names.length;
    if (procedures <= this.#entry) {
      this.#fail(`got entry procedure ${this.#entry}, expected at most ${procedures - 1}`, this.#entryLine);
    }
    this.#exitStart.push(this.#exits.length);
    this.#edgeStart.push(this.#edgeSource.length);
    this.#bypassStart.push(this.#bypassCall.length);
    this.#callStart.push(this.#callVertex.length);

    for (let caller = 0; caller < procedures; caller++) {
      const facts = this.#factCount.items[caller];
      for (let i = this.#callStart.items[caller]; i < this.#callStart.items[caller + 1]; i++) {
        const line = this.#callLine.items[i];
        const callee = this.#callCallee.items[i];
        if (procedures <= callee)
          this.#fail(`got callee ${callee}, expected at most ${procedures - 1}`, line);
        const calleeFacts = this.#factCount.items[callee];
        const misfit =
          this.#relations.misfit(this.#callEntryRelation.items[i], facts, calleeFacts) ??
          this.#relations.misfit(this.#callExitRelation.items[i], calleeFacts, facts);
        if (misfit !== undefined) this.#fail(misfit, line);

        const exits = this.#exits.items.subarray(
          this.#exitStart.items[callee],
          this.#exitStart.items[callee + 1],
        );
        const exit = this.#callExit.items[i] === 0 ? exits[0] : this.#callExit.items[i] - 1;
        if (!exits.includes(exit)) {
          this.#fail(
            `got exit ${exit} of procedure ${callee}, expected ${[...exits].slice(0, 8).join(" or ")}`,
            line,
          );
        }
        this.#callExit.items[i] = exit;
      }
    }
  }

  #advance(kind: string, from: Stage, to: Stage, next: Stage): void {
    if (this.#stage < from || to < this.#stage) {
      this.#fail(`got record ${kind} out of order, expected the order h, R, M, P with e, t and c, Z`);
    }
    this.#stage = next;
  }

  #outsideProcedure(kind: string): never {
    this.#fail(`got record ${kind} before the first procedure, expected P first`);
  }

  #unknownRecord(): never {
    this.#fail(
      `got ${this.#show(this.#position, "an empty line")}, expected a record h, R, M, P, e, t, c, Z or a comment #`,
    );
  }

  /** Reads a vertex of the current procedure. */
  #vertex(what: string): number {
    return this.#below(this.#field(what), this.#vertices, what);
  }

  #relation(): number {
    return this.#below(this.#field("a relation"), this.#relations.count, "a relation");
  }

  /** Reads a relation that stays in the current procedure. */
  #innerRelation(): number {
    const relation = this.#relation();
    const misfit = this.#relations.misfit(relation, this.#facts, this.#facts);
    if (misfit !== undefined) this.#fail(misfit);
    return relation;
  }

  #below(got: number, limit: number, what: string): number {
    if (limit <= got) this.#fail(`got ${what.replace(/^an? /, "")} ${got}, expected at most ${limit - 1}`);
    return got;
  }

  #expectNumber(what: string, expected: number): void {
    const got = this.#field(`a ${what}`);
    if (got !== expected) this.#fail(`got ${what} ${got}, expected ${expected} (they are numbered in order)`);
  }

  /** Reads a blank and a number. */
  #field(what: string): number {
    if (!this.#at(BLANK)) {
      if (this.#end <= this.#position) this.#fail(`got the end of the line, expected ${what}`);
      this.#fail(`got ${this.#show(this.#position)}, expected one blank and ${what}`);
    }
    this.#position++;
    return this.#number(what);
  }

  #number(what: string): number {
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
        this.#fail(`got ${this.#show(start)} for ${what}, expected a number of at most 4294967295`);
      }
    }
    if (position === start) {
      this.#fail(
        start < end
          ? `got ${this.#show(start)}, expected ${what}`
          : `got the end of the line, expected ${what}`,
      );
    }
    this.#position = position;
    return value;
  }

  /** Reads a blank and everything up to the next one. */
  #word(): string {
    if (!this.#at(BLANK)) this.#fail(`got ${this.#show(this.#position)}, expected a further field`);
    const start = ++this.#position;
    while (this.#position < this.#end && !this.#at(BLANK)) this.#position++;
    return this.#text(start, this.#position);
  }

  #finishLine(): void {
    if (this.#position < this.#end)
      this.#fail(`got ${this.#show(this.#position)}, expected the end of the line`);
  }

  #at(byte: number): boolean {
    return this.#position < this.#end && this.#bytes[this.#position] === byte;
  }

  #text(start: number, end: number): string {
    try {
      return utf8.decode(this.#bytes.subarray(start, end));
    } catch {
      this.#fail("got bytes that are no UTF-8, expected text");
    }
  }

  /** The line from `start` on, quoted and cut short for a message. */
  #show(start: number, nothing = "the end of the line"): string {
    const bytes = this.#bytes.subarray(start, Math.min(this.#end, start + 40));
    if (bytes.length === 0) return nothing;
    return JSON.stringify(new TextDecoder().decode(bytes)) + (start + 40 < this.#end ? "..." : "");
  }

  #fail(problem: string, line = this.#line): never {
    throw new InputError(this.#options.name ?? "input", line, problem);
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Strings as bytes, piece by piece through one small buffer: a chunk is only valid until the next one is asked for. */
class ChunkEncoder {
  static readonly #LENGTH = 1 << 16;
  readonly #encoder = new TextEncoder();
  #buffer = new Uint8Array(0);
  /** First half of a surrogate pair at the end of the last chunk. */
  #half = "";

  *encode(chunk: Uint8Array | string): Iterable<Uint8Array> {
    if (typeof chunk !== "string") {
      yield* this.flush();
      yield chunk;
      return;
    }
    for (let from = 0; from < chunk.length; from += ChunkEncoder.#LENGTH) {
      let piece = this.#half + chunk.slice(from, from + ChunkEncoder.#LENGTH);
      const split = (piece.charCodeAt(piece.length - 1) & 0xfc00) === 0xd800;
      this.#half = split ? piece.slice(-1) : "";
      if (split) piece = piece.slice(0, -1);
      yield this.#bytes(piece);
    }
  }

  *flush(): Iterable<Uint8Array> {
    if (this.#half === "") return;
    const half = this.#half;
    this.#half = "";
    yield this.#bytes(half);
  }

  #bytes(text: string): Uint8Array {
    // a UTF-16 unit takes at most 3 bytes
    if (this.#buffer.length === 0) this.#buffer = new Uint8Array(3 * (ChunkEncoder.#LENGTH + 1));
    return this.#buffer.subarray(0, this.#encoder.encodeInto(text, this.#buffer).written);
  }
}
