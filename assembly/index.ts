/** The kernel's whole interface, in call order. Functions that can run out of memory return 0, or -1 where 0 is an answer. */

import { allocate, allocateZeroed, mark, release } from "./arena";
import { closeLists, openLists } from "./chain";
import { H_LABEL_BASE, H_LABELS, H_PROCEDURES, H_RELATION_WORDS, H_RELATIONS, P_FACTS } from "./image";
import { limitSweeps, planLabels } from "./labels";
import { closePairs, openPairs } from "./pair";
import { image, recordOf, useImage, word } from "./program";
import { useRelations } from "./relation";
import { sealLength, sealRelations } from "./seal";
import { closeSets, openSets, reserveSearch } from "./source";
import { beginSummaries } from "./summaries";

export { allocate, mark, release } from "./arena";
export { reachesMany } from "./batch";
export { checksumAt } from "./checksum";
export { labelAt, labelProcedures, planProcedure, sweepsNeeded } from "./labels";
export { pairWork, reaches } from "./pair";
export { summaryTo } from "./procedure-summary";
export { enteringFrom, reachedAt, reachedFrom, reachedFromMany } from "./source";
export { nodesSwept, summarizeComponents } from "./summaries";
export { labelWork } from "./work";

/** First phase begins: static sections at `at`, preprocessing input at `input`, both written by the host. */
export function beginProgram(at: usize, input: usize): bool {
  useImage(at);
  return beginSummaries(input);
}

/** First phase ends: relations move into the image; false if memory is exhausted. */
export function endSummaries(): bool {
  const end = sealRelations();
  if (end === 0) return false;
  release(end);
  return true;
}

/**
 * Label space is planned; elimination trees are in the image now. `labelBudget`: most bytes of labels for one procedure;
 * `sweepLimit`: most sweeps over one before its labels come from elimination. Returns the length of all labels in units of
 * 8 bytes.
 */
export function planSpace(labelBudget: f64, sweepLimit: u32): f64 {
  limitSweeps(sweepLimit);
  return planLabels(labelBudget);
}

/**
 * Second phase begins, for the labels `base .. base + length - 1` (in units of 8 bytes) among all: space for them behind
 * the tables; false if memory is exhausted.
 */
export function beginLabels(base: f64, length: f64): bool {
  if (length > 0x1ffffff0) return false;
  release(image + <usize>word(image, H_LABELS));
  sealLength(<u32>base, <u32>length);
  useImage(image);
  return allocateZeroed((<usize>length + 1) << 3) !== 0;
}

/**
 * Room for `length` units of labels in place of fewer; those there stay, and what is new is not zeroed. Space for queries,
 * which lay behind them, is given up: the image is to be opened anew. False, and all as before, if memory is exhausted.
 */
export function growLabels(length: f64): bool {
  if (length > 0x1ffffff0) return false;
  const position = mark();
  release(image + <usize>word(image, H_LABELS));
  if (allocate((<usize>length + 1) << 3) === 0) {
    release(position);
    return false;
  }
  closeLists();
  closePairs();
  closeSets();
  sealLength(word(image, H_LABEL_BASE), <u32>length);
  return true;
}

/** An image that another kernel has sealed is at `at`: it is to be labelled here. */
export function adoptImage(at: usize, sweepLimit: u32): void {
  useImage(at);
  useRelations(at + <usize>word(image, H_RELATIONS), word(image, H_RELATION_WORDS));
  limitSweeps(sweepLimit);
}

/** Makes the finished image at `at` the one that queries are about; false if memory is exhausted. */
export function openImage(at: usize): bool {
  useImage(at);
  useRelations(at + <usize>word(image, H_RELATIONS), word(image, H_RELATION_WORDS));
  let facts: u32 = 0;
  const procedures = word(image, H_PROCEDURES);
  for (let p: u32 = 0; p < procedures; p++) facts = max(facts, word(recordOf(p), P_FACTS));
  return openLists(facts) && openPairs(facts) && openSets(facts) && reserveSearch();
}
