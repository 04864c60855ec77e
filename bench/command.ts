/** Commands in processes of their own, with what they use. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export interface CommandOutcome {
  /** Exit code, or the signal that ended it. */
  readonly exit: number | string;
  readonly stdout: string;
  readonly stderr: string;
  /** Milliseconds of processor time and on the clock; bytes at the peak. 0 where it did not get to its end. */
  readonly cpu: number;
  readonly wall: number;
  readonly peak: number;
}

/** Runs a script of Node's, with at most `limit` milliseconds. */
export function runScript(
  script: string,
  arguments_: readonly string[],
  cwd: string,
  limit = 600_000,
): CommandOutcome {
  const scratch = mkdtempSync(join(tmpdir(), "phloem-bench-"));
  const usage = join(scratch, "usage.json");
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    ["--require", resolve("bench/usage.cjs"), "--max-old-space-size=8192", resolve(script), ...arguments_],
    {
      cwd,
      encoding: "utf8",
      maxBuffer: 2 ** 29,
      timeout: limit,
      env: { ...process.env, PHLOEM_USAGE: usage, NO_COLOR: "1" },
    },
  );
  let used = { cpu: 0, wall: 0, peak: 0 };
  try {
    used = JSON.parse(readFileSync(usage, "utf8"));
  } catch {
    // It was stopped, and says so by its signal.
  }
  rmSync(scratch, { recursive: true });
  return { exit: status ?? signal ?? "unknown", stdout, stderr, ...used };
}

/** What `phloem check --json` answers. */
export interface CheckAnswer {
  readonly findings: readonly {
    readonly severity: "error" | "warning";
    readonly file: string;
    readonly line: number;
    readonly column: number;
    readonly name: string;
    readonly message: string;
    readonly witness: readonly { readonly kind: string; readonly file: string; readonly line: number }[];
  }[];
  readonly diagnostics: readonly {
    readonly severity: string;
    readonly file: string;
    readonly message: string;
  }[];
  readonly summary: {
    readonly files: number;
    readonly procedures: number;
    readonly failures: number;
    readonly milliseconds: Readonly<Record<string, number>>;
  };
}

/** `phloem check` of these sources, for early reads; the answer is missing if it crashed. */
export function check(
  entries: readonly string[],
  root: string,
  limit?: number,
): { readonly outcome: CommandOutcome; readonly answer: CheckAnswer | undefined } {
  const outcome = runScript(
    "build/phloem.mjs",
    ["check", "--rule", "use-before-init", "--json", ...entries],
    root,
    limit,
  );
  const isRun = outcome.exit === 0 || outcome.exit === 1;
  return { outcome, answer: isRun ? (JSON.parse(outcome.stdout) as CheckAnswer) : undefined };
}
