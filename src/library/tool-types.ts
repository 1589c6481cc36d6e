/** Made by `npm run docs`: input and answer of every tool, as docs/tools.md describes them. */
export interface ToolTypes {
  readonly index_repo: {
    readonly input: {
      /** Workspace directory, or a repository's name in the shared store. Default: the server's. */
      readonly workspace?: string;
      /** Rebuild the index from scratch. */
      readonly force?: boolean;
      /** Branch, tag or commit. Default: the working tree. */
      readonly ref?: string;
      /** Wait up to this many seconds for the job to finish. Default: 0, answer at once. Most: 600. */
      readonly wait_seconds?: number;
    };
    readonly answer: {
      readonly job_id: string;
      readonly progress_token: string;
      readonly status: "queued" | "running" | "published" | "failed" | "interrupted" | "cancelled";
      readonly mode: "full" | "incremental";
      /** Files in the index; null until the job is published. */
      readonly file_count: (number) | (null);
      readonly error?: string;
      readonly error_message?: string;
      /** What to do about the error. */
      readonly suggestion?: string;
      /** How the index was damaged; a new one was built. */
      readonly rebuilt?: string;
    } & { readonly metadata: Metadata };
  };
  readonly sync_repo: {
    readonly input: {
      /** Workspace directory, or a repository's name in the shared store. Default: the server's. */
      readonly workspace?: string;
      /** Compare and parse every file again. Default: false (incremental). */
      readonly force?: boolean;
      /** Branch, tag or commit. Default: the working tree. */
      readonly ref?: string;
      /** Wait up to this many seconds for the job to finish. Default: 0, answer at once. Most: 600. */
      readonly wait_seconds?: number;
    };
    readonly answer: {
      readonly job_id: string;
      readonly progress_token: string;
      readonly status: "queued" | "running" | "published" | "failed" | "interrupted" | "cancelled";
      readonly mode: "full" | "incremental";
      /** Files added, changed or removed; null until the job is published. */
      readonly changed_files: (number) | (null);
      readonly error?: string;
      readonly error_message?: string;
      /** What to do about the error. */
      readonly suggestion?: string;
      /** How the index was damaged; a new one was built. */
      readonly rebuilt?: string;
    } & { readonly metadata: Metadata };
  };
  readonly locate_symbol: {
    readonly input: {
      /** Name, qualified name, path:line or path#name. */
      readonly name: string;
      /** Only this kind: fn, class, struct ... */
      readonly kind?: string;
      /** Only this language. */
      readonly language?: string;
      /** Only in this file or directory. */
      readonly path?: string;
      /** Id from an earlier result, instead of the name. */
      readonly symbol_id?: string;
      /** The same across moves and refs. */
      readonly symbol_stable_id?: string;
      /** Branch, tag or commit. Default: the working tree. */
      readonly ref?: string;
      /** Maximum number of results. */
      readonly limit?: number;
      /** Tokens per result: about 50, 100 or 400. */
      readonly detail_level?: "location" | "signature" | "context";
      /** Only ids, location and score. */
      readonly compact?: boolean;
      /** On a stale index: refuse; answer and sync; answer. */
      readonly freshness_policy?: "strict" | "balanced" | "best_effort";
      /** Explain the ranking in metadata. */
      readonly ranking_explain_level?: "off" | "basic" | "full";
      /** Token budget of the whole answer. */
      readonly max_tokens?: number;
      /** Workspace directory, or repository names in the shared store: with commas, repo:github.com/acme/*, or all. */
      readonly workspace?: string;
    };
    readonly answer: {
      readonly results: ReadonlyArray<Result>;
      readonly total_candidates: number;
      /** Lines that hold a name that is not defined, in languages whose definitions are not known. */
      readonly text_matches?: ReadonlyArray<TextMatch>;
      /** Suggested next calls. */
      readonly suggested_next_actions?: ReadonlyArray<{
        readonly tool: string;
        readonly [key: string]: unknown;
      }>;
    } & { readonly metadata: Metadata & {
      readonly ranking_reasons?: ReadonlyArray<RankingReason>;
      readonly workspaces?: Workspaces;
      /** Symbol names that resemble one that does not occur. */
      readonly did_you_mean?: ReadonlyArray<string>;
    } };
  };
  readonly search_code: {
    readonly input: {
      /** Question, name, path, error or trace; a phrase in quotes is literal. Filters: lang: path: kind: repo:, -lang: ... */
      readonly query: string;
      /** Only this language. */
      readonly language?: string;
      /** Only in this file or directory. */
      readonly path?: string;
      /** Only matching paths: *.rs,!*_test.rs. */
      readonly glob?: string;
      /** Branch, tag or commit. Default: the working tree. */
      readonly ref?: string;
      /** Maximum number of results. */
      readonly limit?: number;
      /** Tokens per result: about 50, 100 or 400. */
      readonly detail_level?: "location" | "signature" | "context";
      /** Only ids, location and score. */
      readonly compact?: boolean;
      /** On a stale index: refuse; answer and sync; answer. */
      readonly freshness_policy?: "strict" | "balanced" | "best_effort";
      /** Explain the ranking in metadata. */
      readonly ranking_explain_level?: "off" | "basic" | "full";
      /** Token budget of the whole answer. */
      readonly max_tokens?: number;
      /** Workspace directory, or repository names in the shared store: with commas, repo:github.com/acme/*, or all. */
      readonly workspace?: string;
    };
    readonly answer: {
      readonly results: ReadonlyArray<Result>;
      readonly query_intent: "symbol" | "path" | "error" | "natural_language";
      readonly total_candidates: number;
      /** Suggested next calls. */
      readonly suggested_next_actions?: ReadonlyArray<{
        readonly tool: string;
        readonly [key: string]: unknown;
      }>;
      readonly debug?: {
        readonly join_status: {
          readonly hits: number;
          readonly misses: number;
        };
      };
    } & { readonly metadata: Metadata & {
      readonly ranking_reasons?: ReadonlyArray<RankingReason>;
      readonly workspaces?: Workspaces;
      readonly suppressed_duplicate_count?: number;
      /** absent: the name or phrase does not occur in the index; the results are its closest neighbours. */
      readonly literal_match?: "present" | "absent";
      /** Symbol names that resemble one that does not occur. */
      readonly did_you_mean?: ReadonlyArray<string>;
    } };
  };
  readonly index_status: {
    readonly input: {
      /** Workspace directory, or a repository's name in the shared store. Default: the server's. */
      readonly workspace?: string;
      /** Alias of workspace. */
      readonly path?: string;
      /** Branch, tag or commit. Default: the working tree. */
      readonly ref?: string;
    };
    readonly answer: {
      readonly project_id: string;
      readonly repo_root: string;
      readonly index_status: "not_indexed" | "indexing" | "ready" | "failed";
      readonly schema_status: "compatible" | "not_indexed" | "reindex_required" | "corrupt_manifest";
      readonly current_schema_version: number;
      readonly required_schema_version: number;
      readonly last_indexed_at: (string) | (null);
      readonly last_indexed_commit?: string;
      readonly ref: string;
      readonly file_count: number;
      readonly symbol_count: number;
      readonly active_job: (ActiveJob) | (null);
      readonly recent_jobs: ReadonlyArray<{
        readonly job_id: string;
        readonly ref: string;
        readonly mode: "full" | "incremental";
        readonly status: "queued" | "running" | "published" | "failed" | "interrupted" | "cancelled";
        readonly changed_files: (number) | (null);
        readonly duration_ms: (number) | (null);
        readonly created_at: string;
        readonly error?: string;
      }>;
      readonly interrupted_recovery_report?: InterruptedRecoveryReport;
      readonly indexed: boolean;
      readonly total_files: number;
      readonly total_chunks: number;
      readonly index_size_bytes: number;
      readonly last_updated: (string) | (null);
      readonly model: string;
      readonly languages: ReadonlyArray<string>;
      readonly excluded_files: number;
      readonly indexing_time_seconds: (number) | (null);
      readonly problems?: ReadonlyArray<{
        readonly path: string;
        readonly problem: string;
      }>;
    } & { readonly metadata: Metadata };
  };
  readonly get_file_outline: {
    readonly input: {
      /** File path. */
      readonly path: string;
      /** Branch, tag or commit. Default: the working tree. */
      readonly ref?: string;
      /** top: no members, no imports. */
      readonly depth?: "top" | "all";
      /** Ignored: detected from the file. */
      readonly language?: string;
      /** Token budget of the whole answer. */
      readonly max_tokens?: number;
      /** Workspace directory, or a repository's name in the shared store. Default: the server's. */
      readonly workspace?: string;
    };
    readonly answer: {
      readonly file_path: string;
      readonly language: string;
      readonly symbols: ReadonlyArray<{
        readonly kind: string;
        readonly name: string;
        readonly line_start: number;
        readonly name_line?: number;
        readonly line_end: number;
        readonly visibility?: string;
        readonly signature?: string;
        readonly children?: ReadonlyArray<{
          readonly kind: string;
          readonly name: string;
          readonly [key: string]: unknown;
        }>;
      }>;
      /** Lines that the parser could not read; symbols in them may be missing. */
      readonly parse_errors?: ReadonlyArray<{
        readonly line_start: number;
        readonly line_end: number;
      }>;
      /** Suggested next calls. */
      readonly suggested_next_actions?: ReadonlyArray<{
        readonly tool: string;
        readonly [key: string]: unknown;
      }>;
    } & { readonly metadata: Metadata & {
      readonly symbol_count: number;
    } };
  };
  readonly health_check: {
    readonly input: {
      /** Workspace directory, or a repository's name in the shared store. Default: the server's. */
      readonly workspace?: string;
    };
    readonly answer: {
      readonly status: "ready" | "warming" | "indexing" | "error" | "healthy" | "degraded";
      readonly readiness: "ready" | "warming" | "indexing" | "error";
      readonly health: "healthy" | "degraded";
      readonly version: string;
      readonly uptime_seconds: number;
      readonly memory_usage_mb: number;
      readonly active_connections: number;
      /** Whether the full-text index opens and answers. */
      readonly tantivy_ok: boolean;
      readonly sqlite_ok: boolean;
      readonly full_text: {
        readonly engine: string;
        readonly ok: boolean;
      };
      readonly store?: {
        readonly engine: string;
        readonly version: string;
        readonly address: string;
        readonly capabilities: ReadonlyArray<string>;
        /** Whether an index can be written now; reads work, or there is an error. */
        readonly can_write: boolean;
      };
      readonly grammars: {
        readonly available: ReadonlyArray<string>;
        readonly missing: ReadonlyArray<string>;
      };
      readonly active_job: (ActiveJob) | (null);
      readonly interrupted_recovery_report: (InterruptedRecoveryReport) | (null);
      readonly workspace_warmset: {
        readonly enabled: boolean;
        readonly capacity: number;
        readonly members: ReadonlyArray<string>;
      };
      readonly prewarm_status: "pending" | "running" | "complete" | "skipped" | "failed";
      readonly watcher: "native" | "polling" | "off";
      readonly startup_checks: {
        readonly index: {
          readonly status: "compatible" | "not_indexed" | "reindex_required" | "corrupt_manifest";
          readonly current_schema_version: number;
          readonly required_schema_version: number;
          readonly message: (string) | (null);
        };
      };
      readonly projects: ReadonlyArray<{
        readonly project_id: string;
        readonly repo_root: string;
        readonly index_status: "ready" | "indexing" | "stale" | "error";
        readonly schema_status: "compatible" | "not_indexed" | "reindex_required" | "corrupt_manifest";
        readonly current_schema_version: number;
        readonly required_schema_version: number;
        readonly freshness_status: "fresh" | "stale" | "syncing";
        readonly last_indexed_at: (string) | (null);
        readonly ref: string;
        readonly file_count: number;
        readonly symbol_count: number;
        /** What is wrong with the project, and what to do about it. */
        readonly message?: string;
      }>;
    } & { readonly metadata: Metadata };
  };
  readonly get_symbol_hierarchy: {
    readonly input: {
      /** Name, qualified name, path:line or path#name. */
      readonly symbol_name: string;
      /** File or directory that defines it. */
      readonly path?: string;
      /** Id from an earlier result, instead of the name. */
      readonly symbol_id?: string;
      /** The same across moves and refs. */
      readonly symbol_stable_id?: string;
      /** Direction. */
      readonly direction?: "ancestors" | "descendants";
      /** Branch, tag or commit. Default: the working tree. */
      readonly ref?: string;
      /** On a stale index: refuse; answer and sync; answer. */
      readonly freshness_policy?: "strict" | "balanced" | "best_effort";
      /** Token budget of the whole answer. */
      readonly max_tokens?: number;
      /** Workspace directory, or a repository's name in the shared store. Default: the server's. */
      readonly workspace?: string;
    };
    readonly answer: {
      readonly hierarchy: ReadonlyArray<{
        readonly symbol_id: string;
        readonly symbol_stable_id: string;
        readonly name: string;
        readonly kind: string;
        readonly qualified_name: string;
        readonly path: string;
        readonly line_start: number;
        /** Line of the name, if it is not line_start. */
        readonly name_line?: number;
        readonly line_end: number;
        readonly signature?: string;
        readonly language?: string;
        readonly depth: number;
        readonly children?: ReadonlyArray<{
          readonly [key: string]: unknown;
        }>;
      }>;
      readonly direction: "ancestors" | "descendants";
      /** Number of nodes in the whole hierarchy, including nodes not shown. */
      readonly chain_length: number;
      /** ancestors: types it extends, members it overrides. descendants: subtypes, members that override it. */
      readonly inheritance?: ReadonlyArray<{
        readonly symbol_id: string;
        readonly symbol_stable_id?: string;
        readonly name: string;
        readonly kind: string;
        readonly qualified_name: string;
        readonly path: string;
        readonly line_start: number;
        /** Line of the name, if it is not line_start. */
        readonly name_line?: number;
        readonly line_end?: number;
        readonly signature?: string;
        readonly language?: string;
      }>;
      /** Number of them, including those not shown. */
      readonly total_inheritance?: number;
      /** Suggested next calls. */
      readonly suggested_next_actions?: ReadonlyArray<{
        readonly tool: string;
        readonly [key: string]: unknown;
      }>;
    } & { readonly metadata: Metadata };
  };
  readonly find_related_symbols: {
    readonly input: {
      /** Name, qualified name, path:line or path#name. */
      readonly symbol_name: string;
      /** File or directory that defines it. */
      readonly path?: string;
      /** Id from an earlier result, instead of the name. */
      readonly symbol_id?: string;
      /** The same across moves and refs. */
      readonly symbol_stable_id?: string;
      /** Scope of the search. */
      readonly scope?: "file" | "module" | "package";
      /** Branch, tag or commit. Default: the working tree. */
      readonly ref?: string;
      /** Maximum number of results. */
      readonly limit?: number;
      /** On a stale index: refuse; answer and sync; answer. */
      readonly freshness_policy?: "strict" | "balanced" | "best_effort";
      /** Token budget of the whole answer. */
      readonly max_tokens?: number;
      /** Workspace directory, or a repository's name in the shared store. Default: the server's. */
      readonly workspace?: string;
    };
    readonly answer: {
      readonly anchor: Anchor;
      readonly related: ReadonlyArray<{
        readonly symbol_id: string;
        readonly symbol_stable_id: string;
        readonly name: string;
        readonly kind: string;
        readonly qualified_name: string;
        readonly path: string;
        readonly line_start: number;
        /** Line of the name, if it is not line_start. */
        readonly name_line?: number;
        readonly line_end: number;
        readonly signature?: string;
        readonly language?: string;
        readonly relation: "same_file" | "same_module" | "same_package" | "imported";
      }>;
      readonly scope_used: "file" | "module" | "package";
      /** Total before limit. */
      readonly total_found: number;
      /** Suggested next calls. */
      readonly suggested_next_actions?: ReadonlyArray<{
        readonly tool: string;
        readonly [key: string]: unknown;
      }>;
    } & { readonly metadata: Metadata };
  };
  readonly get_code_context: {
    readonly input: {
      /** Question, name or path. */
      readonly query: string;
      /** Token budget of the whole answer. */
      readonly max_tokens?: number;
      /** Many signatures, or bodies. */
      readonly strategy?: "breadth" | "depth";
      /** Only this language. */
      readonly language?: string;
      /** Only in this file or directory. */
      readonly path?: string;
      /** Branch, tag or commit. Default: the working tree. */
      readonly ref?: string;
      /** On a stale index: refuse; answer and sync; answer. */
      readonly freshness_policy?: "strict" | "balanced" | "best_effort";
      /** Workspace directory, or a repository's name in the shared store. Default: the server's. */
      readonly workspace?: string;
    };
    readonly answer: {
      readonly context_items: ReadonlyArray<{
        readonly symbol_id?: string;
        readonly name?: string;
        readonly kind?: string;
        readonly qualified_name?: string;
        readonly path: string;
        readonly line_start: number;
        readonly line_end: number;
        readonly language?: string;
        readonly score?: number;
        readonly signature?: string;
        readonly body?: string;
        readonly body_truncated?: boolean;
        /** Why it is shown beside the matches. */
        readonly role?: "callee" | "caller" | "test";
      }>;
      /** Estimated tokens of the items. */
      readonly estimated_tokens: number;
      /** More was found than fits the budget. */
      readonly truncated: boolean;
      /** Suggested next calls. */
      readonly suggested_next_actions?: ReadonlyArray<{
        readonly tool: string;
        readonly [key: string]: unknown;
      }>;
    } & { readonly metadata: Metadata & {
      readonly total_candidates: number;
      readonly returned: number;
      readonly strategy: "breadth" | "depth";
      readonly remaining_candidates?: number;
      readonly suggestion?: string;
    } };
  };
  readonly diff_context: {
    readonly input: {
      /** Compare with. Default: the default branch. */
      readonly base_ref?: string;
      /** Ref, or worktree for the files on disk. Default: HEAD. */
      readonly head_ref?: string;
      /** Only in this file or directory. */
      readonly path_filter?: string;
      /** Maximum number of results. */
      readonly limit?: number;
      /** Token budget of the whole answer. */
      readonly max_tokens?: number;
      /** Token budget of a review pack: code, callers and likely tests too. */
      readonly pack?: number;
      /** markdown: a pack as a pull-request comment. */
      readonly format?: "json" | "text" | "markdown";
      /** Workspace directory, or a repository's name in the shared store. Default: the server's. */
      readonly workspace?: string;
    };
    readonly answer: {
      readonly base_ref: string;
      readonly head_ref: string;
      readonly merge_base_commit: string;
      readonly affected_files: number;
      readonly changes?: ReadonlyArray<{
        readonly symbol: string;
        readonly change_type: "added" | "modified" | "deleted";
        readonly renamed_from?: string;
        readonly before: (Before) | (null);
        readonly after: (Before) | (null);
        readonly path: string;
        readonly lines: {
          readonly start: number;
          readonly end: number;
        };
        readonly code?: string;
      }>;
      readonly file_changes?: ReadonlyArray<{
        readonly path: string;
        readonly change_type: "added" | "modified" | "deleted";
        readonly renamed_from?: string;
        readonly not_parsed?: string;
      }>;
      readonly callers?: ReadonlyArray<{
        readonly of: string;
        readonly path: string;
        readonly line_start: number;
        readonly context: string;
        readonly from_symbol?: string;
        readonly resolution: "compiler" | "exact" | "import" | "receiver" | "name_only";
      }>;
      readonly total_callers?: number;
      readonly likely_tests?: ReadonlyArray<LikelyTest>;
      readonly markdown?: string;
      readonly total_changes: number;
      readonly truncated: boolean;
      /** Suggested next calls. */
      readonly suggested_next_actions?: ReadonlyArray<{
        readonly tool: string;
        readonly [key: string]: unknown;
      }>;
    } & { readonly metadata: Metadata };
  };
  readonly find_references: {
    readonly input: {
      /** Name, qualified name, path:line, path#name, or a route (GET /users/:id). */
      readonly symbol_name: string;
      /** Only uses of this kind. */
      readonly kind?: "imports" | "calls" | "implements" | "extends" | "references" | "route" | "table" | "env" | "event" | "script" | "resource" | "injection" | "element" | "rpc" | "graphql";
      /** File or directory that defines it. */
      readonly path?: string;
      /** Id from an earlier result, instead of the name. */
      readonly symbol_id?: string;
      /** The same across moves and refs. */
      readonly symbol_stable_id?: string;
      /** Refuse a name that several symbols have, instead of answering for each. */
      readonly strict_symbol?: boolean;
      /** Branch, tag or commit. Default: the working tree. */
      readonly ref?: string;
      /** Maximum number of results. */
      readonly limit?: number;
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      /** On a stale index: refuse; answer and sync; answer. */
      readonly freshness_policy?: "strict" | "balanced" | "best_effort";
      /** Token budget of the whole answer. */
      readonly max_tokens?: number;
      /** Workspace directory, or a repository's name in the shared store. Default: the server's. */
      readonly workspace?: string;
    };
    readonly answer: {
      readonly symbol?: {
        readonly symbol_id: string;
        readonly symbol_stable_id: string;
        readonly name: string;
        readonly qualified_name: string;
        readonly kind: string;
        readonly path: string;
        readonly line_start: number;
        readonly name_line?: number;
      };
      readonly references: ReadonlyArray<Reference>;
      /** Total before limit. */
      readonly total_references: number;
      readonly certain_references: number;
      readonly name_only_references: number;
      /** Certain ones that an imported compiler index lists. */
      readonly compiler_references?: number;
      /** Sites that mean a base or an override of it; not certain. */
      readonly possible_references?: number;
      /** Sites that name a key which it serves, such as a route; not certain. */
      readonly connection_references?: number;
      readonly references_by_kind: {
        readonly [key: string]: number;
      };
      /** Lines that hold the name and may use it: where the language has no references, or no use was bound. */
      readonly text_matches?: ReadonlyArray<TextMatch>;
      /** Of an ambiguous name: an answer for each symbol. */
      readonly candidates?: ReadonlyArray<{
        readonly symbol: {
          readonly symbol_id: string;
          readonly symbol_stable_id: string;
          readonly name: string;
          readonly qualified_name: string;
          readonly kind: string;
          readonly path: string;
          readonly line_start: number;
          readonly name_line?: number;
        };
        readonly references: ReadonlyArray<Reference>;
        /** Total before limit. */
        readonly total_references: number;
        readonly certain_references: number;
        readonly name_only_references: number;
        /** Certain ones that an imported compiler index lists. */
        readonly compiler_references?: number;
        /** Sites that mean a base or an override of it; not certain. */
        readonly possible_references?: number;
        /** Sites that name a key which it serves, such as a route; not certain. */
        readonly connection_references?: number;
        readonly references_by_kind: {
          readonly [key: string]: number;
        };
        /** Lines that hold the name and may use it: where the language has no references, or no use was bound. */
        readonly text_matches?: ReadonlyArray<TextMatch>;
      }>;
      readonly candidate_count?: number;
      /** Present if there are more references than shown. */
      readonly pagination?: Pagination;
      /** Suggested next calls. */
      readonly suggested_next_actions?: ReadonlyArray<{
        readonly tool: string;
        readonly [key: string]: unknown;
      }>;
    } & { readonly metadata: Metadata };
  };
  readonly explain_ranking: {
    readonly input: {
      /** The search query to explain. */
      readonly query: string;
      /** Path of the result. */
      readonly result_path: string;
      /** First line of the result. */
      readonly result_line_start: number;
      /** Branch, tag or commit. Default: the working tree. */
      readonly ref?: string;
      /** Only this language. */
      readonly language?: string;
      /** The path filter of the search, if it had one. */
      readonly path?: string;
      /** The glob of the search, if it had one. */
      readonly glob?: string;
      /** Candidates to replay. */
      readonly limit?: number;
      /** Workspace directory, or a repository's name in the shared store. Default: the server's. */
      readonly workspace?: string;
    };
    readonly answer: {
      readonly query: string;
      readonly result: {
        readonly path: string;
        readonly line_start: number;
        readonly line_end: number;
        readonly kind?: string;
        readonly name?: string;
        readonly source_layer?: "base" | "overlay";
      };
      /** total is the sum of the others; factors beyond the documented six are listed beside them. */
      readonly scoring: {
        readonly bm25: number;
        readonly exact_match: number;
        readonly qualified_name: number;
        readonly path_affinity: number;
        readonly definition_boost: number;
        readonly kind_match: number;
        readonly total: number;
        readonly [key: string]: unknown;
      };
      readonly scoring_details: {
        readonly [key: string]: string;
      };
    } & { readonly metadata: Metadata };
  };
  readonly list_refs: {
    readonly input: {
      /** Workspace directory, or a repository's name in the shared store. Default: the server's. */
      readonly workspace?: string;
      /** Token budget of the whole answer. */
      readonly max_tokens?: number;
    };
    readonly answer: {
      readonly refs: ReadonlyArray<{
        readonly ref: string;
        readonly is_default: boolean;
        readonly last_indexed_commit: (string) | (null);
        /** Merge base with the default branch. */
        readonly merge_base_commit: (string) | (null);
        /** Default ref: all files. Other refs: the files the ref changed. */
        readonly file_count: number;
        readonly symbol_count: number;
        /** gone: the repository no longer has this ref. */
        readonly status: "active" | "stale" | "syncing" | "gone";
        readonly last_accessed_at: string;
      }>;
      readonly total_refs: number;
      readonly vcs_mode: boolean;
      /** Suggested next calls. */
      readonly suggested_next_actions?: ReadonlyArray<{
        readonly tool: string;
        readonly [key: string]: unknown;
      }>;
    } & { readonly metadata: Metadata };
  };
  readonly switch_ref: {
    readonly input: {
      /** Branch, tag or commit to switch to. */
      readonly ref: string;
      /** Also check the ref out into a directory of its own and return its path. */
      readonly ensure_worktree?: boolean;
      /** Workspace directory, or a repository's name in the shared store. Default: the server's. */
      readonly workspace?: string;
    };
    readonly answer: {
      readonly ref: string;
      readonly previous_ref: string;
      /** Directory where the ref is checked out, if any. */
      readonly worktree_path?: string;
      readonly status: "active" | "no_session";
      readonly last_indexed_commit: (string) | (null);
    } & { readonly metadata: Metadata };
  };
  readonly semantic_search: {
    readonly input: {
      /** What the code does, in plain words or in code. */
      readonly query: string;
      /** Directory or file to search, absolute or relative to the workspace. */
      readonly path?: string;
      /** Least score of a result, 0 to 1. Default: 0.6. */
      readonly threshold?: number;
      /** Maximum number of results over all pages. Default: 10; with page_size or cursor, all. */
      readonly top_k?: number;
      /** Results per page. Default: 50. */
      readonly page_size?: number;
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      /** Lines shown around each result. Default: 2. */
      readonly context_lines?: number;
      /** Maximum characters per snippet. */
      readonly snippet_length?: number;
      /** Include source. */
      readonly include_snippet?: boolean;
      /** Only matching paths: *.rs,!*_test.rs. */
      readonly glob?: string;
      /** Only this language. */
      readonly language?: string;
      /** Branch, tag or commit. Default: the working tree. */
      readonly ref?: string;
      /** Token budget of the whole answer. */
      readonly max_tokens?: number;
      /** Workspace directory, or repository names in the shared store: with commas, repo:github.com/acme/*, or all. */
      readonly workspace?: string;
    };
    readonly answer: {
      readonly results: ReadonlyArray<{
        readonly workspace?: string;
        readonly file: string;
        readonly line_start: number;
        readonly line_end: number;
        readonly score: number;
        readonly snippet?: string;
        /** Kind of the enclosing definition. */
        readonly chunk_type: string;
        readonly breadcrumb?: string;
        readonly estimated_tokens: number;
        readonly language: string;
        readonly symbol_id?: string;
      }>;
      readonly pagination: Pagination;
      /** Suggested next calls. */
      readonly suggested_next_actions?: ReadonlyArray<{
        readonly tool: string;
        readonly [key: string]: unknown;
      }>;
    } & { readonly metadata: Metadata & {
      readonly total_results: number;
      /** lexical: no embedding model was available; see warnings. */
      readonly search_mode: "semantic" | "lexical";
      readonly model: string;
      readonly threshold: number;
      readonly workspaces?: Workspaces;
    } };
  };
  readonly regex_search: {
    readonly input: {
      /** Regular expression. */
      readonly pattern: string;
      /** Directory or file to search, absolute or relative. */
      readonly path?: string;
      /** Ignore case. */
      readonly ignore_case?: boolean;
      /** Alias of ignore_case. */
      readonly case_insensitive?: boolean;
      /** Literal text. */
      readonly fixed_strings?: boolean;
      /** Whole words only. */
      readonly whole_words?: boolean;
      /** Only matching paths: *.rs,!*_test.rs. */
      readonly glob?: string;
      /** Only this language. */
      readonly language?: string;
      /** Lines around each match. Default: 3, in text 0. */
      readonly context?: number;
      /** Results per page. Default: 50. */
      readonly page_size?: number;
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      /** Maximum characters per snippet. */
      readonly snippet_length?: number;
      /** Include source. */
      readonly include_snippet?: boolean;
      /** Branch, tag or commit. Default: the working tree. */
      readonly ref?: string;
      /** Token budget of the whole answer. */
      readonly max_tokens?: number;
      /** Workspace directory, or repository names in the shared store: with commas, repo:github.com/acme/*, or all. */
      readonly workspace?: string;
    };
    readonly answer: {
      readonly results: ReadonlyArray<{
        readonly workspace?: string;
        readonly file: string;
        /** The matching line. */
        readonly line_start: number;
        readonly line_end: number;
        readonly score: number;
        /** The matching line with its context. */
        readonly snippet?: string;
        /** First line of the snippet. */
        readonly snippet_start?: number;
        readonly chunk_type: string;
        readonly breadcrumb?: string;
        readonly estimated_tokens: number;
        readonly language: string;
      }>;
      readonly pagination: Pagination;
      /** Suggested next calls. */
      readonly suggested_next_actions?: ReadonlyArray<{
        readonly tool: string;
        readonly [key: string]: unknown;
      }>;
    } & { readonly metadata: Metadata & {
      readonly total_results: number;
      readonly search_mode: "regex";
      readonly files_matched: number;
      readonly files_searched?: number;
      /** false: more matches exist than total_results; request the next page. */
      readonly total_is_exact?: boolean;
      readonly workspaces?: Workspaces;
    } };
  };
  readonly hybrid_search: {
    readonly input: {
      /** What the code does, in plain words or in code. */
      readonly query: string;
      /** Directory or file to search, absolute or relative to the workspace. */
      readonly path?: string;
      /** Least fused score of a result; useful from 0.01 to 0.05. Default: 0.02. */
      readonly threshold?: number;
      /** Maximum number of results over all pages. Default: 10; with page_size or cursor, all. */
      readonly top_k?: number;
      /** Results per page. Default: 50. */
      readonly page_size?: number;
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      /** Lines shown around each result. Default: 2. */
      readonly context_lines?: number;
      /** Maximum characters per snippet. */
      readonly snippet_length?: number;
      /** Include source. */
      readonly include_snippet?: boolean;
      /** Only matching paths: *.rs,!*_test.rs. */
      readonly glob?: string;
      /** Only this language. */
      readonly language?: string;
      /** Branch, tag or commit. Default: the working tree. */
      readonly ref?: string;
      /** Token budget of the whole answer. */
      readonly max_tokens?: number;
      /** Workspace directory, or a repository's name in the shared store. Default: the server's. */
      readonly workspace?: string;
    };
    readonly answer: {
      readonly results: ReadonlyArray<{
        readonly file: string;
        readonly line_start: number;
        readonly line_end: number;
        readonly score: number;
        readonly snippet?: string;
        /** Kind of the enclosing definition. */
        readonly chunk_type: string;
        readonly breadcrumb?: string;
        readonly estimated_tokens: number;
        readonly language: string;
        readonly symbol_id?: string;
      }>;
      readonly pagination: Pagination;
      /** Suggested next calls. */
      readonly suggested_next_actions?: ReadonlyArray<{
        readonly tool: string;
        readonly [key: string]: unknown;
      }>;
    } & { readonly metadata: Metadata & {
      readonly total_results: number;
      /** lexical: no embedding model was available; see warnings. */
      readonly search_mode: "hybrid" | "lexical";
      readonly model: string;
      readonly threshold: number;
    } };
  };
  readonly reindex: {
    readonly input: {
      /** Any directory or file of the workspace. Default: the workspace the server was started for. */
      readonly path?: string;
      /** Read every file again, including unchanged ones. */
      readonly force?: boolean;
      /** Workspace directory, or a repository's name in the shared store. Default: the server's. */
      readonly workspace?: string;
    };
    readonly answer: {
      /** False if the job failed or is still running after ten minutes. */
      readonly success: boolean;
      readonly total_chunks: number;
      readonly total_files: number;
      readonly duration_ms: number;
      readonly index_size_bytes: number;
      readonly job_id: string;
      readonly status: "queued" | "running" | "published" | "failed" | "interrupted" | "cancelled";
      readonly error?: string;
    } & { readonly metadata: Metadata };
  };
  readonly get_call_graph: {
    readonly input: {
      /** Name, qualified name, path:line or path#name. */
      readonly symbol_name: string;
      /** File or directory that defines it. */
      readonly path?: string;
      /** Id from an earlier result, instead of the name. */
      readonly symbol_id?: string;
      /** The same across moves and refs. */
      readonly symbol_stable_id?: string;
      /** Refuse a name that several symbols have, instead of answering for each. */
      readonly strict_symbol?: boolean;
      /** Which calls to follow. */
      readonly direction?: "callers" | "callees" | "both";
      /** Maximum distance. */
      readonly depth?: number;
      /** Branch, tag or commit. Default: the working tree. */
      readonly ref?: string;
      /** Maximum number of results. */
      readonly limit?: number;
      /** On a stale index: refuse; answer and sync; answer. */
      readonly freshness_policy?: "strict" | "balanced" | "best_effort";
      /** Token budget of the whole answer. */
      readonly max_tokens?: number;
      /** Workspace directory, or a repository's name in the shared store. Default: the server's. */
      readonly workspace?: string;
    };
    readonly answer: {
      readonly direction: "callers" | "callees" | "both";
      readonly root?: Anchor;
      readonly nodes: ReadonlyArray<Node>;
      readonly edges: ReadonlyArray<Edge>;
      /** Total edges before limit. */
      readonly total_edges: number;
      readonly name_only_edges: number;
      /** Edges of calls that may reach an override at run time. */
      readonly possible_edges?: number;
      /** Edges between places that name the same key. */
      readonly connection_edges?: number;
      /** Symbols whose calls were not followed. */
      readonly unexpanded_nodes?: number;
      /** Of an ambiguous name: a graph for each symbol. */
      readonly candidates?: ReadonlyArray<{
        readonly root: Anchor;
        readonly nodes: ReadonlyArray<Node>;
        readonly edges: ReadonlyArray<Edge>;
        /** Total edges before limit. */
        readonly total_edges: number;
        readonly name_only_edges: number;
        /** Edges of calls that may reach an override at run time. */
        readonly possible_edges?: number;
        /** Edges between places that name the same key. */
        readonly connection_edges?: number;
        /** Symbols whose calls were not followed. */
        readonly unexpanded_nodes?: number;
      }>;
      readonly candidate_count?: number;
      /** Suggested next calls. */
      readonly suggested_next_actions?: ReadonlyArray<{
        readonly tool: string;
        readonly [key: string]: unknown;
      }>;
    } & { readonly metadata: Metadata };
  };
  readonly impact: {
    readonly input: {
      /** Symbol to change. Default: what is uncommitted. */
      readonly symbol_name?: string;
      /** File or directory that defines it, or that changed. */
      readonly path?: string;
      /** Id from an earlier result, instead of the name. */
      readonly symbol_id?: string;
      /** The same across moves and refs. */
      readonly symbol_stable_id?: string;
      /** Refuse a name that several symbols have, instead of answering for each. */
      readonly strict_symbol?: boolean;
      /** Without symbol_name: changes since. Default: HEAD. */
      readonly base_ref?: string;
      /** Maximum distance from the change. */
      readonly depth?: number;
      /** Branch, tag or commit. Default: the working tree. */
      readonly ref?: string;
      /** Maximum number of results. */
      readonly limit?: number;
      /** On a stale index: refuse; answer and sync; answer. */
      readonly freshness_policy?: "strict" | "balanced" | "best_effort";
      /** Token budget of the whole answer. */
      readonly max_tokens?: number;
      /** Workspace directory, or a repository's name in the shared store. Default: the server's. */
      readonly workspace?: string;
    };
    readonly answer: {
      readonly changed: ReadonlyArray<Changed>;
      readonly total_changed: number;
      readonly affected: ReadonlyArray<Affected>;
      readonly total_affected: number;
      /** Of the total: through a base or an override, not certain. */
      readonly possible_affected?: number;
      readonly likely_tests: ReadonlyArray<LikelyTest>;
      /** Of an ambiguous name: an answer for each symbol. */
      readonly candidates?: ReadonlyArray<{
        readonly changed: ReadonlyArray<Changed>;
        readonly total_changed: number;
        readonly affected: ReadonlyArray<Affected>;
        readonly total_affected: number;
        /** Of the total: through a base or an override, not certain. */
        readonly possible_affected?: number;
        readonly likely_tests: ReadonlyArray<LikelyTest>;
      }>;
      readonly candidate_count?: number;
      /** Suggested next calls. */
      readonly suggested_next_actions?: ReadonlyArray<{
        readonly tool: string;
        readonly [key: string]: unknown;
      }>;
    } & { readonly metadata: Metadata };
  };
  readonly unused: {
    readonly input: {
      /** Only symbols of this file or directory. */
      readonly path?: string;
      /** Only this language. */
      readonly language?: string;
      /** List the unknown ones too, each with its reason. */
      readonly include_unknown?: boolean;
      /** Branch, tag or commit. Default: the working tree. */
      readonly ref?: string;
      /** Maximum number of results. */
      readonly limit?: number;
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      /** On a stale index: refuse; answer and sync; answer. */
      readonly freshness_policy?: "strict" | "balanced" | "best_effort";
      /** Token budget of the whole answer. */
      readonly max_tokens?: number;
      /** Workspace directory, or a repository's name in the shared store. Default: the server's. */
      readonly workspace?: string;
    };
    readonly answer: {
      readonly symbols: ReadonlyArray<{
        readonly symbol_id: string;
        readonly name: string;
        readonly kind: string;
        readonly qualified_name: string;
        readonly path: string;
        readonly line_start: number;
        readonly name_line?: number;
        readonly line_end: number;
        readonly verdict: "unused" | "unknown";
        /** Why it is not known. */
        readonly reason?: "exported" | "entry_file" | "whole_module" | "decorated" | "inherited" | "in_text";
      }>;
      /** Symbols examined; tests, examples, vendored and generated files are not. */
      readonly checked: number;
      readonly used: number;
      /** Only a site of the same name may use it. */
      readonly possibly_used: number;
      readonly unused: number;
      /** No use was found, and code outside the repository may use it. */
      readonly unknown: number;
      /** Called by a runtime or a language construct, such as main. */
      readonly entry_points: number;
      readonly unknown_by_reason: {
        readonly [key: string]: number;
      };
      /** Present if there are more symbols than shown. */
      readonly pagination?: Pagination;
      /** Suggested next calls. */
      readonly suggested_next_actions?: ReadonlyArray<{
        readonly tool: string;
        readonly [key: string]: unknown;
      }>;
    } & { readonly metadata: Metadata };
  };
}

