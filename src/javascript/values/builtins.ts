/**
 * What functions outside the program do with functions and objects that they are given, as data: which they call, when, with
 * what, and what they return. A name is that of a global (`Array.from`), of a method on any object that the program does not
 * define (`.map`), or of an import (`react:useMemo`).
 */

/** Where values come from. */
export type Content =
  /** What the receiver, or an argument, holds: elements, values of a map, properties. */
  | "elements"
  | "elements of 0"
  /** What the receiver holds them under: keys of a map, elements of a set. */
  | "keys"
  /** What iterating over the argument that `iterates` names gives; of what that gives, if it is pairs, both sides. */
  | "iterated"
  | "iterated keys"
  | "iterated values"
  /** What the callback returned; where it returned arrays, what they hold. */
  | "returned"
  | "returned flat"
  /** The elements; where they are arrays, what they hold. */
  | "elements flat"
  /** The arguments, and the elements with them, where they are arrays with what these hold. */
  | "arguments"
  | "concatenated";

/** Where a value comes from or goes to. */
export type ValuePlace =
  /** The object that the method is called on, or an argument. */
  | "receiver"
  | 0
  | 1
  | 2
  | Content
  /** A new array, an object with any properties, or an iterator's result, that holds some. */
  | { readonly array: Content }
  | { readonly object: Content }
  | { readonly value: Content }
  /** A new array of pairs, or a map. */
  | { readonly pairs: Content; readonly keys: Content | "nothing" }
  | { readonly map: Content; readonly keys: Content | "nothing" }
  /** A new object, or map, of arrays. */
  | { readonly groups: Content; readonly keys?: Content }
  | "nothing";

export interface Callback {
  /** Which argument; or properties of an argument, or of the objects in it. */
  readonly argument: number;
  readonly property?: string;
  readonly turn: "now" | "later";
  readonly parameters?: readonly ValuePlace[];
  /** It is called once at least: always, or if an array has so many elements. */
  readonly least?: { readonly of?: "receiver" | 0; readonly elements: number };
  /** What it throws becomes a rejected promise. */
  readonly isCaught?: boolean;
  /** Only if an argument is an object literal with this property. */
  readonly when?: { readonly argument: number; readonly property: string };
  /** Argument that becomes `this`. */
  readonly receiver?: number;
}

export interface Builtin {
  readonly callbacks?: readonly Callback[];
  readonly returns?: ValuePlace;
  /** Where it is given a callback, it returns an array of what that returns. */
  readonly collects?: true;
  /** Properties of the argument with the second number become those of the first. */
  readonly copies?: readonly (readonly [to: number, from: number])[];
  /** What it stores in the receiver's elements: arguments from this one on; the one before it is the key in a map. */
  readonly stores?: number;
  /** Argument that the receiver calls when it is told to emit: then, with arguments from that one on. */
  readonly listens?: 1;
  readonly emits?: 0 | 1;
  /** It throws nothing of its own at once: what goes wrong becomes a rejected promise, or does at a later turn. */
  readonly isSafe?: boolean;
  /** Where its conversions call methods of an argument or the receiver. */
  readonly converts?: readonly (readonly [place: ValuePlace, methods: readonly string[]])[];
  /** Argument that it iterates over. */
  readonly iterates?: 0;
  /** Objects of which it looks at all own properties, and those of which it reads them. */
  readonly lists?: readonly (0 | 1 | 2)[];
  readonly reads?: readonly (0 | 1 | 2)[];
  /** It reads whatever these hold, too, and calls the `toJSON` of each. */
  readonly isDeep?: boolean;
  /** Promises take these on. */
  readonly adopts?: readonly 0[];
}

const each = (...parameters: ValuePlace[]): readonly Callback[] => [
  { argument: 0, turn: "now", parameters, receiver: 1, least: { of: "receiver", elements: 1 } },
];
/** It calls an argument once, at once. */
const once = (argument: number): Callback => ({ argument, turn: "now", least: { elements: 0 } });
const compare: readonly Callback[] = [
  { argument: 0, turn: "now", parameters: ["elements", "elements"], least: { of: "receiver", elements: 2 } },
];
const fold: readonly Callback[] = [
  { argument: 0, turn: "now", parameters: ["returned", "elements"], least: { of: "receiver", elements: 2 } },
];
const group: readonly Callback[] = [
  { argument: 1, turn: "now", parameters: ["iterated"], least: { of: 0, elements: 1 } },
];
const later = (...args: number[]): Builtin => ({
  callbacks: args.map((argument) => ({ argument, turn: "later" as const })),
  isSafe: true,
});
const now = (argument: number, ...parameters: ValuePlace[]): Builtin => ({
  callbacks: [{ argument, turn: "now", parameters }],
});

const TO_STRING = ["@@toPrimitive", "toString", "valueOf"];
const TO_NUMBER = ["@@toPrimitive", "valueOf", "toString"];
const numbers: Builtin = {
  converts: [
    [0, TO_NUMBER],
    [1, TO_NUMBER],
    [2, TO_NUMBER],
  ],
};
const string: Builtin = { converts: [[0, TO_STRING]] };

