/**
 * Java programs against an independent exporter: procedures, flow edges and call targets are the same, facts are about
 * the same variables, and the clients give the answers of an independent solver, but for differences that are explained where
 * they are counted. Jars in the folder that PHLOEM_JARS names are compared as well.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { analyze } from "../src/analyze.js";
import { reachability } from "../src/clients/reachability.js";
import { load } from "../src/jvm/load.js";
import {
  allQueries,
  EXPORTED_ANALYSES,
  ExportedProgram,
  graphDifferences,
  pairQueries,
} from "./support/exporter-comparison.js";
import { readFixture, readGraph, readLines } from "./support/fixtures.js";

const more = process.env.PHLOEM_JARS;

/** Programs, their classes, and those of the instances that are among the fixtures. */
const programs: readonly [name: string, file: string, bytes: Uint8Array][] = [
  ["T", "T.class", readFixture("tiny/T.class")],
  ...["fop-cli", "batik-rasterizer", "antlr"].map((name): [string, string, Uint8Array] => [
    name.split("-")[0],
    `${name}.jar`,
    readFixture(`jvm/${name}.jar`),
  ]),
  ...["trove", "chart"]
    .map((name) => [name, join(more ?? "", `${name}.jar`)])
    .filter(([, path]) => more !== undefined && existsSync(path))
    .map(([name, path]): [string, string, Uint8Array] => [name, path, readFileSync(path)]),
];

const folderOf = (name: string) => (name === "T" ? "tiny" : "instances");
const analysesOf = (name: string) =>
  EXPORTED_ANALYSES.filter((analysis) =>
    existsSync(new URL(`fixtures/${folderOf(name)}/${name}.${analysis}.ifds.gz`, import.meta.url)),
  );

describe.each(programs)("%s", (name, file, bytes) => {
  const jvm = load([[file, bytes]]);
  const exported = new ExportedProgram(jvm);
  const path = (analysis: string) => `${folderOf(name)}/${name}.${analysis}`;

  test("everything is read", () => {
    expect(jvm.diagnostics).toEqual([]);
  });

  test("the same procedures, edges and call targets", () => {
    const forward = analysesOf(name).find((analysis) => analysis !== "live")!;
    expect(graphDifferences(jvm, readGraph(`${path(forward)}.ifds.gz`))).toEqual([]);
  });

  // Exceptions part at one point where there are several handlers, so that not every instruction has an edge to each. A
  // second exit is joined to the start, too; and orders that are found for other numbers of vertices differ a little.
  test("decompositions are as wide, or less", () => {
    const forward = analysesOf(name).find((analysis) => analysis !== "live")!;
    const theirs = analyze(readGraph(`${path(forward)}.ifds.gz`)).statistics;
    const ours = analyze(reachability(jvm.program).graph).statistics;
    expect(ours.width).toBeLessThanOrEqual(theirs.width);
    for (let p = 0; p < theirs.procedures; p++) {
      const { edges, exceptionalExit } = jvm.program.procedures[p];
      const throws = edges.some((vertex, i) => i % 2 === 1 && vertex === exceptionalExit);
      expect(ours.procedure(p).width).toBeLessThanOrEqual(theirs.procedure(p).width + (throws ? 2 : 1));
    }
  });

  test.each(analysesOf(name))("%s: facts and answers", (analysis) => {
    const graph = readGraph(`${path(analysis)}.ifds.gz`);
    expect(exported.factDifferences(graph, analysis)).toEqual([]);
    const queries =
      name === "T"
        ? allQueries(readLines(`${path(analysis)}.all.gz`), graph)
        : pairQueries(readLines(`${path(analysis)}.q.gz`));
    const { differences, ...counts } = exported.answerDifferences(graph, analysis, queries);
    expect(differences).toEqual([]);
    expect(counts.same).toBeGreaterThan(5 * counts.explained);
    expect(counts.same).toBeGreaterThan(500);
  });
});
