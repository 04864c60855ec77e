/**
 * The packed tarball, installed into an empty project: what it holds, `import` and `require`, entry points, types, the
 * command. Needs dist/ as `npm run build` leaves it, and a registry or a filled npm cache for the dependencies.
 */

import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SmokeAnswers, smoke } from "./support/browser-smoke.js";
import { documentBlocks } from "./support/document-code.js";

const root = join(import.meta.dirname, "..");
const fixture = join(root, "test/fixtures/instances/batik.puninit");
const text = gunzipSync(readFileSync(`${fixture}.ifds.gz`)).toString();
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
/** The names that issues and documents promise. */
const publicNames = [
  "Analysis",
  "InputError",
  "OutOfMemoryError",
  "SupergraphBuilder",
  "ZERO",
  "analyze",
  "analyzeAsync",
  "compose",
  "explode",
  "formatIfds",
  "gen",
  "identity",
  "kill",
  "parseIfds",
  "parseIfdsStream",
  "reverse",
  "transfer",
  "union",
];

let folder: string;
/** The empty project. */
let project: string;
let installed: string;
let files: string[];

const npm = (args: string[], cwd: string): string =>
  execFileSync("npm", ["--no-audit", "--no-fund", "--loglevel=error", ...args], {
    cwd,
    encoding: "utf8",
    // As in a project of its own: nothing of the npm run that this test is part of.
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("npm_"))),
  });
const node = (...args: string[]): string =>
  execFileSync(process.execPath, args, { cwd: project, encoding: "utf8" }).trim();
const write = (name: string, content: string): string => {
  writeFileSync(join(project, name), content);
  return name;
};

/** What is for the user to install, here from this repository: the bundler, and the compiler, whose types those of ASTs name. */
const linkTools = (): void => {
  for (const name of ["rollup", "typescript"]) {
    const link = join(project, "node_modules", name);
    if (!existsSync(link)) symlinkSync(join(root, "node_modules", name), link, "junction");
  }
};
const circular = {
  "circular.js": 'import { shapes } from "./shapes.js";\nconsole.log(shapes);\n',
  "shapes.js":
    'import { Circle } from "./circle.js";\nexport class Shape {}\nexport const shapes = [new Circle()];\n',
  "circle.js": 'import { Shape } from "./shapes.js";\nexport class Circle extends Shape {}\n',
};

