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
import hybridSearch from "./hybrid-search.ts";
import impact from "./impact.ts";
import indexRepo from "./index-repo.ts";
import indexStatus from "./index-status.ts";
import listRefs from "./list-refs.ts";
import locateSymbol from "./locate-symbol.ts";
import { isListed, type Profile } from "./profiles.ts";
import regexSearch from "./regex-search.ts";
import reindex from "./reindex.ts";
import searchCode from "./search-code.ts";
import semanticSearch from "./semantic-search.ts";
import switchRef from "./switch-ref.ts";
import syncRepo from "./sync-repo.ts";

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

export type { Profile };

/** Who only reads is offered nothing that writes an index. */
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
