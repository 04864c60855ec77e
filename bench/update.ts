/**
 * What does an edit cost, beside preprocessing anew? Procedures of a program are edited one at a time: a statement
 * without effect is inserted, which leaves the summary as it was, or an edge is removed, which may change it and so reach
 * the callers. Every update starts from the same analysis.
 */

import type { Analysis } from "../src/analysis.js";
import { analyze } from "../src/analyze.js";
import { type ExplodedProcedure, extractProcedure } from "../src/exploded/exploded-procedure.js";
import type { ExplodedSupergraph } from "../src/exploded/exploded-supergraph.js";
import { digits, table } from "./format.js";
import {
  collectGarbage,
  median,
  type Options,
  type Question,
  randomBelow,
  type Section,
  timed,
} from "./harness.js";
import { instances } from "./instances.js";

const edits = ["statement inserted", "edge removed"] as const;
type Edit = (typeof edits)[number];

/** Milliseconds per update, over procedures. */
interface Latency {
  readonly median: number;
  readonly ninetyFifth: number;
  readonly most: number;
}

export interface UpdateFigures {
  readonly instance: string;
  readonly procedures: number;
  /** Milliseconds. */
  readonly preprocessing: number;
  readonly edits: Readonly<Record<Edit, Latency>>;
}

export type UpdateResult = readonly UpdateFigures[];

const INSTANCES = ["chart.live", "antlr.live", "antlr.puninit", "antlr.rdef", "antlr.suninit"];

function* measure(options: Options): Iterable<UpdateResult> {
  const figures: UpdateFigures[] = [];
  for (const instance of instances(options, INSTANCES)) {
    const graph = instance.graph();
    const chosen = someProcedures(graph, options.quick ? 50 : 300);
    const preprocessing: number[] = [];
    const times: Record<Edit, number[][]> = { "statement inserted": [], "edge removed": [] };
    for (let round = 0; round <= options.rounds; round++) {
      const [time, analysis] = timed(() => analyze(graph));
      const inserted = chosen.map((p) => updateTime(analysis, p, withStatement(extractProcedure(graph, p))));
      const removed = chosen.map((p) => updateTime(analysis, p, withoutEdge(extractProcedure(graph, p))));
      // The first round warms up.
      if (round === 0) continue;
      preprocessing.push(time);
      times["statement inserted"].push(inserted);
      times["edge removed"].push(removed);
    }
    figures.push({
      instance: instance.name,
      procedures: chosen.length,
      preprocessing: median(preprocessing),
      edits: {
        "statement inserted": latency(times["statement inserted"]),
        "edge removed": latency(times["edge removed"]),
      },
    });
    yield figures;
  }
}

/** Procedures that have an edge, in random order. */
function someProcedures(graph: ExplodedSupergraph, count: number): number[] {
  const below = randomBelow(5);
  const all = Array.from({ length: graph.procedureCount }, (_, p) => p).filter(
    (p) => graph.edgeStart[p] < graph.edgeStart[p + 1],
  );
  for (let i = all.length - 1; 0 < i; i--) {
    const j = below(i + 1);
    [all[i], all[j]] = [all[j], all[i]];
  }
  return all.slice(0, count);
}

function updateTime(analysis: Analysis, p: number, procedure: ExplodedProcedure): number {
  if (p % 16 === 0) collectGarbage();
  const begun = performance.now();
  analysis.update(p, procedure);
  return performance.now() - begun;
}

/** The middle edge goes through a new vertex, and from there as it is: relation 0 is the identity. */
function withStatement(procedure: ExplodedProcedure): ExplodedProcedure {
  const { vertexCount, edgeSource, edgeTarget, edgeRelation } = procedure;
  const middle = edgeSource.length >>> 1;
  return {
    ...procedure,
    vertexCount: vertexCount + 1,
    edgeSource: Uint32Array.of(...edgeSource, vertexCount),
    edgeTarget: Uint32Array.of(...edgeTarget.with(middle, vertexCount), edgeTarget[middle]),
    edgeRelation: Uint32Array.of(...edgeRelation, 0),
  };
}

/** The middle edge is gone. */
function withoutEdge(procedure: ExplodedProcedure): ExplodedProcedure {
  const middle = procedure.edgeSource.length >>> 1;
  const rest = (array: Uint32Array) => array.filter((_, i) => i !== middle);
  return {
    ...procedure,
    edgeSource: rest(procedure.edgeSource),
    edgeTarget: rest(procedure.edgeTarget),
    edgeRelation: rest(procedure.edgeRelation),
  };
}

/** Over procedures, the median of each over rounds. */
function latency(rounds: readonly (readonly number[])[]): Latency {
  const sorted = rounds[0].map((_, i) => median(rounds.map((times) => times[i]))).sort((a, b) => a - b);
  const last = sorted.length - 1;
  return { median: median(sorted), ninetyFifth: sorted[Math.floor(0.95 * last)], most: sorted[last] };
}

function report(result: UpdateResult): Section {
  const rows = result.flatMap(({ instance, procedures, preprocessing, edits: of }) =>
    edits.map((edit) => [
      instance,
      edit,
      String(procedures),
      digits(of[edit].median),
      digits(of[edit].ninetyFifth),
      digits(of[edit].most),
      digits(preprocessing),
      `1/${digits(preprocessing / of[edit].median)}`,
    ]),
  );
  return {
    title: "What does an edit cost?",
    markdown: table(
      [
        "instance",
        "edit",
        "procedures",
        "median, ms",
        "95 % within, ms",
        "most, ms",
        "preprocessing, ms",
        "median to preprocessing",
      ],
      rows,
    ),
  };
}

export const update: Question<UpdateResult> = { name: "update", measure, report };
