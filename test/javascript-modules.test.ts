/**
 * Modules of the JavaScript front end. Node is the oracle for evaluation order and linking: random module graphs are written
 * to `build/`, imported by one Node process, and what it saw is compared. The `typescript` package is the oracle for what is
 * left of imports and exports.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import { memoryHost } from "../src/javascript/modules/host/memory.js";
import { nestingOf } from "../src/javascript/modules/host/nesting.js";
import { nodeHost } from "../src/javascript/modules/host/node.js";
import { laterOrders } from "../src/javascript/modules/later-order.js";
import { link } from "../src/javascript/modules/link.js";
import { loadModules } from "../src/javascript/modules/load.js";
import { type EvaluationOrder, evaluationOrder, precedence } from "../src/javascript/modules/order.js";
import type { ModuleGraph, ParsedModule } from "../src/javascript/modules/source.js";

const root = join(import.meta.dirname, "..");
const host = nodeHost(root);

type Sources = Readonly<Record<string, string>>;

/** Texts in memory, parsed as those on disk are. */
const inMemory = (sources: Sources, compilerOptions?: Record<string, unknown>) =>
  memoryHost(new Map(Object.entries(sources)), {
    parse: host.parse,
    ...(compilerOptions && { compilerOptions }),
  });

const load = (sources: Sources, entry = Object.keys(sources)[0], compilerOptions?: Record<string, unknown>) =>
  loadModules([entry], inMemory(sources, compilerOptions));

