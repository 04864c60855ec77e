/** The pieces of `npm run experiment`: what it computes from measurements, what it keeps, and what it refuses. */

import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { agreementOf } from "../bench/experiment/agreement.js";
import { algorithms } from "../bench/experiment/algorithms.js";
import { filled, regionsOf } from "../bench/experiment/document.js";
import {
  breakEven,
  geometricMean,
  type Measured,
  setSummary,
  speedUps,
  summaryOf,
} from "../bench/experiment/figures.js";
import { runJob } from "../bench/experiment/jobs.js";
import { hashOf, type Measurement, measure, packed, queriesOf } from "../bench/experiment/measure.js";
import { obtain } from "../bench/experiment/obtain.js";
import { planOf } from "../bench/experiment/plan.js";
import {
  mainPrograms,
  npmPrograms,
  type Program,
  quickPrograms,
  wholePrograms,
} from "../bench/experiment/programs.js";
import {
  type InstanceRecord,
  openRecords,
  type RunHeader,
  readRecords,
} from "../bench/experiment/records.js";
import { reportOf } from "../bench/experiment/report.js";
import { settings } from "../bench/experiment/settings.js";
import { sizeOf, sizesOf, widthOf } from "../bench/experiment/sizes.js";
import { parseIfds } from "../src/exploded/parse-ifds.js";
import { Reached } from "../src/results/reached.js";
import { readGraph } from "./support/fixtures.js";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "phloem-experiment-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const wanted = { ...settings(true), pairQueries: 300, sourceQueries: 20, repeatFor: 0 };
const NO_SCRIPT = new URL("file:///none.mjs");

describe("sizes", () => {
  // Exploded vertices and edges as the tool that made these instances counted them, widths likewise.
  test.each([
    ["trove.reach", 2099, 1852, 2],
    ["trove.rdef", 4429, 3919, 2],
    ["batik.puninit", 41181, 43231, 4],
    ["batik.reachx", 3670, 4197, 4],
    ["fop.live", 46049, 51310, 6],
    ["chart.rdef", 181170, 204758, 8],
  ])("%s", (name, explodedVertices, explodedEdges, width) => {
    const sizes = sizesOf(readGraph(`instances/${name}.ifds.gz`));
    expect(sizes).toMatchObject({ explodedVertices, explodedEdges });
    expect(sizeOf(sizes)).toBe(explodedVertices + explodedEdges);
    expect(widthOf(sizes)).toBe(width);
    expect(sizes.widths.reduce((sum, count) => sum + count)).toBe(sizes.procedures);
  });

  test("procedures by width", () => {
    // A single vertex, an edge, a cycle of three.
    const text = `IFDS 1
R 0 I
M 0
P 0 1 1 0 0 a
P 1 2 1 0 1 b
e 0 1 0
P 2 3 1 0 2 c
e 0 1 0
e 1 2 0
e 2 0 0
Z
`;
    expect(sizesOf(parseIfds(text)).widths).toEqual([1, 1, 1]);
  });
});

describe("measurements", () => {
  const graph = readGraph("instances/batik.puninit.ifds.gz");
  const oneByOne = algorithms.filter((name) => !name.startsWith("par"));

  test("every algorithm answers the same queries, in the same way", async () => {
    const measured = new Map<string, Measurement>();
    for (const name of oneByOne) measured.set(name, await measure(name, graph, wanted, NO_SCRIPT));
    for (const { stopped, pair, source, preprocessing, answers } of measured.values()) {
      expect(stopped).toBeUndefined();
      expect([pair?.answered, source?.answered]).toEqual([300, 20]);
      expect(answers).toEqual(measured.get("nopp")!.answers);
      expect(preprocessing).toBeGreaterThan(0);
    }
    // Neither yes nor no to everything.
    expect(new Set(Buffer.from(measured.get("seq")!.answers!.pairs, "base64")).size).toBeGreaterThan(1);
    expect(new Set(measured.get("seq")!.answers!.sources).size).toBeGreaterThan(1);
  });

  test("limits of time and memory", async () => {
    const late = await measure("cpp", graph, { ...wanted, preprocessingLimit: 0 }, NO_SCRIPT);
    expect(late).toEqual({ stopped: "timeout", peak: late.peak });
    const large = await measure("cpp", graph, { ...wanted, memoryLimit: 1 << 20 }, NO_SCRIPT);
    expect(large).toEqual({ stopped: "too large", peak: large.peak });
    const slow = await measure("nopp", graph, { ...wanted, queryLimit: 0 }, NO_SCRIPT);
    expect(slow.pair?.answered).toBe(1);
    expect(slow.answers?.sources.length).toBe(1);
  });

  test("queries are the same in every run", () => {
    expect(queriesOf(graph, wanted)).toEqual(queriesOf(graph, wanted));
    expect(queriesOf(graph, { ...wanted, seed: 1 })).not.toEqual(queriesOf(graph, wanted));
  });

  test("answers in few bytes", () => {
    expect(packed(Uint8Array.of(1, 0, 1, 0, 0, 0, 0, 0, 1))).toBe(Buffer.of(5, 1).toString("base64"));
    const [a, b, c] = [[1, 2], [2, 1], [3]].map((words) =>
      hashOf(new Reached(words.length, 2, Uint32Array.from(words))),
    );
    expect(new Set([a, b, c]).size).toBe(3);
    expect(a).toMatch(/^2 [0-9a-f]{16}$/);
  });
});

