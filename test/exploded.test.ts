import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatIfds } from "../src/exploded/format-ifds.js";
import { InputError } from "../src/exploded/input-error.js";
import { parseIfds, parseIfdsStream } from "../src/exploded/parse-ifds.js";
import { RelationTable } from "../src/exploded/relation-table.js";

/** A file of version 1: joins records that are separated by semicolons. */
const ifds = (records: string, version = 1) => `IFDS ${version}\n${records.replace(/; */g, "\n")}\n`;

const SMALL = ifds(
  "h program small; h note; h text two words; # a comment; R 0 I; R 1 X 0>0,1; R 2 I 1>2,0 2-4294967295>; R 3 X 3>0 0>0;" +
    "M 1; P 0 4 3 0 3 main; e 0 1 1; # inside; e 1 1 2; e 1 2 0; t 2 3 2; c 2 3 1 3 1; c 2 3 0 0 0; P 1 2 2 1 0 übung; Z",
);
const SEVERAL_EXITS = ifds(
  "R 0 I; R 1 X 0>0; M 0; P 0 5 2 0 4,3 main; e 0 1 0; t 1 2 1; c 1 2 1 1 1; c 1 3 1 1 1 2; P 1 3 1 0 1,2 f; Z",
  2,
);

describe("what is read", () => {
  test("every record ends up in its array", () => {
    const graph = parseIfds(SMALL);
    expect(graph).toMatchObject({ procedureCount: 2, names: ["main", "übung"], entry: 1 });
    expect(graph.header).toEqual([
      ["program", "small"],
      ["note", ""],
      ["text", "two words"],
    ]);
    const arrays = {
      vertexCount: [4, 2],
      factCount: [3, 2],
      startVertex: [0, 1],
      exitStart: [0, 1, 2],
      exits: [3, 0],
      edgeStart: [0, 3, 3],
      edgeSource: [0, 1, 1],
      edgeTarget: [1, 1, 2],
      edgeRelation: [1, 2, 0],
      bypassStart: [0, 1, 1],
      bypassCall: [2],
      bypassReturn: [3],
      bypassRelation: [2],
      callStart: [0, 2, 2],
      callVertex: [2, 2],
      callReturn: [3, 3],
      callCallee: [1, 0],
      callEntryRelation: [3, 0],
      callExitRelation: [1, 0],
      callExit: [0, 3],
    } as const;
    for (const [key, expected] of Object.entries(arrays)) {
      expect([key, ...graph[key as keyof typeof arrays]]).toEqual([key, ...expected]);
    }
  });

  test("relations are sorted and ranges stay ranges", () => {
    const { relations } = parseIfds(SMALL);
    expect(relations.count).toBe(4);
    expect([...relations.identity]).toEqual([1, 0, 1, 0]);
    expect([...relations.entryStart]).toEqual([0, 0, 1, 3, 5]);
    expect([...relations.sourceFirst]).toEqual([0, 1, 2, 0, 3]);
    expect([...relations.sourceLast]).toEqual([0, 1, 4294967295, 0, 3]);
    expect([...relations.targetStart]).toEqual([0, 2, 4, 4, 5, 6]);
    expect([...relations.targets]).toEqual([0, 1, 0, 2, 0, 0]);
  });

  test("version 2: several exits, return edges from each, calls that nothing flows around", () => {
    const graph = parseIfds(SEVERAL_EXITS);
    expect([...graph.exits]).toEqual([4, 3, 1, 2]);
    expect([...graph.exitStart]).toEqual([0, 2, 4]);
    expect([...graph.callExit]).toEqual([1, 2]);
    expect([...graph.bypassCall]).toEqual([1]);
  });

  test("version 1: a second t line between the same vertices becomes an ordinary edge", () => {
    const graph = parseIfds(ifds("R 0 I; R 1 X 0>0; M 0; P 0 2 1 0 1 p; t 0 1 0; c 0 1 0 1 1; t 0 1 1; Z"));
    expect([...graph.bypassRelation]).toEqual([0]);
    expect([...graph.edgeSource, ...graph.edgeTarget, ...graph.edgeRelation]).toEqual([0, 1, 1]);
  });

  test("carriage returns and a missing last line end do not matter", () => {
    const expected = parseIfds(SMALL);
    expect(parseIfds(SMALL.replaceAll("\n", "\r\n"))).toEqual(expected);
    expect(parseIfds(SMALL.trimEnd())).toEqual(expected);
    expect(parseIfds(SMALL.replaceAll("\n", "\r\n").trimEnd())).toEqual(expected);
  });

  test("chunks may end anywhere", async () => {
    const expected = parseIfds(SMALL);
    const bytes = new TextEncoder().encode(SMALL);
    for (const size of [1, 2, 7, 64, bytes.length]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      expect(parseIfds(chunks)).toEqual(expected);
      expect(await parseIfdsStream(new Blob(chunks).stream())).toEqual(expected);
    }
    expect(parseIfds(SMALL)).toEqual(expected);
    expect(parseIfds([SMALL.slice(0, 40), bytes.subarray(40)])).toEqual(expected);
  });

  test("a surrogate pair survives between two strings", () => {
    const [before, after] = ifds("R 0 I; M 0; P 0 1 1 0 0 a😀b; Z").split(/(?<=\ud83d)(?=\ude00)/);
    expect(parseIfds([before, after]).names).toEqual(["a😀b"]);
    const long = "x".repeat((1 << 16) - 37);
    expect(parseIfds(ifds(`R 0 I; M 0; P 0 1 1 0 0 ${long}😀${long}😀; Z`)).names).toEqual([
      `${long}😀${long}😀`,
    ]);
  });

  test("progress counts bytes; an aborted signal stops", () => {
    const seen: [number, number | undefined][] = [];
    const bytes = new TextEncoder().encode(SMALL);
    parseIfds(bytes, { onProgress: (...progress) => seen.push(progress) });
    expect(seen).toEqual([[bytes.length, bytes.length]]);
    expect(() => parseIfds(bytes, { signal: AbortSignal.abort(new Error("enough")) })).toThrow("enough");
  });

  test("an abort ends the wait for a chunk that never comes", async () => {
    const bytes = new TextEncoder().encode(SMALL);
    const reason = new Error("enough");
    const parse = (input: AsyncIterable<Uint8Array>, signal: AbortSignal) =>
      parseIfdsStream(input, { signal }).then(
        () => "parsed",
        (error: unknown) => error,
      );

    let controller = new AbortController();
    async function* stuck() {
      yield bytes.subarray(0, 20);
      setTimeout(() => controller.abort(reason));
      await new Promise(() => {});
    }
    expect(await parse(stuck(), controller.signal)).toBe(reason);

    controller = new AbortController();
    const silent = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
    setTimeout(() => controller.abort(reason));
    expect(await parse(silent, controller.signal)).toBe(reason);

    // Between chunks, and before the first, which is not asked for.
    controller = new AbortController();
    let closed = false;
    async function* endless() {
      try {
        for (;;) {
          yield bytes.subarray(0, 7);
          controller.abort(reason);
        }
      } finally {
        closed = true;
      }
    }
    expect(await parse(endless(), controller.signal)).toBe(reason);
    expect(closed).toBe(true);
    const unread = {
      [Symbol.asyncIterator]: (): never => {
        throw new Error("read");
      },
    };
    expect(await parse(unread, AbortSignal.abort(reason))).toBe(reason);
    expect(await parse(new Blob([bytes]).stream(), new AbortController().signal)).toBe("parsed");
  });
});

