/**
 * One procedure under construction: its vertices by number or by label, edges, calls. It knows other procedures by name
 * alone; what takes all of them, callees and sizes of fact domains, is checked by the program's builder.
 */

import { MAX_FACTS, MAX_VERTICES } from "../exploded/limits.js";
import { isIterable, show } from "../exploded/shown-value.js";
import type { VertexRef } from "./supergraph.js";

/** Number of an interned flow relation of one builder; 0 is the identity. */
export type Relation = number;

export interface ProcedureOptions {
  /**
   * The vertices: how many, or their labels in order. Where they are not given, a label declares a vertex when it is
   * first used; to give vertices by number alone, say how many.
   */
  readonly vertices?: number | Iterable<string>;
  /** Size of the fact domain, the zero fact 0 included; 1 by default. */
  readonly facts?: number;
  /** The first vertex by default. */
  readonly start?: VertexRef;
  /**
   * The last vertex by default, which then must not have edges out of it. The first of several is the default exit of
   * calls. A procedure that never returns has an exit that no edge leads to.
   */
  readonly exits?: Iterable<VertexRef>;
}

export interface CallOptions {
  /** From facts at the call vertex to facts at the callee's start; the identity by default. */
  readonly call?: Relation;
  /** From facts at the callee's exit to facts at the return site; the identity by default. */
  readonly return?: Relation;
  /** The exit of the callee that returns here; its first by default. */
  readonly exit?: VertexRef;
}

/**
 * One procedure under construction; comes from `SupergraphBuilder.procedure`. Vertices are given by number or label
 * wherever one is expected, and every method that adds something returns the builder for chaining.
 */
export class ProcedureBuilder<D = unknown> {
  readonly id: number;
  readonly name: string;
  /** Size of the fact domain. */
  readonly facts: number;
  vertexCount = 0;

  /** @internal (source, target, relation) per edge */
  readonly edges: number[] = [];
  /** @internal (call vertex, return site, relation) per call-to-return edge */
  readonly bypasses: number[] = [];
  /** @internal */
  readonly calls: Call<D>[] = [];
  /** @internal */
  readonly ids = new Map<string, number>();
  /** @internal */
  readonly labels = new Map<number, string>();
  /** @internal */
  readonly data = new Map<number, D>();
  /** @internal */
  startVertex = 0;
  /** @internal */
  exitVertices: readonly number[] = [];

  readonly #options: ProcedureOptions;
  readonly #checkRelation: (relation: Relation) => void;
  /** Position in `bypasses` of each call-to-return edge that was asked for or is implied by a call. */
  readonly #bypassOf = new Map<number, number>();
  readonly #explicit = new Set<number>();

  /** @internal */
  constructor(
    id: number,
    name: string,
    options: ProcedureOptions,
    checkRelation: (relation: Relation) => void,
  ) {
    this.id = id;
    this.name = name;
    this.facts = options.facts ?? 1;
    this.#options = options;
    this.#checkRelation = checkRelation;
    if (!(Number.isInteger(this.facts) && 1 <= this.facts && this.facts <= MAX_FACTS)) {
      throw new RangeError(
        `Procedure ${name}: got ${show(this.facts)} facts, expected an integer from 1 to ${MAX_FACTS}.`,
      );
    }
    const { vertices = 0 } = options;
    if (typeof vertices === "number") {
      const least = options.vertices === undefined ? 0 : 1;
      if (!(Number.isInteger(vertices) && least <= vertices && vertices <= MAX_VERTICES)) {
        throw new RangeError(
          `Procedure ${name}: got ${vertices} vertices, expected an integer from 1 to ${MAX_VERTICES}.`,
        );
      }
      this.vertexCount = vertices;
    } else {
      if (!isIterable(vertices)) {
        throw new TypeError(
          `Procedure ${name}: got vertices ${show(vertices)}, expected how many or a list of their labels.`,
        );
      }
      for (const label of vertices) {
        if (typeof label !== "string") {
          throw new TypeError(
            `Procedure ${name}: got vertex ${show(label)}, expected a label, which is text.`,
          );
        }
        if (this.ids.has(label))
          throw new Error(`Procedure ${name}: got vertex "${label}" twice, expected unique labels.`);
        this.vertex(label);
      }
    }
  }

