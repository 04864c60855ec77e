/**
 * Which procedures of an exploded supergraph are not what they were, number by number. Relations are compared by what they
 * hold, whatever their numbers. Linear in both programs.
 */

import { extractProcedure } from "../exploded/exploded-procedure.js";
import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";

/** The numbers of the procedures that differ, ascending; undefined where the programs have not equally many. */
export function changedProcedures(
  before: ExplodedSupergraph,
  after: ExplodedSupergraph,
): number[] | undefined {
  if (before.procedureCount !== after.procedureCount || before.entry !== after.entry) return undefined;
  const relations = new RelationComparison(before, after);
  const changed: number[] = [];
  for (let p = 0; p < after.procedureCount; p++) {
    if (!isSameProcedure(before, after, p, relations)) changed.push(p);
  }
  return changed;
}

const PLAIN = [
  "exits",
  "edgeSource",
  "edgeTarget",
  "bypassCall",
  "bypassReturn",
  "callVertex",
  "callReturn",
  "callCallee",
  "callExit",
] as const;
const RELATIONS = ["edgeRelation", "bypassRelation", "callEntryRelation", "callExitRelation"] as const;

function isSameProcedure(
  before: ExplodedSupergraph,
  after: ExplodedSupergraph,
  p: number,
  relations: RelationComparison,
): boolean {
  const [a, b] = [extractProcedure(before, p), extractProcedure(after, p)];
  if (
    a.name !== b.name ||
    a.vertexCount !== b.vertexCount ||
    a.factCount !== b.factCount ||
    a.startVertex !== b.startVertex
  )
    return false;
  for (const key of PLAIN) {
    if (a[key].length !== b[key].length || !a[key].every((value, i) => value === b[key][i])) return false;
  }
  return RELATIONS.every((key) => a[key].every((relation, i) => relations.isSame(relation, b[key][i])));
}

class RelationComparison {
  readonly #before: ExplodedSupergraph["relations"];
  readonly #after: ExplodedSupergraph["relations"];
  /** By relation of the first program: the one of the second that is known to be the same. */
  readonly #same: Int32Array;

  constructor({ relations: before }: ExplodedSupergraph, { relations: after }: ExplodedSupergraph) {
    this.#before = before;
    this.#after = after;
    this.#same = new Int32Array(before.count).fill(-1);
  }

  isSame(r: number, s: number): boolean {
    if (this.#same[r] === s) return true;
    const [a, b] = [this.#before, this.#after];
    if (a.identity[r] !== b.identity[s]) return false;
    const [from, other] = [a.entryStart[r], b.entryStart[s]];
    const entries = a.entryStart[r + 1] - from;
    if (b.entryStart[s + 1] - other !== entries) return false;
    for (let i = 0; i < entries; i++) {
      const [x, y] = [from + i, other + i];
      if (a.sourceFirst[x] !== b.sourceFirst[y] || a.sourceLast[x] !== b.sourceLast[y]) return false;
      const length = a.targetStart[x + 1] - a.targetStart[x];
      if (b.targetStart[y + 1] - b.targetStart[y] !== length) return false;
      for (let k = 0; k < length; k++)
        if (a.targets[a.targetStart[x] + k] !== b.targets[b.targetStart[y] + k]) return false;
    }
    this.#same[r] = s;
    return true;
  }
}
