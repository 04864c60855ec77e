/**
 * The order in which a bundle evaluates modules. Rollup numbers all modules of a build once: depth-first from the entries in
 * their order, then from the targets of `import()`; wherever some of them run, they run in that order. Where entries reach
 * the same cycle from different sides this is not the order of the specification for each of them: the first entry decides.
 *
 * An order of that kind is said by roots: modules to be evaluated, each with what it imports, before the entry itself.
 * Linear in the graph, and for each entry in what it reaches.
 */

export interface ImportGraph {
  /** In the order in which rollup goes through them. */
  readonly entries: readonly string[];
  /** Modules of the build that a module imports statically, in the order of the source. */
  readonly imports: (id: string) => readonly string[];
  /** Targets of its `import()`. */
  readonly laterImports: (id: string) => readonly string[];
}

/**
 * For an entry, or the target of an `import()`: what to evaluate one after the other, so that everything it reaches is in
 * the order of the bundle. Modules reached by an earlier root are not among them; mostly it is the entry alone.
 *
 * @example
 * // Entries a and b; a imports x, b imports y, x and y import each other.
 * evaluationRoots(graph)("b"); // ["x", "b"]: coming from a, y is evaluated before x
 */
export function evaluationRoots(graph: ImportGraph): (entry: string) => readonly string[] {
  const ranks = new Map<string, number>();
  const later = new Set<string>();
  const discover = (id: string): void => {
    walk(id, graph, ranks, (found) => {
      ranks.set(found, ranks.size);
      for (const target of graph.laterImports(found)) later.add(target);
    });
  };
  for (const entry of graph.entries) discover(entry);
  // Grows while it is walked.
  for (const target of later) discover(target);
  return (entry) => {
    const reached = new Map<string, number>();
    walk(entry, graph, reached, (id) => reached.set(id, ranks.get(id) ?? ranks.size));
    const inOrder = [...reached].sort(([, a], [, b]) => a - b);
    const evaluated = new Set<string>();
    const roots: string[] = [];
    for (const [id] of inOrder) {
      if (evaluated.has(id)) continue;
      roots.push(id);
      walk(id, graph, evaluated, (found) => evaluated.add(found));
    }
    if (roots.at(-1) !== entry) roots.push(entry);
    return roots;
  };
}

/** Visits what `start` reaches and `known` does not have, depth-first, importers before what they import. */
function walk(
  start: string,
  { imports }: ImportGraph,
  known: { has(id: string): boolean },
  visit: (id: string) => void,
): void {
  const path: { readonly targets: readonly string[]; next: number }[] = [];
  const enter = (id: string): void => {
    if (known.has(id)) return;
    visit(id);
    path.push({ targets: imports(id), next: 0 });
  };
  enter(start);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    if (top.next === top.targets.length) path.pop();
    else enter(top.targets[top.next++]);
  }
}
