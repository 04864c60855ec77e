/**
 * The error of every reader of this package: one sentence with the place, what was got and what was expected. The
 * CLI prints its message as it is.
 */
export class InputError extends Error {
  override readonly name = "InputError";
  /** Line of the input, counted from 1; undefined where the input has no lines. */
  readonly line: number | undefined;

  /**
   * @param place name of the input, such as a file name
   * @param problem `got ..., expected ...`, without the full stop
   *
   * @example
   * new InputError("main.ifds", 3, "got vertex 9, expected at most 4").message
   * // "main.ifds:3: got vertex 9, expected at most 4."
   */
  constructor(place: string, line: number | undefined, problem: string) {
    super(`${line === undefined ? place : `${place}:${line}`}: ${problem}.`);
    this.line = line;
  }
}
