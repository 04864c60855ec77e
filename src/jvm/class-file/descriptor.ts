/** Descriptors of methods and fields (JVMS §4.3), as far as the operand stack is concerned: which values take two words. */

import { ClassFormatError } from "./byte-reader.js";

export interface MethodDescriptor {
  /** Per parameter, without the receiver: whether it is a `long` or a `double`. */
  readonly parameters: readonly boolean[];
  readonly returns: "nothing" | "narrow" | "wide";
}

/** Words of arguments that a call can have, the receiver's included (JVMS §4.3.3). */
const MOST_WORDS = 255;

/** `offset` is where to say that the descriptor is wrong. Linear in its length. */
export function parseMethodDescriptor(descriptor: string, offset: number): MethodDescriptor {
  const parameters: boolean[] = [];
  let words = 0;
  let at = 1;
  const fail = () =>
    new ClassFormatError(offset, `descriptor "${descriptor.slice(0, 200)}"`, "one of a method");
  if (descriptor[0] !== "(") throw fail();
  while (at < descriptor.length && descriptor[at] !== ")") {
    const end = typeEnd(descriptor, at);
    if (end < 0) throw fail();
    parameters.push(isWideType(descriptor, at));
    words += isWideType(descriptor, at) ? 2 : 1;
    if (MOST_WORDS < words)
      throw new ClassFormatError(offset, `${words} words of arguments`, `${MOST_WORDS} at most`);
    at = end;
  }
  at++;
  if (descriptor[at] === "V" && at + 1 === descriptor.length) return { parameters, returns: "nothing" };
  if (typeEnd(descriptor, at) !== descriptor.length) throw fail();
  return { parameters, returns: isWideType(descriptor, at) ? "wide" : "narrow" };
}

/** Whether the type that begins at `at` takes two words. */
export function isWideType(descriptor: string, at = 0): boolean {
  return descriptor[at] === "J" || descriptor[at] === "D";
}

/** Where the type that begins at `at` ends, or -1 where there is none. */
function typeEnd(descriptor: string, at: number): number {
  while (descriptor[at] === "[") at++;
  if (descriptor[at] === "L") {
    const end = descriptor.indexOf(";", at);
    return end < 0 ? -1 : end + 1;
  }
  return at < descriptor.length && "BCDFIJSZ".includes(descriptor[at]) ? at + 1 : -1;
}

/** Internal name of the class that a method returns, or "": a primitive, an array, nothing. */
export function resultClass(descriptor: string): string {
  const at = descriptor.indexOf(")") + 1;
  return descriptor[at] === "L" ? descriptor.slice(at + 1, -1) : "";
}
