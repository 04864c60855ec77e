/**
 * Results as they are saved: a file of lines, the first of which says what was measured with what, and then one for
 * each instance as it is finished. A run that was interrupted goes on where it stopped, if nothing has changed; a line that
 * was cut is an instance that was not finished.
 */

import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Environment } from "../results.js";
import type { Agreement } from "./agreement.js";
import type { AlgorithmName } from "./algorithms.js";
import type { Measurement } from "./measure.js";
import type { SetName } from "./programs.js";
import type { Settings } from "./settings.js";
import type { Sizes } from "./sizes.js";

export interface RunHeader {
  readonly settings: Settings;
  /** Changes with anything that could change a result: the engine, the baselines, what measures them. */
  readonly fingerprint: string;
  readonly environment: Environment;
}

/** A process that was ended from outside leaves nothing but why. */
export type Figures = Omit<Measurement, "answers" | "peak"> & { readonly peak?: number };

export interface InstanceRecord {
  readonly set: SetName;
  readonly program: string;
  readonly analysis: string;
  /** Where the program is from, with its version. */
  readonly origin?: string;
  /** Hash of the instance's text. */
  readonly content?: string;
  /** Why there is no instance: the program could not be had, or the problem passes a limit. Then there is nothing else. */
  readonly skipped?: string;
  /** Whether it may be there the next time. */
  readonly again?: boolean;
  /** Whether that is an error, of the instance's file or of what was run on it. */
  readonly failed?: boolean;
  readonly sizes?: Sizes;
  readonly algorithms?: Readonly<Partial<Record<AlgorithmName, Figures>>>;
  readonly agreement?: Agreement;
}

/** The records of a run, read back and added to. */
export interface Records {
  readonly header: RunHeader;
  readonly list: readonly InstanceRecord[];
  has(set: string, program: string, analysis: string): boolean;
  add(record: InstanceRecord): void;
}

/** Records in `file` that still hold; where `header` differs in more than its environment, or `anew`, there are none. */
export function openRecords(file: string, header: RunHeader, anew = false): Records {
  const kept = anew ? undefined : readRecords(file);
  const holds = kept !== undefined && sameRun(kept.header, header);
  const list: InstanceRecord[] = holds ? kept.list.filter(({ again }) => !again) : [];
  const first = holds ? kept.header : header;
  // Written anew, so that a line which was cut is not in the way of the next.
  writeFileSync(file, [first, ...list].map((value) => line(value)).join(""));
  return {
    header: first,
    list,
    has: (set, program, analysis) =>
      list.some((record) => record.set === set && record.program === program && record.analysis === analysis),
    add(record) {
      list.push(record);
      appendFileSync(file, line(record));
    },
  };
}

/** What a file has, whatever it was measured with; undefined where there is none. */
export function readRecords(file: string): { header: RunHeader; list: InstanceRecord[] } | undefined {
  if (!existsSync(file)) return undefined;
  const values = readFileSync(file, "utf8")
    .split("\n")
    .flatMap((text): unknown[] => {
      try {
        return [JSON.parse(text)];
      } catch {
        return [];
      }
    });
  const [header, ...list] = values as [RunHeader, ...InstanceRecord[]];
  return header?.settings === undefined ? undefined : { header, list };
}

const sameRun = (a: RunHeader, b: RunHeader): boolean =>
  a.fingerprint === b.fingerprint && JSON.stringify(a.settings) === JSON.stringify(b.settings);

/** Measurements are not good to more than five digits. */
const line = (value: unknown): string =>
  `${JSON.stringify(value, (_, x) => (typeof x === "number" && !Number.isInteger(x) ? Number(x.toPrecision(5)) : x))}\n`;
