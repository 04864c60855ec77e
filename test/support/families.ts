/**
 * Program families that are hard for one part of the method or another, as `.ifds` text: each is one procedure of about
 * `n` nodes, in which every fact travels.
 */

export interface Family {
  readonly name: string;
  readonly program: (n: number, facts: number) => string;
}

/** Edges of one procedure over vertices `0 .. n - 1`, start 0, exit n - 1. `shift`: fact d becomes d + 1 there. */
function procedure(
  n: number,
  facts: number,
  edges: readonly (readonly [u: number, v: number, shift?: boolean])[],
): string {
  const shifted = Array.from({ length: facts }, (_, d) => {
    if (d === 0) return facts === 1 ? "0>0" : "0>0,1";
    return `${d}>${d === facts - 1 ? d : d + 1}`;
  });
  const lines = edges.map(([u, v, shift]) => `e ${u} ${v} ${shift ? 1 : 0}`);
  return `IFDS 1\nR 0 I\nR 1 X ${shifted.join(" ")}\nM 0\nP 0 ${n} ${facts} 0 ${n - 1} main\n${lines.join("\n")}\nZ\n`;
}

export const families: readonly Family[] = [
  {
    name: "a nest of loops as deep as the procedure",
    program: (n, facts) => {
      const half = n >> 1;
      const edges: [number, number, boolean?][] = [];
      for (let i = 0; i + 1 < 2 * half; i++) edges.push([i, i + 1, i === half]);
      // Loop i has its head at i and its end at 2 * half - 1 - i.
      for (let i = 1; i < half; i++) edges.push([2 * half - 1 - i, i, i % 3 === 0]);
      return procedure(2 * half, facts, edges);
    },
  },
  {
    name: "loops in a row",
    program: (n, facts) => {
      const edges: [number, number, boolean?][] = [];
      for (let i = 0; i + 1 < n; i++) edges.push([i, i + 1, i % 5 === 0]);
      for (let i = 3; i < n; i += 3) edges.push([i, i - 2, true]);
      return procedure(n, facts, edges);
    },
  },
  {
    name: "a wide switch",
    program: (n, facts) => {
      const edges: [number, number, boolean?][] = [];
      for (let i = 1; i + 1 < n; i++) edges.push([0, i, i % 2 === 0], [i, n - 1, i % 3 === 0]);
      // Every case may fall through to the next.
      for (let i = 1; i + 2 < n; i++) edges.push([i, i + 1]);
      return procedure(n, facts, edges);
    },
  },
  {
    name: "a path that runs against the order of the sweep",
    program: (n, facts) => {
      const edges: [number, number, boolean?][] = [];
      // Forward edges make the numbering, the facts' only way is back along every second vertex.
      for (let i = 0; i + 1 < n; i++) edges.push([i, i + 1]);
      for (let i = n - 2; 2 < i; i -= 2) edges.push([i, i - 2, i % 4 === 0], [i - 2, i - 1]);
      return procedure(n, facts, edges);
    },
  },
  {
    name: "a ladder",
    program: (n, facts) => {
      const half = n >> 1;
      const edges: [number, number, boolean?][] = [];
      for (let i = 0; i + 1 < half; i++) edges.push([i, i + 1, i % 7 === 0], [half + i + 1, half + i]);
      for (let i = 0; i < half; i++) edges.push([i, half + i], [half + i, i, i % 2 === 0]);
      edges.push([half - 1, 2 * half - 1]);
      return procedure(2 * half, facts, edges);
    },
  },
];
