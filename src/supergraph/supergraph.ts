/**
 * The supergraph of a program: procedures, vertices, edges, calls; no facts yet. Its arrays are those of
 * `ExplodedSupergraph`, so that exploding a problem only adds relations. A vertex stands for the program point just
 * before a statement; the edges that leave it in program order perform the statement. Around the arrays the class
 * keeps what people work with: labels, and whatever they attached to a vertex.
 */

import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import { show } from "../exploded/shown-value.js";

/** The arrays of an `ExplodedSupergraph` that say nothing about facts. */
export type Topology = Omit<
  ExplodedSupergraph,
  | "factCount"
  | "edgeRelation"
  | "bypassRelation"
  | "callEntryRelation"
  | "callExitRelation"
  | "relations"
  | "header"
>;

/** A procedure by name or id. */
export type ProcedureRef = string | number;
/** A vertex by label, or by its id in its procedure. */
export type VertexRef = string | number;

/** A vertex as flow functions see it; always the same object for the same vertex of a supergraph. */
export interface Vertex<D = unknown> {
  readonly procedure: Procedure;
  /** Number within the procedure. */
  readonly id: number;
  /** The label it was declared with; otherwise its id. */
  readonly label: string;
  /** What was attached to it, such as a statement. */
  readonly data: D | undefined;
}

export interface Procedure {
  readonly id: number;
  readonly name: string;
  readonly vertexCount: number;
  readonly start: number;
  /** At least one; the first is the default. */
  readonly exits: readonly number[];
}

/** Labels of a procedure's vertices and data attached to them; both sparse. */
export interface VertexNotes<D> {
  readonly ids: ReadonlyMap<string, number>;
  readonly labels: ReadonlyMap<number, string>;
  readonly data: ReadonlyMap<number, D>;
}

export class Supergraph<D = unknown> {
  readonly topology: Topology;
  /** One per procedure. */
  readonly notes: readonly VertexNotes<D>[];
  readonly #procedures: Procedure[];
  readonly #byName = new Map<string, number>();
  readonly #vertices: (Vertex<D> | undefined)[][];

  /** Made by `SupergraphBuilder.supergraph()`; the arrays are taken as valid. */
  constructor(topology: Topology, notes: readonly VertexNotes<D>[]) {
    this.topology = topology;
    this.notes = notes;
    this.#procedures = topology.names.map((name, id) => ({
      id,
      name,
      vertexCount: topology.vertexCount[id],
      start: topology.startVertex[id],
      exits: [...topology.exits.subarray(topology.exitStart[id], topology.exitStart[id + 1])],
    }));
    for (const { id, name } of this.#procedures) if (!this.#byName.has(name)) this.#byName.set(name, id);
    this.#vertices = topology.names.map(() => []);
  }

  get procedureCount(): number {
    return this.topology.procedureCount;
  }

  /** The procedure with this name or id. */
  procedure(procedure: ProcedureRef): Procedure {
    const id = typeof procedure === "string" ? this.#byName.get(procedure) : procedure;
    const found = id === undefined ? undefined : this.#procedures[id];
    if (found === undefined) {
      throw new RangeError(
        `Got procedure ${show(procedure)}, expected ` +
          (typeof procedure === "string"
            ? "the name of a procedure."
            : `0 to ${this.#procedures.length - 1}.`),
      );
    }
    return found;
  }

  /** The vertex with this label or id. */
  vertex(procedure: ProcedureRef, vertex: VertexRef): Vertex<D> {
    const owner = this.procedure(procedure);
    const notes = this.notes[owner.id];
    const id = typeof vertex === "string" ? notes.ids.get(vertex) : vertex;
    if (id === undefined || !(Number.isInteger(id) && 0 <= id && id < owner.vertexCount)) {
      throw new RangeError(
        `Got vertex ${show(vertex)} of ${owner.name}, expected ` +
          (typeof vertex === "string" ? "the label of a vertex." : `0 to ${owner.vertexCount - 1}.`),
      );
    }
    return (this.#vertices[owner.id][id] ??= {
      procedure: owner,
      id,
      label: notes.labels.get(id) ?? String(id),
      data: notes.data.get(id),
    });
  }
}
