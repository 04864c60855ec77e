/**
 * What `import()` evaluates, at turns after those that evaluate an entry: for each target that the entry can come to, modules
 * in their order, from where the entry was through to the target. A target imported by another is evaluated after that one.
 *
 * Costs an evaluation order for each `import()` of a target, at most.
 */

import { type EvaluationOrder, evaluationOrder } from "./order.js";
import type { ModuleGraph } from "./source.js";

/**
 * Orders of evaluation at later turns, each beginning where the entry's own ends; none twice.
 *
 * @example
 * // main.js: import("./late.js"); late.js imports dep.js
 * laterOrders(graph, evaluationOrder(graph, "main.js")); // [["dep.js", "late.js"]]
 */
export function laterOrders(graph: ModuleGraph, entry: EvaluationOrder): string[][] {
  const atOnce = modulesOf(entry);
  const orders = new Map<string, string[]>();
  const followed = new Set<string>();
  /** Modules whose `import()`s come next, after some modules were evaluated at later turns. */
  const pending = [{ importers: [...atOnce, ...entry.perhaps], before: [] as string[] }];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const evaluated = [...atOnce, ...at.before];
    const known = new Set(evaluated);
    const seen = new Set<string>();
    for (const importer of at.importers) {
      for (const { kind, elided, resolved } of graph.modules.get(importer)?.requests ?? []) {
        if (kind !== "dynamic" || elided || typeof resolved !== "string") continue;
        if (!graph.modules.has(resolved) || known.has(resolved) || seen.has(resolved)) continue;
        seen.add(resolved);
        const order = evaluationOrder(graph, resolved, evaluated);
        const before = [...at.before, ...modulesOf(order)];
        const key = before.join("\n");
        if (orders.has(key)) continue;
        orders.set(key, before);
        if (followed.has(resolved)) continue;
        followed.add(resolved);
        pending.push({ importers: [...modulesOf(order), ...order.perhaps], before });
      }
    }
  }
  return [...orders.values()];
}

const modulesOf = ({ steps, waiting }: EvaluationOrder): string[] =>
  [...steps, ...waiting].map(({ module }) => module);
