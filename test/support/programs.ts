/**
 * Programs for tests of clients, from a line notation and at random, and what executions of them do: all paths with their
 * stacks of calls, followed one step at a time with the set of facts that holds along the path. Nothing here knows
 * domains, relations, summaries, or which facts go around a call.
 *
 * Notation, `#` begins a comment:
 *
 *     let x, export y              variables of the whole program: let, export (reads before it give undefined), var, temp
 *     main(a, _, ...b) = r         a procedure, its parameters (var), the variable of its result (temp), if it has one
 *       let z                      variables that belong to it
 *       0: declare z, settle, read x -> 1 !9   operations (`settle` and `resume` but for the procedure's own variables), successors, `!` before those along exceptional edges
 *       1: flow z.a x.b, call f|?(x, _) = z -> 2 !9      return sites; `?` is a callee outside the program,
 *                                              `?name` one with a name, `r.f` calls with receiver r
 *       exits 8 9                  the last two vertices if not said
 *     entry main                   the first procedure if not said
 */

import fc from "fast-check";
import {
  type CallSite,
  OPERATION_SIZE,
  Op,
  type Procedure,
  type Program,
  type Variable,
  type VariableKind,
} from "../../src/program/program.js";

const KINDS: Record<string, Pick<Variable, "kind" | "deadZone" | "throwsEarly">> = {
  let: { kind: "let", deadZone: true, throwsEarly: true },
  export: { kind: "export", deadZone: true, throwsEarly: false },
  var: { kind: "var", deadZone: false, throwsEarly: false },
  temp: { kind: "temporary", deadZone: false, throwsEarly: false },
};
const CODES: Record<string, number> = { ...Op };

export interface NamedProgram {
  readonly program: Program;
  /** Number of a variable or procedure by name. */
  readonly variable: (name: string) => number;
  readonly procedure: (name: string) => number;
}

interface OperationDraw {
  readonly code: number;
  readonly variable: number;
  readonly source: number;
  readonly paths: number;
}

interface CallDraw extends Omit<CallSite, "arguments"> {
  readonly arguments: readonly number[];
}

interface ProcedureDraw {
  readonly name: string;
  readonly vertexCount: number;
  readonly exit: number;
  readonly exceptionalExit: number;
  readonly operations: readonly (readonly OperationDraw[])[];
  readonly edges: readonly (readonly [from: number, to: number, exceptional: number])[];
  readonly calls: readonly CallDraw[];
  readonly parameters: readonly number[];
  readonly rest: boolean;
  readonly result: number;
  readonly receiver: number;
}

function procedureOf(draw: ProcedureDraw): Procedure {
  const operationStart = new Uint32Array(draw.vertexCount + 1);
  for (let v = 0; v < draw.vertexCount; v++) {
    operationStart[v + 1] = operationStart[v] + (draw.operations[v]?.length ?? 0);
  }
  return {
    name: draw.name,
    kind: "function",
    file: -1,
    start: 0,
    end: 0,
    vertexCount: draw.vertexCount,
    exit: draw.exit,
    exceptionalExit: draw.exceptionalExit,
    ranges: new Uint32Array(2 * draw.vertexCount),
    operationStart,
    operations: Uint32Array.from(
      draw.operations.flat().flatMap(({ code, variable, source, paths }) => [code, variable, source, paths]),
    ),
    edges: Uint32Array.from(draw.edges.flatMap((edge) => edge.slice(0, 2))),
    exceptional: Uint8Array.from(draw.edges, ([, , exceptional]) => exceptional),
    calls: draw.calls.map((call) => ({ ...call, arguments: Int32Array.from(call.arguments) })),
    parameters: Int32Array.from(draw.parameters),
    rest: draw.rest,
    result: draw.result,
    receiver: draw.receiver,
  };
}

