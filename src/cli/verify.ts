/**
 * `phloem verify`: answers every line of a `.q` file with each engine asked for and compares with the answers in the file.
 * Lines of one kind share a time budget; a kind that runs out of it says how far it came.
 */

import { type Command, Option } from "commander";
import { MemoryLimitError, TimeLimitError } from "../baselines/index.js";
import { OutOfMemoryError, type Reached, type Seed, type Solver } from "../index.js";
import { AnswerHash } from "../results/answer-hash.js";
import {
  type AnalyzeFlags,
  analyzeFlags,
  type Engine,
  engineList,
  isOwn,
  positive,
  type Shape,
  shapeOf,
  solverOf,
  withAnalyzeOptions,
} from "./engines.js";
import { Exit, type Host, UsageError } from "./host.js";
import { nameOf, readBytes, readInput } from "./input.js";
import { type Colours, coloursFor, milliseconds, printJson, printLine, table, whole } from "./output.js";
import { Progress } from "./progress.js";
import {
  type Digest,
  type ExhaustiveLine,
  KINDS,
  type Kind,
  type PairLine,
  readQueryFile,
} from "./query-file.js";

interface Options extends AnalyzeFlags {
  readonly engine?: readonly Engine[];
  readonly limit: number;
  readonly json?: boolean;
}

interface Difference {
  readonly line: number;
  readonly query: string;
  readonly by: string;
  readonly got: string;
  readonly expected: string;
}

interface KindReport {
  readonly lines: number;
  answered: number;
  agreed: number;
  /** Why not all lines were answered. */
  skipped?: string;
  milliseconds: number;
  readonly differences: Difference[];
}

interface EngineReport {
  prepareMilliseconds: number;
  /** Why the engine answered nothing at all. */
  skipped?: string;
  kinds: Partial<Record<Kind, KindReport>>;
}

/** Differences kept per kind; all are counted. */
const SHOWN = 5;
/** Pair queries given to the kernel in one call. */
const BATCH = 256;

/** Ends a kind before its lines are all answered. */
class Skip extends Error {}

export function verifyCommand(program: Command, host: Host, finish: (exit: Exit) => void): void {
  const command = program
    .command("verify")
    .summary("answer the queries of a file and compare with its answers")
    .description(
      "Answers every line of a .q file and compares with the answers in it. Exits 1 at any difference.",
    )
    .argument("<instance>", ".ifds file or index; - for standard input")
    .argument("<queries>", ".q file")
    .addOption(
      new Option(
        "--engine <names>",
        "wasm, reference, nopp, cpp, od, search; several with commas (default: wasm)",
      ).argParser(engineList),
    )
    .addOption(
      new Option("--limit <seconds>", "time per engine and kind of line").argParser(positive).default(60),
    )
    .option("--json", "print one JSON document");
  withAnalyzeOptions(command)
    .addHelpText("after", "\nExample:\n  $ phloem verify fop.live.ifds.gz fop.live.q.gz --engine wasm,search")
    .action(async (instance: string, queries: string, options: Options) => {
      finish(await verify(instance, queries, options, host));
    });
}

async function verify(instance: string, queries: string, options: Options, host: Host): Promise<Exit> {
  if (instance === "-" && queries === "-") {
    throw new UsageError("got - for both files, expected standard input to be one of them.");
  }
  const progress = new Progress(host);
  try {
    const engines = options.engine ?? ["wasm"];
    const input = await readInput(instance, host, progress);
    const shape = shapeOf(input, engines.find(isOwn));
    const file = await readQueryFile(readBytes(queries, host), nameOf(queries), shape);
    const reports = new Map<Engine, EngineReport>();
    for (const engine of engines) {
      const report: EngineReport = { prepareMilliseconds: 0, kinds: {} };
      reports.set(engine, report);
      const begin = performance.now();
      try {
        const { limit } = options;
        // The engine itself is what is asked about: it may take its time.
        const timeLimit = isOwn(engine) ? {} : { timeLimit: limit };
        const solver = solverOf(
          input,
          engine,
          {
            ...timeLimit,
            ...analyzeFlags(options),
          },
          progress,
        );
        report.prepareMilliseconds = performance.now() - begin;
        const checker = new Checker(engine, solver, shape, limit, progress);
        for (const kind of KINDS) {
          if (0 < file[kind].length) report.kinds[kind] = checker.check(kind, file);
        }
      } catch (error) {
        if (error instanceof TimeLimitError) {
          report.skipped = `preprocessing takes more than ${options.limit} s`;
        } else if (
          error instanceof MemoryLimitError ||
          (error instanceof OutOfMemoryError && 1 < engines.length)
        ) {
          report.skipped = `too large: ${error.message.replace(/\.$/, "")}`;
        } else throw error;
      }
    }
    progress.end();
    return print(nameOf(instance), nameOf(queries), reports, options, host);
  } finally {
    progress.end();
  }
}