/** A generator of numbers below a bound, the same for the same seed. */
function randomOf(seed: number): (bound: number) => number {
  let state = seed * 2654435761 + 1;
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

describe("evaluation order", () => {
  const folder = join(root, "build", "test-module-order");
  const cases: { name: string; sources: Sources; entry: string }[] = [];
  let observed: { begun: string[]; error?: string }[] = [];

  beforeAll(() => {
    for (let seed = 0; seed < 120; seed++) cases.push(randomGraph(seed));
    rmSync(folder, { recursive: true, force: true });
    for (const { name, sources } of cases) {
      mkdirSync(join(folder, name), { recursive: true });
      for (const [path, text] of Object.entries(sources)) writeFileSync(join(folder, name, path), text);
    }
    const driver = `
      const seen = [];
      for (const [name, entry] of ${JSON.stringify(cases.map(({ name, entry }) => [name, entry]))}) {
        globalThis.begun = [];
        let error;
        try { await import("./" + name + "/" + entry); } catch (e) { error = String(e); }
        seen.push({ begun: globalThis.begun, error });
      }
      process.stdout.write(JSON.stringify(seen));`;
    writeFileSync(join(folder, "driver.mjs"), driver);
    observed = JSON.parse(execFileSync(process.execPath, [join(folder, "driver.mjs")], { encoding: "utf8" }));
  });

  test("is Node's, on random graphs with cycles, CommonJS and top-level await", async () => {
    let fixed = 0;
    let free = 0;
    for (const [i, { name, sources, entry }] of cases.entries()) {
      const graph = await load(sources, entry);
      const order = evaluationOrder(graph, entry);
      const { begun, error } = observed[i];
      expect(error, name).toBeUndefined();
      const expected = beginnings(order, graph);
      expect([...begun].sort(), name).toEqual([...expected].sort());
      if (order.waiting.length === 0) {
        expect(begun, name).toEqual(expected);
        fixed++;
        continue;
      }
      const listed = new Set([...order.steps, ...order.waiting].map(({ module }) => module));
      const may = precedence(order);
      const here = begun.filter((module) => listed.has(module));
      for (let a = 0; a < here.length; a++) {
        for (let b = a + 1; b < here.length; b++) {
          expect([name, here[a], here[b], may(here[a], here[b])]).toEqual([name, here[a], here[b], true]);
          if (may(here[b], here[a])) free++;
        }
      }
    }
    expect([20 < fixed, 0 < free]).toEqual([true, true]);
  });

  /** Each module notes that it begins; what it asks for comes in random order and forms. */
  function randomGraph(seed: number): { name: string; sources: Sources; entry: string } {
    const random = randomOf(seed);
    const awaiting = seed % 2 === 0;
    const count = 2 + random(awaiting ? 14 : 9);
    const names = Array.from(
      { length: count },
      (_, i) => `m${i}.${0 < i && random(4) === 0 ? "cjs" : "mjs"}`,
    );
    const sources: Record<string, string> = {};
    for (const [i, name] of names.entries()) {
      const lines: string[] = [];
      const note = `globalThis.begun.push("${name}");`;
      const targets = Array.from({ length: random(4) }, () => names[random(count)]);
      if (i + 1 < count && random(3) !== 0) targets.push(names[i + 1]);
      if (name.endsWith("cjs")) {
        lines.push(note);
        for (const target of targets) if (target.endsWith("cjs")) lines.push(`require("./${target}");`);
      } else {
        for (const [k, target] of targets.entries()) {
          const forms = [
            `import "./${target}";`,
            `import * as n${k} from "./${target}";`,
            target.endsWith("cjs") ? `import d${k} from "./${target}";` : `export * from "./${target}";`,
            `export * as x${k}_${i} from "./${target}";`,
          ];
          const line = forms[random(forms.length)];
          if (random(4) === 0) lines.push(note.replace("begun.push", "begun.includes"));
          lines.push(line);
        }
        lines.push(note);
        if (awaiting && random(2) === 0) {
          lines.push(
            random(2) === 0
              ? "for (let i = 0; i < 3; i++) await i;"
              : `await new Promise((done) => setTimeout(done, ${random(4)}));`,
          );
        }
      }
      sources[name] = lines.join("\n");
    }
    return { name: `g${seed}`, sources, entry: names[0] };
  }

  /** Modules in the order in which their bodies begin, those that a `require` evaluates inside the one that has it. */
  function beginnings(order: EvaluationOrder, graph: ModuleGraph): string[] {
    const begun: string[] = [];
    const expand = (module: string): void => {
      begun.push(module);
      for (const request of graph.modules.get(module)!.requests) {
        const outcome = order.outcomes.get(request);
        if (outcome?.kind === "evaluates") for (const step of outcome.steps) expand(step.module);
      }
    };
    for (const { module } of [...order.steps, ...order.waiting]) expand(module);
    return begun;
  }

  test("is open between what waits for different modules", async () => {
    const graph = await load({
      "main.mjs": 'import "./p.mjs"; import "./q.mjs"; import "./r.mjs"; import "./s.mjs";',
      "p.mjs": 'import "./a.mjs";',
      "q.mjs": 'import "./b.mjs";',
      "r.mjs": 'import "./a.mjs";',
      "s.mjs": 'import "./a.mjs"; import "./b.mjs";',
      "a.mjs": "await 0;",
      "b.mjs": "await 0;",
    });
    const order = evaluationOrder(graph, "main.mjs");
    expect(order.steps.map(({ module }) => module)).toEqual(["a.mjs", "b.mjs"]);
    expect(order.waiting.map(({ module, waitsFor }) => [module, ...waitsFor].join(" "))).toEqual([
      "p.mjs a.mjs",
      "q.mjs b.mjs",
      "r.mjs a.mjs",
      "s.mjs a.mjs b.mjs",
      "main.mjs p.mjs q.mjs r.mjs s.mjs",
    ]);
    const may = precedence(order);
    const pairs = ["p q", "q p", "p r", "r p", "q s", "s q", "p s", "s p", "main p", "b p", "p b"];
    expect(
      pairs.filter((pair) => may(...(pair.split(" ").map((name) => `${name}.mjs`) as [string, string]))),
    ).toEqual(["p q", "q p", "p r", "q s", "p s", "b p"]);
  });

  test("is found without recursion", async () => {
    const count = 20_000;
    const sources: Record<string, string> = {};
    for (let i = 0; i < count; i++) {
      sources[`m${i}.mjs`] =
        i + 1 < count
          ? `export * from "./m${i + 1}.mjs"; import "./m${i >> 1}.mjs";`
          : "export const last = 1;";
    }
    const empty = await host.parse("m.mjs", "", "module");
    expect("ast" in empty).toBe(true);
    const graph = await load(sources);
    expect(evaluationOrder(graph, "m0.mjs").steps.length).toBe(count);
    expect(link(graph).resolve("m0.mjs", "last")).toEqual({
      kind: "binding",
      module: `m${count - 1}.mjs`,
      name: "last",
    });
    expect([...link(graph).exportsOf("m0.mjs").names.keys()]).toEqual(["last"]);
  });
});

describe("require", () => {
  const cases: [name: string, sources: Sources, outcomes: string[], perhaps?: string[]][] = [
    [
      "finds a module new, and then evaluated",
      { "a.cjs": 'require("./b"); require("./b.cjs");', "b.cjs": "" },
      ["a.cjs ./b evaluates b.cjs", "a.cjs ./b.cjs cached"],
    ],
    [
      "finds a module that is being evaluated",
      { "a.cjs": 'require("./b");', "b.cjs": 'require("./a");' },
      ["a.cjs ./b evaluates b.cjs", "b.cjs ./a partial"],
    ],
    [
      "on some paths may find anything",
      { "a.cjs": 'if (x) require("./b"); require("./b");', "b.cjs": "" },
      ["a.cjs ./b may", "a.cjs ./b may"],
    ],
    [
      "in a function may happen at any time",
      {
        "a.cjs": 'function f() { require("./b"); } require("./c");',
        "b.cjs": 'require("./d")',
        "c.cjs": "f()",
        "d.cjs": "",
      },
      ["a.cjs ./b may", "a.cjs ./c evaluates c.cjs", "b.cjs ./d may"],
      ["b.cjs", "d.cjs"],
    ],
    [
      "in a function called on the spot happens there",
      { "a.cjs": '(function () { require("./b"); }).call(this); (() => require("./b"))();', "b.cjs": "" },
      ["a.cjs ./b evaluates b.cjs", "a.cjs ./b cached"],
    ],
    [
      "of a name that is something else is none",
      { "a.cjs": 'const f = (require) => require("./b");', "b.cjs": "" },
      [],
    ],
    [
      "by createRequire is one",
      {
        "a.mjs":
          'import { createRequire } from "node:module"; const require = createRequire(import.meta.url); require("./b.cjs");',
        "b.cjs": "",
      },
      ["a.mjs ./b.cjs evaluates b.cjs"],
    ],
    [
      "evaluates ES modules after their imports",
      { "a.cjs": 'require("./b.mjs");', "b.mjs": 'import "./c.mjs";', "c.mjs": "" },
      ["a.cjs ./b.mjs evaluates c.mjs b.mjs"],
    ],
    [
      "is what imports compile to",
      {
        "a.ts": 'import "./b"; export * from "./c"; import d = require("./d"); d;',
        "b.ts": 'import { x } from "./a"; x;',
        "c.ts": "export const c = 1;",
        "d.ts": "export = 1;",
        "tsconfig.json": '{ "compilerOptions": { "module": "commonjs" } }',
      },
      ["a.ts ./b evaluates b.ts", "a.ts ./c evaluates c.ts", "a.ts ./d evaluates d.ts", "b.ts ./a partial"],
    ],
  ];
  test.each(cases)("%s", async (_, sources, expected, perhaps = []) => {
    const graph = await load(sources);
    const order = evaluationOrder(graph, Object.keys(sources)[0]);
    const lines = [...graph.modules.values()].flatMap(({ path, requests }) =>
      requests.flatMap((request) => {
        const outcome = order.outcomes.get(request);
        if (!outcome) return [];
        const steps = outcome.kind === "evaluates" ? outcome.steps.map(({ module }) => module) : [];
        return [[path, request.specifier, outcome.kind, ...steps].join(" ")];
      }),
    );
    expect(lines).toEqual(expected);
    expect(order.perhaps).toEqual(perhaps);
  });

  test("what has been evaluated before is not again", async () => {
    const graph = await load({
      "a.mjs": 'import "./b.mjs"; import "./c.mjs";',
      "b.mjs": "",
      "c.mjs": "await 0;",
    });
    expect(evaluationOrder(graph, "a.mjs", ["b.mjs"])).toMatchObject({
      steps: [{ module: "c.mjs", suspends: true }],
      waiting: [{ module: "a.mjs", suspends: false, waitsFor: ["c.mjs"] }],
    });
  });
});

describe("linking", () => {
  const folder = join(root, "build", "test-module-links");
  const cases: Sources[] = [];
  let observed: ({ values: [string, unknown][] } | { error: string })[] = [];

  beforeAll(() => {
    for (let seed = 0; seed < 150; seed++) cases.push(randomExports(seed));
    rmSync(folder, { recursive: true, force: true });
    for (const [i, sources] of cases.entries()) {
      mkdirSync(join(folder, `g${i}`), { recursive: true });
      for (const [path, text] of Object.entries(sources)) writeFileSync(join(folder, `g${i}`, path), text);
    }
    const driver = `
      const seen = [];
      for (let i = 0; i < ${cases.length}; i++) {
        try {
          const namespace = await import("./g" + i + "/m0.mjs");
          const values = Object.keys(namespace).map((key) => {
            const value = namespace[key];
            return [key, typeof value === "string" ? value : "namespace " + Object.keys(value).join()];
          });
          seen.push({ values });
        } catch (error) { seen.push({ error: error.name }); }
      }
      process.stdout.write(JSON.stringify(seen));`;
    writeFileSync(join(folder, "driver.mjs"), driver);
    observed = JSON.parse(execFileSync(process.execPath, [join(folder, "driver.mjs")], { encoding: "utf8" }));
  });

  test("is Node's, on random graphs of re-exports", async () => {
    let failed = 0;
    let linked = 0;
    for (const [i, sources] of cases.entries()) {
      const graph = await load(sources);
      const linkage = link(graph);
      const missing = [...graph.modules.values()].some(
        (module) =>
          module.imports.some((entry) => linkage.resolveImport(module, entry).kind === "missing") ||
          module.exports.some(({ exported }) => linkage.resolve(module.path, exported).kind === "missing"),
      );
      const seen = observed[i];
      if ("error" in seen) {
        expect([i, seen.error, missing]).toEqual([i, "SyntaxError", true]);
        failed++;
        continue;
      }
      linked++;
      expect([i, missing]).toEqual([i, false]);
      const values = [...linkage.exportsOf("m0.mjs").names].map(([name, resolution]) => [
        name,
        resolution.kind === "binding"
          ? `${resolution.module} ${resolution.name}`
          : resolution.kind === "namespace"
            ? `namespace ${[...linkage.exportsOf(resolution.module).names.keys()].join()}`
            : resolution.kind,
      ]);
      expect([i, values]).toEqual([i, seen.values]);
    }
    expect(10 < failed && 40 < linked).toBe(true);
  });

  /** Modules of constants that say where they are, and all ways to pass them on. */
  function randomExports(seed: number): Sources {
    const random = randomOf(seed + 1000);
    const count = 3 + random(5);
    const sources: Record<string, string> = {};
    const pick = (): string => "abcd"[random(4)];
    for (let i = 0; i < count; i++) {
      const path = `m${i}.mjs`;
      const lines: string[] = [];
      const exported = new Set<string>();
      const once = (name: string, line: string): void => {
        if (!exported.has(name)) lines.push(line);
        exported.add(name);
      };
      for (let k = 0; k <= random(3); k++) {
        const name = pick();
        once(name, `export var ${name} = "${path} ${name}";`);
      }
      if (random(3) === 0) once("default", `export default "${path} *default*";`);
      for (let k = 0; k <= random(3); k++) {
        const target = `./m${random(count)}.mjs`;
        const [from, to] = [pick(), pick()];
        const form = random(12);
        if (form < 6) lines.push(`export * from "${target}";`);
        else if (form < 8) once(`${to}s`, `export * as ${to}s from "${target}";`);
        else if (form < 9) once(to, `export { ${from} as ${to} } from "${target}";`);
        else if (form < 10)
          once(`${to}i`, `import { ${from} as i${k} } from "${target}"; export { i${k} as ${to}i };`);
        else if (form < 11) once(`${to}n`, `import * as n${k} from "${target}"; export { n${k} as ${to}n };`);
        else once("default", `export { default } from "${target}";`);
      }
      sources[path] = lines.join("\n");
    }
    return sources;
  }

  const single: [what: string, sources: Sources, resolution: object][] = [
    [
      "a binding through a renaming barrel",
      {
        "a.js": 'import { z } from "./b.js"; z;',
        "b.js": 'export { y as z } from "./c.js";',
        "c.js": "const x = 1; export { x as y };",
      },
      { kind: "binding", module: "c.js", name: "x" },
    ],
    [
      "a default function by its name",
      { "a.js": 'import f from "./b.js"; f;', "b.js": "export default function g() {}" },
      { kind: "binding", module: "b.js", name: "g" },
    ],
    [
      "a default expression",
      { "a.js": 'import f from "./b.js"; f;', "b.js": "export default class {}" },
      { kind: "binding", module: "b.js", name: "*default*" },
    ],
    [
      "a name in quotes",
      { "a.js": 'import { "x y" as f } from "./b.js"; f;', "b.js": 'const g = 1; export { g as "x y" };' },
      { kind: "binding", module: "b.js", name: "g" },
    ],
    [
      "a namespace that is passed on",
      {
        "a.js": 'import { ns } from "./b.js"; ns;',
        "b.js": 'export * as ns from "./c.js";',
        "c.js": "export {};",
      },
      { kind: "namespace", module: "c.js" },
    ],
    [
      "something outside",
      { "a.js": 'import { x } from "./b.js"; x;', "b.js": 'export { y as x } from "pkg";' },
      { kind: "external", source: "pkg", imported: "y" },
    ],
    [
      "what only an external star can have",
      {
        "a.js": 'import { x } from "./b.js"; x;',
        "b.js": 'export * from "pkg"; export * from "./c.js";',
        "c.js": "export const y = 1;",
      },
      { kind: "external", source: "pkg", imported: "x" },
    ],
    [
      "what a module has before an external star",
      {
        "a.js": 'import { y } from "./b.js"; y;',
        "b.js": 'export * from "pkg"; export * from "./c.js";',
        "c.js": "export const y = 1;",
      },
      { kind: "binding", module: "c.js", name: "y" },
    ],
    [
      "no default through a star",
      {
        "a.js": 'import x from "./b.js"; x;',
        "b.js": 'export * from "./c.js";',
        "c.js": "export default 1;",
      },
      { kind: "missing" },
    ],
    [
      "two bindings through stars",
      {
        "a.js": 'import { x } from "./b.js"; x;',
        "b.js": 'export * from "./c.js"; export * from "./d.js";',
        "c.js": "export const x = 1;",
        "d.js": "export const x = 2;",
      },
      { kind: "missing" },
    ],
    [
      "a re-export of itself",
      {
        "a.js": 'import { x } from "./b.js"; x;',
        "b.js": 'export { x } from "./c.js";',
        "c.js": 'export { x } from "./b.js";',
      },
      { kind: "missing" },
    ],
    [
      "a property of CommonJS",
      { "a.js": 'import { x } from "./b.cjs"; x;', "b.cjs": "exports.x = 1;" },
      { kind: "property", module: "b.cjs", name: "x" },
    ],
    [
      "all of CommonJS",
      { "a.js": 'import x from "./b.cjs"; x;', "b.cjs": "" },
      { kind: "property", module: "b.cjs", name: undefined },
    ],
    [
      "JSON",
      { "a.js": 'import x from "./b.json" with { type: "json" }; x;', "b.json": "{}" },
      { kind: "property", module: "b.json", name: undefined },
    ],
    [
      "what export = gives",
      {
        "a.ts": 'import x = require("./b"); x;',
        "b.ts": "const y = 1; export = y;",
        "tsconfig.json": '{ "compilerOptions": { "module": "commonjs" } }',
      },
      { kind: "binding", module: "b.ts", name: "y" },
    ],
  ];
  test.each(single)("%s", async (_, sources, resolution) => {
    const graph = await load(sources);
    const module = graph.modules.get(graph.entries[0])!;
    expect(link(graph).resolveImport(module, module.imports[0])).toEqual(resolution);
  });
});

describe("elision", () => {
  const types: Sources = {
    "dep.ts":
      "export class C {} export interface I {} export type T = string; export const v = 1; export enum E { a } export const enum K { a } export default class D {} export namespace N { export const x = 1; export interface J {} } export namespace Empty { export type X = 1; } export declare const ambient: number; export function dec(...xs: any[]): any {}",
    "only-types.ts": "export interface I {} export type T = string;",
    "barrel.ts":
      'export { C, I, K } from "./dep"; export * from "./only-types"; export type { T as U } from "./dep";',
  };
  const decorated = { experimentalDecorators: true, emitDecoratorMetadata: true };
  const cases: [text: string, options?: Record<string, unknown>, ending?: string][] = [
    ['import { C } from "./dep";'],
    ['import { C } from "./dep"; new C();'],
    ['import { C, v, type I } from "./dep"; let x: C; export const y = v;'],
    ['import type { C } from "./dep"; export let x: C;'],
    ['import { type C } from "./dep"; export let x: C;'],
    ['import D, * as ns from "./dep"; export let x: D = ns.v as any;'],
    ['import D, { v } from "./dep"; export class X extends D {}'],
    ['import * as ns from "./dep"; export let x: ns.C;'],
    ['import "./dep"; export {};'],
    ['import {} from "./dep"; export {};'],
    ['export {} from "./dep";'],
    ['import { C, I } from "./dep"; export { C, I };'],
    ['import { C, I, T, v } from "./dep"; export { C as A, I as B, T }; export { v };'],
    ['export { C, I, T, v } from "./dep";'],
    ['export { I } from "./dep";'],
    ['export { C, I, K } from "./barrel";'],
    ['export type { C } from "./dep"; export { type v } from "./dep";'],
    ['export * from "./dep"; export * from "./only-types";'],
    ['export * from "./barrel";'],
    ['export * as ns from "./only-types";'],
    ['export type * from "./dep"; export type * as ns from "./dep";'],
    ['import { v } from "./dep"; export let x: typeof v;'],
    ['import { C } from "./dep"; export interface X extends C {} export class Y implements C {}'],
    [
      'import { C, v } from "./dep"; export declare class X extends C { [v]: number; } export declare const y: typeof v;',
    ],
    ['import { v } from "./dep"; export abstract class X { abstract [v]: number; } '],
    ['import { v } from "./dep"; export class X { [v] = 1; }'],
    ['import { v, C } from "./dep"; export const x = <C>v; export const y = v satisfies number as any as C;'],
    ['import { K } from "./dep"; export const x = K.a;'],
    ['import { K } from "./dep"; export const x = K.a;', { preserveConstEnums: true }],
    ['import { K, E } from "./dep"; export { K, E };'],
    ['import { K, E } from "./dep"; export { K, E };', { preserveConstEnums: true }],
    ['import { N, Empty } from "./dep"; export { N, Empty };'],
    ['import { N } from "./dep"; import x = N.x; export const y = x;'],
    ['import { N } from "./dep"; import x = N.x; export let y: typeof x;'],
    ['import { N } from "./dep"; import J = N.J; export let y: J;'],
    ['import { N } from "./dep"; export import x = N.x;'],
    ['import D from "./dep"; export default D;'],
    ['import { I } from "./dep"; export default I;'],
    ["interface L {} const l = 1; export { L, l }; export default L;"],
    ["namespace L { export type X = 1 } export { L }; export namespace M { export interface Y {} }"],
    ["const enum L { a } export { L }; export const enum M { a }"],
    ['import { ambient } from "./dep"; export const x = ambient;'],
    ['import { v } from "./dep"; export namespace A { export const x = v; }'],
    ['import { C, v } from "./dep"; export namespace A { export type X = C; } '],
    ['import { v } from "./dep"; export function f(v: number) { return v; }'],
    [
      'import { v, C } from "./dep"; export function f(this: C, x?: C): asserts x is C; export function f(x = v) {}',
    ],
    ['import { C } from "./dep"; export const f = (x: unknown): x is C => true;'],
    ['import { C, dec } from "./dep"; export class X { @dec p: C; }', decorated],
    [
      'import { C, I, dec } from "./dep"; export class X { @dec p: I; @dec q: C[]; @dec r: C | null; }',
      decorated,
    ],
    ['import { C, dec } from "./dep"; export class X { @dec r: C | null; }', { ...decorated, strict: false }],
    [
      'import { C, dec } from "./dep"; export class X { @dec r: C | null; @dec s: C & C; }',
      { ...decorated, strict: true },
    ],
    ['import { C, dec } from "./dep"; export class X { constructor(private c: C) {} }', decorated],
    [
      'import { C, dec } from "./dep"; @dec export class X { constructor(private c: C) {} m(c: C): C { return c; } }',
      decorated,
    ],
    ['import { C, dec } from "./dep"; export class X { constructor(@dec c: C) {} }', decorated],
    ['import { C, dec } from "./dep"; export class X { m(@dec x: number, c?: C): void {} }', decorated],
    ['import { C, dec } from "./dep"; export class X { @dec m(): C { return null!; } }', decorated],
    ['import { C, dec } from "./dep"; export class X { @dec get m(): C { return null!; } }', decorated],
    ['import { C, dec } from "./dep"; export class X { @dec set m(c: C) {} }', decorated],
    ['import { C, dec } from "./dep"; export class X { @dec m(...cs: C[]) {} }', decorated],
    ['import { T, E, dec } from "./dep"; export class X { @dec p: T; @dec q: E; }', decorated],
    ['import * as ns from "./dep"; export class X { @ns.dec p: ns.C; }', decorated],
    ['import type { C } from "./dep"; import { dec } from "./dep"; export class X { @dec p: C; }', decorated],
    ['import { C, dec } from "./dep"; export class X { @dec p: C; }', { experimentalDecorators: true }],
    ['import React, { v } from "./dep"; export const x = <div>{v}</div>;', { jsx: "react" }, ".tsx"],
    ['import React from "./dep"; export const x = <div/>;', { jsx: "react-jsx" }, ".tsx"],
    ['import React from "./dep"; export const x = <div/>;', { jsx: "preserve" }, ".tsx"],
    [
      'import { h, Fragment } from "./dep"; export const x = <><a/></>;',
      { jsx: "react", jsxFactory: "h", jsxFragmentFactory: "Fragment" },
      ".tsx",
    ],
    ['import { C, v } from "./dep"; export const x = <C a={v}/>; ', { jsx: "preserve" }, ".tsx"],
    ['import { N } from "./dep"; export const x = <N.x/>; ', { jsx: "react-jsx" }, ".tsx"],
  ];

  /** What is left of `main`, as the compiler writes it or as the front end has it, one line a name. */
  const survey = (module: ParsedModule): string[] =>
    [
      ...module.requests
        .filter(({ kind, elided }) => ["static", "reexport", "jsx"].includes(kind) && !elided)
        .map(({ specifier, kind }) => `${kind === "jsx" ? "static" : kind} ${specifier}`),
      ...module.imports
        .filter(({ elided, local }) => !elided && local !== "_jsx")
        .map(({ imported, local }) => `import ${imported} as ${local}`),
      ...module.exports.filter(({ elided }) => !elided).map(({ exported }) => `export ${exported}`),
    ].sort();

  const check = async (text: string, emitted: string, ending: string, options: Record<string, unknown>) => {
    const graph = await load({ [`main${ending}`]: text, ...types }, undefined, options);
    const expected = await load({ "main.jsx": emitted }, undefined, { jsx: "react" });
    expect([
      ...graph.diagnostics,
      ...expected.diagnostics.filter(({ severity }) => severity === "error"),
    ]).toEqual([]);
    expect(survey(graph.modules.get(`main${ending}`)!), emitted).toEqual(
      survey(expected.modules.get("main.jsx")!),
    );
  };

  const base = { target: "es2022", module: "esnext", moduleResolution: "bundler", strict: false };
  test.each(cases)("without isolatedModules: %s %o", async (text, given = {}, ending = ".ts") => {
    const options = { ...base, ...given };
    const runtime =
      "export namespace JSX { interface IntrinsicElements { [name: string]: any } } export const jsx: any;";
    const sources: Sources = {
      ...types,
      [`main${ending}`]: text,
      "node_modules/react/jsx-runtime.d.ts": runtime,
    };
    const { options: compilerOptions } = ts.convertCompilerOptionsFromJson(options, "/");
    let emitted = "";
    const compilerHost: ts.CompilerHost = {
      fileExists: (path) => sources[path.slice(1)] !== undefined,
      readFile: (path) => sources[path.slice(1)],
      getSourceFile: (path) => {
        const source = sources[path.slice(1)];
        return source === undefined ? undefined : ts.createSourceFile(path, source, ts.ScriptTarget.ES2022);
      },
      getDefaultLibFileName: () => "/lib.d.ts",
      getCurrentDirectory: () => "/",
      getCanonicalFileName: (path) => path,
      useCaseSensitiveFileNames: () => true,
      getNewLine: () => "\n",
      writeFile: (path, output) => {
        if (/^\/main\.jsx?$/.test(path)) emitted = output;
      },
    };
    ts.createProgram([`/main${ending}`], { ...compilerOptions, noLib: true, types: [] }, compilerHost).emit();
    await check(text, emitted, ending, options);
  });

  // Metadata of what an interface turns out to be is an error there, and the compilers differ; so they do where the
  // functions of automatic mode are not found.
  const isolated = cases.filter(
    ([text, given]) => !/dec p: (?:I|T);/.test(text) && !text.includes("Empty") && given?.jsx !== "react-jsx",
  );
  test.each([
    ...isolated.map(([text, given, ending]) => [text, { ...given, isolatedModules: true }, ending] as const),
    ...cases
      .filter(([text]) => !/^import (?:\w+, )?\{[^}]*\} from .*import \w+ = /.test(text))
      .map(([text, given, ending]) => [text, { ...given, verbatimModuleSyntax: true }, ending] as const),
  ])("one file at a time: %s %o", async (text, given, ending = ".ts") => {
    const options = { ...base, ...given };
    const { options: compilerOptions } = ts.convertCompilerOptionsFromJson(options, "/");
    const { outputText } = ts.transpileModule(text, { compilerOptions, fileName: `main${ending}` });
    await check(text, outputText, ending, options);
  });
});

