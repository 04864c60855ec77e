/**
 * Evaluates programs of modules, given as JSON on standard input, and writes which reads of theirs Node found to come too
 * early: `ReferenceError`s that the programs let escape, and those that they hand to the global function `seen`. What comes
 * to light at later turns after a module has thrown is kept apart: a process would have ended. Needs
 * `--experimental-vm-modules`.
 */

import * as events from "node:events";
import { text } from "node:stream/consumers";
import { SourceTextModule, SyntheticModule } from "node:vm";

/** By number of the program: reads as `[file, line, column, name]`, and anything else that went wrong. */
const observed = [];
const afterwards = [];
const others = [];
const hasEnded = [];
/** What programs say of themselves: `observe(number, text)`, each text once. */
const logged = [];
globalThis.observe = (number, text) => logged[number].add(text);

const record = (error) => {
  const stack = String(error?.stack ?? error);
  const message = String(error?.message);
  // The latter is what Node says where it reads a namespace as a whole.
  const [, name] =
    /^Cannot access '(.+)' before initialization$/.exec(message) ??
    /^(\S+) is not defined$/.exec(message) ??
    [];
  const [, number, file, line, column] =
    /(?:\(|at (?:async )?)(\d+)\/([^\s():]+):(\d+):(\d+)\)?/.exec(stack) ?? [];
  if (number === undefined) throw error;
  if (hasEnded[number]) {
    if (name !== undefined) afterwards[number].push([file, Number(line), Number(column), name]);
  } else if (name === undefined || !(error instanceof ReferenceError)) others[number].push(stack);
  else observed[number].push([file, Number(line), Number(column), name]);
};

globalThis.seen = (error) => {
  if (error instanceof Error) record(error);
};
process.on("uncaughtException", record);
process.on("unhandledRejection", record);

/** Evaluates a module; its failure, known before anything at a later turn, ends the program. */
function evaluate(module, number) {
  const end = (error) => {
    record(error);
    hasEnded[number] = true;
  };
  const evaluation = module.evaluate();
  if (module.status === "errored") end(module.error);
  return evaluation.catch((error) => {
    end(error);
    throw error;
  });
}

async function run({ entry, files }, number) {
  observed.push([]);
  logged.push(new Set());
  others.push([]);
  afterwards.push([]);
  hasEnded.push(false);
  const modules = new Map();
  const load = (path) => {
    let module = modules.get(path);
    if (module === undefined && path === "node:events") {
      module = new SyntheticModule(Object.keys(events), function () {
        for (const [name, value] of Object.entries(events)) this.setExport(name, value);
      });
      modules.set(path, module);
    } else if (module === undefined) {
      if (files[path] === undefined) throw new Error(`${number}/${path}:1:1 is missing`);
      module = new SourceTextModule(files[path], {
        identifier: `${number}/${path}`,
        importModuleDynamically: async (specifier, { identifier }) => {
          const target = load(resolve(specifier, identifier.slice(identifier.indexOf("/") + 1)));
          // Like a loader, at a later turn.
          await new Promise((resolve) => setImmediate(resolve));
          if (target.status === "errored") throw target.error;
          if (target.status === "unlinked") {
            await target.link(link).catch((error) => {
              throw error.cause ?? error;
            });
          }
          if (target.status === "linked") await evaluate(target, number);
          return target;
        },
      });
      modules.set(path, module);
    }
    return module;
  };
  const resolve = (specifier, from) =>
    specifier.startsWith(".") ? new URL(specifier, `file:///${from}`).pathname.slice(1) : specifier;
  const link = (specifier, { identifier }) =>
    load(resolve(specifier, identifier.slice(identifier.indexOf("/") + 1)));
  try {
    const module = load(entry);
    await module.link(link);
    await evaluate(module, number).catch(() => {});
  } catch (error) {
    others[number].push(String(error?.stack ?? error));
  }
}

const programs = JSON.parse(await text(process.stdin));
for (const [number, program] of programs.entries()) await run(program, number);
await new Promise((resolve) => setTimeout(resolve, 40));
process.stdout.write(
  JSON.stringify(
    observed.map((reads, n) => ({
      reads,
      afterwards: afterwards[n],
      others: others[n],
      logged: [...logged[n]],
    })),
  ),
  () => process.exit(0),
);
