/**
 * Shapes of the operand stack: which of its entries take two words, and which are return addresses of subroutines. A shape
 * is a number; equal shapes have equal numbers, so that two paths that meet are compared in O(1). Shape 0 is the empty stack.
 */

const NARROW = 0;
const WIDE = 1;
/** Return address of activation `a` of a subroutine: `RETURN_ADDRESS + a`. */
const RETURN_ADDRESS = 2;

export class StackShapes {
  readonly #below: number[] = [0];
  readonly #kind: number[] = [NARROW];
  readonly #height: number[] = [0];
  /** Shape below, then kind, to shape. */
  readonly #known: Map<number, number>[] = [];

  /** Number of entries. */
  height(shape: number): number {
    return this.#height[shape];
  }

  /** The shape without its top; `shape` is not empty. */
  below(shape: number): number {
    return this.#below[shape];
  }

  isWide(shape: number): boolean {
    return this.#kind[shape] === WIDE;
  }

  /** The activation whose return address is on top, or -1. */
  returnAddress(shape: number): number {
    return this.#kind[shape] - RETURN_ADDRESS < 0 ? -1 : this.#kind[shape] - RETURN_ADDRESS;
  }

  push(shape: number, isWide: boolean): number {
    return this.#push(shape, isWide ? WIDE : NARROW);
  }

  pushReturnAddress(shape: number, activation: number): number {
    return this.#push(shape, RETURN_ADDRESS + activation);
  }

  /** A copy of the top of `entry` on `shape`. */
  pushCopy(shape: number, entry: number): number {
    return this.#push(shape, this.#kind[entry]);
  }

  #push(shape: number, kind: number): number {
    this.#known[shape] ??= new Map();
    const known = this.#known[shape];
    let pushed = known.get(kind);
    if (pushed === undefined) {
      pushed = this.#below.length;
      known.set(kind, pushed);
      this.#below.push(shape);
      this.#kind.push(kind);
      this.#height.push(this.#height[shape] + 1);
    }
    return pushed;
  }
}
