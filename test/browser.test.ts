/**
 * The browser bundle in headless Chromium: the same answers as in Node, and the reference engine where a content security
 * policy forbids WebAssembly.
 */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { parseAst } from "rollup/parseAst";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserPath, Pages } from "./support/browser.js";
import { type SmokeAnswers, type SmokeOptions, smoke } from "./support/browser-smoke.js";

const root = join(import.meta.dirname, "..");
const fixture = gunzipSync(
  readFileSync(join(root, "test/fixtures/instances/batik.puninit.ifds.gz")),
).toString();

const executable = browserPath();
const notRun = "not run: got neither $CHROME nor chromium or google-chrome on the path";
const where = executable === undefined ? ` (${notRun})` : "";
if (executable === undefined) console.warn(`test/browser.test.ts is ${notRun}.`);

/** Scripts of this server, no WebAssembly. */
const STRICT = "default-src 'none'; script-src 'self'; connect-src 'self'";

const smokeWith = (options: string): string => `
  const phloem = await import("/dist/index.js");
  const text = await (await fetch("/fixture")).text();
  const smoke = ${smoke};
  return smoke(phloem, text, ${options});`;

const otherEntryPoints = `
  const { parseIfds } = await import("/dist/index.js");
  const { search } = await import("/dist/baselines.js");
  const { balancedElimination, graphFromEdges } = await import("/dist/treedec.js");
  const solver = search(parseIfds(await (await fetch("/fixture")).text()));
  return { reached: solver.from(0, 0, 0).count, height: balancedElimination(graphFromEdges(3, [0, 1], [1, 2])).height };`;

const handOver = `
  const { analyze, parseIfds } = await import("/dist/index.js");
  const { data } = analyze(parseIfds(await (await fetch("/fixture")).text()));
  const worker = new Worker("/worker.js", { type: "module" });
  const answer = new Promise((resolve) => { worker.onmessage = (event) => resolve(event.data); });
  worker.postMessage(data, [data]);
  return { count: await answer, transferred: data.byteLength === 0 };`;

const worker = `
  const ready = import("/dist/index.js");
  onmessage = async ({ data }) => postMessage((await ready).Analysis.from(data).from(0, 0, 0).count);`;

/** Sources in memory: a cycle in TypeScript, JSX, decorators, a file that does not parse. */
const sources = {
  "main.ts":
    'import { shapes } from "./shapes.js";\nimport { view } from "./view.jsx";\nimport "./broken.js";\nview(shapes);',
  "shapes.ts":
    'import { Circle } from "./circle";\nexport class Shape<T> { constructor(readonly of: T) {} }\nexport const shapes = [new Circle(1)];',
  "circle.ts": 'import { Shape } from "./shapes";\nexport class Circle extends Shape<number> {}',
  "view.jsx":
    "export const view = (items) => <ul>{items.map(() => <li>{soon}</li>)}</ul>;\nview([1]);\nconst soon = 1;",
  "broken.js": "const = 1;",
};
const checkInMemory = `
  const { checkModules, memoryHost } = phloem;
  const { findings, diagnostics } = await checkModules(
    { entries: ["main.ts"], root: "", rules: ["use-before-init"], callbacks: "later" },
    memoryHost(new Map(Object.entries(${JSON.stringify(sources)}))));
  return { findings, diagnostics };`;

/** A jar in memory: its classes as a program, and a client on that. */
const archive = readFileSync(join(root, "test/fixtures/jvm/fop-cli.jar"));
const analyzeJar = `
  const { reachability } = clients;
  const { program, diagnostics } = jvm.load([["fop.jar", bytes]], { calls: "rapid" });
  const answers = reachability(program).analyze();
  return [program.procedures.length, diagnostics.length, program.procedures.map((_, p) => answers.unreachable(p).length).join()];`;

const built = (): Promise<typeof import("../src/index.js")> =>
  import(pathToFileURL(join(root, "dist/index.js")).href);
const inNode = async (options: SmokeOptions): Promise<SmokeAnswers> => smoke(await built(), fixture, options);

