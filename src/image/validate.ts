/**
 * Checks saved index data before anything reads it: magic, length, version and kernel by its header, then the checksum
 * over all of it, which the engine computes on the copy that it opens.
 */

import * as I from "../../assembly/image.js";
import { kernelHash } from "../../build/kernel-hash.js";
import { InputError } from "../exploded/input-error.js";
import { checksum } from "./checksum.js";

const HEADER_BYTES = 4 * I.HEADER_WORDS;

/** The data as words, its header validated; throws an `InputError` of one sentence otherwise. `name` is what errors call the data. */
export function readHeader(data: ArrayBufferLike | Uint8Array, name = "index"): Uint32Array {
  const fail = (where: string, got: string, expected: string): never => {
    throw new InputError(name, undefined, `${where}: got ${got}, expected ${expected}`);
  };
  const bytes = data instanceof Uint8Array ? data : new Uint8Array(data);
  const length = bytes.byteLength;
  const magic =
    4 <= length ? (bytes[0] | (bytes[1] << 8) | (bytes[2] << 16) | (bytes[3] << 24)) >>> 0 : undefined;
  if (magic !== I.MAGIC) {
    fail(
      "offset 0",
      magic === undefined ? `${length} bytes` : `0x${magic.toString(16)}`,
      'an index ("PHLM")',
    );
  }
  if (length < HEADER_BYTES || length % 8 !== 0) {
    fail("length", `${length} bytes`, `a multiple of 8 and at least ${HEADER_BYTES}: the file is cut`);
  }
  // Words want alignment; a view at an odd offset of a larger buffer is copied.
  const words =
    bytes.byteOffset % 4 === 0
      ? new Uint32Array(bytes.buffer, bytes.byteOffset, length / 4)
      : new Uint32Array(bytes.slice().buffer);
  if (words[I.H_VERSION] !== I.FORMAT_VERSION) {
    fail("offset 4", `format version ${words[I.H_VERSION]}`, `version ${I.FORMAT_VERSION}`);
  }
  if (words[I.H_KERNEL] !== kernelHash) {
    const hex = (hash: number) => hash.toString(16).padStart(8, "0");
    fail("offset 8", `an index of kernel ${hex(words[I.H_KERNEL])}`, `one of kernel ${hex(kernelHash)}`);
  }
  if (words[I.H_LENGTH] * 8 !== length) {
    fail("length", `${length} bytes`, `${words[I.H_LENGTH] * 8} as the header says`);
  }
  return words;
}

/** The error of data whose checksum is not what its header says. */
export function damaged(words: Uint32Array, name = "index"): InputError {
  const [got, expected] = [checksum(words), words[I.H_CHECKSUM]].map(
    (sum) => `0x${sum.toString(16).padStart(8, "0")}`,
  );
  return new InputError(name, undefined, `checksum: got ${got}, expected ${expected}: the data is damaged`);
}
