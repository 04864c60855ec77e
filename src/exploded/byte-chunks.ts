/**
 * Input as chunks of bytes, however it comes: text is encoded piece by piece through one small buffer, and an aborted
 * signal ends the wait for a chunk that is still on its way. Chunks may end anywhere, also in the middle of a character.
 */

import { show } from "./shown-value.js";

/** Throws a TypeError for `input` that is neither text nor bytes, whole or in chunks. */
export function checkChunks(input: unknown, areChunks: boolean): void {
  if (areChunks) return;
  throw new TypeError(`Input: got ${show(input)}, expected text or bytes (Uint8Array), whole or in chunks.`);
}

/** The same chunks; throws the signal's reason as soon as it is aborted, also while the next chunk is on its way. */
export async function* untilAborted<T>(
  input: AsyncIterable<T> | Iterable<T>,
  signal: AbortSignal | undefined,
): AsyncIterable<T> {
  signal?.throwIfAborted();
  if (signal === undefined || !(Symbol.asyncIterator in input)) {
    yield* input;
    return;
  }
  const iterator = input[Symbol.asyncIterator]();
  let isOpen = true;
  try {
    for (;;) {
      const { done, value } = await settledOrAborted(iterator.next(), signal);
      if (done === true) {
        isOpen = false;
        return;
      }
      yield value;
    }
  } catch (error) {
    isOpen = signal.aborted;
    throw error;
  } finally {
    if (isOpen) {
      // An input that does not answer to `next` may not answer to this either.
      const closed = iterator.return?.();
      if (signal.aborted) closed?.catch(() => {});
      else await closed;
    }
  }
}

/** Strings as bytes, piece by piece through one small buffer: a chunk is only valid until the next one is asked for. */
export class ChunkEncoder {
  static readonly #LENGTH = 1 << 16;
  readonly #encoder = new TextEncoder();
  #buffer = new Uint8Array(0);
  /** First half of a surrogate pair at the end of the last chunk. */
  #half = "";

  *encode(chunk: Uint8Array | string): Iterable<Uint8Array> {
    if (typeof chunk !== "string") {
      yield* this.flush();
      yield chunk;
      return;
    }
    for (let from = 0; from < chunk.length; from += ChunkEncoder.#LENGTH) {
      let piece = this.#half + chunk.slice(from, from + ChunkEncoder.#LENGTH);
      const split = (piece.charCodeAt(piece.length - 1) & 0xfc00) === 0xd800;
      this.#half = split ? piece.slice(-1) : "";
      if (split) piece = piece.slice(0, -1);
      yield this.#bytes(piece);
    }
  }

  *flush(): Iterable<Uint8Array> {
    if (this.#half === "") return;
    const half = this.#half;
    this.#half = "";
    yield this.#bytes(half);
  }

  #bytes(text: string): Uint8Array {
    // a UTF-16 unit takes at most 3 bytes
    if (this.#buffer.length === 0) this.#buffer = new Uint8Array(3 * (ChunkEncoder.#LENGTH + 1));
    return this.#buffer.subarray(0, this.#encoder.encodeInto(text, this.#buffer).written);
  }
}

function settledOrAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
