/**
 * The index image: the one buffer that an analysis is. Everything in it is a 32-bit word or a byte at an offset from
 * its first byte, so it can be copied anywhere. This file is the only owner of its layout: the kernel compiles it, and
 * the TypeScript side imports the same file.
 *
 *     header | static sections, one after another | relations | tables | labels | 8 bytes of padding
 *
 * A section's offset (bytes from the image's start) stands in the header word of its name. "Per x" sections are arrays
 * over all x of all procedures, one procedure after another; a procedure's record says where its own begin.
 */

/** Words of the header. */
export const HEADER_WORDS: u32 = 64;
/** "PHLM", the image's first four bytes. */
export const MAGIC: u32 = 0x4d4c4850;
/** Raised with every change of this file's meaning. */
export const FORMAT_VERSION: u32 = 2;

export const H_MAGIC: u32 = 0;
export const H_VERSION: u32 = 1;
/** First 32 bits of the SHA-256 of the kernel that the image was made for. */
export const H_KERNEL: u32 = 2;
/** Checksum of all other words, see src/image/checksum.ts. */
export const H_CHECKSUM: u32 = 3;
/** Total length in units of 8 bytes. */
export const H_LENGTH: u32 = 4;
export const H_PROCEDURES: u32 = 5;
export const H_VERTICES: u32 = 6;
export const H_NODES: u32 = 7;
export const H_CHAINS: u32 = 8;
export const H_ARCS: u32 = 9;
export const H_FACTS: u32 = 10;
export const H_EXITS: u32 = 11;
export const H_CALLS: u32 = 12;
export const H_COMPONENTS: u32 = 13;
export const H_NAME_BYTES: u32 = 14;
/** Words in the relation section. */
export const H_RELATION_WORDS: u32 = 15;
/** Bytes of labels, closures among them, in units of 8. */
export const H_LABEL_LENGTH: u32 = 16;
/**
 * Where the label section begins among all labels, in units of 8 bytes: 0 in saved data, more in an image that one of
 * several memories holds.
 */
export const H_LABEL_BASE: u32 = 20;
/** Words in the table section. */
export const H_TABLE_WORDS: u32 = 19;
export const H_ENTRY: u32 = 17;
/** 1 where no procedure has more than 65,536 vertices: numbers of vertices and nodes take half a word in places. */
export const H_NARROW: u32 = 18;

// Section offsets, in bytes.
export const H_PROCEDURE: u32 = 24;
/** Per procedure: in callees-first order, procedure ids. */
export const H_ORDER: u32 = 25;
/** Per strongly connected component of the call graph, and one more: where it begins in the order. */
export const H_COMPONENT: u32 = 26;
/** Per exit: vertex. */
export const H_EXIT: u32 = 27;
/** Per vertex: its node, or CHAIN_FLAG, chain (local) and position, see place below. */
export const H_PLACE: u32 = 28;
/** Per node: its vertex, a half where NARROW. */
export const H_NODE_VERTEX: u32 = 29;
/** Per node, NODE_WORDS words: what a pair query wants to know of it. */
export const H_NODE: u32 = 30;
/** Per inlabel number minus 1: the parent (local node) of its path's head; that of the root is not used. */
export const H_ABOVE_HEAD: u32 = 31;
/** Per node, and one more: first chain (global) that leaves it. */
export const H_NODE_OUT: u32 = 32;
/** Per chain, and one more of which only the first arc counts: a record, see below. */
export const H_CHAIN: u32 = 33;
/** Per arc: target vertex, a half where NARROW. */
export const H_ARC_TARGET: u32 = 34;
/**
 * Per arc: flow relation, as words from the relation section's start, 0 being the identity. Before the first phase:
 * a raw relation; or, with CHAIN_FLAG set, its first word among the contributions.
 */
export const H_ARC_RELATION: u32 = 35;
/** Per fact: its group in the upper half, its index there in the lower (0 is the zero fact's in every group). */
export const H_FACT: u32 = 36;
/** Per fact, of which each procedure uses one per group: columns, and offset of its rows, see label-rows.ts. */
export const H_GROUP: u32 = 37;
/** Per call: call vertex, callee, relation from the caller's facts to the callee's (all sources explicit). */
export const H_CALL_VERTEX: u32 = 47;
export const H_CALL_CALLEE: u32 = 48;
export const H_CALL_RELATION: u32 = 49;
/** Per procedure, and one more: first byte of its name; then the names' bytes, UTF-8. */
export const H_NAME_START: u32 = 50;
export const H_NAMES: u32 = 51;
export const H_RELATIONS: u32 = 52;
/** Chain tables, see tables.ts. */
export const H_TABLES: u32 = 53;
export const H_LABELS: u32 = 54;

