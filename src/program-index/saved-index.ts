/**
 * A program with the engine's indexes of some clients in one file: opened again, it is asked without analysis; where the program
 * has changed since, procedures that are as they were keep their index. What the program depends on is the front end's affair,
 * and kept as JSON.
 */

import { Analysis } from "../analysis.js";
import { WITHOUT_LABELS } from "../ask/chunked-client.js";
import type { ClientName } from "../ask/clients.js";
import { type AskedPrograms, analyzeAnew, type OpenAnswers, ProgramIndex } from "../ask/program-index.js";
import { analyzeAnywhere } from "../check/any-host.js";
import { extractProcedure } from "../exploded/exploded-procedure.js";
import { InputError } from "../exploded/input-error.js";
import type { Program, SourceFile } from "../program/program.js";
import { changedProcedures } from "./changed-procedures.js";
import { readContainer, writeContainer } from "./container.js";
import { readProgram, UnreadableProgram, writeProgram } from "./program-words.js";

/** What an index is made of. */
export interface IndexSource {
  readonly programs: AskedPrograms;
  /** Clients whose answers are indexed. */
  readonly clients: readonly ClientName[];
  /** Everything that the programs were made from, as JSON. */
  readonly inputs: unknown;
  /** Of the package: another may make other programs of the same inputs. */
  readonly version: string;
}

interface Table {
  readonly version: string;
  readonly clients: readonly ClientName[];
  readonly inputs: unknown;
  readonly files: readonly string[];
  readonly executions: readonly number[];
  readonly initialization: readonly number[];
  readonly extents?: "line";
  readonly texts: readonly (readonly string[])[];
  /** Images, in the order of their sections, which follow those of the programs. */
  readonly images: readonly {
    readonly client: ClientName;
    readonly program: number;
    readonly chunk: number;
  }[];
}

/**
 * The index as bytes; the same source gives the same bytes. Costs an analysis of each client. Procedures have no labels in
 * it: questions from entries need summaries alone, and what pair queries witnesses take is found by search.
 */
export function saveProgramIndex({
  programs,
  clients,
  inputs,
  version,
}: IndexSource): Uint8Array<ArrayBuffer> {
  const distinct = [
    ...new Set([...programs.executions, ...(programs.initialization ?? programs.executions)]),
  ];
  const images: Table["images"][number][] = [];
  const sections: Uint8Array[] = [];
  const index = new ProgramIndex(programs, (client, program, chunk, problem) => {
    const answers = problem.analyze(WITHOUT_LABELS);
    images.push({ client, program, chunk });
    sections.push(new Uint8Array(answers.analysis.data));
    return answers;
  });
  for (const client of clients) {
    for (const asked of client === "possibly-uninitialized" ? index.initialization : index.executions) {
      for (const _ of asked.client(client).all()) {
        // Each part is saved when it is made.
      }
    }
  }
  const written = distinct.map(writeProgram);
  const table: Table = {
    version,
    clients,
    inputs,
    files: (programs.executions[0]?.files ?? []).map(({ path }) => path),
    executions: programs.executions.map((program) => distinct.indexOf(program)),
    initialization: (programs.initialization ?? programs.executions).map((program) =>
      distinct.indexOf(program),
    ),
    ...(programs.extents === undefined ? {} : { extents: programs.extents }),
    texts: written.map(({ texts }) => texts),
    images,
  };
  const words = written.map(({ words }) => new Uint8Array(words.buffer, words.byteOffset, words.byteLength));
  return writeContainer({ table, sections: [...words, ...sections] });
}

/** What became of an index whose program has changed. */
export interface IndexUpdate {
  readonly index: ProgramIndex;
  /** Of the clients asked so far: procedures in all, and those that were indexed anew. */
  readonly counts: { procedures: number; changed: number };
}

export class SavedProgramIndex {
  readonly name: string;
  readonly inputs: unknown;
  readonly clients: readonly ClientName[];
  /** Paths of the program's files. */
  readonly files: readonly string[];
  readonly #table: Table;
  readonly #sections: readonly Uint8Array[];

