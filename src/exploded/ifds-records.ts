/**
 * The records of an `.ifds` file, versions 1 and 2, line by line into the arrays of an `ExplodedSupergraph`. Everything is
 * validated here, once: what a line says where it stands, callees and their exits at the end, when all procedures are known.
 * What `end` returns is safe for every solver. Numbers go straight from a line's bytes into the arrays: there is no object
 * per record.
 */

import type { ExplodedSupergraph } from "./exploded-supergraph.js";
import { GrowableUint32 } from "./growable-uint32.js";
import { MAX_FACTS, MAX_VERTICES, ProgramSize } from "./limits.js";
import { BLANK, type LineFields } from "./line-fields.js";
import { RelationTable } from "./relation-table.js";

/** How far the file has got; records may only move on. */
enum Stage {
  Version,
  Header,
  Relations,
  Entry,
  Procedures,
  Done,
}

const HASH = 0x23;
const COMMA = 0x2c;
const DASH = 0x2d;
const GREATER = 0x3e;

export class IfdsRecords {
  readonly #line: LineFields;

  #stage = Stage.Version;
  #version = 1;
  readonly #header: [string, string][] = [];
  readonly #relations = new RelationTable();
  #entry = 0;
  #entryLine = 0;

  readonly #size = new ProgramSize();
  readonly #names: string[] = [];
  readonly #vertexCount = new GrowableUint32();
  readonly #factCount = new GrowableUint32();
  readonly #startVertex = new GrowableUint32();
  readonly #exitStart = new GrowableUint32();
  readonly #exits = new GrowableUint32();
  readonly #edgeStart = new GrowableUint32();
  readonly #edgeSource = new GrowableUint32();
  readonly #edgeTarget = new GrowableUint32();
  readonly #edgeRelation = new GrowableUint32();
  readonly #bypassStart = new GrowableUint32();
  readonly #bypassCall = new GrowableUint32();
  readonly #bypassReturn = new GrowableUint32();
  readonly #bypassRelation = new GrowableUint32();
  readonly #callStart = new GrowableUint32();
  readonly #callVertex = new GrowableUint32();
  readonly #callReturn = new GrowableUint32();
  readonly #callCallee = new GrowableUint32();
  readonly #callEntryRelation = new GrowableUint32();
  readonly #callExitRelation = new GrowableUint32();
  /** The exit vertex plus 1; 0 stands for the callee's first exit, which may not be known yet. */
  readonly #callExit = new GrowableUint32();
  /** Line of each call: callees are checked at the end, when all procedures are known. */
  readonly #callLine = new GrowableUint32();

  /** Sizes of the current procedure, and its `t` lines: call vertex * MAX_VERTICES + return site. */
  #vertices = 0;
  #facts = 0;
  readonly #bypasses = new Set<number>();

  /** The line at hand is taken from `line`. */
  constructor(line: LineFields) {
    this.#line = line;
  }

  /** Reads the line at hand, which must not have been read from. */
  record(): void {
    const line = this.#line;
    if (this.#stage === Stage.Version) {
      this.#versionRecord();
      return;
    }
    if (this.#stage === Stage.Done) {
      line.fail(`got ${line.showLine()} after Z, expected the end of the input`);
    }
    if (line.at(HASH)) return;
    switch (String.fromCharCode(line.kind())) {
      case "e":
        this.#edgeRecord();
        break;
      case "t":
        this.#bypassRecord();
        break;
      case "c":
        this.#callRecord();
        break;
      case "P":
        this.#procedureRecord();
        break;
      case "R":
        this.#relationRecord();
        break;
      case "h":
        this.#headerRecord();
        break;
      case "M":
        this.#entryRecord();
        break;
      case "Z":
        this.#advance("Z", Stage.Procedures, Stage.Procedures, Stage.Done);
        this.#closeProcedure();
        line.finish();
        break;
      default:
        this.#unknownRecord();
    }
  }

