/**
 * From a program and a client's flow functions to an exploded supergraph, written straight into flat arrays. Vertices keep
 * their numbers; in a backward problem edges are turned round, and every procedure has one more vertex, from which its two
 * exits begin.
 *
 * What holds for all clients. Of a variable v that a caller p and a callee q have facts about:
 *
 *     v belongs to q        v is new in q: nothing goes in, p's facts go around; what q's activation left comes back as
 *                           well, for closures that outlive it, unless p is q
 *     else                  v goes in and comes back as it is
 *
 * and what no callee touches goes around the call, if one of them can end there. In a recursive procedure a variable
 * stands for its newest activation: a closure of an older one, called meanwhile, is taken for one of the newest. Cost:
 * edges and facts that operations mention, and facts of the procedure per call.
 */

import type { ExplodedSupergraph } from "../exploded/exploded-supergraph.js";
import { InputError } from "../exploded/input-error.js";
import { ProgramSize } from "../exploded/limits.js";
import { RelationTable } from "../exploded/relation-table.js";
import type { CallSite, Procedure, Program } from "../program/program.js";
import { addBegin } from "./backward-begin.js";
import { Columns } from "./columns.js";
import { type ControlFlow, controlFlow, isExternal, RETURNS, THROWS } from "./control-flow.js";
import { type Domain, domainOf, positionOf } from "./domain.js";
import { type FlowFunctions, passFacts, type Scope } from "./flow-functions.js";
import { Correspondence, Transfer } from "./transfer.js";

export interface ExplodedProgram {
  readonly graph: ExplodedSupergraph;
  readonly domain: Domain;
  readonly flow: ControlFlow;
  /** Where an analysis begins: the zero fact at each entry, and what the client says. */
  readonly seeds: readonly (readonly [procedure: number, vertex: number, fact: number])[];
}

