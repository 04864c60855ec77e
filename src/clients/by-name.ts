/**
 * The clients that need nothing but a program, by the names that commands and files have for them: those of the paper
 * (ESOP 2020, section 6). Each keeps facts about the variables that it has by default.
 */

import type { Program } from "../program/program.js";
import type { ClientProblem } from "./client-problem.js";
import { liveness } from "./liveness.js";
import { possiblyUninitialized } from "./possibly-uninitialized.js";
import { reachability } from "./reachability.js";
import { reachingDefinitions } from "./reaching-definitions.js";
import { uninitialized } from "./uninitialized.js";

/**
 * Problems of a program by the client's name. Errors and cost are those of the functions of the same names.
 *
 * @example
 * const { graph } = clients["reaching-definitions"](program); // an exploded supergraph, for any solver
 */
export const clients = {
  reachability,
  uninitialized,
  "possibly-uninitialized": possiblyUninitialized,
  liveness,
  "reaching-definitions": reachingDefinitions,
} as const satisfies Record<string, (program: Program) => ClientProblem>;

export type ClientName = keyof typeof clients;

export const clientNames = Object.keys(clients) as ClientName[];
