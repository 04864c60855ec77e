/**
 * The kernel's interface, see assembly/index.ts. The loader does not coerce: pointers come back signed, booleans as 0
 * and 1.
 */
export interface KernelExports {
  readonly memory: WebAssembly.Memory;
  allocate(bytes: number): number;
  mark(): number;
  release(position: number): void;
  beginProgram(image: number, input: number): number;
  summarizeComponents(from: number, to: number): number;
  endSummaries(): number;
  planSpace(labelBudget: number, sweepLimit: number): number;
  beginLabels(base: number, length: number): number;
  planProcedure(p: number, labelBudget: number): number;
  growLabels(length: number): number;
  adoptImage(image: number, sweepLimit: number): void;
  labelProcedures(from: number, to: number): number;
  labelAt(p: number, offset: number, length: number): number;
  checksumAt(image: number, words: number): number;
  openImage(image: number): number;
  reaches(p: number, u: number, d1: number, v: number, d2: number): number;
  reachesMany(queries: number, count: number, answers: number, procedures: number): number;
  summaryTo(p: number, exit: number): number;
  reachedFrom(p: number, u: number, d1: number): number;
  reachedFromMany(p: number, seeds: number, count: number): number;
  reachedAt(p: number, u: number, facts: number, count: number, v: number): number;
  enteringFrom(seeds: number, count: number): number;
  nodesSwept(): number;
  labelWork(): number;
  sweepsNeeded(): number;
  pairWork(): number;
}
