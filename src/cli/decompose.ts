/**
 * `phloem decompose`: the flow graph of one procedure and its tree decomposition in the forms of the PACE challenge, to be
 * compared with other solvers.
 */

import type { Command } from "commander";
import { balancedElimination, decompositionOf, formatGr, formatTd } from "../treedec/index.js";
import { flowGraph } from "./flow-graph.js";
import { Exit, type Host, UsageError } from "./host.js";
import { readInstance } from "./input.js";
import { printJson, printLine, whole } from "./output.js";
import { Progress } from "./progress.js";
import { procedureId } from "./query.js";
import { writeText } from "./written-file.js";

interface Options {
  readonly gr?: string;
  readonly td?: string;
  readonly json?: boolean;
}

export function decomposeCommand(program: Command, host: Host, finish: (exit: Exit) => void): void {
  program
    .command("decompose")
    .summary("tree decomposition of a procedure's flow graph, as PACE files")
    .description(
      "Decomposes the flow graph of one procedure: its edges, call vertices joined with their return sites, the start with the exits.",
    )
    .argument("<instance>", ".ifds file; - for standard input")
    .argument("<procedure>", "id or name")
    .option("--gr <file>", "write the graph; - for standard output")
    .option("--td <file>", "write the decomposition; - for standard output")
    .option("--json", "print one JSON document")
    .addHelpText("after", "\nExample:\n  $ phloem decompose fop.live.ifds.gz 3 --gr p3.gr --td p3.td")
    .action(async (instance: string, procedure: string, options: Options) => {
      await decompose(instance, procedure, options, host);
      finish(Exit.Fine);
    });
}

async function decompose(instance: string, procedure: string, options: Options, host: Host): Promise<void> {
  const toOutput = [options.gr, options.td].filter((path) => path === "-").length;
  if (1 < toOutput || (toOutput === 1 && options.json)) {
    throw new UsageError("got more than one document for standard output, expected one.");
  }
  const progress = new Progress(host);
  const graph = await readInstance(instance, host, progress).finally(() => progress.end());
  const p = procedureId(procedure, graph.names);
  const flow = flowGraph(graph, p, true);
  const tree = balancedElimination(flow);
  if (options.gr !== undefined) await writeText(options.gr, [formatGr(flow)], host);
  if (options.td !== undefined)
    await writeText(options.td, [formatTd(decompositionOf(tree), flow.vertexCount)], host);
  const { width, height } = tree;
  const sizes = { vertices: flow.vertexCount, edges: flow.neighbours.length / 2 };
  if (options.json) printJson(host, { procedure: p, name: graph.names[p], ...sizes, width, height });
  else if (toOutput === 0) {
    printLine(
      host,
      `procedure ${p} (${graph.names[p]}): ${whole(sizes.vertices)} vertices, ${whole(sizes.edges)} edges, width ${width}, height ${height}`,
    );
  }
}
