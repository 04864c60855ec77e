/**
 * Lambdas and method references: call sites that `LambdaMetafactory` makes. Each stands for a class that implements the
 * functional interface by one method; that method calls the body, with the values captured where the lambda is made before the
 * arguments. Captured values are variables of the activation that makes the lambda.
 */

import { OPERATION_SIZE, Op, type Procedure, type Variable } from "../program/program.js";
import type { Targets } from "./calls/call-targets.js";
import { ClassFormatError } from "./class-file/byte-reader.js";
import { Access, type ClassFile } from "./class-file/class-file.js";
import { HandleKind, type MethodHandle } from "./class-file/constant-pool.js";
import { parseMethodDescriptor, resultClass } from "./class-file/descriptor.js";
import type { Exceptions } from "./code/code-graph.js";
import { initializerCall } from "./lower-method.js";

/** The class of the bootstrap methods that make lambdas. */
export const METAFACTORY = "java/lang/invoke/LambdaMetafactory";

export interface Lambda {
  /** Name of the class that stands for it: no class file can have it. */
  readonly className: string;
  readonly interfaceName: string;
  /** Name and descriptor of the method that it implements. */
  readonly signature: string;
  readonly descriptor: string;
  readonly body: MethodHandle;
  readonly captureCount: number;
  /** The procedure that makes it, and the node there. */
  readonly maker: number;
  readonly node: number;
}

/** The lambda that a dynamic call site makes, or undefined: it is made by another bootstrap method. */
export function lambdaAt(
  file: ClassFile,
  constant: number,
  maker: { readonly id: number; readonly name: string; readonly node: number; readonly offset: number },
): Lambda | undefined {
  try {
    return makeLambda(file, constant, maker);
  } catch (error) {
    // What the bootstrap method is given makes no sense: there will be no lambda.
    if (error instanceof ClassFormatError) return undefined;
    throw error;
  }
}

function makeLambda(
  { bootstrapMethods, constants }: ClassFile,
  constant: number,
  maker: Parameters<typeof lambdaAt>[2],
): Lambda | undefined {
  const site = constants.invokeDynamic(constant);
  const bootstrap = bootstrapMethods[site.bootstrap];
  if (bootstrap?.handle?.owner !== METAFACTORY || bootstrap.arguments.length < 3) return undefined;
  const descriptor = constants.methodType(bootstrap.arguments[0]);
  const body = constants.methodHandle(bootstrap.arguments[1]);
  const interfaceName = resultClass(site.descriptor);
  if (
    descriptor === undefined ||
    body === undefined ||
    body.kind < HandleKind.invokeVirtual ||
    interfaceName === ""
  )
    return undefined;
  parseMethodDescriptor(descriptor, 0);
  return {
    className: `${maker.name}@${maker.offset}`,
    interfaceName,
    signature: `${site.name}${descriptor}`,
    descriptor,
    body,
    captureCount: parseMethodDescriptor(site.descriptor, 0).parameters.length,
    maker: maker.id,
    node: maker.node,
  };
}

/** How the body of a lambda is called. */
export function isVirtualHandle({ kind }: MethodHandle): boolean {
  return kind === HandleKind.invokeVirtual || kind === HandleKind.invokeInterface;
}

const START = 0;
const CALL = 1;
const RETURN_SITE = 2;
const EXIT = 3;
const EXCEPTIONAL_EXIT = 4;
/** Only where the body's class may have to be initialized: before the call, the initializers, and after them. */
const BEFORE = 5;
const INITIALIZERS = 6;
const INITIALIZED = 7;

/**
 * The method that a lambda implements, as a procedure; its variables are added to `variables`. `initializers`: those of
 * classes that the body may have to run first.
 */
export function lambdaProcedure(
  id: number,
  lambda: Lambda,
  captures: readonly number[],
  targets: Targets,
  place: { readonly file: number; readonly start: number; readonly end: number },
  exceptions: Exceptions,
  initializers: readonly number[],
  variables: Variable[],
): Procedure {
  const { parameters: types, returns } = parseMethodDescriptor(lambda.descriptor, 0);
  const variable = (name: string, kind: Variable["kind"]) =>
    variables.push({
      name,
      kind,
      owner: id,
      deadZone: true,
      throwsEarly: false,
      file: -1,
      start: 0,
      end: 0,
    }) - 1;
  const parameters = types.map((_, i) => variable(`argument${i}`, "parameter"));
  const result = returns === "nothing" ? -1 : variable("return value", "temporary");
  const isNew = lambda.body.kind === HandleKind.newInvokeSpecial;
  const made = isNew && 0 <= result ? result : -1;
  const given = isNew ? [made, ...captures, ...parameters] : [...captures, ...parameters];
  const hasReceiver = lambda.body.kind !== HandleKind.invokeStatic;
  const operations: number[] = [];
  if (0 <= result) operations.push(Op.declare, result, 0, 0);
  const atStart = operations.length / OPERATION_SIZE;
  // The object is there before its constructor is called.
  if (0 <= made) operations.push(Op.write, made, 0, 0);
  const atCall = operations.length / OPERATION_SIZE;
  const initializes = 0 < initializers.length;
  const vertexCount = initializes ? INITIALIZED + 1 : EXCEPTIONAL_EXIT + 1;
  const thrown = exceptions === "throwing" ? EXCEPTIONAL_EXIT : -1;
  const operationStart = new Uint32Array(vertexCount + 1).fill(atCall);
  operationStart.set([0, atStart]);
  const toCall = initializes
    ? [START, BEFORE, BEFORE, CALL, BEFORE, INITIALIZERS, INITIALIZED, BEFORE]
    : [START, CALL];
  return {
    name: `${lambda.className}.${lambda.signature}`,
    kind: "method",
    ...place,
    vertexCount,
    exit: EXIT,
    exceptionalExit: EXCEPTIONAL_EXIT,
    ranges: Uint32Array.from({ length: 2 * vertexCount }, (_, i) =>
      i === 2 * CALL + 1 ? place.end : place.start,
    ),
    operationStart,
    operations: Uint32Array.from(operations),
    edges: Uint32Array.from([...toCall, RETURN_SITE, EXIT]),
    exceptional: new Uint8Array(toCall.length / 2 + 1),
    calls: [
      {
        vertex: CALL,
        returnSite: RETURN_SITE,
        exceptionalReturnSite: thrown,
        callees: targets.procedures,
        external: targets.external,
        name: callName(lambda.body.owner, lambda.body.name),
        arguments: Int32Array.from(hasReceiver ? given.slice(1) : given),
        result: isNew ? -1 : result,
        receiver: hasReceiver ? (given[0] ?? -1) : -1,
      },
      ...(initializes ? [initializerCall(INITIALIZERS, INITIALIZED, thrown, initializers)] : []),
    ],
    parameters: Int32Array.from(parameters),
    rest: false,
    result,
    receiver: -1,
  };
}

/** What the source calls a method: `java.lang.String.concat`. */
export const callName = (owner: string, name: string): string => `${owner.replaceAll("/", ".")}.${name}`;

/** The access of the classes that stand for lambdas. */
export const LAMBDA_ACCESS = Access.final;
