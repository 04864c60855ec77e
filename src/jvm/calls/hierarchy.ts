/**
 * The classes that are analysed, and which of their methods a name means (JVMS §5.4.3, §5.4.6): up the superclasses, then the
 * default methods of superinterfaces. What is not analysed is outside: a search that leaves the analysed classes finds
 * nothing. Look-ups cost the supertypes that they pass; subtypes are listed once a class.
 */

import { Access } from "../class-file/class-file.js";

export interface ClassNode {
  readonly name: string;
  /** Undefined for `java/lang/Object`, and where the class would be its own superclass. */
  readonly superName: string | undefined;
  readonly interfaces: readonly string[];
  readonly access: number;
  /** By name and descriptor: `run()V`. */
  readonly methods: ReadonlyMap<string, MethodNode>;
  /** Static fields by name and descriptor: `count:I`. */
  readonly statics: ReadonlyMap<string, StaticField>;
}

export interface MethodNode {
  readonly owner: string;
  readonly access: number;
  /** The procedure of its code, or -1: abstract, native, or unreadable. */
  readonly procedure: number;
}

export interface StaticField {
  /** Internal name of the class, a dot, and the name. */
  readonly name: string;
  readonly isFinal: boolean;
}

export class Hierarchy {
  readonly #classes: ReadonlyMap<string, ClassNode>;
  /** By name, of classes outside as well: those that name it as superclass or interface. */
  readonly #direct = new Map<string, ClassNode[]>();
  readonly #subtypes = new Map<string, readonly ClassNode[]>();

  /** Superclasses must not lead in circles; interfaces may. */
  constructor(classes: ReadonlyMap<string, ClassNode>) {
    this.#classes = classes;
    for (const node of classes.values()) {
      for (const name of new Set([
        ...(node.superName === undefined ? [] : [node.superName]),
        ...node.interfaces,
      ])) {
        const known = this.#direct.get(name);
        if (known === undefined) this.#direct.set(name, [node]);
        else known.push(node);
      }
    }
  }

  class(name: string): ClassNode | undefined {
    return this.#classes.get(name);
  }

  /** The method that `signature` means in a class, abstract ones included, or undefined: outside. */
  method(start: ClassNode, signature: string): MethodNode | undefined {
    for (const node of this.#superclasses(start)) {
      const method = node.methods.get(signature);
      if (method !== undefined) return method;
    }
    let declared: MethodNode | undefined;
    for (const node of this.#superinterfaces(start)) {
      const method = node.methods.get(signature);
      if (method === undefined) continue;
      if ((method.access & Access.abstract) === 0) return method;
      declared ??= method;
    }
    return declared;
  }

  /** The static field that a name and descriptor mean, or undefined. */
  staticField(owner: string, signature: string): StaticField | undefined {
    const start = this.#classes.get(owner);
    if (start === undefined) return undefined;
    for (const node of this.#superclasses(start)) {
      const field = node.statics.get(signature);
      if (field !== undefined) return field;
    }
    for (const node of this.#superinterfaces(start)) {
      const field = node.statics.get(signature);
      if (field !== undefined) return field;
    }
    return undefined;
  }

  /** The analysed classes below a name, itself included where it is analysed; the nearest first. */
  subtypes(name: string): readonly ClassNode[] {
    let found = this.#subtypes.get(name);
    if (found !== undefined) return found;
    const start = this.#classes.get(name);
    const list: ClassNode[] = start === undefined ? [] : [start];
    const seen = new Set<ClassNode>(list);
    const add = (nodes: readonly ClassNode[] = []) => {
      for (const node of nodes) {
        if (seen.has(node)) continue;
        seen.add(node);
        list.push(node);
      }
    };
    if (start === undefined) add(this.#direct.get(name));
    for (let head = 0; head < list.length; head++) add(this.#direct.get(list[head].name));
    found = list;
    this.#subtypes.set(name, found);
    return found;
  }

  /** Names of a class and all its supertypes, as far as analysed classes say: those outside as well. */
  supertypes(start: ClassNode): ReadonlySet<string> {
    const names = new Set([start.name]);
    for (const name of names) {
      const node = this.#classes.get(name);
      if (node === undefined) continue;
      if (node.superName !== undefined) names.add(node.superName);
      for (const other of node.interfaces) names.add(other);
    }
    return names;
  }

  /** Whether a class has a supertype outside beside `java/lang/Object`. */
  hasOutsideSupertype(start: ClassNode): boolean {
    for (const name of this.supertypes(start))
      if (name !== "java/lang/Object" && !this.#classes.has(name)) return true;
    return false;
  }

  *#superclasses(start: ClassNode): Iterable<ClassNode> {
    for (
      let node: ClassNode | undefined = start;
      node !== undefined;
      node = node.superName === undefined ? undefined : this.#classes.get(node.superName)
    )
      yield node;
  }

  /** Breadth first, from the class up. */
  *#superinterfaces(start: ClassNode): Iterable<ClassNode> {
    const queue = [...this.#superclasses(start)];
    const seen = new Set<ClassNode>();
    for (let head = 0; head < queue.length; head++) {
      const node = queue[head];
      if (seen.has(node)) continue;
      seen.add(node);
      if ((node.access & Access.interface) !== 0) yield node;
      for (const name of node.interfaces) {
        const other = this.#classes.get(name);
        if (other !== undefined) queue.push(other);
      }
    }
  }
}

/** Classes whose superclasses lead back to themselves: what no virtual machine loads. Linear. */
export function circularClasses(superOf: ReadonlyMap<string, string | undefined>): Set<string> {
  const state = new Map<string, number>();
  const circular = new Set<string>();
  let walk = 0;
  for (const start of superOf.keys()) {
    walk++;
    let name: string | undefined = start;
    while (name !== undefined && superOf.has(name) && !state.has(name)) {
      state.set(name, walk);
      name = superOf.get(name);
    }
    if (name !== undefined && state.get(name) === walk) circular.add(name);
  }
  return circular;
}