  /** @internal */
  constructor(name: string, table: Table, sections: readonly Uint8Array[]) {
    this.name = name;
    this.#table = table;
    this.#sections = sections;
    this.inputs = table.inputs;
    this.clients = table.clients;
    this.files = table.files;
  }

  /**
   * The program as it was saved, whose files still have these texts. Clients that are not in the index are analysed when
   * first asked.
   */
  open(texts: ReadonlyMap<string, string>): ProgramIndex {
    return new ProgramIndex(this.#programs(texts), (client, program, chunk, problem) => {
      const data = this.#imageOf(client, program, chunk);
      if (data === undefined) return analyzeAnywhere(problem, WITHOUT_LABELS);
      return problem.analyze(Analysis.from(data, { graph: problem.graph, name: this.name }));
    });
  }

  /**
   * The program as it is now: what is equal in both keeps its index, procedure by procedure, and the rest is indexed anew; all of
   * it where the programs have not equally many procedures, or more than half have changed.
   */
  update(programs: AskedPrograms): IndexUpdate {
    const counts = { procedures: 0, changed: 0 };
    const old = new ProgramIndex(this.#programs(new Map()), analyzeAnew);
    const olds = [...new Set([...old.executions, ...old.initialization])];
    const open: OpenAnswers = (client, program, chunk, problem) => {
      const data = this.#imageOf(client, program, chunk);
      const before = data === undefined ? undefined : olds[program]?.client(client).problem(chunk)?.graph;
      const changed = before === undefined ? undefined : changedProcedures(before, problem.graph);
      const { procedureCount } = problem.graph;
      counts.procedures += procedureCount;
      if (before === undefined || changed === undefined || procedureCount < 2 * changed.length) {
        counts.changed += procedureCount;
        return analyzeAnywhere(problem, WITHOUT_LABELS);
      }
      counts.changed += changed.length;
      const analysis = Analysis.from(data!, { graph: before, name: this.name });
      return problem.analyze(
        analysis.updateAll(changed.map((p) => [p, extractProcedure(problem.graph, p)] as const)),
      );
    };
    return { index: new ProgramIndex(programs, open), counts };
  }

  #imageOf(client: ClientName, program: number, chunk: number): Uint8Array | undefined {
    const { images, texts } = this.#table;
    const at = images.findIndex(
      (image) => image.client === client && image.program === program && image.chunk === chunk,
    );
    return at < 0 ? undefined : this.#sections[texts.length + at];
  }

  #programs(texts: ReadonlyMap<string, string>): AskedPrograms {
    const files: SourceFile[] = this.files.map((path) => ({ path, text: texts.get(path) ?? "" }));
    const programs = this.#table.texts.map((texts, i): Program => {
      const bytes = this.#sections[i];
      const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
      try {
        return readProgram({ words, texts }, files);
      } catch (error) {
        if (!(error instanceof UnreadableProgram)) throw error;
        throw new InputError(
          this.name,
          undefined,
          `program ${i}: got words that are no program, expected one: make the index anew`,
        );
      }
    });
    return {
      executions: this.#table.executions.map((i) => programs[i]),
      initialization: this.#table.initialization.map((i) => programs[i]),
      ...(this.#table.extents === undefined ? {} : { extents: this.#table.extents }),
    };
  }
}

/**
 * A saved index. Throws an `InputError` of one sentence where the bytes are cut, damaged, or made by another version;
 * `name` is what errors call them.
 */
export function openProgramIndex(bytes: Uint8Array, version: string, name = "index"): SavedProgramIndex {
  const container = readContainer(bytes, name);
  const table = container.table as Table;
  if (table.version !== version)
    throw new InputError(
      name,
      undefined,
      `got an index made by version ${table.version}, expected one made by ${version}: make the index anew`,
    );
  return new SavedProgramIndex(name, table, container.sections);
}
