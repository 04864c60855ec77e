/**
 * From the flow graph of a method's instructions to a procedure: what each instruction does to variables. Locals, entries of
 * the operand stack, the returned value and static fields are variables; the heap is not: what is read from it has a value.
 *
 * Vertices, in this order: the start; per instruction one, before it those of class initializers that it may run, and, after a call
 * into the program, its return site; per handler the point at which its exception is caught; points at which exceptions part; the exit; the exceptional exit. A stack entry is
 * uninitialized until it is first pushed; the null constant is a value that is missing, so it comes from a variable that is never
 * initialized. O(instructions + edges + arguments).
 */

import {
  type Assignment,
  type CallSite,
  OPERATION_SIZE,
  Op,
  type Procedure,
  type ProcedureKind,
  type Variable,
} from "../program/program.js";
import { Access, type CodeAttribute, type Method } from "./class-file/class-file.js";
import type { MethodDescriptor } from "./class-file/descriptor.js";
import type { CodeGraph, Exceptions } from "./code/code-graph.js";
import { linesOf, type SourceLines } from "./code/lines.js";
import { namedStores } from "./code/named-stores.js";
import { canThrow, isCall, isJsr, isReturn, isWithin, Opcode } from "./code/opcodes.js";
import { overwrittenHalves } from "./code/overwritten-halves.js";

/** What is known of the instruction at a node from the rest of the program. */
export interface NodeMeaning {
  /** A call, of whatever it may call. */
  readonly call?: {
    readonly name: string;
    readonly procedures: readonly number[];
    readonly external: boolean;
    readonly hasReceiver: boolean;
  };
  /** The variable of the static field that is read or written. */
  readonly staticField?: number;
  /** Procedures of class initializers that may run before it, any of them, in any order. */
  readonly initializers?: readonly number[];
  /** Variables that the captured values of a lambda go to, in order; the instruction makes the lambda. */
  readonly captures?: readonly number[];
}

export interface MethodSource {
  readonly id: number;
  readonly name: string;
  readonly method: Method;
  readonly descriptor: MethodDescriptor;
  readonly code: CodeAttribute;
  readonly graph: CodeGraph;
  readonly file: number;
  readonly lines: SourceLines;
}

/** An assignment, and what the source calls the variable: several may share one local. */
export interface NamedAssignment extends Assignment {
  readonly name: string;
}

export interface LoweredMethod {
  readonly procedure: Procedure;
  /** Per vertex: the offset of its instruction in the code, or -1. */
  readonly offsets: Int32Array;
  /** Assignments that the source shows, with the names that it has for their variables. */
  readonly assignments: readonly NamedAssignment[];
}

