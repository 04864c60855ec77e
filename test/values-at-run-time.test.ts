/**
 * What analyses say of a program held against what it does when Node runs it: whatever is observed, they must allow. Statements that
 * run are reachable; a write whose value a read gets reaches that read, and the variable is live behind the write; a sink that
 * gets a marked value is a finding.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { liveness } from "../src/clients/liveness.js";
import { reachability } from "../src/clients/reachability.js";
import { reachingDefinitions } from "../src/clients/reaching-definitions.js";
import { checkModules } from "../src/javascript/check-modules.js";
import { load } from "../src/javascript/front-end.js";
import { memoryHost } from "../src/javascript/modules/host/memory.js";
import { nodeHost } from "../src/javascript/modules/host/node.js";
import { OPERATION_SIZE, Op, type Program } from "../src/program/program.js";
import { parseAnnotated } from "./support/annotated-modules.js";
import { type ModuleProgram, runInNode } from "./support/node-oracle.js";
import { type Extent, instrument } from "./support/observed-values.js";
import { randomModules } from "./support/random-modules.js";

const { parse } = nodeHost(import.meta.dirname);
const hostOf = (files: Readonly<Record<string, string>>) =>
  memoryHost(new Map(Object.entries(files)), { parse });

/** Vertices by extent, and what they do to variables. */
function vertexTable({ procedures, files }: Program) {
  const table = new Map<string, { p: number; vertex: number; reads: number[]; writes: number[] }[]>();
  for (const [p, { file, ranges, vertexCount, operationStart, operations }] of procedures.entries()) {
    if (file < 0) continue;
    for (let vertex = 0; vertex < vertexCount; vertex++) {
      const [reads, writes]: [number[], number[]] = [[], []];
      for (let i = operationStart[vertex]; i < operationStart[vertex + 1]; i++) {
        const [code, variable] = operations.subarray(i * OPERATION_SIZE);
        if (code === Op.read) reads.push(variable);
        if (code === Op.write) writes.push(variable);
      }
      const key = `${files[file].path} ${ranges[2 * vertex]} ${ranges[2 * vertex + 1]}`;
      const list = table.get(key);
      if (list === undefined) table.set(key, [{ p, vertex, reads, writes }]);
      else list.push({ p, vertex, reads, writes });
    }
  }
  return table;
}

/** What was observed and is not allowed; how much was observed. */
async function differences(
  { entry, files }: ModuleProgram,
  extents: readonly Extent[],
  logged: readonly string[],
): Promise<{ readonly wrong: string[]; readonly statements: number; readonly uses: number }> {
  const { whole } = await load([entry], hostOf(files), { flows: true });
  const { program } = whole!;
  const executed = reachability(program).analyze();
  const live = liveness(program).analyze();
  const reaching = reachingDefinitions(program).analyze();
  const table = vertexTable(program);
  const wrong: string[] = [];
  let [statements, uses] = [0, 0];
  const at = ({ file, start, end }: Extent) => table.get(`${file} ${start} ${end}`) ?? [];
  const show = ({ file, start, end }: Extent) => `${file}: ${files[file].slice(start, end)} (${start})`;
  /** Steps in the sources, with the extent of their function. */
  const reached = new Map<
    string,
    { from: number; to: number; around: readonly [number, number]; isReached: boolean }[]
  >();
  for (const [p, { file, ranges, vertexCount, start, end }] of program.procedures.entries()) {
    if (file < 0) continue;
    const list = reached.get(program.files[file].path) ?? [];
    reached.set(program.files[file].path, list);
    for (let vertex = 0; vertex < vertexCount; vertex++) {
      const [from, to] = [ranges[2 * vertex], ranges[2 * vertex + 1]];
      if (from < to) list.push({ from, to, around: [start, end], isReached: executed.reaches(p, vertex) });
    }
  }
  for (const text of logged) {
    const [kind, a, b] = text.split(" ");
    if (kind === "s") {
      const { file, start, end } = extents[Number(a)];
      const inside = (reached.get(file) ?? []).filter(
        ({ from, to, around }) => start <= from && to <= end && around[0] <= start && end <= around[1],
      );
      if (inside.length === 0) continue;
      statements++;
      if (!inside.some(({ isReached }) => isReached)) wrong.push(`runs: ${show(extents[Number(a)])}`);
    } else if (kind === "u") {
      uses++;
      const [definition, use] = [extents[Number(a)], extents[Number(b)]];
      const isAllowed = at(use).some(({ p, vertex, reads }) =>
        reads.some((v) =>
          reaching.reachingDefinitions(p, vertex, v).some(({ procedure, vertex: where }) => {
            const { file, ranges } = program.procedures[procedure];
            return (
              0 <= file &&
              program.files[file].path === definition.file &&
              ranges[2 * where] === definition.start &&
              ranges[2 * where + 1] === definition.end
            );
          }),
        ),
      );
      if (!isAllowed) wrong.push(`reaches: ${show(definition)} at ${show(use)}`);
      const isLive = at(definition).some(({ p, vertex, writes }) => {
        const { edges } = program.procedures[p];
        return writes.some((v) => {
          for (let e = 0; e < edges.length; e += 2)
            if (edges[e] === vertex && live.isLiveBefore(p, edges[e + 1], v)) return true;
          return false;
        });
      });
      if (!isLive) wrong.push(`is live: ${show(definition)} for ${show(use)}`);
    }
  }
  return { wrong, statements, uses };
}

