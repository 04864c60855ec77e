/**
 * The compiled kernel, release and debug: valid, with the features that browsers have and no others, nothing imported,
 * no data, the interface that TypeScript expects; and what is embedded is what was built. Where WebAssembly is missing
 * or broken the host says so in one sentence, and the reference engine works.
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { kernelBase64 } from "../build/kernel-bytes.js";
import { kernelHash } from "../build/kernel-hash.js";
import { analyze } from "../src/analyze.js";
import { parseIfds } from "../src/exploded/parse-ifds.js";
import { instantiateKernel } from "../src/kernel/instantiate.js";

// Binaryen writes what it finds invalid to the console as it was when the module was loaded.
const silenced = (["log", "warn", "error"] as const).map((method) =>
  vi.spyOn(console, method).mockImplementation(() => {}),
);
const { default: binaryen } = await import("binaryen");
for (const spy of silenced) spy.mockRestore();

const release = readFileSync("build/kernel.wasm");
const debug = readFileSync("build/kernel.debug.wasm");

const source = "IFDS 1\nR 0 I\nR 1 I 0>0,1\nM 0\nP 0 3 2 0 2 main\ne 0 1 1\ne 1 2 0\nZ\n";

describe.each([
  ["release", release, 64 * 1024],
  ["debug", debug, 128 * 1024],
])("%s build", (_, bytes, budget) => {
  const module = binaryen.readBinary(bytes);
  const { SIMD128, BulkMemoryOpt, NontrappingFPToInt } = binaryen.Features;
  const expected = { SIMD128, BulkMemoryOpt, NontrappingFPToInt };
  const validWith = (features: number): boolean => {
    module.setFeatures(features);
    return module.validate() === 1;
  };
  const all = Object.values(expected).reduce((sum, feature) => sum | feature, 0);

  test("is valid", () => {
    expect(WebAssembly.validate(bytes)).toBe(true);
    expect(validWith(all)).toBe(true);
  });

  test.each(Object.entries(expected))("needs %s", (_, feature) => {
    expect(validWith(all & ~feature)).toBe(false);
  });

  test("has no imports and no data segments", () => {
    expect(WebAssembly.Module.imports(new WebAssembly.Module(bytes))).toEqual([]);
    const sections = sectionsOf(bytes);
    expect(sections).toContain(CODE);
    for (const section of [IMPORT, DATA, DATA_COUNT]) expect(sections).not.toContain(section);
  });

  test("exports the interface of src/kernel/exports.ts and nothing else", () => {
    const text = readFileSync("src/kernel/exports.ts", "utf8");
    const functions = Array.from(text.matchAll(/^ {2}(\w+)\(/gm), ([, name]) => name);
    const exported = WebAssembly.Module.exports(new WebAssembly.Module(bytes));
    const named = (kind: string) => exported.filter((item) => item.kind === kind).map((item) => item.name);
    expect(named("function").sort()).toEqual(functions.sort());
    expect(named("memory")).toEqual(["memory"]);
    expect(exported.length).toBe(functions.length + 1);
  });

  test(`is at most ${budget / 1024} KiB`, () => {
    expect(bytes.length).toBeLessThanOrEqual(budget);
  });

  test("answers", () => {
    const analysis = analyze(parseIfds(source), { kernel: bytes });
    expect(analysis.statistics.engine).toBe("wasm");
    expect(analysis.reaches(0, 0, 0, 2, 1)).toBe(true);
    expect(analysis.reaches(0, 1, 0, 2, 1)).toBe(false);
  });
});

test("the embedded bytes and their hash are those of build/kernel.wasm", () => {
  expect(Buffer.from(kernelBase64, "base64").equals(release)).toBe(true);
  expect(kernelHash).toBe(createHash("sha256").update(release).digest().readUInt32BE(0));
});

test("the default engine is the kernel, in an instance of its own", () => {
  const { Instance } = WebAssembly;
  const modules: WebAssembly.Module[] = [];
  WebAssembly.Instance = class extends Instance {
    constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
      super(module, imports);
      modules.push(module);
    }
  };
  try {
    expect(analyze(parseIfds(source)).statistics.engine).toBe("wasm");
    expect(analyze(parseIfds(source)).reaches(0, 0, 0, 2, 1)).toBe(true);
  } finally {
    WebAssembly.Instance = Instance;
  }
  expect(modules.length).toBe(2);
  expect(WebAssembly.Module.exports(modules[0]).map(({ name }) => name)).toContain("reachesMany");
});

test.each([
  ["no module", new Uint8Array([1, 2, 3, 4])],
  ["a cut one", release.subarray(0, 1000)],
])("bytes that are %s are refused in one sentence", (_, bytes) => {
  expect(() => instantiateKernel(bytes)).toThrow(
    /^WebAssembly kernel: got "[^\n]+", expected a host that .*\.$/,
  );
});

describe("a host without WebAssembly", () => {
  const run = (script: string): string =>
    execFileSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" }).trim();

  test("says so", () => {
    const message = run(`
      delete globalThis.WebAssembly;
      const { analyze, parseIfds } = await import("phloem");
      try { analyze(parseIfds(${JSON.stringify(source)})); } catch (error) { console.log(error.message); }
    `);
    expect(message).toBe(
      'WebAssembly kernel: got "WebAssembly is not defined", expected a host that compiles WebAssembly with SIMD ' +
        'and has memory left (where it is forbidden, use { engine: "reference" }).',
    );
  });

  test("answers with the reference engine, and gives the same bytes", () => {
    const script = (before: string, engine: string) => `
      ${before}
      const { analyze, Analysis, parseIfds } = await import("phloem");
      const analysis = analyze(parseIfds(${JSON.stringify(source)}), { engine: "${engine}" });
      const again = Analysis.from(analysis.data, { engine: "${engine}" });
      console.log(analysis.statistics.engine, [...again.from(0, 0, 0)].join(" "));
      console.log(Buffer.from(analysis.data).toString("hex"));
    `;
    const [answers, data] = run(script("delete globalThis.WebAssembly;", "reference")).split("\n");
    expect(answers).toBe("reference 0,0 1,0 1,1 2,0 2,1");
    expect(data).toBe(run(script("", "wasm")).split("\n")[1]);
  });
});

// Section ids.
const IMPORT = 2;
const CODE = 10;
const DATA = 11;
const DATA_COUNT = 12;

/** Ids of a module's sections, in order. */
function sectionsOf(bytes: Uint8Array): number[] {
  const ids: number[] = [];
  for (let at = 8; at < bytes.length; ) {
    ids.push(bytes[at++]);
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      length += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    at += length;
  }
  return ids;
}
