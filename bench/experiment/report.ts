/** The report of a run, and the tables of docs/experiment.md, as Markdown. */

import { cell, digits, table } from "../format.js";
import { machine } from "../report.js";
import { type AlgorithmName, algorithms, titles } from "./algorithms.js";
import {
  type AlgorithmSummary,
  breakEven,
  isMeasured,
  type Measured,
  range,
  type SetSummary,
  type Spread,
  setSummary,
  speedUps,
} from "./figures.js";
import { pictures } from "./pictures.js";
import { type SetName, sets } from "./programs.js";
import type { Figures, InstanceRecord, RunHeader } from "./records.js";
import { sizeOf, widthOf } from "./sizes.js";

export const setTitles: Readonly<Record<SetName, string>> = {
  main: "Main packages",
  whole: "Whole programs",
  npm: "Programs from npm packages",
  quick: "A quick look",
  files: "Files",
};

const whole = (x: number): string => Math.round(x).toLocaleString("en-US");

export interface Report {
  readonly markdown: string;
  /** SVG by file name. */
  readonly pictures: Readonly<Record<string, string>>;
}

export function reportOf(header: RunHeader, records: readonly InstanceRecord[]): Report {
  const parts = [
    "# The experiment",
    "Written by `npm run experiment`; do not edit. What is measured and what it shows: docs/experiment.md.",
    `${machine(header.environment)}.`,
    settingsSentence(header),
  ];
  const drawn: Record<string, string> = {};
  for (const set of sets) {
    const ofSet = records.filter((record) => record.set === set);
    const measured = ofSet.filter(isMeasured);
    if (ofSet.length === 0) continue;
    parts.push(`## ${setTitles[set]}`);
    if (0 < measured.length) {
      parts.push(setSentence(setSummary(measured)), algorithmTable(measured));
      for (const [name, svg] of Object.entries(pictures(measured))) {
        drawn[`${set}-${name}.svg`] = svg;
        parts.push(`![${name}](${set}-${name}.svg)`);
      }
      parts.push("### Two workers", parallelTable(measured));
      parts.push("### Widths", widthTable(measured));
      parts.push("### Instances", sizeTable(measured), timeTable(measured), sourceTable(measured));
    }
    parts.push(...disagreements(measured), ...skipped(ofSet), ...origins(ofSet));
  }
  return { markdown: `${parts.join("\n\n")}\n`, pictures: drawn };
}

function settingsSentence({ settings }: RunHeader): string {
  const { pairQueries, sourceQueries, seed, preprocessingLimit, queryLimit, memoryLimit } = settings;
  return (
    `An instance: ${whole(pairQueries)} random pair queries and ${whole(sourceQueries)} random single-source queries, seed ${seed}; ` +
    `at most ${digits(preprocessingLimit / 1000)} s of preprocessing (\`timeout\`), ${digits(queryLimit / 1000)} s for a kind of query, ` +
    `${digits(memoryLimit / 2 ** 30)} GiB of tables (\`too large\`). Each algorithm runs in a process of its own.`
  );
}

export function setSentence({ instances, size, width, compared }: SetSummary): string {
  const [pairs, sources, differences] = compared;
  return (
    `${instances} instances of ${whole(size[0])} to ${whole(size[2])} exploded vertices and edges (median ${whole(size[1])}), of width ` +
    `${width[0]} to ${width[2]} (median ${digits(width[1])}). Answers compared: ${whole(pairs)} pair queries and ${whole(sources)} single-source ` +
    `queries; ${differences === 0 ? "all agree" : `**${differences} algorithms disagree**`}.`
  );
}

const spread = (value: Spread | undefined): string =>
  value === undefined ? "–" : `${digits(value.median)} / ${digits(value.most)}`;

const times = (x: number | undefined): string => (x === undefined ? "–" : `${digits(x)}×`);

/** Medians and most over the instances that each algorithm finished, and how it compares with SEQ. */
export function algorithmTable(records: readonly Measured[]): string {
  const { algorithms: of } = setSummary(records);
  const stopped = ({ timeouts, tooLarge }: AlgorithmSummary) =>
    [timeouts === 0 ? "" : `${timeouts} timeout`, tooLarge === 0 ? "" : `${tooLarge} too large`]
      .filter((text) => text !== "")
      .join(", ") || "none";
  return table(
    [
      "algorithm",
      "finished",
      "stopped",
      "preprocessing, ms: median / most",
      "pair query, µs: median / most",
      "single source, µs: median / most",
      "bytes per exploded vertex",
      "SEQ's time to its own: preprocessing",
      "pair",
      "single source",
    ],
    algorithms.map((name) => {
      const summary = of[name];
      return [
        titles[name],
        String(summary.finished),
        stopped(summary),
        spread(summary.preprocessing),
        spread(summary.pair),
        spread(summary.source),
        spread(summary.bytes),
        times(summary.ofSeq.preprocessing),
        times(summary.ofSeq.pair),
        times(summary.ofSeq.source),
      ];
    }),
  );
}

