/**
 * Field paths up to a bound: `".a.b"` is field b of field a, `""` the whole value, `".a.*"` something below a at a depth
 * where names are no longer told apart. Paths are numbered as they are met, and what a flow makes of one is remembered.
 */

export class AccessPaths {
  readonly #bound: number;
  readonly #texts: string[] = [];
  readonly #names: (readonly string[])[] = [];
  readonly #ids = new Map<string, number>();
  /** Numbers of path, source path and target path, as text -> the path that results, or -1. */
  readonly #moved = new Map<string, number>();

  /** Names past `bound` are not told apart. */
  constructor(bound: number) {
    this.#bound = bound;
    this.id("");
  }

  text(path: number): string {
    return this.#texts[path];
  }

  /** Number of a path, of which the whole value is 0. */
  id(text: string): number {
    const names = this.#bounded(text === "" ? [] : text.slice(1).split("."));
    const bounded = names.map((name) => `.${name}`).join("");
    let id = this.#ids.get(bounded);
    if (id === undefined) {
      id = this.#texts.push(bounded) - 1;
      this.#names.push(names);
      this.#ids.set(bounded, id);
    }
    return id;
  }

  /**
   * Where `path` of a source is in the target once the source's part `from` has become the target's part `to`; -1 where it
   * is not part of what moved.
   */
  move(path: number, from: number, to: number): number {
    if (from === 0 && to === 0) return path;
    const key = `${path} ${from} ${to}`;
    let moved = this.#moved.get(key);
    if (moved === undefined) {
      moved = this.#move(this.#names[path], this.#names[from], this.#names[to]);
      this.#moved.set(key, moved);
    }
    return moved;
  }

  #move(path: readonly string[], from: readonly string[], to: readonly string[]): number {
    for (let i = 0; ; i++) {
      // The path holds for all that is below it, and a `*` for any name and all below.
      if (i === path.length || path[i] === "*" || from[i] === "*") {
        const below = i === from.length && path[i] === "*" ? ["*"] : [];
        return this.#join(to, below);
      }
      if (i === from.length) return this.#join(to, path.slice(i));
      if (path[i] !== from[i]) return -1;
    }
  }

  #join(to: readonly string[], rest: readonly string[]): number {
    const names = to.at(-1) === "*" ? to : [...to, ...rest];
    return this.id(names.map((name) => `.${name}`).join(""));
  }

  #bounded(names: readonly string[]): readonly string[] {
    const star = names.indexOf("*");
    const kept = star < 0 ? names.length : star;
    if (kept <= this.#bound) return star < 0 ? names : names.slice(0, star + 1);
    return [...names.slice(0, this.#bound), "*"];
  }
}
