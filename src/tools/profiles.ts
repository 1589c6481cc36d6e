/** Which tools a server lists: a row per profile. The order is always that of `TOOLS`. */

/** The tools that only the semantic family (S5) has. */
const ONLY_SEMANTIC = ["semantic_search", "regex_search", "hybrid_search", "reindex"];

const CORE = [
  "search_code",
  "locate_symbol",
  "get_file_outline",
  "find_references",
  "get_code_context",
  "diff_context",
  "index_status",
];

const PROFILES = {
  full: { but: [] },
  core: { only: CORE },
  codecompass: { but: ONLY_SEMANTIC },
  cc: { only: [...ONLY_SEMANTIC, "index_status", "health_check"] },
} as const satisfies Record<string, { readonly only: readonly string[] } | { readonly but: readonly string[] }>;

export type Profile = keyof typeof PROFILES;

export function isListed(tool: string, profile: Profile): boolean {
  const row: { readonly only?: readonly string[]; readonly but?: readonly string[] } = PROFILES[profile];
  return row.only?.includes(tool) ?? !row.but?.includes(tool);
}
