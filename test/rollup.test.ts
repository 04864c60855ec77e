/**
 * `phloem/rollup` in real builds of rollup and Vite. A comment `// ~ NAME` says that the build reports a read of NAME on that
 * line of the source; the bundle is then run, each entry in a process of its own, and throws where the case says so.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { type InputOptions, type Plugin, type RollupCache, type RollupLog, rollup } from "rollup";
import esbuild from "rollup-plugin-esbuild";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatBaseline, textHash } from "../src/check/baseline.js";
import { checkModules } from "../src/javascript/check-modules.js";
import { memoryHost } from "../src/javascript/modules/host/memory.js";
import { evaluationRoots } from "../src/rollup-plugin/evaluation-roots.js";
import { type PhloemOptions, phloem } from "../src/rollup-plugin/plugin.js";

let root = "";
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "phloem-rollup-")));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

type Files = Readonly<Record<string, string>>;
let projects = 0;

function project(files: Files): string {
  const folder = join(root, `p${projects++}`);
  for (const [path, text] of Object.entries({ "package.json": '{ "type": "module" }', ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

interface Built {
  readonly folder: string;
  readonly logs: readonly RollupLog[];
  readonly failure: (Error & RollupLog) | undefined;
  readonly cache: RollupCache | undefined;
}

interface BuildCase {
  readonly entries?: readonly string[];
  readonly options?: PhloemOptions;
  /** Plugins before this one. */
  readonly plugins?: readonly Plugin[];
  readonly input?: InputOptions;
  readonly sourcemap?: boolean;
}

const isOurs = ({ pluginCode }: RollupLog): boolean => pluginCode === "USE_BEFORE_INIT";

async function bundle(
  folder: string,
  { entries = ["main.js"], options, plugins = [], input, sourcemap = false }: BuildCase = {},
  plugin: Plugin = phloem(options),
): Promise<Built> {
  const logs: RollupLog[] = [];
  try {
    const made = await rollup({
      input: entries.map((entry) => join(folder, entry)),
      onLog: (_, log) => logs.push(log),
      plugins: [...plugins, plugin],
      ...input,
    });
    await made.write({ dir: join(folder, "out"), format: "es", entryFileNames: "[name].js", sourcemap });
    await made.close();
    return { folder, logs, failure: undefined, cache: made.cache };
  } catch (error) {
    return { folder, logs, failure: error as Built["failure"], cache: undefined };
  }
}

/** `FILE:LINE NAME`, of what a build reports and of what its sources say that it should. */
function reported({ folder, logs }: Built): string[] {
  return logs
    .filter(isOurs)
    .map(({ loc, names }) => `${relative(folder, loc!.file!).split(sep).join("/")}:${loc!.line} ${names}`)
    .sort();
}
function annotated(files: Files): string[] {
  return Object.entries(files)
    .flatMap(([path, text]) =>
      text
        .split("\n")
        .flatMap((line, i) =>
          Array.from(line.matchAll(/\/\/ ~ (\S+)/g), ([, name]) => `${path}:${i + 1} ${name}`),
        ),
    )
    .sort();
}

/** Builds, compares reports with comments, and runs the bundle: `throws` are the entries that do not load. */
async function check(files: Files, { throws = [], ...how }: BuildCase & { throws?: readonly string[] } = {}) {
  const built = await bundle(project(files), how);
  expect(built.failure).toBeUndefined();
  expect(reported(built)).toEqual(annotated(files));
  const failing = (how.entries ?? ["main.js"]).filter((entry) => {
    const file = join(built.folder, "out", entry.replace(/\.tsx?$/, ".js"));
    return spawnSync(process.execPath, [file], { encoding: "utf8" }).status !== 0;
  });
  expect(failing).toEqual(throws);
  return built;
}

const circular: Files = {
  "main.js": 'import { shapes } from "./shapes.js";\nconsole.log(shapes);',
  "shapes.js":
    'import { Circle } from "./circle.js";\nexport class Shape {}\nexport const shapes = [new Circle()];',
  "circle.js": 'import { Shape } from "./shapes.js";\nexport class Circle extends Shape {} // ~ Shape',
};

