/** Archives as the Java front end reads them: of every kind, damaged, and made to unpack without end. */

import { strToU8, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { load } from "../src/jvm/load.js";
import { readFixture } from "./support/fixtures.js";

const t = readFixture("tiny/T.class");
/** Signatures of the end of an archive's directory, and of an entry there. */
const END = 0x06054b50;
const ENTRY = 0x02014b50;

const inside = (files: Record<string, Uint8Array>) => zipSync(files);
const script = strToU8('#!/bin/sh\nexec java -jar "$0" "$@"\n');
const read = (name: string, bytes: Uint8Array) => {
  const { program, methods, diagnostics } = load([[name, bytes]]);
  return [
    methods.filter(({ kind }) => kind === "method").length,
    program.files.map(({ path }) => path),
    diagnostics,
  ];
};

test.each([
  ["app.jar", inside({ "T.class": t })],
  ["app.war", inside({ "WEB-INF/classes/T.class": t, "WEB-INF/web.xml": strToU8("<web-app/>") })],
  ["boot.jar", inside({ "BOOT-INF/lib/inner.jar": inside({ "T.class": t }) })],
  [
    "app.war",
    inside({
      "WEB-INF/lib/inner.jar": inside({ "lib/deeper.zip": t, "x/deeper.jar": inside({ "T.class": t }) }),
    }),
  ],
  ["app.jmod", Uint8Array.of(0x4a, 0x4d, 1, 0, ...inside({ "classes/T.class": t }))],
  [
    "app.jar",
    inside({
      "META-INF/MANIFEST.MF": strToU8("Multi-Release: true\r\n"),
      "T.class": strToU8("old"),
      "META-INF/versions/17/T.class": t,
    }),
  ],
  ["module.jar", inside({ "T.class": t, "module-info.class": moduleInfo() })],
  ["future.jar", inside({ "T.class": Uint8Array.from(t).fill(70, 7, 8) })],
  ["script.jar", Uint8Array.of(...script, ...inside({ "T.class": t }))],
  ["app.jar", inside({ "T.class": t, "META-INF/versions/17/T.class": strToU8("not asked for") })],
])("%s", (name, bytes) => {
  expect(read(name, bytes)).toEqual([8, ["T.java"], []]);
});

test("the first class of a name counts", () => {
  const other = readFixture("java/Loops.class");
  expect(
    load([
      ["a.jar", zipSync({ "T.class": t })],
      ["T.class", t],
      ["Loops.class", other],
    ]).classCount,
  ).toBe(2);
});

describe("damage", () => {
  test("an entry of an archive that is damaged, and an archive that is none", () => {
    const archive = zipSync({
      "T.class": [t, { level: 9 }],
      "U.class": [readFixture("java/Loops.class"), { level: 9 }],
    });
    // Within the deflated data of the first entry.
    const damaged = Uint8Array.from(archive).fill(0xff, 60, 64);
    const { diagnostics, classCount } = load([
      ["a.jar", damaged],
      ["b.jar", strToU8("no zip")],
    ]);
    expect(classCount).toBe(1);
    expect(diagnostics.map(({ file, message }) => `${file}: ${message}`)).toEqual([
      "a.jar!/T.class: Got an archive that cannot be read there, expected a zip file.",
      "b.jar: Got an archive that cannot be read there, expected a zip file.",
    ]);
  });

  test("archives in archives end somewhere", () => {
    let archive = zipSync({ "T.class": t });
    for (let level = 0; level < 8; level++) archive = zipSync({ "a.jar": archive });
    expect(load([["a.jar", archive]]).diagnostics.map(({ message }) => message)).toEqual([
      "Got archives nested 5 deep, expected 4 at most.",
    ]);
  });

  const problems = (...files: [name: string, bytes: Uint8Array][]) =>
    load(files).diagnostics.map(({ file, message }) => `${file}: ${message}`);
  const NO_ARCHIVE = "Got an archive that cannot be read there, expected a zip file.";

  test.each([
    ["nothing", new Uint8Array()],
    ["cut in the middle", zipSync({ "T.class": t }).subarray(0, 400)],
    ["cut at the end", zipSync({ "T.class": t }).subarray(0, -1)],
    ["no directory where it says", patched(zipSync({ "T.class": t }), END, 12, 10)],
    ["a directory before the file", patched(zipSync({ "T.class": t }), END, 16, 1 << 30)],
  ])("%s is no archive", (_, bytes) => {
    expect(problems(["a.jar", bytes])).toEqual([`a.jar: ${NO_ARCHIVE}`]);
  });

  test("an empty archive is one", () => {
    expect(problems(["a.jar", zipSync({})])).toEqual([]);
  });

  test("entries that share their bytes are not unpacked again and again", () => {
    const archive = zipSync({ "A.class": [t, { level: 9 }], "B.class": new Uint8Array() });
    // B's entry of the directory is A's but for the name: both have A's bytes, which are most of the file.
    const [a, b] = [...places(archive, ENTRY)];
    archive.copyWithin(b + 10, a + 10, a + 28);
    archive.copyWithin(b + 42, a + 42, a + 46);
    expect(problems(["a.jar", archive])).toEqual([`a.jar!/B.class: ${NO_ARCHIVE}`]);
  });

  test("what says that it is larger than archives may be is not unpacked, and classes beside it are read", () => {
    const large = zipSync({ "A.class": [new Uint8Array(1_100_000), { level: 0 }], "T.class": t });
    const bomb = patched(large, ENTRY, 24, 2 ** 30);
    const { diagnostics, classCount } = load([
      ["a.jar", bomb],
      ["b.jar", zipSync({ "T.class": t })],
      ["T.class", t],
    ]);
    expect(diagnostics.map(({ file, message }) => `${file}: ${message}`)).toEqual([
      "a.jar: Got archives of more than 1073741824 bytes, expected fewer: the rest was not opened.",
    ]);
    expect(classCount).toBe(1);
  });
});

/** Where a signature stands. */
function* places(bytes: Uint8Array, signature: number): Iterable<number> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 4 <= bytes.length; at++) if (view.getUint32(at, true) === signature) yield at;
}

/** A copy with another number of 32 bits after the first place of a signature. */
function patched(archive: Uint8Array, signature: number, after: number, value: number): Uint8Array {
  const bytes = Uint8Array.from(archive);
  const [at] = places(bytes, signature);
  new DataView(bytes.buffer).setUint32(at + after, value, true);
  return bytes;
}

/** `module m {}`, compiled. */
function moduleInfo(): Uint8Array {
  const text = (value: string) => [1, 0, value.length, ...strToU8(value)];
  const constants = [...text("module-info"), 7, 0, 1, ...text("Module"), ...text("m"), 19, 0, 4];
  const attribute = [0, 3, 0, 0, 0, 16, 0, 5, 0, 0, ...Array<number>(12).fill(0)];
  const header = [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61, 0, 6];
  return Uint8Array.of(...header, ...constants, 0x80, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, ...attribute);
}
