/**
 * A function of JavaScript as a flow graph of evaluation steps, before anything is known of the values that flow: what
 * lowering makes of a syntax tree, once per function, and what the value analysis and the assembly of procedures read.
 *
 * A step works on *operands*: registers of the function, which hold values of expressions, and bindings. An operand is one
 * number: `NONE`, a register (0, 1, ...), or a binding (`-2 - id`).
 */

import type { VariableKind } from "../../program/program.js";

export type Operand = number;
export const NONE: Operand = -1;
export const bindingOperand = (binding: Binding): Operand => -2 - binding.id;
export const isBinding = (operand: Operand): boolean => operand < NONE;
export const bindingId = (operand: Operand): number => -2 - operand;

/** A name of some scope, after lowering: its function is known, and its place among that function's bindings. */
export interface Binding {
  readonly id: number;
  readonly name: string;
  kind: VariableKind;
  /** The code whose activation creates it: undefined until its scope is lowered. */
  owner: Code | undefined;
  /** Its number among the bindings of `owner`. */
  slot: number;
  deadZone: boolean;
  throwsEarly: boolean;
  readonly start: number;
  readonly end: number;
}

/** Kinds of steps, and what their three operands are. */
export const Step = {
  /** Nothing happens: control flow joins or begins here. */
  join: 0,
  /** a: binding */
  read: 1,
  /** a: binding */
  check: 2,
  /** a: binding, b: value, c: `ASSIGNED` where the source itself says so, for somebody to read; else `NONE` */
  write: 3,
  /** a: binding */
  declare: 4,
  /** a: register, b: value that becomes its value, or part of it */
  flow: 5,
  /** a: register, b: operand from which it is computed: no function or object survives that */
  derive: 6,
  /** a: number of the call */
  call: 7,
  /** a: register, b: object, c: property name */
  load: 8,
  /** a: object, b: value, c: property name */
  store: 9,
  /** The activation is suspended and goes on at a later turn. a: value that it waits for, where the source says so */
  await: 10,
  /** The activation is suspended until the generator's caller asks for more. a: value handed out */
  yield: 11,
  /** An exception is thrown. a: value */
  throw: 12,
} as const;

/**
 * In a `write`: an assignment, or an initializer that is more than a placeholder. Not what the language does by itself, and
 * not what has to be written to get at something else (heads of loops, parameters, patterns by position, names beside a rest).
 */
export const ASSIGNED = 1;

/** Numbers of a step in `Code.steps`: kind, a, b, c. */
export const STEP_SIZE = 4;

/** What control goes along an edge for: numbers in `Code.edges`. */
export const Way = {
  normal: 0,
  /** The step threw. */
  exceptional: 1,
  /** Whoever holds the generator, which is suspended at this `yield`, wants it to return. */
  returned: 2,
} as const;

export type CallKind =
  | "call"
  | "new"
  | "super"
  | "iterate"
  | "coerce"
  /** Asks something of the receiver that a `Proxy` answers itself; `name` says which of its traps. */
  | "inspect"
  | "import"
  | "require"
  | "decorate";

/**
 * A part of an iteration; a call without any does all of it. `open` asks for the iterator, which is its result, `first` and
 * `next` ask that for an element, `close` has it return: before its end, for want of further interest. `cancel` is the same
 * before anything has been asked.
 */
export type IterationPart = "open" | "first" | "next" | "close" | "cancel";

export interface CallCode {
  readonly kind: CallKind;
  readonly callee: Operand;
  readonly receiver: Operand;
  readonly args: readonly Operand[];
  /** Index of the first argument that is spread, or -1: arguments from there on have no known place. */
  readonly spread: number;
  readonly result: Operand;
  /** What the source calls it: `f`, `Array.from`, `.map` for a method of an expression. */
  readonly name: string;
  readonly part?: IterationPart;
  /** For parts of an iteration behind the first: what is iterated over; the receiver is its iterator. */
  readonly iterated?: Operand;
  /** For the first element of an iteration: the step to which control goes if there is nothing to iterate over. */
  readonly emptyTo?: number;
  /** For `import` and `require`: which module, as the source writes it. */
  readonly specifier?: string;
  /** Arguments that are literals other than `undefined`, by place. */
  readonly literals?: readonly number[];
  /** The second of three arguments, where it is a text: which property, if the callee is `Object.defineProperty`. */
  readonly property?: string;
  /** For a coercion: the methods that it may call, in order of trial. */
  readonly methods?: readonly string[];
}

