/**
 * Clients of programs: cases in notation, and random programs compared with executions step by step: equal without
 * recursion, nothing missed with it, and there equal to the same problem stated as flow functions on unbounded domains.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  liveness,
  Op,
  possiblyUninitialized,
  reachability,
  reachingDefinitions,
  type TaintRules,
  taint,
  uninitialized,
} from "../src/clients/index.js";
import { checkProcedure, extractProcedure } from "../src/exploded/exploded-procedure.js";
import { analyze } from "../src/index.js";
import { explode } from "../src/problem/explode.js";
import { type FlowFunction, ZERO, type Zero } from "../src/problem/flow-functions.js";
import type { CallSite, Program } from "../src/program/program.js";
import { SupergraphBuilder } from "../src/supergraph/supergraph-builder.js";
import {
  concerns,
  configurations,
  type Effects,
  entriesOf,
  type Facts,
  factsOnPaths,
  type NamedProgram,
  programOf,
  randomProgram,
  sharedVariables,
  variableOf,
  without,
} from "./support/programs.js";

const RULES: TaintRules = {
  sources: [{ call: "source" }, { call: "fill", taints: [0, "receiver"] }],
  sinks: [{ call: "sink" }],
  sanitizers: [{ call: "clean" }],
};

/** What every client has to say about a program, as sorted facts by vertex. */
type Answers = (string[] | undefined)[][];

const table = (program: Program, at: (p: number, v: number) => Iterable<string> | undefined): Answers =>
  program.procedures.map(({ vertexCount }, p) =>
    Array.from({ length: vertexCount }, (_, v) => {
      const facts = at(p, v);
      return facts === undefined ? undefined : [...facts].sort();
    }),
  );

/** Answers of executions, of variables that matter where they are. */
function onPaths(program: Program, effects: Effects, deepest: number): Answers {
  const matters = concerns(program);
  const found = factsOnPaths(program, effects, deepest);
  return table(program, (p, v) => {
    const facts = found[p][v];
    return facts === undefined ? undefined : without(facts, (x) => !matters[p].has(x));
  });
}

interface Client {
  readonly answers: (program: Program) => Answers;
  readonly expected: (program: Program, deepest: number) => Answers;
}

function initializationEffects(program: Program, copies: boolean): Effects {
  const { variables } = program;
  const matters = concerns(program);
  const others = (facts: Facts, p: number, self: number, certainly: boolean) => {
    const after = new Set<string>();
    for (const fact of facts) {
      const x = variableOf(fact);
      const open = fact.endsWith("u") && variables[x].owner !== self && matters[p].has(x);
      if (open) after.add(`${x} i`);
      if (!open || !certainly) after.add(fact);
    }
    return after;
  };
  const missing = (facts: Facts, x: number) =>
    facts.has(`${x} c`) || (facts.has(`${x} u`) && !variables[x].throwsEarly);
  return {
    operation(facts, { procedure }, code, x, source, paths) {
      const rest = without(facts, (y) => x === y);
      switch (code) {
        case Op.read:
        case Op.check: {
          const after = new Set(facts);
          if (variables[x].throwsEarly) after.delete(`${x} u`);
          return after;
        }
        case Op.write:
          return variables[x].deadZone ? rest.add(`${x} i`) : rest;
        case Op.declare:
          return variables[x].deadZone ? rest.add(`${x} u`) : rest;
        case Op.flow:
          return copies && paths === 0 && missing(facts, source) ? new Set(facts).add(`${x} c`) : facts;
        case Op.demand: {
          const after = new Set(facts);
          after.delete(`${x} u`);
          after.delete(`${x} c`);
          return after;
        }
        case Op.settle:
          return others(facts, procedure, x, true);
        default:
          return others(facts, procedure, x, false);
      }
    },
    pass: (facts, from, to, part) => (copies && !part && missing(facts, from) ? [`${to} c`] : []),
    entered: (_, x) => (variables[x].deadZone ? [`${x} i`] : []),
    returned: ({ result }) => (0 <= result && variables[result].deadZone ? [`${result} i`] : []),
  };
}