describe("formats", () => {
  const cases: [path: string, text: string, files: Sources, format: string][] = [
    ["a.mjs", "", {}, "esm"],
    ["a.cjs", "", {}, "commonjs"],
    ["a.js", "export {}", {}, "esm"],
    ["a.js", "require('x')", {}, "commonjs"],
    ["a.js", "with (a) { b() }", {}, "commonjs"],
    ["a.js", "if (a) return;", {}, "commonjs"],
    ["a.js", "await 0", {}, "esm"],
    ["a.js", "import.meta.url", {}, "esm"],
    ["a.js", "", { "package.json": '{ "type": "module" }' }, "esm"],
    ["a.js", "export {}", { "package.json": '{ "type": "commonjs" }' }, "esm"],
    ["a.json", "{}", {}, "json"],
    ["a.ts", "export {}", {}, "esm"],
    [
      "a.ts",
      "export {}",
      { "tsconfig.json": '{ "compilerOptions": { /* old */ "module": "CommonJS", } }' },
      "typescript-commonjs",
    ],
    [
      "a.ts",
      "require('x')",
      { "tsconfig.json": '{ "compilerOptions": { "module": "commonjs" } }' },
      "commonjs",
    ],
    [
      "a.ts",
      "export {}",
      { "tsconfig.json": '{ "compilerOptions": { "module": "nodenext" } }' },
      "typescript-commonjs",
    ],
    [
      "a.ts",
      "export {}",
      {
        "tsconfig.json": '{ "compilerOptions": { "module": "node16" } }',
        "package.json": '{ "type": "module" }',
      },
      "esm",
    ],
    ["a.mts", "export {}", { "tsconfig.json": '{ "compilerOptions": { "module": "commonjs" } }' }, "esm"],
    ["a.cts", "export {}", {}, "typescript-commonjs"],
    [
      "a.js",
      "export {}",
      { "tsconfig.json": '{ "compilerOptions": { "module": "commonjs", "allowJs": true } }' },
      "typescript-commonjs",
    ],
  ];
  test.each(cases)("%s with %j and %j is %s", async (path, text, files, format) => {
    const graph = await load({ [path]: text, ...files });
    expect(graph.diagnostics).toEqual([]);
    expect(graph.modules.get(path)!.format).toBe(format);
  });
});

