/**
 * The engine on the WebAssembly kernel, one instance per analysis. With instantiate.ts the only place that knows
 * pointers: it copies the assembled image into linear memory, drives the phases, and reads results back. Views on the
 * memory are made anew for every use, since growing it detaches them.
 */

import {
  H_CHECKSUM,
  H_LABELS,
  H_LENGTH,
  H_PROCEDURE,
  H_PROCEDURES,
  P_FACTS,
  P_VERTICES,
  PROCEDURE_WORDS,
} from "../../assembly/image.js";
import {
  type Engine,
  type OpenQueries,
  OutOfMemoryError,
  type Preprocessing,
  type Queries,
} from "../engine.js";
import type { AssembledImage } from "../image/assemble.js";
import type { KernelExports } from "./exports.js";
import { instantiateKernel } from "./instantiate.js";

/** The kernel engine; `bytes` replaces the embedded kernel (a debug build, or a file the host prefers to load). */
export function kernelEngine(bytes?: Uint8Array): Engine {
  let bench: Instance | undefined;
  let spare: Instance | undefined;
  const take = (): Instance => {
    const instance = spare ?? instantiate(bytes);
    spare = undefined;
    return instance;
  };
  const giveBack = (instance: Instance): void => {
    if (SPARE_BYTES < instance.kernel.memory.buffer.byteLength) return;
    instance.kernel.release(instance.empty);
    spare = instance;
  };
  return {
    name: "wasm",
    preprocess: (assembled) => preprocessIn(take(), assembled, giveBack),
    preprocessSmall(assembled) {
      if (bench === undefined || BENCH_BYTES < bench.kernel.memory.buffer.byteLength)
        bench = instantiate(bytes);
      return preprocessIn(bench, assembled, () => {});
    },
    adopt(sealed, sweepLimit) {
      const instance = take();
      const image = copyIn(instance.kernel, sealed, "Index");
      instance.current = image;
      instance.kernel.adoptImage(image, sweepLimit);
      return new KernelPreprocessing(instance, image, giveBack);
    },
    open(image) {
      const instance = instantiate(bytes);
      return new KernelQueries(instance, copyIn(instance.kernel, image, "Index"));
    },
    openChecked(image) {
      const instance = instantiate(bytes);
      const copy = copyIn(instance.kernel, image, "Index");
      if (instance.kernel.checksumAt(copy, image.length) >>> 0 !== image[H_CHECKSUM]) return undefined;
      return new KernelQueries(instance, copy);
    },
  };
}

/** An instance of the kernel, and which of the images in its memory it is about at the moment. */
interface Instance {
  readonly kernel: KernelExports;
  /** The arena's mark before anything was allocated. */
  readonly empty: number;
  current: number;
}

/** Words that are looked at together for zeros: a page of the usual size. */
const BLOCK_WORDS = 2 ** 10;
/** Most words that a loop copies as fast as `set` does. */
const FEW_WORDS = 64;

/** Small images share an instance until its memory is that large; then a new one begins, and the old one goes with them. */
const BENCH_BYTES = 2 ** 24;
/** Largest memory that is kept for the next program: pages that have been touched are much faster than new ones. */
const SPARE_BYTES = 2 ** 28;

function instantiate(bytes?: Uint8Array): Instance {
  const kernel = instantiateKernel(bytes);
  return { kernel, empty: kernel.mark(), current: 0 };
}

type GiveBack = (instance: Instance) => void;

function preprocessIn(instance: Instance, assembled: AssembledImage, giveBack: GiveBack): Preprocessing {
  const { kernel } = instance;
  const image = copyIn(kernel, assembled.image, "Index");
  const input = copyIn(kernel, assembled.input, "Preprocessing input");
  instance.current = image;
  if (kernel.beginProgram(image, input) === 0) exhausted(kernel, "Summaries", 0);
  return new KernelPreprocessing(instance, image, giveBack);
}

function copyIn(kernel: KernelExports, words: Uint32Array, what: string): number {
  const fresh = kernel.memory.buffer.byteLength;
  const pointer = kernel.allocate(words.byteLength) >>> 0;
  if (pointer === 0) throw new OutOfMemoryError(what, words.byteLength);
  const target = new Uint32Array(kernel.memory.buffer, pointer, words.length);
  // Memory that has just been added is zero, and to touch it costs more than all else here: blocks of zeros stay
  // unwritten there.
  let from = 0;
  for (let at = Math.max(0, fresh - pointer) / 4; at < words.length; at += BLOCK_WORDS) {
    const end = Math.min(at + BLOCK_WORDS, words.length);
    let zeros = at;
    while (zeros < end && words[zeros] === 0) zeros++;
    if (zeros < end) continue;
    target.set(words.subarray(from, at), from);
    from = end;
  }
  target.set(words.subarray(from), from);
  return pointer;
}

