/**
 * Memory for the kernel: a stack over `memory.grow`. `mark` and `release` bracket scratch space; nothing is freed
 * otherwise. An allocation that does not fit returns 0, and the kernel function that asked returns EXHAUSTED.
 */

let top: usize = __heap_base;

export function mark(): usize {
  return top;
}

export function release(position: usize): void {
  top = position;
}

/** Allocates `bytes` (uninitialised), aligned to 8; 0 where the memory's limit is reached. */
export function allocate(bytes: usize): usize {
  const start = (top + 7) & ~7;
  // 16 spare bytes let word-wise readers run over the end of the last allocation.
  const end = <u64>start + <u64>bytes + 16;
  const pages = (end + 0xffff) >> 16;
  const have = <u64>memory.size();
  if (have < pages) {
    if (pages > 65536) return 0;
    if (memory.grow(<i32>(pages - have)) < 0) return 0;
  }
  top = start + bytes;
  return start;
}

/** As `allocate`, zeroed. */
export function allocateZeroed(bytes: usize): usize {
  const start = allocate(bytes);
  if (start !== 0) memory.fill(start, 0, bytes);
  return start;
}
