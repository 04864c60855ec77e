/**
 * Batches of pair queries. A query alone waits for memory several times in a row, each address coming out of what was read
 * before. So where the image is larger than a cache, a batch is taken in blocks, and a block in steps: every step reads for
 * all its queries what the step before has found the addresses of, and the processor waits for all of them at once. The
 * queries themselves, answered one after another at the end (pair.ts), find most of it in cache. Answers are those of
 * `reaches`.
 */

import { allocate, mark } from "./arena";
import {
  CHAIN_FLAG,
  H_LENGTH,
  MODE_JOINED,
  P_CHAIN_BASE,
  P_FACT_BASE,
  P_FACTS,
  P_LABEL,
  P_MODE,
  P_NODE_BASE,
  P_VERTEX_BASE,
  P_VERTICES,
  POSITION_BITS,
  TABLE_FLAG,
} from "./image";
import { reachesHere } from "./pair";
import {
  arcRelation,
  busyOf,
  factCount,
  factWordAt,
  firstArcOf,
  groupAt,
  headOf,
  image,
  labels,
  nodeRecordAt,
  placeAt,
  recordOf,
  setWord,
  tables,
  tailOf,
  useForPairs,
  vertexCount,
  word,
} from "./program";

/** Length of the smallest image that is worth reading ahead in, in units of 8 bytes. */
const LARGE: u32 = 1 << 17;

/** Queries of a block. */
const BLOCK: u32 = 64;

/**
 * The block's queries that are not answered by their facts alone, ENTRY words each: addresses of the query and of its
 * answer, procedure, and for both vertices the place, later the node that they lead to, by its number among all nodes.
 */
let entries: usize = 0;
let entryCount: u32 = 0;
const ENTRY: u32 = 5;
const QUERY: u32 = 0;
const ANSWER: u32 = 1;
const PROCEDURE: u32 = 2;
const FROM: u32 = 3;
const TO: u32 = 4;

/** Bytes of a cache line. */
const LINE: usize = 64;

/**
 * `count` pair queries of five words (p, u, d1, v, d2), a byte of answer each. Stops at the first query whose ids are out
 * of range; returns the number of queries answered. Uses scratch memory, which the caller releases.
 */
export function reachesMany(queries: usize, count: u32, answers: usize, procedures: u32): u32 {
  // Debug builds read ahead always, so that small programs test it. Entries lie behind the image, so that reading a line
  // past its sections stays in memory. Behind them is a word for what was read, so that it is.
  const readsAhead = !ASC_NO_ASSERT || LARGE <= word(image, H_LENGTH);
  entries = readsAhead ? allocate((<usize>(BLOCK * ENTRY + 1)) << 2) : 0;
  if (entries === 0) return answerInOrder(queries, count, answers, procedures);
  for (let done: u32 = 0; done < count; done += BLOCK) {
    const size = min(BLOCK, count - done);
    const valid = begin(queries, size, answers, procedures);
    const nodes = readNodes();
    setWord(entries, BLOCK * ENTRY, nodes ^ readLabels());
    for (let i: u32 = 0; i < entryCount; i++) answer(entryAt(i));
    if (valid < size) return done + valid;
    queries += 20 * BLOCK;
    answers += BLOCK;
  }
  return count;
}

function answerInOrder(queries: usize, count: u32, answers: usize, procedures: u32): u32 {
  let before: u32 = 0xffffffff;
  for (let i: u32 = 0; i < count; i++, queries += 20) {
    const p = word(queries, 0);
    if (procedures <= p) return i;
    if (p !== before) useForPairs(p);
    before = p;
    const u = word(queries, 1);
    const d1 = word(queries, 2);
    const v = word(queries, 3);
    const d2 = word(queries, 4);
    if (vertexCount <= u || vertexCount <= v || factCount <= d1 || factCount <= d2) return i;
    store<u8>(answers + <usize>i, reachesHere(u, d1, v, d2) ? 1 : 0);
  }
  return count;
}

function entryAt(i: u32): usize {
  return entries + ((<usize>(i * ENTRY)) << 2);
}

/**
 * First step, for `size` queries: checks their ids, answers those whose facts cannot influence each other, and notes the
 * others with the places of their vertices. Returns how many queries come before one with ids out of range.
 */
