/** Status values of answers and indexes. */

export const SCHEMA_STATUSES = ["compatible", "not_indexed", "reindex_required", "corrupt_manifest"] as const;
export type SchemaStatus = (typeof SCHEMA_STATUSES)[number];

export const FRESHNESS = ["fresh", "stale", "syncing"] as const;
export type FreshnessStatus = (typeof FRESHNESS)[number];

export const INDEXING_STATUSES = ["not_indexed", "indexing", "ready", "failed"] as const;
export type IndexingStatus = (typeof INDEXING_STATUSES)[number];

export const COMPLETENESS = ["complete", "partial", "truncated"] as const;
export type Completeness = (typeof COMPLETENESS)[number];

export const FRESHNESS_POLICIES = ["strict", "balanced", "best_effort"] as const;
export type FreshnessPolicy = (typeof FRESHNESS_POLICIES)[number];

export const EXPLAIN_LEVELS = ["off", "basic", "full"] as const;
export type ExplainLevel = (typeof EXPLAIN_LEVELS)[number];

export const DETAIL_LEVELS = ["location", "signature", "context"] as const;
export type DetailLevel = (typeof DETAIL_LEVELS)[number];

export const INTENTS = ["symbol", "path", "error", "natural_language"] as const;
export type Intent = (typeof INTENTS)[number];

/** How an answer is written: for programs, or as lines to read. */
export const FORMATS = ["json", "text"] as const;
export type Format = (typeof FORMATS)[number];