/** A program from its notation. */
export function programOf(text: string): NamedProgram {
  const lines = text
    .split("\n")
    .map((line) => line.replace(/#.*/, "").trim())
    .filter((line) => line !== "");
  const variables: Variable[] = [];
  const ids = new Map<string, number>();
  const declare = (kind: string, name: string, owner: number): number => {
    const id = variables.push({ name, ...KINDS[kind], owner, file: -1, start: 0, end: 0 }) - 1;
    ids.set(name, id);
    return id;
  };
  const paths = [""];
  const pathOf = (path: string): number => {
    const known = paths.indexOf(path);
    return 0 <= known ? known : paths.push(path) - 1;
  };
  const header = /^(\w+)\(([^)]*)\)(?:\s*=\s*(\w+))?$/;
  const names = lines.flatMap((line) => header.exec(line)?.[1] ?? []);
  const need = (id: number | undefined, name: string): number => {
    if (id === undefined) throw new Error(`Got ${name}, expected a name that was declared.`);
    return id;
  };
  const variable = (name: string) => need(ids.get(name), name);
  const procedure = (name: string) => need(names.includes(name) ? names.indexOf(name) : undefined, name);
  let entry = 0;

  // Names first: a procedure may use what a later one declares.
  let owner = -1;
  const heads = new Map<number, Pick<ProcedureDraw, "parameters" | "rest" | "result">>();
  for (const line of lines) {
    const head = header.exec(line);
    if (head !== null) {
      const [, name, list, result] = head;
      owner = names.indexOf(name);
      const parameters = list.split(",").filter((item) => item.trim() !== "");
      heads.set(owner, {
        parameters: parameters.map((item) => {
          const parameter = item.trim().replace(/^\.\.\./, "");
          return parameter === "_" ? -1 : declare("var", parameter, owner);
        }),
        rest: list.includes("..."),
        result: result === undefined ? -1 : declare("temp", result, owner),
      });
    } else if (/^(?:let|export|var|temp) /.test(line)) {
      let kind = "";
      for (const word of line.split(/[\s,]+/)) {
        if (word in KINDS) kind = word;
        else declare(kind, word, owner);
      }
    }
  }

  const draws: ProcedureDraw[] = [];
  let current: {
    operations: OperationDraw[][];
    edges: [number, number, number][];
    calls: CallDraw[];
    vertices: number;
    exits: number[];
  } = { operations: [], edges: [], calls: [], vertices: 0, exits: [] };
  const close = () => {
    if (draws.length === names.length || current.vertices === 0) return;
    const id = draws.length;
    const { vertices, exits } = current;
    const [exit = vertices - 2, exceptionalExit = vertices - 1] = exits;
    draws.push({
      name: names[id],
      vertexCount: vertices,
      exit,
      exceptionalExit,
      operations: Array.from({ length: vertices }, (_, v) => current.operations[v] ?? []),
      edges: current.edges,
      calls: current.calls,
      receiver: -1,
      ...heads.get(id)!,
    });
    current = { operations: [], edges: [], calls: [], vertices: 0, exits: [] };
  };
  for (const line of lines) {
    if (header.test(line)) {
      close();
      continue;
    }
    if (line.startsWith("entry ")) entry = procedure(line.slice(6));
    if (line.startsWith("exits ")) {
      current.exits = line.slice(6).split(" ").map(Number);
      current.vertices = Math.max(current.vertices, ...current.exits.map((v) => v + 1));
    }
    const vertexLine = /^(\d+):(.*)$/.exec(line);
    if (vertexLine === null) continue;
    const vertex = Number(vertexLine[1]);
    const [steps, targetText = ""] = vertexLine[2].split("->");
    const targets = targetText.split(" ").filter((word) => word !== "");
    const normal = targets.filter((word) => !word.startsWith("!")).map(Number);
    const exceptional = targets.filter((word) => word.startsWith("!")).map((word) => Number(word.slice(1)));
    current.vertices = Math.max(
      current.vertices,
      vertex + 1,
      ...[...normal, ...exceptional].map((v) => v + 1),
    );
    const operations: OperationDraw[] = [];
    let called = false;
    const call = /call (?:(\w+)\.)?([\w?|]+)\(([^)]*)\)(?:\s*=\s*(\w+))?/.exec(steps);
    const plain = steps.replace(call?.[0] ?? "", "");
    for (const step of plain.split(",").map((word) => word.trim())) {
      if (step === "") continue;
      const [code, first = "", second = ""] = step.split(/\s+/);
      const [, target, targetPath] = /^(\w*)(.*)$/.exec(first)!;
      const [, source, sourcePath] = /^(\w*)(.*)$/.exec(second)!;
      operations.push({
        code: need(CODES[code], code),
        variable: target === "" ? draws.length : variable(target),
        source: source === "" ? 0 : variable(source),
        paths: (pathOf(targetPath) << 16) | pathOf(sourcePath),
      });
    }
    if (call !== null) {
      called = true;
      const [, receiver, callees, list, result] = call;
      const words = callees.split("|");
      current.calls.push({
        vertex,
        returnSite: normal[0],
        exceptionalReturnSite: exceptional[0] ?? -1,
        callees: words.filter((word) => !word.startsWith("?")).map(procedure),
        external: words.some((word) => word.startsWith("?")),
        name: words[0].replace("?", ""),
        arguments: list
          .split(",")
          .map((word) => word.trim())
          .filter((word) => word !== "")
          .map((word) => (word === "_" ? -1 : variable(word))),
        result: result === undefined ? -1 : variable(result),
        receiver: receiver === undefined ? -1 : variable(receiver),
      });
    }
    current.operations[vertex] = operations;
    if (called) continue;
    for (const target of normal) current.edges.push([vertex, target, 0]);
    for (const target of exceptional) current.edges.push([vertex, target, 1]);
  }
  close();
  const program: Program = {
    files: [],
    variables,
    procedures: draws.map(procedureOf),
    entries: [entry],
    paths,
  };
  return { program, variable, procedure };
}