function exhausted(kernel: KernelExports, what: string, bytes: number): never {
  throw new OutOfMemoryError(what, kernel.memory.buffer.byteLength + bytes);
}

class KernelPreprocessing implements Preprocessing {
  readonly #instance: Instance;
  readonly #kernel: KernelExports;
  readonly #image: number;
  readonly #giveBack: GiveBack;

  constructor(instance: Instance, image: number, giveBack: GiveBack) {
    this.#instance = instance;
    this.#kernel = instance.kernel;
    this.#image = image;
    this.#giveBack = giveBack;
  }

  summarizeComponents(from: number, to: number): void {
    if (this.#kernel.summarizeComponents(from, to) === 0) exhausted(this.#kernel, "Summaries", 0);
  }

  endSummaries(): void {
    if (this.#kernel.endSummaries() === 0) exhausted(this.#kernel, "Summaries", 0);
  }

  planLabels(labelBudget: number, sweepLimit: number): number {
    return this.#kernel.planSpace(labelBudget, sweepLimit);
  }

  sealed(): Uint32Array {
    const words = new Uint32Array(this.#kernel.memory.buffer, this.#image);
    return words.subarray(0, words[H_LABELS] / 4);
  }

  beginLabels(base: number, length: number): void {
    if (this.#kernel.beginLabels(base, length) === 0) exhausted(this.#kernel, "Labels", 8 * length);
  }

  planProcedure(p: number, labelBudget: number): number {
    return this.#kernel.planProcedure(p, labelBudget) >>> 0;
  }

  growLabels(length: number): void {
    if (this.#kernel.growLabels(length) === 0) exhausted(this.#kernel, "Labels", 8 * length);
  }

  labelProcedures(from: number, to: number): void {
    if (this.#kernel.labelProcedures(from, to) === 0) exhausted(this.#kernel, "Labels", 0);
  }

  image(): Uint32Array {
    const words = new Uint32Array(this.#kernel.memory.buffer, this.#image);
    return words.subarray(0, 2 * words[H_LENGTH]);
  }

  labelAt(p: number, offset: number, length: number): void {
    if (this.#kernel.labelAt(p, offset, length) === 0) exhausted(this.#kernel, "Labels", 0);
  }

  finish(): Queries {
    return new KernelQueries(this.#instance, this.#image);
  }

  discard(): void {
    this.#giveBack(this.#instance);
  }

  work(): { summaryNodes: number; labelWords: number; sweeps: number } {
    const kernel = this.#kernel;
    return {
      summaryNodes: kernel.nodesSwept() >>> 0,
      labelWords: kernel.labelWork(),
      sweeps: kernel.sweepsNeeded() >>> 0,
    };
  }
}

class KernelQueries implements OpenQueries {
  readonly #instance: Instance;
  readonly #image: number;
  /** All words of the memory, as long as it has not grown. */
  #view = new Uint32Array(0);

  constructor(instance: Instance, image: number) {
    this.#instance = instance;
    this.#image = image;
    instance.current = 0;
    void this.#kernel;
  }

  /** The kernel, being about this image. */
  get #kernel(): KernelExports {
    const { kernel, current } = this.#instance;
    if (current !== this.#image) {
      if (kernel.openImage(this.#image) === 0) exhausted(kernel, "Query space", 0);
      this.#instance.current = this.#image;
    }
    return kernel;
  }

  reaches(p: number, u: number, d1: number, v: number, d2: number): boolean {
    return this.#kernel.reaches(p, u, d1, v, d2) !== 0;
  }

  reachesMany(queries: Uint32Array, answers: Uint8Array): number {
    const kernel = this.#kernel;
    const position = kernel.mark();
    try {
      const pointer = copyIn(kernel, queries, "Query batch");
      const count = answers.length;
      const output = kernel.allocate(count) >>> 0;
      if (output === 0) exhausted(this.#kernel, "Query batch", count);
      const procedures = new Uint32Array(kernel.memory.buffer, this.#image)[H_PROCEDURES];
      const answered = kernel.reachesMany(pointer, count, output, procedures) >>> 0;
      answers.set(new Uint8Array(kernel.memory.buffer, output, count));
      return answered;
    } finally {
      kernel.release(position);
    }
  }

  from(p: number, u: number, d1: number): Uint32Array {
    const pointer = this.#reachedFrom(p, u, d1);
    return this.#words.slice(pointer, pointer + this.#rowWords(p) * this.#record(p, P_VERTICES));
  }

  fromInto(p: number, u: number, d1: number, rows: Uint32Array, at: number): number {
    const pointer = this.#reachedFrom(p, u, d1);
    const count = this.#rowWords(p) * this.#record(p, P_VERTICES);
    const words = this.#words;
    if (FEW_WORDS < count) rows.set(words.subarray(pointer, pointer + count), at);
    else for (let i = 0; i < count; i++) rows[at + i] = words[pointer + i];
    return count;
  }

  /** Where the rows are, in words. */
  #reachedFrom(p: number, u: number, d1: number): number {
    const pointer = this.#kernel.reachedFrom(p, u, d1) >>> 0;
    if (pointer === 0) {
      exhausted(this.#kernel, "Single-source query", 4 * this.#rowWords(p) * this.#record(p, P_VERTICES));
    }
    return pointer / 4;
  }

  fromMany(p: number, seeds: Uint32Array): Uint32Array {
    const kernel = this.#kernel;
    const position = kernel.mark();
    try {
      const pointer = kernel.reachedFromMany(p, copyIn(kernel, seeds, "Seeds"), seeds.length / 2) >>> 0;
      const words = this.#rowWords(p) * this.#record(p, P_VERTICES);
      if (pointer === 0) exhausted(kernel, "Single-source query", 4 * words);
      return new Uint32Array(kernel.memory.buffer, pointer, words).slice();
    } finally {
      kernel.release(position);
    }
  }

  at(p: number, u: number, facts: Uint32Array, v: number): Uint32Array {
    const kernel = this.#kernel;
    const position = kernel.mark();
    try {
      const pointer = kernel.reachedAt(p, u, copyIn(kernel, facts, "Facts"), facts.length, v) >>> 0;
      if (pointer === 0) exhausted(this.#kernel, "Query", 0);
      return new Uint32Array(kernel.memory.buffer, pointer, this.#rowWords(p)).slice();
    } finally {
      kernel.release(position);
    }
  }

  entering(seeds: Uint32Array): Uint32Array {
    const kernel = this.#kernel;
    const position = kernel.mark();
    try {
      const pointer = kernel.enteringFrom(copyIn(kernel, seeds, "Seeds"), seeds.length / 3) >>> 0;
      const procedures = new Uint32Array(kernel.memory.buffer, this.#image)[H_PROCEDURES];
      let words = 0;
      for (let p = 0; p < procedures; p++) words += this.#rowWords(p) * this.#record(p, P_VERTICES);
      if (pointer === 0) exhausted(this.#kernel, "Facts from seeds", 8 * words);
      return new Uint32Array(kernel.memory.buffer, pointer, words).slice();
    } finally {
      kernel.release(position);
    }
  }

  summary(p: number, exit: number): Uint32Array {
    const pointer = this.#kernel.summaryTo(p, exit) >>> 0;
    const words = this.#rowWords(p) * this.#record(p, P_FACTS);
    if (pointer === 0) exhausted(this.#kernel, "Summary", 4 * words);
    return new Uint32Array(this.#kernel.memory.buffer, pointer, words).slice();
  }

  locate(p: number): { image: Uint32Array; index: number } {
    return { image: this.image(), index: p };
  }

  work(): number {
    return this.#kernel.pairWork();
  }

  image(): Uint32Array {
    const length = new Uint32Array(this.#kernel.memory.buffer, this.#image)[H_LENGTH];
    return new Uint32Array(this.#kernel.memory.buffer, this.#image, 2 * length);
  }

  get #words(): Uint32Array {
    const { buffer } = this.#instance.kernel.memory;
    if (this.#view.buffer !== buffer) this.#view = new Uint32Array(buffer);
    return this.#view;
  }

  #record(p: number, field: number): number {
    const words = this.#words;
    const image = this.#image / 4;
    return words[image + words[image + H_PROCEDURE] / 4 + p * PROCEDURE_WORDS + field];
  }

  #rowWords(p: number): number {
    return (this.#record(p, P_FACTS) + 31) >>> 5;
  }
}
