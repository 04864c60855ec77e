/**
 * What the experiment does in processes of their own, so that one that dies or takes too long does no harm: describes an
 * instance, or measures one algorithm on it. Arguments are JSON, and so is what is printed.
 */

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { ExplodedSupergraph } from "../../src/exploded/exploded-supergraph.js";
import { parseIfds } from "../../src/exploded/parse-ifds.js";
import type { AlgorithmName } from "./algorithms.js";
import { measure } from "./measure.js";
import type { Settings } from "./settings.js";
import { sizesOf } from "./sizes.js";

/** One job, by its kind. Files are `.ifds`, plain or gzip. */
export type Job =
  | { readonly kind: "describe"; readonly file: string }
  | {
      readonly kind: "measure";
      readonly file: string;
      readonly algorithm: AlgorithmName;
      readonly settings: Settings;
    };

const job = JSON.parse(process.argv[2]) as Job;
const result =
  job.kind === "describe"
    ? sizesOf(read(job.file))
    : await measure(
        job.algorithm,
        read(job.file),
        job.settings,
        new URL("./experiment-worker.mjs", import.meta.url),
      );
process.stdout.write(JSON.stringify(result));

function read(file: string): ExplodedSupergraph {
  const bytes = readFileSync(file);
  return parseIfds(bytes[0] === 0x1f ? gunzipSync(bytes) : bytes, { name: file });
}
