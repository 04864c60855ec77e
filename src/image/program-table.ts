/** Names and sizes of a program's procedures, as the index has them. */

import * as I from "../../assembly/image.js";

export interface ProgramTable {
  readonly names: readonly string[];
  readonly vertexCount: Uint32Array;
  readonly factCount: Uint32Array;
}

export function readProgramTable(image: Uint32Array): ProgramTable {
  const procedures = image[I.H_PROCEDURES];
  const records = image[I.H_PROCEDURE] / 4;
  const vertexCount = new Uint32Array(procedures);
  const factCount = new Uint32Array(procedures);
  for (let p = 0; p < procedures; p++) {
    const at = records + p * I.PROCEDURE_WORDS;
    vertexCount[p] = image[at + I.P_VERTICES];
    factCount[p] = image[at + I.P_FACTS];
  }
  const nameStart = image[I.H_NAME_START] / 4;
  // Shared memory cannot be decoded in place.
  const bytes = new Uint8Array(
    image.buffer,
    image.byteOffset + image[I.H_NAMES],
    image[I.H_NAME_BYTES],
  ).slice();
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const all = decoder.decode(bytes);
  const names: string[] = [];
  for (let p = 0; p < procedures; p++) {
    const from = image[nameStart + p];
    const to = image[nameStart + p + 1];
    // Plain ASCII is as long in characters as in bytes: cut it from one string.
    names.push(all.length === bytes.length ? all.slice(from, to) : decoder.decode(bytes.subarray(from, to)));
  }
  return { names, vertexCount, factCount };
}

/** The table with one procedure replaced. */
export function replaceInTable(
  { names, vertexCount, factCount }: ProgramTable,
  p: number,
  procedure: { name: string; vertexCount: number; factCount: number },
): ProgramTable {
  return {
    names: names[p] === procedure.name ? names : names.with(p, procedure.name),
    vertexCount: vertexCount.with(p, procedure.vertexCount),
    factCount: factCount.with(p, procedure.factCount),
  };
}
