/** Definitions by name or id, from the symbol dictionary. */
import type { CodeSymbol } from "../../model/code.ts";
import { DATA_KINDS, type Kind, matchesKind } from "../../model/kinds.ts";
import type { SymbolCandidate } from "../../ports/candidates.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import { inScope, type OpenedFile, openedAt, type QueryScope, type RankingCandidate } from "../candidate.ts";
import { type NameQuery, qualifierMatch } from "../parsed-query.ts";
import { pathClasses } from "../path-class.ts";
import { alike, pathWords } from "../query-words.ts";

export interface SymbolLookup {
  readonly name?: NameQuery;
  /** Wins over the name. */
  readonly id?: string;
  readonly scope: QueryScope;
  /** Absent: every kind but imports. */
  readonly kinds?: readonly Kind[];
  /** Maximum definitions, best prior first. */
  readonly enough: number;
}

export interface SymbolList {
  readonly candidates: readonly RankingCandidate[];
  /** Definitions that fit; where not all were opened, those that may fit are counted. */
  readonly matched: number;
}

export async function retrieveSymbols(lookup: SymbolLookup, at: Snapshot): Promise<SymbolList> {
  const found = byPrior(await lookUp(lookup, at), lookup.name?.name ?? "");
  const { opened, looked } = await open(found, lookup, at);
  const candidates = judgeOwners(opened, lookup.name);
  return { candidates, matched: candidates.length + found.length - looked };
}

/** `new` has thousands of definitions; a place in the dictionary is cheap, a record is not. */
const MAX_LOOKED_UP = 10_000;

async function lookUp({ name, id, scope }: SymbolLookup, at: Snapshot): Promise<SymbolCandidate[]> {
  if (id !== undefined) return (await at.symbolsById(id)).filter((it) => inScope(it.file, scope));
  const found = new Map<string, SymbolCandidate>();
  for (const spelling of name?.spellings ?? []) {
    const page = await at.symbols({ name: spelling, match: "folded", limit: MAX_LOOKED_UP });
    for (const it of page.candidates) if (inScope(it.file, scope)) found.set(`${it.file.id} ${it.index}`, it);
  }
  return [...found.values()];
}

interface OpenedDefinition {
  readonly candidate: SymbolCandidate;
  readonly opened: OpenedFile;
  readonly symbol: CodeSymbol;
}

/** A filter that fits hardly anything must not open every file of a large repository. */
const MAX_OPENED = 500;

async function open(
  found: readonly SymbolCandidate[],
  lookup: SymbolLookup,
  at: Snapshot,
): Promise<{ opened: OpenedDefinition[]; looked: number }> {
  const opened: OpenedDefinition[] = [];
  let looked = 0;
  for (const candidate of found) {
    if (opened.length >= lookup.enough || looked >= MAX_OPENED) break;
    looked++;
    const found = openedAt(await at.frame(candidate.file), { type: "symbol", at: candidate.index });
    const { symbol } = found;
    if (symbol !== undefined && fits(symbol, found.parent, lookup)) opened.push({ candidate, opened: found, symbol });
  }
  return { opened, looked };
}

function fits(symbol: CodeSymbol, parent: CodeSymbol | undefined, { kinds, id }: SymbolLookup): boolean {
  if (kinds === undefined) return symbol.kind !== "use" || id !== undefined;
  return matchesKind(kinds, symbol.kind, parent?.kind);
}

/** A name in another case, or of another owner than requested, is a weaker match. */
const FOLDED = 0.85;
/** `Channel` does not match the property `channel`. */
const FOLDED_MEMBER = 0.5;
const MEMBERS: ReadonlySet<Kind> = new Set(["field", "property", "var", "const", "variant", "method"]);
const OTHER_OWNER = 0.6;
/** No more than text that uses the name. */
const OF_DATA = 0.6;

function judgeOwners(opened: readonly OpenedDefinition[], name: NameQuery | undefined): RankingCandidate[] {
  const owners = opened.map(({ symbol }) =>
    name && isSpelt(symbol, name) ? 1 : name ? qualifierMatch(symbol.qualifiedName, name) : 0,
  );
  const owned = owners.some((share) => share > 0);
  return opened.map((it, i) => symbolCandidate(it, name, owned && owners[i] === 0 && name!.qualifier.length > 0));
}

/** The whole query is the name: `Plug.Conn` as Elixir defines it needs no owner. */
function isSpelt(symbol: CodeSymbol, name: NameQuery): boolean {
  return name.qualifier.length > 0 && symbol.name === name.spellings[0];
}

function symbolCandidate(
  { candidate, opened, symbol }: OpenedDefinition,
  name: NameQuery | undefined,
  elsewhere: boolean,
): RankingCandidate {
  const exact = name === undefined || name.spellings.includes(symbol.name);
  const ofData = name !== undefined && DATA_KINDS.has(symbol.kind);
  return {
    type: "symbol",
    retriever: "symbol",
    file: candidate.file,
    at: candidate.index,
    strength: (exact ? 1 : foldedStrength(symbol, name)) * (elsewhere ? OTHER_OWNER : 1) * (ofData ? OF_DATA : 1),
    how: `defined as ${symbol.name}${exact ? "" : ", in another case"}${elsewhere ? ", under another owner" : ""}`,
    bm25: 0,
    opened,
  };
}

function foldedStrength({ kind }: CodeSymbol, { name }: NameQuery): number {
  return /\p{Lu}/u.test(name) && MEMBERS.has(kind) ? FOLDED_MEMBER : FOLDED;
}

/** Exact case first, then plain source before tests and other files, files named after it, shallow paths; then by path. */
function byPrior(found: readonly SymbolCandidate[], name: string): SymbolCandidate[] {
  const words = pathWords(name);
  const judged = found.map((it) => ({ it, prior: prior(it, name, words) }));
  return judged.sort((a, b) => b.prior - a.prior || comparePlace(a.it, b.it)).map(({ it }) => it);
}

function prior(it: SymbolCandidate, name: string, words: readonly string[]): number {
  const { path } = it.file;
  const stem = pathWords(path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]*$/, ""));
  const named = stem.some((part) => words.some((word) => alike(part, word)));
  const depth = path.split("/").length;
  return (it.name === name ? 8 : 0) - 4 * Math.min(1, sinking(path)) + (named ? 1 : 0) - Math.min(depth, 20) / 20;
}

function sinking(path: string): number {
  return pathClasses(path).filter((name) => name !== "header" && name !== "entry").length;
}

function comparePlace(a: SymbolCandidate, b: SymbolCandidate): number {
  if (a.file.path !== b.file.path) return a.file.path < b.file.path ? -1 : 1;
  return a.index - b.index;
}
