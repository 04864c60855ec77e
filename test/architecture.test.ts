/**
 * The invariants of ARCHITECTURE.md, read off the sources: who imports whom, and what must not be there. Imports and code
 * are found by a plain reader that strips comments and strings; it knows this repository's style and nothing more.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize, relative, sep } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

/** Files below a folder, as paths from the repository's root. */
function filesOf(folder: string, suffix = ""): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(suffix))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
}

const read = (file: string): string => readFileSync(join(root, file), "utf8");

interface Import {
  readonly from: string;
  /** A file from the repository's root, or a package. */
  readonly to: string;
  /** Erased by the compiler: `import type`, or every name with `type` before it. */
  readonly typeOnly: boolean;
}

function importsOf(file: string): Import[] {
  const statements =
    /^(?:import|export)\s+(?:(type\s+)?((?:[\w$]+,\s*)?(?:\{[^}]*\}|\*(?:\s+as\s+\w+)?|[\w$]+))\s+from\s+)?"([^"]+)";/gm;
  return Array.from(read(file).matchAll(statements), ([, type, names = "", specifier]) => {
    const to = specifier.startsWith(".")
      ? `${normalize(join(dirname(file), specifier)).replace(/\.js$/, "")}.ts`
      : specifier;
    const list = /^\{([^}]*)\}$/.exec(names.trim())?.[1].split(",") ?? [];
    const typeOnly =
      type !== undefined ||
      (list.some((name) => name.trim() !== "") && list.every((name) => /^\s*(type\s|$)/.test(name)));
    return { from: file, to, typeOnly };
  });
}

/** The code of a file without comments, and with strings emptied. */
function codeOf(file: string): string {
  const tokens = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g;
  return read(file).replace(tokens, (token) => (token.startsWith("/") ? "" : token[0] + token[0]));
}

const sources = filesOf("src", ".ts");
const kernelSources = filesOf("assembly", ".ts");
const tests = filesOf("test", ".ts").filter((file) => !file.startsWith("test/fixtures/"));
const imports = sources.flatMap(importsOf);

/** A source's stage: its folder, or for files of src itself the file. */
const stageOf = (file: string): string => {
  const [, stage] = /^src\/([^/]+)/.exec(file) ?? [];
  return stage ?? file;
};

const LAYOUT = "assembly/image.ts";
const KERNEL_HASH = "build/kernel-hash.ts";

/** What each stage may import beside itself, in the order of the pipeline: nothing further down. */
const upstream: Record<string, readonly string[]> = {
  "once.ts": [],
  exploded: [],
  results: [],
  "solver.ts": ["results"],
  supergraph: ["exploded"],
  problem: ["exploded", "results", "solver.ts", "supergraph"],
  treedec: [],
  skeleton: ["exploded", LAYOUT],
  "engine.ts": [],
  image: ["exploded", "treedec", "skeleton", "engine.ts", LAYOUT, KERNEL_HASH],
  kernel: ["image", "engine.ts", LAYOUT, "build/kernel-bytes.ts", "@assemblyscript/loader"],
  reference: ["image", "engine.ts", LAYOUT],
  update: ["exploded", "skeleton", "image", "engine.ts", LAYOUT, KERNEL_HASH],
  witness: ["exploded", "results", "solver.ts"],
  "analysis.ts": [
    "once.ts",
    "exploded",
    "results",
    "solver.ts",
    "image",
    "engine.ts",
    "kernel",
    "reference",
    "update",
    "witness",
    LAYOUT,
  ],
  "analyze.ts": [
    "once.ts",
    "exploded",
    "skeleton",
    "image",
    "engine.ts",
    "update",
    "analysis.ts",
    LAYOUT,
    KERNEL_HASH,
  ],
  parallel: [
    "once.ts",
    "exploded",
    "results",
    "skeleton",
    "image",
    "engine.ts",
    "update",
    "analysis.ts",
    "analyze.ts",
    LAYOUT,
    KERNEL_HASH,
  ],
  baselines: ["exploded", "results", "solver.ts"],
  program: [],
  clients: ["exploded", "results", "solver.ts", "analysis.ts", "analyze.ts", "program"],
  check: ["exploded", "analyze.ts", "program", "clients", "@babel/code-frame", "picomatch"],
  jvm: ["program", "fflate"],
  ask: ["once.ts", "exploded", "witness", "analysis.ts", "analyze.ts", "program", "clients", "check"],
  "program-index": [
    "exploded",
    "image",
    "analysis.ts",
    "program",
    "clients",
    "check",
    "ask",
    LAYOUT,
    KERNEL_HASH,
  ],
  javascript: [
    "once.ts",
    "exploded",
    "program",
    "check",
    "ask",
    "@babel/parser",
    "@typescript-eslint/scope-manager",
    "@typescript-eslint/types",
    "@typescript-eslint/visitor-keys",
    "get-tsconfig",
    "oxc-parser",
    "oxc-resolver",
  ],
  "index.ts": [
    "exploded",
    "results",
    "solver.ts",
    "supergraph",
    "problem",
    "engine.ts",
    "witness",
    "analysis.ts",
    "analyze.ts",
  ],
  cli: [
    "exploded",
    "results",
    "solver.ts",
    "skeleton",
    "treedec",
    "engine.ts",
    "analysis.ts",
    "analyze.ts",
    "baselines",
    "index.ts",
    "program",
    "clients",
    "check",
    "ask",
    "program-index",
    "javascript",
    "jvm",
    "cli-progress",
    "cli-table3",
    "commander",
    "picocolors",
    "picomatch",
    "sarif",
  ],
  "rollup-plugin": [
    "exploded",
    "program",
    "check",
    "javascript",
    "@jridgewell/trace-mapping",
    "@rollup/pluginutils",
    "rollup",
  ],
  "words.d.ts": [],
};

