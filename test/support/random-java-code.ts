/**
 * Random Java code: the statements and expressions of one body. What a body calls was generated before it, but for what its own
 * class does to recurse, so that every call ends; loops count. How much a call executes is estimated, and what would be
 * too much is left out.
 */

export type Type = "int" | "long" | "String" | "int[]" | "Base" | "Op";

export interface Variable {
  readonly name: string;
  readonly type: Type;
  /** Lambdas and local classes may read it. */
  readonly isFinal: boolean;
}

/** Something that takes an int and gives one. */
export interface Callable {
  /** About how many statements one call executes. */
  readonly cost: number;
  /** Whether it leaves static fields alone: what code outside calls must. */
  readonly isPure: boolean;
  readonly call: (code: Code, argument: string, scope: Scope) => string;
}

/** Where code stands. */
export interface Scope {
  readonly variables: readonly Variable[];
  /** Labels that jumps may name, and whether they are those of loops. */
  readonly labels: readonly (readonly [label: string, isLoop: boolean])[];
  /** Whether `return` is allowed, always of an int. */
  readonly returns: boolean;
  readonly isPure: boolean;
  /** Statements executed so far, about, and how many may be. */
  readonly cost: { count: number; readonly limit: number };
  /** How often what stands here is executed. */
  readonly times: number;
  readonly depth: number;
}

/** Calls of a functional interface execute no more. */
export const OP_COST = 60;

export class Code {
  /** Of the program's class, which holds all others. */
  readonly root: string;
  readonly callables: Callable[] = [];
  /** Static fields of type int. */
  readonly fields: string[] = [];
  #state: number;
  #names = 0;

