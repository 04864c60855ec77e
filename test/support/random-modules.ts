/**
 * Random programs of modules that read variables too early now and then: cycles, barrels, renamed re-exports, default and
 * namespace imports, classes, closures, higher-order functions, generators, async functions, timers. Every program ends: what
 * a function calls has a lower rank than the function, and calls are counted. The only errors are early reads; those that a
 * program catches it hands to the global function `seen`.
 *
 * Without `branches`, what a program does is known from its text: nothing depends on a value.
 */

import type { ModuleProgram } from "./node-oracle.js";

export interface RandomModulesOptions {
  /** Whether there are branches on conditions that no analysis knows. */
  readonly branches: boolean;
}

/** @returns a program, the same for the same seed and options */
export function randomModules(seed: number, options: RandomModulesOptions): ModuleProgram {
  return new Generator(seed, options).program();
}

type Kind =
  | "number"
  | "function"
  | "now"
  | "wrap"
  | "keep"
  | "emit"
  | "class"
  | "object"
  | "generator"
  | "async";

interface Declaration {
  readonly name: string;
  readonly kind: Kind;
  /** What it runs may call declarations of lower ranks. */
  readonly rank: number;
  readonly module: number;
  /** Place in the module's text. */
  place: number;
  isDefault: boolean;
  text: string;
  /** Calls that one call of it makes, at most. */
  cost: number;
  /** Of classes: whether it extends another; of `keep` and `emit`: their list. */
  readonly partner: string;
  isMutable: boolean;
}

/** Where code stands. */
interface Place {
  readonly module: number;
  readonly rank: number;
  /** At the top level: place in the module's text; in functions -1. */
  readonly at: number;
  readonly depth: number;
  /** Names of numbers in scope. */
  readonly locals: readonly string[];
  readonly cost: { count: number };
  readonly times: number;
}

const MAX_COST = 150;

class Generator {
  readonly #options: RandomModulesOptions;
  #state: number;
  #names = 0;
  readonly #declarations: Declaration[] = [];
  /** By module: what its imports are called, and their text by the module they name. */
  readonly #imported: Map<string, string>[] = [];
  readonly #importTexts: string[][] = [];
  #moduleCount = 1;
  /** Barrels: modules they cover, and names they give. */
  readonly #barrels: { readonly covers: readonly number[]; readonly renamed: Map<string, string> }[] = [];

  constructor(seed: number, options: RandomModulesOptions) {
    this.#options = options;
    this.#state = (Math.imul(seed, 2654435761) + (options.branches ? 77 : 1)) >>> 0;
    for (let i = 0; i < 4; i++) this.#below(2);
  }

