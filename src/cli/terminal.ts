/**
 * Where a command reads and prints: three streams, colours on a terminal only, and either text or one line of JSON on
 * standard output. Progress goes to standard error and is gone before anything is printed.
 */

import pc from "picocolors";
import { ProgressBar } from "./progress-bar.js";

export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** `process` is one of these; tests bring their own. */
export interface Streams {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: Output;
  readonly stderr: Output;
}

export class Terminal {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly colors: ReturnType<typeof pc.createColors>;
  readonly progress: ProgressBar;
  readonly #stdout: Output;
  readonly #stderr: Output;

  constructor({ stdin, stdout, stderr }: Streams) {
    this.stdin = stdin;
    this.#stdout = stdout;
    this.#stderr = stderr;
    // The host's own test also says yes without a terminal, as in continuous integration.
    this.colors = pc.createColors(stdout.isTTY === true && pc.isColorSupported);
    this.progress = new ProgressBar(stderr);
  }

  /** Prints a command's answer: `report` as JSON where that was asked for, otherwise the text. */
  print(json: boolean | undefined, report: object, text: () => string): void {
    this.progress.stop();
    this.#stdout.write(`${json ? JSON.stringify(report) : text()}\n`);
  }

  /** Prints text that is itself the answer, such as a file in some format. */
  write(text: string): void {
    this.progress.stop();
    this.#stdout.write(text);
  }

  /** One sentence about what went wrong. */
  complain(sentence: string): void {
    this.progress.stop();
    this.#stderr.write(`${sentence}\n`);
  }
}
