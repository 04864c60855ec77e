/**
 * The program that `phloem ask` and `phloem index` are about: loaded from a project's modules, or from Java classes, or
 * opened from a saved index as far as the project is what it was when that was made.
 */

import { createHash } from "node:crypto";
import { type AskedPrograms, type ProgramIndex, programIndex } from "../ask/program-index.js";
import type { Callbacks } from "../check/check-request.js";
import { load } from "../javascript/front-end.js";
import { nodeHost } from "../javascript/modules/host/node.js";
import { type Observation, recordingHost, replay } from "../javascript/modules/host/recording.js";
import type { Diagnostic } from "../program/diagnostic.js";
import { openProgramIndex } from "../program-index/saved-index.js";
import { throwFailure } from "./input.js";
import { isJavaIn } from "./is-java.js";
import { changedJavaFiles, type JavaInputs, loadJavaProject } from "./java-project.js";
import type { Progress } from "./progress.js";

export interface ProjectRequest {
  readonly root: string;
  readonly entries: readonly string[];
  readonly callbacks: Callbacks;
  /** Of a Java program, the packages that it is cut down to; all where there are none. */
  readonly packages: readonly string[];
}

/** What the programs were made from. */
export interface ProjectInputs {
  readonly entries: readonly string[];
  readonly callbacks: Callbacks;
  readonly observations: readonly Observation[];
  /** Of a Java program, in place of these. */
  readonly java?: JavaInputs;
}

export interface LoadedProject {
  readonly programs: AskedPrograms;
  readonly inputs: ProjectInputs;
  readonly warnings: readonly Diagnostic[];
}

/** Throws an `InputError` for a file that cannot be analysed: without it, answers would be about another program. */
export async function loadProject(
  { root, entries, callbacks, packages }: ProjectRequest,
  progress: Progress,
): Promise<LoadedProject> {
  if (isJavaIn(root, entries, packages)) {
    progress.show("classes", 1, 2);
    const { programs, java, warnings } = loadJavaProject(root, entries, packages, sha256);
    return { programs, inputs: { entries, callbacks, observations: [], java }, warnings };
  }
  const recording = recordingHost(nodeHost(root), sha256);
  const program = await load(entries, recording.host, {
    callbacks,
    later: "complete",
    onProgress: (phase, done, total) => progress.show(phase, done, total),
  });
  throwFailure(program.diagnostics);
  return {
    programs: program.asked(),
    inputs: { entries, callbacks, observations: recording.observations },
    warnings: program.diagnostics,
  };
}

export interface OpenedProject {
  readonly index: ProgramIndex;
  readonly warnings: readonly Diagnostic[];
  /** Once all is asked: what was analysed anew, undefined where nothing was. */
  news(): string | undefined;
}

export async function openProject(
  bytes: Uint8Array,
  root: string,
  version: string,
  name: string,
  progress: Progress,
): Promise<OpenedProject> {
  const saved = openProgramIndex(bytes, version, name);
  const { entries, callbacks, observations, java } = saved.inputs as ProjectInputs;
  const { changed, texts } =
    java === undefined
      ? await replay(observations, nodeHost(root), sha256)
      : { changed: changedJavaFiles(java, root, entries, sha256), texts: new Map(java.texts) };
  if (changed.length === 0) return { index: saved.open(texts), warnings: [], news: () => undefined };
  const request = { root, entries, callbacks, packages: java?.packages ?? [] };
  const { programs, warnings } = await loadProject(request, progress);
  const { index, counts } = saved.update(programs);
  return {
    index,
    warnings,
    news: () =>
      `${name}: got ${changed.length} of ${saved.files.length} files changed (${changed[0]}${1 < changed.length ? ", ..." : ""}); ` +
      `of ${counts.procedures} procedures that were asked about, ${counts.changed} were indexed anew.`,
  };
}

export async function freshProject(request: ProjectRequest, progress: Progress): Promise<OpenedProject> {
  const { programs, warnings } = await loadProject(request, progress);
  return { index: programIndex(programs), warnings, news: () => undefined };
}

const sha256 = (text: string | Uint8Array): string => createHash("sha256").update(text).digest("base64");
