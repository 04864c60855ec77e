/**
 * Programs that a front end reads, for commands that work on programs rather than instances: modules of JavaScript and
 * TypeScript by their entries. Where a file cannot be read or parsed the command ends: half a program is none.
 */

import { InputError } from "../index.js";
import { load } from "../javascript/front-end.js";
import { nodeHost } from "../javascript/modules/host/node.js";
import type { Program } from "../program/program.js";
import { findEntries } from "./check-files.js";
import { type Host, UsageError } from "./host.js";
import type { Progress } from "./progress.js";

/**
 * The program of `entries`: modules, folders or globs, as `phloem check` takes them. `later`: that of every function, which
 * hosts and others call once modules are evaluated, in place of their evaluation.
 */
export async function readProgram(
  entries: readonly string[],
  later: boolean,
  host: Host,
  progress: Progress,
): Promise<Program> {
  const root = host.cwd();
  const { paths, diagnostics: missing } = await findEntries(root, entries);
  const loaded = await load(paths, nodeHost(root), {
    onProgress: (label, done, total) => progress.show(label, done, total),
  });
  const fault = [...missing, ...loaded.diagnostics].find(({ severity }) => severity === "error");
  if (fault !== undefined) throw new InputError(fault.file, fault.line, decapitalized(fault.message));
  if (later) {
    if (loaded.isComplete) return loaded.later.program;
    throw new UsageError(
      "--later: got a program with too many functions, expected one that is followed whole.",
    );
  }
  if (loaded.load.length === 1) return loaded.load[0].program;
  throw new UsageError(
    `Entries: got ${paths.length} whose modules are evaluated in different ways (CommonJS), expected one at a time.`,
  );
}

/** A diagnostic's sentence as the middle of one. */
const decapitalized = (sentence: string): string =>
  sentence[0].toLowerCase() + sentence.slice(1).replace(/\.$/, "");