function begin(queries: usize, size: u32, answers: usize, procedures: u32): u32 {
  entryCount = 0;
  for (let i: u32 = 0; i < size; i++, queries += 20) {
    const p = word(queries, 0);
    if (procedures <= p) return i;
    const record = recordOf(p);
    const u = word(queries, 1);
    const d1 = word(queries, 2);
    const v = word(queries, 3);
    const d2 = word(queries, 4);
    const vertices = word(record, P_VERTICES);
    const facts = word(record, P_FACTS);
    if (vertices <= u || vertices <= v || facts <= d1 || facts <= d2) return i;
    const vertexBase = word(record, P_VERTEX_BASE);
    const factBase = word(record, P_FACT_BASE);
    const d1Word = factWordAt(factBase + d1);
    const d2Word = factWordAt(factBase + d2);
    const apart: u32 = (d1Word ^ d2Word) >> 16 !== 0 || d2 === 0 ? 1 : 0;
    const joined = word(record, P_MODE) & MODE_JOINED;
    store<u8>(answers + <usize>i, 0);
    const entry = entryAt(entryCount);
    setWord(entry, QUERY, <u32>queries);
    setWord(entry, ANSWER, <u32>(answers + <usize>i));
    setWord(entry, PROCEDURE, p);
    setWord(entry, FROM, placeAt(vertexBase + u));
    setWord(entry, TO, placeAt(vertexBase + v));
    entryCount += 1 - (select<u32>(apart, 0, d1 !== 0) & (joined ^ 1));
  }
  return size;
}

/** Second step: reads chains, which lead to nodes, and those. */
function readNodes(): u32 {
  let read: u32 = 0;
  for (let i: u32 = 0; i < entryCount; i++) {
    const entry = entryAt(i);
    const record = recordOf(word(entry, PROCEDURE));
    const chainBase = word(record, P_CHAIN_BASE);
    const nodeBase = word(record, P_NODE_BASE);
    const from = word(entry, FROM);
    const to = word(entry, TO);
    const fromChain = chainBase + chainIn(from);
    const toChain = chainBase + chainIn(to);
    const a = select<u32>(tailOf(fromChain), from, (from & CHAIN_FLAG) !== 0);
    const b = select<u32>(headOf(toChain), to, (to & CHAIN_FLAG) !== 0);
    const ahead = busyAt(fromChain);
    // A table's second part is the way back.
    const table = busyAt(toChain);
    const back =
      table + ((<usize>select<u32>(2 + word(table, 1), 0, (busyOf(toChain) & TABLE_FLAG) !== 0)) << 2);
    read ^= load<u32>(ahead) ^ load<u32>(ahead, LINE) ^ load<u32>(back) ^ load<u32>(back, LINE);
    setWord(entry, FROM, nodeBase + a);
    setWord(entry, TO, nodeBase + b);
  }
  return read;
}

/** Local chain of a place; 0 for nodes. */
function chainIn(at: u32): u32 {
  return select<u32>((at & ~CHAIN_FLAG) >> POSITION_BITS, 0, (at & CHAIN_FLAG) !== 0);
}

/** Where a chain's table begins, or the relations of its arcs. */
function busyAt(chain: u32): usize {
  const busy = busyOf(chain);
  return select<usize>(
    tables + ((<usize>(busy & ~TABLE_FLAG)) << 2),
    arcRelation + ((<usize>firstArcOf(chain)) << 2),
    (busy & TABLE_FLAG) !== 0,
  );
}

/** Third step: reads the label rows of facts that come to their nodes unchanged, as most do. */
function readLabels(): u32 {
  let read: u32 = 0;
  const end = mark() - image;
  for (let i: u32 = 0; i < entryCount; i++) {
    const entry = entryAt(i);
    const query = <usize>word(entry, QUERY);
    const record = recordOf(word(entry, PROCEDURE));
    const factBase = word(record, P_FACT_BASE);
    const first = labels + ((<usize>word(record, P_LABEL)) << 3);
    const a = nodeRecordAt(word(entry, FROM));
    const b = nodeRecordAt(word(entry, TO));
    const d2Word = factWordAt(factBase + word(query, 4));
    const group = groupAt(factBase + (d2Word >> 16));
    const columns = load<u32>(group);
    const offset = load<u32>(group, 4);
    const local = factWordAt(factBase + word(query, 2)) & 0xffff;
    const rowA = (load<u32>(a, 4) + 1) * (offset + local * columns);
    const rowB = (load<u32>(b, 4) + 1) * (offset + (columns + (d2Word & 0xffff)) * columns);
    const atA = first + <usize>load<u32>(a) + (rowA >> 3) - image;
    const atB = first + <usize>load<u32>(b) + (rowB >> 3) - image;
    // A procedure that answers by search has no labels there.
    read ^=
      load<u32>(image + select<usize>(atA, 0, atA < end)) ^
      load<u32>(image + select<usize>(atB, 0, atB < end));
  }
  return read;
}

/** Last step: answers a query. */
function answer(entry: usize): void {
  const query = <usize>word(entry, QUERY);
  useForPairs(word(entry, PROCEDURE));
  const found = reachesHere(word(query, 1), word(query, 2), word(query, 3), word(query, 4));
  store<u8>(<usize>word(entry, ANSWER), found ? 1 : 0);
}
