/**
 * Methods that method handles name. Who calls them is not followed, but for lambdas: code outside may, so that they are
 * among the places where executions begin. One pass over the code and the bootstrap methods.
 */

import type { Hierarchy } from "./calls/hierarchy.js";
import type { ClassFile } from "./class-file/class-file.js";
import type { MethodHandle } from "./class-file/constant-pool.js";
import { Opcode } from "./code/opcodes.js";
import { METAFACTORY } from "./lambdas.js";
import type { MethodSource } from "./lower-method.js";

/** Procedures that method handles name: constants that code loads, and what bootstrap methods other than for lambdas are given. */
export function handleProcedures(
  methods: readonly MethodSource[],
  owners: readonly ClassFile[],
  hierarchy: Hierarchy,
): ReadonlySet<number> {
  const found = new Set<number>();
  const add = (handle: MethodHandle | undefined) => {
    const node = handle === undefined ? undefined : hierarchy.class(handle.owner);
    if (node === undefined) return;
    const procedure = hierarchy.method(node, handle!.name + handle!.descriptor)?.procedure ?? -1;
    if (0 <= procedure) found.add(procedure);
  };
  for (const [p, { graph }] of methods.entries()) {
    const { opcodes, operands } = graph.instructions;
    for (let node = 0; node < graph.count; node++) {
      const i = graph.instruction[node];
      if (opcodes[i] === Opcode.ldc || opcodes[i] === Opcode.ldc_w)
        add(owners[p].constants.methodHandle(operands[i]));
    }
  }
  for (const { bootstrapMethods, constants } of new Set(owners)) {
    for (const { handle, arguments: given } of bootstrapMethods) {
      if (handle?.owner === METAFACTORY) continue;
      add(handle);
      for (const constant of given) add(constants.methodHandle(constant));
    }
  }
  return found;
}
