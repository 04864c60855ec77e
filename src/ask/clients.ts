/** The clients behind the questions, and how many facts each has about a variable. */

import { type Liveness, liveness } from "../clients/liveness.js";
import { type PossiblyUninitialized, possiblyUninitialized } from "../clients/possibly-uninitialized.js";
import { type ReachingDefinitions, reachingDefinitions } from "../clients/reaching-definitions.js";
import { OPERATION_SIZE, Op, type Program } from "../program/program.js";
import type { Client } from "./chunked-client.js";

export const CLIENTS = ["reaching-definitions", "liveness", "possibly-uninitialized"] as const;
export type ClientName = (typeof CLIENTS)[number];

/** Whether sources have a name for a variable: it is neither a value under way nor something outside them. */
export function isNamed({ variables }: Program, v: number): boolean {
  const { kind } = variables[v];
  return kind !== "temporary" && kind !== "field" && kind !== "external";
}

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
    problem: (variables) => reachingDefinitions(program, { variables }),
  };
}

export function livenessClient(program: Program): Client<Liveness> {
  return {
    name: "liveness",
    facts: Uint32Array.from(program.variables, (_, v) => (isNamed(program, v) ? 1 : 0)),
    problem: (variables) => liveness(program, { variables }),
  };
}

export function uninitializedClient(program: Program): Client<PossiblyUninitialized> {
  return {
    name: "possibly-uninitialized",
    // Its own fact, and copies of it in others.
    facts: Uint32Array.from(program.variables, ({ deadZone }) => (deadZone ? 2 : 0)),
    problem: (variables) => possiblyUninitialized(program, { variables }),
  };
}
