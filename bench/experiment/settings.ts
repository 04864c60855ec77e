/**
 * What an instance is measured with: the paper's queries and limits (ESOP 2020, section 6), or fewer for a look. Results
 * of different settings are never mixed.
 */

export interface Settings {
  /** Random queries of each kind per instance, and the seed that they are drawn with. */
  readonly pairQueries: number;
  readonly sourceQueries: number;
  readonly seed: number;
  /** Milliseconds that preprocessing may take, and that one algorithm may spend on one pass over one kind of query. */
  readonly preprocessingLimit: number;
  readonly queryLimit: number;
  /** Bytes that an algorithm's tables may take. */
  readonly memoryLimit: number;
  /** Milliseconds for which whatever is quick is measured again, and turns at most; the median counts. */
  readonly repeatFor: number;
  readonly rounds: number;
}

const PAPER: Settings = {
  pairQueries: 10_000,
  sourceQueries: 100,
  seed: 2020,
  preprocessingLimit: 300_000,
  queryLimit: 60_000,
  memoryLimit: 2 ** 33,
  repeatFor: 400,
  rounds: 15,
};

const QUICK: Settings = {
  ...PAPER,
  preprocessingLimit: 10_000,
  queryLimit: 2000,
  memoryLimit: 2 ** 31,
  repeatFor: 200,
  rounds: 5,
};

export const settings = (quick: boolean): Settings => (quick ? QUICK : PAPER);
