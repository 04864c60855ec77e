/**
 * What the two engines have in common: the kernel in WebAssembly and the reference in TypeScript both turn an assembled
 * image into a finished one, byte for byte the same, and answer queries from it. Ids have been checked by the caller.
 */

import type { AssembledImage } from "./image/assemble.js";

export interface Engine {
  readonly name: "wasm" | "reference";
  /** Takes an assembled image (which it may write to) through the two phases. */
  preprocess(assembled: AssembledImage): Preprocessing;
  /** As `preprocess`, for a program of a few procedures among many: engines may keep such images together. */
  preprocessSmall(assembled: AssembledImage): Preprocessing;
  /** Takes an image that has been through the first phase elsewhere (`sealed()`), to be labelled. */
  adopt(sealed: Uint32Array, sweepLimit: number): Preprocessing;
  /** Answers from a finished image, which has been validated. */
  open(image: Uint32Array): OpenQueries;
  /** As `open` for an image whose checksum is still to be compared: undefined where it differs. */
  openChecked(image: Uint32Array): OpenQueries | undefined;
}

/** The phases, in call order. Each throws an `OutOfMemoryError` where memory is exhausted. */
export interface Preprocessing {
  /** Summaries of the call graph's components `from .. to - 1`, in order from 0. */
  summarizeComponents(from: number, to: number): void;
  /** Ends the first phase. Until here elimination trees do not matter. */
  endSummaries(): void;
  /** The image after the first phase, everything but labels: to be read, or given its elimination trees, at once. */
  sealed(): Uint32Array;
  /**
   * Plans labels: at most `labelBudget` bytes for one procedure, by elimination after `sweepLimit` sweeps. Returns the
   * length of all labels in units of 8 bytes.
   */
  planLabels(labelBudget: number, sweepLimit: number): number;
  /** The labels to be made here begin at `base` among all labels and have `length`; units of 8 bytes. */
  beginLabels(base: number, length: number): void;
  /** Labels procedures whose labels lie in that range. */
  labelProcedures(from: number, to: number): void;
  /** The image so far, labels included, to be read at once. */
  image(): Uint32Array;
  /**
   * Plans one procedure, decomposed since `endSummaries`: the length of its labels in units of 8 bytes, which may go
   * anywhere.
   */
  planProcedure(p: number, labelBudget: number): number;
  /** Room for labels of `length` in place of less; those there stay. Queries are to be had anew, by `finish`. */
  growLabels(length: number): void;
  /** Labels one procedure into `length` units of 8 bytes at `offset` of the label section. Also after `finish`. */
  labelAt(p: number, offset: number, length: number): void;
  finish(): Queries;
  /** Ends preprocessing in place of `finish`: the engine may use the memory for the next program. */
  discard(): void;
  /**
   * Work done so far, for tests that hold it against the bounds: nodes swept for summaries, words united or composed for
   * labels, most sweeps over one procedure.
   */
  work(): { summaryNodes: number; labelWords: number; sweeps: number };
}

export interface Queries {
  reaches(p: number, u: number, d1: number, v: number, d2: number): boolean;
  /** Writes the answers of all queries; returns how many were answered before one with ids out of range. */
  reachesMany(queries: Uint32Array, answers: Uint8Array): number;
  /** Rows of `ceil(facts / 32)` words per vertex. */
  from(p: number, u: number, d1: number): Uint32Array;
  /** The same from several seeds (v, d). */
  fromMany(p: number, seeds: Uint32Array): Uint32Array;
  /** The row of v reached from any of `facts` at u. */
  at(p: number, u: number, facts: Uint32Array, v: number): Uint32Array;
  /** A row per start fact: what vertex `exit` is reached with from the start. */
  summary(p: number, exit: number): Uint32Array;
  /** Rows of all procedures, one after another, from seeds (p, v, d). */
  entering(seeds: Uint32Array): Uint32Array;
  /** Words of labels that pair queries have read so far, counted by debug builds of the kernel alone; 0 elsewhere. */
  work(): number;
  /** Where a procedure's record stands: in which image, under which number. To be read at once, as `image`. */
  locate(p: number): { image: Uint32Array; index: number };
  /** The finished image, to be read at once: it may move with the next call. */
  image(): Uint32Array;
}

/** Queries on an image that an engine has opened. */
export interface OpenQueries extends Queries {
  /** As `from`, written to `rows` from `at` on; returns how many words it wrote. */
  fromInto(p: number, u: number, d1: number, rows: Uint32Array, at: number): number;
}

/** The index does not fit: a sentence with the bytes needed where they are known. */
export class OutOfMemoryError extends Error {
  override readonly name = "OutOfMemoryError";
  /** Bytes that were needed, at least. */
  readonly bytes: number;

  constructor(what: string, bytes: number, space = "the 4 GiB that one WebAssembly memory addresses") {
    super(
      `${what}: got ${Math.ceil(bytes).toLocaleString("en-US")} bytes or more, expected them to fit ${space}.`,
    );
    this.bytes = bytes;
  }
}

/** The host has no kernel: it forbids WebAssembly, or has no memory left for it. */
export class KernelUnavailable extends Error {
  override readonly name = "KernelUnavailable";
}
