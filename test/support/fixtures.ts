/** Reads the files under `test/fixtures`. */

import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { ExplodedSupergraph } from "../../src/exploded/exploded-supergraph.js";
import { parseIfds } from "../../src/exploded/parse-ifds.js";

const root = new URL("../fixtures/", import.meta.url);

/** Names of the fixtures in `folder`: what its `.ifds` and `.ifds.gz` files are called without that ending. */
export function fixtureNames(folder: string): string[] {
  const files = readdirSync(new URL(`${folder}/`, root)).sort();
  return files.flatMap((file) => /^(.+)\.ifds(\.gz)?$/.exec(file)?.[1] ?? []);
}

/** The bytes of a fixture, decompressed if its name ends in `.gz`. */
export function readFixture(path: string): Uint8Array {
  const bytes = readFileSync(new URL(path, root));
  return path.endsWith(".gz") ? gunzipSync(bytes) : bytes;
}

/** A class of `folder` and those inside it, each with the name of its file. */
export function readClasses(folder: string, name: string): [name: string, bytes: Uint8Array][] {
  return readdirSync(new URL(`${folder}/`, root))
    .filter((file) => file === `${name}.class` || (file.startsWith(`${name}$`) && file.endsWith(".class")))
    .sort()
    .map((file) => [file, readFixture(`${folder}/${file}`)]);
}

/** The lines of a fixture, the empty one after the last left out. */
export function readLines(path: string): string[] {
  return new TextDecoder().decode(readFixture(path)).trimEnd().split("\n");
}

export function readGraph(path: string): ExplodedSupergraph {
  return parseIfds(readFixture(path), { name: path });
}