  /**
   * The id of the vertex with this label, which is declared unless it exists; or of a vertex given by id.
   *
   * @param data attached to the vertex, replacing what was attached before
   */
  vertex(vertex: VertexRef, data?: D): number {
    const id =
      typeof vertex === "string" ? (this.ids.get(vertex) ?? this.#declare(vertex)) : this.#resolve(vertex);
    if (data !== undefined) this.data.set(id, data);
    return id;
  }

  /** An edge within the procedure; parallel edges and self-loops are fine. */
  edge(from: VertexRef, to: VertexRef, relation: Relation = 0): this {
    this.#checkRelation(relation);
    this.edges.push(this.#resolve(from), this.#resolve(to), relation);
    return this;
  }

  /**
   * A call: from `site` into the callee's start, and from one of its exits back to `returnSite`. Say it once per
   * possible callee, and once per exit that the callee can return from. The callee may be declared later.
   *
   * Facts also flow around the call, all of them unless `callToReturn` says otherwise.
   */
  call(
    site: VertexRef,
    returnSite: VertexRef,
    callee: string | ProcedureBuilder<D>,
    options: CallOptions = {},
  ): this {
    const { call = 0, return: back = 0, exit } = options;
    if (typeof callee !== "string" && !(callee instanceof ProcedureBuilder)) {
      throw new TypeError(
        `Procedure ${this.name}: got callee ${show(callee)}, expected the name of a procedure or its builder.`,
      );
    }
    this.#checkRelation(call);
    this.#checkRelation(back);
    const from = this.#resolve(site);
    const to = this.#resolve(returnSite);
    this.calls.push({ site: from, returnSite: to, callee, call, return: back, exit });
    this.#bypass(from, to);
    return this;
  }

  /**
   * What flows around the call at `site` to `returnSite`, whatever the callees do: say it at most once per pair. To let
   * nothing through, give the empty relation, `relation([])`.
   */
  callToReturn(site: VertexRef, returnSite: VertexRef, relation: Relation = 0): this {
    this.#checkRelation(relation);
    const from = this.#resolve(site);
    const to = this.#resolve(returnSite);
    const key = from * MAX_VERTICES + to;
    if (this.#explicit.has(key)) {
      const edge = `${this.label(from)} -> ${this.label(to)} of ${this.name}`;
      throw new Error(
        `Got a second call-to-return edge ${edge}, expected at most one per call site and return site.`,
      );
    }
    this.#explicit.add(key);
    this.bypasses[this.#bypass(from, to) + 2] = relation;
    return this;
  }

  /** @internal The label of a vertex, or its id. */
  label(vertex: number): string {
    return this.labels.get(vertex) ?? String(vertex);
  }

  /** @internal The id of a vertex if it exists. */
  known(vertex: VertexRef): number | undefined {
    if (typeof vertex === "string") return this.ids.get(vertex);
    return Number.isInteger(vertex) && 0 <= vertex && vertex < this.vertexCount ? vertex : undefined;
  }

  /** @internal Settles the start and the exits. */
  finish(): void {
    const { start, exits } = this.#options;
    if (start !== undefined) this.startVertex = this.#existing(start);
    if (exits !== undefined) {
      if (!isIterable(exits)) {
        throw new TypeError(`Procedure ${this.name}: got exits ${show(exits)}, expected a list of vertices.`);
      }
      this.exitVertices = Array.from(exits, (exit) => this.#existing(exit));
      if (this.exitVertices.length === 0 || new Set(this.exitVertices).size < this.exitVertices.length) {
        throw new Error(
          `Procedure ${this.name}: got exits [${this.exitVertices.map((v) => this.label(v)).join(", ")}], ` +
            "expected at least one and each once.",
        );
      }
    }
    if (this.vertexCount === 0)
      throw new Error(`Procedure ${this.name}: got no vertices, expected at least one.`);
    if (exits !== undefined) return;
    const last = this.vertexCount - 1;
    for (const list of [this.edges, this.bypasses]) {
      for (let i = 0; i < list.length; i += 3) {
        if (list[i] !== last) continue;
        throw new Error(
          `Procedure ${this.name}: got edges out of ${this.label(last)}, the last vertex, ` +
            "expected none or the option exits to say where the procedure ends.",
        );
      }
    }
    this.exitVertices = [last];
  }

  /** Position of the call-to-return edge, which is added as identity unless it exists. */
  #bypass(site: number, returnSite: number): number {
    const key = site * MAX_VERTICES + returnSite;
    let position = this.#bypassOf.get(key);
    if (position === undefined) {
      position = this.bypasses.length;
      this.#bypassOf.set(key, position);
      this.bypasses.push(site, returnSite, 0);
    }
    return position;
  }

  /** The id of a vertex; a new label declares one where the vertices were not given. */
  #resolve(vertex: VertexRef): number {
    const declares = typeof vertex === "string" && this.#options.vertices === undefined;
    return this.known(vertex) ?? (declares ? this.#declare(vertex) : this.#existing(vertex));
  }

  #existing(vertex: VertexRef): number {
    const known = this.known(vertex);
    if (known !== undefined) return known;
    let expected = `an integer from 0 to ${this.vertexCount - 1}`;
    if (typeof vertex === "string") expected = "a declared label";
    else if (this.#options.vertices === undefined) {
      expected =
        this.vertexCount === 0
          ? "a label, or the option vertices to say how many vertices there are"
          : `a label, ${expected}, or the option vertices to say how many there are`;
    }
    throw new RangeError(`Procedure ${this.name}: got vertex ${show(vertex)}, expected ${expected}.`);
  }

  #declare(label: string): number {
    const id = this.vertexCount++;
    this.ids.set(label, id);
    this.labels.set(id, label);
    return id;
  }
}

/** @internal A call as it was said. */
export interface Call<D> {
  readonly site: number;
  readonly returnSite: number;
  readonly callee: string | ProcedureBuilder<D>;
  readonly call: Relation;
  readonly return: Relation;
  readonly exit: VertexRef | undefined;
}