/** What every answer says of itself. */
export interface Metadata {
  readonly codecompass_protocol_version: string;
  readonly cruxe_protocol_version: string;
  readonly freshness_status: "fresh" | "stale" | "syncing";
  readonly indexing_status: "not_indexed" | "indexing" | "ready" | "failed";
  readonly result_completeness: "complete" | "partial" | "truncated";
  readonly ref: string;
  readonly schema_status: "compatible" | "not_indexed" | "reindex_required" | "corrupt_manifest";
  readonly coverage?: Coverage;
  /** What the query asked for, if the repository is not checked out and freshness cannot be compared. */
  readonly published?: {
    readonly commit?: string;
    readonly at: string;
  };
  readonly warnings?: ReadonlyArray<string>;
  readonly safety_limit_applied?: boolean;
  readonly omitted?: {
    readonly count: number;
    readonly suggestion: string;
  };
}

interface Coverage {
  readonly files_indexed: number;
  readonly files_skipped: number;
  readonly skipped_reasons: {
    readonly [key: string]: number;
  };
  /** Languages whose definitions are not known. */
  readonly without_symbols?: ReadonlyArray<{
    readonly language: string;
    readonly files: number;
  }>;
  /** Languages whose uses are not known. */
  readonly without_references?: ReadonlyArray<{
    readonly language: string;
    readonly files: number;
  }>;
}

