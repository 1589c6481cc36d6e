/** Every tool, in the fixed order of `tools/list`, and the profiles that pick from it. */
import { z } from "zod";
import type { ToolDefinition } from "./define.ts";
import diffContext from "./diff-context.ts";
import explainRanking from "./explain-ranking.ts";
import findReferences from "./find-references.ts";
import findRelatedSymbols from "./find-related-symbols.ts";
import getCallGraph from "./get-call-graph.ts";
import getCodeContext from "./get-code-context.ts";
import getFileOutline from "./get-file-outline.ts";
import getSymbolHierarchy from "./get-symbol-hierarchy.ts";
import healthCheck from "./health-check.ts";
import impact from "./impact.ts";
import indexStatus from "./index-status.ts";
import { indexRepo, reindex, syncRepo } from "./indexing.ts";
import locateSymbol from "./locate-symbol.ts";
import { listRefs, switchRef } from "./refs.ts";
import regexSearch from "./regex-search.ts";
import searchCode from "./search-code.ts";
import { hybridSearch, semanticSearch } from "./semantic-search.ts";

/** The nineteen of the contract in its order, then what goes beyond. */
export const TOOLS: readonly ToolDefinition[] = [
  indexRepo,
  syncRepo,
  locateSymbol,
  searchCode,
  indexStatus,
  getFileOutline,
  healthCheck,
  getSymbolHierarchy,
  findRelatedSymbols,
  getCodeContext,
  diffContext,
  findReferences,
  explainRanking,
  listRefs,
  switchRef,
  semanticSearch,
  regexSearch,
  hybridSearch,
  reindex,
  getCallGraph,
  impact,
];

/** `readers` are not offered tools that write an index. */
export type Callers = "readers" | "writers";

export function listTools(profile: Profile, callers: Callers = "writers"): readonly ToolDefinition[] {
  return TOOLS.filter((tool) => isListed(tool.name, profile) && isFor(callers, tool));
}

export function findTool(
  name: string,
  profile: Profile = "full",
  callers: Callers = "writers",
): ToolDefinition | undefined {
  return isListed(name, profile) ? TOOLS.find((tool) => tool.name === name && isFor(callers, tool)) : undefined;
}

function isFor(callers: Callers, { access }: ToolDefinition): boolean {
  return callers === "writers" || access !== "write";
}

/** A schema as clients read it: flat, small, without `$schema` and without rules that only we have to enforce. */
export function jsonSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input", override: ({ jsonSchema: at }) => plain(at) });
  return rest;
}

function plain(at: Record<string, unknown>): void {
  for (const rule of ["maxLength", "minLength", "pattern"]) delete at[rule];
  if (at.maximum === Number.MAX_SAFE_INTEGER) delete at.maximum;
  if (at.minimum === Number.MIN_SAFE_INTEGER) delete at.minimum;
}

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

function isListed(tool: string, profile: Profile): boolean {
  const row: { readonly only?: readonly string[]; readonly but?: readonly string[] } = PROFILES[profile];
  return row.only?.includes(tool) ?? !row.but?.includes(tool);
}