export const BUILTINS: Readonly<Record<string, Builtin>> = {
  // Arrays, typed arrays, iterators, maps and sets
  ".map": { callbacks: each("elements", "nothing", "receiver"), returns: { array: "returned" } },
  ".forEach": { callbacks: each("elements", "keys", "receiver") },
  ".filter": { callbacks: each("elements", "nothing", "receiver"), returns: { array: "elements" } },
  ".find": { callbacks: each("elements", "nothing", "receiver"), returns: "elements" },
  ".findLast": { callbacks: each("elements", "nothing", "receiver"), returns: "elements" },
  ".findIndex": { callbacks: each("elements", "nothing", "receiver") },
  ".findLastIndex": { callbacks: each("elements", "nothing", "receiver") },
  ".some": { callbacks: each("elements", "nothing", "receiver") },
  ".every": { callbacks: each("elements", "nothing", "receiver") },
  ".flatMap": { callbacks: each("elements", "nothing", "receiver"), returns: { array: "returned flat" } },
  ".reduce": {
    callbacks: fold,
    returns: "returned",
  },
  ".reduceRight": {
    callbacks: fold,
    returns: "returned",
  },
  ".sort": { callbacks: compare, returns: "receiver" },
  ".toSorted": { callbacks: compare, returns: { array: "elements" } },
  ".toSpliced": { returns: { array: "elements" } },
  ".toReversed": { returns: { array: "elements" } },
  ".with": { returns: { array: "elements" } },
  ".slice": { returns: { array: "elements" } },
  ".splice": { returns: { array: "elements" }, stores: 2 },
  ".concat": { returns: { array: "concatenated" } },
  ".flat": { returns: { array: "elements flat" } },
  ".reverse": { returns: "receiver" },
  ".fill": { returns: "receiver", stores: 0 },
  ".push": { stores: 0 },
  ".unshift": { stores: 0 },
  ".pop": { returns: "elements" },
  ".shift": { returns: "elements" },
  ".at": { returns: "elements" },
  ".values": { returns: { array: "elements" } },
  ".entries": { returns: { pairs: "elements", keys: "keys" } },
  ".keys": { returns: { array: "keys" } },
  ".@@iterator": { returns: "receiver" },
  ".next": { returns: { value: "elements" } },
  ".add": { returns: "receiver", stores: 0 },
  ".set": { returns: "receiver", stores: 1 },
  ".get": { returns: "elements" },
  ".has": {},
  ".delete": {},
  ".getOrInsert": { returns: "elements", stores: 1 },
  ".getOrInsertComputed": { callbacks: [{ argument: 1, turn: "now" }], returns: "elements" },
  ".toArray": { returns: { array: "elements" } },
  ".join": { converts: [["elements", TO_STRING]] },
  // Strings
  ".replace": { ...now(1), converts: [[0, ["@@replace"]]] },
  ".replaceAll": { ...now(1), converts: [[0, ["@@replace"]]] },
  ".split": { converts: [[0, ["@@split"]]] },
  // Functions, objects
  ".hasOwnProperty": {},
  "Array.from": {
    callbacks: [{ ...group[0], receiver: 2 }],
    returns: { array: "iterated" },
    collects: true,
    iterates: 0,
  },
  "Array.of": { returns: { array: "arguments" } },
  "Array.isArray": {},
  "Array.fromAsync": later(1),
  "Object.assign": {
    copies: [
      [0, 1],
      [0, 2],
    ],
    returns: 0,
    reads: [1, 2],
  },
  "Object.create": { lists: [1] },
  "Object.defineProperties": { lists: [1], returns: 0 },
  "Object.freeze": { returns: 0, lists: [0] },
  "Object.isFrozen": { lists: [0] },
  "Object.seal": { returns: 0, lists: [0] },
  "Object.isSealed": { lists: [0] },
  "Object.preventExtensions": { returns: 0 },
  "Object.getOwnPropertyDescriptors": { lists: [0] },
  "Object.keys": { lists: [0] },
  "Object.values": { returns: { array: "elements of 0" }, reads: [0] },
  "Object.entries": { returns: { pairs: "elements of 0", keys: "nothing" }, reads: [0] },
  "Object.fromEntries": { returns: { object: "iterated values" }, iterates: 0 },
  "Object.groupBy": { callbacks: group, iterates: 0, returns: { groups: "iterated" } },
  "Map.groupBy": { callbacks: group, iterates: 0, returns: { groups: "iterated", keys: "returned" } },
  Map: { returns: { map: "iterated values", keys: "iterated keys" }, iterates: 0 },
  Set: { returns: { array: "iterated" }, iterates: 0 },
  WeakMap: { returns: { map: "iterated values", keys: "iterated keys" }, iterates: 0 },
  WeakSet: { returns: { array: "iterated" }, iterates: 0 },
  "Iterator.from": { returns: 0 },
  Promise: { callbacks: [{ ...once(0), isCaught: true }], isSafe: true },
  "Promise.try": { callbacks: [{ ...once(0), isCaught: true }], returns: "returned" },
  "Promise.resolve": { returns: 0, isSafe: true, adopts: [0] },
  "Promise.all": { returns: { array: "iterated" }, iterates: 0 },
  "Promise.allSettled": { returns: { array: "iterated" }, iterates: 0 },
  "Promise.race": { returns: "iterated", iterates: 0 },
  "Promise.any": { returns: "iterated", iterates: 0 },
  ".then": {
    callbacks: [
      { argument: 0, turn: "later", parameters: ["receiver"] },
      { argument: 1, turn: "later" },
    ],
    returns: "returned",
    isSafe: true,
  },
  ".catch": { callbacks: [{ argument: 0, turn: "later" }], returns: "returned", isSafe: true },
  ".finally": { callbacks: [{ argument: 0, turn: "later" }], returns: "receiver", isSafe: true },
  "JSON.parse": { callbacks: [once(1)] },
  "JSON.stringify": { callbacks: [{ argument: 1, turn: "now" }], reads: [0], isDeep: true },
  String: string,
  Symbol: string,
  "Symbol.for": string,
  parseInt: string,
  parseFloat: string,
  encodeURIComponent: string,
  decodeURIComponent: string,
  Number: numbers,
  BigInt: numbers,
  Date: numbers,
  isNaN: numbers,
  isFinite: numbers,
  "Math.max": numbers,
  "Math.min": numbers,
  "Math.abs": numbers,
  "Math.floor": numbers,
  "Math.ceil": numbers,
  "Math.round": numbers,
  "Math.trunc": numbers,
  "Math.pow": numbers,
  "Math.sqrt": numbers,
  "Math.hypot": numbers,
  "Math.sign": numbers,
  "Reflect.get": { returns: "elements of 0" },
  structuredClone: {},
  "String.raw": {},
  // Later turns
  setTimeout: later(0),
  setInterval: later(0),
  setImmediate: later(0),
  queueMicrotask: later(0),
  requestAnimationFrame: later(0),
  requestIdleCallback: later(0),
  "process.nextTick": later(0),
  ".addEventListener": { ...later(1), listens: 1 },
  ".dispatchEvent": { emits: 0 },
  ".on": { ...later(1), listens: 1, returns: "receiver" },
  ".once": { ...later(1), listens: 1, returns: "receiver" },
  ".addListener": { ...later(1), listens: 1, returns: "receiver" },
  ".prependListener": { ...later(1), listens: 1, returns: "receiver" },
  ".prependOnceListener": { ...later(1), listens: 1, returns: "receiver" },
  ".emit": { emits: 1 },
  // Libraries that are known to call what they are given at once
  "react:useMemo": { callbacks: [once(0)], returns: "returned" },
  "react:useState": { callbacks: [once(0)] },
  "react:useReducer": { callbacks: [{ argument: 2, turn: "now" }] },
  "react:useSyncExternalStore": { callbacks: [{ argument: 1, turn: "now" }], returns: "returned" },
  "react:useEffect": later(0),
  "react:useLayoutEffect": later(0),
  "react:useCallback": { returns: 0 },
  "react:memo": { returns: 0 },
  "react:forwardRef": { returns: 0 },
  "vue:watchEffect": { callbacks: [once(0)] },
  "vue:watch": {
    callbacks: [
      once(0),
      { argument: 1, turn: "later" },
      { argument: 1, turn: "now", when: { argument: 2, property: "immediate" } },
    ],
  },
  "solid-js:createMemo": { callbacks: [once(0)] },
  "solid-js:createEffect": later(0),
  "mobx:autorun": { callbacks: [once(0)] },
  "mobx:runInAction": { callbacks: [once(0)], returns: "returned" },
  "mobx:action": { returns: 0 },
  "node:test": later(0, 1, 2),
  "assert:throws": { callbacks: [once(0)] },
};

/** Classes outside the program whose objects call what listens to them when they are told to. */
export const EMITTERS: ReadonlySet<string> = new Set([
  "EventTarget",
  ...["events", "node:events"].flatMap((module) => [`${module}:EventEmitter`, `${module}:default`]),
]);

/** Methods that take elements away. */
export const SHRINKING: ReadonlySet<string> = new Set(["pop", "shift", "splice"]);

/** Methods of functions, which the value analysis itself carries out. */
export const FUNCTION_METHODS: ReadonlySet<string> = new Set(["call", "apply", "bind"]);

/** What is known of a function outside the program: of `Array.prototype.map`, what is of `.map`. */
export function builtinFor(name: string): Builtin | undefined {
  const known = name.replace(/^\w+\.prototype(?=\.)/, "");
  return Object.hasOwn(BUILTINS, known) ? BUILTINS[known] : undefined;
}
