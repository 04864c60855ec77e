/**
 * What functions outside the program do with functions and objects that they are given, as data: which they call, when, with
 * what, and what they return. A name is that of a global (`Array.from`), of a method on any object that the program does not
 * define (`.map`), or of an import (`react:useMemo`).
 */

/** Where a value comes from or goes to. */
export type ValuePlace =
  /** The object that the method is called on, or an argument. */
  | "receiver"
  | 0
  | 1
  | 2
  /** What a collection holds: of the receiver, or of an argument. */
  | "elements"
  | "elements of 0"
  | "elements of 1"
  /** What the callback returned. */
  | "returned"
  /** A new array or object that holds what the callback returned, or the elements. */
  | "array of returned"
  | "array of elements"
  | "array of elements of 0"
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
  /** Properties of the argument with the second number become those of the first. */
  readonly copies?: readonly (readonly [to: number, from: number])[];
  /** What it stores in the receiver's elements: arguments from this one on. */
  readonly stores?: number;
  /** It throws nothing of its own at once: what goes wrong becomes a rejected promise, or does at a later turn. */
  readonly isSafe?: boolean;
  /** Where its conversions call methods of an argument or the receiver. */
  readonly converts?: readonly (readonly [place: ValuePlace, methods: readonly string[]])[];
  /** It iterates over these. */
  readonly iterates?: readonly ValuePlace[];
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
  { argument: 1, turn: "now", parameters: ["elements of 0"], least: { of: 0, elements: 1 } },
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
  ".map": { callbacks: each("elements", "nothing", "receiver"), returns: "array of returned" },
  ".forEach": { callbacks: each("elements", "elements", "receiver") },
  ".filter": { callbacks: each("elements", "nothing", "receiver"), returns: "array of elements" },
  ".find": { callbacks: each("elements", "nothing", "receiver"), returns: "elements" },
  ".findLast": { callbacks: each("elements", "nothing", "receiver"), returns: "elements" },
  ".findIndex": { callbacks: each("elements", "nothing", "receiver") },
  ".findLastIndex": { callbacks: each("elements", "nothing", "receiver") },
  ".some": { callbacks: each("elements", "nothing", "receiver") },
  ".every": { callbacks: each("elements", "nothing", "receiver") },
  ".flatMap": { callbacks: each("elements", "nothing", "receiver"), returns: "returned" },
  ".reduce": {
    callbacks: fold,
    returns: "returned",
  },
  ".reduceRight": {
    callbacks: fold,
    returns: "returned",
  },
  ".sort": { callbacks: compare, returns: "receiver" },
  ".toSorted": { callbacks: compare, returns: "array of elements" },
  ".toSpliced": { returns: "array of elements" },
  ".toReversed": { returns: "array of elements" },
  ".with": { returns: "array of elements" },
  ".slice": { returns: "array of elements" },
  ".splice": { returns: "array of elements", stores: 2 },
  ".concat": { returns: "array of elements" },
  ".flat": { returns: "array of elements" },
  ".reverse": { returns: "receiver" },
  ".fill": { returns: "receiver", stores: 0 },
  ".push": { stores: 0 },
  ".unshift": { stores: 0 },
  ".pop": { returns: "elements" },
  ".shift": { returns: "elements" },
  ".at": { returns: "elements" },
  ".values": { returns: "array of elements" },
  ".entries": { returns: "array of elements" },
  ".keys": {},
  ".add": { returns: "receiver", stores: 0 },
  ".set": { returns: "receiver", stores: 1 },
  ".get": { returns: "elements" },
  ".has": {},
  ".delete": {},
  ".getOrInsert": { returns: "elements", stores: 1 },
  ".getOrInsertComputed": { callbacks: [{ argument: 1, turn: "now" }], returns: "elements" },
  ".toArray": { returns: "array of elements" },
  ".join": { converts: [["elements", TO_STRING]] },
  // Strings
  ".replace": { ...now(1), converts: [[0, ["@@replace"]]] },
  ".replaceAll": { ...now(1), converts: [[0, ["@@replace"]]] },
  ".split": { converts: [[0, ["@@split"]]] },
  // Functions, objects
  ".hasOwnProperty": {},
  "Array.from": {
    callbacks: [{ ...group[0], receiver: 2 }],
    returns: "array of elements of 0",
    iterates: [0],
  },
  "Array.of": {},
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
  "Object.values": { returns: "array of elements of 0", reads: [0] },
  "Object.entries": { returns: "array of elements of 0", reads: [0] },
  "Object.fromEntries": { returns: "array of elements of 0", iterates: [0] },
  "Object.groupBy": { callbacks: group, iterates: [0] },
  "Map.groupBy": { callbacks: group, iterates: [0] },
  Map: { returns: "array of elements of 0", iterates: [0] },
  Set: { returns: "array of elements of 0", iterates: [0] },
  WeakMap: { returns: "array of elements of 0", iterates: [0] },
  WeakSet: { returns: "array of elements of 0", iterates: [0] },
  "Iterator.from": { returns: 0 },
  Promise: { callbacks: [{ ...once(0), isCaught: true }], isSafe: true },
  "Promise.try": { callbacks: [{ ...once(0), isCaught: true }], returns: "returned" },
  "Promise.resolve": { returns: 0, isSafe: true, adopts: [0] },
  "Promise.all": { returns: "array of elements of 0", iterates: [0] },
  "Promise.allSettled": { returns: "array of elements of 0", iterates: [0] },
  "Promise.race": { returns: "elements of 0", iterates: [0] },
  "Promise.any": { returns: "elements of 0", iterates: [0] },
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
  ".addEventListener": later(1),
  ".on": later(1),
  ".once": later(1),
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

/** Methods that take elements away. */
export const SHRINKING: ReadonlySet<string> = new Set(["pop", "shift", "splice"]);

/** Methods of functions, which the value analysis itself carries out. */
export const FUNCTION_METHODS: ReadonlySet<string> = new Set(["call", "apply", "bind"]);

/** Names of builtins, with those of imports from Node's `node:` modules under both of their names. */
export function builtinFor(name: string): Builtin | undefined {
  return Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined;
}
