/**
 * The configuration of `phloem check`: what `phloem.config.js`, `phloem.config.json` or the key `phloem` of package.json may
 * say, checked key by key. Values come in as they were loaded; nothing here reads files.
 *
 *     {
 *       "entries": ["src/main.ts", "test/*.test.ts"],
 *       "rules": { "dead-store": "warning", "unreachable-code": "off" },
 *       "callbacks": "now",
 *       "taint": { "sources": ["process.argv"], "sinks": [{ "name": ".query", "arguments": [0] }], "sanitizers": ["escape"] },
 *       "ignore": ["src/generated/"],
 *       "baseline": "phloem-baseline.json"
 *     }
 */

import { InputError } from "../exploded/input-error.js";
import { CALLBACKS, type Callbacks, type TaintSink, type TaintSpec } from "./check-request.js";
import { RULES, type RuleName } from "./finding.js";
import { RULE_TEXTS } from "./rules.js";
import { anyOf, REPORTED_RULES, type ReportedRule } from "./suppress.js";

/** `off`: does not run. `error` and `warning`: the severity of all its findings, whatever theirs would be. */
export const LEVELS = ["error", "warning", "off"] as const;
export type Level = (typeof LEVELS)[number];

export interface CheckConfig {
  /** Paths and globs; without them, package.json says where execution begins. */
  readonly entries?: readonly string[];
  /** Rules that are left out run if they do by default, and their findings keep the severity they have. */
  readonly rules: Readonly<Partial<Record<ReportedRule, Level>>>;
  readonly callbacks: Callbacks;
  readonly taint?: TaintSpec;
  /** Globs of files, or folders, whose findings are of no interest. They are analysed all the same. */
  readonly ignore: readonly string[];
  /** The baseline file. */
  readonly baseline?: string;
}

/**
 * Checks a configuration.
 *
 * @param place the file it comes from, for errors
 * @throws {InputError} naming the first key that is wrong
 *
 * @example
 * parseConfig({ rules: { "dead-store": "warning" } }, "phloem.config.json");
 * // { rules: { "dead-store": "warning" }, callbacks: "later", ignore: [] }
 * parseConfig({ callbacks: "soon" }, "phloem.config.json");
 * // InputError: phloem.config.json: callbacks: got "soon", expected "later" or "now".
 */
export function parseConfig(value: unknown, place: string): CheckConfig {
  const config = record(
    value,
    ["entries", "rules", "callbacks", "taint", "ignore", "baseline"],
    place,
    "the configuration",
  );
  const { entries, rules = {}, callbacks = "later", taint, ignore = [], baseline } = config;
  const levels = Object.entries(record(rules, REPORTED_RULES, place, "rules"))
    .filter(([, level]) => level !== undefined)
    .map(([rule, level]) => [rule, choice(level, LEVELS, place, `rules[${JSON.stringify(rule)}]`)]);
  return {
    ...(entries === undefined ? {} : { entries: strings(entries, place, "entries") }),
    rules: Object.fromEntries(levels),
    callbacks: choice(callbacks, CALLBACKS, place, "callbacks"),
    ...(taint === undefined ? {} : { taint: taintSpec(taint, place) }),
    ignore: strings(ignore, place, "ignore"),
    ...(baseline === undefined ? {} : { baseline: string(baseline, place, "baseline") }),
  };
}

/**
 * The rules that run: those that were asked for, otherwise those that are on.
 *
 * @example
 * rulesToRun(parseConfig({ rules: { "dead-store": "error", "unreachable-code": "off" } }, ""), []);
 * // ["use-before-init", "dead-store"]
 */
export function rulesToRun(config: CheckConfig, asked: readonly RuleName[]): readonly RuleName[] {
  return RULES.filter((rule) => {
    if (0 < asked.length) return asked.includes(rule);
    if (rule === "tainted-sink" && config.taint === undefined) return false;
    return (config.rules[rule] ?? (RULE_TEXTS[rule].byDefault ? "error" : "off")) !== "off";
  });
}

function taintSpec(value: unknown, place: string): TaintSpec {
  const {
    sources,
    sinks,
    sanitizers = [],
  } = record(value, ["sources", "sinks", "sanitizers"], place, "taint");
  return {
    sources: strings(sources, place, "taint.sources"),
    sinks: list(sinks, place, "taint.sinks").map((sink, i) => taintSink(sink, place, `taint.sinks[${i}]`)),
    sanitizers: strings(sanitizers, place, "taint.sanitizers"),
  };
}

function taintSink(value: unknown, place: string, key: string): TaintSink {
  if (typeof value === "string") return { name: string(value, place, key) };
  const sink = record(value, ["name", "arguments"], place, key);
  const name = string(sink.name, place, `${key}.name`);
  if (sink.arguments === undefined) return { name };
  const positions = list(sink.arguments, place, `${key}.arguments`).map((position, i) => {
    if (!Number.isSafeInteger(position) || (position as number) < 0) {
      fail(place, `${key}.arguments[${i}]`, position, "a position counted from 0");
    }
    return position as number;
  });
  return { name, arguments: positions };
}

function fail(place: string, key: string, got: unknown, expected: string): never {
  throw new InputError(place, undefined, `${key}: got ${shown(got)}, expected ${expected}`);
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = typeof value === "function" ? "a function" : (JSON.stringify(value) ?? String(value));
  return text.length <= 60 ? text : `${text.slice(0, 60)}...`;
}

/** An object with no other keys than these. */
function record(
  value: unknown,
  keys: readonly string[],
  place: string,
  what: string,
): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    fail(place, what, value, "an object");
  }
  for (const key of Object.keys(value)) {
    if (!keys.includes(key)) {
      const problem = `got the key ${JSON.stringify(key)}, expected ${anyOf(keys)}`;
      throw new InputError(place, undefined, `${what}: ${problem}`);
    }
  }
  return value as Record<string, unknown>;
}

function list(value: unknown, place: string, key: string): readonly unknown[] {
  return Array.isArray(value) ? value : fail(place, key, value, "a list");
}

function string(value: unknown, place: string, key: string): string {
  return typeof value === "string" && value !== ""
    ? value
    : fail(place, key, value, "a string that is not empty");
}

function strings(value: unknown, place: string, key: string): string[] {
  return list(value, place, key).map((item, i) => string(item, place, `${key}[${i}]`));
}

function choice<T extends string>(value: unknown, of: readonly T[], place: string, key: string): T {
  const found = of.find((one) => one === value);
  return found ?? fail(place, key, value, anyOf(of.map((one) => JSON.stringify(one))));
}
