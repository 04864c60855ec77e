/**
 * The pool gives the same bytes and the same answers as one thread, for any number of workers and either engine; and a
 * worker that dies is an error of one sentence. Runs on the built package, since Node's workers load JavaScript.
 */

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type * as Main from "../src/index.js";
import type * as Parallel from "../src/parallel/index.js";
import { programText } from "./support/arbitraries.js";
import { variants } from "./support/engines.js";
import { readGraph } from "./support/fixtures.js";

const { analyze, parseIfds } = (await import(
  new URL("../dist/index.js", import.meta.url).href
)) as typeof Main;
const { createPool } = (await import(
  new URL("../dist/parallel.js", import.meta.url).href
)) as typeof Parallel;

const engines = variants.filter(([name]) => name === "wasm" || name === "reference");

/** Some pair queries and sources, spread over a program. */
function questions(graph: Main.ExplodedSupergraph, count: number) {
  let state = 1;
  const below = (n: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  const queries = new Uint32Array(5 * count);
  for (let i = 0; i < count; i++) {
    const p = below(graph.procedureCount);
    const [vertices, facts] = [graph.vertexCount[p], graph.factCount[p]];
    queries.set([p, below(vertices), below(facts), below(vertices), below(facts)], 5 * i);
  }
  const sources = new Uint32Array(3 * (count >> 3));
  for (let i = 0; i < count >> 3; i++) sources.set(queries.subarray(5 * i, 5 * i + 3), 3 * i);
  return { queries, sources };
}

const triple = (sources: Uint32Array, i: number): [p: number, u: number, d1: number] => [
  sources[3 * i],
  sources[3 * i + 1],
  sources[3 * i + 2],
];

/** A worker's script as data: the real one, after this code. */
function workerScript(code: string): URL {
  const real = JSON.stringify(new URL("../dist/parallel-worker.js", import.meta.url).href);
  return new URL(`data:text/javascript,${encodeURIComponent(`${code}; await import(${real});`)}`);
}

// Without shared memory, on both sides, everything is sent from one to the other.
describe.each([
  [1, "shared"],
  [2, "shared"],
  [3, "shared"],
  [5, "shared"],
  [1, "not shared"],
  [3, "not shared"],
])("%s workers, memory %s", (workers, memory) => {
  let pool: Parallel.Pool;
  beforeAll(async () => {
    if (memory === "shared") {
      pool = await createPool({ workers });
      return;
    }
    vi.stubGlobal("SharedArrayBuffer", undefined);
    pool = await createPool({ workers, script: workerScript("delete globalThis.SharedArrayBuffer") });
  });
  afterAll(async () => {
    vi.unstubAllGlobals();
    await pool.close();
  });

  async function check(graph: Main.ExplodedSupergraph, options: Parallel.ParallelOptions, count: number) {
    const alone = analyze(graph, options);
    const parallel = await pool.analyze(graph, options);
    expect(Buffer.compare(Buffer.from(parallel.analysis.data), Buffer.from(alone.data))).toBe(0);
    const { queries, sources } = questions(graph, count);
    const expected = alone.reachesAll(queries);
    expect(Buffer.compare(await parallel.reachesAll(queries), expected)).toBe(0);
    if (memory === "shared") {
      const shared = new Uint32Array(new SharedArrayBuffer(queries.byteLength));
      shared.set(queries);
      expect(Buffer.compare(await parallel.reachesAll(shared), expected)).toBe(0);
    }
    const reached = await parallel.fromAll(sources);
    expect(reached.length).toBe(sources.length / 3);
    for (const [i, { words }] of reached.entries()) {
      expect(words.buffer instanceof ArrayBuffer).toBe(memory === "not shared");
      expect(Array.from(words)).toEqual(Array.from(alone.from(...triple(sources, i)).words));
    }
  }

  test.each(engines)("real programs, %s", async (_, options) => {
    for (const name of ["fop.puninit", "batik.rdef", "chart.live"])
      await check(readGraph(`instances/${name}.ifds.gz`), options, 4000);
  });

  test("random programs, fewer procedures than workers among them", async () => {
    await fc.assert(
      fc.asyncProperty(programText({ procedures: 6 }), fc.constantFrom(...engines), (text, [, options]) =>
        check(parseIfds(text), options, 64),
      ),
      { numRuns: 12 },
    );
  });

  test("labels by elimination, and by search", async () => {
    const graph = readGraph("instances/fop.live.ifds.gz");
    await check(graph, { sweepLimit: 0 }, 500);
    await check(graph, { labelBudget: 0 }, 500);
  });

  test("several programs of one pool at a time, each batch on its own index", async () => {
    const graphs = ["fop.rdef", "batik.live", "fop.puninit"].map((name) =>
      readGraph(`instances/${name}.ifds.gz`),
    );
    const parallel = await Promise.all(graphs.map((graph) => pool.analyze(graph)));
    const asked = graphs.map((graph) => questions(graph, 1000));
    const alone = graphs.map((graph) => analyze(graph));
    for (const [i, { analysis }] of parallel.entries())
      expect(Buffer.compare(Buffer.from(analysis.data), Buffer.from(alone[i].data))).toBe(0);
    // All at once, and twice, so that the workers change from one index to another and back.
    const turns = [0, 1, 2, 0, 2, 1];
    const answers = turns.map((i) => parallel[i].reachesAll(asked[i].queries));
    const reached = turns.map((i) => parallel[i].fromAll(asked[i].sources));
    for (const [k, i] of turns.entries()) {
      expect(Buffer.compare(await answers[k], alone[i].reachesAll(asked[i].queries))).toBe(0);
      const counts = (await reached[k]).map(({ count }) => count);
      const expected = counts.map((_, s) => alone[i].from(...triple(asked[i].sources, s)).count);
      expect(counts).toEqual(expected);
    }
  });

  test("after a program that does not fit, the next does", async () => {
    const graph = readGraph("instances/batik.rdef.ifds.gz");
    const wrong = { ...graph, relations: { ...graph.relations, count: 2 ** 29 - 1 } };
    await expect(pool.analyze(wrong)).rejects.toThrow("Summaries: got");
    await check(graph, {}, 500);
  });

  test("an analysis that exists, and batches that are empty or out of range", async () => {
    const graph = readGraph("instances/fop.rdef.ifds.gz");
    const analysis = analyze(graph);
    const parallel = await pool.load(analysis);
    const { queries } = questions(graph, 200);
    expect(await parallel.reachesAll(queries)).toEqual(analysis.reachesAll(queries));
    expect(await parallel.reachesAll(new Uint32Array(0))).toEqual(new Uint8Array(0));
    expect(await parallel.fromAll(new Uint32Array(0))).toEqual([]);
    const wrong = queries.with(5 * 150 + 1, 1_000_000);
    const message = /Query 150: .*got vertex 1000000, expected 0 to/;
    expect(() => analysis.reachesAll(wrong)).toThrow(message);
    await expect(parallel.reachesAll(wrong)).rejects.toThrow(message);
    await expect(parallel.reachesAll(new Uint32Array(4))).rejects.toThrow("got 4 words");
    await expect(parallel.fromAll(Uint32Array.of(0, 0, 9999))).rejects.toThrow("got fact 9999");
    await expect(parallel.fromAll(new Uint32Array(2))).rejects.toThrow("multiple of 3");
  });
});

test("a worker that cannot go on is an error, at once and from then on", async () => {
  const pool = await createPool({ workers: 2 });
  const graph = readGraph("instances/fop.live.ifds.gz");
  // A kernel that is none: the workers refuse it as this thread does.
  const kernel = readFileSync("package.json");
  await expect(pool.analyze(graph, { kernel })).rejects.toThrow(/WebAssembly kernel: got/);
  const parallel = await pool.analyze(graph);
  const { queries } = questions(graph, 100_000);
  const pending = parallel.reachesAll(queries);
  const closed = pool.close();
  await expect(pending).rejects.toThrow("got a request after close(), expected none");
  await closed;
  await expect(parallel.reachesAll(queries)).rejects.toThrow("after close()");
  await expect(pool.analyze(graph)).rejects.toThrow("after close()");
});

const ENDS = [
  "process.exit(3)",
  /^Worker [12] of 2: got "exit with code 3", expected it to run until the pool is closed\.$/,
] as const;
const THROWS = ["throw new Error('broken')", /^Worker [12] of 2: got "broken", expected/] as const;
const THROWS_NO_ERROR = ["throw null", /^Worker [12] of 2: got "null", expected/] as const;

/** A pool one of whose workers, or each, does `code` in place of what a request of this kind asks for. */
const dyingAt = (kind: string, code: string): Promise<Parallel.Pool> =>
  createPool({
    workers: 2,
    script: workerScript(
      `import { parentPort } from "node:worker_threads";
       const on = parentPort.on.bind(parentPort);
       parentPort.on = (name, listener) => on(name, (request) => {
         if (request.message.kind === "${kind}") { ${code}; }
         listener(request);
       })`,
    ),
  });

describe("a worker that dies is an error for all that is under way and from then on", () => {
  const graph = readGraph("instances/fop.live.ifds.gz");
  const { queries, sources } = questions(graph, 64);

  test.each([
    ["program", ...ENDS],
    ["contract", ...ENDS],
    ["contract", ...THROWS],
    ["contract", ...THROWS_NO_ERROR],
    ["decompose", ...ENDS],
    ["summarize", ...ENDS],
    ["adopt", ...ENDS],
    ["plan", ...THROWS],
    ["label", ...ENDS],
  ])("at %s: %s", async (kind, code, message) => {
    const pool = await dyingAt(kind, code);
    const [first, second] = await Promise.allSettled([pool.analyze(graph), pool.analyze(graph)]);
    for (const outcome of [first, second]) {
      expect(outcome.status).toBe("rejected");
      expect((outcome as PromiseRejectedResult).reason.message).toMatch(message);
    }
    await expect((await pool.load(analyze(graph))).reachesAll(queries)).rejects.toThrow(message);
    await pool.close();
    await expect(pool.analyze(graph)).rejects.toThrow(message);
  });

  test.each([
    ["open", ...ENDS],
    ["reaches", ...ENDS],
    ["reaches", ...THROWS],
    ["from", ...ENDS],
  ])("at %s: %s", async (kind, code, message) => {
    const pool = await dyingAt(kind, code);
    const parallel = await pool.analyze(graph);
    const ask = async () => {
      if (kind !== "from") await parallel.reachesAll(queries);
      await parallel.fromAll(sources);
    };
    await expect(ask()).rejects.toThrow(message);
    await expect(ask()).rejects.toThrow(message);
    // On this thread the analysis answers as before.
    expect(parallel.analysis.reachesAll(queries)).toEqual(analyze(graph).reachesAll(queries));
    await pool.close();
  });
});

const data = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`);

test.each([
  [
    "is missing",
    new URL("../dist/no-such-worker.js", import.meta.url),
    /^Worker script file:.*no-such-worker\.js: got ".*", expected phloem's parallel-worker\.js of this version\.$/,
  ],
  [
    "has a protocol that the host does not load",
    new URL("ftp://localhost/worker.js"),
    /^Worker script ftp:.*: got ".+", expected/,
  ],
  ["does not parse", data("const;"), /^Worker script data:.*: got ".+", expected/],
  ["throws", data("throw new Error('broken')"), /: got "broken", expected/],
  ["ends", data("process.exit(3)"), /: got "exit with code 3", expected/],
  ["has nothing to do", data(""), /: got "exit with code 0", expected/],
  [
    "answers something else",
    data(`import { parentPort } from "node:worker_threads";
    parentPort.postMessage(null); parentPort.on("message", (message) => parentPort.postMessage(message));`),
    /: got "a worker of another version", expected/,
  ],
])("a worker's script that %s is an error at creation", async (_, script, message) => {
  await expect(createPool({ workers: 2, script })).rejects.toThrow(message);
});

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1025, "2", null, {}])(
  "%s workers are refused",
  async (workers) => {
    const wrong = workers as number;
    if (workers === null) {
      // As where it is not given.
      await (await createPool({ workers: wrong })).close();
      return;
    }
    await expect(createPool({ workers: wrong })).rejects.toThrow(
      /^Option workers: got .+, expected a whole number from 1 to 1024\.$/,
    );
  },
);

test("options that are none are refused in one sentence, before the workers are asked", async () => {
  await expect(createPool({ script: "worker.js" as unknown as URL })).rejects.toThrow(
    'Option script: got "worker.js", expected a URL.',
  );
  const pool = await createPool({ workers: 1 });
  const graph = readGraph("instances/fop.rdef.ifds.gz");
  const refused = async (options: Main.AnalyzeOptions, message: string) => {
    await expect(pool.analyze(graph, options as Parallel.ParallelOptions)).rejects.toThrow(RangeError);
    await expect(pool.analyze(graph, options as Parallel.ParallelOptions)).rejects.toThrow(message);
  };
  await refused(
    { labelBudget: Number.NaN },
    "Option labelBudget: got NaN, expected a number that is not negative.",
  );
  await refused({ sweepLimit: -1 }, "Option sweepLimit: got -1, expected a number that is not negative.");
  await refused({ labelBudget: "1" as unknown as number }, 'Option labelBudget: got "1", expected a number');
  await refused({ engine: "fast" as "wasm" }, 'Option engine: got "fast", expected "wasm" or "reference".');
  await refused(
    { memoryLimit: 2 ** 20 },
    "Option memoryLimit: got 1048576, expected none: it is for analyze without a pool.",
  );
  await refused({ onDemand: true }, "Option onDemand: got true, expected none");
  await refused({ signal: new AbortController().signal }, "Option signal: got an object, expected none");
  await expect(pool.load(analyze(graph), { engine: "fast" as "wasm" })).rejects.toThrow(
    'Option engine: got "fast"',
  );
  const analysis = await pool.analyze(graph, {
    labelBudget: Number.POSITIVE_INFINITY,
    sweepLimit: Number.POSITIVE_INFINITY,
  });
  expect(Buffer.from(analysis.analysis.data)).toEqual(Buffer.from(analyze(graph).data));
  await pool.close();
});
