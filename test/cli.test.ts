/**
 * The command as a user meets it: what it prints, its exit codes, and one sentence for whatever is wrong. It runs in this
 * process, with streams of the tests' own, so that no build is needed. Nothing here asserts a time.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { Progress } from "../src/cli/progress.js";
import { run } from "../src/cli/run.js";
import { clientNames, clients } from "../src/clients/index.js";
import { analyze, parseIfds } from "../src/index.js";
import { load as loadModules } from "../src/javascript/front-end.js";
import { nodeHost } from "../src/javascript/modules/host/node.js";
import { checkDecomposition, parseGr, parseTd } from "../src/treedec/index.js";
import { checkSolver } from "./support/check.js";
import { Sink, temporaryFolder } from "./support/command.js";

const fixtures = join(import.meta.dirname, "fixtures");
const instance = (name: string) => join(fixtures, "instances", `${name}.ifds.gz`);
const queries = (name: string) => join(fixtures, "instances", `${name}.q.gz`);
const rhs95 = join(fixtures, "cases", "rhs95.ifds");

const folder = temporaryFolder();

/** A new file with this content. */
function file(name: string, content: string | Uint8Array): string {
  const path = join(folder(), name);
  writeFileSync(path, content);
  return path;
}

interface Settings {
  readonly stdin?: readonly (string | Uint8Array)[];
  readonly terminal?: boolean;
}

async function phloem(argv: readonly string[], { stdin = [], terminal = false }: Settings = {}) {
  const stdout = new Sink(terminal);
  const stderr = new Sink(terminal);
  async function* input() {
    yield* stdin;
  }
  const exit = await run(argv, { stdin: input(), stdout, stderr, cwd: folder });
  return { exit, out: stdout.text, error: stderr.text, bytes: stdout.bytes };
}

/** Runs a command that must succeed and returns the document it prints. */
async function json(...argv: string[]) {
  const { exit, out, error } = await phloem([...argv, "--json"]);
  expect({ exit, error }).toEqual({ exit: 0, error: "" });
  return JSON.parse(out);
}

