/**
 * Where the instances of a program are: the files that were named, or those that the clients make of its jar, once, in the
 * cache. What is made there belongs to the sources that made it.
 */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runJob } from "./jobs.js";
import { obtain } from "./obtain.js";
import { type Group, isClient, isJar } from "./plan.js";
import type { Made } from "./work.js";

export interface InstanceFiles {
  /** Where the program is from, with its version. */
  readonly origin?: string;
  /** By analysis: the instance, or why there is none, and whether there may be one the next time. */
  readonly instances: Readonly<Record<string, InstanceFile>>;
}

export interface InstanceFile {
  readonly file?: string;
  readonly skipped?: string;
  readonly again?: boolean;
}

/** Milliseconds for all instances of a program. */
const MOST_MILLISECONDS = 600_000;

/** `fingerprint`: of the bundle `script`, which makes them. */
export async function instanceFiles(
  { set, program, analyses, source }: Group,
  cache: string,
  script: string,
  fingerprint: string,
): Promise<InstanceFiles> {
  const all = (of: (analysis: string) => InstanceFile) =>
    Object.fromEntries(analyses.map((analysis) => [analysis, of(analysis)]));
  if (!isJar(source)) return { instances: all((analysis) => ({ file: source[analysis] })) };

  const obtained = await obtain(source, cache);
  if (!("jar" in obtained)) return { instances: all(() => ({ skipped: obtained.join(" "), again: true })) };
  const { jar, origin } = obtained;
  const content = createHash("sha256").update(readFileSync(jar)).update(fingerprint).digest("hex");
  const folder = join(cache, "instances", `${set}-${program}-${content.slice(0, 16)}`);
  const done = join(folder, "made.json");
  mkdirSync(folder, { recursive: true });
  let made = existsSync(done) ? (JSON.parse(readFileSync(done, "utf8")) as Made) : {};
  const missing = analyses.filter(isClient).filter((analysis) => !(analysis in made));
  if (0 < missing.length) {
    const job = { kind: "make", jar, packages: source.packages, analyses: missing, folder } as const;
    const result = await runJob<Made>(script, job, MOST_MILLISECONDS);
    if (typeof result === "string")
      return { origin, instances: all(() => ({ skipped: `Making the instances: ${result}.` })) };
    made = { ...made, ...result };
    writeFileSync(done, JSON.stringify(made));
  }
  return {
    origin,
    instances: all((analysis) => {
      const { file, refused } = made[analysis];
      if (file !== undefined) return { file: join(folder, file) };
      return { skipped: refused ?? "Got no instance, expected one." };
    }),
  };
}
