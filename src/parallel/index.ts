/** `phloem/parallel`: preprocessing and batches on several workers. */

export { createPool, ParallelAnalysis, type ParallelOptions, Pool, type PoolOptions } from "./pool.js";
