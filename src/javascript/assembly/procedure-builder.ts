/** A procedure in the making. */

import { type CallSite, OPERATION_SIZE, Op, type Procedure } from "../../program/program.js";

/** Variables through which values get into a procedure and out of it. */
export type ProcedureValues = Pick<Procedure, "parameters" | "rest" | "result" | "receiver">;

/** Those of a call. */
export type CallValues = Pick<CallSite, "arguments" | "result" | "receiver">;

export const NO_CALL_VALUES: CallValues = { arguments: new Int32Array(0), result: -1, receiver: -1 };
export const NO_PROCEDURE_VALUES: ProcedureValues = {
  parameters: new Int32Array(0),
  rest: false,
  result: -1,
  receiver: -1,
};

/** Collects a procedure's vertices, edges and operations, in any order. */
export class ProcedureBuilder {
  readonly #ranges: number[] = [];
  readonly #edges: number[] = [];
  readonly #exceptional: number[] = [];
  /** Vertex, then `OPERATION_SIZE` numbers. */
  readonly #operations: number[] = [];
  readonly calls: CallSite[] = [];
  /** Operations so far that throw, or give something undefined, if a variable has no value yet. */
  useCount = 0;

  get vertexCount(): number {
    return this.#ranges.length / 2;
  }

  vertex(start: number, end: number): number {
    this.#ranges.push(start, end);
    return this.vertexCount - 1;
  }

  edge(from: number, to: number, exceptional = 0): void {
    this.#edges.push(from, to);
    this.#exceptional.push(exceptional);
  }

  operation(vertex: number, code: number, variable: number, source = 0, paths = 0): void {
    if (code === Op.read || code === Op.check || code === Op.demand) this.useCount++;
    this.#operations.push(vertex, code, variable, source, paths);
  }

  finish(
    rest: Pick<Procedure, "name" | "kind" | "file" | "start" | "end" | "exit" | "exceptionalExit">,
    values: ProcedureValues = NO_PROCEDURE_VALUES,
  ): Procedure {
    const count = this.vertexCount;
    const size = OPERATION_SIZE + 1;
    const operationStart = new Uint32Array(count + 1);
    for (let i = 0; i < this.#operations.length; i += size) operationStart[this.#operations[i] + 1]++;
    for (let v = 0; v < count; v++) operationStart[v + 1] += operationStart[v];
    const next = operationStart.slice();
    const operations = new Uint32Array((this.#operations.length / size) * OPERATION_SIZE);
    for (let i = 0; i < this.#operations.length; i += size) {
      const at = next[this.#operations[i]]++ * OPERATION_SIZE;
      for (let k = 0; k < OPERATION_SIZE; k++) operations[at + k] = this.#operations[i + 1 + k];
    }
    return {
      ...rest,
      vertexCount: count,
      ranges: Uint32Array.from(this.#ranges),
      operationStart,
      operations,
      edges: Uint32Array.from(this.#edges),
      exceptional: Uint8Array.from(this.#exceptional),
      calls: this.calls,
      ...values,
    };
  }
}
