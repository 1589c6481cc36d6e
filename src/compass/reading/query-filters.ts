/** Applies the filters inside a query (`lang:go -path:test`) to a request for one repository. */
import { globFilter } from "../../grep/glob.ts";
import { languageById } from "../../languages/index.ts";
import { parseKindFilter } from "../../model/kinds.ts";
import type { KindFilter } from "../../model/search.ts";
import { ignoresCase } from "../../query/literal.ts";

interface FilterableRequest {
  readonly query: string;
  readonly languages?: readonly string[];
  readonly keeps?: (path: string) => boolean;
  readonly kinds?: KindFilter;
}

export interface FilterContext {
  /** Path or name of the repository. */
  readonly root: string;
  /** Ids of the languages of the view. */
  readonly languages: readonly string[];
  readonly languageIds: (word: string) => readonly string[];
}

export function splitQuery(query: string) {
  return splitFilters(query, (word) => languageById(word) !== undefined);
}

export function withQueryFilters<Ask extends FilterableRequest>(ask: Ask, context: FilterContext): Ask {
  const { text, filters } = splitQuery(ask.query);
  if (filters.length === 0) return ask;
  const passes = filters.flatMap((filter) => pathTest(filter, context));
  const { keeps } = ask;
  return {
    ...ask,
    query: text,
    ...languagesOf(filters, ask.languages, context),
    ...kindsOf(filters),
    keeps: (path) => keeps?.(path) !== false && passes.every((test) => test(path)),
  };
}

function pathTest({ field, values, isNegated }: QueryFilter, { root }: FilterContext): ((path: string) => boolean)[] {
  if (field === "repo") {
    const isMeant = values.some((value) => root.toLowerCase().includes(value.toLowerCase()));
    return [() => isMeant !== isNegated];
  }
  if (field !== "path" && field !== "file") return [];
  const tests = values.map((value) => (field === "path" ? inPath(value) : inFileName(value)));
  return [(path) => tests.some((test) => test(path)) !== isNegated];
}

const GLOB = /[*?[{]/;

function inPath(value: string): (path: string) => boolean {
  const wanted = value.replace(/^\.?\//, "");
  if (GLOB.test(wanted)) return globFilter([wanted]);
  return ignoresCase(wanted) ? (path) => path.toLowerCase().includes(wanted) : (path) => path.includes(wanted);
}

function inFileName(value: string): (path: string) => boolean {
  const test = inPath(value);
  return (path) => test(path.slice(path.lastIndexOf("/") + 1));
}

function languagesOf(
  filters: readonly QueryFilter[],
  given: readonly string[] | undefined,
  { languages, languageIds }: FilterContext,
): { readonly languages?: readonly string[] } {
  const named = filters.filter(({ field }) => field === "lang");
  if (named.length === 0) return {};
  const idsOf = ({ values }: QueryFilter) => values.flatMap(languageIds);
  const passes = (id: string) => named.every((filter) => idsOf(filter).includes(id) !== filter.isNegated);
  return { languages: (given ?? languages).filter(passes) };
}

function kindsOf(filters: readonly QueryFilter[]): { readonly kinds?: KindFilter } {
  const named = filters.filter(({ field }) => field === "kind");
  if (named.length === 0) return {};
  const kinds = (isNegated: boolean) =>
    named.filter((it) => it.isNegated === isNegated).flatMap(({ values }) => values.flatMap(parseKindFilter));
  const [only, not] = [kinds(false), kinds(true)];
  return { kinds: { ...(only.length > 0 && { only }), ...(not.length > 0 && { not }) } };
}

/** Filters inside a query, as in GitHub code search: `lang:go`, `path:src/auth`, `-path:test`, `file:*.yml`, `kind:class`, `repo:api`. */
const FILTER_FIELDS = ["lang", "path", "file", "kind", "repo"] as const;
type FilterField = (typeof FILTER_FIELDS)[number];

interface QueryFilter {
  readonly field: FilterField;
  /** One of them has to match. */
  readonly values: readonly string[];
  readonly isNegated: boolean;
}

interface FilteredQuery {
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
