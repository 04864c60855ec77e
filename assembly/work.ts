/** Words of blocks that were united or composed while labelling, for tests that hold them against the bounds. */

let words: f64 = 0;

export function resetWork(): void {
  words = 0;
}

export function countWork(count: f64): void {
  words += count;
}

export function labelWork(): f64 {
  return words;
}
