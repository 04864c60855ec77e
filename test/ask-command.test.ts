/** `phloem ask` and `phloem index` of programs, as a user meets them. */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Files, phloem, temporaryProjects, write } from "./support/command.js";
import { documentBlocks } from "./support/document-code.js";

const project = temporaryProjects();

const CART: Files = {
  "package.json": '{ "type": "module", "main": "./src/main.js" }',
  "src/main.js": `import { add, total } from "./cart.js";
add(3);
console.log(total);
`,
  "src/cart.js": `export let total = 0;

export function add(price) {
  total += price;
}
`,
};

describe("answers", () => {
  test("definitions of a read, with the source around it", async () => {
    expect(await phloem(project(CART), "ask", "src/main.js:3:13")).toEqual({
      exit: 0,
      stderr: "",
      stdout: `src/main.js:3:13  1 definition of total reaches this read

  1 | import { add, total } from "./cart.js";
  2 | add(3);
> 3 | console.log(total);
    |             ^^^^^
  4 |

  src/cart.js:4:3  total  total += price;
`,
    });
  });

  test("why", async () => {
    const { stdout } = await phloem(
      project(CART),
      "ask",
      "src/cart.js:4:3",
      "--explain",
      "--entry",
      "src/main.js",
    );
    expect(stdout).toBe(`src/cart.js:4:3  1 definition of total reaches this read

  2 |
  3 | export function add(price) {
> 4 |   total += price;
    |   ^^^^^
  5 | }
  6 |

  src/cart.js:1:12  total  export let total = 0;
      src/cart.js:1:1   src/cart.js is evaluated
      src/cart.js:1:12  total gets a value        total has this value
      src/main.js:1:1   src/main.js is evaluated  total has this value
      src/main.js:2:1   calls add                 total has this value
      src/cart.js:4:3   reads total               total has this value
`);
  });

  test("elsewhere, and when asked, live variables; several positions below each other", async () => {
    const folder = project(CART);
    const { stdout } = await phloem(
      folder,
      "ask",
      "src/main.js:2:5",
      "src/cart.js:1:12",
      "--live",
      "--no-color",
    );
    expect(stdout).toBe(`src/main.js:2:1  1 variable is live here

  1 | import { add, total } from "./cart.js";
> 2 | add(3);
    | ^^^^^^
  3 | console.log(total);
  4 |

  src/cart.js:1:12  total  export let total = 0;

src/cart.js:1:12  1 variable is live here

> 1 | export let total = 0;
    |            ^^^^^
  2 |
  3 | export function add(price) {

  src/cart.js:3:17  add  export function add(price) {
`);
  });

  test("a variable without a value yet", async () => {
    const folder = project({
      "main.js": "use();\nfunction use() {\n  console.log(late);\n}\nconst late = 1;\n",
    });
    const yes = await phloem(
      folder,
      "ask",
      "main.js:3:15",
      "--uninitialized",
      "--explain",
      "--entry",
      "main.js",
    );
    expect(yes.exit).toBe(0);
    expect(yes.stdout).toContain("main.js:3:15  late may have no value yet\n");
    expect(yes.stdout).toMatch(/main\.js:5:7 +late comes into being +late has no value yet\n/);
    expect(yes.stdout).toMatch(/main\.js:1:1 +calls use +late has no value yet\n/);
    expect(await phloem(folder, "ask", "main.js:1:1", "--uninitialized", "--entry", "main.js")).toMatchObject(
      {
        exit: 1,
        stdout: expect.stringContaining("main.js:1:1  use has a value here\n"),
      },
    );
  });

  test("where no execution gets", async () => {
    const folder = project({ "main.js": "function f() { throw 1; }\nlet x = 1;\nf();\nx;\n" });
    const { exit, stdout } = await phloem(folder, "ask", "main.js:4:1", "--entry", "main.js");
    expect(exit).toBe(1);
    expect(stdout).toContain(
      "main.js:4:1  no definitions of x reach this read\n\n  No execution gets here.\n",
    );
  });

  test("JSON", async () => {
    const { stdout } = await phloem(
      project(CART),
      "ask",
      "src/main.js:3:13",
      "--uninitialized",
      "--definitions",
      "--json",
      "--explain",
    );
    const { answers } = JSON.parse(stdout);
    expect(answers).toEqual([
      {
        position: "src/main.js:3:13",
        extent: { file: "src/main.js", line: 3, column: 13, endLine: 3, endColumn: 18 },
        ...{ names: ["total"], question: "definitions", executed: true, answer: true },
        found: [
          {
            name: "total",
            place: { file: "src/cart.js", line: 4, column: 3, endLine: 4, endColumn: 8 },
            steps: expect.arrayContaining([
              expect.objectContaining({ kind: "here", line: 3, holds: "total has this value" }),
            ]),
          },
        ],
      },
      expect.objectContaining({ question: "uninitialized", answer: false }),
    ]);
  });
});

