/** Chains by the node they enter, for the procedure being worked on. Linear in its chains. */

import { allocateWords } from "./bitset.js";
import type { Program } from "./program.js";

export class Incoming {
  /** The chains that enter node v are `chains[i]` for i in `start[v] .. start[v + 1] - 1`. */
  start = allocateWords(1 << 8, "Labels");
  chains = allocateWords(1 << 8, "Labels");

  list(program: Program): void {
    const { nodeCount, chainBase, chainCount } = program;
    if (this.start.length < nodeCount + 2) this.start = allocateWords(2 * (nodeCount + 2), "Labels");
    else this.start.fill(0, 0, nodeCount + 2);
    if (this.chains.length < chainCount) this.chains = allocateWords(2 * chainCount, "Labels");
    const { start, chains } = this;
    for (let chain = chainBase; chain < chainBase + chainCount; chain++) start[program.tailOf(chain) + 2]++;
    for (let v = 1; v <= nodeCount; v++) start[v + 1] += start[v];
    for (let chain = chainBase; chain < chainBase + chainCount; chain++) {
      chains[start[program.tailOf(chain) + 1]++] = chain;
    }
  }
}