const isModules = ({ files }: ModuleProgram) =>
  Object.keys(files).every((file) => file.endsWith(".mjs")) &&
  !/^\s*(?:await )?using /m.test(Object.values(files).join("\n"));

async function hold(programs: readonly ModuleProgram[]): Promise<void> {
  const instrumented = await Promise.all(
    programs.map(({ files }, number) => instrument(files, number, hostOf(files))),
  );
  const observations = runInNode(programs.map(({ entry }, i) => ({ entry, files: instrumented[i].files })));
  let [statements, uses] = [0, 0];
  for (const [i, program] of programs.entries()) {
    const found = await differences(program, instrumented[i].extents, observations[i].logged);
    statements += found.statements;
    uses += found.uses;
    if (0 < found.wrong.length)
      throw new Error(
        `program ${i}: ${found.wrong.join("; ")}, in\n${Object.values(program.files).join("// ---\n")}`,
      );
  }
  expect(statements).toBeGreaterThan(4 * programs.length);
  expect(uses).toBeGreaterThan(programs.length);
}

describe("statements that run, writes that are read", () => {
  const folder = join(import.meta.dirname, "fixtures", "early-reads", "annotated");
  const fixtures = readdirSync(folder)
    .sort()
    .map((name) => parseAnnotated(readFileSync(join(folder, name), "utf8")))
    .filter(isModules);
  test("fixtures", () => hold(fixtures));
  test.each([
    { name: "without branches", branches: false },
    { name: "with branches", branches: true },
  ])("random programs $name", ({ branches }) =>
    hold(Array.from({ length: 25 }, (_, seed) => randomModules(seed, { branches }))),
  );
});

/** Packages that stand for the world outside: what they give is marked, and a sink says where it gets something marked. */
const outside = (number: number, value: string) => ({
  in: `
    export const source = () => ${value};
    export const wait = () => Promise.resolve();
    export const on = () => {};`,
  out: `
    const isMarked = (value, depth = 0) =>
      typeof value === "number" ? 2 ** 39 < value
      : typeof value === "string" ? value.includes("MARKED")
      : typeof value === "object" && value !== null && depth < 3 && Object.values(value).some((v) => isMarked(v, depth + 1));
    export const sink = (...values) => {
      if (!values.some((value) => isMarked(value))) return;
      const [, file, line] = /${number}\\/([^\\s():]+\\.mjs):(\\d+):/.exec(new Error().stack) ?? [];
      observe(${number}, "t " + file + ":" + line);
    };
    sink.other = () => {};`,
  washing: "export const clean = () => 0;",
});

async function holdTaint(programs: readonly ModuleProgram[], value: string, least: number): Promise<void> {
  const observations = runInNode(
    programs.map(({ entry, files }, i) => ({ entry, files: { ...files, ...outside(i, value) } })),
  );
  let observed = 0;
  for (const [i, { entry, files }] of programs.entries()) {
    const { findings } = await checkModules(
      {
        entries: [entry],
        root: "",
        rules: ["tainted-sink"],
        callbacks: "later",
        taint: { sources: ["in.source"], sinks: [{ name: "out.sink" }], sanitizers: ["washing.clean"] },
      },
      hostOf(files),
    );
    const found = new Set(findings.map(({ file, line }) => `${file}:${line}`));
    const marked = observations[i].logged.map((text) => text.slice(2));
    observed += marked.length;
    const missing = marked.filter((place) => !found.has(place));
    if (0 < missing.length)
      throw new Error(
        `program ${i}: ${missing.join(", ")} get what is marked, in\n${Object.entries(files).join("\n")}`,
      );
  }
  expect(observed).toBeGreaterThan(least);
}

/** The program with a marked number somewhere, and with sinks behind declarations. */
function withMarks({ entry, files }: ModuleProgram, seed: number): ModuleProgram {
  const literals = Object.entries(files).flatMap(([file, text]) =>
    Array.from(text.matchAll(/(?<=[=(,?:] |return |\+ |\()\d\b(?!:)/g), ({ index }) => ({ file, index })),
  );
  const marked = literals[(seed * 7) % Math.max(literals.length, 1)];
  return {
    entry,
    files: Object.fromEntries(
      Object.entries(files).map(([file, text]) => {
        let changed = text;
        if (file === marked?.file)
          changed = `${text.slice(0, marked.index)}(2 ** 0 * source())${text.slice(marked.index + 1)}`;
        changed = changed.replace(/^(\s*(?:export )?(?:const|let|var) (\w+) = [^\n]*;)$/gm, "$1 sink($2);");
        return [file, `import { source } from "in"; import { sink } from "out"; ${changed}`];
      }),
    ),
  };
}

describe("marked values", () => {
  const folder = join(import.meta.dirname, "fixtures", "tainted-sinks");
  test("fixtures", () =>
    holdTaint(
      readdirSync(folder)
        .sort()
        .map((name) => parseAnnotated(readFileSync(join(folder, name), "utf8")))
        .filter(isModules),
      '"MARKED"',
      20,
    ));
  test("random programs", () =>
    holdTaint(
      Array.from({ length: 90 }, (_, seed) => withMarks(randomModules(seed, { branches: false }), seed)),
      "2 ** 40",
      10,
    ));
});
