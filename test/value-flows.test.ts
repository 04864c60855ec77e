/** Programs with the flows of values: what `Program` demands of every program, on all that the fixtures have. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { liveness } from "../src/clients/liveness.js";
import { taint } from "../src/clients/taint.js";
import { load } from "../src/javascript/front-end.js";
import { memoryHost } from "../src/javascript/modules/host/memory.js";
import { nodeHost } from "../src/javascript/modules/host/node.js";
import { OPERATION_SIZE, Op, type Program } from "../src/program/program.js";
import { parseAnnotated } from "./support/annotated-modules.js";

const folder = join(import.meta.dirname, "fixtures", "early-reads", "annotated");
const { parse } = nodeHost(folder);

/** What is wrong with a program, by the definitions of its parts. */
function faults({ procedures, variables, paths }: Program): string[] {
  const found: string[] = [];
  const isVariable = (v: number) => Number.isInteger(v) && -1 <= v && v < variables.length;
  for (const [p, procedure] of procedures.entries()) {
    const { vertexCount, edges, calls, operations, exit, exceptionalExit } = procedure;
    const at = new Set<number>();
    for (const call of calls) {
      if (at.has(call.vertex)) found.push(`${p}: two calls at ${call.vertex}`);
      at.add(call.vertex);
      if (call.returnSite === call.exceptionalReturnSite)
        found.push(`${p}: one return site of ${call.vertex}`);
      for (const v of [...call.arguments, call.result, call.receiver])
        if (!isVariable(v)) found.push(`${p}: variable ${v} at call ${call.vertex}`);
      if (vertexCount <= Math.max(call.vertex, call.returnSite, call.exceptionalReturnSite))
        found.push(`${p}: call at ${call.vertex}`);
    }
    for (let e = 0; e < edges.length; e += 2) {
      const [from, to] = [edges[e], edges[e + 1]];
      if (vertexCount <= Math.max(from, to)) found.push(`${p}: edge ${from} to ${to}`);
      if (from === exit || from === exceptionalExit) found.push(`${p}: edge from the exit ${from}`);
      if (at.has(from) && calls.some((call) => call.vertex === from && call.returnSite === to))
        found.push(`${p}: edge from call ${from} to its return site`);
    }
    for (let i = 0; i < operations.length; i += OPERATION_SIZE) {
      const [code, variable, source, both] = operations.subarray(i, i + OPERATION_SIZE);
      if (code === Op.settle || code === Op.resume) continue;
      if (variables.length <= variable) found.push(`${p}: variable ${variable}`);
      if (
        code === Op.flow &&
        (variables.length <= source || paths.length <= Math.max(both >>> 16, both & 0xffff))
      )
        found.push(`${p}: flow from ${source}`);
    }
    for (const v of [...procedure.parameters, procedure.result, procedure.receiver])
      if (!isVariable(v)) found.push(`${p}: parameter ${v}`);
  }
  for (const { owner } of variables) if (procedures.length <= owner) found.push(`owner ${owner}`);
  return found;
}

test.each(readdirSync(folder).sort())("%s", async (name) => {
  const { files, entry } = parseAnnotated(readFileSync(join(folder, name), "utf8"));
  const { whole } = await load([entry], memoryHost(new Map(Object.entries(files)), { parse }), {
    flows: true,
  });
  const { program } = whole!;
  expect(faults(program)).toEqual([]);
  liveness(program).analyze();
  taint(program, { sources: [{ call: "source" }], sinks: [{ call: "sink" }] }).analyze();
});