  #below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * bound);
  }

  #chance(percent: number): boolean {
    return this.#below(100) < percent;
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#below(list.length)];
  }

  #shuffle<T>(list: readonly T[]): T[] {
    const shuffled = [...list];
    for (let i = shuffled.length - 1; 0 < i; i--) {
      const j = this.#below(i + 1);
      [shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]];
    }
    return shuffled;
  }

  #name(prefix: string): string {
    return `${prefix}${this.#names++}`;
  }

  program(): ModuleProgram {
    this.#moduleCount = 1 + this.#below(5);
    this.#plan();
    for (let module = 0; module < this.#moduleCount; module++) {
      this.#imported.push(new Map());
      this.#importTexts.push([]);
    }
    if (1 < this.#moduleCount && this.#chance(60)) this.#planBarrel();
    for (const declaration of [...this.#declarations].sort((a, b) => a.rank - b.rank))
      this.#write(declaration);
    const files: Record<string, string> = {};
    for (let module = 0; module < this.#moduleCount; module++)
      files[`m${module}.mjs`] = this.#moduleText(module);
    for (const [i, barrel] of this.#barrels.entries()) files[`barrel${i}.mjs`] = this.#barrelText(barrel);
    return { entry: "m0.mjs", files };
  }

  // What there is

  #plan(): void {
    const kinds: Kind[] = [];
    const count = 4 + this.#below(10);
    for (let i = 0; i < count; i++) {
      kinds.push(
        this.#pick([
          "number",
          "number",
          "number",
          "number",
          "function",
          "function",
          "function",
          "now",
          "wrap",
          "class",
          "class",
          "object",
          "generator",
          "async",
        ] as const),
      );
    }
    const planned: { kind: Kind; partner: string }[] = kinds.map((kind) => ({ kind, partner: "" }));
    // Whether a list has a callback yet depends on what ran before.
    if (this.#options.branches && this.#chance(40)) {
      const partner = this.#name("list");
      planned.push({ kind: "keep", partner }, { kind: "emit", partner });
    }
    const ranks = this.#shuffle(planned.map((_, rank) => rank));
    const homeOfList = this.#below(this.#moduleCount);
    for (const [i, { kind, partner }] of planned.entries()) {
      const module = partner === "" ? this.#below(this.#moduleCount) : homeOfList;
      const prefix = { number: "v", class: "C", object: "o", generator: "g", async: "a" } as Partial<
        Record<Kind, string>
      >;
      this.#declarations.push({
        name: this.#name(prefix[kind] ?? kind[0]),
        kind,
        rank: ranks[i],
        module,
        place: 0,
        isDefault: false,
        text: "",
        cost: 1,
        partner,
        isMutable: false,
      });
    }
    for (let module = 0; module < this.#moduleCount; module++) {
      const own = this.#shuffle(this.#declarations.filter((each) => each.module === module));
      for (const [place, declaration] of own.entries()) declaration.place = place;
      const [first] = own;
      if (first !== undefined && this.#chance(35)) first.isDefault = true;
    }
  }

  #planBarrel(): void {
    const covers = this.#shuffle([...Array(this.#moduleCount).keys()]).slice(
      0,
      1 + this.#below(this.#moduleCount),
    );
    const renamed = new Map<string, string>();
    for (const declaration of this.#declarations) {
      if (!covers.includes(declaration.module)) continue;
      if (declaration.isDefault || this.#chance(20)) renamed.set(declaration.name, this.#name("r"));
    }
    this.#barrels.push({ covers, renamed });
  }

  // Names of others

  /** What a declaration is called in a module. */
  #reference({ name, module, isDefault }: Declaration, from: number): string {
    if (module === from) return name;
    const imported = this.#imported[from];
    const known = imported.get(name);
    if (known !== undefined) return known;
    const texts = this.#importTexts[from];
    const barrel = this.#barrels.findIndex(({ covers }) => covers.includes(module));
    let local = name;
    if (0 <= barrel && this.#chance(40)) {
      const given = this.#barrels[barrel].renamed.get(name) ?? name;
      const path = `./barrel${barrel}.mjs`;
      if (this.#chance(20)) {
        const space = this.#name("part");
        texts.push(`import { of${module} as ${space} } from "${path}";`);
        local = isDefault ? `${space}.default` : `${space}.${name}`;
      } else if (this.#chance(30)) {
        const space = this.#name("all");
        texts.push(`import * as ${space} from "${path}";`);
        local = `${space}.${given}`;
      } else {
        local = this.#chance(30) ? this.#name("i") : given;
        texts.push(`import { ${given === local ? given : `${given} as ${local}`} } from "${path}";`);
      }
    } else if (isDefault) {
      local = this.#name("d");
      texts.push(`import ${local} from "./m${module}.mjs";`);
    } else if (this.#chance(25)) {
      const space = this.#name("ns");
      texts.push(`import * as ${space} from "./m${module}.mjs";`);
      local = `${space}.${name}`;
    } else {
      local = this.#chance(30) ? this.#name("i") : name;
      texts.push(`import { ${name === local ? name : `${name} as ${local}`} } from "./m${module}.mjs";`);
    }
    imported.set(name, local);
    return local;
  }

  /** A declaration of one of some kinds that may be used here, mostly one that is there by now. */
  #find(kinds: readonly Kind[], place: Place): Declaration | undefined {
    const isTop = 0 <= place.at;
    const fits = this.#declarations.filter(
      (each) =>
        kinds.includes(each.kind) &&
        (each.kind === "number" || each.rank < place.rank) &&
        place.cost.count + each.cost * place.times <= MAX_COST,
    );
    const safe = isTop
      ? fits.filter(
          (each) =>
            (each.module === place.module && each.place < place.at) ||
            (each.module !== place.module && this.#chance(25)),
        )
      : fits;
    if (fits.length === 0) return undefined;
    if (safe.length === 0) return this.#chance(12) ? this.#pick(fits) : undefined;
    return this.#pick(this.#chance(7) ? fits : safe);
  }

  #use(
    kinds: readonly Kind[],
    place: Place,
  ): { readonly of: Declaration; readonly name: string } | undefined {
    const of = this.#find(kinds, place);
    if (of === undefined) return undefined;
    if (of.kind !== "number") place.cost.count += of.cost * place.times;
    return { of, name: this.#reference(of, place.module) };
  }

  // Expressions: all give numbers, or what nobody looks at

  #expression(place: Place): string {
    if (place.depth <= 0) return String(this.#below(9));
    const inner = { ...place, depth: place.depth - 1 };
    const deferred = { ...inner, times: inner.times * 2 };
    switch (this.#below(this.#options.branches ? 38 : 35)) {
      case 0:
      case 1:
      case 2:
      case 3: {
        const used = this.#use(["number"], place);
        return used?.name ?? "1";
      }
      case 4:
        return 0 < place.locals.length ? this.#pick(place.locals) : "2";
      case 5:
      case 6:
      case 7:
        return this.#call(inner);
      case 8: {
        const used = this.#use(["class"], inner);
        return used === undefined
          ? "3"
          : this.#pick([`new ${used.name}().m()`, `new ${used.name}().f`, `new ${used.name}().g`]);
      }
      case 9: {
        const used = this.#use(["class"], inner);
        return used === undefined ? "4" : this.#pick([`${used.name}.s`, `${used.name}.t()`]);
      }
      case 10: {
        const used = this.#use(["object"], inner);
        return used === undefined
          ? "5"
          : this.#pick([
              `${used.name}.m()`,
              `${used.name}.g`,
              `${used.name}.arrow()`,
              `${used.name}.deep.m()`,
            ]);
      }
      case 11: {
        const used = this.#use(["generator"], inner);
        return used === undefined
          ? "6"
          : this.#pick([
              `[...${used.name}()].length`,
              `${used.name}().next().value`,
              `${used.name}()`,
              `Array.from(${used.name}())`,
            ]);
      }
      case 12: {
        const used = this.#use(["now"], inner);
        if (used === undefined) return "7";
        return `${used.name}(${this.#callback(deferred)})`;
      }
      case 13: {
        const used = this.#use(["wrap"], inner);
        if (used === undefined) return "8";
        return `${used.name}(${this.#callback(deferred)})${this.#chance(60) ? "()" : ""}`;
      }
      case 14:
        return `[1, 2].${this.#pick(["map", "filter", "forEach", "some", "flatMap"])}((x) => ${this.#expression({ ...deferred, locals: [...place.locals, "x"] })})`;
      case 15:
        return this.#pick([
          `[2, 1].reduce((x, y) => ${this.#expression(deferred)}, 0)`,
          `Array.from([1, 2], () => ${this.#expression(deferred)})`,
          this.#options.branches
            ? `JSON.parse("1", () => ${this.#expression(deferred)})`
            : `[1].find(() => ${this.#expression(deferred)})`,
          `[2, 1].sort((x, y) => ${this.#expression(deferred)})`,
        ]);
      case 16:
        return `(() => ${this.#expression(inner)})()`;
      case 17:
        return this.#pick([
          `typeof ${this.#expression({ ...inner, depth: 1 })}`,
          `\`\${${this.#expression(inner)}}\``,
          `${this.#expression(inner)} + ${this.#expression(inner)}`,
          `[${this.#expression(inner)}, ${this.#expression(inner)}].length`,
          `({ k: ${this.#expression(inner)} }).k`,
        ]);
      case 18:
        // Whether a default is needed depends on what is given.
        return this.#options.branches
          ? this.#pick([
              `((x = ${this.#expression(inner)}) => x)()`,
              `"ab".replace("a", () => ${this.#expression(deferred)})`,
            ])
          : `((x = () => ${this.#expression(inner)}) => x)(1)`;
      case 19: {
        const used = this.#use(["number"], place);
        return used?.of.isMutable === true && used.of.module === place.module
          ? `(${used.name} = ${this.#expression(inner)})`
          : (used?.name ?? "9");
      }
      case 20: {
        const used = this.#use(["function"], inner);
        if (used === undefined) return "10";
        return this.#pick([
          `${used.name}.call(null)`,
          `${used.name}.apply(null, [])`,
          `${used.name}.bind(null)()`,
          `[${used.name}][0]()`,
          `(0, ${used.name})()`,
          `[1].map(${used.name})`,
        ]);
      }
      case 21:
        return `new Promise((resolve) => resolve(${this.#expression(inner)})).catch(seen)`;
      case 22: {
        const used = this.#use(["emit"], inner);
        return used === undefined ? "11" : `${used.name}()`;
      }
      case 23: {
        const used = this.#use(["keep"], inner);
        if (used === undefined) return "12";
        const rank = Math.min(
          place.rank,
          ...this.#declarations.filter(({ partner }) => partner === used.of.partner).map((each) => each.rank),
        );
        return `${used.name}(${this.#callback({ ...deferred, rank })})`;
      }
      case 24: {
        const used = this.#use(["generator"], inner);
        if (used === undefined) return "14";
        // How far a generator has come is followed where it is made, not where it is handed on to.
        return this.#pick([
          `(() => { for (const x of ${used.name}()) return 1; })()`,
          `${used.name}().return()`,
          ...(this.#options.branches
            ? [
                `(([x]) => x)(${used.name}())`,
                `(() => { const it = ${used.name}(); it.next(); return it.return(); })()`,
              ]
            : [`(() => { for (const x of ${used.name}()) throw 1; })`]),
        ]);
      }
      case 25: {
        const space = this.#namespace(place.module);
        return this.#pick([
          `Object.keys(${space})`,
          `Object.entries(${space}).length`,
          `({ ...${space} }, 1)`,
          `JSON.stringify(Object.getOwnPropertyNames(${space}))`,
          `(() => { for (const k in ${space}) return k; })()`,
        ]);
      }
      case 26:
        return this.#pick([
          `\`\${{ toString: () => (${this.#expression(inner)}, "") }}\``,
          `({ valueOf: () => (${this.#expression(inner)}, 1) }) * 2`,
          `(1 instanceof class { static [Symbol.hasInstance]() { return ${this.#expression(inner)}; } })`,
        ]);
      case 27:
        return this.#pick([
          `new Map([["k", () => ${this.#expression(inner)}]]).get("k")()`,
          `[].concat(() => ${this.#expression(inner)})[0]()`,
        ]);
      case 28:
        return this.#pick([
          `new Proxy({}, { get: () => ${this.#expression(inner)} }).k`,
          `("k" in new Proxy({}, { has: () => ${this.#expression(inner)} }))`,
          `new Proxy(() => 1, { apply: () => ${this.#expression(inner)} })()`,
          `new Proxy({ k: () => ${this.#expression(inner)} }, {}).k()`,
        ]);
      case 29:
        return `(() => { try { throw () => ${this.#expression(inner)}; } catch (f) { return f(); } })()`;
      case 30: {
        const used = this.#use(["now"], inner);
        if (used === undefined) return "15";
        return `(() => { try { throw { run: (f) => ${used.name}(f) }; } catch ({ run }) { return run(${this.#callback(deferred)}); } })()`;
      }
      case 31: {
        const used = this.#use(["function"], inner);
        return used === undefined
          ? "16"
          : this.#pick([
              `Reflect.apply(${used.name}, null, [])`,
              `Function.prototype.call.call(${used.name}, null)`,
              `Function.prototype.call.bind(${used.name})(null)`,
              `[${used.name}].at(0)()`,
              `Array.prototype.map.call([1], ${used.name})`,
            ]);
      }
      case 32: {
        const used = this.#use(["class"], inner);
        return used === undefined ? "17" : `Reflect.construct(${used.name}, [])`;
      }
      case 33:
        // Whether an iterator has come to its end is known of generators and arrays alone.
        if (!this.#options.branches) return "19";
        return `(() => { const it = { [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }), return() { ${this.#expression(inner)}; return {}; } }) }; const [x] = it; return x; })()`;
      case 34:
        // Whether callees outside call what they are given, or find something to call it for.
        return this.#options.branches
          ? this.#pick([
              `new EventEmitter().on("a", () => ${this.#expression(inner)}).emit("a")`,
              `JSON.stringify([{ toJSON: () => (${this.#expression(inner)}, 1) }])`,
              `[...new Set([() => ${this.#expression(inner)}])].map((f) => f())`,
              `({ ...{ get k() { return ${this.#expression(inner)}; } } }).k`,
              `Object.fromEntries([["k", () => ${this.#expression(inner)}]]).k()`,
              `Object.values({ k: () => ${this.#expression(inner)} }).map((f) => f())`,
              `Object.entries({ k: () => ${this.#expression(inner)} }).map(([k, f]) => f())`,
            ])
          : "18";
      case 35:
        return `(${this.#unknown()} ? ${this.#expression(inner)} : ${this.#expression(inner)})`;
      case 36:
        return `(${this.#unknown()} && ${this.#expression(inner)})`;
      default:
        return `(${this.#expression({ ...inner, depth: 1 })} ?? ${this.#expression(inner)})`;
    }
  }

  /** A name for everything that some module exports. */
  #namespace(from: number): string {
    const of = this.#below(this.#moduleCount);
    const known = this.#imported[from].get(`* ${of}`);
    if (known !== undefined) return known;
    const space = this.#name("whole");
    this.#importTexts[from].push(`import * as ${space} from "./m${of}.mjs";`);
    this.#imported[from].set(`* ${of}`, space);
    return space;
  }

  #unknown(): string {
    return this.#pick([
      "process.argv.length > 2",
      "process.argv.length < 9",
      "Math.min(1, 2) > 1",
      "Math.max(1, 2) > 1",
    ]);
  }

  #call(place: Place): string {
    const used = this.#use(["function"], place);
    return used === undefined ? "13" : `${used.name}()`;
  }

  #callback(place: Place): string {
    const used = this.#chance(30) ? this.#use(["function"], place) : undefined;
    return used?.name ?? `() => ${this.#expression(place)}`;
  }

  // Statements

  #statements(place: Place, count: number): string {
    const locals = [...place.locals];
    const lines: string[] = [];
    const planned: string[] = [];
    for (let i = 0; i < count; i++) {
      const here = { ...place, locals };
      if (this.#chance(25)) {
        // A local, perhaps with a closure before it that sees it.
        const name = this.#name("l");
        if (this.#chance(30)) {
          const closure = this.#name("k");
          const when = this.#below(10);
          if (0 <= place.at) {
            lines.push(`{ const ${closure} = () => ${name};`, ...(when < 2 ? [`${closure}();`] : []));
            lines.push(`const ${name} = ${this.#expression(here)};`, `${closure}(); }`);
            continue;
          }
          lines.push(`const ${closure} = () => ${name};`);
          if (when < 2) lines.push(`${closure}();`);
          planned.push(`${closure}();`);
        }
        if (0 <= place.at) {
          lines.push(`{ const ${name} = ${this.#expression(here)}; void ${name}; }`);
          continue;
        }
        lines.push(`${this.#pick(["const", "let"])} ${name} = ${this.#expression(here)};`);
        locals.push(name);
      } else lines.push(this.#statement(here));
    }
    return [...lines, ...planned].join("\n");
  }

  #block(place: Place): string {
    return `{\n${this.#statements({ ...place, at: 0 <= place.at ? place.at : -1, depth: place.depth - 1 }, 1 + this.#below(2))}\n}`;
  }

  #statement(place: Place): string {
    const plain = () => `void ${this.#expression(place)};`;
    if (place.depth <= 0) return plain();
    const later = { ...place, depth: place.depth - 1, times: place.times * 2 };
    const twice = { ...place, times: place.times * 2 };
    switch (this.#below(this.#options.branches ? 22 : 15)) {
      case 0:
      case 1:
      case 2:
        return `try ${this.#block(place)} catch (e) { seen(e); }`;
      case 3:
        return `try { try ${this.#block(place)} catch (e) { seen(e); throw e; } } finally ${this.#block(place)}`;
      case 4:
        return `for (const ${this.#name("x")} of [1, 2]) ${this.#block(twice)}`;
      case 5: {
        const used = this.#use(["generator"], twice);
        if (used === undefined) return plain();
        const loop = `for (const ${this.#name("x")} of ${used.name}())`;
        if (this.#chance(50)) return `${loop} ${this.#block(twice)}`;
        const label = this.#name("L");
        return this.#chance(50)
          ? `${loop} { ${this.#statement(later)} break; }`
          : `${label}: for (const y of [1]) ${loop} { ${this.#statement(later)} continue ${label}; }`;
      }
      case 6:
        return this.#pick([
          `setTimeout(() => ${this.#expression(later)}, 0);`,
          `queueMicrotask(() => ${this.#expression(later)});`,
          `Promise.resolve().then(() => ${this.#expression(later)});`,
          `process.nextTick(() => ${this.#expression(later)});`,
        ]);
      case 7: {
        const used = this.#use(["async"], place);
        return used === undefined ? plain() : `${used.name}().catch(seen);`;
      }
      case 8: {
        if (!this.#options.branches) return plain();
        const [a, b] = [this.#name("p"), this.#name("q")];
        return `{ const { ${a} = ${this.#expression(place)}, ${b} = ${this.#chance(80) ? a : "1"} } = {}; void ${b}; }`;
      }
      case 9:
        return `try { throw ${this.#expression(place)}; } catch (e) { seen(e); ${this.#statement(later)} }`;
      case 10:
        return `${this.#name("L")}: { ${this.#statement(later)} break L${this.#names - 1}; }`.replace(
          /^(L\d+)(.*)break L\d+; \}$/s,
          "$1$2break $1; }",
        );
      case 11: {
        const used = this.#use(["wrap"], place);
        return used === undefined ? plain() : `setTimeout(${used.name}(${this.#callback(later)}), 0);`;
      }
      case 15:
      case 16:
        return `if (${this.#unknown()}) ${this.#block(place)}${this.#chance(40) ? ` else ${this.#block(place)}` : ""}`;
      case 17: {
        const i = this.#name("j");
        return `for (let ${i} = 0; ${i} < 2; ${i}++) ${this.#block(twice)}`;
      }
      case 18: {
        const l = this.#name("w");
        return `switch (process.argv.length) { case ${this.#pick([1, 2])}: let ${l} = ${this.#expression(place)}; ${this.#chance(50) ? "break;" : ""} case 2: void ${l}; default: ${this.#statement(later)} }`;
      }
      case 19:
        return `try ${this.#block(place)} catch (e) { seen(e); ${this.#statement(later)} }`;
      case 20:
        return `do ${this.#block(place)} while (process.argv.length > 9);`;
      default:
        return plain();
    }
  }

  // Declarations

  #write(declaration: Declaration): void {
    const { name, kind, rank, module, place: at } = declaration;
    const cost = { count: 0 };
    const top: Place = {
      module,
      rank: Number.MAX_SAFE_INTEGER,
      at,
      depth: 2,
      locals: [],
      cost: { count: 0 },
      times: 1,
    };
    const body: Place = { module, rank, at: -1, depth: 3, locals: [], cost, times: 1 };
    const inside = (count = 1 + this.#below(3)) => this.#statements(body, count);
    const value = () => this.#expression(body);
    const isConst = this.#chance(50);
    switch (kind) {
      case "number": {
        const keyword = this.#pick(["const", "const", "let", "var"]);
        declaration.isMutable = keyword !== "const";
        const initial = this.#chance(60) ? String(this.#below(9)) : this.#expression({ ...top, cost });
        declaration.text =
          this.#chance(15) && keyword !== "var"
            ? `${keyword} { ${name} = ${this.#options.branches ? initial : 1} } = {};`
            : `${keyword} ${name} = ${initial};`;
        break;
      }
      case "function": {
        const text = `{\n${inside()}\nreturn ${value()};\n}`;
        declaration.text = isConst
          ? this.#chance(50)
            ? `const ${name} = () => ${text};`
            : `const ${name} = function () ${text};`
          : `function ${name}() ${text}`;
        break;
      }
      case "now": {
        const text = `{\n${inside(1)}\nreturn f();\n}`;
        declaration.text = isConst ? `const ${name} = (f) => ${text};` : `function ${name}(f) ${text}`;
        break;
      }
      case "wrap": {
        const text = this.#pick([
          `{\nreturn () => f();\n}`,
          `{\nconst o = { run() { return f(); } };\nreturn () => o.run();\n}`,
          `{\n${inside(1)}\nreturn f;\n}`,
        ]);
        declaration.text = isConst ? `const ${name} = (f) => ${text};` : `function ${name}(f) ${text}`;
        break;
      }
      case "keep":
        declaration.text = `const ${declaration.partner} = [];\nfunction ${name}(f) {\nreturn ${declaration.partner}.push(f);\n}`;
        break;
      case "emit":
        declaration.text = `function ${name}() {\nfor (const f of ${declaration.partner}) f();\nreturn 1;\n}`;
        cost.count += 30;
        break;
      case "class":
        declaration.text = this.#class(declaration, top, body);
        break;
      case "object":
        declaration.text = `const ${name} = {\nm() {\n${inside(1)}\nreturn ${value()};\n},\nget g() {\nreturn ${value()};\n},\narrow: () => ${value()},\ndeep: { m() { return ${value()}; } },\nk: ${this.#expression({ ...top, depth: 1 })},\n};`;
        break;
      case "generator":
        // Of two parts, which one runs is known from the text; of three it is not.
        declaration.text = this.#chance(50)
          ? `function* ${name}() {\n${inside(1)}\nyield ${value()};\n${inside(1)}\n${this.#options.branches ? `yield ${value()};` : ""}\n}`
          : `function* ${name}() {\ntry {\nyield ${value()};\n${inside(1)}\n} finally {\ntry {\n${inside(1)}\n} catch (e) { seen(e); }\n}\n}`;
        break;
      case "async": {
        const wait = this.#pick([
          "await null;",
          `await ${value()};`,
          "",
          `try { await ${value()}; } catch (e) { seen(e); }`,
          `await { then(resolve) { resolve(); try { ${value()}; } catch (e) { seen(e); } } };`,
        ]);
        declaration.text = `async function ${name}() {\ntry {\n${inside(1)}\n${wait}\n${inside(1)}\nreturn ${value()};\n} catch (e) { seen(e); throw e; }\n}`;
        break;
      }
    }
    declaration.cost = 1 + cost.count;
  }

  #class({ name, rank }: Declaration, top: Place, body: Place): string {
    const members: string[] = [];
    const base = this.#chance(40) ? this.#find(["class"], { ...top, rank }) : undefined;
    const inside = () => this.#statements(body, 1);
    if (base !== undefined) body.cost.count += base.cost;
    members.push(
      base === undefined || this.#chance(60)
        ? `m() {\n${inside()}\nreturn ${base !== undefined && this.#chance(40) ? "super.m()" : this.#expression(body)};\n}`
        : "",
      `f = ${this.#expression(body)};`,
      `get g() {\nreturn ${this.#chance(20) ? "this.m()" : this.#expression(body)};\n}`,
      `static s = ${this.#chance(50) ? "1" : this.#expression(top)};`,
      `static t() {\nreturn ${this.#chance(20) ? `${name}.s` : this.#expression(body)};\n}`,
    );
    if (this.#chance(30)) members.push(`static {\n${this.#statements(top, 1)}\n}`);
    if (this.#chance(40))
      members.push(
        `constructor() {\n${base === undefined ? "" : "super();\n"}${this.#chance(30) ? "this.m();\n" : ""}${inside()}\n}`,
      );
    if (this.#chance(15)) members.push(`[(${this.#expression(top)}, "key")]() {}`);
    const heritage = base === undefined ? "" : ` extends ${this.#reference(base, top.module)}`;
    const text = `class${this.#chance(80) ? ` ${name}` : ""}${heritage} {\n${this.#shuffle(members.filter((text) => text !== "")).join("\n")}\n}`;
    return text.startsWith(`class ${name}`) && this.#chance(70) ? text : `const ${name} = ${text};`;
  }

  // Texts

  #moduleText(module: number): string {
    const own = this.#declarations.filter((each) => each.module === module).sort((a, b) => a.place - b.place);
    const lines: string[] = [];
    for (const { text, place } of own) {
      lines.push(text);
      if (this.#chance(60)) lines.push(this.#topStatement(module, place + 1));
    }
    if (own.length === 0 || this.#chance(50)) lines.push(this.#topStatement(module, own.length));
    const named = own.filter(({ isDefault }) => !isDefault).map(({ name }) => name);
    const [standard] = own.filter(({ isDefault }) => isDefault);
    lines.push(`export { ${named.join(", ")} };`);
    if (standard !== undefined) {
      lines.splice(
        this.#below(lines.length + 1),
        0,
        this.#chance(60) || standard.kind === "number"
          ? `export { ${standard.name} as default };`
          : `export default ${standard.name};`,
      );
    }
    const imports = [...this.#importTexts[module]];
    for (let i = 0; i < this.#below(3); i++)
      imports.push(`import "./m${this.#below(this.#moduleCount)}.mjs";`);
    if (this.#chance(5)) lines.push(`import("./m${this.#below(this.#moduleCount)}.mjs").catch(seen);`);
    if (this.#options.branches && this.#chance(3)) lines.splice(this.#below(lines.length), 0, "await null;");
    const texts = this.#shuffle(imports);
    // The entry evaluates it before any other: as a part of Node it always is.
    if (module === 0 || lines.some((line) => line.includes("EventEmitter")))
      texts.unshift('import { EventEmitter } from "node:events";');
    return `${[...texts, ...lines].join("\n")}\n`;
  }

  #topStatement(module: number, at: number): string {
    const place: Place = {
      module,
      rank: Number.MAX_SAFE_INTEGER,
      at,
      depth: 3,
      locals: [],
      cost: { count: 0 },
      times: 1,
    };
    const text = this.#statements(place, 1);
    return this.#chance(45) ? `try {\n${text}\n} catch (e) {\nseen(e);\n}` : text;
  }

  #barrelText({
    covers,
    renamed,
  }: {
    readonly covers: readonly number[];
    readonly renamed: Map<string, string>;
  }): string {
    const lines: string[] = [];
    for (const module of covers) {
      lines.push(`export * from "./m${module}.mjs";`);
      lines.push(`export * as of${module} from "./m${module}.mjs";`);
      for (const { name, isDefault } of this.#declarations.filter((each) => each.module === module)) {
        const given = renamed.get(name);
        if (given !== undefined)
          lines.push(`export { ${isDefault ? "default" : name} as ${given} } from "./m${module}.mjs";`);
      }
    }
    return `${this.#shuffle(lines).join("\n")}\n`;
  }
}
