/** Arguments for each tool that show its answer on the fake compass. */
export const TOOL_EXAMPLES: Readonly<Record<string, object>> = {
  get_symbol_hierarchy: { symbol_name: "has_role" },
  find_related_symbols: { symbol_name: "validate_token", scope: "module", limit: 2 },
  get_code_context: { query: "role", max_tokens: 600 },
  find_references: { symbol_name: "validate_token", limit: 2 },
  get_call_graph: { symbol_name: "validate_token", limit: 2 },
  impact: { symbol_name: "validate_token", limit: 2 },
  unused: { include_unknown: true, limit: 2 },
  regex_search: { pattern: "has_role" },
  switch_ref: { ref: "main" },
  search_code: { query: "has_role", limit: 2 },
  locate_symbol: { name: "has_role", detail_level: "context" },
  get_file_outline: { path: "src/types.rs" },
  diff_context: { base_ref: "main", head_ref: "feat/oauth2" },
  semantic_search: { query: "has_role", threshold: 0.1 },
  hybrid_search: { query: "has_role", threshold: 0, page_size: 1 },
  explain_ranking: { query: "role", result_path: "src/types.rs", result_line_start: 1 },
};

/** Fields of the metadata of every answer. */
export const REQUIRED_METADATA = [
  "codecompass_protocol_version",
  "cruxe_protocol_version",
  "freshness_status",
  "indexing_status",
  "result_completeness",
  "ref",
  "schema_status",
];