/** What makes a value: function or class expressions, literals. */
export interface Allocation {
  /** The number of the step that follows. */
  readonly step: number;
  readonly register: Operand;
  readonly kind:
    | "function"
    | "class"
    | "object"
    | "array"
    | "regexp"
    | "namespace"
    | "arguments"
    | "external";
  /** The function's code, or the class's constructor. */
  readonly code?: Code;
  readonly shape?: ClassShape;
  /** For a namespace: the specifier it is imported from; for an external value: what the source calls it. */
  readonly name?: string;
  /** For an array: how many elements it has at least. */
  readonly length?: number;
}

export interface ClassShape {
  readonly name: string;
  readonly superclass: Operand;
  readonly constructorCode: Code | undefined;
  /** Runs the instance fields of a new object. */
  readonly fields: Code | undefined;
  readonly members: readonly Member[];
  /** Names of instance fields. */
  readonly fieldNames: readonly number[];
}

export interface Member {
  /** Property name, or 0 for one that is computed. */
  readonly name: number;
  readonly kind: "method" | "get" | "set";
  readonly isStatic: boolean;
  readonly code: Code;
}

export type CodeKind = "module" | "function" | "method" | "constructor" | "fields";

export interface Code {
  readonly id: number;
  readonly name: string;
  readonly kind: CodeKind;
  /** Number of the module it is part of. */
  readonly module: number;
  /** The code whose bindings it sees. */
  readonly parent: Code | undefined;
  readonly start: number;
  readonly end: number;
  readonly isAsync: boolean;
  readonly isGenerator: boolean;
  /** Arrow functions and field initializers take `this` from around them. */
  readonly isArrow: boolean;
  /** `STEP_SIZE` numbers each; step 0 is the start, 1 the exit, 2 the exceptional exit. */
  readonly steps: number[];
  /** Start and end offset of each step. */
  readonly ranges: number[];
  /** Source, target, and which `Way`. */
  readonly edges: number[];
  readonly calls: CallCode[];
  readonly allocations: Allocation[];
  /** Object literals' accessors: object, name, `get` or `set`, code. */
  readonly accessors: Accessor[];
  readonly bindings: Binding[];
  registers: number;
  /** Operands of the formal parameters; whether the last takes the rest. */
  parameters: Operand[];
  rest: boolean;
  /** Registers of `this`, of what is returned, and of what a generator yields. */
  receiver: Operand;
  result: Operand;
  yielded: Operand;
  /** Register of what a generator's caller sends in. */
  sent: Operand;
  /** Where exceptions lead within it, with the registers that hold them there. */
  readonly handlers: { readonly step: number; readonly caught: Operand }[];
  /** Binding of `arguments`, where it is used. */
  argumentsObject: Operand;
  /** Where defaults of parameters begin: the parameter's operand, and the first step. */
  readonly defaults: { readonly parameter: Operand; readonly step: number }[];
  /** Steps that come behind a test which fails as long as no variable in it has been assigned anew. */
  readonly closed: number[];
  /** Per step: 1 if control can get there; empty where it gets to all. */
  reached: Uint8Array;
  /** Whether source that is not known may use its bindings: by `eval` or `with`. */
  isDynamic: boolean;
}

export interface Accessor {
  readonly object: Operand;
  readonly name: number;
  readonly kind: "get" | "set";
  readonly code: Code;
}

/** Steps that a code has so far. */
export const stepCount = ({ steps }: Pick<Code, "steps">): number => steps.length / STEP_SIZE;

export function hasStep({ steps }: Code, isWanted: (kind: number) => boolean): boolean {
  for (let at = 0; at < steps.length; at += STEP_SIZE) if (isWanted(steps[at])) return true;
  return false;
}

export const START = 0;
export const EXIT = 1;
export const EXCEPTION = 2;

/** Property names as numbers. Names that start with `@@` are well-known symbols. */
export class Names {
  readonly list: string[] = [];
  readonly #ids = new Map<string, number>();

  constructor() {
    this.of("*");
  }

  of(name: string): number {
    let id = this.#ids.get(name);
    if (id === undefined) {
      id = this.list.length;
      this.list.push(name);
      this.#ids.set(name, id);
    }
    return id;
  }
}

/** The property of arrays, and of objects with computed keys, whose name is not known: any. */
export const ANY_NAME = 0;
