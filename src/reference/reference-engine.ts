/**
 * The reference engine: the kernel's contract in plain TypeScript over 32-bit typed arrays, byte for byte the same image
 * and the same answers. It is the fallback where WebAssembly is forbidden, an oracle, and the baseline that the kernel is
 * measured against. All state belongs to one analysis.
 */

import { H_CHECKSUM, H_LABEL_BASE, H_LABELS, P_FACTS } from "../../assembly/image.js";
import {
  type Engine,
  type OpenQueries,
  OutOfMemoryError,
  type Preprocessing,
  type Queries,
} from "../engine.js";
import type { AssembledImage } from "../image/assemble.js";
import { checksum } from "../image/checksum.js";
import { Chains } from "./chain.js";
import { Labels, planLabels, planProcedure } from "./labels.js";
import { Pairs } from "./pair.js";
import { summaryTo } from "./procedure-summary.js";
import { Program } from "./program.js";
import { sealLength, sealRelations } from "./seal.js";
import { Sets } from "./source.js";
import { Summaries } from "./summaries.js";

/** Most units of 8 bytes of labels in one image: an image addresses 4 GiB. */
const MOST_LABELS = 0x1ffffff0;

export function referenceEngine(): Engine {
  return {
    name: "reference",
    preprocess,
    preprocessSmall: preprocess,
    adopt: (sealed, sweepLimit) =>
      new ReferencePreprocessing(new Program(sealed.slice()), undefined, sweepLimit),
    open: (image) => new ReferenceQueries(image),
    openChecked: (image) => (checksum(image) === image[H_CHECKSUM] ? new ReferenceQueries(image) : undefined),
  };
}

function preprocess({ image, input }: AssembledImage): Preprocessing {
  const program = new Program(image);
  return new ReferencePreprocessing(program, new Summaries(program, input), 0);
}

class ReferencePreprocessing implements Preprocessing {
  #program: Program;
  /** While the first phase lasts. */
  #summaries: Summaries | undefined;
  #sweepLimit: number;
  #labels: Labels | undefined;
  #summaryNodes = 0;

  constructor(program: Program, summaries: Summaries | undefined, sweepLimit: number) {
    this.#program = program;
    this.#summaries = summaries;
    this.#sweepLimit = sweepLimit;
  }

  summarizeComponents(from: number, to: number): void {
    for (let c = from; c < to; c++) this.#summaries!.summarizeComponent(c);
  }

  endSummaries(): void {
    const { nodesSwept, relations } = this.#summaries!;
    this.#summaryNodes = nodesSwept;
    this.#program = new Program(sealRelations(this.#program, relations));
    this.#summaries = undefined;
  }

  planLabels(labelBudget: number, sweepLimit: number): number {
    this.#sweepLimit = sweepLimit;
    return planLabels(this.#program, labelBudget, sweepLimit);
  }

  sealed(): Uint32Array {
    const { image } = this.#program;
    return image.subarray(0, image[H_LABELS] / 4);
  }

  beginLabels(base: number, length: number): void {
    this.#beginLabels(this.sealed(), base, length);
  }

  planProcedure(p: number, labelBudget: number): number {
    return planProcedure(this.#program, p, labelBudget, this.#sweepLimit);
  }

  growLabels(length: number): void {
    const { image } = this.#program;
    this.#beginLabels(image, image[H_LABEL_BASE], length);
  }

  #beginLabels(image: Uint32Array, base: number, length: number): void {
    if (MOST_LABELS < length) throw new OutOfMemoryError("Labels", 8 * length);
    this.#program = new Program(sealLength(image, base, length));
    this.#labels = new Labels(this.#program, this.#sweepLimit);
  }

  labelProcedures(from: number, to: number): void {
    for (let p = from; p < to; p++) this.#labels!.labelProcedure(p);
  }

  image(): Uint32Array {
    return this.#program.image;
  }

  labelAt(p: number, offset: number, length: number): void {
    this.#labels!.labelAt(p, offset, length);
  }

  finish(): Queries {
    return new ReferenceQueries(this.#program.image);
  }

  discard(): void {
    this.#labels = undefined;
    this.#summaries = undefined;
  }

  work(): { summaryNodes: number; labelWords: number; sweeps: number } {
    return {
      summaryNodes: this.#summaries?.nodesSwept ?? this.#summaryNodes,
      labelWords: this.#labels?.work ?? 0,
      sweeps: this.#labels?.mostSweeps ?? 0,
    };
  }
}

class ReferenceQueries implements OpenQueries {
  readonly #program: Program;
  readonly #chains: Chains;
  readonly #sets: Sets;
  readonly #pairs: Pairs;

  constructor(image: Uint32Array) {
    const program = new Program(image);
    let facts = 0;
    for (let p = 0; p < program.procedures; p++)
      facts = Math.max(facts, image[program.recordOf(p) + P_FACTS]);
    this.#program = program;
    this.#sets = new Sets(program, facts);
    this.#chains = new Chains(program, facts);
    this.#pairs = new Pairs(program, this.#chains, this.#sets, facts);
  }

  reaches(p: number, u: number, d1: number, v: number, d2: number): boolean {
    this.#program.useProcedure(p);
    return this.#pairs.reaches(u, d1, v, d2);
  }

  reachesMany(queries: Uint32Array, answers: Uint8Array): number {
    const program = this.#program;
    const pairs = this.#pairs;
    const { procedures } = program;
    let before = -1;
    for (let i = 0, at = 0; i < answers.length; i++, at += 5) {
      const p = queries[at];
      if (procedures <= p) return i;
      if (p !== before) program.useProcedure(p);
      before = p;
      const u = queries[at + 1];
      const d1 = queries[at + 2];
      const v = queries[at + 3];
      const d2 = queries[at + 4];
      const { vertexCount, factCount } = program;
      if (vertexCount <= u || vertexCount <= v || factCount <= d1 || factCount <= d2) return i;
      answers[i] = pairs.reaches(u, d1, v, d2) ? 1 : 0;
    }
    return answers.length;
  }

  from(p: number, u: number, d1: number): Uint32Array {
    this.#program.useProcedure(p);
    return this.#sets.reachedFrom(u, d1);
  }

  fromInto(p: number, u: number, d1: number, rows: Uint32Array, at: number): number {
    const own = this.from(p, u, d1);
    rows.set(own, at);
    return own.length;
  }

  fromMany(p: number, seeds: Uint32Array): Uint32Array {
    this.#program.useProcedure(p);
    return this.#sets.reachedFromMany(seeds);
  }

  at(p: number, u: number, facts: Uint32Array, v: number): Uint32Array {
    this.#program.useProcedure(p);
    return this.#sets.reachedAt(u, facts, v);
  }

  summary(p: number, exit: number): Uint32Array {
    this.#program.useProcedure(p);
    return summaryTo(this.#program, this.#chains, this.#pairs, this.#sets, exit);
  }

  locate(p: number): { image: Uint32Array; index: number } {
    return { image: this.#program.image, index: p };
  }

  entering(seeds: Uint32Array): Uint32Array {
    return this.#sets.enteringFrom(seeds);
  }

  work(): number {
    return 0;
  }

  image(): Uint32Array {
    return this.#program.image;
  }
}
