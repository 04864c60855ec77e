/**
 * The file of a saved program index: a header, a table of contents in JSON, and sections of bytes, each at a multiple of 8.
 * Everything is covered by a checksum; the header names format, kernel and length, as that of an engine's index does.
 *
 *     word 0  magic "PHPI"     1  format version     2  hash of the kernel     3  checksum
 *     4, 5    bytes of the table of contents, bytes in all     then up to word 64: 0
 */

import { H_CHECKSUM, HEADER_WORDS } from "../../assembly/image.js";
import { kernelHash } from "../../build/kernel-hash.js";
import { InputError } from "../exploded/input-error.js";
import { checksum } from "../image/checksum.js";

const MAGIC = 0x49504850;
const FORMAT_VERSION = 1;
const HEADER_BYTES = 4 * HEADER_WORDS;
const [VERSION, KERNEL, TABLE_BYTES, LENGTH] = [1, 2, 4, 5];

export interface Container {
  /** JSON. */
  readonly table: unknown;
  readonly sections: readonly Uint8Array[];
}

const aligned = (bytes: number): number => Math.ceil(bytes / 8) * 8;

/** Whether bytes begin as a saved program index does. */
export function isProgramIndex(bytes: Uint8Array): boolean {
  return 4 <= bytes.length && new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) === MAGIC;
}

export function writeContainer({ table, sections }: Container): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(
    JSON.stringify({ lengths: sections.map(({ length }) => length), table }),
  );
  const length = sections.reduce(
    (sum, { length }) => sum + aligned(length),
    HEADER_BYTES + aligned(text.length),
  );
  const bytes = new Uint8Array(length);
  bytes.set(text, HEADER_BYTES);
  let at = HEADER_BYTES + aligned(text.length);
  for (const section of sections) {
    bytes.set(section, at);
    at += aligned(section.length);
  }
  const words = new Uint32Array(bytes.buffer);
  words[0] = MAGIC;
  words[VERSION] = FORMAT_VERSION;
  words[KERNEL] = kernelHash;
  words[TABLE_BYTES] = text.length;
  words[LENGTH] = length;
  words[H_CHECKSUM] = checksum(words);
  return bytes;
}

/** Throws an `InputError` of one sentence where the bytes are cut, damaged, or of another kind, version or kernel. */
export function readContainer(bytes: Uint8Array, name: string): Container {
  const fail = (where: string, got: string, expected: string): never => {
    throw new InputError(name, undefined, `${where}: got ${got}, expected ${expected}`);
  };
  if (!isProgramIndex(bytes))
    fail("offset 0", bytes.length < 4 ? `${bytes.length} bytes` : "another file", 'a program index ("PHPI")');
  if (bytes.length < HEADER_BYTES || bytes.length % 8 !== 0)
    fail("length", `${bytes.length} bytes`, `a multiple of 8 and at least ${HEADER_BYTES}: the file is cut`);
  const words =
    bytes.byteOffset % 4 === 0
      ? new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
      : new Uint32Array(bytes.slice().buffer);
  if (words[VERSION] !== FORMAT_VERSION)
    fail("offset 4", `format version ${words[VERSION]}`, `version ${FORMAT_VERSION}: make the index anew`);
  if (words[KERNEL] !== kernelHash) {
    const hex = (hash: number) => hash.toString(16).padStart(8, "0");
    fail(
      "offset 8",
      `an index of kernel ${hex(words[KERNEL])}`,
      `one of kernel ${hex(kernelHash)}: make the index anew`,
    );
  }
  if (words[LENGTH] !== bytes.length)
    fail("length", `${bytes.length} bytes`, `${words[LENGTH]} as the header says`);
  const sum = checksum(words);
  if (sum !== words[H_CHECKSUM])
    fail("checksum", `0x${sum.toString(16)}`, `0x${words[H_CHECKSUM].toString(16)}: the data is damaged`);
  const own = new Uint8Array(words.buffer, words.byteOffset, bytes.length);
  const { lengths, table } = JSON.parse(
    new TextDecoder().decode(own.subarray(HEADER_BYTES, HEADER_BYTES + words[TABLE_BYTES])),
  ) as { lengths: readonly number[]; table: unknown };
  let at = HEADER_BYTES + aligned(words[TABLE_BYTES]);
  const sections = lengths.map((length) => {
    const section = own.subarray(at, at + length);
    at += aligned(length);
    return section;
  });
  return { table, sections };
}
