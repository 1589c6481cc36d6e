/** Definitions by name or id, from the symbol dictionary. */
import type { CodeSymbol } from "../../model/code.ts";
import { type Kind, matchesKind } from "../../model/kinds.ts";
import type { SymbolCandidate } from "../../ports/candidates.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import { type Candidate, type Opened, openedAt } from "../candidate.ts";
import { inStanding } from "../file-prior.ts";
import { inScope, type Scope } from "../scope.ts";
import { type NameQuestion, qualifierMatch } from "../symbol-name-query.ts";

export interface Wanted {
  readonly name?: NameQuestion;
  /** Wins over the name. */
  readonly id?: string;
  readonly scope: Scope;
  /** Absent: every kind but imports. */
  readonly kinds?: readonly Kind[];
  /** Definitions to bring, best standing first. */
  readonly enough: number;
}

export interface SymbolList {
  readonly candidates: readonly Candidate[];
  /** Definitions that fit; where not all were opened, those that may fit are counted. */
  readonly matched: number;
}

export async function retrieveSymbols(wanted: Wanted, at: Snapshot): Promise<SymbolList> {
  const found = inStanding(await lookUp(wanted, at), wanted.name?.name ?? "");
  const { opened, looked } = await open(found, wanted, at);
  const candidates = judgeOwners(opened, wanted.name);
  return { candidates, matched: candidates.length + found.length - looked };
}

/** `new` has thousands of definitions; a place in the dictionary is cheap, a record is not. */
const MAX_LOOKED_UP = 10_000;

async function lookUp({ name, id, scope }: Wanted, at: Snapshot): Promise<SymbolCandidate[]> {
  if (id !== undefined) return (await at.symbolsById(id)).filter((it) => inScope(it.file, scope));
  const found = new Map<string, SymbolCandidate>();
  for (const spelling of name?.spellings ?? []) {
    const page = await at.symbols({ name: spelling, match: "folded", limit: MAX_LOOKED_UP });
    for (const it of page.candidates) if (inScope(it.file, scope)) found.set(`${it.file.id} ${it.index}`, it);
  }
  return [...found.values()];
}

interface Definition {
  readonly candidate: SymbolCandidate;
  readonly opened: Opened;
  readonly symbol: CodeSymbol;
}

/** A filter that fits hardly anything must not open every file of a large repository. */
const MAX_OPENED = 500;

async function open(
  found: readonly SymbolCandidate[],
  wanted: Wanted,
  at: Snapshot,
): Promise<{ opened: Definition[]; looked: number }> {
  const opened: Definition[] = [];
  let looked = 0;
  for (const candidate of found) {
    if (opened.length >= wanted.enough || looked >= MAX_OPENED) break;
    looked++;
    const found = openedAt(await at.frame(candidate.file), { type: "symbol", at: candidate.index });
    const { symbol } = found;
    if (symbol !== undefined && fits(symbol, found.parent, wanted)) opened.push({ candidate, opened: found, symbol });
  }
  return { opened, looked };
}

function fits(symbol: CodeSymbol, parent: CodeSymbol | undefined, { kinds, id }: Wanted): boolean {
  if (kinds === undefined) return symbol.kind !== "use" || id !== undefined;
  return matchesKind(kinds, symbol.kind, parent?.kind);
}

/** A name in another case, or under another owner than the one asked for, is a weaker answer. */
const FOLDED = 0.85;
/** Who writes `Channel` does not mean the property `channel`. */
const FOLDED_MEMBER = 0.5;
const MEMBERS: ReadonlySet<Kind> = new Set(["field", "property", "var", "const", "variant", "method"]);
const OTHER_OWNER = 0.6;

function judgeOwners(opened: readonly Definition[], name: NameQuestion | undefined): Candidate[] {
  const owners = opened.map(({ symbol }) =>
    name && isSpelt(symbol, name) ? 1 : name ? qualifierMatch(symbol.qualifiedName, name) : 0,
  );
  const owned = owners.some((share) => share > 0);
  return opened.map((it, i) => candidateOf(it, name, owned && owners[i] === 0 && name!.qualifier.length > 0));
}

/** The whole query is the name: `Plug.Conn` as Elixir defines it needs no owner. */
function isSpelt(symbol: CodeSymbol, name: NameQuestion): boolean {
  return name.qualifier.length > 0 && symbol.name === name.spellings[0];
}

function candidateOf(
  { candidate, opened, symbol }: Definition,
  name: NameQuestion | undefined,
  elsewhere: boolean,
): Candidate {
  const exact = name === undefined || name.spellings.includes(symbol.name);
  return {
    type: "symbol",
    retriever: "symbol",
    file: candidate.file,
    at: candidate.index,
    strength: (exact ? 1 : foldedStrength(symbol, name)) * (elsewhere ? OTHER_OWNER : 1),
    how: `defined as ${symbol.name}${exact ? "" : ", in another case"}${elsewhere ? ", under another owner" : ""}`,
    bm25: 0,
    opened,
  };
}

function foldedStrength({ kind }: CodeSymbol, { name }: NameQuestion): number {
  return /\p{Lu}/u.test(name) && MEMBERS.has(kind) ? FOLDED_MEMBER : FOLDED;
}