beforeAll(() => {
  if (!existsSync(join(root, "dist/index.js")))
    throw new Error("Got no dist/index.js, expected `npm run build` before.");
  folder = mkdtempSync(join(tmpdir(), "phloem-package-"));
  project = join(folder, "project");
  mkdirSync(project);
  const [packed] = JSON.parse(
    npm(["pack", root, "--ignore-scripts", "--json", "--pack-destination", folder], folder),
  );
  write("package.json", JSON.stringify({ name: "empty", private: true, type: "module" }));
  npm(["install", "--prefer-offline", "--ignore-scripts", join(folder, packed.filename)], project);
  installed = join(project, "node_modules/phloem");
  files = readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(installed.length + 1)
        .split(sep)
        .join("/"),
    );
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("tarball", () => {
  test("holds the bundle, its types and the documents, and nothing else", () => {
    const expected =
      /^(?:dist\/(?:(?:index|ask|baselines|treedec|clients|javascript|javascript-node|jvm|jvm-node|parallel|parallel-worker|rollup|cli)\.js|kernel\.wasm|LICENSE-[\w-]+|chunks\/[\w-]+\.js|types\/[\w/-]+\.d\.ts)|docs\/(?:ask|check|check-values|clients|format|jvm|rollup)\.md|package\.json|README\.md|ARCHITECTURE\.md|CHANGELOG\.md|LICENSE)$/;
    expect(files.filter((file) => !expected.test(file))).toEqual([]);
    for (const file of ["README.md", "LICENSE", "CHANGELOG.md", "ARCHITECTURE.md"])
      expect(files).toContain(file);
  });

  // A quarter of it is Babel's parser, in a chunk of its own that browsers load when they first parse.
  test("is below 2.5 MB unpacked", () => {
    const bytes = files.reduce((sum, file) => sum + readFileSync(join(installed, file)).length, 0);
    expect(bytes).toBeLessThan(2_500_000);
  });

  test("names no folder of the machine it was built on", () => {
    const named = files.filter((file) => readFileSync(join(installed, file), "utf8").includes(`${root}/`));
    expect(named).toEqual([]);
  });

  test("its documents for users link to nothing that was left behind", () => {
    const left = ["README.md", ...files.filter((file) => /^docs\/|^CHANGELOG/.test(file))].flatMap((file) => {
      const links = readFileSync(join(installed, file), "utf8").matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g);
      return Array.from(links, ([, target]) => join(dirname(file), target)).filter(
        (target) => !existsSync(join(installed, target)),
      );
    });
    expect(left).toEqual([]);
  });

  test("every entry point of package.json exists", () => {
    const targets: string[] = [];
    const collect = (value: unknown): void => {
      if (typeof value === "string") targets.push(value);
      else for (const inner of Object.values(value as object)) collect(inner);
    };
    collect([manifest.exports, manifest.bin]);
    expect(targets.length).toBeGreaterThan(7);
    expect(targets.filter((target) => !existsSync(join(installed, target)))).toEqual([]);
  });

  test("what is bundled comes with its licence", () => {
    for (const name of [
      "assemblyscript",
      "babel-parser",
      "eslint-visitor-keys",
      "typescript-eslint-scope-manager",
    ])
      expect(files).toContain(`dist/LICENSE-${name}`);
  });

  test("declarations name no package but those that are installed with this one, or whose users have it", () => {
    const packages = new Set<string>();
    for (const file of files.filter((file) => file.endsWith(".d.ts"))) {
      const declaration = readFileSync(join(installed, file), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
      for (const [, name] of declaration.matchAll(/\b(?:from |import\()"([^."][^"]*)"/g)) packages.add(name);
    }
    expect([...packages].sort()).toEqual(["@typescript-eslint/types", "rollup"]);
    expect(Object.keys(manifest.dependencies)).toContain("@typescript-eslint/types");
    expect(Object.keys(manifest.peerDependencies)).toEqual(["rollup"]);
  });
});

describe("in Node", () => {
  test("import: every kind of query answers as the built package does", async () => {
    write("instance.ifds", text);
    write(
      "smoke.mjs",
      `import { readFileSync } from "node:fs";
      import * as phloem from "phloem";
      const smoke = ${smoke};
      console.log(JSON.stringify(smoke(phloem, readFileSync("instance.ifds", "utf8"), { engine: "wasm" })));`,
    );
    const answers: SmokeAnswers = JSON.parse(node("smoke.mjs"));
    const built = await import(pathToFileURL(join(root, "dist/index.js")).href);
    expect(answers).toEqual(smoke(built, text, { engine: "wasm" }));
    expect(answers.tainted).toEqual(["input", "output"]);
  });

  test("require", () => {
    write(
      "required.cjs",
      `const { analyze, parseIfds } = require("phloem");
      const { search } = require("phloem/baselines");
      const graph = parseIfds(require("node:fs").readFileSync("instance.ifds", "utf8"));
      console.log(analyze(graph).from(0, 0, 0).count === search(graph).from(0, 0, 0).count);`,
    );
    expect(node("--no-warnings", "required.cjs")).toBe("true");
  });

  test("the public names", () => {
    const names = JSON.parse(
      node(
        "--input-type=module",
        "--eval",
        `console.log(JSON.stringify(Object.keys(await import("phloem"))))`,
      ),
    );
    expect(names).toEqual(expect.arrayContaining(publicNames));
  });

  test("subpaths resolve, others do not", () => {
    const script = `
      import { readFileSync } from "node:fs";
      import { fileURLToPath } from "node:url";
      const { baselines } = await import("phloem/baselines");
      const { formatGr, graphFromEdges } = await import("phloem/treedec");
      const clients = await import("phloem/clients");
      const { version } = JSON.parse(readFileSync(fileURLToPath(import.meta.resolve("phloem/package.json"))));
      const kernel = readFileSync(fileURLToPath(import.meta.resolve("phloem/kernel.wasm")));
      const inside = await import("phloem/dist/index.js").catch((error) => error.code);
      console.log(JSON.stringify([
        Object.keys(baselines), formatGr(graphFromEdges(2, [0], [1])), version, WebAssembly.validate(kernel), inside,
        Object.keys(clients).filter((name) => /^[a-z]/.test(name)).sort(),
      ]));`;
    expect(JSON.parse(node("--input-type=module", "--eval", script))).toEqual([
      ["nopp", "cpp", "od", "search"],
      "p tw 2 1\n1 2\n",
      manifest.version,
      true,
      "ERR_PACKAGE_PATH_NOT_EXPORTED",
      [
        "clientNames",
        "clients",
        "liveness",
        "possiblyUninitialized",
        "reachability",
        "reachingDefinitions",
        "silent",
        "taint",
        "uninitialized",
      ],
    ]);
  });
});

describe("JavaScript and TypeScript", () => {
  beforeAll(() => {
    for (const [name, content] of Object.entries(circular)) write(name, content);
  });

  test.each([
    ["memoryHost", `memoryHost(new Map(Object.entries(${JSON.stringify(circular)})))`],
    ["nodeHost", "nodeHost(process.cwd())"],
  ])("phloem/javascript with %s", (_, host) => {
    const script = `
      import { checkModules, memoryHost } from "phloem/javascript";
      import { nodeHost } from "phloem/javascript/node";
      const { findings, diagnostics } = await checkModules(
        { entries: ["circular.js"], root: "", rules: ["use-before-init"], callbacks: "later" }, ${host});
      console.log(JSON.stringify([diagnostics, findings.map(({ file, line, name }) => [file, line, name])]));`;
    expect(JSON.parse(node("--input-type=module", "--eval", script))).toEqual([
      [],
      [["circle.js", 2, "Shape"]],
    ]);
  });

  test("nodeHost parses what is nested too deeply for the parser it prefers", () => {
    write("deep.js", `const a = b${".c".repeat(4_500)};\nconst b = 1;\n`);
    const script = `
      import { nodeHost } from "phloem/javascript/node";
      const host = nodeHost(process.cwd());
      const path = host.locate("deep.js");
      console.log(Object.keys(await host.parse(path, host.read(path), "module"))[0]);`;
    expect(node("--input-type=module", "--eval", script)).toBe("ast");
  });

  test("phloem/jvm, and phloem/jvm/node", () => {
    copyFileSync(join(root, "test/fixtures/tiny/T.class"), join(project, "T.class"));
    const script = `
      import { readFileSync } from "node:fs";
      import { reachability } from "phloem/clients";
      import { load } from "phloem/jvm";
      import { loadPaths } from "phloem/jvm/node";
      const { program } = load([["T.class", readFileSync("T.class")]]);
      console.log(JSON.stringify([
        loadPaths(["T.class"]).program.procedures.length,
        program.procedures.filter((_, p) => reachability(program).analyze().reaches(p, 0)).length,
      ]));`;
    expect(JSON.parse(node("--input-type=module", "--eval", script))).toEqual([9, 9]);
  });

  test("phloem/rollup in a build", () => {
    linkTools();
    const script = `
      import phloem from "phloem/rollup";
      import { rollup } from "rollup";
      const failure = await rollup({ input: "circular.js", plugins: [phloem({ severity: "error" })], onLog() {} })
        .catch((error) => error);
      console.log(JSON.stringify([failure.plugin, failure.loc.line, failure.names]));`;
    expect(JSON.parse(node("--input-type=module", "--eval", script))).toEqual(["phloem", 2, ["Shape"]]);
  });
});

describe("types", () => {
  const compile = (options: object, sources: string[]): string => {
    const name = write(
      `tsconfig.${sources[0]}.json`,
      JSON.stringify({
        compilerOptions: {
          strict: true,
          noEmit: true,
          exactOptionalPropertyTypes: true,
          noUncheckedIndexedAccess: true,
          skipLibCheck: false,
          target: "ES2023",
          ...options,
        },
        files: sources,
      }),
    );
    try {
      return node(join(root, "node_modules/typescript/bin/tsc"), "-p", name);
    } catch (error) {
      return String((error as { stdout: string }).stdout);
    }
  };

  const user = `
    import { Analysis, analyze, type AnalyzeOptions, explode, gen, type IfdsProblem, identity, parseIfds, type Reached,
      SupergraphBuilder } from "phloem";
    import { baselines } from "phloem/baselines";
    import { type TreeDecomposition, parseTd } from "phloem/treedec";
    import { type Definition, type Program, reachingDefinitions } from "phloem/clients";
    const options: AnalyzeOptions = { engine: "reference", signal: new AbortController().signal };
    const analysis: Analysis = analyze(parseIfds("IFDS 1"), options);
    const reached: Reached = analysis.procedure("main").from(0, 0);
    for (const [v, d] of reached) { const sum: number = v + d; void sum; }
    const bytes: ArrayBuffer = Analysis.from(analysis.data, { name: "saved" }).data;
    interface Statement { readonly text: string }
    const problem: IfdsProblem<string, Statement> = { normal: (from) => (from.data?.text === "x" ? gen("x") : identity) };
    const exploded = explode(new SupergraphBuilder<Statement>().supergraph(), problem);
    const before: string[] = exploded.decode(analysis.entering(exploded.seeds), analysis).before("main", "end");
    const decomposition: TreeDecomposition = parseTd("").decomposition;
    const answer: boolean = baselines.search(exploded.graph).reaches(0, 0, 0, 0, 0);
    export const definitions = (program: Program): Definition[] =>
      reachingDefinitions(program).analyze().reachingDefinitions(0, 0);
    // @ts-expect-error There is no such engine.
    analyze(exploded.graph, { engine: "magic" });
    // @ts-expect-error An analysis is immutable.
    analysis.data = bytes;
    export { answer, before, decomposition };
  `;

  test.each([
    ["NodeNext", { module: "NodeNext", moduleResolution: "NodeNext", types: [] }, "user.ts"],
    ["a bundler's resolution", { module: "ESNext", moduleResolution: "Bundler", types: [] }, "bundled.ts"],
    ["CommonJS", { module: "NodeNext", moduleResolution: "NodeNext", types: [] }, "user.cts"],
  ])("resolve under %s, strict, with library checks", (_, options, name) => {
    write(name, user);
    expect(compile({ lib: ["ES2023", "DOM"], ...options }, [name])).toBe("");
  });

  const moduleUser = `
    import { checkModules, type Finding, fromEstree, load, memoryHost, type SourceHost } from "phloem/javascript";
    import { nodeHost } from "phloem/javascript/node";
    import { phloem, type PhloemOptions } from "phloem/rollup";
    import type { InputOptions, Plugin } from "rollup";
    const hosts: SourceHost[] = [nodeHost("."), memoryHost(new Map([["a.js", ""]]), {
      parse: (_path, text) => ({ ast: fromEstree({ type: "Program", start: 0, end: text.length }), comments: [] }) })];
    const findings: Promise<readonly Finding[]> = checkModules(
      { entries: ["a.js"], root: "", rules: ["use-before-init"], callbacks: "later" }, hosts[0]!).then((answer) => answer.findings);
    const paths: Promise<string[]> = load(["a.js"], hosts[0]!).then(({ graph }) => [...graph.modules.keys()]);
    const options: PhloemOptions = { severity: "error", include: ["src/**"], exclude: /generated/, callbacks: "now" };
    const plugin: Plugin = phloem(options);
    const input: InputOptions = { input: "a.js", plugins: [phloem(), plugin] };
    // @ts-expect-error There is no such severity.
    phloem({ severity: "fatal" });
    export { findings, input, paths };
  `;

  test.each([
    ["NodeNext", { module: "NodeNext", moduleResolution: "NodeNext" }],
    ["a bundler's resolution", { module: "ESNext", moduleResolution: "Bundler" }],
  ])("the front end and the plugin resolve under %s, strict, with library checks", (_, options) => {
    linkTools();
    write("modules.ts", moduleUser);
    const types = { types: ["node"], typeRoots: [join(root, "node_modules/@types")] };
    expect(compile({ lib: ["ES2023", "DOM"], ...types, ...options }, ["modules.ts"])).toBe("");
  });

  test("the documents' code compiles", () => {
    linkTools();
    const documents = files.filter((file) => /^(?:README|docs\/.+)\.md$/.test(file));
    const sources = documents
      .flatMap((file) => documentBlocks(file, "ts"))
      .map(({ file, line, code }) => write(`${file.replace("/", "-")}-${line}.ts`, `${code}\nexport {};\n`));
    const types = { types: ["node"], typeRoots: [join(root, "node_modules/@types")] };
    expect(compile({ module: "NodeNext", moduleResolution: "NodeNext", ...types }, sources)).toBe("");
  });
});

describe("command", () => {
  const phloem = (...args: string[]): string => npm(["exec", "--offline", "--", "phloem", ...args], project);

  test("--version", () => {
    expect(phloem("--version").trim()).toBe(manifest.version);
  });

  test("check finds the circular import", () => {
    for (const [name, content] of Object.entries(circular)) write(name, content);
    let printed = "";
    try {
      phloem("check", "--json", "circular.js");
    } catch (error) {
      printed = (error as { stdout: string }).stdout;
    }
    const { findings } = JSON.parse(printed);
    expect(findings).toMatchObject([
      { rule: "use-before-init", severity: "error", file: "circle.js", line: 2 },
    ]);
  });

  test("verify agrees on a real instance", () => {
    for (const kind of ["ifds", "q"]) cpSync(`${fixture}.${kind}.gz`, join(project, `batik.${kind}.gz`));
    const { agrees, engines } = JSON.parse(phloem("verify", "--json", "batik.ifds.gz", "batik.q.gz"));
    expect(agrees).toBe(true);
    const answered = Object.values<{ answered: number }>(engines.wasm.kinds).map((kind) => kind.answered);
    expect(answered).toEqual([2000, 2000, 500, 20, 2, 1]);
  });

  test("an input error is one sentence and exit code 2", () => {
    write("cut.ifds", text.slice(0, 1000));
    const bin = join(installed, manifest.bin.phloem);
    const run = (): string => node(bin, "stats", "cut.ifds");
    expect(run).toThrow();
    try {
      run();
    } catch (error) {
      const { status, stderr, stdout } = error as { status: number; stderr: string; stdout: string };
      expect(status).toBe(2);
      expect(stdout).toBe("");
      expect(stderr.trim()).toMatch(/^[^\n]*cut\.ifds:\d+: got [^\n]*, expected [^\n]*\.$/);
    }
  });
});
