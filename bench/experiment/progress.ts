/** How far the experiment is: a bar with the time that is left on a terminal, a line for each instance everywhere. */

import { SingleBar } from "cli-progress";
import { digits } from "../format.js";
import type { InstanceRecord } from "./records.js";
import { sizeOf } from "./sizes.js";

export class ExperimentProgress {
  readonly #bar: SingleBar | undefined;
  readonly #total: number;
  #done = 0;
  #begun = performance.now();

  /** `total`: runs of an algorithm on an instance. */
  constructor(total: number) {
    this.#total = total;
    if (!process.stderr.isTTY || total === 0) return;
    this.#bar = new SingleBar({
      format: "[{bar}] {value}/{total}, {eta_formatted} left  {what}",
      barsize: 32,
      barCompleteChar: "=",
      barIncompleteChar: " ",
      clearOnComplete: true,
      linewrap: true,
      etaBuffer: 50,
      stream: process.stderr,
    });
    this.#bar.start(total, 0, { what: "" });
  }

  show(what: string): void {
    this.#bar?.update(this.#done, { what });
  }

  /** One run is done. */
  step(what: string): void {
    this.#done++;
    this.show(what);
  }

  finish(name: string, { sizes, agreement }: InstanceRecord): void {
    const seconds = (performance.now() - this.#begun) / 1000;
    this.#begun = performance.now();
    const size =
      sizes === undefined ? "" : `${sizeOf(sizes).toLocaleString("en-US")} exploded vertices and edges, `;
    const { pairs = 0, disagreements = [] } = agreement ?? {};
    const answers =
      disagreements.length === 0 ? `${pairs.toLocaleString("en-US")} answers agree` : disagreements.join(" ");
    this.#line(`${name}: ${size}${answers}; ${digits(seconds)} s`);
  }

  /** An instance that is not measured, which would have taken `steps` runs. */
  skip(name: string, why: string, steps: number): void {
    this.#done += steps;
    this.#line(`${name}: not measured. ${why}`);
  }

  end(): void {
    this.#bar?.stop();
  }

  #line(text: string): void {
    if (this.#bar === undefined) console.log(`${String(this.#done).padStart(4)}/${this.#total}  ${text}`);
    else {
      process.stderr.write(`\r\x1b[K${text}\n`);
      this.#bar.render();
    }
  }
}
