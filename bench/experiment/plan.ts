/** Which instances a run measures, in which order: programs by set, analyses by program. */

import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { type ClientName, clientNames } from "../../src/clients/by-name.js";
import {
  mainPrograms,
  npmPrograms,
  type Program,
  quickPrograms,
  type SetName,
  wholePrograms,
} from "./programs.js";

/** Instances of one program, which come from one place. */
export interface Group {
  readonly set: SetName;
  readonly program: string;
  readonly analyses: readonly string[];
  /** A jar that the clients are run on, or a file for each analysis. */
  readonly source: Program | Readonly<Record<string, string>>;
}

export interface Selection {
  readonly sets: readonly SetName[];
  /** Those alone, where any are named. */
  readonly programs: readonly string[];
  readonly analyses: readonly string[];
  /** `.ifds` files, plain or gzip, and folders of them: the set `files`. */
  readonly paths: readonly string[];
}

const programsOf: Readonly<Record<Exclude<SetName, "files">, readonly Program[]>> = {
  main: mainPrograms,
  whole: wholePrograms,
  npm: npmPrograms,
  quick: quickPrograms,
};

export const isJar = (source: Group["source"]): source is Program => "jar" in source;

/** Throws an `Error` of one sentence for a program or an analysis that there is not. */
export function planOf({ sets, programs, analyses, paths }: Selection): Group[] {
  const groups: Group[] = [];
  for (const set of sets) {
    if (set === "files") groups.push(...groupsOfFiles(paths.flatMap(filesAt)));
    else {
      for (const program of programsOf[set])
        groups.push({
          set,
          program: program.name,
          analyses: program.analyses ?? clientNames,
          source: program,
        });
    }
  }
  const known = <T extends string>(what: string, asked: readonly T[], all: readonly T[]) => {
    for (const name of asked)
      if (!all.includes(name)) throw new Error(`${what}: got ${name}, expected one of ${all.join(", ")}.`);
  };
  known("Program", programs, [...new Set(groups.map(({ program }) => program))]);
  known("Analysis", analyses, [...new Set(groups.flatMap((group) => group.analyses))]);
  return groups
    .filter(({ program }) => programs.length === 0 || programs.includes(program))
    .map((group) => ({
      ...group,
      analyses: group.analyses.filter((name) => analyses.length === 0 || analyses.includes(name)),
    }))
    .filter((group) => 0 < group.analyses.length);
}

function filesAt(path: string): string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined)
    throw new Error(`${path}: got no such file, expected an .ifds file or a folder of them.`);
  if (!stats.isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => /\.ifds(?:\.gz)?$/.test(name))
    .sort()
    .map((name) => join(path, name));
}

/** `antlr.live.ifds.gz` is the analysis `live` of `antlr`. */
function groupsOfFiles(files: readonly string[]): Group[] {
  const groups = new Map<string, Record<string, string>>();
  for (const file of files) {
    const name = basename(file)
      .replace(/\.gz$/, "")
      .replace(/\.ifds$/, "");
    const dot = name.lastIndexOf(".");
    const [program, analysis] = dot < 0 ? [name, "problem"] : [name.slice(0, dot), name.slice(dot + 1)];
    const known = groups.get(program) ?? {};
    groups.set(program, known);
    known[analysis] = file;
  }
  return Array.from(groups, ([program, source]) => ({
    set: "files",
    program,
    analyses: Object.keys(source),
    source,
  }));
}

/** Whether an analysis is one that instances are made for, and not the name of a file. */
export const isClient = (analysis: string): analysis is ClientName =>
  (clientNames as readonly string[]).includes(analysis);