/** A random program. `recursive`: whether procedures may call themselves and earlier ones. */
export function randomProgram(recursive: boolean): fc.Arbitrary<Program> {
  const id = fc.nat(1 << 12);
  const operation = fc.record({
    code: fc.constantFrom(0, 0, 1, 2, 2, 3, 3, 4, 4, 4, 5, 6, 7),
    variable: id,
    source: id,
    paths: fc.tuple(fc.constantFrom(0, 0, 1, 2, 3), fc.constantFrom(0, 0, 1, 2, 3)),
  });
  const vertex = fc.record({
    operations: fc.array(operation, { maxLength: 3 }),
    next: fc.array(fc.record({ to: id, near: fc.boolean(), exceptional: fc.constantFrom(0, 0, 0, 1) }), {
      minLength: 1,
      maxLength: 2,
    }),
    isCall: fc.constantFrom(true, false, false),
    callees: fc.array(id, { maxLength: 2 }),
    external: fc.constantFrom(true, false, false, false),
    name: fc.constantFrom("source", "fill", "clean", "f", "f"),
    arguments: fc.array(fc.option(id, { nil: -1, freq: 4 }), { maxLength: 3 }),
    result: fc.option(id, { nil: -1 }),
    receiver: fc.option(id, { nil: -1 }),
  });
  const procedure = fc.record({
    vertices: fc.array(vertex, { minLength: 1, maxLength: 4 }),
    parameters: fc.array(fc.option(id, { nil: -1, freq: 5 }), { maxLength: 3 }),
    rest: fc.boolean(),
    result: fc.option(id, { nil: -1 }),
    receiver: fc.option(id, { nil: -1 }),
  });
  const variable = fc.record({
    kind: fc.constantFrom("let", "let", "export", "var", "temp"),
    owner: fc.constantFrom(-1, 0, 1, 1, 2),
  });
  return fc
    .record({
      variables: fc.array(variable, { minLength: 2, maxLength: 6 }),
      procedures: fc.array(procedure, { minLength: 1, maxLength: 3 }),
    })
    .map(({ variables: drawn, procedures: draws }) => {
      const n = draws.length;
      const variables: Variable[] = drawn.map(({ kind, owner }, v) => ({
        name: `v${v}`,
        ...KINDS[kind],
        kind: KINDS[kind].kind as VariableKind,
        owner: owner < n ? owner : -1,
        file: -1,
        start: 0,
        end: 0,
      }));
      const any = (draw: number) => (draw < 0 ? -1 : draw % variables.length);
      const procedures = draws.map((draw, p) => {
        const own = variables.flatMap(({ owner }, v) => (owner === p ? [v] : []));
        const taken = new Set<number>();
        const local = (drawn: number): number => {
          const v = drawn < 0 || own.length === 0 ? -1 : own[drawn % own.length];
          if (v < 0 || taken.has(v)) return -1;
          taken.add(v);
          return v;
        };
        const steps = draw.vertices.length;
        const vertexCount = steps + 2;
        const target = (from: number, to: number, near: boolean) =>
          near ? (from + 1) % vertexCount : to % vertexCount;
        const edges: [number, number, number][] = [];
        const calls: CallDraw[] = [];
        for (const [v, { isCall, next, ...call }] of draw.vertices.entries()) {
          const callees = call.callees
            .map((drawn) => (recursive ? drawn % n : p + 1 + (drawn % Math.max(1, n - p - 1))))
            .filter((q, i, all) => q < n && all.indexOf(q) === i);
          if (isCall) {
            const returnSite = target(v, next[0].to, true);
            calls.push({
              ...call,
              vertex: v,
              returnSite,
              exceptionalReturnSite:
                returnSite === vertexCount - 1 || (next[0].to & 1) === 0
                  ? vertexCount - 1 === returnSite
                    ? 0
                    : vertexCount - 1
                  : (returnSite + 1) % vertexCount,
              callees,
              arguments: call.arguments.map(any),
              result: any(call.result),
              receiver: any(call.receiver),
            });
          } else
            for (const { to, near, exceptional } of next) edges.push([v, target(v, to, near), exceptional]);
        }
        return procedureOf({
          name: `p${p}`,
          vertexCount,
          exit: steps,
          exceptionalExit: steps + 1,
          operations: [
            ...draw.vertices.map(({ operations }) =>
              operations.map((operation) => ({
                code: operation.code,
                variable:
                  operation.code === Op.settle || operation.code === Op.resume
                    ? operation.variable % n
                    : any(operation.variable),
                source: any(operation.source),
                paths: (operation.paths[0] << 16) | operation.paths[1],
              })),
            ),
            [],
            [],
          ],
          edges,
          calls,
          parameters: draw.parameters.map(local),
          rest: draw.rest && 0 < draw.parameters.length,
          result: draw.result < 0 || own.length === 0 ? -1 : own[draw.result % own.length],
          receiver: local(draw.receiver),
        });
      });
      return { files: [], variables, procedures, entries: [0], paths: ["", ".a", ".b", ".a.b"] };
    });
}

