/**
 * Functions with names of their own that something may use before they are initialized, by syntax alone. A name that only the
 * function itself and functions in it see can be used early only if, while it is open, the function uses it, or mentions a
 * function in it that does, itself or through further mentions. All others need no analysis of what they call.
 *
 * Cost: 32 names of a function at a time, the part of its graph where they are open, and the mentions below it.
 */

import { type Binding, bindingId, type Code, isBinding, STEP_SIZE, Step } from "./code.js";

/** The codes, those of modules aside, that have such names. */
export function earlyCodes(codes: readonly Code[]): Code[] {
  const mentions = codes.map(mentionsOf);
  const functionOf = new Map<number, Code>();
  for (const code of codes) {
    for (const [binding, declared] of declaredFunctions(code)) functionOf.set(binding, declared);
  }
  const numbers = new Map(codes.map((code, i) => [code, i]));
  /** Codes that a code makes or reads the names of. */
  const targets = codes.map((code, i) => {
    const found = new Set<number>();
    for (const { code: made } of mentions[i].made) found.add(numbers.get(made)!);
    for (const binding of mentions[i].read) {
      const named = functionOf.get(binding);
      if (named !== undefined && named !== code) found.add(numbers.get(named)!);
    }
    return found;
  });
  return codes.filter((code, i) => {
    if (code.kind === "module") return false;
    const own = code.bindings.filter(({ deadZone }) => deadZone);
    for (let from = 0; from < own.length; from += 32) {
      if (isEarly(code, own.slice(from, from + 32), mentions[i], functionOf, numbers, mentions, targets))
        return true;
    }
    return false;
  });
}

interface Mentions {
  /** Functions and members of classes that it makes, by the step before which it does. */
  readonly made: readonly { readonly code: Code; readonly step: number }[];
  /** Bindings that it reads or checks. */
  readonly read: ReadonlySet<number>;
}

function mentionsOf(code: Code): Mentions {
  const made: { code: Code; step: number }[] = [];
  for (const { code: inner, shape, step } of code.allocations) {
    if (inner !== undefined && inner !== code) made.push({ code: inner, step });
    if (shape === undefined) continue;
    for (const member of shape.members) made.push({ code: member.code, step });
    if (shape.fields !== undefined) made.push({ code: shape.fields, step });
  }
  for (const { code: inner } of code.accessors) made.push({ code: inner, step: 0 });
  const read = new Set<number>();
  for (let at = 0; at < code.steps.length; at += STEP_SIZE) {
    const kind = code.steps[at];
    if ((kind === Step.read || kind === Step.check) && isBinding(code.steps[at + 1]))
      read.add(bindingId(code.steps[at + 1]));
  }
  return { made, read };
}

/** Functions declared in a code, by their binding. */
function* declaredFunctions(code: Code): Iterable<[binding: number, declared: Code]> {
  const byRegister = new Map(code.allocations.map((allocation) => [allocation.register, allocation.code]));
  for (let at = 0; at < code.steps.length; at += STEP_SIZE) {
    if (code.steps[at] !== Step.write || !isBinding(code.steps[at + 1])) continue;
    const declared = byRegister.get(code.steps[at + 2]);
    if (declared !== undefined) yield [bindingId(code.steps[at + 1]), declared];
  }
}

function isEarly(
  code: Code,
  own: readonly Binding[],
  mentions: Mentions,
  functionOf: ReadonlyMap<number, Code>,
  numbers: ReadonlyMap<Code, number>,
  all: readonly Mentions[],
  targets: readonly ReadonlySet<number>[],
): boolean {
  const bits = new Map(own.map((binding, i) => [binding.id, 1 << i]));
  const { steps, edges } = code;
  const count = steps.length / STEP_SIZE;
  const first = new Uint32Array(count + 1);
  for (let e = 0; e < edges.length; e += 3) first[edges[e] + 1]++;
  for (let v = 0; v < count; v++) first[v + 1] += first[v];
  const next = first.slice();
  const successors = new Uint32Array(edges.length / 3);
  for (let e = 0; e < edges.length; e += 3) successors[next[edges[e]]++] = edges[e + 1];

  const made = new Map<number, number[]>();
  for (const { code: inner, step } of mentions.made)
    made.set(step, [...(made.get(step) ?? []), numbers.get(inner)!]);
  const open = new Int32Array(count);
  const reached = new Map<number, number>();
  /** Functions that may be called while names are open, with these. */
  const mentioned: [target: number, mask: number][] = [];
  const work: number[] = [];
  for (let step = 0; step < count; step++) {
    const at = step * STEP_SIZE;
    if (steps[at] === Step.declare && bits.has(bindingId(steps[at + 1]))) work.push(step);
  }
  while (0 < work.length) {
    const step = work.pop()!;
    const at = step * STEP_SIZE;
    const kind = steps[at];
    let mask = open[step];
    if (isBinding(steps[at + 1])) {
      const binding = bindingId(steps[at + 1]);
      const bit = bits.get(binding) ?? 0;
      if (kind === Step.declare) mask |= bit;
      else if (kind === Step.write) mask &= ~bit;
      else if (kind === Step.read || kind === Step.check) {
        if ((mask & bit) !== 0) return true;
        const named = functionOf.get(binding);
        if (named !== undefined && mask !== 0) mentioned.push([numbers.get(named)!, mask]);
      }
    }
    if (mask === 0) continue;
    for (const target of made.get(step) ?? []) mentioned.push([target, mask]);
    for (let i = first[step]; i < first[step + 1]; i++) {
      const successor = successors[i];
      if ((open[successor] | mask) === open[successor]) continue;
      open[successor] |= mask;
      work.push(successor);
    }
  }
  while (0 < mentioned.length) {
    const [target, mask] = mentioned.pop()!;
    const known = reached.get(target) ?? 0;
    if ((known | mask) === known) continue;
    reached.set(target, known | mask);
    for (const binding of all[target].read) if (((bits.get(binding) ?? 0) & mask) !== 0) return true;
    for (const further of targets[target]) mentioned.push([further, mask]);
  }
  return false;
}