const uninitializedClient: Client = {
  answers(program) {
    const answers = uninitialized(program, { initialized: true }).analyze();
    return table(program, (p, v) =>
      answers.reaches(p, v)
        ? program.variables.flatMap((_, x) => [
            ...(answers.mayBeUninitialized(p, v, x) ? [`${x} u`] : []),
            ...(answers.mayBeInitialized(p, v, x) ? [`${x} i`] : []),
          ])
        : undefined,
    );
  },
  expected: (program, deepest) => onPaths(program, initializationEffects(program, false), deepest),
};

const possiblyUninitializedClient: Client = {
  answers(program) {
    const answers = possiblyUninitialized(program, { initialized: true }).analyze();
    return table(program, (p, v) =>
      answers.reaches(p, v)
        ? program.variables.flatMap((_, x) => [
            ...(answers.mayBeInDeadZone(p, v, x) ? [`${x} u`] : []),
            ...(answers.mayBeInitialized(p, v, x) ? [`${x} i`] : []),
            ...(answers.mayBeCopy(p, v, x) ? [`${x} c`] : []),
          ])
        : undefined,
    );
  },
  expected: (program, deepest) => onPaths(program, initializationEffects(program, true), deepest),
};

const reachabilityClient: Client = {
  answers(program) {
    const answers = reachability(program).analyze();
    return table(program, (p, v) => (answers.reaches(p, v) ? [] : undefined));
  },
  expected: (program, deepest) => onPaths(program, { operation: (facts) => facts }, deepest),
};

const definitionsClient: Client = {
  answers(program) {
    const all = program.variables.keys();
    const reached = reachability(program).analyze();
    const answers = reachingDefinitions(program, { variables: all }).analyze();
    return table(program, (p, v) =>
      reached.reaches(p, v)
        ? answers
            .reachingDefinitions(p, v)
            .map((definition) => `${definition.variable} ${definition.procedure} ${definition.vertex}`)
        : undefined,
    );
  },
  expected(program, deepest) {
    const matters = concerns(program);
    const shared = sharedVariables(program);
    const everywhere = new Set<string>();
    for (const [
      p,
      { vertexCount, operationStart, operations, ...procedure },
    ] of program.procedures.entries()) {
      for (const x of [...procedure.parameters, procedure.receiver]) everywhere.add(`${x} ${p} 0`);
      for (const { vertex, result } of procedure.calls) everywhere.add(`${result} ${p} ${vertex}`);
      for (let v = 0; v < vertexCount; v++) {
        for (let i = operationStart[v]; i < operationStart[v + 1]; i++) {
          const [code, x] = operations.subarray(4 * i);
          if (code === Op.write || code === Op.flow) everywhere.add(`${x} ${p} ${v}`);
        }
      }
    }
    const effects: Effects = {
      operation(facts, { procedure: p, vertex }, code, x) {
        if (code === Op.write) return without(facts, (y) => x === y).add(`${x} ${p} ${vertex}`);
        if (code === Op.flow) return new Set(facts).add(`${x} ${p} ${vertex}`);
        if (code === Op.declare) return without(facts, (y) => x === y);
        if (code !== Op.settle && code !== Op.resume) return facts;
        return new Set([
          ...facts,
          ...without(everywhere, (y) => y < 0 || !shared.has(y) || !matters[p].has(y)),
        ]);
      },
      entered: (callee, x) => [`${x} ${callee} 0`],
      returned: ({ result }, { procedure, vertex }) =>
        0 <= result ? [`${result} ${procedure} ${vertex}`] : [],
    };
    return onPaths(program, effects, deepest);
  },
};