describe("what cannot be loaded", () => {
  const deep = (depth: number): string => `export const x = ${"[".repeat(depth)}${"]".repeat(depth)};`;
  const cases: [what: string, sources: Sources, at: string, message: RegExp][] = [
    [
      "text that is no program",
      { "a.js": 'import "./b.js";', "b.js": "let x = 1;\nlet = = 2;" },
      "b.js:2:7 error",
      /^Got text that does not parse \(.+\), expected JavaScript\.$/,
    ],
    ["TypeScript that is none", { "a.ts": "let x: = 1;" }, "a.ts:1:8 error", /expected TypeScript\.$/],
    ["text that is no JSON", { "a.js": 'import "./b.json";', "b.json": "{" }, "b.json:1:1 error", /not JSON/],
    [
      "an import that leads nowhere",
      { "a.js": '\n  import "./b.js";' },
      "a.js:2:10 warning",
      /^Got "\.\/b\.js", expected a module that exists\.$/,
    ],
    [
      "arrays nested too deeply",
      { "a.js": 'import "./b.js";', "b.js": deep(100_000) },
      "b.js:1:1 error",
      /nested too deeply/,
    ],
    [
      "sums nested too deeply",
      { "a.js": 'import "./b.js";', "b.js": `\nx = 1${" + 1".repeat(30_000)};` },
      "b.js:1:1 error",
      /nested too deeply/,
    ],
    [
      "else-ifs nested too deeply",
      { "a.js": 'import "./b.js";', "b.js": `if (a) {}${" else if (a) {}".repeat(50_000)}` },
      "b.js:1:1 error",
      /nested too deeply/,
    ],
  ];
  test.each(cases)("%s: the rest goes on", async (_, sources, at, message) => {
    const graph = await load(sources);
    expect(
      graph.diagnostics.map(({ file, line, column, severity }) => `${file}:${line}:${column} ${severity}`),
    ).toEqual([at]);
    expect(graph.diagnostics[0].message).toMatch(message);
    expect(graph.modules.size).toBe(Object.keys(sources).length);
  });

  test("an entry that does not exist", async () => {
    const { diagnostics, modules } = await loadModules(["no.js"], inMemory({}));
    expect(modules.size).toBe(0);
    expect(diagnostics[0].message).toBe('Got entry "no.js", expected a file that exists.');
  });

  test("packages, styles and what only types need are nobody's fault", async () => {
    const graph = await load({
      "a.ts":
        'import "pkg"; import "./a.css"; import x from "./b.svg?raw"; x; import { T } from "./gone"; export let t: T;',
    });
    expect(graph.diagnostics).toEqual([]);
  });

  test("an aborted signal ends it", async () => {
    const controller = new AbortController();
    const loading = loadModules(["a.js"], inMemory({ "a.js": 'import "./b.js"', "b.js": "" }), {
      signal: controller.signal,
      onProgress: (loaded, known) => {
        expect([loaded, known]).toEqual([1, 2]);
        controller.abort(new Error("enough"));
      },
    });
    await expect(loading).rejects.toThrow("enough");
  });
});

