/**
 * Random Java programs, each of one class with all others inside it: a hierarchy with an interface, constructors, overriding and
 * `super` calls; classes whose initializers run in the middle of methods, one of which may fail; static and inner classes, a
 * record, an enum, recursion. Their code is that of random-java-code.ts. Every program ends, and does the same at every run.
 *
 * Left out is what the analyses leave out (docs/jvm.md, Limits): what code outside calls back while it is called (`toString` of
 * a concatenation, `replaceAll`) accesses no static fields, and there is no reflection. Threads are left out, for their order.
 */

import { Code } from "./random-java-code.js";
import { type Callable, OP_COST, type Scope, type Variable } from "./random-java-expressions.js";

export interface JavaProgram {
  /** Of its class, which has a `main`. */
  readonly name: string;
  readonly source: string;
}

/** @returns a program for Java 17, the same for the same seed */
export function randomJava(seed: number): JavaProgram {
  const name = `P${seed}`;
  return { name, source: indent(new Generator(seed, name).program()) };
}

const HIERARCHY = ["Base", "Left", "Right", "Deep"] as const;
type Member = "root" | "Op" | "Lazy0" | "Lazy1" | "Failing" | (typeof HIERARCHY)[number];

/** Of the hierarchy's objects. */
const FIELD: Variable = { name: "f", type: "int", isFinal: false, isField: true };
const METHOD_COST = 120;
const MAIN_COST = 1200;

class Generator {
  readonly #code: Code;
  readonly #name: string;
  readonly #members = new Map<Member, string[]>();

  constructor(seed: number, name: string) {
    this.#code = new Code(seed, name);
    this.#name = name;
  }

  program(): string {
    const code = this.#code;
    const name = this.#name;
    code.fields.push(`${name}.s0`, `${name}.s1`, "Base.made", "Deep.made");
    code.fields.push("Lazy0.first", "Lazy1.second", "Failing.third");
    this.#add("root", `static int constant(int x) {\ns0 += x;\nreturn s0;\n}`);
    this.#add("root", `static int simple(int x) {\nreturn x * 3 + 1;\n}`);
    code.callables.push({ cost: 2, isPure: true, call: (_, x) => `${name}.simple(${x})` });
    this.#applies();
    const makers = [
      () => this.#staticMethod(),
      () => this.#staticMethod(),
      () => this.#virtualMethod(),
      () => this.#virtualMethod(),
      () => this.#recursion(),
      () => this.#innerClass(),
      () => this.#taker(),
    ];
    for (let i = 4 + code.below(5); 0 < i; i--) code.pick(makers)();
    if (code.chance(50)) this.#add("Base", `public int twice(int x) {\nreturn Op.super.twice(x) + f++;\n}`);
    if (code.chance(50)) this.#add("Deep", `public int twice(int x) {\nreturn super.twice(x) - apply(x);\n}`);
    this.#constructors();
    this.#initializers();
    this.#main();
    return this.#text();
  }

