/**
 * A graph that shrinks by eliminating vertices: the eliminated vertex goes, its neighbours become a clique. Edges
 * are pairs of half-edges in doubly linked lists, `h` and `h ^ 1` being the two directions, so that an edge is
 * added or removed in O(1) and a hub of 10^5 neighbours costs nothing when one of them goes. Adjacency is asked by
 * walking the shorter list, or in a hash table, built when first needed, where both lists are long.
 */

import type { Graph } from "./graph.js";
import { extendedInt32, grownInt32 } from "./scratch.js";

/** Lists up to this length are walked; longer ones are looked up in the hash table. */
const SHORT_LIST = 16;

export class FilledGraph {
  /** First half-edge of each vertex, -1 if none. */
  head: Int32Array<ArrayBuffer> = new Int32Array(64);
  degree: Int32Array<ArrayBuffer> = new Int32Array(64);
  /** Per half-edge: the vertex it leads to, and its neighbours in the list of the vertex it leaves. */
  target: Int32Array<ArrayBuffer> = new Int32Array(256);
  next: Int32Array<ArrayBuffer> = new Int32Array(256);
  previous: Int32Array<ArrayBuffer> = new Int32Array(256);
  private used = 0;
  /** Open addressing; an entry is one more than the even half-edge of an edge, 0 where free. */
  private table: Int32Array<ArrayBuffer> = new Int32Array(0);
  private hashed = false;

  /** Become a copy of `graph`, lists ascending. O(n + m). */
  load(graph: Graph): void {
    const { vertexCount, neighbourStart, neighbours } = graph;
    this.head = grownInt32(this.head, vertexCount);
    this.degree = grownInt32(this.degree, vertexCount);
    this.target = grownInt32(this.target, neighbours.length);
    this.next = grownInt32(this.next, neighbours.length);
    this.previous = grownInt32(this.previous, neighbours.length);
    this.used = 0;
    this.hashed = false;
    this.head.fill(-1, 0, vertexCount);
    const degree = this.degree;
    for (let v = 0; v < vertexCount; v++) degree[v] = 0;
    for (let v = vertexCount - 1; v >= 0; v--) {
      for (let i = neighbourStart[v + 1] - 1; i >= neighbourStart[v]; i--) {
        const u = neighbours[i];
        if (u < v) this.link(u, v);
      }
    }
  }

  /** Add the edge x - y, which must not exist. O(1) amortised. */
  connect(x: number, y: number): void {
    const edge = this.used;
    if (edge + 2 > this.target.length) {
      this.target = extendedInt32(this.target, edge + 2);
      this.next = extendedInt32(this.next, edge + 2);
      this.previous = extendedInt32(this.previous, edge + 2);
    }
    this.link(x, y);
    if (this.hashed) this.remember(edge);
  }

  private link(x: number, y: number): void {
    const { head, next, previous, target, degree } = this;
    const out = this.used;
    const back = out + 1;
    this.used = out + 2;
    target[out] = y;
    target[back] = x;
    const first = head[x];
    next[out] = first;
    previous[out] = -1;
    if (first >= 0) previous[first] = out;
    head[x] = out;
    const firstOfY = head[y];
    next[back] = firstOfY;
    previous[back] = -1;
    if (firstOfY >= 0) previous[firstOfY] = back;
    head[y] = back;
    degree[x]++;
    degree[y]++;
  }

  /** Take v out of its neighbours' lists and degrees; v keeps its own list, but may not be asked about any more. */
  detach(v: number): void {
    const { head, next, previous, target, degree } = this;
    for (let h = head[v]; h >= 0; h = next[h]) {
      const back = h ^ 1;
      const x = target[h];
      const before = previous[back];
      const after = next[back];
      if (before >= 0) next[before] = after;
      else head[x] = after;
      if (after >= 0) previous[after] = before;
      degree[x]--;
    }
  }

  /** Is x - y an edge? O(1): a walk along at most 16 edges, or an expected constant number of probes. */
  adjacent(x: number, y: number): boolean {
    const { degree, next, target } = this;
    let from = x;
    let to = y;
    if (degree[y] < degree[x]) {
      from = y;
      to = x;
    }
    if (degree[from] <= SHORT_LIST) {
      for (let h = this.head[from]; h >= 0; h = next[h]) if (target[h] === to) return true;
      return false;
    }
    if (!this.hashed) this.rehash();
    const table = this.table;
    const mask = table.length - 1;
    for (let slot = hash(x, y) & mask; table[slot] !== 0; slot = (slot + 1) & mask) {
      const h = table[slot] - 1;
      const a = target[h];
      const b = target[h + 1];
      if ((a === x && b === y) || (a === y && b === x)) return true;
    }
    return false;
  }

  private remember(edge: number): void {
    if (this.used > this.table.length) {
      this.rehash();
      return;
    }
    const { table, target } = this;
    const mask = table.length - 1;
    let slot = hash(target[edge], target[edge + 1]) & mask;
    while (table[slot] !== 0) slot = (slot + 1) & mask;
    table[slot] = edge + 1;
  }

  /** Build the table anew, at most a quarter full, from all edges ever added: stale ones are never asked for. */
  private rehash(): void {
    let size = 64;
    while (size < 2 * this.used) size *= 2;
    this.table = new Int32Array(size);
    this.hashed = true;
    for (let edge = 0; edge < this.used; edge += 2) this.remember(edge);
  }
}

/** The same for (x, y) and (y, x). */
function hash(x: number, y: number): number {
  const low = Math.min(x, y);
  const high = x ^ y ^ low;
  let mixed = Math.imul(low, 0x9e3779b1) ^ Math.imul(high + 0x7f4a7c15, 0x85ebca77);
  mixed ^= mixed >>> 15;
  mixed = Math.imul(mixed, 0x2c1b3c6d);
  return mixed ^ (mixed >>> 13);
}
