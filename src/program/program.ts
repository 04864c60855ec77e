/**
 * A program as clients see it, whatever language it was written in: procedures with flow graphs, and at each vertex what
 * the step there does to variables. Front ends make it (`phloem/javascript`); a client turns it into an exploded
 * supergraph (`phloem/clients`).
 *
 * A vertex is the point before its step. A step is a short list of operations, in the order in which they happen, and takes
 * effect on the edges that leave the vertex; a step that throws has not happened, so along an exceptional edge what held
 * before the vertex still holds.
 */

/** What an operation does to its variable. */
export const Op = {
  /** Uses the value. Throws while the variable is uninitialized, if `throwsEarly` says so. */
  read: 0,
  /** Asks that the variable be initialized, without using its value: an assignment to a `let` before its declaration. */
  check: 1,
  /** Gives the variable a value, and so initializes it. */
  write: 2,
  /** A new instance of the variable comes into being, uninitialized: its scope is entered. */
  declare: 3,
  /** The value of `source` becomes, or becomes part of, that of `variable`. */
  flow: 4,
  /**
   * The rest happens at a later turn: variables have been initialized meanwhile, but for those of the procedure that stands
   * in the place of `variable`.
   */
  settle: 5,
  /** Others have run meanwhile: variables may have been initialized, but for those of the procedure in the place of `variable`. */
  resume: 6,
  /** Uses a value, read before, in a way that throws if it is undefined: a property of it, a call. */
  demand: 7,
} as const;

/** Numbers of an operation in `Procedure.operations`: code, variable, source, and the two paths. */
export const OPERATION_SIZE = 4;

/** What a variable is, in the words of its language; `temporary` holds the value of an expression. */
export type VariableKind =
  | "temporary"
  | "parameter"
  | "var"
  | "let"
  | "const"
  | "class"
  | "function"
  | "enum"
  | "import"
  | "catch"
  /** A property of what a CommonJS module exports. */
  | "export"
  /** What a CommonJS module exports, where it puts something else in the place of what it began with. */
  | "exports"
  /** What objects hold, and other places that no name stands for. */
  | "field"
  /** What comes from outside the program under a name. */
  | "external";

export interface Variable {
  readonly name: string;
  readonly kind: VariableKind;
  /** The procedure whose activation it belongs to, or -1: there is one for the whole program. */
  readonly owner: number;
  /** Whether a `declare` makes it unusable until its first write. */
  readonly deadZone: boolean;
  /** Whether a use of it while it is uninitialized throws; otherwise it gives an undefined value. */
  readonly throwsEarly: boolean;
  /** Where it is declared: a file, and offsets in UTF-16 units; file -1 for what no source declares. */
  readonly file: number;
  readonly start: number;
  readonly end: number;
}

/** An assignment, or an initializer, that is there for somebody to read: a vertex that writes `variable`. */
export interface Assignment {
  readonly procedure: number;
  readonly vertex: number;
  readonly variable: number;
}

export interface SourceFile {
  /** As the user would write it: relative to the project. */
  readonly path: string;
  readonly text: string;
}

/** What a procedure stands for, for messages. */
export type ProcedureKind = "entry" | "module" | "function" | "method" | "constructor" | "fields" | "later";

/**
 * Vertices are numbered from 0, the start. Flat arrays throughout: `n` vertices, `m` edges, `k` calls.
 */
export interface Procedure {
  readonly name: string;
  readonly kind: ProcedureKind;
  /** Index into `Program.files`, or -1, and the extent of its source. */
  readonly file: number;
  readonly start: number;
  readonly end: number;

  readonly vertexCount: number;
  /** The vertex at which it returns, and the one at which it ends by an exception. Nothing leaves them. */
  readonly exit: number;
  readonly exceptionalExit: number;

  /** Length `2 * n`: start and end offset of each vertex's source; equal for a step that no source shows. */
  readonly ranges: Uint32Array;
  /** Length `n + 1`: vertex `v` has the operations `operationStart[v]` to `operationStart[v + 1]`. */
  readonly operationStart: Uint32Array;
  /** `OPERATION_SIZE` numbers each: code, variable, source or 0, `target path << 16 | source path`. */
  readonly operations: Uint32Array;

  /** Length `2 * m`: source and target. Call vertices have none to their return sites. */
  readonly edges: Uint32Array;
  /** Length `m`: 1 where control goes along because the step threw. */
  readonly exceptional: Uint8Array;

  readonly calls: readonly CallSite[];

  /** Variables of the formal parameters, in order; -1 for one without a variable of its own (a pattern). */
  readonly parameters: Int32Array;
  /** Whether the last of them takes all further arguments. */
  readonly rest: boolean;
  /** The variable that holds what the procedure returns, or -1. */
  readonly result: number;
  /** The variable of the object it is called on, or -1. */
  readonly receiver: number;
}

export interface CallSite {
  /** The vertex of the call. Its operations happen before the call. */
  readonly vertex: number;
  /** Where the call returns to, and where to if the callee ends by an exception. */
  readonly returnSite: number;
  readonly exceptionalReturnSite: number;
  /**
   * Procedures that may be called. Empty for a callee outside the program, which may return: then facts flow around.
   */
  readonly callees: readonly number[];
  /** Whether it may also be a callee outside the program, beside those. */
  readonly external: boolean;
  /** What the source calls the callee: `"f"`, `"Array.from"`, `".map"`; empty where it has no name. */
  readonly name: string;
  /** Variables that hold the arguments, in order; -1 for one that no variable holds. */
  readonly arguments: Int32Array;
  /** The variable that takes the result, and the one that holds the receiver, or -1. */
  readonly result: number;
  readonly receiver: number;
}

export interface Program {
  readonly files: readonly SourceFile[];
  readonly variables: readonly Variable[];
  readonly procedures: readonly Procedure[];
  /** Procedures that nothing in the program calls: where execution begins. */
  readonly entries: readonly number[];
  /** Field paths such as `".a.b"`; path 0 is empty. Paths past the bound of the front end end in `".*"`. */
  readonly paths: readonly string[];
}
