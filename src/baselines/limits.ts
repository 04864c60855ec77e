/**
 * What a baseline may take: a time limit, a memory limit, a signal to abort and a progress callback. Time, signal and
 * progress are about preprocessing, which every baseline has, be it the sorting of edges; a query takes the time that
 * it takes. Memory is about the tables, whether preprocessing or a query makes them. Complete preprocessing of a large
 * program can take hours and terabytes, so that a comparison must be able to give up; the two error classes let a
 * caller show `timeout` or `too large` in place of a number. Preprocessing is synchronous: a signal is noticed between
 * steps if the progress callback (or an earlier task) aborted it.
 */

export interface BaselineOptions {
  /** Milliseconds that preprocessing may take; past it a `TimeLimitError` is thrown. Queries are not limited. */
  readonly timeLimit?: number;
  /**
   * Bytes that the solver's tables may take (2 GiB unless given), the program and its sorted edges not counted. Past it a
   * `MemoryLimitError` is thrown: by preprocessing, or by the query that needs more. `memoized` throws only where one
   * query needs more by itself; otherwise it forgets what it knows.
   */
  readonly memoryLimit?: number;
  /** Aborts preprocessing by throwing the signal's reason. */
  readonly signal?: AbortSignal;
  /** Told now and then how far preprocessing is. */
  readonly onProgress?: (progress: BaselineProgress) => void;
}

/** `done` of `total` procedures have their summaries, or their part of the tables that queries look things up in. */
export interface BaselineProgress {
  readonly phase: "summaries" | "tables";
  readonly done: number;
  readonly total: number;
}

/** Preprocessing took longer than `timeLimit`. */
export class TimeLimitError extends Error {
  override readonly name = "TimeLimitError";
}

/** The tables would take more than `memoryLimit`. */
export class MemoryLimitError extends Error {
  override readonly name = "MemoryLimitError";
}

const defaultMemoryLimit = 2 ** 31;
const stepsBetweenChecks = 1 << 16;
const millisecondsBetweenReports = 20;

/** Watches the limits of one run of preprocessing. */
export class Watch {
  readonly memoryLimit: number;
  readonly #options: BaselineOptions;
  readonly #begin = performance.now();
  #steps = 0;
  #reported = 0;

  constructor(options: BaselineOptions = {}) {
    this.#options = options;
    this.memoryLimit = options.memoryLimit ?? defaultMemoryLimit;
    options.signal?.throwIfAborted();
  }

  /** To be called with the number of steps done since the last call; looks at the clock every 65,536 steps. */
  step(steps: number): void {
    this.#steps += steps;
    if (stepsBetweenChecks <= this.#steps) this.check();
  }

  /** Looks at the clock and the signal; to be called at the end as well, so that short runs keep the limits too. */
  check(): void {
    this.#steps = 0;
    const { signal, timeLimit } = this.#options;
    signal?.throwIfAborted();
    if (timeLimit !== undefined && timeLimit < performance.now() - this.#begin) {
      throw new TimeLimitError(
        `Preprocessing took more than ${timeLimit} ms, expected at most the time limit.`,
      );
    }
  }

  /** `done` of `total` procedures are finished; passed on at most every 20 ms, and at the end. */
  progress(phase: BaselineProgress["phase"], done: number, total: number): void {
    const { onProgress, signal } = this.#options;
    if (onProgress === undefined) return;
    const now = performance.now();
    if (done < total && now < this.#reported + millisecondsBetweenReports) return;
    this.#reported = now;
    onProgress({ phase, done, total });
    signal?.throwIfAborted();
  }

  /** Throws unless `bytes` are allowed for `what`. */
  memory(what: string, bytes: number): void {
    if (bytes <= this.memoryLimit) return;
    throw new MemoryLimitError(`${what} needs ${bytes} bytes, expected at most ${this.memoryLimit}.`);
  }
}
