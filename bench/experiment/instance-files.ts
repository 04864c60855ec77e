/** Where the instances of a program are: the files that were named, or those that are made of its jar. */

import type { Group } from "./plan.js";
import { isJar } from "./plan.js";

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

export async function instanceFiles(
  { analyses, source }: Group,
  _cache: string,
  _script: string,
  _fingerprint: string,
): Promise<InstanceFiles> {
  const all = (of: (analysis: string) => InstanceFile) =>
    Object.fromEntries(analyses.map((analysis) => [analysis, of(analysis)]));
  if (!isJar(source)) return { instances: all((analysis) => ({ file: source[analysis] })) };
  return { instances: all(() => ({ skipped: "no front end", again: true })) };
}