/** Facts along a path: `variable` or `variable tag`. */
export type Facts = ReadonlySet<string>;

/** What a client's steps do to the facts along a path. All take facts and give facts. */
export interface Effects {
  operation(facts: Facts, at: Place, code: number, variable: number, source: number, paths: number): Facts;
  /** As the vertex throws. */
  throws?(facts: Facts, at: Place): Facts;
  /** Facts of `to` that the facts say once it has the value of `from`, or that as a part. */
  pass?(facts: Facts, from: number, to: number, part: boolean): Iterable<string>;
  /** An argument whose parameter has no variable. */
  takenApart?(facts: Facts, argument: number): void;
  /** Facts of a parameter or receiver that a call has given a value. */
  entered?(callee: number, variable: number): Iterable<string>;
  /** Facts that hold once a call has returned. */
  returned?(call: CallSite, at: Place): Iterable<string>;
  passesResult?(call: CallSite): boolean;
  /** A callee outside the program, which also gives `call.result` a value unless it throws. `facts`: from before. */
  external?(facts: Facts, call: CallSite, at: Place, throws: boolean): Iterable<string>;
}

export interface Place {
  readonly procedure: number;
  readonly vertex: number;
}

interface Frame {
  readonly procedure: number;
  readonly call: CallSite;
  /** Facts about variables of the caller that the callee has anew. */
  readonly saved: Facts;
}

