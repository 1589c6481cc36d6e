/**
 * How the engine is to plan a query of which it expects something else (`QueryOptions.settings`). Its statistics know nothing
 * of a repository that was just stored, and little of how keys are spread.
 */

/**
 * Keys, in whichever partitions they are. The engine takes each partition to hold every key, and would rather read all of
 * them: 2,700 keys took 170 ms in a store of 30 million lines, not 50. Parallel workers take 9 ms to start, for looks of 1.
 */
export const BY_INDEX = {
  settings: ["enable_seqscan = off", "plan_cache_mode = force_generic_plan", "max_parallel_workers_per_gather = 0"],
};

/** Keys in turn, each in the partition that it belongs to. Each of a list is looked for in all: 3,000 took 63 ms, not 12. */
export const NESTED_LOOPS = { settings: [...BY_INDEX.settings, "enable_hashjoin = off", "enable_mergejoin = off"] };

/** Lets a data node add up instead of sending what is to be added. */
export const SUMS_ON_NODES = { settings: ["enable_partitionwise_aggregate = on"] };

/** Most rows of a repository, with their versions: where the engine expects one row of each, 5,000 files took 8 s. */
export const NO_NESTED_LOOPS = { settings: ["enable_nestloop = off"] };

/**
 * Rows of which all but a few are ruled out by an index. Unpacking such a row costs far more than the engine reckons: without
 * these it reads every row of a repository (a word in 32 repositories: 920 ms instead of 4). Planning over all partitions
 * takes longer than the lookup, so a statement is planned once for all patterns of its shape.
 */
export const FEW_ROWS = { settings: [...BY_INDEX.settings, "cpu_tuple_cost = 100", "jit = off"] };
