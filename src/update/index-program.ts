/** The pipeline from a program to queries in one go and in one memory, for what an update indexes anew. */

import { kernelHash } from "../../build/kernel-hash.js";
import type { Preprocessing, Queries } from "../engine.js";
import { callComponents } from "../exploded/components.js";
import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import { type AssembledImage, assemble } from "../image/assemble.js";
import { decomposeAll, placeForest } from "../image/decompose.js";
import type { LabelLimits } from "../image/label-limits.js";
import { contract } from "../skeleton/skeleton.js";

export function indexProgram(
  graph: ExplodedSupergraph,
  start: (assembled: AssembledImage) => Preprocessing,
  limits: LabelLimits,
): Queries {
  const skeleton = contract(graph);
  const { forest, decompose } = decomposeAll(skeleton);
  decompose(0, graph.procedureCount);
  const components = callComponents(graph);
  const assembled = assemble(graph, skeleton, components, kernelHash);
  placeForest(assembled.image, forest);
  const preprocessing = start(assembled);
  preprocessing.summarizeComponents(0, components.start.length - 1);
  preprocessing.endSummaries();
  preprocessing.beginLabels(0, preprocessing.planLabels(limits.labelBudget, limits.sweepLimit));
  preprocessing.labelProcedures(0, graph.procedureCount);
  return preprocessing.finish();
}