describe("nesting", () => {
  test.each([
    ["f(1 + (2 + 3))", 4],
    ["a, b; c, d", 0],
    ["'((((' + \"[[[\" // ((((", 1],
    ["if (a); else if (b); else c;", 3],
  ])("of %s is about %d", (text, depth) => {
    expect(Math.abs(nestingOf(text) - depth)).toBeLessThanOrEqual(2);
  });
});

describe("hosts", () => {
  test("modules on disk: this package's own", async () => {
    const graph = await loadModules(["src/index.ts"], host);
    expect(graph.diagnostics).toEqual([]);
    const index = graph.modules.get(graph.entries[0])!;
    expect([index.displayPath, index.format, index.settings.target]).toEqual([
      "src/index.ts",
      "esm",
      "es2023",
    ]);
    const table = link(graph).exportsOf(index.path).names;
    expect(table.get("analyze")).toMatchObject({ kind: "binding", name: "analyze" });
    expect([...graph.modules.keys()].filter((path) => path.includes("node_modules"))).toEqual([]);
  });

  test("both parsers give the same trees", async () => {
    const texts: [path: string, text: string][] = [
      [
        "a.ts",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: It is a template of the program in it.
        "@d class A<T> extends B<T> implements C { @d() private readonly x?: number = 1; constructor(@d public y: string, z = `a${y}b`) { super(); } static { f?.(x!)?.[0]; } accessor q = 1; declare w: number; m(): void; m() {} [k: string]: unknown }",
      ],
      [
        "b.tsx",
        "export const x = <A.B c={1} {...d}>e{f}<></></A.B>; enum E { a = 1, 'b' } namespace N.M { export import q = N.z } type T = { [K in keyof E]?: E[K] } | (new () => void); let y = x as const satisfies T;",
      ],
      [
        "c.js",
        "class A { #x = 1; static async *[f]() { yield* this.#x; } get a() { return #x in this } } for await (const [a, { b = 1, ...c }] of d) { label: for (;;) continue label } export * as ns from 'x'; export { a as 'b' } from 'y' with { type: 'z' }; import('q'); /a/gu; 1n; new.target;".replace(
          " new.target;",
          "",
        ),
      ],
    ];
    const browser = memoryHost(new Map());
    const plain = (value: unknown): unknown => {
      if (typeof value === "bigint" || value instanceof RegExp) return String(value);
      if (Array.isArray(value)) return value.map(plain);
      if (typeof value !== "object" || value === null) return value;
      const skipped =
        /^(?:loc|start|end|parent|comments|tokens|extra|errors|interpreter|raw|phase|hashbang|directives)$/;
      return Object.fromEntries(
        Object.entries(value)
          .filter(([key, one]) => !skipped.test(key) && one !== null && one !== undefined && one !== false)
          .filter(
            ([key, one]) =>
              !(key === "decorators" && one.length === 0) && !(key === "implements" && one.length === 0),
          )
          .map(([key, one]) => [key, plain(one)]),
      );
    };
    for (const [path, text] of texts) {
      const [one, other] = [
        await host.parse(path, text, "module"),
        await browser.parse(path, text, "module"),
      ];
      if (!("ast" in one && "ast" in other)) throw new Error(`${path}: ${JSON.stringify([one, other])}`);
      expect(plain(other.ast), path).toEqual(plain(one.ast));
    }
  });
});