interface Result {
  readonly workspace?: string;
  readonly result_id?: string;
  readonly symbol_id?: string;
  readonly symbol_stable_id?: string;
  readonly result_type?: "symbol" | "snippet" | "file";
  readonly path: string;
  readonly line_start: number;
  readonly line_end: number;
  readonly kind?: string;
  readonly name?: string;
  readonly qualified_name?: string;
  readonly signature?: string;
  readonly language?: string;
  readonly source_layer?: "base" | "overlay";
  readonly visibility?: "public" | "private" | "protected" | "internal";
  readonly score?: number;
  readonly snippet?: string;
  readonly doc?: string;
  readonly body_preview?: string;
  readonly parent?: Parent;
  readonly related_symbols?: ReadonlyArray<Parent>;
}

interface Parent {
  readonly kind: string;
  readonly name: string;
  readonly path: string;
  readonly line: number;
}

interface TextMatch {
  readonly path: string;
  readonly line_start: number;
  readonly context: string;
}

interface RankingReason {
  readonly result_index: number;
  readonly exact_match_boost: number;
  readonly qualified_name_boost?: number;
  readonly path_affinity: number;
  readonly definition_boost: number;
  readonly kind_match?: number;
  readonly semantic_similarity?: number;
  readonly bm25_score?: number;
  readonly final_score: number;
}