const livenessClient: Client = {
  answers(program) {
    const reached = reachability(program).analyze();
    const answers = liveness(program, { variables: program.variables.keys() }).analyze();
    return table(program, (p, v) =>
      reached.reaches(p, v) ? answers.liveBefore(p, v).map((x) => `${x}`) : undefined,
    );
  },
  expected(program, deepest) {
    const matters = concerns(program);
    const shared = sharedVariables(program);
    let used = false;
    const use = (facts: Facts, x: number) => {
      used ||= facts.has(`${x}`);
    };
    /** Follows a value: facts are the variables that have it. */
    const effects: Effects = {
      operation(facts, { procedure }, code, x, source) {
        if (code === Op.read) use(facts, x);
        if (code === Op.flow) use(facts, source);
        if (code === Op.write || code === Op.declare) return without(facts, (y) => x === y);
        if (code === Op.settle || code === Op.resume) {
          for (const y of matters[procedure]) if (shared.has(y)) use(facts, y);
        }
        return facts;
      },
      throws(facts, { procedure, vertex }) {
        const { operationStart, operations } = program.procedures[procedure];
        let there: Facts = facts;
        for (let i = operationStart[vertex]; i < operationStart[vertex + 1]; i++) {
          const [code, x, source] = operations.subarray(4 * i);
          if (code === Op.read) use(there, x);
          if (code === Op.flow) use(there, source);
          if (code === Op.write || code === Op.declare) there = without(there, (y) => x === y);
        }
        return facts;
      },
      pass: (facts, from, to) => (facts.has(`${from}`) ? [`${to}`] : []),
      takenApart: use,
      external(facts, call) {
        for (const x of [...call.arguments, call.receiver]) use(facts, x);
        return [];
      },
    };
    const control: Effects = { operation: (facts) => facts };
    const live: (Set<string> | undefined)[][] = program.procedures.map(() => []);
    for (const begin of configurations(program, control, entriesOf(program), deepest)) {
      const { procedure, vertex } = begin.at;
      const here = (live[procedure][vertex] ??= new Set());
      for (const x of matters[procedure]) {
        if (here.has(`${x}`)) continue;
        used = false;
        configurations(program, effects, [{ ...begin, facts: new Set([`${x}`]) }], deepest);
        if (used) here.add(`${x}`);
      }
    }
    return table(program, (p, v) => live[p][v]);
  },
};

const BOUND = 2;

/** Where the part `path` is, once the part `from` has become `to`; undefined where it is not part of what moved. */
function movedPath(path: string, from: string, to: string): string | undefined {
  const names = (text: string) => text.split(".").slice(1);
  const cut = (list: string[]) => {
    const star = list.indexOf("*");
    const plain = star < 0 ? list : list.slice(0, star);
    const open = 0 <= star || BOUND < plain.length;
    return [...plain.slice(0, BOUND), ...(open ? ["*"] : [])].map((name) => `.${name}`).join("");
  };
  const inside = names(path).filter((name) => name !== "*");
  const open = path.endsWith("*");
  const moved = names(from);
  for (let i = 0; i < Math.min(inside.length, moved.length); i++)
    if (inside[i] !== moved[i]) return undefined;
  if (moved.length < inside.length) {
    return cut([...names(to), ...inside.slice(moved.length), ...(open ? ["*"] : [])]);
  }
  return cut([...names(to), ...(open && inside.length === moved.length ? ["*"] : [])]);
}

const taintClient: Client = {
  answers(program) {
    const reached = reachability(program).analyze();
    const answers = taint(program, RULES, { pathBound: BOUND }).analyze();
    return table(program, (p, v) =>
      reached.reaches(p, v)
        ? answers.taintedBefore(p, v).map(({ variable, path }) => `${variable} ${path}`)
        : undefined,
    );
  },
  expected(program, deepest) {
    const of = (facts: Facts, x: number): string[] =>
      [...facts].filter((fact) => variableOf(fact) === x).map((fact) => fact.slice(fact.indexOf(" ") + 1));
    const effects: Effects = {
      operation(facts, _, code, x, source, paths) {
        if (code === Op.write || code === Op.declare) return without(facts, (y) => x === y);
        if (code !== Op.flow) return facts;
        const after = new Set(facts);
        for (const path of of(facts, source)) {
          const moved = movedPath(path, program.paths[paths & 0xffff], program.paths[paths >>> 16]);
          if (moved !== undefined) after.add(`${x} ${moved}`);
        }
        return after;
      },
      pass: (facts, from, to, part) =>
        of(facts, from).map((path) => `${to} ${part ? movedPath(path, "", ".*") : path}`),
      returned({ name, result, receiver, arguments: [first = -1] }) {
        if (name === "source") return 0 <= result ? [`${result} `] : [];
        return name === "fill" ? [first, receiver].filter((x) => 0 <= x).map((x) => `${x} `) : [];
      },
      passesResult: ({ name }) => name !== "clean",
      external: (facts, { name, result, receiver, arguments: list }, _, throws) =>
        !throws && 0 <= result && name !== "clean" && [...list, receiver].some((x) => 0 < of(facts, x).length)
          ? [`${result} `]
          : [],
    };
    return onPaths(program, effects, deepest);
  },
};

