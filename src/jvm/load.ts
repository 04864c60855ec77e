/**
 * From class files and archives to a program: classes are parsed, methods become flow graphs, calls are resolved, and each
 * method with code becomes a procedure. What cannot be read is said in `diagnostics` and is outside the program; the rest is
 * analysed. Linear in the code, and in what call resolution finds.
 */

import type { Diagnostic } from "../program/diagnostic.js";
import type { Procedure, Program, Variable } from "../program/program.js";
import { unpack } from "./archive.js";
import { CallTargets } from "./calls/call-targets.js";
import { type EntryRule, entriesProcedure, entryProcedures } from "./calls/entries.js";
import {
  type ClassNode,
  circularClasses,
  Hierarchy,
  type MethodNode,
  type StaticField,
} from "./calls/hierarchy.js";
import { Initializers } from "./calls/initializers.js";
import { instantiatedClasses } from "./calls/rapid-types.js";
import { ClassFormatError } from "./class-file/byte-reader.js";
import { Access, type ClassFile, parseClassFile } from "./class-file/class-file.js";
import { parseMethodDescriptor } from "./class-file/descriptor.js";
import { lambdaUses, typeUses, usedClass } from "./class-uses.js";
import { codeGraph, type Exceptions } from "./code/code-graph.js";
import { decode } from "./code/instructions.js";
import { isCall, Opcode } from "./code/opcodes.js";
import {
  callName,
  isVirtualHandle,
  LAMBDA_ACCESS,
  type Lambda,
  lambdaAt,
  lambdaProcedure,
} from "./lambdas.js";
import { lowerMethod, type MethodSource, type NamedAssignment, type NodeMeaning } from "./lower-method.js";
import { handleProcedures } from "./method-handles.js";
import { matchesPackage } from "./package-filter.js";
import { SourceFiles } from "./source-files.js";
import { type StaticAccesses, type StaticsRule, staticVariables } from "./statics.js";

export interface LoadOptions {
  /** Classes that are analysed: patterns such as `org.foo.*`, `org.foo.**`; all by default. */
  readonly include?: readonly string[];
  /** Classes that are not, of those. */
  readonly exclude?: readonly string[];
  /**
   * Which instructions may end by an exception. `handlers` (default): those in the range of a handler, whatever they do, and
   * `athrow`; exceptions that a method does not catch go no further than its exceptional exit. `throwing`: those that can, and
   * what is not caught goes on to the callers. `none`: no instruction; handlers are not code.
   */
  readonly exceptions?: Exceptions;
  /**
   * When class initializers run: `first` (default), among the entries alone, in any order; or at each `use` of their class as well
   * that may be the first: an instance made, a static member accessed.
   */
  readonly initializers?: "first" | "use";
  /** How virtual calls are resolved: by class hierarchy analysis (default) or by rapid type analysis. */
  readonly calls?: "hierarchy" | "rapid";
  /** Where executions begin: by rule, or procedures by name. */
  readonly entries?: EntryRule | readonly string[];
  /** Which static fields are variables; the `frequent` by default. */
  readonly statics?: StaticsRule;
}

/** Where a procedure comes from. */
export interface JvmMethod {
  /** Internal name: `java/lang/Object`. */
  readonly className: string;
  readonly name: string;
  readonly descriptor: string;
  /** `lambda`: the method that a lambda or method reference implements; `entries`: what calls all where executions begin. */
  readonly kind: "method" | "lambda" | "entries";
  /** Per vertex: the offset of its instruction in the code; -1 where there is none. */
  readonly offsets: Int32Array;
}

export interface JvmProgram {
  readonly program: Program;
  readonly diagnostics: readonly Diagnostic[];
  /** Per procedure. Those with code are in the order of class names, then of the class file; then lambdas, then the entries. */
  readonly methods: readonly JvmMethod[];
  /** Static fields that code accesses, the most accessed first. */
  readonly statics: readonly StaticAccesses[];
  readonly classCount: number;
  /** Assignments to locals that sources show, in the order of procedures; those of classes with `LocalVariableTable`. */
  readonly assignments: readonly NamedAssignment[];
  /** Texts of the sources at hand, by the paths of the program's files. */
  readonly sources: ReadonlyMap<string, string>;
}

/**
 * Reads class files and archives, by name, and makes a program of the classes in them. Of a class that is there several times
 * the first counts. Sources among the files (`.java`) give positions their text.
 *
 * Never throws for what is in the files. Throws a `RangeError` for an entry that is not a procedure.
 *
 * @example
 * const { program, diagnostics } = load([["app.jar", bytes]], { include: ["org.foo.**"], exceptions: "throwing" });
 * liveness(program).analyze().liveBefore(0, 1);
 */