interface Workspaces {
  readonly selected: number;
  readonly searched: number;
  /** Not searched: the index shows that they lack the words, or that others match better. */
  readonly passed_over?: number;
  /** Workspaces that results come from. */
  readonly answered?: ReadonlyArray<Answered>;
  readonly late?: ReadonlyArray<string>;
  readonly late_count?: number;
  readonly failed?: ReadonlyArray<Failed>;
  readonly failed_count?: number;
  readonly not_indexed?: ReadonlyArray<string>;
  readonly not_indexed_count?: number;
}

interface Answered {
  readonly workspace: string;
  readonly ref: string;
  readonly commit?: string;
  readonly freshness_status: "fresh" | "stale" | "syncing";
}

interface Failed {
  readonly workspace: string;
  readonly code: string;
  readonly message: string;
}

interface ActiveJob {
  readonly job_id: string;
  readonly project_id: string;
  readonly progress_token: string;
  readonly ref: string;
  readonly mode: "full" | "incremental";
  readonly status: "queued" | "running" | "published" | "failed" | "interrupted" | "cancelled";
  readonly changed_files: (number) | (null);
  readonly files_scanned: number;
  readonly files_indexed: number;
  readonly symbols_extracted: number;
  readonly estimated_completion_pct: number;
  readonly started_at: string;
}

