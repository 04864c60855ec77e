/**
 * A project of as many TypeScript modules as wanted, of realistic size and shape: layers of feature folders with a barrel
 * each, classes that extend classes of other folders, functions that call functions of others, constants that are computed at
 * load, types, and import cycles within folders, which do no harm. The same for the same number.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomBelow } from "./harness.js";

/** Modules of a folder, without its barrel. */
const FOLDER = 12;
/** Functions of a module. */
const FUNCTIONS = 9;

/** Writes the project into a folder. The entry is `src/main.ts`. */
export function writeProject(folder: string, modules: number): void {
  const below = randomBelow(modules);
  const folders = Math.max(1, Math.round(modules / (FOLDER + 1)));
  for (let f = 0; f < folders; f++) {
    const home = join(folder, "src", `feature${f}`);
    mkdirSync(home, { recursive: true });
    for (let m = 0; m < FOLDER; m++) writeFileSync(join(home, `part${m}.ts`), moduleText(f, m, below));
    const stars = Array.from({ length: FOLDER }, (_, m) => `export * from "./part${m}.js";\n`);
    writeFileSync(join(home, "index.ts"), stars.join(""));
  }
  const all = Array.from({ length: folders }, (_, f) => f);
  const main = [
    ...all.map((f) => `import * as feature${f} from "./feature${f}/index.js";`),
    ...all.map((f) => `console.log(feature${f}.run${f}x0x0({ id: "${f}", size: ${f}, tags: [] }));`),
  ];
  writeFileSync(join(folder, "src", "main.ts"), `${main.join("\n")}\n`);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  writeFileSync(
    join(folder, "tsconfig.json"),
    '{ "compilerOptions": { "module": "esnext", "moduleResolution": "bundler", "target": "es2022", "strict": true } }\n',
  );
}

function moduleText(f: number, m: number, below: (end: number) => number): string {
  const lines: string[] = [];
  const id = `${f}x${m}`;
  /** A module that is evaluated before, of this folder or another; every folder asks for earlier ones alone. */
  const earlier = (): readonly [string, string] => {
    if (0 < m && (f === 0 || below(2) === 0)) {
      const other = below(m);
      return [`./part${other}.js`, `${f}x${other}`];
    }
    const home = below(Math.max(1, f));
    return [`../feature${home}/index.js`, `${home}x${below(FOLDER)}`];
  };
  const isFirst = f === 0 && m === 0;
  const [basePath, base] = isFirst ? ["", ""] : earlier();
  const uses = isFirst ? [] : [earlier(), earlier(), earlier()];
  // A cycle: a later module of the folder, used in functions alone.
  const later = m + 1 < FOLDER && below(4) === 0 ? m + 1 + below(FOLDER - m - 1) : -1;
  if (!isFirst) lines.push(`import { Base${base} } from "${basePath}";`);
  for (const [path, use] of new Map(uses.map((each) => [each[1], each])).values())
    lines.push(`import { run${use}x1, limit${use} } from "${path}";`);
  if (0 <= later) lines.push(`import { run${f}x${later}x2 } from "./part${later}.js";`);
  lines.push(
    "",
    `export interface Item${id} { id: string; size: number; tags: string[]; }`,
    `export type Visitor${id} = (item: Item${id}, depth: number) => number | undefined;`,
    "",
    `export const limit${id} = ${uses.map(([, use]) => `limit${use}`).join(" + ") || "1"} + ${below(9)};`,
    `const registry = new Map<string, Visitor${id}>();`,
    `const names = ["alpha", "beta", "gamma"].map((name) => name + limit${id});`,
    "",
    `export class Base${id}${isFirst ? "" : ` extends Base${base}`} {`,
    `  static readonly kind: string = "base${id}";`,
    `  protected readonly items: Item${id}[] = [];`,
    "  #count = 0;",
    isFirst
      ? "  constructor(readonly name: string) {}"
      : "  constructor(name: string) {\n    super(name);\n    this.#count = name.length;\n  }",
    `  add(item: Item${id}): this {\n    this.items.push(item);\n    this.#count += item.size;\n    return this;\n  }`,
    "  get count(): number {\n    return this.#count;\n  }",
    `  visit(visitor: Visitor${id}): number {`,
    "    let total = 0;",
    "    for (const [depth, item] of this.items.entries()) {",
    "      const value = visitor(item, depth);",
    "      if (value === undefined) continue;",
    "      total += value;",
    "    }",
    "    return total;",
    "  }",
    "}",
    "",
  );
  for (let i = 0; i < FUNCTIONS; i++) {
    const [callee] = uses.length === 0 ? [undefined] : [uses[below(uses.length)][1]];
    lines.push(
      `export function run${id}x${i}(item: Item${id}, depth = 0): number {`,
      `  if (limit${id} < depth) return 0;`,
      `  const { size, tags = [] } = item;`,
      "  let sum = size;",
      "  for (const tag of tags) {",
      "    switch (tag.length % 3) {",
      "      case 0:\n        sum += names.length;\n        break;",
      "      case 1:\n        sum -= registry.get(tag)?.(item, depth) ?? 1;\n        break;",
      "      default:\n        sum *= 2;",
      "    }",
      "  }",
      `  try {\n    registry.set(item.id, (other, level) => other.size + level);\n  } catch (error) {\n    console.error(error);\n  }`,
    );
    if (callee !== undefined && i !== 2)
      lines.push(`  sum += run${callee}x1({ ...item, size: sum }, depth + 1);`);
    if (0 <= later && i === 3) lines.push(`  sum += run${f}x${later}x2(item, depth + 1);`);
    if (i === 4)
      lines.push(`  sum += new Base${id}(item.id).add(item).visit((each, level) => each.size * level);`);
    lines.push("  return tags.reduce((total, tag) => total + tag.length, sum);", "}", "");
  }
  return `${lines.join("\n")}\n`;
}