const clients: [name: string, client: Client][] = [
  ["reachability", reachabilityClient],
  ["uninitialized", uninitializedClient],
  ["possibly-uninitialized", possiblyUninitializedClient],
  ["liveness", livenessClient],
  ["reaching-definitions", definitionsClient],
  ["taint", taintClient],
];

/** Without later turns, where taint says more than executions show. */
const atOnce = (program: Program): Program => ({
  ...program,
  procedures: program.procedures.map((procedure) => ({
    ...procedure,
    operations: procedure.operations.map((x, i, all) => {
      const code = all[i & ~3];
      return code === Op.settle || code === Op.resume ? 0 : x;
    }),
  })),
});

const show = (program: Program): string =>
  JSON.stringify(program, (_, value) => (ArrayBuffer.isView(value) ? [...(value as Uint32Array)] : value));

/** The program without facts; exceptional edges go over a vertex of their own, with `true` attached. */
function supergraphOf({ procedures, entries }: Program) {
  const builder = new SupergraphBuilder<true>();
  const built = procedures.map(({ vertexCount, exit, exceptionalExit, exceptional }, p) => {
    const thrown = exceptional.reduce((sum, x) => sum + x, 0);
    return builder.procedure(`${p}`, {
      vertices: vertexCount + thrown,
      start: 0,
      exits: [exit, exceptionalExit],
    });
  });
  for (const [p, { vertexCount, edges, exceptional, calls }] of procedures.entries()) {
    let between = vertexCount;
    for (const [i, thrown] of exceptional.entries()) {
      const [from, to] = edges.subarray(2 * i, 2 * i + 2);
      if (thrown === 0) built[p].edge(from, to);
      else {
        built[p].vertex(between, true);
        built[p].edge(from, between).edge(between, to);
        between++;
      }
    }
    for (const { vertex, returnSite, exceptionalReturnSite, callees } of calls) {
      for (const site of [returnSite, exceptionalReturnSite]) {
        built[p].callToReturn(vertex, site, builder.identity);
        for (const q of callees) {
          const exit = site === returnSite ? procedures[q].exit : procedures[q].exceptionalExit;
          built[p].call(vertex, site, built[q], { exit });
        }
      }
    }
  }
  return builder.entry(`${entries[0]}`).supergraph();
}