/** The only file of the front end that reads files, with the packages that it alone may import. */
const JAVASCRIPT_HOST = "src/javascript/modules/host/node.ts";
/** The same of the front end for Java. */
const JVM_HOST = "src/jvm/host/node.ts";
/** The same of the plugin for rollup. */
const ROLLUP_HOST = "src/rollup-plugin/project.ts";
const HOST_PACKAGES = ["get-tsconfig", "oxc-parser", "oxc-resolver"];

/** Types that an interface takes from further down: what passes through it. */
const named: Record<string, readonly string[]> = { "engine.ts": ["image"] };

describe("imports", () => {
  test("the reader sees them", () => {
    expect(importsOf("src/engine.ts")).toEqual([
      { from: "src/engine.ts", to: "src/image/assemble.ts", typeOnly: true },
    ]);
    expect(importsOf("src/kernel/kernel-engine.ts").map(({ to }) => to)).toContain("assembly/image.ts");
    expect(importsOf("src/treedec/index.ts").length).toBeGreaterThan(5);
  });

  test("every stage is in the table", () => {
    expect(sources.map(stageOf).filter((stage) => upstream[stage] === undefined)).toEqual([]);
  });

  test.each(Object.entries(upstream))("%s imports upstream only", (stage, allowed) => {
    const outside = imports
      .filter(({ from }) => stageOf(from) === stage)
      .filter(({ to }) => stageOf(to) !== stage && !allowed.includes(stageOf(to)))
      .filter(({ to, typeOnly }) => !(typeOnly && named[stage]?.includes(stageOf(to))))
      .filter(
        ({ from, to }) =>
          !(
            (stage === "cli" || [JAVASCRIPT_HOST, JVM_HOST, ROLLUP_HOST].includes(from)) &&
            to.startsWith("node:")
          ),
      )
      .map(({ from, to }) => `${from} imports ${to}`);
    expect(outside).toEqual([]);
  });

  test("the table itself only points upstream", () => {
    const order = Object.keys(upstream);
    for (const [stage, allowed] of Object.entries(upstream)) {
      for (const other of allowed) expect(order.indexOf(other)).toBeLessThan(order.indexOf(stage));
    }
  });

  test("the kernel imports nothing but itself, and its layout file nothing at all", () => {
    const outside = kernelSources.flatMap(importsOf).filter(({ to }) => !kernelSources.includes(to));
    expect(outside).toEqual([]);
    expect(importsOf(LAYOUT)).toEqual([]);
  });

  test("of assembly/, TypeScript sees the layout alone", () => {
    const others = imports.filter(({ to }) => to.startsWith("assembly/") && to !== LAYOUT);
    expect(others).toEqual([]);
  });

  test("no cycles between files, erased imports aside", () => {
    const targets = new Map<string, string[]>();
    for (const { from, to, typeOnly } of [...imports, ...kernelSources.flatMap(importsOf)]) {
      if (!typeOnly) targets.set(from, [...(targets.get(from) ?? []), to]);
    }
    const done = new Set<string>();
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) throw new Error(`Cycle: ${[...path, file].join(" -> ")}`);
      if (done.has(file)) return;
      for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
      done.add(file);
    };
    // The kernel's modules share state and may import each other; TypeScript's may not.
    for (const file of sources) visit(file, []);
  });

  test.each(["src/index.ts", "src/treedec/index.ts", "src/clients/index.ts"])(
    "%s only re-exports",
    (file) => {
      const code = codeOf(file).replace(/^export\s+(?:type\s+)?(?:\*|\{[^}]*\})\s+from "";$/gm, "");
      expect(code.trim()).toBe("");
    },
  );
});

