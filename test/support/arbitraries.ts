/**
 * Random programs for fast-check. Procedures, vertices, facts and relations are drawn as plain numbers and folded into
 * range afterwards, so that every draw is a valid program and shrinks towards a small one. The program is written as
 * `.ifds` text (version 2), which is what a failing test prints, and read by `parseIfds` like any other.
 *
 * About half of the procedures are lines: straight code from start to exit with calls between neighbours, so that facts
 * do travel, deep into callees and back. The others are arbitrary graphs. What real programs rarely show is common: recursion, several callees per site, several exits and return sites,
 * callees that never return, unreachable code and exits, self-loops, parallel edges, one vertex or one fact,
 * relations that lose the zero fact or lead back to it, and relations with sources beyond the domain.
 */

import fc from "fast-check";
import type { ExplodedSupergraph } from "../../src/exploded/exploded-supergraph.js";
import { parseIfds } from "../../src/exploded/parse-ifds.js";

/** Upper bounds on what is drawn. */
export interface ProgramSize {
  readonly procedures: number;
  readonly vertices: number;
  /** Per procedure, the zero fact included. */
  readonly facts: number;
  /** Ordinary edges per procedure. */
  readonly edges: number;
  /** Call sites per procedure, callees per site, and exits per procedure. */
  readonly sites: number;
  readonly callees: number;
  readonly exits: number;
  /**
   * If not 0, facts influence only those of their class modulo this number, the zero fact is always kept, and nothing
   * else leads to it: what problems of real programs look like.
   */
  readonly classes: number;
}

const small: ProgramSize = {
  procedures: 4,
  vertices: 6,
  facts: 4,
  edges: 8,
  sites: 2,
  callees: 2,
  exits: 2,
  classes: 0,
};

/** A program of at most the given size (`small` where nothing is said). */
export function program(size: Partial<ProgramSize> = {}): fc.Arbitrary<ExplodedSupergraph> {
  return programText(size).map((text) => parseIfds(text));
}

/** A program, and the same after one procedure has been edited: its edges and calls are others, its shape is not. */
export function edit(
  size: Partial<ProgramSize> = {},
): fc.Arbitrary<{ before: ExplodedSupergraph; after: ExplodedSupergraph; changed: number }> {
  const limits = { ...small, ...size };
  return fc
    .record({
      procedures: fc.array(procedureDraw(limits), { minLength: 1, maxLength: limits.procedures }),
      replacement: procedureDraw(limits),
      changed: fc.nat(),
      entry: fc.nat(limits.procedures - 1),
    })
    .map(({ procedures, replacement, changed: drawn, entry }) => {
      const changed = drawn % procedures.length;
      const { line, vertices, facts, start, exits } = procedures[changed];
      const edited = { ...replacement, line, vertices, facts, start, exits };
      return {
        before: parseIfds(writeProgram({ procedures, entry, classes: limits.classes })),
        after: parseIfds(
          writeProgram({ procedures: procedures.with(changed, edited), entry, classes: limits.classes }),
        ),
        changed,
      };
    });
}

/** As `program`, as `.ifds` text. */
export function programText(size: Partial<ProgramSize> = {}): fc.Arbitrary<string> {
  const limits = { ...small, ...size };
  return fc
    .record({
      procedures: fc.array(procedureDraw(limits), { minLength: 1, maxLength: limits.procedures }),
      entry: fc.nat(limits.procedures - 1),
      classes: fc.constant(limits.classes),
    })
    .map(writeProgram);
}

/** Any number, to be folded into the range at hand. */
const id = fc.nat(1 << 16);

interface RelationDraw {
  readonly kind: "identity" | "listed";
  /** Whether sources that are not listed are kept. */
  readonly keeps: boolean;
  /** Whether (0, 0) is added. */
  readonly keepsZero: boolean;
  readonly entries: readonly {
    readonly first: number;
    readonly length: number;
    readonly targets: readonly number[];
  }[];
}

const relationDraw: fc.Arbitrary<RelationDraw> = fc.record({
  kind: fc.constantFrom("identity", "identity", "listed", "listed", "listed"),
  keeps: fc.boolean(),
  keepsZero: fc.boolean(),
  entries: fc.array(
    fc.record({
      first: id,
      length: fc.constantFrom(1, 1, 1, 2, 3),
      targets: fc.array(id, { maxLength: 3 }),
    }),
    { maxLength: 4 },
  ),
});

interface ProcedureDraw {
  /** Relations along a line, used in turn; empty for an arbitrary graph. */
  readonly line: readonly RelationDraw[];
  readonly vertices: number;
  readonly facts: number;
  readonly start: number;
  readonly exits: readonly number[];
  readonly edges: readonly { readonly from: number; readonly to: number; readonly relation: RelationDraw }[];
  readonly sites: readonly SiteDraw[];
}

interface SiteDraw {
  readonly call: number;
  readonly returns: readonly { readonly site: number; readonly bypass: RelationDraw | null }[];
  readonly callees: readonly {
    readonly callee: number;
    /** Which of the return sites, and which of the callee's exits. */
    readonly site: number;
    readonly exit: number;
    readonly into: RelationDraw;
    readonly back: RelationDraw;
  }[];
}

