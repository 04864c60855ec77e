/**
 * A `long` or `double` takes two locals, and a store into one half makes the other half unusable. The half after a wide
 * store is plain to see; here is found which stores hit the second half of a wide value: a forward analysis of the locals that
 * hold one on every way, 32 locals at a time, and only of those whose second half some instruction stores to.
 */

import type { CodeGraph } from "./code-graph.js";
import { isWithin, Opcode } from "./opcodes.js";

/** Nodes at which the local before the one that is stored to holds a wide value: 1, others 0. */
export function overwrittenHalves(graph: CodeGraph, wideParameters: readonly number[]): Uint8Array {
  const { count, instruction, instructions, shape, shapes } = graph;
  const hits = new Uint8Array(count);
  const stored = new Set<number>();
  const wide = new Set<number>(wideParameters);
  const isStore = (n: number) => isWithin(instructions.opcodes[instruction[n]], Opcode.istore, Opcode.astore);
  for (let n = 0; n < count; n++) {
    if (!isStore(n)) continue;
    const local = instructions.operands[instruction[n]];
    stored.add(local);
    if (shapes.isWide(shape[n])) wide.add(local);
  }
  const candidates = [...wide].filter((local) => stored.has(local + 1)).sort((a, b) => a - b);
  for (let first = 0; first < candidates.length; first += 32) {
    const bit = new Map<number, number>();
    for (const [i, local] of candidates.slice(first, first + 32).entries()) bit.set(local, 1 << i);
    let initial = 0;
    for (const local of wideParameters) initial |= bit.get(local) ?? 0;
    const before = holdsWide(graph, bit, initial);
    for (let n = 0; n < count; n++) {
      if (!isStore(n)) continue;
      const half = bit.get(instructions.operands[instruction[n]] - 1) ?? 0;
      if ((before[n] & half) !== 0) hits[n] = 1;
    }
  }
  return hits;
}

/** Per node the candidates that hold a wide value before it on every way, as bits. */
function holdsWide(graph: CodeGraph, bit: ReadonlyMap<number, number>, initial: number): Int32Array {
  const { count, instruction, instructions, shape, shapes, successorStart, successors, landing, landings } =
    graph;
  const before = new Int32Array(count).fill(-1);
  before[0] = initial;
  const isPending = new Uint8Array(count);
  const pending: number[] = [];
  const meet = (n: number, bits: number) => {
    const met = before[n] & bits;
    if (met === before[n]) return;
    before[n] = met;
    visit(n);
  };
  const visit = (n: number) => {
    if (isPending[n] === 1) return;
    isPending[n] = 1;
    pending.push(n);
  };
  for (let n = count - 1; 0 <= n; n--) visit(n);
  while (0 < pending.length) {
    const n = pending.pop()!;
    isPending[n] = 0;
    let after = before[n];
    const opcode = instructions.opcodes[instruction[n]];
    if (isWithin(opcode, Opcode.istore, Opcode.astore)) {
      const local = instructions.operands[instruction[n]];
      after &= ~((bit.get(local - 1) ?? 0) | (bit.get(local) ?? 0) | (bit.get(local + 1) ?? 0));
      if (shapes.isWide(shape[n])) after |= bit.get(local) ?? 0;
    }
    for (let i = successorStart[n]; i < successorStart[n + 1]; i++) meet(successors[i], after);
    if (0 <= landing[n]) for (const handler of landings[landing[n]].handlers) meet(handler, before[n]);
  }
  return before;
}
