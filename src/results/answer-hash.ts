/**
 * The hash of a set of answers in a `.q` file: the sum modulo 2^64 of splitmix64 over the answers' keys, which does
 * not depend on their order. 64-bit arithmetic is done on two 32-bit halves: a dozen times faster than with BigInt,
 * and exhaustive solutions have millions of answers.
 */

/** The low 64 bits of products are put together from 32-bit halves of a product: `high(a, b)` is a * b >> 32. */
const high = (a: number, b: number): number => {
  const a1 = a >>> 16;
  const a0 = a & 0xffff;
  const b1 = b >>> 16;
  const b0 = b & 0xffff;
  const middle = a1 * b0 + ((a0 * b0) >>> 16);
  return (a1 * b1 + Math.floor(middle / 0x10000) + Math.floor(((middle % 0x10000) + a0 * b1) / 0x10000)) | 0;
};

/**
 * Adds up hashes of 64-bit keys.
 *
 * @example
 * const hash = new AnswerHash();
 * hash.add(0, 1);
 * hash.toString(); // "910a2dec89025cc1"
 */
export class AnswerHash {
  #high = 0;
  #low = 0;

  /** Adds the key `keyHigh * 2^32 + keyLow`; both are taken modulo 2^32. */
  add(keyHigh: number, keyLow: number): void {
    let low = (keyLow >>> 0) + 0x7f4a7c15;
    let high32 = (keyHigh + 0x9e3779b9 + (low > 0xffffffff ? 1 : 0)) | 0;
    low |= 0;
    // x = (x ^ x >>> 30) * 0xbf58476d1ce4e5b9
    low ^= (low >>> 30) | (high32 << 2);
    high32 ^= high32 >>> 30;
    high32 = (high(low, 0x1ce4e5b9) + Math.imul(low, 0xbf58476d) + Math.imul(high32, 0x1ce4e5b9)) | 0;
    low = Math.imul(low, 0x1ce4e5b9);
    // x = (x ^ x >>> 27) * 0x94d049bb133111eb
    low ^= (low >>> 27) | (high32 << 5);
    high32 ^= high32 >>> 27;
    high32 = (high(low, 0x133111eb) + Math.imul(low, 0x94d049bb) + Math.imul(high32, 0x133111eb)) | 0;
    low = Math.imul(low, 0x133111eb);
    // x ^= x >>> 31
    low ^= (low >>> 31) | (high32 << 1);
    high32 ^= high32 >>> 31;
    const sum = this.#low + (low >>> 0);
    this.#high = (this.#high + high32 + (sum > 0xffffffff ? 1 : 0)) | 0;
    this.#low = sum >>> 0;
  }

  /** The sum as 16 hexadecimal digits. */
  toString(): string {
    const digits = (half: number) => (half >>> 0).toString(16).padStart(8, "0");
    return digits(this.#high) + digits(this.#low);
  }
}
