/** Results as they are saved: per question what was measured, and where and when. */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import os from "node:os";
import type { BreakEvenResult } from "./break-even.js";
import type { EarlyReadResult } from "./early-reads.js";
import type { EnginesResult } from "./engines.js";
import type { EntriesResult } from "./entries.js";
import type { GrowthResult } from "./growth.js";
import type { JavaClassesResult } from "./java-classes.js";
import type { LoadResult } from "./load.js";
import type { MemoryResult } from "./memory.js";
import type { NativeResult } from "./native.js";
import type { NoCycleResult } from "./no-cycle.js";
import type { PackagesResult } from "./packages.js";
import type { ParallelResult } from "./parallel.js";
import type { SourceResult } from "./source.js";
import type { UpdateResult } from "./update.js";

export interface Environment {
  readonly processor: string;
  readonly cores: number;
  /** Bytes. */
  readonly memory: number;
  /** Processes that wanted a core in the minute before the run: more than 0 or so, and absolute times suffer. */
  readonly load?: number;
  readonly system: string;
  readonly node: string;
  readonly date: string;
  readonly commit: string;
}

export interface Saved<Result> {
  readonly environment: Environment;
  /** Whether the measurement went through to its end. */
  readonly complete: boolean;
  readonly result: Result;
}

export interface Results {
  engines?: Saved<EnginesResult>;
  growth?: Saved<GrowthResult>;
  "break-even"?: Saved<BreakEvenResult>;
  load?: Saved<LoadResult>;
  source?: Saved<SourceResult>;
  update?: Saved<UpdateResult>;
  parallel?: Saved<ParallelResult>;
  memory?: Saved<MemoryResult>;
  native?: Saved<NativeResult>;
  "early-reads"?: Saved<EarlyReadResult>;
  "java-classes"?: Saved<JavaClassesResult>;
  entries?: Saved<EntriesResult>;
  packages?: Saved<PackagesResult>;
  "no-cycle"?: Saved<NoCycleResult>;
}

export function readResults(file: string): Results {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Results) : {};
}

export function environment(): Environment {
  return {
    processor: os.cpus()[0]?.model.trim() ?? "unknown",
    cores: os.availableParallelism(),
    memory: os.totalmem(),
    load: os.loadavg()[0],
    system: `${os.type()} ${os.arch()}`,
    node: process.version,
    date: new Date().toISOString().slice(0, 10),
    commit: commit(),
  };
}

function commit(): string {
  const git = (...words: string[]) => execFileSync("git", words, { encoding: "utf8" }).trim();
  try {
    const changed = git("status", "--porcelain", "--", "src", "assembly") !== "";
    return `${git("rev-parse", "--short", "HEAD")}${changed ? " with changes" : ""}`;
  } catch {
    return "unknown";
  }
}