describe("agreement", () => {
  const named = (name: string, bits: number[], sources: string[]) => ({
    name,
    pairs: bits.length,
    answers: { pairs: packed(Uint8Array.from(bits)), sources },
  });

  test("as far as both answered", () => {
    expect(agreementOf([])).toEqual({ pairs: 0, sources: 0, disagreements: [] });
    const all = [
      named("SEQ", [1, 0, 1], ["4 a", "5 b"]),
      named("NOPP", [1, 0], ["4 a"]),
      named("OD", [1, 0, 1], []),
    ];
    expect(agreementOf(all)).toEqual({ pairs: 5, sources: 1, disagreements: [] });
  });

  test("the first query that differs", () => {
    const bits = Array.from({ length: 20 }, () => 0);
    const all = [
      named("SEQ", bits, ["4 a", "5 b"]),
      named("CPP", bits.with(9, 1).with(12, 1), ["4 a", "5 c"]),
    ];
    expect(agreementOf(all).disagreements).toEqual([
      "pair query 9: got yes from CPP, no from SEQ, expected one answer.",
      "single-source query 1: got 5 exploded vertices (c) from CPP, 5 exploded vertices (b) from SEQ, expected the same ones.",
    ]);
  });
});

const header: RunHeader = {
  settings: wanted,
  fingerprint: "f0",
  environment: {
    processor: "processor",
    cores: 2,
    memory: 2 ** 34,
    system: "system",
    node: "v20",
    date: "2026-12-01",
    commit: "c0ffee",
  },
};

const sizes = {
  procedures: 3,
  vertices: 40,
  calls: 5,
  facts: 4,
  explodedVertices: 100,
  explodedEdges: 150,
  widths: [0, 2, 1],
  height: 4,
};

/** Milliseconds of preprocessing, microseconds a query. */
const figures = (preprocessing: number, pair: number, source: number) => ({
  preprocessing,
  bytes: 1000,
  pair: { answered: 300, microseconds: pair },
  source: { answered: 20, microseconds: source },
  peak: 1e6,
});

const record = (program: string, rest: Partial<InstanceRecord> = {}): Measured => ({
  set: "main",
  program,
  analysis: "liveness",
  content: "00",
  sizes,
  algorithms: { seq: figures(10, 1, 2), nopp: figures(1, 100, 50), cpp: { stopped: "too large" } },
  agreement: { pairs: 300, sources: 20, disagreements: [] },
  ...rest,
});

describe("records", () => {
  test("an interrupted run goes on after its last whole line", () => {
    const file = join(folder, "records.jsonl");
    const run = openRecords(file, header);
    run.add(record("a"));
    run.add(record("b", { skipped: "Got no network, expected one.", again: true }));
    run.add(record("c", { skipped: "Got too many facts, expected fewer." }));
    const text = readFileSync(file, "utf8");
    writeFileSync(file, `${text}${JSON.stringify(record("d")).slice(0, 50)}`);
    const again = openRecords(file, { ...header, environment: { ...header.environment, commit: "later" } });
    expect(["a", "b", "c", "d"].map((name) => again.has("main", name, "liveness"))).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(again.has("whole", "a", "liveness")).toBe(false);
    expect(again.header.environment.commit).toBe("c0ffee");
    again.add(record("d"));
    expect(readRecords(file)!.list.map(({ program }) => program)).toEqual(["a", "c", "d"]);
    expect(readRecords(file)!.list[0]).toEqual(record("a"));
  });

  test.each([
    ["settings", { ...header, settings: { ...wanted, seed: 7 } }, false],
    ["sources", { ...header, fingerprint: "f1" }, false],
    ["the wish to begin anew", header, true],
  ])("other %s begin anew", (name, changed, anew) => {
    const file = join(folder, `${name}.jsonl`);
    openRecords(file, header).add(record("a"));
    expect(openRecords(file, changed, anew).list).toEqual([]);
    expect(readRecords(file)).toEqual({ header: changed, list: [] });
  });

  test("no file, and none of ours", () => {
    expect(readRecords(join(folder, "none"))).toBeUndefined();
    writeFileSync(join(folder, "other"), "{}\n[");
    expect(readRecords(join(folder, "other"))).toBeUndefined();
  });
});

