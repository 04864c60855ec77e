/**
 * Fact groups: facts that never influence each other are separate problems that share the zero fact. Two facts
 * influence each other if some arc's relation has the pair (d, t), both not zero and d != t; groups are the connected
 * parts of that relation. A pair (d, 0) with d != 0 joins everything. Near-linear in the entries of the relations.
 */

import { MODE_JOINED, P_GROUPS, P_LABEL_BITS, P_MODE } from "../../assembly/image.js";
import type { Program } from "./program.js";
import type { Relations } from "./relation.js";

function find(parents: Int32Array, at: number, fact: number): number {
  let root = fact;
  while (parents[at + root] !== root) root = parents[at + root];
  for (let d = fact; parents[at + d] !== root; ) {
    const next = parents[at + d];
    parents[at + d] = root;
    d = next;
  }
  return root;
}

/**
 * Joins what a relation joins, in the partition at `at` of `parents`; whether it changed. Fact 0 joined to another
 * stands for the joined procedure, in which the partition no longer matters.
 */
export function joinByRelation(
  parents: Int32Array,
  at: number,
  relations: Relations,
  relation: number,
): boolean {
  if (relation === 0) return false;
  const blocks = relations.words;
  const m = blocks[relation];
  const ends = relation + 1 + m;
  const targets = ends + m;
  let changed = false;
  let k = 0;
  for (let i = 0; i < m; i++) {
    const d = blocks[relation + 1 + i];
    const to = blocks[ends + i];
    if (d === 0) k = to;
    for (; k < to; k++) {
      const t = blocks[targets + k];
      if (t === d) continue;
      const a = find(parents, at, d);
      const b = find(parents, at, t);
      if (a === b) continue;
      parents[at + Math.max(a, b)] = Math.min(a, b);
      changed = true;
    }
  }
  return changed;
}

/** The partition by all arcs of the procedure being worked on, written to `at` of `parents`. */
export function partition(program: Program, relations: Relations, parents: Int32Array, at: number): void {
  const { factCount, chainBase, chainCount, arcRelation } = program;
  for (let d = 0; d < factCount; d++) parents[at + d] = d;
  const end = program.firstArcOf(chainBase + chainCount);
  for (let arc = program.firstArcOf(chainBase); arc < end; arc++) {
    joinByRelation(parents, at, relations, arcRelation[arc]);
  }
}

/**
 * Writes the groups of a partition into the image: per fact its group and index there, per group its columns and the
 * offset of its rows among a node's labels, in bits per ancestor (labels.ts). Groups are numbered by their least fact.
 */
export function writeGroups(program: Program, parents: Int32Array, at: number): void {
  const { factCount, image, record } = program;
  let isJoined = false;
  for (let d = 1; d < factCount; d++) if (find(parents, at, d) === 0) isJoined = true;
  let groups = 0;
  let bits = 3;
  if (isJoined) {
    for (let d = 0; d < factCount; d++) program.setFact(d, 0, d);
    program.setGroup(0, factCount, 1);
    groups = 1;
    bits = 1 + 2 * factCount * factCount;
  } else {
    program.setFact(0, 0, 0);
    program.setGroup(0, 0, 3);
    for (let d = 1; d < factCount; d++) {
      const root = find(parents, at, d);
      const g = root === d ? groups++ : program.groupOf(root);
      const columns = root === d ? 1 : program.columnsOf(g) + 1;
      program.setGroup(g, columns, 0);
      program.setFact(d, g, columns);
    }
    groups = Math.max(groups, 1);
    for (let g = 0; g < groups; g++) {
      const k = program.columnsOf(g);
      program.setGroup(g, k, bits);
      bits += 2 * k * (k + 1);
    }
  }
  image[record + P_GROUPS] = groups;
  image[record + P_MODE] = isJoined ? MODE_JOINED : 0;
  image[record + P_LABEL_BITS] = Math.min(bits, 0xffffffff);
  program.useGroups();
}
