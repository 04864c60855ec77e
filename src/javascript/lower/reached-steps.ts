/** Which steps of a code control can get to, by its graph alone. Cost: linear in the graph. */

import { type Code, START, STEP_SIZE } from "./code.js";

/** Per step 1 if control can get there from the start without coming to any of `closed`; else 0. */
export function reachedSteps({ steps, edges }: Code, closed: readonly number[] = []): Uint8Array {
  const count = steps.length / STEP_SIZE;
  const first = new Uint32Array(count + 1);
  for (let e = 0; e < edges.length; e += 3) first[edges[e] + 1]++;
  for (let v = 0; v < count; v++) first[v + 1] += first[v];
  const next = first.slice();
  const successors = new Uint32Array(edges.length / 3);
  for (let e = 0; e < edges.length; e += 3) successors[next[edges[e]]++] = edges[e + 1];
  const reached = new Uint8Array(count);
  for (const step of closed) reached[step] = 2;
  const work = [START];
  reached[START] = 1;
  while (0 < work.length) {
    const step = work.pop()!;
    for (let i = first[step]; i < first[step + 1]; i++) {
      if (reached[successors[i]] !== 0) continue;
      reached[successors[i]] = 1;
      work.push(successors[i]);
    }
  }
  for (const step of closed) reached[step] = 0;
  return reached;
}
