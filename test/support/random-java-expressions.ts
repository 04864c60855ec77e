/**
 * Random Java code: what its expressions may name, and the expressions. What a body calls was generated before it, but for what
 * its own class does to recurse, so that every call ends; loops count. How much a call executes is estimated, and what would
 * be too much is left out.
 */

export type Type = "int" | "long" | "String" | "int[]" | "Base" | "Op";

export interface Variable {
  readonly name: string;
  readonly type: Type;
  /** Lambdas and local classes may read it. */
  readonly isFinal: boolean;
  /** Of the object whose code this is: lambdas may read it, too, and assign it. */
  readonly isField?: boolean;
}

/** Something that takes an int and gives one. */
export interface Callable {
  /** About how many statements one call executes. */
  readonly cost: number;
  /** Whether it leaves static fields alone: what code outside calls must. */
  readonly isPure: boolean;
  readonly call: (code: Expressions, argument: string, scope: Scope) => string;
  /** As a method reference. */
  readonly reference?: (code: Expressions, scope: Scope) => string;
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

export abstract class Expressions {
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

  /** Some statements, in a block of their own. */
  abstract block(scope: Scope, count?: number): string;

  /** Statements, and the variables in scope after them. */
  abstract statements(
    scope: Scope,
    count: number,
  ): { readonly text: string; readonly variables: readonly Variable[] };

  condition(scope: Scope): string {
    switch (this.below(scope.isPure ? 5 : 6)) {
      case 0:
        return `${this.int(scope)} ${this.pick(["<", "<=", "==", "!=", ">"])} ${this.int(scope)}`;
      case 1:
        return `(${this.int(scope)} & ${1 + this.below(3)}) == 0`;
      case 2:
        return `(${this.int(scope)} & 1) == 0 ${this.pick(["&&", "||"])} ${this.int(scope)} < ${this.below(9)}`;
      case 3:
        return `!(${this.int(scope)} < ${this.long(scope)})`;
      case 4:
        return `(${this.int(scope)} & 1) ${this.pick(["==", "!="])} 0`;
      default:
        return `(Object) ${this.base(scope)} instanceof ${this.pick(["Left", "Right", "Deep", "Op"])}`;
    }
  }