describe("rollup", () => {
  test("a circular import", async () => {
    const { logs, folder } = await check(circular, { throws: ["main.js"] });
    const { message, id, loc, frame } = logs.find(isOurs)!;
    expect(message).toContain("Cannot access 'Shape' before initialization");
    expect(message).toContain("shapes.js:2:14  Shape is initialized here, later");
    expect(id).toBe(join(folder, "circle.js"));
    expect(loc).toEqual({ file: id, line: 2, column: 28 });
    expect(frame).toContain("> 2 | export class Circle extends Shape {}");
    expect(frame).toContain("    |                             ^^^^^");
  });

  test("the same cycle, entered where it does no harm", () =>
    check({
      ...circular,
      "main.js": 'import "./circle.js";\n',
      "circle.js": circular["circle.js"].replace(" // ~ Shape", ""),
    }));

  test("TypeScript that another plugin compiles: places are those of the sources", () =>
    check(
      {
        "main.ts":
          'import type { Shape } from "./shapes.ts";\n\nimport { shapes } from "./shapes.ts";\nexport const all: Shape[] = shapes;',
        "shapes.ts": [
          'import { Circle } from "./circle.ts";',
          "interface Named { readonly name: string }",
          "export class Shape implements Named {",
          "  constructor(readonly name: string) {}",
          "}",
          'export const shapes: Shape[] = [new Circle("c")];',
        ].join("\n"),
        "circle.ts": [
          'import { Shape } from "./shapes.ts";',
          "type Radius = number;",
          "",
          "export class Circle extends Shape { // ~ Shape",
          "  radius: Radius = 1;",
          "}",
        ].join("\n"),
      },
      {
        entries: ["main.ts"],
        plugins: [esbuild({ tsconfig: false, target: "es2022" })],
        throws: ["main.ts"],
      },
    ));

  test("imports of types alone make no cycle", () =>
    check(
      {
        "main.ts":
          'import type { B } from "./b.ts";\nexport class A {}\nexport const b: B | undefined = undefined;',
        "b.ts": 'import { A } from "./main.ts";\nexport class B extends A {}',
      },
      { entries: ["main.ts"], plugins: [esbuild({ tsconfig: false, target: "es2022" })] },
    ));

  test("modules that plugins make and resolve", () =>
    check(
      {
        "main.js":
          'import { early } from "virtual:registry";\nconsole.log(early);\nexport const name = "main";',
        "reader.js": 'import { name } from "./main.js";\nexport const read = () => name; // ~ name',
      },
      {
        plugins: [
          {
            name: "registry",
            resolveId: (source) => (source === "virtual:registry" ? "\0virtual:registry" : null),
            load(id) {
              if (id !== "\0virtual:registry") return null;
              const reader = JSON.stringify(join(root, `p${projects - 1}`, "reader.js"));
              return `import { read } from ${reader};\nexport const early = read();`;
            },
          },
        ],
        throws: ["main.js"],
      },
    ));

  const twoEntries = (first: string, second: string): Files => ({
    "a.js": 'import { x } from "./x.js";\nconsole.log(x);',
    "b.js": 'import { both } from "./y.js";\nconsole.log(both());',
    "x.js": `import { y } from "./y.js";\nexport const x = String(y);${first}`,
    "y.js": `import { x } from "./x.js";\nexport const y = ["y"];\nexport const both = () => x + y;${second}`,
  });
  test("a cycle that two entries share is evaluated as the first one by name reaches it", () =>
    check(twoEntries("", ""), { entries: ["b.js", "a.js"] }));
  test("the same, the other way round: both entries fail", () => {
    const { "a.js": a, "b.js": b, ...cycle } = twoEntries(" // ~ y", "");
    return check({ ...cycle, "b.js": a, "a.js": b }, { entries: ["b.js", "a.js"], throws: ["b.js", "a.js"] });
  });

  test("import() is later, and reaches a cycle in the bundle's order, too", () =>
    check(
      {
        "main.js": 'import "./x.js";\nexport const later = () => import("./y.js");',
        "other.js": 'export const promise = import("./y.js").then(({ y }) => y);',
        ...Object.fromEntries(Object.entries(twoEntries("", "")).filter(([name]) => /^[xy]/.test(name))),
      },
      { entries: ["main.js", "other.js"] },
    ));

  test("computed import() beside others", () =>
    check({
      "main.js": [
        'const name = String("x");',
        "export const some = () => [import(name), import(`./one.js`), import('./two.js')];",
      ].join("\n"),
      "one.js": "export const one = two();\nfunction two() { return three; } // ~ three\nconst three = 3;",
      "two.js": "export const two = 2;",
    }));

  test("a module that tree-shaking leaves out is not evaluated", () =>
    check(
      {
        ...circular,
        "main.js": 'import "./shapes.js";\nconsole.log("main");',
        "circle.js": circular["circle.js"].replace(" // ~ Shape", ""),
      },
      { input: { treeshake: { moduleSideEffects: false } } },
    ));

  test("packages are outside", () =>
    check(
      {
        "main.js":
          'import { now } from "./node_modules/now/index.js";\nnow(() => soon);\nconst soon = 1;\nconsole.log(soon);',
        "node_modules/now/index.js": "export const now = (f) => f();\nnow(() => never);\nconst never = 0;",
      },
      { throws: ["main.js"] },
    ));

  test("transforms without a map: places in what they have made, and no word about maps unless one is wanted", async () => {
    const plugins: Plugin[] = [
      {
        name: "mapless",
        transform: (code, id) => (id.endsWith("circle.js") ? { code: `\n\n${code}` } : null),
      },
    ];
    for (const sourcemap of [false, true]) {
      const { logs } = await bundle(project(circular), { plugins, sourcemap });
      const [finding] = logs.filter(isOurs);
      expect(finding.loc?.line).toBe(4);
      expect(finding.message).toContain("circle.js (transformed):4:29");
      const codes = logs.filter(({ code, pluginCode }) => [code, pluginCode].includes("SOURCEMAP_BROKEN"));
      expect(codes.length).toBe(sourcemap ? 1 : 0);
    }
  });

  test("source maps of the bundle stay what they are", async () => {
    const files = { "main.ts": "interface A { a: 1 }\nexport const a: A = { a: 1 };\nconsole.log(a);" };
    const plugins = [esbuild({ tsconfig: false, target: "es2022" })];
    const maps = [];
    for (const plugin of [{ name: "none" }, phloem()]) {
      const { folder } = await bundle(
        project(files),
        { entries: ["main.ts"], plugins, sourcemap: true },
        plugin,
      );
      maps.push(readFileSync(join(folder, "out/main.js.map"), "utf8"));
    }
    expect(maps[1]).toBe(maps[0]);
  });

  test("a build from rollup's cache says the same", async () => {
    const folder = project({
      "main.ts":
        "interface A { a: 1 }\n\nexport const a: A = f();\nfunction f(): A { return b; }\nconst b: A = { a: 1 };",
    });
    const how = { entries: ["main.ts"], plugins: [esbuild({ tsconfig: false, target: "es2022" })] };
    const plugin = phloem();
    const first = await bundle(folder, how, plugin);
    expect(reported(first)).toEqual(["main.ts:4 b"]);
    const second = await bundle(folder, { ...how, input: { cache: first.cache! } }, plugin);
    expect(reported(second)).toEqual(reported(first));
  });
});