/** `name` is that of the client, for the header. Throws an `InputError` where a limit is passed. */
export function explodeProgram(program: Program, functions: FlowFunctions, name: string): ExplodedProgram {
  const { procedures } = program;
  const n = procedures.length;
  const backward = functions.direction === "backward";
  const flow = controlFlow(program);
  const domain = domainOf(program, functions.factsOf);
  const primes = new Uint32Array(n);
  const factCount = Uint32Array.from(domain.factCount);
  if (backward) {
    // What is live after an exception and what is live after a return come in by one vertex, as different facts.
    for (let p = 0; p < n; p++) {
      if (flow.ends[p] !== (RETURNS | THROWS)) continue;
      const end = domain.outerEnd[p];
      primes[p] = factCount[p];
      if (domain.start[p] < end) {
        const last = end - 1;
        factCount[p] += domain.firstFact[last] + functions.factsOf[domain.variables[last]] - 1;
      }
    }
  }
  const size = new ProgramSize();
  let widest = 1;
  for (let p = 0; p < n; p++) {
    const excess = size.add(procedures[p].vertexCount + (backward ? 1 : 0), factCount[p]);
    if (excess !== undefined)
      throw new InputError(`procedure ${procedures[p].name || p}`, undefined, `${name}: ${excess}`);
    widest = Math.max(widest, factCount[p]);
  }

  const relations = new RelationTable();
  relations.intern([], "identity");
  const edge = new Columns(3);
  const bypass = new Columns(3);
  const call = new Columns(6);
  const edgeStart = new Uint32Array(n + 1);
  const bypassStart = new Uint32Array(n + 1);
  const callStart = new Uint32Array(n + 1);
  const transfer = new Transfer(widest);
  const pairs = new Correspondence(widest);
  const own = new ScopeScratch(program);
  const other = new ScopeScratch(program);
  /** Per variable of the caller: how many callees it passes through. */
  const through = new Uint32Array(program.variables.length);

  /** Operations of a vertex, in `transfer`, after those effects that are there. */
  const step = (scope: Scope, vertex: number) => functions.step(transfer, scope, vertex);

  /** What goes around `site` to one of its return sites, added to `transfer`. */
  const around = (scope: Scope, site: CallSite, how: number) => {
    const p = scope.id;
    const external = isExternal(site);
    const assigned = how === RETURNS && 0 <= site.result ? scope.first[site.result] : 0;
    if (external) {
      if (backward) {
        if (assigned !== 0) transfer.kill(assigned, functions.factsOf[site.result]);
        functions.external(transfer, scope, site, how === THROWS);
        return;
      }
      if (assigned !== 0) {
        const from: number[] = [];
        const to: number[] = [];
        functions.derived(scope, site, (source, target) => {
          from.push(source);
          to.push(target);
        });
        transfer.replace(assigned, functions.factsOf[site.result], from, to);
      }
      if (how === RETURNS) {
        functions.returned(p, site, (v, tag) => {
          if (scope.first[v] !== 0) transfer.generate(scope.first[v] + tag);
        });
      }
      return;
    }
    let possible = 0;
    for (const q of site.callees) {
      if ((flow.ends[q] & how) === 0) continue;
      possible++;
      for (let i = domain.start[q]; i < domain.outerEnd[q]; i++) {
        const v = domain.variables[i];
        if (program.variables[v].owner !== q) through[v]++;
      }
    }
    for (let i = domain.start[p]; i < domain.start[p + 1]; i++) {
      const v = domain.variables[i];
      if (through[v] === possible || (assigned !== 0 && v === site.result)) {
        transfer.mark(domain.firstFact[i], functions.factsOf[v]);
      }
    }
    // Control goes into the callees; backwards the zero fact holds wherever there is code before.
    if (!backward) transfer.mark(0);
    transfer.killMarked();
    for (const q of site.callees) {
      for (let i = domain.start[q]; i < domain.outerEnd[q]; i++) through[domain.variables[i]] = 0;
    }
  };

  /** Facts of the caller `scope` that become facts of callee q where it starts; backwards the other way. */
  const pairsIn = (scope: Scope, callee: Scope, site: CallSite) => {
    const q = callee.id;
    pairs.reset(backward ? factCount[q] : factCount[scope.id]);
    pairs.add(0, 0);
    for (const v of callee.outer) {
      if (scope.first[v] === 0 || program.variables[v].owner === q) continue;
      for (let tag = 0; tag < functions.factsOf[v]; tag++) {
        if (backward) pairs.add(callee.first[v] + tag, scope.first[v] + tag);
        else pairs.add(scope.first[v] + tag, callee.first[v] + tag);
      }
    }
    const bind = (from: number, to: number, part: boolean) =>
      passFacts(
        functions,
        pairs,
        { first: scope.first, variable: from },
        { first: callee.first, variable: to },
        part,
      );
    const { parameters, rest, receiver } = callee.procedure;
    const last = parameters.length - 1;
    for (let i = 0; i < site.arguments.length; i++) {
      const isRest = rest && last <= i;
      if (!isRest && last < i) continue;
      const argument = site.arguments[i];
      const parameter = parameters[isRest ? last : i];
      bind(argument, parameter, isRest);
      // A pattern takes its argument apart.
      if (backward && parameter < 0 && 0 <= argument && scope.first[argument] !== 0)
        pairs.add(0, scope.first[argument]);
    }
    bind(site.receiver, receiver, false);
    if (backward) return;
    for (const v of [...parameters, receiver]) {
      if (v < 0 || callee.first[v] === 0) continue;
      functions.entered(q, v, (tag) => pairs.add(0, callee.first[v] + tag));
    }
  };

  /** Facts of callee q at an exit that become facts of the caller; backwards the other way. */
  const pairsOut = (scope: Scope, callee: Scope, site: CallSite, how: number) => {
    const q = callee.id;
    pairs.reset(backward ? factCount[scope.id] : factCount[q]);
    pairs.add(0, 0);
    // Nothing gets back from an exit that is not reached.
    if (backward && (flow.ends[q] & how) === 0) return;
    const shift = backward && how === THROWS && primes[q] !== 0 ? primes[q] - 1 : 0;
    for (const v of callee.outer) {
      if (scope.first[v] === 0 || (program.variables[v].owner === q && scope.id === q)) continue;
      if (how === RETURNS && v === site.result) continue;
      for (let tag = 0; tag < functions.factsOf[v]; tag++) {
        if (backward) pairs.add(scope.first[v] + tag, callee.first[v] + tag + shift);
        else pairs.add(callee.first[v] + tag, scope.first[v] + tag);
      }
    }
    if (how !== RETURNS) return;
    if (functions.passesResult(site)) {
      passFacts(
        functions,
        pairs,
        { first: callee.first, variable: callee.procedure.result },
        { first: scope.first, variable: site.result },
        false,
      );
    }
    if (backward) return;
    functions.returned(scope.id, site, (v, tag) => {
      if (scope.first[v] !== 0) pairs.add(0, scope.first[v] + tag);
    });
  };

  for (let p = 0; p < n; p++) {
    const procedure = procedures[p];
    const scope = own.enter(domain, p);
    const base = flow.vertexStart[p];
    const absent = (v: number) => backward && flow.reached[base + v] === 0;

    // Consecutive edges of one vertex mostly have one relation.
    let latest = -1;
    let latestKind = -1;
    let latestRelation = 0;
    for (let i = 0; i < procedure.exceptional.length; i++) {
      const from = procedure.edges[2 * i];
      const to = procedure.edges[2 * i + 1];
      if (absent(from)) continue;
      const kind = procedure.exceptional[i];
      if (latest !== from || latestKind !== kind) {
        transfer.reset();
        if (kind === 1) functions.throws(transfer, scope, from);
        else step(scope, from);
        latest = from;
        latestKind = kind;
        latestRelation = transfer.intern(relations);
      }
      if (backward) edge.push(to, from, latestRelation);
      else edge.push(from, to, latestRelation);
    }
    if (backward) addBegin(program, flow, p, primes[p], factCount[p], relations, edge);
    edgeStart[p + 1] = edge.length;

    for (const site of procedure.calls) {
      if (absent(site.vertex)) continue;
      for (const how of [RETURNS, THROWS]) {
        const returnSite = how === RETURNS ? site.returnSite : site.exceptionalReturnSite;
        if (returnSite < 0) continue;
        if (how === THROWS && site.returnSite === returnSite) {
          throw new InputError(
            `procedure ${procedure.name || p}`,
            undefined,
            `call at vertex ${site.vertex}: got one return site ${returnSite} for both exits of the callee, expected two`,
          );
        }
        transfer.reset();
        if (!backward) step(scope, site.vertex);
        around(scope, site, how);
        if (backward) step(scope, site.vertex);
        const relation = transfer.intern(relations);
        if (backward) bypass.push(returnSite, site.vertex, relation);
        else bypass.push(site.vertex, returnSite, relation);
      }
    }
    bypassStart[p + 1] = bypass.length;

    for (const site of procedure.calls) {
      if (absent(site.vertex) || site.callees.length === 0) continue;
      transfer.reset();
      step(scope, site.vertex);
      for (const q of site.callees) {
        const callee = other.enter(domain, q);
        pairsIn(scope, callee, site);
        const into = backward
          ? pairs.internBefore(transfer, factCount[q], relations)
          : pairs.internAfter(transfer, factCount[p], relations);
        const { exit, exceptionalExit } = procedures[q];
        for (const how of [RETURNS, THROWS]) {
          const returnSite = how === RETURNS ? site.returnSite : site.exceptionalReturnSite;
          // Without a way back there is still one into the callee.
          if (returnSite < 0 || (how === THROWS && (flow.ends[q] & THROWS) === 0)) continue;
          pairsOut(scope, callee, site, how);
          const back = backward
            ? pairs.internAfter(undefined, factCount[p], relations)
            : pairs.internAfter(undefined, factCount[q], relations);
          if (backward) call.push(returnSite, site.vertex, q, back, into, 0);
          else call.push(site.vertex, returnSite, q, into, back, how === RETURNS ? exit : exceptionalExit);
        }
        other.leave(domain);
      }
    }
    callStart[p + 1] = call.length;
    own.leave(domain);
  }

  const exitStart = Uint32Array.from({ length: n + 1 }, (_, p) => (backward ? p : 2 * p));
  const exits = new Uint32Array(exitStart[n]);
  if (!backward) {
    for (let p = 0; p < n; p++) {
      exits[2 * p] = procedures[p].exit;
      exits[2 * p + 1] = procedures[p].exceptionalExit;
    }
  }
  const startVertex = Uint32Array.from(procedures, ({ vertexCount }) => (backward ? vertexCount : 0));
  return {
    graph: {
      procedureCount: n,
      names: procedures.map((procedure) => procedure.name),
      vertexCount: Uint32Array.from(procedures, ({ vertexCount }) => vertexCount + (backward ? 1 : 0)),
      factCount,
      startVertex,
      exitStart,
      exits,
      edgeStart,
      edgeSource: edge.column(0),
      edgeTarget: edge.column(1),
      edgeRelation: edge.column(2),
      bypassStart,
      bypassCall: bypass.column(0),
      bypassReturn: bypass.column(1),
      bypassRelation: bypass.column(2),
      callStart,
      callVertex: call.column(0),
      callReturn: call.column(1),
      callCallee: call.column(2),
      callEntryRelation: call.column(3),
      callExitRelation: call.column(4),
      callExit: call.column(5),
      relations: relations.build(),
      entry: program.entries[0] ?? 0,
      header: [["analysis", name]],
    },
    domain,
    flow,
    seeds: seedsOf(program, functions, domain, startVertex),
  };
}

