/**
 * The Java front end by itself: what is read, from which archives; what damage does; how calls are resolved; where
 * exceptions go; names and positions.
 */

import fc from "fast-check";
import { strToU8, unzipSync, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { liveness } from "../src/clients/liveness.js";
import { taint } from "../src/clients/taint.js";
import { type JvmProgram, type LoadOptions, load } from "../src/jvm/load.js";
import { matchesPackage } from "../src/jvm/package-filter.js";
import { placeAt } from "../src/program/diagnostic.js";
import type { Procedure } from "../src/program/program.js";
import { readClasses, readFixture, readLines } from "./support/fixtures.js";

const lambdas = readClasses("java", "Lambdas");
const objects = readClasses("java", "Objects");
const exceptions = readClasses("java", "Exceptions");

function procedure({ program }: JvmProgram, name: string): Procedure {
  const found = program.procedures.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`There is no ${name}.`);
  return found;
}

/** Names of what a procedure may call, in the order of its calls; "outside" where it may be something else. */
function callees(jvm: JvmProgram, name: string): string[] {
  return procedure(jvm, name).calls.flatMap((call) => [
    ...call.callees.map((q) => jvm.program.procedures[q].name),
    ...(call.external && 0 < call.callees.length ? ["outside"] : []),
  ]);
}

describe("calls", () => {
  test("of an interface, those of every concrete class below it", () => {
    const jvm = load(objects);
    expect(callees(jvm, "Objects$Shape.describe()Ljava/lang/String;")).toEqual([
      "Objects$Base.name()Ljava/lang/String;",
      "Objects$Named.name()Ljava/lang/String;",
      "Objects$1.area()D",
      "Objects$Square.area()D",
    ]);
  });

  test("by rapid type analysis, of classes alone that have instances", () => {
    const withoutNamed = load(objects, {
      calls: "rapid",
      entries: ["Objects$Square.<init>(D)V", "Objects$Shape.describe()Ljava/lang/String;"],
    });
    expect(callees(withoutNamed, "Objects$Shape.describe()Ljava/lang/String;")).toEqual([
      "Objects$Base.name()Ljava/lang/String;",
      "Objects$Square.area()D",
    ]);
  });

  test("of a functional interface, the bodies of lambdas and what references name", () => {
    const jvm = load(lambdas);
    const bodies = (name: string) =>
      callees(jvm, name)
        .filter((callee) => callee.includes("@"))
        .flatMap((lambda) => callees(jvm, lambda));
    expect(bodies("Lambdas.run(LLambdas$Step;I)I").sort()).toEqual([
      "Lambdas$Step.lambda$twice$0(I)I",
      "Lambdas.add(I)I",
      "Lambdas.lambda$adder$0(II)I",
      "Lambdas.negate(I)I",
    ]);
    // Through interfaces of the library: those of lambdas made here, and whatever else there is.
    expect(
      callees(jvm, "Lambdas.call(Ljava/util/function/Function;Ljava/lang/Object;)Ljava/lang/Object;"),
    ).toContain("outside");
    expect(
      bodies("Lambdas.call(Ljava/util/function/Function;Ljava/lang/Object;)Ljava/lang/Object;").sort(),
    ).toEqual(["Lambdas.<init>(I)V", "Lambdas.lambda$main$1(LLambdas;)Ljava/lang/Integer;"]);
  });

  test("captured values get to the body", () => {
    const jvm = load(lambdas);
    const adder = procedure(jvm, "Lambdas.adder(I)LLambdas$Step;");
    const lambda = jvm.methods.findIndex(({ className }) => className.startsWith("Lambdas.adder"));
    const [call] = jvm.program.procedures[lambda].calls;
    const captured = jvm.program.variables[call.arguments[0]];
    expect([captured.name, jvm.program.procedures[captured.owner]]).toEqual(["captured1", adder]);
  });
});

describe("exceptions", () => {
  const name = "Exceptions.guarded(II)I";
  const exceptional = (loadOptions: LoadOptions) => {
    const { exceptional: flags, calls } = procedure(load(exceptions, loadOptions), name);
    return [
      flags.reduce((sum, flag) => sum + flag, 0),
      calls.filter((call) => 0 <= call.exceptionalReturnSite).length,
    ];
  };

  test("none: handlers are not code", () => {
    expect(exceptional({ exceptions: "none" })).toEqual([0, 0]);
    const [without, with_] = (["none", "handlers"] as const).map(
      (option) => procedure(load(exceptions, { exceptions: option }), name).vertexCount,
    );
    expect(without).toBeLessThan(with_);
  });

  test("throwing: fewer instructions, and callees that fail", () => {
    const [handlers, throwing] = (["handlers", "throwing"] as const).map((option) =>
      exceptional({ exceptions: option }),
    );
    expect(throwing[0]).toBeLessThan(handlers[0]);
    expect(handlers[1]).toBe(0);
    expect(throwing[1]).toBe(procedure(load(exceptions), name).calls.length);
  });
});

