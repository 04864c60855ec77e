/**
 * Exception handlers by instruction: those whose range holds it, in the order in which they are tried, up to the first that
 * takes everything. Instructions between two boundaries of ranges share one list. O(boundaries times ranges), which is
 * bounded.
 */

import { ClassFormatError } from "../class-file/byte-reader.js";
import type { CodeAttribute } from "../class-file/class-file.js";
import type { Instructions } from "./instructions.js";

/** Work past which an exception table is refused: a method of 64 kB has no use for it. */
const MOST_WORK = 1 << 25;

export interface Handlers {
  /** Per instruction: its list, 0 for none. */
  readonly listOf: Uint32Array;
  readonly lists: readonly HandlerList[];
}

export interface HandlerList {
  /** Instructions at which handlers begin, each once. */
  readonly targets: readonly number[];
  /** Whether one of them takes every exception. */
  readonly takesAll: boolean;
}

const NONE: HandlerList = { targets: [], takesAll: false };

export function handlersOf({ exceptionTable, start }: CodeAttribute, instructions: Instructions): Handlers {
  const { at, count } = instructions;
  const listOf = new Uint32Array(count);
  const lists: HandlerList[] = [NONE];
  const length = at.length - 1;
  const instructionAt = (offset: number, mayBeEnd: boolean): number => {
    const number = offset < length || (mayBeEnd && offset === length) ? at[offset] : -1;
    if (number < 0)
      throw new ClassFormatError(start, `an exception table with ${offset}`, "starts of instructions");
    return number;
  };
  const ranges: { from: number; to: number; target: number; takesAll: boolean }[] = [];
  const boundaries = new Set<number>([count]);
  for (let i = 0; i < exceptionTable.length; i += 4) {
    const from = instructionAt(exceptionTable[i], false);
    const to = instructionAt(exceptionTable[i + 1], true);
    const target = instructionAt(exceptionTable[i + 2], false);
    if (to <= from) continue;
    ranges.push({ from, to, target, takesAll: exceptionTable[i + 3] === 0 });
    boundaries.add(from).add(to);
  }
  if (MOST_WORK < boundaries.size * ranges.length)
    throw new ClassFormatError(start, `${ranges.length} exception handlers`, "fewer");
  const ordered = [...boundaries].sort((a, b) => a - b);
  const known = new Map<string, number>();
  for (let i = 0; i + 1 < ordered.length; i++) {
    const targets = new Set<number>();
    let takesAll = false;
    for (const range of ranges) {
      if (ordered[i] < range.from || range.to <= ordered[i]) continue;
      targets.add(range.target);
      takesAll = range.takesAll;
      if (takesAll) break;
    }
    if (targets.size === 0) continue;
    const key = `${[...targets].join()} ${takesAll}`;
    let list = known.get(key);
    if (list === undefined) {
      list = lists.length;
      known.set(key, list);
      lists.push({ targets: [...targets], takesAll });
    }
    listOf.fill(list, ordered[i], ordered[i + 1]);
  }
  return { listOf, lists };
}
