/** `phloem/parallel`: preprocessing and batches on several workers. */

export { ParallelAnalysis } from "./parallel-analysis.js";
export { createPool, type ParallelOptions, Pool, type PoolOptions } from "./pool.js";
