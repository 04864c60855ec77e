/**
 * Preprocessing on several workers. Flow graphs are contracted in ranges of procedures; then one worker computes
 * summaries, which depend on one another, while the others decompose the node graphs, which summaries do not read; then
 * all label ranges of procedures, straight into the finished image where memory is shared. This thread joins skeletons
 * and lays out the image, while the workers decompose. The bytes are those of `analyze`, for any number of workers.
 */

import * as I from "../../assembly/image.js";
import { kernelHash } from "../../build/kernel-hash.js";
import type { EngineOptions, PhaseMilliseconds } from "../analysis.js";
import { OutOfMemoryError } from "../engine.js";
import { callComponents } from "../exploded/components.js";
import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import { type AssembledImage, assemble } from "../image/assemble.js";
import type { Forest } from "../image/decompose.js";
import type { LabelLimits } from "../image/label-limits.js";
import { type LabelPlan, labelCapacity } from "../image/label-plan.js";
import { type ProgramTable, readProgramTable } from "../image/program-table.js";
import { joinSkeletons, type Skeleton } from "../skeleton/skeleton.js";
import type { Crew } from "./crew.js";
import { canShare } from "./host.js";
import type { Labelled } from "./messages.js";
import { type SharedSpace, sharedWords } from "./shared.js";
import { split } from "./split.js";

/** Ranges that each worker is handed in a phase, so that uneven ones even out. */
const PIECES = 8;

export interface Preprocessed {
  /** The finished image, in shared memory where the host allows it. */
  readonly image: Uint32Array;
  readonly table: ProgramTable;
  readonly milliseconds: PhaseMilliseconds;
}

export async function preprocess(
  crew: Crew,
  space: SharedSpace,
  graph: ExplodedSupergraph,
  engine: EngineOptions,
  limits: LabelLimits,
): Promise<Preprocessed> {
  const begun = performance.now();
  const pieces = PIECES * crew.size;
  const [components, , ...done] = await Promise.all([
    Promise.resolve(graph).then(callComponents),
    crew.all({ kind: "program", graph: shareProgram(graph, space), engine }),
    ...split(vertexStart(graph), pieces).map(([from, to]) =>
      crew.task<Skeleton>({ kind: "contract", from, to }),
    ),
  ]);
  const skeletons = done.map(({ reply }) => reply);
  const contracted = performance.now();

  let decomposed = 0;
  const decompose = async (): Promise<Forest> => {
    const forests = await Promise.all(
      skeletons.map(({ nodeStart, chainStart, chainHead, chainTail }) =>
        crew.task<Forest>({ kind: "decompose", graphs: { nodeStart, chainStart, chainHead, chainTail } }),
      ),
    );
    decomposed = performance.now();
    return joinForests(
      forests.map(({ reply }) => reply),
      space,
    );
  };
  let assembledAt = 0;
  const summarize = async (): Promise<{ sealed: Uint32Array; table: ProgramTable }> => {
    const { image, input } = assemble(graph, joinSkeletons(skeletons), components, kernelHash);
    assembledAt = performance.now();
    const assembled: AssembledImage = {
      image: space.share("image", image),
      input: space.share("input", input),
    };
    const [{ worker, reply: sealed }, table] = await Promise.all([
      crew.task<Uint32Array>({ kind: "summarize", assembled, components: components.start.length - 1 }, true),
      Promise.resolve(image).then(readProgramTable),
    ]);
    await crew.all({ kind: "adopt", sealed, sweepLimit: limits.sweepLimit }, worker);
    return { sealed, table };
  };
  const [forest, { sealed, table }] = await Promise.all([decompose(), summarize()]);
  const [{ start }] = await crew.all<LabelPlan>({
    kind: "plan",
    forest,
    ...limits,
  });
  const summarized = performance.now();

  const image = await label(crew, sealed, start, pieces);
  const end = performance.now();
  const milliseconds = {
    contract: contracted - begun,
    decompose: decomposed - contracted,
    assemble: assembledAt - contracted,
    summaries: summarized - assembledAt,
    labels: end - summarized,
    total: end - begun,
  };
  return { image, table, milliseconds };
}

/** The finished image: ranges of labels, and of what precedes them, from all workers. */
async function label(
  crew: Crew,
  sealed: Uint32Array,
  start: Float64Array,
  pieces: number,
): Promise<Uint32Array> {
  const length = start[start.length - 1];
  const labelsAt = sealed.length;
  if (labelCapacity(sealed) < length) throw new OutOfMemoryError("Labels", 4 * labelsAt + 8 * length);
  const image = sharedWords(labelsAt + 2 * length + 2);
  const ranges = split(start, pieces);
  const fixedAt = (i: number) => Math.floor((labelsAt * i) / ranges.length);
  const labelled = await Promise.all(
    ranges.map(([from, to], i) =>
      crew.task<Labelled>({
        kind: "label",
        from,
        to,
        base: start[from],
        length: start[to] - start[from],
        fixedFrom: fixedAt(i),
        fixedTo: fixedAt(i + 1),
        ...(canShare() ? { image } : {}),
      }),
    ),
  );
  for (const [i, { reply }] of labelled.entries()) {
    if (reply.fixed !== undefined) image.set(reply.fixed, fixedAt(i));
    if (reply.labels !== undefined) image.set(reply.labels, labelsAt + 2 * start[ranges[i][0]]);
  }
  for (const [i, { reply }] of labelled.entries())
    image.set(reply.records, image[I.H_PROCEDURE] / 4 + ranges[i][0] * I.PROCEDURE_WORDS);
  image[I.H_LABEL_BASE] = 0;
  image[I.H_LABEL_LENGTH] = length;
  image[I.H_LENGTH] = image.length / 2;
  return image;
}

function vertexStart(graph: ExplodedSupergraph): Float64Array {
  const start = new Float64Array(graph.procedureCount + 1);
  for (let p = 0; p < graph.procedureCount; p++) start[p + 1] = start[p] + graph.vertexCount[p];
  return start;
}

/** What workers read of a program: neither names, nor header, nor relations. */
function shareProgram(graph: ExplodedSupergraph, space: SharedSpace): ExplodedSupergraph {
  const shared: Record<string, unknown> = { ...graph, names: [], header: [], relations: undefined };
  for (const [key, value] of Object.entries(graph)) {
    if (value instanceof Uint32Array) shared[key] = space.share(key, value);
  }
  return shared as unknown as ExplodedSupergraph;
}

/** The forest of a program from those of ranges of its procedures, in order. */
function joinForests(parts: readonly Forest[], space: SharedSpace): Forest {
  const join = (name: keyof Forest) =>
    space.join(
      name,
      parts.map((part) => part[name]),
    );
  return { nodes: join("nodes"), aboveHead: join("aboveHead"), height: join("height"), width: join("width") };
}
