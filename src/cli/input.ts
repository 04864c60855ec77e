/**
 * Reads what commands are given: instances and indexes, plain or gzip, from files or standard input. What a file is shows
 * in its first bytes, never in its name, and an instance goes through the parser chunk by chunk.
 */

import { type Stats, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { Analysis, type EngineName, type ExplodedSupergraph, InputError, parseIfdsStream } from "../index.js";
import type { Diagnostic } from "../program/diagnostic.js";
import type { Host } from "./host.js";
import type { Progress } from "./progress.js";

/** A file that was read: a program, or the index of one. */
export type Input =
  | { readonly kind: "instance"; readonly name: string; readonly graph: ExplodedSupergraph }
  | {
      readonly kind: "index";
      readonly name: string;
      /** The index in an engine's memory; opened once per engine. */
      open(engine: EngineName): Analysis;
    };

const CHUNK = 1 << 18;
const GZIP = [0x1f, 0x8b];
const INDEX = [0x50, 0x48, 0x4c, 0x4d];
/** Of the index of a program with sources, which is asked by positions. */
const PROGRAM_INDEX = [0x50, 0x48, 0x50, 0x49];

/**
 * Throws the first error among diagnostics, for commands that would answer about another program without that file.
 * `hasLines`: whether lines of diagnostics say something; those of class files do not.
 */
export function throwFailure(diagnostics: readonly Diagnostic[], hasLines = true): void {
  const failure = diagnostics.find(({ severity }) => severity === "error");
  if (failure === undefined) return;
  const { file, line, message } = failure;
  const sentence = message.slice(0, 1).toLowerCase() + message.slice(1).replace(/\.$/, "");
  throw new InputError(file, hasLines ? line : undefined, sentence);
}

/** What errors call a path. */
export const nameOf = (path: string): string => (path === "-" ? "standard input" : path);

/** The instance or index at `path`. An index is checked when it is opened, not before. */
export async function readInput(path: string, host: Host, progress: Progress): Promise<Input> {
  const name = nameOf(path);
  const { head, chunks } = await peek(readBytes(path, host, progress));
  if (startsWith(head, INDEX)) return indexOf(name, await concatenate(chunks));
  if (startsWith(head, PROGRAM_INDEX)) {
    const expected = "an instance (.ifds) or the index of one (what is in here answers phloem ask --index)";
    throw new InputError(name, undefined, `got the index of a program's sources, expected ${expected}`);
  }
  const graph = await parseIfdsStream(chunks, { name });
  progress.end();
  return { kind: "instance", name, graph };
}

function indexOf(name: string, data: Uint8Array): Input {
  const opened = new Map<EngineName, Analysis>();
  return {
    kind: "index",
    name,
    open(engine) {
      let analysis = opened.get(engine);
      if (analysis === undefined) {
        analysis = Analysis.from(data, { engine, name });
        opened.set(engine, analysis);
      }
      return analysis;
    },
  };
}

/** The instance at `path`, for commands that need the program itself. */
export async function readInstance(
  path: string,
  host: Host,
  progress: Progress,
): Promise<ExplodedSupergraph> {
  const input = await readInput(path, host, progress);
  if (input.kind === "instance") return input.graph;
  throw new InputError(input.name, undefined, "got an index, expected an instance (.ifds)");
}

/** The bytes of a file, gzip undone, in chunks. Fails with an `InputError` that names the file. */
export async function* readBytes(path: string, host: Host, progress?: Progress): AsyncGenerator<Uint8Array> {
  const name = nameOf(path);
  const source = path === "-" ? encode(host.stdin) : readFile(path, progress);
  try {
    const { head, chunks } = await peek(source);
    if (startsWith(head, GZIP)) {
      const gunzip = createGunzip({ chunkSize: CHUNK });
      pipeline(Readable.from(chunks), gunzip, () => {});
      yield* gunzip as AsyncIterable<Uint8Array>;
    } else yield* chunks;
  } catch (error) {
    throw readError(name, error);
  }
}

/** All of a file, gzip undone. */
export const readWhole = (path: string, host: Host): Promise<Uint8Array> =>
  concatenate(readBytes(path, host));

/** What is at a path, undefined where there is nothing. Throws an `InputError` where it cannot be looked at. */
export function statsAt(root: string, path: string): Stats | undefined {
  try {
    return statSync(resolve(root, path), { throwIfNoEntry: false });
  } catch (error) {
    throw readError(path, error);
  }
}

/** A failed operation on a file as an `InputError`; other errors as they are. */
export function readError(name: string, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (error instanceof InputError || typeof code !== "string") return error;
  const problems: Record<string, string> = {
    ENOENT: "got no such file, expected a path that exists",
    EISDIR: "got a directory, expected a file",
    ENOTDIR: "got a path through something that is no directory, expected a file",
    ELOOP: "got a symbolic link that leads back to itself, expected a path that exists",
    EACCES: "got a file without permission, expected one that may be opened",
    Z_BUF_ERROR: "got gzip data that end too early, expected a whole file: it is cut",
    Z_DATA_ERROR: `got damaged gzip data (${(error as Error).message}), expected a sound file`,
  };
  if (!(code in problems) && !/^[EZ]/.test(code)) return error;
  return new InputError(
    name === "" ? '""' : name,
    undefined,
    problems[code] ?? `got ${(error as Error).message}, expected a file`,
  );
}

async function* readFile(path: string, progress?: Progress): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    let done = 0;
    for (;;) {
      const { bytesRead, buffer } = await file.read(new Uint8Array(CHUNK), 0, CHUNK, null);
      if (bytesRead === 0) return;
      done += bytesRead;
      progress?.show("reading", done, Math.max(size, done));
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function* encode(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const chunk of chunks) yield typeof chunk === "string" ? encoder.encode(chunk) : chunk;
}

/** The first bytes, four if there are so many, and the whole again. */
async function peek(
  source: AsyncGenerator<Uint8Array>,
): Promise<{ head: Uint8Array; chunks: AsyncGenerator<Uint8Array> }> {
  const first: Uint8Array[] = [];
  let length = 0;
  while (length < 4) {
    const { done, value } = await source.next();
    if (done) break;
    first.push(value);
    length += value.length;
  }
  async function* whole(): AsyncGenerator<Uint8Array> {
    try {
      yield* first;
      yield* source;
    } finally {
      await source.return(undefined);
    }
  }
  return { head: joined(first.map((chunk) => chunk.subarray(0, 4))), chunks: whole() };
}

const startsWith = (bytes: Uint8Array, magic: readonly number[]): boolean =>
  magic.every((byte, i) => bytes[i] === byte);

async function concatenate(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return joined(parts);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
