/**
 * The flow-function algebra: a few words from which most flow functions of a problem are made. A flow function maps
 * one fact to the facts it becomes, and stands for a set of exploded edges, drawn below from source facts (top) to
 * target facts (bottom). Whatever the parts do, the zero fact maps to the zero fact in everything made here: nothing
 * that is generated further on can be lost with it. All functions are distributive, being defined fact by fact.
 */

/** The zero fact, which holds wherever the program can get: the source of facts that hold unconditionally. */
export const ZERO: unique symbol = Symbol("zero");
export type Zero = typeof ZERO;

/** Maps a fact to the facts it becomes; no facts where it is killed. It must not depend on anything but the fact. */
export type FlowFunction<F> = (fact: F | Zero) => Iterable<F | Zero>;

export interface FlowAlgebraOptions<F> {
  /** The problem's zero fact; `ZERO` by default. */
  readonly zero?: F | Zero;
  /** Tells facts apart, as in the problem: facts with the same key are the same. By default facts are compared by identity. */
  readonly key?: (fact: F) => unknown;
}

export interface FlowAlgebra<F> {
  /** `f(S) = S`: see `identity`. */
  readonly identity: FlowFunction<F>;
  /** `f(S) = S ∪ facts`: see `gen`. */
  gen(...facts: readonly F[]): FlowFunction<F>;
  /** `f(S) = S \ facts`: see `kill`. */
  kill(...facts: readonly F[]): FlowFunction<F>;
  /** `f(S) = (S \ {to}) ∪ ({to} if from ∈ S)`: see `transfer`. */
  transfer(from: F, to: F): FlowFunction<F>;
  /** `f(S) = fₙ(…f₂(f₁(S)))`: see `compose`. */
  compose(...functions: readonly FlowFunction<F>[]): FlowFunction<F>;
  /** `f(S) = f₁(S) ∪ … ∪ fₙ(S)`: see `union`. */
  union(...functions: readonly FlowFunction<F>[]): FlowFunction<F>;
}

/**
 * The algebra for problems that have a zero fact of their own, or facts that are told apart by a key. The functions
 * that this file exports are the algebra for all other problems.
 *
 * @example
 * const { gen } = flowAlgebra<{ name: string }>({ key: (variable) => variable.name });
 */
export function flowAlgebra<F>(options: FlowAlgebraOptions<F> = {}): FlowAlgebra<F> {
  const zero: F | Zero = options.zero ?? ZERO;
  const key = options.key ?? ((fact: F): unknown => fact);
  const keyOf = (fact: F | Zero): unknown => (fact === zero || fact === ZERO ? fact : key(fact as F));
  const only = (fact: F | Zero): (F | Zero)[] => [fact];
  const keepingZero =
    (image: FlowFunction<F>): FlowFunction<F> =>
    (fact) => {
      const facts = new Map<unknown, F | Zero>();
      if (fact === zero) facts.set(zero, zero);
      for (const target of image(fact)) facts.set(keyOf(target), target);
      return facts.values();
    };

  return {
    identity: identity as FlowFunction<F>,
    gen: (...facts) => {
      const generated: (F | Zero)[] = [zero, ...facts];
      return (fact) => (fact === zero ? generated : only(fact));
    },
    kill: (...facts) => {
      const killed = new Set(facts.map(keyOf));
      return (fact) => (fact !== zero && killed.has(keyOf(fact)) ? [] : [fact]);
    },
    transfer: (from, to) => {
      const source = keyOf(from);
      const target = keyOf(to);
      return (fact) => {
        const id = keyOf(fact);
        if (id === source) return id === target ? [fact] : [fact, to];
        return id === target && fact !== zero ? [] : [fact];
      };
    },
    compose: (...functions) =>
      keepingZero((fact) =>
        functions.reduce<Iterable<F | Zero>>(
          (facts, next) => Array.from(facts, (d) => [...next(d)]).flat(1),
          only(fact),
        ),
      ),
    union: (...functions) => keepingZero((fact) => functions.flatMap((part) => [...part(fact)])),
  };
}

/**
 * `f(S) = S`: a statement that does not concern the analysis.
 *
 *     0  x  y
 *     |  |  |
 *     0  x  y
 *
 * Precision: loses nothing and adds nothing. It is one value, not a factory.
 */
export const identity = <T>(fact: T): Iterable<T> => [fact];

const algebra = flowAlgebra<unknown>();

/**
 * `f(S) = S ∪ {x}`: facts that hold from here on, whatever held before.
 *
 *     0  x  y
 *     |\ |  |
 *     | \|  |
 *     0  x  y
 *
 * Precision: exact for effects that are certain to happen; x comes from the zero fact, so it holds on every path.
 *
 * @example
 * const source = gen("x");
 * [...source(ZERO)]; // [ZERO, "x"]
 * [...source("y")]; // ["y"]
 */
export const gen = algebra.gen as <F>(...facts: readonly F[]) => FlowFunction<F>;

/**
 * `f(S) = S \ {x}`: facts that are certainly over.
 *
 *     0  x  y
 *     |     |
 *     0  x  y
 *
 * Precision: kill only what cannot hold any more on any run (a strong update); killing a fact that may still hold is
 * unsound, keeping one that cannot only costs precision. The zero fact is never killed.
 *
 * @example
 * [...kill("x", "z")("x")]; // []
 */
export const kill = algebra.kill as <F>(...facts: readonly F[]) => FlowFunction<F>;

/**
 * `f(S) = (S \ {y}) ∪ ({y} if x ∈ S)`: the assignment `y = x`; afterwards y is what x was.
 *
 *     0  x  y
 *     |  |\
 *     |  | \
 *     0  x  y
 *
 * Precision: y is overwritten, so this is for variables. Where `to` stands for several places (a field of any object)
 * its old value may survive: use `union(identity, transfer(from, to))`.
 *
 * @example
 * [...transfer("x", "y")("x")]; // ["x", "y"]
 * [...transfer("x", "y")("y")]; // []
 */
export const transfer = algebra.transfer as <F>(from: F, to: F) => FlowFunction<F>;

/**
 * `h(S) = g(f(S))` for `h = compose(f, g)`: one after the other, the first argument first.
 *
 *     0  x  y
 *     |\ |  |
 *     | \|  |      f, here gen("x")
 *     0  x  y
 *     |  |\
 *     |  | \       g, here transfer("x", "y")
 *     0  x  y
 *
 * Precision: exact, as flow functions are distributive. Without arguments it is the identity.
 *
 * @example
 * [...compose(gen("x"), transfer("x", "y"))(ZERO)]; // [ZERO, "x", "y"]
 */
export const compose = algebra.compose as <F>(...functions: readonly FlowFunction<F>[]) => FlowFunction<F>;

/**
 * `h(S) = f(S) ∪ g(S)` for `h = union(f, g)`: either may happen.
 *
 *     0  x  y         0  x  y         0  x  y
 *     |     |    ∪    |  |       =    |  |  |
 *     0  x  y         0  x  y         0  x  y
 *
 * Precision: a fact is gone only where every part kills it, so it expresses weak updates. Without arguments it kills
 * everything but the zero fact.
 *
 * @example
 * [...union(kill("x"), kill("y"))("x")]; // ["x"]
 */
export const union = algebra.union as <F>(...functions: readonly FlowFunction<F>[]) => FlowFunction<F>;
