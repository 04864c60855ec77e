/** Node as the oracle of early reads: programs of modules in memory are run, many in one process. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";

export interface ModuleProgram {
  readonly entry: string;
  /** Texts by path. Names of packages are paths, too. */
  readonly files: Readonly<Record<string, string>>;
}

export interface ObservedRead {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** As the error says: the name at the read. */
  readonly name: string;
}

export interface Observation {
  /** Every early read that threw, caught ones included, each once. */
  readonly reads: readonly ObservedRead[];
  /** Those that came to light after a module had thrown: a promise's, some before it. */
  readonly afterwards: readonly ObservedRead[];
  /** Stacks of all other errors. */
  readonly others: readonly string[];
  /** What the program says with the global function `observe`. */
  readonly logged: readonly string[];
}

/** Whether Node says where: an optional chain on an uninitialized name throws at the beginning of the file. */
export const isPlaced = ({ line, column }: ObservedRead): boolean => line !== 1 || column !== 1;

/** @throws Error if the process fails, with what it wrote */
export function runInNode(
  programs: readonly ModuleProgram[],
  runner = join(import.meta.dirname, "module-runner.mjs"),
): Observation[] {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--experimental-vm-modules", "--no-warnings", runner],
    { input: JSON.stringify(programs), encoding: "utf8", maxBuffer: 2 ** 28 },
  );
  if (status !== 0) throw new Error(`Node ended with ${status}: ${stderr}`);
  const answers = JSON.parse(stdout) as {
    reads: Read[];
    afterwards: Read[];
    others: string[];
    logged: string[];
  }[];
  return answers.map(({ reads, afterwards, others, logged }) => ({
    reads: distinct(reads),
    afterwards: distinct(afterwards),
    others,
    logged,
  }));
}

type Read = [file: string, line: number, column: number, name: string];

function distinct(reads: readonly Read[]): ObservedRead[] {
  const byPlace = new Map<string, ObservedRead>();
  for (const read of reads) {
    const [file, line, column, name] = read;
    byPlace.set(read.join(), { file, line, column, name });
  }
  return [...byPlace.values()];
}