test("what is no text and no bytes is refused in one sentence", async () => {
  const wrong = (value: unknown) => value as never;
  expect(() => parseIfds(wrong(undefined))).toThrow(
    "Input: got undefined, expected text or bytes (Uint8Array), whole or in chunks.",
  );
  expect(() => parseIfds(wrong(new ArrayBuffer(8)))).toThrow("Input: got an object, expected text or bytes");
  await expect(parseIfdsStream(wrong(5))).rejects.toThrow("Input: got 5, expected text or bytes");
  await expect(parseIfdsStream(wrong([SMALL]))).resolves.toEqual(parseIfds(SMALL));
});

describe("formatIfds", () => {
  test.each([
    ["version 1", SMALL, "IFDS 1\n"],
    ["version 2", SEVERAL_EXITS, "IFDS 2\n"],
    ["no way around", ifds("R 0 I; M 0; P 0 2 1 0 1 p; c 0 1 0 0 0; Z", 2), "IFDS 2\n"],
  ])("parse(format(x)) is x: %s", (_, text, version) => {
    const graph = parseIfds(text);
    const written = [...formatIfds(graph)].join("");
    expect(written.startsWith(version)).toBe(true);
    expect(parseIfds(written)).toEqual(graph);
  });

  test("names and headers that are read are written as they were, tabs and all", () => {
    const text = "IFDS 1\nh key \tv  w \nR 0 I\nM 0\nP 0 1 1 0 0 a\tb\u00a0c\u2028\ufeff\nZ\n";
    expect([...formatIfds(parseIfds(text))].join("")).toBe(text);
  });

  test("blanks in names become underscores", () => {
    const graph = { ...parseIfds(SMALL), names: ["a b\n", ""], header: [["k k", "v\nv"]] as const };
    const written = parseIfds([...formatIfds(graph)].join(""));
    expect(written.names).toEqual(["a_b_", "_"]);
    expect(written.header).toEqual([["k_k", "v v"]]);
  });
});

