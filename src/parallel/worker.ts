/** The worker's side of the pool: does one request after another on an engine of its own. */

import * as I from "../../assembly/image.js";
import { engineFor } from "../analysis.js";
import type { Preprocessing, Queries } from "../engine.js";
import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import { decomposeAll } from "../image/decompose.js";
import { contract } from "../skeleton/skeleton.js";
import { serve } from "./host.js";
import type { Labelled, Prepared, Request } from "./messages.js";

let program: ExplodedSupergraph | undefined;
let labelling: Preprocessing | undefined;
let queries: Queries | undefined;

void serve((message) => {
  const request = message as Request;
  switch (request.kind) {
    case "program":
      program = request.graph;
      return { reply: null };
    case "prepare": {
      const skeleton = contract(program!, request.from, request.to);
      const { forest, decompose } = decomposeAll(skeleton);
      decompose(0, request.to - request.from);
      return transferring({ skeleton: exact(skeleton), forest: exact(forest) } satisfies Prepared);
    }
    case "adopt":
      labelling = engineFor(request.engine).adopt(request.planned, request.sweepLimit);
      return { reply: null };
    case "label": {
      const { from, to, base, length } = request;
      labelling!.beginLabels(base, length);
      labelling!.labelProcedures(from, to);
      const image = labelling!.image();
      const records = image[I.H_PROCEDURE] / 4;
      const first = image[I.H_LABELS] / 4;
      const reply: Labelled = {
        records: image.slice(records + from * I.PROCEDURE_WORDS, records + to * I.PROCEDURE_WORDS),
        labels: image.slice(first, first + 2 * length),
      };
      return { reply, transfer: [reply.records.buffer as ArrayBuffer, reply.labels.buffer as ArrayBuffer] };
    }
    case "open":
      labelling = undefined;
      queries = engineFor(request.engine).open(request.image);
      return { reply: null };
    case "reaches": {
      const answers = request.answers ?? new Uint8Array(request.count);
      const answered = queries!.reachesMany(request.queries, answers);
      if (request.answers !== undefined) return { reply: { answered } };
      return { reply: { answered, answers }, transfer: [answers.buffer as ArrayBuffer] };
    }
    case "from": {
      const { sources } = request;
      const rows: Uint32Array[] = [];
      let words = 0;
      for (let i = 0; i < sources.length; i += 3) {
        const row = queries!.from(sources[i], sources[i + 1], sources[i + 2]);
        rows.push(row);
        words += row.length;
      }
      const all = new Uint32Array(words);
      let at = 0;
      for (const row of rows) {
        all.set(row, at);
        at += row.length;
      }
      return { reply: all, transfer: [all.buffer] };
    }
  }
});

/** The arrays cut to what they hold, so that no more than that is sent. */
function exact<T extends object>(arrays: T): T {
  const entries = Object.entries(arrays as Record<string, Uint32Array>);
  return Object.fromEntries(entries.map(([name, array]) => [name, array.slice()])) as T;
}

/** A reply whose arrays are handed over. */
function transferring(reply: Prepared): { reply: unknown; transfer: ArrayBuffer[] } {
  const arrays = [...Object.values(reply.skeleton), ...Object.values(reply.forest)] as Uint32Array[];
  return { reply, transfer: arrays.map(({ buffer }) => buffer as ArrayBuffer) };
}
