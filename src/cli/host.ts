/**
 * What a command sees of the process it runs in: three streams and a folder. Tests put their own in place. A failure
 * that is the user's to mend is an error of one sentence; everything else is a fault of this package.
 */

import { MemoryLimitError, TimeLimitError } from "../baselines/index.js";
import { InputError, OutOfMemoryError } from "../index.js";

export interface Output {
  write(text: string | Uint8Array): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface Host {
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: Output;
  readonly stderr: Output;
  /** The folder that paths are relative to. */
  cwd(): string;
}

export enum Exit {
  Fine = 0,
  Differences = 1,
  BadInput = 2,
  Fault = 3,
}

/** Wrong use of the command: arguments that do not fit together or name nothing. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Whether an error's message is a sentence for the user. Ids out of range and arrays that do not fit are `RangeError`s. */
export function isUserError(error: unknown): error is Error {
  return (
    error instanceof InputError ||
    error instanceof UsageError ||
    error instanceof OutOfMemoryError ||
    error instanceof MemoryLimitError ||
    error instanceof TimeLimitError ||
    error instanceof RangeError
  );
}