  int(scope: Scope, depth = 0): string {
    const simple = !scope.isPure && this.chance(20) ? this.pick(this.fields) : this.variable(scope, "int");
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
        const array = this.variable(scope, "int[]");
        return array === undefined ? `${this.array(scope)}[${inner()} & 1]` : this.element(array, scope);
      }
      case 9:
        return `(int) ${this.long(scope)}`;
      case 10:
        return `(${this.string(scope)}).length()`;
      case 11: {
        const target = this.target(scope);
        return target === undefined
          ? inner()
          : `(${this.pick([`${target} = ${inner()}`, `${target}++`, `${target} -= 2`])})`;
      }
      case 12:
        return scope.isPure ? inner() : `${this.base(scope)}.f`;
      case 13:
        // No `try` on top of operands: javac 17 fails where one is an object not yet made.
        return 2 < scope.depth ? inner() : this.switchExpression(scope, 9);
      case 14:
        if (scope.isPure || !this.fits(scope, 2 * OP_COST)) return inner();
        return `${this.opVariable(scope)}.${this.pick(["apply", "apply", "twice"])}(${inner()})`;
      case 15:
        if (this.chance(20)) return `(new int[2][${inner()} & 3])[${inner()} & 1].length`;
        return `new Pair(${inner()}, ${inner()}).${this.pick(["a", "b", "sum"])}()`;
      default:
        return this.callOf(scope, depth) ?? inner();
    }
  }

  protected target(scope: Scope): string | undefined {
    const variable = this.variable(scope, "int", false);
    if (variable !== undefined && (scope.isPure || this.chance(65))) return variable;
    if (scope.isPure || this.fields.length === 0) return variable;
    return this.chance(80) ? this.pick(this.fields) : `${this.base(scope)}.f`;
  }

  protected switchExpression(scope: Scope, depth: number): string {
    const within = { ...scope, labels: [], returns: false, depth };
    const last = this.chance(10) ? `throw ${this.exception(scope)}` : this.int(scope, 2);
    return `switch (${this.int(scope, 2)} & 3) {
case 0 -> ${this.int(scope, 2)};
case 1 -> {\n${this.block(within)}\nyield 0 + ${this.int(scope, 2)};\n}
default -> ${last};\n}`;
  }

  protected callOf(scope: Scope, depth = 0): string | undefined {
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

  protected fits(scope: Scope, cost: number): boolean {
    if (scope.cost.limit < scope.cost.count + cost * scope.times) return false;
    scope.cost.count += cost * scope.times;
    return true;
  }

  protected long(scope: Scope): string {
    const long = this.variable(scope, "long");
    return this.pick([
      `${this.below(99)}L`,
      `(long) ${this.int(scope, 2)}`,
      ...(scope.isPure ? [] : [`${this.root}.wide`]),
      ...(long === undefined
        ? []
        : [long, long, `(${long} ${this.pick(["+", "*", "^"])} ${this.int(scope, 2)})`]),
    ]);
  }

  protected string(scope: Scope): string {
    const text = this.variable(scope, "String");
    return this.pick([
      `"${this.pick(["", "a", "bc"])}"`,
      `"t" + ${this.int(scope, 2)}`,
      ...(scope.isPure ? [] : [`"o" + ${this.base(scope)}`]),
      ...(text === undefined ? [] : [text, `${text} + ${this.int(scope, 2)} + "x"`]),
    ]);
  }

  protected array(scope: Scope): string {
    const values = Array.from({ length: 2 + this.below(2) }, () => this.int(scope, 2)).join(", ");
    return this.chance(70)
      ? `new int[] {${values}}`
      : `(new int[${this.int(scope, 2)} & 3 | ${this.pick([0, 2, 2])}])`;
  }

  protected element(array: string, scope: Scope): string {
    return `${array}[${this.int(scope, 2)} & ${this.chance(92) ? 1 : 3}]`;
  }

  protected exception(scope: Scope): string {
    return this.pick([
      `new Fail(${this.int(scope, 2)})`,
      `new Worse(${this.int(scope, 2)})`,
      `new ArithmeticException()`,
      `new IllegalStateException("s")`,
    ]);
  }

  /** An object of the hierarchy: now and then null, or of a type that it is not. */
  base(scope: Scope): string {
    const known = this.variable(scope, "Base");
    if (known !== undefined && this.chance(60)) return known;
    if (this.chance(1)) return "((Base) null)";
    if (this.chance(2)) return `((Left) ${this.root}.object(${this.int(scope, 2)}))`;
    if (this.chance(8))
      return `((java.util.function.IntFunction<Base>) ${this.pick(["Left", "Deep"])}::new).apply(${this.int(scope, 2)})`;
    if (this.chance(8)) return `((Maker<? extends Base>) new LeftMaker()).make(${this.int(scope, 2)})`;
    if (this.chance(40)) return `${this.root}.object(${this.int(scope, 2)})`;
    return `new ${this.pick(["Left", "Right", "Deep"])}(${this.int(scope, 2)})`;
  }

  protected opVariable(scope: Scope): string {
    const known = this.variable(scope, "Op");
    return known !== undefined && this.chance(75)
      ? known
      : this.chance(50)
        ? `((Op) ${this.op(scope)})`
        : this.base(scope);
  }

  /** A lambda, a reference to a method, an object or one of an anonymous class. */
  op(scope: Scope): string {
    const x = this.name("x");
    const within = this.inLambda(scope, [x], scope.isPure);
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
      case 4: {
        const cheap = this.callables.flatMap(({ cost, reference }) =>
          reference !== undefined && cost <= OP_COST ? [reference] : [],
        );
        return cheap.length === 0 ? `${this.root}::simple` : this.pick(cheap)(this, scope);
      }
      case 5:
        return `${this.base(scope)}::tell`;
      default:
        return this.base(scope);
    }
  }

  /** In a lambda that stands in `scope`: what it captures is final, and it calls no functional interface. */
  protected inLambda(scope: Scope, parameters: readonly string[], isPure: boolean): Scope {
    return {
      variables: [
        ...scope.variables.filter(({ isFinal, isField, type }) => (isFinal || isField) && type !== "Op"),
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

  protected including(scope: Scope, variable: Variable, isCounter = false): Scope {
    // Code may read the counter of a loop and not write it: it is there as final, but for lambdas.
    const seen = isCounter ? { ...variable, name: `(${variable.name})` } : variable;
    return { ...scope, variables: [...scope.variables, seen] };
  }

  /** A variable in scope; `isFinal` false: one that may be assigned. */
  protected variable(scope: Scope, type: Type, isFinal = true): string | undefined {
    const fits = scope.variables.filter(
      (each) => each.type === type && (isFinal || (!each.isFinal && !each.name.startsWith("("))),
    );
    return fits.length === 0 ? undefined : this.pick(fits).name;
  }
}
