/**
 * Which methods a call may call. By class hierarchy analysis (Dean, Grove, Chambers, ECOOP 1995): of a virtual call, the method
 * that each concrete analysed subtype of the receiver's type has; the analysed classes are all there are. By rapid type
 * analysis (Bacon, Sweeney, OOPSLA 1996): only of those subtypes of which code that can run makes instances. Each
 * (owner, signature) is resolved once; costs the subtypes of the owner.
 */

import { Access } from "../class-file/class-file.js";
import type { ClassNode, Hierarchy } from "./hierarchy.js";

export interface Targets {
  /** Each once. */
  readonly procedures: readonly number[];
  /** Whether it may also be a method outside, or one without code. */
  readonly external: boolean;
}

const OUTSIDE: Targets = { procedures: [], external: true };

export class CallTargets {
  readonly #hierarchy: Hierarchy;
  readonly #isInstantiated: (name: string) => boolean;
  readonly #isLambda: (name: string) => boolean;
  readonly #known = new Map<string, Targets>();

  /**
   * `isInstantiated` says of which concrete classes there may be instances, `isLambda` which classes stand for lambdas:
   * these are called through interfaces outside as well.
   */
  constructor(
    hierarchy: Hierarchy,
    isInstantiated: (name: string) => boolean,
    isLambda: (name: string) => boolean,
  ) {
    this.#hierarchy = hierarchy;
    this.#isInstantiated = isInstantiated;
    this.#isLambda = isLambda;
  }

  /** A static or special call: the method itself. */
  direct(owner: string, signature: string): Targets {
    return this.#once(`=${owner}.${signature}`, () => {
      const node = this.#hierarchy.class(owner);
      const procedure = node === undefined ? -1 : (this.#hierarchy.method(node, signature)?.procedure ?? -1);
      return procedure < 0 ? OUTSIDE : { procedures: [procedure], external: false };
    });
  }

  /** A virtual or interface call. */
  virtual(owner: string, signature: string): Targets {
    return this.#once(`${owner}.${signature}`, () => {
      const node = this.#hierarchy.class(owner);
      if (node === undefined) return this.#lambdasOf(owner, signature);
      const declared = this.#hierarchy.method(node, signature);
      if (declared !== undefined && (declared.access & (Access.private | Access.final)) !== 0)
        return this.direct(owner, signature);
      const procedures = new Set<number>();
      let external = false;
      for (const subtype of this.#hierarchy.subtypes(owner)) {
        if (!this.#mayBeReceiver(subtype)) continue;
        const procedure = this.#hierarchy.method(subtype, signature)?.procedure ?? -1;
        if (procedure < 0) external = true;
        else procedures.add(procedure);
      }
      return procedures.size === 0 ? OUTSIDE : { procedures: [...procedures], external };
    });
  }

  /** Whether a class can be that of a receiver. */
  #mayBeReceiver({ access, name }: ClassNode): boolean {
    return (access & (Access.abstract | Access.interface)) === 0 && this.#isInstantiated(name);
  }

  #lambdasOf(owner: string, signature: string): Targets {
    const procedures = new Set<number>();
    for (const subtype of this.#hierarchy.subtypes(owner)) {
      if (!this.#isLambda(subtype.name) || !this.#isInstantiated(subtype.name)) continue;
      const procedure = this.#hierarchy.method(subtype, signature)?.procedure ?? -1;
      if (0 <= procedure) procedures.add(procedure);
    }
    return procedures.size === 0 ? OUTSIDE : { procedures: [...procedures], external: true };
  }

  #once(key: string, resolve: () => Targets): Targets {
    let targets = this.#known.get(key);
    if (targets === undefined) {
      targets = resolve();
      this.#known.set(key, targets);
    }
    return targets;
  }
}