export function load(
  files: Iterable<readonly [name: string, bytes: Uint8Array]>,
  options: LoadOptions = {},
): JvmProgram {
  const { exceptions = "handlers", calls = "hierarchy", statics: rule = "frequent" } = options;
  const atUse = options.initializers === "use";
  const problems: Diagnostic[] = [];
  const report = (file: string, message: string, severity: Diagnostic["severity"] = "error") => {
    problems.push({ file, line: 1, column: 1, severity, message });
  };
  const { classes, sources } = readClasses(files, options, report);
  const positions = new SourceFiles(sources);

  // Methods with code.
  const methods: MethodSource[] = [];
  const owners: ClassFile[] = [];
  const methodNodes = new Map<ClassFile, Map<string, MethodNode>>();
  for (const { file, from } of classes) {
    const nodes = new Map<string, MethodNode>();
    methodNodes.set(file, nodes);
    for (const method of file.methods) {
      const signature = method.name + method.descriptor;
      if (nodes.has(signature)) {
        report(from, `${nameOf(file)}: got two methods ${signature}, expected one.`);
        continue;
      }
      let procedure = -1;
      try {
        if (method.code instanceof ClassFormatError) throw method.code;
        if (method.code !== undefined) {
          const instructions = decode(file.constants.bytes, method.code);
          const descriptor = parseMethodDescriptor(method.descriptor, method.code.start);
          const graph = codeGraph(file, method.code, instructions, descriptor.returns, exceptions);
          const place = positions.of(file);
          procedure = methods.length;
          const name = `${file.name}.${signature}`;
          methods.push({ id: procedure, name, method, descriptor, code: method.code, graph, ...place });
          owners.push(file);
        }
      } catch (error) {
        if (!(error instanceof ClassFormatError)) throw error;
        report(from, `${nameOf(file)}, method ${signature}, offset ${error.offset}: ${error.message}.`);
      }
      nodes.set(signature, { owner: file.name, access: method.access, procedure });
    }
  }

  const { lambdas, lambdaOf } = findLambdas(methods, owners);
  const hierarchy = new Hierarchy(classNodes(classes, methodNodes, lambdas, methods.length, report));
  const handles = handleProcedures(methods, owners, hierarchy);
  const entries = entriesOf(options.entries, hierarchy, classes, methods, lambdas, handles);
  const lambdaNames = new Set(lambdas.map(({ className }) => className));
  let isInstantiated = (_: string) => true;
  if (calls === "rapid") {
    const classOf = (p: number) => {
      if (methods.length <= p) return lambdas[p - methods.length].className;
      return (methods[p].method.access & Access.static) === 0 ? owners[p].name : undefined;
    };
    const lambdaAtNode = (p: number, node: number) => {
      const lambda = lambdaOf(p, node);
      return lambda === undefined ? undefined : lambdas[lambda].className;
    };
    const instantiated = instantiatedClasses(hierarchy, entries, classOf, (p) =>
      p < methods.length
        ? typeUses(methods[p], owners[p], (node) => lambdaAtNode(p, node))
        : lambdaUses(lambdas[p - methods.length]),
    );
    isInstantiated = (name) => instantiated.has(name);
  }
  const targets = new CallTargets(hierarchy, isInstantiated, (name) => lambdaNames.has(name));

  const initializers = new Initializers(hierarchy);
  const initializersAt = (p: number, node: number): readonly number[] => {
    const used = atUse ? usedClass(methods[p], owners[p], node) : undefined;
    return used === undefined ? [] : initializers.of(used, owners[p].name);
  };

  // Variables of the whole program, then of each procedure.
  const variables: Variable[] = [];
  const statics = staticVariables(methods, owners, hierarchy, rule, variables);
  const captures = lambdas.map(({ captureCount, maker }) =>
    Array.from({ length: captureCount }, (_, i) => {
      const kind: Variable["kind"] = "temporary";
      const position = { file: -1, start: 0, end: 0 };
      return (
        variables.push({
          name: `captured${i}`,
          kind,
          owner: maker,
          deadZone: false,
          throwsEarly: false,
          ...position,
        }) - 1
      );
    }),
  );
  const procedures: Procedure[] = [];
  const jvmMethods: JvmMethod[] = [];
  const assignments: NamedAssignment[] = [];
  for (const [p, source] of methods.entries()) {
    const file = owners[p];
    const meaning = (node: number): NodeMeaning | undefined => {
      const run = initializersAt(p, node);
      return run.length === 0 ? meaningItself(node) : { ...meaningItself(node), initializers: run };
    };
    const meaningItself = (node: number): NodeMeaning | undefined => {
      const { instruction, instructions } = source.graph;
      const opcode = instructions.opcodes[instruction[node]];
      const operand = instructions.operands[instruction[node]];
      if (opcode === Opcode.getstatic || opcode === Opcode.putstatic) {
        const variable = statics.variableAt(file, operand);
        return variable < 0 ? undefined : { staticField: variable };
      }
      if (!isCall(opcode)) return undefined;
      if (opcode === Opcode.invokedynamic) {
        const lambda = lambdaOf(p, node);
        if (lambda !== undefined) return { captures: captures[lambda] };
        const handle = file.bootstrapMethods[file.constants.invokeDynamic(operand).bootstrap]?.handle;
        const name = handle === undefined ? "" : callName(handle.owner, handle.name);
        return { call: { name, procedures: [], external: true, hasReceiver: false } };
      }
      const { owner, name, descriptor } = file.constants.method(operand);
      const isDirect = opcode === Opcode.invokestatic || opcode === Opcode.invokespecial;
      const found = isDirect
        ? targets.direct(owner, name + descriptor)
        : targets.virtual(owner, name + descriptor);
      return {
        call: { name: callName(owner, name), ...found, hasReceiver: opcode !== Opcode.invokestatic },
      };
    };
    const lowered = lowerMethod(source, exceptions, variables, meaning);
    const { procedure, offsets } = lowered;
    procedures.push(procedure);
    for (const assignment of lowered.assignments) assignments.push(assignment);
    const { name, descriptor } = source.method;
    jvmMethods.push({ className: file.name, name, descriptor, kind: "method", offsets });
  }
  for (const [i, lambda] of lambdas.entries()) {
    const { owner, name, descriptor } = lambda.body;
    const found = isVirtualHandle(lambda.body)
      ? targets.virtual(owner, name + descriptor)
      : targets.direct(owner, name + descriptor);
    const maker = procedures[lambda.maker];
    const at = jvmMethods[lambda.maker].offsets.indexOf(lambda.offset);
    const place = { file: maker.file, start: maker.ranges[2 * at], end: maker.ranges[2 * at + 1] };
    const id = methods.length + i;
    const run =
      atUse && !isVirtualHandle(lambda.body) ? initializers.of(owner, owners[lambda.maker].name) : [];
    const procedure = lambdaProcedure(id, lambda, captures[i], found, place, exceptions, run, variables);
    procedures.push(procedure);
    jvmMethods.push({
      className: lambda.className,
      name: lambda.signature.slice(0, -lambda.descriptor.length),
      descriptor: lambda.descriptor,
      kind: "lambda",
      offsets: new Int32Array(procedure.vertexCount).fill(-1),
    });
  }
  const root = entriesProcedure(entries);
  procedures.push(root);
  const noOffsets = new Int32Array(root.vertexCount).fill(-1);
  jvmMethods.push({ className: "", name: root.name, descriptor: "", kind: "entries", offsets: noOffsets });
  return {
    program: {
      files: positions.files(),
      variables,
      procedures,
      entries: [procedures.length - 1],
      paths: [""],
    },
    diagnostics: problems,
    methods: jvmMethods,
    statics: statics.accesses,
    classCount: classes.length,
    assignments,
    sources: positions.texts(),
  };
}