/** `uninitialized` as a problem of flow functions whose facts are of all variables everywhere. */
function uninitializedByFlowFunctions(program: Program): Answers {
  const { variables, procedures } = program;
  const effects = initializationEffects(program, false);
  const shared = sharedVariables(program);
  const matters = concerns(program);
  const { analysis } = reachability(program).analyze();
  const canEnd = (q: number, exit: number) => analysis.summary(q, exit).length === 1;
  const callAt = (p: number, v: number): CallSite => {
    const call = procedures[p].calls.find(({ vertex }) => vertex === v);
    if (call === undefined) throw new Error(`Got no call at vertex ${v} of ${p}, expected one.`);
    return call;
  };
  /** What a function of sets does, fact by fact. */
  const each =
    (apply: (facts: Facts) => Iterable<string>, keepsZero = true): FlowFunction<string> =>
    (fact: string | Zero) =>
      fact === ZERO
        ? [...(keepsZero ? [ZERO as Zero] : []), ...apply(new Set())]
        : apply(new Set([fact as string]));
  const step = (p: number, v: number, facts: Facts): Facts => {
    const { operationStart, operations } = procedures[p];
    let after = facts;
    for (let i = operationStart[v]; i < operationStart[v + 1]; i++) {
      const [code, x, source, paths] = operations.subarray(4 * i);
      after = effects.operation(after, { procedure: p, vertex: v }, code, x, source, paths);
    }
    return after;
  };
  const problem = explode(supergraphOf(program), {
    normal: (from, to) =>
      from.data === true || to.data === true
        ? each((facts) => facts)
        : each((facts) => step(from.procedure.id, from.id, facts)),
    call: (site, { id: q }) =>
      each((facts) => {
        const inside = without(step(site.procedure.id, site.id, facts), (x) => variables[x].owner === q);
        for (const x of [...procedures[q].parameters, procedures[q].receiver]) {
          if (0 <= x) for (const fact of effects.entered?.(q, x) ?? []) inside.add(fact);
        }
        return inside;
      }),
    return: (site, { id: q }, exit) => {
      const p = site.procedure.id;
      const call = callAt(p, site.id);
      const returns = exit.id === procedures[q].exit;
      return each((facts) => {
        const back = without(
          facts,
          (x) => (variables[x].owner === q && (p === q || !shared.has(x))) || (returns && x === call.result),
        );
        const place = { procedure: p, vertex: site.id };
        if (returns) for (const fact of effects.returned?.(call, place) ?? []) back.add(fact);
        return back;
      });
    },
    callToReturn: (site, returnSite) => {
      const p = site.procedure.id;
      const call = callAt(p, site.id);
      const returns = returnSite.id === call.returnSite;
      const external = call.external || call.callees.length === 0;
      const place = { procedure: p, vertex: site.id };
      return each((facts) => {
        const around = without(
          step(p, site.id, facts),
          (x) =>
            (returns && x === call.result) ||
            !(
              external ||
              call.callees.some(
                (q) =>
                  variables[x].owner === q &&
                  canEnd(q, returns ? procedures[q].exit : procedures[q].exceptionalExit),
              )
            ),
        );
        if (external && returns) for (const fact of effects.returned?.(call, place) ?? []) around.add(fact);
        return around;
      }, external);
    },
  });
  const analyzed = analyze(problem.graph);
  const found = problem.decode(analyzed.entering(problem.seeds), analyzed);
  return table(program, (p, v) =>
    found.reached(p, v) ? without(found.before(p, v), (x) => !matters[p].has(x)) : undefined,
  );
}