test("what docs/ask.md shows", async () => {
  const [{ code }] = documentBlocks("docs/ask.md", "console");
  const [, command, output] = /^\$ phloem (.+)\n([\s\S]*)$/.exec(code)!;
  const { stdout } = await phloem(join(import.meta.dirname, ".."), ...command.split(" "));
  expect(stdout).toBe(output);
});

describe("errors are one sentence", () => {
  const ask = (...argv: string[]) => phloem(project(CART), "ask", ...argv);

  test.each([
    [["here"], 'position: got "here", expected FILE:LINE:COLUMN, counted from 1.'],
    [["src/cart.js:40:1"], "src/cart.js:40:1: got line 40, expected 1 to 6."],
    [
      ["src/cart.js:2:1"],
      "src/cart.js:2:1: got a position without a step, expected one such as the nearest, src/cart.js:1:12.",
    ],
    [["cart.js:1:1"], "cart.js:1:1: got file cart.js, expected one of the program's 2, such as src/cart.js."],
    [
      ["src/main.js:2:5", "--definitions"],
      "src/main.js:2:5: got a step that uses no variable by name, expected one that does, such as the nearest, src/main.js:2:1.",
    ],
    [
      ["src/main.js:3:13", "--index", "none.phloem"],
      "none.phloem: got no such file, expected a path that exists.",
    ],
    [
      ["src/main.js:3:13", "--index", "x", "--entry", "src/main.js"],
      "Index: got --index and --entry, expected the index alone: it knows its program.",
    ],
  ])("%j", async (argv, sentence) => {
    expect(await ask(...argv)).toEqual({ exit: 2, stdout: "", stderr: `phloem: ${sentence}\n` });
  });

  test("a file that does not parse: nothing is answered about half a program", async () => {
    const folder = project({ ...CART, "src/cart.js": "export let = ;" });
    const { exit, stdout, stderr } = await phloem(folder, "ask", "src/main.js:3:13");
    expect([exit, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^phloem: src\/cart\.js:1: .*\.\n$/);
  });
});

describe("a saved index", () => {
  test("answers as the sources do, and is the same at every run", async () => {
    const folder = project(CART);
    const [file, again] = [join(folder, "app.phloem"), join(folder, "again.phloem")];
    const made = await phloem(folder, "index", "src/main.js", "-o", file);
    expect(made).toMatchObject({
      exit: 0,
      stderr: "",
      stdout: expect.stringMatching(/app\.phloem: .*, 2 files, made in /),
    });
    await phloem(folder, "index", ".", "-o", again);
    expect(readFileSync(file).equals(readFileSync(again))).toBe(true);
    for (const questions of [["--definitions"], ["--live"], ["--uninitialized", "--live"]]) {
      for (const at of ["src/main.js:3:13", "src/cart.js:4:3", "src/cart.js:4:12", "src/main.js:2:1"]) {
        const argv = [at, "--explain", "--json", ...questions];
        expect(await phloem(folder, "ask", "--index", file, ...argv)).toEqual(
          await phloem(folder, "ask", ...argv),
        );
      }
    }
  });

  test("an edit is noticed, and what is equal keeps its index", async () => {
    const folder = project(CART);
    const file = join(folder, "app.phloem");
    await phloem(folder, "index", "src/main.js", "-o", file);
    write(folder, "src/cart.js", CART["src/cart.js"].replace("total += price", "if (price) total = price"));
    const { stdout, stderr, exit } = await phloem(folder, "ask", "--index", file, "src/main.js:3:13");
    expect(exit).toBe(0);
    expect(stdout).toBe((await phloem(folder, "ask", "src/main.js:3:13")).stdout);
    expect(stdout).toContain("2 definitions of total reach this read");
    expect(stderr).toMatch(
      /app\.phloem: got 1 of 2 files changed \(src\/cart\.js\); of \d+ procedures that were asked about, \d+ were indexed anew\.\n$/,
    );
  });

  test.each<[string, (folder: string) => void]>([
    [
      "a new file that an import leads to",
      (folder) => write(folder, "src/cart.ts", "export let total = 1; export const add = (x: number) => x;"),
    ],
    [
      "package.json",
      (folder) => write(folder, "package.json", '{ "type": "commonjs", "main": "./src/main.js" }'),
    ],
    ["a file that is gone", (folder) => rmSync(join(folder, "src/cart.js"))],
  ])("%s", async (_, edit) => {
    const folder = project(CART);
    const file = join(folder, "app.phloem");
    await phloem(folder, "index", "src/main.js", "-o", file);
    edit(folder);
    const argv = ["src/main.js:3:13", "--json"];
    const saved = await phloem(folder, "ask", "--index", file, ...argv);
    const fresh = await phloem(folder, "ask", "--entry", "src/main.js", ...argv);
    expect([saved.exit, saved.stdout]).toEqual([fresh.exit, fresh.stdout]);
  });

  test("one client alone: others are analysed when asked", async () => {
    const folder = project(CART);
    const file = join(folder, "app.phloem");
    await phloem(folder, "index", "src/main.js", "-o", file, "--client", "liveness");
    const argv = ["src/main.js:3:13", "--json", "--definitions", "--live"];
    expect(await phloem(folder, "ask", "--index", file, ...argv)).toEqual(
      await phloem(folder, "ask", ...argv),
    );
  });

  test("commands about instances say what it is", async () => {
    const folder = project(CART);
    const file = join(folder, "app.phloem");
    await phloem(folder, "index", "src/main.js", "-o", file);
    const { exit, stderr } = await phloem(folder, "stats", file);
    expect(exit).toBe(2);
    expect(stderr).toMatch(/got the index of a program's sources, expected an instance/);
  });

  test("damaged, cut and foreign files", async () => {
    const folder = project(CART);
    const file = join(folder, "app.phloem");
    await phloem(folder, "index", "src/main.js", "-o", file);
    const bytes = readFileSync(file);
    const ask = async (data: Uint8Array) => {
      writeFileSync(file, data);
      return phloem(folder, "ask", "--index", file, "src/main.js:3:13");
    };
    const changed = (at: number, to: number) => {
      const copy = Buffer.from(bytes);
      copy[at] ^= to;
      return copy;
    };
    const cases: [Uint8Array, RegExp][] = [
      [new Uint8Array(0), /offset 0: got 0 bytes, expected a program index/],
      [Buffer.from("IFDS 1\n"), /offset 0: got another file, expected a program index/],
      [bytes.subarray(0, bytes.length - 8), /length: got \d+ bytes, expected \d+ as the header says/],
      [bytes.subarray(0, 13), /length: got 13 bytes, expected a multiple of 8/],
      [changed(4, 2), /offset 4: got format version 3, expected version 1: make the index anew/],
      [changed(8, 1), /offset 8: got an index of kernel/],
      [changed(300, 1), /checksum: got 0x[\da-f]+, expected 0x[\da-f]+: the data is damaged/],
      [changed(bytes.length - 9, 0x80), /checksum: got/],
    ];
    for (const [data, sentence] of cases) {
      const { exit, stdout, stderr } = await ask(data);
      expect([exit, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(sentence);
      expect(stderr).toMatch(/^phloem: [^\n]+\.\n$/);
    }
  });
});