/** A class, and the file that it was in. */
interface LoadedClass {
  readonly file: ClassFile;
  readonly from: string;
}

const MODULE = 0x8000;

/** The classes that the options admit, by name, each once. */
function readClasses(
  files: Iterable<readonly [name: string, bytes: Uint8Array]>,
  { include = ["**"], exclude = [] }: LoadOptions,
  report: (file: string, message: string, severity?: Diagnostic["severity"]) => void,
): { readonly classes: readonly LoadedClass[]; readonly sources: ReadonlyMap<string, string> } {
  const isWanted = (name: string) => matchesPackage(name, include) && !matchesPackage(name, exclude);
  const unpacked = unpack(files);
  for (const { name, message } of unpacked.problems) report(name, message);
  const found = new Map<string, LoadedClass>();
  const sources = new Map<string, string>();
  for (const { name, bytes } of unpacked.files) {
    if (name.endsWith(".java")) {
      sources.set(name, new TextDecoder().decode(bytes));
      continue;
    }
    if (!name.endsWith(".class")) {
      report(name, "Got a file of another kind, expected a class file, a source or an archive.", "warning");
      continue;
    }
    let file: ClassFile;
    try {
      file = parseClassFile(bytes);
    } catch (error) {
      if (!(error instanceof ClassFormatError)) throw error;
      const inside = name.lastIndexOf("!/");
      const className = name.slice(inside < 0 ? 0 : inside + 2, -".class".length);
      // In an archive, paths are names.
      if (inside < 0 || isWanted(className))
        report(name, `Class ${className}, offset ${error.offset}: ${error.message}.`);
      continue;
    }
    if ((file.access & MODULE) !== 0 || found.has(file.name)) continue;
    if (isWanted(file.name)) found.set(file.name, { file, from: name });
  }
  const classes = [...found.values()].sort((a, b) => (a.file.name < b.file.name ? -1 : 1));
  return { classes, sources };
}

