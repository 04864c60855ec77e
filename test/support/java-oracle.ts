/** A Java virtual machine as the oracle: generated programs, compiled together and run in one process, one instruction at a time. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { JavaProgram } from "./random-java.js";

export interface JavaRun {
  readonly name: string;
  /** Its class files, by name. */
  readonly classes: readonly (readonly [file: string, bytes: Uint8Array])[];
  /** As `Trace.java` prints it, of its own instructions alone. */
  readonly trace: readonly string[];
}

/** Why there is no oracle here; undefined where there is one. */
export function missingJdk(): string | undefined {
  const { error, stderr, stdout } = spawnSync("javac", ["-version"], { encoding: "utf8" });
  if (error !== undefined) return "there is no javac on the path";
  const version = Number(/javac (\d+)/.exec(stdout + stderr)?.[1]);
  return 17 <= version ? undefined : `javac ${version} is older than 17`;
}

/**
 * @param fixtures the folder of `Trace.java`
 * @throws Error if a program does not compile, or the machine fails, with what it wrote
 */
export function runJava(programs: readonly JavaProgram[], fixtures: string): JavaRun[] {
  const folder = mkdtempSync(join(tmpdir(), "phloem-java-"));
  try {
    for (const { name, source } of programs) writeFileSync(join(folder, `${name}.java`), source);
    writeFileSync(join(folder, "Driver.java"), driver(programs));
    const files = [...programs.map(({ name }) => name), "Driver"].map((name) => join(folder, `${name}.java`));
    run(folder, "javac", ["-g", "--release", "17", "-d", folder, ...files]);
    run(folder, "javac", ["-d", folder, resolve(fixtures, "Trace.java")]);
    const trace = run(folder, "java", ["-cp", folder, "Trace", folder, "Driver"]);
    const traces = tracesOf(trace);
    const classes = readdirSync(folder).filter((file) => file.endsWith(".class"));
    return programs.map(({ name }) => ({
      name,
      classes: classes
        .filter((file) => file === `${name}.class` || file.startsWith(`${name}$`))
        .sort()
        .map((file) => [file, new Uint8Array(readFileSync(join(folder, file)))] as const),
      trace: traces.get(name) ?? [],
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs them one after another; what one throws concerns no other. */
function driver(programs: readonly JavaProgram[]): string {
  const runs = programs.map(
    ({ name }) => `    try {\n      ${name}.main(args);\n    } catch (Throwable e) {\n    }\n`,
  );
  return `public class Driver {\n  public static void main(String[] args) {\n${runs.join("")}  }\n}\n`;
}

/** A trace of several programs, by the names of their classes. */
function tracesOf(trace: string): Map<string, string[]> {
  const traces = new Map<string, string[]>();
  const byMethod: string[][] = [];
  for (const line of trace.trimEnd().split("\n")) {
    const [first, number, method] = line.split(" ");
    if (first === "m") {
      const [program] = /^\w+/.exec(method) ?? [""];
      const lines = traces.get(program) ?? [];
      traces.set(program, lines);
      byMethod[Number(number)] = lines;
    }
    byMethod[Number(number)].push(line);
  }
  return traces;
}

function run(folder: string, command: string, parameters: readonly string[]): string {
  const { status, signal, stdout, stderr } = spawnSync(command, parameters, {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 2 ** 30,
    timeout: 600_000,
  });
  if (status !== 0) throw new Error(`${command} ended with ${status ?? signal}: ${stderr}`);
  return stdout;
}
