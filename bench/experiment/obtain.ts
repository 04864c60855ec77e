/**
 * Gets the programs' jars into a folder of the cache, from whatever has them: by Debian's client, where there is one; from a
 * Maven repository; by npm, without running any script of the package. Nothing is installed. What is there already is not
 * fetched again.
 */

import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import picomatch from "picomatch";
import { fetchArtifact, mavenRepository } from "./maven.js";
import type { Program } from "./programs.js";

export interface Obtained {
  readonly jar: string;
  /** Where it is from, with the version: for the report. */
  readonly origin: string;
}

/** A way of getting a jar: a folder of its own, and what fills it. */
interface Way {
  readonly title: string;
  readonly folder: string;
  fetch(folder: string): Promise<void>;
  /** Which version the folder has. */
  version(folder: string): string;
  /** Name of the jar there. */
  readonly pattern: string;
}

const run = promisify(execFile);
const MOST_MILLISECONDS = 600_000;

/** The jar, or in one sentence for each way why there is none. */
export async function obtain(program: Program, cache: string): Promise<Obtained | readonly string[]> {
  if (program.path !== undefined) return { jar: program.path, origin: program.path };
  const failures: string[] = [];
  for (const way of waysTo(program)) {
    const folder = join(cache, way.folder);
    try {
      let jar = jarIn(folder, way.pattern);
      if (jar === undefined) {
        rmSync(folder, { recursive: true, force: true });
        mkdirSync(folder, { recursive: true });
        await way.fetch(folder);
        jar = jarIn(folder, way.pattern);
      }
      if (jar !== undefined) return { jar, origin: `${way.title} ${way.version(folder)}` };
      failures.push(`${way.title}: got no ${way.pattern}, expected it there.`);
    } catch (error) {
      // An empty folder would pass for one that has nothing.
      rmSync(folder, { recursive: true, force: true });
      failures.push(`${way.title}: got ${reason(error)}, expected to fetch it.`);
    }
  }
  return failures;
}

function* waysTo({ debian, maven, npm, jar }: Program): Iterable<Way> {
  if (debian !== undefined) {
    yield {
      title: `Debian's ${debian}`,
      folder: `debian/${debian}`,
      pattern: jar,
      async fetch(folder) {
        const download = () => call("apt-get", ["download", debian], folder);
        await download().catch(async () => {
          // The lists may be missing.
          await call("apt-get", ["update", "-qq"], folder);
          await download();
        });
        const [file] = readdirSync(folder);
        await call("dpkg-deb", ["-x", file, "."], folder);
      },
      version: (folder) =>
        decodeURIComponent(readdirSync(folder).find((name) => name.endsWith(".deb")) ?? "").split("_")[1],
    };
  }
  if (maven !== undefined) {
    const [, artifact, version] = maven.split(":");
    yield {
      title: `Maven's ${maven.slice(0, maven.lastIndexOf(":"))}`,
      folder: `maven/${artifact}`,
      pattern: `${artifact}-*.jar`,
      fetch: (folder) => fetchArtifact(maven, folder, mavenRepository()),
      version: () => version,
    };
  }
  if (npm !== undefined) {
    const [name, version] = npm;
    yield {
      title: `npm's ${name}`,
      folder: `npm/${name}`,
      pattern: jar,
      async fetch(folder) {
        // A package of its own, so that none of the folders above is taken for it.
        writeFileSync(join(folder, "package.json"), "{}\n");
        const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"];
        await call("npm", ["install", ...flags, `${name}@${version}`], folder);
      },
      version: () => version,
    };
  }
}

const call = (command: string, arguments_: readonly string[], cwd: string): Promise<unknown> =>
  run(command, arguments_, { cwd, timeout: MOST_MILLISECONDS });

/** The first jar of that name below a folder; links lead out of it, often. */
function jarIn(folder: string, pattern: string): string | undefined {
  const matches = picomatch(pattern);
  const entries = (() => {
    try {
      return readdirSync(folder, { recursive: true, withFileTypes: true });
    } catch {
      return [];
    }
  })();
  return entries
    .filter((entry) => entry.isFile() && matches(basename(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()[0];
}

function reason(error: unknown): string {
  const { code, stderr, message } = error as { code?: unknown; stderr?: string; message: string };
  if (code === "ENOENT") return "no such command";
  const lines = (stderr ?? "").split("\n").filter((line) => /^(?:E:|npm error)/.test(line));
  return (lines[0] ?? message.split("\n")[0]).replace(/[.,]$/, "");
}
