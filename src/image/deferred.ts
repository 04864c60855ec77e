/**
 * Queries on a finished image that an engine opens at the first question: whoever asks nothing here, because workers
 * answer, does without the copy in the engine's memory. What reads the image alone reads it where it is.
 */

import type { Engine, Queries } from "../engine.js";

export class DeferredQueries implements Queries {
  readonly #engine: Engine;
  readonly #image: Uint32Array;
  #made: Queries | undefined;

  constructor(engine: Engine, image: Uint32Array) {
    this.#engine = engine;
    this.#image = image;
  }

  get #queries(): Queries {
    this.#made ??= this.#engine.open(this.#image);
    return this.#made;
  }

  reaches(p: number, u: number, d1: number, v: number, d2: number): boolean {
    return this.#queries.reaches(p, u, d1, v, d2);
  }

  reachesMany(queries: Uint32Array, answers: Uint8Array): number {
    return this.#queries.reachesMany(queries, answers);
  }

  from(p: number, u: number, d1: number): Uint32Array {
    return this.#queries.from(p, u, d1);
  }

  fromMany(p: number, seeds: Uint32Array): Uint32Array {
    return this.#queries.fromMany(p, seeds);
  }

  at(p: number, u: number, facts: Uint32Array, v: number): Uint32Array {
    return this.#queries.at(p, u, facts, v);
  }

  summary(p: number, exit: number): Uint32Array {
    return this.#queries.summary(p, exit);
  }

  entering(seeds: Uint32Array): Uint32Array {
    return this.#queries.entering(seeds);
  }

  work(): number {
    return this.#queries.work();
  }

  locate(p: number): { image: Uint32Array; index: number } {
    return { image: this.#image, index: p };
  }

  image(): Uint32Array {
    return this.#image;
  }
}
