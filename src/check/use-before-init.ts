/**
 * The rule `use-before-init`: reads of variables that can come before their initialization.
 *
 * Variables are followed only where a read can come before the initialization by the order of steps and calls
 * (`early-variables.ts`), and then only if that can be in an activation of their owner, whatever the others do. Those that
 * remain are followed through flow graphs cut down to what matters to them (`restrict-flow.ts`), calling context by calling
 * context (`initialization-walk.ts`): all together, since a read that throws for sure ends the path for the others as well.
 *
 * Where their states make too many combinations, variables are followed by themselves, those of one owner together; reads of
 * others then throw wherever those may be uninitialized, and go on as well. Nothing is missed so. But what is reported may lie
 * behind the sure throw of another read; and chains of calls that long prove nothing of functions' own variables.
 */

import { Op, type Program } from "../program/program.js";
import { earlyVariables } from "./early-variables.js";
import { type EarlyRead, InitializationWalk, type IsDoubtful } from "./initialization-walk.js";
import { Activations, restrictedTo } from "./restrict-flow.js";
import { flowOf, type VariableFlow } from "./variable-flow.js";

/** Contexts in which variables are followed together. */
const CONTEXTS = 20_000;

/**
 * @returns for each read and variable one entry: a certain one where there is any
 */
export function earlyReads(program: Program, isDoubtful: IsDoubtful): readonly EarlyRead[] {
  const early = [...earlyVariables(program)].sort((a, b) => a - b);
  return early.length === 0 ? [] : new Search(program, early, isDoubtful).run();
}

class Search {
  readonly #program: Program;
  readonly #early: readonly number[];
  readonly #isDoubtful: IsDoubtful;
  readonly #scratch: Int32Array;

  constructor(program: Program, early: readonly number[], isDoubtful: IsDoubtful) {
    this.#program = program;
    this.#early = early;
    this.#isDoubtful = isDoubtful;
    this.#scratch = new Int32Array(program.variables.length);
  }

  run(): readonly EarlyRead[] {
    const { entries } = this.#program;
    const all = restrictedTo(flowOf(this.#program), this.#marked(this.#early));
    const activations = new Activations(all, new Uint8Array(all.vertex.length).fill(1));
    const groups = this.#groups(this.#early, activations);
    const owned = [...groups.owned].flatMap(([owner, own]) => this.#inActivations(activations, owner, own));
    const variables = [...new Set([...groups.unowned, ...owned.map(({ variable }) => variable)])];
    if (variables.length === 0) return [];
    const flow = restrictedTo(all, this.#marked(variables));
    return (
      this.#walk(flow, variables).fromEntries(entries, CONTEXTS, "give up") ??
      this.#bySelf(flow, variables, throwingNodes(flow, owned, this.#marked(groups.unowned)))
    );
  }

  /** Variables by owner, those apart that come into being elsewhere. */
  #groups(
    variables: readonly number[],
    activations: Activations,
  ): { readonly owned: ReadonlyMap<number, number[]>; readonly unowned: number[] } {
    const owned = new Map<number, number[]>();
    const unowned: number[] = [];
    for (const v of variables) {
      if (!activations.isOwned(v, this.#program)) {
        unowned.push(v);
        continue;
      }
      const { owner } = this.#program.variables[v];
      const known = owned.get(owner);
      if (known === undefined) owned.set(owner, [v]);
      else known.push(v);
    }
    return { owned, unowned };
  }

  #inActivations(
    activations: Activations,
    owner: number,
    variables: readonly number[],
  ): readonly EarlyRead[] {
    const own = activations.of(owner, variables, this.#program);
    return this.#walk(own, variables).inActivations(owner, CONTEXTS);
  }

  #bySelf(flow: VariableFlow, variables: readonly number[], mayThrow: Uint8Array): EarlyRead[] {
    const { entries } = this.#program;
    const reads: EarlyRead[] = [];
    const activations = new Activations(flow, mayThrow);
    const { owned, unowned } = this.#groups(variables, activations);
    for (const v of unowned) {
      const own = restrictedTo(flow, this.#marked([v]), mayThrow);
      reads.push(...this.#walk(own, [v]).fromEntries(entries, CONTEXTS, "join")!);
    }
    const chains = activations.chains(entries);
    for (const [owner, own] of owned) {
      const outer = chains.get(owner);
      if (outer === undefined) continue;
      for (const read of this.#inActivations(activations, owner, own))
        reads.push({ ...read, chain: [...outer, ...read.chain], isCertain: false });
    }
    return reads;
  }

  #walk(flow: VariableFlow, variables: readonly number[]): InitializationWalk {
    return new InitializationWalk(this.#program, flow, variables, this.#scratch, this.#isDoubtful);
  }

  /** Per variable of the program: 1 for some. */
  #marked(some: Iterable<number>): Uint8Array {
    const mark = new Uint8Array(this.#program.variables.length);
    for (const v of some) mark[v] = 1;
    return mark;
  }
}

/** Nodes at which some of the reads are, or any of some variables: 1. */
function throwingNodes(flow: VariableFlow, reads: readonly EarlyRead[], any: Uint8Array): Uint8Array {
  const { nodeStart, vertex, operationStart, code, variable } = flow;
  const throwing = new Uint8Array(vertex.length);
  for (const read of reads) throwing[vertex.indexOf(read.vertex, nodeStart[read.procedure])] = 1;
  for (let v = 0; v < vertex.length; v++) {
    for (let i = operationStart[v]; i < operationStart[v + 1]; i++)
      if ((code[i] === Op.read || code[i] === Op.check) && any[variable[i]] === 1) throwing[v] = 1;
  }
  return throwing;
}
