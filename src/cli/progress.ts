/**
 * A progress bar on standard error, on a terminal only, for work that takes longer than a moment. Commands tell it what
 * they are doing and never ask whether anybody watches.
 */

import { SingleBar } from "cli-progress";
import type { Host } from "./host.js";

/** Milliseconds of work before a bar appears. */
const PATIENCE = 300;

export class Progress {
  readonly #host: Host;
  readonly #patience: number;
  readonly #begin = performance.now();
  #bar: SingleBar | undefined;

  constructor(host: Host, patience = PATIENCE) {
    this.#host = host;
    this.#patience = patience;
  }

  /** `done` of `total` parts of the work called `label` are finished. */
  show(label: string, done: number, total: number): void {
    if (this.#host.stderr.isTTY !== true) return;
    if (this.#bar === undefined) {
      if (performance.now() - this.#begin < this.#patience) return;
      this.#bar = new SingleBar({
        format: "{label} [{bar}] {percentage} %",
        barsize: 32,
        barCompleteChar: "=",
        barIncompleteChar: " ",
        clearOnComplete: true,
        // Left on: Ctrl-C ends the process before anything could turn it on again.
        linewrap: true,
        stream: this.#host.stderr as unknown as NodeJS.WritableStream,
        fps: 12,
      });
      this.#bar.start(total, done, { label: label.padEnd(12) });
    }
    this.#bar.setTotal(total);
    this.#bar.update(done, { label: label.padEnd(12) });
  }

  /** Clears the bar; whatever is printed next stands on a line of its own. */
  end(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }
}