/** Answers lines with one solver. */
class Checker {
  readonly #engine: Engine;
  readonly #solver: Solver;
  readonly #shape: Shape;
  readonly #limit: number;
  readonly #progress: Progress;
  #report: KindReport = { lines: 0, answered: 0, agreed: 0, milliseconds: 0, differences: [] };
  #begin = 0;

  constructor(engine: Engine, solver: Solver, shape: Shape, limit: number, progress: Progress) {
    this.#engine = engine;
    this.#solver = solver;
    this.#shape = shape;
    this.#limit = limit;
    this.#progress = progress;
  }

  check(kind: Kind, file: Awaited<ReturnType<typeof readQueryFile>>): KindReport {
    const lines = file[kind].length;
    this.#report = { lines, answered: 0, agreed: 0, milliseconds: 0, differences: [] };
    this.#begin = performance.now();
    try {
      if (kind === "p" || kind === "b" || kind === "i") this.#pairs(file[kind]);
      else if (kind === "s") {
        for (const line of file.s) {
          this.#digest(line, "from", this.#source(this.#solver.from(line.p, line.u, line.d1)));
        }
      } else if (kind === "x") {
        for (const line of file.x) this.#digest(line, "entering", this.#exhaustive(line));
      } else for (const line of file.y) this.#digest(line, "summary", this.#summaries());
    } catch (error) {
      if (!(error instanceof Skip)) throw error;
      this.#report.skipped = error.message;
    }
    this.#report.milliseconds = performance.now() - this.#begin;
    return this.#report;
  }

  /** Ends the kind where its time is over. */
  #watch(): void {
    if (1000 * this.#limit < performance.now() - this.#begin) throw new Skip(`more than ${this.#limit} s`);
  }

  #counted(agrees: boolean): void {
    this.#report.answered++;
    if (agrees) this.#report.agreed++;
    const { answered, lines } = this.#report;
    if (answered % 16 === 0) this.#progress.show(`${this.#engine} queries`, answered, lines);
    if (answered < lines) this.#watch();
  }

  #differs(line: { line: number; text: string }, by: string, got: string, expected: string): void {
    if (this.#report.differences.length < SHOWN) {
      this.#report.differences.push({ line: line.line, query: line.text, by, got, expected });
    }
  }

  #pairs(lines: readonly PairLine[]): void {
    for (let first = 0; first < lines.length; first += BATCH) {
      const some = lines.slice(first, first + BATCH);
      const batch = isOwn(this.#engine)
        ? this.#solver.reachesAll(Uint32Array.from(some.flatMap(({ p, u, d1, v, d2 }) => [p, u, d1, v, d2])))
        : undefined;
      some.forEach((line, i) => {
        const { p, u, d1, v, d2, reaches, meets } = line;
        const answers: [by: string, got: number, expected: number][] = [
          ["reaches", Number(this.#solver.reaches(p, u, d1, v, d2)), reaches],
          ["meet", Number(this.#solver.meet(p, u, [d1], v).includes(d2)), meets],
        ];
        if (batch !== undefined) answers.push(["reachesAll", batch[i], reaches]);
        let agrees = true;
        for (const [by, got, expected] of answers) {
          if (got === expected) continue;
          agrees = false;
          this.#differs(line, by, String(got), String(expected));
        }
        this.#counted(agrees);
      });
    }
  }

  #digest(line: Digest & { line: number; text: string }, by: string, got: Digest): void {
    const agrees = got.count === line.count && got.hash === line.hash;
    if (!agrees) this.#differs(line, by, `${got.count} ${got.hash}`, `${line.count} ${line.hash}`);
    this.#counted(agrees);
  }

  #source(reached: Reached): Digest {
    const hash = new AnswerHash();
    const { factCount } = reached;
    eachReached(reached, (v, d) => {
      const key = v * factCount + d;
      hash.add(Math.floor(key / 2 ** 32), key);
    });
    return { count: reached.count, hash: hash.toString() };
  }

  #exhaustive({ p, allFacts }: ExhaustiveLine): Digest {
    const start = this.#shape.startVertex(p);
    const facts = allFacts ? this.#shape.factCount(p) : 1;
    const seeds = Array.from({ length: facts }, (_, d): Seed => [p, start, d]);
    const entering = this.#solver.entering(seeds);
    const hash = new AnswerHash();
    let count = 0;
    for (let q = 0; q < this.#shape.procedureCount; q++) {
      const reached = entering.procedure(q);
      count += reached.count;
      eachReached(reached, (v, d) => hash.add(q * 2 ** 8 + (v >>> 16), (v << 16) | d));
    }
    return { count, hash: hash.toString() };
  }

  #summaries(): Digest {
    const hash = new AnswerHash();
    let count = 0;
    for (let p = 0; p < this.#shape.procedureCount; p++) {
      this.#watch();
      this.#progress.show(`${this.#engine} summaries`, p, this.#shape.procedureCount);
      for (const [d1, d2] of this.#solver.summary(p)) {
        count++;
        hash.add(p * 2 ** 8 + (d1 >>> 12), (d1 << 20) | d2);
      }
    }
    return { count, hash: hash.toString() };
  }
}

