/** Rows of numbers under construction, kept column by column, as an exploded supergraph has its edges and calls. */

import { GrowableUint32 } from "../exploded/growable-uint32.js";

export class Columns {
  readonly #columns: readonly GrowableUint32[];

  constructor(width: number) {
    this.#columns = Array.from({ length: width }, () => new GrowableUint32());
  }

  get length(): number {
    return this.#columns[0].length;
  }

  push(...row: number[]): void {
    for (let i = 0; i < row.length; i++) this.#columns[i].push(row[i]);
  }

  column(index: number): Uint32Array {
    return this.#columns[index].toArray();
  }
}
