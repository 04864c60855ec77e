/**
 * Questions by position. Annotated sources, in which a comment below a line points at a column with `^` and says what is
 * answered there; and random programs whose steps are laid out in a source, where answers at a position are those of the
 * clients at every vertex that stands there.
 *
 *     // ^ reads x; definitions 1:5 3:1; live x y; uninitialized; not executed; none; reaches 3:4 !5:6
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ChunkedClient } from "../src/ask/chunked-client.js";
import { definitionsClient } from "../src/ask/clients.js";
import type { ExplainedStep } from "../src/ask/explanation.js";
import { programIndex } from "../src/ask/program-index.js";
import type { ProgramPosition } from "../src/ask/program-position.js";
import {
  liveness,
  type Program,
  possiblyUninitialized,
  type ReachingDefinitions,
  reachingDefinitions,
} from "../src/clients/index.js";
import { load } from "../src/javascript/front-end.js";
import { memoryHost } from "../src/javascript/modules/host/memory.js";
import { randomProgram } from "./support/programs.js";

interface Question {
  readonly at: string;
  readonly expected: readonly string[];
}

/** Files by name, after `// @filename:` lines; the first is the entry. */
function parseFixture(text: string): { files: Map<string, string>; entry: string; questions: Question[] } {
  const files = new Map<string, string>();
  const questions: Question[] = [];
  let name = "main.js";
  let lines: string[] = [];
  const close = () => {
    if (0 < lines.length) files.set(name, lines.join("\n"));
    lines = [];
  };
  let above = 0;
  for (const line of text.split("\n")) {
    const [, opened] = /^\/\/ @filename: (\S+)$/.exec(line) ?? [];
    if (opened !== undefined) {
      close();
      name = opened;
      continue;
    }
    lines.push(line);
    const [, before, answers] = /^(\s*\/\/[^^]*)\^ (.*)$/.exec(line) ?? [];
    if (before === undefined) above = lines.length;
    else {
      questions.push({
        at: `${name}:${above}:${before.length + 1}`,
        expected: answers.split(";").map((answer) => answer.trim()),
      });
    }
  }
  close();
  return { files, entry: [...files.keys()][0], questions };
}

function answer(at: ProgramPosition, question: string, main: string): string {
  const [, what] = /^(\S+)/.exec(question) ?? [];
  const short = (file: string) => (file === main ? "" : `${file}:`);
  switch (what) {
    case "definitions":
      return [
        "definitions",
        ...at.reachingDefinitions().map(({ file, line, column }) => `${short(file)}${line}:${column}`),
      ].join(" ");
    case "live":
      return ["live", ...at.liveVariables().map(({ name }) => name)].join(" ");
    case "uninitialized":
    case "initialized":
      return at.mayBeUninitialized() ? "uninitialized" : "initialized";
    case "reaches": {
      const [, ...targets] = question.split(" ");
      const reached = targets.map((target) => {
        const [place, not] = target.startsWith("!") ? [target.slice(1), "!"] : [target, ""];
        const to = place.split(":").length === 3 ? place : `${at.position.file}:${place}`;
        const steps = at.explainReaches(to);
        expect([target, at.reaches(to)]).toEqual([target, steps !== undefined]);
        if (steps !== undefined) expect(steps.at(-1)?.kind).toBe("here");
        return `${steps === undefined ? "!" : ""}${place}${not && ""}`;
      });
      return ["reaches", ...reached].join(" ");
    }
    case "executed":
    case "not":
      return at.isExecuted() ? "executed" : "not executed";
    default:
      return [at.use, ...at.names].join(" ");
  }
}

async function check(text: string): Promise<void> {
  const { files, entry, questions } = parseFixture(text);
  expect(questions.length).toBeGreaterThan(0);
  const program = await load([entry], memoryHost(files));
  expect(program.diagnostics).toEqual([]);
  for (const { at, expected } of questions) {
    const position = program.at(at);
    const answers = expected.map((question) => answer(position, question, entry));
    expect([at, ...answers]).toEqual([at, ...expected]);
    if (position.names.length === 0) continue;
    for (const { line, column, explain } of position.reachingDefinitions()) {
      const steps = explain();
      expect(
        steps.some((step) => step.kind === "begins" && step.line === line && step.column === column),
      ).toBe(true);
      expect(steps.at(-1)).toMatchObject({ kind: "here", ...position.extent });
    }
    for (const { explain } of position.liveVariables()) {
      const steps = explain();
      expect([steps[0].kind, steps.at(-1)?.kind]).toEqual(["here", "uses"]);
    }
    expect(position.explainUninitialized()?.at(-1)?.kind).toBe(
      position.mayBeUninitialized() ? "here" : undefined,
    );
  }
}

