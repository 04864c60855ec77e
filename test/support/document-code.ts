/**
 * The code of documents. In a `ts` block a line `expression; // value` states what the expression gives, as a literal,
 * and `expression; // throws Name: message` what it throws; in a `console` block each line `$ command` is followed by
 * what it prints.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Block {
  /** Path of the document, from the root. */
  readonly file: string;
  /** The line on which the block's code begins. */
  readonly line: number;
  readonly code: string;
}

export function documentBlocks(file: string, language: string): Block[] {
  const text = readFileSync(join(import.meta.dirname, "../..", file), "utf8");
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm");
  return Array.from(text.matchAll(fence), (match) => ({
    file,
    line: text.slice(0, match.index).split("\n").length + 1,
    code: match[1],
  }));
}

/** TypeScript that runs a block and compares its stated values; it exits with an error at the first difference. */
export function checkedCode({ file, line, code }: Block): string {
  const lines = code.split("\n").map((text, i) => {
    const [, expression, value] =
      /^(?!const |let |import |export |await import)(\S.*); \/\/ (.+)$/.exec(text) ?? [];
    if (expression === undefined) return text;
    const at = JSON.stringify(`${file}:${line + i}`);
    const thrown = /^throws (.+)$/.exec(value);
    return thrown === null
      ? `checkValue(${at}, ${expression}, ${value});`
      : `checkThrown(${at}, () => ${expression}, ${JSON.stringify(thrown[1])});`;
  });
  return `import { deepStrictEqual, throws } from "node:assert/strict";
const checkValue = (at, got, expected) => deepStrictEqual(got, expected, at + ": got " + JSON.stringify(got));
const checkThrown = (at, action, expected) => {
  throws(action, (error) => {
    deepStrictEqual(error.name + ": " + error.message, expected, at + ": got " + error.name + ": " + error.message);
    return true;
  }, at);
};
${lines.join("\n")}`;
}

/** How many values a block states. */
export const statedValues = (block: Block): number =>
  checkedCode(block).match(/^check(?:Value|Thrown)\(/gm)?.length ?? 0;
