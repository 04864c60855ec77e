/**
 * `phloem query`: one answer, whether a pair is connected or what a single exploded vertex reaches.
 */

import { type Command, Option } from "commander";
import type { Reached } from "../index.js";
import {
  type AnalyzeFlags,
  analyzeFlags,
  ENGINES,
  type Engine,
  isOwn,
  shapeOf,
  solverOf,
  withAnalyzeOptions,
} from "./engines.js";
import { Exit, type Host, UsageError } from "./host.js";
import { readInput } from "./input.js";
import { coloursFor, printJson, printLine, whole } from "./output.js";
import { Progress } from "./progress.js";

interface Options extends AnalyzeFlags {
  readonly engine: Engine;
  readonly json?: boolean;
}

export function queryCommand(program: Command, host: Host, finish: (exit: Exit) => void): void {
  const command = program
    .command("query")
    .summary("answer one query")
    .description(
      "With V and D2: can fact D2 hold at vertex V when fact D1 holds at vertex U? Without: everything that D1 at U reaches.",
    )
    .argument("<instance>", ".ifds file or index; - for standard input")
    .argument("<procedure>", "id, or a name that only one has; a name of digits alone is taken as an id")
    .argument("<u>", "vertex")
    .argument("<d1>", "fact; 0 is the zero fact")
    .argument("[v]", "vertex of the same procedure")
    .argument("[d2]", "fact")
    .addOption(new Option("--engine <name>", "solver to ask").choices(ENGINES).default("wasm"))
    .option("--json", "print one JSON document");
  withAnalyzeOptions(command)
    .addHelpText(
      "after",
      "\nExamples:\n  $ phloem query fop.live.ifds.gz 3 10 0 4 2\n  $ phloem query fop.live.ifds.gz main 10 0",
    )
    .action(
      async (
        instance: string,
        procedure: string,
        u: string,
        d1: string,
        v?: string,
        d2?: string,
        ...rest
      ) => {
        const texts = [u, d1, ...(v === undefined ? [] : [v]), ...(d2 === undefined ? [] : [d2])];
        if (texts.length === 3) throw new UsageError("got U D1 V, expected U D1 V D2 or U D1.");
        await query(instance, procedure, texts, rest[0] as Options, host);
        finish(Exit.Fine);
      },
    );
}

async function query(
  path: string,
  procedure: string,
  texts: readonly string[],
  options: Options,
  host: Host,
): Promise<void> {
  const progress = new Progress(host);
  try {
    const input = await readInput(path, host, progress);
    const { engine } = options;
    const shape = shapeOf(input, isOwn(engine) ? engine : undefined);
    const p = procedureId(procedure, shape.names);
    const numbers = texts.map((text, i) => {
      const [what, end] = i % 2 === 0 ? ["vertex", shape.vertexCount(p)] : ["fact", shape.factCount(p)];
      if (!/^\d{1,10}$/.test(text) || end <= Number(text)) {
        throw new UsageError(
          `Procedure ${p}: got ${what} ${JSON.stringify(text)}, expected 0 to ${end - 1}.`,
        );
      }
      return Number(text);
    });
    const solver = solverOf(input, engine, analyzeFlags(options), progress);
    const [u, d1, v, d2] = numbers;
    progress.end();
    if (numbers.length === 4) {
      const reaches = solver.reaches(p, u, d1, v, d2);
      if (options.json) printJson(host, { procedure: p, u, d1, v, d2, engine, reaches });
      else {
        const colours = coloursFor(host);
        printLine(host, reaches ? colours.green("yes") : colours.red("no"));
      }
    } else {
      const reached = solver.from(p, u, d1);
      if (options.json) {
        printJson(host, {
          procedure: p,
          u,
          d1,
          engine,
          count: reached.count,
          reached: [...vertices(reached)].map(([vertex, facts]) => ({ vertex, facts })),
        });
      } else printReached(reached, host);
    }
  } finally {
    progress.end();
  }
}

/** Ids that an error lists at most. */
const MOST_IDS = 8;

/** The procedure with this id, or the only one with this name. */
export function procedureId(text: string, names: readonly string[]): number {
  if (/^\d{1,10}$/.test(text)) {
    const p = Number(text);
    if (p < names.length) return p;
    throw new UsageError(`Procedure: got ${p}, expected 0 to ${names.length - 1}.`);
  }
  const p = names.indexOf(text);
  if (0 <= p) {
    const others = names.flatMap((name, q) => (p < q && name === text ? [q] : []));
    if (others.length === 0) return p;
    const some = [p, ...others].slice(0, MOST_IDS).join(", ");
    throw new UsageError(
      `Procedure: got the name ${JSON.stringify(text)} of ${1 + others.length} procedures, expected the id of one of them: ` +
        `${some}${MOST_IDS <= others.length ? ", ..." : ""}.`,
    );
  }
  throw new UsageError(
    `Procedure: got the name ${JSON.stringify(text)}, expected one of the program's ${names.length} procedures.`,
  );
}

function* vertices(reached: Reached): Generator<[vertex: number, facts: number[]]> {
  for (let v = 0; v < reached.vertexCount; v++) {
    const facts = reached.facts(v);
    if (0 < facts.length) yield [v, [...facts]];
  }
}

function printReached(reached: Reached, host: Host): void {
  const colours = coloursFor(host);
  const width = String(reached.vertexCount - 1).length;
  printLine(host, `${whole(reached.count)} exploded vertices; at each vertex the facts:`);
  for (const [v, facts] of vertices(reached)) {
    printLine(host, `${colours.bold(String(v).padStart(width))}: ${ranges(facts)}`);
  }
}

/** Ascending numbers with runs drawn together: 0 3-7 9. */
function ranges(numbers: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < numbers.length; ) {
    let end = i;
    while (numbers[end + 1] === numbers[end] + 1) end++;
    if (end - i < 2) for (let j = i; j <= end; j++) parts.push(String(numbers[j]));
    else parts.push(`${numbers[i]}-${numbers[end]}`);
    i = end + 1;
  }
  return parts.join(" ");
}
