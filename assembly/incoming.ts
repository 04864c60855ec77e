/** Chains by the node they enter, for the procedure being worked on. Linear in its chains. */

import { allocate, allocateZeroed } from "./arena";
import { P_CHAIN_BASE, P_CHAINS } from "./image";
import { nodeCount, record, setWord, tailOf, word } from "./program";

let starts: usize = 0;
let list: usize = 0;

/** Lists the chains; false if memory is exhausted. */
export function listIncoming(): bool {
  const first = word(record, P_CHAIN_BASE);
  const count = word(record, P_CHAINS);
  starts = allocateZeroed((<usize>(nodeCount + 2)) << 2);
  list = allocate((<usize>count) << 2);
  if (starts === 0 || list === 0) return false;
  for (let chain = first; chain < first + count; chain++) {
    const at = tailOf(chain) + 2;
    setWord(starts, at, word(starts, at) + 1);
  }
  for (let v: u32 = 1; v <= nodeCount; v++) setWord(starts, v + 1, word(starts, v) + word(starts, v + 1));
  for (let chain = first; chain < first + count; chain++) {
    const tail = tailOf(chain) + 1;
    const at = word(starts, tail);
    setWord(starts, tail, at + 1);
    setWord(list, at, chain);
  }
  return true;
}

/** The chains that enter node v are `incomingAt(i)` for i in `firstIncoming(v) .. firstIncoming(v + 1) - 1`. */
export function firstIncoming(v: u32): u32 {
  return word(starts, v);
}

export function incomingAt(i: u32): u32 {
  return word(list, i);
}