/** The one sentence of a command that must fail. */
async function sentence(argv: readonly string[], settings?: Settings): Promise<string> {
  const { exit, out, error } = await phloem(argv, settings);
  expect({ exit, out }).toEqual({ exit: 2, out: "" });
  expect(error).toMatch(/^phloem: [^\n]+\.\n$/);
  expect(error).not.toMatch(/\bat \S+ \(|\.ts:\d+:\d+/);
  return error.slice("phloem: ".length, -1);
}

const commands = ["verify", "query", "stats", "index", "bench", "decompose", "export"];

describe("help", () => {
  test.each(commands)("%s has help with an example", async (command) => {
    const { exit, out, error } = await phloem([command, "--help"]);
    expect({ exit, error }).toEqual({ exit: 0, error: "" });
    expect(out).toContain(`Usage: phloem ${command}`);
    expect(out).toContain(`$ phloem ${command}`);
    expect(out).toContain("--json");
  });

  test("the command itself names its subcommands and its version", async () => {
    const { exit, out } = await phloem(["--help"]);
    expect(exit).toBe(0);
    for (const command of commands) expect(out).toContain(`  ${command}`);
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8"));
    expect((await phloem(["--version"])).out).toBe(`${version}\n`);
  });

  test("without a command, help goes to standard error", async () => {
    const { exit, out, error } = await phloem([]);
    expect({ exit, out }).toEqual({ exit: 2, out: "" });
    expect(error).toContain("Usage: phloem");
  });
});

describe("verify", () => {
  test.each(["trove.live", "batik.puninit", "fop.rdef", "chart.reachx"])("agrees on %s", async (name) => {
    const { exit, out, error } = await phloem([
      "verify",
      instance(name),
      queries(name),
      "--engine",
      "wasm,search",
    ]);
    expect({ exit, error }).toEqual({ exit: 0, error: "" });
    expect(out).toMatch(/answers that agree\s+wasm\s+search\n/);
    expect(out).toMatch(/p {2}pair, uniform\s+2,000\/2,000\s+2,000\/2,000\n/);
    expect(out).toMatch(/y {2}all summaries\s+1\/1\s+1\/1\n/);
  });

  test("every engine, with the option repeated", async () => {
    const report = await json(
      ...["verify", instance("trove.suninit"), queries("trove.suninit")],
      ...["--engine", "wasm,reference,nopp,cpp", "--engine", "od", "--engine", "search"],
    );
    expect(report.agrees).toBe(true);
    expect(Object.keys(report.engines)).toEqual(["wasm", "reference", "nopp", "cpp", "od", "search"]);
    for (const { kinds } of Object.values<{ kinds: Record<string, unknown> }>(report.engines)) {
      expect(kinds.p).toMatchObject({ lines: 2000, answered: 2000, agreed: 2000, differences: [] });
      expect(kinds.x).toMatchObject({ lines: 2, answered: 2, agreed: 2 });
    }
  });

  test("the engine that labels on demand", async () => {
    const report = await json("verify", instance("batik.rdef"), queries("batik.rdef"), "--on-demand");
    expect(report).toMatchObject({ agrees: true, engines: { wasm: { kinds: { b: { agreed: 2000 } } } } });
  });

  test("shows differences by line, and exits 1", async () => {
    const lines = gunzipSync(readFileSync(queries("trove.live")))
      .toString()
      .split("\n");
    const pair = lines.findIndex((line) => /^p .* 0 0$/.test(line));
    lines[pair] = lines[pair].replace(/0 0$/, "1 1");
    const source = lines.findIndex((line) => line.startsWith("s "));
    lines[source] = lines[source].replace(/[0-9a-f]$/, (digit) => (digit === "0" ? "1" : "0"));
    const argv = ["verify", instance("trove.live"), file("wrong.q", lines.join("\n"))];
    const { exit, out } = await phloem(argv);
    expect(exit).toBe(1);
    expect(out).toContain("1,999/2,000");
    expect(out).toContain(`wasm: line ${pair + 1}: ${lines[pair]}: reaches got 0, expected 1`);
    expect(out).toContain(`wasm: line ${pair + 1}: ${lines[pair]}: reachesAll got 0, expected 1`);
    expect(out).toContain(`wasm: line ${source + 1}: `);
    expect(out).toContain("2 lines differ.");

    const document = await phloem([...argv, "--json"]);
    expect(document.exit).toBe(1);
    const report = JSON.parse(document.out);
    expect(report.agrees).toBe(false);
    expect(report.engines.wasm.kinds.p.differences[0]).toEqual({
      line: pair + 1,
      query: lines[pair],
      by: "reaches",
      got: "0",
      expected: "1",
    });
  });

  test("says how far a kind came within its time", async () => {
    const { exit, out } = await phloem([
      "verify",
      instance("fop.live"),
      queries("fop.live"),
      "--engine",
      "nopp,wasm",
      "--limit",
      "0.0000001",
    ]);
    expect(exit).toBe(0);
    expect(out).toContain("1/1 of 2,000");
    expect(out).toContain("nopp skips everything: preprocessing takes more than 1e-7 s.");
    expect(out).toContain("wasm skips 1,999 of 2,000 lines p: more than 1e-7 s.");
    expect(out).toContain("wasm skips all lines y: more than 1e-7 s.");
  });

  test("an engine that would take too much memory skips everything", async () => {
    const argv = ["verify", instance("fop.live"), queries("fop.live"), "--memory-limit", "1M"];
    const { exit, out } = await phloem([...argv, "--engine", "wasm,cpp"]);
    expect(exit).toBe(0);
    expect(out).toContain("cpp skips everything: too large");
    const alone = await phloem([...argv, "--engine", "cpp"]);
    expect(alone.exit).toBe(2);
    expect(alone.error).toContain("got no line answered");
    expect(await sentence([...argv.slice(0, 3), "--memory-limit", "10K"])).toMatch(
      /^Index: got [\d,]+ bytes or more, expected them to fit the memory limit of 10,240 bytes\.$/,
    );
  });

  test("reads a file without gzip, and standard input with", async () => {
    const plain = file("trove.ifds", gunzipSync(readFileSync(instance("trove.reach"))));
    expect((await phloem(["verify", plain, queries("trove.reach")])).exit).toBe(0);
    const zipped = readFileSync(instance("trove.reach"));
    const stdin = [zipped.subarray(0, 1), zipped.subarray(1, 50), zipped.subarray(50)];
    expect((await phloem(["verify", "-", queries("trove.reach")], { stdin })).exit).toBe(0);
  });
});

describe("query", () => {
  // rhs95: every answer is in the file beside it.
  const { pairs } = JSON.parse(readFileSync(rhs95.replace(/ifds$/, "json"), "utf8")) as {
    pairs?: [number, number, number, number, number, number][];
  };

  test("answers the pairs of a case", async () => {
    for (const [p, u, d1, v, d2, expected] of (pairs ?? []).slice(0, 10)) {
      const report = await json("query", rhs95, ...[p, u, d1, v, d2].map(String));
      expect(report).toEqual({ procedure: p, u, d1, v, d2, engine: "wasm", reaches: expected === 1 });
    }
  });

  test("a pair is answered by yes or no, the empty path by yes", async () => {
    expect((await phloem(["query", rhs95, "0", "0", "0", "0", "0"])).out).toBe("yes\n");
    expect((await phloem(["query", rhs95, "0", "0", "0", "0", "1"])).out).toBe("no\n");
  });

  test("a single source is the same by id and by name, and from any engine", async () => {
    const [, id, name] = /^P (\d+) .* (\S+)$/m.exec(readFileSync(rhs95, "utf8"))!;
    const expected = await json("query", rhs95, id, "0", "0");
    expect(expected).toMatchObject({ procedure: Number(id), u: 0, d1: 0, engine: "wasm" });
    expect(expected.count).toBe(
      expected.reached.reduce((sum: number, { facts }: { facts: number[] }) => sum + facts.length, 0),
    );
    expect(await json("query", rhs95, name, "0", "0")).toEqual(expected);
    for (const engine of ["nopp", "cpp", "od", "search"]) {
      const report = await json("query", rhs95, name, "0", "0", "--engine", engine);
      expect(report).toEqual({ ...expected, engine });
    }
    const { out } = await phloem(["query", rhs95, name, "0", "0"]);
    expect(out).toContain(`${expected.count} exploded vertices`);
  });

  test("a name that several procedures have is refused, with their ids", async () => {
    const text = [
      "IFDS 1",
      "R 0 I",
      "M 2",
      ..."012".split("").map((p) => `P ${p} 1 1 0 0 ${p === "1" ? "main" : "twin"}`),
      "Z",
    ];
    const path = file("twins.ifds", `${text.join("\n")}\n`);
    expect(await sentence(["query", path, "twin", "0", "0"])).toContain(
      'Procedure: got the name "twin" of 2 procedures, expected the id of one of them: 0, 2.',
    );
    expect((await json("query", path, "main", "0", "0")).procedure).toBe(1);
    expect((await json("query", path, "2", "0", "0")).procedure).toBe(2);
  });

  test.each([
    [["no-such-name", "0", "0"], 'got the name "no-such-name", expected one of the program\'s'],
    [["99", "0", "0"], "Procedure: got 99, expected 0 to "],
    [["0", "9999", "0"], 'got vertex "9999", expected 0 to '],
    [["0", "0", "9999"], 'got fact "9999", expected 0 to '],
    [["0", "0", "x"], 'got fact "x", expected 0 to '],
    [["0", "0", "0", "0", "9999"], 'got fact "9999", expected 0 to '],
    [["0", "0", "0", "0"], "got U D1 V, expected U D1 V D2 or U D1."],
  ])("%j is out of range", async (ids, expected) => {
    expect(await sentence(["query", rhs95, ...ids])).toContain(expected);
  });
});

describe("stats", () => {
  test("prints sizes, distributions, bytes and phases", async () => {
    const { exit, out } = await phloem(["stats", instance("trove.live")]);
    expect(exit).toBe(0);
    for (const part of [
      "exploded vertices",
      "width of the tree",
      "height of the elim",
      "per exploded vertex",
    ]) {
      expect(out).toContain(part);
    }
    expect(out).toMatch(/answering by search\s+0 of \d+ procedures/);
    expect(out).toMatch(/contract\s+[\d.]+ m?s\n\s+decompose/);
  });

  test("as a document, with distributions that count every procedure", async () => {
    const report = await json("stats", instance("batik.live"));
    expect(report).toMatchObject({
      kind: "instance",
      procedures: 209,
      engine: "wasm",
      answeringBySearch: [],
    });
    expect(report.header.program).toBe("batik");
    for (const name of ["vertices", "facts", "groups", "width", "height"]) {
      const { distribution } = report.perProcedure[name];
      expect(distribution.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(209);
    }
    expect(report.bytes.index).toBeGreaterThan(report.bytes.labels + report.bytes.relations);
    expect(Object.keys(report.milliseconds)).toEqual([
      ...["read", "open", "contract", "decompose", "assemble", "summaries", "labels", "total"],
    ]);
  });
});

describe("index", () => {
  let path = "";
  beforeAll(async () => {
    path = join(folder(), "batik.phlm");
    const report = await json("index", instance("batik.puninit"), "-o", path);
    expect(report).toMatchObject({ index: path, bytes: readFileSync(path).length });
  });

  test("takes the instance's place", async () => {
    const verified = await phloem(["verify", path, queries("batik.puninit")]);
    expect(verified.exit).toBe(0);
    expect(verified.out).toContain("2,000/2,000");

    const of = (report: { bytes: unknown; explodedVertices: number }) => [
      report.bytes,
      report.explodedVertices,
    ];
    const fromIndex = await json("stats", path);
    expect(fromIndex.kind).toBe("index");
    expect(of(fromIndex)).toEqual(of(await json("stats", instance("batik.puninit"))));

    const ask = async (input: string) => json("query", input, "5", "0", "0");
    expect(await ask(path)).toEqual(await ask(instance("batik.puninit")));
  });

  test("may be compressed, or come from standard input", async () => {
    const zipped = file("batik.phlm.gz", gzipSync(readFileSync(path)));
    expect((await json("stats", zipped)).procedures).toBe(209);
    const piped = await phloem(["index", instance("batik.puninit"), "-o", "-"]);
    expect(piped.bytes.equals(readFileSync(path))).toBe(true);
    const { exit } = await phloem(["stats", "-"], { stdin: [piped.bytes] });
    expect(exit).toBe(0);
  });

  test("does not replace the instance it is made from", async () => {
    const original = readFileSync(instance("batik.puninit"));
    const copy = file("batik.ifds.gz", original);
    expect(await sentence(["index", copy, "-o", copy])).toMatch(/got the instance as output/);
    expect(readFileSync(copy).equals(original)).toBe(true);
  });

  test("is refused by what needs the program", async () => {
    const wrong = /batik\.phlm: got an index, expected an instance/;
    expect(await sentence(["verify", path, queries("batik.puninit"), "--engine", "search"])).toMatch(wrong);
    expect(await sentence(["query", path, "0", "0", "0", "--engine", "cpp"])).toMatch(wrong);
    expect(await sentence(["bench", path])).toMatch(wrong);
    expect(await sentence(["decompose", path, "0"])).toMatch(wrong);
    expect(await sentence(["index", path, "-o", join(folder(), "again")])).toMatch(wrong);
  });

  test("is refused when it is damaged, cut, or of another version", async () => {
    const sound = readFileSync(path);
    const changed = (at: number, bit: number) => {
      const bytes = Buffer.from(sound);
      bytes[at] ^= bit;
      return bytes;
    };
    const flipped = file("flipped.phlm", changed(sound.length >>> 1, 4));
    const cut = file("cut.phlm", sound.subarray(0, sound.length - 8));
    const tiny = file("tiny.phlm", sound.subarray(0, 6));
    const version = file("version.phlm", changed(4, 0x40));
    expect(await sentence(["stats", flipped])).toMatch(/flipped\.phlm: checksum: got 0x\w+, expected 0x\w+/);
    expect(await sentence(["stats", cut])).toMatch(/cut\.phlm: length: got \d+ bytes, expected \d+/);
    expect(await sentence(["query", tiny, "0", "0", "0"])).toMatch(/tiny\.phlm: length: got 6 bytes/);
    expect(await sentence(["verify", version, queries("batik.puninit")])).toMatch(
      /version\.phlm: offset 4: got format version \d+, expected version \d+/,
    );
  });

  test("goes to a place that can be written", async () => {
    expect(await sentence(["index", rhs95, "-o", folder()])).toContain("got a directory, expected a file");
    expect(await sentence(["index", rhs95, "-o", join(folder(), "none", "x")])).toContain("got no such");
    expect(await sentence(["index", rhs95, "-o", "-", "--json"])).toContain("one document");
    expect(await sentence(["index", rhs95])).toContain("required option");
  });
});

describe("bench", () => {
  test("measures engines side by side on the same queries", async () => {
    const engines = ["wasm", "nopp", "cpp", "od", "search"];
    const report = await json(
      ...["bench", instance("trove.live"), "--engines", engines.join(","), "--runs", "1"],
      ...["--queries", "500", "--seed", "7"],
    );
    expect(report).toMatchObject({ queries: 500, seed: 7, runs: 1, disagreements: [] });
    expect(report.machine.node).toBe(process.version);
    expect(Object.keys(report.engines)).toEqual(engines);
    for (const engine of engines) {
      const one = report.engines[engine];
      expect(one.outcome).toBe("finished");
      expect([one.pair.answered, one.batch.answered, one.source.answered]).toEqual([500, 500, 500]);
    }
    expect(Object.keys(report.engines.wasm.phaseMilliseconds)).toEqual([
      ...["contract", "decompose", "assemble", "summaries", "labels"],
    ]);
    expect(report.engines.search.phaseMilliseconds).toBeNull();
  });

  test("asks the queries of a file, and holds the answers against it", async () => {
    const arguments_ = ["--engines", "wasm,search", "--runs", "1"];
    const report = await json("bench", instance("batik.puninit"), queries("batik.puninit"), ...arguments_);
    expect(report.disagreements).toEqual([]);
    expect(report.file).toContain("batik.puninit.q.gz");
    expect(report.seed).toBeUndefined();
    for (const engine of ["wasm", "search"]) {
      for (const sort of ["pair", "batch", "source"]) {
        expect(report.engines[engine][sort].answered).toBe(report.queries[sort]);
        expect(report.queries[sort]).toBeGreaterThan(10);
      }
    }
    // One wrong answer, and no queries of the other sorts.
    const wrong = file("wrong.q", "QUERIES 1\np 0 0 0 0 0 0 1\nZ\n");
    const { exit, out } = await phloem(["bench", rhs95, wrong, ...arguments_]);
    expect(exit).toBe(1);
    expect(out).toContain("mean over 1 pairs of ");
    expect(out).toMatch(/wasm disagrees with .*wrong\.q: pair query 0\./);
    expect(out).toMatch(/search disagrees with .*wrong\.q: pair query 0\./);
    expect(await sentence(["bench", rhs95, wrong, "--seed", "2"])).toContain(
      "got a query file and --seed, expected one of them.",
    );
    expect(await sentence(["bench", "-", "-"])).toContain("got - for both files");
    expect(await sentence(["bench", rhs95, file("none.q", "QUERIES 2\n")])).toContain("none.q");
  });

  test("prints a table with ratios to the first engine, and what ran where", async () => {
    const { exit, out, error } = await phloem([
      ...["bench", rhs95, "--engines", "search,wasm", "--runs", "1", "--queries", "100"],
    ]);
    expect({ exit, error }).toEqual({ exit: 0, error: "" });
    expect(out).toMatch(/ search\s+wasm\n/);
    expect(out).toMatch(/pair, batch, ns\s+\S+\s+\S+ \(\S+x\)\n/);
    expect(out).toContain(`Node ${process.version}`);
  });

  test("shows engines that do not finish", async () => {
    const timeout = await phloem([
      "bench",
      instance("fop.live"),
      "--engines",
      "cpp,wasm",
      "--time-limit",
      "0.000001",
    ]);
    expect(timeout.exit).toBe(0);
    expect(timeout.out).toMatch(/preprocessing\s+timeout\s+timeout\n/);
    const large = await json("bench", instance("fop.live"), "--engines", "cpp", "--memory-limit", "1M");
    expect(large.engines.cpp).toMatchObject({ outcome: "too large", pair: null });
  });
});

describe("decompose", () => {
  test("writes a graph and a decomposition of it", async () => {
    const [gr, td] = [join(folder(), "p.gr"), join(folder(), "p.td")];
    const report = await json("decompose", instance("trove.live"), "3", "--gr", gr, "--td", td);
    const graph = parseGr(readFileSync(gr, "utf8"));
    const { decomposition, vertexCount } = parseTd(readFileSync(td, "utf8"));
    expect(report).toMatchObject({ procedure: 3, vertices: vertexCount, edges: graph.neighbours.length / 2 });
    expect(checkDecomposition(graph, decomposition)).toBeUndefined();
  });

  test("prints one of them, or the sizes", async () => {
    const { out } = await phloem(["decompose", rhs95, "0", "--td", "-"]);
    expect(out).toMatch(/^s td \d+ \d+ \d+\nb 1 /);
    expect((await phloem(["decompose", rhs95, "0"])).out).toMatch(
      /^procedure 0 \(.*\): .*, width \d+, height \d+\n$/,
    );
    expect(await sentence(["decompose", rhs95, "0", "--td", "-", "--gr", "-"])).toContain("expected one");
    expect(await sentence(["decompose", rhs95, "7777"])).toContain("got 7777");
  });
});

describe("export", () => {
  beforeAll(() => {
    file(
      "area.js",
      "let unit = 1;\nexport function area(r) {\n  const square = r * r;\n  return unit * square;\n}\n",
    );
    file("entry.js", 'import { area } from "./area.js";\nlet total = 0;\ntotal += area(2);\narea(total);\n');
    file("torn.js", "let = ;\n");
  });

  test.each(clientNames)(
    "%s: what is read back is the client's graph, and answers are the same",
    async (name) => {
      const { whole } = await loadModules(["entry.js"], nodeHost(folder()), { flows: true });
      const { graph } = clients[name](whole!.program);
      const path = join(folder(), `${name}.ifds.gz`);
      const report = await json("export", "entry.js", "--client", name, "-o", path);
      const bytes = readFileSync(path);
      expect(report).toMatchObject({ client: name, procedures: graph.procedureCount, bytes: bytes.length });
      const again = parseIfds(gunzipSync(bytes));
      expect(again).toEqual(graph);
      expect(again.names).toContain("area");
      checkSolver(graph, analyze(again), analyze(graph));
      const plain = await phloem(["export", "entry.js", "--client", name, "-o", "-"]);
      expect(plain.bytes.equals(gunzipSync(bytes))).toBe(true);
    },
  );

  test("the flow graph of a procedure", async () => {
    const reachable = join(folder(), "entry.ifds");
    await json("export", "entry.js", "--client", "reachability", "-o", reachable);
    const { out } = await phloem(["export", "entry.js", "--procedure", "area", "--gr", "-"]);
    expect(out).toBe((await phloem(["decompose", reachable, "area", "--gr", "-"])).out);
    expect(parseGr(out).vertexCount).toBeGreaterThan(3);
  });

  test("refuses what is no program, or no way to write one", async () => {
    const liveness = ["--client", "liveness", "-o", "-"];
    expect(await sentence(["export", "torn.js", ...liveness])).toMatch(/^torn\.js:1: /);
    expect(await sentence(["export", "none.js", ...liveness])).toMatch(/^none\.js: got no such file/);
    expect(await sentence(["export", "entry.js"])).toContain("expected -o FILE or --gr FILE");
    expect(await sentence(["export", "entry.js", "-o", "-"])).toContain("--client: got none");
    expect(await sentence(["export", "entry.js", "--client", "lines", "-o", "-"])).toContain("reachability");
    expect(await sentence(["export", "entry.js", "--gr", "-"])).toContain("expected both");
    expect(await sentence(["export", "entry.js", ...liveness, "--json"])).toContain("one document");
    expect(await sentence(["export", "entry.js", "--procedure", "volume", "--gr", "-"])).toContain(
      'got the name "volume"',
    );
    expect(await sentence(["export", "entry.js", "app.jar", ...liveness])).toContain("expected one language");
    expect(await sentence(["export", "none.jar", ...liveness])).toMatch(/^none\.jar: got no such file/);
    expect(await sentence(["export", "entry.js", "--package", "org.*", ...liveness])).toContain(
      "got modules",
    );
    expect(await sentence(["export", "entry.js", "--client", "liveness", "-o", folder()])).toContain(
      "got a directory",
    );
  });
});

describe("bad input", () => {
  const valid = "IFDS 1\nR 0 I\nR 1 X 0>0,1\nM 0\nP 0 2 2 0 1 main\ne 0 1 1\nZ\n";

  test("what is no file", async () => {
    expect(await sentence(["stats", join(folder(), "missing.ifds")])).toMatch(
      /missing\.ifds: got no such file/,
    );
    expect(await sentence(["stats", folder()])).toMatch(/: got a directory, expected a file\.$/);
    expect(await sentence(["stats", file("empty.ifds", "")])).toMatch(/empty\.ifds:1: got an empty input/);
    expect(await sentence(["stats", "-"])).toMatch(/^standard input:1: got an empty input/);
  });

  test("gzip that is cut or damaged", async () => {
    const sound = readFileSync(instance("fop.live"));
    const cut = file("cut.ifds.gz", sound.subarray(0, sound.length - 100));
    const damaged = Buffer.from(sound);
    damaged.fill(0xff, 20_000, 20_040);
    expect(await sentence(["stats", cut])).toMatch(/cut\.ifds\.gz: got gzip data that end too early/);
    expect(await sentence(["stats", file("bad.ifds.gz", damaged)])).toMatch(/bad\.ifds\.gz(:\d+)?: got /);
    expect(await sentence(["stats", file("head.ifds.gz", sound.subarray(0, 3))])).toMatch(
      /head\.ifds\.gz: got /,
    );
  });

  test.each([
    [
      "binary junk",
      Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) >>> 3),
      /:1: got .*, expected (?:IFDS|text)/,
    ],
    ["no Z", valid.replace("Z\n", ""), /: got .*, expected .*Z/],
    ["a vertex out of range", valid.replace("e 0 1 1", "e 0 2 1"), /:6: got vertex 2, expected at most 1/],
    ["a fact out of range", valid.replace("0>0,1", "0>0,5"), /:\d: got .*5.*, expected /],
    ["an unknown relation", valid.replace("e 0 1 1", "e 0 1 9"), /:6: got relation 9, expected /],
  ])("an instance with %s", async (name, content, expected) => {
    const path = file(`${name.replaceAll(" ", "-")}.ifds`, content);
    for (const argv of [
      ["stats", path],
      ["bench", path],
      ["index", path, "-o", join(folder(), "never")],
    ]) {
      expect(await sentence(argv)).toMatch(expected);
    }
  });

  test.each([
    ["", ": got an empty input, expected QUERIES 1."],
    ["QUERIES 2\nZ\n", ':1: got "QUERIES 2", expected QUERIES 1.'],
    ["QUERIES 1\np 0 0 0 1 0 1 1\n", ":2: got the end of the input, expected a last line Z: it is cut."],
    ["QUERIES 1\np 0 0 0 1 0 1\nZ\n", ":2: got 6 fields after p, expected 7: p PID U D1 V D2 A B."],
    ["QUERIES 1\np 1 0 0 1 0 1 1\nZ\n", ":2: got procedure 1, expected at most 0."],
    ["QUERIES 1\np 0 2 0 1 0 1 1\nZ\n", ":2: got vertex 2 in procedure 0, expected at most 1."],
    ["QUERIES 1\nb 0 0 2 1 0 1 1\nZ\n", ":2: got fact 2 in procedure 0, expected at most 1."],
    ["QUERIES 1\np 0 0 -1 1 0 1 1\nZ\n", ':2: got fact "-1", expected a non-negative decimal integer.'],
    ["QUERIES 1\np 0 0 0 1 0 2 1\nZ\n", ":2: got answer A 2, expected at most 1."],
    ["QUERIES 1\np 0 0 0 1 0 1 0\nZ\n", ":2: got answers 1 0, expected B to be 1 where A is."],
    ["QUERIES 1\ns 0 0 0 1 12\nZ\n", ':2: got hash "12", expected 16 hexadecimal digits.'],
    ["QUERIES 1\nx 0 1 1 0000000000000000\nZ\n", ':2: got facts "1", expected 0 or D.'],
    [
      "QUERIES 1\n\nZ\n",
      ":2: got an empty field or line, expected a line p, b, i, s, x, y, Z or a comment #.",
    ],
    ["QUERIES 1\nZ\nZ\n", ':3: got "Z" after Z, expected the end of the file.'],
    [
      `QUERIES 1\n${"9".repeat(200_000)}`,
      ":2: got a line of more than 4096 characters, expected a query file.",
    ],
  ])("queries %j", async (content, expected) => {
    const path = file("bad.q", content);
    expect(await sentence(["verify", file("valid.ifds", valid), path])).toBe(path + expected);
  });

  test("a query file without lines, with comments and DOS line ends, is fine", async () => {
    const path = file("comments.q", "QUERIES 1\r\n# nothing\r\np 0 0 0 1 1 1 1\r\nZ\r\n");
    expect((await phloem(["verify", file("valid.ifds", valid), path])).exit).toBe(0);
    expect((await phloem(["verify", file("valid.ifds", valid), file("none.q", "QUERIES 1\nZ\n")])).exit).toBe(
      0,
    );
  });

  test.each([
    [["frobnicate"], "unknown command 'frobnicate'"],
    [["stats"], "missing required argument 'instance'"],
    [["stats", rhs95, "--frob"], "unknown option '--frob'"],
    [["stats", rhs95, "more"], "too many arguments"],
    [["stats", rhs95, "--memory-limit", "much"], "Expected bytes"],
    [["verify", "-", "-"], "expected standard input to be one of them"],
    [["verify", rhs95, rhs95, "--engine", "magic"], "Allowed are wasm, reference, nopp, cpp, od, search"],
    [["verify", rhs95, rhs95, "--limit", "-3"], "Expected a positive number"],
    [["bench", rhs95, "--runs", "1.5"], "Expected a positive whole number"],
    [["query", rhs95, "0", "0", "0", "--engine", "magic"], "Allowed choices are"],
  ])("usage %j", async (argv, expected) => {
    expect(await sentence(argv)).toContain(expected);
  });
});