  /** The program, after the last line. */
  end(): ExplodedSupergraph {
    if (this.#stage !== Stage.Done) {
      this.#line.fail(
        this.#stage === Stage.Version
          ? "got an empty input, expected IFDS 1 or IFDS 2"
          : "got the end of the input, expected further records up to the last line Z",
        this.#line.lineNumber + 1,
      );
    }
    this.#checkCalls();
    return {
      procedureCount: this.#names.length,
      names: this.#names,
      vertexCount: this.#vertexCount.toArray(),
      factCount: this.#factCount.toArray(),
      startVertex: this.#startVertex.toArray(),
      exitStart: this.#exitStart.toArray(),
      exits: this.#exits.toArray(),
      edgeStart: this.#edgeStart.toArray(),
      edgeSource: this.#edgeSource.toArray(),
      edgeTarget: this.#edgeTarget.toArray(),
      edgeRelation: this.#edgeRelation.toArray(),
      bypassStart: this.#bypassStart.toArray(),
      bypassCall: this.#bypassCall.toArray(),
      bypassReturn: this.#bypassReturn.toArray(),
      bypassRelation: this.#bypassRelation.toArray(),
      callStart: this.#callStart.toArray(),
      callVertex: this.#callVertex.toArray(),
      callReturn: this.#callReturn.toArray(),
      callCallee: this.#callCallee.toArray(),
      callEntryRelation: this.#callEntryRelation.toArray(),
      callExitRelation: this.#callExitRelation.toArray(),
      callExit: this.#callExit.toArray(),
      relations: this.#relations.build(),
      entry: this.#entry,
      header: this.#header,
    };
  }

  #versionRecord(): void {
    const line = this.#line;
    if (line.beginsWith(0x1f, 0x8b)) {
      line.fail("got gzip-compressed data, expected text");
    }
    const version = line.rest();
    if (version !== "IFDS 1" && version !== "IFDS 2") {
      line.fail(`got ${line.showLine()}, expected IFDS 1 or IFDS 2`);
    }
    this.#version = version === "IFDS 1" ? 1 : 2;
    this.#stage = Stage.Header;
  }

  #headerRecord(): void {
    const line = this.#line;
    this.#advance("h", Stage.Header, Stage.Header, Stage.Header);
    line.take(BLANK);
    const rest = line.rest();
    const blank = rest.indexOf(" ");
    const key = blank < 0 ? rest : rest.slice(0, blank);
    if (key === "") line.fail("got an h record without key, expected h KEY VALUE");
    if (rest.includes("\r"))
      line.fail(`got ${JSON.stringify(rest)}, expected a key and a value without line ends`);
    this.#header.push([key, blank < 0 ? "" : rest.slice(blank + 1)]);
  }

  #relationRecord(): void {
    const line = this.#line;
    this.#advance("R", Stage.Header, Stage.Relations, Stage.Relations);
    const relations = this.#relations;
    this.#expectNumber("relation number", relations.count);
    const mode = line.word();
    if (mode !== "I" && mode !== "X") line.fail(`got relation mode ${JSON.stringify(mode)}, expected I or X`);
    relations.begin(mode === "I" ? "identity" : "nothing");
    while (!line.isRead) {
      const first = line.field("a source fact");
      let last = first;
      if (line.take(DASH)) {
        last = line.number("the last source fact of a range");
        if (last < first) line.fail(`got the range ${first}-${last}, expected ascending source facts`);
      }
      if (!line.take(GREATER)) line.fail(`got ${line.show()} after a source fact, expected >`);
      relations.entry(first, last);
      if (!line.isRead && !line.at(BLANK)) {
        do {
          const target = line.number("a target fact");
          if (MAX_FACTS <= target) line.fail(`got target fact ${target}, expected at most ${MAX_FACTS - 1}`);
          relations.target(target);
        } while (line.take(COMMA));
      }
    }
    const duplicate = relations.end();
    if (duplicate !== undefined) {
      line.fail(`got source fact ${duplicate} in two entries, expected each source in at most one`);
    }
    if (relations.count === 1 && !relations.isIdentity(0)) {
      line.fail("got another relation 0, expected the identity, R 0 I");
    }
  }

  #entryRecord(): void {
    const line = this.#line;
    if (this.#relations.count === 0) line.fail("got M before any relation, expected R 0 I");
    this.#advance("M", Stage.Relations, Stage.Relations, Stage.Entry);
    this.#entry = line.field("an entry procedure");
    this.#entryLine = line.lineNumber;
    line.finish();
  }

  #procedureRecord(): void {
    const line = this.#line;
    if (this.#stage < Stage.Entry) line.fail("got P before M, expected the entry procedure first, M PID");
    this.#advance("P", Stage.Entry, Stage.Procedures, Stage.Procedures);
    this.#closeProcedure();
    this.#expectNumber("procedure number", this.#names.length);
    const vertices = (this.#vertices = line.field("a number of vertices"));
    const facts = (this.#facts = line.field("a number of facts"));
    if (vertices === 0) line.fail("got 0 vertices, expected at least 1");
    if (facts === 0) line.fail("got 0 facts, expected at least 1, the zero fact");
    const excess = this.#size.add(vertices, facts);
    if (excess !== undefined) line.fail(excess);
    this.#startVertex.push(this.#vertex("a start vertex"));

    this.#exitStart.push(this.#exits.length);
    this.#exits.push(this.#below(line.field("an exit vertex"), vertices, "an exit vertex"));
    while (line.take(COMMA)) {
      if (this.#version === 1)
        line.fail("got several exits in version 1, expected one exit vertex or IFDS 2");
      const exit = this.#below(line.number("an exit vertex"), vertices, "an exit vertex");
      const from = this.#exitStart.items[this.#names.length];
      if (this.#exits.items.subarray(from, this.#exits.length).includes(exit)) {
        line.fail(`got exit vertex ${exit} twice, expected different exits`);
      }
      this.#exits.push(exit);
    }
    const name = line.word();
    if (name === "") line.fail("got an empty procedure name, expected a name without blanks");
    if (name.includes("\r")) {
      line.fail(`got procedure name ${JSON.stringify(name)}, expected a name without blanks and line ends`);
    }
    line.finish();

    this.#names.push(name);
    this.#vertexCount.push(vertices);
    this.#factCount.push(facts);
    this.#edgeStart.push(this.#edgeSource.length);
    this.#bypassStart.push(this.#bypassCall.length);
    this.#callStart.push(this.#callVertex.length);
  }

  #edgeRecord(): void {
    if (this.#stage !== Stage.Procedures) this.#outsideProcedure("e");
    this.#edgeSource.push(this.#vertex("a vertex"));
    this.#edgeTarget.push(this.#vertex("a vertex"));
    this.#edgeRelation.push(this.#innerRelation());
    this.#line.finish();
  }

  #bypassRecord(): void {
    const line = this.#line;
    if (this.#stage !== Stage.Procedures) this.#outsideProcedure("t");
    const call = this.#vertex("a call vertex");
    const returnSite = this.#vertex("a return site");
    const relation = this.#innerRelation();
    line.finish();

    const key = call * MAX_VERTICES + returnSite;
    if (!this.#bypasses.has(key)) {
      this.#bypasses.add(key);
      this.#bypassCall.push(call);
      this.#bypassReturn.push(returnSite);
      this.#bypassRelation.push(relation);
    } else if (this.#version === 1) {
      // two call sites of version 1 share both vertices: the further edge carries the same facts as an ordinary one
      this.#edgeSource.push(call);
      this.#edgeTarget.push(returnSite);
      this.#edgeRelation.push(relation);
    } else {
      line.fail(
        `got a second t line from ${call} to ${returnSite}, expected at most one per call and return site`,
      );
    }
  }

  #callRecord(): void {
    const line = this.#line;
    if (this.#stage !== Stage.Procedures) this.#outsideProcedure("c");
    this.#callVertex.push(this.#vertex("a call vertex"));
    this.#callReturn.push(this.#vertex("a return site"));
    this.#callCallee.push(line.field("a callee"));
    this.#callEntryRelation.push(this.#relation());
    this.#callExitRelation.push(this.#relation());
    if (!line.isRead) {
      if (this.#version === 1) {
        line.fail(`got ${line.show()} after the relations in version 1, expected the end of the line`);
      }
      const exit = line.field("an exit vertex");
      if (MAX_VERTICES <= exit) line.fail(`got exit vertex ${exit}, expected at most ${MAX_VERTICES - 1}`);
      this.#callExit.push(exit + 1);
    } else {
      this.#callExit.push(0);
    }
    line.finish();
    this.#callLine.push(line.lineNumber);
  }

  /** In version 1 every call has a `t` line. */
  #closeProcedure(): void {
    if (this.#version === 1 && 0 < this.#names.length) {
      const from = this.#callStart.items[this.#names.length - 1];
      for (let i = from; i < this.#callVertex.length; i++) {
        const call = this.#callVertex.items[i];
        const returnSite = this.#callReturn.items[i];
        if (this.#bypasses.has(call * MAX_VERTICES + returnSite)) continue;
        this.#line.fail(
          `got a call from ${call} returning to ${returnSite} without t line in version 1, expected one or IFDS 2`,
          this.#callLine.items[i],
        );
      }
    }
    if (0 < this.#bypasses.size) this.#bypasses.clear();
  }

  /** What can only be checked when every procedure is known; completes the lists of starts and the default exits. */
  #checkCalls(): void {
    const procedures = this.#names.length;
    if (procedures <= this.#entry) {
      this.#line.fail(
        `got entry procedure ${this.#entry}, expected at most ${procedures - 1}`,
        this.#entryLine,
      );
    }
    this.#exitStart.push(this.#exits.length);
    this.#edgeStart.push(this.#edgeSource.length);
    this.#bypassStart.push(this.#bypassCall.length);
    this.#callStart.push(this.#callVertex.length);

    for (let caller = 0; caller < procedures; caller++) {
      const facts = this.#factCount.items[caller];
      for (let i = this.#callStart.items[caller]; i < this.#callStart.items[caller + 1]; i++) {
        const line = this.#callLine.items[i];
        const callee = this.#callCallee.items[i];
        if (procedures <= callee)
          this.#line.fail(`got callee ${callee}, expected at most ${procedures - 1}`, line);
        const calleeFacts = this.#factCount.items[callee];
        const misfit =
          this.#relations.misfit(this.#callEntryRelation.items[i], facts, calleeFacts) ??
          this.#relations.misfit(this.#callExitRelation.items[i], calleeFacts, facts);
        if (misfit !== undefined) this.#line.fail(misfit, line);

        const exits = this.#exits.items.subarray(
          this.#exitStart.items[callee],
          this.#exitStart.items[callee + 1],
        );
        const exit = this.#callExit.items[i] === 0 ? exits[0] : this.#callExit.items[i] - 1;
        if (!exits.includes(exit)) {
          this.#line.fail(
            `got exit ${exit} of procedure ${callee}, expected ${[...exits].slice(0, 8).join(" or ")}`,
            line,
          );
        }
        this.#callExit.items[i] = exit;
      }
    }
  }

  #advance(kind: string, from: Stage, to: Stage, next: Stage): void {
    if (this.#stage < from || to < this.#stage) {
      this.#line.fail(`got record ${kind} out of order, expected the order h, R, M, P with e, t and c, Z`);
    }
    this.#stage = next;
  }

  #outsideProcedure(kind: string): never {
    this.#line.fail(`got record ${kind} before the first procedure, expected P first`);
  }

  #unknownRecord(): never {
    const got = this.#line.showLine();
    this.#line.fail(`got ${got}, expected a record h, R, M, P, e, t, c, Z or a comment #`);
  }

  /** Reads a vertex of the current procedure. */
  #vertex(what: string): number {
    return this.#below(this.#line.field(what), this.#vertices, what);
  }

  #relation(): number {
    return this.#below(this.#line.field("a relation"), this.#relations.count, "a relation");
  }

  /** Reads a relation that stays in the current procedure. */
  #innerRelation(): number {
    const relation = this.#relation();
    const misfit = this.#relations.misfit(relation, this.#facts, this.#facts);
    if (misfit !== undefined) this.#line.fail(misfit);
    return relation;
  }

  #below(got: number, limit: number, what: string): number {
    if (limit <= got)
      this.#line.fail(`got ${what.replace(/^an? /, "")} ${got}, expected at most ${limit - 1}`);
    return got;
  }

  #expectNumber(what: string, expected: number): void {
    const got = this.#line.field(`a ${what}`);
    if (got !== expected)
      this.#line.fail(`got ${what} ${got}, expected ${expected} (they are numbered in order)`);
  }
}
