/** What the lowering of one module shares: its names, its codes, and what remains to be lowered. */

import type { TSESTree } from "@typescript-eslint/types";
import type { Binding, Code, CodeKind, Names, Operand } from "./code.js";
import { NONE } from "./code.js";
import type { Extent } from "./flow-builder.js";
import type { FunctionLowering } from "./function-lowering.js";
import type { BindingTable, ScopeTable } from "./scope-table.js";

/** What of a compiler's settings changes what a program does. */
export interface LoweringSettings {
  /** Decorators as TypeScript had them before the standard's. */
  readonly experimentalDecorators: boolean;
  readonly emitDecoratorMetadata: boolean;
}

export interface ModuleContext {
  readonly index: number;
  readonly scopes: ScopeTable;
  readonly bindings: BindingTable;
  readonly names: Names;
  readonly settings: LoweringSettings;
  readonly codes: Code[];
  readonly codeOfNode: Map<TSESTree.Node, Code>;
  /** Bodies that are still to be lowered. */
  readonly pending: (() => void)[];
  /** The variables `exports` and `module` of a CommonJS module. */
  readonly exportsBinding: Binding | undefined;
  readonly moduleBinding: Binding | undefined;
  /** The binding of `export default` with an expression. */
  readonly defaultBinding: () => Binding;
  /** Whether an `import` or `export ... from` is a call of `require` where it stands. */
  readonly importsByCall: boolean;
  readonly isElided: (node: TSESTree.Node) => boolean;
  /** Whether a call asks for another module, under a name that the source says. */
  readonly isRequest: (node: TSESTree.Node) => boolean;
  afterWrite?(f: FunctionLowering, binding: Binding, value: Operand, where: Extent): void;
  createCode(code: NewCode): Code;
}

export interface NewCode {
  readonly name: string;
  readonly kind: CodeKind;
  readonly parent: Code | undefined;
  readonly range: readonly [number, number];
  readonly isAsync: boolean;
  readonly isGenerator: boolean;
  readonly isArrow: boolean;
}

export function emptyCode(id: number, module: number, { range, ...rest }: NewCode): Code {
  return {
    ...rest,
    id,
    module,
    start: range[0],
    end: range[1],
    steps: [],
    ranges: [],
    edges: [],
    calls: [],
    allocations: [],
    accessors: [],
    bindings: [],
    registers: 0,
    parameters: [],
    rest: false,
    receiver: NONE,
    result: NONE,
    yielded: NONE,
    sent: NONE,
    handlers: [],
    argumentsObject: NONE,
    defaults: [],
    closed: [],
    reached: new Uint8Array(0),
    isDynamic: false,
  };
}
