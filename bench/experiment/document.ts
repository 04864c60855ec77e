/**
 * Fills docs/experiment.md with the figures of a run: a region begins with the comment `<!-- figures: NAME -->` and ends
 * with `<!-- end -->`. The text around them is written by hand.
 */

import { clientNames } from "../../src/clients/by-name.js";
import { digits, table } from "../format.js";
import { machine } from "../report.js";
import { isMeasured, type Measured, setSummary, speedUps } from "./figures.js";
import { mainPrograms, type SetName } from "./programs.js";
import type { InstanceRecord, RunHeader } from "./records.js";
import { algorithmTable, parallelTable, setSentence, widthTable } from "./report.js";

const REGION = /(<!-- figures: ([a-z-]+) -->\n)[\s\S]*?(<!-- end -->)/g;

/** Throws an `Error` of one sentence for a region that there is nothing for. */
export function filled(text: string, regions: Readonly<Record<string, string>>): string {
  return text.replace(REGION, (_, begin: string, name: string, end: string) => {
    const content = regions[name];
    if (content === undefined)
      throw new Error(`Region: got ${name}, expected one of ${Object.keys(regions).join(", ")}.`);
    return `${begin}\n${content}\n\n${end}`;
  });
}

/** What there is to fill in, by region. A set that was not measured says so. */
export function regionsOf(
  header: RunHeader,
  records: readonly InstanceRecord[],
): Readonly<Record<string, string>> {
  const of = (set: SetName) => records.filter((record) => record.set === set).filter(isMeasured);
  const part = (set: SetName, content: (records: readonly Measured[]) => string) => {
    const measured = of(set);
    return measured.length === 0 ? "Not measured in this run." : content(measured);
  };
  const both = (measured: readonly Measured[]) =>
    `${setSentence(setSummary(measured))}\n\n${algorithmTable(measured)}`;
  return {
    machine: `Measured on ${machine(header.environment)}.${interrupted(records)}`,
    published: part("main", publishedTable),
    main: part("main", both),
    parallel: part("main", parallelTable),
    widths: part("main", widthTable),
    whole: part("whole", both),
    npm: part("npm", both),
  };
}

/** What is missing of the paper's set. */
function interrupted(records: readonly InstanceRecord[]): string {
  const all = mainPrograms.length * clientNames.length;
  const done = records.filter(({ set }) => set === "main").length;
  return done < all
    ? ` **Interrupted: ${done} of the ${all} instances of the first set, the smaller programs.**`
    : "";
}

/** The paper's figures (ESOP 2020, section 6) beside those of the same kind here. */
function publishedTable(records: readonly Measured[]): string {
  const { instances, size, width, algorithms: of } = setSummary(records);
  const programs = new Set(records.map(({ program }) => program)).size;
  const most = (name: "seq" | "par2" | "cpp") => of[name].pair?.most;
  const { source, large } = speedUps(records, "par1");
  const whole = (x: number) => Math.round(x).toLocaleString("en-US");
  const times = (x: number | undefined) => (x === undefined ? "–" : `${digits(x)}×`);
  const { timeouts, tooLarge } = of.cpp;
  return table(
    ["figure", "published", "here"],
    [
      ["programs; instances", "22; 110", `${programs}; ${instances}`],
      [
        "exploded vertices and edges of an instance",
        "22 to 190,591",
        `${whole(size[0])} to ${whole(size[2])}`,
      ],
      ["widths of tree decompositions", "1 to 9", `${width[0]} to ${width[2]}`],
      [
        "CPP does not finish in 5 minutes",
        "25 of 110",
        `${timeouts} of ${instances}, and ${tooLarge} would pass the limit of memory`,
      ],
      [
        "a pair query, at most: SEQ / PAR / CPP",
        "below 1 ms each",
        [most("seq"), most("par2"), most("cpp")]
          .map((x) => (x === undefined ? "–" : `${digits(x)} µs`))
          .join(" / "),
      ],
      [
        "single-source queries, workers to one",
        "11.3× with 12",
        `${times(source)} with 2 for 100 queries, ${times(large)} for up to 10,000`,
      ],
    ],
  );
}