describe("figures", () => {
  test("geometric means", () => {
    expect(geometricMean([1, 100])).toBeCloseTo(10);
  });

  test.each([
    ["ahead from the start", figures(1, 1, 1), figures(2, 2, 2), 0],
    ["after (10 - 1) ms / 99 µs queries", figures(10, 1, 1), figures(1, 100, 1), 91],
    ["never", figures(10, 5, 1), figures(1, 5, 1), Infinity],
    ["less preprocessing, slower queries", figures(1, 5, 1), figures(10, 4, 1), 0],
    ["one was stopped", figures(1, 1, 1), { ...figures(2, 2, 2), stopped: "timeout" as const }, undefined],
    ["one was not run", figures(1, 1, 1), undefined, undefined],
  ])("break-even: %s", (_, ahead, rival, expected) => {
    expect(breakEven(ahead, rival, "pair")).toBe(expected);
  });

  test("an algorithm over instances, beside SEQ", () => {
    const all = [
      record("a"),
      record("b", { algorithms: { seq: figures(10, 1, 2), nopp: figures(10, 1, 2) } }),
    ];
    const nopp = summaryOf(all, "nopp");
    expect(nopp).toMatchObject({ finished: 2, timeouts: 0, tooLarge: 0, pair: { median: 50.5, most: 100 } });
    expect(nopp.ofSeq.pair).toBeCloseTo(0.1);
    expect(nopp.bytes).toEqual({ median: 10, most: 10 });
    expect(summaryOf(all, "cpp")).toMatchObject({ finished: 0, tooLarge: 1, pair: undefined });
    expect(summaryOf(all, "od")).toMatchObject({ finished: 0, tooLarge: 0 });
    expect(setSummary(all)).toMatchObject({ instances: 2, size: [250, 250, 250], compared: [600, 40, 0] });
  });

  test("two workers", () => {
    const par1 = { ...figures(20, 4, 8), large: { answered: 9, microseconds: 6 } };
    const par2 = { ...figures(10, 2, 8), large: { answered: 9, microseconds: 3 } };
    const mean = speedUps([record("a", { algorithms: { par1, par2 } }), record("b")], "par1");
    expect(Object.values(mean).map((x) => x?.toFixed(3))).toEqual(["2.000", "2.000", "1.000", "2.000"]);
    expect(speedUps([record("b")], "par1").large).toBeUndefined();
  });
});

describe("report", () => {
  const list = [
    record("a"),
    record("b", {
      agreement: { pairs: 3, sources: 1, disagreements: ["pair query 2: got yes, expected no."] },
    }),
    { set: "npm" as const, program: "c", analysis: "liveness", skipped: "npm's c: got no network." },
  ];

  test("every instance has its lines, and pictures have a dot for each algorithm", () => {
    const { markdown, pictures } = reportOf(header, list);
    expect(markdown.match(/^\| a\.liveness \|/gm)?.length).toBe(3);
    expect(markdown).toContain("| a.liveness | 10 | – | – | too large |");
    expect(markdown).toContain("**b.liveness: pair query 2: got yes, expected no.**");
    expect(markdown).toContain("**1 algorithms disagree**");
    expect(markdown).toContain("- c.liveness: npm's c: got no network.");
    expect(Object.keys(pictures)).toEqual([
      "main-preprocessing.svg",
      "main-pair.svg",
      "main-source.svg",
      "main-parallel.svg",
    ]);
    // Two instances and, but for PAR, one legend each: SEQ, and CPP at the edge.
    expect(pictures["main-preprocessing.svg"].match(/fill="white" stroke/g)?.length).toBe(2);
  });

  test("a document's regions are filled, and the text around them stays", () => {
    const text =
      "before\n<!-- figures: main -->\nold\n<!-- end -->\nafter <!-- figures: npm -->\n<!-- end -->\n";
    const regions = regionsOf(header, list);
    const once = filled(text, regions);
    expect(once).toMatch(
      /^before\n<!-- figures: main -->\n\n2 instances of 250 to 250[\s\S]*<!-- end -->\nafter /,
    );
    expect(once).not.toContain("old");
    expect(once).toContain("Not measured in this run.");
    expect(filled(once, regions)).toBe(once);
    expect(() => filled("<!-- figures: mian -->\n<!-- end -->", regions)).toThrow(
      /^Region: got mian, expected one of machine, /,
    );
  });

  test("docs/experiment.md has the regions that there are", () => {
    const text = readFileSync("docs/experiment.md", "utf8");
    expect(() => filled(text, regionsOf(header, list))).not.toThrow();
    for (const region of Object.keys(regionsOf(header, list)))
      expect(text).toContain(`<!-- figures: ${region} -->\n`);
  });
});

