/**
 * The rule `unreachable-code`: code that no execution gets to although its function runs, calls that never return taken into
 * account. A function may be several procedures, and a step several vertices: code is reached if any of them is.
 */

import { reachability } from "../clients/reachability.js";
import { placeAt } from "../program/diagnostic.js";
import type { Program } from "../program/program.js";
import { analyzeAnywhere } from "./any-host.js";
import type { Finding } from "./finding.js";

/**
 * Findings in the order of the sources, one for each stretch of code. `programs` are programs over the same files whose
 * executions together are all there are. Costs a reachability analysis of each.
 */
export function unreachableCode(programs: readonly Program[]): Finding[] {
  const files = programs[0]?.files ?? [];
  const reached = files.map(() => new Map<string, readonly [start: number, end: number]>());
  const missed = files.map(() => new Map<string, readonly [start: number, end: number]>());
  for (const program of programs) {
    const executed = analyzeAnywhere(reachability(program));
    for (const [number, { file, ranges, vertexCount }] of program.procedures.entries()) {
      // What never runs at all is somebody else's: it may be an export that nobody uses.
      if (file < 0 || vertexCount === 0 || !executed.reaches(number, 0)) continue;
      const dead = new Uint8Array(vertexCount);
      for (const vertex of executed.unreachable(number)) dead[vertex] = 1;
      for (let vertex = 0; vertex < vertexCount; vertex++) {
        const [start, end] = [ranges[2 * vertex], ranges[2 * vertex + 1]];
        if (start === end) continue;
        if (dead[vertex] === 0) reached[file].set(`${start} ${end}`, [start, end]);
        else missed[file].set(`${start} ${end}`, [start, end]);
      }
    }
  }
  return files.flatMap(({ path, text }, file) => {
    const running = [...reached[file].values()].sort(([a], [b]) => a - b);
    const stretches = Array.from(missed[file])
      .filter(([key, range]) => !reached[file].has(key) && !hasInside(running, range))
      .map(([, range]) => range)
      .sort(([a, b], [c, d]) => a - c || d - b);
    return joined(stretches, running, text).map(([start, end]): Finding => {
      const from = placeAt(path, text, start);
      const to = placeAt(path, text, end);
      return {
        rule: "unreachable-code",
        severity: "warning",
        ...from,
        endLine: to.line,
        endColumn: to.column,
        name: text.slice(start, end).split("\n")[0].slice(0, 40),
        message: "This code can never run.",
        witness: [],
      };
    });
  });
}

/** Whether one of some ranges, by start, lies in another: parts of an expression can run though the whole is never done. */
function hasInside(
  ranges: readonly (readonly [start: number, end: number])[],
  [start, end]: readonly [number, number],
): boolean {
  let low = 0;
  for (let high = ranges.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (ranges[middle][0] < start) low = middle + 1;
    else high = middle;
  }
  for (let i = low; i < ranges.length && ranges[i][0] < end; i++) if (ranges[i][1] <= end) return true;
  return false;
}

/** Ranges with nothing but blanks and punctuation between them, and nothing that runs, as one; a text may not be at hand. */
function joined(
  ranges: readonly (readonly [start: number, end: number])[],
  running: readonly (readonly [start: number, end: number])[],
  text: string,
): [start: number, end: number][] {
  const result: [number, number][] = [];
  for (const [start, end] of ranges) {
    const last = result[result.length - 1];
    const isBlank = last !== undefined && /^[\s;,(){}]*$/.test(text.slice(last[1], start));
    if (last !== undefined && (start <= last[1] || (isBlank && !hasInside(running, [last[1], start]))))
      last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}
