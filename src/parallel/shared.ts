/** Words that workers see where they are, in hosts that share memory; elsewhere they are copied with each message. */

import { canShare } from "./host.js";

/** Words of one's own, zeroed, in shared memory where the host allows it. */
export function sharedWords(length: number): Uint32Array {
  return canShare() ? new Uint32Array(new SharedArrayBuffer(4 * length)) : new Uint32Array(length);
}

/** The words in shared memory where the host allows it; in memory that has nothing else in it otherwise. */
export function shareWords(words: Uint32Array): Uint32Array {
  if (!canShare()) return words.slice();
  if (words.buffer instanceof SharedArrayBuffer) return words;
  const shared = sharedWords(words.length);
  shared.set(words);
  return shared;
}

/**
 * Shared memory for messages whose content is soon read, by name, used again for the next of that name: memory that has
 * been touched before is several times as fast as new memory.
 */
export class SharedSpace {
  readonly #spaces = new Map<string, Uint32Array>();

  /** The words, for whoever gets the message, until the next call with this name. */
  share(name: string, words: Uint32Array): Uint32Array {
    return this.join(name, [words]);
  }

  /** The same for the words of several arrays, one after another. */
  join(name: string, parts: readonly Uint32Array[]): Uint32Array {
    const length = parts.reduce((total, part) => total + part.length, 0);
    const joined = canShare() ? this.#take(name, length) : new Uint32Array(length);
    let at = 0;
    for (const part of parts) {
      joined.set(part, at);
      at += part.length;
    }
    return joined;
  }

  #take(name: string, length: number): Uint32Array {
    let space = this.#spaces.get(name);
    if (space === undefined || space.length < length) {
      space = sharedWords(length + (length >>> 2));
      this.#spaces.set(name, space);
    }
    return space.subarray(0, length);
  }
}
