/**
 * The engine on the WebAssembly kernel, one instance per analysis. With instantiate.ts the only place that knows
 * pointers: it copies the assembled image into linear memory, drives the phases, and reads results back. Views on the
 * memory are made anew for every use, since growing it detaches them.
 */

import {
  H_LENGTH,
  H_PROCEDURE,
  H_PROCEDURES,
  P_FACTS,
  P_VERTICES,
  PROCEDURE_WORDS,
} from "../../assembly/image.js";
import { type Engine, OutOfMemoryError, type Preprocessing, type Queries } from "../engine.js";
import type { AssembledImage } from "../image/assemble.js";
import type { KernelExports } from "./exports.js";
import { instantiateKernel } from "./instantiate.js";

/** The kernel engine; `bytes` replaces the embedded kernel (a debug build, or a file the host prefers to load). */
export function kernelEngine(bytes?: Uint8Array): Engine {
  return {
    name: "wasm",
    preprocess: (assembled) => new KernelPreprocessing(instantiateKernel(bytes), assembled),
    open(image) {
      const kernel = instantiateKernel(bytes);
      return new KernelQueries(kernel, copyIn(kernel, image, "Index"));
    },
  };
}

function copyIn(kernel: KernelExports, words: Uint32Array, what: string): number {
  const pointer = kernel.allocate(words.byteLength) >>> 0;
  if (pointer === 0) throw new OutOfMemoryError(what, words.byteLength);
  new Uint32Array(kernel.memory.buffer, pointer, words.length).set(words);
  return pointer;
}

class KernelPreprocessing implements Preprocessing {
  readonly #kernel: KernelExports;
  readonly #image: number;

  constructor(kernel: KernelExports, { image, input }: AssembledImage) {
    this.#kernel = kernel;
    this.#image = copyIn(kernel, image, "Index");
    if (kernel.beginProgram(this.#image, copyIn(kernel, input, "Preprocessing input")) === 0)
      this.#exhausted();
  }

  summarizeComponents(from: number, to: number): void {
    if (this.#kernel.summarizeComponents(from, to) === 0) this.#exhausted("Summaries");
  }

  endSummaries(labelBudget: number, sweepLimit: number): number {
    const bytes = this.#kernel.endSummaries(labelBudget, sweepLimit);
    if (bytes < 0) this.#exhausted("Summaries");
    return bytes;
  }

  beginLabels(bytes: number): void {
    if (this.#kernel.beginLabels(bytes) === 0) this.#exhausted("Labels", bytes);
  }

  labelProcedures(from: number, to: number): void {
    if (this.#kernel.labelProcedures(from, to) === 0) this.#exhausted("Labels");
  }

  finish(): Queries {
    return new KernelQueries(this.#kernel, this.#image);
  }

  work(): { summaryNodes: number; labelWords: number; sweeps: number } {
    const kernel = this.#kernel;
    return {
      summaryNodes: kernel.nodesSwept() >>> 0,
      labelWords: kernel.labelWork(),
      sweeps: kernel.sweepsNeeded() >>> 0,
    };
  }

  #exhausted(what = "Index", bytes = 0): never {
    throw new OutOfMemoryError(what, this.#kernel.memory.buffer.byteLength + bytes);
  }
}

class KernelQueries implements Queries {
  readonly #kernel: KernelExports;
  readonly #image: number;

  constructor(kernel: KernelExports, image: number) {
    this.#kernel = kernel;
    this.#image = image;
    if (kernel.openImage(image) === 0) this.#exhausted("Query space", 0);
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
      if (output === 0) this.#exhausted("Query batch", count);
      const procedures = new Uint32Array(kernel.memory.buffer, this.#image)[H_PROCEDURES];
      const answered = kernel.reachesMany(pointer, count, output, procedures) >>> 0;
      answers.set(new Uint8Array(kernel.memory.buffer, output, count));
      return answered;
    } finally {
      kernel.release(position);
    }
  }

  from(p: number, u: number, d1: number): Uint32Array {
    const pointer = this.#kernel.reachedFrom(p, u, d1) >>> 0;
    const words = this.#rowWords(p) * this.#record(p, P_VERTICES);
    if (pointer === 0) this.#exhausted("Single-source query", 4 * words);
    return new Uint32Array(this.#kernel.memory.buffer, pointer, words).slice();
  }

  at(p: number, u: number, facts: Uint32Array, v: number): Uint32Array {
    const kernel = this.#kernel;
    const position = kernel.mark();
    try {
      const pointer = kernel.reachedAt(p, u, copyIn(kernel, facts, "Facts"), facts.length, v) >>> 0;
      if (pointer === 0) this.#exhausted("Query", 0);
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
      if (pointer === 0) this.#exhausted("Facts from seeds", 8 * words);
      return new Uint32Array(kernel.memory.buffer, pointer, words).slice();
    } finally {
      kernel.release(position);
    }
  }

  work(): number {
    return this.#kernel.pairWork();
  }

  image(): Uint32Array {
    const length = new Uint32Array(this.#kernel.memory.buffer, this.#image)[H_LENGTH];
    return new Uint32Array(this.#kernel.memory.buffer, this.#image, 2 * length);
  }

  #record(p: number, field: number): number {
    const words = new Uint32Array(this.#kernel.memory.buffer, this.#image);
    return words[words[H_PROCEDURE] / 4 + p * PROCEDURE_WORDS + field];
  }

  #rowWords(p: number): number {
    return (this.#record(p, P_FACTS) + 31) >>> 5;
  }

  #exhausted(what: string, bytes: number): never {
    throw new OutOfMemoryError(what, this.#kernel.memory.buffer.byteLength + bytes);
  }
}