/** Calls `visit` for every exploded vertex of the set, without making an array per vertex. */
function eachReached({ vertexCount, stride, words }: Reached, visit: (v: number, d: number) => void): void {
  for (let v = 0; v < vertexCount; v++) {
    for (let i = 0; i < stride; i++) {
      for (let word = words[v * stride + i]; word !== 0; word &= word - 1) {
        visit(v, (i << 5) + 31 - Math.clz32(word & -word));
      }
    }
  }
}

function print(
  instance: string,
  queries: string,
  reports: ReadonlyMap<Engine, EngineReport>,
  options: Options,
  host: Host,
): Exit {
  const all = [...reports.values()].flatMap(({ kinds }) => Object.values(kinds));
  const agrees = all.every(({ answered, agreed }) => answered === agreed);
  const skipped = [...reports.values()].some(({ skipped }) => skipped !== undefined);
  const nothing = (skipped || 0 < all.length) && all.every(({ answered }) => answered === 0);
  if (options.json) {
    printJson(host, { instance, queries, agrees: agrees && !nothing, engines: Object.fromEntries(reports) });
  } else {
    printTable(reports, coloursFor(host), host);
  }
  if (nothing) throw new UsageError(`${queries}: got no line answered by any engine, expected at least one.`);
  return agrees ? Exit.Fine : Exit.Differences;
}

function printTable(reports: ReadonlyMap<Engine, EngineReport>, colours: Colours, host: Host): void {
  const titles: Record<Kind, string> = {
    p: "p  pair, uniform",
    b: "b  pair, biased",
    i: "i  pair, through calls",
    s: "s  single source",
    x: "x  from the start",
    y: "y  all summaries",
  };
  const engines = [...reports];
  const cell = (report: EngineReport, kind: Kind): string => {
    const found = report.kinds[kind];
    if (found === undefined) return report.skipped === undefined ? "" : colours.yellow("skipped");
    const { agreed, answered, lines, skipped } = found;
    if (answered === 0) return colours.yellow("skipped");
    const text = `${whole(agreed)}/${whole(answered)}`;
    const shown = agreed === answered ? colours.green(text) : colours.red(text);
    return skipped === undefined ? shown : `${shown} ${colours.yellow(`of ${whole(lines)}`)}`;
  };
  const kinds = KINDS.filter((kind) => engines.some(([, { kinds }]) => kinds[kind] !== undefined));
  const rows = kinds.map((kind) => [titles[kind], ...engines.map(([, report]) => cell(report, kind))]);
  const time = (of: (report: EngineReport) => number) =>
    engines.map(([, report]) => (report.skipped === undefined ? milliseconds(of(report)) : "-"));
  rows.push(["preprocessing", ...time(({ prepareMilliseconds }) => prepareMilliseconds)]);
  const answering = ({ kinds }: EngineReport) =>
    Object.values(kinds).reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  rows.push(["answering", ...time(answering)]);
  printLine(host, table(["answers that agree", ...engines.map(([engine]) => engine)], rows, colours));

  let differing = 0;
  for (const [engine, report] of engines) {
    if (report.skipped !== undefined) printLine(host, `${engine} skips everything: ${report.skipped}.`);
    for (const [kind, { skipped, answered, lines, agreed, differences }] of Object.entries(report.kinds)) {
      if (skipped !== undefined) {
        const much = answered === 0 ? "all" : `${whole(lines - answered)} of ${whole(lines)}`;
        printLine(host, `${engine} skips ${much} lines ${kind}: ${skipped}.`);
      }
      differing += answered - agreed;
      for (const { line, query, by, got, expected } of differences) {
        printLine(
          host,
          colours.red(`${engine}: line ${line}: ${query}: ${by} got ${got}, expected ${expected}`),
        );
      }
    }
  }
  if (0 < differing) printLine(host, colours.red(`${whole(differing)} lines differ.`));
}
