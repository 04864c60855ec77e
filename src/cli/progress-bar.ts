/**
 * A progress bar on standard error, for work that has already taken a while and only on a terminal. It neither hides the
 * cursor nor handles signals: Ctrl-C ends the program at once, also in the middle of a computation, and there is nothing
 * to restore.
 */

import { SingleBar } from "cli-progress";
import type { Output } from "./terminal.js";

/** Milliseconds before the bar appears. */
const PATIENCE = 300;

export class ProgressBar {
  readonly #stream: Output;
  #begun = performance.now();
  #bar: SingleBar | undefined;

  constructor(stream: Output) {
    this.#stream = stream;
  }

  /** `done` of `total` steps of `what` are finished. */
  update(what: string, done: number, total: number): void {
    if (this.#stream.isTTY !== true) return;
    const payload = { what };
    if (this.#bar !== undefined) {
      this.#bar.setTotal(total);
      this.#bar.update(done, payload);
    } else if (PATIENCE < performance.now() - this.#begun) {
      this.#bar = new SingleBar({
        stream: this.#stream,
        format: "{bar} {percentage}%  {what}",
        barCompleteChar: "█",
        barIncompleteChar: "░",
        barsize: 30,
        linewrap: true,
        clearOnComplete: true,
      });
      this.#bar.start(total, done, payload);
    }
  }

  /** Clears the bar; it comes back with the next long work. */
  stop(): void {
    this.#bar?.stop();
    this.#bar = undefined;
    this.#begun = performance.now();
  }
}