describe("absence", () => {
  const mentions = (files: readonly string[], pattern: RegExp) =>
    files.flatMap((file) => Array.from(codeOf(file).matchAll(pattern), ([word]) => `${file}: ${word}`));
  const outside = (...stages: string[]) => sources.filter((file) => !stages.includes(stageOf(file)));

  test("the reader strips comments and strings", () => {
    expect(mentions(["src/kernel/instantiate.ts"], /WebAssembly/g).length).toBeGreaterThan(0);
    expect(mentions(["src/engine.ts"], /WebAssembly|4 GiB|byte for byte/g)).toEqual([]);
  });

  test("only kernel/ knows WebAssembly and pointers", () => {
    expect(mentions(outside("kernel"), /\bWebAssembly\b|\bpointer\w*|\bmemory\.buffer\b/gi)).toEqual([]);
  });

  test("only cli/ and the hosts of sources and projects on disk do input and output, in Node; only parallel/host.ts asks which host it is", () => {
    const hosts = ["src/parallel/host.ts", JAVASCRIPT_HOST, JVM_HOST, ROLLUP_HOST];
    const here = outside("cli").filter((file) => !hosts.includes(file));
    const hostOnly =
      /\b(?:process|console|Buffer|require|fetch|document|window|navigator|self|__dirname|localStorage)\b(?=[.([])/g;
    expect(mentions(here, hostOnly)).toEqual([]);
    expect(imports.filter(({ from, to }) => here.includes(from) && to.startsWith("node:"))).toEqual([]);
  });

  test("of the front end, one file knows Node, and no other needs what runs there alone", () => {
    const here = imports.filter(({ from }) => stageOf(from) === "javascript" && from !== JAVASCRIPT_HOST);
    expect(here.filter(({ to }) => to.startsWith("node:") || HOST_PACKAGES.includes(to))).toEqual([]);
  });

  test("no randomness and no dates: the same input gives the same bytes", () => {
    expect(
      mentions([...outside("cli"), ...kernelSources], /\bMath\.random\b|\bDate\b(?!: numbers)|\bcrypto\b/g),
    ).toEqual([]);
  });

  test("no namespaces, no default exports", () => {
    expect(mentions(sources, /^(?:export )?namespace |^export default/gm)).toEqual([]);
  });
});

describe("form", () => {
  test.each([...sources, ...kernelSources])("%s begins by saying what it is", (file) => {
    expect(read(file).replace(/^#!.*\n/, "")).toMatch(/^\/\*\*[\s\S]{20,}?\*\//);
  });

  test("files are named by nouns in kebab case", () => {
    for (const file of [...sources, ...kernelSources, ...tests]) {
      expect(basename(file)).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.test|\.d)?\.ts$/);
      expect(file).not.toMatch(/util|helper|misc|common/i);
    }
  });

  test("no managers", () => {
    for (const file of sources) {
      expect(codeOf(file)).not.toMatch(/(?:class|interface|function) \w*(?:Manager|Util|Helper)/);
    }
  });
});

describe("tests", () => {
  test("solvers are named in test/support/engines.ts, and in the tests of that very solver", () => {
    const solvers = ["kernel", "reference", "baselines"];
    const subjects: Record<string, string[]> = {
      "test/support/engines.ts": solvers,
      // Counts the work of the kernel's phases, which no solver shows.
      "test/support/work.ts": ["kernel"],
    };
    const intruders = tests.flatMap(importsOf).filter(({ from, to }) => {
      const stage = stageOf(to);
      const subject = basename(from, ".test.ts");
      return solvers.includes(stage) && subject !== stage && !(subjects[from] ?? []).includes(stage);
    });
    expect(intruders).toEqual([]);
  });

  test("no test is left out or left alone without a reason", () => {
    const marks = tests.flatMap((file) =>
      Array.from(
        codeOf(file).matchAll(/\.(?:only|todo|fails|skip)\b(?!If)/g),
        ([word]) => `${file}: ${word}`,
      ),
    );
    expect(marks).toEqual([]);
  });
});

describe("repository", () => {
  test("no file names a folder of the machine that it was written on", () => {
    const skipped = /^(?:node_modules|dist|build|\.git|coverage|test\/fixtures)(?:\/|$)/;
    const text = /\.(?:ts|js|json|md|yml)$|^\.ci\//;
    const files = readdirSync(root, { recursive: true, encoding: "utf8" })
      .map((file) => file.split(sep).join("/"))
      .filter((file) => !skipped.test(file) && text.test(file) && file !== "package-lock.json");
    const machinePath = /(?<![\w.:/-])\/(?:home|Users|root|work|mnt|srv|var)\/\w[^\s"'`)]*/g;
    const found = files.flatMap((file) =>
      Array.from(read(file).matchAll(machinePath), ([path]) => `${file}: ${path}`),
    );
    expect(found).toEqual([]);
  });

  test("ARCHITECTURE.md names only files that exist", () => {
    const links = Array.from(read("ARCHITECTURE.md").matchAll(/\]\(([^)#:]+)\)/g), ([, target]) => target);
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter((target) => !existsSync(join(root, target)))).toEqual([]);
  });
});
