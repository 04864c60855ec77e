/**
 * Fact groups: facts that never influence each other are separate problems that share the zero fact. Two facts
 * influence each other if some arc's relation has the pair (d, t), both not zero and d != t; groups are the connected
 * parts of that relation. A pair (d, 0) with d != 0 joins everything. Near-linear in the entries of the relations.
 */

import { MODE_JOINED, P_CHAIN_BASE, P_CHAINS, P_GROUPS, P_LABEL_BITS, P_MODE } from "./image";
import {
  arcRelation,
  columnsOf,
  factCount,
  firstArcOf,
  groupOf,
  record,
  setFact,
  setGroup,
  setWord,
  useGroups,
  word,
} from "./program";
import { blockOf, entryCount, sourceAt, targetAt, targetsTo } from "./relation";

function find(parents: usize, d: u32): u32 {
  let root = d;
  while (word(parents, root) !== root) root = word(parents, root);
  while (word(parents, d) !== root) {
    const next = word(parents, d);
    setWord(parents, d, root);
    d = next;
  }
  return root;
}

/** Starts a partition of the procedure's facts with every fact for itself. */
export function beginPartition(parents: usize): void {
  for (let d: u32 = 0; d < factCount; d++) setWord(parents, d, d);
}

/**
 * Joins what a relation joins; whether the partition changed. Fact 0 joined to another stands for the joined
 * procedure, in which the partition no longer matters.
 */
export function joinByRelation(parents: usize, relation: u32): bool {
  if (relation === 0) return false;
  const block = blockOf(relation);
  const m = entryCount(block);
  let changed = false;
  let k: u32 = 0;
  for (let i: u32 = 0; i < m; i++) {
    const d = sourceAt(block, i);
    const to = targetsTo(block, m, i);
    for (; k < to; k++) {
      const t = targetAt(block, m, k);
      if (d === 0 || t === d) continue;
      const a = find(parents, d);
      const b = find(parents, t);
      if (a === b) continue;
      setWord(parents, max(a, b), min(a, b));
      changed = true;
    }
  }
  return changed;
}

/** The partition by all arcs of the procedure being worked on. */
export function partition(parents: usize): void {
  beginPartition(parents);
  const firstChain = word(record, P_CHAIN_BASE);
  const lastChain = firstChain + word(record, P_CHAINS);
  const end = firstArcOf(lastChain);
  for (let arc = firstArcOf(firstChain); arc < end; arc++) joinByRelation(parents, word(arcRelation, arc));
}

/**
 * Writes the groups of a partition into the image: per fact its group and index there, per group its columns and the
 * offset of its rows among a node's labels, in bits per ancestor (label-rows.ts). Groups are numbered by their least fact.
 */
export function writeGroups(parents: usize): void {
  let isJoined = false;
  for (let d: u32 = 1; d < factCount; d++) if (find(parents, d) === 0) isJoined = true;
  if (isJoined) {
    for (let d: u32 = 0; d < factCount; d++) {
      setFact(d, 0, d);
    }
    setGroup(0, factCount, 1);
    setWord(record, P_GROUPS, 1);
    setWord(record, P_MODE, MODE_JOINED);
    const bits = 1 + 2 * <u64>factCount * <u64>factCount;
    setWord(record, P_LABEL_BITS, bits < 0xffffffff ? <u32>bits : 0xffffffff);
    useGroups();
    return;
  }
  setFact(0, 0, 0);
  let groups: u32 = 0;
  for (let d: u32 = 1; d < factCount; d++) {
    const root = find(parents, d);
    let g = groups;
    if (root === d) {
      groups++;
      setGroup(g, 0, 0);
    } else g = groupOf(root);
    const columns = columnsOf(g) + 1;
    setGroup(g, columns, 0);
    setFact(d, g, columns);
  }
  if (groups === 0) {
    setGroup(0, 0, 0);
    groups = 1;
  }
  let bits: u64 = 3;
  for (let g: u32 = 0; g < groups; g++) {
    const k = <u64>columnsOf(g);
    setGroup(g, <u32>k, <u32>bits);
    bits += 2 * k * (k + 1);
  }
  setWord(record, P_GROUPS, groups);
  setWord(record, P_MODE, 0);
  setWord(record, P_LABEL_BITS, bits < 0xffffffff ? <u32>bits : 0xffffffff);
  useGroups();
}
