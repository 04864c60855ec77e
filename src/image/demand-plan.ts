/**
 * How long a procedure's labels are, found out when that is first asked: only then is the procedure decomposed. For
 * analyses on demand, whose images are laid out without elimination trees. Costs what decomposing the procedure does.
 */

import type { Preprocessing } from "../engine.js";
import { decomposeInImage } from "./decompose.js";

export class DemandPlan {
  /** Per procedure: units of 8 bytes that its labels take, or -1 as long as that is unknown. */
  readonly length: Float64Array;
  readonly #preprocessing: Preprocessing;
  readonly #labelBudget: number;

  /** For a program whose summaries are there; `labelBudget` is the most bytes of labels for one procedure. */
  constructor(preprocessing: Preprocessing, procedures: number, labelBudget: number) {
    this.length = new Float64Array(procedures).fill(-1);
    this.#preprocessing = preprocessing;
    this.#labelBudget = labelBudget;
  }

  lengthOf(p: number): number {
    if (this.length[p] < 0) {
      decomposeInImage(this.#preprocessing.sealed(), p);
      this.length[p] = this.#preprocessing.planProcedure(p, this.#labelBudget);
    }
    return this.length[p];
  }
}
