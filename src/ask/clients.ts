/** The clients behind the questions, and how many facts each has about a variable. */

import { type Liveness, liveness } from "../clients/liveness.js";
import { type PossiblyUninitialized, possiblyUninitialized } from "../clients/possibly-uninitialized.js";
import { type ReachingDefinitions, reachingDefinitions } from "../clients/reaching-definitions.js";
import { OPERATION_SIZE, Op, type Program } from "../program/program.js";
import type { Client } from "./chunked-client.js";

export const CLIENTS = ["reaching-definitions", "liveness", "possibly-uninitialized"] as const;
export type ClientName = (typeof CLIENTS)[number];

const isNamed = (program: Program, v: number): boolean => program.variables[v].kind !== "temporary";
const options = (variables: readonly number[] | undefined) => (variables === undefined ? {} : { variables });

export function definitionsClient(program: Program): Client<ReachingDefinitions> {
  const facts = new Uint32Array(program.variables.length);
  const count = (v: number) => {
    if (0 <= v && isNamed(program, v)) facts[v]++;
  };
  for (const { operations, parameters, receiver, calls } of program.procedures) {
    for (let i = 0; i < operations.length; i += OPERATION_SIZE) {
      if (operations[i] === Op.write || operations[i] === Op.flow) count(operations[i + 1]);
    }
    for (const v of parameters) count(v);
    count(receiver);
    for (const { result } of calls) count(result);
  }
  return {
    name: "reaching-definitions",
    facts,
    problem: (variables) => reachingDefinitions(program, options(variables)),
  };
}

export function livenessClient(program: Program): Client<Liveness> {
  return {
    name: "liveness",
    facts: Uint32Array.from(program.variables, (_, v) => (isNamed(program, v) ? 1 : 0)),
    problem: (variables) => liveness(program, options(variables)),
  };
}

export function uninitializedClient(program: Program): Client<PossiblyUninitialized> {
  return {
    name: "possibly-uninitialized",
    // Its own fact, and copies of it in others.
    facts: Uint32Array.from(program.variables, ({ deadZone }) => (deadZone ? 2 : 0)),
    problem: (variables) => possiblyUninitialized(program, options(variables)),
  };
}