interface InterruptedRecoveryReport {
  readonly detected: boolean;
  readonly interrupted_jobs: number;
  readonly last_interrupted_at: string;
  readonly recommended_action: string;
}

interface Anchor {
  readonly symbol_id: string;
  readonly symbol_stable_id: string;
  readonly name: string;
  readonly kind: string;
  readonly qualified_name: string;
  readonly path: string;
  readonly line_start: number;
  /** Line of the name, if it is not line_start. */
  readonly name_line?: number;
  readonly line_end: number;
  readonly signature?: string;
  readonly language?: string;
}

interface Before {
  readonly symbol_id: string;
  readonly symbol_stable_id?: string;
  readonly kind: string;
  readonly qualified_name: string;
  readonly signature?: string;
  readonly path: string;
  readonly line_start: number;
  readonly line_end: number;
}

interface LikelyTest {
  readonly path: string;
  readonly reason: "changed" | "uses" | "named_alike" | "reaches" | "imports" | "name_only";
  /** What changed and is used or reached there. */
  readonly uses?: ReadonlyArray<string>;
  /** Steps through the call graph from what changed. */
  readonly distance?: number;
}

interface Reference {
  readonly path: string;
  /** Line of the use. */
  readonly line_start: number;
  readonly edge_type: "imports" | "calls" | "implements" | "extends" | "references" | "route" | "table" | "env" | "event" | "script" | "resource" | "injection" | "element" | "rpc" | "graphql";
  readonly resolution: "compiler" | "exact" | "import" | "receiver" | "name_only" | "literal_key" | "partial_key";
  /** The site and the symbol name the same key; never certain. */
  readonly connection?: Connection;
  /** The site means a base or an override of the symbol. */
  readonly via?: "base" | "override";
  readonly source_layer?: "base" | "overlay";
  /** The source line, trimmed. */
  readonly context: string;
  /** symbol_stable_id: at its first site only. */
  readonly from_symbol: FromSymbol;
}

