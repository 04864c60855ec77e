/**
 * Saved program indexes: programs come back as they were, a changed program is answered as a fresh analysis does, whatever
 * was kept, and no damage is read as an answer.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import { analyze } from "../src/analyze.js";
import { CLIENTS } from "../src/ask/clients.js";
import type { ExplainedStep } from "../src/ask/explanation.js";
import { type ProgramIndex, programIndex } from "../src/ask/program-index.js";
import { liveness, type Program, reachingDefinitions } from "../src/clients/index.js";
import { extractProcedure } from "../src/exploded/exploded-procedure.js";
import { InputError } from "../src/exploded/input-error.js";
import { load } from "../src/javascript/front-end.js";
import { memoryHost } from "../src/javascript/modules/host/memory.js";
import { recordingHost, replay } from "../src/javascript/modules/host/recording.js";
import { changedProcedures } from "../src/program-index/changed-procedures.js";
import { readProgram, writeProgram } from "../src/program-index/program-words.js";
import { openProgramIndex, saveProgramIndex } from "../src/program-index/saved-index.js";
import { randomProgram } from "./support/programs.js";

const files = [{ path: "a", text: "step...\n".repeat(60) }];

/** Each vertex on a line of its own. */
function laidOut(program: Program): Program {
  let line = 0;
  const procedures = program.procedures.map((procedure) => {
    const ranges = Uint32Array.from(
      { length: 2 * procedure.vertexCount },
      (_, i) => 8 * (line + (i >> 1)) + (i % 2) * 7,
    );
    line += procedure.vertexCount;
    return { ...procedure, file: 0, ranges };
  });
  return { ...program, procedures, files };
}

/** A program and the same with some procedures replaced by others of the same number. */
const edit = fc
  .tuple(randomProgram(true), randomProgram(true), fc.nat(7))
  .filter(
    ([before, other]) =>
      before.procedures.length === other.procedures.length &&
      before.variables.length === other.variables.length,
  )
  .map(([before, other, which]) => {
    const procedures = before.procedures.map((procedure, p) =>
      ((which >> p) & 1) === 1 ? other.procedures[p] : procedure,
    );
    // Some variables, too: what belongs to whom, and what there is to know of it.
    const variables = which < 4 ? before.variables : other.variables;
    return {
      before: laidOut(before),
      after: laidOut({ ...before, variables, procedures, paths: before.paths }),
    };
  })
  .filter(({ after: { procedures, variables, paths } }) =>
    isConsistent(procedures, variables.length, paths.length),
  );

function isConsistent(procedures: Program["procedures"], variables: number, paths: number): boolean {
  return procedures.every(
    ({ operations, calls }) =>
      calls.every(({ callees }) => callees.every((q) => q < procedures.length)) &&
      operations.every((word, i) =>
        i % 4 === 1
          ? word < Math.max(variables, procedures.length)
          : i % 4 === 3
            ? Math.max(word >>> 16, word & 0xffff) < paths
            : true,
      ),
  );
}

/** `isExact`: with the steps of every explanation; otherwise, as several may be equally short, whether there are some. */
function answersOf(index: ProgramIndex, isExact: boolean): unknown[] {
  const answers: unknown[] = [];
  const lines = index.executions[0].program.procedures.reduce((sum, { vertexCount }) => sum + vertexCount, 0);
  const shown = (steps: readonly ExplainedStep[] | undefined) =>
    isExact ? steps : [steps?.[0].kind === "here", steps?.at(-1)?.kind];
  for (let line = 1; line <= lines; line++) {
    const at = index.at(`a:${line}:1`);
    answers.push(at.liveVariables().map(({ name, explain }) => [name, shown(explain())]));
    if (at.names.length === 0) continue;
    answers.push(at.reachingDefinitions().map(({ line, name, explain }) => [line, name, shown(explain())]));
    answers.push(at.mayBeUninitialized(), shown(at.explainUninitialized()));
  }
  return answers;
}

test("programs come back as they were", async () => {
  fc.assert(
    fc.property(randomProgram(true), (program) => {
      const { procedures } = readProgram(writeProgram(program), program.files);
      expect({ ...program, procedures }).toMatchObject(readProgram(writeProgram(program), program.files));
      // Calls of random programs have notes of their own.
      expect(program.procedures).toMatchObject(procedures);
    }),
    { numRuns: 50 },
  );
  const text =
    "export class A { #x = 1; get x() { return [...[this.#x]]; } }\nfor (const a of [new A()]) await a.x;\n";
  const loaded = await load(["main.js"], memoryHost(new Map([["main.js", text]])));
  for (const program of [...loaded.asked().executions, loaded.later.program, loaded.load[0].program])
    expect(readProgram(writeProgram(program), program.files)).toEqual(program);
});