function procedureDraw(limits: ProgramSize): fc.Arbitrary<ProcedureDraw> {
  return fc.record({
    line: fc.oneof(fc.constant([]), fc.array(relationDraw, { minLength: 1, maxLength: 3 })),
    vertices: fc.integer({ min: 1, max: limits.vertices }),
    facts: fc.integer({ min: 1, max: limits.facts }),
    start: id,
    exits: fc.array(id, { minLength: 1, maxLength: limits.exits }),
    edges: fc.array(fc.record({ from: id, to: id, relation: relationDraw }), { maxLength: limits.edges }),
    sites: fc.array(
      fc.record({
        call: id,
        returns: fc.array(fc.record({ site: id, bypass: fc.option(relationDraw) }), {
          minLength: 1,
          maxLength: 2,
        }),
        callees: fc.array(
          fc.record({ callee: id, site: id, exit: id, into: relationDraw, back: relationDraw }),
          { minLength: 1, maxLength: limits.callees },
        ),
      }),
      { maxLength: limits.sites },
    ),
  });
}

function writeProgram({
  procedures,
  entry,
  classes,
}: {
  readonly procedures: readonly ProcedureDraw[];
  readonly entry: number;
  readonly classes: number;
}): string {
  const relations = new Map([["I", 0]]);
  const relation = (draw: RelationDraw, sourceFacts: number, targetFacts: number): number => {
    const text = relationText(draw, sourceFacts, targetFacts, classes);
    const known = relations.get(text);
    if (known !== undefined) return known;
    relations.set(text, relations.size);
    return relations.size - 1;
  };
  const startOf = ({ line, start, vertices }: ProcedureDraw) => (0 < line.length ? 0 : start % vertices);
  const exitsOf = ({ line, exits, vertices }: ProcedureDraw) => {
    const first = 0 < line.length ? [vertices - 1] : [];
    return [...new Set([...first, ...exits.map((exit) => exit % vertices)])];
  };

  const lines: string[] = [];
  for (const [p, procedure] of procedures.entries()) {
    const { vertices, facts, line } = procedure;
    lines.push(
      `P ${p} ${vertices} ${facts} ${startOf(procedure)} ${exitsOf(procedure).join()} procedure${p}`,
    );
    for (const edge of procedure.edges) {
      lines.push(`e ${edge.from % vertices} ${edge.to % vertices} ${relation(edge.relation, facts, facts)}`);
    }
    // A line has an edge between neighbours unless a call stands there.
    const isLine = 0 < line.length;
    const calls = new Set(isLine ? procedure.sites.map(({ call }) => call % vertices) : []);
    for (let v = 0; isLine && v + 1 < vertices; v++) {
      if (!calls.has(v)) lines.push(`e ${v} ${v + 1} ${relation(line[v % line.length], facts, facts)}`);
    }
    const siteOf = (call: number, site: number, i: number) => {
      return isLine && i === 0 ? Math.min((call % vertices) + 1, vertices - 1) : site % vertices;
    };
    const bypassed = new Set<string>();
    for (const { call, returns, callees } of procedure.sites) {
      for (const [i, { site, bypass }] of returns.entries()) {
        const ends = `${call % vertices} ${siteOf(call, site, i)}`;
        if (bypass === null || bypassed.has(ends)) continue;
        bypassed.add(ends);
        lines.push(`t ${ends} ${relation(bypass, facts, facts)}`);
      }
      for (const { callee, site, exit, into, back } of callees) {
        const q = callee % procedures.length;
        const exits = exitsOf(procedures[q]);
        const i = site % returns.length;
        const returnSite = siteOf(call, returns[i].site, i);
        const entering = relation(into, facts, procedures[q].facts);
        const returning = relation(back, procedures[q].facts, facts);
        lines.push(
          `c ${call % vertices} ${returnSite} ${q} ${entering} ${returning} ${exits[exit % exits.length]}`,
        );
      }
    }
  }
  const head = [...relations].map(([text, r]) => `R ${r} ${text}`);
  return ["IFDS 2", ...head, `M ${entry % procedures.length}`, ...lines, "Z", ""].join("\n");
}

/** Mode and entries. Sources may lie beyond the domain, where they mean nothing; targets never do. */
function relationText(draw: RelationDraw, sourceFacts: number, targetFacts: number, classes: number): string {
  const keeps = draw.keeps && sourceFacts === targetFacts;
  if (draw.kind === "identity") return sourceFacts === targetFacts ? "I" : diagonal(sourceFacts, targetFacts);
  const listed = new Set<number>();
  const entries: [first: number, text: string][] = [];
  const add = (first: number, length: number, targets: readonly number[]): void => {
    let last = first;
    while (last + 1 < first + length && !listed.has(last + 1)) last++;
    if (listed.has(first)) return;
    if (classes !== 0) last = first;
    for (let d = first; d <= last; d++) listed.add(d);
    const range = first === last ? `${first}` : `${first}-${last}`;
    const folded = targets.map((target) => target % targetFacts);
    const allowed =
      classes === 0 || first === 0
        ? folded
        : folded.filter((t) => t !== 0 && t % classes === first % classes);
    const distinct = [...new Set(allowed)].sort((a, b) => a - b);
    entries.push([first, `${range}>${distinct.join()}`]);
  };
  if (draw.keepsZero || classes !== 0) add(0, 1, [0, ...(draw.entries[0]?.targets ?? [])]);
  for (const { first, length, targets } of draw.entries) add(first % (sourceFacts + 1), length, targets);
  entries.sort(([a], [b]) => a - b);
  return [keeps ? "I" : "X", ...entries.map(([, text]) => text)].join(" ");
}

/** Facts keep their numbers, as far as both domains have them. */
function diagonal(sourceFacts: number, targetFacts: number): string {
  const entries = Array.from({ length: Math.min(sourceFacts, targetFacts) }, (_, d) => `${d}>${d}`);
  return ["X", ...entries].join(" ");
}
