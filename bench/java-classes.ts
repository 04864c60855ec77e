/**
 * Is every class of a JDK read? All modules of the one at JAVA_HOME, one after the other, as class files of real compilers
 * of its time: whatever is not read is counted, and there should be nothing.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { loadPaths } from "../src/jvm/host/node.js";
import { digits, table } from "./format.js";
import type { Options, Question, Section } from "./harness.js";

export interface JavaModuleFigures {
  readonly module: string;
  readonly classes: number;
  readonly procedures: number;
  readonly vertices: number;
  readonly callEdges: number;
  /** What was not read. */
  readonly diagnostics: readonly string[];
  /** Milliseconds of processor time. */
  readonly cpu: number;
}

export type JavaClassesResult = readonly JavaModuleFigures[];

function* measure({ quick }: Options): Iterable<JavaClassesResult> {
  const home = process.env.JAVA_HOME;
  if (home === undefined) throw new Error("JAVA_HOME: got nothing, expected the folder of a JDK.");
  const archives = join(home, "jmods");
  const scratch = mkdtempSync(join(tmpdir(), "classes-"));
  try {
    let folder = archives;
    if (!existsSync(archives)) {
      // Newer JDKs come without archives of their modules.
      const image = join(home, "lib/modules");
      execFileSync(join(home, "bin/jimage"), ["extract", "--dir", scratch, image]);
      folder = scratch;
    }
    const results: JavaModuleFigures[] = [];
    for (const entry of readdirSync(folder).sort()) {
      const module = basename(entry, ".jmod");
      if (quick && module !== "java.base") continue;
      results.push(figuresOf(module, join(folder, entry)));
      yield results;
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function figuresOf(module: string, path: string): JavaModuleFigures {
  const begun = process.cpuUsage();
  const { program, classCount, diagnostics } = loadPaths([path], { exceptions: "throwing" });
  const cpu = process.cpuUsage(begun).user / 1000;
  let vertices = 0;
  let callEdges = 0;
  for (const { vertexCount, calls } of program.procedures) {
    vertices += vertexCount;
    for (const { callees } of calls) callEdges += callees.length;
  }
  return {
    module,
    classes: classCount,
    procedures: program.procedures.length,
    vertices,
    callEdges,
    diagnostics: diagnostics.map(({ file, message }) => `${file}: ${message}`),
    cpu,
  };
}

function report(result: JavaClassesResult): Section {
  const row = (name: string, figures: JavaClassesResult): string[] => {
    const sum = (of: (module: JavaModuleFigures) => number) =>
      figures.reduce((total, one) => total + of(one), 0);
    return [
      name,
      `${sum(({ classes }) => classes)}`,
      `${sum(({ procedures }) => procedures)}`,
      `${sum(({ vertices }) => vertices)}`,
      `${sum(({ callEdges }) => callEdges)}`,
      `${sum(({ diagnostics }) => diagnostics.length)}`,
      digits(sum(({ cpu }) => cpu) / 1000),
    ];
  };
  const largest = result.toSorted((a, b) => b.vertices - a.vertices).slice(0, 5);
  return {
    title: "Is every class of a JDK read?",
    markdown: table(
      ["module", "classes", "procedures", "vertices", "call edges", "not read", "CPU, s"],
      [row("all", result), ...largest.map((figures) => row(figures.module, [figures]))],
    ),
  };
}

export const javaClasses: Question<JavaClassesResult> = {
  name: "java-classes",
  isLong: true,
  measure,
  report,
};
