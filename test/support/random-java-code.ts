/** Random Java code: the statements of one body, over the expressions of random-java-expressions.ts. */

import { Expressions, OP_COST, type Scope, type Type, type Variable } from "./random-java-expressions.js";

export class Code extends Expressions {
  block(scope: Scope, count = 1 + this.below(3)): string {
    return this.statements({ ...scope, depth: scope.depth + 1 }, count).text;
  }

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
        const array = this.variable(scope, "int[]");
        if (array === undefined) return this.#declared("int[]", this.array(scope));
        return [`${this.element(array, scope)} ${this.pick(["=", "+=", "-=", "^="])} ${this.int(scope)};`];
      }
      case 7: {
        const text = this.variable(scope, "String", false);
        if (text === undefined) return this.#declared("String", this.string(scope));
        return [`${text} ${this.pick(["=", "+="])} ${this.string(scope)};`];
      }
      case 8: {
        const long = this.variable(scope, "long", false);
        if (!scope.isPure && this.chance(30)) return [`${this.root}.wide += ${this.long(scope)};`];
        if (long === undefined) return this.#declared("long", this.long(scope));
        return [
          this.pick([`${long} = ${this.long(scope)};`, `${long} += ${this.int(scope)};`, `${long}--;`]),
        ];
      }
      case 9:
        if (!scope.isPure && this.chance(15)) return [`assert ${this.condition(scope)};`];
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
        const within = this.including(scope, { name, type: "Base", isFinal: false });
        return [`if ((Object) ${this.base(scope)} instanceof ${type} ${name}) {\n${this.block(within)}\n}`];
      }
      case 31:
        return [this.#localClass(scope)];
      case 32:
        return [`if ((${this.int(scope)} & 7) == 3) throw ${this.exception(scope)};`];
      default:
        return [`${this.callOf(scope) ?? this.#assignment(scope)};`];
    }
  }

  #declaration(scope: Scope): [string, Variable] {
    if (this.chance(10)) return this.#declared("int", this.switchExpression(scope, scope.depth + 1));
    const type = this.pick(["int", "int", "int", "long", "String"] as const);
    const value = type === "int" ? this.int(scope) : type === "long" ? this.long(scope) : this.string(scope);
    return this.#declared(type, value, this.chance(40));
  }

  #declared(type: Type, value: string, isFinal = false): [string, Variable] {
    const name = this.name(type === "int[]" ? "array" : type[0].toLowerCase());
    return [`${isFinal ? "final " : ""}${type} ${name} = ${value};`, { name, type, isFinal }];
  }

  /** An expression, too. */
  #assignment(scope: Scope): string {
    const target = this.target(scope);
    if (target === undefined) return this.callOf(scope) ?? `new ${this.root}()`;
    if (this.chance(25))
      return this.pick([`${target}++`, `++${target}`, `${target}--`, `${target} += ${this.below(200)}`]);
    return `${target} ${this.pick(["=", "=", "+=", "*=", "|="])} ${this.int(scope)}`;
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
    const within = this.including(inner, { ...counter, isFinal: false }, true);
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
        const each = this.including(inner, { name: i, type: "int", isFinal: false }, true);
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
default -> ${this.chance(30) ? `throw ${this.exception(scope)}` : this.#assignment(scope)};
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
    const raise = this.chance(40) ? `\nif (${this.condition(scope)}) throw ${this.exception(scope)};` : "";
    if (this.chance(15)) {
      const name = this.name("e");
      const checked = `\nif (${this.condition(scope)}) throw new Checked(${this.int(scope)});`;
      const after = this.#assignTo(scope, `${name}.code`);
      return `try {\n${this.block(scope)}${checked}\n} catch (Checked ${name}) {\n${after}\n${this.block(scope)}\n}`;
    }
    return `try ${resource}{\n${this.block(scope, 1 + this.below(4))}${raise}\n}${handlers}`;
  }

  #assignTo(scope: Scope, value: string): string {
    const target = this.target(scope);
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
    const within = this.inLambda(scope, [x], true);
    scope.cost.count += 2 * OP_COST * scope.times;
    const body = `{\n${this.statements(within, 1 + this.below(2)).text}\nreturn ${this.int(within)};\n}`;
    return `${made}\n${list}.replaceAll(${x} -> ${body});\n${this.#assignTo(scope, `${list}.get(0)`)}`;
  }

  #localClass(scope: Scope): string {
    const name = this.name("Local");
    const x = this.name("x");
    const within = this.inLambda(scope, [x], false);
    const body = `${this.statements(within, 1 + this.below(2)).text}\nreturn ${this.int(within)};`;
    const used = this.fits(scope, OP_COST)
      ? this.#assignTo(scope, `new ${name}().get(${this.int(scope)})`)
      : "";
    return `class ${name} {\nint get(int ${x}) {\n${body}\n}\n}\n${used}`;
  }
}