/** Geometric means over instances, and over the larger half of them. */
export function parallelTable(records: readonly Measured[]): string {
  const [, middle] = range(records.map(({ sizes }) => sizeOf(sizes)));
  const larger = records.filter(({ sizes }) => middle <= sizeOf(sizes));
  const rows = (
    [
      ["two workers to one", "par1"],
      ["two workers to SEQ", "seq"],
    ] as const
  ).flatMap(([title, base]) =>
    [["all instances", records] as const, ["the larger half", larger] as const].map(([which, some]) => {
      const { preprocessing, pair, source, large } = speedUps(some, base);
      return [`${title}, ${which}`, times(preprocessing), times(pair), times(source), times(large)];
    }),
  );
  return table(
    [
      "",
      "preprocessing",
      "the pair queries as a batch",
      "the single-source queries as a batch",
      "up to 10,000 of these",
    ],
    rows,
  );
}

/** Procedures by width, over the first analysis of each program: flow graphs hardly depend on the analysis. */
export function widthTable(records: readonly Measured[]): string {
  const programs = [...new Map(records.map((record) => [record.program, record])).values()];
  const counts: number[] = [];
  for (const { sizes } of programs) {
    for (const [width, count] of sizes.widths.entries()) counts[width] = (counts[width] ?? 0) + count;
  }
  const shown = Array.from(counts, (count) => count ?? 0);
  return table(["width", ...shown.map((_, width) => String(width))], [["procedures", ...shown.map(whole)]]);
}

const nameOf = ({ program, analysis }: InstanceRecord): string => `${program}.${analysis}`;

function sizeTable(records: readonly Measured[]): string {
  return table(
    [
      "instance",
      "procedures",
      "vertices",
      "calls",
      "most facts",
      "exploded vertices",
      "exploded edges",
      "width",
      "height",
      "SEQ: index, MB",
      "process, MB",
      "CPP: tables, MB",
    ],
    records.map((record) => {
      const { sizes } = record;
      const { seq, cpp } = record.algorithms;
      return [
        nameOf(record),
        ...[sizes.procedures, sizes.vertices, sizes.calls, sizes.facts].map(whole),
        ...[sizes.explodedVertices, sizes.explodedEdges, widthOf(sizes), sizes.height].map(whole),
        megabytes(seq?.bytes),
        megabytes(seq?.peak),
        cpp?.stopped ?? megabytes(cpp?.bytes),
      ];
    }),
  );
}

const megabytes = (bytes: number | undefined): string => cell(bytes && bytes / 1e6);

/** A figure of an algorithm, or why there is none. */
const figure = (figures: Figures | undefined, value: (figures: Figures) => number | undefined): string => {
  if (figures === undefined) return "–";
  return figures.stopped ?? cell(value(figures));
};

function timeTable(records: readonly Measured[]): string {
  const preprocessing = (f: Figures) => f.preprocessing;
  const pair = (f: Figures) => f.pair?.microseconds;
  return table(
    [
      "instance",
      "preprocessing, ms: SEQ",
      "PAR, 1",
      "PAR, 2",
      "CPP",
      "search",
      "pair query, µs: SEQ",
      "NOPP",
      "CPP",
      "OD",
      "search",
      "pair queries until SEQ is ahead of NOPP",
      "of OD",
      "of search",
    ],
    records.map((record) => {
      const { seq, par1, par2, nopp, cpp, od, search } = record.algorithms;
      return [
        nameOf(record),
        ...[seq, par1, par2, cpp, search].map((of) => figure(of, preprocessing)),
        ...[seq, nopp, cpp, od, search].map((of) => figure(of, pair)),
        ...[nopp, od, search].map((of) => queriesUntil(breakEven(seq, of, "pair"))),
      ];
    }),
  );
}

function sourceTable(records: readonly Measured[]): string {
  const source = (f: Figures) => f.source?.microseconds;
  const names: readonly AlgorithmName[] = ["seq", "par1", "par2", "nopp", "cpp", "od", "search"];
  return table(
    [
      "instance",
      ...names.map((name, i) => `${i === 0 ? "single source, µs: " : ""}${titles[name]}`),
      "until SEQ is ahead of OD",
      "of search",
    ],
    records.map((record) => {
      const { seq, od, search } = record.algorithms;
      return [
        nameOf(record),
        ...names.map((name) => figure(record.algorithms[name], source)),
        ...[od, search].map((of) => queriesUntil(breakEven(seq, of, "source"))),
      ];
    }),
  );
}

const queriesUntil = (count: number | undefined): string =>
  count === undefined ? "–" : Number.isFinite(count) ? whole(count) : "never";

function disagreements(records: readonly Measured[]): string[] {
  const lines = records.flatMap((record) =>
    record.agreement.disagreements.map((sentence) => `- **${nameOf(record)}: ${sentence}**`),
  );
  return lines.length === 0 ? [] : ["### Disagreements", lines.join("\n")];
}

function skipped(records: readonly InstanceRecord[]): string[] {
  const lines = records.flatMap((record) =>
    record.skipped === undefined ? [] : [`- ${nameOf(record)}: ${record.skipped}`],
  );
  return lines.length === 0 ? [] : ["### Not measured", lines.join("\n")];
}

function origins(records: readonly InstanceRecord[]): string[] {
  const from = new Map(
    records.flatMap(({ program, origin }) => (origin === undefined ? [] : [[program, origin]])),
  );
  return from.size === 0
    ? []
    : [
        "### Where the programs are from",
        Array.from(from, ([name, origin]) => `- ${name}: ${origin}`).join("\n"),
      ];
}