  constructor(seed: number, root: string) {
    this.#state = Math.imul(seed + 1, 2654435761) >>> 0;
    this.root = root;
  }

  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return Math.floor((((x ^ (x >>> 14)) >>> 0) / 2 ** 32) * end);
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)];
  }

  name(prefix: string): string {
    return `${prefix}${this.#names++}`;
  }

  /** The scope of a body with these parameters. */
  body(variables: readonly Variable[], limit: number, isPure = false): Scope {
    return { variables, labels: [], returns: true, isPure, cost: { count: 0, limit }, times: 1, depth: 0 };
  }

  // Statements

  /** Some statements, in a block of their own. */
  block(scope: Scope, count = 1 + this.below(3)): string {
    return this.statements({ ...scope, depth: scope.depth + 1 }, count).text;
  }

  /** Statements, and the variables they declare besides those of `scope`. */
  statements(
    scope: Scope,
    count: number,
  ): { readonly text: string; readonly variables: readonly Variable[] } {
    let { variables } = scope;
    const lines: string[] = [];
    for (let i = 0; i < count; i++) {
      const [text, ...declared] = this.#statement({ ...scope, variables });
      lines.push(text);
      variables = [...variables, ...declared];
    }
    return { text: lines.join("\n"), variables };
  }

  #statement(scope: Scope): [text: string, ...declared: Variable[]] {
    scope.cost.count += scope.times;
    const isFull = scope.cost.limit < scope.cost.count || 4 < scope.depth;
    const kind = this.below(isFull ? 10 : 34);
    switch (kind) {
      case 0:
      case 1:
        return this.#declaration(scope);
      case 2:
      case 3:
      case 4:
        return [`${this.#assignment(scope)};`];
      case 5:
        return [this.#jump(scope)];
      case 6: {
        const array = this.#variable(scope, "int[]");
        if (array === undefined) return this.#declared("int[]", this.#array(scope));
        return [`${this.#element(array, scope)} ${this.pick(["=", "+=", "-=", "^="])} ${this.int(scope)};`];
      }
      case 7: {
        const text = this.#variable(scope, "String", false);
        if (text === undefined) return this.#declared("String", this.#string(scope));
        return [`${text} ${this.pick(["=", "+="])} ${this.#string(scope)};`];
      }
      case 8: {
        const long = this.#variable(scope, "long", false);
        if (long === undefined) return this.#declared("long", this.#long(scope));
        return [
          this.pick([`${long} = ${this.#long(scope)};`, `${long} += ${this.int(scope)};`, `${long}--;`]),
        ];
      }
      case 9:
        return [`if (${this.condition(scope)}) ${this.#assignment(scope)};`];
      case 10:
      case 11:
      case 12: {
        const otherwise = this.chance(50) ? ` else {\n${this.block(scope)}\n}` : "";
        return [`if (${this.condition(scope)}) {\n${this.block(scope)}\n}${otherwise}`];
      }
      case 13:
      case 14:
      case 15:
      case 16:
        return [this.#loop(scope)];
      case 17:
        return [this.#switch(scope)];
      case 18:
        return [this.#arrowSwitch(scope)];
      case 19:
      case 20:
      case 21:
      case 22:
        return [this.#try(scope)];
      case 23: {
        const lock = scope.isPure || this.chance(50) ? `${this.root}.class` : this.base(scope);
        return [`synchronized (${lock}) {\n${this.block(scope)}\n}`];
      }
      case 24:
        return this.#late(scope);
      case 25: {
        const label = this.name("l");
        const within = { ...scope, labels: [...scope.labels, [label, false] as const] };
        return [`${label}: {\n${this.block(within, 2 + this.below(2))}\n}`];
      }
      case 26:
      case 27:
        return this.#declared("Op", this.op(scope), true);
      case 28:
        if (scope.isPure) return this.#declaration(scope);
        return this.#declared("Base", this.base(scope), this.chance(50));
      case 29:
        return [this.#outside(scope)];
      case 30: {
        if (scope.isPure) return this.#declaration(scope);
        const name = this.name("p");
        const type = this.pick(["Left", "Right", "Deep"]);
        const within = this.#with(scope, { name, type: "Base", isFinal: false });
        return [`if ((Object) ${this.base(scope)} instanceof ${type} ${name}) {\n${this.block(within)}\n}`];
      }
      case 31:
        return [this.#localClass(scope)];
      case 32:
        return [`if ((${this.int(scope)} & 7) == 3) throw ${this.#exception(scope)};`];
      default:
        return [`${this.#call(scope) ?? this.#assignment(scope)};`];
    }
  }

  #declaration(scope: Scope): [string, Variable] {
    if (this.chance(10)) return this.#declared("int", this.#switchExpression(scope, scope.depth + 1));
    const type = this.pick(["int", "int", "int", "long", "String"] as const);
    const value =
      type === "int" ? this.int(scope) : type === "long" ? this.#long(scope) : this.#string(scope);
    return this.#declared(type, value, this.chance(40));
  }

  #declared(type: Type, value: string, isFinal = false): [string, Variable] {
    const name = this.name(type === "int[]" ? "array" : type[0].toLowerCase());
    return [`${isFinal ? "final " : ""}${type} ${name} = ${value};`, { name, type, isFinal }];
  }

  /** An expression, too. */
  #assignment(scope: Scope): string {
    const target = this.#target(scope);
    if (target === undefined) return this.#call(scope) ?? `new ${this.root}()`;
    if (this.chance(25))
      return this.pick([`${target}++`, `++${target}`, `${target}--`, `${target} += ${this.below(200)}`]);
    return `${target} ${this.pick(["=", "=", "+=", "*=", "|="])} ${this.int(scope)}`;
  }

  #target(scope: Scope): string | undefined {
    const variable = this.#variable(scope, "int", false);
    if (variable !== undefined && (scope.isPure || this.chance(65))) return variable;
    if (scope.isPure || this.fields.length === 0) return variable;
    return this.chance(80) ? this.pick(this.fields) : `${this.base(scope)}.f`;
  }

  #jump(scope: Scope): string {
    const jumps = scope.returns ? [`return ${this.int(scope)};`] : [];
    for (const [label, isLoop] of scope.labels)
      jumps.push(`break ${label};`, ...(isLoop ? [`continue ${label};`, `continue ${label};`] : []));
    return jumps.length === 0
      ? `${this.#assignment(scope)};`
      : `if (${this.condition(scope)}) ${this.pick(jumps)}`;
  }

  #loop(scope: Scope): string {
    const times = 1 + this.below(3);
    const label = this.name("l");
    const i = this.name("i");
    const counter: Variable = { name: i, type: "int", isFinal: false };
    // The counter is no target of assignments: they would find it among the variables.
    const inner = {
      ...scope,
      labels: [...scope.labels, [label, true] as const],
      times: scope.times * times,
    };
    const stop = this.chance(40) ? ` && (${this.condition(inner)})` : "";
    const within = this.#with(inner, { ...counter, isFinal: false }, true);
    const count = 1 + this.below(4);
    switch (this.below(5)) {
      case 0:
        return `${label}: for (int ${i} = 0; ${i} < ${times}${stop}; ${i}++) {\n${this.block(within, count)}\n}`;
      case 1:
        return `int ${i} = ${times};\n${label}: while (0 < ${i}--${stop}) {\n${this.block(within, count)}\n}`;
      case 2:
        return `int ${i} = 0;\n${label}: do {\n${this.block(within, count)}\n} while (++${i} < ${times}${stop});`;
      case 3:
        return `int ${i} = 0;\n${label}: while (true) {\nif (${times} <= ${i}++) break;\n${this.block(within, count)}\n}`;
      default: {
        const each = this.#with(inner, { name: i, type: "int", isFinal: false }, true);
        const values = Array.from({ length: times }, () => this.int(scope)).join(", ");
        return `${label}: for (int ${i} : new int[] {${values}}) {\n${this.block(each, count)}\n}`;
      }
    }
  }

  /** On an int, a string or a constant of an enum, with falling through. */
  #switch(scope: Scope): string {
    const [subject, labels] = this.pick([
      [`${this.int(scope)} & 7`, ["0", "1", "2", "5"]],
      [`${this.int(scope)} % 3000`, ["-1", "2", "1000", "0"]],
      [`"k" + (${this.int(scope)} & 3)`, ['"k0"', '"k1"', '"k3"', '"Aa"']],
      ...(scope.isPure ? [] : [[`Color.values()[${this.int(scope)} & 1]`, ["RED", "GREEN"]] as const]),
    ] as const);
    const cases = labels.map(
      (label) => `case ${label}: {\n${this.block(scope)}\n}${this.chance(60) ? "\nbreak;" : ""}`,
    );
    if (this.chance(60)) cases.splice(this.below(cases.length + 1), 0, `default: {\n${this.block(scope)}\n}`);
    return `switch (${subject}) {\n${cases.join("\n")}\n}`;
  }

  #arrowSwitch(scope: Scope): string {
    return `switch (${this.int(scope)} & 3) {
case 0, 2 -> ${this.#assignment(scope)};
case 1 -> {\n${this.block(scope)}\n}
default -> ${this.chance(30) ? `throw ${this.#exception(scope)}` : this.#assignment(scope)};
}`;
  }

  #try(scope: Scope): string {
    const kept = ["Worse", "Fail", "ArithmeticException", "ArrayIndexOutOfBoundsException"].filter(() =>
      this.chance(35),
    );
    if (this.chance(25)) kept.push("NullPointerException | ClassCastException");
    if (this.chance(30)) kept.push("RuntimeException");
    if (this.chance(25)) kept.push("Throwable");
    const hasFinally = kept.length === 0 || this.chance(35);
    let handlers = "";
    for (const type of kept) {
      const name = this.name("e");
      const seen = type === "Fail" || type === "Worse" ? `${this.#assignTo(scope, `${name}.code`)}\n` : "";
      const again = this.chance(15) ? `\nif (${this.condition(scope)}) throw ${name};` : "";
      handlers += ` catch (${type} ${name}) {\n${seen}${this.block(scope)}${again}\n}`;
    }
    if (hasFinally) handlers += ` finally {\n${this.block(scope)}\n}`;
    const resource = this.chance(15)
      ? `(Resource ${this.name("r")} = new Resource(${this.int(scope)})) `
      : "";
    const raise = this.chance(40) ? `\nif (${this.condition(scope)}) throw ${this.#exception(scope)};` : "";
    if (this.chance(15)) {
      const name = this.name("e");
      const checked = `\nif (${this.condition(scope)}) throw new Checked(${this.int(scope)});`;
      const after = this.#assignTo(scope, `${name}.code`);
      return `try {\n${this.block(scope)}${checked}\n} catch (Checked ${name}) {\n${after}\n${this.block(scope)}\n}`;
    }
    return `try ${resource}{\n${this.block(scope, 1 + this.below(4))}${raise}\n}${handlers}`;
  }

  #assignTo(scope: Scope, value: string): string {
    const target = this.#target(scope);
    return target === undefined ? "" : `${target} ${this.pick(["=", "+="])} ${value};`;
  }

  /** A variable that gets its value later, by one of several stores. */
  #late(scope: Scope): [string, Variable] {
    const name = this.name("i");
    const give = () => `${name} = ${this.int(scope)};`;
    const declared: Variable = { name, type: "int", isFinal: this.chance(50) };
    const how = [
      () =>
        `if (${this.condition(scope)}) {\n${this.block(scope)}\n${give()}\n} else {\n${give()}\n${this.block(scope)}\n}`,
      () =>
        `switch (${this.int(scope)} & 3) {\ncase 0: ${give()} break;\ncase 2: ${give()} break;\ndefault: ${give()}\n}`,
    ];
    if (!declared.isFinal)
      how.push(
        () =>
          `try {\n${this.block(scope)}\n${give()}\n} catch (RuntimeException ${this.name("e")}) {\n${give()}\n${this.block(scope)}\n}`,
      );
    return [`int ${name};\n${this.pick(how)()}`, declared];
  }

  /** Code outside that calls back while it is called. */
  #outside(scope: Scope): string {
    const list = this.name("list");
    const values = Array.from({ length: 2 }, () => this.int(scope)).join(", ");
    const made = `final java.util.List<Integer> ${list} = new java.util.ArrayList<>(java.util.List.of(${values}));`;
    const x = this.name("x");
    const within = this.#inLambda(scope, [x], true);
    scope.cost.count += 2 * OP_COST * scope.times;
    const body = `{\n${this.statements(within, 1 + this.below(2)).text}\nreturn ${this.int(within)};\n}`;
    return `${made}\n${list}.replaceAll(${x} -> ${body});\n${this.#assignTo(scope, `${list}.get(0)`)}`;
  }

  #localClass(scope: Scope): string {
    const name = this.name("Local");
    const x = this.name("x");
    const within = this.#inLambda(scope, [x], false);
    const body = `${this.statements(within, 1 + this.below(2)).text}\nreturn ${this.int(within)};`;
    const used = this.#fits(scope, OP_COST)
      ? this.#assignTo(scope, `new ${name}().get(${this.int(scope)})`)
      : "";
    return `class ${name} {\nint get(int ${x}) {\n${body}\n}\n}\n${used}`;
  }

  // Expressions

  condition(scope: Scope): string {
    switch (this.below(scope.isPure ? 5 : 6)) {
      case 0:
        return `${this.int(scope)} ${this.pick(["<", "<=", "==", "!=", ">"])} ${this.int(scope)}`;
      case 1:
        return `(${this.int(scope)} & ${1 + this.below(3)}) == 0`;
      case 2:
        return `(${this.int(scope)} & 1) == 0 ${this.pick(["&&", "||"])} ${this.int(scope)} < ${this.below(9)}`;
      case 3:
        return `!(${this.int(scope)} < ${this.#long(scope)})`;
      case 4:
        return `(${this.int(scope)} & 1) ${this.pick(["==", "!="])} 0`;
      default:
        return `(Object) ${this.base(scope)} instanceof ${this.pick(["Left", "Right", "Deep", "Op"])}`;
    }
  }

  int(scope: Scope, depth = 0): string {
    const simple = !scope.isPure && this.chance(20) ? this.pick(this.fields) : this.#variable(scope, "int");
    if (2 < depth || this.chance(30)) return simple ?? `${this.below(9)}`;
    const inner = () => this.int(scope, depth + 1);
    switch (this.below(22)) {
      case 0:
        return this.pick(["-1", "0", "1", "7", "200", "40000", "1234567"]);
      case 1:
      case 2:
      case 3:
        return `(${inner()} ${this.pick(["+", "-", "*", "^", "&", "|", "<<", ">>>"])} ${inner()})`;
      case 4:
        return `(${inner()} ${this.pick(["/", "%"])} ${this.chance(90) ? `(${inner()} | 1)` : `(${inner()} & 3)`})`;
      case 5:
        return `((${this.condition({ ...scope, depth: 9 })}) ? ${inner()} : ${inner()})`;
      case 6:
      case 7:
        if (scope.isPure || this.fields.length === 0) return inner();
        return this.pick(this.fields);
      case 8: {
        const array = this.#variable(scope, "int[]");
        return array === undefined ? `${this.#array(scope)}[${inner()} & 1]` : this.#element(array, scope);
      }
      case 9:
        return `(int) ${this.#long(scope)}`;
      case 10:
        return `(${this.#string(scope)}).length()`;
      case 11: {
        const target = this.#target(scope);
        return target === undefined
          ? inner()
          : `(${this.pick([`${target} = ${inner()}`, `${target}++`, `${target} -= 2`])})`;
      }
      case 12:
        return scope.isPure ? inner() : `${this.base(scope)}.f`;
      case 13:
        // No `try` on top of operands: javac 17 fails where one is an object not yet made.
        return 2 < scope.depth ? inner() : this.#switchExpression(scope, 9);
      case 14:
        if (scope.isPure || !this.#fits(scope, 2 * OP_COST)) return inner();
        return `${this.#opVariable(scope)}.${this.pick(["apply", "apply", "twice"])}(${inner()})`;
      case 15:
        return `new Pair(${inner()}, ${inner()}).${this.pick(["a", "b", "sum"])}()`;
      default:
        return this.#call(scope, depth) ?? inner();
    }
  }

  #switchExpression(scope: Scope, depth: number): string {
    const within = { ...scope, labels: [], returns: false, depth };
    const last = this.chance(10) ? `throw ${this.#exception(scope)}` : this.int(scope, 2);
    return `switch (${this.int(scope, 2)} & 3) {
case 0 -> ${this.int(scope, 2)};
case 1 -> {\n${this.block(within)}\nyield 0 + ${this.int(scope, 2)};\n}
default -> ${last};\n}`;
  }

  #call(scope: Scope, depth = 0): string | undefined {
    const fits = this.callables.filter(
      ({ cost, isPure }) =>
        scope.cost.count + cost * scope.times <= scope.cost.limit && (isPure || !scope.isPure),
    );
    if (fits.length === 0 || (fits.length === 1 && this.chance(70))) return undefined;
    // The latest reach the others.
    const { cost, call } = this.chance(50) ? fits[fits.length - 1] : this.pick(fits);
    scope.cost.count += cost * scope.times;
    return call(this, this.int(scope, depth + 1), scope);
  }

  #fits(scope: Scope, cost: number): boolean {
    if (scope.cost.limit < scope.cost.count + cost * scope.times) return false;
    scope.cost.count += cost * scope.times;
    return true;
  }

  #long(scope: Scope): string {
    const long = this.#variable(scope, "long");
    return this.pick([
      `${this.below(99)}L`,
      `(long) ${this.int(scope, 2)}`,
      ...(long === undefined
        ? []
        : [long, long, `(${long} ${this.pick(["+", "*", "^"])} ${this.int(scope, 2)})`]),
    ]);
  }

  #string(scope: Scope): string {
    const text = this.#variable(scope, "String");
    return this.pick([
      `"${this.pick(["", "a", "bc"])}"`,
      `"t" + ${this.int(scope, 2)}`,
      ...(scope.isPure ? [] : [`"o" + ${this.base(scope)}`]),
      ...(text === undefined ? [] : [text, `${text} + ${this.int(scope, 2)} + "x"`]),
    ]);
  }

  #array(scope: Scope): string {
    const values = Array.from({ length: 2 + this.below(2) }, () => this.int(scope, 2)).join(", ");
    return this.chance(70)
      ? `new int[] {${values}}`
      : `(new int[${this.int(scope, 2)} & 3 | ${this.pick([0, 2, 2])}])`;
  }

  #element(array: string, scope: Scope): string {
    return `${array}[${this.int(scope, 2)} & ${this.chance(92) ? 1 : 3}]`;
  }

  #exception(scope: Scope): string {
    return this.pick([
      `new Fail(${this.int(scope, 2)})`,
      `new Worse(${this.int(scope, 2)})`,
      `new ArithmeticException()`,
      `new IllegalStateException("s")`,
    ]);
  }

  /** An object of the hierarchy: now and then null, or of a type that it is not. */
  base(scope: Scope): string {
    const known = this.#variable(scope, "Base");
    if (known !== undefined && this.chance(60)) return known;
    if (this.chance(1)) return "((Base) null)";
    if (this.chance(2)) return `((Left) ${this.root}.object(${this.int(scope, 2)}))`;
    if (this.chance(40)) return `${this.root}.object(${this.int(scope, 2)})`;
    return `new ${this.pick(["Left", "Right", "Deep"])}(${this.int(scope, 2)})`;
  }

  #opVariable(scope: Scope): string {
    const known = this.#variable(scope, "Op");
    return known !== undefined && this.chance(75)
      ? known
      : this.chance(50)
        ? `((Op) ${this.op(scope)})`
        : this.base(scope);
  }

  /** A lambda, a reference to a method, an object or one of an anonymous class. */
  op(scope: Scope): string {
    const x = this.name("x");
    const within = this.#inLambda(scope, [x], scope.isPure);
    switch (this.below(scope.isPure ? 4 : 7)) {
      case 0:
        return `${x} -> ${this.int(within)}`;
      case 1:
      case 2:
        return `${x} -> {\n${this.statements(within, 1 + this.below(3)).text}\nreturn ${this.int(within)};\n}`;
      case 3: {
        const body = `${this.statements(within, 1 + this.below(2)).text}\nreturn ${this.int(within)};`;
        return `new Op() {\npublic int apply(int ${x}) {\n${body}\n}\n}`;
      }
      case 4:
        return `${this.root}::simple`;
      case 5:
        return `${this.base(scope)}::tell`;
      default:
        return this.base(scope);
    }
  }

  /** In a lambda that stands in `scope`: what it captures is final, and it calls no functional interface. */
  #inLambda(scope: Scope, parameters: readonly string[], isPure: boolean): Scope {
    return {
      variables: [
        ...scope.variables.filter(({ isFinal, type }) => isFinal && type !== "Op"),
        ...parameters.map((name) => ({ name, type: "int" as const, isFinal: this.chance(50) })),
      ],
      labels: [],
      returns: true,
      isPure: isPure || scope.isPure,
      cost: { count: 0, limit: OP_COST },
      times: 1,
      depth: scope.depth + 2,
    };
  }

  #with(scope: Scope, variable: Variable, isCounter = false): Scope {
    // Code may read the counter of a loop and not write it: it is there as final, but for lambdas.
    const seen = isCounter ? { ...variable, name: `(${variable.name})` } : variable;
    return { ...scope, variables: [...scope.variables, seen] };
  }

  /** A variable in scope; `isFinal` false: one that may be assigned. */
  #variable(scope: Scope, type: Type, isFinal = true): string | undefined {
    const fits = scope.variables.filter(
      (each) => each.type === type && (isFinal || (!each.isFinal && !each.name.startsWith("("))),
    );
    return fits.length === 0 ? undefined : this.pick(fits).name;
  }
}
