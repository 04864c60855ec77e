/**
 * Loads the module with the URL that it is given, in this process, and prints what came of it as JSON: nothing, or the error
 * and where it was thrown.
 */

import { register } from "node:module";

register("./loose-resolution.mjs", import.meta.url);
// Globals that bundlers put in.
globalThis.__DEV__ = true;
let answer = {};
try {
  await import(process.argv[2]);
} catch (error) {
  const stack = String(error?.stack ?? error);
  const [, url, line, column] =
    /(?:\(|at (?:async )?)((?:file:)?\/[^\s()]+?):(\d+):(\d+)\)?$/m.exec(stack) ?? [];
  answer = {
    error: `${error?.name ?? typeof error}: ${String(error?.message ?? error).split("\n")[0]}`,
    ...(url === undefined ? {} : { url, line: Number(line), column: Number(column) }),
  };
}
process.stdout.write(`\n${JSON.stringify(answer)}\n`, () => process.exit(0));
