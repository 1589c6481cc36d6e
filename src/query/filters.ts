/** Filters inside a query, as in GitHub code search: `lang:go`, `path:src/auth`, `-path:test`, `file:*.yml`, `kind:class`, `repo:api`. */
import { parseKindFilter } from "../model/kinds.ts";

export const FILTER_FIELDS = ["lang", "path", "file", "kind", "repo"] as const;
export type FilterField = (typeof FILTER_FIELDS)[number];

export interface QueryFilter {
  readonly field: FilterField;
  /** One of them has to match. */
  readonly values: readonly string[];
  readonly isNegated: boolean;
}

export interface FilteredQuery {
  /** The query without its filters. */
  readonly text: string;
  readonly filters: readonly QueryFilter[];
}

/** A longer query, or one of several lines, is pasted text: nothing in it is a filter. */
const LONGEST = 500;
const FILTER = /(?<!\S)(-?)(lang|language|path|file|kind|repo):("[^"]+"|[^\s":][^\s"]*)(?!\S)/g;

/** What cannot be a filter (`std::path`, `file://host`, `kind:unknown`) stays text. */
export function splitFilters(query: string, knowsLanguage: (word: string) => boolean = () => true): FilteredQuery {
  if (query.length > LONGEST || query.includes("\n")) return { text: query, filters: [] };
  const filters: QueryFilter[] = [];
  const text = query.replace(FILTER, (all, minus: string, name: string, given: string) => {
    const field = (name === "language" ? "lang" : name) as FilterField;
    const values = given.startsWith('"') ? [given.slice(1, -1)] : given.split(",").filter((value) => value !== "");
    if (!values.every((value) => isValue(field, value, knowsLanguage)) || values.length === 0) return all;
    filters.push({ field, values, isNegated: minus === "-" });
    return "";
  });
  return { text: filters.length === 0 ? query : text.replace(/ {2,}/g, " ").trim(), filters };
}

function isValue(field: FilterField, value: string, knowsLanguage: (word: string) => boolean): boolean {
  if (value.startsWith("//")) return false;
  if (field === "kind") return parseKindFilter(value).length > 0;
  return field !== "lang" || knowsLanguage(value);
}
