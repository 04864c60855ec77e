#!/usr/bin/env node
/**
 * The command `phloem`: runs it on the arguments and streams of this process. A reader that hangs up (`phloem ... | head`)
 * ends it quietly.
 */

import { run } from "./run.js";

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    process.exit(error.code === "EPIPE" ? 0 : 2);
  });
}

process.exitCode = await run(process.argv.slice(2), process);