export interface Configuration {
  readonly stack: readonly Frame[];
  readonly at: Place;
  readonly facts: Facts;
}

export const variableOf = (fact: string): number => Number.parseInt(fact, 10);

/** Facts without those about some variables. */
export const without = (facts: Iterable<string>, gone: (variable: number) => boolean): Set<string> =>
  new Set([...facts].filter((fact) => !gone(variableOf(fact))));

/**
 * Every configuration on an execution from `begin`, each once. `deepest` bounds the stack; paths that would go deeper end.
 */
export function configurations(
  program: Program,
  effects: Effects,
  begin: readonly Configuration[],
  deepest: number,
): Configuration[] {
  const { procedures, variables } = program;
  const shared = sharedVariables(program);
  const seen = new Set<string>();
  const found: Configuration[] = [];
  const add = (stack: readonly Frame[], procedure: number, vertex: number, facts: Facts) => {
    const key = JSON.stringify([
      stack.map(({ procedure: p, call, saved }) => [p, call.vertex, [...saved].sort()]),
      procedure,
      vertex,
      [...facts].sort(),
    ]);
    if (seen.has(key)) return;
    seen.add(key);
    found.push({ stack, at: { procedure, vertex }, facts });
  };
  for (const { stack, at, facts } of begin) add(stack, at.procedure, at.vertex, facts);
  for (let i = 0; i < found.length; i++) {
    const { stack, at, facts } = found[i];
    const { procedure: p, vertex: v } = at;
    const procedure = procedures[p];
    let after: Facts = facts;
    const happens =
      procedure.calls.some((call) => call.vertex === v) ||
      procedure.exceptional.some((exceptional, k) => exceptional === 0 && procedure.edges[2 * k] === v);
    for (let k = procedure.operationStart[v]; happens && k < procedure.operationStart[v + 1]; k++) {
      const [code, variable, source, paths] = procedure.operations.subarray(k * OPERATION_SIZE);
      after = effects.operation(after, at, code, variable, source, paths);
    }
    for (const [k, exceptional] of procedure.exceptional.entries()) {
      if (procedure.edges[2 * k] !== v) continue;
      const thrown = exceptional === 1 ? (effects.throws?.(facts, at) ?? facts) : after;
      add(stack, p, procedure.edges[2 * k + 1], thrown);
    }
    for (const call of procedure.calls) {
      if (call.vertex !== v) continue;
      if (call.external || call.callees.length === 0) {
        for (const throws of [false, true]) {
          const site = throws ? call.exceptionalReturnSite : call.returnSite;
          if (site < 0) continue;
          const rest = without(after, (x) => !throws && x === call.result);
          add(
            stack,
            p,
            site,
            new Set([
              ...rest,
              ...(effects.external?.(after, call, at, throws) ?? []),
              ...(throws ? [] : (effects.returned?.(call, at) ?? [])),
            ]),
          );
        }
      }
      for (const q of call.callees) {
        if (deepest <= stack.length) continue;
        const callee = procedures[q];
        const inside = without(after, (x) => variables[x].owner === q);
        const saved = without(after, (x) => variables[x].owner !== q);
        const last = callee.parameters.length - 1;
        const bind = (from: number, to: number, part: boolean) => {
          if (0 <= from && to < 0) effects.takenApart?.(after, from);
          if (from < 0 || to < 0) return;
          for (const fact of effects.pass?.(after, from, to, part) ?? []) inside.add(fact);
        };
        for (const [k, argument] of call.arguments.entries()) {
          const rest = callee.rest && last <= k;
          if (rest || k <= last) bind(argument, callee.parameters[rest ? last : k], rest);
        }
        if (0 <= callee.receiver) bind(call.receiver, callee.receiver, false);
        for (const x of [...callee.parameters, callee.receiver]) {
          if (0 <= x) for (const fact of effects.entered?.(q, x) ?? []) inside.add(fact);
        }
        add([...stack, { procedure: p, call, saved }], q, 0, inside);
      }
    }
    const frame = stack.at(-1);
    if (frame === undefined) continue;
    const { procedure: caller, call, saved } = frame;
    for (const throws of [false, true]) {
      const site = throws ? call.exceptionalReturnSite : call.returnSite;
      if (v !== (throws ? procedure.exceptionalExit : procedure.exit) || site < 0) continue;
      // What an activation leaves matters to those who may call its closures, beside older ones of the same variable.
      const left = without(facts, (x) => variables[x].owner === p && (caller === p || !shared.has(x)));
      const back = without([...left, ...saved], (x) => !throws && x === call.result);
      if (!throws) {
        if (0 <= procedure.result && 0 <= call.result && (effects.passesResult?.(call) ?? true)) {
          for (const fact of effects.pass?.(facts, procedure.result, call.result, false) ?? [])
            back.add(fact);
        }
        const place = { procedure: caller, vertex: call.vertex };
        for (const fact of effects.returned?.(call, place) ?? []) back.add(fact);
      }
      add(stack.slice(0, -1), caller, site, back);
    }
  }
  return found;
}

