/** Which steps of a code control can get to, by its graph alone. Cost: linear in the graph; scratch is kept from code to code. */

import { type Code, START, STEP_SIZE } from "./code.js";

/** Control gets to all steps. */
const ALL = new Uint8Array(0);

let first = new Uint32Array(64);
let next = new Uint32Array(64);
let successors = new Uint32Array(64);
let reached = new Uint8Array(64);

/**
 * Per step 1 if control can get there from the start without coming to any of `closed`; else 0. Empty where it gets to all, as it
 * nearly always does.
 */
export function reachedSteps({ steps, edges }: Code, closed: readonly number[] = []): Uint8Array {
  const count = steps.length / STEP_SIZE;
  if (first.length <= count) {
    first = new Uint32Array(2 * count);
    next = new Uint32Array(2 * count);
    reached = new Uint8Array(2 * count);
  }
  if (successors.length < edges.length / 3) successors = new Uint32Array(edges.length);
  first.fill(0, 0, count + 1);
  reached.fill(0, 0, count);
  for (let e = 0; e < edges.length; e += 3) first[edges[e] + 1]++;
  for (let v = 0; v < count; v++) first[v + 1] += first[v];
  next.set(first.subarray(0, count));
  for (let e = 0; e < edges.length; e += 3) successors[next[edges[e]]++] = edges[e + 1];
  for (const step of closed) reached[step] = 2;
  const work = [START];
  reached[START] = 1;
  let found = 0;
  while (0 < work.length) {
    const step = work.pop()!;
    found++;
    for (let i = first[step]; i < first[step + 1]; i++) {
      if (reached[successors[i]] !== 0) continue;
      reached[successors[i]] = 1;
      work.push(successors[i]);
    }
  }
  if (found === count) return ALL;
  for (const step of closed) reached[step] = 0;
  return reached.slice(0, count);
}