describe("programs", () => {
  const program = {
    name: "a",
    jar: "a-*.jar",
    packages: [],
    debian: "liba-java",
    maven: "g:a:1",
    npm: ["a", "1.0.0"],
  } as const;

  /** Runs with no command to be found, and a Maven repository at an address. */
  async function elsewhere<T>(repository: string, work: () => Promise<T>): Promise<T> {
    vi.stubEnv("PATH", folder);
    vi.stubEnv("PHLOEM_MAVEN_REPOSITORY", repository);
    return work().finally(() => vi.unstubAllEnvs());
  }

  /** A Maven repository of these files. */
  async function withRepository<T>(
    files: Readonly<Record<string, string>>,
    work: (at: string) => Promise<T>,
  ) {
    const server = createServer(({ url = "" }, response) => {
      response.statusCode = url in files ? 200 : 404;
      response.end(files[url]);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return work(`http://127.0.0.1:${port}/maven2/`).finally(() => server.close());
  }

  test("what cannot be had is said, way by way", async () => {
    expect(await elsewhere("http://127.0.0.1:9", () => obtain(program, join(folder, "cache")))).toEqual([
      "Debian's liba-java: got no such command, expected to fetch it.",
      expect.stringMatching(
        /^Maven's g:a: got no answer from http:\/\/127\.0\.0\.1:9\/g\/a\/1\/a-1\.jar \([^)]+\), expected to fetch it\.$/,
      ),
      "npm's a: got no such command, expected to fetch it.",
    ]);
  });

  const jar = "/maven2/org/a/b/1.2/b-1.2.jar";
  const maven: Program = { name: "b", jar: "b-*.jar", packages: [], maven: "org.a:b:1.2" };
  const sha1 = (text: string) => createHash("sha1").update(text).digest("hex");

  test.each([
    ["a digest alone", sha1("a jar")],
    ["in capitals, and the name of the file", `${sha1("a jar").toUpperCase()}  b-1.2.jar\n`],
  ])("by Maven's coordinates, checksum: %s", async (name, digest) => {
    const cache = join(folder, `maven ${name}`);
    const files = { [jar]: "a jar", [`${jar}.sha1`]: digest };
    const got = await withRepository(files, (at) => elsewhere(at, () => obtain(maven, cache)));
    expect(got).toEqual({ jar: join(cache, "maven/b/b-1.2.jar"), origin: "Maven's org.a:b 1.2" });
    expect(readFileSync(join(cache, "maven/b/b-1.2.jar"), "utf8")).toBe("a jar");
  });

  test.each([
    [
      "other bytes",
      { [jar]: "another jar", [`${jar}.sha1`]: sha1("a jar") },
      /: got SHA-1 [0-9a-f]{40} of .*b-1\.2\.jar and not [0-9a-f]{40}, expected/,
    ],
    ["no checksum", { [jar]: "a jar" }, /: got status 404 for .*b-1\.2\.jar\.sha1, expected to fetch it\.$/],
    ["nothing there", {}, /^Maven's org\.a:b: got status 404 for .*b-1\.2\.jar, expected to fetch it\.$/],
  ])("by Maven's coordinates, refused: %s", async (_, files, message) => {
    const cache = join(folder, "refused");
    const got = await withRepository(files, (at) => elsewhere(at, () => obtain(maven, cache)));
    expect(got).toEqual([expect.stringMatching(message)]);
    expect(existsSync(join(cache, "maven/b"))).toBe(false);
  });

  test("what is there is not fetched again", async () => {
    const cache = join(folder, "filled");
    const jars = join(cache, "debian/liba-java/usr/share/java");
    mkdirSync(jars, { recursive: true });
    writeFileSync(join(cache, "debian/liba-java/liba-java_1%3a2.0-1_all.deb"), "");
    writeFileSync(join(jars, "a-2.0.jar"), "");
    symlinkSync("a-2.0.jar", join(jars, "a-1.jar"));
    expect(await obtain(program, cache)).toEqual({
      jar: join(jars, "a-2.0.jar"),
      origin: "Debian's liba-java 1:2.0-1",
    });
    expect(await obtain(quickPrograms[0], cache)).toMatchObject({ jar: quickPrograms[0].path });
  });
});

describe("processes", () => {
  const job = { kind: "describe", file: "none" } as const;
  const script = (name: string, code: string) => {
    const file = join(folder, `${name}.mjs`);
    writeFileSync(file, code);
    return file;
  };

  test("give what they print, or why there is nothing", async () => {
    const echo = script("echo", "process.stdout.write(process.argv[2]);");
    expect(await runJob(echo, job)).toEqual(job);
    const sleep = script("sleep", "setTimeout(() => {}, 1e6);");
    expect(await runJob(sleep, job, 300)).toBe("timeout");
    const heap = script(
      "heap",
      "console.error('FATAL ERROR: JavaScript heap out of memory'); process.abort();",
    );
    expect(await runJob(heap, job)).toBe("too large");
    const killed = script("killed", "process.kill(process.pid, 'SIGKILL');");
    expect(await runJob(killed, job)).toBe("too large");
  });

  test("a fault of ours is one", async () => {
    const fault = script("fault", "throw new Error('no such field');");
    await expect(runJob(fault, job)).rejects.toThrow(/^describe: no such field$/);
  });
});

describe("plan", () => {
  const everything = {
    sets: ["main", "whole", "npm", "files"],
    programs: [],
    analyses: [],
    paths: ["test/fixtures/instances/antlr.live.ifds.gz"],
  } as const;

  test("the paper's 110 instances, each jar once as a whole", () => {
    const main = planOf({ ...everything, sets: ["main"] });
    expect(main.length).toBe(22);
    expect(main.reduce((sum, { analyses }) => sum + analyses.length, 0)).toBe(110);
    const all = [...mainPrograms, ...wholePrograms, ...npmPrograms];
    for (const { debian, maven, npm } of all) expect([debian, maven, npm].some(Boolean)).toBe(true);
    expect(new Set(wholePrograms.map(({ jar }) => jar)).size).toBe(wholePrograms.length);
    expect(wholePrograms.every(({ packages }) => packages.length === 0)).toBe(true);
    for (const programs of [mainPrograms, wholePrograms, npmPrograms])
      expect(new Set(programs.map(({ name }) => name)).size).toBe(programs.length);
  });

  test("a quick run: six instances of what is here", () => {
    const quick = planOf({ ...everything, sets: ["quick"] });
    expect(quick.reduce((sum, { analyses }) => sum + analyses.length, 0)).toBe(6);
    for (const { path } of quickPrograms) expect(existsSync(path!)).toBe(true);
  });

  test("files by program and analysis", () => {
    const files = planOf({ ...everything, sets: ["files"], paths: ["test/fixtures/instances"] });
    expect(files.find(({ program }) => program === "batik")).toEqual({
      set: "files",
      program: "batik",
      analyses: ["live", "puninit", "rdef", "reach", "reachx", "suninit"],
      source: expect.objectContaining({ rdef: join("test/fixtures/instances", "batik.rdef.ifds.gz") }),
    });
    const case_ = planOf({ ...everything, sets: ["files"], paths: ["test/fixtures/cases/rhs95.ifds"] });
    expect(case_.map(({ program, analyses }) => [program, analyses])).toEqual([["rhs95", ["problem"]]]);
  });

  test("a part", () => {
    const part = planOf({ ...everything, programs: ["antlr"], analyses: ["liveness"] });
    expect(part.map(({ set, analyses }) => [set, analyses])).toEqual([
      ["main", ["liveness"]],
      ["whole", ["liveness"]],
    ]);
    expect(() => planOf({ ...everything, programs: ["anltr"] })).toThrow(
      /^Program: got anltr, expected one of trove, /,
    );
    expect(() => planOf({ ...everything, paths: ["none.ifds"] })).toThrow(/^none\.ifds: got no such file, /);
    expect(() => planOf({ ...everything, analyses: ["lines"] })).toThrow(
      /^Analysis: got lines, expected one of /,
    );
  });
});
