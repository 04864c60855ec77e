/**
 * The reference engine: the kernel's contract in plain TypeScript over 32-bit typed arrays, byte for byte the same image
 * and the same answers. It is the fallback where WebAssembly is forbidden, an oracle, and the baseline that the kernel is
 * measured against. All state belongs to one analysis.
 */

import { H_RELATION_WORDS, H_RELATIONS, P_FACTS } from "../../assembly/image.js";
import { type Engine, OutOfMemoryError, type Preprocessing, type Queries } from "../engine.js";
import type { AssembledImage } from "../image/assemble.js";
import { Chains } from "./chain.js";
import { Labels, planLabels } from "./labels.js";
import { Normalizer } from "./normalize.js";
import { Pairs } from "./pair.js";
import { Program } from "./program.js";
import { Relations } from "./relation.js";
import { sealImage, sealRelations } from "./seal.js";
import { Sets } from "./source.js";
import { Summaries } from "./summaries.js";

export function referenceEngine(): Engine {
  return {
    name: "reference",
    preprocess: (assembled) => new ReferencePreprocessing(assembled),
    open: (image) => new ReferenceQueries(image),
  };
}

class ReferencePreprocessing implements Preprocessing {
  #program: Program;
  #relations = new Relations();
  #summaries: Summaries | undefined;
  #labels: Labels | undefined;
  #sweepLimit = 0;
  #summaryNodes = 0;

  constructor({ image, input }: AssembledImage) {
    this.#program = new Program(image);
    const normalizer = new Normalizer(this.#program, this.#relations, input);
    this.#summaries = new Summaries(this.#program, this.#relations, normalizer);
  }

  summarizeComponents(from: number, to: number): void {
    for (let c = from; c < to; c++) this.#summaries!.summarizeComponent(c);
  }

  endSummaries(labelBudget: number, sweepLimit: number): number {
    this.#summaryNodes = this.#summaries!.nodesSwept;
    this.#summaries = undefined;
    this.#sweepLimit = sweepLimit;
    sealRelations(this.#program, this.#relations);
    return planLabels(this.#program, labelBudget) * 8;
  }

  beginLabels(bytes: number): void {
    if (0xffffffff < bytes) throw new OutOfMemoryError("Labels", bytes);
    this.#program = new Program(sealImage(this.#program, this.#relations, bytes / 8));
    this.#relations = new Relations(relationsOf(this.#program));
    this.#labels = new Labels(this.#program, this.#relations.words, this.#sweepLimit);
  }

  labelProcedures(from: number, to: number): void {
    for (let p = from; p < to; p++) this.#labels!.labelProcedure(p);
  }

  finish(): Queries {
    return new ReferenceQueries(this.#program.image);
  }

  work(): { summaryNodes: number; labelWords: number; sweeps: number } {
    return {
      summaryNodes: this.#summaries?.nodesSwept ?? this.#summaryNodes,
      labelWords: this.#labels?.work ?? 0,
      sweeps: this.#labels?.mostSweeps ?? 0,
    };
  }
}

/** The relation section of a sealed image. */
function relationsOf({ words, image }: Program): Int32Array {
  const from = image[H_RELATIONS] / 4;
  return words.subarray(from, from + image[H_RELATION_WORDS]);
}

class ReferenceQueries implements Queries {
  readonly #program: Program;
  readonly #sets: Sets;
  readonly #pairs: Pairs;

  constructor(image: Uint32Array) {
    const program = new Program(image);
    const relations = relationsOf(program);
    let facts = 0;
    for (let p = 0; p < program.procedures; p++)
      facts = Math.max(facts, image[program.recordOf(p) + P_FACTS]);
    this.#program = program;
    this.#sets = new Sets(program, relations, facts);
    this.#pairs = new Pairs(program, new Chains(program, relations, facts), this.#sets, facts);
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

  at(p: number, u: number, facts: Uint32Array, v: number): Uint32Array {
    this.#program.useProcedure(p);
    return this.#sets.reachedAt(u, facts, v);
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
