/** What follows from records: means over instances, and after how many queries one algorithm has overtaken another. */

import { median } from "../harness.js";
import { type AlgorithmName, algorithms } from "./algorithms.js";
import type { Figures, InstanceRecord } from "./records.js";
import { type Sizes, sizeOf, widthOf } from "./sizes.js";

/** An instance that was measured. */
export type Measured = InstanceRecord & Required<Pick<InstanceRecord, "sizes" | "algorithms" | "agreement">>;

export const isMeasured = (record: InstanceRecord): record is Measured => record.algorithms !== undefined;

export function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, x) => sum + Math.log(x), 0) / values.length);
}

/** The value below which a share of the values lies, between the two next to it; `share` from 0 to 1. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

/**
 * Queries after which `ahead` has spent less in all than `rival`, preprocessing included: 0 from the start, Infinity
 * never; undefined where one of them has no times.
 */
export function breakEven(
  ahead: Figures | undefined,
  rival: Figures | undefined,
  kind: "pair" | "source",
): number | undefined {
  const [a, b] = [costOf(ahead, kind), costOf(rival, kind)];
  if (a === undefined || b === undefined) return undefined;
  const behind = a.preprocessing - b.preprocessing;
  if (behind <= 0 && a.query <= b.query) return 0;
  const gain = b.query - a.query;
  if (gain <= 0) return behind <= 0 ? 0 : Number.POSITIVE_INFINITY;
  return Math.max(0, Math.ceil(behind / gain));
}

/** Milliseconds. */
function costOf(figures: Figures | undefined, kind: "pair" | "source") {
  const query = figures?.[kind];
  if (figures?.stopped !== undefined || figures?.preprocessing === undefined || query === undefined)
    return undefined;
  return { preprocessing: figures.preprocessing, query: query.microseconds / 1000 };
}

/** Of one algorithm, over the instances that it finished. */
export interface AlgorithmSummary {
  readonly finished: number;
  readonly timeouts: number;
  readonly tooLarge: number;
  /** Milliseconds: median, and most. */
  readonly preprocessing: Spread | undefined;
  /** Microseconds per query. */
  readonly pair: Spread | undefined;
  readonly source: Spread | undefined;
  /** Bytes per exploded vertex. */
  readonly bytes: Spread | undefined;
  /** SEQ's time over this algorithm's, geometric mean over instances that both finished: more than 1 is faster than SEQ. */
  readonly ofSeq: Readonly<Record<"preprocessing" | "pair" | "source", number | undefined>>;
}

export interface Spread {
  readonly median: number;
  readonly most: number;
}

export function summaryOf(records: readonly Measured[], name: AlgorithmName): AlgorithmSummary {
  const all = records.flatMap((record) => {
    const figures = record.algorithms[name];
    return figures === undefined ? [] : [{ record, figures }];
  });
  const done = all.filter(({ figures }) => figures.stopped === undefined);
  const spread = (value: (figures: Figures, sizes: Sizes) => number | undefined): Spread | undefined => {
    const values = done.flatMap(({ figures, record }) => value(figures, record.sizes) ?? []);
    return values.length === 0 ? undefined : { median: median(values), most: Math.max(...values) };
  };
  const ofSeq = (value: (figures: Figures) => number | undefined): number | undefined => {
    const ratios = done.flatMap(({ record, figures }) => {
      const seq = record.algorithms.seq;
      const [mine, theirs] = [value(figures), seq?.stopped === undefined && seq ? value(seq) : undefined];
      return mine && theirs ? [theirs / mine] : [];
    });
    return ratios.length === 0 ? undefined : geometricMean(ratios);
  };
  return {
    finished: done.length,
    timeouts: all.filter(({ figures }) => figures.stopped === "timeout").length,
    tooLarge: all.filter(({ figures }) => figures.stopped === "too large").length,
    preprocessing: spread(({ preprocessing }) => preprocessing),
    pair: spread(({ pair }) => pair?.microseconds),
    source: spread(({ source }) => source?.microseconds),
    bytes: spread(({ bytes }, { explodedVertices }) => bytes && bytes / explodedVertices),
    ofSeq: {
      preprocessing: ofSeq(({ preprocessing }) => preprocessing),
      pair: ofSeq(({ pair }) => pair?.microseconds),
      source: ofSeq(({ source }) => source?.microseconds),
    },
  };
}

/** By how much two workers beat one, and SEQ, geometric means: of batches, of large batches, of preprocessing. */
export function speedUps(records: readonly Measured[], to: "seq" | "par1") {
  const mean = (value: (figures: Figures) => number | undefined): number | undefined => {
    const ratios = records.flatMap(({ algorithms: { [to]: base, par2 } }) => {
      if (base === undefined || par2 === undefined) return [];
      const [a, b] = [value(base), value(par2)];
      return a && b ? [a / b] : [];
    });
    return ratios.length === 0 ? undefined : geometricMean(ratios);
  };
  return {
    preprocessing: mean(({ preprocessing }) => preprocessing),
    pair: mean(({ batch, pair }) => (batch ?? pair)?.microseconds),
    source: mean(({ source }) => source?.microseconds),
    large: mean(({ large }) => large?.microseconds),
  };
}

/** Sizes of a set of instances: the smallest, the middle, the largest. */
export function range(values: readonly number[]): readonly [least: number, middle: number, most: number] {
  return [Math.min(...values), median(values), Math.max(...values)];
}

export interface SetSummary {
  readonly instances: number;
  readonly size: readonly [number, number, number];
  readonly width: readonly [number, number, number];
  readonly algorithms: Readonly<Record<AlgorithmName, AlgorithmSummary>>;
  /** Pair and single-source queries that were compared, and disagreements. */
  readonly compared: readonly [pairs: number, sources: number, disagreements: number];
}

export function setSummary(records: readonly Measured[]): SetSummary {
  const sum = (value: (record: Measured) => number) =>
    records.reduce((total, record) => total + value(record), 0);
  return {
    instances: records.length,
    size: range(records.map(({ sizes }) => sizeOf(sizes))),
    width: range(records.map(({ sizes }) => widthOf(sizes))),
    algorithms: Object.fromEntries(
      algorithms.map((name) => [name, summaryOf(records, name)]),
    ) as SetSummary["algorithms"],
    compared: [
      sum(({ agreement }) => agreement.pairs),
      sum(({ agreement }) => agreement.sources),
      sum(({ agreement }) => agreement.disagreements.length),
    ],
  };
}
