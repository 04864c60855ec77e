/** The report of all results so far, and the README's tables. */

import type { EngineFigures } from "./engines.js";
import { cell, table } from "./format.js";
import { type Cell, isNumber, type Section } from "./harness.js";
import type { Environment, Results } from "./results.js";
import { targets } from "./targets.js";

export function machine(environment: Environment): string {
  const { processor, cores, memory, load, system, node, date, commit } = environment;
  const busy = load === undefined ? "" : `, load ${load.toFixed(1)} before the run`;
  return `${processor}, ${cores} cores, ${Math.round(memory / 2 ** 30)} GiB, ${system}, Node ${node}, ${date}, commit ${commit}${busy}`;
}

export function reportMarkdown(
  results: Results,
  sections: readonly (readonly [Section, Environment, complete: boolean])[],
): string {
  const parts = [
    "# Benchmarks",
    "Written by `npm run bench`; do not edit. Medians of repeated runs in which the engines take turns, on one thread. " +
      "`timeout` and `too large` mark an engine that passed its time limit or 2 GiB.",
    "## Targets",
    targetTable(results),
  ];
  parts.push(...sections.flatMap(sectionParts));
  return `${parts.join("\n\n")}\n`;
}

/** What is known of `phloem check` by trying it: the sections of its questions. */
export function checkMarkdown(
  sections: readonly (readonly [Section, Environment, complete: boolean])[],
): string {
  const parts = [
    "# How `phloem check` does",
    "Written by `npm run bench`; do not edit. Ten of the warnings, examined by hand: [check-examined.md](check-examined.md).",
  ];
  parts.push(...sections.flatMap(sectionParts));
  return `${parts.join("\n\n")}\n`;
}

function sectionParts([{ title, markdown, plots = {} }, environment, complete]: readonly [
  Section,
  Environment,
  complete: boolean,
]): string[] {
  return [
    `## ${title}`,
    `${machine(environment)}.${complete ? "" : " **Interrupted: incomplete.**"}`,
    markdown,
    ...Object.keys(plots).map((file) => `![${file}](${file})`),
  ];
}

function targetTable(results: Results): string {
  return table(
    ["what", "on", "target", "measured", "reached"],
    targets(results).map(({ what, on, target, measured, reached }) => [
      what,
      on,
      target,
      measured,
      reached ? "yes" : "no",
    ]),
  );
}

/** What a reader of the README wants: the larger instances, and the targets. */
export function readmeMarkdown(results: Results): string {
  const engines = results.engines;
  if (engines === undefined) return "";
  const rows = engines.result
    .filter(({ explodedVertices }) => 100_000 <= explodedVertices)
    .map((row) => {
      const of = ({ preprocessing }: EngineFigures, value: number | undefined): Cell | undefined =>
        isNumber(preprocessing) ? value : preprocessing;
      const { wasm, reference, search, nopp, cpp } = row.engines;
      return [
        row.instance,
        row.explodedVertices.toLocaleString("en-US"),
        `${cell(wasm.preprocessing)} / ${cell(reference.preprocessing)}`,
        cell(of(wasm, wasm.bytesPerExplodedVertex)),
        cell(wasm.single),
        cell(wasm.batch),
        cell(of(search, search.batch)),
        cell(of(cpp, cpp.batch)),
        cell(of(nopp, nopp.batch)),
        `${cell(wasm.source)} / ${cell(of(search, search.source))} / ${cell(of(nopp, nopp.source))}`,
      ];
    });
  return [
    "## Performance",
    `\`npm run bench\` on ${machine(engines.environment)}. Medians, one thread; random queries. The whole report, with plots: ` +
      "`bench/results/report.md` in the repository.",
    table(
      [
        "instance",
        "exploded vertices",
        "preprocessing, ms: wasm / reference",
        "bytes per exploded vertex",
        "pair query, ns: one call",
        "in a batch",
        "search",
        "CPP",
        "NOPP",
        "single source, µs: wasm / search / NOPP",
      ],
      rows,
    ),
    "What was aimed at, and what the latest run of each benchmark gave (machine and commit of each are in the report):",
    targetTable(results),
  ].join("\n\n");
}