function seedsOf(
  { entries, variables }: Program,
  functions: FlowFunctions,
  domain: Domain,
  startVertex: Uint32Array,
): ExplodedProgram["seeds"] {
  const seeds = entries.map((p) => [p, startVertex[p], 0] as [number, number, number]);
  functions.begins((v, tag) => {
    for (const p of entries) {
      const { owner } = variables[v];
      const position = owner < 0 || owner === p ? positionOf(domain, p, v) : -1;
      if (0 <= position) seeds.push([p, startVertex[p], domain.firstFact[position] + tag]);
    }
  });
  return seeds;
}

/** Facts of the procedure at hand, written anew for each in arrays over all variables. */
class ScopeScratch implements Scope {
  readonly #program: Program;
  readonly first: Uint32Array;
  id = 0;
  procedure: Procedure;
  outer: Uint32Array = new Uint32Array(0);
  all: Uint32Array = new Uint32Array(0);

  constructor(program: Program) {
    this.#program = program;
    this.first = new Uint32Array(program.variables.length);
    this.procedure = program.procedures[0];
  }

  enter(domain: Domain, p: number): this {
    this.id = p;
    this.procedure = this.#program.procedures[p];
    this.outer = domain.variables.subarray(domain.start[p], domain.outerEnd[p]);
    this.all = domain.variables.subarray(domain.start[p], domain.start[p + 1]);
    for (let i = domain.start[p]; i < domain.start[p + 1]; i++)
      this.first[domain.variables[i]] = domain.firstFact[i];
    return this;
  }

  leave(domain: Domain): void {
    const p = this.id;
    for (let i = domain.start[p]; i < domain.start[p + 1]; i++) this.first[domain.variables[i]] = 0;
  }
}