describe("annotated sources", () => {
  test.each([
    [
      "a read after assignments on two paths",
      `let x = 1;
if (globalThis.flag) x = 2;
console.log(x);
//          ^ reads x; definitions 1:5 2:22; live x; initialized; executed
`,
    ],
    [
      "an assignment replaces what came before",
      `{
  let x = 1;
  x = 2;
//^ writes x; definitions 2:7; live
  console.log(x);
//            ^ definitions 3:3; live x
}
`,
    ],
    [
      "compound assignment reads, then writes",
      `{
  let n = 0;
  n += 1;
//^ reads n; definitions 2:7; live n
  n++;
  console.log(n);
//            ^ definitions 5:3
}
`,
    ],
    [
      "a function called twice: answers are joined over its callers",
      `let x = 1;
function show() {
  console.log(x);
//            ^ definitions 1:5 7:1; live x
}
show();
x = 2;
show();
`,
    ],
    [
      "parameters and hoisted functions stand where they are declared",
      `double(2);
//^ reads double; definitions 3:10
function double(n) {
//              ^ writes n
  return n * 2;
//       ^ reads n; definitions 3:17; live n
}
`,
    ],
    [
      "too early, by a call",
      `show();
function show() {
  console.log(x);
//            ^ reads x; uninitialized; definitions; live x
}
let x = 1;
`,
    ],
    [
      "a function that is exported may be called again, one that is not may not",
      `let a = 1, b = 1;
export function again() { a = 2; }
function once() { b = 2; }
again();
once();
a = b = 3;
export const get = () => [a, b];
//                        ^ definitions 2:27 6:1
export const other = () => [a, b];
//                             ^ definitions 6:5
`,
    ],
    [
      "methods of what exported functions return, by a name or by a class",
      `let a = 1, b = 1;
class Counter { count() { a++; } get total() { b++; return b; } }
export function make() { return { counter: new Counter(), read() { return [a, b]; } }; }
//                                                                         ^ definitions 1:5 2:27
`,
    ],
    [
      "what one module writes another reads",
      `// @filename: main.js
import { count, increase } from "./count.js";
increase();
console.log(count);
//          ^ reads count; definitions count.js:4:3; live count
// @filename: count.js
export let count = 0;
export { increase };
function increase() {
  count++;
//^ reads count; definitions count.js:1:12; live count
}
`,
    ],
    [
      "behind an exception nothing is executed",
      `function fail() { throw new Error(); }
let x = 1;
fail();
console.log(x);
//          ^ not executed; definitions; live; initialized
`,
    ],
    [
      "callbacks run later",
      `let x = 1;
setTimeout(() => console.log(x));
//                           ^ definitions 4:1; initialized
x = 2;
`,
    ],
    [
      "what an entry exports others may read, the rest they may not",
      `export let a = 1;
let b = 1;
    b = b + a;
//      ^ reads b; live a b
    a = 2;
//  ^ writes a; live
`,
    ],
    [
      "CommonJS",
      `// @filename: main.cjs
const { next } = require("./state.cjs");
next();
// @filename: state.cjs
let state = 0;
exports.next = () => {
  state += 1;
//^ reads state; definitions state.cjs:1:5; live state
};
`,
    ],
    [
      "TypeScript",
      `// @filename: main.ts
interface Shape { readonly area: number }
const shapes: Shape[] = [];
export function total(of: readonly Shape[] = shapes): number {
  let sum: number = 0;
  for (const { area } of of) sum += area;
//                                  ^ reads area; definitions 5:16; live area shapes sum
  return sum;
//       ^ reads sum; definitions 4:7 5:30; live shapes sum
}
`,
    ],
    [
      "values: through variables, objects and calls, not past an assignment or a condition",
      `function id(v) { return v; }
export function f(a, b) {
//                ^ writes a; reaches 4:7 4:11 5:15 !5:18 6:9 6:15 6:16 6:18 1:13 1:25 9:7 !9:12 !10:3 !11:7 13:14 !13:26 !2:22
  let x = a;
  const o = { x, b };
  const r = id(o.x);
//             ^ reads o; reaches 9:7 !11:7
//               ^ reads o; reaches 9:7 !9:12
  use(r, o.b);
  x = b;
  use(x);
}
function use(v) { if (v) done(); }
//                    ^ reads v; reaches !9:7
function done() { return 1; }
`,
    ],
  ])("%s", (_, text) => check(text));
});

describe("positions", () => {
  const text = "let a = 1;\nfunction f() {\n  return a + 1;\n}\nf();\n";
  const program = load(["src/main.js"], memoryHost(new Map([["src/main.js", text]])));

  test.each([
    ["nonsense", 'position: got "nonsense", expected FILE:LINE:COLUMN, counted from 1.'],
    ["src/main.js:0:1", 'position: got "src/main.js:0:1", expected FILE:LINE:COLUMN, counted from 1.'],
    [
      "lib/main.js:1:1",
      "lib/main.js:1:1: got file lib/main.js, expected one of the program's 1, such as src/main.js.",
    ],
    ["other.js:1:1", "other.js:1:1: got file other.js, expected one of the program's 1."],
    ["src/main.js:9:1", "src/main.js:9:1: got line 9, expected 1 to 6."],
    ["src/main.js:1:99", "src/main.js:1:99: got column 99, expected 1 to 11."],
    [
      "src/main.js:1:1",
      "src/main.js:1:1: got a position without a step, expected one such as the nearest, src/main.js:1:5.",
    ],
  ])("%s", async (at, message) => {
    const { at: position } = await program;
    expect(() => position(at)).toThrow(message);
  });

  test("a step without variables answers what is live, and names the nearest that has some", async () => {
    const position = (await program).at("src/main.js:3:15");
    expect(position.use).toBe("none");
    expect(() => position.reachingDefinitions()).toThrow(
      "src/main.js:3:15: got a step that uses no variable by name, expected one that does, such as the nearest, src/main.js:3:10.",
    );
  });

  test("./ before a path, and objects", async () => {
    const { at } = await program;
    expect(at("./src/main.js:3:10").names).toEqual(["a"]);
    expect(at({ file: "src/main.js", line: 3, column: 10 }).extent).toEqual({
      ...{ file: "src/main.js", line: 3, column: 10, endLine: 3, endColumn: 11 },
    });
  });
});