interface Connection {
  /** As the definition has it: GET /users/{}. */
  readonly key: string;
  readonly side: "use" | "definition";
  readonly defined_at?: {
    readonly path: string;
    readonly line_start: number;
  };
  /** What serves the key. */
  readonly handler?: Handler;
}

interface Handler {
  readonly qualified_name: string;
  readonly path: string;
  readonly line_start: number;
}

interface FromSymbol {
  readonly symbol_id: string;
  readonly symbol_stable_id?: string;
  readonly name: string;
  readonly qualified_name: string;
  readonly kind: string;
}

interface Pagination {
  readonly has_next: boolean;
  readonly next_cursor: (string) | (null);
  readonly page_size: number;
  readonly total_results: number;
}

interface Node {
  readonly symbol_id: string;
  readonly symbol_stable_id?: string;
  readonly name: string;
  readonly kind: string;
  readonly qualified_name: string;
  readonly path: string;
  readonly line_start: number;
  /** Line of the name, if it is not line_start. */
  readonly name_line?: number;
  readonly line_end?: number;
  readonly signature?: string;
  readonly language?: string;
  /** Distance from the root. */
  readonly depth: number;
}

interface Edge {
  /** symbol_id of the caller. */
  readonly from: string;
  /** symbol_id of the callee; absent if only the name is known. */
  readonly to?: string;
  readonly name?: string;
  readonly path: string;
  /** Line of the first call. */
  readonly line_start: number;
  /** Number of call sites, if more than one. */
  readonly call_sites?: number;
  readonly resolution: "compiler" | "exact" | "import" | "receiver" | "name_only" | "literal_key" | "partial_key";
  /** Both ends name this key, such as a route; not a certain call. */
  readonly connection?: {
    readonly kind: "route" | "table" | "env" | "event" | "script" | "resource" | "injection" | "element" | "rpc" | "graphql";
    readonly key: string;
  };
  /** The call names a base; at run time it may reach this override. */
  readonly possible?: boolean;
  readonly depth: number;
}

interface Changed {
  /** Absent for a deleted symbol. */
  readonly symbol_id?: string;
  readonly qualified_name: string;
  readonly path: string;
  /** How much of the project depends on it, from 0 (nothing) to 1 (the most), by imports and uses. */
  readonly centrality: number;
}

interface Affected {
  readonly symbol_id: string;
  readonly name: string;
  readonly kind: string;
  readonly qualified_name: string;
  readonly path: string;
  /** Line of the use. */
  readonly line_start: number;
  /** The source line, trimmed. */
  readonly context: string;
  /** Qualified name of the used symbol. */
  readonly uses: string;
  readonly edge_type: "imports" | "calls" | "implements" | "extends" | "references" | "route" | "table" | "env" | "event" | "script" | "resource" | "injection" | "element" | "rpc" | "graphql";
  readonly resolution: "compiler" | "exact" | "import" | "receiver" | "name_only" | "literal_key" | "partial_key";
  /** The use means a base or an override; it may reach what changed. */
  readonly possible?: boolean;
  readonly distance: number;
}
