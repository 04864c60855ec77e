/**
 * Variables of a program beside those that its sources name: registers, and places where values wait that no variable of the
 * language holds. All but registers are there once for the whole program:
 *
 *     field        what is stored in an object of the value analysis, by property: whoever refers to it sees the same
 *     external     what the host or a package provides under a name, as `process.argv`
 *     bound        what `bind` keeps
 *     handed       what is passed to a function that is handed over to be called later, or by somebody outside
 *     input, sent  what a generator is made with, and what is sent to it while it runs
 *     output       what a generator yields and returns
 *     thrown       the exception on its way
 */

import type { Variable, VariableKind } from "../../program/program.js";
import { ANY_NAME, type Names } from "../lower/code.js";
import type { AbstractObject, Instance } from "../values/abstract-object.js";

/** Path numbers have 16 bits. */
const MOST_PATHS = 0xffff;
const ANY = "*";

export class ValueVariables {
  /** Field paths by number: `Program.paths`. */
  readonly paths: string[] = [];
  readonly #pathIds = new Map<string, number>();
  readonly #ids = new Map<string, number>();
  readonly #variables: Variable[];
  readonly #names: Names;
  readonly #ownerOf: (instance: Instance) => number;

  /** @param variables takes them, beside those that are there already */
  constructor(variables: Variable[], names: Names, ownerOf: (instance: Instance) => number) {
    this.#variables = variables;
    this.#names = names;
    this.#ownerOf = ownerOf;
    this.path([]);
    this.path([ANY_NAME]);
  }

  /** Number of the path of these properties. */
  path(names: readonly number[]): number {
    const parts: string[] = [];
    for (const name of names) {
      const text = this.#names.list[name];
      // A name that a path cannot spell is any.
      if (name === ANY_NAME || text === "" || /[.*]/.test(text)) {
        parts.push(ANY);
        break;
      }
      parts.push(text);
    }
    return this.#pathOf(parts);
  }

  #pathOf(parts: readonly string[]): number {
    const text = parts.map((part) => `.${part}`).join("");
    const known = this.#pathIds.get(text);
    if (known !== undefined) return known;
    if (MOST_PATHS <= this.paths.length) return this.anyPath;
    const id = this.paths.push(text) - 1;
    this.#pathIds.set(text, id);
    return id;
  }

  /** Something in a value, at any place. */
  get anyPath(): number {
    return 1;
  }

  /** Path of the element number `index`. */
  element(index: number): number {
    return this.#pathOf([String(index)]);
  }

  get receiverPath(): number {
    return this.#pathOf(["this"]);
  }

  get valuePath(): number {
    return this.#pathOf(["value"]);
  }

  register(instance: Instance, register: number): number {
    return this.#make(`r ${instance.id} ${register}`, "", "temporary", instance);
  }

  /** A value on the way at a step. */
  temporary(instance: Instance, step: number, role: string): number {
    return this.#make(`t ${instance.id} ${step} ${role}`, "", "temporary", instance);
  }

  field(object: AbstractObject): number {
    return this.#make(`f ${object.id}`, object.name, "field");
  }

  external(name: string): number {
    return this.#make(`e ${name}`, name, "external");
  }

  bound(object: AbstractObject): number {
    return this.#make(`b ${object.id}`, "bound", "field");
  }

  handed(object: number): number {
    return this.#make(`h ${object}`, "handed", "field");
  }

  /** The variable `handed`, if values are known to get there. */
  knownHanded(object: number): number {
    return this.#ids.get(`h ${object}`) ?? -1;
  }

  input({ id, code }: Instance): number {
    return this.#make(`i ${id}`, code.name, "field");
  }

  sent({ id, code }: Instance): number {
    return this.#make(`s ${id}`, code.name, "field");
  }

  output({ id, code }: Instance): number {
    return this.#make(`o ${id}`, code.name, "field");
  }

  get thrown(): number {
    return this.#make("thrown", "thrown", "field");
  }

  #make(key: string, name: string, kind: VariableKind, owner?: Instance): number {
    let number = this.#ids.get(key);
    if (number === undefined) {
      number = this.#variables.length;
      this.#ids.set(key, number);
      this.#variables.push({
        name,
        kind,
        owner: owner === undefined || owner.code.kind === "module" ? -1 : this.#ownerOf(owner),
        deadZone: false,
        throwsEarly: false,
        file: owner === undefined ? -1 : owner.code.module,
        start: 0,
        end: 0,
      });
    }
    return number;
  }
}

/**
 * The name of something outside the program, whichever way the program got at it.
 *
 * @example
 * canonicalName("node:fs:default.readFile"); // "fs.readFile"
 * canonicalName("window.location.hash"); // "location.hash"
 */
export function canonicalName(name: string): string {
  return name
    .replace(/^node:/, "")
    .replace(/:default(?=\.|$)/, "")
    .replace(/:/g, ".")
    .replace(/^(?:globalThis|window|self|global)\.(?=.)/, "")
    .replace(/^document\.location(?=\.|$)/, "location")
    .replace(/^process\.(?:default|process)\./, "process.");
}
