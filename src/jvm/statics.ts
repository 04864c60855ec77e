/**
 * Which static fields are variables of the program. A field that many procedures touch is a fact of all that call them, so
 * that not every field of a large program can be one: by default those that are not final and accessed most.
 */

import type { Variable } from "../program/program.js";
import type { Hierarchy, StaticField } from "./calls/hierarchy.js";
import type { ClassFile } from "./class-file/class-file.js";
import { Opcode } from "./code/opcodes.js";
import type { MethodSource } from "./lower-method.js";

/**
 * `frequent`: up to `MOST_FREQUENT` fields that are not final and both read and written, the most accessed first, with
 * `MOST_DEFINITIONS` places at most that write them; `all`: every field of the analysed classes that code accesses; or fields by
 * name, such as `org/foo/Bar.count`.
 */
export type StaticsRule = "frequent" | "all" | readonly string[];

export const MOST_FREQUENT = 8;
export const MOST_DEFINITIONS = 24;

export interface StaticAccesses {
  /** Internal name of the class, a dot, and the name. */
  readonly name: string;
  readonly isFinal: boolean;
  /** Instructions that read it, and that write it. */
  readonly reads: number;
  readonly writes: number;
  /** The variable that it is, or -1. */
  readonly variable: number;
}

export interface Statics {
  readonly accesses: readonly StaticAccesses[];
  /** The variable of the field that a constant of a class names, or -1. */
  variableAt(file: ClassFile, constant: number): number;
}

export function staticVariables(
  methods: readonly MethodSource[],
  owners: readonly ClassFile[],
  hierarchy: Hierarchy,
  rule: StaticsRule,
  variables: Variable[],
): Statics {
  const known = new Map<ClassFile, Map<number, StaticField | undefined>>();
  const fieldAt = (file: ClassFile, constant: number): StaticField | undefined => {
    let fields = known.get(file);
    if (fields === undefined) {
      fields = new Map();
      known.set(file, fields);
    }
    if (!fields.has(constant)) {
      const { owner, name, descriptor } = file.constants.field(constant);
      fields.set(constant, hierarchy.staticField(owner, `${name}:${descriptor}`));
    }
    return fields.get(constant);
  };
  const counts = new Map<StaticField, { reads: number; writes: number }>();
  for (const [p, { graph }] of methods.entries()) {
    const { opcodes, operands } = graph.instructions;
    for (let node = 0; node < graph.count; node++) {
      const i = graph.instruction[node];
      if (opcodes[i] !== Opcode.getstatic && opcodes[i] !== Opcode.putstatic) continue;
      const field = fieldAt(owners[p], operands[i]);
      if (field === undefined) continue;
      let count = counts.get(field);
      if (count === undefined) {
        count = { reads: 0, writes: 0 };
        counts.set(field, count);
      }
      if (opcodes[i] === Opcode.getstatic) count.reads++;
      else count.writes++;
    }
  }
  const ordered = [...counts].sort(
    ([a, one], [b, other]) =>
      other.reads + other.writes - (one.reads + one.writes) ||
      (a.name < b.name ? -1 : a.name === b.name ? 0 : 1),
  );
  const chosen = new Map<StaticField, number>();
  let definitions = MOST_DEFINITIONS;
  for (const [field, { reads, writes }] of ordered) {
    const isFrequent = () => {
      if (field.isFinal || reads === 0 || writes === 0 || chosen.size === MOST_FREQUENT) return false;
      if (definitions < writes) return false;
      definitions -= writes;
      return true;
    };
    if (rule === "frequent" ? isFrequent() : rule === "all" || rule.includes(field.name)) {
      const position = { file: -1, start: 0, end: 0 };
      const flags = { deadZone: false, throwsEarly: false };
      chosen.set(
        field,
        variables.push({ name: field.name, kind: "field", owner: -1, ...flags, ...position }) - 1,
      );
    }
  }
  return {
    accesses: ordered.map(([field, count]) => ({ ...field, ...count, variable: chosen.get(field) ?? -1 })),
    variableAt(file, constant) {
      const field = fieldAt(file, constant);
      return field === undefined ? -1 : (chosen.get(field) ?? -1);
    },
  };
}