describe("options", () => {
  test("severity error ends the build, with the finding as its error", async () => {
    const { failure, logs, folder } = await bundle(project(circular), { options: { severity: "error" } });
    expect(failure?.message).toContain("Cannot access 'Shape' before initialization");
    expect(failure).toMatchObject({
      plugin: "phloem",
      pluginCode: "USE_BEFORE_INIT",
      id: join(folder, "circle.js"),
    });
    expect(failure?.loc).toMatchObject({ line: 2, column: 28 });
    expect(logs.filter(isOurs)).toEqual([]);
  });

  test("what is a warning stays one", () =>
    check(
      {
        "main.js":
          "switch (globalThis.n ?? 1) {\n  case 1:\n    let v = 1;\n  default:\n    console.log(v); // ~ v\n}",
      },
      { options: { severity: "error" } },
    ));

  const quiet = { ...circular, "circle.js": circular["circle.js"].replace(" // ~ Shape", "") };
  test("exclude", () => check(quiet, { options: { exclude: "**/circle.js" }, throws: ["main.js"] }));
  test("include", () => check(quiet, { options: { include: /shapes\.js$/ }, throws: ["main.js"] }));

  test("callbacks", async () => {
    const files = (mark: string) => ({
      "main.js": `import { EventEmitter } from "node:events";\nnew EventEmitter().each?.(() => soon);${mark}\nconst soon = 1;\nconsole.log(soon);`,
    });
    const input = { external: ["node:events"] };
    await check(files(""), { input });
    await check(files(" // ~ soon"), { input, options: { callbacks: "now" } });
  });

  test("baseline", async () => {
    const folder = project(circular);
    const path = join(folder, "phloem-baseline.json");
    const file = relative(process.cwd(), join(folder, "circle.js")).split(sep).join("/");
    const source = textHash(circular["circle.js"].split("\n")[1]);
    const entry = { rule: "use-before-init", file, name: "Shape", source, count: 1 };
    writeFileSync(path, formatBaseline([entry]));
    expect(reported(await bundle(folder, { options: { baseline: path } }))).toEqual([]);
    writeFileSync(path, formatBaseline([{ ...entry, name: "Circle" }]));
    expect(reported(await bundle(folder, { options: { baseline: path } }))).toEqual(["circle.js:2 Shape"]);
    const { failure } = await bundle(folder, { options: { baseline: "missing.json" } });
    expect(failure?.message).toContain("missing.json: got no file that can be read, expected a baseline.");
  });

  test("comments in sources silence findings, also where a transform strips them", () =>
    check(
      {
        "main.ts":
          "const a: number = f();\n// phloem-ignore use-before-init -- known\nfunction f(): number { return b; }\nexport const b = a;",
      },
      {
        entries: ["main.ts"],
        plugins: [esbuild({ tsconfig: false, target: "es2022" })],
        throws: ["main.ts"],
      },
    ));

  test.each([
    [{ severity: "fatal" }, 'phloem/rollup: severity: got "fatal", expected "error" or "warning".'],
    [{ callbacks: "soon" }, 'phloem/rollup: callbacks: got "soon", expected "later" or "now".'],
    [
      { sevrity: "error" },
      'phloem/rollup: option: got "sevrity", expected "severity", "callbacks", "include", "exclude" or "baseline".',
    ],
  ])("%o is refused", (options, message) => {
    expect(() => phloem(options as never)).toThrow(message);
  });
});

