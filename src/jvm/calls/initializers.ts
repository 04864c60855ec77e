/**
 * Which class initializers an instruction may run first (JVMS §5.5): those of the class whose static member or instance it is
 * about, and of that class's supertypes, but for what has begun already where the instruction is. Each pair of classes is
 * looked up once; costs their supertypes.
 */

import type { Hierarchy } from "./hierarchy.js";

const SIGNATURE = "<clinit>()V";

export class Initializers {
  readonly #hierarchy: Hierarchy;
  readonly #known = new Map<string, readonly number[]>();

  constructor(hierarchy: Hierarchy) {
    this.#hierarchy = hierarchy;
  }

  /** Procedures that using class `name` in a method of class `from` may run, in any order; empty where there are none. */
  of(name: string, from: string): readonly number[] {
    const key = `${from} ${name}`;
    let found = this.#known.get(key);
    if (found === undefined) {
      const node = this.#hierarchy.class(name);
      const begun = new Set<string>();
      for (let at = this.#hierarchy.class(from); at !== undefined; ) {
        begun.add(at.name);
        at = at.superName === undefined ? undefined : this.#hierarchy.class(at.superName);
      }
      found = [...(node === undefined ? [] : this.#hierarchy.supertypes(node))]
        .filter((supertype) => !begun.has(supertype))
        .map((supertype) => this.#hierarchy.class(supertype)?.methods.get(SIGNATURE)?.procedure ?? -1)
        .filter((procedure) => 0 <= procedure);
      this.#known.set(key, found);
    }
    return found;
  }
}
