/**
 * How much memory does the whole process take? Each instance is read and preprocessed in a process of its own, which
 * reports its peak: the file's text, the program, the index and Node itself.
 */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { analyze } from "../src/analyze.js";
import { digits, table } from "./format.js";
import type { Options, Question, Section } from "./harness.js";
import { type Instance, instances } from "./instances.js";

interface Usage {
  /** Milliseconds. */
  readonly preprocessing: number;
  /** Bytes: the index, and the process at its largest. */
  readonly index: number;
  readonly peak: number;
  readonly searchProcedures: number;
}

export interface MemoryFigures extends Usage {
  readonly instance: string;
}

export type MemoryResult = readonly MemoryFigures[];

const INSTANCES = ["chart.live", "antlr.live", "antlr.puninit", "antlr.rdef", "antlr.suninit", "jflex.rdef"];

function* measure(options: Options): Iterable<MemoryResult> {
  const figures: MemoryFigures[] = [];
  for (const { name } of instances(options, INSTANCES)) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [process.argv[1], "--memory-of", name], {
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`${name}: got exit code ${status}, expected 0. ${stderr}`);
    figures.push({ instance: name, ...(JSON.parse(stdout) as Usage) });
    yield figures;
  }
}

/** The work of the process of its own. */
export function memoryOf(instance: Instance): Usage {
  const { statistics } = analyze(instance.graph());
  return {
    preprocessing: statistics.milliseconds.total,
    index: statistics.bytes.index,
    peak: peakBytes(),
    searchProcedures: statistics.searchProcedures,
  };
}

/**
 * Memory of this process at its largest. On Linux from the kernel's table, since the resource usage of a new process
 * begins with its parent's.
 */
export function peakBytes(): number {
  const status = "/proc/self/status";
  const [, peak] = existsSync(status) ? (/^VmHWM:\s*(\d+)/m.exec(readFileSync(status, "utf8")) ?? []) : [];
  return 1024 * (peak === undefined ? process.resourceUsage().maxRSS : Number(peak));
}

function report(result: MemoryResult): Section {
  const rows = result.map(({ instance, preprocessing, index, peak, searchProcedures }) => [
    instance,
    digits(preprocessing),
    digits(index / 1e6),
    digits(peak / 1e6),
    String(searchProcedures),
  ]);
  return {
    title: "How much memory does the process take?",
    markdown: table(
      [
        "instance",
        "preprocessing, cold, ms",
        "index, MB",
        "process at its peak, MB",
        "procedures answered by search",
      ],
      rows,
    ),
  };
}

export const memory: Question<MemoryResult> = { name: "memory", measure, report };