describe("Vite", () => {
  const viteBuild = async (folder: string, options: PhloemOptions) => {
    const warnings: RollupLog[] = [];
    await build({
      root: folder,
      configFile: false,
      logLevel: "silent",
      plugins: [phloem(options)],
      build: {
        write: false,
        minify: false,
        rollupOptions: { onwarn: (warning) => warnings.push(warning) },
      },
    });
    return warnings.filter(isOurs);
  };
  const page = { "index.html": '<!doctype html><script type="module" src="/main.ts"></script>' };
  const example = (name: string) =>
    readFileSync(join(import.meta.dirname, "../examples/circular", name), "utf8");
  const names = ["main.ts", "shapes.ts", "circle.ts"];
  const files = Object.fromEntries(names.map((name) => [name, example(name)]));

  test("a page with TypeScript: the findings of phloem check", async () => {
    const folder = project({ ...page, ...files });
    const [finding, ...others] = await viteBuild(folder, {});
    expect(others).toEqual([]);
    const { findings } = await checkModules(
      { entries: ["main.ts"], root: "", rules: ["use-before-init"], callbacks: "later" },
      memoryHost(new Map(Object.entries(files))),
    );
    expect(findings.map(({ file, line, column }) => [join(folder, file), line, column - 1])).toEqual([
      [finding.loc?.file, finding.loc?.line, finding.loc?.column],
    ]);
  });

  test("severity error ends the build", async () => {
    await expect(viteBuild(project({ ...page, ...files }), { severity: "error" })).rejects.toThrow(
      "Cannot access 'Shape' before initialization",
    );
  });

  test("import(), styles and assets", async () => {
    const findings = await viteBuild(
      project({
        "index.html": '<!doctype html><script type="module" src="/main.ts"></script>',
        "main.ts":
          'import "./main.css";\nimport data from "./data.json";\nexport const a = data;\nimport("./late.ts");',
        "late.ts":
          "const c: number = f();\nfunction f(): number { return d; }\nconst d = c;\nexport { c, d };",
        "main.css": "body { color: red }",
        "data.json": '{ "x": 1 }',
      }),
      {},
    );
    expect(findings.map(({ loc, names }) => [loc?.line, names])).toEqual([[2, ["d"]]]);
  });
});

describe("order of a bundle", () => {
  const graph = (
    entries: string[],
    imports: Record<string, string[]>,
    laterImports: Record<string, string[]> = {},
  ) =>
    evaluationRoots({
      entries,
      imports: (id) => imports[id] ?? [],
      laterImports: (id) => laterImports[id] ?? [],
    });
  const cycle = { a: ["x"], b: ["y"], x: ["y"], y: ["x"] };

  test.each([
    ["one entry", graph(["a"], cycle), "a", ["a"]],
    ["the second entry", graph(["a", "b"], cycle), "b", ["x", "b"]],
    ["the first entry", graph(["b", "a"], cycle), "b", ["b"]],
    ["an entry in the cycle", graph(["a", "y"], cycle), "y", ["x", "y"]],
    ["the target of import()", graph(["a"], cycle, { a: ["y"] }), "y", ["x", "y"]],
    ["a target of its own", graph(["a"], { x: ["y"], y: ["x"] }, { a: ["y"] }), "y", ["y"]],
  ])("%s", (_, rootsOf, entry, roots) => {
    expect(rootsOf(entry)).toEqual(roots);
  });

  test("long chains do not recurse", () => {
    const imports = (id: string) => (Number(id) < 100_000 ? [String(Number(id) + 1)] : []);
    expect(evaluationRoots({ entries: ["0"], imports, laterImports: () => [] })("0")).toEqual(["0"]);
  });
});