describe("terminal", () => {
  const colour = "\u001b[";

  test("colours and a progress bar on a terminal only", async () => {
    const argv = ["stats", instance("trove.live")];
    const environment = process.env.NO_COLOR;
    delete process.env.NO_COLOR;
    try {
      expect((await phloem(argv, { terminal: true })).out).toContain(colour);
      process.env.NO_COLOR = "1";
      expect((await phloem(argv, { terminal: true })).out).not.toContain(colour);
    } finally {
      if (environment === undefined) delete process.env.NO_COLOR;
      else process.env.NO_COLOR = environment;
    }
    const piped = await phloem(argv);
    expect(piped.out).not.toContain(colour);
    expect(piped.error).toBe("");
  });

  test("a document is plain on a terminal, too", async () => {
    const { out } = await phloem(["stats", rhs95, "--json"], { terminal: true });
    expect(JSON.parse(out)).toMatchObject({ kind: "instance" });
  });

  test.each([
    ["a terminal", true, /labels +\[=* *\] +25 %/],
    ["anything else", false, /^$/],
  ])("the bar of work that has lasted its moment, on %s", (_, terminal, shown) => {
    const stdout = new Sink(terminal);
    const stderr = new Sink(terminal);
    const progress = new Progress({ stdin: (async function* () {})(), stdout, stderr, cwd: folder }, 0);
    progress.show("labels", 1, 4);
    progress.end();
    expect(stderr.text).toMatch(shown);
    expect(stdout.text).toBe("");
  });
});
