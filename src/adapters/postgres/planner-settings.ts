/**
 * How the engine is to go about a question of which it expects something else (`AskOptions.settings`). Its statistics know
 * nothing of a repository that was just stored, and little of how keys are spread.
 */

/**
 * Keys, in whichever partitions they are. The engine takes each partition to hold every key of the query, and would
 * rather read all of them: 2,700 keys took 170 ms in a store of 30 million lines, and more with each repository, not 50.
 * Nor are other processes asked to help: they take 9 ms to start, for looks at an index that take 1.
 */
export const BY_INDEX = {
  settings: ["enable_seqscan = off", "plan_cache_mode = force_generic_plan", "max_parallel_workers_per_gather = 0"],
};

/** Keys in turn, each in the partition that it belongs to. Each of a list is looked for in all: 3,000 took 63 ms, not 12. */
export const NESTED_LOOPS = { settings: [...BY_INDEX.settings, "enable_hashjoin = off", "enable_mergejoin = off"] };

/** Lets a data node add up instead of sending what is to be added. */
export const SUMS_ON_NODES = { settings: ["enable_partitionwise_aggregate = on"] };

/**
 * Most rows of a repository, with their versions. Where the engine expects one row of each, looking through all of one table
 * for each row of the other seems as good as any way: of 5,000 files that took 8 s, and of ten times as many it would be
 * a hundred times as long.
 */
export const NO_NESTED_LOOPS = { settings: ["enable_nestloop = off"] };

/**
 * Rows of which all but a few are ruled out by an index. What such a row holds lies outside of it, and unpacking it costs far
 * more than the engine reckons: without these it looks at every row of a repository where the index has the answer (a word
 * in 32 repositories: 920 ms instead of 4). A row that is read is what costs; looks at an index do not. Planning over all
 * partitions takes longer than that, so a statement is planned once for all patterns of its shape.
 */
export const FEW_ROWS = { settings: [...BY_INDEX.settings, "cpu_tuple_cost = 100", "jit = off"] };
