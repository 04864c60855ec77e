/**
 * Stores that a source shows as assignments to a variable, by `LocalVariableTable`: the table's entry says which of the
 * variables that share a local is meant. Left out are variables that nothing loads, exceptions that handlers are given,
 * increments, which stand in expressions as often as not, and constants that a variable is only declared with: null, 0, 1, -1.
 * O(instructions * entries of a local).
 */

import type { CodeAttribute } from "../class-file/class-file.js";
import type { CodeGraph } from "./code-graph.js";
import { isWithin, Opcode } from "./opcodes.js";

/** A node of the flow graph, the local that it stores to, and what the source calls that. */
export interface NamedStore {
  readonly node: number;
  readonly local: number;
  readonly name: string;
}

export function namedStores(graph: CodeGraph, code: CodeAttribute): NamedStore[] {
  const { count, instruction, instructions, landings } = graph;
  const { opcodes, operands, offsets } = instructions;
  if (code.locals.length === 0) return [];
  /** The table's entry for a local at an offset, or the one that begins behind the instruction there, as an initializer's does. */
  const entryAt = (local: number, offset: number) =>
    code.locals.findIndex(({ index, from, to }) => index === local && from <= offset && offset < to);
  const loaded = new Set<number>();
  for (let node = 0; node < count; node++) {
    const i = instruction[node];
    if (isWithin(opcodes[i], Opcode.iload, Opcode.aload)) loaded.add(entryAt(operands[i], offsets[i]));
  }
  const handlers = new Set(landings.flatMap((landing) => landing.handlers));
  const stores: NamedStore[] = [];
  for (let node = 0; node < count; node++) {
    const i = instruction[node];
    if (!isWithin(opcodes[i], Opcode.istore, Opcode.astore) || handlers.has(node)) continue;
    const local = operands[i];
    const within = entryAt(local, offsets[i]);
    const entry = 0 <= within || i + 1 === offsets.length ? within : entryAt(local, offsets[i + 1]);
    if (entry < 0 || !loaded.has(entry)) continue;
    const isPlaceholder = within < 0 && 0 < i && isPlain(opcodes[i - 1]);
    if (!isPlaceholder) stores.push({ node, local, name: code.locals[entry].name });
  }
  return stores;
}

/** `aconst_null` to `iconst_1`, and zero and one of the other types. */
const isPlain = (opcode: number): boolean =>
  isWithin(opcode, 1, 4) || isWithin(opcode, 9, 12) || isWithin(opcode, 14, 15);
