/**
 * What `tainted-sink` looks for unless told otherwise: values that somebody else sends (requests, addresses of pages) and places
 * where a string becomes code, a command, a query, markup or a path. Arguments and environment of a process come from who
 * runs it, and are no sources here.
 */

import type { TaintSpec } from "./check-request.js";

const REQUESTS = ["req", "request"].flatMap((name) =>
  ["query", "body", "params", "headers", "cookies", "url", "originalUrl", "files"].map(
    (of) => `${name}.${of}`,
  ),
);
const first = (names: readonly string[]) => names.map((name) => ({ name, arguments: [0] }));
const FILE_CALLS = [
  "appendFile",
  "createReadStream",
  "createWriteStream",
  "open",
  "readFile",
  "readdir",
  "rm",
  "rmdir",
  "unlink",
  "writeFile",
];

export const DEFAULT_TAINT: TaintSpec = {
  sources: [
    ...REQUESTS,
    ...["query", "params", "headers", "request.body", "request.query"].map((of) => `ctx.${of}`),
    ...["hash", "href", "pathname", "search"].map((of) => `location.${of}`),
    ...["URL", "cookie", "documentURI", "referrer"].map((of) => `document.${of}`),
  ],
  sinks: [
    ...first(["eval", "setTimeout", "setInterval"]),
    { name: "Function" },
    ...first(
      ["compileFunction", "runInContext", "runInNewContext", "runInThisContext", "Script"].map(
        (of) => `vm.${of}`,
      ),
    ),
    ...first(
      ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"].map(
        (of) => `child_process.${of}`,
      ),
    ),
    { name: ".innerHTML" },
    { name: ".outerHTML" },
    { name: ".insertAdjacentHTML", arguments: [1] },
    { name: "document.write" },
    { name: "document.writeln" },
    ...first([".query", ".raw"]),
    ...first(
      FILE_CALLS.flatMap((of) => [`fs.${of}`, `fs.${of}Sync`, `fs/promises.${of}`, `fs.promises.${of}`]),
    ),
  ],
  sanitizers: [
    ...["encodeURIComponent", "encodeURI", "parseInt", "parseFloat", "Number", "Boolean", "BigInt"],
    ...["Number.parseInt", "Number.parseFloat", "Number.isInteger", "isNaN", "Array.isArray"],
    ...[".includes", ".startsWith", ".endsWith", ".indexOf", ".lastIndexOf", ".test", ".charCodeAt", ".has"],
    ...[
      "DOMPurify.sanitize",
      "dompurify.sanitize",
      "escape-html",
      "he.encode",
      "he.escape",
      "validator.escape",
    ],
    ...[
      "path.basename",
      "path.extname",
      "shell-quote.quote",
      "mysql.escape",
      "mysql2.escape",
      "sqlstring.escape",
    ],
  ],
};