describe("names and positions", () => {
  const t = readFixture("tiny/T.class");

  test("sources give positions their text", () => {
    const source = readLines("tiny/T.java").join("\n");
    const { program } = load([
      ["src/T.java", strToU8(source)],
      ["T.class", t],
    ]);
    const { ranges, vertexCount } = program.procedures.find(({ name }) => name === "T.die()V")!;
    const lines = new Set<string>();
    for (let v = 0; v < vertexCount; v++)
      lines.add(program.files[0].text.slice(ranges[2 * v], ranges[2 * v + 1]));
    expect(program.files[0].path).toBe("src/T.java");
    expect(lines).toContain("static void die() { throw new RuntimeException(); }");
  });

  test("without sources, offsets are lines", () => {
    const jvm = load(exceptions);
    const { ranges } = procedure(jvm, "Exceptions.divide(II)I");
    const vertex =
      jvm.methods[jvm.program.procedures.indexOf(procedure(jvm, "Exceptions.divide(II)I"))].offsets.indexOf(
        4,
      );
    const [file] = jvm.program.files;
    expect(placeAt(file.path, file.text, ranges[2 * vertex])).toEqual({
      file: "Exceptions.java",
      line: 8,
      column: 1,
    });
  });

  test("names of locals", () => {
    const jvm = load(exceptions);
    const p = jvm.program.procedures.findIndex(({ name }) => name === "Exceptions.divide(II)I");
    const names = jvm.program.variables
      .filter(({ owner, kind }) => owner === p && kind !== "temporary")
      .map(({ name }) => name);
    expect(names).toEqual(["a", "b", "q"]);
  });
});

describe("options", () => {
  test.each([
    ["org/foo/Bar", ["org.foo.*"], true],
    ["org/foo/bar/Baz", ["org.foo.*"], false],
    ["org/foo/bar/Baz", ["org.foo.**"], true],
    ["org/foobar/Baz", ["org.foo.**"], false],
    ["org/foo/Bar$Inner", ["org.foo.Bar"], true],
    ["org/foo/Barn", ["org.foo.Bar"], false],
    ["Main", ["*"], true],
    ["org/Main", ["*"], false],
    ["org/Main", ["**"], true],
    ["org/Main", [], false],
  ])("%s by %j", (name, patterns, expected) => {
    expect(matchesPackage(name, patterns)).toBe(expected);
  });

  test("static fields that are variables", () => {
    const names = (statics: LoadOptions["statics"] & {}) =>
      load(exceptions, { statics })
        .program.variables.filter(({ owner }) => owner === -1)
        .map(({ name }) => name);
    expect(names("frequent")).toEqual(["Exceptions.depth"]);
    expect(names("all").sort()).toEqual(["Exceptions.depth", "Exceptions.last"]);
    expect(names(["Exceptions.last"])).toEqual(["Exceptions.last"]);
  });

  test("an entry that does not exist", () => {
    expect(() => load(exceptions, { entries: ["Exceptions.main"] })).toThrow(
      'Entries: got "Exceptions.main", expected a method as in org/foo/Bar.run()V.',
    );
  });

  test("taint follows calls by their names", () => {
    const jvm = load(lambdas);
    const rules = {
      sources: [{ call: "Lambdas.run" }],
      sinks: [{ call: "java.lang.Integer.valueOf" }],
    };
    const sinks = taint(jvm.program, rules).analyze().taintedSinks();
    expect(sinks.map(({ procedure: p }) => jvm.program.procedures[p].name)).toEqual([]);
    const strings = taint(jvm.program, {
      sources: [{ call: "java.util.function.Supplier.get" }],
      sinks: [{ call: "java.lang.String.length", parts: ["receiver"] }],
    });
    expect(
      strings
        .analyze()
        .taintedSinks()
        .map(({ name }) => name),
    ).toEqual(["java.lang.String.length"]);
  });
});