  #add(to: Member, text: string): void {
    const members = this.#members.get(to);
    if (members === undefined) this.#members.set(to, [text]);
    else members.push(text);
  }

  /** What `statements` and a last `return` make, and what it costs. */
  #body(
    scope: Scope,
    count: number,
    before = "",
    result = "",
  ): { readonly text: string; readonly cost: number } {
    const { text, variables } = this.#code.statements(scope, count);
    const value = this.#code.int({ ...scope, variables });
    return { text: `{\n${before}${text}\nreturn ${result}${value};\n}`, cost: scope.cost.count + 4 };
  }

  #parameters(...names: readonly string[]): Variable[] {
    return names.map((name) => ({ name, type: "int" as const, isFinal: false }));
  }

  /** `apply`, which is as cheap as a lambda. */
  #applies(): void {
    const code = this.#code;
    for (const owner of ["Base", ...HIERARCHY.slice(1).filter(() => code.chance(50))] as const) {
      const x = code.name("x");
      const scope = code.body([...this.#parameters(x), FIELD], OP_COST / 2);
      this.#add(owner, `public int apply(int ${x}) ${this.#body(scope, 2).text}`);
    }
  }

  #staticMethod(): void {
    const code = this.#code;
    const m = code.name("m");
    const x = code.name("x");
    const isPure = code.chance(20);
    const owner = code.pick(["root", "root", "Op", "Lazy0", "Lazy1", "Failing"] as const);
    const scope = code.body(this.#parameters(x), METHOD_COST, isPure);
    const { text, cost } = this.#body(scope, 2 + code.below(4));
    this.#add(owner, `static int ${m}(int ${x}) ${text}`);
    const place = owner === "root" ? this.#name : owner;
    code.callables.push({
      cost,
      isPure: isPure && owner === "root",
      call: (_, argument) => `${place}.${m}(${argument})`,
      reference: () => `${place}::${m}`,
    });
  }

  /** Of some classes of the hierarchy; overriding ones may call what they override. */
  #virtualMethod(): void {
    const code = this.#code;
    const v = code.name("v");
    let most = 0;
    let cost = 0;
    for (const owner of HIERARCHY) {
      if (owner !== "Base" && code.chance(45)) continue;
      const x = code.name("x");
      const scope = code.body([...this.#parameters(x), FIELD], METHOD_COST);
      const again = owner !== "Base" && code.chance(40) ? `super.${v}(${x} + 1) + ` : "";
      const body = this.#body(scope, 1 + code.below(3), "", again);
      most += body.cost;
      cost = Math.max(cost, body.cost);
      this.#add(owner, `int ${v}(int ${x}) ${body.text}`);
    }
    code.callables.push({
      cost: Math.min(most, 3 * cost),
      isPure: false,
      call: (at, argument, scope) => `${at.base(scope)}.${v}(${argument})`,
      reference: (at, scope) => `${at.base(scope)}::${v}`,
    });
  }

  /** One method that calls itself, or two that call each other; the first parameter says how often. */
  #recursion(): void {
    const code = this.#code;
    const names = [code.name("r"), code.name("r")].slice(code.below(2));
    let cost = 0;
    for (const [i, r] of names.entries()) {
      const [d, x, y] = [code.name("d"), code.name("x"), code.name("y")];
      const scope = code.body(this.#parameters(x, y), METHOD_COST / 4);
      const next = names[(i + 1) % names.length];
      const last = `if (${d} <= 0) return ${code.int(code.body(this.#parameters(x), 0))};\n`;
      const call = `int ${y} = ${next}(${d} - 1, ${x} - 1);\n`;
      // With a first call in a handler's range.
      const before = code.chance(50)
        ? `${last}${call}`
        : `${last}int ${y} = ${x};\ntry {\n${y} = ${next}(${d} - 1, ${x} + 2);\n} catch (Fail e) {\n${y} += e.code;\n}\n`;
      const body = this.#body(scope, 1 + code.below(2), before);
      cost = Math.max(cost, body.cost);
      this.#add("root", `static int ${r}(int ${d}, int ${x}) ${body.text}`);
    }
    code.callables.push({
      cost: 4 * cost,
      isPure: false,
      call: (at, argument) => `${this.#name}.${names[0]}(${at.below(4)}, ${argument})`,
    });
  }

  #innerClass(): void {
    const code = this.#code;
    const inner = code.name("Inner");
    const x = code.name("x");
    const seen = [...this.#parameters(x), ...this.#parameters("n", "field")];
    const scope = code.body(seen, METHOD_COST);
    const { text, cost } = this.#body(scope, 1 + code.below(3));
    const made = `${inner}(int n) {\nthis.n = n + field++;\n}`;
    this.#add("root", `class ${inner} {\nint n = 2;\n${made}\nint next(int ${x}) ${text}\n}`);
    code.callables.push({
      cost: cost + 6,
      isPure: false,
      call: (at, argument, scope) =>
        `new ${this.#name}().new ${inner}(${at.int(scope, 2)}).next(${argument})`,
    });
  }

  /** A method that is given a functional interface, its own or one of the library. */
  #taker(): void {
    const code = this.#code;
    const t = code.name("t");
    const x = code.name("x");
    const isOwn = code.chance(50);
    const type = isOwn ? "Op" : "java.util.function.IntUnaryOperator";
    const scope = code.body(this.#parameters(x), METHOD_COST);
    const before = `${x} += op.${isOwn ? "apply" : "applyAsInt"}(${x});\n`;
    const { text, cost } = this.#body(scope, 1 + code.below(2), before);
    this.#add("root", `static int ${t}(${type} op, int ${x}) ${text}`);
    const call: Callable["call"] = (at, argument, scope) => {
      const op = at.op(scope);
      return isOwn
        ? `${this.#name}.${t}(${op}, ${argument})`
        : `${this.#name}.${t}(((Op) ${op})::apply, ${argument})`;
    };
    code.callables.push({ cost: cost + OP_COST, isPure: false, call });
  }

  #constructors(): void {
    const code = this.#code;
    const scope = (limit: number) => code.body(this.#parameters("x"), limit, true);
    const fails = code.chance(30) ? "if (x == 3) throw new Fail(x);\n" : "";
    this.#add("Base", `Base(int x) {\nmade++;\n${fails}f = ${code.int(scope(0))};\n}`);
    for (const owner of HIERARCHY.slice(1))
      this.#add(owner, `${owner}(int x) {\nsuper(${code.int(scope(0))});\nf += ${code.int(scope(0))};\n}`);
  }

  #initializers(): void {
    const code = this.#code;
    const value = (limit = METHOD_COST) => code.int(code.body([], limit));
    // An initializer that throws ends all use of its class: one class is enough.
    const guarded = (text: string, field: string) =>
      `static {\ntry {\n${text}\n} catch (Throwable e) {\n${field} = 9;\n}\n}`;
    const block = (field: string) => {
      const scope = { ...code.body([], METHOD_COST), returns: false };
      return guarded(`${code.block(scope, 2)}\n${field} += ${code.int(scope)};`, field);
    };
    this.#add("root", guarded(`s1 = ${value()};`, "s1"));
    this.#add("Base", code.chance(50) ? block("made") : `static {\nmade = 2;\n}`);
    if (code.chance(50)) this.#add("Deep", `static {\n${this.#name}.s0 += 5;\n}`);
    this.#add("Lazy0", `static int first;\n${guarded(`first = ${value()};`, "first")}`);
    this.#add("Lazy1", `static int second;\n${block("second")}`);
    this.#add("Failing", `static int third = 1;\n${block("third")}`);
    if (code.chance(50)) this.#add("Failing", `static {\nif ((third & 1) == 0) throw new Fail(third);\n}`);
    if (code.chance(50)) this.#add("Op", `int CONSTANT = ${this.#name}.constant(3);`);
  }

  #main(): void {
    const code = this.#code;
    const scope = { ...code.body([], MAIN_COST), returns: false };
    const parts: string[] = [];
    for (let i = 0; i < 10; i++) {
      const text = code.block({ ...scope, cost: { count: 0, limit: MAIN_COST / 8 }, depth: 0 }, 3);
      parts.push(
        i < 9 || code.chance(50) ? `try {\n${text}\n} catch (Throwable e${i}) {\ns0++;\n}` : `{\n${text}\n}`,
      );
    }
    this.#add("root", `public static void main(String[] args) {\n${parts.join("\n")}\n}`);
  }

  #text(): string {
    const members = (of: Member) => (this.#members.get(of) ?? []).join("\n");
    const object = `static Base object(int x) {
switch (x & 3) {
case 0: return new Left(x);
case 1: return new Right(x >> 1);
default: return new Deep(2);
}
}`;
    return `public class ${this.#name} {
static int s0 = 5, s1;
static long wide;
int field = 1;
interface Op {
int apply(int x);
default int twice(int x) {
return apply(apply(x) + 1);
}
${members("Op")}
}
static class Fail extends RuntimeException {
final int code;
Fail(int code) {
this.code = code;
}
}
static class Worse extends Fail {
Worse(int code) {
super(code + 1);
}
}
static class Checked extends Exception {
final int code;
Checked(int code) {
this.code = code;
}
}
static class Resource implements AutoCloseable {
final int size;
Resource(int size) {
this.size = size;
}
public void close() {
if ((size & 3) == 1) throw new Fail(size);
}
}
enum Color { RED, GREEN, BLUE }
record Pair(int a, int b) {
int sum() {
return a + b;
}
}
static class Base implements Op {
static int made;
int f;
int tell(int x) {
return f - x;
}
public String toString() {
return f < 0 ? "minus" : "plus";
}
${members("Base")}
}
static class Left extends Base {
${members("Left")}
}
static class Right extends Base {
${members("Right")}
}
static class Deep extends Left {
${members("Deep")}
}
abstract static class Maker<T> {
abstract T make(int x);
}
static class LeftMaker extends Maker<Base> {
Left make(int x) {
return new Left(x);
}
}
static class Lazy0 {
${members("Lazy0")}
}
static class Lazy1 {
${members("Lazy1")}
}
static class Failing {
${members("Failing")}
}
${object}
${members("root")}
}
`;
  }
}

/** By braces, which stand at the ends and beginnings of lines. */
function indent(text: string): string {
  let depth = 0;
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      if (line.startsWith("}")) depth--;
      const result = "  ".repeat(depth) + line;
      if (line.endsWith("{")) depth++;
      return result;
    })
    .join("\n")
    .concat("\n");
}