/** Steps of procedures in one file, a line each; those of procedure 2 stand where those of 1 do. */
function laidOut(program: Program): Program {
  let line = 0;
  const bases: number[] = [];
  const procedures = program.procedures.map((procedure, p) => {
    const base = p === 2 ? bases[1] : line;
    bases.push(base);
    line = Math.max(line, base + procedure.vertexCount);
    const ranges = Uint32Array.from(
      { length: 2 * procedure.vertexCount },
      (_, i) => 8 * (base + (i >> 1)) + (i % 2) * 7,
    );
    return { ...procedure, file: 0, start: 8 * base, end: 8 * (base + procedure.vertexCount), ranges };
  });
  return { ...program, procedures, files: [{ path: "a", text: "step...\n".repeat(line) }] };
}

test("answers at a position are those of the clients at the vertices there, joined", () => {
  fc.assert(
    fc.property(randomProgram(true).map(laidOut), (program) => {
      const index = programIndex({ executions: [program] });
      const definitions = reachingDefinitions(program).analyze();
      const live = liveness(program).analyze();
      const open = possiblyUninitialized(program).analyze();
      const lineOf = (p: number, v: number) => program.procedures[p].ranges[2 * v] / 8 + 1;
      const sites = program.procedures.flatMap(({ vertexCount }, p) =>
        Array.from({ length: vertexCount }, (_, v) => [p, v]),
      );
      for (let line = 1; line <= Math.max(...sites.map(([p, v]) => lineOf(p, v))); line++) {
        const position = index.at(`a:${line}:3`);
        const here = sites.filter(([p, v]) => lineOf(p, v) === line);
        const steps = index.executions[0].sites
          .stepsOf(0)
          .filter((step) => here.some(([p, v]) => step.procedure === p && step.vertex === v));
        const lowest = Math.min(...steps.map(({ rank }) => rank));
        const used = steps.filter(({ rank }) => rank === lowest);
        const expectLive = new Set(
          used
            .flatMap(({ procedure, vertex }) => live.liveBefore(procedure, vertex))
            .map((v) => program.variables[v].name),
        );
        expect(position.liveVariables().map(({ name }) => name)).toEqual([...expectLive].sort());
        if (position.names.length === 0) continue;
        const expected = new Set(
          used.flatMap(({ procedure, vertex, variables }) =>
            variables.flatMap((v) =>
              definitions
                .reachingDefinitions(procedure, vertex, v)
                .map((d) => `${lineOf(d.procedure, d.vertex)} v${v}`),
            ),
          ),
        );
        const got = position.reachingDefinitions();
        expect(got.map(({ line, name }) => `${line} ${name}`).sort()).toEqual([...expected].sort());
        for (const definition of got) expectWitness(definition.explain(), line);
        const isOpen = used.some(({ procedure, vertex, variables }) =>
          variables.some((v) => open.mayBeUninitialized(procedure, vertex, v)),
        );
        expect(position.mayBeUninitialized()).toBe(isOpen);
        expect(position.explainUninitialized() !== undefined).toBe(isOpen);
      }
    }),
    { numRuns: 40 },
  );
});

function expectWitness(steps: readonly ExplainedStep[], line: number): void {
  expect(steps.at(-1)).toMatchObject({ kind: "here", line });
  expect(steps.some(({ kind }) => kind === "begins")).toBe(true);
}

test("answers are the same for a few variables at a time", () => {
  fc.assert(
    fc.property(randomProgram(true), (program) => {
      const analysed = (problem: { analyze(): ReachingDefinitions }) => problem.analyze();
      const chunked = new ChunkedClient(
        program,
        definitionsClient(program),
        (_, problem) => analysed(problem),
        1,
      );
      const whole = reachingDefinitions(program).analyze();
      for (const [p, { vertexCount }] of program.procedures.entries()) {
        for (const [v, { kind }] of program.variables.entries()) {
          for (let vertex = 0; vertex < vertexCount && kind !== "temporary"; vertex++) {
            const answers = chunked.about(v)?.reachingDefinitions(p, vertex, v) ?? [];
            expect(answers).toEqual(whole.reachingDefinitions(p, vertex, v));
          }
        }
      }
    }),
    { numRuns: 40 },
  );
});
