/**
 * The largest problems that are accepted. They keep every exploded vertex numerable in 32 bits and every table that a
 * solver allocates per vertex within reach, so that absurd sizes in an input are an error where they are read and not
 * a failed allocation much later. The reader and the builder both enforce them.
 */

/** Procedures of a program. */
export const MAX_PROCEDURES = 2 ** 24;
/** Vertices of one procedure. */
export const MAX_VERTICES = 2 ** 24;
/** Facts of one procedure, the zero fact included. */
export const MAX_FACTS = 2 ** 16;
/** Vertices of all procedures together. */
export const MAX_PROGRAM_VERTICES = 2 ** 26;
/** Pairs (vertex, fact) of all procedures together. */
export const MAX_EXPLODED_VERTICES = 2 ** 32;

/** Running totals of a program under construction; feed it one procedure after another. */
export class ProgramSize {
  #procedures = 0;
  #vertices = 0;
  #exploded = 0;

  /** Adds a procedure; the answer is undefined, or `got ..., expected ...` where a limit is passed. */
  add(vertexCount: number, factCount: number): string | undefined {
    this.#procedures++;
    this.#vertices += vertexCount;
    this.#exploded += vertexCount * factCount;
    const within = (got: number, limit: number, what: string) =>
      got <= limit ? undefined : `got ${got} ${what}, expected at most ${limit}`;
    return (
      within(this.#procedures, MAX_PROCEDURES, "procedures") ??
      within(vertexCount, MAX_VERTICES, "vertices in one procedure") ??
      within(factCount, MAX_FACTS, "facts in one procedure") ??
      within(this.#vertices, MAX_PROGRAM_VERTICES, "vertices so far") ??
      within(this.#exploded, MAX_EXPLODED_VERTICES, "exploded vertices so far")
    );
  }
}
