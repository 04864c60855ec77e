/** Work counts of preprocessing and of pair queries, on the debug build of the kernel, which counts both. */

import { readFileSync } from "node:fs";
import { callComponents } from "../../src/exploded/components.js";
import type { ExplodedSupergraph } from "../../src/exploded/exploded-supergraph.js";
import { assemble } from "../../src/image/assemble.js";
import { decomposeAll, placeForest } from "../../src/image/decompose.js";
import { kernelEngine } from "../../src/kernel/kernel-engine.js";
import { contract } from "../../src/skeleton/skeleton.js";

export interface Work {
  readonly nodes: number;
  readonly width: number;
  readonly height: number;
  /** Nodes swept for summaries; words united or composed for labels; most sweeps over a procedure. */
  readonly summaryNodes: number;
  readonly labelWords: number;
  readonly sweeps: number;
  /** Words that one pair query read, the most over those asked. */
  readonly pairWords: number;
}

/** Preprocesses and asks pair queries (p, u, d1, v, d2). */
export function measureWork(
  graph: ExplodedSupergraph,
  sweepLimit: number,
  queries: Iterable<readonly [number, number, number, number, number]>,
): Work {
  const skeleton = contract(graph);
  const { forest, decompose } = decomposeAll(skeleton);
  decompose(0, graph.procedureCount);
  const components = callComponents(graph);
  const assembled = assemble(graph, skeleton, components, 0);
  placeForest(assembled.image, forest);
  const preprocessing = kernelEngine(readFileSync("build/kernel.debug.wasm")).preprocess(assembled);
  preprocessing.summarizeComponents(0, components.start.length - 1);
  preprocessing.endSummaries();
  preprocessing.beginLabels(0, preprocessing.planLabels(2 ** 30, sweepLimit));
  preprocessing.labelProcedures(0, graph.procedureCount);
  const answers = preprocessing.finish();
  let pairWords = 0;
  for (const query of queries) {
    const before = answers.work();
    answers.reaches(...query);
    pairWords = Math.max(pairWords, answers.work() - before);
  }
  return {
    nodes: skeleton.nodeVertex.length,
    width: Math.max(...forest.width),
    height: Math.max(...forest.height),
    ...preprocessing.work(),
    pairWords,
  };
}