/** Words of a procedure record; those that a pair query reads come first. */
export const PROCEDURE_WORDS: u32 = 20;
export const P_VERTICES: u32 = 0;
export const P_FACTS: u32 = 1;
export const P_VERTEX_BASE: u32 = 2;
export const P_NODE_BASE: u32 = 3;
export const P_CHAIN_BASE: u32 = 4;
export const P_FACT_BASE: u32 = 5;
/** How the procedure answers: the MODE_ bits. */
export const P_MODE: u32 = 6;
/** Where its labels begin among all labels, in units of 8 bytes; procedures in order, those without labels empty. */
export const P_LABEL: u32 = 7;
export const P_NODES: u32 = 8;
export const P_CHAINS: u32 = 9;
export const P_EXIT_BASE: u32 = 10;
export const P_EXITS: u32 = 11;
export const P_START: u32 = 12;
export const P_CALL_BASE: u32 = 13;
export const P_CALLS: u32 = 14;
/** Depth of the deepest node plus one; 0 where no elimination tree was found that is worth having. */
export const P_HEIGHT: u32 = 15;
export const P_WIDTH: u32 = 16;
export const P_GROUPS: u32 = 17;
/** Label bits of a node per ancestor-or-self, at most 2^32 - 1; see closure.ts for what closures have in their place. */
export const P_LABEL_BITS: u32 = 18;

/** Facts reach the zero fact: one group, in which the zero fact is a fact like any other. */
export const MODE_JOINED: u32 = 1;
/** Labels would pass the budget: answers come from a search in the summary-extended graph. */
export const MODE_SEARCH: u32 = 2;
/** Labels come from elimination (eliminate.ts) and hold for the whole procedure. */
export const MODE_EXACT: u32 = 4;
/** In place of labels there is a closure (closure.ts). */
export const MODE_CLOSURE: u32 = 8;

/** A node's words: bytes from the procedure's labels to its own, depth, and Schieber-Vishkin numbers. */
export const NODE_WORDS: u32 = 4;
export const N_LABEL: u32 = 0;
/** Depth in the elimination tree, the root's being 0. */
export const N_DEPTH: u32 = 1;
export const N_INLABEL: u32 = 2;
export const N_ASCENDANT: u32 = 3;

/**
 * A chain's record: nodes it leaves (head) and enters (tail), its first arc (global), and a bit for each of its arcs
 * whose relation is not the identity (*busy* arcs), or TABLE_FLAG and where its table begins, which begins with them.
 *
 *     NARROW: | tail, head: a half each | first arc | busy |     else: | head | tail | first arc | busy |
 */
export const NARROW_CHAIN_WORDS: u32 = 3;
export const WIDE_CHAIN_WORDS: u32 = 4;
export const TABLE_FLAG: u32 = 0x80000000;

/**
 * A vertex's place. A chain vertex lies behind arc `position` of its chain and before arc `position + 1`.
 *
 *     31   30                         5 4          0
 *     +---+---------------------------+------------+
 *     | 1 | chain (local)             | position   |   chain vertex
 *     +---+---------------------------+------------+
 *     | 0 | node (local)                           |   node
 *     +---+----------------------------------------+
 */
export const CHAIN_FLAG: u32 = 0x80000000;
export const POSITION_BITS: u32 = 5;
/** Longest run of chain vertices; a longer one is cut by making a vertex a node. So a chain has 31 arcs at most. */
export const CHAIN_MAX: u32 = 30;

/**
 * The preprocessing input: what the kernel reads beside the static sections and throws away afterwards. A header of
 * INPUT_WORDS words holds section offsets in bytes from the input's start.
 */
export const INPUT_WORDS: u32 = 16;
/** What arcs unite, runs of words: a count, then that many raw relations or, with CHAIN_FLAG set, raw calls (global). */
export const I_CONTRIBUTION: u32 = 0;
/** Per raw call: callee, relation into it, relation out of it, index of the exit (global) it returns from. */
export const I_CALLEE: u32 = 1;
export const I_CALL_ENTRY: u32 = 2;
export const I_CALL_EXIT: u32 = 3;
export const I_CALL_FROM: u32 = 4;
/** Raw relations, see FlowRelations in src/exploded/exploded-supergraph.ts. */
export const I_IDENTITY: u32 = 5;
export const I_ENTRY_START: u32 = 6;
export const I_SOURCE_FIRST: u32 = 7;
export const I_SOURCE_LAST: u32 = 8;
export const I_TARGET_START: u32 = 9;
export const I_TARGET: u32 = 10;
/** Number of raw relations. */
export const I_RELATIONS: u32 = 11;
