/**
 * Reads `.q` files: queries with their answers, one per line. Everything is checked against the program at hand, so that
 * answering needs no checks; errors name the line.
 */

import { InputError } from "../index.js";
import type { Shape } from "./engines.js";

/** Kinds of pair queries: uniform, biased, and true through callee summaries alone. */
export type PairKind = "p" | "b" | "i";
export type Kind = PairKind | "s" | "x" | "y";
export const KINDS: readonly Kind[] = ["p", "b", "i", "s", "x", "y"];

/** A number of answers and the sum of their hashes. */
export interface Digest {
  readonly count: number;
  readonly hash: string;
}

interface Line {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

export interface PairLine extends Line {
  readonly p: number;
  readonly u: number;
  readonly d1: number;
  readonly v: number;
  readonly d2: number;
  /** From (u, d1), and from (u, d1) or (u, 0). */
  readonly reaches: number;
  readonly meets: number;
}

export interface SourceLine extends Line, Digest {
  readonly p: number;
  readonly u: number;
  readonly d1: number;
}

export interface ExhaustiveLine extends Line, Digest {
  readonly p: number;
  /** Whether all facts of the start are seeds, not the zero fact alone. */
  readonly allFacts: boolean;
}

export interface SummaryLine extends Line, Digest {}

export interface QueryFile {
  readonly p: readonly PairLine[];
  readonly b: readonly PairLine[];
  readonly i: readonly PairLine[];
  readonly s: readonly SourceLine[];
  readonly x: readonly ExhaustiveLine[];
  readonly y: readonly SummaryLine[];
}

/** Longest line that is looked at: anything longer is no query. */
const LONGEST_LINE = 4096;

export async function readQueryFile(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  shape: Shape,
): Promise<QueryFile> {
  const parser = new QueryParser(name, shape);
  const decoder = new TextDecoder();
  let carry = "";
  for await (const chunk of chunks) {
    const lines = (carry + decoder.decode(chunk, { stream: true })).split("\n");
    carry = lines.pop()!;
    for (const line of lines) parser.line(line);
    if (LONGEST_LINE < carry.length) parser.line(carry);
  }
  carry += decoder.decode();
  if (carry !== "") parser.line(carry);
  return parser.end();
}

class QueryParser {
  readonly #name: string;
  readonly #shape: Shape;
  readonly #file = {
    p: [] as PairLine[],
    b: [] as PairLine[],
    i: [] as PairLine[],
    s: [] as SourceLine[],
    x: [] as ExhaustiveLine[],
    y: [] as SummaryLine[],
  };
  #line = 0;
  #ended = false;

  constructor(name: string, shape: Shape) {
    this.#name = name;
    this.#shape = shape;
  }

  line(raw: string): void {
    this.#line++;
    const text = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    if (LONGEST_LINE < text.length) {
      this.#fail(`a line of more than ${LONGEST_LINE} characters`, "a query file");
    }
    if (this.#line === 1) {
      if (text !== "QUERIES 1") this.#fail(shown(text), "QUERIES 1");
      return;
    }
    if (this.#ended) {
      if (text !== "") this.#fail(`${shown(text)} after Z`, "the end of the file");
      return;
    }
    if (text.startsWith("#")) return;
    const fields = text.split(" ");
    switch (fields[0]) {
      case "p":
      case "b":
      case "i":
        this.#file[fields[0]].push(this.#pair(text, fields));
        break;
      case "s":
        this.#file.s.push(this.#source(text, fields));
        break;
      case "x":
        this.#file.x.push(this.#exhaustive(text, fields));
        break;
      case "y":
        this.#fields(fields, "y COUNT HASH");
        this.#file.y.push({ line: this.#line, text, ...this.#digest(fields[1], fields[2]) });
        break;
      case "Z":
        this.#fields(fields, "Z");
        this.#ended = true;
        break;
      default:
        this.#fail(shown(text), "a line p, b, i, s, x, y, Z or a comment #");
    }
  }

  end(): QueryFile {
    if (this.#line === 0)
      throw new InputError(this.#name, undefined, "got an empty input, expected QUERIES 1");
    if (!this.#ended) {
      throw new InputError(
        this.#name,
        this.#line,
        "got the end of the input, expected a last line Z: it is cut",
      );
    }
    return this.#file;
  }

  #pair(text: string, fields: readonly string[]): PairLine {
    this.#fields(fields, `${fields[0]} PID U D1 V D2 A B`);
    const p = this.#procedure(fields[1]);
    const query = {
      u: this.#vertex(p, fields[2]),
      d1: this.#fact(p, fields[3]),
      v: this.#vertex(p, fields[4]),
      d2: this.#fact(p, fields[5]),
    };
    const reaches = this.#number("answer A", fields[6], 1);
    const meets = this.#number("answer B", fields[7], 1);
    if (meets < reaches) this.#fail("answers 1 0", "B to be 1 where A is");
    return { line: this.#line, text, p, ...query, reaches, meets };
  }

  #source(text: string, fields: readonly string[]): SourceLine {
    this.#fields(fields, "s PID U D1 COUNT HASH");
    const p = this.#procedure(fields[1]);
    const u = this.#vertex(p, fields[2]);
    const d1 = this.#fact(p, fields[3]);
    return { line: this.#line, text, p, u, d1, ...this.#digest(fields[4], fields[5]) };
  }

  #exhaustive(text: string, fields: readonly string[]): ExhaustiveLine {
    this.#fields(fields, "x PID D COUNT HASH");
    if (fields[2] !== "0" && fields[2] !== "D") this.#fail(`facts ${shown(fields[2])}`, "0 or D");
    const p = this.#procedure(fields[1]);
    return { line: this.#line, text, p, allFacts: fields[2] === "D", ...this.#digest(fields[3], fields[4]) };
  }

  #digest(count: string, hash: string): Digest {
    if (!/^[0-9a-f]{16}$/.test(hash)) this.#fail(`hash ${shown(hash)}`, "16 hexadecimal digits");
    return { count: this.#number("count", count, Number.MAX_SAFE_INTEGER), hash };
  }

  #procedure(text: string): number {
    return this.#number("procedure", text, this.#shape.procedureCount - 1);
  }

  #vertex(p: number, text: string): number {
    return this.#number("vertex", text, this.#shape.vertexCount(p) - 1, ` in procedure ${p}`);
  }

  #fact(p: number, text: string): number {
    return this.#number("fact", text, this.#shape.factCount(p) - 1, ` in procedure ${p}`);
  }

  #number(what: string, text: string, most: number, where = ""): number {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : -1;
    if (value < 0) this.#fail(`${what} ${shown(text)}`, "a non-negative decimal integer");
    if (most < value) this.#fail(`${what} ${text}${where}`, `at most ${most}`);
    return value;
  }

  #fields(fields: readonly string[], form: string): void {
    const expected = form.split(" ").length;
    if (fields.length !== expected) {
      this.#fail(`${fields.length - 1} fields after ${fields[0]}`, `${expected - 1}: ${form}`);
    }
  }

  #fail(got: string, expected: string): never {
    throw new InputError(this.#name, this.#line, `got ${got}, expected ${expected}`);
  }
}

/** A short, printable form of what stands in a file. */
function shown(text: string): string {
  if (text === "") return "an empty field or line";
  const start = text.length <= 40 ? text : `${text.slice(0, 40)}...`;
  return JSON.stringify(start).replace(/[\u007f-\u009f\ufffd]/g, "?");
}