describe("damage", () => {
  const t = readFixture("tiny/T.class");
  const changed = (bytes: Uint8Array, at: number, ...values: readonly number[]) => {
    const copy = Uint8Array.from(bytes);
    copy.set(values, at);
    return copy;
  };
  /** Where the code of `T.id` is: iload_0, ireturn, after its length. */
  const code =
    t.findIndex((_, i) => t[i] === 0 && t[i + 3] === 2 && t[i + 4] === 0x1a && t[i + 5] === 0xac) + 4;

  test.each([
    ["cut off", t.subarray(0, 300), /^Class T, offset \d+: got \d+ more bytes, expected \d+\.$/],
    [
      "another file",
      strToU8("PK\x03\x04 and more"),
      /^Class T, offset 0: got 0x504b0304, expected 0xcafebabe, a class file\.$/,
    ],
    [
      "an opcode",
      changed(t, code, 0xf0),
      new RegExp(`^Class T, method id\\(I\\)I, offset ${code}: got opcode 240, expected 0 to 201\\.$`),
    ],
    [
      "an empty stack",
      changed(t, code, 0),
      new RegExp(`^Class T, method id\\(I\\)I, offset ${code + 1}: got an empty operand stack`),
    ],
    [
      "no end",
      changed(t, code + 1, 0),
      /got control that goes past the last instruction, expected a jump or return\.$/,
    ],
    [
      "a branch",
      changed(t, code, 0xa7, 0),
      /^Class T, method id\(I\)I, offset \d+: got 1 more bytes, expected 2\.$/,
    ],
    [
      "another return",
      changed(t, code + 1, 0xb1),
      /got opcode 177, expected a return of the method's type\.$/,
    ],
  ])("%s", (_, bytes, message) => {
    const { diagnostics } = load([["lib.jar", zipSync({ "T.class": bytes })]]);
    expect(diagnostics.map(({ file }) => file)).toEqual(["lib.jar!/T.class"]);
    expect(diagnostics[0].message).toMatch(message);
  });

  test("the rest is analysed: a method that cannot be read is one outside", () => {
    const jvm = load([["T.class", changed(t, code, 0xf0)]]);
    expect(jvm.methods.filter(({ kind }) => kind === "method")).toHaveLength(7);
    const main = procedure(jvm, "T.main([Ljava/lang/String;)V");
    expect(main.calls.find(({ name }) => name === "T.id")).toMatchObject({ callees: [], external: true });
  });

  test("a class below itself", () => {
    const circular = Uint8Array.from(t);
    // The superclass is the class at the same place of the pool as the class itself.
    const at = t.findIndex((_, i) => t[i] === 0 && t[i + 1] === 0x21 && t[i + 6] === 0 && t[i + 7] === 0);
    circular.copyWithin(at + 4, at + 2, at + 4);
    expect(load([["T.class", circular]]).diagnostics.map(({ message }) => message)).toEqual([
      "Class T: got a class below itself, expected another superclass.",
    ]);
  });

  const pool = [
    ...["fop-cli", "batik-rasterizer"].flatMap((name) =>
      Object.values(unzipSync(readFixture(`jvm/${name}.jar`))),
    ),
    ...[...lambdas, ...objects, ...exceptions, ...readClasses("java", "Subroutine")].map(([, bytes]) =>
      Uint8Array.from(bytes),
    ),
  ];
  const anyDamage = fc.record({
    file: fc.nat(pool.length - 1),
    length: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { freq: 3 }),
    bytes: fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), fc.nat(255)), {
      maxLength: 8,
    }),
    options: fc.record({
      exceptions: fc.constantFrom("none", "handlers", "throwing"),
      calls: fc.constantFrom("hierarchy", "rapid"),
    }),
  });

  test("nothing that a class file may be crashes, and what comes out of it can be analysed", () => {
    fc.assert(
      fc.property(anyDamage, ({ file, length, bytes, options: loadOptions }) => {
        const damaged = pool[file].slice(
          0,
          length === null ? undefined : Math.floor(length * pool[file].length),
        );
        for (const [at, value] of bytes) damaged[Math.floor(at * damaged.length)] = value;
        const { program } = load([["A.class", damaged]], loadOptions as LoadOptions);
        liveness(program, { variables: program.variables.keys() }).analyze();
      }),
      { numRuns: 400 },
    );
  });
});

test("subroutines have a copy for each activation", () => {
  const jvm = load(readClasses("java", "Subroutine"));
  const p = jvm.program.procedures.findIndex(({ name }) => name === "Subroutine.run(I)I");
  const copies = (offset: number) => jvm.methods[p].offsets.filter((at) => at === offset).length;
  // Called from three places; the one inside it once in each of these.
  expect([copies(0), copies(32), copies(50)]).toEqual([1, 3, 3]);
});
