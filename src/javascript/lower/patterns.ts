/** Destructuring, in evaluation order: defaults, computed keys, nested patterns, rest (ECMAScript 2026, sections 8.6 and 13.15.5). */

import type { TSESTree } from "@typescript-eslint/types";
import { ANY_NAME, NONE, type Operand, Step, stepCount } from "./code.js";
import { coerce, copyProperties } from "./expressions.js";
import type { FunctionLowering } from "./function-lowering.js";
import { Iteration } from "./iteration.js";

/** Whether a pattern declares names, which initializes them, or assigns to what exists. */
export type BindingMode = "initialize" | "assign";

export function lowerPattern(
  f: FunctionLowering,
  pattern: TSESTree.Node,
  value: Operand,
  mode: BindingMode,
  /** Whether names get the value because the source says so: `ASSIGNED`. */
  assigned = false,
): void {
  const { flow } = f;
  switch (pattern.type) {
    case "Identifier": {
      const binding = f.scopes.of(pattern);
      if (binding === undefined) {
        // A global that nothing declares.
        if (value !== NONE) flow.store(f.globalOperand("globalThis"), value, f.name(pattern.name), pattern);
        return;
      }
      if (mode === "assign") flow.check(binding, pattern);
      flow.write(binding, value, pattern, assigned);
      f.afterWrite(binding, value, pattern);
      return;
    }
    case "MemberExpression": {
      const object = f.expression(pattern.object);
      if (pattern.computed) f.expression(pattern.property);
      const key = f.propertyKey(pattern.property, pattern.computed);
      flow.store(object, value, key === undefined ? ANY_NAME : f.name(key), pattern);
      return;
    }
    case "AssignmentPattern": {
      const result = flow.register();
      const given = flow.at;
      const end = flow.place({ range: [pattern.left.range[1], pattern.left.range[1]] });
      flow.flow(result, value, pattern.left);
      flow.goto(end);
      flow.at = given;
      if (0 <= given && flow.code.parameters.includes(value))
        flow.code.defaults.push({
          parameter: value,
          step: flow.step(Step.join, NONE, NONE, NONE, pattern.right),
        });
      flow.flow(
        result,
        f.expression(pattern.right, pattern.left.type === "Identifier" ? pattern.left.name : undefined),
        pattern.right,
      );
      flow.goto(end);
      flow.at = end;
      lowerPattern(f, pattern.left, result, mode, assigned);
      return;
    }
    case "ObjectPattern": {
      const isChosen = assigned && !pattern.properties.some(({ type }) => type === "RestElement");
      for (const property of pattern.properties) {
        if (property.type === "RestElement") {
          const rest = flow.register();
          flow.code.allocations.push({ step: stepCount(flow.code), register: rest, kind: "object" });
          copyProperties(f, rest, value, property);
          lowerPattern(f, property.argument, rest, mode);
          continue;
        }
        if (property.computed) coerce(f, f.expression(property.key), property.key);
        const key = f.propertyKey(property.key, property.computed);
        const field = flow.load(value, key === undefined ? ANY_NAME : f.name(key), property.key);
        lowerPattern(f, property.value, field, mode, isChosen);
      }
      return;
    }
    case "ArrayPattern":
      arrayPattern(f, pattern, value, mode);
      return;
    case "RestElement":
      lowerPattern(f, pattern.argument, value, mode);
      return;
    case "TSParameterProperty":
      lowerPattern(f, pattern.parameter, value, mode);
      return;
    case "TSAsExpression":
    case "TSNonNullExpression":
    case "TSSatisfiesExpression":
    case "TSTypeAssertion":
      lowerPattern(f, pattern.expression, value, mode, assigned);
      return;
    default:
  }
}

/** Elements are asked for one by one; an iterator that has more than the pattern takes is closed. */
function arrayPattern(
  f: FunctionLowering,
  pattern: TSESTree.ArrayPattern,
  value: Operand,
  mode: BindingMode,
): void {
  const { flow } = f;
  const { elements } = pattern;
  const nowhere = { range: [pattern.range[1], pattern.range[1]] } as const;
  const iteration = new Iteration(f, value, pattern, "[]", false);
  iteration.open();
  // Where the iterator is known to be at its end.
  const done = flow.place(nowhere);
  for (const [i, element] of elements.entries()) {
    const isRest = element?.type === "RestElement";
    // What an iterator of the program gives, as opposed to the places of an array.
    let iterated: Operand;
    if (isRest) iterated = i === 0 ? iteration.all() : iteration.rest();
    else if (i === 0) iterated = iteration.ask("first", elements.length === 1 ? done : undefined);
    else iterated = iteration.askUnlessDone();
    if (element === null) continue;
    const taken = flow.register();
    if (isRest) flow.code.allocations.push({ step: stepCount(flow.code), register: taken, kind: "array" });
    if (value !== NONE) {
      const placed = flow.load(value, isRest ? ANY_NAME : f.name(String(i)), element);
      for (const part of [placed, iterated]) {
        if (isRest) flow.store(taken, part, ANY_NAME, element);
        else flow.flow(taken, part, element);
      }
    }
    const bind = () => lowerPattern(f, isRest ? element.argument : element, taken, mode);
    if (isRest || (element.type === "Identifier" && mode === "initialize")) bind();
    else iteration.closingOnLeave(bind, element);
  }
  if (elements[elements.length - 1]?.type === "RestElement" || value === NONE) return;
  if (elements.length === 0) {
    iteration.close("cancel", nowhere);
    return;
  }
  flow.edge(flow.at, done);
  const after = flow.place(nowhere);
  flow.edge(done, after);
  iteration.close("close", nowhere);
  flow.continueAt(after);
}
