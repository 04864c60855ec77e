/**
 * Writes what commands make: to a file, or for the path `-` to standard output. A text comes in pieces, so that none of a
 * whole program is ever in memory; gzip where the path ends in `.gz`.
 */

import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Host } from "./host.js";
import { readError } from "./input.js";

/** Returns how many bytes went out. Fails with an `InputError` that names the file. */
export async function writeText(path: string, pieces: Iterable<string>, host: Host): Promise<number> {
  if (path === "-") {
    let length = 0;
    for (const piece of pieces) {
      const bytes = new TextEncoder().encode(piece);
      host.stdout.write(bytes);
      length += bytes.length;
    }
    return length;
  }
  const file = createWriteStream(path);
  try {
    const text = Readable.from(pieces);
    await (path.endsWith(".gz") ? pipeline(text, createGzip(), file) : pipeline(text, file));
  } catch (error) {
    throw readError(path, error);
  }
  return file.bytesWritten;
}