test("a saved index answers as a fresh analysis; so does it after edits", () => {
  fc.assert(
    fc.property(edit, ({ before, after }) => {
      const bytes = saveProgramIndex({
        programs: { executions: [before] },
        clients: CLIENTS,
        inputs: [],
        version: "1",
      });
      const saved = openProgramIndex(bytes, "1");
      const texts = new Map(files.map(({ path, text }) => [path, text]));
      expect(answersOf(saved.open(texts), true)).toEqual(
        answersOf(programIndex({ executions: [before] }), true),
      );
      const updated = saved.update({ executions: [after] }).index;
      expect(answersOf(updated, false)).toEqual(answersOf(programIndex({ executions: [after] }), false));
    }),
    { numRuns: 15 },
  );
});

test("all changed procedures at once: the updated analysis is that of the edited program", () => {
  let updates = 0;
  fc.assert(
    fc.property(edit, ({ before, after }) => {
      for (const client of [reachingDefinitions, liveness]) {
        const [old, edited] = [client(before).graph, client(after).graph];
        const changed = changedProcedures(old, edited);
        if (changed === undefined) continue;
        updates++;
        const updated = analyze(old).updateAll(changed.map((p) => [p, extractProcedure(edited, p)] as const));
        expect(Buffer.from(updated.data).equals(Buffer.from(analyze(edited).data))).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
  expect(updates).toBeGreaterThan(30);
});

test("equal programs have no changed procedures, and a changed one is found", () => {
  fc.assert(
    fc.property(randomProgram(true), (program) => {
      const { graph } = reachingDefinitions(program);
      expect(changedProcedures(graph, reachingDefinitions(program).graph)).toEqual([]);
      const names = graph.names.with(0, "other");
      expect(changedProcedures(graph, { ...graph, names })).toEqual([0]);
    }),
    { numRuns: 25 },
  );
});

test("damage is an error of one sentence, never an answer", () => {
  const [program] = fc.sample(randomProgram(true).map(laidOut), { numRuns: 1, seed: 1 });
  const bytes = saveProgramIndex({
    programs: { executions: [program] },
    clients: ["liveness"],
    inputs: [],
    version: "1",
  });
  const open = (data: Uint8Array) => {
    try {
      openProgramIndex(data, "1", "app.phloem").open(new Map()).at("a:1:1").liveVariables();
      return "";
    } catch (error) {
      if (error instanceof InputError) return error.message;
      throw error;
    }
  };
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, difference) => {
      const damaged = bytes.slice();
      damaged[at] ^= difference;
      expect(open(damaged)).toMatch(/^app\.phloem: [^\n]+\.$/);
    }),
    { numRuns: 300 },
  );
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), (length) => {
      expect(open(bytes.slice(0, length))).toMatch(/^app\.phloem: [^\n]+\.$/);
    }),
    { numRuns: 100 },
  );
  expect(() => openProgramIndex(bytes, "2", "app.phloem")).toThrow(
    "app.phloem: got an index made by version 1, expected one made by 2: make the index anew.",
  );
});

test("what a program depends on is observed, and asked again it tells what is different", async () => {
  const sources = new Map([
    ["main.ts", 'import { a } from "./lib/a.js";\nimport "./missing.js";\nexport const b = a;'],
    ["lib/a.ts", "export const a = 1;"],
    ["tsconfig.json", '{ "compilerOptions": { "target": "es2022" } }'],
  ]);
  const digest = (text: string) => text;
  const recording = recordingHost(memoryHost(sources), digest);
  await load(["main.ts"], recording.host);
  const observed = JSON.parse(JSON.stringify(recording.observations));
  const changed = async (edits: Record<string, string | undefined>) => {
    const edited = new Map(sources);
    for (const [path, text] of Object.entries(edits)) {
      if (text === undefined) edited.delete(path);
      else edited.set(path, text);
    }
    return (await replay(observed, memoryHost(edited), digest)).changed;
  };
  expect(await changed({})).toEqual([]);
  expect(await changed({ "other.ts": "" })).toEqual([]);
  expect(await changed({ "lib/a.ts": "export const a = 2;" })).toEqual(["lib/a.ts"]);
  expect(await changed({ "missing.ts": "" })).toEqual(["main.ts"]);
  expect(await changed({ "lib/package.json": '{ "type": "commonjs" }' })).toContain("lib/a.ts");
  expect(
    await changed({ "tsconfig.json": '{ "compilerOptions": { "verbatimModuleSyntax": true } }' }),
  ).toContain("main.ts");
  expect(await changed({ "lib/a.ts": undefined })).toContain("main.ts");
});
