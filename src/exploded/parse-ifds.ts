/**
 * Reads the `.ifds` text form, versions 1 and 2, into an `ExplodedSupergraph`. Its lines (line-fields.ts) are read as the
 * chunks of bytes come in (byte-chunks.ts); beyond the growing result (ifds-records.ts) one unfinished line is held, so that
 * files of any size can be streamed.
 */

import { ChunkEncoder, checkChunks, untilAborted } from "./byte-chunks.js";
import type { ExplodedSupergraph } from "./exploded-supergraph.js";
import { IfdsRecords } from "./ifds-records.js";
import { LineFields } from "./line-fields.js";
import { isIterable } from "./shown-value.js";

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

/** Bytes between two calls of `onProgress`. */
const SLICE = 1 << 20;

class IfdsParser {
  readonly #options: ParseOptions;
  readonly #total: number | undefined;
  readonly #line: LineFields;
  readonly #records: IfdsRecords;
  #bytesRead = 0;

  constructor(options: ParseOptions, total: number | undefined) {
    this.#options = options;
    this.#total = total;
    this.#line = new LineFields(options.name ?? "input");
    this.#records = new IfdsRecords(this.#line);
  }

  write(chunk: Uint8Array): void {
    const line = this.#line;
    for (let from = 0; from < chunk.length; from += SLICE) {
      const slice = chunk.subarray(from, from + SLICE);
      this.#options.signal?.throwIfAborted();
      line.feed(slice);
      while (line.next()) this.#records.record();
      this.#bytesRead += slice.length;
      this.#options.onProgress?.(this.#bytesRead, this.#total);
    }
  }

  end(): ExplodedSupergraph {
    this.#options.signal?.throwIfAborted();
    if (this.#line.last()) this.#records.record();
    return this.#records.end();
  }
}