const HEAD = "R 0 I; R 1 X 0>0; R 2 X 0>3; M 0";
const P = `${HEAD}; P 0 3 2 0 2 p`;

describe("malformed input gives one sentence with its line", () => {
  test.each<[text: string, message: string]>([
    ["", "input:1: got an empty input, expected IFDS 1 or IFDS 2."],
    ["IFDS 3\n", 'input:1: got "IFDS 3", expected IFDS 1 or IFDS 2.'],
    ["IFDS 1\n", "input:2: got the end of the input, expected further records up to the last line Z."],
    [ifds(`${P}; e 0 1 0`), "input:8: got the end of the input"],
    [ifds(`${P}; Z; `), "input:8: got an empty line after Z, expected the end of the input."],
    [ifds(`${P}; Z; Z`), 'input:8: got "Z" after Z, expected the end of the input.'],
    [ifds(`${P}; Z 1`), 'input:7: got " 1", expected the end of the line.'],
    [
      ifds(`${P}; ; Z`),
      "input:7: got an empty line, expected a record h, R, M, P, e, t, c, Z or a comment #.",
    ],
    [ifds(`${P}; x 1; Z`), 'got "x 1", expected a record'],
    [ifds(`${P}; edge 0 1; Z`), 'got "edge 0 1", expected a record'],
    // order of records
    [ifds("Z"), "got record Z out of order, expected the order h, R, M, P with e, t and c, Z."],
    [ifds("R 0 I; h a b"), "input:3: got record h out of order"],
    [ifds("M 0"), "input:2: got M before any relation, expected R 0 I."],
    [ifds("R 0 I; P 0 1 1 0 0 p"), "input:3: got P before M, expected the entry procedure first, M PID."],
    [ifds("R 0 I; M 0; M 0"), "input:4: got record M out of order"],
    [ifds("R 0 I; M 0; R 1 X"), "input:4: got record R out of order"],
    [ifds("R 0 I; M 0; e 0 0 0"), "input:4: got record e before the first procedure, expected P first."],
    [ifds("R 0 I; t 0 0 0"), "got record t before the first procedure"],
    [ifds("c 0 0 0 0 0"), "got record c before the first procedure"],
    [ifds("R 0 I; M 0; Z"), "got record Z out of order"],
    [ifds("h "), "got an h record without key, expected h KEY VALUE."],
    // relations
    [ifds("R 1 I"), "got relation number 1, expected 0 (they are numbered in order)."],
    [ifds("R 0 X"), "got another relation 0, expected the identity, R 0 I."],
    [ifds("R 0 I 1>"), "got another relation 0, expected the identity, R 0 I."],
    [ifds("R 0 Y"), 'got relation mode "Y", expected I or X.'],
    [ifds("R 0"), "got the end of the line, expected a further field."],
    [
      ifds("R 0 I; R 1 X 1>0 1>1"),
      "input:3: got source fact 1 in two entries, expected each source in at most one.",
    ],
    [ifds("R 0 I; R 1 X 5>0 2-7>"), "got source fact 5 in two entries"],
    [ifds("R 0 I; R 1 X 0-4294967295> 9>"), "got source fact 9 in two entries"],
    [ifds("R 0 I; R 1 X 3-1>"), "got the range 3-1, expected ascending source facts."],
    [ifds("R 0 I; R 1 X 3"), "got the end of the line after a source fact, expected >."],
    [ifds("R 0 I; R 1 X 3-"), "got the end of the line, expected the last source fact of a range."],
    [ifds("R 0 I; R 1 X 3>1,"), "got the end of the line, expected a target fact."],
    [ifds("R 0 I; R 1 X 3>,1"), 'got ",1", expected a target fact.'],
    [ifds("R 0 I; R 1 X 3>70000"), "got target fact 70000, expected at most 65535."],
    [ifds("R 0 I; R 1 X 3>1 "), "got the end of the line, expected a source fact."],
    [ifds("R 0 I; R 1 X  3>1"), 'got " 3>1", expected a source fact.'],
    // procedures
    [ifds(`${HEAD}; P 1 1 1 0 0 p`), "got procedure number 1, expected 0 (they are numbered in order)."],
    [ifds(`${HEAD}; P 0 0 1 0 0 p`), "got 0 vertices, expected at least 1."],
    [ifds(`${HEAD}; P 0 1 0 0 0 p`), "got 0 facts, expected at least 1, the zero fact."],
    [ifds(`${HEAD}; P 0 1 1 1 0 p`), "got start vertex 1, expected at most 0."],
    [ifds(`${HEAD}; P 0 1 1 0 1 p`), "got exit vertex 1, expected at most 0."],
    [ifds(`${HEAD}; P 0 1 1 0 0`), "got the end of the line, expected a further field."],
    [ifds(`${HEAD}; P 0 1 1 0 0 `), "got an empty procedure name, expected a name without blanks."],
    [ifds(`${HEAD}; P 0 1 1 0 0 a\rb`), 'got procedure name "a\\rb", expected a name without blanks'],
    [ifds(`${HEAD}; P 0 1 1 0 0 a\r\r; Z`), 'input:6: got procedure name "a\\r", expected a name without'],
    [ifds("h a\rb c; R 0 I"), 'input:2: got "a\\rb c", expected a key and a value without line ends.'],
    [ifds("h a b\r\r; R 0 I"), 'input:2: got "a b\\r", expected a key and a value without line ends.'],
    [ifds(`${HEAD}; P 0 1 1 0 0 a b`), 'got " b", expected the end of the line.'],
    [ifds(`${HEAD}; P 0 2 1 0 0,1 p`), "got several exits in version 1, expected one exit vertex or IFDS 2."],
    [ifds(`${HEAD}; P 0 2 1 0 0,0 p`, 2), "got exit vertex 0 twice, expected different exits."],
    [ifds(`${HEAD}; P 0 2 1 0 0, p`, 2), 'got " p", expected an exit vertex.'],
    [
      ifds(`${HEAD}; P 0 4000000000 1 0 0 p`),
      "got 4000000000 vertices in one procedure, expected at most 16777216.",
    ],
    [ifds(`${HEAD}; P 0 1 65537 0 0 p`), "got 65537 facts in one procedure, expected at most 65536."],
    [
      ifds(`${HEAD}; P 0 16777216 65536 0 0 p`),
      "got 1099511627776 exploded vertices so far, expected at most",
    ],
    [ifds("R 0 I; M 1; P 0 1 1 0 0 p; Z"), "input:3: got entry procedure 1, expected at most 0."],
    // edges and calls
    [ifds(`${P}; e 0 3 0`), "got vertex 3, expected at most 2."],
    [ifds(`${P}; e 0 1`), "got the end of the line, expected a relation."],
    [ifds(`${P}; e 0 1 3`), "got relation 3, expected at most 2."],
    [ifds(`${P}; e 0 1 0 0`), 'got " 0", expected the end of the line.'],
    [ifds(`${P}; e 0  1 0`), 'got " 1 0", expected a vertex.'],
    [ifds(`${P}; e 0 -1 0`), 'got "-1 0", expected a vertex.'],
    [ifds(`${P}; e 0 1x 0`), 'got "x 0", expected one blank and a relation.'],
    [ifds(`${P}; e 0 4294967296 0`), "expected a number of at most 4294967295."],
    [ifds(`${P}; e 0 1 2`), "input:7: got relation 2 with target fact 3, expected at most 1."],
    [ifds(`${P}; t 0 1 2`), "input:7: got relation 2 with target fact 3, expected at most 1."],
    [ifds(`${P}; t 0 1 0; t 0 1 1; Z`, 2), "input:8: got a second t line from 0 to 1, expected at most one"],
    [ifds(`${P}; c 0 1 0 0 0; Z`), "input:7: got a call from 0 returning to 1 without t line in version 1"],
    [
      ifds(`${P}; t 0 1 0; c 0 1 0 0 0 2; Z`),
      'got " 2" after the relations in version 1, expected the end of the line.',
    ],
    [ifds(`${P}; t 0 1 0; c 0 1 7 0 0; Z`), "input:8: got callee 7, expected at most 0."],
    [
      ifds(`${P}; t 0 1 0; c 0 1 0 1 2; Z`),
      "input:8: got relation 2 with target fact 3, expected at most 1.",
    ],
    [ifds(`${P}; t 0 1 0; c 0 1 0 0 0 1; Z`, 2), "input:8: got exit 1 of procedure 0, expected 2."],
    [
      ifds(`${P}; t 0 1 0; c 0 1 1 0 1; P 1 1 1 0 0 q; Z`),
      "input:8: got relation 0, which keeps unlisted facts, from 2 facts to 1, expected equally many facts or a relation without identity.",
    ],
  ])("%j", (text, message) => {
    let error: unknown;
    try {
      parseIfds(text);
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(InputError);
    expect((error as InputError).message).toContain(message);
    expect((error as InputError).message).toMatch(/^input:\d+: got .*, expected .*\.$/);
    expect((error as InputError).message.startsWith(`input:${(error as InputError).line}:`)).toBe(true);
  });

  test("the input may have a name; bytes that are no text are refused", () => {
    expect(() => parseIfds("", { name: "a.ifds" })).toThrow(/^a\.ifds:1: got/);
    expect(() => parseIfds(Uint8Array.of(0x1f, 0x8b, 8))).toThrow(
      "input:1: got gzip-compressed data, expected text.",
    );
    const bytes = new TextEncoder().encode(ifds(`${HEAD}; P 0 1 1 0 0 ?; Z`));
    bytes[bytes.indexOf(0x3f)] = 0xff;
    expect(() => parseIfds(bytes)).toThrow("input:6: got bytes that are no UTF-8, expected text.");
  });
});

test("targets of sources that a procedure does not have are harmless", () => {
  expect(() => parseIfds(ifds("R 0 I; R 1 X 0>0 5>9; M 0; P 0 1 2 0 0 p; e 0 0 1; Z"))).not.toThrow();
  expect(() => parseIfds(ifds("R 0 I; R 1 X 0>0 5>9; M 0; P 0 1 6 0 0 p; e 0 0 1; Z"))).toThrow(
    "target fact 9",
  );
});

test("mutated input is either valid or an InputError", () => {
  const mutation = fc.record({
    text: fc.constantFrom(SMALL, SEVERAL_EXITS),
    edits: fc.array(
      fc.record({
        at: fc.nat(600),
        remove: fc.nat(6),
        insert: fc.oneof(
          fc.constantFrom(
            "",
            "0",
            "9",
            " ",
            "\n",
            ">",
            ",",
            "-",
            "4294967295",
            "99999999999",
            "Z",
            "\nP 2 9 9 0 0 x\n",
          ),
          fc.string({ maxLength: 3, unit: "binary" }),
        ),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  });
  fc.assert(
    fc.property(mutation, ({ text, edits }) => {
      let mutated = text;
      for (const { at, remove, insert } of edits) {
        const from = at % (mutated.length + 1);
        mutated = mutated.slice(0, from) + insert + mutated.slice(from + remove);
      }
      try {
        const graph = parseIfds(mutated);
        expect(parseIfds([...formatIfds(graph)].join("")).edgeSource).toEqual(graph.edgeSource);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        expect(error.message).toMatch(/^input:\d+: got .*, expected .*\.$/s);
      }
    }),
    { numRuns: 3000 },
  );
});

test("RelationTable interns by content", () => {
  const table = new RelationTable();
  const identity = table.intern([], "identity");
  expect(table.intern([[3, [3]]], "identity")).toBe(identity);
  const gen = table.intern(new Map([[0, [0, 1]]]), "identity");
  const again = table.intern(
    [
      [0, [1]],
      [0, [0, 1]],
      [2, [2]],
    ],
    "identity",
  );
  expect(again).toBe(gen);
  expect(table.intern(new Map([[0, [0, 1]]]), "nothing")).not.toBe(gen);
  const killed = table.intern(
    [7, 2, 4, 3].map((d) => [d, []]),
    "identity",
  );
  expect(
    table.intern(
      [2, 3, 4, 7].map((d) => [d, []]),
      "identity",
    ),
  ).toBe(killed);
  const built = table.build();
  expect(built.count).toBe(4);
  expect([...built.sourceFirst.subarray(built.entryStart[killed])]).toEqual([2, 7]);
  expect([...built.sourceLast.subarray(built.entryStart[killed])]).toEqual([4, 7]);
});
