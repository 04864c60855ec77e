/** Import cycles: which modules lie on one. */

import { components } from "../src/exploded/components.js";
import type { ModuleGraph } from "../src/javascript/modules/source.js";

/** Modules from which static imports lead back to them; linear. */
export function modulesOnCycles({ modules }: ModuleGraph): string[] {
  const paths = [...modules.keys()];
  const numbers = new Map(paths.map((path, i) => [path, i]));
  const start = new Uint32Array(paths.length + 1);
  const targets: number[] = [];
  for (const [i, path] of paths.entries()) {
    for (const { kind, elided, resolved } of modules.get(path)!.requests) {
      if (elided || (kind !== "static" && kind !== "reexport") || typeof resolved !== "string") continue;
      const target = numbers.get(resolved);
      if (target !== undefined) targets.push(target);
    }
    start[i + 1] = targets.length;
  }
  const { order, start: first } = components(paths.length, start, Uint32Array.from(targets));
  const found: string[] = [];
  for (let c = 0; c + 1 < first.length; c++) {
    const members = order.subarray(first[c], first[c + 1]);
    const [one] = members;
    const isCycle = 1 < members.length || targets.slice(start[one], start[one + 1]).includes(one);
    if (isCycle) for (const member of members) found.push(paths[member]);
  }
  return found;
}
