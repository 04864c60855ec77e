/**
 * `phloem export`: a client's exploded supergraph of a program as an `.ifds` file, so that other solvers can be run on the
 * same instance; and the flow graph of one procedure for solvers of treewidth.
 */

import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { type ClientName, clientNames, clients } from "../clients/by-name.js";
import { formatIfds } from "../exploded/format-ifds.js";
import type { ExplodedSupergraph } from "../index.js";
import { formatGr } from "../treedec/index.js";
import { flowGraph } from "./flow-graph.js";
import { Exit, type Host, UsageError } from "./host.js";
import { packageOption } from "./is-java.js";
import { bytes, printJson, printLine, whole } from "./output.js";
import { readProgram } from "./program-input.js";
import { Progress } from "./progress.js";
import { procedureId } from "./query.js";
import { writeText } from "./written-file.js";

interface Options {
  readonly client?: ClientName;
  readonly output?: string;
  readonly package: readonly string[];
  readonly procedure?: string;
  readonly gr?: string;
  readonly json?: boolean;
}

export function exportCommand(program: Command, host: Host, finish: (exit: Exit) => void): void {
  program
    .command("export")
    .summary("write a client's problem of a program as an .ifds file")
    .description(
      "Writes the exploded supergraph that a client makes of a program, as .ifds text with the procedures' names; or the flow " +
        "graph of one procedure, as a PACE file.",
    )
    .argument("<program...>", "modules, folders with a package or globs; or Java archives and class files")
    .addOption(new Option("--client <name>", "which problem").choices(clientNames))
    .option("-o, --output <file>", "where the .ifds text goes, gzip if it ends in .gz; - for standard output")
    .addOption(packageOption())
    .option("--procedure <procedure>", "id or name, for --gr")
    .option("--gr <file>", "write the procedure's flow graph; - for standard output")
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      `
Examples:
  $ phloem export src/main.ts --client liveness -o main.live.ifds.gz && phloem stats main.live.ifds.gz
  $ phloem export app.jar --package org.foo.** --client reaching-definitions -o app.rdef.ifds.gz
  $ phloem export src/main.ts --procedure main --gr -`,
    )
    .action(async (entries: string[], options: Options) => {
      await exportProgram(entries, options, host);
      finish(Exit.Fine);
    });
}

async function exportProgram(entries: readonly string[], options: Options, host: Host): Promise<void> {
  const { client, output, procedure, gr, json } = options;
  if (output === undefined && gr === undefined)
    throw new UsageError("Output: got none, expected -o FILE or --gr FILE.");
  if (output !== undefined && client === undefined)
    throw new UsageError(`--client: got none, expected one of ${clientNames.join(", ")}.`);
  if ((gr === undefined) !== (procedure === undefined))
    throw new UsageError("--procedure and --gr: got one of them, expected both.");
  const toOutput = [output, gr].filter((path) => path === "-").length;
  if (1 < toOutput || (toOutput === 1 && json))
    throw new UsageError("got more than one document for standard output, expected one.");
  for (const path of [output, gr]) {
    if (path !== undefined && entries.some((entry) => resolve(entry) === resolve(path)))
      throw new UsageError(`${path}: got an entry as output, expected another file.`);
  }
  if (output !== undefined && gr !== undefined && resolve(output) === resolve(gr))
    throw new UsageError(`${output}: got one file for both outputs, expected two.`);

  const progress = new Progress(host);
  const files: Record<string, unknown>[] = [];
  const lines: string[] = [];
  try {
    const program = await readProgram(entries, options.package, host, progress);
    if (gr !== undefined && procedure !== undefined) {
      const { graph } = clients.reachability(program);
      const p = procedureId(procedure, graph.names);
      const flow = flowGraph(graph, p, true);
      const sizes = { vertices: flow.vertexCount, edges: flow.neighbours.length / 2 };
      const written = await writeText(gr, [formatGr(flow)], host);
      files.push({ file: gr, procedure: p, name: graph.names[p], ...sizes, bytes: written });
      lines.push(
        `${gr}: procedure ${p} (${graph.names[p]}), ${whole(sizes.vertices)} vertices, ${whole(sizes.edges)} edges; ${bytes(written)}`,
      );
    }
    if (output !== undefined && client !== undefined) {
      progress.show(client, 1, 2);
      const { graph } = clients[client](program);
      const sizes = sizesOf(graph);
      const written = await writeText(output, formatIfds(graph), host);
      files.push({ file: output, client, ...sizes, bytes: written });
      lines.push(
        `${output}: ${client}, ${whole(sizes.procedures)} procedures, ${whole(sizes.vertices)} vertices, ` +
          `${whole(sizes.explodedVertices)} exploded vertices; ${bytes(written)}`,
      );
    }
  } finally {
    progress.end();
  }
  if (json) printJson(host, files.length === 1 ? files[0] : files);
  else if (toOutput === 0) for (const line of lines) printLine(host, line);
}

function sizesOf(graph: ExplodedSupergraph) {
  let vertices = 0;
  let explodedVertices = 0;
  for (let p = 0; p < graph.procedureCount; p++) {
    vertices += graph.vertexCount[p];
    explodedVertices += graph.vertexCount[p] * graph.factCount[p];
  }
  return { procedures: graph.procedureCount, vertices, explodedVertices };
}
