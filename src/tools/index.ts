/** Every tool, in the fixed order of `tools/list`, and the profiles that pick from it. */
import { z } from "zod";
import { CompassError } from "../model/errors.ts";
import type { Fields, ToolDefinition } from "./define.ts";
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
import unused from "./unused.ts";

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
  unused,
];

/** `readers` are not offered tools that write an index. */
export type Callers = "readers" | "writers";

/** The tools that `tools/list` shows. Throws `invalid_input` for an unknown word. */
export function listTools(words = "all", callers: Callers = "writers"): readonly ToolDefinition[] {
  const listed = words.split(",").map((word) => profile(word.trim()));
  return TOOLS.filter((tool) => listed.some((lists) => lists(tool.name)) && isFor(callers, tool));
}

/** Also a tool that is not listed answers. */
export function findTool(name: string, callers: Callers = "writers"): ToolDefinition | undefined {
  return TOOLS.find((tool) => tool.name === name && isFor(callers, tool));
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

/** Parameters that are read in any call but listed only among all tools: of every tool, or of one. */
const SELDOM_USED = [
  "symbol_id",
  "symbol_stable_id",
  "freshness_policy",
  "ranking_explain_level",
  "case_insensitive",
  "snippet_length",
  "strict_symbol",
  "include_snippet",
  "compact",
  "get_file_outline.language",
];

/** The parameters that a listing shows. */
export function listedInput(tool: ToolDefinition, words: string): Record<string, unknown> {
  const schema = jsonSchema(tool.input);
  if (isWhole(words)) return schema;
  const shown = Object.entries(schema.properties as Fields).filter(
    ([name]) => !SELDOM_USED.includes(name) && !SELDOM_USED.includes(`${tool.name}.${name}`),
  );
  return { ...schema, properties: Object.fromEntries(shown) };
}

function isWhole(words: string): boolean {
  return words.split(",").some((word) => /^(all|full)$/.test(word.trim()));
}

/** What an agent uses daily. */
const CORE = [
  "search_code",
  "locate_symbol",
  "find_references",
  "get_file_outline",
  "get_code_context",
  "impact",
  "diff_context",
  "regex_search",
];
/** The tools that only the semantic family (S5) has. */
const ONLY_SEMANTIC = ["semantic_search", "regex_search", "hybrid_search", "reindex"];

const PROFILES: Readonly<Record<string, (tool: string) => boolean>> = {
  all: () => true,
  core: (tool) => CORE.includes(tool),
  // Words of earlier releases.
  full: () => true,
  codecompass: (tool) => !ONLY_SEMANTIC.includes(tool),
  cc: (tool) => [...ONLY_SEMANTIC, "index_status", "health_check"].includes(tool),
};

function profile(word: string): (tool: string) => boolean {
  const lists = PROFILES[word] ?? (findTool(word) && ((tool: string) => tool === word));
  if (lists !== undefined) return lists;
  const reason = `tools: ${JSON.stringify(word.slice(0, 40))} is neither core, all nor a tool; tools are ${TOOLS.map(({ name }) => name).join(", ")}`;
  throw new CompassError("invalid_input", { parameter: "tools", reason });
}