/** One program and what a client says about it, vertex by vertex, in names. */
function check(text: string, facts: (named: NamedProgram) => Record<string, string>): void {
  const named = programOf(text);
  const expected: Record<string, string> = {};
  for (const [, vertex, comment] of text.matchAll(/^[ \t]*(\d+:).*#[ \t]*(.*)$/gm))
    expected[vertex] = comment.trim();
  expect(facts(named)).toEqual(expected);
}

/** Facts of one procedure by vertex; those vertices alone whose line has a comment. */
function states(
  { program, procedure }: NamedProgram,
  text: string,
  of: string,
  at: (p: number, v: number) => Iterable<string>,
): Record<string, string> {
  const p = procedure(of);
  return Object.fromEntries(
    Array.from({ length: program.procedures[p].vertexCount }, (_, v) => [
      `${v}:`,
      [...at(p, v)].join(" "),
    ]).filter(([vertex]) => new RegExp(`^\\s*${vertex}.*#`, "m").test(text)),
  );
}

const names = ({ program }: NamedProgram, of: (x: number) => boolean): string[] =>
  program.variables.flatMap(({ name }, x) => (of(x) ? [name] : []));

describe("cases", () => {
  const uninitializedIn = (procedure: string) => (text: string) =>
    check(text, (named) => {
      const answers = uninitialized(named.program, { initialized: true }).analyze();
      return states(named, text, procedure, (p, v) =>
        names(named, (x) => answers.mayBeUninitialized(p, v, x)).concat(
          names(named, (x) => answers.mayBeInitialized(p, v, x)).map((name) => `+${name}`),
        ),
      );
    });

  test.each([
    [
      "a read that throws leaves an initialized variable, and the handler an uninitialized one",
      `main()
         let x
         0: declare x -> 1
         1: read x -> 2 !3   # x
         2: -> 4             #
         3: write x -> 4     # x
         4: -> 5             # +x
         exits 5 6`,
    ],
    [
      "through a call that reads early, by both exits",
      `let late
       main()
         0: declare late -> 1
         1: call f() -> 2 !3     # late
         2: write late -> 4      #
         3: -> 4                 # late
         4: -> 5                 # late +late
         exits 5 6
       f()
         0: read late -> 1 !2`,
    ],
    [
      "what no callee touches goes around, and only where one can end",
      `let x
       main()
         0: declare x -> 1 2
         1: write x -> 3         # x
         2: call never() -> 3 !6 # x
         3: -> 4                 # +x
         exits 4 6
       never()
         0: -> 0
         exits 1 2`,
    ],
    [
      "a new activation of a recursive procedure does not touch the one that called it",
      `main()
         0: call f() -> 1 !2
       f()
         let x
         10: -> 11
         0: declare x -> 1
         1: write x -> 2
         2: call f() -> 10 !11
         exits 10 11`,
    ],
    [
      "the activation that a callee left, for a closure that outlives it",
      `f()
         let x
         0: declare x -> 1 2
         1: call main() -> 2 !4
         2: write x -> 3
         exits 3 4
       main()
         0: call g() -> 1 !3     # x
         1: call closure() -> 2 !3 # x +x
         exits 2 3
       g()
         0: call f() -> 1 !2
         exits 1 2
       closure()
         0: read x -> 1
         exits 1 2
       entry f`,
    ],
    [
      "later turns",
      `let x
       main()
         0: declare x -> 1 2
         1: call now() -> 3 !5
         2: call then() -> 4 !5
         3: -> 5             # x +x
         4: -> 5             # +x
         exits 5 6
       now()
         0: resume, check x -> 1
         1: resume -> 2
         2: declare x -> 3
         3: resume -> 4
         exits 4 5
       then()
         0: settle -> 1
         1: read x -> 2
         exits 2 3`,
    ],
  ])("uninitialized: %s", (_, text) => {
    uninitializedIn("main")(text);
  });

  test("possibly-uninitialized: a copy through a call, until it is overwritten", () => {
    const text = `export a
      main()
        temp t
        0: declare a -> 1
        1: call get() = t -> 2 !5 # a
        2: write a -> 3           # a t
        3: write t -> 4           # t
        4: -> 5                   #
        exits 5 6
      get() = r
        0: read a, write r, flow r a -> 1
        exits 1 2`;
    check(text, (named) => {
      const answers = possiblyUninitialized(named.program).analyze();
      return states(named, text, "main", (p, v) => names(named, (x) => answers.mayBeUninitialized(p, v, x)));
    });
  });

  test("possibly-uninitialized: of the variables asked for alone, and their copies", () => {
    const { program, variable } = programOf(`export a, export b
      main()
        temp t
        0: declare a, declare b -> 1
        1: flow t b -> 2`);
    const problem = possiblyUninitialized(program, { variables: [variable("b")] });
    expect(problem.variablesOf(0)).toEqual(Uint32Array.of(variable("b"), variable("t")));
    expect(problem.graph.factCount[0]).toBe(3);
    expect(problem.meaning(0, problem.factOf(0, variable("t"), "copied"))?.variable).toBe(variable("t"));
    expect(problem.factOf(0, variable("a"), "uninitialized")).toBe(-1);
    expect(() => possiblyUninitialized(program, { variables: [7] })).toThrow(
      "Variables: got 7, expected 0 to 2.",
    );
  });

  test("liveness: what is live after an exception is not live before a return", () => {
    const text = `let x, let y
      main()
        0: call f() -> 1 !2 #
        1: read x -> 3      # x
        2: read y -> 3      # y
        exits 3 4
      f()
        0: write x -> 1 !2
        1: write y -> 5
        2: write y -> 6
        5: -> 7
        6: -> 8
        exits 7 8`;
    const answers = (procedure: string, shown: string) =>
      check(shown, (named) => {
        const live = liveness(named.program).analyze();
        return states(named, shown, procedure, (p, v) => names(named, (x) => live.isLiveBefore(p, v, x)));
      });
    answers("main", text);
    const inner = text
      .replace(/#.*/g, "")
      .replace("1: write y -> 5", "1: write y -> 5   # x")
      .replace("5: -> 7", "5: -> 7 # x")
      .replace("6: -> 8", "6: -> 8 # y");
    answers("f", inner);
  });

  test("liveness: an endless loop uses what it reads, and so does what calls it", () => {
    const text = `let x
      main()
        0: write x -> 1         #
        1: call loop() -> 2 !3  # x
        exits 2 3
      loop()
        0: -> 1
        1: read x -> 0
        exits 2 3`;
    check(text, (named) => {
      const live = liveness(named.program).analyze();
      return states(named, text, "main", (p, v) => names(named, (x) => live.isLiveBefore(p, v, x)));
    });
  });

  test("reaching-definitions: through a closure that another procedure returned", () => {
    const { program, variable, procedure } = programOf(`main()
        0: call make() -> 1 !3
        1: call closure() -> 2 !3
        exits 2 3
      make()
        0: call create() -> 1 !2
      create()
        let v
        0: write v -> 1
        exits 1 2
      closure()
        0: read v -> 1
        exits 1 2`);
    const answers = reachingDefinitions(program).analyze();
    expect(answers.reachingDefinitions(procedure("closure"), 0, variable("v"))).toEqual([
      { variable: variable("v"), procedure: procedure("create"), vertex: 0 },
    ]);
    expect(answers.reachingDefinitions(procedure("create"), 0)).toEqual([]);
  });

  test("taint: fields, sanitizers, sinks, callees inside and outside", () => {
    const { program } = programOf(
      `main()
        var o, temp t, temp s, temp u
        0: call ?source() = t -> 1 !9
        1: write o, flow o.a t -> 2
        2: write s, flow s o.b -> 3
        3: call ?sink(s) -> 4 !9                     # clean: another field
        4: write s, flow s o.a, call ?sink(s) -> 5 !9
        5: call ?clean(s) = u -> 6 !9
        6: call ?sink(u) -> 7 !9                     # clean: sanitized
        7: call same(t) = u -> 8 !9
        8: call ?sink(_, u) -> 9 !9a
        exits 9 10
      same(p) = r
        0: write r, flow r p -> 1
        exits 1 2`
        .replace("!9a", "!10")
        .replaceAll("!9", "!10"),
    );
    const sinks = taint(program, RULES).analyze().taintedSinks();
    expect(sinks.map(({ vertex, part, paths }) => [vertex, part, ...paths])).toEqual([
      [4, 0, ""],
      [8, 1, ""],
    ]);
  });

  test("taint: a callee outside replaces what it was given by what it makes of it", () => {
    const { program } = programOf(`main()
        temp t, temp u
        0: call ?source() = t -> 1 !8
        1: call ?source() = u -> 2 !8
        2: call ?clean(t) = t -> 3 !8
        3: call ?f(_, u) = u -> 4 !8
        4: call ?sink(t, u) -> 5 !8
        exits 5 8`);
    const sinks = taint(program, RULES).analyze().taintedSinks();
    expect(sinks.map(({ vertex, part }) => [vertex, part])).toEqual([[4, 1]]);
  });

  test("reachability: after a call that never returns", () => {
    const { program } = programOf(`main()
        0: call fail() -> 1 !2
        1: -> 2
        2: -> 3
        exits 3 4
      fail()
        0: -> !2
        exits 1 2`);
    const answers = reachability(program).analyze();
    expect(answers.unreachable(0)).toEqual(Uint32Array.of(1, 4));
    expect(() => answers.reaches(0, 5)).toThrow("Procedure 0: got vertex 5, expected 0 to 4.");
    expect(() => answers.reaches(2, 0)).toThrow("Procedure: got 2, expected 0 to 1.");
  });

  test("too many facts for one procedure are refused in one sentence", () => {
    const { program } = programOf("main()\n0: -> 1\nexits 1 2");
    const count = 70_000;
    const variables = Array.from({ length: count }, (_, x) => ({
      name: `x${x}`,
      kind: "let" as const,
      owner: 0,
      deadZone: true,
      throwsEarly: true,
      file: -1,
      start: 0,
      end: 0,
    }));
    const operations = Uint32Array.from({ length: 4 * count }, (_, i) => [Op.declare, i >> 2, 0, 0][i & 3]);
    const procedures = program.procedures.map((procedure) => ({
      ...procedure,
      operationStart: Uint32Array.of(0, count, count, count),
      operations,
    }));
    expect(() => uninitialized({ ...program, variables, procedures })).toThrow(
      "procedure main: uninitialized: got 70001 facts in one procedure, expected at most 65536",
    );
  });
});

describe("random programs", () => {
  test.each(clients)("%s: without recursion, what holds on executions and nothing else", (name, client) => {
    const random = randomProgram(false).map((program) => (name === "taint" ? atOnce(program) : program));
    fc.assert(
      fc.property(random, (program) => {
        expect(client.answers(program), show(program)).toEqual(client.expected(program, 8));
      }),
      { numRuns: 120 },
    );
  });

  test.each(clients)("%s: with recursion, nothing that holds is missed", (name, client) => {
    const random = randomProgram(true).map((program) => (name === "taint" ? atOnce(program) : program));
    fc.assert(
      fc.property(random, (program) => {
        const answers = client.answers(program);
        const missed = table(program, (p, v) => {
          const expected = client.expected(program, 2)[p][v];
          return expected?.filter((fact) => answers[p][v]?.includes(fact) !== true);
        });
        expect(
          missed.flat().filter((facts) => facts !== undefined && 0 < facts.length),
          show(program),
        ).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  test("uninitialized: with recursion, as flow functions on all variables say", () => {
    fc.assert(
      fc.property(randomProgram(true), (program) => {
        expect(uninitializedClient.answers(program), show(program)).toEqual(
          uninitializedByFlowFunctions(program),
        );
      }),
      { numRuns: 60 },
    );
  });

  test("the graphs are valid: every number is in range", () => {
    fc.assert(
      fc.property(randomProgram(true), (program) => {
        const problems = [
          reachability(program),
          uninitialized(program),
          possiblyUninitialized(program, { initialized: true }),
          liveness(program, { variables: program.variables.keys() }),
          reachingDefinitions(program, { variables: program.variables.keys() }),
          taint(program, RULES),
        ];
        for (const { graph } of problems) {
          for (let p = 0; p < graph.procedureCount; p++) {
            checkProcedure(extractProcedure(graph, p), (q) => ({
              factCount: graph.factCount[q],
              exits: graph.exits.subarray(graph.exitStart[q], graph.exitStart[q + 1]),
            }));
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  test("facts of variables lead there and back", () => {
    fc.assert(
      fc.property(randomProgram(true), (program) => {
        const problem = reachingDefinitions(program, { variables: program.variables.keys() });
        for (const p of program.procedures.keys()) {
          for (let fact = 1; fact < problem.graph.factCount[p]; fact++) {
            const meaning = problem.meaning(p, fact);
            if (meaning === undefined) throw new Error(`Got nothing for fact ${fact}, expected a variable.`);
            expect(problem.factOf(p, problem.definition(meaning.variable, meaning.tag))).toBe(fact);
          }
        }
      }),
      { numRuns: 50 },
    );
  });
});
