/** Runs jobs in processes of their own. One at a time: they are measured. */

import { spawn } from "node:child_process";
import type { Stopped } from "./measure.js";
import type { Job } from "./work.js";

/** Megabytes of JavaScript's own heap; tables are not on it. */
const HEAP = 8192;

/**
 * What the job gives. A process that takes longer than `limit` milliseconds is ended: `timeout`; one that runs out of
 * memory: `too large`. Any other failure is thrown.
 */
export function runJob<Result>(script: string, job: Job, limit = Infinity): Promise<Result | Stopped> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      ["--expose-gc", `--max-old-space-size=${HEAP}`, script, JSON.stringify(job)],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    const out: Buffer[] = [];
    const errors: Buffer[] = [];
    child.stdout.on("data", (chunk) => out.push(chunk));
    child.stderr.on("data", (chunk) => errors.push(chunk));
    let isLate = false;
    const timer = Number.isFinite(limit)
      ? setTimeout(() => {
          isLate = true;
          child.kill("SIGKILL");
        }, limit)
      : undefined;
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      const text = Buffer.concat(errors).toString();
      if (code === 0) resolve(JSON.parse(Buffer.concat(out).toString()) as Result);
      else if (isLate) resolve("timeout");
      else if (signal === "SIGKILL" || /out of memory|allocation failed/i.test(text)) resolve("too large");
      else
        reject(
          new Error(`${job.kind}: ${failureIn(text) ?? `got exit code ${code ?? signal}, expected 0.`}`),
        );
    });
  });
}

/** The message of the error that ended a process. */
const failureIn = (text: string): string | undefined => /^(?:\w*Error: |Error \[)(.*)$/m.exec(text)?.[1];
