/** Import cycles: which modules lie on one. */

import type { ModuleGraph } from "../src/javascript/modules/source.js";

/** Modules from which static imports lead back to them, by Tarjan's algorithm; linear. */
export function modulesOnCycles({ modules }: ModuleGraph): string[] {
  const targets = new Map<string, string[]>();
  for (const [path, { requests }] of modules) {
    const resolved = requests
      .filter(({ kind, elided }) => !elided && (kind === "static" || kind === "reexport"))
      .map((request) => request.resolved);
    targets.set(
      path,
      resolved.filter((target) => typeof target === "string" && modules.has(target)) as string[],
    );
  }
  const number = new Map<string, number>();
  const low = new Map<string, number>();
  const component: string[] = [];
  const inComponent = new Set<string>();
  const found: string[] = [];
  for (const root of modules.keys()) {
    if (number.has(root)) continue;
    const path: { readonly module: string; next: number }[] = [];
    const enter = (module: string) => {
      number.set(module, number.size);
      low.set(module, number.get(module)!);
      component.push(module);
      inComponent.add(module);
      path.push({ module, next: 0 });
    };
    enter(root);
    while (0 < path.length) {
      const top = path[path.length - 1];
      const target = targets.get(top.module)![top.next++];
      const lower = (value: number) => low.set(top.module, Math.min(low.get(top.module)!, value));
      if (target !== undefined) {
        if (!number.has(target)) enter(target);
        else if (inComponent.has(target)) lower(number.get(target)!);
        continue;
      }
      path.pop();
      const parent = path[path.length - 1]?.module;
      if (parent !== undefined) low.set(parent, Math.min(low.get(parent)!, low.get(top.module)!));
      if (low.get(top.module) !== number.get(top.module)) continue;
      const members = component.splice(component.lastIndexOf(top.module));
      for (const member of members) inComponent.delete(member);
      if (1 < members.length || targets.get(top.module)!.includes(top.module)) found.push(...members);
    }
  }
  return found;
}