/** Facts at each vertex over all executions from the program's entries; undefined where none gets. */
export function factsOnPaths(
  program: Program,
  effects: Effects,
  deepest: number,
): (Set<string> | undefined)[][] {
  const result: (Set<string> | undefined)[][] = program.procedures.map(() => []);
  for (const { at, facts } of configurations(program, effects, entriesOf(program), deepest)) {
    const here = (result[at.procedure][at.vertex] ??= new Set());
    for (const fact of facts) here.add(fact);
  }
  return result;
}

export function entriesOf(program: Program): Configuration[] {
  return program.entries.map((procedure) => ({
    stack: [],
    at: { procedure, vertex: 0 },
    facts: new Set<string>(),
  }));
}

/** Variables that a procedure's own code mentions. */
function mentioned(program: Program, p: number): Set<number> {
  const { operations, parameters, result, receiver, calls } = program.procedures[p];
  const all: number[] = [...parameters, result, receiver];
  for (let i = 0; i < operations.length; i += OPERATION_SIZE) {
    if (operations[i] === Op.settle || operations[i] === Op.resume) continue;
    all.push(operations[i + 1]);
    if (operations[i] === Op.flow) all.push(operations[i + 2]);
  }
  for (const call of calls) all.push(...call.arguments, call.result, call.receiver);
  return new Set(all.filter((v) => 0 <= v));
}

/** Variables that a procedure other than their owner mentions. */
export function sharedVariables(program: Program): Set<number> {
  const shared = new Set<number>();
  for (const p of program.procedures.keys()) {
    for (const v of mentioned(program, p)) if (program.variables[v].owner !== p) shared.add(v);
  }
  return shared;
}

/**
 * Variables that matter to each procedure: what it and its transitive callees mention. Of those that belong to an
 * activation: what their owner does with them matters on the way from whoever may call a closure down to the owner.
 */
export function concerns(program: Program): Set<number>[] {
  const { procedures, variables } = program;
  const ids = [...procedures.keys()];
  const calls = ids.map((p) => new Set(procedures[p].calls.flatMap(({ callees }) => callees)));
  const from = ids.map((p) => new Set([p]));
  for (let changed = true; changed; ) {
    changed = false;
    for (const p of ids) {
      for (const q of calls[p]) {
        for (const r of from[q]) {
          changed ||= !from[p].has(r);
          from[p].add(r);
        }
      }
    }
  }
  const result = ids.map((p) => mentioned(program, p));
  for (let changed = true; changed; ) {
    changed = false;
    for (const p of ids) {
      for (const q of calls[p]) {
        for (const v of result[q]) {
          if (variables[v].owner === q || result[p].has(v)) continue;
          result[p].add(v);
          changed = true;
        }
      }
    }
  }
  for (const v of sharedVariables(program)) {
    const { owner } = variables[v];
    if (owner < 0) continue;
    const users = ids.filter((p) => p !== owner && result[p].has(v));
    for (const p of ids) {
      if (from[p].has(owner) && users.some((user) => from[user].has(p))) result[p].add(v);
    }
  }
  return result;
}
