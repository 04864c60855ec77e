/**
 * The exploded supergraph as flat typed arrays: what every solver consumes. Procedures, vertices and facts are
 * dense integers; vertices and facts are numbered per procedure. Per-procedure lists are stored one after
 * another, with an array of `procedureCount + 1` starts (`xStart[p] .. xStart[p + 1]`).
 *
 * Every value of this type that the package hands out has been validated: ids are in range for the procedure
 * (and relation) they are used with, so that solvers need no checks of their own.
 */

/**
 * Interned flow relations, shared by all edges. Relation `r` relates source facts to target facts: its entries are
 * `entryStart[r] .. entryStart[r + 1]`, sorted by source and disjoint; entry `i` says that each source in
 * `sourceFirst[i] ..= sourceLast[i]` has exactly the targets `targets[targetStart[i] .. targetStart[i + 1]]`
 * (ascending, distinct). A source without entry is related to itself alone where `identity[r]` is 1, and to nothing
 * where it is 0. Relation 0 is always the identity. Sources at or above the fact count of the procedure at hand
 * do not apply there.
 */
export interface FlowRelations {
  readonly count: number;
  readonly identity: Uint8Array;
  readonly entryStart: Uint32Array;
  readonly sourceFirst: Uint32Array;
  readonly sourceLast: Uint32Array;
  readonly targetStart: Uint32Array;
  readonly targets: Uint32Array;
}

export interface ExplodedSupergraph {
  readonly procedureCount: number;
  /** Name of each procedure; not necessarily unique. */
  readonly names: readonly string[];
  readonly vertexCount: Uint32Array;
  /** Facts of each procedure, the zero fact included: |D*|, at least 1. */
  readonly factCount: Uint32Array;
  readonly startVertex: Uint32Array;
  /** Exit vertices of procedure p: `exits[exitStart[p] .. exitStart[p + 1]]`, at least one; the first is the default. */
  readonly exitStart: Uint32Array;
  readonly exits: Uint32Array;

  /** Intraprocedural edges (parallel edges and self-loops allowed). */
  readonly edgeStart: Uint32Array;
  readonly edgeSource: Uint32Array;
  readonly edgeTarget: Uint32Array;
  readonly edgeRelation: Uint32Array;

  /** Call-to-return edges: what flows around a call; at most one per (call vertex, return site). */
  readonly bypassStart: Uint32Array;
  readonly bypassCall: Uint32Array;
  readonly bypassReturn: Uint32Array;
  readonly bypassRelation: Uint32Array;

  /** Calls: from a call vertex into a callee's start, back from one of its exits to a return site. */
  readonly callStart: Uint32Array;
  readonly callVertex: Uint32Array;
  readonly callReturn: Uint32Array;
  readonly callCallee: Uint32Array;
  readonly callEntryRelation: Uint32Array;
  readonly callExitRelation: Uint32Array;
  /** The callee's exit vertex that this return leaves from. */
  readonly callExit: Uint32Array;

  readonly relations: FlowRelations;
  /** Entry procedure of the exhaustive problem. */
  readonly entry: number;
  /** Free-form information about the instance (program, analysis, ...), in file order. */
  readonly header: readonly (readonly [key: string, value: string])[];
}
