/**
 * What the experiment does in processes of their own, so that one that dies or takes too long does no harm: makes the
 * instances of a program, describes one, or measures one algorithm on it. Arguments are JSON, and so is what is printed.
 */

import { createWriteStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip, gunzipSync } from "node:zlib";
import { type ClientName, clients } from "../../src/clients/by-name.js";
import type { ExplodedSupergraph } from "../../src/exploded/exploded-supergraph.js";
import { formatIfds } from "../../src/exploded/format-ifds.js";
import { InputError } from "../../src/exploded/input-error.js";
import { parseIfds } from "../../src/exploded/parse-ifds.js";
import { loadPaths } from "../../src/jvm/host/node.js";
import type { AlgorithmName } from "./algorithms.js";
import { measure } from "./measure.js";
import type { Settings } from "./settings.js";
import { sizesOf } from "./sizes.js";

/** One job, by its kind. Files are `.ifds`, plain or gzip. */
export type Job =
  | {
      readonly kind: "make";
      readonly jar: string;
      /** All where there are none. */
      readonly packages: readonly string[];
      readonly analyses: readonly ClientName[];
      readonly folder: string;
    }
  | { readonly kind: "describe"; readonly file: string }
  | {
      readonly kind: "measure";
      readonly file: string;
      readonly algorithm: AlgorithmName;
      readonly settings: Settings;
    };

/** What came of making instances: by analysis the name of its file, or why there is none. */
export type Made = Readonly<Record<string, { readonly file?: string; readonly refused?: string }>>;

/** Past this, the seven algorithms together take most of an hour. */
const MOST_CALLS = 2_000_000;

const job = JSON.parse(process.argv[2]) as Job;
process.stdout.write(JSON.stringify(await resultOf(job)));

function resultOf(job: Job): unknown {
  if (job.kind === "make") return make(job);
  const graph = read(job.file);
  if (job.kind === "describe") return sizesOf(graph);
  const worker = new URL("./experiment-worker.mjs", import.meta.url);
  return measure(job.algorithm, graph, job.settings, worker);
}

async function make({ jar, packages, analyses, folder }: Extract<Job, { kind: "make" }>): Promise<Made> {
  const { program } = loadPaths([jar], packages.length === 0 ? {} : { include: packages });
  const calls = program.procedures.reduce(
    (sum, procedure) => procedure.calls.reduce((of, { callees }) => of + callees.length, sum),
    0,
  );
  if (MOST_CALLS < calls) {
    const count = (x: number) => x.toLocaleString("en-US");
    const refused = `Got ${count(calls)} calls by class hierarchy, expected at most ${count(MOST_CALLS)}.`;
    return Object.fromEntries(analyses.map((analysis) => [analysis, { refused }]));
  }
  const made: Record<string, Made[string]> = {};
  for (const analysis of analyses) {
    try {
      const { graph } = clients[analysis](program);
      const file = `${analysis}.ifds.gz`;
      await pipeline(Readable.from(formatIfds(graph)), createGzip(), createWriteStream(join(folder, file)));
      made[analysis] = { file };
    } catch (error) {
      // The problem passes a limit.
      if (!(error instanceof InputError)) throw error;
      made[analysis] = { refused: error.message };
    }
  }
  return made;
}

function read(file: string): ExplodedSupergraph {
  const bytes = readFileSync(file);
  return parseIfds(bytes[0] === 0x1f ? gunzipSync(bytes) : bytes, { name: file });
}