const nameOf = ({ name }: ClassFile): string => `Class ${name}`;

/** Lambdas in the order of the procedures that make them, and which of them a node makes. */
function findLambdas(
  methods: readonly MethodSource[],
  owners: readonly ClassFile[],
): { readonly lambdas: readonly LambdaSite[]; readonly lambdaOf: LambdaLookup } {
  const lambdas: LambdaSite[] = [];
  const known = new Map<string, number>();
  for (const [id, { name, graph }] of methods.entries()) {
    const { opcodes, operands, offsets } = graph.instructions;
    for (let node = 0; node < graph.count; node++) {
      const i = graph.instruction[node];
      if (opcodes[i] !== Opcode.invokedynamic) continue;
      const lambda = lambdaAt(owners[id], operands[i], { id, name, node, offset: offsets[i] });
      if (lambda === undefined) continue;
      known.set(`${id} ${node}`, lambdas.length);
      lambdas.push({ ...lambda, offset: offsets[i] });
    }
  }
  return { lambdas, lambdaOf: (procedure, node) => known.get(`${procedure} ${node}`) };
}

interface LambdaSite extends Lambda {
  readonly offset: number;
}

type LambdaLookup = (procedure: number, node: number) => number | undefined;

function classNodes(
  classes: readonly LoadedClass[],
  methods: ReadonlyMap<ClassFile, ReadonlyMap<string, MethodNode>>,
  lambdas: readonly Lambda[],
  firstLambda: number,
  report: (file: string, message: string) => void,
): ReadonlyMap<string, ClassNode> {
  const circular = circularClasses(new Map(classes.map(({ file }) => [file.name, file.superName])));
  const nodes = new Map<string, ClassNode>();
  for (const { file, from } of classes) {
    const { name, interfaces, access } = file;
    if (circular.has(name))
      report(from, `${nameOf(file)}: got a class below itself, expected another superclass.`);
    const superName = circular.has(name) ? undefined : file.superName;
    const statics = new Map<string, StaticField>();
    for (const field of file.fields) {
      if ((field.access & Access.static) === 0) continue;
      const isFinal = (field.access & Access.final) !== 0;
      statics.set(`${field.name}:${field.descriptor}`, { name: `${name}.${field.name}`, isFinal });
    }
    nodes.set(name, { name, superName, interfaces, access, methods: methods.get(file)!, statics });
  }
  for (const [i, { className: name, interfaceName, signature }] of lambdas.entries()) {
    const method = { owner: name, access: 0, procedure: firstLambda + i };
    nodes.set(name, {
      name,
      superName: "java/lang/Object",
      interfaces: [interfaceName],
      access: LAMBDA_ACCESS,
      methods: new Map([[signature, method]]),
      statics: new Map(),
    });
  }
  return nodes;
}

function entriesOf(
  wanted: LoadOptions["entries"],
  hierarchy: Hierarchy,
  classes: readonly LoadedClass[],
  methods: readonly MethodSource[],
  lambdas: readonly Lambda[],
  handles: ReadonlySet<number>,
): number[] {
  if (wanted === undefined || typeof wanted === "string") {
    const names = [...classes.map(({ file }) => file.name), ...lambdas.map(({ className }) => className)];
    const found = entryProcedures(
      names.map((name) => hierarchy.class(name)!),
      hierarchy,
      wanted,
    );
    return [...new Set([...found, ...handles])].sort((a, b) => a - b);
  }
  const ids = new Map(methods.map(({ id, name }) => [name, id]));
  return wanted.map((name) => {
    const id = ids.get(name);
    if (id === undefined)
      throw new RangeError(`Entries: got "${name}", expected a method as in org/foo/Bar.run()V.`);
    return id;
  });
}
