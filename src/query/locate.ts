/** Definitions by name or id: exact case before other case, the requested owner before others, plain source before tests. */
import type { IdSource } from "../model/ids.ts";
import { parseKindFilter } from "../model/kinds.ts";
import type { LocateAnswer, LocateRequest, SearchHit } from "../model/search.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { shapeDefinition } from "./build-results.ts";
import type { QueryScope } from "./candidate.ts";
import { fuse } from "./fuse.ts";
import { type NameQuery, type ParsedQuery, parseNameQuery } from "./parsed-query.ts";
import { contentWords } from "./query-words.ts";
import { explainParts, rank } from "./rank.ts";
import { NO_TEXT } from "./retrieve.ts";
import { suggestNames } from "./retrievers/named.ts";
import { retrieveSymbols, type SymbolLookup } from "./retrievers/symbol.ts";
import { distinct } from "./search.ts";

export async function locate(ask: LocateRequest, at: Snapshot, ids: IdSource): Promise<LocateAnswer> {
  const name = ask.name === undefined ? undefined : parseNameQuery(ask.name);
  const { candidates, matched } = await retrieveSymbols(symbolLookup(ask, name), at);
  const pool = distinct(fuse(lookupQuery(ask, name), { ...NO_TEXT, symbols: candidates }));
  const hits: SearchHit[] = [];
  for (const it of rank(pool).slice(0, ask.limit)) {
    hits.push(await shapeDefinition(it, at, ids, ask.brief ? [] : explainParts(it, pool)));
  }
  const near = hits.length === 0 && ask.name ? await suggestNames(ask.name, at, scopeOf(ask)) : [];
  return { hits, totalCandidates: matched, ...(near.length > 0 && { didYouMean: near }) };
}

/** Enough to rank by kind and owner what paths alone cannot distinguish. */
const LEAST_OPENED = 16;

function symbolLookup(ask: LocateRequest, name: NameQuery | undefined): SymbolLookup {
  const kinds = ask.kind !== undefined ? parseKindFilter(ask.kind) : name?.kinds.length ? name.kinds : undefined;
  return {
    ...(name && { name }),
    ...(ask.symbolId !== undefined && { id: ask.symbolId }),
    scope: scopeOf(ask),
    ...(kinds && { kinds }),
    enough: Math.max(LEAST_OPENED, ask.limit),
  };
}

function scopeOf({ languages, path }: LocateRequest): QueryScope {
  return { ...(languages && { languages }), ...(path !== undefined && { under: path }) };
}

function lookupQuery(ask: LocateRequest, name: NameQuery | undefined): ParsedQuery {
  const text = ask.name?.trim() ?? "";
  return {
    intent: "symbol",
    text,
    terms: [],
    words: contentWords(text, "symbol"),
    ...(name && { name }),
    kinds: ask.kind === undefined ? (name?.kinds ?? []) : parseKindFilter(ask.kind),
    mentions: [],
    codeTokens: [],
    requestedClasses: new Set(),
  };
}
