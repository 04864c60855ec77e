/** The command in this process, with streams and folders of the tests' own, so that no build is needed. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Writable } from "node:stream";
import { afterAll, beforeAll } from "vitest";
import { run } from "../../src/cli/run.js";

/** A stream that keeps what is written. */
export class Sink extends Writable {
  readonly isTTY: boolean;
  readonly columns = 100;
  readonly #chunks: Buffer[] = [];

  constructor(isTTY = false) {
    super();
    this.isTTY = isTTY;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get text(): string {
    return this.bytes.toString();
  }
}

/** Runs `phloem` in a folder, without input. */
export async function phloem(folder: string, ...argv: string[]) {
  const [stdout, stderr] = [new Sink(), new Sink()];
  const stdin = (async function* (): AsyncGenerator<Uint8Array> {})();
  const exit = await run(argv, { stdin, stdout, stderr, cwd: () => folder });
  return { exit, stdout: stdout.text, stderr: stderr.text };
}

/** Texts by path. */
export type Files = Readonly<Record<string, string>>;

/** A folder that is there while the tests of a file run. */
export function temporaryFolder(): () => string {
  let root = "";
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "phloem-"));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  return () => root;
}

/** Makes new folders with these files, which are there while the tests of a file run. */
export function temporaryProjects(): (files: Files) => string {
  const root = temporaryFolder();
  let projects = 0;
  return (files) => {
    const folder = join(root(), `p${projects++}`);
    mkdirSync(folder);
    for (const [path, text] of Object.entries(files)) write(folder, path, text);
    return folder;
  };
}

export function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