/** `meaning` says what is known of a node; variables of the procedure are added to `variables`. */
export function lowerMethod(
  source: MethodSource,
  exceptions: Exceptions,
  variables: Variable[],
  meaning: (node: number) => NodeMeaning | undefined,
): LoweredMethod {
  const { graph, method, descriptor, code, id } = source;
  const { count, instruction, instructions, effects, shape, shapes, landing, landings } = graph;
  const { opcodes, operands, offsets } = instructions;
  const isStatic = (method.access & Access.static) !== 0;
  const meanings = Array.from({ length: count }, (_, node) => meaning(node));
  const height = (node: number) => shapes.height(shape[node]);

  // Vertices.
  const vertexOf = new Uint32Array(count);
  /** Where control enters a node: its vertex, or three before it, which run class initializers or not. */
  const entryOf = new Uint32Array(count);
  const returnSiteOf = new Int32Array(count).fill(-1);
  let vertexCount = 1;
  for (let node = 0; node < count; node++) {
    entryOf[node] = vertexCount;
    if (meanings[node]?.initializers !== undefined) vertexCount += INITIALIZER_VERTICES;
    vertexOf[node] = vertexCount++;
    if (0 < (meanings[node]?.call?.procedures.length ?? 0)) returnSiteOf[node] = vertexCount++;
  }
  const caughtAt = new Map<number, number>();
  for (const node of new Set(landings.flatMap(({ handlers }) => handlers))) caughtAt.set(node, vertexCount++);
  /** Whether an exception that no handler takes leaves; by the option `handlers` only one that is thrown does. */
  const leaves = (index: number, opcode: number) =>
    landings[index].leaves && (exceptions === "throwing" || opcode === Opcode.athrow);
  const parting = new Map<string, number>();
  const landingVertex = new Int32Array(count).fill(-1);
  const partings: {
    readonly vertex: number;
    readonly handlers: readonly number[];
    readonly leaves: boolean;
  }[] = [];
  const leaving: number[] = [];
  for (let node = 0; node < count; node++) {
    if (landing[node] < 0) continue;
    const { handlers } = landings[landing[node]];
    const isLeft = leaves(landing[node], opcodes[instruction[node]]);
    if (handlers.length === 0) {
      if (isLeft) leaving.push(node);
    } else if (handlers.length === 1 && !isLeft) landingVertex[node] = caughtAt.get(handlers[0])!;
    else {
      const key = `${landing[node]} ${isLeft}`;
      let vertex = parting.get(key);
      if (vertex === undefined) {
        vertex = vertexCount++;
        parting.set(key, vertex);
        partings.push({ vertex, handlers, leaves: isLeft });
      }
      landingVertex[node] = vertex;
    }
  }
  const exit = vertexCount++;
  const exceptionalExit = vertexCount++;
  for (const node of leaving) landingVertex[node] = exceptionalExit;

  // Variables.
  const parameterLocals: number[] = [];
  const wideParameters: number[] = [];
  let nextLocal = 0;
  if (!isStatic) parameterLocals.push(nextLocal++);
  for (const isWide of descriptor.parameters) {
    parameterLocals.push(nextLocal);
    if (isWide) wideParameters.push(nextLocal);
    nextLocal += isWide ? 2 : 1;
  }
  const accessed = new Set(parameterLocals);
  let stackSize = 0;
  let hasNull = false;
  for (let node = 0; node < count; node++) {
    const i = instruction[node];
    const opcode = opcodes[i];
    if (isLocalAccess(opcode)) accessed.add(operands[i]);
    hasNull ||= opcode === Opcode.aconst_null;
    let most = height(node);
    if (opcode === Opcode.iinc || opcode === Opcode.swap) most++;
    if (isCall(opcode)) {
      const { pops, pushes } = effects.effect(i);
      if (pushes !== "nothing") most = Math.max(most, height(node) - pops + 1);
    }
    stackSize = Math.max(stackSize, most);
  }
  const variable = (name: string, kind: Variable["kind"], line = 0): number => {
    const [start] = line === 0 ? [0] : source.lines.range(line);
    const file = line === 0 ? -1 : source.file;
    const position = { file, start, end: start };
    return variables.push({ name, kind, owner: id, deadZone: true, throwsEarly: false, ...position }) - 1;
  };
  const lines = linesOf(code, offsets);
  const lineAt = (offset: number) =>
    lines[Math.max(instructions.at[Math.min(offset, offsets[offsets.length - 1])], 0)];
  const localOf = new Map<number, number>();
  const isParameter = new Set(parameterLocals);
  for (const local of [...accessed].sort((a, b) => a - b)) {
    const entries = code.locals.filter(({ index }) => index === local);
    const name =
      [...new Set(entries.map((entry) => entry.name))].join("|") ||
      (local === 0 && !isStatic ? "this" : `local${local}`);
    const line = entries.length === 0 ? 0 : lineAt(Math.min(...entries.map(({ from }) => from)));
    localOf.set(local, variable(name, isParameter.has(local) ? "parameter" : "var", line));
  }
  const firstSlot = variables.length;
  for (let i = 0; i < stackSize; i++) variable(`stack${i}`, "temporary");
  const slot = (index: number) => firstSlot + index;
  const result = descriptor.returns === "nothing" ? -1 : variable("return value", "temporary");
  const nothing = hasNull ? variable("null", "temporary") : -1;

  // Operations, vertex by vertex.
  const operations: number[] = [];
  const operationStart = new Uint32Array(vertexCount + 1);
  const emit = (code: number, target: number, from = 0) => operations.push(code, target, from, 0);
  const read = (index: number) => emit(Op.read, slot(index));
  const write = (target: number) => emit(Op.write, target);
  const declare = (target: number) => emit(Op.declare, target);
  const flow = (target: number, from: number) => emit(Op.flow, target, from);
  const copy = (target: number, from: number) => {
    write(target);
    flow(target, from);
  };
  const end = (vertex: number) => {
    operationStart[vertex + 1] = operations.length / OPERATION_SIZE;
  };
  for (const [local, v] of localOf) if (!isParameter.has(local)) declare(v);
  for (let i = 0; i < stackSize; i++) declare(slot(i));
  if (0 <= result) declare(result);
  end(0);

  const calls: CallSite[] = [];
  const edges: number[] = [0, entryOf[0]];
  const exceptional: number[] = [0];
  const edge = (from: number, to: number, isExceptional = false) => {
    edges.push(from, to);
    exceptional.push(isExceptional ? 1 : 0);
  };
  const halves = overwrittenHalves(graph, wideParameters);
  for (let node = 0; node < count; node++) {
    const known = meanings[node];
    if (known?.initializers !== undefined) initialize(node, known.initializers);
    if (known?.call !== undefined) lowerCall(node, known.call);
    else {
      lowerInstruction(node, known);
      for (let i = graph.successorStart[node]; i < graph.successorStart[node + 1]; i++)
        edge(vertexOf[node], entryOf[graph.successors[i]]);
    }
    end(vertexOf[node]);
    if (0 <= returnSiteOf[node]) end(returnSiteOf[node]);
    // Of a call outside, the exceptional return site says so.
    const isOutside = known?.call !== undefined && returnSiteOf[node] < 0;
    if (0 <= landingVertex[node] && !(isOutside && exceptions === "throwing"))
      edge(vertexOf[node], landingVertex[node], true);
    if (isReturn(opcodes[instruction[node]])) edge(vertexOf[node], exit);
  }
  for (const [node, vertex] of caughtAt) {
    write(slot(0));
    end(vertex);
    edge(vertex, entryOf[node]);
  }
  for (const part of partings) {
    end(part.vertex);
    for (const node of part.handlers) edge(part.vertex, caughtAt.get(node)!);
    if (part.leaves) edge(part.vertex, exceptionalExit);
  }
  end(exit);
  end(exceptionalExit);

  const { ranges, vertexOffsets, start, end: last } = positions();
  const parameters = Int32Array.from(
    isStatic ? parameterLocals : parameterLocals.slice(1),
    (l) => localOf.get(l)!,
  );
  return {
    offsets: vertexOffsets,
    assignments: namedStores(graph, code).map(({ node, local, name }) => ({
      procedure: id,
      vertex: vertexOf[node],
      variable: localOf.get(local)!,
      name,
    })),
    procedure: {
      name: source.name,
      kind: kindOf(method),
      file: source.file,
      start,
      end: last,
      vertexCount,
      exit,
      exceptionalExit,
      ranges,
      operationStart,
      operations: Uint32Array.from(operations),
      edges: Uint32Array.from(edges),
      exceptional: Uint8Array.from(exceptional),
      calls,
      parameters,
      rest: false,
      result,
      receiver: isStatic ? -1 : localOf.get(0)!,
    },
  };

  /** Before the node: again and again one of the initializers, or none any more. */
  function initialize(node: number, callees: readonly number[]): void {
    const before = entryOf[node];
    const [vertex, returnSite] = [before + 1, before + 2];
    for (let v = before; v < vertexOf[node]; v++) end(v);
    edge(before, vertex);
    edge(before, vertexOf[node]);
    edge(returnSite, before);
    const exceptionalReturnSite = exceptions === "throwing" ? landingVertex[node] : -1;
    calls.push(initializerCall(vertex, returnSite, exceptionalReturnSite, callees));
  }

  function lowerCall(node: number, call: NonNullable<NodeMeaning["call"]>): void {
    const { pops, pushes } = effects.effect(instruction[node]);
    const base = height(node) - pops;
    const given = Int32Array.from({ length: pops }, (_, i) => slot(base + i));
    // Without an object there is no call.
    if (call.hasReceiver && 0 < call.procedures.length) emit(Op.read, given[0]);
    const [next] = graph.successors.subarray(graph.successorStart[node], graph.successorStart[node + 1]);
    const returnSite = 0 <= returnSiteOf[node] ? returnSiteOf[node] : entryOf[next];
    calls.push({
      vertex: vertexOf[node],
      returnSite,
      exceptionalReturnSite: exceptions === "throwing" ? landingVertex[node] : -1,
      callees: call.procedures,
      external: call.external,
      name: call.name,
      arguments: call.hasReceiver ? given.subarray(1) : given,
      result: pushes === "nothing" ? -1 : slot(base),
      receiver: call.hasReceiver ? given[0] : -1,
    });
    if (0 <= returnSiteOf[node]) edge(returnSite, entryOf[next]);
  }

  function lowerInstruction(node: number, known: NodeMeaning | undefined): void {
    const i = instruction[node];
    const opcode = opcodes[i];
    const top = height(node) - 1;
    if (isWithin(opcode, Opcode.iload, Opcode.aload)) copy(slot(top + 1), localOf.get(operands[i])!);
    else if (isWithin(opcode, Opcode.istore, Opcode.astore)) store(node, operands[i], top);
    else if (opcode === Opcode.iinc) {
      // By way of the entry above the stack.
      const v = localOf.get(operands[i])!;
      copy(slot(top + 1), v);
      copy(v, slot(top + 1));
    } else if (isWithin(opcode, Opcode.pop, Opcode.swap)) rearrange(node, top);
    else if (opcode === Opcode.aconst_null) {
      declare(nothing);
      copy(slot(top + 1), nothing);
    } else if (opcode === Opcode.getstatic && known?.staticField !== undefined)
      copy(slot(top + 1), known.staticField);
    else if (opcode === Opcode.putstatic && known?.staticField !== undefined)
      copy(known.staticField, slot(top));
    else if (isReturn(opcode)) {
      if (opcode !== Opcode.return) copy(result, slot(top));
    } else if (known?.captures !== undefined) makeLambda(known.captures, top + 1 - known.captures.length);
    else if (isJsr(opcode)) write(slot(top + 1));
    else compute(node, top);
  }

  /** What is left: takes values off the stack, and may put one there. */
  function compute(node: number, top: number): void {
    const i = instruction[node];
    const opcode = opcodes[i];
    const { pops, pushes } = effects.effect(i);
    const base = top + 1 - pops;
    if (isDerived(opcode)) {
      // The value stays, or becomes part of another, in its place.
      if (canThrow(opcode) && opcode !== Opcode.checkcast) for (let k = 0; k < pops; k++) read(base + k);
      for (let k = 1; k < pops; k++) flow(slot(base), slot(base + k));
      return;
    }
    for (let k = 0; k < pops; k++) read(base + k);
    if (pushes !== "nothing") write(slot(base));
  }

  function store(node: number, local: number, top: number): void {
    copy(localOf.get(local)!, slot(top));
    const after = shapes.isWide(shape[node]) ? localOf.get(local + 1) : undefined;
    const before = halves[node] === 1 ? localOf.get(local - 1) : undefined;
    if (after !== undefined) declare(after);
    if (before !== undefined) declare(before);
  }

  function rearrange(node: number, top: number): void {
    const i = instruction[node];
    if (opcodes[i] === Opcode.swap) {
      copy(slot(top + 1), slot(top));
      copy(slot(top), slot(top - 1));
      copy(slot(top - 1), slot(top + 1));
      return;
    }
    const duplication = effects.duplication(i, shapes, shape[node]);
    if (duplication === undefined) return;
    const { copied, skipped } = duplication;
    // From the top down, each entry moves up; then the copies go below.
    for (let k = 0; k < copied + skipped; k++) copy(slot(top + copied - k), slot(top - k));
    if (skipped === 0) return;
    for (let k = 0; k < copied; k++) copy(slot(top - skipped - k), slot(top + copied - k));
  }

  function makeLambda(captures: readonly number[], base: number): void {
    for (const [k, v] of captures.entries()) flow(v, slot(base + k));
    if (captures.length === 0) write(slot(base));
    for (let k = 1; k < captures.length; k++) flow(slot(base), slot(base + k));
  }

  function positions() {
    const ranges = new Uint32Array(2 * vertexCount);
    const vertexOffsets = new Int32Array(vertexCount).fill(-1);
    let first = 0;
    let latest = 0;
    for (const line of lines) {
      if (line === 0) continue;
      first = first === 0 ? line : Math.min(first, line);
      latest = Math.max(latest, line);
    }
    const [start] = source.lines.range(first);
    const [, end] = source.lines.range(latest);
    ranges.fill(start);
    for (let node = 0; node < count; node++) {
      const [from, to] = source.lines.range(lines[instruction[node]]);
      ranges.set([from, to], 2 * vertexOf[node]);
      vertexOffsets[vertexOf[node]] = offsets[instruction[node]];
      for (let v = entryOf[node]; v < vertexOf[node]; v++) ranges.set([from, from], 2 * v);
      if (0 <= returnSiteOf[node]) ranges.set([from, from], 2 * returnSiteOf[node]);
    }
    for (const [node, vertex] of caughtAt) {
      const [from] = source.lines.range(lines[instruction[node]]);
      ranges.set([from, from], 2 * vertex);
    }
    return { ranges, vertexOffsets, start, end };
  }
}

/** Whether the value that it leaves is one of those it takes, or computed from them alone. */
function isDerived(opcode: number): boolean {
  return (
    isWithin(opcode, Opcode.iadd, Opcode.lxor) ||
    isWithin(opcode, Opcode.i2l, Opcode.dcmpg) ||
    opcode === Opcode.checkcast
  );
}

const INITIALIZER_VERTICES = 3;

/** A call of any of some class initializers, by the virtual machine. */
export const initializerCall = (
  vertex: number,
  returnSite: number,
  exceptionalReturnSite: number,
  callees: readonly number[],
): CallSite => ({
  ...{ vertex, returnSite, exceptionalReturnSite, callees },
  external: false,
  name: "",
  arguments: new Int32Array(0),
  result: -1,
  receiver: -1,
});

const isLocalAccess = (opcode: number): boolean =>
  isWithin(opcode, Opcode.iload, Opcode.aload) ||
  isWithin(opcode, Opcode.istore, Opcode.astore) ||
  opcode === Opcode.iinc;

function kindOf({ name, access }: Method): ProcedureKind {
  if (name === "<clinit>") return "fields";
  if (name === "<init>") return "constructor";
  return (access & Access.static) !== 0 ? "function" : "method";
}