test.each(["javascript", "jvm"])(
  "what browsers load of phloem/%s, chunks included, imports nothing that is installed",
  (name) => {
    const seen = new Set([join(root, `dist/${name}.js`)]);
    const bare: string[] = [];
    for (const file of seen) {
      JSON.stringify(parseAst(readFileSync(file, "utf8")), (_, node) => {
        const specifier = node?.source?.value;
        if (typeof specifier === "string") {
          if (specifier.startsWith(".")) seen.add(join(dirname(file), specifier));
          else bare.push(specifier);
        }
        return typeof node === "bigint" ? null : node;
      });
    }
    expect(bare).toEqual([]);
    expect(seen.size).toBeGreaterThan(0);
  },
);

describe.skipIf(executable === undefined)(`headless Chromium${where}`, () => {
  let pages: Pages;
  beforeAll(async () => {
    pages = await Pages.open(executable as string, { "/fixture": fixture, "/worker.js": worker });
  });
  afterAll(() => pages?.close());

  test.each(["wasm", "reference"] as const)("%s answers as in Node", async (engine) => {
    const expected = await inNode({ engine });
    expect(expected.engine).toBe(engine);
    expect(expected.tainted).toEqual(["input", "output"]);
    expect(await pages.run(smokeWith(`{ engine: "${engine}" }`))).toEqual(expected);
  });

  test("kernel.wasm can be loaded as a file", async () => {
    const bytes = `new Uint8Array(await (await fetch("/dist/kernel.wasm")).arrayBuffer())`;
    const answers = await pages.run(smokeWith(`{ engine: "wasm", kernel: ${bytes} }`));
    expect(answers).toEqual(await inNode({ engine: "wasm" }));
  });

  test("the index is transferred to a worker and opened there", async () => {
    const { analyze, parseIfds } = await built();
    const { count } = analyze(parseIfds(fixture)).from(0, 0, 0);
    expect(await pages.run(handOver)).toEqual({ count, transferred: true });
  });

  test("the other entry points load", async () => {
    const { analyze, parseIfds } = await built();
    const reached = analyze(parseIfds(fixture)).from(0, 0, 0).count;
    expect(await pages.run(otherEntryPoints)).toEqual({ reached, height: 2 });
  });

  test.each([undefined, STRICT])("sources in memory are checked as in Node, policy %s", async (policy) => {
    const AsyncFunction = (async () => {}).constructor as new (...text: string[]) => (of: unknown) => unknown;
    const expected = await new AsyncFunction("phloem", checkInMemory)(
      await import(pathToFileURL(join(root, "dist/javascript.js")).href),
    );
    expect(expected).toMatchObject({
      findings: [{ file: "circle.ts", line: 2, name: "Shape", severity: "error" }],
      diagnostics: [{ file: "broken.js", severity: "error" }],
    });
    const body = `const phloem = await import("/dist/javascript.js"); ${checkInMemory}`;
    expect(await pages.run(body, policy)).toEqual(expected);
  });

  test("class files in memory are analysed as in Node", async () => {
    const entry = (name: string) => import(pathToFileURL(join(root, `dist/${name}.js`)).href);
    const run = new Function("clients", "jvm", "bytes", analyzeJar) as (...given: unknown[]) => unknown[];
    const expected = run(await entry("clients"), await entry("jvm"), new Uint8Array(archive));
    expect(expected.slice(0, 2)).toEqual([96, 0]);
    const body = `
      const [clients, jvm] = [await import("/dist/clients.js"), await import("/dist/jvm.js")];
      const bytes = Uint8Array.from(atob("${archive.toString("base64")}"), (unit) => unit.charCodeAt(0));
      ${analyzeJar}`;
    expect(await pages.run(body)).toEqual(expected);
  });

  describe("under a content security policy without wasm-unsafe-eval", () => {
    test("the kernel refuses in one sentence", async () => {
      const { error } = (await pages.run(smokeWith(`{ engine: "wasm" }`), STRICT)) as { error: string };
      expect(error).toMatch(/^WebAssembly kernel: got ".*Content Security Policy.*", expected a host .*\.$/s);
      expect(error).toContain('use { engine: "reference" }');
    });

    test("the reference engine answers as in Node", async () => {
      const answers = await pages.run(smokeWith(`{ engine: "reference" }`), STRICT);
      expect(answers).toEqual(await inNode({ engine: "reference" }));
    });
  });
});
