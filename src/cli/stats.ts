/**
 * `phloem stats`: how large a program and its index are, how wide and high the decompositions, and where preprocessing
 * spends its time.
 */

import type { Command } from "commander";
import type { Analysis, ProcedureStatistics } from "../index.js";
import { type AnalyzeFlags, analysisOf, analyzeFlags, withAnalyzeOptions } from "./engines.js";
import { Exit, type Host } from "./host.js";
import { readInput } from "./input.js";
import {
  bytes,
  coloursFor,
  distribution,
  histogram,
  milliseconds,
  printJson,
  printLine,
  section,
  short,
  whole,
} from "./output.js";
import { Progress } from "./progress.js";

interface Options extends AnalyzeFlags {
  readonly json?: boolean;
}

/** Procedures that answer by search which are listed by name. */
const LISTED = 10;

export function statsCommand(program: Command, host: Host, finish: (exit: Exit) => void): void {
  const command = program
    .command("stats")
    .summary("sizes of a program and its index, and time per phase")
    .description(
      "Sizes, width and height of the decompositions, fact domains, bytes of the index, time per phase.",
    )
    .argument("<instance>", ".ifds file or index; - for standard input")
    .option("--json", "print one JSON document");
  withAnalyzeOptions(command)
    .addHelpText("after", "\nExample:\n  $ phloem stats antlr.live.ifds.gz")
    .action(async (instance: string, options: Options) => {
      await stats(instance, options, host);
      finish(Exit.Fine);
    });
}

async function stats(instance: string, options: Options, host: Host): Promise<void> {
  const progress = new Progress(host);
  try {
    const begin = performance.now();
    const input = await readInput(instance, host, progress);
    const read = performance.now() - begin;
    const opening = performance.now();
    const analysis = analysisOf(input, "wasm", analyzeFlags(options), progress);
    progress.end();
    const report = reportOf(input.name, analysis, {
      read,
      open: input.kind === "index" ? performance.now() - opening : 0,
    });
    const { graph } = input.kind === "instance" ? input : { graph: undefined };
    const header = graph === undefined ? {} : Object.fromEntries(graph.header);
    const edges =
      graph === undefined
        ? undefined
        : {
            edges: graph.edgeSource.length,
            bypasses: graph.bypassCall.length,
            relations: graph.relations.count,
          };
    if (options.json) printJson(host, { ...report, kind: input.kind, header, ...edges });
    else printReport(report, input.kind, edges, host);
  } finally {
    progress.end();
  }
}

type Report = ReturnType<typeof reportOf>;

function reportOf(name: string, analysis: Analysis, around: { read: number; open: number }) {
  const { procedure, milliseconds, ...sizes } = analysis.statistics;
  const procedures = Array.from({ length: analysis.procedureCount }, (_, p) => procedure(p));
  const spread = (of: (p: ProcedureStatistics) => number) => {
    const values = procedures.map(of).sort((a, b) => a - b);
    return {
      least: values[0] ?? 0,
      median: values[values.length >>> 1] ?? 0,
      most: values[values.length - 1] ?? 0,
      distribution: distribution(values),
    };
  };
  return {
    instance: name,
    ...sizes,
    bytesPerExplodedVertex: sizes.bytes.index / sizes.explodedVertices,
    perProcedure: {
      vertices: spread(({ vertices }) => vertices),
      facts: spread(({ facts }) => facts),
      groups: spread(({ groups }) => groups),
      width: spread(({ width }) => width),
      height: spread(({ height }) => height),
    },
    answeringBySearch: procedures.flatMap(({ answersBy, name, vertices, facts }, id) =>
      answersBy === "search" ? [{ id, name, vertices, facts }] : [],
    ),
    milliseconds: { ...around, ...milliseconds },
  };
}

function printReport(
  report: Report,
  kind: "instance" | "index",
  edges: { edges: number; bypasses: number; relations: number } | undefined,
  host: Host,
): void {
  const colours = coloursFor(host);
  const { perProcedure: per, bytes: size, milliseconds: ms } = report;
  const spread = ({ least, median, most }: Report["perProcedure"]["facts"]) =>
    `${whole(least)} to ${whole(most)}, median ${whole(median)}`;
  const blocks = [
    section(
      report.instance,
      [
        ["procedures", whole(report.procedures)],
        ["vertices", `${whole(report.vertices)}; per procedure ${spread(per.vertices)}`],
        ["facts", `per procedure ${spread(per.facts)}, zero fact included`],
        ["groups of facts", `per procedure ${spread(per.groups)}`],
        ["exploded vertices", whole(report.explodedVertices)],
        ...(edges === undefined
          ? []
          : ([
              ["edges", `${whole(edges.edges)}, and ${whole(edges.bypasses)} around calls`],
              ["relations", whole(edges.relations)],
            ] as const)),
        ["calls", whole(report.calls)],
        ["components", `${whole(report.components)} of the call graph`],
        ["nodes, chains", `${whole(report.nodes)}, ${whole(report.chains)}`],
      ],
      colours,
    ),
    histogram("facts: procedures with so many", per.facts.distribution, colours),
    histogram("width of the tree decomposition", per.width.distribution, colours),
    histogram("height of the elimination tree", per.height.distribution, colours),
    section(
      "index",
      [
        ["total", bytes(size.index)],
        ["labels", bytes(size.labels)],
        ["relations", bytes(size.relations)],
        ["per exploded vertex", `${short(report.bytesPerExplodedVertex)} B`],
        [
          "answering by search",
          `${whole(report.searchProcedures)} of ${whole(report.procedures)} procedures`,
        ],
        ...report.answeringBySearch
          .slice(0, LISTED)
          .map(
            ({ id, name, vertices, facts }) =>
              [`  procedure ${id}`, `${name}: ${whole(vertices)} vertices, ${whole(facts)} facts`] as const,
          ),
      ],
      colours,
    ),
    section(
      "time",
      kind === "index"
        ? [
            ["read", milliseconds(ms.read)],
            ["open", milliseconds(ms.open)],
          ]
        : (["read", "contract", "decompose", "assemble", "summaries", "labels"] as const)
            .map((phase): [string, string] => [phase, milliseconds(ms[phase])])
            .concat([["preprocessing", `${milliseconds(ms.total)}, all but reading`]]),
      colours,
    ),
  ];
  printLine(host, blocks.join("\n\n"));
}