describe("import() at later turns", () => {
  const cases: [what: string, sources: Record<string, string>, orders: string[]][] = [
    [
      "a target, with what it imports",
      { "main.js": 'import("./a.js");', "a.js": 'import "./b.js";', "b.js": "" },
      ["b.js a.js"],
    ],
    [
      "in a function that is called later",
      { "main.js": 'export const f = () => import("./a.js");', "a.js": "" },
      ["a.js"],
    ],
    ["nothing for what is there", { "main.js": 'import "./a.js"; import("./a.js");', "a.js": "" }, []],
    [
      "one that another imports comes after it",
      {
        "main.js": 'import("./a.js");',
        "a.js": 'import "./c.js"; export const f = () => import("./b.js");',
        "b.js": 'import "./c.js";',
        "c.js": 'import "./a.js";',
      },
      ["c.js a.js", "c.js a.js b.js"],
    ],
    [
      "two that import each other so",
      {
        "main.js": 'import("./a.js"); import("./b.js");',
        "a.js": 'import("./b.js");',
        "b.js": 'import("./a.js");',
      },
      ["a.js", "a.js b.js", "b.js", "b.js a.js"],
    ],
  ];
  test.each(cases)("%s", async (_, sources, orders) => {
    const graph = await loadModules(["main.js"], memoryHost(new Map(Object.entries(sources))));
    const found = laterOrders(graph, evaluationOrder(graph, "main.js"));
    expect(found.map((order) => order.join(" ")).sort()).toEqual(orders);
  });
});
