/** The worker's side of the pool: does one request after another on engines of its own. */

import * as I from "../../assembly/image.js";
import { kernelHash } from "../../build/kernel-hash.js";
import { type EngineOptions, engineFor } from "../analysis.js";
import type { Engine, OpenQueries, Preprocessing } from "../engine.js";
import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import { decomposeAll, placeForest } from "../image/decompose.js";
import { readLabelPlan } from "../image/label-plan.js";
import { contract } from "../skeleton/skeleton.js";
import { serve } from "./host.js";
import type { Answered, Labelled, LabelRequest, Request } from "./messages.js";
import { SharedSpace } from "./shared.js";

interface Reply {
  readonly reply: unknown;
  readonly transfer?: ArrayBuffer[];
}

const DONE: Reply = { reply: null };

let program: ExplodedSupergraph | undefined;
/** Kept from program to program for the memory that it has. */
let engine: Engine | undefined;
let engineOptions: EngineOptions = {};
let preprocessing: Preprocessing | undefined;
let queries: OpenQueries | undefined;
const space = new SharedSpace();

void serve((message) => {
  const request = message as Request;
  switch (request.kind) {
    case "hello":
      return { reply: kernelHash };
    case "program":
      release();
      program = request.graph;
      useEngine(request.engine);
      return DONE;
    case "release":
      release();
      return DONE;
    case "contract":
      return transferring(exact(contract(program!, request.from, request.to)));
    case "decompose": {
      const { forest, decompose } = decomposeAll(request.graphs);
      decompose(0, request.graphs.nodeStart.length - 1);
      return transferring(forest);
    }
    case "summarize": {
      preprocessing = engine!.preprocess(request.assembled);
      preprocessing.summarizeComponents(0, request.components);
      preprocessing.endSummaries();
      return { reply: space.share("sealed", preprocessing.sealed()) };
    }
    case "adopt":
      preprocessing = engine!.adopt(request.sealed, request.sweepLimit);
      return DONE;
    case "plan": {
      placeForest(preprocessing!.sealed(), request.forest);
      const length = preprocessing!.planLabels(request.labelBudget, request.sweepLimit);
      return { reply: readLabelPlan(preprocessing!.sealed(), length) };
    }
    case "label":
      return label(request);
    case "open":
      queries = undefined;
      queries = engineFor(request.engine).open(request.image);
      return DONE;
    case "reaches": {
      const answers = request.answers ?? new Uint8Array(request.count);
      const answered = queries!.reachesMany(request.queries, answers);
      if (request.answers !== undefined) return { reply: { answered } satisfies Answered };
      return {
        reply: { answered, answers } satisfies Answered,
        transfer: [answers.buffer as ArrayBuffer],
      };
    }
    case "from": {
      const { sources } = request;
      const rows = request.rows ?? new Uint32Array(request.length);
      let at = 0;
      for (let i = 0; i < sources.length; i += 3) {
        at += queries!.fromInto(sources[i], sources[i + 1], sources[i + 2], rows, at);
      }
      return request.rows === undefined ? transferring({ rows }) : { reply: {} };
    }
  }
});

function release(): void {
  preprocessing?.discard();
  preprocessing = undefined;
  program = undefined;
}

function useEngine(options: EngineOptions): void {
  const same =
    engine !== undefined &&
    engineOptions.engine === options.engine &&
    engineOptions.kernel === undefined &&
    options.kernel === undefined;
  if (same) return;
  engine = engineFor(options);
  engineOptions = options;
}

function label({ from, to, base, length, fixedFrom, fixedTo, image: whole }: LabelRequest): Reply {
  preprocessing!.beginLabels(base, length);
  preprocessing!.labelProcedures(from, to);
  const image = preprocessing!.image();
  const recordsAt = image[I.H_PROCEDURE] / 4;
  const records = image.slice(recordsAt + from * I.PROCEDURE_WORDS, recordsAt + to * I.PROCEDURE_WORDS);
  const labelsAt = image[I.H_LABELS] / 4;
  const labels = image.subarray(labelsAt, labelsAt + 2 * length);
  const fixed = image.subarray(fixedFrom, fixedTo);
  if (whole === undefined)
    return transferring({ records, fixed: fixed.slice(), labels: labels.slice() } satisfies Labelled);
  whole.set(fixed, fixedFrom);
  whole.set(labels, labelsAt + 2 * base);
  return transferring({ records } satisfies Labelled);
}

/** The arrays cut to what they hold, so that no more than that is sent. */
function exact<T extends object>(arrays: T): T {
  const entries = Object.entries(arrays as Record<string, Uint32Array>);
  return Object.fromEntries(entries.map(([name, array]) => [name, array.slice()])) as T;
}

/** A reply whose arrays are handed over. */
function transferring(arrays: object): Reply {
  return {
    reply: arrays,
    transfer: Object.values(arrays as Record<string, Uint32Array>).map(({ buffer }) => buffer as ArrayBuffer),
  };
}
